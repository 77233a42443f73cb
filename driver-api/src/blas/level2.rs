//! Level 2 ("cuBLAS Level-2 Function Reference"), and `tpttr` and `trttp`.

use warpsim_blas::columns::{self, Triangle};
use warpsim_blas::{C32, C64, Layout, Number, Op, Symmetry, Uplo};

use super::routines;
use super::status::{Done, Status};
use super::tasks::{Task, Value, increment, is_unit, leading, op, size, sizes, uplo};

/// A vector: its address and its increment.
type Strided = (u64, i64);

/// `alpha op(A) x + beta y` for a matrix that lies anyhow.
fn times<T: Number>(
    task: &Task,
    op: Op,
    (a, of_a): (u64, Layout),
    [alpha, beta]: [Value<T>; 2],
    (x, incx): Strided,
    (y, incy): Strided,
) -> Done {
    let (rows, count) = (of_a.rows, of_a.columns.len());
    if rows == 0 || count == 0 {
        return Ok(());
    }
    let [of_x, of_y] = if op.is_transposed() { [rows, count] } else { [count, rows] };
    let (of_x, of_y) =
        (Layout::vector(of_x, increment(incx)?), Layout::vector(of_y, increment(incy)?));
    task.run(move |memory| {
        let (alpha, beta) = (alpha.get(memory)?, beta.get(memory)?);
        let matrix = memory.columns::<T>(a, &of_a)?;
        let given = memory.get(x, &of_x)?;
        let mut sum = memory.get(y, &of_y)?;
        columns::gemv(op, alpha, &matrix, &given, beta, &mut sum);
        memory.put(y, &of_y, &sum)
    })
}

#[expect(clippy::too_many_arguments, reason = "as many as the routine has")]
fn gemv<T: Number>(
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
) -> Done {
    let ([m, n], scalars) = (sizes([m, n])?, task.scalars([alpha, beta]));
    let layout = Layout::general(m, n, leading(lda, m)?);
    increment(incx).and(increment(incy))?;
    times::<T>(task, op(trans)?, (a, layout), scalars?, (x, incx), (y, incy))
}

#[expect(clippy::too_many_arguments, reason = "as many as the routine has")]
fn gbmv<T: Number>(
    task: &Task,
    trans: u32,
    m: i64,
    n: i64,
    kl: i64,
    ku: i64,
    alpha: u64,
    a: u64,
    lda: i64,
    x: u64,
    incx: i64,
    beta: u64,
    y: u64,
    incy: i64,
) -> Done {
    let ([m, n, kl, ku], scalars) = (sizes([m, n, kl, ku])?, task.scalars([alpha, beta]));
    let layout = Layout::band(m, n, [kl, ku], leading(lda, kl + ku + 1)?);
    increment(incx).and(increment(incy))?;
    times::<T>(task, op(trans)?, (a, layout), scalars?, (x, incx), (y, incy))
}

/// The same for a symmetric or Hermitian matrix.
fn symmetric<T: Number>(
    task: &Task,
    kind: (Uplo, Symmetry),
    (a, of_a): (u64, Layout),
    [alpha, beta]: [Value<T>; 2],
    (x, incx): Strided,
    (y, incy): Strided,
) -> Done {
    let n = of_a.rows;
    let (of_x, of_y) = (Layout::vector(n, increment(incx)?), Layout::vector(n, increment(incy)?));
    if n == 0 {
        return Ok(());
    }
    task.run(move |memory| {
        let (alpha, beta) = (alpha.get(memory)?, beta.get(memory)?);
        let matrix = memory.columns::<T>(a, &of_a)?;
        let given = memory.get(x, &of_x)?;
        let mut sum = memory.get(y, &of_y)?;
        columns::symv(kind, alpha, &matrix, &given, beta, &mut sum);
        memory.put(y, &of_y, &sum)
    })
}

/// A routine for symmetric matrices and its twin for Hermitian ones.
macro_rules! both_kinds {
    ($($symmetric:ident $hermitian:ident |$kind:ident, $task:ident, $($argument:ident: $ty:ty),*| $body:block)*) => {$(
        #[expect(clippy::too_many_arguments, reason = "as many as the routine has")]
        fn $symmetric<T: Number>($task: &Task, $($argument: $ty),*) -> Done {
            let $kind = Symmetry::Symmetric;
            $body
        }

        #[expect(clippy::too_many_arguments, reason = "as many as the routine has")]
        fn $hermitian<T: Number>($task: &Task, $($argument: $ty),*) -> Done {
            let $kind = Symmetry::Hermitian;
            $body
        }
    )*};
}

