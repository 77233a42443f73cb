//! Memory that host and device share: managed, page-locked and registered, and managed variables.
//!
//! The device has its own copy. Before an operation the bytes that the host changed since go there, and after it those
//! that the operation changed come back, found by comparing: time goes with the bytes that are shared. What differs
//! counts as written by the host at that time, so that a host that writes while a kernel may still use the bytes is
//! found where launches are checked; what the host reads is not seen.

use warpsim::host::{Device, Pointer};

use crate::memory::AllocationKind;
use crate::state::{Call, refusal};
use crate::{Answer, CudaError};

/// Bytes that are compared at a time.
const CHUNK: u64 = 64 << 10;

/// Where two texts of one length differ: first byte and one past the last, of each run.
fn differences(old: &[u8], new: &[u8]) -> Vec<(usize, usize)> {
    let mut runs: Vec<(usize, usize)> = Vec::new();
    if old == new {
        return runs;
    }
    for at in (0..old.len().min(new.len())).filter(|at| old[*at] != new[*at]) {
        match runs.last_mut() {
            Some((_, end)) if *end == at => *end = at + 1,
            Some(_) | None => runs.push((at, at + 1)),
        }
    }
    runs
}

impl Call<'_> {
    /// What the host wrote goes to the device.
    pub(crate) fn share_in(&mut self) -> Answer<()> {
        for (base, (host, bytes)) in self.state.shared.clone() {
            let mut there = vec![0; CHUNK.min(bytes) as usize];
            for offset in (0..bytes).step_by(CHUNK as usize) {
                let size = CHUNK.min(bytes - offset) as usize;
                let there = there.get_mut(..size).ok_or(CudaError::Unknown)?;
                let start = Pointer(base + offset);
                let read = self.state.device.peek(start, there);
                read.map_err(|error| refusal(self, &error))?;
                let mut changed = Vec::new();
                self.host.read(host + offset, size, &mut |here| {
                    let runs = differences(there, here).into_iter();
                    changed.extend(
                        runs.filter_map(|(first, end)| {
                            Some((first, here.get(first..end)?.to_vec()))
                        }),
                    );
                });
                for (first, bytes) in changed {
                    let at = start.offset(first as u64);
                    // A variable is no page-locked memory: it is written as by a copy, which the host waits for.
                    let written = match self.is_variable(base) {
                        true => self.state.device.upload(at, &bytes),
                        false => self.state.device.host_write(at, &bytes),
                    };
                    written.map_err(|error| refusal(self, &error))?;
                }
            }
        }
        Ok(())
    }

    fn is_variable(&self, base: u64) -> bool {
        let kind = self.state.allocations.get(&base).map(|allocation| allocation.kind);
        matches!(kind, Some(AllocationKind::ManagedVariable(_)))
    }

    /// What the device wrote comes back.
    pub(crate) fn share_out(&mut self) -> Answer<()> {
        for (base, (host, bytes)) in self.state.shared.clone() {
            let mut there = vec![0; CHUNK.min(bytes) as usize];
            for offset in (0..bytes).step_by(CHUNK as usize) {
                let size = CHUNK.min(bytes - offset) as usize;
                let there = there.get_mut(..size).ok_or(CudaError::Unknown)?;
                let read = self.state.device.peek(Pointer(base + offset), there);
                read.map_err(|error| refusal(self, &error))?;
                let mut runs = Vec::new();
                self.host.read(host + offset, size, &mut |here| runs = differences(here, there));
                for (first, end) in runs {
                    let new = there.get(first..end).ok_or(CudaError::Unknown)?;
                    self.host.write(host + offset + first as u64, end - first, &mut |here| {
                        here.copy_from_slice(new);
                    });
                }
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_of_bytes_that_differ_are_told_one_by_one() {
        assert_eq!(differences(b"abcdef", b"abcdef"), []);
        assert_eq!(differences(b"abcdef", b"xbcyzf"), [(0, 1), (3, 5)]);
        assert_eq!(differences(b"a", b"b"), [(0, 1)]);
    }
}
