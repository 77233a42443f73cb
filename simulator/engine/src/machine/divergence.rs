//! How a warp comes apart and together again, under both execution models.
//!
//! `independent`: fragments are free. A branch splits one; fragments that are ready at one place
//! with one call stack are merged. Of several, the one furthest behind moves first (the order of
//! thread frontiers: Diamos et al., "SIMD Re-Convergence At Thread Frontiers", MICRO 2011), so that
//! they meet at the earliest place.
//!
//! `lockstep`: the fragments are a reconvergence stack. A branch leaves an entry for the immediate
//! post-dominator and pushes one for each side; only the top moves, and it is popped where it
//! rejoins the entry below.

use super::frame::{Frame, FrameId, transfer};
use super::profile::Model;
use super::stop::Stop;
use super::warp::{Fragment, State, Warp};
use crate::internal;
use crate::internal::InternalError;
use crate::lanes::Mask;
use crate::lower::{Call, Callee, EXIT, Kind, Pc, Program};

/// Turns after which a fragment that was passed over moves before those behind it.
pub(super) const MOST_PASSED_OVER: u32 = 64;

/// Sends the lanes `taken` of a fragment to `target` and the others on. Whether they parted.
pub(super) fn branch(
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
            // Lanes that are sent straight to the place of reconvergence wait in the entry below.
            for (mask, pc) in [(taken, target), (others, next)] {
                if pc != rejoin {
                    warp.fragments.push(side(mask, pc));
                }
            }
        }
    }
    true
}

/// Takes lanes of a fragment out into one of their own, which is ready and last. The fragment must
/// hold more lanes.
pub(super) fn split(warp: &mut Warp, index: usize, mask: Mask) -> usize {
    let whole = &mut warp.fragments[index];
    let part = Fragment { mask, ..whole.clone() };
    whole.mask &= !mask;
    warp.fragments.push(part);
    warp.fragments.len() - 1
}

/// Merges what stands at one place (`independent`), as far as it may move together: the lanes of
/// `allowed` with each other, and the others with each other.
pub(super) fn merge(warp: &mut Warp, allowed: Mask) {
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

/// Pops what has rejoined the entry below (`lockstep`).
pub(super) fn rejoin(warp: &mut Warp) {
    while let [.., below, top] = warp.fragments.as_slice()
        && (top.mask == 0 || top.pc == top.rejoin && top.frame == below.frame)
    {
        warp.fragments.pop();
    }
}

/// A fragment chosen to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Chosen {
    /// Which.
    pub index: usize,
    /// Until it comes to a block of this rank it stays the one furthest behind, and meets nobody.
    pub horizon: u32,
}

/// The ready fragment that is furthest behind, among those within `allowed`; one that was passed
/// over too often goes first, and keeps the turn.
pub(super) fn furthest_behind(warp: &Warp, program: &Program, allowed: Mask) -> Option<Chosen> {
    let rank = |pc: Pc| program.operations.get(pc as usize).map_or(u32::MAX, |o| o.rank);
    let mut behind: Option<(usize, u32, &Fragment)> = None;
    let mut horizon = u32::MAX;
    for (index, fragment) in warp.fragments.iter().enumerate() {
        if fragment.state != State::Ready || fragment.mask & !allowed != 0 {
            continue;
        }
        if fragment.passed_over >= MOST_PASSED_OVER {
            return Some(Chosen { index, horizon: u32::MAX });
        }
        let place = rank(fragment.pc);
        let Some((_, best_place, best)) = behind else {
            behind = Some((index, place, fragment));
            continue;
        };
        let one_call = fragment.frame == best.frame;
        let is_behind = if one_call && place != best_place {
            place < best_place
        } else {
            order(warp, program, fragment, best).is_lt()
        };
        // Ranks of different functions say nothing of each other: then look at every block.
        horizon = horizon.min(if one_call { place.max(best_place) } else { 0 });
        if is_behind {
            behind = Some((index, place, fragment));
        }
    }
    behind.map(|(index, ..)| Chosen { index, horizon })
}

/// What [`merge`] and [`furthest_behind`] come to for a warp in two ready parts in one activation, which may both
/// move: the usual case, quickly. `None` when it is not that, and nothing has changed.
#[inline]
pub(super) fn of_two(warp: &mut Warp, program: &Program, allowed: Mask) -> Option<Chosen> {
    let [a, b] = warp.fragments.as_mut_slice() else { return None };
    let ready = a.state == State::Ready && b.state == State::Ready && a.frame == b.frame;
    let overdue = a.passed_over.max(b.passed_over) >= MOST_PASSED_OVER;
    if !ready || overdue || allowed != Mask::MAX {
        return None;
    }
    if a.pc == b.pc {
        a.mask |= b.mask;
        a.passed_over = a.passed_over.max(b.passed_over);
        warp.fragments.pop();
        return Some(Chosen { index: 0, horizon: u32::MAX });
    }
    let rank = |pc: Pc| program.operations.get(pc as usize).map_or(u32::MAX, |o| o.rank);
    let (first, second) = (rank(a.pc), rank(b.pc));
    let index = match first.cmp(&second) {
        std::cmp::Ordering::Less => 0,
        std::cmp::Ordering::Greater => 1,
        std::cmp::Ordering::Equal => return None,
    };
    Some(Chosen { index, horizon: first.max(second) })
}

