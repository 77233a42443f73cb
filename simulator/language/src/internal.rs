//! Broken invariants of warpsim itself.
//!
//! An impossible state ends in an [`InternalError`], never in a default, an early return or a wrong
//! answer. It travels as an error like any other, so a library does not panic. Lowering, the
//! machine and the device each have a kind of error that holds one. The command says that it is a
//! bug in warpsim, and exits with 101.

use std::fmt;

/// Something that cannot happen, and has.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct InternalError {
    /// What has happened.
    pub what: String,
    /// Where warpsim noticed the error: a file and a line of its source.
    pub place: String,
}

/// `popc has no type (lower/translate/structural.rs:31)`
impl fmt::Display for InternalError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({})", self.what, self.place)
    }
}

impl std::error::Error for InternalError {}

/// An [`InternalError`] that says what has happened, in the words of `format!`, and where it was
/// noticed.
///
/// ```
/// let error = warpsim::internal!("operand {} of `ret`", 1);
/// assert_eq!(error.what, "operand 1 of `ret`");
/// ```
#[macro_export]
macro_rules! internal {
    ($($what:tt)+) => {
        $crate::internal::InternalError {
            what: format!($($what)+),
            place: concat!(file!(), ":", line!()).to_owned(),
        }
    };
}
