//! Races between tasks, in words.

use std::borrow::Cow;

use super::footprint::{Conflict, End, Footprint, Task, Thread, Use};
use crate::lower::Pc;
use crate::observe::{HostAccessKind, OperationId};
use crate::ptx::Space;
use crate::report::{Code, Finding, Hazard, Severity, Site};
use warpsim_language::names::readable;

/// A conflict as a finding.
pub(super) fn finding(conflict: &Conflict, earlier: &Footprint, later: &Footprint) -> Finding {
    let is_free = [conflict.earlier.what, conflict.later.what].contains(&Use::Free);
    let code = if is_free { Code::UseAfterFree } else { Code::Race };
    let hazard = hazard(conflict);
    let headline = match hazard.filter(|_| !is_free) {
        Some(hazard) => format!(
            "{} race on global memory {:#x} between {} and {}",
            in_words(hazard),
            conflict.address,
            name(earlier),
            name(later)
        ),
        None => format!(
            "global memory {:#x} is freed while in use: nothing orders {} and {}",
            conflict.address,
            name(earlier),
            name(later)
        ),
    };
    let mut finding = Finding::new(Severity::Error, code, headline);
    finding.hazard = hazard.filter(|_| !is_free);
    finding.space = Some(Space::Global);
    finding.address = Some(conflict.address);
    finding.count = conflict.count;
    let sites = [(later, conflict.later), (earlier, conflict.earlier)];
    finding.sites = sites.iter().filter_map(|(task, end)| site(task, end.at)).collect();
    finding.notes = vec![
        format!("nothing orders {} and {}", name(earlier), name(later)),
        format!("bytes that both touch: {}", conflict.count),
    ];
    finding.help = Some(help(earlier, later));
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

fn hazard(conflict: &Conflict) -> Option<Hazard> {
    let writes = |end: End| matches!(end.what, Use::Write | Use::Both);
    match (writes(conflict.earlier), writes(conflict.later)) {
        (true, true) => Some(Hazard::WriteAfterWrite),
        (true, false) => Some(Hazard::ReadAfterWrite),
        (false, true) => Some(Hazard::WriteAfterRead),
        (false, false) => None,
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
fn name(task: &Footprint) -> String {
    let what = match &task.task {
        Task::Launch(facts) => {
            let kernel = facts.program.functions.first();
            format!("the launch of `{}`", kernel.map_or(Cow::Borrowed(""), |f| readable(&f.name)))
        }
        Task::Host(access) => match access.kind {
            HostAccessKind::Read => "the copy to the host".to_owned(),
            HostAccessKind::Write => "the copy to the device".to_owned(),
            HostAccessKind::CopyRead | HostAccessKind::CopyWrite => "the copy".to_owned(),
            HostAccessKind::Free => return "the free".to_owned(),
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

/// What to do. The one that was issued first is to come first.
fn help(earlier: &Footprint, later: &Footprint) -> String {
    let by_host = [earlier, later].into_iter().find_map(|task| match &task.task {
        Task::Launch(_) => None,
        Task::Host(access) => match access.kind {
            HostAccessKind::Free => Some("frees"),
            HostAccessKind::Load => Some("reads"),
            HostAccessKind::Store => Some("writes"),
            HostAccessKind::Read
            | HostAccessKind::Write
            | HostAccessKind::CopyRead
            | HostAccessKind::CopyWrite => None,
        },
    });
    match by_host {
        Some(does) => {
            format!("let the host wait for the stream, or for an event, before it {does}")
        }
        None => {
            "record an event after the one that comes first, and let the other stream wait for it"
                .to_owned()
        }
    }
}
