//! Register values as people read them: by the register's type.

use crate::lanes::{LANES, Registers};
use crate::lower::RegisterName;
use crate::ptx::Type;

/// One value for each lane, as bits, with the type that says how to read them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Values {
    /// The register's name in the text.
    pub register: std::sync::Arc<str>,
    /// Its type.
    pub ty: Type,
    /// The bits of each lane; a predicate is 0 or 1.
    pub bits: [u64; LANES],
}

impl Values {
    /// What a register holds.
    pub fn read(registers: &Registers, register: &RegisterName) -> Values {
        let bits = match register.ty {
            Type::Pred => {
                let mask = registers.predicate(register.slot);
                std::array::from_fn(|lane| u64::from(mask >> lane & 1))
            }
            ty if width(ty) == 8 => *registers.w64(register.slot),
            ty => {
                let keep = u32::MAX >> (32 - 8 * width(ty));
                registers.w32(register.slot).map(|word| u64::from(word & keep))
            }
        };
        Values { register: register.name.clone(), ty: register.ty, bits }
    }

    /// The value of one lane in words.
    pub fn text(&self, lane: usize) -> String {
        format_bits(self.ty, self.bits[lane % LANES])
    }
}

/// Bytes that a cell of a type takes: 1, 2, 4 or 8. A predicate takes 4, and what is larger than 8 bytes is seen 8 at
/// a time.
pub fn width(ty: Type) -> u32 {
    ty.bytes().unwrap_or(4).min(8)
}

/// Bits as a value of a type: signed, unsigned or floating. Untyped bits read as signed numbers
/// where they are small negative ones, since compilers write C's `int` as `.b32`.
pub fn format_bits(ty: Type, bits: u64) -> String {
    use Type as T;
    match ty {
        T::S8 => (bits as u8 as i8).to_string(),
        T::S16 => (bits as u16 as i16).to_string(),
        T::S32 => (bits as u32 as i32).to_string(),
        T::S64 => (bits as i64).to_string(),
        T::B32 if bits as u32 as i32 > -65536 => (bits as u32 as i32).to_string(),
        T::B64 if bits as i64 > -65536 => (bits as i64).to_string(),
        T::F32 => format!("{:?}", f32::from_bits(bits as u32)),
        T::F64 => format!("{:?}", f64::from_bits(bits)),
        T::F16 => half::f16::from_bits(bits as u16).to_string(),
        T::Bf16 => half::bf16::from_bits(bits as u16).to_string(),
        _ if bits >= 1 << 40 => format!("{bits:#x}"),
        _ => bits.to_string(),
    }
}
