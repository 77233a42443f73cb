//! The texts under test: the kernel's module, and the texts that are linked with it.

use std::path::Path;

use super::failure::Mistake;
use crate::diagnostics::{Colour, Diagnostic, render_in};
use crate::ptx::{self, Module};

/// PTX, and where it is from.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Text {
    pub(super) text: String,
    pub(super) place: Place,
}

/// Where PTX is from.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Place {
    /// The test gave its text.
    Given,
    /// The test says that it is the text of this file, as `include_str!` finds it.
    Included(String),
    /// It was read from this file.
    Read(String),
}

impl Text {
    pub(super) fn given(text: &str) -> Result<Text, Mistake> {
        Ok(Text { text: text.to_owned(), place: Place::Given })
    }

    pub(super) fn read(path: &Path) -> Result<Text, Mistake> {
        let name = path.display().to_string();
        match std::fs::read_to_string(path) {
            Ok(text) => Ok(Text { text, place: Place::Read(name) }),
            Err(error) => Err(Mistake::File { path: name, reason: error.to_string() }),
        }
    }
}

/// All texts, the kernel's first; or why one of them is not there.
#[derive(Clone, Debug)]
pub(super) struct Sources(Result<Vec<Text>, Mistake>);

impl Sources {
    pub(super) fn new(text: Result<Text, Mistake>) -> Sources {
        Sources(text.map(|text| vec![text]))
    }

    /// Links a further one. Only the first mistake is reported.
    pub(super) fn link(&mut self, text: Result<Text, Mistake>) {
        match (&mut self.0, text) {
            (Ok(texts), Ok(text)) => texts.push(text),
            (Ok(_), Err(mistake)) => self.0 = Err(mistake),
            (Err(_), _) => {}
        }
    }

    /// Says that the last one is the text of this file.
    pub(super) fn include_last(&mut self, path: &str) {
        if let Ok(Some(last)) = self.0.as_mut().map(|texts| texts.last_mut()) {
            last.place = Place::Included(path.to_owned());
        }
    }

    /// The texts, each with the file that messages name; none when one is not there.
    pub(super) fn named(&self, kernel: &str) -> Vec<(String, &Text)> {
        let texts = self.0.as_deref().unwrap_or_default();
        let name = |(number, text): (usize, &Text)| match (&text.place, number) {
            (Place::Included(path) | Place::Read(path), _) => path.clone(),
            (Place::Given, 0) => format!("{kernel}.ptx"),
            (Place::Given, number) => format!("{kernel}.{}.ptx", number + 1),
        };
        texts.iter().enumerate().map(|numbered| (name(numbered), numbered.1)).collect()
    }

    /// The module of all.
    pub(super) fn module(&self, kernel: &str) -> Result<Module, Mistake> {
        if let Err(mistake) = &self.0 {
            return Err(mistake.clone());
        }
        let named = self.named(kernel);
        let files: Vec<(&str, &[u8])> =
            named.iter().map(|(name, text)| (name.as_str(), text.text.as_bytes())).collect();
        ptx::link(&files).map_err(|error| {
            let diagnostic = Diagnostic::from(&*error);
            Mistake::Ptx(render_in(&diagnostic, &error.source, Colour::Never))
        })
    }
}
