//! Does the lookups of a file again, on the simulator or on a GPU, and says which give something
//! else. The exit code is 1 when there are some.
//!
//! ```sh
//! cargo run --release -p warpsim-tests --bin texture-lookups -- tests/hardware/textures.txt --on-gpu
//! ```

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Parser;
use warpsim::host::{Device, Simulator};
use warpsim_gpu::Gpu;
use warpsim_tests::lookups::cases;

/// Lookups of textures, done again.
#[derive(Parser)]
struct Options {
    /// The files
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// On the first GPU instead of the simulator
    #[arg(long)]
    on_gpu: bool,
    /// So many differences of a case are shown
    #[arg(long, default_value_t = 2, value_name = "N")]
    show: usize,
}

fn main() -> ExitCode {
    match run(&Options::parse()) {
        Ok(0) => ExitCode::SUCCESS,
        Ok(_) => ExitCode::from(1),
        Err(error) => {
            eprintln!("{error}");
            ExitCode::from(4)
        }
    }
}

fn run(options: &Options) -> Result<usize, String> {
    let mut device: Box<dyn Device> = match options.on_gpu {
        true => Box::new(Gpu::open(0).map_err(|error| error.to_string())?),
        false => Box::new(Simulator::default()),
    };
    let (mut all, mut different) = (0, 0);
    for file in &options.files {
        let text = std::fs::read_to_string(file).map_err(|error| error.to_string())?;
        for case in cases(&text)? {
            let found = match case.differences(device.as_mut()) {
                Ok(found) => found,
                Err(words) => {
                    println!("{words}");
                    continue;
                }
            };
            all += case.lookups.len();
            different += found.len();
            if found.is_empty() {
                continue;
            }
            println!("{}: {} of {} differ", case.name, found.len(), case.lookups.len());
            for (i, result) in found.iter().take(options.show) {
                let (at, right) = &case.lookups[*i];
                println!("  {at:x?}: {result:x?}, not {right:x?}");
            }
        }
    }
    println!("{different} of {all} lookups differ");
    Ok(different)
}
