//! The pictures in the chapter on `volatile` are drawn from runs.
//!
//! Each is between `<!-- picture: NAME -->` and `<!-- end -->` and is compared with one drawn now.
//! `UPDATE_DOCS=1` draws them into the chapter anew.

use std::fmt::Write as _;

use warpsim::host::Stepper;
use warpsim::host::{Argument, Device, DeviceProfile, Launch, Simulator};
use warpsim::observe::{AccessKind, Step};
use warpsim::passes::{self, Rewritten};
use warpsim::ptx::{self, Space, Type};
use warpsim_programs::volatile::SCAN8;

const CHAPTER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/volatile.md");
const SOURCE: &str = include_str!("../../../programs/src/volatile/scan8.cu");

/// The threads whose way the pictures follow.
const FOLLOWED: [usize; 2] = [3, 7];

/// The first cell that a picture shows: no thread reads further to the left.
const FIRST_CELL: usize = 4;

/// One round of the scan.
#[derive(Debug)]
struct Round {
    line: u32,
    /// The 16 cells when the neighbours are read.
    memory: Vec<u64>,
    /// For each thread, the sum that is only in a register by then.
    register: Option<(String, Vec<u64>)>,
    /// For the followed threads: the cell read, what was there, the thread's own sum before and
    /// after.
    reads: Vec<(usize, u64, u64, u64)>,
}

/// What a run looked like: its rounds, and the cells at the end.
fn rounds(pass: Option<&str>) -> (Vec<Round>, Vec<u64>) {
    let module = ptx::parse(SCAN8.file, SCAN8.text).unwrap();
    let rewritten = match pass {
        Some(name) => passes::by_name(name).unwrap()(&module).unwrap(),
        None => Rewritten { module, remarks: Vec::new() },
    };
    let mut device = Simulator::new(DeviceProfile::h200());
    let module = device.load(&rewritten.module).unwrap();
    let input: Vec<u8> = (1..=8i32).flat_map(i32::to_le_bytes).collect();
    let (from, to) = (device.allocate(32).unwrap(), device.allocate(32).unwrap());
    device.upload(from, &input).unwrap();
    let arguments = [Argument::Pointer(from), Argument::Pointer(to)];
    let stepper = device.stepper(module, "scan8", &Launch::new(1, 8), &arguments).unwrap();
    let mut stepper = stepper.with_remarks(&rewritten.remarks);

    let mut rounds = Vec::new();
    let mut cells = Vec::new();
    while let Some(step) = stepper.step().cloned() {
        cells = stepper.shared(0, "cells", Type::S32).unwrap_or(cells);
        if reads_a_neighbour(&step) {
            rounds.push(round(&step, &cells, &stepper));
        }
        if step.name.starts_with("add") {
            add_up(rounds.last_mut(), &step);
        }
    }
    (rounds, cells)
}

/// Whether thread t reads another cell of shared memory than its own, t + 8.
fn reads_a_neighbour(step: &Step) -> bool {
    let cell = |touch: &warpsim::observe::Touch| touch.addresses[0] / 4;
    step.touches.iter().any(|touch| {
        (touch.space, touch.kind) == (Space::Shared, AccessKind::Read) && cell(touch) != 8
    })
}

fn round(step: &Step, cells: &[u64], stepper: &Stepper<'_>) -> Round {
    let pending = stepper.pending(0, 0);
    let register = pending.first().map(|pending| {
        let value = |lane| stepper.register(0, 0, lane, &pending.holder).unwrap().bits;
        (pending.holder.clone(), (0..8).map(value).collect())
    });
    let touch = &step.touches[0];
    let read =
        |lane: usize| ((touch.addresses[lane] / 4) as usize, step.writes[0].bits[lane], 0, 0);
    Round {
        line: step.source.as_ref().unwrap().line,
        memory: cells.to_vec(),
        register,
        reads: FOLLOWED.into_iter().map(read).collect(),
    }
}

