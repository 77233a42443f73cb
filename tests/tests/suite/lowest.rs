//! The lowest version and target of modules.
//!
//! The compilers of the corpus wrote versions and targets that their text is valid for, so what we
//! say that it needs may never be above them. What single things need is from the notes of the PTX
//! ISA. `scripts/check-needs.sh` asks NVIDIA's assembler about all of it.

use std::path::{Path, PathBuf};

use warpsim::isa::{Level, lowest, needs};
use warpsim::ptx::{Module, parse, print};

/// All PTX files below folders of the repository, in order.
fn files(folders: &[&str]) -> Vec<(PathBuf, Module)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut folders: Vec<PathBuf> = folders.iter().map(|folder| root.join(folder)).collect();
    let mut files = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "ptx") {
                files.push(path);
            }
        }
    }
    files.sort();
    let module = |path: &PathBuf| parse("file.ptx", &std::fs::read_to_string(path).unwrap());
    files.into_iter().map(|path| (path.clone(), module(&path).unwrap())).collect()
}

/// The number of `.target sm_NN`, also of `sm_90a`.
fn target(module: &Module) -> u32 {
    let digits = module.target[0].text.trim_start_matches("sm_");
    digits.trim_end_matches(char::is_alphabetic).parse().unwrap()
}

/// The text of a kernel with this in its body.
fn with_body(head: &str, body: &str) -> String {
    format!("{head}\n.address_size 64\n.entry k()\n{{\n{body}\nret;\n}}\n")
}

fn module(head: &str, body: &str) -> Module {
    parse("k.ptx", &with_body(head, body)).unwrap()
}

/// The first two lines of a module at its lowest.
fn lowered(module: &Module) -> String {
    print(&lowest(module)).lines().take(2).collect::<Vec<_>>().join(" ")
}

const NEW: &str = ".version 9.0\n.target sm_120";

#[test]
fn what_compilers_wrote_needs_no_more_than_they_wrote() {
    let files = files(&["tests/corpus", "tests/twins", "programs/src"]);
    assert!(files.len() >= 150, "only {} files", files.len());
    let mut needed = Vec::new();
    for (path, module) in files {
        let Level { version, target: least } = needs(&module).level;
        assert!(version <= module.version, "{}: {version:?}", path.display());
        assert!(least <= target(&module), "{}: sm_{least}", path.display());
        needed.push(least);
    }
    assert!(needed.iter().any(|least| *least >= 80), "nothing in them needs anything");
}

#[test]
fn every_file_at_its_lowest_parses_again_and_is_a_fixed_point() {
    let mut changed = 0;
    for (path, module) in files(&["tests", "programs/src"]) {
        let low = lowest(&module);
        assert!(low.version <= module.version, "{}", path.display());
        assert!(target(&low) <= target(&module), "{}", path.display());
        let text = print(&low);
        let again = parse("lowest.ptx", &text).unwrap();
        assert_eq!(again, low, "{}", path.display());
        assert_eq!(print(&lowest(&again)), text, "{}", path.display());
        // Nothing else is touched: what differs from the module are the first two lines.
        let rest = |text: String| text.lines().skip(2).map(str::to_owned).collect::<Vec<_>>();
        assert_eq!(rest(text), rest(print(&module)), "{}", path.display());
        changed += usize::from(low != module);
    }
    assert!(changed > 100, "only {changed} are lower than they were");
}

#[test]
fn a_module_is_lowered_to_what_its_instructions_need_and_not_below_sm_70() {
    for (body, expected) in [
        ("", ".version 6.0 .target sm_70"),
        (".reg .b32 %r<4>; redux.sync.add.u32 %r1, %r2, %r3;", ".version 7.0 .target sm_80"),
        (".reg .b32 %r<4>; activemask.b32 %r1;", ".version 6.2 .target sm_70"),
        (".reg .b32 %r<4>; mov.u32 %r1, %clusterid.x;", ".version 7.8 .target sm_90"),
        (".reg .b32 %r<4>; mov.u32 %r1, %cluster_ctarank;", ".version 7.8 .target sm_90"),
        (".reg .b32 %r<4>; mov.u32 %r1, %dynamic_smem_size;", ".version 6.0 .target sm_70"),
        (".reg .b32 %r<4>; ld.shared::cta.u32 %r1, [%r2];", ".version 7.8 .target sm_70"),
        (".pragma \"used_bytes_mask 0xff\";", ".version 8.3 .target sm_70"),
        (".pragma \"nounroll\";", ".version 6.0 .target sm_70"),
        (".reg .b128 %q;", ".version 8.3 .target sm_70"),
        ("{ elect_not_in_a_name: }", ".version 6.0 .target sm_70"),
    ] {
        assert_eq!(lowered(&module(NEW, body)), expected, "{body}");
    }
}

