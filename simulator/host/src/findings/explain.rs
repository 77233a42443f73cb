//! Turns the stop of a run into text for people: outcomes and findings.

use crate::argument::ArgumentPlace;
use crate::internal::InternalError;
use crate::lanes::{LANES, Mask};
use crate::launcher::Launcher;
use crate::lower::{Pc, Program};
use crate::machine::{
    CLUSTER_BARRIER, Environment, FaultKind, MbarrierMisuse, MbarrierObject, MemoryFault, Near,
    StackOverflow, Stop, Thread, WaitReason, Waiting,
};
use crate::observe::lane_list;
use crate::ptx::Space;
use crate::report::{Code, Finding, Outcome, Severity, Site};
use crate::{internal, names};

/// The outcome and the finding for what stopped a run. `pointers` are the arguments that are
/// addresses.
///
/// # Errors
/// What stopped it is a bug of warpsim. No outcome represents that.
pub(crate) fn explain(
    stop: &Stop,
    environment: &Environment,
    pointers: &[(ArgumentPlace, u64)],
    launcher: Launcher,
) -> Result<(Outcome, Finding), InternalError> {
    Ok(match stop {
        Stop::Internal(error) => return Err(error.clone()),
        Stop::Memory { at, space, address, bytes, fault } => {
            let known = (pointers, launcher);
            let finding = memory(environment, known, *at, *space, *address, *bytes, fault);
            (Outcome::Finding, finding)
        }
        Stop::Trap(at) => {
            let site = site(environment, *at);
            // A failed `assert` calls a function of the CUDA runtime that ends the kernel.
            let (code, what) = match site.operation.starts_with("call") {
                true => (Code::Assert, "an `assert` of the kernel failed"),
                false => (Code::Trap, "the kernel executed `trap`"),
            };
            let mut finding = plain(code, what.to_owned());
            if is_of_cooperative_groups(&site) {
                finding.explanation = "CUDA's headers ended the kernel: `grid.sync()` needs a \
                                       cooperative launch, and this launch is not cooperative"
                    .to_owned();
                finding.help = Some(launcher.cooperative().to_owned());
            }
            finding.sites = vec![site];
            (Outcome::Trap, finding)
        }
        Stop::Fault { at, what } => {
            let mut finding = plain(fault_code(*what), fault_text(*what));
            finding.sites = vec![site(environment, *at)];
            finding.help = fault_help(*what);
            (Outcome::Fault, finding)
        }
        Stop::Deadlock(waiting) => (Outcome::Deadlock, deadlock(environment, waiting)?),
        Stop::Livelock { spinning, waiting, not_resident } => {
            let mut finding = livelock(environment, spinning, waiting)?;
            if *not_resident > 0 {
                finding.notes.push(not_started(environment, *not_resident));
                finding.help.get_or_insert_with(|| RESIDENT.to_owned());
            }
            (Outcome::Livelock, finding)
        }
        Stop::Interrupted(steps) => {
            let words = format!("was interrupted after {steps} warp instructions");
            (Outcome::Limit, plain(Code::Limit, words))
        }
        Stop::Limit(steps) => {
            let mut finding = plain(
                Code::Limit,
                format!("gave up after {steps} warp instructions; the kernel had not ended"),
            );
            finding.help = Some(launcher.more_steps().to_owned());
            (Outcome::Limit, finding)
        }
    })
}

fn plain(code: Code, explanation: String) -> Finding {
    Finding::new(Severity::Error, code, explanation)
}

fn site(environment: &Environment, at: Thread) -> Site {
    environment.facts().site(at.block, at.warp, at.lane, at.pc)
}

/// Whether the line of an instruction is one of `cooperative_groups.h`.
fn is_of_cooperative_groups(site: &Site) -> bool {
    let file = site.source.as_ref().map_or("", |source| &*source.file);
    file.ends_with("cooperative_groups.h") || file.contains("/cooperative_groups/")
}