both_kinds! {
    symv hemv |kind, task, fill: u32, n: i64, alpha: u64, a: u64, lda: i64, x: u64, incx: i64, beta: u64, y: u64, incy: i64| {
        let (uplo, n) = (uplo(fill)?, size(n)?);
        let layout = Layout::triangle(uplo, n, leading(lda, n)?);
        let scalars = task.scalars([alpha, beta])?;
        symmetric::<T>(task, (uplo, kind), (a, layout), scalars, (x, incx), (y, incy))
    }
    sbmv hbmv |kind, task, fill: u32, n: i64, k: i64, alpha: u64, a: u64, lda: i64, x: u64, incx: i64, beta: u64, y: u64, incy: i64| {
        let (uplo, [n, k]) = (uplo(fill)?, sizes([n, k])?);
        let layout = Layout::triangular_band(uplo, n, k, leading(lda, k + 1)?);
        let scalars = task.scalars([alpha, beta])?;
        symmetric::<T>(task, (uplo, kind), (a, layout), scalars, (x, incx), (y, incy))
    }
    spmv hpmv |kind, task, fill: u32, n: i64, alpha: u64, a: u64, x: u64, incx: i64, beta: u64, y: u64, incy: i64| {
        let (uplo, n) = (uplo(fill)?, size(n)?);
        let scalars = task.scalars([alpha, beta])?;
        symmetric::<T>(task, (uplo, kind), (a, Layout::packed(uplo, n)), scalars, (x, incx), (y, incy))
    }
    syr2 her2 |kind, task, fill: u32, n: i64, alpha: u64, x: u64, incx: i64, y: u64, incy: i64, a: u64, lda: i64| {
        let (uplo, n) = (uplo(fill)?, size(n)?);
        let layout = Layout::triangle(uplo, n, leading(lda, n)?);
        rank_two::<T>(task, kind, alpha, (x, incx), (y, incy), (a, layout))
    }
    spr2 hpr2 |kind, task, fill: u32, n: i64, alpha: u64, x: u64, incx: i64, y: u64, incy: i64, a: u64| {
        let (uplo, n) = (uplo(fill)?, size(n)?);
        rank_two::<T>(task, kind, alpha, (x, incx), (y, incy), (a, Layout::packed(uplo, n)))
    }
}

fn rank_two<T: Number>(
    task: &Task,
    kind: Symmetry,
    alpha: u64,
    (x, incx): Strided,
    (y, incy): Strided,
    (a, of_a): (u64, Layout),
) -> Done {
    let alpha = task.scalar::<T>(alpha)?;
    let n = of_a.rows;
    let (of_x, of_y) = (Layout::vector(n, increment(incx)?), Layout::vector(n, increment(incy)?));
    if n == 0 || alpha.is(T::ZERO) {
        return Ok(());
    }
    task.run(move |memory| {
        let alpha = alpha.get(memory)?;
        let mut matrix = memory.columns::<T>(a, &of_a)?;
        let (one, other) = (memory.get(x, &of_x)?, memory.get(y, &of_y)?);
        columns::syr2(kind, alpha, &one, &other, &mut matrix);
        memory.put(a, &of_a, &matrix.data)
    })
}

/// `alpha` has its own type: real where the matrix is Hermitian.
fn rank_one<T: Number, S: Number>(
    task: &Task,
    (kind, of): (Symmetry, fn(S) -> T),
    alpha: u64,
    (x, incx): Strided,
    (a, of_a): (u64, Layout),
) -> Done {
    let alpha = task.scalar::<S>(alpha)?;
    let of_x = Layout::vector(of_a.rows, increment(incx)?);
    if of_a.rows == 0 || alpha.is(S::ZERO) {
        return Ok(());
    }
    task.run(move |memory| {
        let alpha = of(alpha.get(memory)?);
        let mut matrix = memory.columns::<T>(a, &of_a)?;
        columns::syr(kind, alpha, &memory.get(x, &of_x)?, &mut matrix);
        memory.put(a, &of_a, &matrix.data)
    })
}

