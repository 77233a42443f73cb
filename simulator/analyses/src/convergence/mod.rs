//! Convergence: threads that should meet and do not.
//!
//! `barrier-divergence` (PTX ISA 9.7.13.1): at a barrier without a count, threads of a block wait
//! at different instructions of it, or a live lane passes by it while others wait. With a count,
//! either happens inside one warp. `sync-mask` (9.7.13.2, 9.7.9.6 and the other `.sync` operations)
//! has three forms. A live lane named in a member mask never executes the operation. A lane is not
//! in its own mask. Lanes name each other and different masks. `shuffle-inactive-lane`: `shfl`
//! reads a lane that does not take part.
//!
//! A lane passes by a rendezvous when it reaches the end of a branch more often than a thread that
//! waits inside. The end is the branch's immediate post-dominator, where its paths meet again. So a
//! verdict rests on the paths that threads took, and not on their speed. No thread waits for
//! threads that have exited, or that have only `ret` left to execute: for them no place counts. A
//! branch may separate them from the threads that wait, and may be the condition around the
//! barrier. A note then says so. The note becomes a warning if source lines show the condition.
//! Naming exited lanes in a mask is fine.
//!
//! | file | what |
//! |---|---|
//! | `graph` | control flow of a program, and where nothing is left to do |
//! | `guards` | conditions at the end of a kernel that may contain a barrier |
//! | `uniform` | branches at which threads do not diverge |
//! | `plan` | which places are ahead of which barriers and warp operations |
//! | `position` | how often the lanes of a warp have reached these places |
//! | `block` | block barriers |
//! | `warp` | member masks and shuffles |
//! | `result`, `wording` | what was found, as data and in words |
//!
//! Where it can be wrong:
//!
//! - Where a compiler makes two paths share their last store before `ret`, they meet there. An
//!   early `return` after a store then looks like a lane that goes on (a false alarm).
//! - Calls from different places to one function with a barrier wait at one instruction (a miss,
//!   unless one thread passes by).
//! - Activations of a recursive function are not distinguished.
//! - Under `lockstep` lanes that could leave a loop for good, past a barrier behind it, rejoin only
//!   there. They reach the barrier one by one, which is a finding. Hardware of that kind behaves
//!   so, too.
//! - `shfl` without `.sync` under `independent` acts on the lanes that the schedule runs together.

mod block;
pub(crate) mod graph;
mod guards;
mod meetings;
mod plan;
mod position;
mod result;
pub(crate) mod uniform;
mod warp;
mod wording;

use std::collections::HashMap;
use std::sync::Arc;

use rustc_hash::FxBuildHasher;
use warpsim_language::internal;
use warpsim_language::internal::InternalError;

pub use result::{Absence, Spot, Violation};

use crate::lower::Program;
use crate::observe::{Analysis, Arrival, Arrivals, BarrierEvent, EndedRun, Event, Interest};
use crate::observe::{LaunchFacts, Observer, WarpEvent};
use crate::report::{Code, Finding};
use block::Block;
use graph::Graph;
use meetings::partings_for;
use plan::Plan;
use result::Violations;

/// Watches whether threads meet where they should.
///
/// ```
/// use warpsim::host::{Device, Launch, Simulator};
/// use warpsim::observe::convergence::Convergence;
///
/// let text = ".version 7.0 .target sm_70 .address_size 64
///   .visible .entry k() { .reg .pred %p; .reg .u32 %t; .shared .u32 s;
///     mov.u32 %t, %tid.x;
///     setp.ge.u32 %p, %t, 32;
///     @%p bra after;
///     bar.sync 0;
///     after:
///     st.shared.u32 [s], 1;
///     ret; }";
/// let mut gpu = Simulator::default();
/// let module = gpu.load(&warpsim::ptx::parse("k.ptx", text)?)?;
/// let mut convergence = Convergence::new();
/// gpu.launch_observed(module, "k", &Launch::new(1, 64), &[], &mut convergence)?;
/// let findings = convergence.findings();
/// assert_eq!(findings[0].code.name(), "barrier-divergence");
/// assert_eq!(findings[0].sites[0].warp, 1); // has come past
/// assert_eq!(findings[0].sites[1].ptx_line, 6); // others wait here
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Convergence {
    facts: Option<LaunchFacts>,
    /// What to count, for the last program.
    plan: Option<(Arc<Program>, Arc<Plan>)>,
    /// The block of the last event.
    current: Block,
    /// One that has ended, for the next one.
    spare: Option<Block>,
    /// The other blocks in progress.
    others: HashMap<u64, Block, FxBuildHasher>,
    violations: Violations,
    /// Of earlier launches.
    found: Vec<(Violation, u64)>,
    findings: Vec<Finding>,
}

