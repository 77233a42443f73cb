//! Findings as people read them: what, where, every access with its thread and lines, and help.

use std::path::Path;

use warpsim::internal::InternalError;
use warpsim::ptx::Seen;
use warpsim::report::{Code, Finding, Severity, Site, SourcePosition};

use super::order;
use super::source::SourceFiles;
use crate::cuda::ptx_path;
use crate::findings::Group;
use crate::output::Style;

/// How findings in one PTX file are written.
#[derive(Debug)]
pub(crate) struct FindingText {
    file: String,
    sources: SourceFiles,
    explain: bool,
    colour: bool,
}

impl FindingText {
    /// For findings in the PTX file at this path; `-` is standard input.
    pub(crate) fn new(path: &Path, colour: bool) -> FindingText {
        let file = file_name(path);
        FindingText { file, sources: SourceFiles::of(path), explain: false, colour }
    }

    /// Sets whether the chain of synchronisation is explained.
    pub(crate) fn explaining(self, explain: bool) -> FindingText {
        FindingText { explain, ..self }
    }

    /// A finding in some lines. `replay` is the command that shows it again.
    pub(crate) fn of(&self, finding: &Finding, replay: &str) -> String {
        self.with(finding, &[], replay)
    }

    /// The first finding of a group, with the others in a line each.
    ///
    /// # Errors
    /// A conflict in it does not have two accesses, which is a bug in warpsim.
    pub(crate) fn of_group(
        &self,
        group: &Group<'_>,
        replay: &str,
    ) -> Result<String, InternalError> {
        let more = super::groups::lines(group, &self.file)?;
        Ok(self.with(group.first, &more, replay))
    }

    /// A finding, with further lines behind its advice.
    fn with(&self, finding: &Finding, more: &[String], replay: &str) -> String {
        let mut lines = vec![format!("{}: {}", self.head(finding), finding.explanation)];
        lines.extend(self.accesses(finding));
        lines.extend(finding.notes.iter().map(|note| format!("  = {note}")));
        if self.explain && !finding.chain.is_empty() {
            lines.push("  = what orders these accesses, and what does not:".to_owned());
            let told = order::picture(finding, &self.file);
            let told = told.as_ref().unwrap_or(&finding.chain);
            lines.extend(told.iter().map(|link| format!("      {link}")));
        }
        if finding.count > 1 {
            lines.push(format!("  = it happened {} times; this is the first", finding.count));
        }
        lines.extend(finding.help.iter().map(|help| format!("  = help: {help}")));
        lines.extend(more.iter().cloned());
        lines.push(format!("  = replay: {replay}"));
        lines.join("\n") + "\n"
    }

    /// A finding in one line, before all that is known of it is: the first schedule that showed it.
    pub(crate) fn line_of(&self, finding: &Finding) -> String {
        let place = |site: &&Site| match &site.source {
            Some(source) => position(source),
            None => format!("{}:{}", ptx_file(site, &self.file), site.ptx_line),
        };
        let mut places: Vec<String> = shown_sites(finding).iter().map(place).collect();
        places.dedup();
        let at =
            if places.is_empty() { String::new() } else { format!(" at {}", places.join(" and ")) };
        let under = finding.replay.as_ref().map(|replay| format!(", under {replay}"));
        format!("{}: {}{at}{}", self.head(finding), finding.explanation, under.unwrap_or_default())
    }

    fn head(&self, finding: &Finding) -> String {
        let style = match finding.severity {
            Severity::Error => Style::Error,
            Severity::Warning => Style::Warning,
            Severity::Note => Style::Note,
        };
        style.paint(&format!("{}[{}]", finding.severity, finding.code), self.colour)
    }

