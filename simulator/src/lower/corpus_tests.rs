//! Every kernel that compilers made of the corpus' sources lowers, and what comes out is consistent.

use std::fs;
use std::path::{Path, PathBuf};

use super::*;
use crate::ptx::{Module, parse};

/// The corpus of this repository, or a larger one of the same layout.
fn corpus() -> PathBuf {
    let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/corpus");
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

/// Lowers a kernel, each global variable at an address of its own.
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

/// Kernels of the corpus that call what only the CUDA runtime has.
const REFUSED: &[(&str, &str)] =
    &[("k13_printf", "call vprintf"), ("k20_libcudacxx_atomic", "call __assertfail")];

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