#[expect(clippy::too_many_arguments, reason = "as many as the routine has")]
fn syr<T: Number>(
    task: &Task,
    fill: u32,
    n: i64,
    alpha: u64,
    x: u64,
    incx: i64,
    a: u64,
    lda: i64,
) -> Done {
    let (uplo, n) = (uplo(fill)?, size(n)?);
    let layout = Layout::triangle(uplo, n, leading(lda, n)?);
    rank_one::<T, T>(task, (Symmetry::Symmetric, |s| s), alpha, (x, incx), (a, layout))
}

#[expect(clippy::too_many_arguments, reason = "as many as the routine has")]
fn her<T: Number>(
    task: &Task,
    fill: u32,
    n: i64,
    alpha: u64,
    x: u64,
    incx: i64,
    a: u64,
    lda: i64,
) -> Done {
    let (uplo, n) = (uplo(fill)?, size(n)?);
    let layout = Layout::triangle(uplo, n, leading(lda, n)?);
    let kind = (Symmetry::Hermitian, T::from_real as fn(T::Real) -> T);
    rank_one::<T, T::Real>(task, kind, alpha, (x, incx), (a, layout))
}

fn spr<T: Number>(task: &Task, fill: u32, n: i64, alpha: u64, x: u64, incx: i64, a: u64) -> Done {
    let layout = Layout::packed(uplo(fill)?, size(n)?);
    rank_one::<T, T>(task, (Symmetry::Symmetric, |s| s), alpha, (x, incx), (a, layout))
}

fn hpr<T: Number>(task: &Task, fill: u32, n: i64, alpha: u64, x: u64, incx: i64, a: u64) -> Done {
    let layout = Layout::packed(uplo(fill)?, size(n)?);
    let kind = (Symmetry::Hermitian, T::from_real as fn(T::Real) -> T);
    rank_one::<T, T::Real>(task, kind, alpha, (x, incx), (a, layout))
}

fn outer<T: Number>(
    task: &Task,
    ([m, n], alpha): ([i64; 2], u64),
    (x, incx): Strided,
    (y, incy): Strided,
    (a, lda): (u64, i64),
    is_conjugated: bool,
) -> Done {
    let ([m, n], alpha) = (sizes([m, n])?, task.scalar::<T>(alpha)?);
    let of_a = Layout::general(m, n, leading(lda, m)?);
    let (of_x, of_y) = (Layout::vector(m, increment(incx)?), Layout::vector(n, increment(incy)?));
    if m == 0 || n == 0 || alpha.is(T::ZERO) {
        return Ok(());
    }
    task.run(move |memory| {
        let alpha = alpha.get(memory)?;
        let mut matrix = memory.columns::<T>(a, &of_a)?;
        let (one, other) = (memory.get(x, &of_x)?, memory.get(y, &of_y)?);
        columns::ger(alpha, &one, &other, is_conjugated, &mut matrix);
        memory.put(a, &of_a, &matrix.data)
    })
}

#[expect(clippy::too_many_arguments, reason = "as many as the routine has")]
fn ger<T: Number>(
    task: &Task,
    m: i64,
    n: i64,
    alpha: u64,
    x: u64,
    incx: i64,
    y: u64,
    incy: i64,
    a: u64,
    lda: i64,
) -> Done {
    outer::<T>(task, ([m, n], alpha), (x, incx), (y, incy), (a, lda), false)
}

#[expect(clippy::too_many_arguments, reason = "as many as the routine has")]
fn gerc<T: Number>(
    task: &Task,
    m: i64,
    n: i64,
    alpha: u64,
    x: u64,
    incx: i64,
    y: u64,
    incy: i64,
    a: u64,
    lda: i64,
) -> Done {
    outer::<T>(task, ([m, n], alpha), (x, incx), (y, incy), (a, lda), true)
}

/// `op(A) x` of a triangle, or the solution.
fn triangular<T: Number>(
    task: &Task,
    [fill, trans, diag]: [u32; 3],
    (a, of_a): (u64, Layout),
    (x, incx): Strided,
    does: fn(Triangle, &columns::Columns<T>, &mut [T]),
) -> Done {
    let triangle = Triangle { uplo: uplo(fill)?, op: op(trans)?, is_unit: is_unit(diag)? };
    let of_x = Layout::vector(of_a.rows, increment(incx)?);
    if of_a.rows == 0 {
        return Ok(());
    }
    task.run(move |memory| {
        let matrix = memory.columns::<T>(a, &of_a)?;
        let mut all = memory.get(x, &of_x)?;
        does(triangle, &matrix, &mut all);
        memory.put(x, &of_x, &all)
    })
}

