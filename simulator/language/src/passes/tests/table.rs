//! The pass on real compilers' scans, against `nvcc -O3` on the same source.
//!
//! The expected counts come from the optimised PTX and SASS of these kernels: a plain scan of 32
//! needs 5 shared loads and 2 shared stores, and `volatile` keeps all that are written. Where a
//! kernel also loads its input and stores its output, the counts here are one higher each.

use std::collections::HashSet;

use super::{accesses, instructions, module, register_cache};
use crate::passes::Change;
use crate::ptx::{Function, InstId, Module, parse, print};

fn file(path: &str) -> Module {
    let path = format!("{}/../../tests/{path}", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
    parse(&path, &text).unwrap_or_else(|error| panic!("{error}"))
}

/// Checks the loads and stores of a function before and after the pass.
fn expect(path: &str, function: &str, before: (usize, usize), after: (usize, usize)) {
    let module = file(path);
    assert_eq!(accesses(&module, function), before, "{path} {function} before");
    let cached = register_cache(&module).module;
    assert_eq!(accesses(&cached, function), after, "{path} {function} after");
}

#[test]
fn the_plain_scan_keeps_five_loads_and_two_stores() {
    expect("hardware/scan_naive.ptx", "scan", (12, 8), (6, 3));
    expect("corpus/nvrtc13-sm80-G/k01_scan_plain.ptx", "scan_plain", (12, 8), (6, 3));
    expect("corpus/nvrtc13-sm80-naive/k01_scan_plain.ptx", "scan_plain", (12, 8), (6, 3));
    expect("corpus/nvrtc13-sm80-O3/k01_scan_plain.ptx", "scan_plain", (6, 3), (6, 3));
}

#[test]
fn so_does_a_scan_behind_a_call() {
    expect("corpus/nvrtc13-sm80-G/h200_kernels.ptx", "_Z5scanAPii", (11, 7), (5, 2));
    expect("corpus/nvrtc13-sm80-G/h200_kernels.ptx", "kA", (1, 1), (1, 1));
}

#[test]
fn so_does_one_whose_compiler_had_forwarded_its_own_stores() {
    expect("corpus/nvrtc13-sm80-ofcmin/k01_scan_plain.ptx", "scan_plain", (6, 8), (6, 3));
    expect("corpus/nvrtc13-sm80-ofcmin/h200_kernels.ptx", "kA", (6, 8), (6, 3));
    expect("corpus/nvrtc13-sm80-naive/h200_kernels.ptx", "_Z5scanAPii", (5, 7), (5, 2));
}

#[test]
fn a_volatile_scan_keeps_everything() {
    for form in ["nvrtc13-sm80-G", "nvrtc13-sm80-naive", "nvrtc13-sm80-O3", "clang19-sm70-O3"] {
        let path = format!("corpus/{form}/k02_scan_volatile.ptx");
        expect(&path, "scan_volatile", (12, 8), (12, 8));
        let path = format!("corpus/{form}/k03_scan_volatile_acc.ptx");
        let accumulating = accesses(&file(&path), "scan_volatile_acc");
        assert_eq!(accumulating.0, 6, "{path}");
        expect(&path, "scan_volatile_acc", accumulating, accumulating);
    }
    expect("corpus/nvrtc13-sm80-G/h200_kernels.ptx", "_Z5scanBPVii", (11, 7), (11, 7));
    expect("corpus/nvrtc13-sm80-G/h200_kernels.ptx", "_Z5scanCPVii", (5, 6), (5, 6));
}

#[test]
fn the_order_that_hardware_showed_is_kept() {
    let module = file("hardware/scan_naive.ptx");
    let cached = register_cache(&module).module;
    let order: Vec<String> = instructions(&cached, "scan")
        .iter()
        .filter(|inst| matches!(&*inst.opcode.text, "ld" | "st" | "ret"))
        .filter(|inst| !inst.modifiers.iter().any(|word| &*word.text == "param"))
        .map(|inst| module.source.slice(inst.span).to_string())
        .collect();
    assert_eq!(
        order,
        [
            "ld.global.u32 %r4,[%rd1];",
            "st.shared.u32 [%r2],%r5;",
            "ld.shared.u32 %r7,[%r2+124];",
            "ld.shared.u32 %r7,[%r2+120];",
            "ld.shared.u32 %r7,[%r2+112];",
            "ld.shared.u32 %r7,[%r2+96];",
            "ld.shared.u32 %r7,[%r2+64];",
            "st.global.u32 [%rd2],%r6;",
            "st.shared.u32 [%r2+128],%r6;",
            "ret;",
        ]
    );
}

/// The scan with other names, another base of its array's offsets and the array deeper in.
fn renamed(text: &str) -> String {
    let mut new = text.replace("%rd", "%wide_").replace("%r", "%x$");
    for offset in [128, 124, 120, 112, 96, 64] {
        new = new.replace(&format!("+{offset}]"), &format!("+{}]", offset - 4000));
    }
    new.replace(" s[256]", " other_name[256]")
        .replace("%x$2,s;", "%x$2,other_name+4000;")
        .replace("[%x$2],", "[%x$2+-4000],")
        .replace("scan(", "another(")
        .replace("ret;", "goto: ret;")
}

#[test]
fn renaming_everything_changes_nothing() {
    let text = file("hardware/scan_naive.ptx").source.text().to_string();
    let text = renamed(&text);
    assert!(!text.contains("%r2"), "{text}");
    let other = module(&text);
    assert_eq!(accesses(&other, "another"), (12, 8));
    assert_eq!(accesses(&register_cache(&other).module, "another"), (6, 3));
}

/// Every file of the corpus.
fn corpus() -> Vec<Module> {
    let root = format!("{}/../../tests/corpus", env!("CARGO_MANIFEST_DIR"));
    let folders = std::fs::read_dir(root).into_iter().flatten().flatten();
    let files = folders.flat_map(|folder| std::fs::read_dir(folder.path()).into_iter().flatten());
    let mut paths: Vec<_> = files.flatten().map(|file| file.path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "ptx"));
    paths.sort();
    assert!(paths.len() > 50, "the corpus is there");
    let texts = paths.iter().map(|path| (path, std::fs::read_to_string(path).unwrap_or_default()));
    texts
        .map(|(path, text)| {
            parse(&path.to_string_lossy(), &text).unwrap_or_else(|error| panic!("{error}"))
        })
        .collect()
}

