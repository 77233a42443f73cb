//! Races between tasks, in words.

use std::borrow::Cow;

use super::footprint::{Conflict, Footprint, Mistake, Task, Thread};
use crate::lower::Pc;
use crate::observe::{HostAccessKind, OperationId};
use crate::ptx::Space;
use crate::report::{Code, Finding, Hazard, Severity, Site};
use warpsim_language::names::{readable, short};

/// A conflict as a finding; there are so many others of the same two tasks.
pub(super) fn finding(
    conflict: &Conflict,
    others: usize,
    earlier: &Footprint,
    later: &Footprint,
) -> Finding {
    let at = conflict.address;
    let (first, second) = (name(earlier, readable), name(later, readable));
    let unordered = format!("nothing orders {first} and {second}");
    let (code, headline) = match conflict.mistake {
        Mistake::Accesses(hazard) => {
            let kind = in_words(hazard);
            (
                Code::Race,
                format!("{kind} race on global memory {at:#x} between {first} and {second}"),
            )
        }
        Mistake::Free if earlier.is_ordered_with(later) => (
            Code::UseAfterFree,
            format!(
                "global memory {at:#x} is used after it was freed: {second} comes after {first}"
            ),
        ),
        Mistake::Free => (
            Code::UseAfterFree,
            format!("global memory {at:#x} is freed while in use: {unordered}"),
        ),
        Mistake::Allocation => (
            Code::Race,
            format!("global memory {at:#x} is used before it is allocated: {unordered}"),
        ),
        Mistake::AllocationAndFree => (
            Code::Race,
            format!("global memory {at:#x} is freed before it is allocated: {unordered}"),
        ),
    };
    let mut finding = Finding::new(Severity::Error, code, headline);
    finding.hazard = match conflict.mistake {
        Mistake::Accesses(hazard) => Some(hazard),
        Mistake::Free | Mistake::Allocation | Mistake::AllocationAndFree => None,
    };
    finding.space = Some(Space::Global);
    finding.address = Some(conflict.address);
    finding.count = conflict.count;
    let sites = [(later, conflict.later), (earlier, conflict.earlier)];
    finding.sites = sites.iter().filter_map(|(task, end)| site(task, end.at)).collect();
    let (first, second) = (name(earlier, short), name(later, short));
    let order = match earlier.is_ordered_with(later) {
        true => format!("{first} happens before {second}"),
        false => format!("nothing orders {first} and {second}"),
    };
    finding.notes = vec![order, format!("bytes that both touch: {}", conflict.count)];
    if others > 0 {
        let pairs = if others == 1 { "pair" } else { "pairs" };
        finding.notes.push(format!("{others} other {pairs} of their instructions also conflict"));
    }
    finding.help = Some(help(conflict.mistake, earlier, later));
    finding
}

fn site(task: &Footprint, at: Option<(Pc, Thread)>) -> Option<Site> {
    match (&task.task, at) {
        (Task::Launch(facts), Some((pc, (block, warp, lane)))) => {
            Some(facts.site(block, warp, lane, pc))
        }
        _ => None,
    }
}

fn in_words(hazard: Hazard) -> &'static str {
    match hazard {
        Hazard::ReadAfterWrite => "read-write",
        Hazard::WriteAfterRead => "write-read",
        Hazard::WriteAfterWrite => "write-write",
    }
}

/// "a launch of `sum` in stream 2".
fn name(task: &Footprint, in_words: fn(&str) -> Cow<'_, str>) -> String {
    let what = match &task.task {
        Task::Launch(facts) => {
            let kernel = facts.program.functions.first();
            format!("the launch of `{}`", kernel.map_or(Cow::Borrowed(""), |f| in_words(&f.name)))
        }
        Task::Host(access) => match access.kind {
            HostAccessKind::Read => "the copy to the host".to_owned(),
            HostAccessKind::Write => "the copy to the device".to_owned(),
            HostAccessKind::CopyRead | HostAccessKind::CopyWrite => "the copy".to_owned(),
            HostAccessKind::Free => return "the free".to_owned(),
            HostAccessKind::Allocate => "the allocation".to_owned(),
            HostAccessKind::Release => "the free".to_owned(),
            HostAccessKind::Load => return "the host's read".to_owned(),
            HostAccessKind::Store => return "the host's write".to_owned(),
        },
    };
    match task.order.operation().timeline {
        OperationId::HOST => what,
        OperationId::DEFAULT_STREAM => format!("{what} in the default stream"),
        timeline => format!("{what} in stream {}", timeline - 1),
    }
}

/// What to do. The operation that was issued first must come first.
fn help(mistake: Mistake, earlier: &Footprint, later: &Footprint) -> String {
    let by_host = [earlier, later].into_iter().find_map(does_by_host);
    let words = match (mistake, by_host) {
        (Mistake::Free, _) if earlier.is_free() => "free it after the last operation that uses it",
        (Mistake::Allocation | Mistake::AllocationAndFree, None) => {
            "record an event after the allocation, and let the other stream wait for it"
        }
        (Mistake::Free, None) => {
            "free it in the stream that uses it, or record an event after the use and let the \
             stream that frees wait for it"
        }
        (Mistake::Accesses(_), None) => {
            "record an event after the operation that must come first, and let the other stream \
             wait for it"
        }
        (
            Mistake::Accesses(_) | Mistake::Free | Mistake::Allocation | Mistake::AllocationAndFree,
            Some(does),
        ) => {
            return format!("let the host wait for the stream, or for an event, before it {does}");
        }
    };
    words.to_owned()
}

/// What the host itself does where a task is an act of the host, and no operation of a stream.
fn does_by_host(task: &Footprint) -> Option<&'static str> {
    let Task::Host(access) = &task.task else { return None };
    let is_of_host = access.order.operation().timeline == OperationId::HOST;
    match access.kind {
        HostAccessKind::Free => Some("frees"),
        HostAccessKind::Release if is_of_host => Some("frees"),
        HostAccessKind::Load => Some("reads"),
        HostAccessKind::Store => Some("writes"),
        HostAccessKind::Release
        | HostAccessKind::Allocate
        | HostAccessKind::Read
        | HostAccessKind::Write
        | HostAccessKind::CopyRead
        | HostAccessKind::CopyWrite => None,
    }
}
