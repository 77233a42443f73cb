//! Why host code was refused.

use std::borrow::Cow;
use std::fmt;

use warpsim_language::passes::PassError;

use crate::internal::InternalError;
use crate::lower::LowerError;
use crate::names;
use crate::ptx::Type;

/// Why a device refused a call.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum DeviceError {
    /// The module is not valid, or uses what warpsim does not support; see
    /// [`LowerError::is_unsupported`]. It points into a text that only this process has.
    #[cfg_attr(feature = "serde", serde(with = "unsayable"))]
    Program(LowerError),
    /// There are no such texels, or these are not the bytes of them.
    BadTexels {
        /// Why.
        why: String,
    },
    /// A pass gives no module.
    #[cfg_attr(feature = "serde", serde(with = "unsayable"))]
    Pass(PassError),
    /// There is no such kernel, or several are called so.
    UnknownKernel {
        /// What was asked for.
        name: String,
        /// What there is.
        available: Vec<String>,
    },
    /// There is no such module-scope variable, or several are called so.
    UnknownVariable {
        /// What was asked for.
        name: String,
        /// What there is.
        available: Vec<String>,
    },
    /// Too few or too many arguments.
    ArgumentCount {
        /// The kernel.
        kernel: String,
        /// Its parameters.
        expected: usize,
        /// The arguments.
        found: usize,
    },
    /// An argument does not fit its parameter.
    ArgumentType {
        /// The parameter, from 0.
        index: usize,
        /// Its name.
        parameter: String,
        /// Its type.
        expected: Type,
        /// Its size in bytes.
        size: u64,
        /// What was given.
        found: String,
    },
    /// The launch cannot run on this device.
    ImpossibleLaunch {
        /// The reason, with the limit.
        reason: String,
    },
    /// The device has not that much memory.
    OutOfMemory {
        /// Bytes asked for.
        requested: u64,
        /// Bytes that are free.
        available: u64,
    },
    /// The bytes do not lie in one allocation.
    BadPointer {
        /// The address.
        address: u64,
        /// The bytes asked for.
        bytes: u64,
    },
    /// The memory was freed before.
    Freed {
        /// The address.
        address: u64,
        /// The bytes asked for; 0 for an attempt to free it again.
        bytes: u64,
    },
    /// The memory cannot be freed: nobody has waited for an operation that may still use it.
    StillInUse {
        /// Where it begins.
        address: u64,
        /// What may use it: "a launch of `sum`".
        user: String,
        /// The number of the stream that it was issued to, 0 being the default stream.
        stream: usize,
    },
    /// The bytes of a copy were asked for before the host waited for the copy.
    NotSynchronised {
        /// The number of the stream that it was issued to, 0 being the default stream.
        stream: usize,
    },
    /// The time of an event was asked for before the host waited for the event.
    EventPending,
    /// A stream, an event, or an operation that this device does not know, or whose result was
    /// taken before.
    UnknownHandle {
        /// What it is.
        what: Cow<'static, str>,
    },
    /// This kind of device cannot do that.
    NotSupported {
        /// What it cannot do.
        what: Cow<'static, str>,
    },
    /// The module handle belongs to another device.
    UnknownModule,
    /// A real device or its driver failed; its words.
    Driver(String),
    /// Everything that was allocated and loaded before is lost, because a launch hung or faulted.
    Lost,
    /// A bug of warpsim: the program is not to blame.
    Internal(InternalError),
}

impl From<InternalError> for DeviceError {
    fn from(error: InternalError) -> DeviceError {
        DeviceError::Internal(error)
    }
}

/// [`DeviceError::Program`] and [`DeviceError::Pass`] for serde: they cannot be sent. Code that has
/// to send them sends their words instead. (Leaving the variants out would give the later ones
/// other numbers when they are read.)
#[cfg(feature = "serde")]
mod unsayable {
    use serde::de::Error as _;
    use serde::ser::Error as _;
    use serde::{Deserializer, Serializer};

    const WORDS: &str = "a program that is refused points into the text of one process";

    pub(super) fn serialize<T, S: Serializer>(_: &T, _: S) -> Result<S::Ok, S::Error> {
        Err(S::Error::custom(WORDS))
    }

    pub(super) fn deserialize<'de, T, D: Deserializer<'de>>(_: D) -> Result<T, D::Error> {
        Err(D::Error::custom(WORDS))
    }
}

