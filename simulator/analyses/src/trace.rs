//! The trace: the effect of each warp instruction, kept for assertions, printing or comparison, or
//! passed on as it happens.

mod stream;

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

pub use stream::TraceStream;

use super::values::Values;
use crate::lanes::{FULL, LANES, Mask, lanes_of};
use crate::lower::{Pc, RegisterName};
use crate::observe::{Access, AccessKind, Event, Observer};
use crate::passes::{Change, Remark};
use crate::ptx::{InstId, Space};
use crate::report::SourcePosition;

/// What one warp instruction did.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Step {
    /// Its number in the trace, from 0.
    pub number: usize,
    /// The block's linear number.
    pub block: u64,
    /// `%ctaid`.
    pub block_index: [u32; 3],
    /// The warp in the block.
    pub warp: u32,
    /// The lanes that were there.
    pub mask: Mask,
    /// The lanes for which it had an effect.
    pub active: Mask,
    /// The instruction in the module.
    pub instruction: InstId,
    /// Its line in the PTX text.
    pub line: u32,
    /// The file of that text, where modules are linked and it is not the first.
    pub file: Option<Arc<str>>,
    /// Its line in the source.
    pub source: Option<SourcePosition>,
    /// The opcode with modifiers: `ld.shared.u32`.
    pub name: Arc<str>,
    /// The instruction as text, without guard.
    pub text: Arc<str>,
    /// The registers it read, before it.
    pub reads: Vec<Values>,
    /// The registers it wrote, after it.
    pub writes: Vec<Values>,
    /// The memory it touched.
    pub touches: Vec<Touch>,
    /// Stores that the program as written has done, but the present program has not yet done: their
    /// values are still only in registers. Known when the trace was given the remarks of the pass.
    pub pending: Vec<Pending>,
    /// What its lanes printed.
    pub printed: String,
    pc: Pc,
    complete: bool,
}

/// Memory that an instruction touched, in one state space.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Touch {
    /// What it did.
    pub kind: AccessKind,
    /// The state space.
    pub space: Space,
    /// The lanes.
    pub mask: Mask,
    /// Their addresses in that space; 0 for other lanes.
    pub addresses: [u64; LANES],
    /// Bytes for each lane.
    pub bytes: u32,
}

/// A store whose value is still only in a register.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Pending {
    /// The store in the original module.
    pub store: InstId,
    /// What holds the value.
    pub holder: String,
    /// The lanes for which it is so.
    pub lanes: Mask,
}

/// A record of what happened.
///
/// ```
/// # use warpsim::host::{Device, Launch, Simulator};
/// # let text = ".version 7.0 .target sm_70 .address_size 64
/// #   .entry k() { .reg .u32 %a; mov.u32 %a, %laneid; add.u32 %a, %a, 1; ret; }";
/// # let mut gpu = Simulator::default();
/// # let module = gpu.load(&warpsim::ptx::parse("k.ptx", text)?)?;
/// let mut trace = warpsim::observe::Trace::new();
/// gpu.launch_observed(module, "k", &Launch::new(1, 32), &[], &mut trace)?;
/// let add = &trace.steps()[1];
/// assert_eq!((&*add.name, add.writes[0].bits[31]), ("add.u32", 32));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Trace {
    steps: Vec<Step>,
    lags: Lags,
}

/// A moment of a trace.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Mark {
    steps: usize,
    lags: Lags,
}

impl Step {
    /// Its operation in the program.
    pub fn pc(&self) -> Pc {
        self.pc
    }
}

impl Trace {
    /// An empty trace.
    pub fn new() -> Trace {
        Trace::default()
    }

    /// An empty trace that follows which stores a pass has left in registers.
    pub fn with_remarks(remarks: &[Remark]) -> Trace {
        Trace { steps: Vec::new(), lags: Lags::new(remarks) }
    }

    /// What happened, in order.
    pub fn steps(&self) -> &[Step] {
        &self.steps
    }

    /// A moment to come back to.
    pub fn mark(&self) -> Mark {
        Mark { steps: self.steps.len(), lags: self.lags.clone() }
    }

    /// Goes back to a moment of this trace.
    pub fn rewind(&mut self, mark: &Mark) {
        self.steps.truncate(mark.steps);
        self.lags = mark.lags.clone();
    }

    /// The stores that are pending for a warp.
    pub fn pending(&self, block: u64, warp: u32) -> Vec<Pending> {
        self.lags.pending(block, warp)
    }
}

impl Observer for Trace {
    fn before(&mut self, event: &Event<'_>) {
        let place = event.place();
        self.lags.enter(event, place.instruction);
        self.steps.push(Step {
            number: self.steps.len(),
            block: event.block,
            block_index: event.block_index,
            warp: event.warp,
            mask: event.mask,
            active: event.active,
            instruction: place.instruction,
            line: place.line,
            file: place.file.clone(),
            source: place.source.as_deref().cloned(),
            name: Arc::clone(&place.name),
            text: Arc::clone(&place.text),
            reads: values(event, place.reads()),
            writes: Vec::new(),
            touches: Vec::new(),
            pending: Vec::new(),
            printed: String::new(),
            pc: event.pc,
            complete: false,
        });
    }

    fn printed(&mut self, _event: &Event<'_>, text: &str) {
        if let Some(step) = self.steps.last_mut() {
            step.printed += text;
        }
    }

