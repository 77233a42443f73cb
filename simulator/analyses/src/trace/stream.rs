//! A trace that is passed on as it happens, for traces that are longer than memory.

use std::fmt;

use super::{Step, Trace};
use crate::observe::{Access, Event, Observer};
use crate::passes::Remark;

/// Passes steps on, in order, each when it is complete, and keeps none of them. A step whose lanes
/// wait for other lanes is complete when these have come; until then, it and those after it are
/// kept.
///
/// ```
/// # use warpsim::host::{Device, Launch, Simulator};
/// # let text = ".version 7.0 .target sm_70 .address_size 64
/// #   .entry k() { .reg .u32 %a; mov.u32 %a, %laneid; add.u32 %a, %a, 1; ret; }";
/// # let mut gpu = Simulator::default();
/// # let module = gpu.load(&warpsim::ptx::parse("k.ptx", text)?)?;
/// let mut names = Vec::new();
/// let mut stream = warpsim::observe::TraceStream::new(&[], |step| names.push(step.name.to_string()));
/// gpu.launch_observed(module, "k", &Launch::new(1, 32), &[], &mut stream)?;
/// drop(stream);
/// assert_eq!(names, ["mov.u32", "add.u32", "ret"]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct TraceStream<F> {
    /// The steps that have not been passed on.
    trace: Trace,
    /// How many have.
    before: usize,
    to: F,
}

impl<F> fmt::Debug for TraceStream<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let TraceStream { trace, before, to: _ } = self;
        f.debug_struct("TraceStream").field("trace", trace).field("before", before).finish()
    }
}

impl<F: FnMut(Step)> TraceStream<F> {
    /// Passes steps on to this function, and follows which stores a pass has left in registers.
    pub fn new(remarks: &[Remark], to: F) -> TraceStream<F> {
        TraceStream { trace: Trace::with_remarks(remarks), before: 0, to }
    }

    /// Hands on the first steps.
    fn hand_on(&mut self, count: usize) {
        self.before += count;
        self.trace.steps.drain(..count).for_each(&mut self.to);
    }
}

impl<F: FnMut(Step)> Observer for TraceStream<F> {
    fn before(&mut self, event: &Event<'_>) {
        self.trace.before(event);
        if let Some(step) = self.trace.steps.last_mut() {
            step.number += self.before;
        }
    }

    fn printed(&mut self, event: &Event<'_>, text: &str) {
        self.trace.printed(event, text);
    }

    fn access(&mut self, event: &Event<'_>, access: &Access<'_>) {
        self.trace.access(event, access);
    }

    fn after(&mut self, event: &Event<'_>) {
        self.trace.after(event);
        let complete = self.trace.steps.iter().take_while(|step| step.complete).count();
        self.hand_on(complete);
    }

    fn launch_end(&mut self) {
        self.hand_on(self.trace.steps.len());
    }
}
