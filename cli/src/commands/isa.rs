//! `warpsim isa`: the supported forms of each instruction, from the table that lowering itself
//! uses.

use serde::Serialize;
use warpsim::isa::{self, Action, Level, Need, Opcode};

use crate::args::{Format, IsaArgs};
use crate::failure::{Exit, Failure};
use crate::json;
use crate::output::{Output, Style};

/// Columns that patterns are broken at.
const WIDTH: usize = 90;

#[derive(Serialize)]
struct Document {
    schema: u32,
    forms: Vec<Row>,
}

#[derive(Serialize)]
struct Row {
    opcode: &'static str,
    form: String,
    section: &'static str,
    supported: bool,
    /// The lowest that the form needs without its optional parts. It is not known for a form that
    /// is not supported.
    #[serde(skip_serializing_if = "Option::is_none")]
    version: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    target: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<&'static str>,
}

pub(super) fn run(args: &IsaArgs, output: &mut Output) -> Result<Exit, Failure> {
    for name in &args.opcode {
        if isa::opcode(name).is_none() {
            return Err(Failure::usage_with_help(
                format!("the table has no opcode `{name}`"),
                "give the part before the first dot: `warpsim isa ld`",
            ));
        }
    }
    let chosen = |o: &&Opcode| args.opcode.is_empty() || args.opcode.iter().any(|n| n == o.name);
    let opcodes = isa::opcodes().filter(chosen);
    match args.format {
        Format::Json => {
            let document = Document { schema: 1, forms: opcodes.flat_map(rows).collect() };
            let text = json::to_string(&document)?;
            output.line(&text)?;
        }
        Format::Text => output.print(&text(opcodes, output.colour()))?,
    }
    Ok(Exit::CLEAN)
}

/// A row for each spelled-out form of an opcode.
fn rows(opcode: &'static Opcode) -> impl Iterator<Item = Row> {
    opcode.forms.iter().flat_map(move |form| {
        let reason = match form.action {
            Action::Unsupported(reason) => Some(reason),
            _ => None,
        };
        form.pattern.expand().into_iter().map(move |modifiers| {
            let level = reason.is_none().then(|| level(opcode, &modifiers));
            Row {
                opcode: opcode.name,
                form: format!("{}{modifiers}", opcode.name),
                section: opcode.section,
                supported: reason.is_none(),
                version: level.map(|l| format!("{}.{}", l.version.major, l.version.minor)),
                target: level.map(|l| format!("sm_{}", l.target)),
                reason,
            }
        })
    })
}

/// What a form needs without its parts in braces.
fn level(opcode: &Opcode, form: &str) -> Level {
    let mut required = String::new();
    for (index, piece) in form.split(['{', '}']).enumerate() {
        // Every other piece is in braces.
        if index % 2 == 0 {
            required += piece;
        }
    }
    opcode.level(&required.split('.').skip(1).collect::<Vec<_>>())
}

/// What an opcode's forms need, in a line; nothing when that is the least that there is.
fn needs(opcode: &Opcode) -> Option<String> {
    let need = |need: &Need| {
        let level = need.level.with_version_of_target();
        match need.modifiers.0 {
            "" => level.to_string(),
            modifiers => format!("with {modifiers} {level}"),
        }
    };
    let all: Vec<String> = opcode.needs.iter().map(need).collect();
    (!all.is_empty()).then(|| format!("needs {}", all.join(", ")))
}

/// An opcode in a line, and under it its forms as the ISA's syntax boxes write them.
fn text(opcodes: impl Iterator<Item = &'static Opcode>, colour: bool) -> String {
    let mut text = String::new();
    let mut forms = 0;
    for opcode in opcodes {
        let heading = format!("{} {}", opcode.name, opcode.operands);
        let heading = Style::Bold.paint(&heading, colour);
        text += &format!("{heading}   {} (ISA {})\n", opcode.summary, opcode.section);
        for form in opcode.forms {
            forms += form.pattern.expand().len();
            for (index, line) in wrapped(form.pattern.0).iter().enumerate() {
                text += &format!("    {}{line}\n", if index == 0 { "" } else { "  " });
            }
            if let Action::Unsupported(reason) = form.action {
                text += &format!("      not supported: {reason}\n");
            }
        }
        for (index, line) in needs(opcode).iter().flat_map(|line| wrapped(line)).enumerate() {
            text += &format!("    {}{line}\n", if index == 0 { "" } else { "  " });
        }
    }
    format!("{text}\n{forms} forms; braces hold optional parts, parentheses a choice\n")
}

/// A pattern in lines of at most about [`WIDTH`] columns, broken before `|`, `{` or `(`.
fn wrapped(pattern: &str) -> Vec<String> {
    let mut lines = vec![String::new()];
    let mut rest = pattern;
    while !rest.is_empty() {
        let end = rest.get(1..).and_then(|r| r.find(['|', '{', '('])).map_or(rest.len(), |i| i + 1);
        let (piece, after) = rest.split_at(end);
        match lines.last_mut() {
            Some(line) if line.len() + piece.len() <= WIDTH => line.push_str(piece),
            _ => lines.push(piece.to_owned()),
        }
        rest = after;
    }
    lines
}