/// Which of two fragments is behind: by the places of the outermost calls in which they differ.
fn order(warp: &Warp, program: &Program, a: &Fragment, b: &Fragment) -> std::cmp::Ordering {
    let place = |pc: Pc| (program.operations.get(pc as usize).map_or(u32::MAX, |o| o.rank), pc);
    if a.frame == b.frame {
        return place(a.pc).cmp(&place(b.pc)).then(a.mask.cmp(&b.mask));
    }
    let path = |f: &Fragment| {
        let mut path = vec![place(f.pc)];
        let mut at = &warp.frames[usize::from(f.frame)];
        while let Some(caller) = at.caller {
            path.push(place(at.call));
            at = &warp.frames[usize::from(caller)];
        }
        path.reverse();
        path
    };
    path(a).cmp(&path(b)).then(a.mask.cmp(&b.mask))
}

/// Activations of a warp at one time.
const MOST_FRAMES: usize = FrameId::MAX as usize / 2;

/// The local memory of a thread is used up, or there are too many activations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct StackOverflow;

/// Lets a fragment, which stands at `call`, enter the function `callee` (an index into the
/// program's) with its arguments. The stack overflows when the callee's local memory does not fit
/// below `local_limit`, or when the warp has [`MOST_FRAMES`] activations: so endless recursion ends,
/// of functions without local variables too. Nothing has changed then.
pub(super) fn call(
    warp: &mut Warp,
    index: usize,
    program: &Program,
    call: &Call,
    callee: usize,
    local_limit: u32,
) -> Result<Result<(), StackOverflow>, InternalError> {
    let fragment = &warp.fragments[index];
    let (mask, pc, caller) = (fragment.mask, fragment.pc, fragment.frame);
    let function = &program.functions[callee];
    let from = &warp.frames[usize::from(caller)];
    let base = from.callee_base(program.local_align);
    if base.saturating_add(function.local_bytes) > local_limit
        || warp.frames.len() - warp.free_frames.len() >= MOST_FRAMES
    {
        return Ok(Err(StackOverflow));
    }
    let id = warp.add_frame(callee, function, &program.constants, (caller, pc), base);
    let [from, to] = two_frames(warp, caller, id)?;
    transfer(from, &call.arguments, to, &function.params, mask);
    let fragment = &mut warp.fragments[index];
    fragment.frame = id;
    fragment.pc = function.entry;
    Ok(Ok(()))
}

/// The function that a call goes to, for the lane.
pub(super) fn callee(
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

/// Leaves a function: gives the caller its results and goes on after the call.
fn return_to_caller(warp: &mut Warp, index: usize, program: &Program) -> Result<(), Stop> {
    let fragment = &warp.fragments[index];
    let (mask, id) = (fragment.mask, fragment.frame);
    let frame = &warp.frames[usize::from(id)];
    let (caller, call_pc) = (frame.caller, frame.call);
    let caller = caller.ok_or_else(|| internal!("a kernel returns to a caller"))?;
    let function = &program.functions[frame.function];
    let Kind::Call(call) = &program.operations[call_pc as usize].kind else {
        return Err(internal!("a function returns to {call_pc}, where no call is").into());
    };
    let [from, to] = two_frames(warp, id, caller)?;
    transfer(from, &function.returns, to, &call.results, mask);
    let fragment = &mut warp.fragments[index];
    fragment.frame = caller;
    fragment.pc = call_pc + 1;
    warp.drop_frame_if_unused(id);
    Ok(())
}

/// Executes `ret` for lanes of a function (not of a kernel). The lanes that do not return go on.
pub(super) fn ret(
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
            return_to_caller(warp, index, program)
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

/// `lockstep`: pops entries that are at the end of their function, and returns when all lanes that
/// called it together are.
pub(super) fn leave_with_all(warp: &mut Warp, program: &Program) -> Result<(), Stop> {
    loop {
        rejoin(warp);
        if warp.fragments.last().is_none_or(|top| top.pc != EXIT) {
            return Ok(());
        }
        return_to_caller(warp, warp.fragments.len() - 1, program)?;
    }
}
