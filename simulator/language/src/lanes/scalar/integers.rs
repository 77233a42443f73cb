//! Integer functions that the standard library does not have (PTX ISA 9.7.1, 9.7.2, 9.7.8).
//!
//! Each function says its result where the ISA leaves it undefined: division by zero, `fns` of an
//! offset that does not exist, a field outside the word without `.wrap`.

use super::rounding::{Direction, power_of_two};

/// The bits of this float, and of its sum with an integer below 2^51 of either sign, differ by that
/// integer.
pub(super) const COUNTER: f64 = 1.5 * power_of_two(52);

/// The integer types of arithmetic instructions.
pub(crate) trait Integer: Copy {
    /// The type of a product in full width.
    type Wide;
    /// The whole product.
    fn wide_product(self, other: Self) -> Self::Wide;
    /// The upper half of the product.
    fn high_product(self, other: Self) -> Self;
    /// The quotient, rounded toward zero. By zero (undefined in the ISA) it is all ones, as on
    /// an H200; the one overflow, MIN / -1, wraps.
    fn quotient(self, other: Self) -> Self;
    /// The remainder, with the sign of the dividend. By zero it is all ones, as
    /// on an H200; MIN rem -1 is 0.
    fn remainder(self, other: Self) -> Self;
    /// |self - other|, wrapped to the width.
    fn distance(self, other: Self) -> Self;
}

macro_rules! integers {
    ($($ty:ty => $wide:ty, $bits:literal;)*) => {
        $(impl Integer for $ty {
            type Wide = $wide;
            #[inline(always)]
            fn wide_product(self, other: $ty) -> $wide {
                (self as $wide).wrapping_mul(other as $wide)
            }
            #[inline(always)]
            fn high_product(self, other: $ty) -> $ty {
                (self.wide_product(other) >> $bits) as $ty
            }
            #[inline(always)]
            fn quotient(self, other: $ty) -> $ty {
                if $bits == 64 {
                    return if other == 0 { !0 } else { self.wrapping_div(other) };
                }
                // The quotient of two f64 is no integer unless the exact one is, which is further
                // from it than 2^-32 of it.
                let quotient = Direction::Zero.to_integer(self as f64 / other as f64);
                let quotient = (quotient + COUNTER).to_bits() as $ty;
                if other == 0 { !0 } else { quotient }
            }
            #[inline(always)]
            fn remainder(self, other: $ty) -> $ty {
                if $bits == 64 {
                    return if other == 0 { !0 } else { self.wrapping_rem(other) };
                }
                let rest = self.wrapping_sub(self.quotient(other).wrapping_mul(other));
                if other == 0 { !0 } else { rest }
            }
            #[inline(always)]
            fn distance(self, other: $ty) -> $ty {
                if self < other { other.wrapping_sub(self) } else { self.wrapping_sub(other) }
            }
        })*
    };
}

integers! {
    u16 => u32, 16;
    i16 => i32, 16;
    u32 => u64, 32;
    i32 => i64, 32;
    u64 => u128, 64;
    i64 => i128, 64;
}

/// The 48-bit product of the low 24 bits, unsigned.
pub(crate) fn product_u24(a: u32, b: u32) -> u64 {
    (a & 0xff_ffff) as u64 * (b & 0xff_ffff) as u64
}

/// The 48-bit product of the low 24 bits, signed.
pub(crate) fn product_s24(a: i32, b: i32) -> i64 {
    (a << 8 >> 8) as i64 * (b << 8 >> 8) as i64
}

/// `f` of the lower and of the upper 16-bit halves.
pub(crate) fn by_halves_u16(a: u32, b: u32, f: impl Fn(u16, u16) -> u16) -> u32 {
    f(a as u16, b as u16) as u32 | (f((a >> 16) as u16, (b >> 16) as u16) as u32) << 16
}

/// `f` of the lower and of the upper 16-bit halves, signed.
pub(crate) fn by_halves_s16(a: u32, b: u32, f: impl Fn(i16, i16) -> i16) -> u32 {
    by_halves_u16(a, b, |a, b| f(a as i16, b as i16) as u16)
}

/// `shl`: a shift by the width or more gives 0 (PTX ISA 9.7.8.9: amounts are clamped).
pub(crate) fn shl_16(a: u16, amount: u32) -> u16 {
    if amount > 15 { 0 } else { a << (amount & 15) }
}

