//! Routines whose types are arguments ("cuBLAS Level-1 Function Reference", "BLAS-like Extension"): narrow types are
//! computed with in `f32`.
//!
//! Not supported: `cublasUint8gemmBias`, grouped products, `RotmEx`, `RotgEx` and `RotmgEx` of half precision.

use warpsim_blas::columns::Columns;
use warpsim_blas::matrices::{self, Rank};
use warpsim_blas::narrow::Narrow;
use warpsim_blas::{C32, C64, Element, Layout, Number, Op, Symmetry, bf16, f16, vectors};

use super::routines;
use super::status::{Done, Status};
use super::tasks::{Memory, Task, Value, kept, leading, op, sizes, uplo};
use super::types::{Kind, Places, Product, Typed};
use crate::process::named_once;
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

/// A scalar of a type in memory, as what is computed with.
#[derive(Clone, Copy)]
enum Scalar<T> {
    Own(Value<T>),
    Half(Value<f16>),
    Brain(Value<bf16>),
}

impl<T: Typed> Scalar<T> {
    fn new(task: &Task, address: u64, kind: Kind) -> Done<Scalar<T>> {
        match kind {
            Kind::Half => Ok(Scalar::Half(task.scalar(address)?)),
            Kind::Brain => Ok(Scalar::Brain(task.scalar(address)?)),
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

/// Norms and sums: what is computed is real, of elements that may be complex.
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

fn rot_in<T: Typed>(task: &Task, n: i64, x: Vector, y: Vector, [c, s]: [u64; 2], of: u32) -> Done {
    // The cosine is real; the sine may be, too, where the vectors are complex.
    let half = (T::BYTES != T::Real::BYTES).then_some(()).map_or(T::KIND, |()| match T::KIND {
        Kind::ComplexDouble => Kind::Double,
        _ => Kind::Single,
    });
    let kinds = [kind::<T>(x.1)?, kind::<T>(y.1)?];
    let (at_x, at_y) = (layout(n, x.2), layout(n, y.2));
    let of = Kind::of(of)?;
    let is_narrow = matches!(of, Kind::Half | Kind::Brain);
    if n <= 0 {
        return Ok(());
    }
    let is_real = of == half || is_narrow;
    if !is_real && of != T::KIND {
        return Err(Status::NotSupported);
    }
    let read = |at: u64| -> Done<[Value<T::Real>; 1]> { task.scalars::<T::Real, 1>([at]) };
    let narrow = |at: u64| Scalar::<T>::new(task, at, of);
    let wide = match is_narrow {
        true => None,
        false => Some((read(c)?, if is_real { None } else { Some(task.scalar::<T>(s)?) })),
    };
    let narrow = if is_narrow { Some((narrow(c)?, narrow(s)?)) } else { None };
    let real_sine = if wide.is_some() && is_real { Some(read(s)?) } else { None };
    task.run(move |memory| {
        let (c, s) = match (wide, narrow, real_sine) {
            (_, Some((c, s)), _) => (c.get(memory)?.re(), s.get(memory)?),
            (Some(([c], Some(s))), None, _) => (c.get(memory)?, s.get(memory)?),
            (Some(([c], None)), None, Some([s])) => (c.get(memory)?, T::from_real(s.get(memory)?)),
            (Some(_) | None, None, _) => return Err(warpsim_driver_core::CudaError::InvalidValue),
        };
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

#[expect(clippy::too_many_arguments, reason = "as many as the routine has")]
fn gemm_of<T: Typed>(
    task: &Task,
    transa: u32,
    transb: u32,
    m: i64,
    n: i64,
    k: i64,
    alpha: u64,
    a: u64,
    of_a: u32,
    lda: i64,
    b: u64,
    of_b: u32,
    ldb: i64,
    beta: u64,
    c: u64,
    of_c: u32,
    ldc: i64,
) -> Done {
    let kinds = [Kind::of(of_a)?, Kind::of(of_b)?, Kind::of(of_c)?];
    let product = Product::new([transa, transb], [m, n, k], kinds, [lda, ldb, ldc])?;
    let compute = 68;
    let is_complex = T::BYTES == C32::BYTES;
    let is_so = matches!(kinds[2], Kind::ComplexSingle | Kind::ComplexDouble) == is_complex;
    match is_so {
        true => product.computed(task, compute, [alpha, beta], ([a, b, c].map(Places::one), 1)),
        false => Err(Status::NotSupported),
    }
}

#[expect(clippy::too_many_arguments, reason = "as many as the routine has")]
fn gemm<T: Element>(
    task: &Task,
    transa: u32,
    transb: u32,
    m: i64,
    n: i64,
    k: i64,
    alpha: u64,
    a: u64,
    of_a: u32,
    lda: i64,
    b: u64,
    of_b: u32,
    ldb: i64,
    beta: u64,
    c: u64,
    of_c: u32,
    ldc: i64,
    compute: u32,
    algorithm: u32,
) -> Done {
    let _ = algorithm;
    let kinds = [Kind::of(of_a)?, Kind::of(of_b)?, Kind::of(of_c)?];
    let product = Product::new([transa, transb], [m, n, k], kinds, [lda, ldb, ldc])?;
    product.computed(task, compute, [alpha, beta], ([a, b, c].map(Places::one), 1))
}

#[expect(clippy::too_many_arguments, reason = "as many as the routine has")]
fn gemm_lists<T: Element>(
    task: &Task,
    transa: u32,
    transb: u32,
    m: i64,
    n: i64,
    k: i64,
    alpha: u64,
    a: u64,
    of_a: u32,
    lda: i64,
    b: u64,
    of_b: u32,
    ldb: i64,
    beta: u64,
    c: u64,
    of_c: u32,
    ldc: i64,
    count: i64,
    compute: u32,
    algorithm: u32,
) -> Done {
    let _ = algorithm;
    let kinds = [Kind::of(of_a)?, Kind::of(of_b)?, Kind::of(of_c)?];
    let product = Product::new([transa, transb], [m, n, k], kinds, [lda, ldb, ldc])?;
    product.computed(task, compute, [alpha, beta], ([a, b, c].map(Places::Listed), count))
}

#[expect(clippy::too_many_arguments, reason = "as many as the routine has")]
fn gemm_strides<T: Element>(
    task: &Task,
    transa: u32,
    transb: u32,
    m: i64,
    n: i64,
    k: i64,
    alpha: u64,
    a: u64,
    of_a: u32,
    lda: i64,
    from_a: i64,
    b: u64,
    of_b: u32,
    ldb: i64,
    from_b: i64,
    beta: u64,
    c: u64,
    of_c: u32,
    ldc: i64,
    from_c: i64,
    count: i64,
    compute: u32,
    algorithm: u32,
) -> Done {
    let _ = algorithm;
    let kinds = [Kind::of(of_a)?, Kind::of(of_b)?, Kind::of(of_c)?];
    let product = Product::new([transa, transb], [m, n, k], kinds, [lda, ldb, ldc])?;
    let place = |first, stride: i64, kind: Kind| {
        Places::Strided(first, stride.wrapping_mul(kind.bytes() as i64))
    };
    let places =
        [place(a, from_a, kinds[0]), place(b, from_b, kinds[1]), place(c, from_c, kinds[2])];
    product.computed(task, compute, [alpha, beta], (places, count))
}

/// `CsyrkEx` and its like: bytes or single precision in.
fn rank_k<S: Element>(
    task: &Task,
    (fill, trans, [n, k]): (u32, u32, [i64; 2]),
    (symmetry, of): (Symmetry, fn(S) -> C32),
    [alpha, beta]: [u64; 2],
    (a, of_a, lda): Vector,
    (c, of_c, ldc): Vector,
) -> Done {
    let ((uplo, op), [n, k]) = ((uplo(fill)?, op(trans)?), sizes([n, k])?);
    let kind = match (Kind::of(of_a)?, Kind::of(of_c)?) {
        (kind @ (Kind::ComplexByte | Kind::ComplexSingle), Kind::ComplexSingle) => kind,
        (_, _) => return Err(Status::NotSupported),
    };
    let is_other = symmetry == Symmetry::Hermitian && op == Op::Transposed;
    if is_other {
        return Err(Status::InvalidValue);
    }
    let [rows, count] = kept(op, [n, k]);
    let at_a = Layout::general(rows, count, leading(lda, rows)?);
    let at_c = Layout::triangle(uplo, n, leading(ldc, n)?);
    let [alpha, beta] = task.scalars::<S, 2>([alpha, beta])?;
    if n == 0 {
        return Ok(());
    }
    task.run(move |memory| {
        let (alpha, beta) = (of(alpha.get(memory)?), of(beta.get(memory)?));
        let one = C32::get(memory, a, &at_a, kind)?;
        let mut all: Columns<C32> = memory.columns(c, &at_c)?;
        matrices::syrkx(Rank { symmetry, op, n, k, alpha, beta }, one.clone(), one, &mut all);
        memory.put(c, &at_c, &all.data)
    })
}

macro_rules! updates {
    ($($name:ident<$ty:ty> $symmetry:ident $of:expr;)*) => {$(
        #[expect(clippy::too_many_arguments, reason = "as many as the routine has")]
        fn $name<T: Element>(
            task: &Task, fill: u32, trans: u32, n: i64, k: i64, alpha: u64, a: u64, of_a: u32, lda: i64, beta: u64,
            c: u64, of_c: u32, ldc: i64,
        ) -> Done {
            rank_k::<$ty>(
                task, (fill, trans, [n, k]), (Symmetry::$symmetry, $of), [alpha, beta], (a, of_a, lda),
                (c, of_c, ldc))
        }
    )*};
}

updates! {
    syrk<C32> Symmetric |s| s;
    herk<f32> Hermitian <C32 as Number>::from_real;
}

/// What is not supported says so, by its name.
fn absent<T: Element>(task: &Task) -> Done {
    named_once(task.name);
    Err(Status::NotSupported)
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
    ["S" f32, "C" C32] "gemmEx" gemm_of(
        transa: u32, transb: u32, m: Int, n: Int, k: Int, alpha: u64, a: u64, of_a: u32, lda: Int, b: u64, of_b: u32,
        ldb: Int, beta: u64, c: u64, of_c: u32, ldc: Int);
    ["C" C32] "gemm3mEx" gemm_of(
        transa: u32, transb: u32, m: Int, n: Int, k: Int, alpha: u64, a: u64, of_a: u32, lda: Int, b: u64, of_b: u32,
        ldb: Int, beta: u64, c: u64, of_c: u32, ldc: Int);
    ["" f32] "GemmEx" gemm(
        transa: u32, transb: u32, m: Int, n: Int, k: Int, alpha: u64, a: u64, of_a: u32, lda: Int, b: u64, of_b: u32,
        ldb: Int, beta: u64, c: u64, of_c: u32, ldc: Int, compute: u32, algorithm: u32);
    ["" f32] "GemmBatchedEx" gemm_lists(
        transa: u32, transb: u32, m: Int, n: Int, k: Int, alpha: u64, a: u64, of_a: u32, lda: Int, b: u64, of_b: u32,
        ldb: Int, beta: u64, c: u64, of_c: u32, ldc: Int, count: Int, compute: u32, algorithm: u32);
    ["" f32] "GemmStridedBatchedEx" gemm_strides(
        transa: u32, transb: u32, m: Int, n: Int, k: Int, alpha: u64, a: u64, of_a: u32, lda: Int, from_a: i64, b: u64,
        of_b: u32, ldb: Int, from_b: i64, beta: u64, c: u64, of_c: u32, ldc: Int, from_c: i64, count: Int,
        compute: u32, algorithm: u32);
    ["C" C32] "syrkEx" syrk(
        uplo: u32, trans: u32, n: Int, k: Int, alpha: u64, a: u64, of_a: u32, lda: Int, beta: u64, c: u64, of_c: u32,
        ldc: Int);
    ["C" C32] "syrk3mEx" syrk(
        uplo: u32, trans: u32, n: Int, k: Int, alpha: u64, a: u64, of_a: u32, lda: Int, beta: u64, c: u64, of_c: u32,
        ldc: Int);
    ["C" C32] "herkEx" herk(
        uplo: u32, trans: u32, n: Int, k: Int, alpha: u64, a: u64, of_a: u32, lda: Int, beta: u64, c: u64, of_c: u32,
        ldc: Int);
    ["C" C32] "herk3mEx" herk(
        uplo: u32, trans: u32, n: Int, k: Int, alpha: u64, a: u64, of_a: u32, lda: Int, beta: u64, c: u64, of_c: u32,
        ldc: Int);
    ["S" f32, "D" f64] "gemmGroupedBatched" absent();
    ["" f32] "GemmGroupedBatchedEx" absent();
    ["" f32] "RotmEx" absent();
    narrow:
    ["" f32] "IamaxEx" amax(n: Int, x: u64, of_x: u32, incx: Int, to: u64);
    ["" f32] "IaminEx" amin(n: Int, x: u64, of_x: u32, incx: Int, to: u64);
    ["" f32] "IamaxEx_64" amax_64(n: i64, x: u64, of_x: u32, incx: i64, to: u64);
    ["" f32] "IaminEx_64" amin_64(n: i64, x: u64, of_x: u32, incx: i64, to: u64);
    ["" f32] "RotgEx" absent();
    ["" f32] "RotmgEx" absent();
    ["" f32] "Uint8gemmBias" absent();
}
