//! Register values as people read them: by the register's type.

use crate::element::ElementType;
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

/// Bytes that a cell of a type takes: 1, 2, 4 or 8. A predicate takes 4. A value larger than 8
/// bytes is shown 8 bytes at a time.
pub fn width(ty: Type) -> u32 {
    ty.bytes().unwrap_or(4).min(8)
}

/// Bits as a value of a type: signed, unsigned or floating, as [`ElementType::text`] has them.
/// Untyped bits read as signed numbers where they are small negative ones, since compilers write
/// C's `int` as `.b32`; large unsigned ones are most likely addresses.
pub fn format_bits(ty: Type, bits: u64) -> String {
    let has_sign = |number: ElementType| number.integer_range().is_none_or(|(low, _)| low < 0);
    match (ty, ElementType::try_from(ty)) {
        (Type::B32, _) if bits as u32 as i32 > -65536 => (bits as u32 as i32).to_string(),
        (Type::B64, _) if bits as i64 > -65536 => (bits as i64).to_string(),
        (_, Ok(number)) if has_sign(number) => number.text(bits),
        _ if bits >= 1 << 40 => format!("{bits:#x}"),
        _ => bits.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_read_as_in_buffers_and_untyped_bits_and_addresses_as_what_they_mostly_are() {
        for ty in ElementType::ALL {
            for bits in [0, 1, 0x3c00, 0x2e66, 0x7e00, 0xfc00, 0x7fc0_0000, u64::MAX] {
                let bits = bits & ty.mask();
                if bits < 1 << 40 {
                    assert_eq!(format_bits(ty.into(), bits), ty.text(bits), "{ty} {bits:#x}");
                }
            }
        }
        assert_eq!(format_bits(Type::B32, 0xffff_fffe), "-2");
        assert_eq!(format_bits(Type::B32, 0x8000_0000), "2147483648");
        assert_eq!(format_bits(Type::U64, 1 << 40), "0x10000000000");
    }
}
