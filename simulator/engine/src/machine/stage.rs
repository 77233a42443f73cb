//! What an operation of one warp can reach while it executes.

use std::sync::Arc;

use super::environment::Environment;
use super::found::Founds;
use super::grid::Watcher;
use super::memory::GlobalMemory;
use super::runtime::Printed;
use super::stop::{FaultKind, Stop, Thread};
use super::warp::{Fragment, Warp};
use super::{Common, FrameId};
use crate::lanes::Mask;
use crate::lower::Pc;
use crate::observe::{Access, Arrival, Event, Interest, Observer, WarpEvent};
use crate::ptx::Space;
use crate::report::Counts;

/// What the blocks of a launch have in common.
#[derive(Debug)]
pub(super) struct Launched {
    /// The launch.
    pub environment: Arc<Environment>,
    /// Global memory.
    pub global: GlobalMemory,
    /// What has been done so far.
    pub counts: Counts,
    /// What has been printed so far.
    pub printed: Printed,
    /// What observers want to be told of.
    pub interest: Interest,
    /// Where accesses went that were looked at last.
    pub found: Founds,
    /// Who has come to the last barrier that let all go: memory for the next one.
    pub come: Vec<Arrival>,
    /// The schedule wants to know who spins.
    pub looks_for_spinning: bool,
}

impl Launched {
    /// A launch about to begin.
    pub(super) fn new(environment: Arc<Environment>, global: GlobalMemory) -> Launched {
        Launched {
            environment,
            global,
            counts: Counts::default(),
            printed: Printed::default(),
            interest: Interest::everything(),
            found: Founds::default(),
            come: Vec::new(),
            looks_for_spinning: false,
        }
    }

    /// A copy in the same state, with this global memory.
    pub(super) fn snapshot(&self, global: GlobalMemory) -> Launched {
        Launched {
            environment: Arc::clone(&self.environment),
            global,
            counts: self.counts,
            printed: self.printed.clone(),
            interest: self.interest.clone(),
            found: Founds::default(),
            come: Vec::new(),
            looks_for_spinning: false,
        }
    }

    /// The surroundings of the warps of a block, which has this number and `%ctaid`.
    pub(super) fn stage<'a, 'o>(
        &'a mut self,
        (block, block_index): (u64, [u32; 3]),
        common: &'a mut Common,
        watcher: &'a mut Watcher<'_, 'o>,
    ) -> Stage<'a, 'o> {
        Stage {
            environment: &self.environment,
            global: &mut self.global,
            common,
            block,
            block_index,
            counts: &mut self.counts,
            printed: &mut self.printed,
            observer: watcher.as_deref_mut(),
            interest: &self.interest,
            found: &mut self.found,
            come: &mut self.come,
            looks_for_spinning: self.looks_for_spinning,
        }
    }
}

/// The surroundings of a warp: everything that is not its own.
pub(super) struct Stage<'a, 'o> {
    /// The launch.
    pub environment: &'a Environment,
    /// Global memory.
    pub global: &'a mut GlobalMemory,
    /// What the warp's block shares.
    pub common: &'a mut Common,
    /// The block's linear number.
    pub block: u64,
    /// `%ctaid`.
    pub block_index: [u32; 3],
    /// What the launch has done so far.
    pub counts: &'a mut Counts,
    /// What it has printed.
    pub printed: &'a mut Printed,
    /// Who watches.
    pub observer: Option<&'a mut (dyn Observer + 'o)>,
    /// What the observer wants to be told of.
    pub interest: &'a Interest,
    /// Where accesses went that were looked at last.
    pub found: &'a mut Founds,
    /// See [`Launched::come`].
    pub come: &'a mut Vec<Arrival>,
    /// See [`Launched::looks_for_spinning`].
    pub looks_for_spinning: bool,
}

