//! Random tiles through the tensor cores of a GPU and through the simulator, compared bit for
//! bit; see `docs/tensor-cores.md`. The exit code is 1 when something differs, 4 where there is
//! no GPU.

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;

use clap::Parser;
use serde_json::Value;
use warpsim::host::Simulator;
use warpsim_gpu::Gpu;
use warpsim_tests::tiles::{Form, digests, forms};

/// Random tiles through tensor cores: a GPU against the simulator.
#[derive(Parser)]
struct Options {
    /// So many tiles of each form
    #[arg(long, default_value_t = 10_000, value_name = "N")]
    tiles: u64,
    /// The number of the first tile
    #[arg(long, default_value_t = 0, value_name = "N")]
    first: u64,
    /// Only forms whose text holds this; may be repeated
    #[arg(long, value_name = "TEXT")]
    only: Vec<String>,
    /// So many tiles at once
    #[arg(long, default_value_t = 32_768, value_name = "N")]
    batch: u64,
    /// Stop to begin with a new form after so many seconds
    #[arg(long, default_value_t = 600, value_name = "N")]
    seconds: u64,
    /// Keep digests of what the GPU answers
    #[arg(long, value_name = "FILE")]
    save: Option<PathBuf>,
    /// Compare the simulator with such digests, without a GPU
    #[arg(long, value_name = "FILE")]
    against: Option<PathBuf>,
}

impl Options {
    fn has(&self, form: &Form) -> bool {
        self.only.is_empty() || self.only.iter().any(|text| form.text.contains(text))
    }
}

fn main() -> ExitCode {
    match run(&Options::parse()) {
        Ok(0) => ExitCode::SUCCESS,
        Ok(_) => ExitCode::from(1),
        Err(why) => {
            eprintln!("tensor-tiles: {why}");
            ExitCode::from(4)
        }
    }
}

fn run(options: &Options) -> Result<u64, String> {
    if let Some(file) = &options.against {
        return against(options, file);
    }
    let mut gpu = Gpu::open(0).map_err(|e| e.to_string())?;
    let start = Instant::now();
    let (mut lines, mut all, mut wrong) = (Vec::new(), 0, 0);
    for form in forms().iter().filter(|form| options.has(form)) {
        if start.elapsed().as_secs() > options.seconds {
            println!("no time for {}", form.text);
            continue;
        }
        if options.save.is_some() {
            let inputs = digests::inputs(form, 0, options.tiles);
            let answer = digests::run(&mut gpu, form, &inputs)?;
            lines.push(digests::line(form, options.tiles, &answer));
            continue;
        }
        let (tiles, differ) = compare(options, form, &mut gpu)?;
        all += tiles;
        wrong += differ;
        println!("{}: {tiles} tiles, {differ} differ", form.text);
    }
    if let Some(file) = &options.save {
        let text = format!("{:#}\n", Value::Array(lines));
        std::fs::write(file, text).map_err(|e| e.to_string())?;
    }
    println!("{all} tiles, {wrong} differ; {:.1} s", start.elapsed().as_secs_f64());
    Ok(wrong)
}

/// Compares the simulator with digests of what a GPU answered.
fn against(options: &Options, file: &PathBuf) -> Result<u64, String> {
    let text = std::fs::read_to_string(file).map_err(|e| format!("{}: {e}", file.display()))?;
    let recorded: Vec<Value> = serde_json::from_str(&text).map_err(|e| e.to_string())?;
    let mut wrong = 0;
    for form in forms().iter().filter(|form| options.has(form)) {
        let found = recorded.iter().find(|line| line["form"] == form.text);
        let Some(tiles) = found.and_then(|line| line["tiles"].as_u64()) else {
            println!("{}: not recorded", form.text);
            continue;
        };
        let inputs = digests::inputs(form, 0, tiles);
        let start = Instant::now();
        let words = digests::run(&mut Simulator::default(), form, &inputs)?;
        let same = found == Some(&digests::line(form, tiles, &words));
        wrong += u64::from(!same);
        let each = start.elapsed().as_secs_f64() * 1e6 / tiles as f64;
        let told = if same { "the same" } else { "DIFFERENT" };
        println!("{}: {tiles} tiles, {told}; {each:.1} us each", form.text);
    }
    Ok(wrong)
}

/// How many tiles were compared, and how many differ.
fn compare(options: &Options, form: &Form, gpu: &mut Gpu) -> Result<(u64, u64), String> {
    let (mut done, mut differ) = (0, 0);
    while done < options.tiles {
        let count = options.batch.min(options.tiles - done).next_multiple_of(8);
        let inputs = drawn(form, options.first + done, count);
        let right = digests::run(gpu, form, &inputs)?;
        gpu.clear().map_err(|e| e.to_string())?;
        let ours = digests::run(&mut Simulator::default(), form, &inputs)?;
        let of_tile = form.tile_words()[1];
        for (tile, (x, y)) in (0..).zip(right.chunks(of_tile).zip(ours.chunks(of_tile))) {
            if x != y {
                if differ < 16 {
                    let at = x.iter().zip(y).position(|(x, y)| x != y).unwrap_or(0);
                    let number = options.first + done + tile;
                    println!(
                        "  tile {number} word {at}: GPU {:08x}, simulator {:08x}",
                        x[at], y[at]
                    );
                }
                differ += 1;
            }
        }
        done += count;
    }
    Ok((done, differ))
}

/// The words of tiles, drawn by all cores.
fn drawn(form: &Form, first: u64, count: u64) -> Vec<u32> {
    let cores = std::thread::available_parallelism().map_or(1, usize::from) as u64;
    let share = count.div_ceil(cores);
    std::thread::scope(|scope| {
        let shares: Vec<_> = (0..cores)
            .map(|core| {
                let begin = (core * share).min(count);
                let end = (begin + share).min(count);
                scope.spawn(move || digests::inputs(form, first + begin, end - begin))
            })
            .collect();
        shares.into_iter().flat_map(|share| share.join().unwrap_or_default()).collect()
    })
}
