//! The findings of a program's launches: read from its journal, merged, judged. Also whether these
//! are all.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use warpsim::names;
use warpsim::report::{Code, Finding, Outcome, Severity};
use warpsim_driver_core::{
    Entry, FailedEntry, LaunchEntry, Leaked, Ledger, SpanEntry, Unreadable, Unsupported,
};

use super::child::Ended;
use super::counted::Counted;
use super::cut;
use super::failed::{self, Alike};
use crate::args::ExecArgs;
use crate::failure::Exit;
use crate::findings::{Place, place, plural};
use crate::render::source::SourceFiles;
use crate::render::whole_body::advise_before_headers;

/// A finding at one place of a kernel, of however many launches.
#[derive(Debug)]
pub(super) struct Seen {
    pub(super) finding: Finding,
    /// The kernel; empty for copies alone.
    pub(super) kernel: String,
    pub(super) module: String,
    /// The first launch that showed it, of its process.
    pub(super) launch: u64,
    /// Where that one was launched.
    pub(super) site: Option<String>,
    pub(super) launches: u64,
    /// The process of the first launch.
    pub(super) process: u32,
    /// Of a race of two operations, the first time: the later and the earlier on the device.
    pub(super) operations: Option<(u64, u64)>,
    /// The last launch that showed it: its process, and its number there.
    last: (u32, u64),
}

/// What findings are one by: module, kernel, and places in it; calls of the host where there are
/// none.
type Key = (String, String, Place, Vec<String>);

/// All that was found.
#[derive(Debug, Default)]
pub(super) struct Found {
    pub(super) seen: Vec<Seen>,
    /// How many findings were allowed.
    pub(super) allowed: usize,
    pub(super) launches: Launches,
    pub(super) leaked: Leaked,
    /// How kernels used the machine.
    pub(super) counted: Counted,
    /// What streams carried out, where a timeline is wanted.
    pub(super) spans: Vec<SpanEntry>,
    pub(super) processes: usize,
    /// What is not supported, by what does not happen for it.
    pub(super) unsupported: Vec<(String, Unsupported)>,
    pub(super) bugs: Vec<String>,
    /// Launches that did not finish.
    stopped: u64,
    /// Lines of the journal that say nothing.
    torn: u64,
    /// Why the check is incomplete, unless that is allowed.
    pub(super) incomplete: Vec<Finding>,
    /// Findings have not come back.
    pub(super) is_lost: bool,
}

/// How many launches there were.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Launches {
    /// The launches that began.
    pub(super) all: u64,
    /// The launches that were carried out and judged.
    pub(super) judged: u64,
    /// The launches that were carried out and, as chosen, not checked.
    pub(super) unchecked: u64,
    /// The judged launches that were given up under some schedule.
    pub(super) unfinished: u64,
    /// The judged launches that ran under two schedules.
    pub(super) in_turn: u64,
    /// Operations that were forgotten too early.
    forgotten: u64,
    /// Launches that were carried out.
    pub(super) carried_out: u64,
    /// Launches whose use of the machine was counted.
    pub(super) counted: u64,
}

impl Launches {
    fn of(ledger: &Ledger) -> Launches {
        let mut sum = Launches::default();
        for standing in &ledger.processes {
            let done = standing.done;
            sum.all += done.launches + u64::from(standing.running.is_some());
            sum.judged += done.launches.saturating_sub(done.unchecked);
            sum.unchecked += done.unchecked;
            sum.unfinished += done.unfinished;
            sum.in_turn += done.in_turn;
            sum.forgotten += done.forgotten;
            sum.carried_out += done.launches;
            sum.counted += done.counted;
        }
        sum
    }
}