impl Convergence {
    /// An observer that has seen nothing.
    pub fn new() -> Convergence {
        Convergence::default()
    }

    /// The findings since the last call: one for each pair of source places, with how often it
    /// happened. Forgets them.
    pub fn findings(&mut self) -> Vec<Finding> {
        self.close();
        self.found.clear();
        std::mem::take(&mut self.findings)
    }

    /// The same as data, with how often each happened. The program counters belong to the program
    /// that was launched. Forgets them.
    pub fn violations(&mut self) -> Vec<(Violation, u64)> {
        self.close();
        self.findings.clear();
        std::mem::take(&mut self.found)
    }

    /// Puts what was found in this launch into words.
    fn close(&mut self) {
        let Some(facts) = &self.facts else { return };
        let found = self.violations.take();
        if found.is_empty() {
            return;
        }
        let graph = Graph::new(&facts.program);
        for (mut violation, count) in found {
            keep_branches_to_the_rendezvous(&graph, &mut violation);
            self.findings.push(wording::finding(facts, &violation, count));
            self.found.push((violation, count));
        }
    }

    /// What to count. An event of a run comes after the beginning of its launch.
    fn plan(&mut self) -> Option<Arc<Plan>> {
        let plan = self.plan.as_ref().map(|(_, plan)| Arc::clone(plan));
        self.violations.bug.known(plan, || internal!("a run goes on that never began"))
    }

    fn is_lockstep(&self) -> bool {
        self.facts.as_ref().is_some_and(|facts| facts.is_lockstep)
    }

    /// Makes a block the current one.
    fn enter(&mut self, number: u64) {
        if self.current.number == number && !self.current.warps.is_empty() {
            return;
        }
        let next = match self.others.remove(&number) {
            Some(known) => known,
            None => self.new_block(number),
        };
        let last = std::mem::replace(&mut self.current, next);
        if !last.warps.is_empty() {
            self.others.insert(last.number, last);
        }
    }

    fn new_block(&mut self, number: u64) -> Block {
        if let Some(mut block) = self.spare.take() {
            block.renew(number);
            return block;
        }
        let threads = self.facts.as_ref().map_or(0, |facts| facts.launch.threads_per_block());
        let counters = self.plan.as_ref().map_or(0, |(_, plan)| plan.resets.len());
        Block::new(number, threads, counters)
    }
}

impl Analysis for Convergence {
    fn name(&self) -> &'static str {
        "convergence"
    }

    fn looks_for(&self) -> &'static str {
        "barriers, warp masks"
    }

    fn codes(&self) -> &'static [Code] {
        &[Code::BarrierDivergence, Code::SyncMask, Code::ShuffleInactiveLane]
    }

    fn findings(&mut self, _: &mut dyn EndedRun) -> Vec<Finding> {
        Convergence::findings(self)
    }

    fn bug(&mut self) -> Option<InternalError> {
        self.violations.bug.take()
    }

    fn boxed(&self) -> Box<dyn Analysis> {
        Box::new(self.clone())
    }
}

impl Observer for Convergence {
    fn interest(&self) -> Interest {
        let Some((_, plan)) = &self.plan else { return Interest::none() };
        let synchronisation = !plan.ahead.is_empty() || plan.has_shuffles;
        Interest::none().with_places(Arc::clone(&plan.places)).with_synchronisation(synchronisation)
    }

    fn launch_begin(&mut self, launch: &LaunchFacts) {
        self.close();
        let known = self.plan.as_ref().is_some_and(|(p, _)| Arc::ptr_eq(p, &launch.program));
        if !known {
            let plan = Arc::new(Plan::new(&launch.program));
            self.plan = Some((Arc::clone(&launch.program), plan));
        }
        self.facts = Some(launch.clone());
        (self.current, self.spare) = (Block::default(), None);
        self.others.clear();
    }