fn memory(
    environment: &Environment,
    (pointers, launcher): (&[(ArgumentPlace, u64)], Launcher),
    at: Thread,
    space: Space,
    address: u64,
    bytes: u32,
    fault: &MemoryFault,
) -> Finding {
    let program = &environment.program;
    let code = match fault {
        MemoryFault::Misaligned { .. } => Code::Misaligned,
        MemoryFault::OutOfBounds { .. } | MemoryFault::ReadOnly => Code::OutOfBounds,
        MemoryFault::VectorAtomic => Code::Fault,
        MemoryFault::Freed { .. } => Code::UseAfterFree,
    };
    let near = match fault {
        MemoryFault::OutOfBounds { near } => {
            near.clone().or_else(|| symbol(environment, at.pc, space, address))
        }
        MemoryFault::Freed { near } => Some(near.clone()),
        MemoryFault::Misaligned { .. } | MemoryFault::ReadOnly | MemoryFault::VectorAtomic => None,
    };
    let argument = near.as_ref().and_then(|near| {
        let inside = |p: u64| p >= near.base && p <= near.base + near.bytes;
        pointers.iter().find(|(_, p)| near.name.is_none() && inside(*p)).map(|(i, _)| *i)
    });
    let object = near.as_ref().map(|near| object_name(program, near, argument));
    let explanation = match fault {
        MemoryFault::Misaligned { alignment } => {
            format!(
                "the address {address:#x} is not a multiple of {alignment}, as an access of {bytes} bytes needs"
            )
        }
        MemoryFault::ReadOnly => {
            format!(
                "a write of {bytes} bytes at {address:#x} of {} memory, which kernels can only read",
                space_name(space)
            )
        }
        MemoryFault::VectorAtomic => {
            format!(
                "an atomic operation on a vector of {bytes} bytes at {address:#x} of {} memory: \
                 PTX has it only in global memory",
                space_name(space)
            )
        }
        MemoryFault::OutOfBounds { .. } | MemoryFault::Freed { .. } => {
            where_it_is(space, address, bytes, near.as_ref(), object.as_deref(), code)
        }
    };
    let help = is_dynamic(program, near.as_ref(), space).then(|| {
        let given = match environment.launch.shared {
            0 => "no dynamic shared memory".to_owned(),
            bytes => format!("{bytes} bytes of dynamic shared memory"),
        };
        format!("the launch gives the block {given}: {}", launcher.dynamic_shared())
    });
    let mut finding = plain(code, explanation);
    finding.space = Some(space);
    finding.address = Some(address);
    finding.object = object;
    finding.argument = argument;
    finding.help = help;
    finding.sites = vec![site(environment, at)];
    finding
}

/// The object of a space with symbols that an address misses by the least. In local memory it is an
/// object of the kernel. The place of another function's activation depends on the calls before it.
fn symbol(environment: &Environment, pc: Pc, space: Space, address: u64) -> Option<Near> {
    let program = &environment.program;
    let kernel = program.functions.first().filter(|f| (f.entry..f.end).contains(&pc));
    let symbols = match space {
        Space::Shared => &program.shared[..],
        Space::Local => &kernel?.locals[..],
        Space::Global | Space::Const | Space::Param | Space::Tex => return None,
    };
    let symbol = symbols.iter().filter(|s| s.address <= address).max_by_key(|s| s.address)?;
    let bytes = if symbol.size == 0 { environment.launch.shared.into() } else { symbol.size };
    Some(Near { base: symbol.address, bytes, name: Some(symbol.name.to_string()) })
}

/// Whether a shared variable has its size from the launch (`extern __shared__`).
fn is_dynamic(program: &Program, near: Option<&Near>, space: Space) -> bool {
    let name = near.and_then(|near| near.name.as_deref()).filter(|_| space == Space::Shared);
    name.is_some_and(|name| program.shared.iter().any(|s| *s.name == *name && s.size == 0))
}

fn object_name(program: &Program, near: &Near, argument: Option<ArgumentPlace>) -> String {
    match (&near.name, argument) {
        (Some(name), _) => format!("`{}`", names::variable(name)),
        (None, Some(i)) => buffer_of(program, i),
        (None, None) => format!("the allocation at {:#x}", near.base),
    }
}

