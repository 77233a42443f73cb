//! `warpsim devices`: what can run here.

use serde::Serialize;
use warpsim::host::DeviceProfile;

use crate::args::{DevicesArgs, Format};
use crate::failure::{Exit, Failure};
use crate::output::Output;
use crate::render::table;

#[derive(Serialize)]
struct Document {
    schema: u32,
    profiles: Vec<Profile>,
    gpus: Looked,
    compilers: Looked,
}

#[derive(Serialize)]
struct Profile {
    name: String,
    default: bool,
    multiprocessors: u32,
    blocks: u32,
    threads: u32,
    threads_per_block: u32,
    shared: u32,
    shared_per_block: u32,
    memory: u64,
}

/// What was found of something, or why nobody looked.
#[derive(Serialize)]
struct Looked {
    found: Vec<String>,
    note: String,
}

pub(super) fn run(args: &DevicesArgs, output: &mut Output) -> Result<Exit, Failure> {
    let document = Document {
        schema: 1,
        profiles: vec![profile(DeviceProfile::h200())],
        gpus: Looked { found: Vec::new(), note: warpsim_gpu::GpuError::NoDriver.to_string() },
        compilers: Looked {
            found: Vec::new(),
            note: "this version of warpsim cannot compile .cu files yet".to_owned(),
        },
    };
    match args.format {
        Format::Json => {
            let text = serde_json::to_string(&document).map_err(std::io::Error::other)?;
            output.line(&text)?;
        }
        Format::Text => text(&document, output)?,
    }
    Ok(Exit::CLEAN)
}

fn profile(p: DeviceProfile) -> Profile {
    Profile {
        default: p == DeviceProfile::default(),
        name: p.name,
        multiprocessors: p.multiprocessors,
        blocks: p.blocks_per_multiprocessor,
        threads: p.threads_per_multiprocessor,
        threads_per_block: p.threads_per_block,
        shared: p.shared_per_multiprocessor,
        shared_per_block: p.shared_per_block,
        memory: p.global_memory,
    }
}

fn text(document: &Document, output: &mut Output) -> Result<(), Failure> {
    output.line("simulator, with the device profiles (--device):\n")?;
    let mut table = table([
        "name",
        "multiprocessors",
        "blocks",
        "threads",
        "threads-per-block",
        "shared",
        "shared-per-block",
        "memory",
    ]);
    for p in &document.profiles {
        table.add_row([
            format!("{}{}", p.name, if p.default { " (default)" } else { "" }),
            p.multiprocessors.to_string(),
            p.blocks.to_string(),
            p.threads.to_string(),
            p.threads_per_block.to_string(),
            p.shared.to_string(),
            p.shared_per_block.to_string(),
            p.memory.to_string(),
        ]);
    }
    output.line(&table.trim_fmt())?;
    output.line("\nany limit can be changed: --device multiprocessors=2,blocks=1")?;
    output.line(&format!("\nGPUs: none; {}", document.gpus.note))?;
    output.line(&format!("compilers: none; {}", document.compilers.note))
}
