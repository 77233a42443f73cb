//! The house is as docs/layout.md draws it: crates know those below them, the folders of a crate
//! form no cycle, the table names each folder, and every file of a test program is one of its
//! modules.
//!
//! This reads sources as text: comments and unit tests aside, a folder knows another of its crate
//! if one of its files has `crate::NAME`.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use crate::imports::{Imports, circles};

/// The crates, each after those that it may know.
pub(crate) const CRATES: [(&str, &str); 24] = [
    ("warpsim-files", "simulator/files"),
    ("warpsim-effort", "tests/effort"),
    ("warpsim-language", "simulator/language"),
    ("warpsim-engine", "simulator/engine"),
    ("warpsim-analyses", "simulator/analyses"),
    ("warpsim-host", "simulator/host"),
    ("warpsim-campaign", "simulator/campaign"),
    ("warpsim-property", "simulator/property"),
    ("warpsim-nvrtc", "simulator/nvrtc"),
    ("warpsim", "simulator"),
    ("warpsim-debugger", "simulator/debugger"),
    ("warpsim-gpu", "gpu-backend"),
    ("warpsim-programs", "programs"),
    ("warpsim-formats", "cli/formats"),
    ("warpsim-playground", "cli/playground"),
    ("warpsim-driver-core", "driver-api/core"),
    ("warpsim-random", "driver-api/random"),
    ("warpsim-fft", "driver-api/fft"),
    ("warpsim-sparse", "driver-api/sparse"),
    ("warpsim-blas", "driver-api/blas"),
    ("warpsim-driver", "driver-api"),
    ("warpsim-cli", "cli"),
    ("warpsim-mutation", "tests/mutation"),
    ("warpsim-tests", "tests"),
];

pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

pub(crate) fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The entries of a folder, sorted; nothing when it is none.
fn entries(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten();
    let mut entries: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    entries.sort();
    entries
}

fn name(path: &Path) -> String {
    path.file_stem().unwrap_or_default().to_string_lossy().into_owned()
}

/// The crates of this repository among the dependencies of a manifest, without the tests'
/// dependencies.
pub(crate) fn dependencies(manifest: &str) -> Vec<&str> {
    let section = manifest.split_once("\n[dependencies]\n").map_or("", |(_, rest)| rest);
    let lines = section.lines().take_while(|line| !line.starts_with('['));
    let names = lines.filter_map(|line| line.split(['.', ' ', '=']).next());
    names.filter(|name| name.starts_with("warpsim")).collect()
}

#[test]
fn each_crate_knows_only_those_below_it() {
    let manifest = read(&root().join("Cargo.toml"));
    let (_, members) = manifest.split_once("members = [").unwrap();
    let members = members.split_once(']').unwrap().0.split(',').map(|m| m.trim().trim_matches('"'));
    let listed: BTreeSet<&str> = CRATES.iter().map(|(_, folder)| *folder).collect();
    assert_eq!(members.filter(|m| !m.is_empty()).collect::<BTreeSet<_>>(), listed);
    for (index, (name, folder)) in CRATES.iter().enumerate() {
        let manifest = read(&root().join(folder).join("Cargo.toml"));
        for known in dependencies(&manifest) {
            let below = CRATES[..index].iter().any(|(name, _)| *name == known);
            assert!(below, "{name} knows {known}, which is not below it");
        }
    }
    // The engine knows no observer's purpose, and nothing knows the GPU but the command and the
    // tests.
    let of = |folder: &str| read(&root().join(folder).join("Cargo.toml"));
    assert_eq!(dependencies(&of("simulator/engine")), ["warpsim-language"]);
    assert!(!dependencies(&of("programs")).contains(&"warpsim-gpu"));
}

/// The text of a source without comments and without the unit tests at its end.
fn code(text: &str) -> String {
    let text = match text.split_once("#[cfg(test)]\nmod tests {") {
        Some((code, _)) => code,
        None => text,
    };
    let lines = text.lines().map(|line| line.split("//").next().unwrap_or_default());
    lines.collect::<Vec<_>>().join("\n")
}

/// The names directly below `crate::`: one, or all of a list in braces.
fn below_crate(code: &str) -> Vec<String> {
    let word = |text: &str| -> String {
        text.trim_start().chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect()
    };
    let mut names = Vec::new();
    for after in code.split("crate::").skip(1) {
        let Some(list) = after.strip_prefix('{') else {
            names.push(word(after));
            continue;
        };
        names.push(word(list));
        let mut depth = 0;
        for (at, character) in list.char_indices() {
            match character {
                '{' => depth += 1,
                '}' if depth == 0 => break,
                '}' => depth -= 1,
                ',' if depth == 0 => names.push(word(&list[at + 1..])),
                _ => {}
            }
        }
    }
    names.retain(|name| !name.is_empty());
    names
}

