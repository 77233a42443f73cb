//! Video instructions (PTX ISA 9.7.18): one evaluation for all of them, controlled by a
//! [`Setting`].
//!
//! An element is picked out of the eight bytes of `a` and, above it, `b`, and extended by its type.
//! The operation is done on wide integers, saturated to the destination's element if asked for, and
//! then combined with `c`: added up, compared with, or merged into its place. A scalar instruction
//! has a single element; those on halves and bytes have two and four.
//!
//! The code follows the pseudo code of the ISA. `.min` and `.max` compare `c` with a value cut to
//! 32 bits of the destination's type. The ISA leaves this open, and most forms do it on an H200.
//!
//! On such a GPU the driver replaces these by other instructions. Instructions on halves and bytes
//! then give the ISA's results, and so do scalar ones without `.sat`, `.min`, `.max`, `.shr7`,
//! `.shr15` and a destination `.h1`. Many of the others do not: `vadd.u32.u32.u32.sat` of
//! 0xffffffff and 0x13 gives 0x12. Here all follow the ISA.

/// How the bytes of the operands are read as elements: the size of each, and its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Elements {
    /// Bytes of an element: 1, 2 or 4.
    pub bytes: u8,
    /// For each result the place of its element, counted in elements from the lowest byte of `a`
    /// through `b`.
    pub at: [u8; 4],
    /// Whether they are signed.
    pub signed: bool,
}

/// How the result of a video instruction is combined with `c`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Second {
    /// Its elements are put into their places in `c`.
    Merge,
    /// `.add`: all of them are added to `c`.
    Add,
    /// `.min`: the lesser of it and `c`.
    Min,
    /// `.max`: the greater of it and `c`.
    Max,
}

/// The comparison of `vset`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "PTX's own words")]
pub enum Comparison {
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
}

/// Everything that modifiers, selectors and signs say about a video instruction, except its
/// operation.
///
/// A register operation has it as a constant of 64 bits: see [`Setting::word`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Setting {
    /// How many elements are computed: 1, 2 or 4.
    pub count: u8,
    /// The elements of `a`.
    pub a: Elements,
    /// The elements of `b`.
    pub b: Elements,
    /// Bytes of an element of the result: 1, 2 or 4.
    pub bytes: u8,
    /// Which elements of the result are written, bit i for the i-th from below; for a scalar
    /// instruction, the place of its one result.
    pub mask: u8,
    /// Whether the destination is signed.
    pub signed: bool,
    /// `.sat`
    pub saturates: bool,
    /// The second operation, on `c`.
    pub second: Second,
    /// `.wrap` of a shift; else `.clamp`.
    pub wraps: bool,
    /// The comparison of `vset`.
    pub comparison: Comparison,
    /// `.po` of `vmad`: one is added.
    pub plus_one: bool,
    /// `.shr7`, `.shr15` of `vmad`: the bits that the result is shifted by.
    pub scale: u8,
    /// The product of `vmad` is negated.
    pub negates_product: bool,
    /// `c` of `vmad` is negated.
    pub negates_c: bool,
}

impl Setting {
    /// One result of whole registers, without any modifiers.
    pub const PLAIN: Setting = Setting {
        count: 1,
        a: Elements { bytes: 4, at: [0; 4], signed: false },
        b: Elements { bytes: 4, at: [1, 0, 0, 0], signed: false },
        bytes: 4,
        mask: 1,
        signed: false,
        saturates: false,
        second: Second::Merge,
        wraps: false,
        comparison: Comparison::Eq,
        plus_one: false,
        scale: 0,
        negates_product: false,
        negates_c: false,
    };

    /// All of it in 64 bits.
    pub fn word(self) -> u64 {
        let mut word = Packed(0);
        for elements in [self.a, self.b] {
            word.put_power(elements.bytes);
            elements.at.iter().for_each(|at| word.put(*at, 3));
            word.put(elements.signed.into(), 1);
        }
        word.put_power(self.count);
        word.put_power(self.bytes);
        word.put(self.mask, 4);
        word.put(self.second as u8, 2);
        word.put(self.comparison as u8, 3);
        word.put(self.scale, 4);
        for flag in self.flags() {
            word.put(flag.into(), 1);
        }
        word.0
    }

