//! Level 3 ("cuBLAS Level-3 Function Reference"), and `geam` and `dgmm`.

use warpsim_blas::columns::{Columns, Triangle};
use warpsim_blas::matrices::{self, Rank, Side};
use warpsim_blas::product::Factor;
use warpsim_blas::{C32, C64, Layout, Number, Symmetry};

use super::routines;
use super::status::{Done, Status};
use super::tasks::{Task, Value, increment, is_unit, kept, leading, op, side, sizes, uplo};

/// A matrix: its address and its leading dimension.
type Matrix = (u64, i64);

#[expect(clippy::too_many_arguments, reason = "as many as the routine has")]
pub(super) fn gemm<T: Number + Factor>(
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
    let (ops, [m, n, k]) = ((op(transa)?, op(transb)?), sizes([m, n, k])?);
    let (shape_a, shape_b) = (kept(ops.0, [m, k]), kept(ops.1, [k, n]));
    let of_a = Layout::general(shape_a[0], shape_a[1], leading(lda, shape_a[0])?);
    let of_b = Layout::general(shape_b[0], shape_b[1], leading(ldb, shape_b[0])?);
    let of_c = Layout::general(m, n, leading(ldc, m)?);
    let [alpha, beta] = task.scalars::<T, 2>([alpha, beta])?;
    if m == 0 || n == 0 {
        return Ok(());
    }
    task.run(move |memory| {
        let (alpha, beta) = (alpha.get(memory)?, beta.get(memory)?);
        let mut all = memory.get::<T>(c, &of_c)?;
        let (a, b) = match k == 0 || alpha == T::ZERO {
            true => (Vec::new(), Vec::new()),
            false => (memory.get(a, &of_a)?, memory.get(b, &of_b)?),
        };
        let inner = if a.is_empty() { 0 } else { k };
        matrices::gemm(ops, [m, n, inner], alpha, (a, b), beta, &mut all);
        memory.put(c, &of_c, &all)
    })
}

/// `symm`, `hemm`.
fn symmetric<T: Number + Factor>(
    task: &Task,
    kind: (u32, u32, Symmetry),
    [m, n]: [i64; 2],
    [alpha, beta]: [u64; 2],
    [(a, lda), (b, ldb), (c, ldc)]: [Matrix; 3],
) -> Done {
    let ((side, uplo), [m, n]) = ((side(kind.0)?, uplo(kind.1)?), sizes([m, n])?);
    let order = if side == Side::Left { m } else { n };
    let of_a = Layout::triangle(uplo, order, leading(lda, order)?);
    let of_b = Layout::general(m, n, leading(ldb, m)?);
    let of_c = Layout::general(m, n, leading(ldc, m)?);
    let [alpha, beta] = task.scalars::<T, 2>([alpha, beta])?;
    if m == 0 || n == 0 {
        return Ok(());
    }
    task.run(move |memory| {
        let (alpha, beta) = (alpha.get(memory)?, beta.get(memory)?);
        let (a, b) = (memory.columns::<T>(a, &of_a)?, memory.get(b, &of_b)?);
        let mut all = memory.get(c, &of_c)?;
        let kind = (side, uplo, kind.2);
        matrices::symm(kind, [m, n], alpha, (&a, b), beta, &mut all);
        memory.put(c, &of_c, &all)
    })
}

/// How scalars become numbers of the matrix. The scalars of Hermitian updates are real.
type Scalars<T, A, B> = (fn(A) -> T, fn(B) -> T);

/// A program's arguments for a rank-k update: fill mode, transposition, sizes.
type Update = (u32, u32, [i64; 2]);

/// What changes a triangle.
type Updates<T> = fn(Rank<T>, Vec<T>, Vec<T>, &mut Columns<T>);

