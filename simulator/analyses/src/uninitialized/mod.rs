//! Uses of values that were never written, by byte, in global, shared and local memory.
//!
//! Shared memory is undefined when a block begins, whatever the launch fills it with. Local memory
//! is undefined when its function is entered. Global memory is undefined from its allocation until
//! host code uploads to it or a kernel stores to it, and after a `discard`. The variables of a
//! module are defined (PTX ISA 5.4.4: `.global` variables are zero unless initialised), and so are
//! parameters. *Never written* means before, in this run. The analysis of races judges whether the
//! write was ordered.
//!
//! Reading is no fault, and neither is copying. Loads, stores to shared and local memory, moves,
//! shuffles and calls hand on, for each byte, that it is undefined. Operations on bits do so
//! exactly (`flow`). A value matters when
//!
//! - it is an address, the guard of an instruction, the operand of an atomic, of a barrier, a vote,
//!   a `match` or a `redux`;
//! - an atomic other than an exchange reads it from memory;
//! - it is stored to global memory;
//! - it has been computed with, and the result matters in one of these ways. Then the finding is at
//!   the computation. If the result has no effect, as when lanes compute unused values, it is a
//!   note.
//!
//! Deviations, and in which direction they can be wrong:
//!
//! - A store to global memory that has both defined and undefined bytes counts as the copy of a
//!   struct with padding, and is no use (misses). The defined bytes are in the same element, in
//!   other elements of the same vector, or, for single bytes, in the eight bytes around the one
//!   read.
//! - Zero bytes from a narrower load or from a mask count neither as defined nor as undefined.
//! - A computed result that does not depend on its undefined operand, such as a product with zero,
//!   still counts as undefined (false alarms). A moved one does not.
//! - A byte is defined as a whole or not at all. Without optimisation, a bit field in memory may be
//!   a byte with only some bits written. It counts as undefined, and reading those bits is a use
//!   (false alarms).
//! - PTX leaves registers undefined until they are written, and compilers copy such registers. They
//!   count as defined, and `.param` variables of functions too (misses).
//! - An asynchronous copy transfers the state of its source at once, when it begins.
//! - Padding that is stored over defined global memory leaves it defined (misses).
//! - Memory from `alloca` that an earlier `stackrestore` had freed keeps its old state (misses).
//! - Memory that was there during a launch that was not watched counts as written (misses).
//!
//! | file | what |
//! |---|---|
//! | `quick` | a quick look at a whole run: is there anything to look for? |
//! | `written` | which bytes of a memory have been written, a bit each |
//! | `global` | the same for global memory, over several launches and with host code |
//! | `registers` | which bytes of which registers are undefined |
//! | `origin` | where an undefined value came from |
//! | `rules` | what each operation of a program needs from its operands |
//! | `flow` | how operations that move bits hand on undefined bytes |
//! | `warp`, `memory`, `copies`, `calls` | what happens at register operations, accesses, asynchronous copies, calls |
//! | `uses`, `use_kind` | what was found, and all its wording |

mod calls;
mod copies;
mod flow;
mod global;
mod memory;
mod origin;
mod quick;
mod registers;
mod rules;
mod use_kind;
mod uses;
mod warp;
mod written;

use std::collections::HashMap;
use std::sync::Arc;

use rustc_hash::FxBuildHasher;
use warpsim_language::internal;
use warpsim_language::internal::InternalError;

use crate::lower::{Kind, Operation, Program, SpanAction, StackOperation};
use crate::observe::{Access, Analysis, EndedRun, Event, FirstBug, Interest};
use crate::observe::{LaunchFacts, Observer, WarpEvent};
use crate::report::{Code, Finding};
use global::Global;
pub use quick::FirstLook;
use registers::{Doubt, WarpRegisters};
use rules::Rule;
use uses::Uses;
use warp::Watch;
use written::Cells;

