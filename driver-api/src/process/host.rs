//! The process, as the core sees it: its memory, its output, its records.

use std::ffi::c_void;
use std::path::Path;

use warpsim::host::DeviceError;
use warpsim_driver_core::{Debugged, DebuggedLaunch, Host, LaunchToTrace, Moment, Note, Site};

use super::system_calls::{now, stdout, tell};
use super::{debugging, tracing};
use crate::records::Records;
use crate::site::Stack;
use crate::words;

/// The process, as the core sees it.
pub(super) struct Process {
    pub(super) records: Option<Records>,
}

impl Host for Process {
    fn read(&self, address: u64, bytes: usize, with: &mut dyn FnMut(&[u8])) {
        let start = std::ptr::with_exposed_provenance::<u8>(address as usize);
        // SAFETY: the program says that these bytes are there to be read while the call lasts, as
        // every function asks that copies memory of the host.
        with(unsafe { std::slice::from_raw_parts(start, bytes) });
    }

    fn write(&self, address: u64, bytes: usize, with: &mut dyn FnMut(&mut [u8])) {
        let start = std::ptr::with_exposed_provenance_mut::<u8>(address as usize);
        // SAFETY: the program says that these bytes are there to be written while the call lasts.
        with(unsafe { std::slice::from_raw_parts_mut(start, bytes) });
    }

    fn load(&self, address: u64, into: &mut [u8]) {
        words::load(address as usize, into);
    }

    fn merge(&self, address: u64, old: &[u8], new: &[u8]) {
        words::merge(address as usize, old, new);
    }

    fn map(&self, address: u64, bytes: usize) -> bool {
        let wanted = std::ptr::without_provenance_mut::<c_void>(address as usize);
        let protection = libc::PROT_READ | libc::PROT_WRITE;
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_FIXED_NOREPLACE;
        // SAFETY: fresh memory, at an address where there is none: nothing that is mapped is
        // replaced.
        let mapped = unsafe { libc::mmap(wanted, bytes, protection, flags, -1, 0) };
        if mapped == libc::MAP_FAILED {
            return false;
        }
        if mapped != wanted {
            // An old kernel takes the address for advice. SAFETY: mapped just now, with this many
            // bytes.
            unsafe { libc::munmap(mapped, bytes) };
            return false;
        }
        mapped.expose_provenance();
        true
    }

    fn unmap(&self, address: u64, bytes: usize) {
        let start = std::ptr::with_exposed_provenance_mut::<c_void>(address as usize);
        // SAFETY: mapped by `map` with this many bytes, and the program has given it back.
        unsafe { libc::munmap(start, bytes) };
    }

    fn print(&self, text: &str) {
        // SAFETY: the C library's own stream, in which the program's output is, so that both stay
        // in order.
        unsafe { libc::fwrite(text.as_ptr().cast(), 1, text.len(), stdout) };
    }

    fn tell(&self, message: &str) {
        tell(message);
    }

    fn record(&self, line: &str) {
        if let Some(records) = &self.records {
            records.record(line);
        }
    }

    fn note(&self, note: Note<'_>) {
        if let Some(records) = &self.records {
            records.note(note);
        }
    }

    fn process(&self) -> u32 {
        std::process::id()
    }

    fn now(&self) -> Moment {
        now()
    }

    fn debug(&self, launch: DebuggedLaunch<'_>, asked: &Debugged) {
        debugging::debug(launch, asked);
    }

    fn trace(&self, launch: LaunchToTrace<'_>, to: &Path) -> Result<(), DeviceError> {
        tracing::trace(launch, self.process(), to)
    }

    fn site(&self) -> Option<Box<dyn Site>> {
        Some(Box::new(Stack::now()))
    }
}