/// `syrk`, `syrkx`, `syr2k` and those for Hermitian matrices.
fn rank_k<T: Number + Factor, A: Number, B: Number>(
    task: &Task,
    (fill, trans, [n, k]): Update,
    (symmetry, of): (Symmetry, Scalars<T, A, B>),
    [alpha, beta]: [u64; 2],
    [(a, lda), (b, ldb), (c, ldc)]: [Matrix; 3],
    does: Updates<T>,
) -> Done {
    let ((uplo, op), [n, k]) = ((uplo(fill)?, op(trans)?), sizes([n, k])?);
    // A Hermitian update has no transposition without conjugation.
    if symmetry == Symmetry::Hermitian && trans == 1 {
        return Err(Status::InvalidValue);
    }
    let [rows, count] = kept(op, [n, k]);
    let of_a = Layout::general(rows, count, leading(lda, rows)?);
    let of_b = Layout::general(rows, count, leading(ldb, rows)?);
    let of_c = Layout::triangle(uplo, n, leading(ldc, n)?);
    let (alpha, beta): (Value<A>, Value<B>) = (task.scalar(alpha)?, task.scalar(beta)?);
    if n == 0 {
        return Ok(());
    }
    task.run(move |memory| {
        let (alpha, beta) = (of.0(alpha.get(memory)?), of.1(beta.get(memory)?));
        let one = memory.get::<T>(a, &of_a)?;
        let other = if a == b { one.clone() } else { memory.get(b, &of_b)? };
        let mut all = memory.columns(c, &of_c)?;
        let op = if symmetry == Symmetry::Symmetric && op.is_transposed() {
            warpsim_blas::Op::Transposed
        } else {
            op
        };
        does(Rank { symmetry, op, n, k, alpha, beta }, one, other, &mut all);
        memory.put(c, &of_c, &all.data)
    })
}

/// Routines that take their many arguments one by one, as the macro that calls them passes them.
macro_rules! updates {
    ($($name:ident<$alpha:ty, $beta:ty> $symmetry:ident ($of_alpha:expr, $of_beta:expr) $does:path;)*) => {$(
        #[expect(clippy::too_many_arguments, reason = "as many as the routine has")]
        fn $name<T: Number + Factor>(
            task: &Task, fill: u32, trans: u32, n: i64, k: i64, alpha: u64, a: u64, lda: i64, b: u64, ldb: i64,
            beta: u64, c: u64, ldc: i64,
        ) -> Done {
            let of: Scalars<T, $alpha, $beta> = ($of_alpha, $of_beta);
            rank_k(
                task, (fill, trans, [n, k]), (Symmetry::$symmetry, of), [alpha, beta],
                [(a, lda), (b, ldb), (c, ldc)], $does)
        }
    )*};
}

updates! {
    syrkx<T, T> Symmetric (|s| s, |s| s) matrices::syrkx;
    syr2k<T, T> Symmetric (|s| s, |s| s) matrices::syr2k;
    herkx<T, T::Real> Hermitian (|s| s, T::from_real) matrices::syrkx;
    her2k<T, T::Real> Hermitian (|s| s, T::from_real) matrices::syr2k;
    of_one<T::Real, T::Real> Hermitian (T::from_real, T::from_real) matrices::syrkx;
}

#[expect(clippy::too_many_arguments, reason = "as many as the routine has")]
fn syrk<T: Number + Factor>(
    task: &Task,
    fill: u32,
    trans: u32,
    n: i64,
    k: i64,
    alpha: u64,
    a: u64,
    lda: i64,
    beta: u64,
    c: u64,
    ldc: i64,
) -> Done {
    syrkx::<T>(task, fill, trans, n, k, alpha, a, lda, a, lda, beta, c, ldc)
}

#[expect(clippy::too_many_arguments, reason = "as many as the routine has")]
fn herk<T: Number + Factor>(
    task: &Task,
    fill: u32,
    trans: u32,
    n: i64,
    k: i64,
    alpha: u64,
    a: u64,
    lda: i64,
    beta: u64,
    c: u64,
    ldc: i64,
) -> Done {
    of_one::<T>(task, fill, trans, n, k, alpha, a, lda, a, lda, beta, c, ldc)
}

#[expect(clippy::too_many_arguments, reason = "as many as the routine has")]
fn symm<T: Number + Factor>(
    task: &Task,
    side: u32,
    fill: u32,
    m: i64,
    n: i64,
    alpha: u64,
    a: u64,
    lda: i64,
    b: u64,
    ldb: i64,
    beta: u64,
    c: u64,
    ldc: i64,
) -> Done {
    let kind = (side, fill, Symmetry::Symmetric);
    symmetric::<T>(task, kind, [m, n], [alpha, beta], [(a, lda), (b, ldb), (c, ldc)])
}

#[expect(clippy::too_many_arguments, reason = "as many as the routine has")]
fn hemm<T: Number + Factor>(
    task: &Task,
    side: u32,
    fill: u32,
    m: i64,
    n: i64,
    alpha: u64,
    a: u64,
    lda: i64,
    b: u64,
    ldb: i64,
    beta: u64,
    c: u64,
    ldc: i64,
) -> Done {
    let kind = (side, fill, Symmetry::Hermitian);
    symmetric::<T>(task, kind, [m, n], [alpha, beta], [(a, lda), (b, ldb), (c, ldc)])
}

