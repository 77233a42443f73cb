//! Conflicts in words.

use std::collections::HashSet;

use super::Kind as AccessKind;
use super::advice::{Advice, words};
use super::{Conflict, End, Policy, Verdict, Weakness};
use crate::convergence::graph::Graph;
use crate::lower::{Effect, Operation, Order, Pc};
use crate::observe::{AccessKind as Access, LaunchFacts};
use crate::ptx::{SourcePosition, Space};
use crate::report::{Code, Finding, Hazard, Mend, Severity, Site};

/// Synchronisation that is missing: with it there would be no conflict.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Missing {
    /// A fence, or an acquire, after the read that saw the flag.
    Acquire,
    /// A fence, or a release, before the write of the flag.
    Release,
    /// Both.
    Both,
    /// A scope that includes the other thread.
    Scope,
    /// A fence beside the block barrier.
    FenceAtBarrier,
    /// A flag that is not weak.
    StrongFlag,
}

impl Missing {
    /// The synchronisation that may be missing, and the policy that assumes it, the likeliest
    /// first.
    pub fn candidates() -> [(Missing, Policy); 6] {
        let assume = Policy::default();
        [
            (Missing::Scope, Policy { is_wide: true, ..assume }),
            (Missing::Acquire, Policy { assumes_acquire: true, ..assume }),
            (Missing::Release, Policy { assumes_release: true, ..assume }),
            (Missing::FenceAtBarrier, Policy { barriers_are_fences: true, ..assume }),
            (Missing::Both, Policy { assumes_acquire: true, assumes_release: true, ..assume }),
            (
                Missing::StrongFlag,
                Policy {
                    assumes_acquire: true,
                    assumes_release: true,
                    assumes_strong: true,
                    is_wide: true,
                    barriers_are_fences: true,
                    ..assume
                },
            ),
        ]
    }

    fn text(self) -> &'static str {
        match self {
            Missing::Scope => {
                "a release/acquire pair leads from (1) to (2), but one of its scopes excludes the \
                 other's block"
            }
            Missing::Acquire => {
                "(2)'s side has seen a release of (1)'s side, but has no fence or acquire after \
                 the read that saw it"
            }
            Missing::Release => {
                "(1)'s side has no fence or release between (1) and the write that (2)'s side has seen"
            }
            Missing::Both => {
                "(2)'s side has seen a write of (1)'s side, but neither side has a fence"
            }
            Missing::FenceAtBarrier => {
                "a barrier orders only the threads of its own block: other blocks also need a \
                 fence next to it"
            }
            Missing::StrongFlag => {
                "values pass from (1)'s side to (2)'s side, but through plain accesses, which \
                 order nothing"
            }
        }
    }
}

/// The facts that explain a conflict.
#[derive(Clone, Debug)]
pub(super) struct Cause {
    /// The synchronisation without which it would be none.
    pub missing: Option<Missing>,
    /// What would order all pairs of accesses like it.
    pub mend: Mend,
    /// Its line reads a cell and writes the same one again, in several threads: `x += 1`.
    pub is_update: bool,
    /// Other data of the run depends on the order of relaxed accesses.
    pub carries_data: bool,
    /// Of a conflict within a block: where synchronisation mends it.
    pub advice: Option<Advice>,
}

impl Cause {
    /// Nothing is known.
    pub(super) fn unknown(conflict: &Conflict) -> Cause {
        let mend = conflict.earlier.thread.least_mend(conflict.later.thread);
        Cause { missing: None, mend, is_update: false, carries_data: false, advice: None }
    }

    /// Whether the advice is to synchronise at a place, if there is one.
    pub(super) fn is_order_missing(&self, conflict: &Conflict) -> bool {
        let is_copy = conflict.earlier.thread.is_copy() || conflict.later.thread.is_copy();
        let is_ordered_otherwise = match conflict.weakness {
            Some(Weakness::AsyncProxy | Weakness::Proxy | Weakness::Scope { .. }) => true,
            Some(Weakness::Weak { .. } | Weakness::Overlap) | None => false,
        };
        let is_unordered_grid = self.mend == Mend::Grid && conflict.weakness.is_none();
        self.missing.is_none()
            && !is_unordered_grid
            && !self.is_update
            && !is_copy
            && !is_ordered_otherwise
            && !conflict.is_spent
            && conflict.verdict != Verdict::SameValue
    }
}

