//! Operations and their operands: scalars in memory of the host or of the device, vectors and
//! matrices of the device ("Scalar Parameters", "cublasPointerMode_t").

use std::sync::{Arc, Mutex, PoisonError};

use warpsim_blas::columns::Columns;
use warpsim_blas::matrices::Side;
use warpsim_blas::{Element, Layout, Number, Op, Uplo};
use warpsim_driver_core::{
    Answer, CudaError, DefaultStream, Handle, LibraryMemory, LibraryTask, PointerKind,
};

use super::handles::{Settings, settings};
use super::status::{Done, Status};
use crate::callbacks;
use crate::pointers::{bytes_at, out_at};
use crate::process::with;

/// A call that issues an operation.
pub(super) struct Task {
    pub(super) name: &'static str,
    pub(super) settings: Settings,
}

/// A scalar: known when the call is made, or when the operation is carried out.
#[derive(Clone, Copy, Debug)]
pub(super) enum Value<T> {
    Known(T),
    At(u64),
}

/// The device's memory, in elements.
pub(super) struct Memory<'a, 'b, 'c>(&'a mut LibraryMemory<'b, 'c>);

impl<T: Element> Value<T> {
    pub(super) fn get(self, memory: &mut Memory<'_, '_, '_>) -> Answer<T> {
        match self {
            Value::Known(value) => Ok(value),
            Value::At(address) => memory.one(address),
        }
    }

    /// Whether it is known to be this.
    pub(super) fn is(self, value: T) -> bool {
        matches!(self, Value::Known(known) if known == value)
    }
}

impl Memory<'_, '_, '_> {
    /// The elements that a layout names from an address on.
    pub(super) fn get<T: Element>(&mut self, address: u64, layout: &Layout) -> Answer<Vec<T>> {
        let length = layout.count().checked_mul(T::BYTES).ok_or(CudaError::OutOfMemory)?;
        // The extents are the program's: there may be no room for so much.
        let room = Vec::<u8>::new().try_reserve_exact(length);
        room.map_err(|_| CudaError::OutOfMemory)?;
        let mut bytes = vec![0; length];
        let mut rest = &mut bytes[..];
        for (at, count) in layout.spans() {
            // The spans together have as many elements as the layout.
            let (here, behind) = rest.split_at_mut(count * T::BYTES);
            self.0.read(address.wrapping_add((at * T::BYTES) as u64), here)?;
            rest = behind;
        }
        Ok(T::all(&bytes))
    }

    /// A matrix by its columns.
    pub(super) fn columns<T: Number>(
        &mut self,
        address: u64,
        layout: &Layout,
    ) -> Answer<Columns<T>> {
        Ok(Columns::new(layout, self.get(address, layout)?))
    }

    /// Writes the elements that a layout names.
    pub(super) fn put<T: Element>(
        &mut self,
        address: u64,
        layout: &Layout,
        values: &[T],
    ) -> Answer<()> {
        let bytes = T::bytes(values);
        let mut rest = &bytes[..];
        for (at, count) in layout.spans() {
            let (here, behind) = rest.split_at((count * T::BYTES).min(rest.len()));
            self.0.write(address.wrapping_add((at * T::BYTES) as u64), here)?;
            rest = behind;
        }
        Ok(())
    }

    /// One element.
    pub(super) fn one<T: Element>(&mut self, address: u64) -> Answer<T> {
        let mut bytes = vec![0; T::BYTES];
        self.0.read(address, &mut bytes)?;
        Ok(T::read(&bytes))
    }

    /// Writes one element.
    pub(super) fn set<T: Element>(&mut self, address: u64, value: T) -> Answer<()> {
        self.0.write(address, &T::bytes(&[value]))
    }
}

impl Task {
    /// A call with a handle.
    pub(super) fn of(name: &'static str, handle: u64) -> Done<Task> {
        Ok(Task { name, settings: settings(handle)? })
    }

    /// A call in a stream, of a library whose functions are given it.
    pub(super) fn in_stream(name: &'static str, stream: Handle) -> Task {
        Task { name, settings: Settings::in_stream(stream) }
    }

    /// Whether scalars lie in memory of the device.
    fn is_on_device(&self) -> bool {
        self.settings.pointer_mode != 0
    }

    /// A scalar by its address.
    pub(super) fn scalar<T: Element>(&self, address: u64) -> Done<Value<T>> {
        match self.is_on_device() {
            true if address == 0 => Err(Status::InvalidValue),
            true => Ok(Value::At(address)),
            false => Ok(Value::Known(host_value(address)?)),
        }
    }

    /// The same of a scalar that is not looked at where it is not wanted.
    pub(super) fn scalars<T: Element, const N: usize>(
        &self,
        addresses: [u64; N],
    ) -> Done<[Value<T>; N]> {
        let mut all = [Value::At(0); N];
        for (value, address) in all.iter_mut().zip(addresses) {
            *value = self.scalar(address)?;
        }
        Ok(all)
    }

