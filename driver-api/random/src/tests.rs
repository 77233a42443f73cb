//! The order of results, and that they follow their distributions.
//!
//! Where a test says "from cuRAND", version 10.3.10 gave the numbers.

use crate::mrg32k3a::{Jump, Mrg32k3a};
use crate::numbers::Numbers;
use crate::philox::block;
use crate::xorwow::{Polynomial, Xorwow};
use crate::*;

const KINDS: [Kind; 7] = [
    Kind::Xorwow,
    Kind::Mrg32k3a,
    Kind::Philox,
    Kind::Sobol32,
    Kind::ScrambledSobol32,
    Kind::Sobol64,
    Kind::ScrambledSobol64,
];

fn seeded(kind: Kind, seed: u64) -> Generator {
    let mut generator = Generator::new(kind);
    generator.set_seed(seed).unwrap();
    generator
}

fn xorwow(seed: u64, subsequence: usize, at: u64) -> u32 {
    let jump = Polynomial::subsequence();
    let thread = (0..subsequence).fold(Xorwow::new(seed), |thread, _| thread.jumped(jump));
    thread.after(at).bits()
}

fn mrg32k3a(seed: u64, subsequence: usize, at: u64) -> u32 {
    let jump = Jump::subsequence();
    let thread = (0..subsequence).fold(Mrg32k3a::new(seed), |thread, _| thread.jumped(&jump));
    thread.after(at).bits()
}

/// "The result at offset n is from position (n mod 4096) 2^67 + n / 4096".
#[test]
fn results_of_xorwow_come_from_4096_subsequences_in_turn() {
    let all = seeded(Kind::Xorwow, 1234).bits(3 * 4096 + 10).unwrap();
    for n in [0, 1, 2, 57, 4095, 4096, 4099, 2 * 4096 + 5, 3 * 4096 + 9] {
        assert_eq!(all[n], xorwow(1234, n % 4096, n as u64 / 4096), "{n}");
    }
}

/// "(n mod 81920) 2^76 + n / 81920".
#[test]
fn results_of_mrg32k3a_come_from_81920_subsequences_in_turn() {
    let all = seeded(Kind::Mrg32k3a, 99).bits(2 * 81_920 + 10).unwrap();
    for n in [0, 1, 2, 57, 4096, 81_919, 81_920, 81_925, 2 * 81_920 + 9] {
        assert_eq!(all[n], mrg32k3a(99, n % 81_920, n as u64 / 81_920), "{n}");
    }
}

#[test]
fn results_of_philox_come_from_65536_subsequences_four_at_a_time() {
    let all = seeded(Kind::Philox, 1234).bits(2 * 262_144 + 10).unwrap();
    for n in [0, 3, 4, 20_001, 262_143, 262_144, 262_149, 2 * 262_144 + 9] {
        let expected = block(1234, (n as u64 / 4) % 65_536, n as u64 / 262_144)[n % 4];
        assert_eq!(all[n], expected, "{n}");
    }
    // From cuRAND.
    assert_eq!(all[..3], [0x2090_b348, 0xda7c_f0ab, 0x4401_906f]);
}

#[test]
fn results_go_on_where_the_last_call_or_the_offset_left_them() {
    for kind in [Kind::Xorwow, Kind::Mrg32k3a, Kind::Philox] {
        let all = seeded(kind, 5).bits(300_000).unwrap();
        for offset in [1, 3, 4, 4095, 4096, 81_921, 262_145] {
            let mut generator = seeded(kind, 5);
            generator.set_offset(offset as u64);
            assert_eq!(generator.bits(10).unwrap(), all[offset..offset + 10], "{kind:?} {offset}");
            let mut generator = seeded(kind, 5);
            generator.bits(offset).unwrap();
            assert_eq!(generator.bits(10).unwrap(), all[offset..offset + 10], "{kind:?} {offset}");
            // A seed leaves the place where it was.
            generator.set_seed(5).unwrap();
            assert_eq!(generator.bits(10).unwrap(), all[offset + 10..offset + 20]);
        }
    }
}

