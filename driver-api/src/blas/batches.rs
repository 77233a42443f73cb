//! Many small products and solutions (`cublas<t>gemmBatched`, `cublas<t>gemmStridedBatched`,
//! `cublas<t>gemvBatched`, `cublas<t>trsmBatched`): one operation, which carries them out in order.
//!
//! Lists of addresses lie in memory of the device and are read when the operation is carried out.

use warpsim_blas::columns::{Columns, gemv};
use warpsim_blas::matrices::{self, Side};
use warpsim_blas::narrow::Narrow;
use warpsim_blas::{C32, C64, Element, Layout, Number, bf16, f16};

use super::level3::triangle;
use super::routines;
use super::status::{Done, Status};
use super::tasks::{Task, increment, leading, op, size, sizes};
use super::types::{Kind, Places, Product, Typed};

/// A stride in bytes of elements of a type.
fn stride<T: Element>(elements: i64) -> i64 {
    elements.wrapping_mul(T::BYTES as i64)
}

fn lists(all: [u64; 3]) -> Done<[Places; 3]> {
    if all.contains(&0) {
        return Err(Status::InvalidValue);
    }
    Ok(all.map(Places::Listed))
}

#[expect(clippy::too_many_arguments, reason = "as many as the routine has")]
fn gemm_lists<T: Typed>(
    task: &Task,
    transa: u32,
    transb: u32,
    m: i64,
    n: i64,
    k: i64,
    alpha: u64,
    a: u64,
    lda: i64,
    b: u64,
    ldb: i64,
    beta: u64,
    c: u64,
    ldc: i64,
    count: i64,
) -> Done {
    let product = Product::new([transa, transb], [m, n, k], [T::KIND; 3], [lda, ldb, ldc])?;
    let places = if count == 0 { [Places::one(0); 3] } else { lists([a, b, c])? };
    product.issue::<T, T>(task, [alpha, beta], |s| s, (places, count))
}

#[expect(clippy::too_many_arguments, reason = "as many as the routine has")]
fn gemm_strides<T: Typed>(
    task: &Task,
    transa: u32,
    transb: u32,
    m: i64,
    n: i64,
    k: i64,
    alpha: u64,
    a: u64,
    lda: i64,
    of_a: i64,
    b: u64,
    ldb: i64,
    of_b: i64,
    beta: u64,
    c: u64,
    ldc: i64,
    of_c: i64,
    count: i64,
) -> Done {
    let product = Product::new([transa, transb], [m, n, k], [T::KIND; 3], [lda, ldb, ldc])?;
    let places = [(a, of_a), (b, of_b), (c, of_c)]
        .map(|(first, elements)| Places::Strided(first, stride::<T>(elements)));
    product.issue::<T, T>(task, [alpha, beta], |s| s, (places, count))
}

/// Of half precision: sums in `f32`, scalars in half.
#[expect(clippy::too_many_arguments, reason = "as many as the routine has")]
fn half<T: Narrow>(
    task: &Task,
    transa: u32,
    transb: u32,
    m: i64,
    n: i64,
    k: i64,
    alpha: u64,
    a: u64,
    lda: i64,
    b: u64,
    ldb: i64,
    beta: u64,
    c: u64,
    ldc: i64,
) -> Done {
    let product = Product::new([transa, transb], [m, n, k], [Kind::Half; 3], [lda, ldb, ldc])?;
    let places = [a, b, c].map(Places::one);
    product.issue::<f32, T>(task, [alpha, beta], T::widened, (places, 1))
}

#[expect(clippy::too_many_arguments, reason = "as many as the routine has")]
fn half_lists<T: Narrow>(
    task: &Task,
    transa: u32,
    transb: u32,
    m: i64,
    n: i64,
    k: i64,
    alpha: u64,
    a: u64,
    lda: i64,
    b: u64,
    ldb: i64,
    beta: u64,
    c: u64,
    ldc: i64,
    count: i64,
) -> Done {
    let product = Product::new([transa, transb], [m, n, k], [Kind::Half; 3], [lda, ldb, ldc])?;
    let places = if count == 0 { [Places::one(0); 3] } else { lists([a, b, c])? };
    product.issue::<f32, T>(task, [alpha, beta], T::widened, (places, count))
}

#[expect(clippy::too_many_arguments, reason = "as many as the routine has")]
fn half_strides<T: Narrow>(
    task: &Task,
    transa: u32,
    transb: u32,
    m: i64,
    n: i64,
    k: i64,
    alpha: u64,
    a: u64,
    lda: i64,
    of_a: i64,
    b: u64,
    ldb: i64,
    of_b: i64,
    beta: u64,
    c: u64,
    ldc: i64,
    of_c: i64,
    count: i64,
) -> Done {
    let product = Product::new([transa, transb], [m, n, k], [Kind::Half; 3], [lda, ldb, ldc])?;
    let places = [(a, of_a), (b, of_b), (c, of_c)]
        .map(|(first, elements)| Places::Strided(first, stride::<T>(elements)));
    product.issue::<f32, T>(task, [alpha, beta], T::widened, (places, count))
}

