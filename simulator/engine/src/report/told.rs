//! A finding as text for people, without colours and without the lines of the source.

use std::fmt;

use super::{Code, Finding, Site};
use crate::ptx::Space;

/// A finding in words: made by [`Finding::told`].
#[derive(Clone, Copy, Debug)]
pub struct Told<'a> {
    finding: &'a Finding,
    file: &'a str,
}

impl Finding {
    /// The finding in words, for a failing test: the error, the threads and their lines, and the
    /// advice. Lines of the PTX are lines of this file.
    pub fn told<'a>(&'a self, file: &'a str) -> Told<'a> {
        Told { finding: self, file }
    }

    /// The block of all its threads, if the explanation names it: for shared memory, and for
    /// threads that wait for each other.
    pub fn block_in_words(&self) -> Option<[u32; 3]> {
        let is_said = match self.code {
            code if code.is_conflict() => self.space == Some(Space::Shared),
            Code::Deadlock | Code::Livelock => true,
            _ => false,
        };
        let block = self.sites.first().filter(|_| is_said)?.block;
        self.sites.iter().all(|site| site.block == block).then_some(block)
    }
}

impl fmt::Display for Told<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Told { finding, file } = *self;
        write!(f, "{}[{}]: {}", finding.severity, finding.code, finding.explanation)?;
        let is_pair = finding.code.is_conflict();
        for (index, site) in finding.sites.iter().enumerate() {
            let when = match (is_pair, index) {
                (true, 0) => "  <- just now",
                (true, _) => "  <- earlier",
                _ => "",
            };
            // Notes and help use these numbers; the latest has the highest.
            let number = match finding.sites.len() {
                1 => String::new(),
                total => format!("({}) ", total - index),
            };
            write!(f, "\n  {number}{}{when}", place(site, file))?;
        }
        for note in &finding.notes {
            write!(f, "\n  = {note}")?;
        }
        if finding.count > 1 {
            write!(f, "\n  = it happened {} times; this is the first", finding.count)?;
        }
        match &finding.help {
            Some(help) => write!(f, "\n  = help: {help}"),
            None => Ok(()),
        }
    }
}

/// `ld.shared.u32 by thread (0,0,0) of block (0,0,0) (warp 0, lane 0) at k.ptx:9`.
fn place(site: &Site, file: &str) -> String {
    let ([x, y, z], [bx, by, bz]) = (site.thread, site.block);
    let (operation, warp, lane) = (&site.operation, site.warp, site.lane);
    let file = short(site.ptx_file.as_deref().unwrap_or(file));
    let source = site.source.as_ref();
    let own = source.map(|source| source.seen().own);
    let source = own.map(|own| format!("{}:{}, ", short(&own.file), own.line));
    let source = source.unwrap_or_default();
    format!(
        "{operation} by thread ({x},{y},{z}) of block ({bx},{by},{bz}), warp {warp} lane {lane}, \
         at {source}{file}:{}",
        site.ptx_line
    )
}

/// A file's name without its folders.
fn short(file: &str) -> &str {
    file.rsplit(['/', '\\']).next().unwrap_or(file)
}
