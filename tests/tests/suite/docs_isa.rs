//! The page of the book on instructions matches the instruction table.
//!
//! It is compared with one made now; `UPDATE_DOCS=1` writes it anew. What the book promises of
//! forms that are left out, each with its section and the reason, is held to the table here too.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use warpsim::isa::{self, Action, Opcode};

const PAGE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/isa.md");

const HEAD: &str = "\
# Instructions

<!-- Made from the instruction table by the test `docs_isa`; UPDATE_DOCS=1 writes it anew. -->

What warpsim makes of each instruction of PTX ISA 9.0, section by section. A *form* is an
instruction with its types and its other required modifiers spelled out; `warpsim isa` lists each
with what it needs. A program with a form that is left out is refused with its line, before the
kernel starts, and the command exits with 3.
";

/// The chapters of the ISA's section 9.7.
const CHAPTERS: [(u32, &str); 19] = [
    (1, "Integer arithmetic"),
    (2, "Integers of extended precision"),
    (3, "Floating point"),
    (4, "Half precision"),
    (5, "Mixed precision"),
    (6, "Comparison and selection"),
    (7, "Comparison of halves"),
    (8, "Logic and shifts"),
    (9, "Data movement and conversion"),
    (10, "Textures"),
    (11, "Surfaces"),
    (12, "Control flow"),
    (13, "Synchronisation and communication"),
    (14, "Matrices of a warp"),
    (15, "Matrices of a warp group"),
    (16, "Tensor memory"),
    (17, "The stack"),
    (18, "Video"),
    (19, "Miscellaneous"),
];

/// `9.7.13.5` as numbers, for sorting.
fn place(section: &str) -> Vec<u32> {
    section.split('.').map(|n| n.parse().unwrap()).collect()
}

/// How many forms run, and how many there are.
#[derive(Clone, Copy, Default)]
struct Count {
    runs: usize,
    all: usize,
}

impl Count {
    fn add(&mut self, other: Count) {
        self.runs += other.runs;
        self.all += other.all;
    }

    fn of(opcode: &Opcode) -> Count {
        let mut count = Count::default();
        for form in opcode.forms {
            let forms = form.pattern.expand().len();
            let refused = matches!(form.action, Action::Unsupported(_));
            count.add(Count { runs: if refused { 0 } else { forms }, all: forms });
        }
        count
    }
}

/// The reasons why forms are left out, each with the patterns.
fn left_out(opcode: &Opcode) -> BTreeMap<&'static str, Vec<String>> {
    let mut reasons: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for form in opcode.forms {
        if let Action::Unsupported(reason) = form.action {
            let text = format!("{}{}", opcode.name, form.pattern.0);
            reasons.entry(reason).or_default().push(text);
        }
    }
    reasons
}

/// A cell of a table: bars would end it.
fn cell(text: &str) -> String {
    text.replace('|', "\\|")
}

fn page() -> String {
    let mut opcodes: Vec<&Opcode> = isa::opcodes().collect();
    opcodes.sort_by_key(|opcode| place(opcode.section));
    let (mut all, mut chapters) = (Count::default(), String::new());
    let mut overview =
        String::from("| chapter | instructions | forms that run | forms |\n|---|---|---|---|\n");
    let mut refused = String::from("| section | left out | why |\n|---|---|---|\n");
    for (number, title) in CHAPTERS {
        let here = opcodes.iter().filter(|opcode| place(opcode.section)[2] == number);
        let here: Vec<&&Opcode> = here.collect();
        let mut count = Count::default();
        let _ = writeln!(chapters, "\n## 9.7.{number} {title}\n");
        chapters.push_str("| section | instruction | what it does | forms that run | forms |\n|---|---|---|---|---|\n");
        for opcode in &here {
            let forms = Count::of(opcode);
            count.add(forms);
            let Count { runs, all } = forms;
            let _ = writeln!(
                chapters,
                "| {} | `{}` | {} | {runs} | {all} |",
                opcode.section,
                opcode.name,
                cell(opcode.summary)
            );
            for (reason, patterns) in left_out(opcode) {
                let patterns: Vec<String> =
                    patterns.iter().map(|text| format!("`{}`", cell(text))).collect();
                let patterns = patterns.join(", ");
                let _ = writeln!(refused, "| {} | {patterns} | {} |", opcode.section, cell(reason));
            }
        }
        let _ = writeln!(
            overview,
            "| 9.7.{number} {title} | {} | {} | {} |",
            here.len(),
            count.runs,
            count.all
        );
        all.add(count);
    }
    let total = format!("| all | {} | {} | {} |\n", opcodes.len(), all.runs, all.all);
    format!(
        "{HEAD}\n{overview}{total}\n## Left out\n\nIn a pattern, braces hold what may be absent, parentheses a choice, and `*` stands for \
         anything that\nfollows.\n\n{refused}{chapters}"
    )
}

#[test]
fn the_page_of_instructions_is_that_of_the_table() {
    let (made, found) = (page(), std::fs::read_to_string(PAGE).unwrap_or_default());
    if std::env::var_os("UPDATE_DOCS").is_some() && made != found {
        std::fs::write(PAGE, &made).unwrap();
        return;
    }
    assert!(made == found, "docs/isa.md is not that of the table; UPDATE_DOCS=1 writes it anew");
}

#[test]
fn every_section_is_one_of_the_chapters_and_every_refusal_has_a_reason() {
    for opcode in isa::opcodes() {
        let place = place(opcode.section);
        assert_eq!(place[..2], [9, 7], "{}", opcode.name);
        assert!(CHAPTERS.iter().any(|(number, _)| *number == place[2]), "{}", opcode.name);
        assert!(left_out(opcode).keys().all(|reason| reason.len() > 8), "{}", opcode.name);
    }
}

/// Whole families that are left out name their section where somebody meets them.
#[test]
fn families_that_are_left_out_are_refused_with_their_section() {
    for (text, section) in [
        ("wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16", "9.7.15"),
        ("tcgen05.alloc.cta_group::1.sync.aligned.b32", "9.7.16"),
        ("multimem.ld_reduce.add.u32", "9.7.9.14"),
        ("tensormap.replace.tile.rank.b1024.b32", "9.7.9.26"),
    ] {
        let mut names = text.split('.');
        let opcode = names.next().unwrap();
        let modifiers: Vec<&str> = names.collect();
        let found = isa::lookup(opcode, &modifiers).unwrap();
        let Action::Unsupported(reason) = found.form.action else { panic!("{text} runs") };
        assert_eq!(found.opcode.section, section, "{text}");
        assert!(reason.contains(section), "{text}: {reason}");
    }
}