/// The lines by which several threads read and write the same cells: `x += 1`.
pub fn lines_that_update(conflicts: &[Conflict], launch: &LaunchFacts) -> HashSet<SourcePosition> {
    let overwrites = |c: &Conflict| c.earlier.class.kind.writes() && c.later.class.kind.writes();
    let lines = |overwriting: bool| -> HashSet<SourcePosition> {
        let those = conflicts.iter().filter(|c| overwrites(c) == overwriting);
        those.filter_map(|c| one_line(c, launch)).cloned().collect()
    };
    &lines(true) & &lines(false)
}

/// The line of both accesses, when they are of one.
pub fn one_line<'a>(conflict: &Conflict, launch: &'a LaunchFacts) -> Option<&'a SourcePosition> {
    let source = |end: &End| launch.program.places.get(end.pc as usize)?.source.as_deref();
    source(&conflict.earlier).filter(|line| Some(*line) == source(&conflict.later))
}

/// A conflict as a finding. `object` names the memory: `` `data`+0x84 ``.
pub(super) fn finding(
    conflict: &Conflict,
    cause: Cause,
    launch: &LaunchFacts,
    object: &str,
) -> Finding {
    let Cause { missing, mend, .. } = cause;
    let (severity, code) = match conflict.verdict {
        Verdict::Race => (Severity::Error, Code::Race),
        Verdict::SameValue => (Severity::Warning, Code::SameValue),
        Verdict::Unordered if conflict.is_relaxed() && !is_flag(conflict, &cause) => {
            (Severity::Note, Code::Unordered)
        }
        Verdict::Unordered => (Severity::Warning, Code::Unordered),
    };
    let site =
        |end: &End| launch.site(end.thread.block(), end.thread.warp(), end.thread.lane(), end.pc);
    let mut finding = Finding::new(severity, code, headline(conflict, launch, object));
    finding.hazard = Some(conflict.hazard);
    finding.space = Some(conflict.space);
    finding.address = Some(conflict.address);
    finding.sites = vec![site(&conflict.later), site(&conflict.earlier)];
    finding.count = conflict.count;
    finding.notes = notes(conflict, &cause);
    finding.help = Some(help(conflict, &cause));
    // More barriers do not help if no thread waits for a copy. They are also not missing where all
    // threads store one value.
    let is_other =
        conflict.weakness == Some(Weakness::AsyncProxy) || conflict.verdict == Verdict::SameValue;
    finding.remedy = match cause.advice {
        Some(Advice::Tried(_, _, remedy) | Advice::Gathered(_, _, remedy)) => Some(remedy),
        Some(Advice::Untried(..) | Advice::NoPlace | Advice::NotGathered) | None => None,
    };
    finding.mend = Some(mend).filter(|_| !is_awaited_by_nobody(conflict) && !is_other);
    finding.chain = chain(conflict, missing, launch);
    let of_thread = |end: &End, pcs: &[Pc]| {
        let site =
            |pc: &Pc| launch.site(end.thread.block(), end.thread.warp(), end.thread.lane(), *pc);
        pcs.iter().map(site).collect()
    };
    finding.synchronisations = [
        of_thread(&conflict.earlier, &conflict.after),
        of_thread(&conflict.later, &conflict.before),
    ];
    finding.third = third(conflict, launch);
    finding
}

/// Makes a note of a race with a read whose value is unused.
pub(super) fn without_use(finding: &mut Finding) {
    finding.severity = Severity::Note;
    finding.mend = None;
    finding.notes.insert(
        1.min(finding.notes.len()),
        "the thread that reads does not use the value: the order of the two accesses changes \
         nothing"
            .to_owned(),
    );
    finding.help = Some(
        "leave it, or let only the threads that use the value read it (in Triton: fewer warps, or \
         a larger tile)"
            .to_owned(),
    );
}

