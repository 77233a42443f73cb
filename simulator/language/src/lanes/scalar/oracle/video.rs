//! Video instructions (PTX ISA 9.7.18) lane by lane on integers of 128 bits, by the pseudo code of
//! the ISA. Tests that the loops which run give the same bits in each tier.

use std::sync::Arc;

use crate::lanes::primitive::Video;
use crate::lanes::scalar::video::{Comparison, Elements, Second, Setting};
use crate::lanes::{
    Constants, FULL, LANES, Lines, Operands, Primitive, RegisterOperation, Registers, Slot,
    SlotCounts, Tier,
};

/// The element that result `i` has of two registers.
fn pick(elements: &Elements, [a, b]: [u32; 2], i: usize) -> i128 {
    let bits = 8 * u32::from(elements.bytes);
    let pair = u64::from(a) | u64::from(b) << 32;
    let raw = i128::from(pair >> (u32::from(elements.at[i]) * bits % 64)) & ((1 << bits) - 1);
    let negative = elements.signed && raw >> (bits - 1) == 1;
    if negative { raw - (1 << bits) } else { raw }
}

fn saturated(setting: &Setting, value: i128) -> i128 {
    if !setting.saturates {
        return value;
    }
    let bits = 8 * u32::from(setting.bytes);
    match setting.signed {
        true => value.clamp(-1 << (bits - 1), (1 << (bits - 1)) - 1),
        false => value.clamp(0, (1 << bits) - 1),
    }
}

/// The results, from the lowest, combined with `c`.
fn combined(setting: &Setting, results: impl Iterator<Item = i128>, c: u32) -> u32 {
    let bits = 8 * u32::from(setting.bytes);
    let number = |word: u32| if setting.signed { i128::from(word as i32) } else { word.into() };
    let written = |at: u32| setting.mask >> at & 1 == 1;
    let places = (0..32 / bits).filter(|at| setting.count > 1 || written(*at));
    let mut d = c;
    for (at, value) in places.zip(results).filter(|(at, _)| written(*at)) {
        d = match setting.second {
            Second::Merge => {
                let field = (u32::MAX >> (32 - bits)) << (at * bits);
                d & !field | ((value as u32) << (at * bits)) & field
            }
            Second::Add => d.wrapping_add(value as u32),
            Second::Min => number(value as u32).min(number(c)) as u32,
            Second::Max => number(value as u32).max(number(c)) as u32,
        };
    }
    d
}

/// What an instruction computes of one element of each operand.
fn operation(video: Video, setting: &Setting, a: i128, b: i128) -> i128 {
    let amount = if setting.wraps { b as u32 & 31 } else { (b as u32).min(32) };
    match video {
        Video::VaddB32 => a + b,
        Video::VsubB32 => a - b,
        Video::VabsdiffB32 => (a - b).abs(),
        Video::VminB32 => a.min(b),
        Video::VmaxB32 => a.max(b),
        Video::VavrgB32 if a + b >= 0 => (a + b + 1) >> 1,
        Video::VavrgB32 => (a + b) >> 1,
        Video::VshlB32 => a << amount,
        Video::VshrB32 => a >> amount,
        Video::VsetB32 => i128::from(match setting.comparison {
            Comparison::Eq => a == b,
            Comparison::Ne => a != b,
            Comparison::Lt => a < b,
            Comparison::Le => a <= b,
            Comparison::Gt => a > b,
            Comparison::Ge => a >= b,
        }),
        Video::VmadB32 => unreachable!("it has one result of three operands"),
    }
}

