//! The layouts of fragments, the numbers of small formats and the rounding of sums. Whole products
//! are compared with hardware in `tests/tests/suite/tensor_tiles.rs`.

use std::collections::BTreeSet;

use super::fragment::{Fragment, Layout};
use super::number::{Float, Format};
use super::product::{Dot, Matrices};
use super::rearrangement::{MatrixMove, Packing, Rearrangement};
use super::sum::{Sum, sum};
use crate::lanes::{LANES, Slot};

fn fragments() -> Vec<Fragment> {
    let mut all = Vec::new();
    for bits in [1, 4, 8, 16, 32, 64] {
        let deep = 4 * (32 / bits).max(1);
        for rows in [8, 16, 32] {
            for k in [deep, 2 * deep, 4 * deep] {
                all.push(Fragment::new(Layout::Left, rows, k, bits));
                all.push(Fragment::new(Layout::Right, k, rows, bits));
            }
        }
    }
    for (rows, columns) in [(8, 8), (16, 8), (16, 16), (32, 8)] {
        all.extend([16, 32, 64].map(|b| Fragment::new(Layout::Accumulator, rows, columns, b)));
    }
    for by_row in [false, true] {
        all.push(Fragment::new(Layout::FourLeft { by_row }, 32, 4, 16));
        all.push(Fragment::new(Layout::FourRight { by_row }, 4, 32, 16));
    }
    all.push(Fragment::new(Layout::FourHalf, 32, 8, 16));
    all.push(Fragment::new(Layout::FourSingle, 32, 8, 32));
    let turned = all.clone().into_iter().map(|f| Fragment { transposed: true, ..f });
    all.extend(turned);
    all
}

#[test]
fn every_element_of_a_matrix_is_in_one_place() {
    for fragment in fragments() {
        let (rows, columns) = fragment.size();
        let elements = (0..LANES).flat_map(|l| (0..fragment.elements()).map(move |e| (l, e)));
        let places: BTreeSet<_> = elements.map(|(l, e)| fragment.place(l, e)).collect();
        assert_eq!(places.len(), rows * columns, "{fragment:?}");
        assert!(places.iter().all(|(r, c)| *r < rows && *c < columns), "{fragment:?}");
        assert_eq!(fragment.needed(), fragment.registers, "{fragment:?}");
    }
}

/// PTX ISA 9.7.14.5.8 and 9.7.14.5.10, for a lane.
#[test]
fn elements_are_where_the_isa_says() {
    let lane = 4 * 5 + 2;
    let a = Fragment::new(Layout::Left, 16, 16, 16);
    let places: Vec<_> = (0..8).map(|i| a.place(lane, i)).collect();
    assert_eq!(places, [(5, 4), (5, 5), (13, 4), (13, 5), (5, 12), (5, 13), (13, 12), (13, 13)]);
    let b = Fragment::new(Layout::Right, 32, 8, 8);
    let places: Vec<_> = (0..8).map(|i| b.place(lane, i)).collect();
    assert_eq!(places, [8, 9, 10, 11, 24, 25, 26, 27].map(|row| (row, 5)));
    let c = Fragment::new(Layout::Accumulator, 16, 8, 32);
    let places: Vec<_> = (0..4).map(|i| c.place(lane, i)).collect();
    assert_eq!(places, [(5, 4), (5, 5), (13, 4), (13, 5)]);
}

#[test]
fn what_is_gathered_is_scattered_again() {
    for fragment in fragments() {
        let (rows, columns) = fragment.size();
        let mask = u64::MAX >> (64 - fragment.bits);
        let elements: Vec<u64> =
            (1..=rows * columns).map(|i| (i as u64 * 0x9e37_79b9) & mask).collect();
        let held = fragment.scatter(&elements).unwrap();
        assert_eq!(fragment.gather(&held).unwrap(), elements, "{fragment:?}");
    }
}

fn value(format: Format, bits: u64) -> f64 {
    match format.float().unwrap().number(bits) {
        Float::Finite { negative, exponent, significand } => {
            let size = f64::from(significand) * f64::from(exponent - 23).exp2();
            if negative { -size } else { size }
        }
        Float::Infinite { negative } => {
            if negative {
                f64::NEG_INFINITY
            } else {
                f64::INFINITY
            }
        }
        Float::Nan => f64::NAN,
    }
}

/// The OCP formats: greatest, least normal and least subnormal numbers.
#[test]
fn small_floats_are_what_their_formats_say() {
    for (format, bits, expected) in [
        (Format::E4m3, 0x7e, 448.0),
        (Format::E4m3, 0x08, 1.0 / 64.0),
        (Format::E4m3, 0x81, -1.0 / 512.0),
        (Format::E5m2, 0x7b, 57344.0),
        (Format::E5m2, 0x01, 1.0 / 65536.0),
        (Format::E5m2, 0xfc, f64::NEG_INFINITY),
        (Format::E3m2, 0x1f, 28.0),
        (Format::E3m2, 0x01, 0.0625),
        (Format::E2m3, 0x3f, -7.5),
        (Format::E2m3, 0x01, 0.125),
        (Format::E2m1, 0x1c, 6.0),
        (Format::E2m1, 0x04, 0.5),
        (Format::Tf32, 0x3f80_1fff, 1.0),
        (Format::Bf16, 0xc040, -3.0),
    ] {
        assert_eq!(value(format, bits), expected, "{format:?} {bits:x}");
    }
    assert!(value(Format::E4m3, 0xff).is_nan() && value(Format::E5m2, 0x7d).is_nan());
}

