//! Advice beside a line that is the whole body of a condition or a loop, without braces.
//!
//! A statement in front of such a line would become the body in its place. The advice was tried
//! with a statement that all threads reach, in front of the condition or the loop. So the advice
//! names that place, if the source is available.
//!
//! Which way it can be wrong: a header over several lines is recognised by its last line alone, and
//! a macro is not looked into.

use warpsim::passes::Side;
use warpsim::report::Finding;

use super::source::SourceFiles;

/// Lines above a statement in which its header is looked for.
const MOST_ABOVE: u32 = 8;

/// Has the advice of a finding name the line of the header.
pub(crate) fn advise_before_headers(finding: &mut Finding, sources: &SourceFiles) {
    let Some(remedy) = &mut finding.remedy else { return };
    for (position, side) in &mut remedy.source {
        if *side != Side::Before {
            continue;
        }
        let header = header_of(sources, &position.file, position.line);
        if header == position.line {
            continue;
        }
        if let Some(help) = &mut finding.help {
            *help = help.replace(
                &format!("before line {}", position.line),
                &format!("before line {header}"),
            );
        }
        position.line = header;
    }
}

/// The line of the outermost header whose whole body is this line; the line itself if there is
/// none.
fn header_of(sources: &SourceFiles, file: &str, line: u32) -> u32 {
    let mut outermost = line;
    for above in (line.saturating_sub(MOST_ABOVE)..line).rev() {
        match sources.line(file, above).as_deref().map(without_comment) {
            None | Some("") => {}
            Some(text) if is_header(text) => outermost = above,
            Some(_) => break,
        }
    }
    outermost
}

fn without_comment(text: &str) -> &str {
    text.split("//").next().unwrap_or(text).trim()
}

/// `if (...)`, `for (...)` or `while (...)` with nothing behind it.
fn is_header(text: &str) -> bool {
    let word = text.split(|c: char| !c.is_ascii_alphabetic()).next();
    let opens = matches!(word, Some("if" | "for" | "while"));
    let count = |sign: char| text.chars().filter(|c| *c == sign).count();
    opens && text.ends_with(')') && count('(') == count(')')
}

#[cfg(test)]
mod tests {
    use warpsim::report::{Remedy, SourcePosition, Synchronisation};

    use super::*;
    use crate::findings::samples::race;

    #[test]
    fn a_barrier_goes_in_front_of_the_condition_and_not_into_it() {
        let folder = tempfile::tempdir().unwrap();
        let text = "int a;\nfor (int k = 0; k < n; k++)\n    if (t == 0) // first\n\n        s = a;\n\
                    if (t) {\n    s = a;\n}\n";
        std::fs::write(folder.path().join("k.cu"), text).unwrap();
        let sources = SourceFiles::of(&folder.path().join("k.ptx"));
        for (line, header) in [(1, 1), (5, 2), (7, 7), (6, 6), (3, 2)] {
            let mut finding = race();
            let position = finding.sites[0].source.clone().unwrap();
            let position = SourcePosition { line, file: "k.cu".into(), ..position };
            finding.help = Some(format!("put it between (1) and (2), before line {line}"));
            let source = vec![(position, Side::Before)];
            finding.remedy = Some(Remedy::new(Synchronisation::Block, source, Vec::new()));
            advise_before_headers(&mut finding, &sources);
            let help = finding.help.unwrap();
            assert!(help.ends_with(&format!("before line {header}")), "{help}");
            assert_eq!(finding.remedy.unwrap().source[0].0.line, header);
        }
    }
}