/// A product with a triangle and the solution of it, by each way in which a triangle lies.
macro_rules! triangles {
    ($($full:ident $band:ident $packed:ident = $does:path;)*) => {$(
        #[expect(clippy::too_many_arguments, reason = "as many as the routine has")]
        fn $full<T: Number>(
            task: &Task, fill: u32, trans: u32, diag: u32, n: i64, a: u64, lda: i64, x: u64, incx: i64,
        ) -> Done {
            let n = size(n)?;
            let layout = Layout::triangle(uplo(fill)?, n, leading(lda, n)?);
            triangular::<T>(task, [fill, trans, diag], (a, layout), (x, incx), $does)
        }

        #[expect(clippy::too_many_arguments, reason = "as many as the routine has")]
        fn $band<T: Number>(
            task: &Task, fill: u32, trans: u32, diag: u32, n: i64, k: i64, a: u64, lda: i64, x: u64, incx: i64,
        ) -> Done {
            let [n, k] = sizes([n, k])?;
            let layout = Layout::triangular_band(uplo(fill)?, n, k, leading(lda, k + 1)?);
            triangular::<T>(task, [fill, trans, diag], (a, layout), (x, incx), $does)
        }

        #[expect(clippy::too_many_arguments, reason = "as many as the routine has")]
        fn $packed<T: Number>(
            task: &Task, fill: u32, trans: u32, diag: u32, n: i64, a: u64, x: u64, incx: i64,
        ) -> Done {
            let layout = Layout::packed(uplo(fill)?, size(n)?);
            triangular::<T>(task, [fill, trans, diag], (a, layout), (x, incx), $does)
        }
    )*};
}

triangles! {
    trmv tbmv tpmv = columns::trmv;
    trsv tbsv tpsv = columns::trsv;
}

/// A triangle from one layout to another.
fn moved<T: Number>(
    task: &Task,
    (from, of_from): (u64, Layout),
    (to, of_to): (u64, Layout),
) -> Done {
    if of_from.rows == 0 {
        return Ok(());
    }
    if from == 0 || to == 0 {
        return Err(Status::InvalidValue);
    }
    task.run(move |memory| {
        let all = memory.get::<T>(from, &of_from)?;
        memory.put(to, &of_to, &all)
    })
}

fn tpttr<T: Number>(task: &Task, fill: u32, n: i64, packed: u64, a: u64, lda: i64) -> Done {
    let (uplo, n) = (uplo(fill)?, size(n)?);
    let full = Layout::triangle(uplo, n, leading(lda, n)?);
    moved::<T>(task, (packed, Layout::packed(uplo, n)), (a, full))
}

fn trttp<T: Number>(task: &Task, fill: u32, n: i64, a: u64, lda: i64, packed: u64) -> Done {
    let (uplo, n) = (uplo(fill)?, size(n)?);
    let full = Layout::triangle(uplo, n, leading(lda, n)?);
    moved::<T>(task, (a, full), (packed, Layout::packed(uplo, n)))
}