/// `shl.b32`.
pub(crate) fn shl_32(a: u32, amount: u32) -> u32 {
    if amount > 31 { 0 } else { a << (amount & 31) }
}

/// `shl.b64`.
pub(crate) fn shl_64(a: u64, amount: u32) -> u64 {
    if amount > 63 { 0 } else { a << (amount & 63) }
}

/// `shr` of unsigned values and bits.
pub(crate) fn shr_u16(a: u16, amount: u32) -> u16 {
    if amount > 15 { 0 } else { a >> (amount & 15) }
}

/// `shr.u32`.
pub(crate) fn shr_u32(a: u32, amount: u32) -> u32 {
    if amount > 31 { 0 } else { a >> (amount & 31) }
}

/// `shr.u64`.
pub(crate) fn shr_u64(a: u64, amount: u32) -> u64 {
    if amount > 63 { 0 } else { a >> (amount & 63) }
}

/// `shr` of signed values: fills with the sign.
pub(crate) fn shr_s16(a: i16, amount: u32) -> i16 {
    a >> amount.min(15)
}

/// `shr.s32`.
pub(crate) fn shr_s32(a: i32, amount: u32) -> i32 {
    a >> amount.min(31)
}

/// `shr.s64`.
pub(crate) fn shr_s64(a: i64, amount: u32) -> i64 {
    a >> amount.min(63)
}

/// `shf.l`: the upper half of `b:a` shifted left. The amount is below or equal to 32.
pub(crate) fn funnel_left(a: u32, b: u32, amount: u32) -> u32 {
    let both = (b as u64) << 32 | a as u64;
    ((both << amount.min(32)) >> 32) as u32
}

/// `shf.r`: the lower half of `b:a` shifted right. The amount is below or equal to 32.
pub(crate) fn funnel_right(a: u32, b: u32, amount: u32) -> u32 {
    let both = (b as u64) << 32 | a as u64;
    (both >> amount.min(32)) as u32
}

/// `bfind`: the position of the highest bit, or all ones when there is none.
pub(crate) fn find_high_bit(a: u64) -> u32 {
    63u32.wrapping_sub(a.leading_zeros())
}

/// For a negative value `bfind` looks for the highest zero: the bits to search, sign removed.
pub(crate) fn magnitude_bits_32(a: i32) -> u64 {
    (a ^ a >> 31) as u32 as u64
}

/// As [`magnitude_bits_32`], for 64 bits.
pub(crate) fn magnitude_bits_64(a: i64) -> u64 {
    (a ^ a >> 63) as u64
}

/// `fns`: the position of the n-th set bit of `mask` from `base` on, upward for n > 0, downward
/// for n < 0, `base` itself counted; n = 0 asks whether `base` is set. All ones when there is
/// none, also for a base above 31 (undefined in the ISA).
pub(crate) fn find_nth_set(mask: u32, base: u32, n: i32) -> u32 {
    let is_set = |bit: &u32| mask >> bit & 1 == 1;
    let rank = (n.unsigned_abs() as usize).saturating_sub(1);
    let found = match (base, n) {
        (32.., _) => None,
        (_, 0) => Some(base).filter(is_set),
        (_, 1..) => (base..32).filter(is_set).nth(rank),
        (_, ..0) => (0..=base).rev().filter(is_set).nth(rank),
    };
    found.unwrap_or(u32::MAX)
}

/// `bfe`: `length` bits from `position` on; what lies above the word reads as `fill`.
pub(crate) fn extract_field(a: u64, width: u32, position: u32, length: u32, fill: bool) -> u64 {
    let above = if fill { !0 } else { 0 };
    let extended = if width == 64 { a } else { a | shl_64(above, width) };
    let shifted = match position {
        0 => extended,
        1..64 => extended >> position | above << (64 - position),
        _ => above,
    };
    let keep = if length > 63 { !0 } else { (1 << length) - 1 };
    shifted & keep | above & !keep
}

/// The sign that `bfe.s32` and `bfe.s64` fill with: the field's top bit, or the word's when the
/// field ends above it; none for an empty field.
pub(crate) fn field_sign(a: u64, width: u32, position: u32, length: u32) -> bool {
    let top = position.saturating_add(length.saturating_sub(1)).min(width - 1);
    length > 0 && a >> top & 1 == 1
}

