//! `warpsim check`: runs the launches under several schedules, watches them, and reports their
//! mistakes.

use warpsim::check::{Analyses, Checking, Schedules};
use warpsim::host::{Advice, Listener, Simulator};
use warpsim::names;
use warpsim::report::{Finding, Outcome};

use super::launches::{Judged, Launches};
use super::reported::{self, WriteDocument, check_report_file};
use crate::args::{CheckArgs, FindingFormat, FindingOptions, LaunchOptions, Level};
use crate::cuda;
use crate::cuda::ptx_path;
use crate::document::CheckedRow;
use crate::expected;
use crate::failure::{Exit, Failure};
use crate::findings::{self, Verdict};
use crate::launch::{Prepared, refused};
use crate::output::{Output, Style, shown};
use crate::progress::{RunningLine, interrupted};
use crate::render::findings::FindingText;
use crate::render::source::SourceFiles;
use crate::render::whole_body::advise_before_headers;
use crate::replay;

pub(super) fn run(args: &CheckArgs, output: &mut Output) -> Result<Exit, Failure> {
    refuse_advice(args)?;
    check_report_file(&args.findings)?;
    let checking = checking(&args.launch, &args.findings);
    let mut advice = None;
    let mut launches = Launches::<Simulator>::run(
        &args.launch,
        (&args.report, args.findings.format == FindingFormat::Json),
        output,
        |prepared, _, line, output| {
            expected::check(&args.expected.expect, prepared)?;
            if args.advise {
                advice = Some(advised(prepared, &args.launch, output)?);
            }
            let settings = prepared.device.settings_mut();
            settings.checking = Some(checking.clone());
            settings.listener = listener(&args.findings, &args.launch, line, output);
            Ok(())
        },
    )?;
    launches.compare(&args.expected)?;
    let reports = launches.rows.iter().map(|row| row.launched.report.findings.as_slice());
    let mut found = findings::merged(reports);
    if launches.outcome() == Outcome::Completed {
        found.extend(launches.prepared.device.leaks());
    }
    found.extend(advice.iter().flat_map(|advice| advice.findings.clone()));
    let verdict = args.findings.judge(found, &args.launch, args.report.level);
    let is_text = args.findings.format == FindingFormat::Text;
    if is_text {
        launches.print_printed(output)?;
        if args.report.values.is_some() {
            launches.print_buffers(output)?;
        }
    }
    let judged = judged(&launches, &verdict, output);
    let document: WriteDocument<'_> = &|to| launches.write_document(&judged, to);
    let options = (&args.findings, args.report.level);
    reported::write(options, &launches, &verdict, document, None, output)?;
    print(&verdict, &args.launch, args.findings.explain, output)?;
    launches.report_unexpected(output);
    if is_text {
        let tried = advice.map(|advice| advice.tried);
        let summary = summary(&launches, &verdict, &checking, tried, output);
        output.line(&summary)?;
    }
    Ok(match is_clean(&launches, &verdict) {
        true => Exit::CLEAN,
        false => Exit::custom(args.report.error_exitcode),
    })
}

/// Barriers are tried in a module that is loaded anew, in which nothing has happened yet.
fn refuse_advice(args: &CheckArgs) -> Result<(), Failure> {
    if args.advise && (args.launch.launches > 1 || !args.launch.globals.is_empty()) {
        return Err(Failure::usage_with_help(
            "--advise works for one launch, and only with the module's own values of its variables",
            "leave out --launches and --global, or --advise",
        ));
    }
    Ok(())
}

/// Which barriers change nothing.
fn advised(
    prepared: &mut Prepared,
    options: &LaunchOptions,
    output: &Output,
) -> Result<Advice, Failure> {
    let index = prepared.enter(options, 1)?;
    let Prepared { device, variants, kernel, launch, arguments, .. } = prepared;
    let module = &variants[index].module;
    device.advise(module, kernel, launch, arguments).map_err(|e| refused(e, module, output))
}

/// All analyses, except the unwanted ones. A schedule that was asked for is the only one.
pub(super) fn checking(launch: &LaunchOptions, options: &FindingOptions) -> Checking {
    let schedules = match launch.schedule {
        Some(_) => Schedules::AsSet,
        None => Schedules::Merged,
    };
    let unwanted: &[&str] = if options.no_uninitialized { &["uninitialized"] } else { &[] };
    let also: Vec<&str> = options.also.iter().map(String::as_str).collect();
    let also = Analyses::on_request().only(&also);
    let analyses = Analyses::default().without(unwanted).and(also);
    Checking::default().with_analyses(analyses).with_schedules(schedules)
}