    /// What [`Setting::word`] made a word of.
    pub fn of(word: u64) -> Setting {
        const SECOND: [Second; 4] = [Second::Merge, Second::Add, Second::Min, Second::Max];
        use Comparison::{Eq, Ge, Gt, Le, Lt, Ne};
        const COMPARISON: [Comparison; 8] = [Eq, Ne, Lt, Le, Gt, Ge, Eq, Eq];
        let mut word = Packed(word);
        // Taken out in the opposite order.
        let flags: [bool; 6] = std::array::from_fn(|_| word.take(1) != 0);
        let [negates_c, negates_product, plus_one, wraps, saturates, signed] = flags;
        let scale = word.take(4);
        let comparison = COMPARISON[word.take(3) as usize];
        let second = SECOND[word.take(2) as usize];
        let (mask, bytes, count) = (word.take(4), word.take_power(), word.take_power());
        let mut elements = || {
            let signed = word.take(1) != 0;
            let mut at: [u8; 4] = std::array::from_fn(|_| word.take(3));
            at.reverse();
            Elements { bytes: word.take_power(), at, signed }
        };
        let (b, a) = (elements(), elements());
        Setting {
            count,
            a,
            b,
            bytes,
            mask,
            signed,
            saturates,
            second,
            wraps,
            comparison,
            plus_one,
            scale,
            negates_product,
            negates_c,
        }
    }

    fn flags(self) -> [bool; 6] {
        [
            self.signed,
            self.saturates,
            self.wraps,
            self.plus_one,
            self.negates_product,
            self.negates_c,
        ]
    }

    /// The least and the greatest result that stays as it is: the limits of the destination's
    /// elements, if saturation is asked for.
    #[inline(always)]
    fn limits(self) -> (i64, i64) {
        let bits = 8 * u32::from(self.bytes);
        match (self.saturates, self.signed) {
            (false, _) => (i64::MIN, i64::MAX),
            (true, true) => (-1 << (bits - 1), (1 << (bits - 1)) - 1),
            (true, false) => (0, (1 << bits) - 1),
        }
    }

    /// Which element gives a result, and at which place of the destination, from the lowest.
    #[inline(always)]
    fn places(self) -> impl Iterator<Item = (usize, u32)> {
        let written = move |at: &u32| self.mask >> at & 1 == 1;
        let places = 0..32 / (8 * u32::from(self.bytes));
        // A scalar instruction has one result, wherever in the mask it goes.
        let alone = places.clone().find(written).filter(|_| self.count == 1).map(|at| (0, at));
        let several = (0..usize::from(self.count)).zip(places).filter(move |(_, at)| written(at));
        alone.into_iter().chain(several.filter(move |_| self.count > 1))
    }

    /// A result combined with the destination's present value, and with `c`. It branches only on
    /// values that are the same in all lanes.
    #[inline(always)]
    fn combined(self, at: u32, value: u32, d: u32, c: u32) -> u32 {
        let bits = 8 * u32::from(self.bytes);
        let field = (u32::MAX >> (32 - bits)) << (at * bits);
        // To compare as the destination's type has them.
        let sign = if self.signed { 0 } else { 1 << 31 };
        let less = ((value ^ sign) as i32) < ((c ^ sign) as i32);
        match self.second {
            Second::Merge => d & !field | (value << (at * bits)) & field,
            Second::Add => d.wrapping_add(value),
            Second::Min => {
                if less {
                    value
                } else {
                    c
                }
            }
            Second::Max => {
                if less {
                    c
                } else {
                    value
                }
            }
        }
    }
}

/// Fields put below each other into a word, and taken out from below.
struct Packed(u64);

impl Packed {
    fn put(&mut self, field: u8, bits: u32) {
        self.0 = self.0 << bits | u64::from(field);
    }

    /// A power of two: 1, 2 or 4.
    fn put_power(&mut self, power: u8) {
        self.put(power.trailing_zeros() as u8, 2);
    }

    /// What [`Packed::put_power`] put; one of them whatever the word is.
    fn take_power(&mut self) -> u8 {
        1 << self.take(2).min(2)
    }

    fn take(&mut self, bits: u32) -> u8 {
        let field = self.0 & ((1 << bits) - 1);
        self.0 >>= bits;
        field as u8
    }
}

impl Elements {
    /// The element that result `i` has of the eight bytes of two registers.
    #[inline(always)]
    fn pick(&self, pair: u64, i: usize) -> i64 {
        let bits = 8 * u32::from(self.bytes);
        let raw = pair >> (u32::from(self.at[i]) * bits % 64) & (u64::MAX >> (64 - bits));
        // The sign bit, exchanged and taken away, is extended.
        let sign = if self.signed { 1 << (bits - 1) } else { 0 };
        (raw ^ sign).wrapping_sub(sign) as i64
    }
}

