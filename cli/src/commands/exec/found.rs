//! What the launches of a program found: read from its journal, merged, judged, told.

use std::collections::BTreeMap;
use std::path::Path;

use serde::Serialize;
use warpsim::names;
use warpsim::report::{Finding, Severity};
use warpsim_driver_core::{Entry, LaunchEntry};

use crate::args::ExecArgs;
use crate::document::{FindingRow, finding_row};
use crate::failure::{Exit, Failure, REPORT_IT};
use crate::findings::{Place, place, plural};
use crate::output::{Output, write_file};
use crate::render::findings::FindingText;
use crate::replay;

/// A finding at one place of a kernel, of however many launches.
#[derive(Debug)]
struct Seen {
    finding: Finding,
    kernel: String,
    module: String,
    /// The first launch that showed it, of its process.
    launch: u64,
    launches: u64,
}

/// All that was found.
#[derive(Debug, Default)]
pub(super) struct Found {
    seen: Vec<Seen>,
    /// How many findings were allowed.
    allowed: usize,
    launches: u64,
    processes: u64,
    unsupported: Vec<String>,
    bugs: Vec<String>,
}

impl Found {
    /// Reads a journal.
    pub(super) fn read(journal: &str, args: &ExecArgs) -> Result<Found, Failure> {
        let mut found = Found::default();
        let mut known = BTreeMap::new();
        for line in journal.lines() {
            match Entry::read(line) {
                Ok(Entry::Launch(launch)) => found.add(launch, args, &mut known),
                Ok(Entry::Unsupported { what, .. }) => found.unsupported.push(what),
                Ok(Entry::Bug { what, .. }) => found.bugs.push(what),
                Ok(Entry::Ended { launches, .. }) => {
                    found.launches += launches;
                    found.processes += 1;
                }
                // A process that was killed may leave half a line.
                Err(error) => found.bugs.push(format!("a line of the journal: {error}")),
            }
        }
        found.seen.sort_by_key(|seen| std::cmp::Reverse(seen.finding.severity));
        Ok(found)
    }

    fn add(
        &mut self,
        launch: LaunchEntry,
        args: &ExecArgs,
        known: &mut BTreeMap<(String, String, Place), usize>,
    ) {
        let LaunchEntry { launch: number, kernel, module, findings, .. } = launch;
        for finding in findings {
            if args.allow.iter().any(|allowed| allowed.covers(&finding, &module)) {
                self.allowed += 1;
                continue;
            }
            let key = (module.clone(), kernel.clone(), place(&finding));
            if let Some(seen) = known.get(&key).and_then(|index| self.seen.get_mut(*index)) {
                seen.finding.count += finding.count;
                seen.launches += 1;
                continue;
            }
            known.insert(key, self.seen.len());
            let (kernel, module) = (kernel.clone(), module.clone());
            self.seen.push(Seen { finding, kernel, module, launch: number, launches: 1 });
        }
    }

    fn is_finding(&self, args: &ExecArgs) -> bool {
        let level = Severity::from(args.level);
        self.seen.iter().any(|seen| seen.finding.severity >= level)
    }

    /// The exit code: that of a finding, that of something unsupported on which the program failed, or its own.
    pub(super) fn exit(&self, args: &ExecArgs, code: u8) -> Exit {
        match (self.is_finding(args), code) {
            _ if !self.bugs.is_empty() => Exit::BUG,
            (true, _) => Exit::custom(args.error_exitcode),
            (false, 0) => Exit::CLEAN,
            (false, _) if !self.unsupported.is_empty() => Exit::UNSUPPORTED,
            (false, code) => Exit::custom(code),
        }
    }