/// What a third thread did that comes after the first access.
fn third(conflict: &Conflict, launch: &LaunchFacts) -> Vec<Site> {
    let Some((thread, pcs)) = &conflict.third else { return Vec::new() };
    let site = |pc: &Pc| launch.site(thread.block(), thread.warp(), thread.lane(), *pc);
    pcs.iter().map(site).collect()
}

/// The synchronisation of the two threads, step by step, and the missing step.
fn chain(conflict: &Conflict, missing: Option<Missing>, launch: &LaunchFacts) -> Vec<String> {
    let step = |pc: &Pc| {
        let place = launch.program.places.get(*pc as usize);
        let name = place.map_or("", |p| &*p.name);
        let line = place.map_or_else(String::new, |p| p.line_in_words());
        match place.and_then(|p| p.source.as_deref()).map(|source| source.seen().own) {
            Some(own) => format!("`{name}` ({}:{}, {line})", own.file, own.line),
            None => format!("`{name}` ({line})"),
        }
    };
    let list = |pcs: &[Pc]| pcs.iter().map(step).collect::<Vec<_>>().join(", then ");
    let first = match &*conflict.after {
        [] => "after (1), its thread did nothing that synchronises before (2) ran".to_owned(),
        pcs => format!("after (1), its thread did {}", list(pcs)),
    };
    let second = match &*conflict.before {
        [] => "before (2), its thread did nothing that synchronises".to_owned(),
        pcs => format!("before (2), its thread did {}", list(pcs)),
    };
    let link = match missing {
        Some(missing) => format!("missing: {}", missing.text()),
        None => nothing_orders(conflict).to_owned(),
    };
    let third = conflict.third.as_ref().zip(third(conflict, launch).into_iter().next());
    let third = third.map(|((_, pcs), Site { thread: [x, y, z], block: [a, b, c], .. })| {
        format!(
            "thread ({x},{y},{z}) of block ({a},{b},{c}) came after (1); it did {}, which did not \
             reach (2)",
            list(pcs)
        )
    });
    [Some(first), third, Some(second), Some(link)].into_iter().flatten().collect()
}

fn headline(conflict: &Conflict, launch: &LaunchFacts, object: &str) -> String {
    let hazard = match conflict.hazard {
        Hazard::ReadAfterWrite => "read-write",
        Hazard::WriteAfterRead => "write-read",
        Hazard::WriteAfterWrite => "write-write",
    };
    let what = match conflict.verdict {
        Verdict::Race => format!("{hazard} race"),
        Verdict::SameValue => "one value stored by several threads in no order,".to_owned(),
        Verdict::Unordered => format!("unordered {hazard} pair"),
    };
    if conflict.space == Space::Shared {
        let [x, y, z] = launch.launch.block_index(conflict.later.thread.block());
        format!("{what} on shared memory {object}, block ({x},{y},{z})")
    } else {
        format!("{what} on global memory {object}")
    }
}

/// Whether a pair of relaxed accesses may announce to a thread that other data is there.
fn is_flag(conflict: &Conflict, cause: &Cause) -> bool {
    cause.carries_data && conflict.tells()
}

fn notes(conflict: &Conflict, cause: &Cause) -> Vec<String> {
    if conflict.verdict == Verdict::SameValue {
        return vec![
            "all unordered stores there store the same value, and no thread reads it meanwhile: \
             the value is the same in any order"
                .to_owned(),
            nothing_orders(conflict).to_owned(),
            "by the PTX memory model, unordered plain stores are a race whatever they store, and a \
             compiler may assume that no other thread stores there"
                .to_owned(),
        ];
    }
    let mut notes = vec![dependence(conflict).to_owned()];
    match cause.missing {
        Some(missing) => notes.push(missing.text().to_owned()),
        None => notes.push(nothing_orders(conflict).to_owned()),
    }
    notes.extend(conflict.weakness.and_then(|weakness| not_morally_strong(weakness, conflict)));
    if conflict.is_same_value {
        notes.push(
            "both write the same value, but other accesses race for the place as well".to_owned(),
        );
    }
    if conflict.is_spent {
        notes.push(
            "the fence before the store belongs to a lock that its thread has released since"
                .to_owned(),
        );
    }
    if conflict.is_relaxed() {
        notes.push(relaxed(is_flag(conflict, cause)).to_owned());
    }
    notes
}

