//! Functions that NVIDIA's driver does not have, for frameworks that carry operations on memory of
//! the device out on the CPU: they say what the host is about to read and what it has written.
//!
//! A stretch is an address and its bytes, each a word of eight bytes.

use warpsim_driver_core::{Answer, Call, DefaultStream, Handle, Stretch};

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

functions! {
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