/// Notes the sum before and after an addition that takes up what the round has read.
fn add_up(round: Option<&mut Round>, add: &Step) {
    let Some(round) = round.filter(|round| round.reads[0].3 == 0) else { return };
    if add.source.as_ref().unwrap().line != round.line || add.writes[0].ty == Type::B64 {
        return;
    }
    let [a, b] = add.reads.as_slice() else { return };
    for (read, thread) in round.reads.iter_mut().zip(FOLLOWED) {
        let both = [a.bits[thread], b.bits[thread]];
        assert!(both.contains(&read.1), "the addition takes up what was read");
        (read.2, read.3) = (both[0] + both[1] - read.1, add.writes[0].bits[thread]);
    }
}

/// The column of the last digit of a cell.
fn column(cell: usize) -> usize {
    14 + 5 * (cell - FIRST_CELL) + if cell >= 8 { 2 } else { 0 }
}

/// A row of cells, each at its column; `None` leaves one empty.
fn row(label: &str, cells: impl Iterator<Item = (usize, String)>) -> String {
    let mut line = label.to_owned();
    for (cell, text) in cells {
        if cell == 8 {
            line = format!("{line:width$}|", width = column(7) + 2);
        }
        let width = column(cell) + 1 - line.chars().count();
        let _ = write!(line, "{text:>width$}");
    }
    line + "\n"
}

fn memory_row(label: &str, memory: &[u64]) -> String {
    row(label, (FIRST_CELL..16).map(|cell| (cell, memory[cell].to_string())))
}

/// From the cell that was read to the cell of the thread, and the sum.
fn arrow(thread: usize, (cell, read, own, sum): (usize, u64, u64, u64)) -> String {
    let (from, to) = (column(cell), column(thread + 8));
    let shaft = "─".repeat(to - from - 1);
    format!("{:from$}└{shaft}▶ {read} + {own} = {sum}\n", "")
}

fn picture(pass: Option<&str>) -> String {
    let (rounds, end) = rounds(pass);
    let mut out = row("data", (FIRST_CELL..16).map(|cell| (cell, format!("[{cell}]"))));
    out += &row("thread", (8..16).map(|cell| (cell, format!("t{}", cell - 8))));
    for round in &rounds {
        let text = SOURCE.lines().nth(round.line as usize - 1).unwrap().trim();
        let _ = write!(out, "\nline {}: {text}\n\n", round.line);
        out += &memory_row("memory", &round.memory);
        if let Some((register, values)) = &round.register {
            let values = values.iter().enumerate().map(|(t, value)| (t + 8, value.to_string()));
            out += &row(&format!("  {register}"), values);
        }
        for (thread, read) in FOLLOWED.into_iter().zip(&round.reads) {
            out += &arrow(thread, *read);
        }
    }
    out + "\nat the end\n\n" + &memory_row("memory", &end)
}

#[test]
fn the_pictures_in_the_book_are_what_runs_look_like() {
    let chapter = std::fs::read_to_string(CHAPTER).unwrap();
    let mut drawn = chapter.clone();
    for (name, pass) in [("as-written", None), ("register-cached", Some("register-cache"))] {
        let mark = format!("<!-- picture: {name} -->\n```text\n");
        let (before, rest) = drawn.split_once(&mark).unwrap();
        let (_, after) = rest.split_once("```\n<!-- end -->").unwrap();
        drawn = format!("{before}{mark}{}```\n<!-- end -->{after}", picture(pass));
    }
    if std::env::var_os("UPDATE_DOCS").is_some() {
        std::fs::write(CHAPTER, drawn).unwrap();
    } else {
        assert!(drawn == chapter, "the pictures are out of date; drawn now:\n{drawn}");
    }
}

#[test]
fn the_run_in_the_picture_adds_up() {
    let (_, end) = rounds(None);
    assert_eq!(end[8..], [1, 3, 6, 10, 15, 21, 28, 36]);
    let (_, end) = rounds(Some("register-cache"));
    assert_eq!(end[8..], [1, 2, 3, 4, 5, 6, 7, 8]);
}
