//! One launch with its data, on which a property is tried.

use std::fmt;

use super::failure::Mistake;
use crate::drawing::element::{Element, ElementType, shown};
use crate::host::{Extent, Launch};

/// A launch and what it is given.
#[derive(Clone, Debug, PartialEq)]
pub struct Case {
    /// The shape.
    pub launch: Launch,
    /// The arguments, in order.
    pub arguments: Vec<Value>,
}

/// What a kernel is given for a parameter.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// A buffer in global memory.
    Buffer(Cells),
    /// A number.
    Scalar {
        /// Its type.
        ty: ElementType,
        /// Its bits.
        bits: u64,
    },
    /// The buffer of the argument with this number again.
    Again(usize),
}

/// The contents of a buffer.
#[derive(Clone, Debug, PartialEq)]
pub struct Cells {
    /// Their type.
    pub ty: ElementType,
    /// Their bits, one entry a cell.
    pub bits: Vec<u64>,
}

impl Cells {
    /// Cells that hold these numbers.
    pub fn new<T: Element>(values: impl IntoIterator<Item = T>) -> Cells {
        Cells { ty: T::TYPE, bits: values.into_iter().map(Element::to_bits).collect() }
    }

    /// The cells as bytes, little-endian.
    pub fn to_bytes(&self) -> Vec<u8> {
        self.bits.iter().flat_map(|bits| self.ty.bytes(*bits)).collect()
    }

    /// Cells from bytes, little-endian. Leaves out a rest that is too short for a cell.
    pub fn from_bytes(ty: ElementType, bytes: &[u8]) -> Cells {
        Cells { ty, bits: ty.numbers(bytes).collect() }
    }

    /// The numbers.
    ///
    /// # Errors
    /// When they are of another type.
    pub fn numbers<T: Element>(&self) -> Result<Vec<T>, Mistake> {
        if self.ty != T::TYPE {
            return Err(Mistake::OtherType { expected: self.ty, found: T::TYPE });
        }
        Ok(self.bits.iter().map(|bits| T::from_bits(*bits)).collect())
    }
}

impl Case {
    /// The threads of the whole launch.
    pub fn threads(&self) -> u64 {
        self.launch.threads()
    }

    /// What the buffer of an argument held before the launch.
    ///
    /// # Errors
    /// When the argument is no buffer, or its cells are of another type.
    pub fn buffer<T: Element>(&self, argument: usize) -> Result<Vec<T>, Mistake> {
        self.cells(argument)?.numbers()
    }

    /// The number that was given for an argument.
    ///
    /// # Errors
    /// When the argument is no number, or of another type.
    pub fn scalar<T: Element>(&self, argument: usize) -> Result<T, Mistake> {
        match self.arguments.get(argument) {
            Some(Value::Scalar { ty, bits }) if *ty == T::TYPE => Ok(T::from_bits(*bits)),
            Some(Value::Scalar { ty, .. }) => {
                Err(Mistake::OtherType { expected: *ty, found: T::TYPE })
            }
            _ => Err(Mistake::NoScalar { argument }),
        }
    }

    /// The buffer of an argument, also of one that is given again.
    pub(super) fn cells(&self, argument: usize) -> Result<&Cells, Mistake> {
        match self.arguments.get(argument) {
            Some(Value::Buffer(cells)) => Ok(cells),
            Some(Value::Again(of)) if *of < argument => self.cells(*of),
            _ => Err(Mistake::NoBuffer { argument }),
        }
    }
}

/// The most cells of a buffer that are shown.
const SHOWN: usize = 16;

impl fmt::Display for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [grid, block] =
            [self.launch.grid, self.launch.block].map(|e| Extent(e).separated(" x "));
        write!(f, "  launch: grid {grid}, block {block}")?;
        if self.launch.shared != 0 {
            write!(f, ", {} bytes of dynamic shared memory", self.launch.shared)?;
        }
        for (index, value) in self.arguments.iter().enumerate() {
            write!(f, "\n  argument {index}: {value}")?;
        }
        Ok(())
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Buffer(cells) => write!(f, "{cells}"),
            Value::Scalar { ty, bits } => {
                write!(f, "{}: {}", ty.rust_name(), shown(*ty, *bits))
            }
            Value::Again(of) => write!(f, "the buffer of argument {of} again"),
        }
    }
}

impl fmt::Display for Cells {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Cells { ty, bits } = self;
        write!(f, "{}[{}] = ", ty.rust_name(), bits.len())?;
        if let Some(first) = bits.first()
            && bits.len() > 1
            && bits.iter().all(|other| other == first)
        {
            return write!(f, "all {}", shown(*ty, *first));
        }
        let cells: Vec<String> = bits.iter().take(SHOWN).map(|bits| shown(*ty, *bits)).collect();
        let more = if bits.len() > SHOWN { ", ..." } else { "" };
        write!(f, "[{}{more}]", cells.join(", "))
    }
}
