//! Initial values of variables (PTX ISA 5.4.4).
//!
//! Lists may be shorter than the array; the rest is zero. A list nests like the dimensions, or is
//! flat.

use crate::lower::error::{LowerError, LowerErrorKind};
use crate::lower::module::layout::{Shape, wrong};
use crate::lower::module::placement::{Placement, window};
use crate::lower::module::symbols::Symbols;
use crate::ptx::{InitValue, Initializer, Name, Type, Variable};

/// The largest end of an initialiser in bytes.
const LARGEST: usize = 1 << 28;

/// The address of a symbol in an initialiser.
#[derive(Clone, Debug, PartialEq)]
pub struct Relocation {
    /// The place in the variable, in bytes.
    pub at: u64,
    /// The number of bytes: 1 to 8.
    pub width: u32,
    /// The variable or function.
    pub symbol: Name,
    /// Whether it is a generic address, rather than one in the symbol's state space.
    pub generic: bool,
    /// Bytes to add.
    pub offset: i64,
    /// Takes only these bits of the address, shifted down to bit 0.
    pub mask: Option<u64>,
}

impl Relocation {
    /// Writes the address.
    pub(in crate::lower) fn apply(
        &self,
        bytes: &mut [u8],
        placement: &Placement,
    ) -> Result<(), LowerError> {
        let name = &*self.symbol.text;
        let undeclared = || LowerErrorKind::Undeclared(name.into());
        let global = placement.globals.get(name).or_else(|| placement.functions.get(name));
        let constant = placement
            .constants
            .get(name)
            .map(|offset| offset.wrapping_add(if self.generic { window::CONST } else { 0 }));
        let symbol = global.copied().or(constant);
        let symbol = symbol.ok_or_else(|| LowerError::at(undeclared(), self.symbol.span))?;
        let mut value = symbol.wrapping_add_signed(self.offset);
        if let Some(mask) = self.mask {
            value = (value & mask) >> mask.trailing_zeros().min(63);
        }
        let at = self.at as usize;
        if let Some(place) = bytes.get_mut(at..at + self.width as usize) {
            // At most 8: `Writer::value` has seen to it. The place has as many.
            place.copy_from_slice(&value.to_le_bytes()[..self.width as usize]);
        }
        Ok(())
    }
}

/// The initial bytes of a variable up to its last given value, and the addresses in them.
pub(in crate::lower) fn initial_bytes(
    variable: &Variable,
    shape: &Shape,
    symbols: &Symbols<'_>,
) -> Result<(Vec<u8>, Vec<Relocation>), LowerError> {
    let mut writer =
        Writer { variable, shape, symbols, bytes: Vec::new(), relocations: Vec::new() };
    if let Some(init) = &variable.init {
        writer.write(init, 0, 0)?;
    }
    Ok((writer.bytes, writer.relocations))
}

struct Writer<'a> {
    variable: &'a Variable,
    shape: &'a Shape,
    symbols: &'a Symbols<'a>,
    bytes: Vec<u8>,
    relocations: Vec<Relocation>,
}

impl Writer<'_> {
    /// Bytes of one element at a depth of nesting.
    fn stride(&self, depth: usize) -> u64 {
        self.shape
            .dims
            .iter()
            .skip(depth)
            .fold(self.shape.element, |size, n| size.saturating_mul(*n))
    }

    fn write(&mut self, init: &Initializer, depth: usize, at: u64) -> Result<(), LowerError> {
        let list = match init {
            Initializer::Value(value, _) => return self.value(value, at),
            Initializer::List(list, _) => list,
        };
        let nested = list.iter().any(|i| matches!(i, Initializer::List(..)));
        let stride = if nested { self.stride(depth + 1) } else { self.shape.element };
        if depth >= self.shape.dims.len()
            || (list.len() as u64).saturating_mul(stride) > self.stride(depth)
        {
            return Err(wrong(self.variable, "its initialiser has more values than it".into()));
        }
        for (i, init) in list.iter().enumerate() {
            self.write(init, depth + 1, at + i as u64 * stride)?;
        }
        Ok(())
    }

    fn value(&mut self, value: &InitValue, at: u64) -> Result<(), LowerError> {
        let width = self.shape.element as usize;
        let bits = match value {
            InitValue::Integer(value) => self.integer(*value),
            InitValue::F32(bits) => self.float(f32::from_bits(*bits).into(), Some(*bits))?,
            InitValue::F64(bits) => self.float(f64::from_bits(*bits), None)?,
            InitValue::Address { symbol, generic, offset, mask } => {
                self.check_symbol(symbol)?;
                self.relocations.push(Relocation {
                    at,
                    width: width.min(8) as u32,
                    symbol: symbol.clone(),
                    generic: *generic,
                    offset: *offset,
                    mask: *mask,
                });
                0
            }
        };
        let end = at as usize + width;
        if end > LARGEST {
            return Err(wrong(self.variable, "its initialiser is too large".into()));
        }
        if self.bytes.len() < end {
            self.bytes.resize(end, 0);
        }
        // An element has up to 16 bytes.
        let place = self.bytes.iter_mut().skip(at as usize).take(width);
        place.zip(bits.to_le_bytes()).for_each(|(byte, bits)| *byte = bits);
        Ok(())
    }

    fn check_symbol(&self, symbol: &Name) -> Result<(), LowerError> {
        let name = &symbol.text;
        if self.symbols.function(name).is_some() || self.symbols.variable(name).is_some() {
            return Ok(());
        }
        Err(LowerError::at(LowerErrorKind::Undeclared(name.to_string()), symbol.span))
    }

    /// An integer: constants have 64 bits. A narrower element takes the low ones (PTX ISA 4.5.1).
    fn integer(&self, value: i128) -> u128 {
        match self.variable.ty {
            Type::F32 => return (value as f32).to_bits().into(),
            Type::F64 => return (value as f64).to_bits().into(),
            _ => {}
        }
        let bits = self.shape.element * 8;
        if bits < 128 { value as u128 & ((1 << bits) - 1) } else { value as u128 }
    }

    fn float(&self, value: f64, exact: Option<u32>) -> Result<u128, LowerError> {
        match self.variable.ty {
            Type::F64 | Type::B64 => Ok(value.to_bits().into()),
            Type::F32 | Type::B32 => Ok(exact.unwrap_or((value as f32).to_bits()).into()),
            ty => {
                let what = ty.keyword();
                Err(wrong(
                    self.variable,
                    format!("a floating-point value cannot initialise .{what}"),
                ))
            }
        }
    }
}
