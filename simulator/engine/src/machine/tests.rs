//! The fast path of loads, stores and atomics equals the slow one in registers, memory, faults and
//! events for observers. Addresses, masks, widths and spaces are random, on flat memory and on
//! pages with a snapshot.

use std::sync::{Arc, OnceLock};

use proptest::prelude::*;

use super::*;
use crate::lanes::{LANES, Mask, Registers, Slot, SlotCounts, Word, lanes_of};
use crate::launch::Launch;
use crate::lower::{
    self, Atomic, AtomicOperation, AtomicPiece, Base, Load, Program, Scope, Semantics, Store,
    Target, window,
};
use crate::machine::access::addresses::By;
use crate::machine::state::execution::{Execution, Launched};
use crate::observe::{Access, AccessKind, Event, Observer, Order};
use crate::ptx::{Space, Type};

const TEXT: &str = ".version 8.5 .target sm_90 .address_size 64 .const .align 16 .b8 c[5000];
    .entry k(.param .align 16 .b8 p[160]) { .reg .b32 %r<20>; .reg .b64 %d<20>;
    .param .align 16 .b8 q[44]; .local .align 16 .b8 l[300];
    mov.u64 %d1, l; st.param.b32 [q], %r1; ret; }";

const SHARED: u64 = 9000;
const GLOBAL: [u64; 3] = [9001, 40_000, 5000];

fn program() -> &'static Arc<Program> {
    static PROGRAM: OnceLock<Arc<Program>> = OnceLock::new();
    PROGRAM.get_or_init(|| {
        let module = crate::ptx::parse("test.ptx", TEXT).unwrap();
        let place = |_: &lower::VariableLayout| Ok::<u64, lower::LowerError>(window::GLOBAL);
        let placement = lower::place(&module).unwrap().placement(place).unwrap();
        Arc::new(lower::lower(&module, "k", &placement).unwrap())
    })
}

