//! What was cut short: why a result without findings is not a clean one.
//!
//! A check of a program is whole under these conditions. Each process that used the device reached
//! its end, with none of its threads in a call. Each launch ran and was judged, and all findings
//! have come back. This module reports everything else, with its cause.
//!
//! In which direction it can be wrong: a process may end by `_exit`, or another program may replace
//! it (`exec`). It counts as cut short even if it had nothing left to do. A process that was
//! stopped before it called the driver is not known.

use std::collections::{BTreeMap, BTreeSet};

use nix::errno::Errno;
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use warpsim::names;
use warpsim_driver_core::{Ledger, Stage, Standing};

use crate::findings::plural;

/// How the program ended, its exit code aside.
#[derive(Clone, Copy, Debug)]
pub(super) struct End {
    /// The number of its process.
    pub(super) process: u32,
    /// The signal that ended it.
    pub(super) signal: Option<i32>,
}

/// How a process ended before its time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Unseen {
    Signal(i32),
    InCall,
    StillRuns,
    Replaced,
    /// The program itself left without a word.
    Left,
    /// Another process did; nothing says how.
    Unknown,
}

/// Why the ends of processes make a check incomplete, the program's own first.
pub(super) fn of_processes(end: End, ledger: &Ledger) -> Vec<String> {
    let mut all: BTreeMap<(bool, Unseen), Vec<&Standing>> = BTreeMap::new();
    let mut is_program_said = false;
    for (index, standing) in ledger.processes.iter().enumerate() {
        let later = ledger.processes.get(index + 1..).unwrap_or_default();
        let is_last = later.iter().all(|other| other.process != standing.process);
        let Some(unseen) = unseen(end, standing, is_last) else { continue };
        let is_program = standing.process == end.process;
        is_program_said |= is_program && matches!(unseen, Unseen::Signal(_));
        all.entry((!is_program, unseen)).or_default().push(standing);
    }
    let of_program = end.signal.filter(|_| !is_program_said);
    let of_program = of_program.map(|signal| format!("the program was {}", ended_by(signal)));
    let in_words = |((is_other, unseen), who): ((bool, Unseen), Vec<&Standing>)| {
        let subject = if is_other { processes(&who) } else { "the program".to_owned() };
        let during = match who.as_slice() {
            [only] => during(only),
            _ => String::new(),
        };
        format!("{subject} {}{during}", unseen.in_words(who.len() > 1))
    };
    of_program.into_iter().chain(all.into_iter().map(in_words)).collect()
}

fn unseen(end: End, standing: &Standing, is_last: bool) -> Option<Unseen> {
    let is_program = standing.process == end.process;
    match (standing.stage, end.signal) {
        (Stage::Ended, None) => None,
        (Stage::Ended, Some(_)) if !is_program => None,
        (Stage::EndedInCall, _) => Some(Unseen::InCall),
        (Stage::Running, _) if !is_last => Some(Unseen::Replaced),
        (Stage::Running | Stage::Ended, Some(signal)) if is_program => Some(Unseen::Signal(signal)),
        (Stage::Running | Stage::Ended, _) if is_program => Some(Unseen::Left),
        (Stage::Running | Stage::Ended, _) if is_alive(standing.process) => Some(Unseen::StillRuns),
        (Stage::Running | Stage::Ended, _) => Some(Unseen::Unknown),
    }
}

fn is_alive(process: u32) -> bool {
    // Numbers of processes are positive ones of C's `int`.
    let Ok(process) = i32::try_from(process) else { return false };
    // Signal 0 asks whether one could be sent.
    matches!(kill(Pid::from_raw(process), None::<Signal>), Ok(()) | Err(Errno::EPERM))
}

impl Unseen {
    fn in_words(self, are_several: bool) -> String {
        match self {
            Unseen::Signal(signal) => format!("was {}", ended_by(signal)),
            Unseen::InCall => "ended while one of its threads was in a call".to_owned(),
            Unseen::StillRuns if are_several => "were still running".to_owned(),
            Unseen::StillRuns => "was still running".to_owned(),
            Unseen::Replaced => "started another program in its place".to_owned(),
            Unseen::Left => "left by `_exit`, or started another program in its place".to_owned(),
            Unseen::Unknown => {
                "ended without a report: by a signal, by `_exit`, or by starting another program \
                 in its place"
                    .to_owned()
            }
        }
    }
}

/// `ended by SIGTERM`.
fn ended_by(signal: i32) -> String {
    match Signal::try_from(signal) {
        Ok(signal) => format!("ended by {}", signal.as_str()),
        // One of those without a name.
        Err(_) => format!("ended by signal {signal}"),
    }
}

