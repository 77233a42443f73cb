//! The pictures in the chapter on the architecture are drawn from manifests and imports, and its
//! walk through the code names files and items that exist.
//!
//! Each picture is between `<!-- picture: NAME -->` and `<!-- end -->`. `UPDATE_DOCS=1` draws them
//! into the chapter anew.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use crate::imports::Imports;
use crate::layout::{CRATES, dependencies, layers_of_the_machine, root};

const CHAPTER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/architecture.md");

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// What each crate depends on, without what it reaches through another one.
fn crates() -> BTreeMap<&'static str, BTreeSet<String>> {
    let mut direct: BTreeMap<&str, BTreeSet<String>> = BTreeMap::new();
    let mut all: BTreeMap<&str, BTreeSet<String>> = BTreeMap::new();
    for (name, folder) in CRATES {
        let manifest = read(&root().join(folder).join("Cargo.toml"));
        let known: BTreeSet<String> =
            dependencies(&manifest).into_iter().map(ToOwned::to_owned).collect();
        let through: BTreeSet<String> =
            known.iter().flat_map(|known| all[known.as_str()].iter().cloned()).collect();
        direct.insert(name, known.difference(&through).cloned().collect());
        all.insert(name, known.union(&through).cloned().collect());
    }
    direct
}

/// Crates, each with those right below it; the top of the house first.
fn picture_of_the_crates() -> String {
    let direct = crates();
    let mut picture = String::new();
    for (name, _) in CRATES.iter().rev() {
        let short = |name: &str| name.strip_prefix("warpsim-").unwrap_or("(façade)").to_owned();
        let below: Vec<String> = direct[name].iter().map(|name| short(name)).collect();
        let below = if below.is_empty() { "-".to_owned() } else { below.join(", ") };
        let _ = writeln!(picture, "{:<16} -> {below}", short(name));
    }
    picture
}

/// How many files of each folder of the machine import from each other folder. Everything is below
/// the diagonal if no arrow runs up.
fn picture_of_the_machine() -> String {
    let layers = layers_of_the_machine();
    let imports = Imports::of(&root().join("simulator/engine/src"));
    let folder = |module: &str| module.split("::").nth(1).map(ToOwned::to_owned);
    let mut pairs: BTreeMap<(String, String), BTreeSet<String>> = BTreeMap::new();
    for (from, targets) in imports.edges() {
        if !from.starts_with("machine::") {
            continue;
        }
        for to in targets.keys().filter(|to| to.starts_with("machine::")) {
            let (Some(a), Some(b)) = (folder(&from), folder(to)) else { continue };
            if a != b {
                pairs.entry((a, b)).or_default().insert(from.clone());
            }
        }
    }
    let mut picture = format!("{:10}", "");
    for layer in &layers {
        let _ = write!(picture, "{layer:>10}");
    }
    picture.push('\n');
    for (row, from) in layers.iter().enumerate() {
        let _ = write!(picture, "{from:10}");
        for (column, to) in layers.iter().enumerate() {
            let count = pairs.get(&(from.clone(), to.clone())).map_or(0, BTreeSet::len);
            let cell = match (column == row, count) {
                (true, _) => "\\".to_owned(),
                (false, 0) => ".".to_owned(),
                (false, count) => count.to_string(),
            };
            let _ = write!(picture, "{cell:>10}");
        }
        picture = picture.trim_end().to_owned() + "\n";
    }
    picture
}

#[test]
fn the_pictures_of_the_architecture_are_drawn_from_the_sources() {
    let mut chapter = read(Path::new(CHAPTER));
    for (name, picture) in
        [("crates", picture_of_the_crates()), ("machine", picture_of_the_machine())]
    {
        let begin = format!("<!-- picture: {name} -->\n");
        let start = chapter.find(&begin).unwrap_or_else(|| panic!("no picture {name}"));
        let start = start + begin.len();
        let end = start + chapter[start..].find("<!-- end -->").unwrap();
        let drawn = format!("\n```text\n{picture}```\n\n");
        if chapter[start..end] != drawn {
            chapter.replace_range(start..end, &drawn);
        }
    }
    if std::env::var_os("UPDATE_DOCS").is_some() {
        std::fs::write(CHAPTER, &chapter).unwrap();
    }
    assert!(read(Path::new(CHAPTER)) == chapter, "draw them anew: UPDATE_DOCS=1\n{chapter}");
}

/// A step of a walk: a file, and an item in it.
#[derive(Debug)]
struct Stop {
    path: String,
    item: String,
}

/// The steps of the walk under a heading: lines such as "1. `path`, `item`: ...".
fn walk(chapter: &str, heading: &str) -> Vec<Stop> {
    let (_, section) = chapter.split_once(&format!("\n## {heading}\n")).unwrap();
    let section = section.split("\n## ").next().unwrap();
    let steps = section.lines().filter(|line| line.starts_with(|c: char| c.is_ascii_digit()));
    steps
        .map(|line| {
            let mut code = line.split('`').skip(1).step_by(2);
            let path = code.next().unwrap_or_else(|| panic!("no file: {line}")).to_owned();
            let item = code.next().unwrap_or_else(|| panic!("no item: {line}")).to_owned();
            Stop { path, item }
        })
        .collect()
}

#[test]
fn the_walk_from_the_command_line_to_a_finding_names_what_is_there() {
    let chapter = read(Path::new(CHAPTER));
    let walk = walk(&chapter, "One launch, from the command line to a finding");
    assert!(walk.len() >= 12, "{walk:?}");
    for Stop { path, item } in &walk {
        let text = read(&root().join(path));
        let is_there = ["fn", "struct", "enum", "trait"].iter().any(|kind| {
            let declared = format!("{kind} {item}");
            text.match_indices(&declared).any(|(at, _)| {
                let next = text[at + declared.len()..].chars().next();
                next.is_some_and(|next| !next.is_alphanumeric() && next != '_')
            })
        });
        assert!(is_there, "{path} has no {item}");
    }
}

#[test]
fn the_ways_of_an_access_and_of_a_barrier_through_the_machine_never_go_up() {
    let chapter = read(Path::new(CHAPTER));
    let layers = layers_of_the_machine();
    for heading in ["One memory access through the machine", "One barrier through the machine"] {
        let walk = walk(&chapter, heading);
        assert!(walk.len() >= 4, "{walk:?}");
        let mut last = layers.len();
        for Stop { path, item } in &walk {
            let file = PathBuf::from("simulator/engine/src/machine").join(path);
            let text = read(&root().join(&file));
            assert!(text.contains(&format!("fn {item}")), "{} has no {item}", file.display());
            let folder = path.split('/').next().unwrap();
            let layer = layers.iter().position(|layer| layer == folder).unwrap();
            assert!(layer <= last, "{heading}: {path} is above the step before");
            last = layer;
        }
    }
}