/// All sources below a folder, except the tests.
pub(crate) fn sources(folder: &Path) -> Vec<PathBuf> {
    let is_code = |path: &&PathBuf| !matches!(&*name(path), "tests" | "test");
    let of = |path: &PathBuf| match path.is_dir() {
        true => sources(path),
        false => vec![path.clone()],
    };
    entries(folder).iter().filter(is_code).flat_map(of).collect()
}

/// Which folders of a crate each of them knows, with a file that does.
fn known(crate_folder: &str) -> BTreeMap<String, BTreeMap<String, PathBuf>> {
    let all = entries(&root().join(crate_folder).join("src"));
    let folders: Vec<&PathBuf> = all.iter().filter(|path| path.is_dir()).collect();
    let mut known = BTreeMap::new();
    for folder in &folders {
        let edges: &mut BTreeMap<String, PathBuf> = known.entry(name(folder)).or_default();
        for file in sources(folder) {
            for other in below_crate(&code(&read(&file))) {
                if other != name(folder) && folders.iter().any(|folder| name(folder) == other) {
                    edges.entry(other).or_insert_with(|| file.clone());
                }
            }
        }
    }
    known
}

/// A way from a folder back to itself, as lines to be read.
fn cycle(known: &BTreeMap<String, BTreeMap<String, PathBuf>>) -> Option<String> {
    let mut left: BTreeSet<&String> = known.keys().collect();
    // Those that know nothing that is left are in no cycle.
    loop {
        let settled = |folder: &&&String| known[**folder].keys().all(|other| !left.contains(other));
        let Some(folder) = left.iter().find(settled).copied() else { break };
        left.remove(folder);
    }
    let lines = left.iter().flat_map(|folder| {
        let edges = known[*folder].iter().filter(|(other, _)| left.contains(other));
        edges.map(move |(other, file)| format!("{folder} knows {other}: {}", file.display()))
    });
    (!left.is_empty()).then(|| lines.collect::<Vec<_>>().join("\n"))
}

#[test]
fn the_folders_of_a_crate_form_no_cycle() {
    let mut edges = 0;
    for (name, folder) in CRATES {
        let known = known(folder);
        edges += known.values().map(BTreeMap::len).sum::<usize>();
        if let Some(cycle) = cycle(&known) {
            panic!("{name}: these folders know each other in a circle, or one that does\n{cycle}");
        }
    }
    assert!(edges >= 8, "only {edges} were found: are they still written `crate::NAME`?");
}

#[test]
fn a_cycle_is_noticed_and_comments_and_tests_make_none() {
    let text = "use crate::{lanes::Mask, ptx::{Type, self}};\nuse crate::isa::x; // crate::lower\n\
        #[cfg(test)]\nmod tests { use crate::machine::M; }";
    assert_eq!(below_crate(&code(text)), ["lanes", "ptx", "isa"]);
    let edge = |to: &str| BTreeMap::from([(to.to_owned(), PathBuf::from("file.rs"))]);
    let mut known = BTreeMap::from([("a".to_owned(), edge("b")), ("b".to_owned(), edge("c"))]);
    known.insert("c".to_owned(), BTreeMap::new());
    assert_eq!(cycle(&known), None);
    known.insert("c".to_owned(), edge("a"));
    assert!(cycle(&known).is_some_and(|lines| lines.contains("c knows a: file.rs")));
}

#[test]
fn the_chapter_on_the_layout_names_every_crate_and_the_folders_of_the_simulator() {
    let page = read(&root().join("docs/layout.md"));
    let row = |cell: &str| page.lines().any(|line| line.starts_with(&format!("| `{cell}` |")));
    for (name, folder) in CRATES {
        assert!(page.contains(&format!("| `{folder}/` | `{name}` |")), "{folder}: {name}");
        if folder.starts_with("simulator") {
            let src = root().join(folder).join("src");
            for inner in entries(&src).iter().filter(|path| path.is_dir()) {
                let inner = name_of_row(inner);
                assert!(row(&inner), "no row of {folder}: {inner}");
            }
        }
    }
}

/// How a folder of a crate is called in the table.
fn name_of_row(folder: &Path) -> String {
    format!(".../src/{}/", name(folder))
}

