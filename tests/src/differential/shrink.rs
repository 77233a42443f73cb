//! A difference made small.
//!
//! Of a straight-line program, only the instruction whose result differs is kept, with its operands
//! as numbers in a buffer. If that alone does not differ, parts are taken out as long as the
//! program still differs. This is also done for structured programs. The rest is written as a
//! conformance file that expects the GPU's values.

use std::fmt::Write as _;
use std::time::{Duration, Instant};

use warpsim::host::{ImageText, Sampler};

use super::batch::{Batch, HEAD};
use super::program::{Family, Image, Program};
use super::straight::{Source, Straight};
use super::structured::Structured;

/// What a small program and its table left on both.
#[derive(Clone, Debug)]
pub struct Small {
    /// The program.
    pub program: Program,
    /// Its operands.
    pub table: Vec<u64>,
    /// What the simulator left.
    pub ours: Vec<u64>,
    /// What the GPU left.
    pub theirs: Vec<u64>,
}

/// Runs a program with a table on both devices; none where one of them could not.
pub type Both<'a> = dyn FnMut(&Batch, &[u64]) -> Option<(Vec<u64>, Vec<u64>)> + 'a;

/// Makes a program that differs small, for so long at most. None when it does not differ again.
pub fn small(
    program: &Program,
    table: &[u64],
    both: &mut Both<'_>,
    time: Duration,
) -> Option<Small> {
    let end = Instant::now() + time;
    let whole = differs(program, table, both)?;
    if let Program::Straight(straight) = program
        && let Some((program, table)) = alone(straight, table, &whole)
        && let Some(small) = differs(&program, &table, both)
    {
        return Some(few_lanes(small, both));
    }
    let mut best = few_threads(whole, both);
    let table = &best.table.clone()[..];
    let mut size = best.program.parts() / 2;
    while size > 0 {
        let mut start = 0;
        while start < best.program.parts() {
            if Instant::now() > end {
                return Some(best);
            }
            let parts = start..(start + size).min(best.program.parts());
            match differs(&best.program.without(parts), table, both) {
                // Another difference of the same program is another fault.
                Some(smaller) if first(&smaller) == first(&best) => best = smaller,
                Some(_) | None => start += size,
            }
        }
        size /= 2;
    }
    Some(best)
}

/// A structured program with as much of the table as it needs, and as few threads as still differ.
fn few_threads(whole: Small, both: &mut Both<'_>) -> Small {
    let Program::Structured(program) = &whole.program else { return whole };
    let table = |p: &Structured| {
        let cells = p.cells();
        whole.table[p.first..].iter().copied().take(cells).collect::<Vec<u64>>()
    };
    for (blocks, threads) in
        [(1, 32), (1, 64), (1, program.threads), (program.blocks, program.threads)]
    {
        if threads <= program.threads && (threads.is_multiple_of(32) || threads == program.threads)
        {
            let smaller = Structured { blocks, threads, ..program.clone() };
            let table = table(&smaller);
            let smaller = Program::Structured(Structured { first: 0, ..smaller });
            if let Some(small) = differs(&smaller, &table, both) {
                return small;
            }
        }
    }
    whole
}

/// What differs first, by its label. Sections of structured programs have other labels once they
/// are smaller.
fn first(small: &Small) -> Option<String> {
    match &small.program {
        Program::Straight(_) | Program::Structured(_) => return None,
        Program::Single(_) => {}
    }
    let mut at = 0;
    let sections = small.program.write("k").sections;
    let differing = sections.into_iter().find(|section| {
        let words = at..at + section.words;
        at = words.end;
        small.ours[words.clone()] != small.theirs[words]
    });
    differing.map(|section| section.label)
}

fn differs(program: &Program, table: &[u64], both: &mut Both<'_>) -> Option<Small> {
    let batch = Batch::of(vec![program.clone()]);
    let (ours, theirs) = both(&batch, table)?;
    let small = Small { program: program.clone(), table: table.to_vec(), ours, theirs };
    (small.ours != small.theirs).then_some(small)
}

/// The first step that differs, as a separate program: its operands in lists of 32.
fn alone(program: &Straight, table: &[u64], whole: &Small) -> Option<(Program, Vec<u64>)> {
    let written = program.write("p0");
    let threads = program.count();
    let section = (0..written.sections.len())
        .find(|s| row(&whole.ours, *s, threads) != row(&whole.theirs, *s, threads))?;
    let step_of =
        |section: usize| (0..program.steps.len()).rev().find(|s| program.section(*s) <= section);
    let number = step_of(section)?;
    let (ours, theirs) = (row(&whole.ours, section, threads), row(&whole.theirs, section, threads));
    let lanes: Vec<usize> = (0..threads).filter(|t| ours[*t] != theirs[*t]).take(32).collect();
    let mut step = program.steps[number].clone();
    let mut cells = Vec::new();
    let mut list = |value: &dyn Fn(usize) -> u64| {
        let at = cells.len();
        cells.extend((0..32).map(|i| value(lanes[i % lanes.len()])));
        Source::Cell(at)
    };
    let of_result =
        |of: usize, thread: usize| row(&whole.ours, program.section(of), threads)[thread];
    for source in &mut step.sources {
        *source = match source {
            Source::Cell(at) => {
                let at = *at;
                list(&|thread| table[at + thread])
            }
            Source::Result(of) => {
                let of = *of;
                list(&|thread| of_result(of, thread))
            }
            Source::Immediate(text) => Source::Immediate(text.clone()),
        };
    }
    if step.follows {
        // The carry that the step before left is in its own section only at a chain's end.
        return None;
    }
    let carry = step.carry;
    let Source::Cell(place) = list(&|thread| table[carry + thread]) else { return None };
    step.carry = place;
    let alone = Straight { blocks: 1, threads: 32, steps: vec![step] };
    Some((Program::Straight(alone), cells))
}