/// The arguments of `trmm` and `trsm`: side, fill mode, transposition, diagonal.
type Kind = [u32; 4];

/// Reads these arguments.
pub(super) fn triangle([of_side, fill, trans, diag]: Kind) -> Done<(Side, Triangle)> {
    let triangle = Triangle { uplo: uplo(fill)?, op: op(trans)?, is_unit: is_unit(diag)? };
    Ok((side(of_side)?, triangle))
}

/// What a triangle does to a matrix.
type Applies<T> = fn((Side, Triangle), [usize; 2], T, &Columns<T>, Vec<T>) -> Vec<T>;

/// From B to C.
fn triangular<T: Number>(
    task: &Task,
    kind: Kind,
    ([m, n], alpha): ([i64; 2], u64),
    [(a, lda), (b, ldb), (c, ldc)]: [Matrix; 3],
    does: Applies<T>,
) -> Done {
    let (kind, [m, n]) = (triangle(kind)?, sizes([m, n])?);
    let order = if kind.0 == Side::Left { m } else { n };
    let of_a = Layout::triangle(kind.1.uplo, order, leading(lda, order)?);
    let of_b = Layout::general(m, n, leading(ldb, m)?);
    let of_c = Layout::general(m, n, leading(ldc, m)?);
    let alpha = task.scalar::<T>(alpha)?;
    if m == 0 || n == 0 {
        return Ok(());
    }
    task.run(move |memory| {
        let alpha = alpha.get(memory)?;
        let all = match alpha == T::ZERO {
            true => vec![T::ZERO; m * n],
            false => {
                let (a, b) = (memory.columns::<T>(a, &of_a)?, memory.get(b, &of_b)?);
                does(kind, [m, n], alpha, &a, b)
            }
        };
        memory.put(c, &of_c, &all)
    })
}

#[expect(clippy::too_many_arguments, reason = "as many as the routine has")]
fn trmm<T: Number>(
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
    c: u64,
    ldc: i64,
) -> Done {
    let of = [(a, lda), (b, ldb), (c, ldc)];
    triangular::<T>(task, [side, fill, trans, diag], ([m, n], alpha), of, matrices::trmm)
}

#[expect(clippy::too_many_arguments, reason = "as many as the routine has")]
fn trsm<T: Number>(
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
) -> Done {
    let of = [(a, lda), (b, ldb), (b, ldb)];
    triangular::<T>(task, [side, fill, trans, diag], ([m, n], alpha), of, matrices::trsm)
}

#[expect(clippy::too_many_arguments, reason = "as many as the routine has")]
fn geam<T: Number>(
    task: &Task,
    transa: u32,
    transb: u32,
    m: i64,
    n: i64,
    alpha: u64,
    a: u64,
    lda: i64,
    beta: u64,
    b: u64,
    ldb: i64,
    c: u64,
    ldc: i64,
) -> Done {
    let (ops, [m, n]) = ((op(transa)?, op(transb)?), sizes([m, n])?);
    let (shape_a, shape_b) = (kept(ops.0, [m, n]), kept(ops.1, [m, n]));
    let of_a = Layout::general(shape_a[0], shape_a[1], leading(lda, shape_a[0])?);
    let of_b = Layout::general(shape_b[0], shape_b[1], leading(ldb, shape_b[0])?);
    let of_c = Layout::general(m, n, leading(ldc, m)?);
    let [alpha, beta] = task.scalars::<T, 2>([alpha, beta])?;
    // The result may have the place of an operand only if both have the same layout.
    let is_misplaced =
        |of: u64, op: warpsim_blas::Op, ld: i64| of == c && (op.is_transposed() || ld != ldc);
    if is_misplaced(a, ops.0, lda) || is_misplaced(b, ops.1, ldb) {
        return Err(Status::InvalidValue);
    }
    if m == 0 || n == 0 {
        return Ok(());
    }
    task.run(move |memory| {
        let (alpha, beta) = (alpha.get(memory)?, beta.get(memory)?);
        let a = if alpha == T::ZERO { Vec::new() } else { memory.get::<T>(a, &of_a)? };
        let b = if beta == T::ZERO { Vec::new() } else { memory.get::<T>(b, &of_b)? };
        let all = matrices::geam(ops, [m, n], (alpha, a), (beta, b));
        memory.put(c, &of_c, &all)
    })
}