fn single(bits: u32) -> Float {
    Format::F32.float().unwrap().number(bits.into())
}

/// Measured on an H100 and an H200.
#[test]
fn a_sum_keeps_25_bits_below_its_largest_exponent() {
    let one = single(1f32.to_bits());
    let of = |terms: &[f32]| {
        let pairs: Vec<_> = terms.iter().map(|term| (one, single(term.to_bits()))).collect();
        move |c: f32| sum(&pairs.iter().copied(), single(c.to_bits())).single()
    };
    let big = 2f32.powi(24);
    assert_eq!(of(&[1.0; 16])(big), 0x4b80_0008);
    assert_eq!(
        of(&[big, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0])(0.0),
        0x4b80_0007
    );
    assert_eq!(of(&[1.0, -1.0])(2f32.powi(-25)), 2f32.powi(-25).to_bits());
    assert_eq!(of(&[1.0, -1.0])(2f32.powi(-26)), 0);
    assert_eq!(of(&[-0.0])(-0.0), 0);
    assert_eq!(of(&[0.0])(f32::from_bits(1)), 1);
    assert_eq!(of(&[f32::MAX])(f32::MAX), f32::INFINITY.to_bits());
    assert_eq!(of(&[f32::INFINITY])(f32::NEG_INFINITY), 0x7fff_ffff);
}

#[test]
fn halves_are_rounded_to_nearest_even() {
    let half = |units, exponent| Sum::Finite { units, exponent }.half();
    // 2^25 units are 1.
    assert_eq!(half(1 << 25, 0), 0x3c00);
    assert_eq!(half((1 << 25) + (1 << 14), 0), 0x3c00);
    assert_eq!(half((1 << 25) + (1 << 14) + 1, 0), 0x3c01);
    assert_eq!(half((1 << 25) + (3 << 14), 0), 0x3c02);
    assert_eq!(half(-(1 << 25), -24), 0x8001);
    assert_eq!(half(1 << 25, -25), 0);
    // As on an H200.
    assert_eq!(half(-(1 << 25), -25), 0);
    assert_eq!(half((1 << 25) + 1, -25), 1);
    assert_eq!(half((1 << 25) - 1, -14), 0x0400);
    assert_eq!((half((1 << 26) - 1, 15), half(1 << 25, 16)), (0x7c00, 0x7c00));
}

#[test]
fn rows_that_are_stored_are_those_that_were_loaded() {
    let random = |i: usize| (i as u32 + 1).wrapping_mul(0x9e37_79b9);
    let rows: Vec<[u32; LANES]> =
        (0..4).map(|r| std::array::from_fn(|lane| random(r * LANES + lane))).collect();
    let moved = |how, given: &[[u32; LANES]]| {
        let slots = vec![Slot::default(); 4];
        Rearrangement { how, given: slots.clone(), got: slots }.moved(given).unwrap()
    };
    for transposed in [false, true] {
        let held = moved(MatrixMove::LoadHalves { transposed }, &rows);
        assert_eq!(moved(MatrixMove::StoreHalves { transposed }, &held), rows);
    }
    // Of 16 rows two halves of eight are stored.
    let held = moved(MatrixMove::LoadBytes(Packing::Bytes), &rows);
    let bytes =
        |words: &[[u32; LANES]]| -> BTreeSet<u32> { words.iter().flatten().copied().collect() };
    assert_eq!(bytes(&held).len(), 128);
    let packed = moved(MatrixMove::LoadPacked(Packing::Four), &rows);
    assert_eq!(packed[0][0], (0..4).map(|i| (rows[0][0] >> (4 * i) & 15) << (8 * i)).sum::<u32>());
}

#[test]
fn a_product_whose_right_factor_lacks_a_column_is_a_bug_and_no_sum_of_nothing() {
    let int = Format::S32.integer().unwrap();
    let dot = Dot::Integers { a: int, b: int, saturate: false };
    let product = |b: &[u64]| {
        let column = |_: usize, column: usize| column;
        let (a, c) = (&[1, 2, 3, 4], &[0, 10, 20, 30]);
        dot.product(&Matrices { a, b, c, sizes: [2, 2, 2], paired: None, column: &column })
    };
    assert_eq!(product(&[5, 6, 7, 8]).unwrap(), [17, 33, 59, 83]);
    for missing in [&[5, 6][..], &[5, 6, 7], &[]] {
        let bug = product(missing).unwrap_err();
        assert!(bug.what.contains("no column"), "{bug}");
    }
}

#[test]
fn registers_that_are_not_given_are_a_bug_and_no_zeros() {
    for fragment in fragments() {
        let registers = vec![[u64::MAX; LANES]; fragment.needed()];
        assert!(fragment.gather(&registers[1..]).is_err(), "{fragment:?}");
        let (rows, columns) = fragment.size();
        assert!(fragment.scatter(&vec![0; rows * columns - 1]).is_err(), "{fragment:?}");
    }
    let slots = |count| vec![Slot::default(); count];
    let how = MatrixMove::LoadHalves { transposed: false };
    let rows = Rearrangement { how, given: slots(4), got: slots(2) };
    assert!(rows.moved(&[[0; LANES]; 4]).is_ok());
    assert!(rows.moved(&[[0; LANES]; 3]).is_err());
}
