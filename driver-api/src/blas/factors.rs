//! Factors, inverses and least squares of many small matrices (`cublas<t>getrfBatched`,
//! "getrsBatched", "getriBatched", "matinvBatched", "geqrfBatched", "gelsBatched").
//!
//! Not supported: least squares of matrices with fewer rows than columns, or of transposed ones, as
//! in cuBLAS.

use warpsim_blas::product::Factor;
use warpsim_blas::{C32, C64, Layout, Number, factors};
use warpsim_driver_core::Answer;

use super::routines;
use super::status::{Done, Status};
use super::tasks::{Memory, Task, host_put, leading, op, size, sizes};
use super::types::Places;

/// The largest matrix that `matinvBatched` takes.
const MOST_INVERTED: usize = 32;

/// Puts the status of a matrix where the program wants it.
fn told(memory: &mut Memory<'_, '_, '_>, infos: u64, index: usize, info: i32) -> Answer<()> {
    memory.set(infos.wrapping_add(4 * index as u64), info)
}

/// The number of the wrong argument, for functions that report it through a pointer of the host.
fn checked(info: u64, wrong: &[(bool, i32)]) -> Done {
    if info == 0 {
        return Err(Status::InvalidValue);
    }
    let first = wrong.iter().find(|(is_wrong, _)| *is_wrong).map(|(_, number)| -number);
    host_put(info, first.unwrap_or(0))?;
    if first.is_some() { Err(Status::InvalidValue) } else { Ok(()) }
}

/// The exchanges of rows of a matrix; none where there is no list.
fn pivots(
    memory: &mut Memory<'_, '_, '_>,
    list: u64,
    index: usize,
    n: usize,
) -> Answer<Option<Vec<i32>>> {
    if list == 0 {
        return Ok(None);
    }
    let at = list.wrapping_add((4 * index * n) as u64);
    memory.get::<i32>(at, &Layout::vector(n, 1)).map(Some)
}

fn getrf<T: Number>(
    task: &Task,
    n: i64,
    a: u64,
    lda: i64,
    list: u64,
    infos: u64,
    count: i64,
) -> Done {
    let ([n, count], a) = (sizes([n, count])?, Places::Listed(a));
    let of_a = Layout::general(n, n, leading(lda, n)?);
    if n == 0 || count == 0 {
        return Ok(());
    }
    task.run(move |memory| {
        (0..count).try_for_each(|index| {
            let a = a.at(memory, index)?;
            let mut all = memory.get::<T>(a, &of_a)?;
            let (pivots, info) = factors::getrf(n, &mut all, list != 0);
            memory.put(a, &of_a, &all)?;
            if list != 0 {
                let at = list.wrapping_add((4 * index * n) as u64);
                memory.put(at, &Layout::vector(n, 1), &pivots)?;
            }
            told(memory, infos, index, info)
        })
    })
}

#[expect(clippy::too_many_arguments, reason = "as many as the routine has")]
fn getri<T: Number>(
    task: &Task,
    n: i64,
    a: u64,
    lda: i64,
    list: u64,
    c: u64,
    ldc: i64,
    infos: u64,
    count: i64,
) -> Done {
    let ([n, count], a, c) = (sizes([n, count])?, Places::Listed(a), Places::Listed(c));
    let of_a = Layout::general(n, n, leading(lda, n)?);
    let of_c = Layout::general(n, n, leading(ldc, n)?);
    if n == 0 || count == 0 {
        return Ok(());
    }
    task.run(move |memory| {
        (0..count).try_for_each(|index| {
            let [a, c] = [a.at(memory, index)?, c.at(memory, index)?];
            let all = memory.get::<T>(a, &of_a)?;
            let pivots = pivots(memory, list, index, n)?;
            let (inverse, info) = factors::getri(n, &all, pivots.as_deref());
            if info == 0 {
                memory.put(c, &of_c, &inverse)?;
            }
            told(memory, infos, index, info)
        })
    })
}

#[expect(clippy::too_many_arguments, reason = "as many as the routine has")]
fn getrs<T: Number>(
    task: &Task,
    trans: u32,
    n: i64,
    columns: i64,
    a: u64,
    lda: i64,
    list: u64,
    b: u64,
    ldb: i64,
    info: u64,
    count: i64,
) -> Done {
    let is_short = |ld: i64| ld < n.max(1);
    checked(
        info,
        &[
            (op(trans).is_err(), 1),
            (n < 0, 2),
            (columns < 0, 3),
            (is_short(lda), 5),
            (is_short(ldb), 8),
            (count < 0, 10),
        ],
    )?;
    let ([n, columns, count], op) = (sizes([n, columns, count])?, op(trans)?);
    let of_a = Layout::general(n, n, leading(lda, n)?);
    let of_b = Layout::general(n, columns, leading(ldb, n)?);
    let (a, b) = (Places::Listed(a), Places::Listed(b));
    if n == 0 || columns == 0 || count == 0 {
        return Ok(());
    }
    task.run(move |memory| {
        (0..count).try_for_each(|index| {
            let [a, b] = [a.at(memory, index)?, b.at(memory, index)?];
            let (lu, mut all) = (memory.get::<T>(a, &of_a)?, memory.get(b, &of_b)?);
            let pivots = pivots(memory, list, index, n)?;
            factors::getrs(op, n, &lu, pivots.as_deref(), &mut all);
            memory.put(b, &of_b, &all)
        })
    })
}