/// Types of elements: of the matrix and `x`, of `y`, and of the computation.
trait Mix {
    type In: Element;
    type Out: Element;
    type With: Typed;
    const IN: Kind;
    const OUT: Kind;
}

macro_rules! mixes {
    ($($name:ty: $in:ty, $of_in:ident, $out:ty, $of_out:ident, $with:ty;)*) => {$(
        impl Mix for $name {
            type In = $in;
            type Out = $out;
            type With = $with;
            const IN: Kind = Kind::$of_in;
            const OUT: Kind = Kind::$of_out;
        }
    )*};
}

/// Half precision in and out, or in alone.
struct HalfToHalf;
struct HalfToSingle;
struct BrainToBrain;
struct BrainToSingle;

mixes! {
    f32: f32, Single, f32, Single, f32;
    f64: f64, Double, f64, Double, f64;
    C32: C32, ComplexSingle, C32, ComplexSingle, C32;
    C64: C64, ComplexDouble, C64, ComplexDouble, C64;
    HalfToHalf: f16, Half, f16, Half, f32;
    HalfToSingle: f16, Half, f32, Single, f32;
    BrainToBrain: bf16, Brain, bf16, Brain, f32;
    BrainToSingle: bf16, Brain, f32, Single, f32;
}

/// This many matrices times vectors.
fn gemvs<M: Mix>(
    task: &Task,
    (trans, [m, n], scalars): (u32, [i64; 2], [u64; 2]),
    [lda, incx, incy]: [i64; 3],
    [a, x, y]: [Places; 3],
    count: i64,
) -> Done {
    let (op, [m, n], count) = (op(trans)?, sizes([m, n])?, size(count)?);
    let of_a = Layout::general(m, n, leading(lda, m)?);
    let [of_x, of_y] = if op.is_transposed() { [m, n] } else { [n, m] };
    let of_x = Layout::vector(of_x, increment(incx)?);
    let of_y = Layout::vector(of_y, increment(incy)?);
    let [alpha, beta] = task.scalars::<M::With, 2>(scalars)?;
    if m == 0 || n == 0 || count == 0 {
        return Ok(());
    }
    task.run(move |memory| {
        let (alpha, beta) = (alpha.get(memory)?, beta.get(memory)?);
        (0..count).try_for_each(|index| {
            let [a, x, y] = [a.at(memory, index)?, x.at(memory, index)?, y.at(memory, index)?];
            let matrix = Columns::new(&of_a, M::With::get(memory, a, &of_a, M::IN)?);
            let given = M::With::get(memory, x, &of_x, M::IN)?;
            let mut sum = M::With::get(memory, y, &of_y, M::OUT)?;
            gemv(op, alpha, &matrix, &given, beta, &mut sum);
            M::With::put(memory, y, &of_y, M::OUT, &sum)
        })
    })
}

#[expect(clippy::too_many_arguments, reason = "as many as the routine has")]
fn gemv_lists<M: Mix>(
    task: &Task,
    trans: u32,
    m: i64,
    n: i64,
    alpha: u64,
    a: u64,
    lda: i64,
    x: u64,
    incx: i64,
    beta: u64,
    y: u64,
    incy: i64,
    count: i64,
) -> Done {
    let places = if count == 0 { [Places::one(0); 3] } else { lists([a, x, y])? };
    gemvs::<M>(task, (trans, [m, n], [alpha, beta]), [lda, incx, incy], places, count)
}

#[expect(clippy::too_many_arguments, reason = "as many as the routine has")]
fn gemv_strides<M: Mix>(
    task: &Task,
    trans: u32,
    m: i64,
    n: i64,
    alpha: u64,
    a: u64,
    lda: i64,
    of_a: i64,
    x: u64,
    incx: i64,
    of_x: i64,
    beta: u64,
    y: u64,
    incy: i64,
    of_y: i64,
    count: i64,
) -> Done {
    let places = [
        Places::Strided(a, stride::<M::In>(of_a)),
        Places::Strided(x, stride::<M::In>(of_x)),
        Places::Strided(y, stride::<M::Out>(of_y)),
    ];
    gemvs::<M>(task, (trans, [m, n], [alpha, beta]), [lda, incx, incy], places, count)
}

