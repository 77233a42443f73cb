//! Factors, checked by their products.

use proptest::prelude::*;
use warpsim_blas::factors::{gels, geqrf, getrf, getri, getrs};
use warpsim_blas::{C64, Op};

/// Numbers of a matrix whose diagonal keeps it away from singular ones.
fn matrix(n: usize, seed: &[f64]) -> Vec<C64> {
    let part = |i: usize| seed[i % seed.len()];
    let element = |i: usize, j: usize| {
        let diagonal = if i == j { 4.0 } else { 0.0 };
        C64::new(part(3 * i + 7 * j) + diagonal, part(5 * i + j + 1))
    };
    (0..n * n).map(|at| element(at % n, at / n)).collect()
}

fn times(n: usize, op: Op, a: &[C64], x: &[C64]) -> Vec<C64> {
    let at = |i: usize, j: usize| match op {
        Op::None => a[j * n + i],
        Op::Transposed => a[i * n + j],
        Op::Conjugated => a[i * n + j].conj(),
    };
    (0..n).map(|i| (0..n).map(|j| at(i, j) * x[j]).sum()).collect()
}

fn near(one: &[C64], other: &[C64]) -> bool {
    one.len() == other.len() && one.iter().zip(other).all(|(a, b)| (a - b).norm() < 1e-9)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn factors_solve_and_invert(
        n in 1..9usize, seed in proptest::collection::vec(-1.0f64..1.0, 50), is_pivoting in any::<bool>(),
    ) {
        let a = matrix(n, &seed);
        let mut lu = a.clone();
        let (pivots, info) = getrf(n, &mut lu, is_pivoting);
        prop_assert_eq!(info, 0);
        let list = is_pivoting.then_some(&pivots[..]);
        let x: Vec<C64> = (0..n).map(|i| C64::new(seed[i], seed[i + 20])).collect();
        for op in [Op::None, Op::Transposed, Op::Conjugated] {
            let mut b = times(n, op, &a, &x);
            getrs(op, n, &lu, list, &mut b);
            prop_assert!(near(&b, &x), "{op:?}");
        }
        let (inverse, info) = getri(n, &lu, list);
        prop_assert_eq!(info, 0);
        prop_assert!(near(&times(n, Op::None, &inverse, &times(n, Op::None, &a, &x)), &x));
    }

    #[test]
    fn least_squares_leave_what_is_orthogonal(
        (n, more) in (1..6usize, 0..4usize), seed in proptest::collection::vec(-1.0f64..1.0, 80),
    ) {
        let m = n + more;
        let a: Vec<C64> = (0..m * n)
            .map(|at| C64::new(seed[at % 79] + if at % m == at / m { 3.0 } else { 0.0 }, seed[(at * 3 + 1) % 80]))
            .collect();
        let b: Vec<C64> = (0..m).map(|i| C64::new(seed[i + 30], seed[i + 50])).collect();
        let (mut factors, mut x) = (a.clone(), b.clone());
        prop_assert_eq!(gels([m, n], &mut factors, &mut x), 0);
        let rest: Vec<C64> = (0..m)
            .map(|i| b[i] - (0..n).map(|j| a[j * m + i] * x[j]).sum::<C64>())
            .collect();
        for j in 0..n {
            let inner: C64 = (0..m).map(|i| a[j * m + i].conj() * rest[i]).sum();
            prop_assert!(inner.norm() < 1e-9);
        }
        // Each column of R is as long as the same column of A.
        let mut again = a.clone();
        geqrf([m, n], &mut again);
        for j in 0..n {
            let of_a: f64 = (0..m).map(|i| a[j * m + i].norm_sqr()).sum();
            let of_r: f64 = (0..=j).map(|i| again[j * m + i].norm_sqr()).sum();
            prop_assert!((of_a - of_r).abs() < 1e-9);
        }
    }
}

#[test]
fn a_singular_matrix_is_told_by_the_step_at_which_it_shows() {
    // The second column is twice the first.
    let mut a = [1.0f64, 2.0, 2.0, 4.0];
    let (pivots, info) = getrf(2, &mut a, true);
    assert_eq!((pivots, info), (vec![2, 2], 2));
    assert_eq!(getri(2, &a, None).1, 2);
    let mut zero = [0.0f32; 4];
    assert_eq!(getrf(2, &mut zero, false).1, 1);
}
