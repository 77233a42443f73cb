//! Operations of a stream that read and write device memory in any number of places. A library such
//! as cuBLAS issues them; its kernels do not belong to the program.
//!
//! An observer gets the reads and the writes of such an operation as two operations of the stream,
//! one behind the other: it may read and write the same bytes.
//!
//! Deviation: it is carried out when it is issued, under [`super::StreamOrder::Reversed`], too. For
//! observers the order counts.

use super::handles::Stream;
use crate::machine::Watcher;
use crate::observe::{HostAccessKind, Order};
use crate::{DeviceError, Pointer, Simulator, Watched};

/// An operation of a stream that is being carried out.
#[derive(Clone, Debug)]
pub struct Action {
    stream: usize,
    order: Order,
    /// What it did last; nothing at its beginning.
    did: Option<HostAccessKind>,
}

impl Watched<'_> {
    /// Begins an operation of a stream.
    ///
    /// ```
    /// use warpsim::host::{Device, Simulator, StreamKind};
    /// use warpsim::observe::TaskRaces;
    ///
    /// let mut gpu = Simulator::default();
    /// let mut races = TaskRaces::default();
    /// let mut device = gpu.watched(&mut races);
    /// let memory = device.allocate(4)?;
    /// let (a, b) = (device.stream(StreamKind::NonBlocking)?, device.stream(StreamKind::NonBlocking)?);
    /// device.upload_async(a, memory, &[1, 2, 3, 4])?;
    /// let mut action = device.begin_action(b)?;
    /// let mut bytes = [0; 2];
    /// device.read_for(&mut action, memory, &mut bytes)?;
    /// assert_eq!(bytes, [1, 2]);
    /// // Nothing orders what stream a writes before what stream b reads.
    /// assert_eq!(races.take_findings().len(), 1);
    /// # Ok::<(), warpsim::host::DeviceError>(())
    /// ```
    ///
    /// # Errors
    /// There is no such stream.
    pub fn begin_action(&mut self, stream: Stream) -> Result<Action, DeviceError> {
        let (simulator, watcher) = self.parts();
        simulator.action(stream, watcher)
    }

    /// It reads bytes of the device.
    ///
    /// # Errors
    /// They do not lie in one allocation.
    pub fn read_for(
        &mut self,
        action: &mut Action,
        from: Pointer,
        into: &mut [u8],
    ) -> Result<(), DeviceError> {
        let (simulator, watcher) = self.parts();
        simulator.peek(from, into)?;
        simulator.tell_of(action, HostAccessKind::CopyRead, (from, into.len()), watcher);
        Ok(())
    }

    /// It writes bytes of the device.
    ///
    /// # Errors
    /// They do not lie in one allocation; none is written.
    pub fn write_for(
        &mut self,
        action: &mut Action,
        to: Pointer,
        bytes: &[u8],
    ) -> Result<(), DeviceError> {
        let (simulator, watcher) = self.parts();
        simulator.write_in_action(action, to, bytes, watcher)
    }
}

impl Simulator {
    /// [`Watched::begin_action`] without an observer. Such an operation reads by
    /// [`Simulator::peek`].
    ///
    /// # Errors
    /// There is no such stream.
    pub fn begin_action(&mut self, stream: Stream) -> Result<Action, DeviceError> {
        self.action(stream, None)
    }

    /// [`Watched::write_for`] without an observer.
    ///
    /// # Errors
    /// They do not lie in one allocation; none is written.
    pub fn write_for(
        &mut self,
        action: &mut Action,
        to: Pointer,
        bytes: &[u8],
    ) -> Result<(), DeviceError> {
        self.write_in_action(action, to, bytes, None)
    }

    fn action(&mut self, stream: Stream, watcher: Watcher<'_, '_>) -> Result<Action, DeviceError> {
        let stream = self.known(stream)?;
        self.carry_out(watcher)?;
        Ok(Action { stream, order: self.queue.timelines.issue(stream), did: None })
    }

    fn tell_of(
        &mut self,
        action: &mut Action,
        kind: HostAccessKind,
        (pointer, bytes): (Pointer, usize),
        watcher: Watcher<'_, '_>,
    ) {
        if action.did.replace(kind).is_some_and(|did| did != kind) {
            action.order = self.queue.timelines.issue(action.stream);
        }
        self.tell(kind, pointer, bytes, action.order.clone(), watcher);
    }

    fn write_in_action(
        &mut self,
        action: &mut Action,
        to: Pointer,
        bytes: &[u8],
        watcher: Watcher<'_, '_>,
    ) -> Result<(), DeviceError> {
        self.poke(to, bytes)?;
        self.tell_of(action, HostAccessKind::CopyWrite, (to, bytes.len()), watcher);
        Ok(())
    }
}
