//! How much the approximate results of a GPU and of the simulator differ.
//!
//! The ISA bounds the error of an approximate instruction, not its bits. The measure is the
//! distance between the two, in units of the last place of the result and absolutely, for each form
//! and each range of its first argument; special results (zeros, infinities, NaNs) must be the
//! same.

use std::collections::BTreeMap;

use warpsim::lanes::Role;
use warpsim::ptx::Type;

use super::program::Program;
use super::straight::{Source, Step};

/// The largest distances that were seen.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Distance {
    /// Results compared.
    pub results: u64,
    /// The results with different bits.
    pub different: u64,
    /// In units of the last place.
    pub ulp: u64,
    /// Absolutely.
    pub absolute: f64,
    /// Pairs of results that are not the same special value.
    pub special: u64,
}

/// Distances by form and range of the first argument.
pub type Distances = BTreeMap<(String, String), Distance>;

/// Adds what one program gave on both.
pub fn measure(
    program: &Program,
    ours: &[u64],
    theirs: &[u64],
    table: &[u64],
    into: &mut Distances,
) {
    let Program::Straight(program) = program else { return };
    let threads = program.count();
    for (row, step) in program.steps.iter().enumerate() {
        let Some(ty) = destination(step) else { continue };
        let argument = |thread: usize| match step.sources.first() {
            Some(Source::Cell(at)) => table[at + thread],
            _ => 0,
        };
        for thread in 0..threads {
            let at = row * threads + thread;
            for (half, ty) in halves(ty).into_iter().enumerate() {
                let shift = 16 * half;
                let range = range(ty, argument(thread) >> shift);
                let entry = into.entry((step.form.text.clone(), range.to_owned())).or_default();
                entry.add(ty, ours[at] >> shift, theirs[at] >> shift);
            }
        }
    }
}

fn destination(step: &Step) -> Option<Type> {
    step.form.roles.iter().find_map(|role| match role {
        Role::D(ty) => Some(*ty),
        _ => None,
    })
}

/// The types of a value's halves, or its own.
fn halves(ty: Type) -> Vec<Type> {
    match ty {
        Type::F16x2 => vec![Type::F16, Type::F16],
        Type::Bf16x2 => vec![Type::Bf16, Type::Bf16],
        ty => vec![ty],
    }
}

/// Bits of a float and of its fraction.
fn layout(ty: Type) -> (u32, u32) {
    match ty {
        Type::F16 => (16, 10),
        Type::Bf16 => (16, 7),
        Type::F64 => (64, 52),
        _ => (32, 23),
    }
}

/// A float of any type as a double, exactly; without its sign, its bits, and whether it is a number
/// other than zero.
fn parts(ty: Type, word: u64) -> (f64, u64, bool) {
    let (bits, fraction) = layout(ty);
    let word = word & (u64::MAX >> (64 - bits));
    let magnitude = word & (u64::MAX >> (65 - bits));
    let most = (u64::MAX >> (65 - bits)) >> fraction;
    let exponent = magnitude >> fraction;
    let low = magnitude & ((1 << fraction) - 1);
    let sign = if word == magnitude { 1.0 } else { -1.0 };
    if exponent == most {
        let value = if low == 0 { f64::INFINITY } else { f64::NAN };
        return (sign * value, magnitude, false);
    }
    let (whole, power) = match exponent {
        0 => (low, 1),
        exponent => (low | 1 << fraction, exponent),
    };
    let bias = (most >> 1) as i32;
    let power = power as i32 - bias - fraction as i32;
    // In two steps, so that a power of two below the smallest does not vanish.
    let value = whole as f64 * 2f64.powi(power / 2) * 2f64.powi(power - power / 2);
    (sign * value, magnitude, magnitude != 0)
}

impl Distance {
    fn add(&mut self, ty: Type, ours: u64, theirs: u64) {
        let (bits, _) = layout(ty);
        let mask = u64::MAX >> (64 - bits);
        self.results += 1;
        if ours & mask == theirs & mask {
            return;
        }
        self.different += 1;
        let ((a, a_bits, a_number), (b, b_bits, b_number)) = (parts(ty, ours), parts(ty, theirs));
        // One of them may have been flushed to zero, or have overflowed by a unit.
        if a.is_nan() || b.is_nan() || (!a_number && !b_number) || (a < 0.0) != (b < 0.0) {
            self.special += 1;
            return;
        }
        self.ulp = self.ulp.max(a_bits.abs_diff(b_bits));
        if a.is_finite() && b.is_finite() {
            self.absolute = self.absolute.max((a - b).abs());
        }
    }
}

/// Which range an argument lies in, by its size.
fn range(ty: Type, word: u64) -> &'static str {
    let (value, _, number) = parts(ty, word);
    let smallest = match ty {
        Type::F16 => 2f64.powi(-14),
        Type::F64 => f64::MIN_POSITIVE,
        _ => 2f64.powi(-126),
    };
    match value.abs() {
        _ if !number => "special",
        size if size < smallest => "denormal",
        size if size < 2f64.powi(-20) => "below 2^-20",
        size if size < 1.0 => "2^-20 to 1",
        size if size < 64.0 => "1 to 64",
        size if size < 2f64.powi(20) => "64 to 2^20",
        _ => "2^20 and more",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_float_of_any_type_has_its_value() {
        assert_eq!(parts(Type::F32, 0x3fc0_0000), (1.5, 0x3fc0_0000, true));
        assert_eq!(parts(Type::F32, 0x8000_0001).0, -f64::from(f32::from_bits(1)));
        assert_eq!(parts(Type::F16, 0x4248).0, 3.140625);
        assert_eq!(parts(Type::Bf16, 0x4049).0, 3.140625);
        assert_eq!(parts(Type::F64, 1).0, 5e-324);
        assert!(parts(Type::F16, 0x7e00).0.is_nan());
    }

    #[test]
    fn a_distance_counts_units_of_the_last_place_and_other_specials_by_themselves() {
        let mut distance = Distance::default();
        distance.add(Type::F32, 0x3f80_0000, 0x3f80_0003);
        distance.add(Type::F32, 0x3f80_0000, 0x3f80_0000);
        distance.add(Type::F32, 0x7f80_0000, 0x7fff_ffff);
        assert_eq!((distance.results, distance.different), (3, 2));
        assert_eq!((distance.ulp, distance.special), (3, 1));
        assert_eq!(distance.absolute, 3.0 * 2f64.powi(-23));
    }
}