#[expect(clippy::too_many_arguments, reason = "as many as the routine has")]
fn trsm_lists<T: Number>(
    task: &Task,
    side: u32,
    fill: u32,
    trans: u32,
    diag: u32,
    m: i64,
    n: i64,
    alpha: u64,
    a: u64,
    lda: i64,
    b: u64,
    ldb: i64,
    count: i64,
) -> Done {
    let (kind, [m, n], count) =
        (triangle([side, fill, trans, diag])?, sizes([m, n])?, size(count)?);
    let order = if kind.0 == Side::Left { m } else { n };
    let of_a = Layout::triangle(kind.1.uplo, order, leading(lda, order)?);
    let of_b = Layout::general(m, n, leading(ldb, m)?);
    let alpha = task.scalar::<T>(alpha)?;
    if m == 0 || n == 0 || count == 0 {
        return Ok(());
    }
    let (a, b) = (Places::Listed(a), Places::Listed(b));
    task.run(move |memory| {
        let alpha = alpha.get(memory)?;
        (0..count).try_for_each(|index| {
            let [a, b] = [a.at(memory, index)?, b.at(memory, index)?];
            let (triangle, right) = (memory.columns::<T>(a, &of_a)?, memory.get(b, &of_b)?);
            let all = matrices::trsm(kind, [m, n], alpha, &triangle, right);
            memory.put(b, &of_b, &all)
        })
    })
}

routines! {
    ["S" f32, "D" f64, "C" C32, "Z" C64] "gemmBatched" gemm_lists(
        transa: u32, transb: u32, m: Int, n: Int, k: Int, alpha: u64, a: u64, lda: Int, b: u64, ldb: Int, beta: u64,
        c: u64, ldc: Int, count: Int);
    ["C" C32] "gemm3mBatched" gemm_lists(
        transa: u32, transb: u32, m: Int, n: Int, k: Int, alpha: u64, a: u64, lda: Int, b: u64, ldb: Int, beta: u64,
        c: u64, ldc: Int, count: Int);
    ["S" f32, "D" f64, "C" C32, "Z" C64] "gemmStridedBatched" gemm_strides(
        transa: u32, transb: u32, m: Int, n: Int, k: Int, alpha: u64, a: u64, lda: Int, of_a: i64, b: u64, ldb: Int,
        of_b: i64, beta: u64, c: u64, ldc: Int, of_c: i64, count: Int);
    ["C" C32] "gemm3mStridedBatched" gemm_strides(
        transa: u32, transb: u32, m: Int, n: Int, k: Int, alpha: u64, a: u64, lda: Int, of_a: i64, b: u64, ldb: Int,
        of_b: i64, beta: u64, c: u64, ldc: Int, of_c: i64, count: Int);
    ["H" f16] "gemm" half(
        transa: u32, transb: u32, m: Int, n: Int, k: Int, alpha: u64, a: u64, lda: Int, b: u64, ldb: Int, beta: u64,
        c: u64, ldc: Int);
    ["H" f16] "gemmBatched" half_lists(
        transa: u32, transb: u32, m: Int, n: Int, k: Int, alpha: u64, a: u64, lda: Int, b: u64, ldb: Int, beta: u64,
        c: u64, ldc: Int, count: Int);
    ["H" f16] "gemmStridedBatched" half_strides(
        transa: u32, transb: u32, m: Int, n: Int, k: Int, alpha: u64, a: u64, lda: Int, of_a: i64, b: u64, ldb: Int,
        of_b: i64, beta: u64, c: u64, ldc: Int, of_c: i64, count: Int);
    ["S" f32, "D" f64, "C" C32, "Z" C64, "HSH" HalfToHalf, "HSS" HalfToSingle, "TST" BrainToBrain, "TSS" BrainToSingle]
        "gemvBatched" gemv_lists(
            trans: u32, m: Int, n: Int, alpha: u64, a: u64, lda: Int, x: u64, incx: Int, beta: u64, y: u64,
            incy: Int, count: Int);
    ["S" f32, "D" f64, "C" C32, "Z" C64, "HSH" HalfToHalf, "HSS" HalfToSingle, "TST" BrainToBrain, "TSS" BrainToSingle]
        "gemvStridedBatched" gemv_strides(
            trans: u32, m: Int, n: Int, alpha: u64, a: u64, lda: Int, of_a: i64, x: u64, incx: Int, of_x: i64,
            beta: u64, y: u64, incy: Int, of_y: i64, count: Int);
    ["S" f32, "D" f64, "C" C32, "Z" C64] "trsmBatched" trsm_lists(
        side: u32, uplo: u32, trans: u32, diag: u32, m: Int, n: Int, alpha: u64, a: u64, lda: Int, b: u64, ldb: Int,
        count: Int);
    narrow:
}
