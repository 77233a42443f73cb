//! Preferences of the user in environment variables. They affect the duration of a run and nothing
//! else.
//!
//! A variable that is not set, or empty, asks for nothing. A value that is not understood is a
//! [`PreferenceError`], which a command reports before it does anything. If no command checks it,
//! as in a test that uses the library, it counts as not set.

use std::env;
use std::ffi::OsString;
use std::fmt;

/// The environment variables.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Variable {
    /// `WARPSIM_SIMD`: the instructions that lane loops use ([`crate::lanes::Tier`]).
    Simd,
    /// `WARPSIM_GANGS`: whether warps of a block may execute together the operations that no other
    /// thread can notice.
    Gangs,
    /// `WARPSIM_THREADS`: how many host threads the blocks of a launch may use.
    Threads,
}

impl Variable {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Variable::Simd => "WARPSIM_SIMD",
            Variable::Gangs => "WARPSIM_GANGS",
            Variable::Threads => "WARPSIM_THREADS",
        }
    }

    /// The value that it asks for, as `read` reads it from its text.
    ///
    /// # Errors
    ///
    /// Its text is no Unicode, or `read` refuses it.
    pub fn asked<T>(
        self,
        read: impl FnOnce(&str) -> Result<T, Reason>,
    ) -> Result<Option<T>, PreferenceError> {
        self.of_value(env::var_os(self.name()), read)
    }

    fn of_value<T>(
        self,
        value: Option<OsString>,
        read: impl FnOnce(&str) -> Result<T, Reason>,
    ) -> Result<Option<T>, PreferenceError> {
        let Some(value) = value.filter(|value| !value.is_empty()) else { return Ok(None) };
        let read = value.to_str().ok_or(Reason::NoText).and_then(read);
        let value = || value.to_string_lossy().into_owned();
        read.map(Some).map_err(|reason| PreferenceError { variable: self, value: value(), reason })
    }
}

/// A variable asks for what cannot be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PreferenceError {
    /// The variable.
    pub variable: Variable,
    /// Its value.
    pub value: String,
    /// Why it cannot be.
    pub reason: Reason,
}

/// Why a variable cannot have a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reason {
    /// It is no Unicode.
    NoText,
    /// It is none of these words.
    NoneOf(Vec<String>),
    /// It is no number from 1 on.
    NoCount,
    /// This processor lacks it; the best that it has.
    Lacking(String),
}

impl fmt::Display for PreferenceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} is `{}`, ", self.variable.name(), self.value)?;
        match &self.reason {
            Reason::NoText => f.write_str("which is not Unicode text"),
            Reason::NoneOf(words) => write!(f, "and can be one of {}", words.join(", ")),
            Reason::NoCount => f.write_str("and can be a number from 1 on"),
            Reason::Lacking(best) => {
                write!(f, "which this processor lacks: the best that it has is `{best}`")
            }
        }
    }
}

impl std::error::Error for PreferenceError {}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<u32, Reason> {
        text.parse().map_err(|_| Reason::NoCount)
    }

    #[test]
    fn a_variable_that_is_not_set_or_empty_asks_for_nothing() {
        assert_eq!(Variable::Threads.of_value(None, read), Ok(None));
        assert_eq!(Variable::Threads.of_value(Some(OsString::new()), read), Ok(None));
    }

    #[test]
    fn a_value_is_read_or_refused_with_the_name_of_its_variable() {
        assert_eq!(Variable::Threads.of_value(Some("3".into()), read), Ok(Some(3)));
        let error = Variable::Threads.of_value(Some("three".into()), read).unwrap_err();
        assert_eq!(error.to_string(), "WARPSIM_THREADS is `three`, and can be a number from 1 on");
        let none = |_: &str| Err::<(), _>(Reason::NoneOf(vec!["on".into(), "off".into()]));
        let error = Variable::Gangs.of_value(Some("of".into()), none).unwrap_err();
        assert_eq!(error.to_string(), "WARPSIM_GANGS is `of`, and can be one of on, off");
    }

    #[cfg(unix)]
    #[test]
    fn a_value_that_is_no_unicode_is_refused_before_it_is_read() {
        use std::os::unix::ffi::OsStringExt;
        let error = Variable::Simd.of_value(Some(OsString::from_vec(vec![0xff])), read);
        assert_eq!(error.unwrap_err().reason, Reason::NoText);
    }
}
