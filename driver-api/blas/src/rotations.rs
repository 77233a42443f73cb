//! Plane rotations: `rotg`, `rotm`, `rotmg` (BLAS, level 1).

use crate::number::{Number, Real};

/// The results of `rotg`: `r`, `z`, `c`, `s`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rotation<T: Number> {
    /// What the first component becomes.
    pub r: T,
    /// The rotation in one number, for real numbers.
    pub z: T,
    /// The cosine.
    pub c: T::Real,
    /// The sine.
    pub s: T,
}

/// `rotg` of real numbers.
pub fn rotg_real<T: Real>(a: T, b: T) -> Rotation<T> {
    let scale = a.modulus() + b.modulus();
    if scale == T::ZERO {
        return Rotation { r: T::ZERO, z: T::ZERO, c: T::ONE, s: T::ZERO };
    }
    let larger = if a.modulus() > b.modulus() { a } else { b };
    let (of_a, of_b) = (a / scale, b / scale);
    let root = scale * (of_a * of_a + of_b * of_b).root();
    let r = if larger < T::ZERO { -root } else { root };
    let (c, s) = (a / r, b / r);
    let z = if a.modulus() > b.modulus() {
        s
    } else if c != T::ZERO {
        T::ONE / c
    } else {
        T::ONE
    };
    Rotation { r, z, c, s }
}

/// `rotg` of complex numbers; there is no `z`, and `b` stays.
pub fn rotg_complex<T: Number>(a: T, b: T) -> Rotation<T> {
    let zero = T::Real::ZERO;
    if a.modulus() == zero {
        return Rotation { r: b, z: b, c: zero, s: T::ONE };
    }
    let scale = a.modulus() + b.modulus();
    let (of_a, of_b) = (a.modulus() / scale, b.modulus() / scale);
    let norm = scale * (of_a * of_a + of_b * of_b).root();
    let direction = a.scaled(T::Real::ONE / a.modulus());
    let c = a.modulus() / norm;
    let s = (direction * b.conj()).scaled(T::Real::ONE / norm);
    Rotation { r: direction.scaled(norm), z: b, c, s }
}

/// `rotm`: the matrix H of the five parameters, times each pair.
pub fn rotm<T: Real>(x: &mut [T], y: &mut [T], [flag, h11, h21, h12, h22]: [T; 5]) {
    let one = T::ONE;
    let h = if flag == -(one + one) {
        return;
    } else if flag < T::ZERO {
        [h11, h21, h12, h22]
    } else if flag == T::ZERO {
        [one, h21, h12, one]
    } else {
        [h11, -one, one, h22]
    };
    for (x, y) in x.iter_mut().zip(y) {
        (*x, *y) = (h[0] * *x + h[2] * *y, h[1] * *x + h[3] * *y);
    }
}

/// `rotmg`: the rotation that makes the second component of `(sqrt(d1) x1, sqrt(d2) y1)` zero. It
/// gives the new `d1`, `d2`, `x1`, and the five parameters. Parameters that the flag implies stay.
pub fn rotmg<T: Real>([mut d1, mut d2, mut x1]: [T; 3], y1: T, before: [T; 5]) -> ([T; 3], [T; 5]) {
    let (zero, one, two) = (T::ZERO, T::ONE, T::ONE + T::ONE);
    if d1 < zero {
        return ([zero; 3], [-one, zero, zero, zero, zero]);
    }
    let p2 = d2 * y1;
    if p2 == zero {
        let [_, h11, h21, h12, h22] = before;
        return ([d1, d2, x1], [-two, h11, h21, h12, h22]);
    }
    let p1 = d1 * x1;
    let (q2, q1) = (p2 * y1, p1 * x1);
    let (mut flag, mut h11, mut h21, mut h12, mut h22);
    if q1.modulus() > q2.modulus() {
        (h11, h22) = (one, one);
        (h21, h12) = (-y1 / x1, p2 / p1);
        let u = one - h12 * h21;
        if u <= zero {
            return ([zero; 3], [-one, zero, zero, zero, zero]);
        }
        flag = zero;
        d1 = d1 / u;
        d2 = d2 / u;
        x1 = x1 * u;
    } else if q2 < zero {
        return ([zero; 3], [-one, zero, zero, zero, zero]);
    } else {
        flag = one;
        (h21, h12) = (-one, one);
        (h11, h22) = (p1 / p2, x1 / y1);
        let u = one + h11 * h22;
        (d1, d2) = (d2 / u, d1 / u);
        x1 = y1 * u;
    }
    // Neither weight is left far from 1: a step of 4096 at a time.
    let (gam, large) = (T::of_f64(4096.0), T::of_f64(4096.0 * 4096.0));
    let small = one / large;
    while d1 != zero && (d1 <= small || d1 >= large) && d1.to_f64().is_finite() {
        let by = if d1 <= small { gam } else { one / gam };
        flag = -one;
        d1 = d1 * by * by;
        x1 = x1 / by;
        (h11, h12) = (h11 / by, h12 / by);
    }
    while d2 != zero && (d2.modulus() <= small || d2.modulus() >= large) && d2.to_f64().is_finite()
    {
        let by = if d2.modulus() <= small { gam } else { one / gam };
        flag = -one;
        d2 = d2 * by * by;
        (h21, h22) = (h21 / by, h22 / by);
    }
    let [_, was11, was21, was12, was22] = before;
    let parameters = if flag < zero {
        [flag, h11, h21, h12, h22]
    } else if flag == zero {
        [flag, was11, h21, h12, was22]
    } else {
        [flag, h11, was21, was12, h22]
    };
    ([d1, d2, x1], parameters)
}
