//! How fast kernels are lowered, in kernels a second. It lowers the kernels of the corpus that our
//! machine supports.

use std::error::Error;
use std::hint::black_box;
use std::path::Path;

use criterion::{Criterion, Throughput};
use warpsim_engine::lower::{self, LowerError, Placement, window};
use warpsim_language::ptx::{self, Module};

fn main() -> Result<(), Box<dyn Error>> {
    let mut criterion = Criterion::default().configure_from_args();
    let mut group = criterion.benchmark_group("lowering");
    for folder in ["nvrtc13-sm80-O3", "nvrtc13-sm80-G"] {
        let kernels = kernels(folder)?;
        group.throughput(Throughput::Elements(kernels.len() as u64));
        group.bench_function(folder, |bencher| {
            bencher.iter(|| {
                for Kernel { module, name, placement } in &kernels {
                    let _ = black_box(lower::lower(module, name, placement));
                }
            });
        });
    }
    group.finish();
    criterion.final_summary();
    Ok(())
}

/// A kernel and where its module's variables lie.
struct Kernel {
    module: Module,
    name: String,
    placement: Placement,
}

/// The kernels of a folder of the corpus that lower.
fn kernels(folder: &str) -> Result<Vec<Kernel>, Box<dyn Error>> {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/corpus").join(folder);
    let mut kernels = Vec::new();
    for entry in std::fs::read_dir(corpus)? {
        let path = entry?.path();
        if path.extension().is_none_or(|extension| extension != "ptx") {
            continue;
        }
        let module = ptx::parse("corpus.ptx", &std::fs::read_to_string(path)?)?;
        for name in lower::kernels(&module) {
            let placement = placement(&module)?;
            if lower::lower(&module, name, &placement).is_ok() {
                let kernel = Kernel { name: name.to_owned(), module: module.clone(), placement };
                kernels.push(kernel);
            }
        }
    }
    Ok(kernels)
}

/// Each variable at addresses that nothing else has.
fn placement(module: &Module) -> Result<Placement, LowerError> {
    let mut next = window::GLOBAL;
    lower::place(module)?.placement(|variable| {
        let address = next.next_multiple_of(variable.align.max(1));
        next = address + variable.size;
        Ok(address)
    })
}