/// The buffer that was given for a parameter, or in a struct that was.
pub(crate) fn buffer_of(program: &Program, place: ArgumentPlace) -> String {
    match program.parameters.get(place.argument).map(|parameter| &*parameter.name) {
        Some(name) if names::made_up(name).is_some() => {
            format!("the buffer of {}", place.of_parameter(&names::parameter(name)))
        }
        Some(name) => format!("the buffer of {} (`{name}`)", place.in_words()),
        None => format!("the buffer of {}", place.in_words()),
    }
}

fn space_name(space: Space) -> &'static str {
    match space {
        Space::Shared => "shared",
        Space::Local => "local",
        Space::Const => "constant",
        Space::Param => "parameter",
        Space::Global | Space::Tex => "global",
    }
}

fn where_it_is(
    space: Space,
    address: u64,
    bytes: u32,
    near: Option<&Near>,
    object: Option<&str>,
    code: Code,
) -> String {
    let (Some(near), Some(object)) = (near, object) else {
        let name = space_name(space);
        // Only global memory has nothing at its beginning.
        return match (space, address) {
            (Space::Global, 0..4096) => {
                format!(
                    "an access of {bytes} bytes to a null pointer: address {address:#x} of {name} memory"
                )
            }
            _ => {
                format!(
                    "an access of {bytes} bytes at {address:#x} of {name} memory, where nothing is \
                     allocated"
                )
            }
        };
    };
    if code == Code::UseAfterFree {
        return format!("{object} was freed");
    }
    let how = near.missed_by(address);
    format!("an access of {bytes} bytes {how} {object}, which has {} bytes", near.bytes)
}

/// A fault that is one of the mistakes that analyses look for is named like them.
fn fault_code(what: FaultKind) -> Code {
    match what {
        FaultKind::ReduxOutsideMask => Code::SyncMask,
        FaultKind::BadBarrierCount(_) => Code::BarrierDivergence,
        FaultKind::OutsideSurface(_) => Code::OutOfBounds,
        FaultKind::BadCallTarget(_)
        | FaultKind::BadBranchIndex(_)
        | FaultKind::BadBarrier(_)
        | FaultKind::BadImage(_)
        | FaultKind::BadStackPointer(_)
        | FaultKind::BulkSize(_)
        | FaultKind::Mbarrier(_)
        | FaultKind::StackOverflow(StackOverflow::LocalMemory) => Code::Fault,
        FaultKind::StackOverflow(StackOverflow::Limit { .. }) => Code::StackOverflow,
        FaultKind::BadFree(_) => Code::InvalidFree,
    }
}

fn fault_text(what: FaultKind) -> String {
    match what {
        FaultKind::ReduxOutsideMask => {
            "a lane executes `redux` but is not in its own member mask; hardware stops with an \
             illegal instruction"
                .to_owned()
        }
        FaultKind::BadCallTarget(address) => {
            format!("an indirect call to {address:#x}, where no function begins")
        }
        FaultKind::BadBranchIndex(index) => {
            format!("`brx.idx` with index {index}, which is outside its list of targets")
        }
        FaultKind::BadImage(handle) => format!(
            "{handle:#x} is not the handle of a texture or surface of this kind and number of \
             dimensions"
        ),
        FaultKind::OutsideSurface([x, y, z]) => {
            format!("the access at byte {x} of row {y} of slice {z} lies outside the surface")
        }
        FaultKind::BadBarrier(id) => format!("barrier {id}: there are barriers 0 to 15"),
        FaultKind::BadBarrierCount(count) => {
            format!("a barrier for {count} threads: it must be a positive multiple of 32")
        }
        FaultKind::BadFree(address) => format!(
            "`free` of {address:#x}, which is not the beginning of memory in use on the device's \
             heap"
        ),
        FaultKind::BulkSize(bytes) => {
            format!("a copy in bulk of {bytes} bytes: it must be a multiple of 16")
        }
        FaultKind::Mbarrier(misuse) => misuse_text(misuse),
        FaultKind::StackOverflow(StackOverflow::Limit { needed, limit, depth }) => format!(
            "the thread's stack has {limit} bytes, and {depth} activations of functions need at least \
             {needed}"
        ),
        FaultKind::StackOverflow(StackOverflow::LocalMemory) => {
            "the calls are too deep, or `alloca` takes too much: a thread's local memory is used up"
                .to_owned()
        }
        FaultKind::BadStackPointer(to) => {
            format!(
                "`stackrestore` to {to:#x}, which is not a valid result of `stacksave` in this \
                 activation"
            )
        }
    }
}

