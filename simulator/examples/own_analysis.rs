//! An observer of one's own: how many bytes the lanes of each line of PTX read from global memory.
//!
//!     cargo run -p warpsim --example own_analysis

#![allow(clippy::print_stdout, reason = "a command-line program")]

use std::collections::BTreeMap;

use warpsim::observe::{Access, AccessKind, Event, Interest};
use warpsim::prelude::*;
use warpsim::ptx::Space;

#[derive(Debug, Default)]
struct BytesRead {
    by_operation: BTreeMap<warpsim::lower::Pc, u64>,
}

impl Observer for BytesRead {
    // The less it asks for, the faster the launch.
    fn interest(&self) -> Interest {
        Interest::none().with_accesses(true)
    }

    fn access(&mut self, event: &Event<'_>, access: &Access<'_>) {
        if access.space == Space::Global && access.kind == AccessKind::Read {
            let bytes = u64::from(access.bytes) * u64::from(access.mask.count_ones());
            *self.by_operation.entry(event.pc).or_default() += bytes;
        }
    }
}

pub(crate) fn main() -> Result<(), Box<dyn std::error::Error>> {
    let module = warpsim::ptx::parse("neighbour.ptx", include_str!("neighbour.ptx"))?;
    let mut gpu = Simulator::default();
    let loaded = gpu.load(&module)?;
    let buffer = gpu.allocate(4 * 256)?;
    gpu.upload(buffer, &[0; 4 * 256])?;

    let mut read = BytesRead::default();
    let arguments = [Argument::Pointer(buffer)];
    gpu.launch_observed(loaded, "neighbour", &Launch::new(2, 128), &arguments, &mut read)?;
    for (operation, bytes) in &read.by_operation {
        println!("operation {operation:?}: {bytes} bytes");
    }
    assert_eq!(read.by_operation.values().sum::<u64>(), 4 * 256);
    Ok(())
}