fn processes(who: &[&Standing]) -> String {
    match who {
        [only] => format!("process {}", only.process),
        several => format!("{} processes", several.len()),
    }
}

/// The launch that ran then.
fn during(standing: &Standing) -> String {
    match &standing.running {
        None => String::new(),
        Some((launch, kernel)) => {
            format!(" during launch {launch} (kernel `{}`)", names::readable(kernel))
        }
    }
}

/// What launches need that is not supported, once where it is in several lines: a library can have
/// one instruction in each of its kernels.
pub(super) fn by_what_is_not_supported(lacks: &BTreeSet<String>) -> Vec<String> {
    let mut lines: BTreeMap<&str, (&str, usize)> = BTreeMap::new();
    for what in lacks {
        let (line, rest) = what.split_once(": ").unwrap_or(("", what));
        let instruction = if line.starts_with("line ") { rest } else { what };
        lines.entry(instruction).or_insert((what, 0)).1 += 1;
    }
    let said = |&(what, count): &(&str, usize)| {
        let more = match count {
            0 | 1 => String::new(),
            _ => format!(" (and {} more)", plural(count - 1, "line")),
        };
        format!("launches that need unsupported features: {what}{more}")
    };
    lines.values().map(said).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use warpsim_driver_core::Done;

    fn standing(process: u32, stage: Stage) -> Standing {
        Standing { process, stage, done: Done::default(), lost: 0, running: None }
    }

    fn reasons(signal: Option<i32>, processes: Vec<Standing>) -> Vec<String> {
        let ledger = Ledger { processes, without_row: 0 };
        of_processes(End { process: 7, signal }, &ledger)
    }

    /// A number that no process has: more than Linux gives.
    const NOBODY: u32 = i32::MAX as u32 - 1;

    #[test]
    fn what_ended_the_program_is_said_once_and_with_the_launch_that_ran() {
        assert_eq!(reasons(None, vec![standing(7, Stage::Ended)]), [""; 0]);
        assert_eq!(reasons(None, vec![]), [""; 0]);
        assert_eq!(reasons(Some(9), vec![]), ["the program was ended by SIGKILL"]);
        let mut busy = standing(7, Stage::Running);
        busy.running = Some((2, "_Z4scanPi".to_owned()));
        let text = "the program was ended by SIGTERM during launch 2 (kernel `scan`)";
        assert_eq!(reasons(Some(15), vec![busy]), [text]);
        // A handler of the program's that comes too late for that.
        let after = reasons(Some(11), vec![standing(7, Stage::Ended)]);
        assert_eq!(after, ["the program was ended by SIGSEGV"]);
        let left = reasons(None, vec![standing(7, Stage::Running)]);
        assert_eq!(left, ["the program left by `_exit`, or started another program in its place"]);
        let replaced = vec![standing(7, Stage::Running), standing(7, Stage::Ended)];
        assert_eq!(reasons(None, replaced), ["the program started another program in its place"]);
        let in_call = reasons(None, vec![standing(7, Stage::EndedInCall)]);
        assert_eq!(in_call, ["the program ended while one of its threads was in a call"]);
    }

    #[test]
    fn other_processes_are_named_and_many_of_a_kind_are_counted() {
        let own = std::process::id();
        let one = reasons(None, vec![standing(7, Stage::Ended), standing(own, Stage::Running)]);
        assert_eq!(one, [format!("process {own} was still running")]);
        let gone = || standing(NOBODY, Stage::Running);
        let unseen = "ended without a report: by a signal, by `_exit`, or by starting another \
                      program in its place";
        assert_eq!(reasons(None, vec![gone()]), [format!("process {NOBODY} {unseen}")]);
        let other = standing(NOBODY - 1, Stage::Running);
        assert_eq!(reasons(None, vec![gone(), other]), [format!("2 processes {unseen}")]);
        // The program may die of a signal when those that it started have ended well.
        let parent = reasons(Some(6), vec![standing(NOBODY, Stage::Ended)]);
        assert_eq!(parent, ["the program was ended by SIGABRT"]);
    }

    #[test]
    fn an_instruction_that_is_not_supported_is_said_once_for_all_its_lines() {
        let lacks =
            ["line 10: `a` is not", "line 2: `a` is not", "line 7: `b` is not", "c: is not"];
        let said = by_what_is_not_supported(&lacks.map(str::to_owned).into());
        let wanted = ["line 10: `a` is not (and 1 line more)", "line 7: `b` is not", "c: is not"];
        let prefix = "launches that need unsupported features: ";
        assert_eq!(said, wanted.map(|what| format!("{prefix}{what}")));
    }
}