/// What relaxed accesses promise, and what they do not.
fn relaxed(is_flag: bool) -> &'static str {
    match is_flag {
        true => {
            "both are relaxed: no race, but they order nothing, and other accesses of this run would \
             be in order if the store released and the load acquired"
        }
        false => {
            "both are relaxed: no race, and each value is read and written whole; timing decides \
             which value is read, and no other access of this run depends on it"
        }
    }
}

fn dependence(conflict: &Conflict) -> &'static str {
    match conflict.hazard {
        Hazard::ReadAfterWrite => {
            "true dependence (RAW): (2) reads the value of (1) or the value before it, depending \
             on timing"
        }
        Hazard::WriteAfterRead => {
            "anti-dependence (WAR): (2) overwrites the value before or after (1) reads it, \
             depending on timing"
        }
        Hazard::WriteAfterWrite => {
            "output dependence (WAW): the later of (1) and (2) decides the value, depending on \
             timing"
        }
    }
}

fn nothing_orders(conflict: &Conflict) -> &'static str {
    let (a, b) = (&conflict.earlier, &conflict.later);
    if is_awaited_by_nobody(conflict) {
        return "nothing orders these: an asynchronous copy runs beside its thread until the thread \
                waits for it";
    }
    if conflict.weakness == Some(Weakness::AsyncProxy) {
        return "(1) comes before (2), but a copy in bulk goes through the asynchronous proxy: it \
                sees writes of threads only after a proxy fence";
    }
    if conflict.weakness == Some(Weakness::Proxy) {
        return "the non-coherent path may give an old value despite any synchronisation";
    }
    match a.thread.least_mend(b.thread) {
        Mend::Warp if a.pc == b.pc => {
            "nothing orders these: lanes of one instruction are not ordered"
        }
        Mend::Warp => {
            "nothing orders these: no __syncwarp(), barrier or release/acquire pair lies between \
             them, and lanes of a warp can move apart"
        }
        Mend::Block => "nothing orders these: no barrier or release/acquire pair lies between them",
        Mend::Grid => "nothing orders these: no release/acquire pair lies between them",
    }
}

fn not_morally_strong(weakness: Weakness, conflict: &Conflict) -> Option<String> {
    let (a, b) = (&conflict.earlier.class, &conflict.later.class);
    Some(match weakness {
        Weakness::AsyncProxy | Weakness::Weak { earlier: true, later: true } => return None,
        Weakness::Weak { earlier, .. } => {
            let (weak, strong) = if earlier { ("(1)", b) } else { ("(2)", a) };
            let other = if earlier { "(2)" } else { "(1)" };
            let what = if strong.kind == AccessKind::Atomic { "atomic" } else { "strong" };
            format!("{weak} is a plain access, which races even if {other} is {what}")
        }
        Weakness::Scope { earlier, later } => {
            let which = match (earlier, later) {
                (true, true) => "the scopes of (1) and (2) include",
                (true, false) => "the scope of (1) includes",
                _ => "the scope of (2) includes",
            };
            format!(
                "{which} only the threads of one block (.cta, `_block`), and these threads are in \
                 two blocks"
            )
        }
        Weakness::Overlap => format!(
            "(1) accesses {} bytes at {:#x} and (2) {} bytes at {:#x}: accesses that overlap in \
             part are never safe together",
            a.bytes, a.address, b.bytes, b.address
        ),
        Weakness::Proxy => {
            let which = if b.non_coherent { "(2)" } else { "(1)" };
            format!(
                "{which} reads through the non-coherent path (ld.global.nc: __ldg(), or a pointer \
                 that is const __restrict__), which needs memory that no thread writes during the \
                 launch"
            )
        }
    })
}

