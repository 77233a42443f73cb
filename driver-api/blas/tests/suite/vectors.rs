//! Level 1.

use proptest::prelude::*;
use warpsim_blas::{C32, C64, vectors};

use crate::{Exact, exact, number, value, values};

#[test]
fn the_first_of_the_largest_and_of_the_smallest_is_told_from_one() {
    assert_eq!(vectors::amax(&[1.0f32, -7.0, 7.0, 2.0]), 2);
    assert_eq!(vectors::amin(&[3.0f64, -1.0, 1.0, 2.0]), 2);
    // |re| + |im|, not the modulus: 3 + 3 is more than 5 + 0.
    assert_eq!(vectors::amax(&[C32::new(5.0, 0.0), C32::new(3.0, -3.0)]), 2);
    assert_eq!((vectors::amax::<f32>(&[]), vectors::amin::<C64>(&[])), (0, 0));
}

#[test]
fn a_norm_overflows_only_where_it_is_too_large_itself() {
    assert_eq!(vectors::nrm2(&[3e30f32, 4e30]), 5e30);
    assert_eq!(vectors::nrm2(&[3e300f64, 4e300]), 5e300);
    assert_eq!(vectors::nrm2(&[3e-310f64, 4e-310]), 5e-310);
    assert_eq!(vectors::nrm2(&[C32::new(2.0, 4.0), C32::new(4.0, 8.0)]), 10.0);
    assert_eq!(vectors::nrm2::<f32>(&[]), 0.0);
    assert_eq!(vectors::nrm2(&[f32::INFINITY, 1.0]), f32::INFINITY);
    assert!(vectors::nrm2(&[1.0, f64::NAN]).is_nan());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn sums_of_vectors_are_those_of_their_definitions(
        n in 0..30usize, seed in values(60, true), alpha in value(true),
    ) {
        let (x, y) = (&seed[..n], &seed[30..30 + n]);
        let numbers = |all: &[Exact]| all.iter().map(|v| number::<C32>(*v)).collect::<Vec<_>>();
        let (one, other) = (numbers(x), numbers(y));
        let dot: Exact = x.iter().zip(y).map(|(x, y)| x * y).sum();
        let dotc: Exact = x.iter().zip(y).map(|(x, y)| x.conj() * y).sum();
        prop_assert_eq!(exact(&[vectors::dot(&one, &other, false), vectors::dot(&one, &other, true)]), [dot, dotc]);
        let mut sum = other.clone();
        vectors::axpy(number(alpha), &one, &mut sum);
        let wanted: Vec<Exact> = x.iter().zip(y).map(|(x, y)| alpha * x + y).collect();
        prop_assert_eq!(exact(&sum), wanted);
        let size: i64 = x.iter().map(|v| v.re.abs() + v.im.abs()).sum();
        prop_assert_eq!(vectors::asum(&one), size as f32);
    }
}
