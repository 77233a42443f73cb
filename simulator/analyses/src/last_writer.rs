//! Who wrote a cell of global memory last.
//!
//! If lanes store to one cell in one instruction, the lowest lane wins, as in the machine itself.
//! If lanes use one atomic instruction, the highest comes last. An atomic operation counts as a
//! write even when it leaves the value as it is. Writes of host code are no instructions, and are
//! not reported.

use crate::lanes::{LANES, lanes_of};
use crate::lower::Pc;
use crate::observe::{Access, AccessKind, Event, Interest, LaunchFacts, Observer};
use crate::ptx::Space;
use crate::report::Site;

/// Watches some cells, and remembers for each the last instruction that wrote to it.
///
/// ```
/// use warpsim::host::{Argument, Device, Launch, Simulator};
/// use warpsim::observe::LastWriter;
///
/// let text = "
///     .version 7.0 .target sm_70 .address_size 64
///     .visible .entry mark(.param .u64 p) {
///       .reg .u64 %a; .reg .u32 %t;
///       ld.param.u64 %a, [p];
///       mov.u32 %t, %tid.x;
///       st.global.u32 [%a], %t;
///       ret;
///     }";
/// let mut gpu = Simulator::default();
/// let module = gpu.load(&warpsim::ptx::parse("mark.ptx", text)?)?;
/// let cell = gpu.allocate(4)?;
/// let mut writer = LastWriter::of([(cell.0, 4)]);
/// let argument = [Argument::Pointer(cell)];
/// gpu.launch_observed(module, "mark", &Launch::new(1, 64), &argument, &mut writer)?;
/// let site = writer.site(cell.0).ok_or("nobody wrote it")?;
/// // The first lane of the warp that ran last.
/// assert_eq!((site.operation.as_str(), site.warp, site.lane), ("st.global.u32", 1, 0));
/// assert_eq!(site.ptx_line, 7);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct LastWriter {
    /// Ascending by address; cells do not overlap.
    cells: Vec<Cell>,
    facts: Option<LaunchFacts>,
}

/// A cell that is watched.
#[derive(Clone, Copy, Debug)]
struct Cell {
    start: u64,
    end: u64,
    writer: Option<Writer>,
}

/// A thread at an instruction.
#[derive(Clone, Copy, Debug)]
struct Writer {
    block: u64,
    warp: u32,
    lane: u32,
    pc: Pc,
}

impl LastWriter {
    /// Watches these cells, each an address and a size in bytes. If cells overlap, only one of them
    /// is watched.
    pub fn of(cells: impl IntoIterator<Item = (u64, u64)>) -> LastWriter {
        let cell = |(start, bytes): (u64, u64)| {
            let end = start.saturating_add(bytes);
            Cell { start, end, writer: None }
        };
        let mut cells: Vec<Cell> = cells.into_iter().map(cell).collect();
        cells.sort_unstable_by_key(|cell| (cell.start, cell.end));
        cells.dedup_by(|next, kept| next.start < kept.end || next.start == kept.start);
        LastWriter { cells, facts: None }
    }

    /// The last write to the cell that begins here, in the launch that was watched last; `None`
    /// when it did not write there.
    pub fn site(&self, start: u64) -> Option<Site> {
        let index = self.cells.binary_search_by_key(&start, |cell| cell.start).ok()?;
        let Writer { block, warp, lane, pc } = self.cells.get(index)?.writer?;
        Some(self.facts.as_ref()?.site(block, warp, lane, pc))
    }

    /// A lane writes to these bytes.
    fn wrote(&mut self, from: u64, to: u64, writer: Writer) {
        let first = self.cells.partition_point(|cell| cell.end <= from);
        for cell in self.cells.iter_mut().skip(first).take_while(|cell| cell.start < to) {
            cell.writer = Some(writer);
        }
    }
}

impl Observer for LastWriter {
    fn interest(&self) -> Interest {
        Interest::none().with_accesses(true)
    }

    fn launch_begin(&mut self, launch: &LaunchFacts) {
        self.facts = Some(launch.clone());
        self.cells.iter_mut().for_each(|cell| cell.writer = None);
    }

    fn access(&mut self, event: &Event<'_>, access: &Access<'_>) {
        if access.space != Space::Global || access.kind == AccessKind::Read {
            return;
        }
        let mut lanes = [0; LANES];
        let mut count = 0;
        for (place, lane) in lanes.iter_mut().zip(lanes_of(access.mask)) {
            *place = lane;
            count += 1;
        }
        // Not more than all: each lane was counted once.
        let lanes = lanes.get_mut(..count).unwrap_or_default();
        if access.kind == AccessKind::Write {
            lanes.reverse();
        }
        for lane in lanes.iter().copied() {
            let Some(from) = access.addresses.get(lane).copied() else { continue };
            let (block, warp, lane, pc) = (event.block, event.warp, lane as u32, event.pc);
            let to = from.saturating_add(access.bytes.into());
            self.wrote(from, to, Writer { block, warp, lane, pc });
        }
    }
}
