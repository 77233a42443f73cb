//! Every kernel that compilers made of the corpus' sources lowers, and the result is consistent.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use proptest::prelude::*;

use super::super::*;
use crate::ptx::{Module, parse};

/// The corpus of this repository, or a larger one of the same layout.
fn corpus() -> PathBuf {
    let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/corpus");
    std::env::var_os("WARPSIM_CORPUS").map_or(own, PathBuf::from)
}

fn modules() -> Vec<(String, Module)> {
    let mut out = Vec::new();
    for variant in fs::read_dir(corpus()).unwrap().map(|e| e.unwrap().path()) {
        let Ok(files) = fs::read_dir(&variant) else { continue };
        for file in files.map(|e| e.unwrap().path()) {
            if file.extension().is_some_and(|e| e == "ptx") {
                let name = file.strip_prefix(corpus()).unwrap().display().to_string();
                let module = parse(&name, &fs::read_to_string(&file).unwrap()).unwrap();
                out.push((name, module));
            }
        }
    }
    out.sort_by(|a, b| a.0.cmp(&b.0));
    assert!(out.len() > 50, "the corpus is there");
    out
}

/// Lowers a kernel, each global variable at its own address.
fn lowered(module: &Module, kernel: &str) -> Result<Program, LowerError> {
    let layout = place(module)?;
    let mut next = window::GLOBAL;
    let placement = layout.placement(|v| {
        let address = next.next_multiple_of(v.align);
        next = address + v.size;
        Ok::<u64, LowerError>(address)
    })?;
    for variable in &layout.variables {
        variable.bytes(&placement)?;
    }
    lower(module, kernel, &placement)
}

/// Kernels of the corpus that call functions of the CUDA runtime.
const REFUSED: &[(&str, &str)] = &[];

#[test]
fn all_kernels_of_the_corpus_lower() {
    let mut wrong = Vec::new();
    for (name, module) in modules() {
        for kernel in kernels(&module) {
            if let Err(error) = lowered(&module, kernel) {
                let known = REFUSED.iter().any(|(file, what)| {
                    name.contains(file)
                        && error.to_string().contains(what)
                        && error.is_unsupported()
                });
                if !known {
                    wrong.push(format!("{name} {kernel}: {error}"));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The invariants that the machine relies on.
fn consistent(program: &Program) {
    assert_eq!(program.operations.len(), program.places.len());
    for function in &program.functions {
        let range = function.entry..function.end;
        let at = |pc: Pc| &program.operations[pc as usize];
        let begins_block = |pc: Pc| range.contains(&pc) && at(pc).leader;
        assert!(begins_block(function.entry));
        for pc in range.clone() {
            let operation = at(pc);
            match &operation.kind {
                Kind::Branch { target, reconverge } => {
                    assert!(begins_block(*target), "{function:?} {pc}");
                    assert!(*reconverge == EXIT || begins_block(*reconverge));
                }
                Kind::Call(call) => {
                    if let Callee::Direct(callee) = call.callee {
                        let callee = &program.functions[callee];
                        assert_eq!(call.arguments.len(), callee.params.len());
                        assert_eq!(call.results.len(), callee.returns.len());
                    }
                }
                Kind::Lanes(lanes) => {
                    let o = lanes.operands();
                    assert!(!o.d.is_constant() && !o.d2.is_constant());
                }
                _ => {}
            }
            let place = &program.places[pc as usize];
            let names = place.reads().iter().chain(place.writes());
            assert!(names.into_iter().all(|r| (*r as usize) < function.registers.len()));
            if operation.part {
                assert_eq!(place.instruction, program.places[pc as usize + 1].instruction);
                assert!(!at(pc + 1).leader);
            }
            assert!(operation.leader || operation.rank == at(pc - 1).rank);
        }
        let last = at(function.end - 1);
        assert!(last.guard.is_none());
        assert!(matches!(last.kind, Kind::Return | Kind::Exit | Kind::Branch { .. } | Kind::Trap));
        for register in &function.registers {
            let bank = match register.ty.bytes() {
                None => function.slots.predicates,
                Some(8) => function.slots.w64,
                Some(_) => function.slots.w32,
            };
            assert!(register.slot.index() < bank);
        }
    }
}

#[test]
fn what_the_kernels_of_the_corpus_are_lowered_to_is_consistent() {
    let mut seen = 0;
    for (_, module) in modules() {
        for kernel in kernels(&module) {
            if let Ok(program) = lowered(&module, kernel) {
                consistent(&program);
                seen += 1;
            }
        }
    }
    assert!(seen > 200, "{seen} kernels");
}

#[test]
fn the_scan_of_32_has_the_shared_accesses_of_its_source() {
    // The hand-written naive scan: 11 loads from shared memory and 7 stores.
    for (name, module) in modules() {
        if !name.ends_with("nvrtc13-sm80-G/k02_scan_volatile.ptx") {
            continue;
        }
        let program = lowered(&module, kernels(&module)[0]).unwrap();
        let names = || program.operations.iter().zip(&program.places).filter(|(o, _)| !o.part);
        let count = |opcode: &str| names().filter(|(_, p)| p.name.starts_with(opcode)).count();
        assert_eq!((count("ld.volatile"), count("st.volatile")), (11, 7));
        assert!(program.places.iter().any(|p| p.source.is_some()));
        return;
    }
    panic!("the scan is there");
}

/// Small modules of the corpus, cut into words and the text between them.
static WORDS: LazyLock<Vec<Vec<String>>> = LazyLock::new(|| {
    let texts = modules().into_iter().map(|(_, m)| m.source.text().to_owned());
    let small = texts.filter(|t| t.len() < 20_000);
    small
        .map(|t| {
            let is_word = |c: char| c.is_ascii_alphanumeric() || "_$%".contains(c);
            let mut words: Vec<String> = Vec::new();
            for c in t.chars() {
                match words.last_mut() {
                    Some(w) if w.ends_with(is_word) && is_word(c) => w.push(c),
                    _ => words.push(c.into()),
                }
            }
            words
        })
        .collect()
});

proptest! {
    /// A damaged program is an error, or still a consistent program.
    #[test]
    fn a_damaged_program_is_refused_or_consistent(
        which in any::<prop::sample::Index>(),
        swaps in prop::collection::vec(any::<[prop::sample::Index; 2]>(), 1..4),
    ) {
        let mut words = which.get(&WORDS).clone();
        for [a, b] in swaps {
            let (a, b) = (a.index(words.len()), b.index(words.len()));
            words.swap(a, b);
        }
        if let Ok(module) = parse("damaged.ptx", &words.concat()) {
            for kernel in kernels(&module) {
                if let Ok(program) = lowered(&module, kernel) {
                    consistent(&program);
                }
            }
        }
    }
}