    fn before(&mut self, event: &Event<'_>) {
        let Some(plan) = self.plan() else { return };
        let Some(counts) = plan.counts.get(&event.pc) else { return };
        self.enter(event.block);
        let is_lockstep = self.is_lockstep();
        let found = self.current.warps.get_mut(event.warp as usize);
        let Some(warp) = self.violations.bug.known(found, || no_warp(event.warp)) else { return };
        warp.count(&plan, counts, event.mask, event.active);
        self.current.has_counted = true;
        warp::arrive(warp, event, is_lockstep, &mut self.violations);
        self.current.resume(&plan, event.warp, event.mask, None, &mut self.violations);
    }

    fn arrive(&mut self, event: &Event<'_>, barrier: u8, count: Option<u32>, arrival: &Arrival) {
        self.enter(event.block);
        let Some(plan) = self.plan() else { return };
        self.current.arrive(&plan, barrier, count, arrival, &mut self.violations);
    }

    fn arrivals(&mut self, arrivals: &Arrivals<'_>) {
        self.enter(arrivals.block);
        let Some(plan) = self.plan() else { return };
        self.current.arrive_together(&plan, arrivals, &mut self.violations);
    }

    fn barrier(&mut self, barrier: &BarrierEvent<'_>) {
        self.enter(barrier.block);
        let Some(plan) = self.plan() else { return };
        let is_lockstep = self.is_lockstep();
        self.current.complete(&plan, barrier, is_lockstep, &mut self.violations);
    }

    fn together(&mut self, event: &WarpEvent<'_>) {
        let nobody = || internal!("nobody takes part in what lanes do together");
        let found = event.parts.first().map(|part| part.block);
        let Some(block) = self.violations.bug.known(found, nobody) else { return };
        self.enter(block);
        let Some(plan) = self.plan() else { return };
        let is_lockstep = self.is_lockstep();
        warp::together(&mut self.current, &plan, event, is_lockstep, &mut self.violations);
    }

    fn exit(&mut self, event: &Event<'_>) {
        self.enter(event.block);
        let found = self.current.warps.get_mut(event.warp as usize);
        let Some(warp) = self.violations.bug.known(found, || no_warp(event.warp)) else { return };
        warp.exited |= event.active;
        let Some(plan) = self.plan() else { return };
        self.current.leave(&plan, event.warp, event.active, &mut self.violations);
    }

    fn block_end(&mut self, block: u64) {
        if self.current.number == block && !self.current.warps.is_empty() {
            self.spare = Some(std::mem::take(&mut self.current));
        }
        self.others.remove(&block);
    }

    fn launch_end(&mut self) {
        let Some(plan) = self.plan() else { return };
        let others = std::mem::take(&mut self.others);
        let mut blocks: Vec<Block> = others.into_values().collect();
        blocks.push(std::mem::take(&mut self.current));
        blocks.sort_by_key(|block| block.number);
        for mut block in blocks {
            if let Some(facts) = &self.facts {
                warp::end(&block, &plan, &facts.program, &mut self.violations);
            }
            block.end(&plan, &mut self.violations);
        }
        self.close();
    }
}

fn no_warp(warp: u32) -> InternalError {
    internal!("warp {warp} acts, which its block does not have")
}

/// Keeps only the branches of a violation from which a thread can reach the rendezvous.
fn keep_branches_to_the_rendezvous(graph: &Graph<'_>, violation: &mut Violation) {
    match violation {
        Violation::PassedBarrier { branches, waiting, .. }
        | Violation::PassedWarpOperation { branches, waiting, .. } => {
            *branches = partings_for(graph, branches, waiting.pc).into();
        }
        Violation::Apart { .. }
        | Violation::LeftBarrier { .. }
        | Violation::OtherMask { .. }
        | Violation::NotActive { .. }
        | Violation::Stuck { .. }
        | Violation::NotInOwnMask { .. }
        | Violation::InactiveSource { .. } => {}
    }
}
