//! How a warp diverges and reconverges, under both execution models.
//!
//! `independent`: fragments are free. A branch splits a fragment. Ready fragments at one place with
//! one call stack are merged. [`super::furthest_behind`] decides which of several moves first, so
//! that they meet.
//!
//! `lockstep`: the fragments are a reconvergence stack. A branch leaves an entry for the immediate
//! post-dominator and pushes one for each side. Only the top moves, and it is popped where it
//! rejoins the entry below.

use crate::internal;
use crate::internal::InternalError;
use crate::lanes::Mask;
use crate::lower::{Call, Callee, EXIT, Kind, Pc, Program};
use crate::machine::state::environment::Limits;
use crate::machine::state::fragment::{Fragment, State};
use crate::machine::state::frame::{Frame, FrameId, Taken, transfer};
use crate::machine::state::profile::Model;
use crate::machine::state::stop::{StackOverflow, Stop};
use crate::machine::state::warp::Warp;

/// Sends the lanes `taken` of a fragment to `target` and the others on. Returns whether they
/// diverged.
pub(in crate::machine) fn branch(
    warp: &mut Warp,
    index: usize,
    taken: Mask,
    target: Pc,
    rejoin: Pc,
    model: Model,
) -> bool {
    let fragment = &mut warp.fragments[index];
    let others = fragment.mask & !taken;
    if others == 0 {
        fragment.pc = target;
        return false;
    }
    if taken == 0 {
        fragment.pc += 1;
        return false;
    }
    let next = fragment.pc + 1;
    let frame = fragment.frame;
    let side = |mask, pc| Fragment { rejoin, ..Fragment::new(mask, pc, frame) };
    match model {
        Model::Independent => {
            fragment.mask = others;
            fragment.pc = next;
            warp.fragments.push(Fragment::new(taken, target, frame));
        }
        Model::Lockstep => {
            fragment.pc = rejoin;
            // Lanes sent directly to the place of reconvergence wait in the entry below.
            for (mask, pc) in [(taken, target), (others, next)] {
                if pc != rejoin {
                    warp.fragments.push(side(mask, pc));
                }
            }
        }
    }
    true
}

/// Splits lanes off a fragment into a new one, which is ready and last. The fragment must hold more
/// lanes.
pub(in crate::machine) fn split(warp: &mut Warp, index: usize, mask: Mask) -> usize {
    let whole = &mut warp.fragments[index];
    let part = Fragment { mask, ..whole.clone() };
    whole.mask &= !mask;
    warp.fragments.push(part);
    warp.fragments.len() - 1
}

/// Merges the fragments at one place that may move together (`independent`): the lanes of `allowed`
/// with each other, and the others with each other.
pub(in crate::machine) fn merge(warp: &mut Warp, allowed: Mask) {
    if may_meet(&warp.fragments) {
        merge_those_that_meet(warp, allowed);
    }
}

/// Merges them, comparing each with each.
fn merge_those_that_meet(warp: &mut Warp, allowed: Mask) {
    let within = |f: &Fragment| f.mask & !allowed == 0;
    let mut i = 0;
    while i < warp.fragments.len() {
        let mut j = i + 1;
        while j < warp.fragments.len() {
            let (a, b) = (&warp.fragments[i], &warp.fragments[j]);
            let one_place = a.pc == b.pc && a.frame == b.frame && within(a) == within(b);
            if one_place && a.state == State::Ready && b.state == State::Ready {
                let other = warp.fragments.swap_remove(j);
                let into = &mut warp.fragments[i];
                into.mask |= other.mask;
                into.passed_over = into.passed_over.max(other.passed_over);
            } else {
                j += 1;
            }
        }
        i += 1;
    }
}

/// Whether two ready fragments may be at one place. It is never false when they are. One pass
/// decides this for a warp whose lanes are all diverged. Comparing each with each takes some
/// thousand instructions a turn there.
fn may_meet(fragments: &[Fragment]) -> bool {
    let mut taken = [0_u64; 16];
    let mut is_taken = |pc: Pc| {
        let (word, bit) = (&mut taken[pc as usize / 64 % 16], 1 << (pc % 64));
        let was = *word & bit != 0;
        *word |= bit;
        was
    };
    fragments.iter().any(|fragment| fragment.state == State::Ready && is_taken(fragment.pc))
}

/// Pops the top where it has rejoined the entry below (`lockstep`).
pub(in crate::machine) fn rejoin(warp: &mut Warp) {
    while let [.., below, top] = warp.fragments.as_slice()
        && (top.mask == 0 || top.pc == top.rejoin && top.frame == below.frame)
    {
        warp.fragments.pop();
    }
}

/// The most activations of a warp at one time.
const MOST_FRAMES: usize = FrameId::MAX as usize / 2;