impl fmt::Display for DeviceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            DeviceError::Program(error) => write!(f, "{error}"),
            DeviceError::Pass(error) => write!(f, "{error}"),
            DeviceError::UnknownKernel { name, available } => {
                let whole = "the whole name, with its namespace and template arguments";
                unknown(f, ["kernel", "kernels", whole], name, available)
            }
            DeviceError::UnknownVariable { name, available } => {
                let whole = "the whole name, with its namespace";
                unknown(f, ["module-scope variable", "variables", whole], name, available)
            }
            DeviceError::ArgumentCount { kernel, expected, found } => {
                let plural = if *expected == 1 { "" } else { "s" };
                let kernel = names::readable(kernel);
                write!(f, "kernel `{kernel}` takes {expected} argument{plural}, got {found}")
            }
            DeviceError::ArgumentType { index, parameter, expected, size, found } => {
                let ty = format!("{expected:?}").to_lowercase();
                write!(
                    f,
                    "argument {index} does not fit {} (.{ty}, {size} bytes): got {found}",
                    match names::made_up(parameter) {
                        Some(_) => names::parameter(parameter),
                        None => format!("parameter `{parameter}`"),
                    }
                )
            }
            DeviceError::ImpossibleLaunch { reason } => write!(f, "impossible launch: {reason}"),
            DeviceError::OutOfMemory { requested, available } => {
                write!(f, "out of device memory: {requested} bytes requested, {available} free")
            }
            DeviceError::BadPointer { address, bytes } => {
                write!(f, "the {bytes} bytes at {address:#x} do not lie in one live allocation")
            }
            DeviceError::Freed { address, bytes: 0 } => {
                write!(f, "the memory at {address:#x} was freed before")
            }
            DeviceError::Freed { address, bytes } => {
                write!(f, "the {bytes} bytes at {address:#x} lie in memory that was freed")
            }
            DeviceError::StillInUse { address, user, stream } => write!(
                f,
                "the memory at {address:#x} cannot be freed: {user} in {} may still use it; \
                 synchronise before freeing",
                in_words(*stream)
            ),
            DeviceError::NotSynchronised { stream } => write!(
                f,
                "the bytes are not there yet: nothing has waited for the copy in {}; synchronise \
                 the stream, or an event recorded after the copy, before reading them",
                in_words(*stream)
            ),
            DeviceError::EventPending => f.write_str(
                "nobody has waited for the event: synchronise it, its stream or the device first",
            ),
            DeviceError::UnknownHandle { what } => {
                write!(f, "this device does not have this {what}")
            }
            DeviceError::BadTexels { why } => write!(f, "texels: {why}"),
            DeviceError::NotSupported { what } => write!(f, "this device does not support {what}"),
            DeviceError::UnknownModule => f.write_str("the module was loaded into another device"),
            DeviceError::Driver(words) => f.write_str(words),
            DeviceError::Internal(error) => write!(f, "this is a bug in warpsim: {error}"),
            DeviceError::Lost => f.write_str(
                "the GPU's memory is lost: an earlier launch hung or faulted; allocate and load \
                 again",
            ),
        }
    }
}

impl std::error::Error for DeviceError {}

impl From<PassError> for DeviceError {
    fn from(error: PassError) -> DeviceError {
        DeviceError::Pass(error)
    }
}

/// A stream, as a person knows it.
fn in_words(stream: usize) -> String {
    match stream {
        0 => "the default stream".to_owned(),
        stream => format!("stream {stream}"),
    }
}

/// That nothing is called so, or that several are.
fn unknown(
    f: &mut fmt::Formatter<'_>,
    [one, all, whole]: [&str; 3],
    name: &str,
    available: &[String],
) -> fmt::Result {
    match names::called(name, available.iter().map(String::as_str)).as_slice() {
        [] => {
            write!(f, "there is no {one} `{name}`; ")?;
            list(f, all, available)
        }
        several => {
            let listed = names::list(several);
            write!(f, "several {all} have the name `{name}`: {listed}; give {whole}")
        }
    }
}

/// "the module has a, b", or that it has no kernels.
fn list(f: &mut fmt::Formatter<'_>, what: &str, names: &[String]) -> fmt::Result {
    match names {
        [] => write!(f, "the module has no {what}"),
        available => write!(f, "the module has {}", names::list(available)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_of_very_many_names_says_how_many_it_leaves_out() {
        let available: Vec<String> = (0..2000).map(|i| format!("k{i}")).collect();
        let text = DeviceError::UnknownKernel { name: "x".to_owned(), available }.to_string();
        assert!(text.starts_with("there is no kernel `x`; the module has k0, k1, "));
        assert!(text.ends_with(", k19, and 1980 more"), "{text}");
    }

    #[test]
    fn a_name_that_several_kernels_have_lists_all_of_these() {
        let names = ["_ZN4sums4foldIiLi32EEEvPT_", "_ZN4sums4foldIfLi32EEEvPT_", "plain"];
        let available = names.map(str::to_owned).to_vec();
        let text = DeviceError::UnknownKernel { name: "fold".to_owned(), available }.to_string();
        let listed = "sums::fold<int, 32> (_ZN4sums4foldIiLi32EEEvPT_), sums::fold<float, 32> (";
        assert!(text.contains(listed) && !text.contains("plain"), "{text}");
    }
}
