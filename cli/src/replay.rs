//! The command line that repeats a run, to be pasted into a shell.
//!
//! `--threads` and `--shard` are left out: no result depends on them, so the printed line must not
//! either. If a finding shows under another schedule than the one asked for, `check` under that
//! schedule replays it.

use crate::output::Output;

/// Options of `explore` that choose schedules, which `check` does not have. Each takes a value.
const CHOOSING: [&str; 3] = ["--schedules", "--seed", "--strategy"];

/// Options that say who does how much of it, and where it is written, too. Each takes a value.
const SHARING: [&str; 5] = ["--threads", "--shard", "--shard-out", "--report", "--color"];

/// Options of `check` about expected results, which `explore` and `trace` do not have. Each takes a
/// value.
const EXPECTING: [&str; 3] = ["--expect", "--ulp", "--abs"];

/// Options of `check` that `run` does not have, and that take a value.
const JUDGING: [&str; 2] = ["--allow", "--max-findings"];

/// Options of `compare` that `run` does not have or need, and that take a value.
const COMPARING: [&str; 5] = ["--ulp", "--abs", "--max-differences", "--jit-opt", "--gpu-timeout"];

/// The same without a value.
const FLAGS: [&str; 3] = ["--explain", "--no-uninitialized", "--advise"];

/// The command line that is being answered.
pub(crate) fn command_line(output: &Output) -> String {
    text(shared(output))
}

/// The same as words, without the command's own name.
pub(crate) fn shared(output: &Output) -> Vec<String> {
    without(arguments(output), &SHARING)
}

/// The command line that checks the same launch under a schedule; under the one that was asked for
/// when that is `None`.
pub(crate) fn under(output: &Output, schedule: Option<&str>) -> String {
    text(command_under("check", arguments(output), schedule))
}

/// The command line that runs the same launch under a schedule, to see its buffers.
pub(crate) fn run_under(output: &Output, schedule: &str) -> String {
    let kept = without(without(arguments(output), &JUDGING), &COMPARING);
    let kept = kept.into_iter().filter(|a| !FLAGS.contains(&a.as_str())).collect();
    text(command_under("run", kept, Some(schedule)))
}

/// The command line that looks at the same launch under many schedules.
pub(crate) fn exploring(output: &Output) -> String {
    let kept = without(without(arguments(output), &["--schedule"]), &EXPECTING);
    let mut line = command_under("explore", kept, None);
    line.retain(|argument| argument != "--advise");
    text(line)
}

/// The command line that runs the same program again, its launches checked under a schedule; under
/// the one that was asked for when that is `None`.
pub(crate) fn executing(output: &Output, schedule: Option<&str>) -> String {
    let all = arguments(output);
    let at = all.iter().position(|argument| argument == "--").unwrap_or(all.len());
    let (before, program) = all.split_at(at);
    let left_out: &[&str] = match schedule {
        Some(_) => &["--threads", "--report", "--log", "--perfetto", "--schedule"],
        None => &["--threads", "--report", "--log", "--perfetto"],
    };
    let mut line = without(before.to_vec(), left_out);
    // Without either of the two, launches cannot be chosen.
    if line.iter().any(|option| option == "--check") {
        line.retain(|option| option != "--stats");
    }
    if let Some(schedule) = schedule {
        line.extend(["--schedule".to_owned(), schedule.to_owned()]);
    }
    line.extend(program.iter().cloned());
    text(line)
}

fn command_under(command: &str, arguments: Vec<String>, schedule: Option<&str>) -> Vec<String> {
    let mut left_out = SHARING.to_vec();
    left_out.extend(CHOOSING);
    left_out.extend(schedule.map(|_| "--schedule"));
    let mut line = without(arguments, &left_out);
    if let Some(first) = line.first_mut() {
        *first = command.to_owned();
    }
    if let Some(schedule) = schedule {
        line.extend(["--schedule".to_owned(), schedule.to_owned()]);
    }
    line
}

/// The arguments, the command first. A format for another tool is left out: who looks at one
/// finding again reads text.
fn arguments(output: &Output) -> Vec<String> {
    let all = output.arguments().iter().skip(1).map(|a| a.to_string_lossy().into_owned());
    let mut kept: Vec<String> = all.collect();
    let is_foreign = |format: &str| matches!(format, "sarif" | "junit" | "github");
    let end = kept.iter().position(|word| word == "--").unwrap_or(kept.len());
    let named = kept.iter().take(end).position(|word| word == "--format");
    if let Some(at) = named.filter(|at| kept.get(at + 1).is_some_and(|word| is_foreign(word))) {
        kept.drain(at..at + 2);
    }
    kept.retain(|word| !word.strip_prefix("--format=").is_some_and(is_foreign));
    kept
}

/// The arguments without some options and their values.
fn without(arguments: Vec<String>, options: &[&str]) -> Vec<String> {
    let mut kept = Vec::new();
    let mut arguments = arguments.into_iter();
    while let Some(argument) = arguments.next() {
        if argument == "--arg" {
            // Its value may begin with hyphens and is no option then.
            kept.push(argument);
            kept.extend(arguments.next());
        } else if options.contains(&argument.as_str()) {
            arguments.next();
        } else if !options.iter().any(|option| is_assignment(&argument, option)) {
            kept.push(argument);
        }
    }
    kept
}

/// Whether an argument is `OPTION=...`.
fn is_assignment(argument: &str, option: &str) -> bool {
    argument.strip_prefix(option).is_some_and(|rest| rest.starts_with('='))
}

fn text(arguments: Vec<String>) -> String {
    let mut text = "warpsim".to_owned();
    for argument in arguments {
        text.push(' ');
        text += &quoted(&argument);
    }
    text
}

/// An argument as a POSIX shell reads it.
pub(crate) fn quoted(argument: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "-_./:=,@%+".contains(c);
    if !argument.is_empty() && argument.chars().all(plain) {
        return argument.to_owned();
    }
    format!("'{}'", argument.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(arguments: &str) -> Vec<String> {
        arguments.split(' ').map(str::to_owned).collect()
    }

    #[test]
    fn arguments_are_quoted_for_a_shell_and_threads_left_out() {
        let line =
            ["run", "a b.ptx", "--arg", "s32[4]=iota", "--threads", "4", "--threads=2", "it's"];
        let line = line.into_iter().map(str::to_owned).collect();
        assert_eq!(
            text(without(line, &["--threads"])),
            r"warpsim run 'a b.ptx' --arg 's32[4]=iota' 'it'\''s'"
        );
    }

    #[test]
    fn a_schedule_takes_the_place_of_the_one_that_was_asked_for() {
        let asked =
            "check k.ptx --schedule=reverse --arg --schedule --schedule in-order --shared 4";
        let under = |schedule| text(command_under("check", line(asked), schedule));
        assert_eq!(
            under(Some("adversarial:back")),
            "warpsim check k.ptx --arg --schedule --shared 4 --schedule adversarial:back"
        );
        assert_eq!(under(None), format!("warpsim {asked}"));
    }

    #[test]
    fn what_explore_found_is_replayed_by_check() {
        let explored = "explore k.ptx --schedules 7 --seed=3 --strategy pct --grid 2";
        assert_eq!(
            text(command_under("check", line(explored), Some("pct:3"))),
            "warpsim check k.ptx --grid 2 --schedule pct:3"
        );
    }
}