    fn access(&mut self, _event: &Event<'_>, access: &Access<'_>) {
        if let Some(step) = self.steps.last_mut() {
            let here = |lane: usize| access.mask >> lane & 1 == 1;
            step.touches.push(Touch {
                kind: access.kind,
                space: access.space,
                mask: access.mask,
                addresses: std::array::from_fn(|l| if here(l) { access.addresses[l] } else { 0 }),
                bytes: access.bytes,
            });
        }
    }

    fn after(&mut self, event: &Event<'_>) {
        let place = event.place();
        self.lags.leave(event, place.instruction);
        let pending = self.lags.pending(event.block, event.warp);
        let written = values(event, place.writes());
        // The report for lanes that waited arrives when the other lanes have come. So it need not
        // belong to the latest step.
        let step = self.steps.iter_mut().rev().find(|step| {
            !step.complete
                && step.pc == event.pc
                && (step.block, step.warp) == (event.block, event.warp)
                && event.active & !step.mask == 0
        });
        if let Some(step) = step {
            step.writes = written;
            step.pending = pending;
            step.complete = true;
        }
    }
}

fn values(event: &Event<'_>, registers: &[u32]) -> Vec<Values> {
    let function = &event.program.functions[event.function];
    let named = registers.iter().filter_map(|i| function.registers.get(*i as usize));
    named.map(|r: &RegisterName| Values::read(event.registers, r)).collect()
}

/// For each store that a pass moved or removed, the lanes between where it stood and where its
/// value arrives.
#[derive(Clone, Debug, Default)]
struct Lags {
    stores: Vec<Lagging>,
    begins: HashMap<InstId, Vec<usize>>,
    ends: HashMap<InstId, Vec<usize>>,
    open: HashMap<(u64, u32), Vec<Mask>>,
}

#[derive(Clone, Debug)]
struct Lagging {
    store: InstId,
    holder: String,
}

impl Lags {
    fn new(remarks: &[Remark]) -> Lags {
        let mut lags = Lags::default();
        for remark in remarks {
            let is_store = matches!(remark.change, Change::Overwritten(_) | Change::Sunk { .. });
            let Some(lag) = remark.lag.as_ref().filter(|_| is_store) else { continue };
            let index = lags.stores.len();
            lags.begins.entry(lag.from).or_default().push(index);
            lag.until.iter().for_each(|end| lags.ends.entry(*end).or_default().push(index));
            let holder = remark.holder.to_string();
            lags.stores.push(Lagging { store: remark.inst, holder });
        }
        lags
    }

    fn enter(&mut self, event: &Event<'_>, instruction: InstId) {
        for store in self.begins.get(&instruction).into_iter().flatten() {
            let count = self.stores.len();
            let open = self.open.entry((event.block, event.warp)).or_insert_with(|| vec![0; count]);
            open[*store] |= event.mask;
        }
    }

    fn leave(&mut self, event: &Event<'_>, instruction: InstId) {
        let Some(open) = self.open.get_mut(&(event.block, event.warp)) else { return };
        for store in self.ends.get(&instruction).into_iter().flatten() {
            open[*store] &= !event.mask;
        }
    }

    fn pending(&self, block: u64, warp: u32) -> Vec<Pending> {
        let open = self.open.get(&(block, warp)).map_or(&[][..], Vec::as_slice);
        let lagging = self.stores.iter().zip(open).filter(|(_, lanes)| **lanes != 0);
        lagging
            .map(|(s, lanes)| Pending { store: s.store, holder: s.holder.clone(), lanes: *lanes })
            .collect()
    }
}

/// `0-15, 20`, or `all`.
pub fn lane_list(mask: Mask) -> String {
    if mask == FULL {
        return "all".to_owned();
    }
    let mut parts: Vec<String> = Vec::new();
    let mut lane = 0;
    while lane < LANES as u32 {
        let run = (mask >> lane).trailing_ones();
        match run {
            0 => {}
            1 => parts.push(lane.to_string()),
            _ => parts.push(format!("{lane}-{}", lane + run - 1)),
        }
        lane += run + 1;
    }
    if parts.is_empty() { "none".to_owned() } else { parts.join(", ") }
}

/// The values of up to eight lanes; one value where they all have it.
fn few(values: &Values, active: Mask) -> String {
    let texts: Vec<String> = lanes_of(active).map(|lane| values.text(lane)).collect();
    match texts.as_slice() {
        [one, rest @ ..] if !rest.is_empty() && rest.iter().all(|text| text == one) => {
            format!("{one} in each")
        }
        few if few.len() <= 8 => few.join(" "),
        many => many[..8].join(" ") + " ...",
    }
}

/// One line, with the values of up to eight lanes of what was written, or of what was read when
/// nothing was.
impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [x, y, z] = self.block_index;
        write!(f, "block ({x},{y},{z}) warp {} lanes {:<8} ", self.warp, lane_list(self.active))?;
        match &self.source {
            Some(source) => {
                // Compilers write the whole path of what they were given.
                let name = source.file.rsplit(['/', '\\']).next().unwrap_or_default();
                write!(f, "{name}:{} ", source.line)?;
            }
            None => match &self.file {
                Some(file) => {
                    let name = file.rsplit(['/', '\\']).next().unwrap_or_default();
                    write!(f, "{name} line {} ", self.line)?
                }
                None => write!(f, "line {} ", self.line)?,
            },
        }
        write!(f, "{}", self.text)?;
        let shown = if self.writes.is_empty() { &self.reads } else { &self.writes };
        for values in shown {
            write!(f, "  {} = {}", values.register, few(values, self.active))?;
        }
        if !self.printed.is_empty() {
            write!(f, "  prints {:?}", self.printed)?;
        }
        Ok(())
    }
}
