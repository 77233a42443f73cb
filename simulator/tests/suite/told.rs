//! An observer gets the same events, in the same order, whether warps run together or one turn at a
//! time.
//!
//! The kernels come from [`super::gangs`] and [`super::parallel`]. The oracle is the same launch
//! without gangs. Each event is noted with everything that an observer can see of it: who, which
//! lanes, the registers of the operation at this moment, the addresses. Each run asks for other
//! things, among them operations that it chooses.

use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};

use proptest::prelude::*;
use warpsim::host::Threads;
use warpsim::lanes::{Mask, lanes_of};
use warpsim::lower::{Pc, Program};
use warpsim::observe::{
    Access, Arrival, BarrierEvent, Event, Interest, LaunchFacts, Observer, WarpEvent,
};
use warpsim_engine::lower::Bank;

use super::gangs::{repeated, setting, step};
use super::parallel::{Setting, run_told, statements, text};

/// The reports.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum What {
    Begin,
    Before,
    Access,
    Fence,
    Arrive,
    Barrier,
    Together,
    Exit,
    End,
}

/// A report: what, the operation, the block, the warp, the lanes, and all else.
type Note = (What, Pc, u64, u32, Mask, u64);

/// Notes all events that it gets.
#[derive(Debug)]
struct Listener {
    asks: Asks,
    interest: Interest,
    notes: Vec<Note>,
}

/// The events that it asks for.
#[derive(Clone, Copy, Debug)]
pub(super) struct Asks {
    pub(super) accesses: bool,
    pub(super) synchronisation: bool,
    /// Every this many operations; 0 for none.
    pub(super) places: u32,
}

impl Listener {
    fn note(&mut self, what: What, event: &Event<'_>, rest: impl Hash) {
        let mut hasher = DefaultHasher::new();
        rest.hash(&mut hasher);
        (event.block_index, event.mask, event.thread, event.function).hash(&mut hasher);
        event.callee_base.hash(&mut hasher);
        for operand in event.operation().operands() {
            let slot = operand.register.slot;
            match operand.register.bank {
                Bank::W32 => event.registers.w32(slot).hash(&mut hasher),
                Bank::W64 => event.registers.w64(slot).hash(&mut hasher),
                Bank::Predicate => event.registers.predicate(slot).hash(&mut hasher),
            }
        }
        let Event { pc, block, warp, active, .. } = *event;
        self.notes.push((what, pc, block, warp, active, hasher.finish()));
    }

    fn places(&self, program: &Program) -> Vec<bool> {
        let every = self.asks.places;
        (0..program.operations.len() as u32)
            .map(|pc| every > 0 && pc % every == every / 2)
            .collect()
    }
}

impl Observer for Listener {
    fn interest(&self) -> Interest {
        self.interest.clone()
    }

    fn launch_begin(&mut self, launch: &LaunchFacts) {
        self.interest = Interest::none()
            .with_accesses(self.asks.accesses)
            .with_synchronisation(self.asks.synchronisation)
            .with_places(self.places(&launch.program).into());
    }

    fn block_begin(&mut self, block: u64) {
        self.notes.push((What::Begin, 0, block, 0, 0, 0));
    }

    fn before(&mut self, event: &Event<'_>) {
        self.note(What::Before, event, ());
    }

    fn access(&mut self, event: &Event<'_>, access: &Access<'_>) {
        let addresses: Vec<u64> =
            lanes_of(access.mask).map(|lane| access.addresses[lane]).collect();
        let Access { kind, space, mask, bytes, width, semantics, non_coherent, .. } = *access;
        let how = (kind, space, mask, bytes, width, semantics, non_coherent);
        self.note(What::Access, event, (addresses, how));
    }

    fn fence(&mut self, event: &Event<'_>, _: warpsim::lower::Semantics) {
        self.note(What::Fence, event, ());
    }

    fn arrive(&mut self, event: &Event<'_>, barrier: u8, count: Option<u32>, arrival: &Arrival) {
        self.note(What::Arrive, event, (barrier, count, format!("{arrival:?}")));
    }

    fn barrier(&mut self, barrier: &BarrierEvent<'_>) {
        let mut hasher = DefaultHasher::new();
        format!("{barrier:?}").hash(&mut hasher);
        self.notes.push((What::Barrier, 0, barrier.block, 0, 0, hasher.finish()));
    }

    fn together(&mut self, warp: &WarpEvent<'_>) {
        for part in warp.parts {
            self.note(What::Together, part, (warp.live, warp.together));
        }
    }

    fn exit(&mut self, event: &Event<'_>) {
        self.note(What::Exit, event, ());
    }

    fn block_end(&mut self, block: u64) {
        self.notes.push((What::End, 0, block, 0, 0, 0));
    }
}

fn asks() -> impl Strategy<Value = Asks> {
    let places = prop_oneof![2 => Just(0_u32), 1 => 3..60_u32];
    (prop::bool::weighted(0.8), any::<bool>(), places)
        .prop_map(|(accesses, synchronisation, places)| Asks { accesses, synchronisation, places })
}

pub(super) fn agree(text: &str, setting: &Setting, asks: Asks) {
    let module = warpsim::ptx::parse("k.ptx", text).unwrap_or_else(|e| panic!("{e}\n{text}"));
    let run = |gangs| {
        let mut listener = Listener { asks, interest: Interest::none(), notes: Vec::new() };
        let ended = run_told(
            &module,
            setting,
            |settings| {
                settings.gangs = gangs;
                settings.threads = Threads::ONE;
            },
            Some(&mut listener),
        );
        (listener.notes, ended)
    };
    let ((notes, (reports, bytes)), (others, (other_reports, other_bytes))) =
        (run(false), run(true));
    let differs = notes.iter().zip(&others).position(|(a, b)| a != b);
    if let Some(at) = differs {
        assert_eq!(notes[at], others[at], "what was told as number {at}, {asks:?}\n{text}");
    }
    assert_eq!(notes.len(), others.len(), "how much was told, {asks:?}\n{text}");
    assert_eq!(reports, other_reports, "{asks:?}\n{text}");
    assert!(bytes == other_bytes, "{asks:?}\n{text}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(warpsim_effort::cases(40, 5_000)))]

    #[test]
    fn of_warps_that_do_the_same_again_and_again_the_same_is_told_as_of_single_turns(
        steps in prop::collection::vec(step(), 1..7),
        times in 1..40_u32,
        setting in setting(),
        asks in asks(),
    ) {
        let threads = (setting.threads * 3 % 1025).max(1);
        let setting = Setting { threads, max_steps: 4 * setting.max_steps, ..setting };
        agree(&repeated(&steps, times), &setting, asks);
    }

    #[test]
    fn of_a_gang_the_same_is_told_as_of_single_turns(
        statements in statements(), setting in setting(), asks in asks(),
    ) {
        agree(&text(&statements), &setting, asks);
    }
}
