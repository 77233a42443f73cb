//! The differential search: random PTX programs on a GPU and on the simulator.
//! `docs/random-programs.md` has what it found. The exit code is 1 when something differs, 4 where
//! there is no GPU.

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use clap::Parser;
use warpsim_campaign::Shard;
use warpsim_gpu::JitLevel;
use warpsim_tests::differential::batch::Batch;
use warpsim_tests::differential::forms::{Forms, Place};
use warpsim_tests::differential::program::Family;
use warpsim_tests::differential::recording::Recording;
use warpsim_tests::differential::search::{BATCH, Plan, Progress, Searched, search};
use warpsim_tests::differential::{replay, shards};

/// Random PTX programs on a GPU and on the simulator.
#[derive(Parser)]
struct Options {
    /// The seed of all programs and operands
    #[arg(long, default_value_t = 1, value_name = "N")]
    seed: u64,
    /// So many programs at most
    #[arg(long, value_name = "N")]
    programs: Option<u64>,
    /// For so long at most
    #[arg(long, default_value_t = 60, value_name = "N")]
    seconds: u64,
    /// Programs of this family only; all unless said
    #[arg(long, value_name = "NAME", value_parser = family)]
    family: Vec<Family>,
    /// So many batches at once; one a core unless said
    #[arg(long, value_name = "N")]
    jobs: Option<usize>,
    /// A level of the driver's compiler, or `default`; both it and 0, in turn, unless said
    #[arg(long, value_name = "LEVEL", value_parser = level)]
    jit_opt: Vec<JitLevel>,
    /// Draw only from forms whose text begins so
    #[arg(long, value_name = "TEXT")]
    begin: Option<String>,
    /// Where the report and programs made small are written
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Keep what the GPU answered as a recording
    #[arg(long, value_name = "FILE")]
    save: Option<PathBuf>,
    /// Compare the simulator with a recording, without a GPU
    #[arg(long, value_name = "FILE", group = "instead")]
    against: Option<PathBuf>,
    /// Leave out of a recording the programs that are not those of today
    #[arg(long, value_name = "FILE", group = "instead")]
    prune: Option<PathBuf>,
    /// Run one program on both and show what it leaves
    #[arg(long, value_name = "FAMILY:SEED:INDEX", group = "instead")]
    replay: Option<String>,
    /// Print the module of a batch, for an assembler
    #[arg(long, value_name = "BATCH", group = "instead")]
    print: Option<u64>,
    /// Do only the K-th of N parts, of a search that has --programs or of --against
    #[arg(long, value_name = "K/N", requires = "shard_out")]
    shard: Option<Shard>,
    /// Where to write what came of the part
    #[arg(long, value_name = "FILE", requires = "shard")]
    shard_out: Option<PathBuf>,
    /// Put together what all parts came to
    #[arg(long, value_name = "FILE", num_args = 1.., group = "instead")]
    merge: Vec<PathBuf>,
    /// List the forms of the table, and which family writes each
    #[arg(long, group = "instead")]
    list_forms: bool,
}

impl Options {
    fn plan(&self) -> Result<Plan, String> {
        let all = Forms::of_the_table();
        let cores = || std::thread::available_parallelism().map_or(1, usize::from);
        let (mut families, mut levels) = (self.family.clone(), self.jit_opt.clone());
        if families.is_empty() {
            families.extend(Family::ALL);
        }
        if levels.is_empty() {
            levels.extend([JitLevel::Default, JitLevel::Level(0)]);
        }
        let plan = Plan {
            seed: self.seed,
            programs: self.programs.unwrap_or(u64::MAX / 64),
            shard: self.shard,
            time: Duration::from_secs(self.seconds),
            families,
            jobs: self.jobs.unwrap_or_else(cores).max(1),
            levels,
            forms: self.begin.iter().fold(all, |forms, text| forms.beginning_with(text)),
            out: self.out.clone(),
            record: self.save.is_some(),
        };
        plan.drawable(&self.family).map_err(|why| match &self.begin {
            Some(text) => format!("{why} whose text begins with `{text}`"),
            None => why,
        })
    }
}

fn family(name: &str) -> Result<Family, String> {
    let names = || Family::ALL.map(Family::name).join(", ");
    Family::named(name).ok_or_else(|| format!("there is no such family; there are {}", names()))
}

fn level(text: &str) -> Result<JitLevel, String> {
    match text.parse() {
        Ok(level @ 0..=4) => Ok(JitLevel::Level(level)),
        _ if text == "default" => Ok(JitLevel::Default),
        _ => Err("give 0 to 4, or default".to_owned()),
    }
}

fn main() -> ExitCode {
    if let Some(code) = warpsim_gpu::isolated::serve_if_asked() {
        std::process::exit(code);
    }
    match run(&Options::parse()) {
        Ok(code) => code,
        Err(why) => {
            eprintln!("differential: {why}");
            ExitCode::from(2)
        }
    }
}