    /// Tells it on standard error, and in the report.
    pub(super) fn tell(
        &self,
        args: &ExecArgs,
        code: u8,
        output: &mut Output,
    ) -> Result<(), Failure> {
        let colour = output.colour_of_messages();
        for seen in self.seen.iter().take(args.max_findings) {
            let text = FindingText::new(Path::new(&seen.module), colour);
            let mut finding = seen.finding.clone();
            finding.notes.insert(0, seen.place());
            let replay = replay::executing(output, finding.replay.as_deref());
            output.message(&text.of(&finding, &replay));
            output.message("");
        }
        if self.seen.iter().any(Seen::lacks_lines) {
            output.message(ASK_FOR_LINES);
        }
        for what in &self.bugs {
            output.message(&format!("error: this is a bug in warpsim: {what}"));
        }
        if !self.bugs.is_empty() {
            output.message(&format!("  = help: {REPORT_IT}"));
        }
        if args.check || !self.seen.is_empty() {
            output.message(&self.summary(args));
        }
        match &args.report {
            Some(path) => self.write(path, code, output),
            None => Ok(()),
        }
    }

    /// `warpsim exec: 1 error in 3 launches`.
    fn summary(&self, args: &ExecArgs) -> String {
        let count = |severity| self.seen.iter().filter(|s| s.finding.severity == severity).count();
        let parts =
            [(Severity::Error, "error"), (Severity::Warning, "warning"), (Severity::Note, "note")];
        let parts = parts.map(|(severity, word)| (count(severity), word)).into_iter();
        let parts: Vec<String> =
            parts.filter(|(n, _)| *n > 0).map(|(n, word)| plural(n, word)).collect();
        let found = if parts.is_empty() { "no findings".to_owned() } else { parts.join(", ") };
        let hidden = self.seen.len().saturating_sub(args.max_findings);
        let mut text = format!("warpsim exec: {found} in {}", launches(self.launches));
        if self.processes > 1 {
            text += &format!(" of {} processes", self.processes);
        }
        if self.allowed > 0 {
            text += &format!("; {} allowed (--allow)", self.allowed);
        }
        if hidden > 0 {
            text += &format!("; {hidden} not shown (--max-findings)");
        }
        text
    }

    fn write(&self, path: &Path, code: u8, output: &Output) -> Result<(), Failure> {
        let replays: Vec<String> = self
            .seen
            .iter()
            .map(|seen| replay::executing(output, seen.finding.replay.as_deref()))
            .collect();
        let row = |(seen, replay): (&'_ Seen, &'_ String)| Row {
            kernel: seen.kernel.clone(),
            module: seen.module.clone(),
            launch: seen.launch,
            launches: seen.launches,
            finding: serde_json::to_value::<FindingRow<'_>>(finding_row(&seen.finding, replay))
                .ok(),
        };
        let report = Report {
            schema: 1,
            exit: code,
            launches: self.launches,
            findings: self.seen.iter().zip(&replays).map(row).collect(),
            allowed_findings: self.allowed,
            unsupported: &self.unsupported,
        };
        write_file(path, |file| {
            serde_json::to_writer_pretty(&mut *file, &report).map_err(std::io::Error::from)?;
            writeln!(file)?;
            Ok(())
        })
    }
}

/// How to see the lines of a source where a finding has those of PTX alone.
const ASK_FOR_LINES: &str = "warpsim exec: a kernel has no lines of its source; compile it with line information to see them \
                             (nvcc and NVRTC: -lineinfo, numba: @cuda.jit(lineinfo=True))\n";

impl Seen {
    /// Whether the accesses are told with lines of PTX alone.
    fn lacks_lines(&self) -> bool {
        let sites = &self.finding.sites;
        !sites.is_empty() && sites.iter().all(|site| site.source.is_none())
    }

    /// `in launch 3, of kernel `scan``.
    fn place(&self) -> String {
        let kernel = names::readable(&self.kernel);
        match self.launches {
            1 => format!("kernel `{kernel}`, launch {}", self.launch),
            more => format!("kernel `{kernel}`, {more} launches, the first being {}", self.launch),
        }
    }
}

fn launches(count: u64) -> String {
    if count == 1 { "1 launch".to_owned() } else { format!("{count} launches") }
}

/// The document of `--report`.
#[derive(Serialize)]
struct Report<'a> {
    schema: u32,
    /// The program's own exit code.
    exit: u8,
    launches: u64,
    findings: Vec<Row>,
    allowed_findings: usize,
    unsupported: &'a [String],
}

#[derive(Serialize)]
struct Row {
    kernel: String,
    module: String,
    launch: u64,
    launches: u64,
    #[serde(flatten)]
    finding: Option<serde_json::Value>,
}
