//! Why a pass gives no module.

use std::fmt;
use std::sync::Arc;

use crate::internal::InternalError;
use crate::ptx::Span;
use crate::scope::DeclaredTwice;

/// Why a pass gives no module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PassError {
    /// Two functions with a body, or two things of one scope of a body, have one name: the module
    /// means nothing.
    DefinedTwice {
        /// The name.
        name: Arc<str>,
        /// Where it is defined for the second time.
        span: Span,
    },
    /// A bug in warpsim.
    Internal(InternalError),
}

impl fmt::Display for PassError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PassError::DefinedTwice { name, .. } => write!(f, "`{name}` is declared twice"),
            PassError::Internal(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for PassError {}

impl From<DeclaredTwice> for PassError {
    fn from(DeclaredTwice { name, span }: DeclaredTwice) -> PassError {
        PassError::DefinedTwice { name, span }
    }
}

impl From<InternalError> for PassError {
    fn from(error: InternalError) -> PassError {
        PassError::Internal(error)
    }
}

/// Takes steps until one changes nothing.
///
/// # Errors
/// That takes more steps than the analysis can need.
pub(super) fn until_stable<E: From<InternalError>>(
    analysis: &str,
    most: usize,
    mut step: impl FnMut() -> Result<bool, E>,
) -> Result<(), E> {
    for _ in 0..=most {
        if !step()? {
            return Ok(());
        }
    }
    Err(crate::internal!("{analysis} does not end within {most} steps").into())
}
