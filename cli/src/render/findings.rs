//! Findings as people read them: what, where, every access with its thread and lines, and help.

use warpsim::report::{Finding, Severity, Site, SourcePosition};

use crate::output::Style;

/// A finding in some lines. `file` is the PTX file's name, `replay` the command that shows it
/// again.
pub(crate) fn finding(finding: &Finding, file: &str, replay: &str, colour: bool) -> String {
    let severity = match finding.severity {
        Severity::Error => Style::Error.paint(&format!("error[{}]", finding.code.name()), colour),
        Severity::Warning => format!("warning[{}]", finding.code.name()),
        Severity::Note => Style::Note.paint(&format!("note[{}]", finding.code.name()), colour),
    };
    let mut text = format!("{severity}: {}\n", finding.explanation);
    let several = finding.sites.len() > 1;
    for (position, site) in finding.sites.iter().enumerate() {
        let number = finding.sites.len() - position;
        let head = if several { format!("({number}) ") } else { String::new() };
        text += &format!("  {head}{}\n", self::site(site, file));
    }
    if finding.count > 1 {
        text += &format!("  = it happened {} times\n", finding.count);
    }
    if let Some(help) = &finding.help {
        text += &format!("  = help: {help}\n");
    }
    text += &format!("  = replay: {replay}\n");
    text
}

/// One access: what, who, and on which lines.
fn site(site: &Site, file: &str) -> String {
    let [x, y, z] = site.thread;
    let [bx, by, bz] = site.block;
    let source = site.source.as_ref().map(|s| format!("{}  ", position(s))).unwrap_or_default();
    format!(
        "{}   thread ({x},{y},{z}) of block ({bx},{by},{bz})  warp {} lane {}   {source}{}:{}",
        site.operation,
        site.warp,
        site.lane,
        short(file),
        site.ptx_line
    )
}

/// `scan.cu:15`, with the calls it was inlined into.
pub(crate) fn position(position: &SourcePosition) -> String {
    let mut text = format!("{}:{}", short(&position.file), position.line);
    for call in &position.inlined_at {
        text += &format!(" (inlined at {}:{})", short(&call.file), call.line);
    }
    text
}

/// A file's name without its folders.
fn short(file: &str) -> &str {
    file.rsplit(['/', '\\']).next().unwrap_or(file)
}