fn run(options: &Options) -> Result<ExitCode, String> {
    if options.list_forms {
        list();
        return Ok(ExitCode::SUCCESS);
    }
    if !options.merge.is_empty() {
        let (text, differs) = shards::merge(&options.merge)?;
        print!("{text}");
        return Ok(ExitCode::from(u8::from(differs)));
    }
    let plan = options.plan()?;
    if let Some(batch) = options.print {
        let first = batch * BATCH;
        print!("{}", Batch::drawn(plan.families[0], &plan.forms, plan.seed, first, BATCH).text());
        return Ok(ExitCode::SUCCESS);
    }
    if let Some(file) = &options.prune {
        let mut recording = read(file)?;
        recording.prune();
        std::fs::write(file, format!("{:#}\n", recording.json())).map_err(|e| e.to_string())?;
        return Ok(ExitCode::SUCCESS);
    }
    if let Some(file) = &options.against {
        return against(file, options);
    }
    if let Some(which) = &options.replay {
        print!("{}", replay::replay(which, &plan)?);
        return Ok(ExitCode::SUCCESS);
    }
    if plan.shard.is_some() && (options.programs.is_none() || options.save.is_some()) {
        return Err(
            "a shard of a search is one of so many --programs, and has no --save".to_owned()
        );
    }
    if let Some(out) = &plan.out {
        std::fs::create_dir_all(out).map_err(|e| e.to_string())?;
    }
    let batches = plan.own_batches();
    let progress = Progress::from(batches.start);
    let done = AtomicBool::new(false);
    let start = Instant::now();
    let searched = std::thread::scope(|scope| {
        scope.spawn(|| {
            while !done.load(Ordering::Relaxed) {
                std::thread::sleep(Duration::from_millis(500));
                if (start.elapsed().as_millis() / 500).is_multiple_of(8) {
                    println!("{:6.1} s: {}", start.elapsed().as_secs_f64(), progress.line());
                }
            }
        });
        let searched = search(&plan, &progress);
        done.store(true, Ordering::Relaxed);
        searched
    });
    let searched = match searched {
        Ok(searched) => searched,
        Err(why) => {
            eprintln!("differential: {why}");
            return Ok(ExitCode::from(4));
        }
    };
    print!("{}", searched.report.text());
    if let (Some(shard), Some(file)) = (options.shard, &options.shard_out) {
        if !progress.is_past(&batches) {
            return Err(
                "the time was over before all programs of the shard: give --seconds".to_owned()
            );
        }
        shards::write_search(&plan, &searched.report, shard, file)?;
        return Ok(ExitCode::SUCCESS);
    }
    if let Some(out) = &plan.out {
        let json = format!("{:#}\n", searched.report.json());
        std::fs::write(out.join("report.json"), json).map_err(|e| e.to_string())?;
    }
    if let Some(file) = &options.save {
        save(file, &searched, &plan)?;
    }
    Ok(ExitCode::from(u8::from(!searched.report.differences.is_empty())))
}

/// The lines of the support table, and where programs with each are written.
fn list() {
    for entry in warpsim::isa::forms() {
        match Place::of(&entry) {
            Some(Place::Nowhere(why)) => println!("{:<40} not written: {why}", entry.form),
            Some(place) => println!("{:<40} {}", entry.form, format!("{place:?}").to_lowercase()),
            None => {}
        }
    }
}

fn save(file: &PathBuf, searched: &Searched, plan: &Plan) -> Result<(), String> {
    let mut families = Vec::new();
    for family in Family::ALL {
        let of = searched.recorded.iter().filter(|((f, _), _)| *f == family);
        let programs: Vec<_> = of.map(|(_, recorded)| recorded.clone()).collect();
        if !programs.is_empty() {
            families.push((family, programs));
        }
    }
    let all = plan.forms.exact.iter().chain(&plan.forms.approximate);
    let recording = Recording {
        seed: plan.seed,
        device: searched.report.device.clone(),
        driver: searched.report.driver.clone(),
        date: std::env::var("WARPSIM_DATE").unwrap_or_default(),
        forms: all.map(|form| form.text.clone()).collect(),
        families,
    };
    std::fs::write(file, format!("{:#}\n", recording.json())).map_err(|e| e.to_string())
}

fn read(file: &PathBuf) -> Result<Recording, String> {
    let text = std::fs::read_to_string(file).map_err(|e| format!("{}: {e}", file.display()))?;
    Recording::parse(&text).ok_or_else(|| "it is no recording of a search".to_owned())
}

/// Compares the simulator with a recording.
fn against(file: &PathBuf, options: &Options) -> Result<ExitCode, String> {
    let recording = read(file)?;
    if let (Some(shard), Some(file)) = (options.shard, &options.shard_out) {
        shards::write_against(&recording, shard, file)?;
        return Ok(ExitCode::SUCCESS);
    }
    let families = shards::against(&recording, &(0..shards::programs(&recording)))?;
    let (text, differs) = shards::in_words(&families);
    print!("{text}");
    Ok(ExitCode::from(u8::from(differs)))
}