/// Prints findings as they are found, a line each, except those that are allowed; `None` if nobody
/// would see it.
pub(super) fn listener(
    options: &FindingOptions,
    launch: &LaunchOptions,
    line: Option<&RunningLine>,
    output: &Output,
) -> Option<Listener> {
    let colour = output.colour_of_messages();
    let text = FindingText::new(&launch.file, colour);
    let file = ptx_path(&launch.file).display().to_string();
    let allow = options.allow.clone();
    line?.tell(move |finding| {
        let is_allowed = allow.iter().any(|allowed| allowed.covers(finding, &file));
        (!is_allowed).then(|| shown(&format!("found: {}", text.line_of(finding)), colour))
    })
}

impl FindingOptions {
    /// Judges what was found.
    pub(super) fn judge(
        &self,
        mut findings: Vec<Finding>,
        launch: &LaunchOptions,
        level: Level,
    ) -> Verdict {
        let sources = SourceFiles::of(&ptx_path(&launch.file));
        findings.iter_mut().for_each(|finding| advise_before_headers(finding, &sources));
        let file = ptx_path(&launch.file).display().to_string();
        Verdict::new(findings, &self.allow, &file, level, self.max_findings)
    }
}

/// A launch that did not finish is never clean, whatever is allowed: the rest was not checked.
pub(super) fn is_clean(launches: &Launches<'_>, verdict: &Verdict) -> bool {
    let is_complete = launches.outcome() == Outcome::Completed && !interrupted();
    is_complete && !verdict.is_finding && launches.are_as_expected()
}

/// Writes findings to standard error, an empty line between them.
pub(super) fn print(
    verdict: &Verdict,
    launch: &LaunchOptions,
    explain: bool,
    output: &mut Output,
) -> Result<(), Failure> {
    output.flush()?;
    let text = FindingText::new(&launch.file, output.colour_of_messages()).explaining(explain);
    // With explanations each finding is shown in full.
    let all = match explain {
        true => findings::each(&verdict.shown),
        false => findings::groups(&verdict.shown),
    };
    for group in &all {
        let replay = replay::under(output, group.first.replay.as_deref());
        output.message(&text.of_group(group, &replay)?);
        output.message("");
    }
    Ok(())
}

/// What the document says beside the launches.
pub(super) fn judged<'a>(
    launches: &Launches<'_>,
    verdict: &'a Verdict,
    output: &Output,
) -> Judged<'a> {
    let is_finding = launches.outcome() == Outcome::Completed && verdict.is_finding;
    let replay = |finding: &Finding| replay::under(output, finding.replay.as_deref());
    Judged {
        outcome: is_finding.then_some(Outcome::Finding.name()),
        findings: verdict.shown.iter().map(|f| (f, replay(f))).collect(),
        left_out: verdict.left_out,
        allowed: verdict.allowed,
        checked: Some(checked(launches)),
        explored: Vec::new(),
    }
}

/// The schedules of all launches, each once.
fn checked(launches: &Launches<'_>) -> CheckedRow {
    let mut all = CheckedRow { every_schedule: true, ..CheckedRow::default() };
    for checked in launches.rows.iter().filter_map(|row| row.launched.report.checked.as_ref()) {
        let add = |to: &mut Vec<String>, from: &[String]| {
            for schedule in from {
                if !to.contains(schedule) {
                    to.push(schedule.clone());
                }
            }
        };
        add(&mut all.schedules, &checked.schedules);
        add(&mut all.unfinished, &checked.unfinished);
        all.every_schedule &= checked.every_schedule;
    }
    all
}

