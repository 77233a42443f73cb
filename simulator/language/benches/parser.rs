//! How fast PTX is parsed, in bytes a second: compiler output for CUDA C++, optimised and not.
//!
//! The text is in memory, and one file is parsed at a time, as the command does it.

use std::error::Error;
use std::hint::black_box;
use std::path::Path;

use criterion::{Criterion, Throughput};
use warpsim_language::ptx;

fn main() -> Result<(), Box<dyn Error>> {
    let mut criterion = Criterion::default().configure_from_args();
    let mut group = criterion.benchmark_group("parser");
    for folder in ["nvrtc13-sm80-O3", "nvrtc13-sm80-G", "clang19-sm70-O3"] {
        let texts = texts(folder)?;
        let bytes: usize = texts.iter().map(String::len).sum();
        group.throughput(Throughput::Bytes(bytes as u64));
        group.bench_function(folder, |bencher| {
            bencher.iter(|| {
                for text in &texts {
                    let _ = black_box(ptx::parse("corpus.ptx", text));
                }
            });
        });
    }
    group.finish();
    criterion.final_summary();
    Ok(())
}

/// The PTX files of a folder of the corpus that parse.
fn texts(folder: &str) -> Result<Vec<String>, Box<dyn Error>> {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/corpus").join(folder);
    let mut texts = Vec::new();
    for entry in std::fs::read_dir(corpus)? {
        let path = entry?.path();
        if path.extension().is_some_and(|extension| extension == "ptx") {
            let text = std::fs::read_to_string(path)?;
            ptx::parse("corpus.ptx", &text)?;
            texts.push(text);
        }
    }
    Ok(texts)
}