routines! {
    ["S" f32, "D" f64, "C" C32, "Z" C64] "gemv_v2" gemv(
        trans: u32, m: Int, n: Int, alpha: u64, a: u64, lda: Int, x: u64, incx: Int, beta: u64, y: u64, incy: Int);
    ["S" f32, "D" f64, "C" C32, "Z" C64] "gbmv_v2" gbmv(
        trans: u32, m: Int, n: Int, kl: Int, ku: Int, alpha: u64, a: u64, lda: Int, x: u64, incx: Int, beta: u64,
        y: u64, incy: Int);
    ["S" f32, "D" f64, "C" C32, "Z" C64] "symv_v2" symv(
        uplo: u32, n: Int, alpha: u64, a: u64, lda: Int, x: u64, incx: Int, beta: u64, y: u64, incy: Int);
    ["C" C32, "Z" C64] "hemv_v2" hemv(
        uplo: u32, n: Int, alpha: u64, a: u64, lda: Int, x: u64, incx: Int, beta: u64, y: u64, incy: Int);
    ["S" f32, "D" f64] "sbmv_v2" sbmv(
        uplo: u32, n: Int, k: Int, alpha: u64, a: u64, lda: Int, x: u64, incx: Int, beta: u64, y: u64, incy: Int);
    ["C" C32, "Z" C64] "hbmv_v2" hbmv(
        uplo: u32, n: Int, k: Int, alpha: u64, a: u64, lda: Int, x: u64, incx: Int, beta: u64, y: u64, incy: Int);
    ["S" f32, "D" f64] "spmv_v2" spmv(
        uplo: u32, n: Int, alpha: u64, a: u64, x: u64, incx: Int, beta: u64, y: u64, incy: Int);
    ["C" C32, "Z" C64] "hpmv_v2" hpmv(
        uplo: u32, n: Int, alpha: u64, a: u64, x: u64, incx: Int, beta: u64, y: u64, incy: Int);
    ["S" f32, "D" f64] "ger_v2" ger(
        m: Int, n: Int, alpha: u64, x: u64, incx: Int, y: u64, incy: Int, a: u64, lda: Int);
    ["C" C32, "Z" C64] "geru_v2" ger(
        m: Int, n: Int, alpha: u64, x: u64, incx: Int, y: u64, incy: Int, a: u64, lda: Int);
    ["C" C32, "Z" C64] "gerc_v2" gerc(
        m: Int, n: Int, alpha: u64, x: u64, incx: Int, y: u64, incy: Int, a: u64, lda: Int);
    ["S" f32, "D" f64, "C" C32, "Z" C64] "syr_v2" syr(
        uplo: u32, n: Int, alpha: u64, x: u64, incx: Int, a: u64, lda: Int);
    ["C" C32, "Z" C64] "her_v2" her(uplo: u32, n: Int, alpha: u64, x: u64, incx: Int, a: u64, lda: Int);
    ["S" f32, "D" f64] "spr_v2" spr(uplo: u32, n: Int, alpha: u64, x: u64, incx: Int, a: u64);
    ["C" C32, "Z" C64] "hpr_v2" hpr(uplo: u32, n: Int, alpha: u64, x: u64, incx: Int, a: u64);
    ["S" f32, "D" f64, "C" C32, "Z" C64] "syr2_v2" syr2(
        uplo: u32, n: Int, alpha: u64, x: u64, incx: Int, y: u64, incy: Int, a: u64, lda: Int);
    ["C" C32, "Z" C64] "her2_v2" her2(
        uplo: u32, n: Int, alpha: u64, x: u64, incx: Int, y: u64, incy: Int, a: u64, lda: Int);
    ["S" f32, "D" f64] "spr2_v2" spr2(
        uplo: u32, n: Int, alpha: u64, x: u64, incx: Int, y: u64, incy: Int, a: u64);
    ["C" C32, "Z" C64] "hpr2_v2" hpr2(
        uplo: u32, n: Int, alpha: u64, x: u64, incx: Int, y: u64, incy: Int, a: u64);
    ["S" f32, "D" f64, "C" C32, "Z" C64] "trmv_v2" trmv(
        uplo: u32, trans: u32, diag: u32, n: Int, a: u64, lda: Int, x: u64, incx: Int);
    ["S" f32, "D" f64, "C" C32, "Z" C64] "tbmv_v2" tbmv(
        uplo: u32, trans: u32, diag: u32, n: Int, k: Int, a: u64, lda: Int, x: u64, incx: Int);
    ["S" f32, "D" f64, "C" C32, "Z" C64] "tpmv_v2" tpmv(
        uplo: u32, trans: u32, diag: u32, n: Int, a: u64, x: u64, incx: Int);
    ["S" f32, "D" f64, "C" C32, "Z" C64] "trsv_v2" trsv(
        uplo: u32, trans: u32, diag: u32, n: Int, a: u64, lda: Int, x: u64, incx: Int);
    ["S" f32, "D" f64, "C" C32, "Z" C64] "tbsv_v2" tbsv(
        uplo: u32, trans: u32, diag: u32, n: Int, k: Int, a: u64, lda: Int, x: u64, incx: Int);
    ["S" f32, "D" f64, "C" C32, "Z" C64] "tpsv_v2" tpsv(
        uplo: u32, trans: u32, diag: u32, n: Int, a: u64, x: u64, incx: Int);
    narrow:
    ["S" f32, "D" f64, "C" C32, "Z" C64] "tpttr" tpttr(uplo: u32, n: Int, packed: u64, a: u64, lda: Int);
    ["S" f32, "D" f64, "C" C32, "Z" C64] "trttp" trttp(uplo: u32, n: Int, a: u64, lda: Int, packed: u64);
}
