//! The differential search: random PTX programs on a GPU and on the simulator.
//!
//! `differential [--seed N] [--programs N] [--seconds N] [--family NAME]... [--jobs N]
//! [--jit-opt N|default]... [--begin TEXT] [--out DIR] [--save FILE] | --against FILE |
//! --prune FILE | --replay FAMILY:SEED:INDEX | --print BATCH | --list-forms`
//!
//! `--print` writes the module of a batch, for an assembler. `--begin` draws only from forms whose
//! text begins so. `--save` keeps what the GPU answered as a recording, `--against` compares the
//! simulator with one, and `--prune` leaves out of one what the programs of today are not. The exit
//! code is 1 when something differs, 4 where there is no GPU.

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use warpsim_gpu::JitLevel;
use warpsim_tests::differential::batch::Batch;
use warpsim_tests::differential::forms::{Forms, Place};
use warpsim_tests::differential::program::Family;
use warpsim_tests::differential::recording::Recording;
use warpsim_tests::differential::search::{BATCH, Plan, Progress, Searched, search};
use warpsim_tests::differential::{operands, replay};

struct Options {
    plan: Plan,
    save: Option<PathBuf>,
    against: Option<PathBuf>,
    prune: Option<PathBuf>,
    replay: Option<String>,
    print: Option<u64>,
    list: bool,
}

fn main() -> ExitCode {
    if let Some(code) = warpsim_gpu::isolated::serve_if_asked() {
        std::process::exit(code);
    }
    match options().and_then(|options| run(&options)) {
        Ok(code) => code,
        Err(why) => {
            eprintln!("differential: {why}");
            ExitCode::from(2)
        }
    }
}

fn options() -> Result<Options, String> {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let plan = Plan {
        seed: 1,
        programs: u64::MAX / 64,
        time: Duration::from_secs(60),
        families: Vec::new(),
        jobs: cores,
        levels: Vec::new(),
        forms: Forms::of_the_table(),
        out: None,
        record: false,
    };
    let mut options = Options {
        plan,
        save: None,
        against: None,
        prune: None,
        replay: None,
        print: None,
        list: false,
    };
    let mut words = std::env::args().skip(1);
    while let Some(word) = words.next() {
        let plan = &mut options.plan;
        if word == "--list-forms" {
            options.list = true;
            continue;
        }
        let value = words.next().ok_or(format!("{word} needs a value"))?;
        let number = || value.parse::<u64>().map_err(|_| format!("{word} {value}: no number"));
        match word.as_str() {
            "--seed" => plan.seed = number()?,
            "--programs" => plan.programs = number()?,
            "--seconds" => plan.time = Duration::from_secs(number()?),
            "--jobs" => plan.jobs = number()?.max(1) as usize,
            "--family" => plan
                .families
                .push(Family::named(&value).ok_or(format!("there is no family {value}"))?),
            "--jit-opt" if value == "default" => plan.levels.push(JitLevel::Default),
            "--jit-opt" => plan.levels.push(JitLevel::Level(number()?.min(4) as u8)),
            "--begin" => plan.forms = plan.forms.beginning_with(&value),
            "--out" => plan.out = Some(PathBuf::from(value)),
            "--save" => options.save = Some(PathBuf::from(value)),
            "--against" => options.against = Some(PathBuf::from(value)),
            "--prune" => options.prune = Some(PathBuf::from(value)),
            "--replay" => options.replay = Some(value),
            "--print" => options.print = Some(number()?),
            _ => return Err(format!("{word} is no option")),
        }
    }
    let plan = &mut options.plan;
    if plan.families.is_empty() {
        plan.families = Family::ALL.to_vec();
    }
    if plan.levels.is_empty() {
        plan.levels = vec![JitLevel::Default, JitLevel::Level(0)];
    }
    plan.record = options.save.is_some();
    Ok(options)
}

fn run(options: &Options) -> Result<ExitCode, String> {
    if options.list {
        list();
        return Ok(ExitCode::SUCCESS);
    }
    if let Some(batch) = options.print {
        let plan = &options.plan;
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
        return against(file);
    }
    if let Some(which) = &options.replay {
        print!("{}", replay::replay(which, &options.plan)?);
        return Ok(ExitCode::SUCCESS);
    }
    if let Some(out) = &options.plan.out {
        std::fs::create_dir_all(out).map_err(|e| e.to_string())?;
    }
    let progress = Progress::default();
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
        let searched = search(&options.plan, &progress);
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
    if let Some(out) = &options.plan.out {
        let json = format!("{:#}\n", searched.report.json());
        std::fs::write(out.join("report.json"), json).map_err(|e| e.to_string())?;
    }
    if let Some(file) = &options.save {
        save(file, &searched, &options.plan)?;
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
fn against(file: &PathBuf) -> Result<ExitCode, String> {
    let recording = read(file)?;
    let forms = recording.forms();
    let table = operands::table(recording.seed);
    let mut all = 0;
    for (family, programs) in &recording.families {
        let (mut found, mut first) = (Vec::new(), None);
        for recorded in programs.chunks(32) {
            let batch = recording.batch(*family, &forms, recorded);
            for (i, label) in replay::against(recorded, &batch, &table)? {
                first.get_or_insert(recorded[i].index);
                found.push(label);
            }
        }
        let count = found.len();
        all += count;
        found.sort();
        found.dedup();
        let name = family.name();
        println!("{name:<12} {} programs, {count} differ", programs.len());
        if let Some(first) = first {
            println!("  caught after {} programs; first in: {}", first + 1, found.join(", "));
        }
    }
    Ok(ExitCode::from(u8::from(all > 0)))
}
