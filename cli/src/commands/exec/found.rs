//! What the launches of a program found: read from its journal, merged, judged, told.

use std::collections::BTreeMap;
use std::path::Path;

use serde::Serialize;
use warpsim::names;
use warpsim::report::{Finding, Outcome, Severity};
use warpsim_driver_core::{Entry, LaunchEntry, Leaked};

use crate::args::ExecArgs;
use crate::document::{FindingRow, finding_row};
use crate::failure::{Exit, Failure, REPORT_IT};
use crate::findings::{Place, place, plural};
use crate::json;
use crate::output::{Output, write_file};
use crate::render::findings::FindingText;
use crate::replay;
use crate::sarif;

/// A finding at one place of a kernel, of however many launches.
#[derive(Debug)]
struct Seen {
    finding: Finding,
    /// The kernel; empty for copies alone.
    kernel: String,
    module: String,
    /// The first launch that showed it, of its process.
    launch: u64,
    /// Where that one was launched.
    site: Option<String>,
    launches: u64,
    /// The last launch that showed it: its process, and its number there.
    last: (u32, u64),
}

/// What findings are one by: module, kernel, and places in it; calls of the host where there are none.
type Key = (String, String, Place, Vec<String>);

/// All that was found.
#[derive(Debug, Default)]
pub(super) struct Found {
    seen: Vec<Seen>,
    /// How many findings were allowed.
    allowed: usize,
    launches: u64,
    unchecked: u64,
    leaked: Leaked,
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
                Ok(Entry::Copies { process, findings }) => {
                    let (kernel, module) = (String::new(), String::new());
                    let outcome = Outcome::Completed;
                    let none = LaunchEntry {
                        process,
                        launch: 0,
                        kernel,
                        module,
                        site: None,
                        outcome,
                        findings,
                    };
                    found.add(none, args, &mut known);
                }
                Ok(Entry::Unsupported { what, .. }) => found.unsupported.push(what),
                Ok(Entry::Bug { what, .. }) => found.bugs.push(what),
                Ok(Entry::Ended { launches, unchecked, leaked, .. }) => {
                    found.leaked.pieces += leaked.pieces;
                    found.leaked.bytes += leaked.bytes;
                    found.launches += launches;
                    found.unchecked += unchecked;
                    found.processes += 1;
                }
                // A process that was killed may leave half a line.
                Err(error) => found.bugs.push(format!("a line of the journal: {error}")),
            }
        }
        found.seen.sort_by_key(|seen| std::cmp::Reverse(seen.finding.severity));
        Ok(found)
    }

    fn add(&mut self, launch: LaunchEntry, args: &ExecArgs, known: &mut BTreeMap<Key, usize>) {
        let LaunchEntry { process, launch: number, kernel, module, site, findings, .. } = launch;
        for finding in findings {
            if args.allow.iter().any(|allowed| allowed.covers(&finding, &module)) {
                self.allowed += 1;
                continue;
            }
            // Copies and acts of the host have no place in a kernel: what they are known by is where they were issued.
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
            let (kernel, module, site) = (kernel.clone(), module.clone(), site.clone());
            let last = (process, number);
            self.seen.push(Seen {
                finding,
                kernel,
                module,
                launch: number,
                site,
                launches: 1,
                last,
            });
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
            if let Some(site) = &seen.site {
                finding.notes.insert(1, format!("launched by {site}"));
            }
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
        if args.check && self.leaked.pieces > 0 {
            output.message(&self.leak());
        }
        if args.check || !self.seen.is_empty() {
            output.message(&self.summary(args));
        }
        match &args.report {
            Some(path) => self.write(path, code, output),
            None => Ok(()),
        }
    }

    /// Memory that was not freed is worth a word, and no finding: the end of the process frees it.
    fn leak(&self) -> String {
        let Leaked { pieces, bytes } = self.leaked;
        let pieces = match pieces {
            1 => "1 piece".to_owned(),
            more => format!("{more} pieces"),
        };
        format!("note: {pieces} of device memory ({bytes} bytes) not freed when the program ended")
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
        if self.unchecked > 0 {
            text += &format!("; {} not checked (--only, --first, --sample)", self.unchecked);
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
        let is_sarif = path.extension().is_some_and(|ending| ending == "sarif");
        write_file(path, |file| {
            match is_sarif {
                true => json::to_writer_pretty(&mut *file, &self.sarif(&replays)),
                false => json::to_writer_pretty(&mut *file, &self.report(code, &replays)),
            }?;
            writeln!(file)?;
            Ok(())
        })
    }

    fn sarif(&self, replays: &[String]) -> serde_json::Value {
        let places: Vec<String> = self.seen.iter().map(Seen::place).collect();
        let found = self.seen.iter().zip(&places).zip(replays);
        sarif::document(found.map(|((seen, place), replay)| sarif::Found {
            finding: &seen.finding,
            module: &seen.module,
            place,
            replay,
        }))
    }

    fn report<'a>(&'a self, code: u8, replays: &'a [String]) -> Report<'a> {
        let row = |(seen, replay): (&'a Seen, &'a String)| Row {
            kernel: &seen.kernel,
            module: &seen.module,
            launch: seen.launch,
            launched_by: seen.site.as_deref(),
            launches: seen.launches,
            finding: finding_row(&seen.finding, replay),
        };
        Report {
            schema: 1,
            exit: code,
            launches: self.launches,
            unchecked_launches: self.unchecked,
            leaked: self.leaked,
            findings: self.seen.iter().zip(replays).map(row).collect(),
            allowed_findings: self.allowed,
            unsupported: &self.unsupported,
        }
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
        if self.kernel.is_empty() {
            return "between copies or acts of the host".to_owned();
        }
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
    unchecked_launches: u64,
    leaked: Leaked,
    findings: Vec<Row<'a>>,
    allowed_findings: usize,
    unsupported: &'a [String],
}

#[derive(Serialize)]
struct Row<'a> {
    kernel: &'a str,
    module: &'a str,
    launch: u64,
    launched_by: Option<&'a str>,
    launches: u64,
    #[serde(flatten)]
    finding: FindingRow<'a>,
}