impl Found {
    /// Reads what a program left.
    pub(super) fn read(ended: &Ended, args: &ExecArgs) -> Found {
        let mut found = Found {
            launches: Launches::of(&ended.ledger),
            processes: ended.ledger.processes.len(),
            ..Found::default()
        };
        for standing in &ended.ledger.processes {
            found.leaked.pieces += standing.done.leaked.pieces;
            found.leaked.bytes += standing.done.leaked.bytes;
        }
        let (mut known, mut failed) = (BTreeMap::new(), BTreeMap::new());
        // Text that follows half a line begins on a new line.
        for line in ended.journal.lines().filter(|line| !line.is_empty()) {
            match Entry::read(line) {
                Ok(Entry::Launch(launch)) => {
                    found.stopped += u64::from(launch.outcome != Outcome::Completed);
                    found.add(launch, args, &mut known);
                }
                Ok(Entry::Copies { process, operations, findings }) => {
                    let (kernel, module) = (String::new(), String::new());
                    let outcome = Outcome::Completed;
                    let none = LaunchEntry {
                        process,
                        launch: 0,
                        kernel,
                        module,
                        site: None,
                        operations,
                        outcome,
                        findings,
                    };
                    found.add(none, args, &mut known);
                }
                Ok(Entry::Span(span)) => found.spans.push(span),
                Ok(Entry::Counts(counts)) => found.counted.add(*counts),
                Ok(Entry::Failed(call)) => found.add_failed(call, args, &mut failed),
                Ok(Entry::Unsupported { what, kind, .. }) => found.unsupported.push((what, kind)),
                Ok(Entry::Bug { what, .. }) => found.bugs.push(what),
                Err(Unreadable::Torn) => found.torn += 1,
                Err(Unreadable::Unknown(what)) => {
                    found.bugs.push(format!("a line of the journal: {what}"));
                }
            }
        }
        found.counted.finish();
        found.know_exit(ended.code);
        found.seen.sort_by_key(|seen| std::cmp::Reverse(seen.finding.severity));
        found.look_for_what_is_missing(ended, args);
        found
    }

    /// Notes why the check is incomplete.
    fn look_for_what_is_missing(&mut self, ended: &Ended, args: &ExecArgs) {
        let mut reasons = Vec::new();
        if args.check {
            reasons.extend(cut::of_processes(ended.end, &ended.ledger));
        }
        let lost = self.lost(&ended.ledger);
        self.is_lost = !lost.is_empty();
        reasons.extend(lost);
        if args.check {
            reasons.extend(self.not_judged());
        }
        let reasons = reasons.into_iter().map(|why| Finding::of(Code::Incomplete, why));
        let is_allowed = |why: &Finding| args.allow.iter().any(|allowed| allowed.covers(why, ""));
        let (allowed, incomplete) = reasons.partition::<Vec<_>, _>(is_allowed);
        self.allowed += allowed.len();
        self.incomplete = incomplete;
    }

    /// What was found and has not come back.
    fn lost(&self, ledger: &Ledger) -> Vec<String> {
        let lines = ledger.processes.iter().map(|standing| standing.lost).sum::<u64>();
        let mut reasons = Vec::new();
        if lines.max(self.torn) > 0 {
            let lines = plural(lines.max(self.torn) as usize, "line");
            reasons.push(format!(
                "{lines} with findings could not be written (is the folder for temporary files full?)"
            ));
        }
        if ledger.without_row > 0 {
            let more = ledger.without_row;
            reasons.push(format!("{more} processes are more than can be counted"));
        }
        reasons
    }

    /// What was not judged although nothing ended its process.
    fn not_judged(&self) -> Vec<String> {
        let mut reasons = Vec::new();
        // Each process says it. Of a call its answer says so, and the program goes on as it likes.
        let lacks = |(what, kind): &(String, Unsupported)| match kind {
            Unsupported::Launches => Some(what.clone()),
            Unsupported::Call => None,
        };
        let lacks: BTreeSet<String> = self.unsupported.iter().filter_map(lacks).collect();
        reasons.extend(cut::by_what_is_not_supported(&lacks));
        let is_error = |seen: &Seen| seen.finding.severity == Severity::Error;
        if self.stopped > 0 && !self.seen.iter().any(is_error) {
            let count = launches(self.stopped);
            reasons.push(format!("{count} did not end; `--allow` covers the cause"));
        }
        let Launches { judged, unchecked, forgotten, .. } = self.launches;
        if judged == 0 && unchecked > 0 {
            reasons.push("--only, --first and --sample leave no launch to check".to_owned());
        }
        if forgotten > 0 {
            let count = plural(forgotten as usize, "operation");
            reasons.push(format!(
                "{count} were forgotten to save memory; races with later ones are missed"
            ));
        }
        reasons
    }

