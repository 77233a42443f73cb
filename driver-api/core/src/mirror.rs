//! Memory of the device that the host works on. A framework whose own kernels are machine code
//! carries out operations on device memory on the CPU.
//!
//! The host has a mirror of a piece of memory at the address that it has on the device. Before the
//! host reads, bytes of the device go to the mirror; the host's writes go to the device. If
//! operations are checked, each transfer is a copy in a stream, which the checks see as any other.
//! Otherwise a byte goes only when the other side needs it. Before the device does something, the
//! bytes that the host has written since go there. After it, the host may trust none of its bytes.
//!
//! The host's work in a captured stream is a node of the graph: [`Call::host_captures`].
//!
//! In which direction it can be wrong: if a host reads without announcing it, it finds old bytes.
//! If it writes without announcing it, its writes are lost. The host waits for its stream, so it
//! orders more than a GPU does.

use std::collections::BTreeMap;
use std::sync::Arc;

use warpsim::host::{Device, Pointer, Stream};

use crate::graphs::GraphTask;
use crate::library::{LibraryTask, LibraryWork, Way};
use crate::spaces::places::Place;
use crate::state::{Call, State, bug, refusal};
use crate::{Answer, CudaError};

/// Addresses, as runs that neither overlap nor touch: where each begins, and where it ends.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Runs(BTreeMap<u64, u64>);

impl Runs {
    fn add(&mut self, mut first: u64, mut end: u64) {
        if first >= end {
            return;
        }
        while let Some((&start, &stop)) =
            self.0.range(..=end).next_back().filter(|(_, stop)| **stop >= first)
        {
            first = first.min(start);
            end = end.max(stop);
            self.0.remove(&start);
        }
        self.0.insert(first, end);
    }

    /// The runs in a stretch that are not there.
    fn missing(&self, first: u64, end: u64) -> Vec<(u64, u64)> {
        let mut missing = Vec::new();
        let mut at = first;
        let before = self.0.range(..=first).next_back().map(|(start, _)| *start);
        for (&start, &stop) in self.0.range(before.unwrap_or(first)..end) {
            if start > at {
                missing.push((at, start.min(end)));
            }
            at = at.max(stop);
        }
        if at < end {
            missing.push((at, end));
        }
        missing
    }

    fn remove(&mut self, first: u64, end: u64) {
        if first >= end {
            return;
        }
        while let Some((&start, &stop)) =
            self.0.range(..end).next_back().filter(|(_, stop)| **stop > first)
        {
            self.0.remove(&start);
            if stop > end {
                self.0.insert(end, stop);
            }
            if start < first {
                self.0.insert(start, first);
            }
        }
    }
}

/// What the host has of the device's memory.
#[derive(Debug, Default)]
pub(crate) struct Mirrors {
    /// The bytes of each mirror, by its address.
    mapped: BTreeMap<u64, usize>,
    /// The bytes that are as on the device, or newer.
    valid: Runs,
    /// The bytes that are newer.
    written: Runs,
}

/// The host's work at each launch of a graph.
pub type HostWork = Box<dyn Fn() -> Answer<()> + Send + Sync>;

/// A stretch of memory that the host names: its address, and its bytes.
pub type Stretch = (u64, u64);

