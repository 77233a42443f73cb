//! Findings as other tools read them: a file for each format.
//!
//! | module | format |
//! |---|---|
//! | `sarif` | SARIF 2.1.0, which code hosts show beside the lines |
//! | `junit` | JUnit's XML, which CI systems list as tests |
//! | `github` | workflow commands, which GitHub shows as annotations |
//!
//! A format says nothing that the text does not say. This module must not know what ran, or how.

mod github;
mod junit;
mod sarif;

use std::io::Write;
use std::path::{Path, PathBuf};

use warpsim::report::{Finding, Severity, Site};

use crate::failure::Failure;
use crate::json;

/// A finding, and where its PTX came from.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reported<'a> {
    pub(crate) finding: &'a Finding,
    /// The file, or the name, of the module.
    pub(crate) module: &'a str,
    /// The file and the line of the host's code that it is about, where it is no access of a
    /// kernel.
    pub(crate) called: Option<(&'a str, u32)>,
    /// In which kernel, and of how many launches.
    pub(crate) place: &'a str,
    /// The command that shows it again.
    pub(crate) replay: &'a str,
}

impl<'a> Reported<'a> {
    /// The file and the line that it is about: where the last access is, or the host's call.
    fn position(&self) -> Option<(&'a str, u32)> {
        let access = self.finding.sites.first().map(|site| position(site, self.module));
        access.or(self.called)
    }

    /// All that there is to say beside the place and the kind.
    fn text(&self) -> String {
        let Reported { finding, place, .. } = self;
        let mut text = format!("{} ({place})", finding.explanation);
        for line in finding.sites.iter().map(in_words).chain(finding.notes.iter().cloned()) {
            text += &format!("\n{line}");
        }
        if let Some(help) = &finding.help {
            text += &format!("\nhelp: {help}");
        }
        text
    }
}

/// What a command found.
#[derive(Debug)]
pub(crate) struct Report<'a> {
    /// What was checked: the kernel with its shape, or the program.
    pub(crate) subject: &'a str,
    pub(crate) findings: Vec<Reported<'a>>,
    /// The severity from which a finding counts for the exit code.
    pub(crate) level: Severity,
    /// Why not all of it was checked, where something was cut short.
    pub(crate) incomplete: Vec<String>,
}

/// Whether a file should hold a page for a browser.
pub(crate) fn is_page(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending == "html" || ending == "htm")
}

/// A format that is not the command's own JSON.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ForeignFormat {
    Sarif,
    Junit,
    Github,
}

impl ForeignFormat {
    /// The format that the ending of a file's name says: `.sarif`, `.xml`; `None` for our own JSON.
    pub(crate) fn of_file(path: &Path) -> Option<ForeignFormat> {
        match path.extension()?.to_str()? {
            "sarif" => Some(ForeignFormat::Sarif),
            "xml" => Some(ForeignFormat::Junit),
            // All other endings are the user's own.
            _ => None,
        }
    }

    /// Writes a report.
    ///
    /// # Errors
    /// It cannot be written.
    pub(crate) fn write(self, report: &Report<'_>, to: &mut dyn Write) -> Result<(), Failure> {
        // Where there is none, paths stay absolute.
        let here = std::env::current_dir().ok();
        let here = here.as_deref();
        match self {
            ForeignFormat::Sarif => {
                json::to_writer_pretty(&mut *to, &sarif::document(report, here))?;
                writeln!(to)?;
            }
            ForeignFormat::Junit => junit::write(report, here, to)?,
            ForeignFormat::Github => to.write_all(github::lines(report, here).as_bytes())?,
        }
        Ok(())
    }
}

/// The line of an access: of the source where the module has lines, else of the PTX. Where a header
/// of a library was inlined, it is the user's line.
fn position<'a>(site: &'a Site, module: &'a str) -> (&'a str, u32) {
    match &site.source {
        Some(source) => {
            let own = source.seen().own;
            (&*own.file, own.line)
        }
        None => (site.ptx_file.as_deref().unwrap_or(module), site.ptx_line),
    }
}

fn in_words(site: &Site) -> String {
    format!("{} by {}", site.operation, thread(site))
}

fn thread(site: &Site) -> String {
    let triple = |[x, y, z]: [u32; 3]| format!("({x},{y},{z})");
    format!("thread {} of block {}", triple(site.thread), triple(site.block))
}

/// A path below a folder as it is from there; another as it is.
fn relative(file: &str, here: Option<&Path>) -> PathBuf {
    let path = PathBuf::from(file);
    let below = here.and_then(|here| path.strip_prefix(here).ok()).map(Path::to_owned);
    below.unwrap_or(path)
}

/// A finding of a kernel, for tests of the formats.
#[cfg(test)]
fn sample(finding: &Finding) -> Reported<'_> {
    Reported {
        finding,
        module: "scan.ptx",
        called: None,
        place: "kernel scan",
        replay: "warpsim check scan.ptx",
    }
}
