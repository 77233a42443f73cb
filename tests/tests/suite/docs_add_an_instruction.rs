//! docs/add-an-instruction.md followed: what its walk through a register operation shows compiles,
//! put where the page says into a copy of the crate.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{fs, io};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// The block of code of the page that holds a word, without the page's indentation.
fn shown(page: &str, word: &str) -> String {
    let blocks = page.split("```rust,ignore\n").skip(1);
    let mut blocks = blocks.filter_map(|rest| rest.split("```").next());
    blocks.find(|block| block.contains(word)).unwrap().to_owned()
}

fn copy(from: &Path, to: &Path) -> io::Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let target = to.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            copy(&entry.path(), &target)?;
        } else {
            fs::copy(entry.path(), target)?;
        }
    }
    Ok(())
}

/// The text of a manifest without the table of this name.
fn without_table(manifest: &str, table: &str) -> String {
    let Some((before, rest)) = manifest.split_once(&format!("[{table}]\n")) else {
        return manifest.to_owned();
    };
    let after = rest.find("\n[").map_or("", |at| &rest[at..]);
    format!("{before}{after}")
}

/// A workspace of the language's crate alone.
fn language_alone(folder: &Path) -> io::Result<PathBuf> {
    let krate = folder.join("simulator/language");
    copy(&root().join("simulator/language/src"), &krate.join("src"))?;
    let manifest = fs::read_to_string(root().join("simulator/language/Cargo.toml"))?;
    // Neither its benches nor what they and the tests need.
    let manifest = without_table(&without_table(&manifest, "dev-dependencies"), "[bench]");
    fs::write(krate.join("Cargo.toml"), manifest)?;
    let workspace = fs::read_to_string(root().join("Cargo.toml"))?;
    let (before, rest) = workspace.split_once("members = [").unwrap();
    let (_, after) = rest.split_once(']').unwrap();
    fs::write(
        folder.join("Cargo.toml"),
        format!("{before}members = [\"simulator/language\"]{after}"),
    )?;
    fs::copy(root().join("Cargo.lock"), folder.join("Cargo.lock"))?;
    Ok(krate)
}

/// Puts a text into a file, behind the line that holds another.
fn put_behind(file: &Path, line: &str, text: &str) {
    let source = fs::read_to_string(file).unwrap();
    let at = source.find(line).unwrap_or_else(|| panic!("{} has no {line}", file.display()));
    let end = at + source[at..].find('\n').unwrap() + 1;
    fs::write(file, format!("{}{text}{}", &source[..end], &source[end..])).unwrap();
}

#[test]
fn the_walk_through_a_register_operation_compiles() {
    let page = fs::read_to_string(root().join("docs/add-an-instruction.md")).unwrap();
    // What it depends on stays compiled from one run to the next.
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("add-an-instruction");
    let _ = fs::remove_dir_all(folder.join("simulator"));
    let krate = language_alone(&folder).unwrap();
    let primitive = krate.join("src/lanes/primitive/bits.rs");
    put_behind(&primitive, "PopcB64 = ", &shown(&page, "ZerocB32 = "));
    let entry = krate.join("src/isa/arithmetic/bits.rs");
    put_behind(&entry, "const OPCODES: &[Opcode] = &[", &shown(&page, "name: \"zeroc\""));

    let cargo = Command::new(env!("CARGO"))
        .args(["check", "--offline", "--quiet", "-p", "warpsim-language"])
        .current_dir(&folder)
        .env("CARGO_TARGET_DIR", folder.join("target"))
        // A warning of the compiler fails; one of cargo, of its cache or its home, is none of the
        // page's.
        .env("RUSTFLAGS", "-D warnings")
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&cargo.stderr);
    assert!(cargo.status.success(), "{said}");
}
