//! Random matrices: moderate numbers, wide ranges of exponents, numbers that cancel, subnormals,
//! infinities, NaNs and zeros, few terms of very different size. A tile's number says which kind it
//! is.

use super::{Form, bits};

/// A sequence of random numbers (SplitMix64).
pub struct Draw(u64);

/// Kinds of tiles.
pub const KINDS: u64 = 8;

/// The number of the first tile of those whose products are about as small as the least numbers of
/// f32, and less.
pub const FAINT: u64 = 1 << 40;

impl Draw {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, count: u64) -> u64 {
        (self.next() >> 33) % count
    }
}

/// Bits of exponent and fraction of a float; of the register that holds it, of tf32.
fn float(ty: &str) -> Option<(u32, u32)> {
    match ty {
        "f64" => Some((11, 52)),
        "f32" | "tf32" => Some((8, 23)),
        "bf16" => Some((8, 7)),
        "f16" => Some((5, 10)),
        "e4m3" => Some((4, 3)),
        "e5m2" => Some((5, 2)),
        _ => None,
    }
}

fn integer(ty: &str, draw: &mut Draw, kind: u64) -> u64 {
    let width = bits(ty);
    let mask = u64::MAX >> (64 - width);
    let x = draw.next();
    let bits = match (ty, kind) {
        ("s32", 0 | 4) => x,
        ("s32", 1 | 5) => x & 0xff,
        ("s32", 2 | 6) => 0x7fff_ffff_u64.wrapping_sub(x >> 50),
        ("s32", _) => 0x8000_0000_u64.wrapping_add(x >> 50),
        (_, 3) if width > 1 => (x & 1) | (x >> 1 & 1) << (width - 1),
        (_, 4) => (mask >> 1) | if x & 7 == 0 { x & mask } else { 0 },
        _ => x,
    };
    bits & mask
}

fn element(ty: &str, draw: &mut Draw, kind: u64, accumulator: bool) -> u64 {
    let Some((e, m)) = float(ty) else { return integer(ty, draw, kind) };
    let (one, top) = ((1 << (e - 1)) - 1, (1 << e) - 1);
    let x = draw.next();
    let (sign, fraction) = (x >> 63, x & ((1 << m) - 1));
    let number = |exponent: u64, fraction: u64| sign << (e + m) | exponent << m | fraction;
    let near = |draw: &mut Draw, distance: u64| {
        let distance = distance.min(one - 1);
        one - distance + draw.below(2 * distance + 1)
    };
    match kind {
        KINDS if e == 8 => faint(draw, accumulator, fraction, number),
        0 => number(near(draw, 2), fraction),
        1 => number(near(draw, if accumulator { 12 } else { 6 }), fraction),
        2 => number(draw.below(top), fraction),
        3 => {
            let fraction = if draw.below(2) == 0 { fraction & (fraction << 1) } else { 0 };
            let exponent = near(draw, 1);
            number(exponent + if accumulator { draw.below(3) } else { 0 }, fraction)
        }
        4 => {
            let exponent = if draw.below(3) == 0 {
                0
            } else if draw.below(2) == 0 {
                1 + draw.below(3)
            } else {
                near(draw, 3)
            };
            number(exponent, fraction)
        }
        5 if draw.below(40) == 0 => number(top, if draw.below(2) == 0 { 0 } else { fraction }),
        5 if draw.below(8) == 0 => number(0, 0),
        5 => number(near(draw, 3), fraction),
        6 if draw.below(if accumulator { 2 } else { 3 }) != 0 => number(0, 0),
        6 => number(near(draw, if accumulator { 24 } else { 12 }), fraction),
        _ if draw.below(4) == 0 => draw.next() & (u64::MAX >> (63 - e - m)),
        _ => number(near(draw, 1), fraction & u64::MAX << (m / 2)),
    }
}

/// A factor near the square root of the least number, an accumulator near that, or zero.
fn faint(
    draw: &mut Draw,
    accumulator: bool,
    fraction: u64,
    number: impl Fn(u64, u64) -> u64,
) -> u64 {
    match (draw.below(4), accumulator) {
        (0, true) => number(0, 0),
        (_, true) => number(draw.below(30), fraction),
        (0, false) => number(0, fraction),
        (_, false) => number(45 + draw.below(40), fraction),
    }
}

/// The words that a tile reads.
pub fn tile(form: &Form, number: u64) -> Vec<u32> {
    let mut draw = Draw(form.seed << 40 ^ number.wrapping_mul(0x2545_f491_4f6c_dd1d) ^ 77);
    let kind = if number >= FAINT { KINDS } else { number % KINDS };
    let [a, b, c, _] = form.types.map(bits);
    let Form { m, n, k, .. } = form;
    let counts = if form.wmma {
        [m * k * a / 32, n * k * b / 32, m * n * c / 32]
    } else {
        let [a, b, c, _] = form.words();
        [32 * a, 32 * b, 32 * c]
    };
    let mut words = Vec::new();
    for (i, count) in counts.into_iter().enumerate() {
        let (ty, accumulator) = (form.types[i], i == 2);
        match (bits(ty), form.wmma) {
            (64, true) => words.extend((0..count / 2).flat_map(|_| {
                let bits = element(ty, &mut draw, kind, accumulator);
                [bits as u32, (bits >> 32) as u32]
            })),
            // The low words of all lanes, then the high ones.
            (64, false) => (0..count / 64).for_each(|_| {
                let lanes: Vec<u64> =
                    (0..32).map(|_| element(ty, &mut draw, kind, accumulator)).collect();
                words.extend(lanes.iter().map(|bits| *bits as u32));
                words.extend(lanes.iter().map(|bits| (bits >> 32) as u32));
            }),
            (width, _) => words.extend((0..count).map(|_| {
                (0..32 / width).fold(0, |word, i| {
                    word | element(ty, &mut draw, kind, accumulator) << (i * width)
                }) as u32
            })),
        }
    }
    if form.sparse {
        words.extend((0..32).map(|_| metadata(form, &mut draw)));
    }
    words
}

/// Metadata in which the indices of a group ascend.
fn metadata(form: &Form, draw: &mut Draw) -> u32 {
    (0..8).fold(0, |word, i| {
        let any = [0b0100, 0b1000, 0b1100, 0b1001, 0b1101, 0b1110][draw.below(6) as usize];
        let nibble = match form.types[0] {
            "tf32" if draw.below(2) == 0 => 0b1110,
            "tf32" => 0b0100,
            _ => any,
        };
        word | nibble << (4 * i)
    })
}
