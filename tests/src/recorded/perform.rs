//! Doing it on a GPU.

use warpsim::element::ElementType;
use warpsim::host::Launch;
use warpsim::report::Outcome;
use warpsim_cli::recorder::{Recorder, ints};
use warpsim_gpu::recording::{
    Compiled, Ended, Left, ProgramCall, Run, Simulated, Submission, Work,
};
use warpsim_gpu::{Isolated, JitLevel};
use warpsim_programs::{Numbers, Program, RunError, Variant, volatile};

use super::{Subject, Task};

/// Does what a subject says on a GPU and gives the runs: one for each level with a different
/// result.
///
/// # Errors
/// The driver refuses the module or the launch: its words.
pub fn perform(
    subject: &Subject,
    root: &std::path::Path,
    recorder: &mut Recorder,
) -> Result<Vec<Run>, String> {
    match &subject.task {
        Task::Launch(options) => {
            let file = root.join(&subject.module).display().to_string();
            let arguments = [vec![file], options.clone()].concat();
            let runs = subject.levels.iter().map(|level| {
                let run = recorder.run(&arguments, *level, subject.timeout)?;
                Ok(Run { racy: subject.racy, ..run })
            });
            runs.collect()
        }
        Task::Program { program, form, variant, input } => {
            let call = ProgramCall {
                program: (*program).to_owned(),
                form: (*form).to_owned(),
                variant: (*variant).to_owned(),
                input: input.clone(),
            };
            let runs = subject.levels.iter().map(|level| {
                let result = recorder
                    .with_gpu(|gpu| of_program(&call, gpu, *level, subject))
                    .map_err(|e| e.to_string())?;
                let (outcome, left) = match result? {
                    Came::To(numbers) => {
                        (Ended::Completed, vec![Left::of(0, numbers.ty, &numbers.bytes)])
                    }
                    Came::ToAStop(Outcome::Hung) => (Ended::Hung, Vec::new()),
                    Came::ToAStop(outcome) => return Err(format!("it ended with `{outcome}`")),
                };
                let work = Work::Program(call.clone());
                let run = completed(work, Compiled::At(vec![*level]), left, subject);
                Ok(Run { outcome, ..run })
            });
            runs.collect()
        }
        Task::FiveRows => {
            let rows = recorder.with_gpu(five_rows).map_err(|e| e.to_string())?;
            Ok(vec![of_rows(&rows.map_err(|e| e.to_string())?, subject)])
        }
    }
}

fn completed(work: Work, compiled: Compiled, buffers: Vec<Left>, subject: &Subject) -> Run {
    Run {
        work,
        compiled,
        racy: subject.racy,
        simulated: None,
        outcome: Ended::Completed,
        words: None,
        buffers,
        made: None,
    }
}

fn bytes(ints: &[i32]) -> Vec<u8> {
    ints.iter().flat_map(|int| int.to_le_bytes()).collect()
}

fn of_program(
    call: &ProgramCall,
    gpu: &mut Isolated,
    level: Option<u8>,
    subject: &Subject,
) -> Result<Came, String> {
    let settings = gpu.settings_mut();
    (settings.jit, settings.timeout) = (JitLevel::from(level), subject.timeout);
    run_program(call, gpu)
}

/// The result of a program.
pub(super) enum Came {
    /// These numbers.
    To(Numbers),
    /// A launch that did not complete.
    ToAStop(Outcome),
}

impl Came {
    /// The result, for people.
    pub(super) fn in_words(&self) -> String {
        match self {
            Came::To(_) => "completed here".to_owned(),
            Came::ToAStop(outcome) => format!("`{outcome}` here"),
        }
    }
}

/// Runs a program on a device, as a recording names it.
///
/// # Errors
/// There is no such program, form or variant, or the device refuses something.
pub(super) fn run_program(
    call: &ProgramCall,
    device: &mut dyn warpsim::host::Device,
) -> Result<Came, String> {
    let (program, variant) = variant_of(call)?;
    let form = program.ptx.iter().find(|(form, _)| form.name() == call.form);
    let (form, _) = form.ok_or("the program has no such form")?;
    let module = program.module(*form).map_err(|e| e.to_string())?;
    let input = ints(&call.input)?;
    match program.run(device, &module, variant, &input) {
        Ok(numbers) => Ok(Came::To(numbers)),
        Err(RunError::Stopped { report, .. }) => Ok(Came::ToAStop(report.outcome)),
        Err(error) => Err(error.to_string()),
    }
}

/// The program of a recording, and its variant.
pub(super) fn variant_of(
    call: &ProgramCall,
) -> Result<(&'static Program, &'static Variant), String> {
    let program = warpsim_programs::find(&call.program).ok_or("there is no such program")?;
    let variant = program.variant(&call.variant).ok_or("the program has no such variant")?;
    Ok((program, variant))
}

/// The scan by hand, loaded anew at each level, five launches on the same memory.
fn five_rows(gpu: &mut Isolated) -> Result<Vec<Vec<i32>>, RunError> {
    use warpsim::host::Device as _;
    let text = volatile::BY_HAND;
    let module = warpsim::ptx::parse(text.file, text.text).map_err(RunError::Parse)?;
    let input: Vec<i32> = (1..=32).collect();
    volatile::five_rows(gpu, "scan", &input, |gpu, number| {
        gpu.settings_mut().jit = JitLevel::Level(number as u8);
        Ok(gpu.load(&module)?)
    })
}

fn of_rows(rows: &[Vec<i32>], subject: &Subject) -> Run {
    let work = Work::Launch(Submission {
        kernel: "scan".to_owned(),
        launch: Launch::new(1, 32),
        args: vec!["s32[32]=iota:1".to_owned(), "s32[32]".to_owned()],
        globals: Vec::new(),
        links: Vec::new(),
        launches: rows.len() as u32,
        passes: Vec::new(),
    });
    let of_row = |(row, number): (&Vec<i32>, u32)| Left {
        launch: Some(number),
        ..Left::of(1, ElementType::I32, &bytes(row))
    };
    let left = rows.iter().zip(1..).map(of_row).collect();
    let levels = (0..rows.len() as u8).collect();
    let simulated = Simulated {
        passes: vec!["register-cache@2-5".to_owned()],
        shared_init: "leftover".to_owned(),
    };
    let run = completed(work, Compiled::InTurn(levels), left, subject);
    Run { simulated: Some(simulated), ..run }
}
