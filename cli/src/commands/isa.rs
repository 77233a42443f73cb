//! `warpsim isa`: which forms of which instructions are supported, from the table that lowering
//! itself uses.

use serde::Serialize;
use warpsim::isa::{self, Action, Opcode};

use crate::args::{Format, IsaArgs};
use crate::failure::{Exit, Failure};
use crate::output::Output;
use crate::render::table;

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
            let text = serde_json::to_string(&document).map_err(std::io::Error::other)?;
            output.line(&text)?;
        }
        Format::Text => output.print(&text(opcodes))?,
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
        form.pattern.expand().into_iter().map(move |modifiers| Row {
            opcode: opcode.name,
            form: format!("{}{modifiers}", opcode.name),
            section: opcode.section,
            supported: reason.is_none(),
            reason,
        })
    })
}

fn text(opcodes: impl Iterator<Item = &'static Opcode>) -> String {
    let mut table = table(["instruction", "operands", "ISA", "what it does"]);
    let mut forms = 0;
    for opcode in opcodes {
        for form in opcode.forms {
            let what = match form.action {
                Action::Unsupported(reason) => format!("not supported: {reason}"),
                _ => opcode.summary.to_owned(),
            };
            forms += form.pattern.expand().len();
            let name = format!("{}{}", opcode.name, form.pattern.0);
            table.add_row([&name, opcode.operands, opcode.section, &what]);
        }
    }
    format!(
        "{}\n\n{forms} forms; braces hold what may be left out, parentheses a choice\n",
        table.trim_fmt()
    )
}
