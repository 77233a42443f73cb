//! Level 1 ("cuBLAS Level-1 Function Reference").

use warpsim_blas::rotations::{Rotation, rotg_complex, rotg_real, rotm, rotmg as modified};
use warpsim_blas::{C32, C64, Element, Layout, Number, Real, vectors};

use super::routines;
use super::status::{Done, Status};
use super::tasks::{Memory, Task, host_put, host_value};

/// Where a vector lies: nothing where there are no elements.
fn vector(n: i64, increment: i64) -> Layout {
    Layout::vector(usize::try_from(n).unwrap_or(0), increment)
}

/// The same of routines that know no negative increments, for which there are no elements then.
fn forward(n: i64, increment: i64) -> Layout {
    if increment <= 0 { Layout::vector(0, 1) } else { vector(n, increment) }
}

pub(super) fn axpy<T: Number>(
    task: &Task,
    n: i64,
    alpha: u64,
    x: u64,
    incx: i64,
    y: u64,
    incy: i64,
) -> Done {
    let alpha = task.scalar::<T>(alpha)?;
    if n <= 0 || alpha.is(T::ZERO) {
        return Ok(());
    }
    let (of_x, of_y) = (vector(n, incx), vector(n, incy));
    task.run(move |memory| {
        let alpha = alpha.get(memory)?;
        let (given, mut sum) = (memory.get::<T>(x, &of_x)?, memory.get(y, &of_y)?);
        vectors::axpy(alpha, &given, &mut sum);
        memory.put(y, &of_y, &sum)
    })
}

fn copy<T: Element>(task: &Task, n: i64, x: u64, incx: i64, y: u64, incy: i64) -> Done {
    if n <= 0 {
        return Ok(());
    }
    let (of_x, of_y) = (vector(n, incx), vector(n, incy));
    task.run(move |memory| {
        let given = memory.get::<T>(x, &of_x)?;
        memory.put(y, &of_y, &given)
    })
}

fn swap<T: Element>(task: &Task, n: i64, x: u64, incx: i64, y: u64, incy: i64) -> Done {
    if n <= 0 {
        return Ok(());
    }
    let (of_x, of_y) = (vector(n, incx), vector(n, incy));
    task.run(move |memory| {
        let (one, other) = (memory.get::<T>(x, &of_x)?, memory.get::<T>(y, &of_y)?);
        memory.put(y, &of_y, &one)?;
        memory.put(x, &of_x, &other)
    })
}

type Pair = (u64, i64);

fn product<T: Number>(
    task: &Task,
    n: i64,
    (x, incx): Pair,
    (y, incy): Pair,
    result: u64,
    is_conjugated: bool,
) -> Done {
    let (of_x, of_y) = (vector(n, incx), vector(n, incy));
    task.run_for([result], move |memory| {
        let (one, other) = (memory.get::<T>(x, &of_x)?, memory.get(y, &of_y)?);
        Ok([vectors::dot(&one, &other, is_conjugated)])
    })
}

fn dot<T: Number>(task: &Task, n: i64, x: u64, incx: i64, y: u64, incy: i64, result: u64) -> Done {
    product::<T>(task, n, (x, incx), (y, incy), result, false)
}

fn dotc<T: Number>(task: &Task, n: i64, x: u64, incx: i64, y: u64, incy: i64, result: u64) -> Done {
    product::<T>(task, n, (x, incx), (y, incy), result, true)
}

/// Reduces a vector to a number.
fn reduced<T: Number, R: Element>(
    task: &Task,
    (n, x, incx, result): (i64, u64, i64, u64),
    reduce: impl Fn(&[T]) -> R + Send + Sync + 'static,
) -> Done {
    let of_x = forward(n, incx);
    task.run_for([result], move |memory| Ok([reduce(&memory.get::<T>(x, &of_x)?)]))
}

fn nrm2<T: Number>(task: &Task, n: i64, x: u64, incx: i64, result: u64) -> Done {
    reduced::<T, T::Real>(task, (n, x, incx, result), vectors::nrm2)
}

fn asum<T: Number>(task: &Task, n: i64, x: u64, incx: i64, result: u64) -> Done {
    reduced::<T, T::Real>(task, (n, x, incx, result), vectors::asum)
}

fn amax<T: Number>(task: &Task, n: i64, x: u64, incx: i64, result: u64) -> Done {
    reduced(task, (n, x, incx, result), |x: &[T]| vectors::amax(x) as i32)
}

fn amin<T: Number>(task: &Task, n: i64, x: u64, incx: i64, result: u64) -> Done {
    reduced(task, (n, x, incx, result), |x: &[T]| vectors::amin(x) as i32)
}

fn amax_64<T: Number>(task: &Task, n: i64, x: u64, incx: i64, result: u64) -> Done {
    reduced(task, (n, x, incx, result), |x: &[T]| vectors::amax(x) as i64)
}

fn amin_64<T: Number>(task: &Task, n: i64, x: u64, incx: i64, result: u64) -> Done {
    reduced(task, (n, x, incx, result), |x: &[T]| vectors::amin(x) as i64)
}