fn help(conflict: &Conflict, cause: &Cause) -> String {
    let one_of_them =
        |kind| conflict.earlier.class.kind == kind || conflict.later.class.kind == kind;
    let text = match (conflict.weakness, cause.missing) {
        _ if conflict.verdict == Verdict::SameValue => {
            "if only one value is ever stored there, use `--allow same-value`; to remove the race, \
             store it by atomicExch() or as a relaxed atomic, or let one thread store the result \
             of __syncthreads_or() or __any_sync()"
        }
        _ if conflict.is_spent => {
            "access it under the lock on both sides: move the store before the release of the lock"
        }
        _ if conflict.earlier.thread.is_copy() => after_copy(conflict),
        (Some(Weakness::AsyncProxy), _) => {
            "put fence.proxy.async (cuda::ptx::fence_proxy_async()) after (1), before the barrier, \
             or before (2) in its thread"
        }
        (Some(Weakness::Proxy), _) => {
            "read it with a plain load, through a pointer without __restrict__"
        }
        (Some(Weakness::Scope { .. }), _) | (_, Some(Missing::Scope)) => {
            "use the form without `_block`: atomicAdd(), __threadfence(), scope .gpu"
        }
        (_, Some(Missing::Acquire)) => "put __threadfence() after the read of the flag",
        (_, Some(Missing::Release)) => "put __threadfence() before the write of the flag",
        (_, Some(Missing::Both)) => {
            "put __threadfence() before the write of the flag and after the read of it"
        }
        (_, Some(Missing::FenceAtBarrier)) => {
            "put __threadfence() between the flag and the barrier, on both sides"
        }
        (_, Some(Missing::StrongFlag)) => {
            "make the flag volatile or atomic, with __threadfence() before its write and after its \
             read"
        }
        _ if cause.is_update && !one_of_them(AccessKind::Atomic) => {
            "if this is meant to be one update, make it atomic: atomicAdd() or the like"
        }
        (None, _) if one_of_them(AccessKind::Atomic) => match cause.mend {
            Mend::Warp => {
                "use an atomic for the store too, atomicExch(), or put __syncwarp() between the two"
            }
            Mend::Block => {
                "use an atomic for the store too, atomicExch(), or put __syncthreads() between the \
                 two"
            }
            Mend::Grid => {
                "use an atomic for the store too, atomicExch(), or store in the thread that has \
                 seen the others' atomics, or in a separate launch"
            }
        },
        (None, _) if !is_volatile(conflict) => match (cause.mend, is_flag(conflict, cause)) {
            (_, true) => {
                "let the store release and the load acquire: cuda::memory_order_release and \
                 cuda::memory_order_acquire"
            }
            (Mend::Warp | Mend::Block, false) => {
                return format!(
                    "if any of the values is fine, change nothing; else {}",
                    order(cause)
                );
            }
            (Mend::Grid, false) => {
                "if any of the values is fine, change nothing; else let the store release and the \
                 load acquire, or use an atomic"
            }
        },
        (None, _) => match cause.mend {
            Mend::Warp | Mend::Block => {
                return format!(
                    "`volatile` makes the access happen, but does not order it: {}",
                    order(cause)
                );
            }
            Mend::Grid => {
                "`volatile` makes the access happen, but does not order it: use an atomic, or put \
                 __threadfence() before the write and after the read"
            }
        },
        (Some(_), _) => return between(conflict, cause),
    };
    text.to_owned()
}

/// Whether one of the two is `volatile`, or goes to a device.
fn is_volatile(conflict: &Conflict) -> bool {
    [conflict.earlier.order, conflict.later.order].into_iter().any(|order| match order {
        Order::Volatile | Order::Mmio => true,
        Order::Weak
        | Order::Relaxed
        | Order::Acquire
        | Order::Release
        | Order::AcquireRelease
        | Order::SequentiallyConsistent => false,
    })
}

