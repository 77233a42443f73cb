//! `warpsim diff`: PTX before and after passes, side by side, with the passes' reasons.

use std::collections::HashMap;
use std::fmt::Write;

use comfy_table::Table;
use warpsim::names;
use warpsim::passes::Remark;
use warpsim::ptx::{Block, Function, InstId, Module};

use crate::args::DiffArgs;
use crate::failure::{Exit, Failure};
use crate::input;
use crate::launch::rewritten;
use crate::output::{Output, Style};
use crate::render::side_by_side::{Line, Row, align, lines};
use crate::render::{Reasons, table};

/// Unchanged rows that are shown around changed ones.
const CONTEXT: usize = 3;

pub(super) fn run(args: &DiffArgs, output: &mut Output) -> Result<Exit, Failure> {
    let before = input::read(&args.file, &args.compiler, output)?;
    let (after, remarks) = rewritten(&before, &args.pass, output)?;
    let names: Vec<&str> = bodies(&before).map(|f| &*f.name.text).collect();
    let wanted = args.kernel.as_ref().map(|name| names::called(name, names.iter().copied()));
    let chosen = |f: &&Function| wanted.as_ref().is_none_or(|all| all.contains(&&*f.name.text));
    let functions: Vec<&Function> = bodies(&before).filter(chosen).collect();
    match (functions.is_empty(), &args.kernel) {
        (false, _) => {}
        (true, None) => return Err(Failure::usage("the module defines no function")),
        (true, Some(name)) => {
            return Err(Failure::usage(format!(
                "there is no function `{name}`; the module has {}",
                names::list(&names)
            )));
        }
    }
    let colour = output.colour();
    let columns = Columns { width: usize::from(args.width), colour };
    for function in functions {
        let partner = bodies(&after).find(|f| f.name.text == function.name.text);
        let Some((old, new)) = function.body.as_ref().zip(partner.and_then(|f| f.body.as_ref()))
        else {
            continue;
        };
        let name = names::readable(&function.name.text);
        let heading = format!("{name} after {}", args.pass.join(", "));
        output.line(&Style::Bold.paint(&heading, colour))?;
        let own: Vec<&Remark> =
            remarks.iter().filter(|r| r.function == function.name.text).collect();
        output.line(&format!("\n{}\n", counts(old, new).trim_fmt()))?;
        if own.is_empty() {
            output.line("nothing to change\n")?;
            continue;
        }
        let replaced = own.iter().filter_map(|r| Some((r.inst, r.replacement?))).collect();
        let rows = align(lines(old, &before.source), lines(new, &before.source), &replaced);
        let reasons = reasons(&own, &before);
        output.line(&columns.rows(&rows, &reasons))?;
    }
    Ok(Exit::CLEAN)
}

fn bodies(module: &Module) -> impl Iterator<Item = &Function> {
    module.functions().filter(|f| f.body.is_some())
}

/// The passes' words for each instruction.
fn reasons(remarks: &[&Remark], module: &Module) -> HashMap<InstId, Vec<String>> {
    let words = Reasons::new(module);
    let mut reasons: HashMap<InstId, Vec<String>> = HashMap::new();
    for remark in remarks {
        reasons.entry(remark.inst).or_default().push(words.of(remark));
    }
    reasons
}

/// Loads and stores by state space, before and after.
fn counts(before: &Block, after: &Block) -> Table {
    let mut table = table(["accesses in the text", "before", "after"]);
    let (before, after) = (accesses(before), accesses(after));
    let mut kinds: Vec<&String> = before.keys().chain(after.keys()).collect();
    kinds.sort();
    kinds.dedup();
    // Shared memory first: most diffs are read for it.
    kinds.sort_by_key(|kind| !kind.starts_with("shared"));
    for kind in kinds {
        let count = |m: &HashMap<String, usize>| m.get(kind).copied().unwrap_or(0).to_string();
        table.add_row([kind.clone(), count(&before), count(&after)]);
    }
    table
}

fn accesses(body: &Block) -> HashMap<String, usize> {
    let mut counts = HashMap::new();
    for instruction in body.instructions() {
        let what = match &*instruction.opcode.text {
            "ld" | "ldu" => "loads",
            "st" => "stores",
            _ => continue,
        };
        let words = instruction.modifiers.iter().map(|m| m.text.split("::").next());
        let spaces = ["shared", "global", "local", "const", "param"];
        let space = words.flatten().find(|m| spaces.contains(m)).unwrap_or("generic");
        *counts.entry(format!("{space} {what}")).or_insert(0) += 1;
    }
    counts
}

/// The two columns of the page.
struct Columns {
    width: usize,
    colour: bool,
}

impl Columns {
    fn rows(&self, rows: &[Row], reasons: &HashMap<InstId, Vec<String>>) -> String {
        let near = |index: usize| {
            let window = index.saturating_sub(CONTEXT)..(index + CONTEXT + 1).min(rows.len());
            rows[window].iter().any(|row| !row.is_same())
        };
        let mut text = String::new();
        let mut hidden = 0;
        for (index, row) in rows.iter().enumerate() {
            if !near(index) {
                hidden += 1;
                continue;
            }
            self.hidden(&mut text, &mut hidden);
            self.row(&mut text, row);
            let inst = row.before.as_ref().and_then(|line| line.inst);
            for reason in inst.and_then(|inst| reasons.get(&inst)).into_iter().flatten() {
                let reason = Style::Note.paint(&format!("= {reason}"), self.colour);
                let _ = writeln!(text, "       {reason}");
            }
        }
        self.hidden(&mut text, &mut hidden);
        text
    }

    fn hidden(&self, text: &mut String, count: &mut usize) {
        if *count > 0 {
            let note = format!("  ... {count} unchanged");
            let _ = writeln!(text, "{}", Style::Dim.paint(&note, self.colour));
        }
        *count = 0;
    }

    fn row(&self, text: &mut String, row: &Row) {
        let half = (self.width - 11) / 2;
        let (mark, style) = match (&row.before, &row.after) {
            _ if row.is_same() => (' ', None),
            (Some(_), Some(_)) => ('~', Some(Style::Bold)),
            (Some(_), None) => ('-', Some(Style::Error)),
            _ => ('+', Some(Style::Good)),
        };
        let number = row.before.as_ref().map(|l| l.number.to_string()).unwrap_or_default();
        let cell = |line: &Option<Line>| {
            let text = line.as_ref().map_or("", |l| l.text.as_str());
            let cut: String = text.chars().take(half).collect();
            format!("{cut:<half$}")
        };
        let line = format!("{number:>5} {mark} {} | {}", cell(&row.before), cell(&row.after));
        let line = line.trim_end();
        let line = style.map_or(line.to_owned(), |style| style.paint(line, self.colour));
        let _ = writeln!(text, "{line}");
    }
}
