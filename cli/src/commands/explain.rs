//! `warpsim explain`: the meaning of a kind of finding, its usual cause, and the way to mend it.

use crate::args::{ExplainArgs, Format};
use warpsim::report::Code;

use crate::explanation::{Explanation, all, explanation, unknown};
use crate::failure::{Exit, Failure};
use crate::json;
use crate::output::Output;

pub(super) fn run(args: &ExplainArgs, output: &mut Output) -> Result<Exit, Failure> {
    let Some(code) = &args.code else { return list(args.format, output) };
    let explained = explanation(code).map_err(|error| Failure::usage(unknown(&error)))?;
    match args.format {
        Format::Json => output.line(&json::to_string(&explained)?)?,
        Format::Text => output.print(&text(&explained))?,
    }
    Ok(Exit::CLEAN)
}

/// All kinds of findings.
fn list(format: Format, output: &mut Output) -> Result<Exit, Failure> {
    match format {
        Format::Json => output.line(&json::to_string(&all())?)?,
        Format::Text => {
            let width = Code::ALL.iter().map(|code| code.name().len()).max().unwrap_or(0);
            for code in Code::ALL {
                output.line(&format!("{:width$}  {}", code.name(), code.text()))?;
            }
        }
    }
    Ok(Exit::CLEAN)
}

fn text(explained: &Explanation) -> String {
    let Explanation { code, severity, meaning, cause, remedy } = explained;
    format!(
        "{severity}[{code}]: {meaning}\n\n\
         cause: {cause}\n\n\
         fix: {remedy}\n"
    )
}
