//! The known facts about the variables of a PTX file, which is read once.

use super::build::read;
use super::model::DebugInfo;
use super::sections::Sections;

/// The known facts about the variables of a PTX file.
#[derive(Debug)]
pub(crate) enum Known {
    /// The file has no debug information.
    Nothing,
    /// It has, and it is not well-formed.
    Wrong(String),
    Info(DebugInfo),
}

impl Known {
    /// Reads the debug information of a PTX file.
    pub(crate) fn of(name: &str, text: &str) -> Known {
        // Most files have none, and need not be parsed again.
        if !text.contains(".debug_info") {
            return Known::Nothing;
        }
        let module = match warpsim::ptx::parse(name, text) {
            Ok(module) => module,
            Err(error) => return Known::Wrong(error.to_string()),
        };
        let Some(sections) = Sections::of(&module) else { return Known::Nothing };
        match read(&sections) {
            Ok(info) => Known::Info(info),
            Err(error) => Known::Wrong(error.to_string()),
        }
    }

    pub(crate) fn info(&self) -> Option<&DebugInfo> {
        match self {
            Known::Info(info) => Some(info),
            Known::Nothing | Known::Wrong(_) => None,
        }
    }
}
