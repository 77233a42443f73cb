//! The elements of a product of matrices, and the order of their sums, as measured on sm_90.

use super::number::{Float, FloatFormat, Format, Integer};
use super::sum::{Sum, sum};
use crate::internal;
use crate::internal::InternalError;
use crate::lanes::{Flags, fused_f64};

/// How a row and a column are multiplied and added.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Dot {
    /// The sum is exact, then wraps or is clamped.
    Integers { a: Integer, b: Integer, saturate: bool },
    /// Counts the ones of `.xor`, or else of `.and`.
    Bits { xor: bool },
    /// f64: fused multiplications and additions one after the other, in the order of k.
    Doubles { flags: Flags },
    /// Floats of up to 32 bits.
    Floats { a: FloatFormat, b: FloatFormat, c: Wide, d: Wide, order: Order },
}

/// An accumulator of floats.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Wide {
    F16,
    F32,
}

/// The order in which the products of floats are added.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Order {
    /// Sums of this many products one after the other, each with the previous one as its
    /// accumulator.
    Sums(usize),
    /// For types of 8 bits: the first two products of each group of four make a sum. The others
    /// make one with that sum as its accumulator, and the accumulator is added to it.
    Eights,
    /// `m8n8k4` of f16: multiplications and additions of f32 one after the other, the accumulator
    /// last.
    OneByOne,
    /// `m8n8k4` of f16 with f16: the same in pairs of products, which are added to the accumulator.
    Pairs,
}

/// The matrices of a product: the bits of their elements.
pub(super) struct Matrices<'a> {
    /// The stored elements of A by rows.
    pub(super) a: &'a [u64],
    /// B by columns.
    pub(super) b: &'a [u64],
    /// The accumulator, by rows.
    pub(super) c: &'a [u64],
    /// Stored elements of A in a row, rows of B, and columns of the sum.
    pub(super) sizes: [usize; 3],
    /// The row of B for a row and an element of A, where it is not the next.
    pub(super) paired: Option<&'a dyn Fn(usize, usize) -> usize>,
    /// The column of B for a row and a column of the sum.
    pub(super) column: &'a dyn Fn(usize, usize) -> usize,
}

impl Matrices<'_> {
    /// Each element of the sum from its products' factors and its accumulator.
    fn each<T: Copy>(
        &self,
        a: &[T],
        b: &[T],
        of: impl Fn(&[(T, T)], u64) -> u64,
    ) -> Result<Vec<u64>, InternalError> {
        let [held, deep, across] = self.sizes;
        let mut out = Vec::with_capacity(self.c.len());
        let mut pairs = Vec::with_capacity(held);
        let (columns, missing) = (b.chunks_exact(deep), |row, column| {
            internal!("row {row} has no column {column} to be multiplied with")
        });
        for (row, (a, c)) in a.chunks(held).zip(self.c.chunks(across)).enumerate() {
            let places: Option<Vec<usize>> =
                self.paired.map(|paired| (0..held).map(|k| paired(row, k)).collect());
            for (column, c) in c.iter().enumerate() {
                let b = columns.clone().nth((self.column)(row, column));
                let b = b.ok_or_else(|| missing(row, column))?;
                pairs.clear();
                match &places {
                    None => pairs.extend(a.iter().copied().zip(b.iter().copied())),
                    Some(places) => {
                        pairs.extend(a.iter().zip(places).map(|(a, place)| (*a, b[*place])));
                    }
                }
                if pairs.len() != held {
                    return Err(internal!("a row of {held} and a column of {deep}"));
                }
                out.push(of(&pairs, *c));
            }
        }
        match out.len() == self.c.len() {
            true => Ok(out),
            false => Err(internal!("{} of {} elements are sums", out.len(), self.c.len())),
        }
    }
}

impl Wide {
    /// The accumulator of a type.
    pub(super) fn of(format: Format) -> Result<Wide, InternalError> {
        match format {
            Format::F16 => Ok(Wide::F16),
            Format::F32 => Ok(Wide::F32),
            other => Err(internal!("an accumulator of {other:?}")),
        }
    }

    fn number(self, bits: u64) -> Float {
        let format = match self {
            Wide::F16 => FloatFormat::F16,
            Wide::F32 => FloatFormat::F32,
        };
        format.number(bits)
    }
}

