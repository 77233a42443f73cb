//! Reductions as Triton compiles them are right, and so found clean: all lanes of a warp store the
//! sum of the warp to one cell of shared memory, by one instruction. With a barrier taken out, or
//! with sums that differ from lane to lane, they are not.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use serde_json::Value;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("ptx/triton")
}

/// The codes of what `warpsim check` finds in a module that sums 256 numbers, beside mere notes.
fn codes(path: &Path, warps: u32) -> BTreeSet<String> {
    let block = (32 * warps).to_string();
    let command = ["check", path.to_str().unwrap(), "--block", &block, "--shared", "4096"];
    let arguments =
        ["--arg", "f32[256]=iota", "--arg", "f32[256]", "--arg", "null", "--arg", "null"];
    let format = ["--format", "json", "--values", "none"];
    let command = command.into_iter().chain(arguments).chain(format);
    let captured = warpsim_cli::capture(command);
    let document: Value = serde_json::from_str(&captured.stdout)
        .unwrap_or_else(|error| panic!("{}: {error}: {}", path.display(), captured.stderr));
    let findings = document["findings"].as_array().unwrap().iter();
    let serious = findings.filter(|finding| finding["severity"] != "note");
    serious.map(|finding| finding["code"].as_str().unwrap().to_owned()).collect()
}

/// The same with something else in the place of a text.
fn codes_with(name: &str, warps: u32, from: &str, to: &str) -> BTreeSet<String> {
    let text = std::fs::read_to_string(folder().join(name)).unwrap();
    assert!(text.contains(from), "{name}: {from}");
    let scratch = tempfile::tempdir().unwrap();
    let path = scratch.path().join(name);
    std::fs::write(&path, text.replace(from, to)).unwrap();
    codes(&path, warps)
}

#[test]
fn right_reductions_of_triton_are_clean() {
    let mut modules = 0;
    for entry in std::fs::read_dir(folder()).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|extension| extension == "ptx") {
            let stem = path.file_stem().unwrap().to_str().unwrap();
            let warps = stem.rsplit_once('.').unwrap().1.parse().unwrap();
            assert_eq!(codes(&path, warps), BTreeSet::new(), "{}", path.display());
            modules += 1;
        }
    }
    assert_eq!(modules, 11);
}

#[test]
fn a_reduction_of_triton_without_its_barrier_is_a_race() {
    for (name, warps) in [("total.2.ptx", 2), ("total.8.ptx", 8)] {
        assert_eq!(codes_with(name, warps, "bar.sync \t0;", ""), ["race".to_owned()].into());
    }
}

#[test]
fn lanes_of_triton_that_store_sums_of_their_own_are_a_race() {
    // The last step of the sum over the warp is left out, so two values meet in one cell.
    let (last, none) = ("add.f32 \t%r20, %r18, %r19;", "mov.b32 \t%r20, %r18;");
    assert_eq!(codes_with("total.2.ptx", 2, last, none), ["race".to_owned()].into());
}
