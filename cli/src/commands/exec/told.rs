//! Reports findings on standard error when the program has ended.

use std::path::Path;

use warpsim::report::{Code, Finding, Severity};
use warpsim_driver_core::Leaked;

use super::found::{Found, Launches, Seen, launches};
use crate::args::{ExecArgs, ProgramFormat};
use crate::failure::{Failure, REPORT_IT};
use crate::findings::{self, Group, plural};
use crate::output::Output;
use crate::render::findings::FindingText;
use crate::replay;
use crate::reports::is_page;

impl Found {
    /// Tells it on standard error, and in the report.
    pub(super) fn tell(
        &self,
        args: &ExecArgs,
        code: u8,
        output: &mut Output,
    ) -> Result<(), Failure> {
        let told = self.tell_findings(args, output);
        if self.seen.iter().any(Seen::lacks_lines) {
            output.message(ASK_FOR_LINES);
        }
        if args.stats {
            self.counted.tell(&self.launches, &args.device, output);
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
        // Nothing that could be taken for a clean answer, where something is missing.
        if !self.seen.is_empty() || args.check && self.incomplete.is_empty() {
            output.message(&self.summary(args));
        }
        let written = match &args.report {
            Some(path) if !is_page(path) => super::report::write(self, args, path, code, output),
            // A page is written after all messages.
            Some(_) | None => Ok(()),
        };
        if args.format == ProgramFormat::Github {
            output.message(super::report::annotations(self, args, output)?.trim_end());
        }
        if !self.incomplete.is_empty() {
            output.message(&self.incomplete());
        }
        told.and(written)
    }

    /// Prints the findings. Findings of one kernel on one object come together, unless each is
    /// explained.
    fn tell_findings(&self, args: &ExecArgs, output: &mut Output) -> Result<(), Failure> {
        let colour = output.colour_of_messages();
        let seen = self.seen.get(..args.max_findings).unwrap_or(&self.seen);
        let findings: Vec<Finding> = seen.iter().map(Seen::with_place).collect();
        let places = seen.iter().map(Within);
        let groups: Vec<(Within<'_>, Group<'_>)> = match args.explain {
            true => places.zip(findings::each(&findings)).collect(),
            false => findings::groups_within(places.zip(&findings)),
        };
        for (Within(seen), group) in &groups {
            let text = FindingText::new(Path::new(&seen.module), colour).explaining(args.explain);
            let replay = replay::executing(output, group.first.replay.as_deref());
            output.message(&text.of_group(group, &replay)?);
            output.message("");
        }
        Ok(())
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

    /// `incomplete: 1 of 2 launches was checked, and nothing was found; the program was ended by
    /// SIGTERM`.
    fn incomplete(&self) -> String {
        let Launches { all, judged, .. } = self.launches;
        let covered = match (judged, all) {
            (0, 0) => "there were no launches to check".to_owned(),
            (0, 1) => "the one launch was not checked".to_owned(),
            (0, _) => format!("none of {} was checked", launches(all)),
            (1, 1) => "the one launch was checked".to_owned(),
            (1, _) => format!("1 of {} was checked", launches(all)),
            (_, _) if judged == all => format!("all {} were checked", launches(all)),
            (_, _) => format!("{judged} of {} were checked", launches(all)),
        };
        let without = match self.seen.is_empty() {
            true if judged > 0 && !self.is_lost => ", and nothing was found",
            true | false => "",
        };
        let reasons: Vec<&str> = self.incomplete.iter().map(|why| &*why.explanation).collect();
        format!("incomplete: {covered}{without}; {}", reasons.join("; "))
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
        let mut text = format!("warpsim exec: {found} in {}", launches(self.launches.all));
        match self.processes {
            0 => text += "; the program did not use the device",
            1 => {}
            several => text += &format!(" of {several} processes"),
        }
        let Launches { unchecked, unfinished, in_turn, .. } = self.launches;
        if unchecked > 0 {
            text += &format!("; {unchecked} not checked (--only, --first, --sample)");
        }
        if in_turn > 0 {
            text += &format!("; {in_turn} under 2 schedules each (--budget)");
        }
        if unfinished > 0 {
            text += &format!(
                "; {unfinished} cut off under a schedule that took many times the steps of the first"
            );
        }
        if self.allowed > 0 {
            text += &format!("; {} allowed (--allow)", self.allowed);
        }
        if hidden > 0 {
            text += &format!("; {hidden} not shown (--max-findings)");
        }
        text
    }
}

/// How to see the lines of a source when a finding has only lines of PTX.
const ASK_FOR_LINES: &str = "warpsim exec: a kernel has no lines of its source; compile it with line information to see them \
                             (nvcc and NVRTC: -lineinfo, numba: @cuda.jit(lineinfo=True))\n";

/// Where something was found: findings in one kernel of one module are in one place.
struct Within<'a>(&'a Seen);

impl PartialEq for Within<'_> {
    fn eq(&self, other: &Self) -> bool {
        let Within(Seen { kernel, module, .. }) = self;
        (kernel, module) == (&other.0.kernel, &other.0.module)
    }
}

impl Seen {
    /// The finding, with the launches that showed it and where the first one was launched.
    pub(super) fn with_place(&self) -> Finding {
        let mut finding = self.finding.clone();
        // A call that failed says itself where it was made.
        if finding.code != Code::ApiError {
            finding.notes.insert(0, self.place());
            if let Some(site) = &self.site {
                finding.notes.insert(1, format!("launched by {site}"));
            }
        }
        finding
    }

    /// Whether the accesses have only lines of PTX.
    fn lacks_lines(&self) -> bool {
        let sites = &self.finding.sites;
        !sites.is_empty() && sites.iter().all(|site| site.source.is_none())
    }
}
