//! `warpsim programs run`: the program's story, or every variant as written and after the pass,
//! under each schedule, against the oracle. It also prints the program's own report.

use comfy_table::Table;
use warpsim::host::{Device, DeviceError, DeviceProfile, Simulator};
use warpsim::passes;
use warpsim::ptx::Module;
use warpsim_gpu::JitLevel;
use warpsim_programs::{
    Asked, Colour, Form, Numbers, Program, Reporting, RunError, Soundness, Told, Variant,
};

use super::ended::Ended;
use super::failed;
use crate::args::ProgramsRunArgs;
use crate::args::launch::Target;
use crate::failure::{Exit, Failure};
use crate::input;
use crate::launch::device::gpu;
use crate::launch::memory::host_memory;
use crate::output::{Output, Style};
use crate::render::table;

/// The pass that plays the compiler.
const PASS: &str = "register-cache";
/// Schedules that a program is run under.
const SCHEDULES: [&str; 2] = ["in-order", "reverse"];

pub(super) fn run(
    program: &'static Program,
    args: &ProgramsRunArgs,
    output: &mut Output,
) -> Result<Exit, Failure> {
    refuse_what_has_no_meaning(program, args)?;
    match program.told {
        Told::Verdicts => verdicts(program, output),
        Told::Story(story) => {
            let text = story(colour(output)).map_err(|e| failed(&e, None, output))?;
            output.print(&text)?;
            Ok(Exit::CLEAN)
        }
        Told::Report(reporting) => {
            let is_asked_for = args.n.is_some() || args.sweep || args.on == Target::Gpu;
            let exit = match is_asked_for {
                true => Exit::CLEAN,
                false => verdicts(program, output)?,
            };
            if !is_asked_for {
                output.line("")?;
            }
            report(reporting, args, output)?;
            Ok(exit)
        }
    }
}

/// Options that a program does not take.
fn refuse_what_has_no_meaning(program: &Program, args: &ProgramsRunArgs) -> Result<(), Failure> {
    let (sizes, has_sweep, reports) = match program.told {
        Told::Verdicts | Told::Story(_) => (None, false, false),
        Told::Report(reporting) => (reporting.sizes, reporting.has_sweep, true),
    };
    let none = |option: &str| {
        Err(Failure::usage(format!("`{option}` has no meaning for the program `{}`", program.name)))
    };
    match (args.n, sizes) {
        (Some(_), None) => return none("--n"),
        (Some(n), Some((least, most))) if !(least..=most).contains(&n) => {
            return Err(Failure::usage(format!(
                "`--n {n}`: the program `{}` takes sizes from {least} to {most}",
                program.name
            )));
        }
        (Some(_), Some(_)) | (None, _) => (),
    }
    match args.on {
        _ if args.sweep && !has_sweep => none("--sweep"),
        Target::Gpu if !reports => Err(Failure::usage_with_help(
            format!("`--on gpu` has no meaning for the program `{}`", program.name),
            format!("`warpsim programs compare {}` runs it on both", program.name),
        )),
        Target::Gpu | Target::Sim => Ok(()),
    }
}

fn colour(output: &Output) -> Colour {
    if output.colour() { Colour::Ansi } else { Colour::Never }
}

/// What the program finds out about itself.
fn report(
    reporting: Reporting,
    args: &ProgramsRunArgs,
    output: &mut Output,
) -> Result<(), Failure> {
    let asked = Asked { colour: colour(output), n: args.n, sweep: args.sweep };
    let on = |device: &mut dyn Device| (reporting.report)(device, &asked);
    let text = match args.on {
        Target::Sim => on(&mut Simulator::new(profile_of_this_machine())),
        Target::Gpu => {
            let mut gpu = gpu(args.gpu_timeout, JitLevel::Default)
                .map_err(|error| super::compare::missing("run on", &error))?;
            on(&mut gpu)
        }
    };
    output.print(&text.map_err(|error| match error {
        RunError::Device(DeviceError::OutOfMemory { requested, available }) => {
            Failure::usage_with_help(
                format!("this needs {requested} bytes of memory, and {available} bytes are free"),
                "ask for less with `--n`",
            )
        }
        error => failed(&error, None, output),
    })?)
}

