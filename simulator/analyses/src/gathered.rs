//! Accesses of several warps, made up for tests: a strategy, and the events that the machine would
//! report for them.

use std::sync::{Arc, OnceLock};

use proptest::prelude::*;

use crate::lanes::reach::{self, Found, Reach};
use crate::lanes::{Gang, LANES, Mask, Member, Registers, Slot, SlotCounts, rows, write_lanes};
use crate::lower::{Base, Order, Placement, Program, Scope, Semantics, Target};
use crate::observe::{AccessKind, Accesses, AddressRegister, Places, Who};
use crate::ptx::Space;

/// What a warp accesses: its lanes, the element of the first lane, from one lane to the next, and
/// from one half of the warp to the other.
type OfWarp = (Mask, u64, u64, u64);

/// Warps of a block access memory at one instruction.
#[derive(Clone, Debug)]
pub(crate) struct Gathered {
    pub(crate) block: u64,
    pub(crate) space: Space,
    pub(crate) kind: AccessKind,
    pub(crate) bytes: u32,
    warps: Vec<OfWarp>,
    /// After that they access the same again, this many elements further on, while they are inside
    /// the memory.
    again: Vec<u64>,
    /// The warps from this one on come before the others.
    behind: usize,
    /// The number of the first warp; they follow each other around the block, which has so many.
    first: u32,
    most: u32,
}

/// Where the memory begins that they access, and how large it is: in global memory at the end of a
/// page.
pub(crate) fn memory(space: Space) -> (u64, u64) {
    match space {
        Space::Global => ((1 << 20) - 256, 4096),
        Space::Shared | Space::Local | Space::Const | Space::Param | Space::Tex => (0, 4096),
    }
}

/// Accesses of at most this many warps of two blocks.
pub(crate) fn gathered(most: usize) -> impl Strategy<Value = Gathered> {
    let mask = prop_oneof![6 => Just(Mask::MAX), 1 => Just(0), 1 => any::<Mask>()];
    let step = prop_oneof![3 => Just(1_u64), 2 => Just(0), 1 => Just(2)];
    let half = prop_oneof![3 => Just(16_u64), 2 => Just(0), 1 => 0..30_u64];
    let first = prop_oneof![Just(0_u64), Just(32), 0..90_u64];
    let space = prop_oneof![Just(Space::Global), Just(Space::Shared)];
    let kind = prop_oneof![2 => Just(AccessKind::Read), 1 => Just(AccessKind::Write)];
    let bytes =
        prop_oneof![4 => Just(4_u32), 2 => Just(8), 1 => Just(1), 1 => Just(2), 1 => Just(16)];
    let any =
        proptest::collection::vec((mask, first.clone(), step.clone(), half.clone()), 1..=most);
    // All lanes of all warps, in a pattern: one row, or rows that several read, or one place for
    // all.
    let apart = prop_oneof![2 => Just(32_u64), 1 => Just(0), 1 => Just(16), 1 => Just(1)];
    let alike =
        (first, step, half, apart, 1..=most).prop_map(|(first, step, half, apart, warps)| {
            (0..warps as u64).map(|warp| (Mask::MAX, first + apart * warp, step, half)).collect()
        });
    let warps = prop_oneof![any, alike];
    let who = (0..2_u64, prop_oneof![2 => Just(0), 1 => 0..most as u32]);
    let behind = prop_oneof![2 => Just(0), 1 => 0..most];
    let again = proptest::collection::vec(0..40_u64, 0..3);
    (who, space, kind, bytes, (warps, again, behind)).prop_map(
        move |((block, first), space, kind, bytes, (warps, again, behind))| Gathered {
            block,
            space,
            kind,
            bytes,
            warps,
            again,
            behind,
            first,
            most: most as u32,
        },
    )
}

/// A program with a store, and a place where warps synchronise.
pub(crate) fn program() -> &'static Arc<Program> {
    static PROGRAM: OnceLock<Arc<Program>> = OnceLock::new();
    PROGRAM.get_or_init(|| {
        let text = ".version 7.0 .target sm_70 .address_size 64 .visible .entry k() {
            .reg .u64 %a; .reg .u32 %r; st.global.u32 [%a], %r; bar.warp.sync -1; ret; }";
        let module = crate::ptx::parse("k.ptx", text).expect("valid");
        Arc::new(crate::lower::lower(&module, "k", &Placement::default()).expect("lowers"))
    })
}

impl Gathered {
    /// Reports them as the machine does.
    pub(crate) fn tell(&self, mut tell: impl FnMut(&Accesses<'_>)) {
        let (origin, size) = memory(self.space);
        let (slot, each) = (Slot::register(0), u64::from(self.bytes));
        let counts = SlotCounts { w32: 0, w64: 1, predicates: 0 };
        let new = |(_, first, step, half): &OfWarp| {
            let mut registers = Registers::new(counts, Arc::clone(&program().constants));
            let addresses: [u64; LANES] = std::array::from_fn(|lane| {
                let lane = lane as u64;
                origin + each * (first + step * (lane % 16) + half * (lane / 16))
            });
            write_lanes(&mut registers, slot, Mask::MAX, &addresses);
            registers
        };
        let mut registers: Vec<Registers> = self.warps.iter().map(new).collect();
        let warps = registers.iter_mut().zip(&self.warps);
        let mut members: Vec<Member<'_>> =
            warps.map(|(registers, warp)| Member::new(registers, warp.0)).collect();
        let gang = Gang::new(&mut members).expect("alike");
        let shift = origin.wrapping_neg();
        let reach = Reach { base: slot, shift, bytes: self.bytes, within: 0 };
        let mut found = vec![Found::default(); self.warps.len()];
        let row = rows::find_row::<u64>(&gang, reach, size as usize);
        let good = reach::find::<u64>(&gang, reach, size as usize, &mut found);
        assert!(good, "all are inside");
        let end = found.iter().map(|one| one.end as u64).max().expect("there is one");
        let found = Arc::new(found);
        let thread = [[0; LANES]; 3];
        let one = |warp| Who { warp, thread: &thread, function: 0, callee_base: 0 };
        let numbers = (self.first..).map(|number| number % self.most).take(self.warps.len());
        let who: Vec<Who<'_>> = numbers.map(one).collect();
        let moves = std::iter::once(&0).chain(&self.again).map(|by| by * each);
        for by in moves.filter(|by| end + by <= size) {
            let origin = origin + by;
            let target = Target {
                space: Some(self.space),
                base: Base::W64(slot),
                offset: by as i64,
                width: self.bytes,
                elements: 1,
                packed: false,
                semantics: Semantics { order: Order::Weak, scope: Scope::System },
                non_coherent: false,
            };
            let behind = self.behind.min(who.len());
            for range in [behind..who.len(), 0..behind] {
                if range.is_empty() {
                    continue;
                }
                tell(&Accesses {
                    program: program(),
                    pc: 0,
                    block: self.block,
                    block_index: [self.block as u32, 0, 0],
                    kind: self.kind,
                    space: self.space,
                    target: &target,
                    base: AddressRegister::W64(slot),
                    window: 0,
                    low: origin,
                    end: origin + end,
                    who: &who[range.clone()],
                    members: &gang.members()[range.clone()],
                    places: match row {
                        Some(start) => {
                            let before = range.start * LANES * self.bytes as usize;
                            Places::Row(origin + (start + before) as u64)
                        }
                        None => Places::Each { origin, found: &found, from: range.start },
                    },
                });
            }
        }
    }
}
