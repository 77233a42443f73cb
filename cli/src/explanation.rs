//! The meaning of a kind of finding, its usual cause, and the way to mend it, as a document. The
//! table of kinds in the engine has the texts.

use serde::Serialize;
use warpsim::report::{Code, Severity, UnknownCode};

/// An explanation.
#[derive(Debug, Serialize)]
pub(crate) struct Explanation {
    pub(crate) code: &'static str,
    pub(crate) severity: Severity,
    pub(crate) meaning: &'static str,
    /// Where it usually comes from.
    pub(crate) cause: &'static str,
    /// How to mend it.
    pub(crate) remedy: &'static str,
}

/// Kinds whose names are less like a word than this are not meant.
const LIKE: f64 = 0.85;

/// The error for a name that no kind of finding has. It names the most similar kind, or all kinds.
pub(crate) fn unknown(error: &UnknownCode) -> String {
    let likeness = |code: &&Code| strsim::jaro_winkler(&error.name, code.name());
    let nearest = Code::ALL.iter().max_by(|a, b| likeness(a).total_cmp(&likeness(b)));
    match nearest.filter(|code| likeness(code) > LIKE) {
        Some(code) => format!("unknown finding `{}`; did you mean `{code}`?", error.name),
        None => error.to_string(),
    }
}

/// The explanation of a kind that has this name.
pub(crate) fn explanation(name: &str) -> Result<Explanation, UnknownCode> {
    name.parse().map(of)
}

/// The explanations of all kinds.
pub(crate) fn all() -> Vec<Explanation> {
    Code::ALL.iter().copied().map(of).collect()
}

fn of(code: Code) -> Explanation {
    Explanation {
        code: code.name(),
        severity: code.severity(),
        meaning: code.text(),
        cause: code.cause(),
        remedy: code.remedy(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_of_finding_is_explained_and_another_name_is_refused() {
        for code in Code::ALL {
            let explained = explanation(code.name()).unwrap();
            assert_eq!(explained.code, code.name());
            assert!(explained.cause.ends_with('.') && explained.remedy.ends_with('.'));
        }
        let of = |name: &str| unknown(&explanation(name).unwrap_err());
        assert_eq!(of("rase"), "unknown finding `rase`; did you mean `race`?");
        assert!(of("out-of-bound").ends_with("did you mean `out-of-bounds`?"));
        assert!(of("mistake").contains("use one of race, "));
        assert!(explanation("rase").unwrap_err().to_string().contains("unknown finding `rase`"));
    }
}
