//! Sums of inexact numbers: the bound of Higham, "Accuracy and Stability of Numerical Algorithms",
//! section 3.5, in the type of the sum, holds whatever the order.

use proptest::prelude::*;
use warpsim_blas::narrow::Narrow;
use warpsim_blas::product::product;
use warpsim_blas::{E4M3, f16};

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn each_element_of_a_product_is_within_the_bound_of_its_sum(
        (m, n, k) in (1..40usize, 1..20usize, 1..300usize),
        seed in proptest::collection::vec(-1.0f32..1.0, 1000),
    ) {
        let a: Vec<f32> = (0..m * k).map(|i| seed[(i * 13) % 1000]).collect();
        let b: Vec<f32> = (0..k * n).map(|i| seed[(i * 7 + 5) % 1000]).collect();
        let c = product([m, n, k], &a, &b);
        let unit = f64::from(f32::EPSILON) / 2.0;
        let gamma = k as f64 * unit / (1.0 - k as f64 * unit);
        for j in 0..n {
            for i in 0..m {
                let terms = || (0..k).map(|l| f64::from(a[l * m + i]) * f64::from(b[j * k + l]));
                let (sum, size): (f64, f64) = (terms().sum(), terms().map(f64::abs).sum());
                let error = (f64::from(c[j * m + i]) - sum).abs();
                prop_assert!(error <= gamma * size, "{error} > {gamma} * {size}");
            }
        }
    }
}

#[test]
fn a_sum_of_halves_does_not_stop_where_a_half_would() {
    // 4096 ones: in half precision a sum of ones stays at 2048.
    let ones: Vec<f32> = vec![f16::from_f32(1.0).widened(); 4096];
    let sum = product([1, 1, 4096], &ones, &ones);
    assert_eq!(f16::narrowed(sum[0]).widened(), 4096.0);
    assert_eq!(E4M3::narrowed(sum[0]).widened(), 448.0);
}
