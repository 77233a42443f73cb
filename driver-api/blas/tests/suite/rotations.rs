//! Plane rotations, checked by their purpose.

use proptest::prelude::*;
use warpsim_blas::rotations::{rotg_complex, rotg_real, rotm, rotmg};
use warpsim_blas::{C64, vectors};

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn a_rotation_makes_the_second_component_nothing(a in -9.0f64..9.0, b in -9.0f64..9.0) {
        let rotation = rotg_real(a, b);
        let (mut x, mut y) = ([a], [b]);
        vectors::rot(&mut x, &mut y, rotation.c, rotation.s);
        prop_assert!((x[0] - rotation.r).abs() < 1e-13 && y[0].abs() < 1e-13);
        prop_assert!((rotation.c * rotation.c + rotation.s * rotation.s - 1.0).abs() < 1e-14);
    }

    #[test]
    fn so_does_one_of_complex_numbers(parts in [-9.0f64..9.0, -9.0..9.0, -9.0..9.0, -9.0..9.0]) {
        let (a, b) = (C64::new(parts[0], parts[1]), C64::new(parts[2], parts[3]));
        let rotation = rotg_complex(a, b);
        let (mut x, mut y) = ([a], [b]);
        vectors::rot(&mut x, &mut y, rotation.c, rotation.s);
        prop_assert!((x[0] - rotation.r).norm() < 1e-13 && y[0].norm() < 1e-13);
    }

    #[test]
    fn a_modified_rotation_does_it_with_weights(
        d1 in 1e-9f64..1e9, d2 in 1e-9f64..1e9, x1 in -9.0f64..9.0, y1 in -9.0f64..9.0,
    ) {
        let ([after1, after2, x], parameters) = rotmg([d1, d2, x1], y1, [0.0; 5]);
        let (mut one, mut other) = ([x1], [y1]);
        rotm(&mut one, &mut other, parameters);
        // The weighted norm stays, all of it in the first component.
        let before = d1 * x1 * x1 + d2 * y1 * y1;
        prop_assert!((after1 * one[0] * one[0] - before).abs() < 1e-12 * before);
        prop_assert!((one[0] - x).abs() <= 1e-13 * x.abs());
        prop_assert!(after2 * other[0] * other[0] < 1e-24 * before);
    }
}

#[test]
fn the_flag_of_a_modified_rotation_says_which_elements_are_told() {
    let turned = |parameters| {
        let (mut x, mut y) = ([3.0f32], [5.0f32]);
        rotm(&mut x, &mut y, parameters);
        (x[0], y[0])
    };
    // cuBLAS, "rotm": -1 all four, 0 a diagonal of ones, 1 ones beside it, -2 nothing.
    assert_eq!(turned([-1.0, 2.0, 3.0, 4.0, 5.0]), (2.0 * 3.0 + 4.0 * 5.0, 3.0 * 3.0 + 5.0 * 5.0));
    assert_eq!(turned([0.0, 9.0, 3.0, 4.0, 9.0]), (3.0 + 4.0 * 5.0, 3.0 * 3.0 + 5.0));
    assert_eq!(turned([1.0, 2.0, 9.0, 9.0, 5.0]), (2.0 * 3.0 + 5.0, -3.0 + 5.0 * 5.0));
    assert_eq!(turned([-2.0, 9.0, 9.0, 9.0, 9.0]), (3.0, 5.0));
}