/// The default device, with no more memory than this machine has left: simulated memory needs real
/// memory.
fn profile_of_this_machine() -> DeviceProfile {
    let mut profile = DeviceProfile::default();
    let free = host_memory().unwrap_or(u64::MAX);
    profile.global_memory = profile.global_memory.min(free);
    profile
}

/// Runs every variant as written and after the pass, under each schedule, against the oracle.
fn verdicts(program: &'static Program, output: &mut Output) -> Result<Exit, Failure> {
    let input = program.example_input();
    let module = program.module(Form::Naive).map_err(|e| failed(&e, None, output))?;
    let rewritten = passes::by_name(PASS).map(|pass| pass(&module)).transpose();
    let rewritten = rewritten.map_err(|error| input::not_rewritten(&error, &module, output))?;
    let rewritten = rewritten.map(|rewritten| rewritten.module);
    let mut table = table(["variant", "compiler", "schedule", "result", "when it is right"]);
    let mut as_documented = true;
    for variant in program.variants {
        let expected = program.oracle(variant, &input);
        for (compiler, module) in [("as written", Some(&module)), (PASS, rewritten.as_ref())] {
            let Some(module) = module else { continue };
            for schedule in SCHEDULES {
                let ended = run_once(program, module, variant, &input, schedule)?
                    .map_err(|error| failed(&error, Some(module), output))?;
                let right = ended.is_right(program, &expected);
                as_documented &= is_documented(variant, compiler == PASS, schedule, right);
                let verdict = verdict(&ended, right, output.colour());
                add_verdict(&mut table, variant, [compiler, schedule, &verdict]);
            }
        }
    }
    output.line(&format!("{}: {} ({})\n", program.name, program.summary, counted(&input)))?;
    output.line(&table.trim_fmt())?;
    Ok(if as_documented { Exit::CLEAN } else { Exit::FINDING })
}

/// How many numbers the input has, and the first of them.
fn counted(input: &[i32]) -> String {
    match input {
        [only] => only.to_string(),
        [a, b, c, _, ..] => format!("{} numbers, {a}, {b}, {c}, ...", input.len()),
        few => few.iter().map(i32::to_string).collect::<Vec<_>>().join(", "),
    }
}

fn run_once(
    program: &Program,
    module: &Module,
    variant: &Variant,
    input: &[i32],
    schedule: &str,
) -> Result<Result<Ended, RunError>, Failure> {
    let mut simulator = Simulator::default();
    simulator.settings_mut().schedule = schedule
        .parse()
        .map_err(|e: warpsim::schedule::ScheduleError| Failure::usage(e.to_string()))?;
    Ok(Ended::of(program, &mut simulator, module, variant, input))
}

/// Right, or else the result if it is one number.
fn verdict(ended: &Ended, right: bool, colour: bool) -> String {
    let only = |numbers: &Numbers| match numbers.texts().as_slice() {
        [only] => format!("WRONG: {only}"),
        _ => "WRONG".to_owned(),
    };
    match (&ended.numbers, right) {
        (_, true) => Style::Good.paint("right", colour),
        (Some(numbers), false) => Style::Error.paint(&only(numbers), colour),
        (None, false) => Style::Error.paint(ended.outcome.name(), colour),
    }
}

fn add_verdict(table: &mut Table, variant: &Variant, [compiler, schedule, verdict]: [&str; 3]) {
    let soundness = variant.soundness.describe();
    table.add_row([variant.name, compiler, schedule, verdict, soundness]);
}

/// Whether a verdict is as the program's documentation promises. If lanes may diverge, a variant
/// that relies on their moving together promises nothing.
fn is_documented(variant: &Variant, cached: bool, schedule: &str, right: bool) -> bool {
    match variant.soundness {
        Soundness::Synchronised => right,
        Soundness::WarpSynchronous | Soundness::AsWritten | Soundness::Unmasked => {
            schedule != "in-order" || Some(right) == variant.soundness.is_right(Form::Naive, cached)
        }
        Soundness::Faulty(_) => true,
    }
}