fn row(words: &[u64], section: usize, threads: usize) -> &[u64] {
    &words[section * threads..(section + 1) * threads]
}

/// A program of one step whose lanes all show a difference, if they do by themselves.
fn few_lanes(small: Small, both: &mut Both<'_>) -> Small {
    let differing: Vec<usize> = (0..32).filter(|i| small.ours[*i] != small.theirs[*i]).collect();
    let Some(first) = differing.first() else { return small };
    let pick = |i: usize| differing.get(i % differing.len()).unwrap_or(first);
    let table: Vec<u64> =
        (0..small.table.len()).map(|at| small.table[at / 32 * 32 + pick(at % 32)]).collect();
    differs(&small.program, &table, both).unwrap_or(small)
}

/// A small program as a conformance file.
pub fn conformance_file(small: &Small, family: Family, why: &str) -> String {
    let written = small.program.write("k");
    let list =
        |words: &[u64]| words.iter().map(|w| format!("{w:#x}")).collect::<Vec<_>>().join(" ");
    let mut text =
        format!("// Found by the differential search, family {}. {why}\n", family.name());
    let (grid, block, shared) = (written.launch.grid, written.launch.block, written.launch.shared);
    let _ = writeln!(text, "// RUN: kernel=k grid={} block={} shared={shared}", grid[0], block[0]);
    let used = match &small.program {
        Program::Straight(_) | Program::Single(_) => {
            small.table.len().min(super::operands::CELLS * 10)
        }
        Program::Structured(program) => {
            program.first + 29 * 8 + written.launch.block[0] as usize * 4
        }
    };
    let _ = writeln!(text, "// ARG: u64[] = {}", list(&small.table[..used.min(small.table.len())]));
    let _ = writeln!(text, "// ARG: u64[] = 0*{}", written.words());
    for Image { texels, sampler, bytes } in &written.images {
        let numbers = list(&texels.element().numbers(bytes).collect::<Vec<u64>>());
        let (kind, sampler) = match sampler {
            Some(sampler) => ("tex", *sampler),
            None => ("surf", Sampler::default()),
        };
        let image = ImageText { texels: texels.clone(), sampler };
        let _ = writeln!(text, "// ARG: {kind}:{image} = {numbers}");
    }
    let _ = writeln!(text, "// EXPECT: 1 u64 = {}", list(&small.theirs));
    let _ = writeln!(text, "// The simulator gave: {}", list(&small.ours));
    text + HEAD + &written.text
}

/// What differs, in a line: the instruction and the operands of a few lanes, if it is only one.
pub fn summary(small: &Small) -> String {
    let Program::Straight(program) = &small.program else {
        return format!("{} parts", small.program.parts());
    };
    let [step] = &program.steps[..] else { return format!("{} steps", program.steps.len()) };
    let written = small.program.write("k");
    let mnemonic = step.form.mnemonic();
    let line =
        written.text.lines().find(|l| l.trim_start().starts_with(mnemonic)).unwrap_or_default();
    let mut out = line.trim().to_owned();
    let lanes = (0..32).filter(|i| small.ours[*i] != small.theirs[*i]);
    for lane in lanes.take(3) {
        let operands: Vec<String> = step
            .sources
            .iter()
            .map(|source| match source {
                Source::Cell(at) => format!("{:x}", small.table[at + lane]),
                other => format!("{other:?}"),
            })
            .collect();
        let (ours, theirs) = (small.ours[lane], small.theirs[lane]);
        let _ = write!(out, " [{} -> {ours:x}, GPU {theirs:x}]", operands.join(" "));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::differential::operands;
    use crate::differential::run::simulated;
    use crate::differential::single::Single;

    /// A GPU that gives other results for each of two forms.
    fn with_faults(batch: &Batch, table: &[u64]) -> Option<(Vec<u64>, Vec<u64>)> {
        let ours = simulated(batch, table).ok()?;
        let (mut theirs, mut at) = (ours.clone(), 0);
        for section in batch.written.iter().flat_map(|written| &written.sections) {
            if section.label.starts_with("mov.") {
                theirs[at] ^= 1;
            }
            at += section.words;
        }
        Some((ours, theirs))
    }

    #[test]
    fn what_is_left_differs_where_the_whole_program_did_first() {
        let forms = ["activemask.b32", "mov.v2.b32", "mov.v4.b16", "activemask.b32"];
        for forms in [forms.to_vec(), forms.iter().rev().copied().collect()] {
            let program = Program::Single(Single::of(&forms, 1));
            let table = operands::table(1);
            let small = small(&program, &table, &mut with_faults, Duration::from_secs(60)).unwrap();
            assert_eq!(small.program.parts(), 1);
            let differing = forms.iter().find(|form| !form.starts_with("activemask"));
            assert_eq!(first(&small).as_deref(), differing.copied());
        }
    }
}