#[expect(clippy::too_many_arguments, reason = "as many as the routine has")]
fn dgmm<T: Number>(
    task: &Task,
    mode: u32,
    m: i64,
    n: i64,
    a: u64,
    lda: i64,
    x: u64,
    incx: i64,
    c: u64,
    ldc: i64,
) -> Done {
    let (side, [m, n]) = (side(mode)?, sizes([m, n])?);
    let of_a = Layout::general(m, n, leading(lda, m)?);
    let of_c = Layout::general(m, n, leading(ldc, m)?);
    let count = if side == Side::Left { m } else { n };
    let of_x = Layout::vector(count, increment(incx)?);
    if m == 0 || n == 0 {
        return Ok(());
    }
    task.run(move |memory| {
        let mut all = memory.get::<T>(a, &of_a)?;
        let x = memory.get(x, &of_x)?;
        matrices::dgmm(side, [m, n], &mut all, &x);
        memory.put(c, &of_c, &all)
    })
}

routines! {
    ["S" f32, "D" f64, "C" C32, "Z" C64] "gemm_v2" gemm(
        transa: u32, transb: u32, m: Int, n: Int, k: Int, alpha: u64, a: u64, lda: Int, b: u64, ldb: Int, beta: u64,
        c: u64, ldc: Int);
    ["C" C32, "Z" C64] "gemm3m" gemm(
        transa: u32, transb: u32, m: Int, n: Int, k: Int, alpha: u64, a: u64, lda: Int, b: u64, ldb: Int, beta: u64,
        c: u64, ldc: Int);
    ["S" f32, "D" f64, "C" C32, "Z" C64] "symm_v2" symm(
        side: u32, uplo: u32, m: Int, n: Int, alpha: u64, a: u64, lda: Int, b: u64, ldb: Int, beta: u64, c: u64,
        ldc: Int);
    ["C" C32, "Z" C64] "hemm_v2" hemm(
        side: u32, uplo: u32, m: Int, n: Int, alpha: u64, a: u64, lda: Int, b: u64, ldb: Int, beta: u64, c: u64,
        ldc: Int);
    ["S" f32, "D" f64, "C" C32, "Z" C64] "syrk_v2" syrk(
        uplo: u32, trans: u32, n: Int, k: Int, alpha: u64, a: u64, lda: Int, beta: u64, c: u64, ldc: Int);
    ["C" C32, "Z" C64] "herk_v2" herk(
        uplo: u32, trans: u32, n: Int, k: Int, alpha: u64, a: u64, lda: Int, beta: u64, c: u64, ldc: Int);
    ["S" f32, "D" f64, "C" C32, "Z" C64] "syr2k_v2" syr2k(
        uplo: u32, trans: u32, n: Int, k: Int, alpha: u64, a: u64, lda: Int, b: u64, ldb: Int, beta: u64, c: u64,
        ldc: Int);
    ["C" C32, "Z" C64] "her2k_v2" her2k(
        uplo: u32, trans: u32, n: Int, k: Int, alpha: u64, a: u64, lda: Int, b: u64, ldb: Int, beta: u64, c: u64,
        ldc: Int);
    ["S" f32, "D" f64, "C" C32, "Z" C64] "syrkx" syrkx(
        uplo: u32, trans: u32, n: Int, k: Int, alpha: u64, a: u64, lda: Int, b: u64, ldb: Int, beta: u64, c: u64,
        ldc: Int);
    ["C" C32, "Z" C64] "herkx" herkx(
        uplo: u32, trans: u32, n: Int, k: Int, alpha: u64, a: u64, lda: Int, b: u64, ldb: Int, beta: u64, c: u64,
        ldc: Int);
    ["S" f32, "D" f64, "C" C32, "Z" C64] "trmm_v2" trmm(
        side: u32, uplo: u32, trans: u32, diag: u32, m: Int, n: Int, alpha: u64, a: u64, lda: Int, b: u64, ldb: Int,
        c: u64, ldc: Int);
    ["S" f32, "D" f64, "C" C32, "Z" C64] "trsm_v2" trsm(
        side: u32, uplo: u32, trans: u32, diag: u32, m: Int, n: Int, alpha: u64, a: u64, lda: Int, b: u64, ldb: Int);
    ["S" f32, "D" f64, "C" C32, "Z" C64] "geam" geam(
        transa: u32, transb: u32, m: Int, n: Int, alpha: u64, a: u64, lda: Int, beta: u64, b: u64, ldb: Int, c: u64,
        ldc: Int);
    ["S" f32, "D" f64, "C" C32, "Z" C64] "dgmm" dgmm(
        mode: u32, m: Int, n: Int, a: u64, lda: Int, x: u64, incx: Int, c: u64, ldc: Int);
    narrow:
}