/// The place of the activation that a call makes, or why there is no room: the local memory of a
/// thread, its stack or the number of activations is exhausted.
pub(in crate::machine) fn room(
    warp: &Warp,
    caller: FrameId,
    program: &Program,
    callee: usize,
    limits: Limits,
) -> Result<Taken, StackOverflow> {
    let (from, function) = (&warp.frames[usize::from(caller)], &program.functions[callee]);
    let taken = Taken { local: from.callee_base(program.local_align), stack: from.stack_bytes };
    let needed = taken.stack.saturating_add(function.frame_bytes);
    match limits.stack {
        Some(limit) if needed > limit => {
            let depth = warp.depth(caller) + 1;
            return Err(StackOverflow::Limit { needed, limit, depth });
        }
        Some(_) | None => {}
    }
    let fits = taken.local.saturating_add(function.local_bytes) <= limits.local
        && warp.frames.len() - warp.free_frames.len() < MOST_FRAMES;
    if fits { Ok(taken) } else { Err(StackOverflow::LocalMemory) }
}

/// Lets a fragment at `call` enter the function `callee` (an index into the program's) with its
/// arguments. The stack overflows when the callee does not fit into the `limits`, or when the warp
/// has [`MOST_FRAMES`] activations. So endless recursion ends, also in functions without local
/// variables. On an overflow nothing has changed.
pub(in crate::machine) fn call(
    warp: &mut Warp,
    index: usize,
    program: &Program,
    call: &Call,
    callee: usize,
    limits: Limits,
) -> Result<Result<(), StackOverflow>, InternalError> {
    let fragment = &warp.fragments[index];
    let (mask, pc, caller) = (fragment.mask, fragment.pc, fragment.frame);
    let function = &program.functions[callee];
    let taken = match room(warp, caller, program, callee, limits) {
        Ok(taken) => taken,
        Err(overflow) => return Ok(Err(overflow)),
    };
    let id = warp.add_frame(callee, function, &program.constants, (caller, pc), taken);
    let [from, to] = two_frames(warp, caller, id)?;
    transfer(from, &call.arguments, to, &function.params, mask);
    let fragment = &mut warp.fragments[index];
    fragment.frame = id;
    fragment.pc = function.entry;
    Ok(Ok(()))
}

/// The function that the lane calls.
pub(in crate::machine) fn callee(
    program: &Program,
    frame: &Frame,
    callee: Callee,
    lane: usize,
) -> Result<usize, u64> {
    match callee {
        Callee::Direct(function) => Ok(function),
        Callee::Indirect(slot) => {
            let address = frame.registers.w64(slot)[lane];
            let found = program.function_addresses.iter().find(|(a, _)| *a == address);
            found.map(|(_, function)| *function).ok_or(address)
        }
    }
}

/// Two activations of a warp.
fn two_frames(warp: &mut Warp, a: FrameId, b: FrameId) -> Result<[&mut Frame; 2], InternalError> {
    let frames = warp.frames.get_disjoint_mut([usize::from(a), usize::from(b)]);
    frames.map_err(|_| internal!("frame {a} is its own caller, {b}"))
}

/// Leaves a function: gives its results to the caller and goes on after the call.
pub(in crate::machine) fn return_to_caller(
    warp: &mut Warp,
    index: usize,
    program: &Program,
) -> Result<(), InternalError> {
    let fragment = &warp.fragments[index];
    let (mask, id) = (fragment.mask, fragment.frame);
    let frame = &warp.frames[usize::from(id)];
    let (caller, call_pc) = (frame.caller, frame.call);
    let caller = caller.ok_or_else(|| internal!("a kernel returns to a caller"))?;
    let function = &program.functions[frame.function];
    let Kind::Call(call) = &program.operations[call_pc as usize].kind else {
        return Err(internal!("a function returns to {call_pc}, where no call is"));
    };
    let [from, to] = two_frames(warp, id, caller)?;
    transfer(from, &function.returns, to, &call.results, mask);
    let fragment = &mut warp.fragments[index];
    fragment.frame = caller;
    fragment.pc = call_pc + 1;
    warp.drop_frame_if_unused(id);
    Ok(())
}

/// Executes `ret` for lanes of a function (not of a kernel). The other lanes go on.
pub(in crate::machine) fn ret(
    warp: &mut Warp,
    index: usize,
    active: Mask,
    program: &Program,
    model: Model,
) -> Result<(), Stop> {
    let fragment = &warp.fragments[index];
    match model {
        Model::Independent => {
            let index = if active == fragment.mask {
                index
            } else {
                let part = split(warp, index, active);
                warp.fragments[index].pc += 1;
                part
            };
            Ok(return_to_caller(warp, index, program)?)
        }
        Model::Lockstep if active != fragment.mask => {
            branch(warp, index, active, EXIT, EXIT, model);
            Ok(())
        }
        Model::Lockstep => {
            warp.fragments[index].pc = EXIT;
            leave_with_all(warp, program)
        }
    }
}