    fn add(&mut self, launch: LaunchEntry, args: &ExecArgs, known: &mut BTreeMap<Key, usize>) {
        let LaunchEntry { process, launch: number, kernel, module, site, operations, .. } = launch;
        let findings = launch.findings;
        let sources = SourceFiles::of(Path::new(&module));
        for mut finding in findings {
            if args.allow.iter().any(|allowed| allowed.covers(&finding, &module)) {
                self.allowed += 1;
                continue;
            }
            // Copies and acts of the host have no place in a kernel: what they are known by is
            // where they were issued.
            let calls = match finding.sites.is_empty() {
                true => finding.notes.clone(),
                false => Vec::new(),
            };
            let key = (module.clone(), kernel.clone(), place(&finding), calls);
            if let Some(seen) = known.get(&key).and_then(|index| self.seen.get_mut(*index)) {
                seen.finding.count += finding.count;
                if std::mem::replace(&mut seen.last, (process, number)) != (process, number) {
                    seen.launches += 1;
                }
                continue;
            }
            known.insert(key, self.seen.len());
            advise_before_headers(&mut finding, &sources);
            let (kernel, module, site) = (kernel.clone(), module.clone(), site.clone());
            let last = (process, number);
            self.seen.push(Seen {
                finding,
                kernel,
                module,
                launch: number,
                site,
                launches: 1,
                process,
                operations,
                last,
            });
        }
    }

    /// Calls that failed alike, in one process and by one thread.
    fn add_failed(
        &mut self,
        call: FailedEntry,
        args: &ExecArgs,
        known: &mut BTreeMap<Alike, usize>,
    ) {
        let (alike, site, process) = (failed::alike(&call), call.site.clone(), call.process);
        let finding = failed::finding(call);
        let place = site.as_deref().and_then(failed::file_and_line);
        if args.allow.iter().any(|allowed| allowed.covers_call(finding.code, place)) {
            self.allowed += 1;
            return;
        }
        if let Some(seen) = known.get(&alike).and_then(|index| self.seen.get_mut(*index)) {
            seen.finding.count += finding.count;
            return;
        }
        known.insert(alike, self.seen.len());
        let (kernel, module, last) = (String::new(), String::new(), (process, 0));
        let (launch, launches) = (0, 0);
        let operations = None;
        self.seen.push(Seen {
            finding,
            kernel,
            module,
            launch,
            site,
            launches,
            process,
            operations,
            last,
        });
    }

    /// The program has ended, with this exit code. One that says itself that it failed may have
    /// looked at what its calls returned: calls that failed are a note then, and no verdict. A
    /// process that a signal ended has said nothing, except after `abort`.
    fn know_exit(&mut self, code: u8) {
        // As in shells: 128 plus the number of the signal. There are 64 signals.
        const SIGNALS: std::ops::RangeInclusive<u8> = 129..=192;
        const ABORT: u8 = 128 + 6;
        if code == 0 || (SIGNALS.contains(&code) && code != ABORT) {
            return;
        }
        let failed = self.seen.iter_mut().filter(|seen| seen.finding.code == Code::ApiError);
        for seen in failed {
            seen.finding.severity = Severity::Note;
            let why = format!("the program ended with {code}: it may have noticed the failure");
            seen.finding.notes.push(why);
        }
    }

    fn is_finding(&self, args: &ExecArgs) -> bool {
        let level = Severity::from(args.level);
        self.seen.iter().any(|seen| seen.finding.severity >= level)
    }

    /// The exit code for a finding, for a program that failed on something unsupported, or for an
    /// incomplete check. Otherwise it is the program's own.
    pub(super) fn exit(&self, args: &ExecArgs, code: u8) -> Exit {
        match (self.is_finding(args), code) {
            _ if !self.bugs.is_empty() => Exit::BUG,
            (true, _) => Exit::custom(args.error_exitcode),
            (false, 1..) if !self.unsupported.is_empty() => Exit::UNSUPPORTED,
            (false, _) if !self.incomplete.is_empty() => Exit::custom(args.error_exitcode),
            (false, code) => Exit::custom(code),
        }
    }
}

impl Seen {
    /// The file and the line of a call that failed.
    pub(super) fn called(&self) -> Option<(&str, u32)> {
        let site = self.site.as_deref().filter(|_| self.finding.code == Code::ApiError)?;
        failed::file_and_line(site)
    }

    /// `in launch 3, of kernel `scan``.
    pub(super) fn place(&self) -> String {
        if self.finding.code == Code::ApiError {
            return "a call of the program".to_owned();
        }
        if self.kernel.is_empty() {
            return "between copies or acts of the host".to_owned();
        }
        // A race of two launches names them in its first line.
        let full = names::readable(&self.kernel);
        let is_said = self.finding.explanation.contains(&*full);
        let kernel = if is_said { names::short(&self.kernel) } else { full };
        match self.launches {
            1 => format!("kernel `{kernel}`, launch {}", self.launch),
            more => format!("kernel `{kernel}`, {more} launches, first in launch {}", self.launch),
        }
    }
}

/// `1 launch`, `3 launches`.
pub(super) fn launches(count: u64) -> String {
    if count == 1 { "1 launch".to_owned() } else { format!("{count} launches") }
}