impl<'a> Stage<'a, '_> {
    /// A fault of the lowest lane of `lanes`.
    pub(super) fn fault(&self, warp: &Warp, lanes: Mask, pc: Pc, what: FaultKind) -> Stop {
        Stop::Fault { at: self.thread(warp, lanes, pc), what }
    }

    /// The lowest lane of `lanes` as a thread.
    pub(super) fn thread(&self, warp: &Warp, lanes: Mask, pc: Pc) -> Thread {
        Thread { block: self.block, warp: warp.number, lane: lanes.trailing_zeros() % 32, pc }
    }

    /// Tells the observer of an instruction about to happen, or that has happened.
    pub(super) fn tell(&mut self, warp: &Warp, fragment: &Fragment, active: Mask, before: bool) {
        let event = self.event(warp, fragment.frame, fragment.pc, fragment.mask, active);
        if let Some(observer) = self.observer.as_deref_mut() {
            if before { observer.before(&event) } else { observer.after(&event) }
        }
    }

    /// Tells the observer of what a lane printed last.
    pub(super) fn tell_printed(&mut self, warp: &Warp, fragment: &Fragment, active: Mask) {
        if !self.is_watched() {
            return;
        }
        let text = self.printed.last().unwrap_or_default();
        let event = self.event(warp, fragment.frame, fragment.pc, fragment.mask, active);
        if let Some(observer) = self.observer.as_deref_mut() {
            observer.printed(&event, &text);
        }
    }

    /// Whether somebody wants to be told of every instruction.
    #[inline]
    pub(super) fn is_watched(&self) -> bool {
        self.observer.is_some() && self.interest.instructions
    }

    /// Whether somebody wants to be told of an operation, by program counter; empty where nobody
    /// does of any.
    #[inline]
    pub(super) fn places(&self) -> &'a [bool] {
        if self.observer.is_some() { &self.interest.places } else { &[] }
    }

    /// Whether somebody wants to be told of this operation.
    #[inline]
    pub(super) fn tells_of(&self, pc: Pc) -> bool {
        self.places().get(pc as usize) == Some(&true)
    }

    /// Whether somebody wants to be told of accesses.
    #[inline]
    pub(super) fn observes_accesses(&self) -> bool {
        self.observer.is_some() && self.interest.accesses
    }

    /// Whether somebody wants to be told of what synchronises.
    #[inline]
    pub(super) fn observes_synchronisation(&self) -> bool {
        self.observer.is_some() && self.interest.synchronisation
    }

    /// Whether somebody wants to be told of accesses, or global memory itself.
    #[inline]
    pub(super) fn tells_accesses(&self) -> bool {
        self.observes_accesses() || self.global.is_speculative()
    }

    /// Tells the observer of an access to memory, or notes it where a block runs ahead of its turn,
    /// which nobody watches.
    pub(super) fn tell_access(&mut self, warp: &Warp, frame: FrameId, pc: Pc, access: &Access<'_>) {
        if self.global.is_speculative() {
            if access.space == Space::Global {
                self.global.note(access.kind, access.addresses, access.mask, access.bytes);
            }
            return;
        }
        let event = self.event(warp, frame, pc, access.mask, access.mask);
        if let Some(observer) = self.observer.as_deref_mut() {
            observer.access(&event, access);
        }
    }

    /// Tells the observer of something that synchronises, which `active` lanes of a fragment do.
    pub(super) fn tell_synchronisation(
        &mut self,
        warp: &Warp,
        fragment: &Fragment,
        active: Mask,
        what: impl FnOnce(&mut dyn Observer, &Event<'_>),
    ) {
        if !self.observes_synchronisation() {
            return;
        }
        let event = self.event(warp, fragment.frame, fragment.pc, fragment.mask, active);
        if let Some(observer) = self.observer.as_deref_mut() {
            what(observer, &event);
        }
    }

    /// Tells the observer that lanes of some fragments execute a warp operation together.
    pub(super) fn tell_together(&mut self, warp: &Warp, parts: &[(usize, Mask, Pc)]) {
        if !self.observes_synchronisation() {
            return;
        }
        let together = parts.iter().fold(0, |lanes, part| lanes | part.1);
        let events = parts.iter().filter_map(|(fragment, lanes, pc)| {
            let fragment = warp.fragments.get(*fragment)?;
            Some(self.event(warp, fragment.frame, *pc, fragment.mask, *lanes))
        });
        let mut events: Vec<Event<'_>> = events.collect();
        // Where the parts of a warp stand in its list depends on how they came there.
        events.sort_by_key(|part| part.active.trailing_zeros());
        if let Some(observer) = self.observer.as_deref_mut() {
            observer.together(&WarpEvent { live: warp.live, together, parts: &events });
        }
    }

    fn event<'e>(
        &self,
        warp: &'e Warp,
        frame: FrameId,
        pc: Pc,
        mask: Mask,
        active: Mask,
    ) -> Event<'e>
    where
        Self: 'e,
    {
        let frame = &warp.frames[usize::from(frame)];
        Event {
            program: &self.environment.program,
            pc,
            block: self.block,
            block_index: self.block_index,
            warp: warp.number,
            mask,
            active,
            thread: &warp.thread,
            function: frame.function,
            callee_base: frame.callee_base(self.environment.program.local_align),
            registers: &frame.registers,
        }
    }
}
