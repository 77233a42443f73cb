//! Products and updates of matrices whose types are arguments ("cublasGemmEx" and similar
//! functions). Not supported: `cublasUint8gemmBias`, grouped products, `RotmEx`, `RotgEx` and
//! `RotmgEx`.

#![expect(clippy::extra_unused_type_parameters, reason = "the types of routines are parameters")]

use warpsim_blas::columns::Columns;
use warpsim_blas::matrices::{self, Rank};
use warpsim_blas::{C32, Element, Layout, Number, Op, Symmetry};

use super::routines;
use super::status::{Done, Status};
use super::tasks::{Task, kept, leading, op, sizes, uplo};
use super::types::{Kind, Places, Product, Typed};
use crate::process::named_once;

/// A matrix: address, type, leading dimension.
type Matrix = (u64, u32, i64);

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
    (a, of_a, lda): Matrix,
    (c, of_c, ldc): Matrix,
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

/// Reports by its name that a function is not supported.
fn absent<T: Element>(task: &Task) -> Done {
    named_once(task.name);
    Err(Status::NotSupported)
}

routines! {
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
    ["" f32] "RotgEx" absent();
    ["" f32] "RotmgEx" absent();
    ["" f32] "Uint8gemmBias" absent();
}
