//! Products as operations of a handle's stream.

use std::ffi::c_void;
use std::sync::Arc;

use num_complex::Complex;
use warpsim_driver_core::{Answer as Ended, CudaError, DefaultStream, LibraryMemory, LibraryTask};
use warpsim_sparse::{Matrix, Operation, Scalar, combined};

use super::objects::{Dense, Format, Settings, Sparse, Value};
use super::{Answer, Status, refused};
use crate::callbacks;
use crate::pointers::bytes_at;
use crate::process::{Stored, with};

/// A product: `to = alpha * operation(matrix) * operation(from) + beta * to`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Product {
    pub(super) name: &'static str,
    pub(super) settings: Settings,
    pub(super) operations: [Operation; 2],
    pub(super) matrix: Sparse,
    pub(super) from: Dense,
    pub(super) to: Dense,
    /// The addresses of the two factors.
    pub(super) factors: [u64; 2],
    /// The type that is computed with.
    pub(super) computes: Value,
}

/// `cusparseOperation_t`.
pub(super) fn operation(number: u32) -> Answer<Operation> {
    match number {
        0 => Ok(Operation::None),
        1 => Ok(Operation::Transposed),
        2 => Ok(Operation::Conjugated),
        3.. => Err(Status::InvalidValue),
    }
}

/// A factor: known when the call is made, or when the operation is carried out.
#[derive(Clone, Copy)]
enum Factor<T> {
    Known(T),
    At(u64),
}

impl<T: Stored> Factor<T> {
    fn of(address: u64, settings: Settings) -> Answer<Factor<T>> {
        match (address, settings.pointer_mode) {
            (0, _) => Err(Status::InvalidValue),
            (address, 0) => {
                let at: *const c_void = std::ptr::with_exposed_provenance(address as usize);
                let bytes = bytes_at(at, T::BYTES).map_err(|_| Status::InvalidValue)?;
                let number = T::read_all(&bytes).first().copied();
                number.map(Factor::Known).ok_or(Status::InternalError)
            }
            (address, _) => Ok(Factor::At(address)),
        }
    }

    fn get(self, memory: &mut LibraryMemory<'_, '_>) -> Ended<T> {
        match self {
            Factor::Known(value) => Ok(value),
            Factor::At(address) => {
                let mut bytes = vec![0; T::BYTES];
                memory.read(address, &mut bytes)?;
                T::read_all(&bytes).first().copied().ok_or(CudaError::Unknown)
            }
        }
    }
}

impl Product {
    /// Issues it.
    pub(super) fn issue(self) -> Answer<()> {
        let kinds = [self.from.kind, self.to.kind, self.computes];
        if kinds.iter().any(|kind| *kind != self.matrix.kind) {
            return refused("cuSPARSE with several types of values in one product");
        }
        if self.from.batch.0 > 1 || self.to.batch.0 > 1 {
            return refused("cuSPARSE's batches of dense matrices");
        }
        self.fits()?;
        match self.matrix.kind {
            Value::Float => self.issue_with::<f32>(),
            Value::Double => self.issue_with::<f64>(),
            Value::ComplexFloat => self.issue_with::<Complex<f32>>(),
            Value::ComplexDouble => self.issue_with::<Complex<f64>>(),
            Value::Other(number) => refused(&format!("cuSPARSE's type of values {number}")),
        }
    }

    /// Whether rows and columns fit each other.
    fn fits(&self) -> Answer<()> {
        let [rows, columns] = turned(self.matrix.extents, self.operations[0]);
        let [from_rows, from_columns] = turned(self.from.extents, self.operations[1]);
        let is_right = columns == from_rows && self.to.extents == [rows, from_columns];
        if is_right { Ok(()) } else { Err(Status::InvalidValue) }
    }

    fn issue_with<T: Stored + Scalar>(self) -> Answer<()> {
        let alpha = Factor::<T>::of(self.factors[0], self.settings)?;
        let beta = Factor::<T>::of(self.factors[1], self.settings)?;
        callbacks::settle();
        let work = Arc::new(move |memory: &mut LibraryMemory<'_, '_>| {
            let (alpha, beta) = (alpha.get(memory)?, beta.get(memory)?);
            let matrix = matrix::<T>(memory, &self.matrix)?.after(self.operations[0]);
            let width = self.to.extents[1];
            let mut from = rows::<T>(memory, &self.from)?;
            if self.operations[1] != Operation::None {
                from = transposed(&from, self.from.extents, self.operations[1]);
            }
            let product = matrix.times(&from, width);
            let before = match beta == T::default() {
                true => Vec::new(),
                false => rows::<T>(memory, &self.to)?,
            };
            put_rows(memory, &self.to, &combined(alpha, &product, beta, &before))
        });
        let task = LibraryTask { name: self.name, work };
        with(|call| call.library_task(&task, self.settings.stream, DefaultStream::Legacy))?;
        Ok(())
    }
}

fn turned([rows, columns]: [usize; 2], operation: Operation) -> [usize; 2] {
    if operation == Operation::None { [rows, columns] } else { [columns, rows] }
}

/// A dense matrix by rows, after an operation that turns it.
fn transposed<T: Scalar>(
    values: &[T],
    [rows, columns]: [usize; 2],
    operation: Operation,
) -> Vec<T> {
    let of = |row: usize, column: usize| match operation {
        Operation::None | Operation::Transposed => values[row * columns + column],
        Operation::Conjugated => values[row * columns + column].conjugate(),
    };
    (0..columns)
        .flat_map(|column| (0..rows).map(move |row| (row, column)))
        .map(|(r, c)| of(r, c))
        .collect()
}

