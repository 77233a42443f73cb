//! `warpsim explain`: the meaning of a kind of finding, its usual cause, and the way to mend it.

use crate::args::{ExplainArgs, Format};
use crate::explanation::{Explanation, explanation};
use crate::failure::{Exit, Failure};
use crate::json;
use crate::output::Output;

pub(super) fn run(args: &ExplainArgs, output: &mut Output) -> Result<Exit, Failure> {
    let explained = explanation(&args.code).map_err(|error| Failure::usage(error.to_string()))?;
    match args.format {
        Format::Json => output.line(&json::to_string(&explained)?)?,
        Format::Text => output.print(&text(&explained))?,
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