    /// The accesses, the latest first and in columns, each with its line of the source.
    fn accesses(&self, finding: &Finding) -> Vec<String> {
        let is_pair = finding.code.is_conflict();
        let is_block_said = finding.sites.len() > 1 && finding.block_in_words().is_some();
        let sites = shown_sites(finding);
        let total = sites.len();
        let row = |(index, site): (usize, &&Site)| {
            let number = if total > 1 && !is_stuck(finding) {
                format!("({}) ", total - index)
            } else {
                String::new()
            };
            let when = match (is_pair, index) {
                (true, 0) => "<- just now",
                (true, _) => "<- earlier",
                _ => "",
            };
            let (thread, lane) = match finding.code {
                // A place, without a thread.
                Code::RedundantBarrier => (String::new(), String::new()),
                _ => {
                    (thread(site, !is_block_said), format!("warp {} lane {}", site.warp, site.lane))
                }
            };
            [
                format!("{number}{}", site.operation),
                thread,
                lane,
                site.source.as_ref().map(position).unwrap_or_default(),
                format!("{}:{}", ptx_file(site, &self.file), site.ptx_line),
                when.to_owned(),
            ]
        };
        let rows: Vec<[String; 6]> = sites.iter().enumerate().map(row).collect();
        let excerpts = sites.iter().map(|site| self.excerpt(site));
        let lines = columns(&rows).into_iter().zip(excerpts);
        lines.flat_map(|(line, excerpt)| std::iter::once(line).chain(excerpt)).collect()
    }

    /// The line of the source that an access was compiled from.
    fn excerpt(&self, site: &Site) -> Option<String> {
        let source = site.source.as_ref()?;
        let own = source.seen().own;
        let line = self.sources.line(&own.file, own.line)?;
        Some(Style::Dim.paint(&format!("      {} | {line}", own.line), self.colour))
    }
}

/// Whether threads wait or spin: none of them came before another.
fn is_stuck(finding: &Finding) -> bool {
    matches!(finding.code, Code::Deadlock | Code::Livelock)
}

/// The accesses to show. Of threads that are stuck, one at each place: the sentence names them all.
fn shown_sites(finding: &Finding) -> Vec<&Site> {
    let mut shown: Vec<&Site> = Vec::new();
    for site in &finding.sites {
        let is_known =
            shown.iter().any(|s| (s.ptx_line, &s.ptx_file) == (site.ptx_line, &site.ptx_file));
        if !is_stuck(finding) || !is_known {
            shown.push(site);
        }
    }
    shown
}

/// A PTX file as it is named beside its lines; `-` is standard input. For a `.cu` file it is the
/// file that `compile` writes.
pub(crate) fn file_name(path: &Path) -> String {
    let name = ptx_path(path).display().to_string();
    if name == "-" { "<stdin>".to_owned() } else { short(&name).to_owned() }
}

/// The PTX file of a site: this one, or another that is linked with it.
pub(crate) fn ptx_file<'a>(site: &'a Site, file: &'a str) -> &'a str {
    site.ptx_file.as_deref().map_or(file, short)
}

/// `thread (2,0,0)`, with its block or without.
pub(crate) fn thread(site: &Site, with_block: bool) -> String {
    let [x, y, z] = site.thread;
    let [bx, by, bz] = site.block;
    let of = if with_block { format!(" of block ({bx},{by},{bz})") } else { String::new() };
    format!("thread ({x},{y},{z}){of}")
}

/// Blanks after each column; a column that is empty in every row takes no room.
const GAPS: [usize; 6] = [3, 2, 3, 2, 3, 0];

/// Rows with their columns below each other.
fn columns(rows: &[[String; 6]]) -> Vec<String> {
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max();
    let widths: Vec<usize> = (0..GAPS.len()).map(|c| width(c).unwrap_or(0)).collect();
    let line = |row: &[String; 6]| {
        let mut line = " ".repeat(2);
        for ((cell, width), gap) in row.iter().zip(&widths).zip(GAPS) {
            if *width > 0 {
                line += &format!("{cell:width$}{}", " ".repeat(gap));
            }
        }
        line.trim_end().to_owned()
    };
    rows.iter().map(line).collect()
}

/// `scan.cu:15`, with the calls it was inlined into. What a library does there comes behind the
/// user's line: `scan.cu:15 (in warp_reduce.cuh:80)`.
pub(crate) fn position(position: &SourcePosition) -> String {
    let line = |at: &SourcePosition| format!("{}:{}", short(&at.file), at.line);
    let Seen { own, callers, inside } = position.seen();
    let mut text = line(own);
    for call in callers {
        text += &format!(" (inlined at {})", line(call));
    }
    // How it got there says little to those who have not written it.
    if let Some(innermost) = inside.lines().last() {
        text += &format!(" (in {})", line(innermost));
    }
    text
}