/// What mends a fault, where one thing does.
fn fault_help(what: FaultKind) -> Option<String> {
    match what {
        FaultKind::StackOverflow(StackOverflow::Limit { .. }) => Some(
            "call cudaDeviceSetLimit(cudaLimitStackSize, BYTES) before the launch; without host \
             code, use --device stack=BYTES"
                .to_owned(),
        ),
        FaultKind::ReduxOutsideMask
        | FaultKind::BadCallTarget(_)
        | FaultKind::BadBranchIndex(_)
        | FaultKind::BadBarrier(_)
        | FaultKind::BadBarrierCount(_)
        | FaultKind::BadImage(_)
        | FaultKind::OutsideSurface(_)
        | FaultKind::BulkSize(_)
        | FaultKind::Mbarrier(_)
        | FaultKind::StackOverflow(StackOverflow::LocalMemory)
        | FaultKind::BadStackPointer(_)
        | FaultKind::BadFree(_) => None,
    }
}

fn misuse_text(misuse: MbarrierMisuse) -> String {
    match misuse {
        MbarrierMisuse::Missing(address) => format!(
            "there is no mbarrier object at shared+{address:#x}: mbarrier.init has not made it, \
             mbarrier.inval has ended it, or a write has overwritten it"
        ),
        MbarrierMisuse::NotShared(address) => {
            format!("an mbarrier object at {address:#x}, which is not an address of shared memory")
        }
        MbarrierMisuse::Count(count) => {
            format!("an mbarrier object for {count} arrivals: the limit is 1 to 2^20 - 1")
        }
        MbarrierMisuse::Arrivals { count, pending } => {
            format!("{count} arrivals at an mbarrier object, whose phase waits for {pending}")
        }
        MbarrierMisuse::Transactions(bytes) => format!(
            "the phase of an mbarrier object would wait for {bytes} bytes of transactions: the \
             limit is 2^20 - 1"
        ),
        MbarrierMisuse::Completes => {
            "an arrival with .noComplete would complete the phase of the mbarrier object".to_owned()
        }
    }
}

/// What a phase of an mbarrier object waits for.
fn phase_text(address: u64, object: Option<MbarrierObject>) -> String {
    let at = format!("the mbarrier object at shared+{address:#x}");
    let Some(object) = object else { return format!("wait for {at}, which no longer exists") };
    let arrivals = match object.pending {
        1 => "1 arrival".to_owned(),
        pending => format!("{pending} arrivals"),
    };
    let bytes = match object.transactions {
        0 => String::new(),
        bytes => format!(" and {bytes} bytes"),
    };
    let parity = u8::from(object.parity);
    format!("wait for {at}, whose phase of parity {parity} waits for {arrivals}{bytes},")
}

/// `lanes 0-15, 20`.
fn lanes(mask: Mask) -> String {
    let word = if mask.count_ones() == 1 { "lane" } else { "lanes" };
    let list = if mask == Mask::MAX { "0-31".to_owned() } else { lane_list(mask) };
    format!("{word} {list}")
}

/// Groups shown in a message; more are counted.
const SHOWN: usize = 8;

/// Merges the groups of a warp that wait at one place for one thing. Which of them had converged
/// does not matter to a reader.
fn by_place(waiting: &[Waiting]) -> Vec<Waiting> {
    let mut places: Vec<Waiting> = Vec::new();
    for group in waiting {
        let same = |p: &&mut Waiting| {
            (p.block, p.warp, p.pc, p.reason) == (group.block, group.warp, group.pc, group.reason)
        };
        match places.iter_mut().find(same) {
            Some(place) => place.lanes |= group.lanes,
            None => places.push(group.clone()),
        }
    }
    places
}