/// An instruction whose results are computed one by one from an element of `a` and one of `b`, of
/// all lanes: the same elements in each, so one after the other.
#[inline(always)]
pub(crate) fn by_elements<const N: usize>(
    setting: &Setting,
    (a, b, c): (&[u32; N], &[u32; N], &[u32; N]),
    operation: impl Fn(Setting, i64, i64) -> i64,
) -> [u32; N] {
    let (least, greatest) = setting.limits();
    let mut d = *c;
    for (i, at) in setting.places() {
        for lane in 0..N {
            let pair = u64::from(a[lane]) | u64::from(b[lane]) << 32;
            let value = operation(*setting, setting.a.pick(pair, i), setting.b.pick(pair, i));
            let value = value.clamp(least, greatest) as u32;
            d[lane] = setting.combined(at, value, d[lane], c[lane]);
        }
    }
    d
}

/// `vavrg2`, `vavrg4`: half of the sum, rounded away from zero.
#[inline(always)]
pub(crate) fn average(a: i64, b: i64) -> i64 {
    (a + b + i64::from(a + b >= 0)) >> 1
}

/// The amount of `vshl` and `vshr`.
#[inline(always)]
fn amount(setting: Setting, b: i64) -> u32 {
    let b = b as u32;
    if setting.wraps { b & 31 } else { b.min(32) }
}

/// `vshl`. A shift by 32 leaves nothing in 32 bits; what it gives here is beyond them, on the right
/// side.
#[inline(always)]
pub(crate) fn shifted_left(setting: Setting, a: i64, b: i64) -> i64 {
    match amount(setting, b) {
        32 => a.signum() << 40,
        amount => a << amount,
    }
}

/// `vshr`
#[inline(always)]
pub(crate) fn shifted_right(setting: Setting, a: i64, b: i64) -> i64 {
    a >> amount(setting, b)
}

/// `vset`, `vset2`, `vset4`: one where the comparison holds.
#[inline(always)]
pub(crate) fn compared(setting: Setting, a: i64, b: i64) -> i64 {
    i64::from(match setting.comparison {
        Comparison::Eq => a == b,
        Comparison::Ne => a != b,
        Comparison::Lt => a < b,
        Comparison::Le => a <= b,
        Comparison::Gt => a > b,
        Comparison::Ge => a >= b,
    })
}

/// `vmad`: `a * b + c`, one of them negated, one added or not, shifted right.
pub(crate) fn multiply_and_add(setting: &Setting, [a, b, c]: [u32; 3]) -> u32 {
    let pair = u64::from(a) | u64::from(b) << 32;
    let product = i128::from(setting.a.pick(pair, 0)) * i128::from(setting.b.pick(pair, 0));
    let signed =
        setting.a.signed || setting.b.signed || setting.negates_product || setting.negates_c;
    let of_c = |c: u32| if signed { i128::from(c as i32) } else { i128::from(c) };
    let sum = if setting.plus_one {
        product + of_c(c) + 1
    } else if setting.negates_product {
        !product + of_c(c) + 1
    } else if setting.negates_c {
        product + of_c(!c) + 1
    } else {
        product + of_c(c)
    };
    let (least, greatest) = Setting { signed, ..*setting }.limits();
    let scaled = sum >> setting.scale;
    // It may have more than 64 bits.
    let limited = scaled.clamp(least.into(), greatest.into());
    (if setting.saturates { limited } else { scaled }) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_setting_is_the_same_out_of_its_word() {
        let mut random = 1u64;
        let mut below = |n: u64| {
            random = random.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
            (random >> 33) % n
        };
        for _ in 0..10_000 {
            let mut elements = || Elements {
                bytes: [1, 2, 4][below(3) as usize],
                at: std::array::from_fn(|_| below(8) as u8),
                signed: below(2) == 1,
            };
            let (a, b) = (elements(), elements());
            use Comparison::{Eq, Ge, Gt, Le, Lt, Ne};
            let setting = Setting {
                count: [1, 2, 4][below(3) as usize],
                a,
                b,
                bytes: [1, 2, 4][below(3) as usize],
                mask: below(16) as u8,
                signed: below(2) == 1,
                saturates: below(2) == 1,
                second: [Second::Merge, Second::Add, Second::Min, Second::Max][below(4) as usize],
                wraps: below(2) == 1,
                comparison: [Eq, Ne, Lt, Le, Gt, Ge][below(6) as usize],
                plus_one: below(2) == 1,
                scale: [0, 7, 15][below(3) as usize],
                negates_product: below(2) == 1,
                negates_c: below(2) == 1,
            };
            assert_eq!(Setting::of(setting.word()), setting);
        }
    }
}