/// `bfi`: the low `length` bits of `a`, put into `b` at `position`. What lies above the word is
/// dropped.
pub(crate) fn insert_field(a: u64, b: u64, position: u32, length: u32) -> u64 {
    let ones = if length > 63 { !0 } else { (1 << length) - 1 };
    let mask = shl_64(ones, position);
    shl_64(a, position) & mask | b & !mask
}

/// `bmsk.clamp`: `length` ones from bit `position` on; both stop at 32.
pub(crate) fn bit_mask_clamp(position: u32, length: u32) -> u32 {
    let ones = if length > 31 { !0 } else { (1 << length) - 1 };
    shl_32(ones, position)
}

/// `szext.u32`: the low `width` bits, zero-extended; all of them from 32 on.
pub(crate) fn keep_low(a: u32, width: u32) -> u32 {
    if width > 31 { a } else { a & ((1 << width) - 1) }
}

/// `szext.s32`: the low `width` bits, sign-extended; 0 for no bits, all from 32 on.
pub(crate) fn keep_low_signed(a: i32, width: u32) -> i32 {
    match width {
        0 => 0,
        1..32 => a << (32 - width) >> (32 - width),
        _ => a,
    }
}

/// `lop3`: bit i of the result is bit (4a + 2b + c) of the table, a, b, c being bits i.
#[inline(always)]
pub(crate) fn three_input_logic(a: u32, b: u32, c: u32, table: u32) -> u32 {
    let bit = |index: u32| (table >> index & 1).wrapping_neg();
    let choose = |by: u32, no: u32, yes: u32| no ^ by & (no ^ yes);
    let by_c = |row: u32| choose(c, bit(row), bit(row + 1));
    let by_b = |row: u32| choose(b, by_c(row), by_c(row + 2));
    choose(a, by_b(0), by_b(4))
}

/// `prmt` without a mode: each nibble of the selector picks a byte of `b:a`; its top bit asks for
/// that byte's sign instead.
#[inline(always)]
pub(crate) fn permute_bytes(a: u32, b: u32, selector: u32) -> u32 {
    (0..4).fold(0, |out, i| {
        let nibble = selector >> (4 * i) & 0xf;
        let word = if nibble & 4 != 0 { b } else { a };
        // The byte at the top, extended or not.
        let byte = word << (24 - 8 * (nibble & 3));
        let sign = (byte as i32 >> 31) as u32;
        let byte = if nibble & 8 != 0 { sign } else { byte };
        out | byte >> 24 << (8 * i)
    })
}

/// `prmt` with a mode: the selectors of the four result bytes, for the two low bits of `c`.
#[inline(always)]
pub(crate) fn permute_by(a: u32, b: u32, c: u32, selectors: [u32; 4]) -> u32 {
    let [zero, one, two, three] = selectors;
    let lower = if c & 1 != 0 { one } else { zero };
    let upper = if c & 1 != 0 { three } else { two };
    permute_bytes(a, b, if c & 2 != 0 { upper } else { lower })
}

/// Byte i of a word, sign-extended when `signed`.
fn byte(word: u32, i: u32, signed: bool) -> i32 {
    let byte = (word >> (8 * i)) as u8;
    if signed { byte as i8 as i32 } else { byte as i32 }
}

/// Half i of a word, sign-extended when `signed`.
fn half(word: u32, i: u32, signed: bool) -> i32 {
    let half = (word >> (16 * i)) as u16;
    if signed { half as i16 as i32 } else { half as i32 }
}

/// `dp4a`: c plus the products of the four bytes, wrapped to 32 bits.
pub(crate) fn dot4(a: u32, b: u32, c: u32, a_signed: bool, b_signed: bool) -> u32 {
    (0..4).fold(c, |sum, i| sum.wrapping_add((byte(a, i, a_signed) * byte(b, i, b_signed)) as u32))
}

/// `dp2a`: c plus the products of a's halves with two bytes of b, from byte `first` on.
pub(crate) fn dot2(a: u32, b: u32, c: u32, first: u32, a_signed: bool, b_signed: bool) -> u32 {
    (0..2).fold(c, |sum, i| {
        sum.wrapping_add((half(a, i, a_signed) * byte(b, first + i, b_signed)) as u32)
    })
}

/// `.shiftamt` of `bfind`: how far to shift left to bring the bit at `position` to the top of
/// `width` bits.
pub(crate) fn shift_amount(position: u32, width: u32) -> u32 {
    if position == u32::MAX { position } else { width - 1 - position }
}
