//! Memory that host and device share: managed, page-locked and registered, and managed variables.
//!
//! The device has its own copy. Before an operation, the bytes that the host changed go there;
//! after it, the bytes that the operation changed come back. Each side's changes are found by
//! comparing with the last common contents, which are kept. So neither direction writes a byte that
//! only the other side has changed. A host that writes beside a running operation loses nothing.
//! The time grows with the shared bytes.
//!
//! If operations are checked, the host's changes count as one act of the host, at the first call
//! that sees them. All calls that order something look first: an operation, a wait, a query, a
//! free.
//!
//! In which direction it can be wrong: a host write of a value that is there already is not seen,
//! nor are the host's reads. The host may have written at any time since the call before. All that
//! it had waited for when the write was seen counts as waited for when it wrote. So races are
//! missed here, but no false one is reported. If host and operation both write a byte at the same
//! time, the operation's value stays.

use std::collections::BTreeMap;
use std::mem;

use warpsim::host::{Pointer, Stream};

use crate::state::{Call, State, refusal};
use crate::{Answer, CudaError, DefaultStream, Handle};

/// Bytes that are compared at a time.
const CHUNK: usize = 64 << 10;

/// A piece of memory that host and device share.
#[derive(Debug)]
pub(crate) struct SharedPiece {
    /// Where the host has it.
    host: u64,
    /// What both sides had last.
    agreed: Vec<u8>,
}

/// Runs of bytes: where each begins, and how many they are.
type Runs = Vec<(usize, usize)>;

/// Adds the runs in which two texts of one length differ. They lie this many bytes behind the
/// beginning of a piece.
fn add_differences(runs: &mut Runs, behind: usize, old: &[u8], new: &[u8]) {
    let bytes = old.iter().zip(new).enumerate();
    for (at, _) in bytes.filter(|(_, (old, new))| old != new) {
        match runs.last_mut() {
            Some((first, bytes)) if *first + *bytes == behind + at => *bytes += 1,
            Some(_) | None => runs.push((behind + at, 1)),
        }
    }
}

impl State {
    /// Memory of the device is memory of the host, too, from now on. One side is all zero; what the
    /// other has is a change.
    ///
    /// # Errors
    /// It is larger than memory.
    pub(crate) fn share(&mut self, base: u64, host: u64, bytes: u64) -> Answer<()> {
        let size = usize::try_from(bytes).map_err(|_| CudaError::OutOfMemory)?;
        self.shared.insert(base, SharedPiece { host, agreed: vec![0; size] });
        if let Some(orders) = &mut self.orders {
            orders.host_reaches(base, bytes);
        }
        Ok(())
    }

    /// It is not any more.
    pub(crate) fn unshare(&mut self, base: u64) {
        self.shared.remove(&base);
        if let Some(orders) = &mut self.orders {
            orders.host_leaves(base);
        }
    }
}

