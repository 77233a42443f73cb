//! Transforms as operations of a plan's stream.

use std::sync::Arc;

use num_complex::Complex;
use warpsim_driver_core::{Answer as Ended, DefaultStream, LibraryMemory, LibraryTask};
use warpsim_fft::{Direction, Plan as Transform, Real, Side};

use super::plans::{Kind, Type, Work, known};
use super::{Answer, Status};
use crate::callbacks;
use crate::process::{Stored, with};

/// Issues the transforms of a plan.
pub(super) fn execute(
    name: &'static str,
    plan: u32,
    (kind, is_double): (Kind, bool),
    (input, output): (u64, u64),
    direction: i32,
) -> Answer<()> {
    let plan = known(plan)?;
    let work = plan.work.ok_or(Status::InvalidPlan)?;
    if work.kind != (Type { kind, is_double }) {
        return Err(Status::InvalidType);
    }
    let direction = match direction {
        -1 => Direction::Forward,
        1 => Direction::Inverse,
        _ => return Err(Status::InvalidValue),
    };
    if input == 0 || output == 0 {
        return Err(Status::InvalidValue);
    }
    callbacks::settle();
    let task = Arc::new(move |memory: &mut LibraryMemory<'_, '_>| match is_double {
        false => all::<f32>(memory, &work, (input, output), direction),
        true => all::<f64>(memory, &work, (input, output), direction),
    });
    let task = LibraryTask { name, work: task };
    with(|call| call.library_task(&task, plan.stream, DefaultStream::Legacy))?;
    Ok(())
}

/// All transforms of a plan. Each has read its input before it writes.
fn all<T: Stored + Real>(
    memory: &mut LibraryMemory<'_, '_>,
    work: &Work,
    (input, output): (u64, u64),
    direction: Direction,
) -> Ended<()> {
    let (from, to) = work.sides(input == output);
    let mut transform = Transform::new(work.shape.clone());
    for number in 0..work.batch {
        match work.kind.kind {
            Kind::Complex => {
                let mut data = complex::<T>(&numbers(memory, input, (&from, number), 2)?);
                transform.complex(&mut data, direction);
                put(memory, output, (&to, number), 2, &plain(&data))?;
            }
            Kind::RealToComplex => {
                let data: Vec<T> = numbers(memory, input, (&from, number), 1)?;
                let data = transform.real_to_complex(&data);
                put(memory, output, (&to, number), 2, &plain(&data))?;
            }
            Kind::ComplexToReal => {
                let data = complex::<T>(&numbers(memory, input, (&from, number), 2)?);
                let data = transform.complex_to_real(&data);
                put(memory, output, (&to, number), 1, &data)?;
            }
        }
    }
    Ok(())
}

fn complex<T: Stored>(numbers: &[T]) -> Vec<Complex<T>> {
    numbers.chunks_exact(2).map(|pair| Complex::new(pair[0], pair[1])).collect()
}

fn plain<T: Stored>(data: &[Complex<T>]) -> Vec<T> {
    data.iter().flat_map(|value| [value.re, value.im]).collect()
}

/// The pieces of one transform that lie together: places and lengths, in elements.
fn pieces(side: &Side, number: usize) -> Vec<(usize, usize)> {
    let width = side.counts.last().copied().unwrap_or(0);
    let stride = side.embedding.stride;
    let rows = side.rows(number).into_iter();
    match stride {
        1 => rows.map(|row| (row, width)).collect(),
        _ => rows.flat_map(|row| (0..width).map(move |k| (row + k * stride, 1))).collect(),
    }
}

/// The elements of one transform, each of this many numbers.
fn numbers<T: Stored>(
    memory: &mut LibraryMemory<'_, '_>,
    from: u64,
    (side, number): (&Side, usize),
    each: usize,
) -> Ended<Vec<T>> {
    let element = each * T::BYTES;
    // It grows as bytes are read: a plan may give any size.
    let mut all = Vec::new();
    for (place, length) in pieces(side, number) {
        let at = from.wrapping_add((place * element) as u64);
        let bytes = memory.bytes(at, length * element)?;
        all.extend(T::read_all(&bytes));
    }
    Ok(all)
}

/// Writes the elements of one transform.
fn put<T: Stored>(
    memory: &mut LibraryMemory<'_, '_>,
    to: u64,
    (side, number): (&Side, usize),
    each: usize,
    values: &[T],
) -> Ended<()> {
    let element = each * T::BYTES;
    let mut rest = values;
    for (place, length) in pieces(side, number) {
        let (here, behind) = rest.split_at((length * each).min(rest.len()));
        let mut bytes = Vec::with_capacity(length * element);
        here.iter().for_each(|value| value.write(&mut bytes));
        memory.write(to.wrapping_add((place * element) as u64), &bytes)?;
        rest = behind;
    }
    Ok(())
}