#[test]
fn every_file_of_a_test_program_is_one_of_its_modules() {
    let mut programs = 0;
    for (_, folder) in CRATES {
        for entry in entries(&root().join(folder).join("tests")) {
            let main = entry.join("main.rs");
            if !main.is_file() {
                // A single file is a separate program, which is linked alone.
                let is_source = entry.extension().is_some_and(|e| e == "rs");
                let is_known =
                    matches!(&*name(&entry), "cli_cuda" | "gpu_backend" | "meter" | "mutants");
                assert!(!is_source || is_known, "{}", entry.display());
                continue;
            }
            programs += 1;
            let main = read(&main);
            for file in entries(&entry) {
                let is_module =
                    file.extension().is_some_and(|e| e == "rs") || file.join("mod.rs").is_file();
                let declared = main.lines().any(|l| l.trim() == format!("mod {};", name(&file)));
                assert!(!is_module || name(&file) == "main" || declared, "{}", file.display());
            }
        }
    }
    assert!(programs >= 4, "{programs} test programs");
}

/// The folders of the abstract machine, as the table in its contract orders them: each may use
/// those before it.
pub(crate) fn layers_of_the_machine() -> Vec<String> {
    let contract = read(&root().join("simulator/engine/src/machine/mod.rs"));
    let rows = contract.lines().filter_map(|line| line.strip_prefix("//! | `"));
    rows.map(|row| row.split('`').next().unwrap().to_owned()).collect()
}

#[test]
fn each_layer_of_the_machine_uses_only_those_below_it_and_no_files_form_a_circle() {
    let layers = layers_of_the_machine();
    let folder = root().join("simulator/engine/src/machine");
    let folders: BTreeSet<String> =
        entries(&folder).iter().filter(|path| path.is_dir()).map(|path| name(path)).collect();
    assert_eq!(layers.iter().cloned().collect::<BTreeSet<_>>(), folders);
    let edges = Imports::of(&root().join("simulator/engine/src")).edges();
    let layer = |module: &str| {
        let folder = module.strip_prefix("machine::")?.split("::").next()?;
        layers.iter().position(|layer| layer == folder)
    };
    let mut seen = 0;
    for (from, targets) in &edges {
        for (to, item) in targets {
            let (Some(here), Some(there)) = (layer(from), layer(to)) else { continue };
            seen += 1;
            assert!(there <= here, "{from} uses {to}, which is above it: {item}");
        }
    }
    assert!(seen > 300, "only {seen} imports were found");
    let in_machine = circles(&edges).into_iter().filter(|circle| circle[0].starts_with("machine"));
    assert_eq!(in_machine.collect::<Vec<_>>(), Vec::<Vec<String>>::new());
}

/// Files that import each other in a circle, in each crate that has some: how many the largest
/// circle has. A number may fall and not rise.
const LARGEST_CIRCLE: [(&str, usize); 10] = [
    ("warpsim-language", 9),
    ("warpsim-engine", 3),
    ("warpsim-analyses", 7),
    ("warpsim-host", 8),
    ("warpsim-property", 6),
    ("warpsim-gpu", 4),
    ("warpsim-driver-core", 24),
    ("warpsim-driver", 3),
    ("warpsim-cli", 4),
    ("warpsim-tests", 12),
];

#[test]
fn circles_of_files_get_smaller_and_no_larger() {
    for (name, folder) in CRATES {
        let circles = circles(&Imports::of(&root().join(folder).join("src")).edges());
        let largest = circles.first().map_or(0, Vec::len);
        let known = LARGEST_CIRCLE.iter().find(|(crate_name, _)| *crate_name == name);
        let known = known.map_or(0, |(_, files)| *files);
        assert_eq!(largest, known, "{name}: write down the new number if it is smaller");
    }
}

/// The most files of one folder of sources. Those of tests are not counted.
const MOST_FILES: usize = 20;

/// Folders with more files, which are one list each: kinds of operations, rows of a table,
/// functions of an API. A number may fall and not rise.
const LONG_FOLDERS: [(&str, usize); 0] = [];

#[test]
fn a_folder_has_at_most_twenty_files() {
    let mut long = BTreeMap::new();
    fn count(folder: &Path, long: &mut BTreeMap<String, usize>) {
        let all = entries(folder);
        let files = all.iter().filter(|path| path.extension().is_some_and(|e| e == "rs")).count();
        if files > MOST_FILES {
            let folder = folder.strip_prefix(root()).unwrap().display().to_string();
            long.insert(folder, files);
        }
        all.iter().filter(|path| path.is_dir() && name(path) != "tests").for_each(|inner| {
            count(inner, long);
        });
    }
    for (_, folder) in CRATES {
        count(&root().join(folder).join("src"), &mut long);
    }
    let known = LONG_FOLDERS.iter().map(|(folder, files)| ((*folder).to_owned(), *files)).collect();
    assert_eq!(long, known);
}