impl Call<'_> {
    /// The host is about to write a stretch, and reads nothing of it.
    ///
    /// # Errors
    /// It is not memory of the device, or the host has something else at its address.
    pub fn host_opens(&mut self, (address, bytes): Stretch) -> Answer<()> {
        let mut at = address;
        let end = address.checked_add(bytes).ok_or(CudaError::InvalidValue)?;
        while at < end {
            let (base, allocation) = self.around(at).ok_or(CudaError::InvalidValue)?;
            let (size, is_shared) = (allocation.bytes, allocation.host.is_some());
            at = base + size;
            if is_shared || self.state.mirrors.mapped.contains_key(&base) {
                continue;
            }
            let size = usize::try_from(size).map_err(|_| CudaError::OutOfMemory)?;
            if !self.host.map(base, size) {
                return Err(CudaError::OutOfMemory);
            }
            self.state.mirrors.mapped.insert(base, size);
        }
        Ok(())
    }

    /// The host is about to read a stretch, in a stream.
    ///
    /// # Errors
    /// The same as for [`Call::host_opens`], and the error of an operation. The stream is captured:
    /// a graph cannot repeat the host's work.
    pub fn host_reads(&mut self, stretch: Stretch, stream: Stream) -> Answer<()> {
        self.wait_to_work(stream)?;
        self.host_opens(stretch)?;
        let (address, bytes) = stretch;
        if self.is_shared_at(address) {
            return self.share_out();
        }
        if self.state.options.check {
            return self.mirror(stretch, stream, |at| (Place::Host(at), device(at)));
        }
        for (first, end) in self.state.mirrors.valid.missing(address, address + bytes) {
            for (at, bytes) in self.pieces(first, end) {
                let mut read = Ok(());
                let device = &self.state.device;
                self.host.write(at, bytes, &mut |into| read = device.peek(Pointer(at), into));
                read.map_err(|error| refusal(self, &error))?;
            }
        }
        self.state.mirrors.valid.add(address, address + bytes);
        Ok(())
    }

    /// The host has written a stretch that it had opened or read, in a stream.
    ///
    /// # Errors
    /// The same as for [`Call::host_reads`].
    pub fn host_wrote(&mut self, stretch: Stretch, stream: Stream) -> Answer<()> {
        let (address, bytes) = stretch;
        self.wait_to_work(stream)?;
        self.host_opens(stretch)?;
        if self.is_shared_at(address) {
            return Ok(());
        }
        if self.state.options.check {
            return self.mirror(stretch, stream, |at| (device(at), Place::Host(at)));
        }
        self.state.mirrors.valid.add(address, address + bytes);
        self.state.mirrors.written.add(address, address + bytes);
        Ok(())
    }

    /// Captures the host's work in a stream: `work`, between its reads and its writes. Each launch
    /// of the graph does it again.
    ///
    /// # Errors
    /// The same as for [`Call::host_opens`]. The stream is not captured, or its capture is invalid.
    pub fn host_captures(
        &mut self,
        reads: Vec<Stretch>,
        writes: Vec<Stretch>,
        work: HostWork,
        stream: Stream,
    ) -> Answer<()> {
        for stretch in reads.iter().chain(&writes) {
            self.host_opens(*stretch)?;
        }
        let work: LibraryWork = Arc::new(move |memory| {
            for stretch in &reads {
                memory.mirror(*stretch, Way::ToHost)?;
            }
            work()?;
            for stretch in &writes {
                memory.mirror(*stretch, Way::ToDevice)?;
            }
            Ok(())
        });
        let task = LibraryTask { name: "an operation of the host's", work };
        match self.capture(stream, || GraphTask::Library(task))? {
            true => Ok(()),
            false => Err(CudaError::IllegalState),
        }
    }

    fn is_shared_at(&self, address: u64) -> bool {
        self.around(address).is_some_and(|(_, allocation)| allocation.host.is_some())
    }

    /// Waits for a stream, in which the host is about to work. Errors of its operations show.
    fn wait_to_work(&mut self, stream: Stream) -> Answer<()> {
        self.refuse_captured(stream)?;
        let context = self.context()?;
        self.wait_for_stream(stream, context)
    }

    /// The pieces of memory in which a stretch lies: where each part begins, and its bytes.
    fn pieces(&self, first: u64, end: u64) -> Vec<(u64, usize)> {
        let mut pieces = Vec::new();
        let mut at = first;
        while at < end {
            let bytes = self.in_one_piece(at, end - at).max(1);
            pieces.push((at, bytes as usize));
            at += bytes;
        }
        pieces
    }

    /// Copies a stretch in a stream, and waits for it.
    fn mirror(
        &mut self,
        (address, bytes): Stretch,
        stream: Stream,
        ends: impl FnOnce(u64) -> (Place, Place),
    ) -> Answer<()> {
        let context = self.context()?;
        let (to, from) = ends(address);
        self.issuing(|call| call.copy_pieces(to, from, bytes, stream))?;
        self.wait_for_stream(stream, context)
    }

    /// What the host has written goes to the device, which is about to do something.
    pub(crate) fn mirror_in(&mut self) {
        if self.state.mirrors.written.0.is_empty() {
            return;
        }
        let written = std::mem::take(&mut self.state.mirrors.written);
        for (first, end) in written.0 {
            for (at, bytes) in self.pieces(first, end) {
                let mut sent = Ok(());
                let device = &mut self.state.device;
                let send = &mut |bytes: &[u8]| sent = device.upload(Pointer(at), bytes);
                self.host.read(at, bytes, send);
                if let Err(error) = sent {
                    bug(self, &format!("memory that the host has written is gone: {error}"));
                }
            }
        }
    }

    /// The device may have done something: what the host has of its memory may be old, except what
    /// the host has written since.
    pub(crate) fn mirror_out(&mut self) {
        let Mirrors { valid, written, .. } = &mut self.state.mirrors;
        valid.clone_from(written);
    }

    /// A piece of memory is gone, and its mirror with it.
    pub(crate) fn mirror_ends(&mut self, base: u64) {
        let State { mirrors, .. } = &mut *self.state;
        if let Some(bytes) = mirrors.mapped.remove(&base) {
            mirrors.valid.remove(base, base + bytes as u64);
            mirrors.written.remove(base, base + bytes as u64);
            self.host.unmap(base, bytes);
        }
    }
}

fn device(at: u64) -> Place {
    Place::Device(Pointer(at))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// Against a set of single addresses.
        #[test]
        fn runs_are_the_addresses_that_were_added_and_not_removed(
            steps in proptest::collection::vec((0..3_u8, 0..60_u64, 0..20_u64), 1..40)
        ) {
            let (mut runs, mut all) = (Runs::default(), BTreeSet::new());
            for (what, first, bytes) in steps {
                let stretch = first..first + bytes;
                match what {
                    0 => {
                        runs.add(first, first + bytes);
                        all.extend(stretch);
                    }
                    1 => {
                        runs.remove(first, first + bytes);
                        all.retain(|at| !stretch.contains(at));
                    }
                    _ => {
                        let missing = runs.missing(first, first + bytes);
                        let missing = missing.into_iter().flat_map(|(first, end)| first..end);
                        let wanted = stretch.filter(|at| !all.contains(at));
                        prop_assert!(missing.eq(wanted));
                    }
                }
                let held: Vec<u64> = runs.0.iter().flat_map(|(first, end)| *first..*end).collect();
                prop_assert!(held.iter().eq(all.iter()));
                let ends: Vec<(u64, u64)> = runs.0.iter().map(|(a, b)| (*a, *b)).collect();
                prop_assert!(ends.windows(2).all(|pair| pair[0].1 < pair[1].0));
            }
        }
    }
}