fn multiplied(setting: &Setting, [a, b, c]: [u32; 3]) -> u32 {
    let product = pick(&setting.a, [a, b], 0) * pick(&setting.b, [a, b], 0);
    let Setting { negates_product, negates_c, plus_one, .. } = *setting;
    let signed = setting.a.signed || setting.b.signed || negates_product || negates_c;
    let of_c = |c: u32| if signed { i128::from(c as i32) } else { c.into() };
    let sum = match (plus_one, negates_product, negates_c) {
        (true, ..) => product + of_c(c) + 1,
        (false, true, _) => !product + of_c(c) + 1,
        (false, false, true) => product + of_c(!c) + 1,
        (false, false, false) => product + of_c(c),
    };
    saturated(&Setting { signed, ..*setting }, sum >> setting.scale) as u32
}

fn plain(video: Video, setting: &Setting, [a, b, c]: [u32; 3]) -> u32 {
    if video == Video::VmadB32 {
        return multiplied(setting, [a, b, c]);
    }
    let result = |i| {
        let [x, y] = [&setting.a, &setting.b].map(|elements| pick(elements, [a, b], i));
        saturated(setting, operation(video, setting, x, y))
    };
    combined(setting, (0..usize::from(setting.count)).map(result), c)
}

/// A generator of numbers that look random.
struct Random(u64);

impl Random {
    fn below(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
        (self.0 ^ self.0 >> 29) % n
    }

    fn of<T: Copy>(&mut self, values: &[T]) -> T {
        values[self.below(values.len() as u64) as usize]
    }

    fn word(&mut self) -> u32 {
        const EDGES: [u32; 9] = [0, 1, 31, 32, 33, 0x7fff_ffff, 0x8000_0000, u32::MAX, 0x8080_7f7f];
        if self.below(3) == 0 { self.of(&EDGES) } else { self.below(1 << 32) as u32 }
    }

    fn elements(&mut self) -> Elements {
        let bytes = self.of(&[1, 2, 4]);
        let at = [(); 4].map(|()| self.below(8 / u64::from(bytes)) as u8);
        Elements { bytes, at, signed: self.below(2) == 1 }
    }

    fn setting(&mut self) -> Setting {
        use Comparison::{Eq, Ge, Gt, Le, Lt, Ne};
        let count = self.of(&[1, 1, 2, 4]);
        Setting {
            count,
            a: self.elements(),
            b: self.elements(),
            bytes: if count == 1 { self.of(&[1, 2, 4]) } else { 4 / count },
            mask: self.below(16) as u8,
            signed: self.below(2) == 1,
            saturates: self.below(2) == 1,
            second: self.of(&[Second::Merge, Second::Add, Second::Min, Second::Max]),
            wraps: self.below(2) == 1,
            comparison: self.of(&[Eq, Ne, Lt, Le, Gt, Ge]),
            plus_one: self.below(2) == 1,
            scale: self.of(&[0, 7, 15]),
            negates_product: self.below(2) == 1,
            negates_c: self.below(2) == 1,
        }
    }
}

#[test]
fn video_instructions_are_the_same_with_any_setting_in_each_tier() {
    let mut random = Random(3);
    for video in Video::ALL {
        for _ in 0..1500 {
            let setting = random.setting();
            let constants =
                Constants { w64: Lines::of([setting.word(); LANES], 1), ..Constants::default() };
            let counts = SlotCounts { w32: 4, w64: 0, predicates: 0 };
            let mut registers = Registers::new(counts, Arc::new(constants));
            for register in registers.w32.iter_mut() {
                *register = std::array::from_fn(|_| random.word());
            }
            let [d, a, b, c] = std::array::from_fn(Slot::register);
            let operands = Operands { d, a, b, c, e: Slot::constant(0), ..Operands::default() };
            for tier in Tier::available() {
                let mut after = registers.clone();
                let operation =
                    RegisterOperation::with_tier(Primitive::Video(*video), operands, tier);
                operation.execute(&mut after, FULL);
                for lane in 0..LANES {
                    let of_lane = [1, 2, 3].map(|slot: usize| registers.w32[slot][lane]);
                    let right = plain(*video, &setting, of_lane);
                    assert_eq!(after.w32[0][lane], right, "{video:?} {setting:?} {of_lane:x?}");
                }
            }
        }
    }
}
