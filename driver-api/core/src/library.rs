//! Operations that a library issues to a stream (cuBLAS, for one): work of the device that is no
//! kernel of the program's.
//!
//! Such an operation reads and writes device memory in the order of its stream. A search for races
//! sees the bytes that it touches, as for a copy. A captured stream gets a node. Its kind is
//! reported as a kernel, as for the library's own kernels, but it has no kernel parameters.
//!
//! Memory that the host alone has is not the device's, and an error at once. On hardware the
//! context would be gone when the kernel runs.

use std::fmt;
use std::sync::Arc;

use warpsim::host::{Action, DeviceError, Pointer, Stream};

use crate::graphs::GraphTask;
use crate::mirror::Stretch;
use crate::state::{Call, State, refusal};
use crate::told::spans::SpanTask;
use crate::{Answer, CudaError, DefaultStream, Handle};

/// The work of an operation. It may run more than once: each launch of a graph that has it runs it.
pub type LibraryWork = Arc<dyn Fn(&mut LibraryMemory<'_, '_>) -> Answer<()> + Send + Sync>;

/// An operation of a library.
#[derive(Clone)]
pub struct LibraryTask {
    /// The function that issues it.
    pub name: &'static str,
    /// What it does.
    pub work: LibraryWork,
}

impl fmt::Debug for LibraryTask {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.debug_tuple("LibraryTask").field(&self.name).finish()
    }
}

impl PartialEq for LibraryTask {
    fn eq(&self, other: &LibraryTask) -> bool {
        Arc::ptr_eq(&self.work, &other.work)
    }
}

/// Where bytes go between the device and the host's mirror of its memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Way {
    ToHost,
    ToDevice,
}

/// The device's memory, for an operation.
pub struct LibraryMemory<'a, 'b> {
    call: &'a mut Call<'b>,
    action: Action,
}

impl LibraryMemory<'_, '_> {
    /// Reads bytes at an address, in the form that the program knows.
    ///
    /// # Errors
    /// They are not the device's.
    pub fn read(&mut self, address: u64, into: &mut [u8]) -> Answer<()> {
        let at = self.place_of(address, into.len())?;
        self.read_at(at, into)
    }

    /// This many bytes at an address. Memory is allocated for bytes that exist, and not for a count
    /// that a program made up.
    ///
    /// # Errors
    /// They are not the device's.
    pub fn bytes(&mut self, address: u64, count: usize) -> Answer<Vec<u8>> {
        let at = self.place_of(address, count)?;
        let mut bytes = vec![0; count];
        self.read_at(at, &mut bytes)?;
        Ok(bytes)
    }

    fn read_at(&mut self, mut at: Pointer, into: &mut [u8]) -> Answer<()> {
        let mut rest = into;
        while !rest.is_empty() {
            let bytes = self.call.in_one_piece(at.0, rest.len() as u64) as usize;
            let (here, behind) = rest.split_at_mut(bytes.clamp(1, rest.len()));
            let State { device, orders, .. } = &mut *self.call.state;
            let read = match orders {
                Some(orders) => orders.watch(device).read_for(&mut self.action, at, here),
                None => device.peek(at, here),
            };
            read.map_err(|error| self.refused(&error))?;
            at = at.offset(here.len() as u64);
            rest = behind;
        }
        Ok(())
    }

    /// Writes bytes.
    ///
    /// # Errors
    /// They are not the device's.
    pub fn write(&mut self, address: u64, bytes: &[u8]) -> Answer<()> {
        let mut rest = bytes;
        let mut at = self.place_of(address, rest.len())?;
        while !rest.is_empty() {
            let bytes = self.call.in_one_piece(at.0, rest.len() as u64) as usize;
            let (here, behind) = rest.split_at(bytes.clamp(1, rest.len()));
            let State { device, orders, .. } = &mut *self.call.state;
            let written = match orders {
                Some(orders) => orders.watch(device).write_for(&mut self.action, at, here),
                None => device.write_for(&mut self.action, at, here),
            };
            written.map_err(|error| self.refused(&error))?;
            at = at.offset(here.len() as u64);
            rest = behind;
        }
        Ok(())
    }

    /// Brings bytes to the host's mirror of them, or takes them from there.
    ///
    /// # Errors
    /// They are not the device's, or the host has something else at their address.
    pub(crate) fn mirror(&mut self, (address, bytes): Stretch, way: Way) -> Answer<()> {
        let size = usize::try_from(bytes).map_err(|_| CudaError::InvalidValue)?;
        self.call.host_opens((address, bytes))?;
        // `Host::read` and `Host::write` hand on as many bytes as they are asked for.
        let mut copy = vec![0; size];
        match way {
            Way::ToHost => {
                self.read(address, &mut copy)?;
                self.call.host.write(address, size, &mut |into| into.copy_from_slice(&copy));
                Ok(())
            }
            Way::ToDevice => {
                self.call.host.read(address, size, &mut |from| copy.copy_from_slice(from));
                self.write(address, &copy)
            }
        }
    }

    fn place_of(&mut self, address: u64, bytes: usize) -> Answer<Pointer> {
        let place = self.call.device_place(address, bytes as u64);
        place.inspect_err(|_| self.call.because_of_bytes(address, bytes as u64))
    }

    fn refused(&mut self, error: &DeviceError) -> CudaError {
        refusal(self.call, error)
    }
}

impl Call<'_> {
    /// Carries out an operation of a library in a stream.
    ///
    /// # Errors
    /// There is no such stream, or the operation is refused.
    pub fn library_task(
        &mut self,
        task: &LibraryTask,
        stream: Handle,
        default: DefaultStream,
    ) -> Answer<()> {
        let stream = self.stream(stream, default)?;
        match self.capture(stream, || GraphTask::Library(task.clone()))? {
            true => Ok(()),
            false => self.perform_library_task(task, stream),
        }
    }

    /// The same of a stream of the device that is not captured.
    pub(crate) fn perform_library_task(
        &mut self,
        task: &LibraryTask,
        stream: Stream,
    ) -> Answer<()> {
        let context = self.context()?;
        if self.is_over(context) {
            return Ok(());
        }
        self.share_in()?;
        let begun = self.begin_span();
        let done = self.issuing(|call| {
            let State { device, orders, .. } = &mut *call.state;
            let action = match orders {
                Some(orders) => orders.watch(device).begin_action(stream),
                None => device.begin_action(stream),
            };
            let action = action.map_err(|error| refusal(call, &error))?;
            (task.work)(&mut LibraryMemory { call, action })
        });
        if done.is_ok() {
            let name = || SpanTask::Library { name: task.name.to_owned() };
            self.end_span(begun, (stream, context), name);
        }
        self.share_out()?;
        done?;
        self.issued_to(stream)
    }
}
