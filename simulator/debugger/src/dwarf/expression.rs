//! Location expressions (DWARF 4, 2.5 and 2.6), as compilers write them for PTX.
//!
//! A register is `DW_OP_regx` with a number that is its name: the ASCII characters are the number's
//! bytes, the first one the highest. So `%r1` is 0x257231. Such numbers are larger than those that
//! DWARF readers know. Memory is `DW_OP_addr` of a symbol, and an offset.
//!
//! Operations that ask the running program, and values in several pieces, are refused.

use std::fmt;

use gimli::{Encoding, EndianSlice, Format, LittleEndian, Operation, Reader};

use super::sections::symbol;

/// The most operations of an expression.
const MOST_OPERATIONS: usize = 256;

/// Where an expression leads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Spot {
    /// A register, by its name in the PTX.
    Register(String),
    /// Memory behind a symbol, by the symbol's number.
    Symbol { symbol: usize, offset: i64 },
    /// Memory at an address that a register holds, and an offset.
    Behind { register: String, offset: i64 },
    /// Memory of the activation's own, at an offset.
    Frame(i64),
    /// No place: the value itself.
    Value(u64),
}

/// An expression that is not understood.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct NotUnderstood(pub(crate) String);

impl fmt::Display for NotUnderstood {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl From<gimli::Error> for NotUnderstood {
    fn from(error: gimli::Error) -> NotUnderstood {
        NotUnderstood(error.to_string())
    }
}

/// Where an expression leads. Addresses have this many bytes.
pub(crate) fn evaluate(expression: &[u8], address_bytes: u8) -> Result<Spot, NotUnderstood> {
    let encoding = Encoding { address_size: address_bytes, format: Format::Dwarf32, version: 4 };
    let mut rest = EndianSlice::new(expression, LittleEndian);
    let mut stack: Vec<Spot> = Vec::new();
    for _ in 0..MOST_OPERATIONS {
        if rest.is_empty() {
            return stack.pop().ok_or_else(|| NotUnderstood("an empty location".to_owned()));
        }
        if let Some(found) = register(&mut rest)? {
            stack.push(found);
            continue;
        }
        let next = Operation::parse(&mut rest, encoding)?;
        operate(&next, &mut stack)?;
    }
    Err(NotUnderstood("a location of very many operations".to_owned()))
}

/// A register, or a place relative to one, if the next operation names a register.
fn register(rest: &mut EndianSlice<'_, LittleEndian>) -> Result<Option<Spot>, NotUnderstood> {
    let mut after = *rest;
    let opcode = gimli::DwOp(after.read_u8()?);
    let found = match opcode {
        gimli::DW_OP_regx => Spot::Register(register_name(after.read_uleb128()?)?),
        gimli::DW_OP_bregx => Spot::Behind {
            register: register_name(after.read_uleb128()?)?,
            offset: after.read_sleb128()?,
        },
        _ => return Ok(None),
    };
    *rest = after;
    Ok(Some(found))
}

/// The name that a register's number is.
fn register_name(number: u64) -> Result<String, NotUnderstood> {
    let bytes = number.to_be_bytes();
    let name: String = bytes.iter().skip_while(|b| **b == 0).map(|b| char::from(*b)).collect();
    match name.starts_with('%') && name.bytes().all(|byte| byte.is_ascii_graphic()) {
        true => Ok(name),
        false => Err(NotUnderstood(format!("a register of the number {number}"))),
    }
}

fn operate(
    operation: &Operation<EndianSlice<'_, LittleEndian>>,
    stack: &mut Vec<Spot>,
) -> Result<(), NotUnderstood> {
    let refused = || NotUnderstood(format!("the operation {operation:?}"));
    let next = match operation {
        Operation::Nop | Operation::StackValue => return Ok(()),
        Operation::Address { address } => match symbol(*address) {
            Some((symbol, offset)) => Spot::Symbol { symbol, offset: offset as i64 },
            None => return Err(NotUnderstood(format!("the address {address:#x}"))),
        },
        Operation::FrameOffset { offset } => Spot::Frame(*offset),
        Operation::UnsignedConstant { value } => Spot::Value(*value),
        Operation::SignedConstant { value } => Spot::Value(*value as u64),
        Operation::ImplicitValue { data } => {
            let bytes = data.slice().iter().rev().take(8);
            Spot::Value(bytes.fold(0, |word, byte| word << 8 | u64::from(*byte)))
        }
        Operation::PlusConstant { value } => moved(stack.pop().ok_or_else(refused)?, *value as i64),
        Operation::Plus | Operation::Minus => {
            let by = match stack.pop() {
                Some(Spot::Value(by)) => by as i64,
                Some(
                    Spot::Register(_) | Spot::Symbol { .. } | Spot::Behind { .. } | Spot::Frame(_),
                )
                | None => return Err(refused()),
            };
            let by = if *operation == Operation::Plus { by } else { by.wrapping_neg() };
            moved(stack.pop().ok_or_else(refused)?, by)
        }
        // Each of the others would need the running program, or is of no compiler for PTX.
        _ => return Err(refused()),
    };
    stack.push(next);
    Ok(())
}

/// A place further on.
fn moved(spot: Spot, by: i64) -> Spot {
    match spot {
        Spot::Register(register) => Spot::Behind { register, offset: by },
        Spot::Symbol { symbol, offset } => Spot::Symbol { symbol, offset: offset.wrapping_add(by) },
        Spot::Behind { register, offset } => {
            Spot::Behind { register, offset: offset.wrapping_add(by) }
        }
        Spot::Frame(offset) => Spot::Frame(offset.wrapping_add(by)),
        Spot::Value(value) => Spot::Value(value.wrapping_add_signed(by)),
    }
}