/// Whether the read of the two waits in a loop for what the other writes: nothing but reads and
/// fences lies in it.
pub fn is_polled(conflict: &Conflict, launch: &LaunchFacts) -> bool {
    let ends_a_wait = |operation: &Operation| match operation.kind.effect() {
        Effect::Memory(kind, _) => kind != Access::Read,
        Effect::Registers | Effect::Fence(_) | Effect::Jump { .. } => false,
        Effect::Barrier(_)
        | Effect::Warp(_)
        | Effect::Asynchronous(_)
        | Effect::Mbarrier(_)
        | Effect::ProxyFence
        | Effect::Cluster(_)
        | Effect::Call(_)
        | Effect::Runtime(_)
        | Effect::Leave(_) => true,
    };
    let graph = Graph::new(&launch.program);
    let ends = [&conflict.earlier, &conflict.later];
    let mut reads = ends.into_iter().filter(|end| end.class.kind == AccessKind::Read);
    reads.any(|read| graph.leads_to(read.pc, read.pc, ends_a_wait))
}

/// Whether the first of the two is an asynchronous copy that its thread has not waited for.
fn is_awaited_by_nobody(conflict: &Conflict) -> bool {
    conflict.earlier.thread.is_copy() && !conflict.was_waited_for
}

/// The synchronisation that is missing behind an asynchronous copy.
fn after_copy(conflict: &Conflict) -> &'static str {
    let (copies, other) = (conflict.earlier.thread, conflict.later.thread);
    let is_own = copies.owner() == other.owner();
    match (conflict.was_waited_for, is_own, copies.least_mend(other)) {
        (false, _, Mend::Warp | Mend::Block) if copies.is_awaited_at_mbarrier() => {
            "let the thread of (2) wait by mbarrier.try_wait for the phase of the mbarrier object \
             that the copy completes"
        }
        (false, true, _) => {
            "let the thread wait for the copy before (2): cp.async.wait_all or \
             cp.async.wait_group, in C++ __pipeline_wait_prior() or consumer_wait() of a \
             cuda::pipeline"
        }
        (false, false, Mend::Warp | Mend::Block) => {
            "let the thread of (1) wait for its copy (cp.async.wait_all, cp.async.wait_group: \
             __pipeline_wait_prior()), and put __syncthreads() after the wait, before (2)"
        }
        (true, _, Mend::Warp) => {
            "the thread of (1) has waited for its copy, but nothing tells the other thread: put \
             __syncwarp() after the wait, before (2)"
        }
        (true, _, Mend::Block) => {
            "the thread of (1) has waited for its copy, but nothing tells the other thread: put \
             __syncthreads() after the wait, before (2)"
        }
        (_, _, Mend::Grid) => {
            "blocks of a launch do not wait for each other: use a second launch, or a flag with \
             __threadfence() on both sides, set after the wait for the copy"
        }
    }
}

/// What orders two plain accesses.
fn between(conflict: &Conflict, cause: &Cause) -> String {
    let one_cell = match cause.mend {
        Mend::Warp => "let one lane write, or give each its own cell, or use an atomic",
        Mend::Block => "let one thread write, or give each its own cell, or use an atomic",
        Mend::Grid if cause.advice.is_some() => return order(cause),
        Mend::Grid => {
            return "blocks of a launch do not wait for each other: use a second launch, an atomic, or a flag \
                    with __threadfence() on both sides"
                .to_owned();
        }
    };
    let is_one = conflict.earlier.pc == conflict.later.pc;
    match (is_one, &cause.advice) {
        (true, Some(advice)) => match words::between_rounds(advice, cause.mend) {
            Some(text) => text,
            None => one_cell.to_owned(),
        },
        (true, None) => one_cell.to_owned(),
        (false, _) => order(cause),
    }
}

/// How to order two accesses of one block of threads.
fn order(cause: &Cause) -> String {
    words::advice(cause.advice.as_ref().unwrap_or(&Advice::NoPlace), cause.mend)
}
