//! Video instructions (PTX ISA 9.7.18): one evaluation for all of them, told by what a [`Setting`]
//! says.
//!
//! An element is picked out of the eight bytes of `a` and, above it, `b`, and extended by its type.
//! The operation is done on wide integers, saturated to the destination's element if asked for, and
//! then combined with `c`: added up, compared with, or merged into its place. A scalar instruction
//! is one with a single element; those on halves and bytes have two and four.
//!
//! The pseudo code of the ISA is followed. What `.min` and `.max` compare with `c` is cut to 32 bits of
//! the destination's type, which the ISA leaves open and most forms do on an H200.
//!
//! On such a GPU the driver makes other instructions of these. Those on halves and bytes then give
//! what the ISA says, and so do scalar ones without `.sat`, `.min`, `.max`, `.shr7`, `.shr15` and a destination
//! `.h1`; of the others many do not: `vadd.u32.u32.u32.sat` of 0xffffffff and 0x13 gives 0x12. Here all follow the ISA.

/// How the bytes of the operands are read as elements: of which size, and where each is.
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

/// What the result of a video instruction is combined with.
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

/// All that modifiers, selectors and signs say of a video instruction beside its operation.
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
    /// Which elements of the result are written, bit i for the i-th from below; of a scalar
    /// instruction the place at which its one result is.
    pub mask: u8,
    /// Whether the destination is signed.
    pub signed: bool,
    /// `.sat`
    pub saturates: bool,
    /// What is done with `c`.
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
    /// One result of whole registers, with nothing asked for.
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

    /// A result within the range of the destination's elements, if that is asked for.
    fn saturated(self, value: i128) -> i128 {
        if !self.saturates {
            return value;
        }
        let bits = 8 * u32::from(self.bytes);
        match self.signed {
            true => value.clamp(-1 << (bits - 1), (1 << (bits - 1)) - 1),
            false => value.clamp(0, (1 << bits) - 1),
        }
    }

    /// `c` as the destination's type has it.
    fn number(self, c: u32) -> i128 {
        if self.signed { (c as i32).into() } else { c.into() }
    }

    /// The results, from the lowest, combined with `c`.
    fn combined(self, results: impl Iterator<Item = i128>, c: u32) -> u32 {
        let bits = 8 * u32::from(self.bytes);
        let written = |at: u32| self.mask >> at & 1 == 1;
        // A scalar instruction has one result, wherever in the mask it goes.
        let places = (0..32 / bits).filter(|at| self.count > 1 || written(*at));
        let mut d = c;
        for (at, value) in places.zip(results).filter(|(at, _)| written(*at)) {
            d = match self.second {
                Second::Merge => {
                    let field = (u32::MAX >> (32 - bits)) << (at * bits);
                    d & !field | ((value as u32) << (at * bits)) & field
                }
                Second::Add => d.wrapping_add(value as u32),
                Second::Min => self.number(value as u32).min(self.number(c)) as u32,
                Second::Max => self.number(value as u32).max(self.number(c)) as u32,
            };
        }
        d
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
    #[inline]
    fn pick(&self, pair: u64, i: usize) -> i128 {
        let bits = 8 * u32::from(self.bytes);
        let raw = pair >> (u32::from(self.at[i]) * bits % 64) << (64 - bits);
        if self.signed { (raw as i64 >> (64 - bits)).into() } else { (raw >> (64 - bits)).into() }
    }
}

/// An instruction whose results are computed one by one from an element of `a` and one of `b`.
#[inline]
pub(crate) fn by_elements(
    setting: &Setting,
    [a, b, c]: [u32; 3],
    operation: impl Fn(&Setting, i128, i128) -> i128,
) -> u32 {
    let pair = u64::from(a) | u64::from(b) << 32;
    let results = (0..usize::from(setting.count)).map(|i| {
        let value = operation(setting, setting.a.pick(pair, i), setting.b.pick(pair, i));
        setting.saturated(value)
    });
    setting.combined(results, c)
}

/// `vavrg2`, `vavrg4`: half of the sum, rounded away from zero.
pub(crate) fn average(a: i128, b: i128) -> i128 {
    if a + b >= 0 { (a + b + 1) >> 1 } else { (a + b) >> 1 }
}

/// The amount of `vshl` and `vshr`.
fn amount(setting: &Setting, b: i128) -> u32 {
    let b = b as u32;
    if setting.wraps { b & 31 } else { b.min(32) }
}

/// `vshl`
pub(crate) fn shifted_left(setting: &Setting, a: i128, b: i128) -> i128 {
    a << amount(setting, b)
}

/// `vshr`
pub(crate) fn shifted_right(setting: &Setting, a: i128, b: i128) -> i128 {
    a >> amount(setting, b)
}

/// `vset`, `vset2`, `vset4`: one where the comparison holds.
pub(crate) fn compared(setting: &Setting, a: i128, b: i128) -> i128 {
    i128::from(match setting.comparison {
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
    let product = setting.a.pick(pair, 0) * setting.b.pick(pair, 0);
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
    Setting { signed, ..*setting }.saturated(sum >> setting.scale) as u32
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