/// Numbers of the device that count from `base` on.
fn indices(
    memory: &mut LibraryMemory<'_, '_>,
    (address, bytes): (u64, usize),
    count: usize,
    base: u32,
) -> Ended<Vec<usize>> {
    // On a GPU it would read somewhere.
    let length = count.checked_mul(bytes).ok_or(CudaError::IllegalAddress)?;
    let all = memory.bytes(address, length)?;
    let number = |chunk: &[u8]| {
        let mut wide = [0; 8];
        wide.iter_mut().zip(chunk).for_each(|(to, from)| *to = *from);
        // An index below the first one gives a huge number, so a product finds that it is outside.
        u64::from_le_bytes(wide).wrapping_sub(base.into()) as usize
    };
    Ok(all.chunks_exact(bytes).map(number).collect())
}

fn values<T: Stored>(
    memory: &mut LibraryMemory<'_, '_>,
    address: u64,
    count: usize,
) -> Ended<Vec<T>> {
    let length = count.checked_mul(T::BYTES).ok_or(CudaError::IllegalAddress)?;
    let all = memory.bytes(address, length)?;
    Ok(T::read_all(&all))
}

/// A sparse matrix of the device's memory.
fn matrix<T: Stored + Scalar>(memory: &mut LibraryMemory<'_, '_>, of: &Sparse) -> Ended<Matrix<T>> {
    let [rows, columns] = of.extents;
    let first_count = match of.format {
        Format::Csr => rows + 1,
        Format::Csc => columns + 1,
        Format::Coo => of.entries,
    };
    let first = indices(memory, of.first, first_count, of.base)?;
    let second = indices(memory, of.second, of.entries, of.base)?;
    let values = values::<T>(memory, of.values, of.entries)?;
    let matrix = match of.format {
        Format::Csr => Matrix::of_offsets([rows, columns], &first, &second, &values),
        Format::Csc => Matrix::of_offsets([columns, rows], &first, &second, &values)
            .map(|matrix| matrix.after(Operation::Transposed)),
        Format::Coo => Matrix::of_coordinates([rows, columns], &first, &second, &values),
    };
    // On a GPU it would read and write somewhere.
    matrix.ok_or(CudaError::IllegalAddress)
}

/// The pieces of a dense matrix that lie together: places, and lengths.
fn pieces(of: &Dense) -> impl Iterator<Item = usize> + use<> {
    let count = if of.is_by_columns { of.extents[1] } else { of.extents[0] };
    let leading = of.leading;
    (0..count).map(move |piece| piece * leading)
}

/// A dense matrix by its rows.
fn rows<T: Stored + Scalar>(memory: &mut LibraryMemory<'_, '_>, of: &Dense) -> Ended<Vec<T>> {
    let [rows, columns] = of.extents;
    let length = if of.is_by_columns { rows } else { columns };
    // It grows as bytes are read: a program may give any extents.
    let mut all = Vec::new();
    for place in pieces(of) {
        let address = of.values.wrapping_add((place * T::BYTES) as u64);
        all.extend(values::<T>(memory, address, length)?);
    }
    Ok(match of.is_by_columns {
        true => transposed(&all, [columns, rows], Operation::Transposed),
        false => all,
    })
}

/// Writes a dense matrix that is given by its rows.
fn put_rows<T: Stored + Scalar>(
    memory: &mut LibraryMemory<'_, '_>,
    of: &Dense,
    all: &[T],
) -> Ended<()> {
    let [rows, columns] = of.extents;
    let turned;
    let (all, length) = match of.is_by_columns {
        true => {
            turned = transposed(all, [rows, columns], Operation::Transposed);
            (&turned[..], rows)
        }
        false => (all, columns),
    };
    for (place, values) in pieces(of).zip(all.chunks(length.max(1))) {
        let mut bytes = Vec::with_capacity(length * T::BYTES);
        values.iter().for_each(|value| value.write(&mut bytes));
        memory.write(of.values.wrapping_add((place * T::BYTES) as u64), &bytes)?;
    }
    Ok(())
}

/// Where each row begins among entries with these rows, and the end of the last.
fn offsets(of_rows: &[usize], rows: usize) -> Vec<usize> {
    let mut offsets = vec![0; rows + 1];
    for row in of_rows.iter().filter(|row| **row < rows) {
        offsets[row + 1] += 1;
    }
    for row in 0..rows {
        offsets[row + 1] += offsets[row];
    }
    offsets
}

/// Rows of entries as places where rows begin, and back (`cusparseXcoo2csr`, `cusparseXcsr2coo`).
pub(super) fn convert(
    (name, settings): (&'static str, Settings),
    (from, to): (u64, u64),
    (entries, rows): (usize, usize),
    base: u32,
    is_to_offsets: bool,
) -> Answer<()> {
    callbacks::settle();
    let work = Arc::new(move |memory: &mut LibraryMemory<'_, '_>| {
        let count = if is_to_offsets { entries } else { rows + 1 };
        let numbers = indices(memory, (from, 4), count, base)?;
        let converted: Vec<usize> = match is_to_offsets {
            true => offsets(&numbers, rows),
            false => {
                let of_row = |row: usize| numbers[row + 1].saturating_sub(numbers[row]);
                let all =
                    (0..rows).flat_map(|row| std::iter::repeat_n(row, of_row(row).min(entries)));
                all.take(entries).collect()
            }
        };
        let bytes: Vec<u8> =
            converted.iter().flat_map(|n| (*n as u32).wrapping_add(base).to_le_bytes()).collect();
        memory.write(to, &bytes)
    });
    let task = LibraryTask { name, work };
    with(|call| call.library_task(&task, settings.stream, DefaultStream::Legacy))?;
    Ok(())
}
