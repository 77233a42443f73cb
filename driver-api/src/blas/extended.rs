//! Routines of vectors whose types are arguments ("BLAS-like Extension"). Narrow types are computed
//! in `f32`.

#![expect(clippy::extra_unused_type_parameters, reason = "the types of routines are parameters")]

use warpsim_blas::narrow::Narrow;
use warpsim_blas::{C32, C64, Element, Layout, bf16, f16, vectors};

use super::routines;
use super::status::{Done, Status};
use super::tasks::{Memory, Task, Value};
use super::types::{Kind, Typed};
use warpsim_driver_core::Answer;

/// A vector: address, type, increment.
type Vector = (u64, u32, i64);

/// Does something in the type that is computed with.
macro_rules! computed {
    ($number:expr, $function:ident::<T>($($argument:expr),*)) => {
        match Kind::of($number)? {
            Kind::Single => $function::<f32>($($argument),*),
            Kind::Double => $function::<f64>($($argument),*),
            Kind::ComplexSingle => $function::<C32>($($argument),*),
            Kind::ComplexDouble => $function::<C64>($($argument),*),
            Kind::Half | Kind::Brain | Kind::E4M3 | Kind::E5M2 | Kind::Byte | Kind::Int | Kind::ComplexByte => {
                Err(Status::NotSupported)
            }
        }
    };
}

/// A scalar of some type in memory, which is read as the type of the computation.
#[derive(Clone, Copy)]
enum Scalar<T> {
    Own(Value<T>),
    Half(Value<f16>),
    Brain(Value<bf16>),
}

impl<T: Typed> Scalar<T> {
    fn new(task: &Task, address: u64, kind: Kind) -> Done<Scalar<T>> {
        let is_single = matches!(T::KIND, Kind::Single | Kind::ComplexSingle);
        match kind {
            Kind::Half if is_single => Ok(Scalar::Half(task.scalar(address)?)),
            Kind::Brain if is_single => Ok(Scalar::Brain(task.scalar(address)?)),
            kind if kind == T::KIND => Ok(Scalar::Own(task.scalar(address)?)),
            _ => Err(Status::NotSupported),
        }
    }

    fn get(self, memory: &mut Memory<'_, '_, '_>) -> Answer<T> {
        let wide = |value: f32| {
            let mut bytes = vec![0; T::BYTES];
            value.write(&mut bytes);
            T::read(&bytes)
        };
        match self {
            Scalar::Own(value) => value.get(memory),
            Scalar::Half(value) => Ok(wide(value.get(memory)?.widened())),
            Scalar::Brain(value) => Ok(wide(value.get(memory)?.widened())),
        }
    }
}

/// A type that can be computed with as T.
fn kind<T: Typed>(number: u32) -> Done<Kind> {
    let kind = Kind::of(number)?;
    let is_narrow = T::KIND == Kind::Single && matches!(kind, Kind::Half | Kind::Brain);
    if kind == T::KIND || is_narrow { Ok(kind) } else { Err(Status::NotSupported) }
}

fn layout(n: i64, increment: i64) -> Layout {
    // A number of elements below 0 is none, as in the routines of level 1.
    Layout::vector(usize::try_from(n).unwrap_or(0), increment)
}

fn axpy_in<T: Typed>(task: &Task, n: i64, alpha: (u64, u32), x: Vector, y: Vector) -> Done {
    let alpha = Scalar::<T>::new(task, alpha.0, kind::<T>(alpha.1)?)?;
    let (of_x, of_y) = (kind::<T>(x.1)?, kind::<T>(y.1)?);
    let (at_x, at_y) = (layout(n, x.2), layout(n, y.2));
    if n <= 0 {
        return Ok(());
    }
    task.run(move |memory| {
        let alpha = alpha.get(memory)?;
        let given = T::get(memory, x.0, &at_x, of_x)?;
        let mut sum = T::get(memory, y.0, &at_y, of_y)?;
        vectors::axpy(alpha, &given, &mut sum);
        T::put(memory, y.0, &at_y, of_y, &sum)
    })
}

#[expect(clippy::too_many_arguments, reason = "as many as the routine has")]
fn axpy<T: Element>(
    task: &Task,
    n: i64,
    alpha: u64,
    of_alpha: u32,
    x: u64,
    of_x: u32,
    incx: i64,
    y: u64,
    of_y: u32,
    incy: i64,
    execution: u32,
) -> Done {
    computed!(execution, axpy_in::<T>(task, n, (alpha, of_alpha), (x, of_x, incx), (y, of_y, incy)))
}