    /// Issues an operation.
    pub(super) fn run(
        &self,
        work: impl Fn(&mut Memory<'_, '_, '_>) -> Answer<()> + Send + Sync + 'static,
    ) -> Done {
        callbacks::settle();
        let work = Arc::new(move |memory: &mut LibraryMemory<'_, '_>| work(&mut Memory(memory)));
        let task = LibraryTask { name: self.name, work };
        let stream = self.settings.stream;
        with(|call| call.library_task(&task, stream, DefaultStream::Legacy))?;
        Ok(())
    }

    /// Issues an operation that ends in some values. Each value goes to an address of the host or
    /// of the device, as scalars do. For addresses of the host, the call waits for the operation.
    pub(super) fn run_for<T: Element, const N: usize>(
        &self,
        to: [u64; N],
        work: impl Fn(&mut Memory<'_, '_, '_>) -> Answer<[T; N]> + Send + Sync + 'static,
    ) -> Done {
        if to.contains(&0) {
            return Err(Status::InvalidValue);
        }
        if self.is_on_device() {
            return self.run(move |memory| {
                let values = work(memory)?;
                to.into_iter().zip(values).try_for_each(|(to, value)| memory.set(to, value))
            });
        }
        to.into_iter().try_for_each(refuse_device)?;
        let stream = self.settings.stream;
        crate::functions::refuse_captured(stream, DefaultStream::Legacy)?;
        let result = Arc::new(Mutex::new(None));
        let kept = Arc::clone(&result);
        self.run(move |memory| {
            let values = work(memory)?;
            *kept.lock().unwrap_or_else(PoisonError::into_inner) = Some(values);
            Ok(())
        })?;
        with(|call| call.synchronise_stream(stream, DefaultStream::Legacy))?;
        let values = result.lock().unwrap_or_else(PoisonError::into_inner).take();
        for (to, value) in to.into_iter().zip(values.ok_or(Status::ExecutionFailed)?) {
            host_put(to, value)?;
        }
        Ok(())
    }
}

/// A pointer that has to be one of the host, as scalars are by default.
fn refuse_device(address: u64) -> Done {
    let facts = with(|call| Ok(call.pointer(address).ok()))?;
    match facts.map(|facts| facts.kind) {
        Some(PointerKind::Device) => Err(Status::InvalidValue),
        Some(PointerKind::Host | PointerKind::Managed) | None => Ok(()),
    }
}

/// A value in memory of the host.
pub(super) fn host_value<T: Element>(address: u64) -> Done<T> {
    if address == 0 {
        return Err(Status::InvalidValue);
    }
    refuse_device(address)?;
    let at = std::ptr::with_exposed_provenance(address as usize);
    Ok(T::read(&bytes_at(at, T::BYTES)?))
}

/// Writes a value to memory of the host.
pub(super) fn host_put<T: Element>(address: u64, value: T) -> Done {
    let at = std::ptr::with_exposed_provenance_mut(address as usize);
    out_at::<u8>(at).put_all(T::bytes(&[value]))?;
    Ok(())
}

/// A size or a count.
pub(super) fn size(value: i64) -> Done<usize> {
    usize::try_from(value).map_err(|_| Status::InvalidValue)
}

/// Some sizes.
pub(super) fn sizes<const N: usize>(values: [i64; N]) -> Done<[usize; N]> {
    let mut all = [0; N];
    for (to, value) in all.iter_mut().zip(values) {
        *to = size(value)?;
    }
    Ok(all)
}

/// A leading dimension, of columns with this many rows.
pub(super) fn leading(value: i64, rows: usize) -> Done<usize> {
    size(value).and_then(|ld| if ld >= rows.max(1) { Ok(ld) } else { Err(Status::InvalidValue) })
}

/// An increment that is none of 0.
pub(super) fn increment(value: i64) -> Done<i64> {
    if value == 0 { Err(Status::InvalidValue) } else { Ok(value) }
}

/// `cublasOperation_t`.
pub(super) fn op(number: u32) -> Done<Op> {
    match number {
        0 => Ok(Op::None),
        1 => Ok(Op::Transposed),
        2 => Ok(Op::Conjugated),
        3.. => Err(Status::InvalidValue),
    }
}

/// `cublasFillMode_t`.
pub(super) fn uplo(number: u32) -> Done<Uplo> {
    match number {
        0 => Ok(Uplo::Lower),
        1 => Ok(Uplo::Upper),
        2.. => Err(Status::InvalidValue),
    }
}

/// `cublasSideMode_t`.
pub(super) fn side(number: u32) -> Done<Side> {
    match number {
        0 => Ok(Side::Left),
        1 => Ok(Side::Right),
        2.. => Err(Status::InvalidValue),
    }
}

/// `cublasDiagType_t`.
pub(super) fn is_unit(number: u32) -> Done<bool> {
    match number {
        0 => Ok(false),
        1 => Ok(true),
        2.. => Err(Status::InvalidValue),
    }
}

/// Rows and columns that a matrix has in memory, before an operation is applied.
pub(super) fn kept(op: Op, [rows, columns]: [usize; 2]) -> [usize; 2] {
    if op.is_transposed() { [columns, rows] } else { [rows, columns] }
}
