//! Memory that is allocated and freed in the order of streams (CUDA driver API, "Stream Ordered
//! Memory Allocator").
//!
//! Here these operations only have a place in the order, and the observer of a watched device gets
//! them. The memory itself is there before the allocation and goes away after the free, if the host
//! code behind it sees to that ([`crate::Device::allocate`], [`Simulator::free_unwaited`]). A use
//! that is too early or too late reaches the memory, and is reported as such.
//!
//! Deviation: they are carried out when they are issued, under [`super::StreamOrder::Reversed`],
//! too. For observers the order counts.

use super::handles::Stream;
use crate::machine::Watcher;
use crate::observe::{HostAccessKind, OperationId};
use crate::{DeviceError, Pointer, Simulator, Watched};

impl Watched<'_> {
    /// Live memory is allocated by an operation of a stream (`cuMemAllocAsync`): every use must
    /// come after that.
    ///
    /// # Errors
    /// There is no such stream or memory.
    pub fn allocated_on(&mut self, stream: Stream, start: Pointer) -> Result<(), DeviceError> {
        let (simulator, watcher) = self.parts();
        simulator.edge(HostAccessKind::Allocate, Some(stream), start, watcher).map(|_| ())
    }

    /// Live memory is freed by an operation of a stream (`cuMemFreeAsync`), or without one by the
    /// host, which waits for nothing: every use must come before that. The memory is still there.
    ///
    /// ```
    /// use warpsim::host::{Device, Simulator, StreamKind};
    /// use warpsim::observe::TaskRaces;
    ///
    /// let mut gpu = Simulator::default();
    /// let mut races = TaskRaces::default();
    /// let mut device = gpu.watched(&mut races);
    /// let (memory, stream) = (device.allocate(4)?, device.stream(StreamKind::NonBlocking)?);
    /// device.allocated_on(stream, memory)?;
    /// device.upload_async(stream, memory, &[1, 2, 3, 4])?;
    /// device.freed_on(Some(stream), memory)?;
    /// device.upload_async(stream, memory, &[1, 2, 3, 4])?;
    /// let findings = races.take_findings();
    /// assert_eq!(findings.len(), 1);
    /// assert_eq!(findings[0].code.name(), "use-after-free");
    /// # Ok::<(), warpsim::host::DeviceError>(())
    /// ```
    ///
    /// # Errors
    /// There is no such stream or memory.
    pub fn freed_on(
        &mut self,
        stream: Option<Stream>,
        start: Pointer,
    ) -> Result<OperationId, DeviceError> {
        let (simulator, watcher) = self.parts();
        simulator.edge(HostAccessKind::Release, stream, start, watcher)
    }
}

impl Simulator {
    /// Frees memory that something may still use, for all that the host knows: what was issued has
    /// been carried out.
    ///
    /// # Errors
    /// No live memory begins there.
    pub fn free_unwaited(&mut self, pointer: Pointer) -> Result<(), DeviceError> {
        let bytes = self.freeable(pointer)?;
        self.carry_out(None)?;
        self.release(pointer, bytes);
        Ok(())
    }

    fn edge(
        &mut self,
        kind: HostAccessKind,
        stream: Option<Stream>,
        start: Pointer,
        watcher: Watcher<'_, '_>,
    ) -> Result<OperationId, DeviceError> {
        let bytes = self.freeable(start)?;
        let order = match stream {
            Some(stream) => {
                let stream = self.known(stream)?;
                self.queue.timelines.issue(stream)
            }
            None => self.queue.timelines.by_host(),
        };
        let operation = order.operation();
        self.tell(kind, start, bytes as usize, order, watcher);
        Ok(operation)
    }
}