#[test]
fn directives_and_declarations_count() {
    for (items, expected) in [
        (".func f() .noreturn { trap; }", ".version 6.4 .target sm_70"),
        (".func f() { ret; } .func g(); .alias g, f;", ".version 6.3 .target sm_70"),
        (".entry k() .maxclusterrank 4 { ret; }", ".version 7.8 .target sm_90"),
        (".entry k() .maxntid 32, 1, 1 { ret; }", ".version 6.0 .target sm_70"),
        (".global .u32 x; .global .u8 a[2] = {0xFF(x), 0xFF00(x)};", ".version 7.1 .target sm_70"),
        (".entry k(.param .align 4 .b8 p[4352]) { ret; }", ".version 6.0 .target sm_70"),
        (".entry k(.param .align 4 .b8 p[4356]) { ret; }", ".version 8.1 .target sm_70"),
        (".entry k(.param .u8 c, .param .b8 p[4352]) { ret; }", ".version 8.1 .target sm_70"),
    ] {
        let module = parse("k.ptx", &format!("{NEW}\n.address_size 64\n{items}\n")).unwrap();
        assert_eq!(lowered(&module), expected, "{items}");
    }
}

#[test]
fn a_module_is_never_raised() {
    let pairs = [
        (".version 5.0\n.target sm_60", ".version 5.0 .target sm_60"),
        (".version 6.3\n.target sm_75", ".version 6.0 .target sm_70"),
        (".version 8.0\n.target sm_61", ".version 6.0 .target sm_61"),
        (".version 7.0\n.target sm_80, debug", ".version 6.0 .target sm_70, debug"),
    ];
    for (head, expected) in pairs {
        assert_eq!(lowered(&module(head, "")), expected);
    }
    // What it needs is more than it says: that is for an assembler to tell.
    let lies = module(".version 6.0\n.target sm_70", ".reg .pred %p; elect.sync _|%p, -1;");
    assert_eq!(lowered(&lies), ".version 6.0 .target sm_70");
}

#[test]
fn what_is_not_known_leaves_a_module_as_it_is() {
    let tensor = "wgmma.fence.sync.aligned;";
    let (own, kept) = (".version 9.0\n.target sm_90a", ".version 9.0 .target sm_90a");
    assert_eq!(lowered(&module(own, tensor)), kept);
    assert_eq!(lowered(&module(own, "")), kept, "instructions of one architecture alone");
    assert_eq!(lowered(&module(NEW, tensor)), ".version 9.0 .target sm_120");
    assert_eq!(lowered(&module(NEW, "nosuch.u32 %r1;")), ".version 9.0 .target sm_120");
    let unknown = needs(&module(NEW, tensor)).unknown.unwrap();
    assert_eq!(unknown.0, "wgmma.fence.sync.aligned");
}

#[test]
fn the_first_of_what_needs_most_is_named_with_its_place() {
    let body = ".reg .b32 %r<4>;\nactivemask.b32 %r1;\nredux.sync.add.u32 %r1, %r2, %r3;\n\
                redux.sync.min.u32 %r1, %r2, %r3;\nmov.u32 %r1, %r2;";
    let module = module(NEW, body);
    let needs = needs(&module);
    for cause in [needs.version.unwrap(), needs.target.unwrap()] {
        assert_eq!(cause.name, "redux.sync.add.u32");
        assert_eq!(module.source.line(cause.span.start), 8);
        assert_eq!(cause.level, Level::new((7, 0), 80));
    }
}
