//! Sines and the trapezoid rule of the corpus (k09), in every form that compilers gave them,
//! against the host's sine.
//!
//! The bounds are from the CUDA C++ Programming Guide, "Mathematical Functions": `sin` of a double
//! 2 ulp, `sinf` 2 ulp, `__sinf` 2^-21.41 on [-pi, pi]. The host's sine is within 1 ulp, so for a
//! double one more is allowed where it matters.

use warpsim::host::{Argument, Launch};
use warpsim_tests::launching::{Bench, form, forms};

/// Steps between two floats of one sign or around zero.
fn ulps(a: f64, b: f64) -> u64 {
    let order = |x: f64| {
        let bits = x.to_bits() as i64;
        if bits < 0 { i64::MIN - bits } else { bits }
    };
    order(a).abs_diff(order(b))
}

fn ulps_f32(a: f32, b: f32) -> u32 {
    let order = |x: f32| {
        let bits = x.to_bits() as i32;
        if bits < 0 { i32::MIN - bits } else { bits }
    };
    order(a).abs_diff(order(b))
}

/// Runs a kernel from an array to an array, a thousand threads at a time.
fn mapped<T: warpsim::property::Element>(
    bench: &mut Bench,
    kernel: &str,
    input: &[T],
    zero: T,
) -> Vec<T> {
    let mut results = Vec::new();
    for part in input.chunks(1000) {
        let (x, y) = (bench.buffer(part), bench.buffer(&vec![zero; part.len()]));
        bench.run(kernel, &Launch::new(1, part.len() as u32), &[x.into(), y.into()]);
        results.extend(bench.read(y));
    }
    results
}

/// Points between -1 and 1 and far beyond, where the reduction of the argument takes its slow path,
/// and the edges.
fn arguments() -> Vec<f64> {
    let near = (0..2000).map(|i| f64::from(i) / 1000.0 - 0.9995);
    let far = (0..1000).map(|i| (f64::from(i) * 1.37).exp2().min(1e6) * 0.731 + f64::from(i));
    let million = (0..1000).map(|i| 1e6 - f64::from(i) * 997.31);
    let negative = (0..500).map(|i| -123.456 * f64::from(i));
    let huge =
        [1e9, 2147483648.5, 1e15, 1e22, -3e200, f64::MAX, f64::MIN_POSITIVE, 5e-324, 0.0, -0.0];
    let pi = (1..200).map(|i| std::f64::consts::FRAC_PI_2 * f64::from(i));
    near.chain(far).chain(million).chain(negative).chain(pi).chain(huge).collect()
}

#[test]
fn the_double_sine_is_within_two_ulps_of_the_host_s() {
    let points = arguments();
    for path in forms("k09b_sin_only.ptx") {
        let mut bench = Bench::of_file(&path);
        let sines = mapped(&mut bench, "sin_d", &points, 0.0);
        for (x, sine) in points.iter().zip(&sines) {
            assert!(
                ulps(*sine, x.sin()) <= 2,
                "{}: sin {x:?} = {sine:?}, not {:?}",
                form(&path),
                x.sin()
            );
        }
        let special =
            mapped(&mut bench, "sin_d", &[f64::INFINITY, f64::NEG_INFINITY, f64::NAN, -0.0], 0.0);
        assert!(special[..3].iter().all(|s| s.is_nan()), "{}", form(&path));
        assert_eq!(special[3].to_bits(), (-0.0f64).to_bits(), "{}", form(&path));
    }
}

#[test]
fn the_float_sine_is_within_two_ulps() {
    let points: Vec<f32> =
        arguments().iter().map(|x| *x as f32).filter(|x| x.is_finite()).collect();
    for path in forms("k09c_sinf_only.ptx") {
        let mut bench = Bench::of_file(&path);
        for (x, sine) in points.iter().zip(mapped(&mut bench, "sin_f", &points, 0.0)) {
            let expected = f64::from(*x).sin() as f32;
            assert!(
                ulps_f32(sine, expected) <= 2,
                "{}: sin {x:?} = {sine:?}, not {expected:?}",
                form(&path)
            );
        }
    }
}

#[test]
fn the_fast_sine_is_within_its_absolute_error() {
    let points: Vec<f32> = (0..4000).map(|i| (i as f32 / 2000.0 - 1.0) * 3.141_592_5).collect();
    for path in forms("k09c_sinf_only.ptx") {
        let mut bench = Bench::of_file(&path);
        for (x, sine) in points.iter().zip(mapped(&mut bench, "sin_fast", &points, 0.0)) {
            let error = (f64::from(sine) - f64::from(*x).sin()).abs();
            assert!(
                error <= (-21.41f64).exp2(),
                "{}: sin {x:?} = {sine:?}, off by {error:e}",
                form(&path)
            );
        }
    }
}

#[test]
fn the_trapezoid_rule_adds_up_to_the_integral() {
    let (a, b, n) = (-1.0f64, 1.5, 1000);
    let h = (b - a) / f64::from(n);
    let f = |x: f64| x.sin() * x.cos() + 1.0;
    let term = |i: i32| {
        let x = a + f64::from(i) * h;
        0.5 * (f(x) + f(x + h)) * h
    };
    let expected: f64 = (0..n).map(term).sum();
    // sin(x) cos(x) + 1 has the antiderivative sin(x)^2 / 2 + x; the rule is off by less than 1e-6
    // of it.
    let integral = (b.sin().powi(2) - a.sin().powi(2)) / 2.0 + (b - a);
    assert!((expected - integral).abs() < 1e-5);
    // Every one of n terms is positive and off by at most 12 roundings, and n sums round once each.
    let bound = (f64::from(n) + 12.0) * f64::EPSILON * expected;
    for path in forms("k09_trapezoid.ptx") {
        let mut bench = Bench::of_file(&path);
        let out = bench.buffer(&[0.0f64]);
        let arguments = [Argument::F64(a), Argument::F64(h), Argument::I32(n), out.into()];
        bench.run("trapezoid", &Launch::new(3, 128), &arguments);
        let sum = bench.read(out)[0];
        assert!((sum - expected).abs() <= bound, "{}: {sum} is not {expected}", form(&path));
    }
}
