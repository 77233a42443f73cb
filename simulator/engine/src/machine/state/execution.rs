//! The surroundings of an operation of one warp while it executes.

use std::sync::Arc;

use super::environment::Environment;
use super::located::LocatedAccesses;

use super::block::Common;
use super::fragment::Fragment;
use super::frame::FrameId;
use super::stop::{FaultKind, Stop, Thread};
use super::warp::Warp;
use crate::lanes::Mask;
use crate::lower::Pc;
use crate::machine::memory::GlobalMemory;
use crate::machine::state::printed::Printed;
use crate::observe::{Access, Arrival, Event, Interest, Observer, WarpEvent};
use crate::ptx::Space;
use crate::report::Counts;

/// An observer, or none.
pub type Watcher<'a, 'o> = Option<&'a mut (dyn Observer + 'o)>;

/// The common state of the blocks of a launch.
#[derive(Debug)]
pub(in crate::machine) struct Launched {
    /// The launch.
    pub environment: Arc<Environment>,
    /// Global memory.
    pub global: GlobalMemory,
    /// The counts so far.
    pub counts: Counts,
    /// The printed output so far.
    pub printed: Printed,
    /// The events that observers ask for.
    pub interest: Interest,
    /// The accesses that were located last.
    pub found: LocatedAccesses,
    /// The arrivals of the last complete barrier: memory for the next one.
    pub come: Vec<Arrival>,
    /// The schedule asks which lanes spin.
    pub looks_for_spinning: bool,
}

impl Launched {
    /// A launch about to begin.
    pub(in crate::machine) fn new(environment: Arc<Environment>, global: GlobalMemory) -> Launched {
        Launched {
            environment,
            global,
            counts: Counts::default(),
            printed: Printed::default(),
            interest: Interest::everything(),
            found: LocatedAccesses::default(),
            come: Vec::new(),
            looks_for_spinning: false,
        }
    }

    /// A copy in the same state, with this global memory.
    pub(in crate::machine) fn snapshot(&self, global: GlobalMemory) -> Launched {
        Launched {
            environment: Arc::clone(&self.environment),
            global,
            counts: self.counts,
            printed: self.printed.clone(),
            interest: self.interest.clone(),
            found: LocatedAccesses::default(),
            come: Vec::new(),
            looks_for_spinning: false,
        }
    }

    /// The surroundings of the warps of a block with this number and `%ctaid`.
    pub(in crate::machine) fn execution<'a, 'o>(
        &'a mut self,
        (block, block_index): (u64, [u32; 3]),
        common: &'a mut Common,
        watcher: &'a mut Watcher<'_, 'o>,
    ) -> Execution<'a, 'o> {
        Execution {
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

/// The surroundings of a warp: everything outside the warp.
pub(in crate::machine) struct Execution<'a, 'o> {
    /// The launch.
    pub environment: &'a Environment,
    /// Global memory.
    pub global: &'a mut GlobalMemory,
    /// The common state of the warp's block.
    pub common: &'a mut Common,
    /// The block's linear number.
    pub block: u64,
    /// `%ctaid`.
    pub block_index: [u32; 3],
    /// The counts of the launch so far.
    pub counts: &'a mut Counts,
    /// The printed output of the launch.
    pub printed: &'a mut Printed,
    /// The observer.
    pub observer: Option<&'a mut (dyn Observer + 'o)>,
    /// The events that the observer asks for.
    pub interest: &'a Interest,
    /// The accesses that were located last.
    pub found: &'a mut LocatedAccesses,
    /// See [`Launched::come`].
    pub come: &'a mut Vec<Arrival>,
    /// See [`Launched::looks_for_spinning`].
    pub looks_for_spinning: bool,
}

impl<'a> Execution<'a, '_> {
    /// A fault of the lowest lane of `lanes`.
    pub(in crate::machine) fn fault(
        &self,
        warp: &Warp,
        lanes: Mask,
        pc: Pc,
        what: FaultKind,
    ) -> Stop {
        Stop::Fault { at: self.thread(warp, lanes, pc), what }
    }

    /// The lowest lane of `lanes` as a thread.
    pub(in crate::machine) fn thread(&self, warp: &Warp, lanes: Mask, pc: Pc) -> Thread {
        Thread { block: self.block, warp: warp.number, lane: lanes.trailing_zeros() % 32, pc }
    }

    /// Reports an instruction to the observer, before or after it executes.
    pub(in crate::machine) fn tell(
        &mut self,
        warp: &Warp,
        fragment: &Fragment,
        active: Mask,
        before: bool,
    ) {
        let event = self.event(warp, fragment.frame, fragment.pc, fragment.mask, active);
        if let Some(observer) = self.observer.as_deref_mut() {
            if before { observer.before(&event) } else { observer.after(&event) }
        }
    }

    /// Reports the last printed text of a lane to the observer.
    pub(in crate::machine) fn tell_printed(
        &mut self,
        warp: &Warp,
        fragment: &Fragment,
        active: Mask,
    ) {
        if !self.is_watched() {
            return;
        }
        let text = self.printed.last().unwrap_or_default();
        let event = self.event(warp, fragment.frame, fragment.pc, fragment.mask, active);
        if let Some(observer) = self.observer.as_deref_mut() {
            observer.printed(&event, &text);
        }
    }

    /// Whether the observer asks for every instruction.
    #[inline]
    pub(in crate::machine) fn is_watched(&self) -> bool {
        self.observer.is_some() && self.interest.instructions
    }

    /// Whether the observer asks for an operation, by program counter; empty if it asks for none.
    #[inline]
    pub(in crate::machine) fn places(&self) -> &'a [bool] {
        if self.observer.is_some() { &self.interest.places } else { &[] }
    }

    /// Whether the observer asks for this operation.
    #[inline]
    pub(in crate::machine) fn tells_of(&self, pc: Pc) -> bool {
        self.places().get(pc as usize) == Some(&true)
    }

    /// Whether the observer asks for accesses.
    #[inline]
    pub(in crate::machine) fn observes_accesses(&self) -> bool {
        self.observer.is_some() && self.interest.accesses
    }

    /// Whether the observer asks for synchronisation.
    #[inline]
    pub(in crate::machine) fn observes_synchronisation(&self) -> bool {
        self.observer.is_some() && self.interest.synchronisation
    }

    /// Whether accesses must be reported to the observer, or noted by global memory.
    #[inline]
    pub(in crate::machine) fn tells_accesses(&self) -> bool {
        self.observes_accesses() || self.global.is_speculative()
    }

    /// Reports a memory access to the observer. If a block runs ahead of its turn, there is no
    /// observer, and the access is noted.
    pub(in crate::machine) fn tell_access(
        &mut self,
        warp: &Warp,
        frame: FrameId,
        pc: Pc,
        access: &Access<'_>,
    ) {
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

    /// Reports a synchronising event of `active` lanes of a fragment to the observer.
    pub(in crate::machine) fn tell_synchronisation(
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

    /// Reports to the observer that lanes of some fragments execute a warp operation together.
    pub(in crate::machine) fn tell_together(&mut self, warp: &Warp, parts: &[(usize, Mask, Pc)]) {
        if !self.observes_synchronisation() {
            return;
        }
        let together = parts.iter().fold(0, |lanes, part| lanes | part.1);
        let events = parts.iter().filter_map(|(fragment, lanes, pc)| {
            let fragment = warp.fragments.get(*fragment)?;
            Some(self.event(warp, fragment.frame, *pc, fragment.mask, *lanes))
        });
        let mut events: Vec<Event<'_>> = events.collect();
        // The order of the parts in the warp's list depends on how they got there.
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