/// Pseudo-random numbers.
fn noise(seed: u64, at: u64) -> u64 {
    let z = (seed ^ at.wrapping_mul(0x9e37_79b9_7f4a_7c15)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    (z ^ z >> 29).wrapping_mul(0x94d0_49bb_1331_11eb) ^ z >> 31
}

fn filled(seed: u64, bytes: u64) -> Pages {
    let mut pages = Pages::new(bytes);
    let content: Vec<u8> = (0..bytes).map(|at| noise(seed, at) as u8).collect();
    pages.write_bytes(0, &content);
    pages
}

/// An observed access, and the registers at that time. Inactive lanes hold arbitrary values.
#[derive(Debug, PartialEq)]
struct Told(AccessKind, Space, Mask, Vec<u64>, u32, u32, Registers);

#[derive(Default)]
struct Notes(Vec<Told>);

impl Observer for Notes {
    fn access(&mut self, event: &Event<'_>, access: &Access<'_>) {
        let addresses = lanes_of(access.mask).map(|lane| access.addresses[lane]).collect();
        let Access { kind, space, mask, bytes, width, .. } = *access;
        self.0.push(Told(kind, space, mask, addresses, bytes, width, event.registers.clone()));
    }
}

/// A machine about to access memory.
struct World {
    launched: Launched,
    block: Block,
    notes: Notes,
    /// Keeps pages shared.
    _kept: Option<(GlobalMemory, Block)>,
}

impl World {
    fn new(seed: u64, shared_pages: bool, addresses: &[u64; LANES]) -> World {
        let mut global = GlobalMemory::default();
        for (i, bytes) in GLOBAL.into_iter().enumerate() {
            let base = global.allocate(bytes, None);
            global.find(base, bytes).unwrap().pages = filled(seed + i as u64, bytes);
        }
        global.free(global.allocations()[2].base);
        let environment = Environment {
            program: Arc::clone(program()),
            launch: Launch::new(1, 32),
            parameters: filled(seed + 3, 160),
            constants: filled(seed + 4, 5000),
            images: Arc::default(),
            model: Model::Independent,
            profile: DeviceProfile::h200(),
            number: 1,
            order: Order::alone(),
            workspace: 0,
            launch_queue: 0,
        };
        let mut block = Block::new(0, &environment, filled(seed + 5, SHARED));
        let warp = &mut block.warps[0];
        let frame = &mut warp.frames[0];
        let counts = SlotCounts { w32: 10, w64: 10, predicates: 1 };
        frame.registers = Registers::new(counts, Arc::clone(&program().constants));
        for slot in 0..8 {
            for lane in 0..LANES {
                let value = noise(seed, (slot * LANES + lane) as u64);
                u32::write(&mut frame.registers, Slot::register(slot))[lane] = value as u32;
                u64::write(&mut frame.registers, Slot::register(slot))[lane] = value;
            }
        }
        *u64::write(&mut frame.registers, Slot::register(9)) = *addresses;
        *u32::write(&mut frame.registers, Slot::register(9)) = addresses.map(|a| a as u32);
        for lane in 0..LANES {
            for offset in 0..44 {
                frame.write_param(lane, offset, 1, noise(seed + 6, offset * 32 + lane as u64));
            }
            for at in (0..200).step_by(8) {
                warp.local.write(lane, at, 8, noise(seed + 7, at * 32 + lane as u64));
            }
        }
        let kept = shared_pages.then(|| (global.snapshot(), block.snapshot(Pages::snapshot)));
        let launched = Launched::new(Arc::new(environment), global);
        World { launched, block, notes: Notes::default(), _kept: kept }
    }

    fn act(
        &mut self,
        is_told: bool,
        how: impl FnOnce(&mut Execution<'_, '_>, &mut Warp) -> Result<(), Stop>,
    ) -> Result<(), Stop> {
        let mut watcher: Watcher<'_, '_> = if is_told { Some(&mut self.notes) } else { None };
        let Block { linear, index, warps, common } = &mut self.block;
        let mut execution = self.launched.execution((*linear, *index), common, &mut watcher);
        how(&mut execution, &mut warps[0])
    }
}

/// An operation on memory.
#[derive(Clone, Debug)]
enum What {
    Load(Load),
    Store(Store),
    Atomic(Atomic),
}

/// An access: the operation, the lanes and the addresses.
#[derive(Clone, Debug)]
struct Case {
    seed: u64,
    pages: bool,
    /// An observer gets each access.
    is_told: bool,
    mask: Mask,
    addresses: [u64; LANES],
    what: What,
}

/// Where addresses lead to a space, and the number of bytes there.
fn areas(space: Option<Space>, wide: bool) -> Vec<(u64, u64)> {
    let first = program_global(0);
    let global =
        [(first, GLOBAL[0]), (program_global(1), GLOBAL[1]), (program_global(2), GLOBAL[2])];
    match space {
        Some(Space::Shared) => vec![(0, SHARED)],
        Some(Space::Local) => vec![(0, 304)],
        Some(Space::Const) => vec![(0, 5000)],
        Some(Space::Param) => vec![(0, 304), (window::KERNEL_PARAM, 160)],
        Some(Space::Global | Space::Tex) => global.to_vec(),
        None if wide => {
            let mut all = global.to_vec();
            all.extend([
                (window::SHARED, SHARED),
                (window::LOCAL, 304),
                (window::CONST, 5000),
                (window::PARAM + window::KERNEL_PARAM, 160),
                (window::PARAM, 304),
            ]);
            all
        }
        None => vec![(0, 100)],
    }
}

fn program_global(index: usize) -> u64 {
    let mut global = GlobalMemory::default();
    GLOBAL.iter().map(|bytes| global.allocate(*bytes, None)).nth(index).unwrap()
}

fn masks() -> impl Strategy<Value = Mask> {
    prop_oneof![
        4 => Just(Mask::MAX),
        2 => any::<Mask>().prop_map(|mask| mask | 1 << (mask % 32)),
        1 => (0u32..32).prop_map(|lane| 1 << lane),
        1 => (1u32..32).prop_map(|count| Mask::MAX >> count),
        1 => (1u32..32).prop_map(|count| Mask::MAX << count),
        1 => prop_oneof![Just(0x5555_5555), Just(0x1111_1110), Just(0x8000_0001)],
    ]
}

/// Addresses of all shapes: on a line, each half of the warp on one, scattered, and with one lane
/// elsewhere.
fn addresses(areas: Vec<(u64, u64)>, bytes: u64) -> impl Strategy<Value = [u64; LANES]> {
    let stride = prop_oneof![
        3 => Just(1i64), 2 => Just(0), 1 => Just(-1), 2 => -40i64..40, 1 => Just(1 << 33), 1 => Just(1 << 60),
    ];
    let area = proptest::sample::select(areas.clone());
    let other = proptest::sample::select(areas);
    let scattered = proptest::option::weighted(0.3, any::<u64>());
    let astray = proptest::option::weighted(0.4, (0usize..LANES, -70i64..70));
    let halves = proptest::option::weighted(0.3, 0u64..12_000);
    (area, other, 0u64..12_000, stride, (scattered, halves), astray, 0u64..12).prop_map(
        move |((base, size), (elsewhere, _), at, stride, (scattered, halves), astray, odd)| {
            let slot = |index: u64| base + index % (size / bytes + 1) * bytes;
            let first = slot(at);
            // Sometimes misaligned addresses.
            let first = if odd == 0 { first + 1 } else { first };
            let mut found: [u64; LANES] = std::array::from_fn(|lane| match scattered {
                Some(seed) => slot(noise(seed, lane as u64) % 40 + at),
                None => first.wrapping_add_signed(
                    stride.wrapping_mul(lane as i64).wrapping_mul(bytes as i64),
                ),
            });
            if let Some(second) = halves {
                let by = slot(second).wrapping_sub(base);
                for lane in LANES / 2..LANES {
                    found[lane] = found[lane - LANES / 2].wrapping_add(by);
                }
            }
            if let Some((lane, by)) = astray {
                found[lane] = match by.rem_euclid(7) {
                    0 => elsewhere,
                    // Behind the end.
                    1 | 2 => base + size + by.unsigned_abs() % 3 * bytes,
                    _ => found[lane].wrapping_add_signed(by),
                };
            }
            found
        },
    )
}

fn slots(count: usize, from: usize) -> Vec<Slot> {
    (0..count).map(|i| Slot::register((from + i) % 8)).collect()
}

fn semantics() -> Semantics {
    Semantics { order: lower::Order::Weak, scope: Scope::System }
}

fn cases() -> impl Strategy<Value = Case> {
    let spaces = prop_oneof![
        4 => Just(Some(Space::Global)), 3 => Just(Some(Space::Shared)), 2 => Just(Some(Space::Local)),
        1 => Just(Some(Space::Const)), 1 => Just(Some(Space::Param)), 3 => Just(None),
    ];
    let base = prop_oneof![4 => Just(0), 3 => Just(1), 1 => Just(2), 1 => Just(3), 2 => Just(4)];
    let shape = (0u32..5, 0u32..4).prop_filter("at most 32 bytes", |(w, e)| w + e <= 5);
    let how = (any::<bool>(), any::<bool>(), 0usize..8, 0u32..3, any::<u32>());
    (spaces, base, shape, how, any::<(u64, bool, bool)>(), masks()).prop_flat_map(
        |(
            space,
            base,
            (width, elements),
            (wide, signed, from, what, any),
            (seed, pages, is_told),
            mask,
        )| {
            let (width, elements) = (1 << width, 1 << elements);
            let register = Slot::register(9);
            let offset = i64::from(any % 5) * 4;
            let is_wide = base != 1;
            let (base, space, offset) = match base {
                0 => (Base::W64(register), space, 0),
                1 => (Base::W32(register), space.or(Some(Space::Shared)), offset),
                2 => (Base::Absolute, space, i64::from(any % 400)),
                3 => (Base::Frame, Some(Space::Local), i64::from(any % 300)),
                _ if space == Some(Space::Param) => (Base::FrameParam, space, i64::from(any % 48)),
                _ => (Base::W64(register), space, offset),
            };
            let target = Target {
                space,
                base,
                offset,
                width,
                elements,
                packed: false,
                semantics: semantics(),
                non_coherent: false,
            };
            let wide = wide || width >= 8;
            let pieces = (target.pieces() as u32 * elements) as usize;
            let what = match what {
                0 => What::Load(Load {
                    target,
                    destinations: slots(pieces, from)
                        .into_iter()
                        .enumerate()
                        .map(|(i, slot)| (any >> (i % 8 + 8) & 7 != 0).then_some(slot))
                        .collect(),
                    wide,
                    signed: signed && width < 8,
                }),
                1 => What::Store(Store { target, sources: slots(pieces, from), wide }),
                _ => {
                    let (operation, ty) = atomics()[any as usize % atomics().len()];
                    let width = ty.bytes().unwrap();
                    let piece = AtomicPiece {
                        destination: signed.then_some(Slot::register(from)),
                        b: Slot::register((from + any as usize % 3) % 8),
                        c: (operation == AtomicOperation::CompareAndSwap)
                            .then_some(Slot::register((from + 3) % 8)),
                    };
                    let target = Target { width, elements: 1, ..target };
                    What::Atomic(Atomic {
                        target,
                        operation,
                        ty,
                        pieces: vec![piece],
                        wide: width == 8,
                    })
                }
            };
            let (width, elements) = match &what {
                What::Atomic(atomic) => (atomic.target.width, 1),
                What::Load(_) | What::Store(_) => (width, elements),
            };
            addresses(areas(space, is_wide), u64::from(width * elements)).prop_map(
                move |addresses| Case { seed, pages, is_told, mask, addresses, what: what.clone() },
            )
        },
    )
}

fn atomics() -> [(AtomicOperation, Type); 12] {
    use AtomicOperation as A;
    [
        (A::Add, Type::U32),
        (A::Add, Type::U64),
        (A::Add, Type::F32),
        (A::Add, Type::S32),
        (A::Min, Type::S32),
        (A::Max, Type::U64),
        (A::And, Type::B32),
        (A::Xor, Type::B64),
        (A::Exchange, Type::B32),
        (A::CompareAndSwap, Type::B16),
        (A::Increment, Type::U32),
        (A::Decrement, Type::U32),
    ]
}

/// Both paths, from the same state: the world after each, and the result.
fn both(case: &Case) -> [(World, Result<(), Stop>); 2] {
    let by = By { frame: 0, active: case.mask, pc: 0 };
    [false, true].map(|slowly| {
        let mut world = World::new(case.seed, case.pages, &case.addresses);
        let result = world.act(case.is_told, |execution, warp| match &case.what {
            What::Load(load) if slowly => execution.slowly(warp, load, by),
            What::Load(load) => execution.load(warp, load, by),
            What::Store(store) if slowly => execution.slowly(warp, store, by),
            What::Store(store) => execution.store(warp, store, by),
            What::Atomic(atomic) if slowly => execution.atomic_slowly(warp, atomic, by),
            What::Atomic(atomic) => execution.atomic(warp, atomic, by),
        });
        (world, result)
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3000))]

    #[test]
    fn the_fast_path_gives_what_the_slow_one_gives(case in cases()) {
        let [(fast, quickly), (slow, slowly)] = both(&case);
        prop_assert_eq!(quickly, slowly);
        prop_assert_eq!(&fast.block.warps[0].frames, &slow.block.warps[0].frames);
        for lane in 0..LANES {
            let [mut a, mut b] = [[0; 400]; 2];
            fast.block.warps[0].local.read_bytes(lane, 0, &mut a);
            slow.block.warps[0].local.read_bytes(lane, 0, &mut b);
            prop_assert!(a == b, "local memory of lane {}", lane);
        }
        prop_assert!(fast.block.common.shared == slow.block.common.shared, "shared memory");
        prop_assert!(fast.launched.global.allocations() == slow.launched.global.allocations(), "global memory");
        prop_assert_eq!(&fast.notes.0, &slow.notes.0);
    }
}