impl Dot {
    /// The elements of the sum by rows; their bits.
    pub(super) fn product(&self, matrices: &Matrices<'_>) -> Result<Vec<u64>, InternalError> {
        let (a, b) = (matrices.a, matrices.b);
        match *self {
            Dot::Integers { a: x, b: y, saturate } => {
                let (a, b) = (numbers(a, |bits| x.number(bits)), numbers(b, |bits| y.number(bits)));
                matrices.each(&a, &b, |pairs, c| integers(pairs, c, saturate))
            }
            Dot::Bits { xor } => matrices.each(a, b, |pairs, c| {
                let one = |(a, b): &(u64, u64)| if xor { a ^ b } else { a & b };
                (c + pairs.iter().map(one).sum::<u64>()) & 0xffff_ffff
            }),
            Dot::Doubles { flags } => {
                let (a, b) = (numbers(a, f64::from_bits), numbers(b, f64::from_bits));
                matrices.each(&a, &b, |pairs, c| {
                    let add = |sum, (a, b): &(f64, f64)| fused_f64(flags, *a, *b, sum);
                    pairs.iter().fold(f64::from_bits(c), add).to_bits()
                })
            }
            Dot::Floats { a: x, b: y, c, d, order } => {
                let (a, b) = (numbers(a, |bits| x.number(bits)), numbers(b, |bits| y.number(bits)));
                matrices.each(&a, &b, |pairs, bits| floats(pairs, bits, c, d, order).into())
            }
        }
    }
}

fn numbers<T>(bits: &[u64], number: impl Fn(u64) -> T) -> Vec<T> {
    bits.iter().map(|bits| number(*bits)).collect()
}

fn integers(pairs: &[(i64, i64)], c: u64, saturate: bool) -> u64 {
    let products: i64 = pairs.iter().map(|(a, b)| a * b).sum();
    let sum = products + i64::from(c as u32 as i32);
    let sum = if saturate { sum.clamp(i32::MIN.into(), i32::MAX.into()) } else { sum };
    u64::from(sum as u32)
}

fn floats(pairs: &[(Float, Float)], c: u64, of_c: Wide, d: Wide, order: Order) -> u32 {
    let accumulator = of_c.number(c);
    match order {
        Order::Sums(products) => {
            // f16 is converted to f32 before.
            let widened = of_c == Wide::F16 && d == Wide::F32;
            let mut accumulator = if widened { accumulator.normalised() } else { accumulator };
            let mut bits = 0;
            for step in pairs.chunks(products) {
                let sum = sum(&step.iter().copied(), accumulator);
                bits = match (of_c, d) {
                    (Wide::F16, Wide::F16) => sum.half(),
                    (Wide::F32, Wide::F16) => half_of(Wide::F32.number(sum.single().into())),
                    (Wide::F16 | Wide::F32, Wide::F32) => sum.single(),
                };
                accumulator = d.number(bits.into());
            }
            bits
        }
        Order::Eights => eights(pairs, accumulator, d),
        Order::OneByOne => {
            let one = |sum: f32, (a, b): &(Float, Float)| a.single().mul_add(b.single(), sum);
            written(accumulator.single() + pairs.iter().fold(0.0, one), d)
        }
        Order::Pairs => {
            let pair = |pair: &[(Float, Float)]| {
                let product = |(a, b): &(Float, Float)| a.single() * b.single();
                let next = |sum: f32, (a, b): &(Float, Float)| a.single().mul_add(b.single(), sum);
                match pair {
                    [first, rest @ ..] => rest.iter().fold(product(first), next),
                    [] => 0.0,
                }
            };
            let add = |sum, products: &[(Float, Float)]| sum + pair(products);
            written(pairs.chunks(2).fold(accumulator.single(), add), d)
        }
    }
}

/// The sum of types of 8 bits: see [`Order::Eights`].
fn eights(pairs: &[(Float, Float)], c: Float, d: Wide) -> u32 {
    let half = |first: bool| {
        let places = pairs.iter().enumerate().filter(move |(at, _)| (at % 4 < 2) == first);
        places.map(|(_, pair)| *pair)
    };
    let rounded = |sum: Sum| match d {
        Wide::F16 => sum.half(),
        Wide::F32 => sum.single(),
    };
    let nothing = d.number(0);
    let first = d.number(rounded(sum(&half(true), nothing)).into());
    let products = d.number(rounded(sum(&half(false), first)).into());
    match d {
        Wide::F32 => written(c.single() + products.single(), d),
        Wide::F16 => match (c, products) {
            (Float::Finite { .. }, Float::Finite { .. }) => Sum::of_halves([c, products]).half(),
            _ => {
                half_of(FloatFormat::F32.number((c.single() + products.single()).to_bits().into()))
            }
        },
    }
}

/// A result of f32 in its type; all NaNs become the one NaN.
fn written(result: f32, d: Wide) -> u32 {
    match d {
        Wide::F16 => half_of(FloatFormat::F32.number(result.to_bits().into())),
        Wide::F32 if result.is_nan() => 0x7fff_ffff,
        Wide::F32 => result.to_bits(),
    }
}

/// The nearest f16.
fn half_of(single: Float) -> u32 {
    match single {
        Float::Finite { negative, exponent, significand } => {
            let size = Sum::Finite { units: i64::from(significand) << 2, exponent }.half();
            u32::from(negative) << 15 | size
        }
        Float::Infinite { negative } => Sum::Infinite { negative }.half(),
        Float::Nan => Sum::Nan.half(),
    }
}