/// `lockstep`: pops entries at the end of their function, and returns once all lanes that called it
/// together have reached the end.
pub(in crate::machine) fn leave_with_all(warp: &mut Warp, program: &Program) -> Result<(), Stop> {
    loop {
        rejoin(warp);
        if warp.fragments.last().is_none_or(|top| top.pc != EXIT) {
            return Ok(());
        }
        return_to_caller(warp, warp.fragments.len() - 1, program)?;
    }
}

#[cfg(test)]
pub(in crate::machine) mod tests {
    use std::sync::{Arc, OnceLock};

    use proptest::prelude::*;

    use super::*;
    use crate::launch::Launch;
    use crate::lower::{self, window};
    use crate::machine::memory::Pages;
    use crate::machine::state::block::Block;
    use crate::machine::state::environment::Environment;
    use crate::machine::state::profile::DeviceProfile;
    use crate::observe::Order;

    /// Nested loops, branches, and a call of a function: blocks of many ranks.
    const TEXT: &str = ".version 7.0 .target sm_80 .address_size 64
        .func f(.param .u32 a) { .reg .u32 %x; .reg .pred %p; ld.param.u32 %x, [a];
        l: sub.u32 %x, %x, 1; setp.gt.u32 %p, %x, 3; @%p bra l; ret; }
        .entry k() { .reg .u32 %r<5>; .reg .pred %p<3>; mov.u32 %r1, %tid.x;
        outer: setp.lt.u32 %p1, %r1, 9; @%p1 bra other; add.u32 %r2, %r2, 1;
        inner: sub.u32 %r1, %r1, 1; setp.gt.u32 %p2, %r1, 20; @%p2 bra inner; bra met;
        other: { .param .u32 a; st.param.u32 [a], %r1; call f, (a); }
        met: add.u32 %r3, %r3, 1; setp.lt.u32 %p1, %r3, 4; @%p1 bra outer; ret; }";

    pub(in crate::machine) fn environment() -> &'static Environment {
        static ENVIRONMENT: OnceLock<Environment> = OnceLock::new();
        ENVIRONMENT.get_or_init(|| {
            let module = crate::ptx::parse("test.ptx", TEXT).unwrap();
            let place = |_: &lower::VariableLayout| Ok::<u64, lower::LowerError>(window::GLOBAL);
            let placement = lower::place(&module).unwrap().placement(place).unwrap();
            Environment {
                program: Arc::new(lower::lower(&module, "k", &placement).unwrap()),
                launch: Launch::new(1, 32),
                parameters: Pages::new(0),
                constants: Pages::new(0),
                images: Arc::default(),
                model: Model::Independent,
                profile: DeviceProfile::h200(),
                number: 1,
                order: Order::alone(),
                workspace: 0,
                launch_queue: 0,
            }
        })
    }

    /// A warp with these fragments, in the kernel and in one call of the function.
    pub(in crate::machine) fn warp(fragments: &[Fragment]) -> Warp {
        let mut block = Block::new(0, environment(), Pages::new(0));
        let mut warp = block.warps.remove(0);
        let mut called = warp.frames[0].clone();
        (called.caller, called.depth) = (Some(0), 1);
        warp.frames.push(called);
        warp.fragments = fragments.to_vec();
        warp
    }

    /// Up to one fragment a lane, anywhere in a long program, some of them at one place.
    fn many_fragments() -> impl Strategy<Value = Vec<Fragment>> {
        let state = prop_oneof![8 => Just(State::Ready), 1 => Just(State::Barrier(0))];
        let place = prop_oneof![3 => 0..3000_u32, 1 => (0..4_u32).prop_map(|pc| pc * 1024)];
        let all = prop::collection::vec((place, 0..2_u16, state), 1..=32);
        all.prop_map(|all| {
            let one = |(lane, (pc, frame, state)): (u32, (Pc, FrameId, State))| Fragment {
                state,
                ..Fragment::new(1 << lane, pc, frame)
            };
            (0..).zip(all).map(one).collect()
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4096))]

        #[test]
        fn a_quick_look_at_who_may_meet_leaves_nobody_apart(
            fragments in many_fragments(),
            allowed in prop_oneof![4 => Just(Mask::MAX), 1 => any::<Mask>()],
        ) {
            let (mut quick, mut general) = (warp(&fragments), warp(&fragments));
            merge(&mut quick, allowed);
            merge_those_that_meet(&mut general, allowed);
            prop_assert_eq!(quick.fragments, general.fragments);
        }
    }
}
