//! Functions that NVIDIA's driver does not have. Frameworks that carry out operations on device
//! memory on the CPU call them. They say what the host is about to read and what it has written.
//!
//! A stretch is an address and a number of bytes, each a word of eight bytes.

use std::ffi::c_void;

use warpsim_driver_core::{Answer, Call, CudaError, DefaultStream, Handle, Stretch};

use super::functions;
use crate::callbacks;
use crate::pointers::In;
use crate::process::with;

/// Does something with each of some stretches, in a stream.
fn each(
    (stretches, count): (In<[u64; 2]>, usize),
    stream: Handle,
    act: impl Fn(&mut Call<'_>, Stretch, Handle) -> Answer<()>,
) -> Answer<()> {
    callbacks::settle();
    with(|call| {
        for index in 0..count {
            let [address, bytes] = stretches.at(index)?;
            act(call, (address, bytes), stream)?;
        }
        Ok(())
    })
}

/// What a framework does at each launch of a graph; an answer that is not 0 is a failure.
type Work = Option<extern "C" fn(*mut c_void) -> u32>;

/// Releases the data of the work when no graph has it any more. The driver is busy then, so this
/// function calls nothing of it.
type Release = Option<extern "C" fn(*mut c_void)>;

/// Data of a framework, with the functions that use it and release it. An address is a number here,
/// because other threads may launch the graph.
struct Captured {
    work: extern "C" fn(*mut c_void) -> u32,
    release: extern "C" fn(*mut c_void),
    data: usize,
}

impl Captured {
    fn new(work: Work, release: Release, data: *mut c_void) -> Answer<Captured> {
        let work = work.ok_or(CudaError::InvalidValue)?;
        let release = release.ok_or(CudaError::InvalidValue)?;
        Ok(Captured { work, release, data: data.expose_provenance() })
    }

    fn data(&self) -> *mut c_void {
        std::ptr::with_exposed_provenance_mut(self.data)
    }

    /// Where it fails, a kernel of the framework's would have stopped at an assertion.
    fn run(&self) -> Answer<()> {
        match (self.work)(self.data()) {
            0 => Ok(()),
            _ => Err(CudaError::Assert),
        }
    }
}

impl Drop for Captured {
    fn drop(&mut self) {
        (self.release)(self.data());
    }
}

fn all(stretches: In<[u64; 2]>, count: usize) -> Answer<Vec<Stretch>> {
    (0..count).map(|index| stretches.at(index).map(|[address, bytes]| (address, bytes))).collect()
}

functions! {
    cuWarpsimHostCaptures(
        reads: In<[u64; 2]>, read_count: usize, writes: In<[u64; 2]>, write_count: usize,
        work: Work, release: Release, data: *mut c_void, stream: Handle
    ) {
        let captured = Captured::new(work, release, data)?;
        let (reads, writes) = (all(reads, read_count)?, all(writes, write_count)?);
        with(move |call| {
            let stream = call.stream(stream, DefaultStream::Legacy)?;
            call.host_captures(reads, writes, Box::new(move || captured.run()), stream)
        })
    }
    cuWarpsimHostOpens(stretches: In<[u64; 2]>, count: usize) {
        each((stretches, count), 0, |call, stretch, _| call.host_opens(stretch))
    }
    cuWarpsimHostReads(stretches: In<[u64; 2]>, count: usize, stream: Handle) {
        each((stretches, count), stream, |call, stretch, stream| {
            let stream = call.stream(stream, DefaultStream::Legacy)?;
            call.host_reads(stretch, stream)
        })
    }
    cuWarpsimHostWrote(stretches: In<[u64; 2]>, count: usize, stream: Handle) {
        each((stretches, count), stream, |call, stretch, stream| {
            let stream = call.stream(stream, DefaultStream::Legacy)?;
            call.host_wrote(stretch, stream)
        })
    }
}