/// The last lines: what was found, what was looked for, and under which schedules.
fn summary(
    launches: &Launches<'_>,
    verdict: &Verdict,
    checking: &Checking,
    tried: Option<u32>,
    output: &Output,
) -> String {
    let style = if is_clean(launches, verdict) { Style::Good } else { Style::Error };
    let checked = checked(launches);
    let is_silent = launches.outcome() == Outcome::Completed && verdict.is_silent();
    let incomplete = incomplete(launches, verdict);
    let mut text = format!(
        "{}\n  looked for: {}\n  {}",
        head(launches, verdict, incomplete.is_some(), style, output.colour()),
        looked_for(checking),
        under(&checked, is_silent)
    );
    if let Some(form) = cuda::form_in_words(launches.options) {
        text += &format!("\n  {form}");
    }
    if let Some(tried) = tried {
        text += &format!("\n  barriers left out, one at a time: {tried}");
    }
    if !checked.unfinished.is_empty() {
        text += &format!(
            "\n  cut off, for they took many times the steps of the first: {}",
            checked.unfinished.join(", ")
        );
    }
    if is_silent && !checked.every_schedule {
        text += &format!("\n  to try more: {}", replay::exploring(output));
    }
    if let Some(reason) = incomplete {
        text += &format!("\nincomplete: {reason}");
    }
    text
}

/// What was found, in which launches. Where something was cut short that has nothing wrong with it,
/// these are no words that can be taken for a clean answer.
pub(super) fn head(
    launches: &Launches<'_>,
    verdict: &Verdict,
    is_incomplete: bool,
    style: Style,
    colour: bool,
) -> String {
    let what = what(launches);
    match is_incomplete {
        true => format!(
            "{} in {what}{}",
            style.paint("nothing found so far", colour),
            verdict.not_shown()
        ),
        false => format!(
            "{} in {what}{}{}",
            style.paint(&verdict.tally(), colour),
            verdict.not_shown(),
            ended(launches)
        ),
    }
}

/// Why an answer without findings is none, where something was cut short.
pub(super) fn incomplete(launches: &Launches<'_>, verdict: &Verdict) -> Option<String> {
    let by_hand = || {
        let text = "it was interrupted before all schedules were tried";
        interrupted().then(|| text.to_owned())
    };
    let reason = cut_short(launches).or_else(by_hand)?;
    (!verdict.is_finding).then_some(reason)
}

/// The schedules, and whether they represent all.
fn under(checked: &CheckedRow, is_silent: bool) -> String {
    let names = listed(&checked.schedules);
    match checked.schedules.len() {
        1 if checked.every_schedule => format!(
            "under the schedule: {names}, which covers all: the threads here do the same under \
             every schedule"
        ),
        several if checked.every_schedule => format!("under {several} schedules: {names}"),
        tried if is_silent => format!("under {tried} of many schedules: {names}"),
        1 => format!("under the schedule: {names}"),
        _ => format!("under the schedules: {names}"),
    }
}

/// The names of schedules; of those that were drawn, how many.
fn listed(schedules: &[String]) -> String {
    let kinds = ["random", "pct"];
    let of = |kind: &str| {
        let is_one = |text: &&String| text.split(':').next() == Some(kind);
        schedules.iter().filter(is_one).count()
    };
    let is_counted = |text: &String| {
        text.split(':').next().is_some_and(|kind| kinds.contains(&kind) && of(kind) > 1)
    };
    let named = schedules.iter().filter(|text| !is_counted(text)).cloned();
    let counted = kinds.iter().filter(|kind| of(kind) > 1);
    named.chain(counted.map(|kind| format!("{} {kind}", of(kind)))).collect::<Vec<_>>().join(", ")
}

/// `scan (2 x 64 threads)`, and how many launches of it.
pub(super) fn what(launches: &Launches<'_>) -> String {
    let one = format!("{} ({})", names::readable(&launches.prepared.kernel), launches.shape());
    match launches.rows.len() {
        1 => one,
        several => format!("{several} launches of {one}"),
    }
}

/// How it ended, if it did not finish.
fn ended(launches: &Launches<'_>) -> String {
    cut_short(launches).map(|reason| format!("; {reason}")).unwrap_or_default()
}

fn cut_short(launches: &Launches<'_>) -> Option<String> {
    let ended = match launches.outcome() {
        Outcome::Completed => return None,
        Outcome::Finding => "a finding stopped it",
        Outcome::Limit => "the limit of steps was reached",
        Outcome::Deadlock => "it ended in a deadlock",
        Outcome::Livelock => "it ended in a livelock",
        Outcome::Fault | Outcome::Trap => "the hardware would stop it",
        Outcome::Hung => "it did not end in time",
    };
    Some(format!("{ended}, and nothing after that was checked"))
}

fn looked_for(checking: &Checking) -> String {
    let all: Vec<&str> = checking.analyses.iter().map(|one| one.looks_for()).collect();
    all.join(", ")
}