/// What doubles and pairs take of a thread. From cuRAND.
#[test]
fn calls_of_different_kinds_go_on_with_what_is_left_of_each_thread() {
    let find = |kind: Kind, before: &dyn Fn(&mut Generator)| {
        let all = seeded(kind, 1234).bits(600_000).unwrap();
        let mut generator = seeded(kind, 1234);
        before(&mut generator);
        let next = generator.bits(2).unwrap();
        let at = all.windows(2).position(|two| *two == next[..]);
        at.unwrap()
    };
    let doubles = |count| move |generator: &mut Generator| drop(generator.uniform_double(count));
    let normals = |count| move |generator: &mut Generator| drop(generator.normal(count, 0.0, 1.0));
    let long =
        |count| move |generator: &mut Generator| drop(generator.normal_double(count, 0.0, 1.0));
    assert_eq!(find(Kind::Xorwow, &doubles(5000)), 9096);
    assert_eq!(find(Kind::Xorwow, &doubles(100_000)), 198_304);
    assert_eq!(find(Kind::Xorwow, &normals(102)), 51);
    assert_eq!(find(Kind::Xorwow, &normals(100_000)), 99_152);
    assert_eq!(find(Kind::Xorwow, &long(100_000)), 197_456);
    assert_eq!(find(Kind::Mrg32k3a, &doubles(100_000)), 100_000);
    assert_eq!(find(Kind::Mrg32k3a, &normals(262_144)), 212_992);
    assert_eq!(find(Kind::Mrg32k3a, &long(262_144)), 212_992);
    assert_eq!(find(Kind::Philox, &doubles(100)), 100);
    assert_eq!(find(Kind::Philox, &doubles(327_680)), 589_824);
    assert_eq!(find(Kind::Philox, &normals(327_680)), 327_680);
    assert_eq!(find(Kind::Philox, &long(262_144)), 524_288);
}

#[test]
fn normal_numbers_are_those_of_curand_but_for_their_last_bits() {
    let close = |given: f64, expected: f64, bound: f64| (given - expected).abs() < bound;
    let mut philox = seeded(Kind::Philox, 1234);
    let given = philox.normal(3, 0.0, 1.0).unwrap();
    for (given, expected) in given.into_iter().zip([-1.616_490_5, 1.229_155_4, -1.560_540_4]) {
        assert!(close(f64::from(given), expected, 1e-6));
    }
    let given = philox.normal_double(3, 0.0, 1.0).unwrap();
    for (given, expected) in given.into_iter().zip([
        1.832_249_247_815_239_2,
        0.543_054_856_646_627_6,
        1.399_319_980_560_631,
    ]) {
        assert!(close(given, expected, 1e-14));
    }
    let mut sobol = Generator::new(Kind::Sobol32);
    let given = sobol.normal_double(3, 0.0, 1.0).unwrap();
    for (given, expected) in given.into_iter().zip([
        -6.337_957_754_553_79,
        2.918_099_372_916_623e-10,
        0.674_489_750_562_425_1,
    ]) {
        assert!(close(given, expected, 1e-13));
    }
}

/// From cuRAND: three dimensions, four points, and then two more.
#[test]
fn points_come_dimension_by_dimension() {
    let quarters = |numbers: Vec<u32>| numbers.into_iter().map(|x| x >> 29).collect::<Vec<_>>();
    let mut sobol = Generator::new(Kind::Sobol32);
    sobol.set_dimensions(3).unwrap();
    assert_eq!(quarters(sobol.bits(12).unwrap()), [0, 4, 6, 2, 0, 4, 2, 6, 0, 4, 2, 6]);
    assert_eq!(quarters(sobol.bits(6).unwrap()), [3, 7, 3, 7, 5, 1]);
    let mut long = Generator::new(Kind::Sobol64);
    assert_eq!(long.uniform_double(3).unwrap(), [2f64.powi(-54), 0.5, 0.75]);
    assert_eq!(Generator::new(Kind::Sobol32).uniform(3).unwrap(), [2f32.powi(-33), 0.5, 0.75]);
    long.set_offset(5);
    let eighths: Vec<u64> = long.long_bits(3).unwrap().into_iter().map(|x| x >> 61).collect();
    assert_eq!(eighths, [7, 5, 1]);
}

#[test]
fn the_constant_of_a_scrambled_sequence_is_its_first_number() {
    let first = Generator::new(Kind::ScrambledSobol64).long_bits(1).unwrap();
    assert_eq!(first[0], constants()[0]);
    let upper = Generator::new(Kind::ScrambledSobol32).bits(1).unwrap();
    assert_eq!(u64::from(upper[0]), first[0] >> 32);
}