pub(super) fn scal<T: Number>(task: &Task, n: i64, alpha: u64, x: u64, incx: i64) -> Done {
    let alpha = task.scalar::<T>(alpha)?;
    let of_x = forward(n, incx);
    if of_x.count() == 0 {
        return Ok(());
    }
    task.run(move |memory| {
        let alpha = alpha.get(memory)?;
        let mut all = memory.get::<T>(x, &of_x)?;
        vectors::scal(alpha, &mut all);
        memory.put(x, &of_x, &all)
    })
}

/// `csscal`, `zdscal`: by a real number.
fn scal_real<T: Number>(task: &Task, n: i64, alpha: u64, x: u64, incx: i64) -> Done {
    let alpha = task.scalar::<T::Real>(alpha)?;
    let of_x = forward(n, incx);
    if of_x.count() == 0 {
        return Ok(());
    }
    task.run(move |memory| {
        let alpha = alpha.get(memory)?;
        let mut all = memory.get::<T>(x, &of_x)?;
        all.iter_mut().for_each(|value| *value = value.scaled(alpha));
        memory.put(x, &of_x, &all)
    })
}

fn rotated<T: Number, S: Element>(
    task: &Task,
    n: i64,
    (x, incx): Pair,
    (y, incy): Pair,
    (c, s): (u64, u64),
    of: fn(S) -> T,
) -> Done {
    let (c, s) = (task.scalar::<T::Real>(c)?, task.scalar::<S>(s)?);
    if n <= 0 {
        return Ok(());
    }
    let (of_x, of_y) = (vector(n, incx), vector(n, incy));
    task.run(move |memory| {
        let (c, s) = (c.get(memory)?, of(s.get(memory)?));
        let (mut one, mut other) = (memory.get::<T>(x, &of_x)?, memory.get(y, &of_y)?);
        vectors::rot(&mut one, &mut other, c, s);
        memory.put(x, &of_x, &one)?;
        memory.put(y, &of_y, &other)
    })
}

#[expect(clippy::too_many_arguments, reason = "as many as the routine has")]
fn rot<T: Number>(
    task: &Task,
    n: i64,
    x: u64,
    incx: i64,
    y: u64,
    incy: i64,
    c: u64,
    s: u64,
) -> Done {
    rotated::<T, T>(task, n, (x, incx), (y, incy), (c, s), |s| s)
}

#[expect(clippy::too_many_arguments, reason = "as many as the routine has")]
fn rot_real<T: Number>(
    task: &Task,
    n: i64,
    x: u64,
    incx: i64,
    y: u64,
    incy: i64,
    c: u64,
    s: u64,
) -> Done {
    rotated::<T, T::Real>(task, n, (x, incx), (y, incy), (c, s), T::from_real)
}

/// Does something with values that lie, all of them, in memory of the host or of the device; those
/// that it gives replace the first ones.
fn in_place<T: Element, const N: usize>(
    task: &Task,
    at: [u64; N],
    work: impl Fn([T; N]) -> [T; N] + Send + Sync + 'static,
) -> Done {
    if at.contains(&0) {
        return Err(Status::InvalidValue);
    }
    if task.settings.pointer_mode == 0 {
        let mut values = [T::default(); N];
        for (value, at) in values.iter_mut().zip(at) {
            *value = host_value(at)?;
        }
        return at.into_iter().zip(work(values)).try_for_each(|(at, value)| host_put(at, value));
    }
    task.run(move |memory: &mut Memory<'_, '_, '_>| {
        let mut values = [T::default(); N];
        for (value, at) in values.iter_mut().zip(at) {
            *value = memory.one(at)?;
        }
        at.into_iter().zip(work(values)).try_for_each(|(at, value)| memory.set(at, value))
    })
}

fn rotg<T: Real>(task: &Task, a: u64, b: u64, c: u64, s: u64) -> Done {
    in_place::<T, 4>(task, [a, b, c, s], |[a, b, _, _]| {
        let Rotation { r, z, c, s } = rotg_real(a, b);
        [r, z, c, s]
    })
}

/// Of complex numbers the cosine is real: they are computed with as pairs.
fn rotg_pairs<T: Number>(task: &Task, a: u64, b: u64, c: u64, s: u64) -> Done {
    let half = T::BYTES as u64 / 2;
    let parts = [a, a + half, b, b + half, c, s, s + half];
    if [a, b, c, s].contains(&0) {
        return Err(Status::InvalidValue);
    }
    in_place::<T::Real, 7>(task, parts, |[a_re, a_im, b_re, b_im, ..]| {
        let number = |re, im| {
            let bytes = T::Real::bytes(&[re, im]);
            T::read(&bytes)
        };
        let b = number(b_re, b_im);
        let Rotation { r, c, s, .. }: Rotation<T> = rotg_complex(number(a_re, a_im), b);
        [r.re(), r.im(), b_re, b_im, c, s.re(), s.im()]
    })
}

