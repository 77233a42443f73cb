//! Separates what belongs to the child that runs now from what belongs to earlier ones.
//!
//! Every child, and every clearing of one, is a new generation. Handles and addresses of an earlier
//! one are [`DeviceError::Lost`]. Numbers distinguish handles: the child's number, plus all that
//! were given out before. Addresses cannot be renumbered: kernels compute with them, and a new
//! child may give the same again. So the memory of earlier generations is remembered, until its
//! addresses are given out again.

use std::collections::BTreeMap;

use warpsim::host::{DeviceError, Download, Event, LaunchHandle, ModuleHandle, Pointer, Stream};

/// A handle, which is a number.
pub(super) trait Handle: Copy {
    /// The number.
    fn number(self) -> u64;

    /// The handle with this number.
    fn with(number: u64) -> Self;
}

macro_rules! handles {
    ($($handle:ty),*) => {$(
        impl Handle for $handle {
            fn number(self) -> u64 {
                <$handle>::number(self) as u64
            }

            fn with(number: u64) -> Self {
                <$handle>::new(number as _)
            }
        }
    )*};
}

handles!(ModuleHandle, Stream, Event, LaunchHandle, Download);

/// The handles of one kind.
#[derive(Debug, Default)]
pub(super) struct Handles {
    /// The number that is added to the child's numbers.
    base: u64,
    /// One more than the highest that was given out.
    next: u64,
}

impl Handles {
    /// The caller's handle for one of the child's.
    pub(super) fn given<H: Handle>(&mut self, childs: H) -> H {
        let number = self.base.saturating_add(childs.number());
        self.next = self.next.max(number.saturating_add(1));
        H::with(number)
    }

    /// The child's handle for one of the caller's.
    ///
    /// # Errors
    /// [`DeviceError::Lost`] when it is of an earlier generation.
    pub(super) fn childs<H: Handle>(&self, given: H) -> Result<H, DeviceError> {
        given.number().checked_sub(self.base).map(H::with).ok_or(DeviceError::Lost)
    }

    fn lose(&mut self) {
        self.base = self.next;
    }
}

/// The handles of all kinds, and memory.
#[derive(Debug, Default)]
pub(super) struct Generation {
    pub(super) modules: Handles,
    pub(super) events: Handles,
    pub(super) launches: Handles,
    pub(super) copies: Handles,
    streams: Handles,
    pub(super) memory: Memory,
}

impl Generation {
    /// The caller's handle for a stream of the child.
    pub(super) fn given_stream(&mut self, childs: Stream) -> Stream {
        if childs == Stream::DEFAULT { childs } else { self.streams.given(childs) }
    }

    /// The child's handle for a stream of the caller. The default stream is the same always.
    ///
    /// # Errors
    /// [`DeviceError::Lost`] when it is of an earlier generation.
    pub(super) fn childs_stream(&self, given: Stream) -> Result<Stream, DeviceError> {
        if given == Stream::DEFAULT {
            return Ok(given);
        }
        let stream = self.streams.childs(given)?;
        if stream == Stream::DEFAULT { Err(DeviceError::Lost) } else { Ok(stream) }
    }

    /// Begins the next generation.
    pub(super) fn lose(&mut self) {
        for handles in [
            &mut self.modules,
            &mut self.events,
            &mut self.launches,
            &mut self.copies,
            &mut self.streams,
        ] {
            handles.lose();
        }
        self.memory.lose();
    }
}

/// Ranges of addresses: what lies there now, and what lay there in an earlier generation.
#[derive(Debug, Default)]
pub(super) struct Memory {
    /// First address to size in bytes. Ranges of one map do not overlap.
    live: BTreeMap<u64, u64>,
    lost: BTreeMap<u64, u64>,
}

impl Memory {
    /// Memory that the child has given.
    pub(super) fn allocated(&mut self, start: Pointer, bytes: u64) {
        forget(&mut self.lost, start.0, bytes);
        self.live.insert(start.0, bytes.max(1));
    }

    /// Memory that the child has taken back.
    pub(super) fn freed(&mut self, start: Pointer) {
        self.live.remove(&start.0);
    }

    /// Nothing, when the address may be used.
    ///
    /// # Errors
    /// [`DeviceError::Lost`] when it lies in memory of an earlier generation.
    pub(super) fn check(&self, pointer: Pointer) -> Result<(), DeviceError> {
        let is_lost = !within(&self.live, pointer.0) && within(&self.lost, pointer.0);
        if is_lost { Err(DeviceError::Lost) } else { Ok(()) }
    }

    fn lose(&mut self) {
        for (start, bytes) in std::mem::take(&mut self.live) {
            forget(&mut self.lost, start, bytes);
            self.lost.insert(start, bytes);
        }
    }
}

/// Whether an address lies in a range.
fn within(ranges: &BTreeMap<u64, u64>, address: u64) -> bool {
    let below = ranges.range(..=address).next_back();
    below.is_some_and(|(start, bytes)| address - start < *bytes)
}

/// Removes the ranges that overlap with this one.
fn forget(ranges: &mut BTreeMap<u64, u64>, start: u64, bytes: u64) {
    let end = start.saturating_add(bytes.max(1));
    while let Some((first, size)) = ranges.range(..end).next_back().map(|(f, s)| (*f, *s)) {
        if first.saturating_add(size) <= start {
            break;
        }
        ranges.remove(&first);
    }
}