/// A file's name without its folders.
pub(super) fn short(file: &str) -> &str {
    file.rsplit(['/', '\\']).next().unwrap_or(file)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::findings::samples::{race, site};

    fn text(finding: &Finding) -> String {
        let text = FindingText::new(Path::new("tests/scan.ptx"), false);
        text.of(finding, "warpsim check tests/scan.ptx --schedule adversarial")
    }

    #[test]
    fn a_race_names_both_accesses_in_columns_the_latest_first() {
        let expected = "\
error[race]: read-write race on shared memory `data`+0x84, block (0,0,0)
  (2) ld.shared.u32            thread (2,0,0)  warp 0 lane 2   scan.cu:15  scan.ptx:48   <- just now
  (1) st.volatile.shared.u32   thread (1,0,0)  warp 0 lane 1   scan.cu:14  scan.ptx:41   <- earlier
  = nothing orders these: no __syncwarp() lies between them
  = it happened 31 times; this is the first
  = help: put __syncwarp() between (1) and (2)
  = replay: warpsim check tests/scan.ptx --schedule adversarial
";
        assert_eq!(text(&race()), expected);
    }

    #[test]
    fn threads_of_two_blocks_name_their_blocks_and_lines_of_the_source_need_not_be_known() {
        let mut finding = race();
        finding.explanation = "write-write race on global memory `total`".to_owned();
        finding.sites =
            vec![site("st.global.u32", 12, 0, 0, 9), site("st.global.u32", 3, 31, 0, 9)];
        finding.notes = Vec::new();
        finding.help = None;
        finding.count = 1;
        let expected = "\
error[race]: write-write race on global memory `total`
  (2) st.global.u32   thread (0,0,0) of block (12,0,0)  warp 0 lane 0    scan.ptx:9   <- just now
  (1) st.global.u32   thread (31,0,0) of block (3,0,0)  warp 0 lane 31   scan.ptx:9   <- earlier
  = replay: warpsim check tests/scan.ptx --schedule adversarial
";
        assert_eq!(text(&finding), expected);
    }

    #[test]
    fn the_synchronisation_of_both_threads_is_drawn_for_those_who_ask() {
        let chain = "\
  = what orders these accesses, and what does not:
      thread (1,0,0)                            thread (2,0,0)
      (1) st.volatile.shared.u32  scan.cu:14    |
      |   nothing that synchronises             |
      |                                         |   fence.acq_rel.gpu  <stdin>:44
      |                                         (2) ld.shared.u32  scan.cu:15
      missing: a __syncwarp() after (1) and before (2)
  = it happened 31 times; this is the first
";
        let mut race = race();
        race.synchronisations[1] = vec![site("fence.acq_rel.gpu", 0, 2, 0, 44)];
        let explained = FindingText::new(Path::new("-"), false).explaining(true);
        let explained = explained.of(&race, "warpsim check -");
        assert!(explained.contains(chain), "{explained}");
        assert!(explained.contains("  <stdin>:48   <- just now"), "{explained}");
        assert!(!text(&race).contains("missing"));
    }

    #[test]
    fn a_third_thread_is_drawn_between_the_two() {
        let mut race = race();
        race.third = vec![site("bar.sync", 0, 40, 0, 45), site("st.relaxed.gpu", 0, 40, 0, 46)];
        race.synchronisations[1] = vec![site("fence.acq_rel.gpu", 0, 2, 0, 44)];
        let drawn = "
      thread (1,0,0)                            thread (40,0,0)                   thread (2,0,0)
      (1) st.volatile.shared.u32  scan.cu:14    |                                 |
      |   nothing that synchronises             |                                 |
      |                                         |   bar.sync  <stdin>:45          |
      |                                         |   st.relaxed.gpu  <stdin>:46    |
      |                                         |                                 |   fence.acq_rel.gpu  <stdin>:44
      |                                         |                                 (2) ld.shared.u32  scan.cu:15
";
        let explained = FindingText::new(Path::new("-"), false).explaining(true);
        let explained = explained.of(&race, "warpsim check -");
        assert!(explained.contains(drawn), "{explained}");
    }

    #[test]
    fn colour_is_only_in_the_head_where_no_source_is_at_hand() {
        let coloured = FindingText::new(Path::new("scan.ptx"), true).of(&race(), "again");
        let (head, rest) = coloured.split_once(": ").unwrap();
        assert_eq!(head, "\x1b[1;31merror[race]\x1b[0m");
        assert!(!rest.contains('\x1b'), "{rest}");
    }
}