/// Five standard errors of mean, variance and skewness.
#[test]
fn results_follow_their_distributions() {
    const COUNT: usize = 90_000;
    let count = COUNT as f64;
    let moment = |all: &[f64], center: f64, power| {
        all.iter().map(|x| (x - center).powi(power)).sum::<f64>() / count
    };
    for kind in KINDS {
        let narrow = |all: Vec<f32>| all.into_iter().map(f64::from).collect::<Vec<_>>();
        let mut generator = Generator::new(kind);
        for uniform in
            [narrow(generator.uniform(COUNT).unwrap()), generator.uniform_double(COUNT).unwrap()]
        {
            assert!(uniform.iter().all(|x| *x > 0.0 && *x <= 1.0));
            assert!((moment(&uniform, 0.0, 1) - 0.5).abs() < 5.0 * (1.0 / 12.0 / count).sqrt());
            // The fourth central moment is 1 / 80.
            let error = ((1.0 / 80.0 - 1.0 / 144.0) / count).sqrt();
            assert!((moment(&uniform, 0.5, 2) - 1.0 / 12.0).abs() < 5.0 * error);
        }
        for normal in [
            narrow(generator.normal(COUNT, 3.0, 2.0).unwrap()),
            generator.normal_double(COUNT, 3.0, 2.0).unwrap(),
        ] {
            assert!((moment(&normal, 3.0, 1)).abs() < 5.0 * 2.0 / count.sqrt(), "{kind:?}");
            assert!((moment(&normal, 3.0, 2) - 4.0).abs() < 5.0 * 4.0 * (2.0 / count).sqrt());
            assert!((moment(&normal, 3.0, 3) / 8.0).abs() < 5.0 * (15.0 / count).sqrt());
        }
        for mean in [5.0, 3000.0] {
            let poisson: Vec<f64> =
                generator.poisson(COUNT, mean).unwrap().into_iter().map(f64::from).collect();
            assert!((moment(&poisson, mean, 1)).abs() < 5.0 * (mean / count).sqrt(), "{kind:?}");
            let error = ((mean + 2.0 * mean * mean) / count).sqrt();
            assert!((moment(&poisson, mean, 2) - mean).abs() < 5.0 * error, "{kind:?}");
        }
    }
}

#[test]
fn what_a_generator_lacks_is_refused() {
    let mut pseudo = Generator::new(Kind::Xorwow);
    let mut quasi = Generator::new(Kind::Sobol32);
    let mut long = Generator::new(Kind::Sobol64);
    assert_eq!(quasi.set_seed(1), Err(Refusal::WrongType));
    assert_eq!(pseudo.set_dimensions(2), Err(Refusal::WrongType));
    assert_eq!(quasi.set_dimensions(0), Err(Refusal::OutOfRange));
    assert_eq!(quasi.set_dimensions(20_001), Err(Refusal::OutOfRange));
    assert_eq!(quasi.set_dimensions(3), Ok(()));
    assert_eq!(quasi.uniform(4), Err(Refusal::NotMultiple));
    assert_eq!(pseudo.normal(3, 0.0, 1.0), Err(Refusal::NotMultiple));
    assert_eq!(pseudo.long_bits(2), Err(Refusal::WrongType));
    assert_eq!(quasi.long_bits(3), Err(Refusal::WrongType));
    assert_eq!(long.bits(3), Err(Refusal::WrongType));
    for mean in [0.0, -1.0, f64::NAN, 400_001.0] {
        assert_eq!(pseudo.poisson(2, mean), Err(Refusal::OutOfRange));
    }
    assert_eq!(pseudo.set_ordering(Ordering::Seeded), Ok(()));
    assert_eq!(pseudo.set_ordering(Ordering::QuasiDefault), Err(Refusal::OutOfRange));
    assert_eq!(quasi.set_ordering(Ordering::Legacy), Err(Refusal::OutOfRange));
    let mut philox = Generator::new(Kind::Philox);
    assert_eq!(philox.set_ordering(Ordering::Seeded), Err(Refusal::OutOfRange));
    assert_eq!(philox.normal(3, 0.0, 1.0).map(|all| all.len()), Ok(3));
}

/// From cuRAND: the first thread has the seed itself.
#[test]
fn the_seeded_order_begins_as_the_default_one() {
    let mut generator = seeded(Kind::Xorwow, 1234);
    generator.set_ordering(Ordering::Seeded).unwrap();
    let all = generator.bits(4097).unwrap();
    assert_eq!((all[0], all[4096]), (0x253d_5e15, xorwow(1234, 0, 1)));
    assert_ne!(all[1], xorwow(1234, 1, 0));
}