#[test]
fn a_second_pass_finds_nothing_to_do_and_the_text_is_a_module() {
    for module in corpus() {
        let name = module.source.name();
        let once = register_cache(&module).module;
        let text = print(&once);
        let read = parse(name, &text).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(print(&read), text, "{name}");
        let twice = register_cache(&read);
        assert_eq!(print(&twice.module), text, "{name}");
        assert!(twice.remarks.is_empty(), "{name}");
    }
}

#[test]
fn instructions_keep_their_identity_and_remarks_name_survivors() {
    for module in corpus() {
        let after = register_cache(&module);
        let name = module.source.name();
        let ids = |of: &Module| -> Vec<InstId> {
            of.functions().flat_map(Function::instructions).map(|inst| inst.id).collect()
        };
        let (old, new) = (ids(&module), ids(&after.module));
        let unique: HashSet<_> = new.iter().collect();
        assert_eq!(unique.len(), new.len(), "{name}: identities are unique");
        assert!(new.iter().all(|id| id.0 < after.module.next_inst), "{name}");
        for remark in &after.remarks {
            assert!(old.contains(&remark.inst) && old.contains(&remark.produced_by), "{name}");
            let gone = !unique.contains(&remark.inst);
            assert_eq!(gone, !matches!(remark.change, Change::Sunk { .. }), "{name}");
            assert!(remark.replacement.is_none_or(|copy| unique.contains(&copy)), "{name}");
            let Some(lag) = &remark.lag else { panic!("{name}: no lag") };
            assert!(unique.contains(&lag.from), "{name}");
            assert!(!lag.until.is_empty(), "{name}");
            assert!(lag.until.iter().all(|until| unique.contains(until)), "{name}");
        }
        let removed = old.iter().filter(|id| !unique.contains(id)).count();
        let gone = after.remarks.iter().filter(|remark| !unique.contains(&remark.inst)).count();
        assert_eq!(removed, gone, "{name}: a remark for each access that went");
    }
}