fn groups(
    environment: &Environment,
    waiting: &[Waiting],
    verb: &str,
) -> Result<String, InternalError> {
    let group = |w: &Waiting| {
        let place = environment.program.places.get(w.pc as usize);
        let place = place.ok_or_else(|| internal!("lanes wait at {}, where nothing is", w.pc))?;
        let [x, y, z] = environment.launch.block_index(w.block);
        let what = match w.reason {
            WaitReason::Barrier(CLUSTER_BARRIER) => "wait at the barrier of the cluster".to_owned(),
            WaitReason::Barrier(id) => format!("wait at barrier {id}"),
            WaitReason::Lanes(missing) => format!("wait for {}", lanes(missing)),
            WaitReason::Reconvergence => {
                "wait for the others of their warp to rejoin them".to_owned()
            }
            WaitReason::Mbarrier { address, object } => phase_text(address, object),
            WaitReason::Nothing => verb.to_owned(),
        };
        let own = place.source.as_ref().map(|source| source.seen().own);
        let line = own.map(|own| format!("{}:{}, ", own.file, own.line));
        Ok(format!(
            "block ({x},{y},{z}) warp {} {} {what} at `{}` ({}{})",
            w.warp,
            lanes(w.lanes),
            place.name,
            line.unwrap_or_default(),
            place.line_in_words()
        ))
    };
    let out: Result<Vec<String>, InternalError> = waiting.iter().take(SHOWN).map(group).collect();
    let mut out = out?;
    if waiting.len() > SHOWN {
        out.push(format!("and {} more groups", waiting.len() - SHOWN));
    }
    Ok(out.join("; "))
}

fn first_site(environment: &Environment, w: &Waiting) -> Site {
    let lane = w.lanes.trailing_zeros() % LANES as u32;
    site(environment, Thread { block: w.block, warp: w.warp, lane, pc: w.pc })
}

fn deadlock(environment: &Environment, waiting: &[Waiting]) -> Result<Finding, InternalError> {
    let waiting = &by_place(waiting)[..];
    let explanation =
        format!("no thread can continue: {}", groups(environment, waiting, "could move")?);
    let apart = waiting.iter().any(|a| {
        waiting.iter().any(|b| {
            matches!((a.reason, b.reason), (WaitReason::Barrier(x), WaitReason::Barrier(y)) if x == y)
                && (a.block, a.warp) == (b.block, b.warp)
                && a.pc != b.pc
        })
    });
    let help = apart.then(|| {
        "lanes of one warp wait at different instructions of one barrier: all threads of a block must \
         reach the same __syncthreads()"
            .to_owned()
    });
    let mut finding = plain(Code::Deadlock, explanation);
    finding.sites = waiting.iter().take(SHOWN).map(|w| first_site(environment, w)).collect();
    finding.help = help;
    Ok(finding)
}

/// What to do about blocks that wait for one that has not started.
const RESIDENT: &str = "a block can only wait for blocks that have started: launch no more blocks \
                        than are resident at once, or let each block draw its number with \
                        atomicAdd when it starts";

/// That there was no room for some blocks, and why.
fn not_started(environment: &Environment, not_resident: u64) -> String {
    let (blocks, held) = (environment.launch.blocks(), environment.resident_blocks());
    let each = environment.blocks_per_multiprocessor();
    format!(
        "{not_resident} of the {blocks} blocks have not started: the device holds {held} of them at a \
         time, {each} on a multiprocessor, and one starts when another ends"
    )
}

fn livelock(
    environment: &Environment,
    spinning: &[Waiting],
    waiting: &[Waiting],
) -> Result<Finding, InternalError> {
    let (spinning, waiting) = (&by_place(spinning)[..], &by_place(waiting)[..]);
    let mut explanation =
        format!("the state of the machine repeats: {}", groups(environment, spinning, "spin")?);
    if !waiting.is_empty() {
        explanation += &format!("; {}", groups(environment, waiting, "wait")?);
    }
    let lockstep = waiting.iter().any(|w| w.reason == WaitReason::Reconvergence);
    let help = lockstep.then(|| {
        "under lockstep the lanes that have left a loop wait for the lanes still in it: the event \
         that ends the loop must happen inside it"
            .to_owned()
    });
    let all = spinning.iter().chain(waiting);
    let mut finding = plain(Code::Livelock, explanation);
    finding.sites = all.take(SHOWN).map(|w| first_site(environment, w)).collect();
    finding.help = help;
    Ok(finding)
}
