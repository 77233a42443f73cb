//! What C gets for an answer: the number of an error, its name and its words; and the arguments of
//! a call, as the log and messages show them.

use warpsim_driver_core::CudaError;

use crate::pointers::Shown;

/// Which API a function is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Api {
    Driver,
    Runtime,
    /// A library on top of both, whose numbers of errors are its own: they are not reported.
    Library,
}

/// An error that C gets as a number.
pub(crate) trait Number {
    /// The number.
    fn number(&self) -> u32;
    /// Its name, for the log.
    fn name(&self) -> String;
    /// What it means.
    fn words(&self) -> String;
}

impl Number for CudaError {
    fn number(&self) -> u32 {
        (*self).number()
    }

    fn name(&self) -> String {
        (*self).name().to_string_lossy().into_owned()
    }

    fn words(&self) -> String {
        (*self).words().to_string_lossy().into_owned()
    }
}

/// The arguments of a call, by their names.
pub(crate) type Arguments<'a> = &'a [(&'static str, &'a dyn Shown)];