fn rotm_<T: Real>(
    task: &Task,
    n: i64,
    x: u64,
    incx: i64,
    y: u64,
    incy: i64,
    parameters: u64,
) -> Done {
    let at = |index: usize| parameters + (index * T::BYTES) as u64;
    if parameters == 0 {
        return Err(Status::InvalidValue);
    }
    let parameters = task.scalars::<T, 5>([at(0), at(1), at(2), at(3), at(4)])?;
    if n <= 0 {
        return Ok(());
    }
    let (of_x, of_y) = (vector(n, incx), vector(n, incy));
    task.run(move |memory| {
        let mut known = [T::ZERO; 5];
        for (known, parameter) in known.iter_mut().zip(parameters) {
            *known = parameter.get(memory)?;
        }
        let (mut one, mut other) = (memory.get::<T>(x, &of_x)?, memory.get(y, &of_y)?);
        rotm(&mut one, &mut other, known);
        memory.put(x, &of_x, &one)?;
        memory.put(y, &of_y, &other)
    })
}

fn rotmg<T: Real>(task: &Task, d1: u64, d2: u64, x1: u64, y1: u64, parameters: u64) -> Done {
    let at = |index: usize| parameters.wrapping_add((index * T::BYTES) as u64);
    if [d1, d2, x1, y1, parameters].contains(&0) {
        return Err(Status::InvalidValue);
    }
    let places = [d1, d2, x1, y1, at(0), at(1), at(2), at(3), at(4)];
    in_place::<T, 9>(task, places, |[d1, d2, x1, y1, p0, p1, p2, p3, p4]| {
        let before = [p0, p1, p2, p3, p4];
        let ([d1, d2, x1], [p0, p1, p2, p3, p4]) = modified([d1, d2, x1], y1, before);
        [d1, d2, x1, y1, p0, p1, p2, p3, p4]
    })
}

routines! {
    ["S" f32, "D" f64, "C" C32, "Z" C64] "axpy_v2"
        axpy(n: Int, alpha: u64, x: u64, incx: Int, y: u64, incy: Int);
    ["S" f32, "D" f64, "C" C32, "Z" C64] "copy_v2" copy(n: Int, x: u64, incx: Int, y: u64, incy: Int);
    ["S" f32, "D" f64, "C" C32, "Z" C64] "swap_v2" swap(n: Int, x: u64, incx: Int, y: u64, incy: Int);
    ["S" f32, "D" f64] "dot_v2" dot(n: Int, x: u64, incx: Int, y: u64, incy: Int, result: u64);
    ["C" C32, "Z" C64] "dotu_v2" dot(n: Int, x: u64, incx: Int, y: u64, incy: Int, result: u64);
    ["C" C32, "Z" C64] "dotc_v2" dotc(n: Int, x: u64, incx: Int, y: u64, incy: Int, result: u64);
    ["S" f32, "D" f64, "Sc" C32, "Dz" C64] "nrm2_v2" nrm2(n: Int, x: u64, incx: Int, result: u64);
    ["S" f32, "D" f64, "Sc" C32, "Dz" C64] "asum_v2" asum(n: Int, x: u64, incx: Int, result: u64);
    ["S" f32, "D" f64, "C" C32, "Z" C64] "scal_v2" scal(n: Int, alpha: u64, x: u64, incx: Int);
    ["Cs" C32, "Zd" C64] "scal_v2" scal_real(n: Int, alpha: u64, x: u64, incx: Int);
    ["S" f32, "D" f64, "C" C32, "Z" C64] "rot_v2"
        rot(n: Int, x: u64, incx: Int, y: u64, incy: Int, c: u64, s: u64);
    ["Cs" C32, "Zd" C64] "rot_v2"
        rot_real(n: Int, x: u64, incx: Int, y: u64, incy: Int, c: u64, s: u64);
    ["S" f32, "D" f64] "rotm_v2" rotm_(n: Int, x: u64, incx: Int, y: u64, incy: Int, parameters: u64);
    narrow:
    ["Is" f32, "Id" f64, "Ic" C32, "Iz" C64] "amax_v2" amax(n: Int, x: u64, incx: Int, result: u64);
    ["Is" f32, "Id" f64, "Ic" C32, "Iz" C64] "amin_v2" amin(n: Int, x: u64, incx: Int, result: u64);
    ["Is" f32, "Id" f64, "Ic" C32, "Iz" C64] "amax_v2_64" amax_64(n: i64, x: u64, incx: i64, result: u64);
    ["Is" f32, "Id" f64, "Ic" C32, "Iz" C64] "amin_v2_64" amin_64(n: i64, x: u64, incx: i64, result: u64);
    ["S" f32, "D" f64] "rotg_v2" rotg(a: u64, b: u64, c: u64, s: u64);
    ["C" C32, "Z" C64] "rotg_v2" rotg_pairs(a: u64, b: u64, c: u64, s: u64);
    ["S" f32, "D" f64] "rotmg_v2" rotmg(d1: u64, d2: u64, x1: u64, y1: u64, parameters: u64);
}