/// Watches for uses of values that were never written.
///
/// One observer may watch several launches of a device, one after the other: what an earlier one
/// wrote is defined in the next. A clone is independent; the two share their knowledge of memory
/// until it changes.
///
/// ```
/// use warpsim::host::{Argument, Device, Launch, Simulator};
/// use warpsim::observe::Uninitialized;
///
/// let text = "
///     .version 7.0 .target sm_70 .address_size 64
///     .visible .entry k(.param .u64 p) {
///       .shared .u32 s[2]; .reg .u64 %a; .reg .u32 %v;
///       ld.param.u64 %a, [p];
///       st.shared.u32 [s], 1;
///       ld.shared.u32 %v, [s+4];
///       add.u32 %v, %v, 1;
///       st.global.u32 [%a], %v;
///       ret;
///     }";
/// let mut gpu = Simulator::default();
/// let module = gpu.load(&warpsim::ptx::parse("k.ptx", text)?)?;
/// let out = gpu.allocate(4)?;
/// let mut watching = Uninitialized::default();
/// let arguments = [Argument::Pointer(out)];
/// gpu.launch_observed(module, "k", &Launch::new(1, 1), &arguments, &mut watching)?;
/// let findings = watching.findings();
/// assert_eq!(findings[0].sites[0].operation, "add.u32");
/// assert_eq!(findings[0].sites[1].operation, "ld.shared.u32");
/// assert_eq!(findings[0].address, Some(4));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Uninitialized {
    launch: Option<LaunchFacts>,
    rules: Arc<[Rule]>,
    global: Global,
    blocks: HashMap<u64, Block, FxBuildHasher>,
    /// A block of this launch as it begins.
    beginning: Block,
    uses: Uses,
    findings: Vec<Finding>,
    bug: FirstBug,
}

/// A block that has begun and not ended.
#[derive(Clone, Debug, Default)]
struct Block {
    shared: Cells,
    warps: Vec<WarpRegisters>,
    /// The undefined bytes among those that the copies of the present instruction have read.
    copying: Vec<copies::Missing>,
}

impl Block {
    /// A block of a program before its first instruction. The system's part of shared memory counts
    /// as written.
    fn of(program: &Program) -> Block {
        let mut block = Block::default();
        for address in (0..program.reserved_shared_bytes).step_by(8) {
            block.shared.write(address.into(), 8, Doubt::default(), false);
        }
        block
    }
}

impl Uninitialized {
    /// What has been found in the launches that have ended since the last call. Each pair of a load
    /// and a use has one finding, with the first example and how often it happened.
    pub fn findings(&mut self) -> Vec<Finding> {
        std::mem::take(&mut self.findings)
    }

    /// The warp at an event. `None` when no launch is being watched.
    fn watch<'a, 'e>(&'a mut self, event: &'a Event<'e>) -> Option<(&'a Rule, Watch<'a, 'e>)> {
        self.launch.as_ref()?;
        let rule = self.rules.get(event.pc as usize);
        let no_rule = || internal!("nothing is known of the operation at {}", event.pc);
        let rule = self.bug.known(rule, no_rule)?;
        let block = self.blocks.entry(event.block).or_insert_with(|| self.beginning.clone());
        let warp = warp_of(&mut block.warps, event);
        let depth = warp.depth[event.mask.trailing_zeros() as usize % crate::lanes::LANES];
        let (global, uses, bug) = (&mut self.global, &mut self.uses, &mut self.bug);
        let (shared, copying) = (&mut block.shared, &mut block.copying);
        Some((rule, Watch { event, warp, shared, global, copying, uses, depth, bug }))
    }
}

fn warp_of<'a>(warps: &'a mut Vec<WarpRegisters>, event: &Event<'_>) -> &'a mut WarpRegisters {
    let index = event.warp as usize;
    if warps.len() <= index {
        warps.resize_with(index + 1, WarpRegisters::default);
    }
    &mut warps[index]
}

/// Whether an operation gives a thread memory that holds nothing, or destroys what memory holds.
fn takes_or_destroys(operation: &Operation) -> bool {
    match &operation.kind {
        Kind::Stack(stack) => matches!(**stack, StackOperation::Allocate { .. }),
        Kind::Span(span) => span.action == SpanAction::Discard,
        _ => false,
    }
}

/// Whether it has to be known when an operation happens.
fn matters(rule: &Rule) -> bool {
    rule.passes_on
        || rule.guard.is_some()
        || !rule.needs.is_empty()
        || !rule.defines.is_empty()
        || rule.is_transfer
}

impl Analysis for Uninitialized {
    fn name(&self) -> &'static str {
        "uninitialized"
    }

    fn looks_for(&self) -> &'static str {
        "values never written"
    }

    fn codes(&self) -> &'static [Code] {
        &[Code::Uninitialized]
    }

    fn findings(&mut self, run: &mut dyn EndedRun) -> Vec<Finding> {
        let mut findings = Uninitialized::findings(self);
        for finding in &mut findings {
            if let (Some(space), Some(address)) = (finding.space, finding.address) {
                let object = run.object(space, address);
                if object.name.is_some() {
                    finding.notes.insert(0, format!("the value is that of {object}"));
                }
                finding.object = object.name;
                finding.argument = object.argument;
            }
        }
        findings
    }

    fn bug(&mut self) -> Option<InternalError> {
        self.bug.take()
    }

    fn boxed(&self) -> Box<dyn Analysis> {
        Box::new(self.clone())
    }
}