fn scal_in<T: Typed>(task: &Task, n: i64, alpha: (u64, u32), x: Vector) -> Done {
    let alpha = Scalar::<T>::new(task, alpha.0, kind::<T>(alpha.1)?)?;
    let (of_x, at_x) = (kind::<T>(x.1)?, layout(n, x.2));
    if n <= 0 || x.2 <= 0 {
        return Ok(());
    }
    task.run(move |memory| {
        let alpha = alpha.get(memory)?;
        let mut all = T::get(memory, x.0, &at_x, of_x)?;
        vectors::scal(alpha, &mut all);
        T::put(memory, x.0, &at_x, of_x, &all)
    })
}

#[expect(clippy::too_many_arguments, reason = "as many as the routine has")]
fn scal<T: Element>(
    task: &Task,
    n: i64,
    alpha: u64,
    of_alpha: u32,
    x: u64,
    of_x: u32,
    incx: i64,
    execution: u32,
) -> Done {
    computed!(execution, scal_in::<T>(task, n, (alpha, of_alpha), (x, of_x, incx)))
}

/// A result of a type that may be narrower than what was computed.
fn result<T: Typed>(
    task: &Task,
    to: (u64, u32),
    work: impl Fn(&mut Memory<'_, '_, '_>) -> Answer<T> + Send + Sync + 'static,
) -> Done {
    let as_single = |value: T| f32::read(&T::bytes(&[value]));
    match kind::<T>(to.1)? {
        Kind::Half => {
            task.run_for([to.0], move |memory| Ok([f16::narrowed(as_single(work(memory)?))]))
        }
        Kind::Brain => {
            task.run_for([to.0], move |memory| Ok([bf16::narrowed(as_single(work(memory)?))]))
        }
        _ => task.run_for([to.0], move |memory| Ok([work(memory)?])),
    }
}

fn dot_in<T: Typed>(
    task: &Task,
    n: i64,
    x: Vector,
    y: Vector,
    to: (u64, u32),
    is_conjugated: bool,
) -> Done {
    let (of_x, of_y) = (kind::<T>(x.1)?, kind::<T>(y.1)?);
    let (at_x, at_y) = (layout(n, x.2), layout(n, y.2));
    result::<T>(task, to, move |memory| {
        let one = T::get(memory, x.0, &at_x, of_x)?;
        let other = T::get(memory, y.0, &at_y, of_y)?;
        Ok(vectors::dot(&one, &other, is_conjugated))
    })
}

macro_rules! dots {
    ($($name:ident, $is_conjugated:literal;)*) => {$(
        #[expect(clippy::too_many_arguments, reason = "as many as the routine has")]
        fn $name<T: Element>(
            task: &Task, n: i64, x: u64, of_x: u32, incx: i64, y: u64, of_y: u32, incy: i64, to: u64, of: u32,
            execution: u32,
        ) -> Done {
            computed!(
                execution,
                dot_in::<T>(task, n, (x, of_x, incx), (y, of_y, incy), (to, of), $is_conjugated))
        }
    )*};
}

dots! {
    dot, false;
    dotc, true;
}

/// Norms and sums: the result is real, and the elements may be complex.
fn norm_in<T: Typed>(
    task: &Task,
    n: i64,
    x: Vector,
    to: (u64, u32),
    reduce: fn(&[T]) -> T::Real,
) -> Done
where
    T::Real: Typed,
{
    let (of_x, n) = (kind::<T>(x.1)?, if x.2 <= 0 { 0 } else { n });
    let at_x = layout(n, x.2);
    result::<T::Real>(task, to, move |memory| Ok(reduce(&T::get(memory, x.0, &at_x, of_x)?)))
}

macro_rules! norms {
    ($($name:ident = $function:path;)*) => {$(
        #[expect(clippy::too_many_arguments, reason = "as many as the routine has")]
        fn $name<T: Element>(
            task: &Task, n: i64, x: u64, of_x: u32, incx: i64, to: u64, of: u32, execution: u32,
        ) -> Done {
            let (vector, to) = ((x, of_x, incx), (to, of));
            Kind::of(execution)?;
            match Kind::of(of_x)? {
                Kind::Single | Kind::Half | Kind::Brain => norm_in::<f32>(task, n, vector, to, $function),
                Kind::Double => norm_in::<f64>(task, n, vector, to, $function),
                Kind::ComplexSingle => norm_in::<C32>(task, n, vector, to, $function),
                Kind::ComplexDouble => norm_in::<C64>(task, n, vector, to, $function),
                Kind::E4M3 | Kind::E5M2 | Kind::Byte | Kind::Int | Kind::ComplexByte => Err(Status::NotSupported),
            }
        }
    )*};
}

norms! {
    nrm2 = vectors::nrm2;
    asum = vectors::asum;
}

fn index_in<T: Typed, R: Element>(
    task: &Task,
    n: i64,
    x: Vector,
    to: u64,
    find: fn(&[T]) -> usize,
    of: fn(usize) -> R,
) -> Done {
    let (of_x, n) = (kind::<T>(x.1)?, if x.2 <= 0 { 0 } else { n });
    let at_x = layout(n, x.2);
    task.run_for([to], move |memory| Ok([of(find(&T::get(memory, x.0, &at_x, of_x)?))]))
}

macro_rules! extremes {
    ($($name:ident = $function:path, $ty:ty;)*) => {$(
        fn $name<T: Element>(task: &Task, n: i64, x: u64, of_x: u32, incx: i64, to: u64) -> Done {
            let (vector, of) = ((x, of_x, incx), |index| index as $ty);
            match Kind::of(of_x)? {
                Kind::Single | Kind::Half | Kind::Brain => index_in::<f32, $ty>(task, n, vector, to, $function, of),
                Kind::Double => index_in::<f64, $ty>(task, n, vector, to, $function, of),
                Kind::ComplexSingle => index_in::<C32, $ty>(task, n, vector, to, $function, of),
                Kind::ComplexDouble => index_in::<C64, $ty>(task, n, vector, to, $function, of),
                Kind::E4M3 | Kind::E5M2 | Kind::Byte | Kind::Int | Kind::ComplexByte => Err(Status::NotSupported),
            }
        }
    )*};
}

extremes! {
    amax = vectors::amax, i32;
    amin = vectors::amin, i32;
    amax_64 = vectors::amax, i64;
    amin_64 = vectors::amin, i64;
}

/// Elements go from one place to the other, or both ways, as they are.
fn moved<E: Element>(task: &Task, n: i64, x: Vector, y: Vector, is_both: bool) -> Done {
    let (at_x, at_y) = (layout(n, x.2), layout(n, y.2));
    if n <= 0 {
        return Ok(());
    }
    task.run(move |memory| {
        let one: Vec<E> = memory.get(x.0, &at_x)?;
        if is_both {
            let other: Vec<E> = memory.get(y.0, &at_y)?;
            memory.put(x.0, &at_x, &other)?;
        }
        memory.put(y.0, &at_y, &one)
    })
}

macro_rules! moves {
    ($($name:ident, $is_both:literal;)*) => {$(
        #[expect(clippy::too_many_arguments, reason = "as many as the routine has")]
        fn $name<T: Element>(
            task: &Task, n: i64, x: u64, of_x: u32, incx: i64, y: u64, of_y: u32, incy: i64,
        ) -> Done {
            if Kind::of(of_x)? != Kind::of(of_y)? {
                return Err(Status::NotSupported);
            }
            let (x, y) = ((x, of_x, incx), (y, of_y, incy));
            match Kind::of(of_x)?.bytes() {
                1 => moved::<u8>(task, n, x, y, $is_both),
                2 => moved::<f16>(task, n, x, y, $is_both),
                4 => moved::<i32>(task, n, x, y, $is_both),
                8 => moved::<i64>(task, n, x, y, $is_both),
                _ => moved::<C64>(task, n, x, y, $is_both),
            }
        }
    )*};
}

moves! {
    copy, false;
    swap, true;
}

/// A cosine or a sine: a real number, or one of the vectors' own type.
#[derive(Clone, Copy)]
enum Part<T: Typed> {
    Real(Value<T::Real>),
    Own(Scalar<T>),
}

impl<T: Typed> Part<T> {
    fn get(self, memory: &mut Memory<'_, '_, '_>) -> Answer<T> {
        match self {
            Part::Real(value) => Ok(T::from_real(value.get(memory)?)),
            Part::Own(scalar) => scalar.get(memory),
        }
    }
}

fn rot_in<T: Typed>(task: &Task, n: i64, x: Vector, y: Vector, [c, s]: [u64; 2], of: u32) -> Done {
    let real = match T::KIND {
        Kind::ComplexDouble => Kind::Double,
        Kind::ComplexSingle => Kind::Single,
        kind => kind,
    };
    let of = Kind::of(of)?;
    // The cosine is real; the sine may be, too, where the vectors are complex.
    let (c, s): (Part<T>, Part<T>) = match of {
        Kind::Half | Kind::Brain => {
            (Part::Own(Scalar::new(task, c, of)?), Part::Own(Scalar::new(task, s, of)?))
        }
        _ if of == real => (Part::Real(task.scalar(c)?), Part::Real(task.scalar(s)?)),
        _ => (Part::Real(task.scalar(c)?), Part::Own(Scalar::new(task, s, of)?)),
    };
    let kinds = [kind::<T>(x.1)?, kind::<T>(y.1)?];
    let (at_x, at_y) = (layout(n, x.2), layout(n, y.2));
    if n <= 0 {
        return Ok(());
    }
    task.run(move |memory| {
        let (c, s) = (c.get(memory)?.re(), s.get(memory)?);
        let mut one = T::get(memory, x.0, &at_x, kinds[0])?;
        let mut other = T::get(memory, y.0, &at_y, kinds[1])?;
        vectors::rot(&mut one, &mut other, c, s);
        T::put(memory, x.0, &at_x, kinds[0], &one)?;
        T::put(memory, y.0, &at_y, kinds[1], &other)
    })
}

#[expect(clippy::too_many_arguments, reason = "as many as the routine has")]
fn rot<T: Element>(
    task: &Task,
    n: i64,
    x: u64,
    of_x: u32,
    incx: i64,
    y: u64,
    of_y: u32,
    incy: i64,
    c: u64,
    s: u64,
    of: u32,
    execution: u32,
) -> Done {
    computed!(execution, rot_in::<T>(task, n, (x, of_x, incx), (y, of_y, incy), [c, s], of))
}

routines! {
    ["" f32] "AxpyEx" axpy(
        n: Int, alpha: u64, of_alpha: u32, x: u64, of_x: u32, incx: Int, y: u64, of_y: u32, incy: Int,
        execution: u32);
    ["" f32] "ScalEx" scal(
        n: Int, alpha: u64, of_alpha: u32, x: u64, of_x: u32, incx: Int, execution: u32);
    ["" f32] "DotEx" dot(
        n: Int, x: u64, of_x: u32, incx: Int, y: u64, of_y: u32, incy: Int, to: u64, of: u32, execution: u32);
    ["" f32] "DotcEx" dotc(
        n: Int, x: u64, of_x: u32, incx: Int, y: u64, of_y: u32, incy: Int, to: u64, of: u32, execution: u32);
    ["" f32] "Nrm2Ex" nrm2(n: Int, x: u64, of_x: u32, incx: Int, to: u64, of: u32, execution: u32);
    ["" f32] "AsumEx" asum(n: Int, x: u64, of_x: u32, incx: Int, to: u64, of: u32, execution: u32);
    ["" f32] "CopyEx" copy(n: Int, x: u64, of_x: u32, incx: Int, y: u64, of_y: u32, incy: Int);
    ["" f32] "SwapEx" swap(n: Int, x: u64, of_x: u32, incx: Int, y: u64, of_y: u32, incy: Int);
    ["" f32] "RotEx" rot(
        n: Int, x: u64, of_x: u32, incx: Int, y: u64, of_y: u32, incy: Int, c: u64, s: u64, of: u32,
        execution: u32);
    narrow:
    ["" f32] "IamaxEx" amax(n: Int, x: u64, of_x: u32, incx: Int, to: u64);
    ["" f32] "IaminEx" amin(n: Int, x: u64, of_x: u32, incx: Int, to: u64);
    ["" f32] "IamaxEx_64" amax_64(n: i64, x: u64, of_x: u32, incx: i64, to: u64);
    ["" f32] "IaminEx_64" amin_64(n: i64, x: u64, of_x: u32, incx: i64, to: u64);
}
