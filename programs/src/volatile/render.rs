//! The story in words, for a terminal of 100 columns.

use std::fmt::Write as _;

use super::leftovers::H200;
use super::story::{Culprit, LaneRead, Round, Run, Story};
use crate::program::Colour;

impl Colour {
    fn paint(self, code: &str, text: &str) -> String {
        match self {
            Colour::Never => text.to_owned(),
            Colour::Ansi => format!("\x1b[{code}m{text}\x1b[0m"),
        }
    }

    fn heading(self, text: &str) -> String {
        self.paint("1", text)
    }

    fn good(self, text: &str) -> String {
        self.paint("1;32", text)
    }

    fn bad(self, text: &str) -> String {
        self.paint("1;31", text)
    }
}

/// The whole story; every line ends with a line break.
pub fn render(story: &Story, colour: Colour) -> String {
    let sections = [
        opening(story, colour),
        runs(story, colour),
        round(&story.round, colour),
        culprit(story, colour),
        leftovers(story, colour),
        closing(story, colour),
    ];
    sections.join("\n")
}

fn opening(story: &Story, colour: Colour) -> String {
    let mut out = colour.heading("One warp, 32 lanes, one prefix sum") + "\n\n";
    out += "Lane t owns data[t + 32]. In five rounds it adds the cells 1, 2, 4, 8 and 16 to the left of it;\n";
    out += "data[0..31] are zeros. There is no barrier between the rounds.\n\n";
    for (number, text) in &story.source {
        let _ = writeln!(out, "    {number:3} | {text}");
    }
    let _ = writeln!(out, "\n    input     {}", shortened(&story.input));
    let _ = writeln!(out, "    expected  {}", shortened(&story.expected));
    out
}

fn runs(story: &Story, colour: Colour) -> String {
    let mut out = colour.heading("Four runs of it") + "\n";
    for (index, run) in story.runs.iter().enumerate() {
        let verdict = if run.is_right { colour.good("right") } else { colour.bad("WRONG") };
        let (number, title) = (index + 1, run.title);
        let _ = writeln!(out, "\n {number}  {title:<20} {verdict}  {}", shortened(&run.output));
        let _ = writeln!(out, "    {}", run.note);
        let _ = writeln!(out, "    {}", how(run));
    }
    out
}

/// What one would have to ask for to see this run, and what it did.
fn how(run: &Run) -> String {
    let pass = run.pass.map(|pass| format!(" --pass {pass}")).unwrap_or_default();
    let schedule = match run.schedule {
        "in-order" => String::new(),
        other => format!(" --schedule {other}"),
    };
    let accesses = run.accesses;
    format!(
        "--kernel {}{pass}{schedule}: {} loads, {} stores of shared memory a thread",
        run.kernel, accesses.loads, accesses.stores
    )
}

fn round(round: &Round, colour: Colour) -> String {
    let heading = format!("Where run 2 goes wrong: round {}, lane by lane", round.number);
    let mut out = colour.heading(&heading) + "\n\n";
    let _ = writeln!(out, "    {:3} | {}\n", round.line, round.text);
    out += "                           what it read              its sum then\n";
    out += "    lane   reads          expected      got        expected      got\n";
    let mut skipped = false;
    for lane in &round.lanes {
        if !is_followed(lane, &round.lanes) {
            skipped = true;
            continue;
        }
        if std::mem::take(&mut skipped) {
            out += "     ...\n";
        }
        out += &lane_row(lane, colour);
    }
    let (wrong, all) = (round.lanes.iter().filter(|l| !l.is_right()).count(), round.lanes.len());
    let _ = writeln!(
        out,
        "\n    {wrong} of {all} lanes read a cell before the lane it belongs to has written it."
    );
    out
}

/// The first eight lanes and the last.
fn is_followed(lane: &LaneRead, all: &[LaneRead]) -> bool {
    lane.lane < 8 || all.last() == Some(lane)
}

fn lane_row(lane: &LaneRead, colour: Colour) -> String {
    let cell = format!("data[{}]", lane.cell);
    let LaneRead { lane: number, should_read, read, sum_should_be, sum, .. } = lane;
    let mark = if lane.is_right() { String::new() } else { format!("   {}", colour.bad("<-")) };
    format!("    {number:4}   {cell:<10}{should_read:13}{read:9}{sum_should_be:16}{sum:9}{mark}\n")
}

fn culprit(story: &Story, colour: Colour) -> String {
    let Culprit { line, text, ptx_line, instruction, reason, holder, reader, writer } =
        &story.culprit;
    let mut out = colour.heading("The line that did it") + "\n\n";
    let source = format!("{}:{line}", story.source_file);
    let ptx = format!("{}:{ptx_line}", story.ptx_file);
    let width = source.len().max(ptx.len());
    let _ = writeln!(out, "    {source:width$}   {text}");
    let _ = writeln!(out, "    {ptx:width$}   {instruction}\n");
    let missed = story.round.lanes.iter().find(|lane| lane.lane == *reader);
    let missed = missed.map_or_else(String::new, |lane| {
        let LaneRead { cell, should_read, read, .. } = lane;
        format!(
            "So when lane {reader} reads data[{cell}], lane {writer}'s {should_read} is only in its \
             {holder}, and the cell still holds {read}."
        )
    });
    let reason = format!("register-cache says: {reason}.");
    for line in wrapped(&reason, 92).iter().chain(&wrapped(&missed, 92)) {
        let _ = writeln!(out, "    {line}");
    }
    out
}

fn leftovers(story: &Story, colour: Colour) -> String {
    let mut out = colour.heading("What a GPU prints") + "\n\n";
    out += "    A GPU does not clear shared memory: a lane that reads too early gets what the last launch left.\n";
    out += "    Five launches in a row, the first as written, the others register-cached:\n\n";
    for (index, output) in story.leftovers.iter().enumerate() {
        let _ = writeln!(out, "    launch {}   {}", index + 1, shortened(output));
    }
    let same = H200.iter().zip(&story.leftovers).filter(|(gpu, ours)| gpu[..] == ours[..]).count();
    let _ = writeln!(
        out,
        "\n    {same} of {} rows are, to the last number, what an NVIDIA H200 printed when its driver compiled\n    \
         such a scan at optimisation levels 0 to 4.",
        H200.len()
    );
    out
}

fn closing(story: &Story, colour: Colour) -> String {
    let mut out = colour.heading("What it means, and where to look next") + "\n\n";
    out += "    A compiler may keep a shared value in a register until a barrier: run 2. `volatile` makes the\n";
    out += "    access happen, but does not order it: run 4. __syncwarp() between the rounds does both.\n\n";
    let file = format!("programs/src/volatile/{}", story.ptx_file);
    let _ = writeln!(out, "    warpsim diff {file} --kernel scan_plain --pass register-cache");
    let _ = writeln!(out, "    warpsim step {file} --kernel scan_plain \\");
    out += "        --arg 's32[32]=iota:1' --arg 's32[32]' --pass register-cache\n";
    out += "    warpsim programs show scan        # the form with __syncwarp() is in there\n";
    out
}

/// The first eight numbers and the last three.
fn shortened(numbers: &[i32]) -> String {
    let words: Vec<String> = numbers.iter().map(i32::to_string).collect();
    match words.as_slice() {
        [first @ .., a, b, c] if first.len() > 8 => {
            format!("{} ... {a} {b} {c}", first[..8].join(" "))
        }
        all => all.join(" "),
    }
}

/// The text in lines of at most this many characters.
fn wrapped(text: &str, width: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        match lines.last_mut() {
            Some(line) if line.len() + 1 + word.len() <= width => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}