impl Call<'_> {
    /// What the host wrote goes to the device.
    pub(crate) fn share_in(&mut self) -> Answer<()> {
        self.mirror_in();
        if self.state.shared.is_empty() {
            return Ok(());
        }
        let mut shared = mem::take(&mut self.state.shared);
        let written = self.take_over(&mut shared);
        self.state.shared = shared;
        self.looked_at_host();
        written
    }

    /// The same of one piece, where operations are checked: it is about to be given back.
    pub(crate) fn look_at_piece(&mut self, base: u64) -> Answer<()> {
        if !self.state.options.check {
            return Ok(());
        }
        let Some(piece) = self.state.shared.remove(&base) else { return Ok(()) };
        let mut piece = BTreeMap::from([(base, piece)]);
        let written = self.take_over(&mut piece);
        self.state.shared.append(&mut piece);
        written
    }

    fn take_over(&mut self, shared: &mut BTreeMap<u64, SharedPiece>) -> Answer<()> {
        let runs: Vec<Runs> = shared.values_mut().map(|piece| self.agree(piece)).collect();
        self.write_runs(shared, &runs)
    }

    /// The same where operations are checked, before the host waits for something; otherwise no
    /// code looks before the next operation.
    pub(crate) fn look_at_host(&mut self) -> Answer<()> {
        match self.state.options.check {
            true => self.share_in(),
            false => Ok(()),
        }
    }

    /// A stream calls a function of the program. The host may learn from it which work is over.
    /// Writes of the function are the host's.
    ///
    /// # Errors
    /// There is no such stream.
    pub fn call_function(&mut self, stream: Handle, default: DefaultStream) -> Answer<u64> {
        let stream = self.stream(stream, default)?;
        self.call_function_in(stream)?;
        Ok(stream.number() as u64)
    }

    /// The same of a stream of the device.
    pub(crate) fn call_function_in(&mut self, stream: Stream) -> Answer<()> {
        self.look_at_host()?;
        let State { device, orders, .. } = &mut *self.state;
        let Some(orders) = orders else { return Ok(()) };
        let learned = device.host_function(stream).map(|order| orders.host_learns(&order));
        learned.map_err(|error| refusal(self, &error))
    }

    /// Takes over what the host has changed in a piece, and says where.
    fn agree(&self, piece: &mut SharedPiece) -> Runs {
        let mut runs = Runs::new();
        let mut here = vec![0; CHUNK.min(piece.agreed.len())];
        let starts = (0..).step_by(CHUNK);
        for (agreed, behind) in piece.agreed.chunks_mut(CHUNK).zip(starts) {
            let here = &mut here[..agreed.len()];
            self.host.load(piece.host + behind as u64, here);
            if here != agreed {
                add_differences(&mut runs, behind, agreed, here);
                agreed.copy_from_slice(here);
            }
        }
        runs
    }

    /// Writes what the host has changed, as one act of the host.
    fn write_runs(&mut self, shared: &BTreeMap<u64, SharedPiece>, runs: &[Runs]) -> Answer<()> {
        let mut writes = Vec::new();
        for ((base, piece), runs) in shared.iter().zip(runs) {
            for (first, bytes) in runs {
                let bytes = piece.agreed.get(*first..*first + *bytes).ok_or(CudaError::Unknown)?;
                writes.push((Pointer(*base + *first as u64), bytes));
            }
        }
        if writes.is_empty() {
            return Ok(());
        }
        let written = self.seeing(|call| call.state.write_by_host(&writes));
        written.map_err(|error| refusal(self, &error))
    }

    /// What the device wrote comes back.
    pub(crate) fn share_out(&mut self) -> Answer<()> {
        self.mirror_out();
        let Call { state, host, .. } = self;
        let State { shared, device, .. } = &mut **state;
        let mut read = Ok(());
        for (base, piece) in shared {
            let mut there = vec![0; CHUNK.min(piece.agreed.len())];
            let starts = (0..).step_by(CHUNK);
            for (agreed, behind) in piece.agreed.chunks_mut(CHUNK).zip(starts) {
                let there = &mut there[..agreed.len()];
                let behind: u64 = behind;
                read = read.and(device.peek(Pointer(*base + behind), there));
                if read.is_ok() && there != agreed {
                    host.merge(piece.host + behind, agreed, there);
                    agreed.copy_from_slice(there);
                }
            }
        }
        read.map_err(|error| refusal(self, &error))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_of_bytes_that_differ_are_told_one_by_one_and_over_the_border_of_chunks() {
        let differences = |old: &[u8], new: &[u8]| {
            let mut runs = Runs::new();
            add_differences(&mut runs, 0, old, new);
            runs
        };
        assert_eq!(differences(b"abcdef", b"abcdef"), []);
        assert_eq!(differences(b"abcdef", b"xbcyzf"), [(0, 1), (3, 2)]);
        assert_eq!(differences(b"a", b"b"), [(0, 1)]);
        let mut runs = differences(b"ab", b"ax");
        add_differences(&mut runs, 2, b"cd", b"yd");
        assert_eq!(runs, [(1, 2)]);
    }
}