impl Observer for Uninitialized {
    fn interest(&self) -> Interest {
        let Some(launch) = &self.launch else { return Interest::none() };
        let program = &launch.program;
        let has_local = program.functions.iter().any(|function| function.local_bytes > 0)
            || program.operations.iter().any(takes_or_destroys);
        if launch.shared_bytes == 0 && !has_local && self.global.is_defined() {
            return Interest::none();
        }
        let places = self.rules.iter().map(matters).collect();
        Interest::none().with_places(places).with_accesses(true).with_synchronisation(true)
    }

    fn launch_begin(&mut self, launch: &LaunchFacts) {
        self.blocks.clear();
        self.uses = Uses::default();
        self.beginning = Block::of(&launch.program);
        self.rules = rules::rules(&launch.program);
        self.global.begin(launch.number, &launch.unwritten);
        self.launch = Some(launch.clone());
    }

    fn before(&mut self, event: &Event<'_>) {
        let program = event.program;
        let Some((rule, mut watch)) = self.watch(event) else { return };
        if watch.warp.has_doubts() || rule.is_transfer {
            watch.before(rule, &program.operations[event.pc as usize].kind);
        }
    }

    fn access(&mut self, event: &Event<'_>, access: &Access<'_>) {
        let program = event.program;
        let Some((_, mut watch)) = self.watch(event) else { return };
        let bug = || internal!("memory is accessed at {}, where nothing accesses it", event.pc);
        match &program.operations[event.pc as usize].kind {
            Kind::Load(load) => watch.loaded(load, access),
            Kind::Store(store) => watch.stored(store, access),
            Kind::Atomic(atomic) => watch.changed(atomic, access),
            Kind::Asynchronous(_) => watch.copied(access),
            // Texels are there from the beginning.
            Kind::Image(_) => {}
            Kind::Span(span) => watch.spanned(span, access),
            Kind::Mbarrier(_) => watch.mbarrier(access),
            // They access no memory.
            Kind::Lanes(..)
            | Kind::Special32(..)
            | Kind::Special64(..)
            | Kind::LocalAddress32(..)
            | Kind::LocalAddress64(..)
            | Kind::IsSpace { .. }
            | Kind::Stack(_)
            | Kind::ActiveMask(_)
            | Kind::Branch { .. }
            | Kind::BranchIndexed(_)
            | Kind::Call(_)
            | Kind::Runtime(_)
            | Kind::Return
            | Kind::Exit
            | Kind::Trap
            | Kind::Breakpoint
            | Kind::Barrier(_)
            | Kind::Warp(_)
            | Kind::Fence(_)
            | Kind::ProxyFence
            | Kind::ClusterBarrier(_)
            | Kind::Nothing => watch.bug.note(bug()),
        }
    }

    fn together(&mut self, event: &WarpEvent<'_>) {
        let nobody = || internal!("nobody takes part in what lanes do together");
        let Some(first) = self.bug.known(event.parts.first(), nobody) else { return };
        let block = self.blocks.entry(first.block).or_insert_with(|| self.beginning.clone());
        let warp = warp_of(&mut block.warps, first);
        if let Err(bug) = warp::exchange(warp, &mut self.uses, event) {
            self.bug.note(bug);
        }
    }

    fn block_end(&mut self, block: u64) {
        self.blocks.remove(&block);
    }

    fn launch_end(&mut self) {
        self.blocks.clear();
        let Some(launch) = self.launch.take() else { return };
        for finding in std::mem::take(&mut self.uses).findings(&launch) {
            self.add(finding);
        }
    }
}

impl Uninitialized {
    /// Adds a finding, or counts it when another launch gave the same.
    fn add(&mut self, finding: Finding) {
        let same = |known: &&mut Finding| {
            let places = |f: &Finding| -> Vec<_> {
                f.sites
                    .iter()
                    .map(|s| {
                        (s.ptx_line, s.ptx_file.clone(), s.source.clone(), s.operation.clone())
                    })
                    .collect()
            };
            known.severity == finding.severity && places(known) == places(&finding)
        };
        match self.findings.iter_mut().find(same) {
            Some(known) => known.count += finding.count,
            None => self.findings.push(finding),
        }
    }
}