#[expect(clippy::too_many_arguments, reason = "as many as the routine has")]
fn matinv<T: Number>(
    task: &Task,
    n: i64,
    a: u64,
    lda: i64,
    c: u64,
    ldc: i64,
    infos: u64,
    count: i64,
) -> Done {
    let ([n, count], a, c) = (sizes([n, count])?, Places::Listed(a), Places::Listed(c));
    if n > MOST_INVERTED {
        return Err(Status::InvalidValue);
    }
    let of_a = Layout::general(n, n, leading(lda, n)?);
    let of_c = Layout::general(n, n, leading(ldc, n)?);
    if n == 0 || count == 0 {
        return Ok(());
    }
    task.run(move |memory| {
        (0..count).try_for_each(|index| {
            let [a, c] = [a.at(memory, index)?, c.at(memory, index)?];
            let mut all = memory.get::<T>(a, &of_a)?;
            let (pivots, info) = factors::getrf(n, &mut all, true);
            if info == 0 {
                let (inverse, _) = factors::getri(n, &all, Some(&pivots));
                memory.put(c, &of_c, &inverse)?;
            }
            told(memory, infos, index, info)
        })
    })
}

#[expect(clippy::too_many_arguments, reason = "as many as the routine has")]
fn geqrf<T: Number>(
    task: &Task,
    m: i64,
    n: i64,
    a: u64,
    lda: i64,
    tau: u64,
    info: u64,
    count: i64,
) -> Done {
    checked(info, &[(m < 0, 1), (n < 0, 2), (lda < m.max(1), 4), (count < 0, 7)])?;
    let ([m, n, count], a, tau) = (sizes([m, n, count])?, Places::Listed(a), Places::Listed(tau));
    let of_a = Layout::general(m, n, leading(lda, m)?);
    if m == 0 || n == 0 || count == 0 {
        return Ok(());
    }
    task.run(move |memory| {
        (0..count).try_for_each(|index| {
            let [a, tau] = [a.at(memory, index)?, tau.at(memory, index)?];
            let mut all = memory.get::<T>(a, &of_a)?;
            let taus = factors::geqrf([m, n], &mut all);
            memory.put(a, &of_a, &all)?;
            memory.put(tau, &Layout::vector(taus.len(), 1), &taus)
        })
    })
}

#[expect(clippy::too_many_arguments, reason = "as many as the routine has")]
fn gels<T: Number + Factor>(
    task: &Task,
    trans: u32,
    m: i64,
    n: i64,
    columns: i64,
    a: u64,
    lda: i64,
    c: u64,
    ldc: i64,
    info: u64,
    infos: u64,
    count: i64,
) -> Done {
    let is_short = |ld: i64| ld < m.max(1);
    let wrong = [
        (op(trans).is_err(), 1),
        (m < 0, 2),
        (n < 0, 3),
        (columns < 0, 4),
        (is_short(lda), 6),
        (is_short(ldc), 8),
        (count < 0, 11),
    ];
    checked(info, &wrong)?;
    if trans != 0 || m < n {
        return Err(Status::NotSupported);
    }
    let ([m, n, columns], count) = (sizes([m, n, columns])?, size(count)?);
    let of_a = Layout::general(m, n, leading(lda, m)?);
    let of_c = Layout::general(m, columns, leading(ldc, m)?);
    let (a, c) = (Places::Listed(a), Places::Listed(c));
    if n == 0 || columns == 0 || count == 0 {
        return Ok(());
    }
    task.run(move |memory| {
        (0..count).try_for_each(|index| {
            let [a, c] = [a.at(memory, index)?, c.at(memory, index)?];
            let (mut matrix, mut all) = (memory.get::<T>(a, &of_a)?, memory.get(c, &of_c)?);
            let came_to = factors::gels([m, n], &mut matrix, &mut all);
            memory.put(a, &of_a, &matrix)?;
            memory.put(c, &of_c, &all)?;
            if infos == 0 { Ok(()) } else { told(memory, infos, index, came_to) }
        })
    })
}

routines! {
    narrow:
    ["S" f32, "D" f64, "C" C32, "Z" C64] "getrfBatched"
        getrf(n: Int, a: u64, lda: Int, list: u64, infos: u64, count: Int);
    ["S" f32, "D" f64, "C" C32, "Z" C64] "getriBatched"
        getri(n: Int, a: u64, lda: Int, list: u64, c: u64, ldc: Int, infos: u64, count: Int);
    ["S" f32, "D" f64, "C" C32, "Z" C64] "getrsBatched" getrs(
        trans: u32, n: Int, columns: Int, a: u64, lda: Int, list: u64, b: u64, ldb: Int, info: u64, count: Int);
    ["S" f32, "D" f64, "C" C32, "Z" C64] "matinvBatched"
        matinv(n: Int, a: u64, lda: Int, c: u64, ldc: Int, infos: u64, count: Int);
    ["S" f32, "D" f64, "C" C32, "Z" C64] "geqrfBatched"
        geqrf(m: Int, n: Int, a: u64, lda: Int, tau: u64, info: u64, count: Int);
    ["S" f32, "D" f64, "C" C32, "Z" C64] "gelsBatched" gels(
        trans: u32, m: Int, n: Int, columns: Int, a: u64, lda: Int, c: u64, ldc: Int, info: u64, infos: u64,
        count: Int);
}
