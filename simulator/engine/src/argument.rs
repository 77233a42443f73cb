//! The place of a value that host code gave to a kernel: an argument, or a byte offset in a struct
//! passed by value (PTX ISA 5.1.6.1).
//!
//! A name for people and for files. The host finds the object at an address of memory.

use std::fmt;
use std::str::FromStr;

/// An argument of a kernel, or a place in one that is a struct.
///
/// As text it is the argument's position, with the offset in a struct after a dot.
///
/// ```
/// use warpsim::host::ArgumentPlace;
///
/// let whole = ArgumentPlace::from(2);
/// assert_eq!((whole.to_string(), whole.in_words()), ("2".to_owned(), "argument 2".to_owned()));
/// let field: ArgumentPlace = "2.16".parse()?;
/// assert_eq!(field, ArgumentPlace { argument: 2, offset: Some(16) });
/// assert_eq!(field.in_words(), "argument 2 at byte 16");
/// assert!("2.".parse::<ArgumentPlace>().is_err());
/// # Ok::<(), warpsim::host::NoArgumentPlace>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct ArgumentPlace {
    /// The position of the argument, from 0.
    pub argument: usize,
    /// Bytes from the start of the struct; `None` for an argument that is no struct.
    pub offset: Option<u64>,
}

impl ArgumentPlace {
    /// Its text in messages: `argument 2`, `argument 2 at byte 16`.
    pub fn in_words(self) -> String {
        match self.offset {
            None => format!("argument {}", self.argument),
            Some(offset) => format!("argument {} at byte {offset}", self.argument),
        }
    }

    /// The name of the parameter with the offset, as in messages: `` `params` ``, `` `params` at
    /// byte 16 ``.
    pub fn of_parameter(self, parameter: &str) -> String {
        match self.offset {
            None => parameter.to_owned(),
            Some(offset) => format!("{parameter} at byte {offset}"),
        }
    }
}

/// The whole argument.
impl From<usize> for ArgumentPlace {
    fn from(argument: usize) -> ArgumentPlace {
        ArgumentPlace { argument, offset: None }
    }
}

impl fmt::Display for ArgumentPlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.offset {
            None => write!(f, "{}", self.argument),
            Some(offset) => write!(f, "{}.{offset}", self.argument),
        }
    }
}

/// The error for a text that is no [`ArgumentPlace`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NoArgumentPlace {
    /// The text.
    pub text: String,
}

impl fmt::Display for NoArgumentPlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "`{}` is not the number of a parameter, from 0, or K.OFFSET for a byte of a struct",
            self.text
        )
    }
}

impl std::error::Error for NoArgumentPlace {}

impl FromStr for ArgumentPlace {
    type Err = NoArgumentPlace;

    fn from_str(text: &str) -> Result<ArgumentPlace, NoArgumentPlace> {
        let no_place = || NoArgumentPlace { text: text.to_owned() };
        let digits = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
        let (argument, offset) = match text.split_once('.') {
            Some((argument, offset)) => (argument, Some(offset)),
            None => (text, None),
        };
        if !digits(argument) || !offset.is_none_or(digits) {
            return Err(no_place());
        }
        Ok(ArgumentPlace {
            argument: argument.parse().map_err(|_| no_place())?,
            offset: offset.map(str::parse).transpose().map_err(|_| no_place())?,
        })
    }
}
