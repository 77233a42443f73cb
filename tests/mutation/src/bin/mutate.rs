//! Examines mutants of the repository's PTX files:
//! `cargo run -p warpsim-mutation --bin mutate -- --help`.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Parser;
use warpsim_mutation::{Limits, Settings, examine, files, mutant, run};

/// Changes real PTX files at random and sends them through parser, printer, passes, lowering and
/// machine. A debug build, where arithmetic is checked, finds the most.
#[derive(Parser)]
struct Args {
    /// How many mutants
    #[arg(long, default_value_t = 10_000)]
    count: u64,
    /// The number of the first
    #[arg(long, default_value_t = 0)]
    first: u64,
    /// Which mutants they are
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// How many at a time
    #[arg(long, default_value_t = 1)]
    threads: usize,
    /// Where those go that fail
    #[arg(long, default_value = "target/mutants")]
    out: PathBuf,
    /// Write the mutant of this number there, and examine it alone
    #[arg(long)]
    one: Option<u64>,
}

#[expect(clippy::print_stdout, reason = "it is a command")]
fn main() -> Result<ExitCode, Box<dyn std::error::Error>> {
    let args = Args::parse();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let files = files(&root)?;
    fs::create_dir_all(&args.out)?;
    if let Some(number) = args.one {
        let (file, text) = mutant(&files, args.seed, number);
        let path = args.out.join(format!("{}-{number}.ptx", args.seed));
        fs::write(&path, &text)?;
        println!("{}, from {file}", path.display());
        println!("{:?}", examine(&text, number));
        return Ok(ExitCode::SUCCESS);
    }
    let settings = Settings {
        seed: args.seed,
        first: args.first,
        count: args.count,
        threads: args.threads,
        limits: Limits::default(),
        folder: Some(args.out),
        tell_every: Some(1000),
    };
    let summary = run(&files, &settings);
    println!("seed {}, {} mutants of {} files", args.seed, summary.examined(), files.len());
    for (reached, count) in &summary.reached {
        println!("{count:>9} {reached:?}");
    }
    let (longest, which) = summary.longest;
    println!("longest {longest:?}, mutant {which}; grown by {} bytes", summary.grown);
    for failure in &summary.failures {
        println!("{} of {}: {:?}", failure.number, failure.file, failure.trouble);
    }
    Ok(ExitCode::from(u8::from(!summary.failures.is_empty())))
}
