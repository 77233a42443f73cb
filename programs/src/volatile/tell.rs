//! Makes the story: runs the scan four times, and compares the traces of two of the runs.
//!
//! The wrong round is the first load of shared memory at which a lane reads another value than in
//! the run as written. The same instructions are compared: they keep their identity through the
//! pass. The culprit is the store that gave the run as written its value.

use warpsim::host::{Argument, DeviceError, DeviceProfile, Launch, Simulator};
use warpsim::lanes::lanes_of;
use warpsim::observe::{AccessKind, Step, Touch, Trace};
use warpsim::passes::{self, Remark};
use warpsim::ptx::{Module, SourceMap, Space};

use super::story::{Accesses, Culprit, LaneRead, Round, Run, Story};
use super::{LANES, PROGRAM, leftovers};
use crate::ints;
use crate::program::{Form, RunError, Text, completed};
use crate::scan::sums;

/// The pass that plays the compiler.
const PASS: &str = "register-cache";

/// How a run differs from the others.
struct Scene {
    title: &'static str,
    note: &'static str,
    kernel: &'static str,
    pass: Option<&'static str>,
    schedule: &'static str,
}

const SCENES: [Scene; 4] = [
    Scene {
        title: "as written",
        note: "int *data: every access happens, and the lanes of the warp move together",
        kernel: "scan_plain",
        pass: None,
        schedule: "in-order",
    },
    Scene {
        title: "register-cached",
        note: "int *data: a compiler keeps data[t + 32] in a register",
        kernel: "scan_plain",
        pass: Some(PASS),
        schedule: "in-order",
    },
    Scene {
        title: "volatile",
        note: "volatile int *data: the same compiler has to make every access",
        kernel: "scan_volatile",
        pass: Some(PASS),
        schedule: "in-order",
    },
    Scene {
        title: "volatile, reversed",
        note: "volatile int *data: still unsafe, because lanes may part, and here lane 31 runs \
               first",
        kernel: "scan_volatile",
        pass: None,
        schedule: "reverse",
    },
];

/// A run with its trace, and with what the pass did before it.
struct Performance {
    run: Run,
    trace: Trace,
    remarks: Vec<Remark>,
    /// Where `data` begins in shared memory.
    data: u64,
}

/// Runs the scan of 1, 2, 3, ... 32 in the four ways, and finds out where and why it goes wrong.
///
/// ```
/// let story = warpsim_programs::volatile::tell()?;
/// let verdicts: Vec<bool> = story.runs.iter().map(|run| run.is_right).collect();
/// assert_eq!(verdicts, [true, false, true, false]);
/// # Ok::<(), warpsim_programs::RunError>(())
/// ```
///
/// # Errors
/// When a run fails, or the second does not differ from the first; both would be defects of ours.
pub fn tell() -> Result<Story, RunError> {
    let module = PROGRAM.module(Form::Naive)?;
    let input = PROGRAM.example_input();
    let performances: Vec<Performance> = SCENES
        .iter()
        .map(|scene| perform(scene, &module, &input))
        .collect::<Result<_, RunError>>()?;
    let [as_written, cached, ..] = performances.as_slice() else {
        return Err(RunError::NothingToTell("two runs to compare"));
    };
    let difference = first_difference(as_written, cached)?;
    let round = round(as_written, cached, &difference)?;
    let culprit = culprit(as_written, cached, &difference, &module)?;
    let leftovers = leftovers::simulated_rows(&module, "scan_plain", &input)?;
    Ok(Story {
        source_file: PROGRAM.source.file.to_owned(),
        ptx_file: PROGRAM.text(Form::Naive).map_or("", |text| text.file).to_owned(),
        source: source_of(as_written),
        expected: sums(&input),
        input,
        round,
        culprit,
        leftovers,
        runs: performances.into_iter().map(|performance| performance.run).collect(),
    })
}

fn perform(scene: &Scene, module: &Module, input: &[i32]) -> Result<Performance, RunError> {
    let rewritten = scene.pass.and_then(passes::by_name).map(|pass| pass(module));
    let (module, remarks) = match rewritten.transpose().map_err(DeviceError::from)? {
        Some(rewritten) => (rewritten.module, rewritten.remarks),
        None => (module.clone(), Vec::new()),
    };
    let mut device = Simulator::new(DeviceProfile::h200());
    if let Ok(schedule) = scene.schedule.parse() {
        device.settings_mut().schedule = schedule;
    }
    let (trace, output, data) = watch(&mut device, &module, scene.kernel, input)?;
    let run = Run {
        title: scene.title,
        note: scene.note,
        kernel: scene.kernel,
        pass: scene.pass,
        schedule: scene.schedule,
        accesses: accesses(&trace),
        is_right: output == sums(input),
        output,
    };
    Ok(Performance { run, trace, remarks, data })
}

/// Runs a kernel under a trace; also says where its shared array begins.
fn watch(
    device: &mut Simulator,
    module: &Module,
    kernel: &'static str,
    input: &[i32],
) -> Result<(Trace, Vec<i32>, u64), RunError> {
    use warpsim::host::Device as _;
    let module = device.load(module)?;
    let from = ints::upload(device, input)?;
    let to = ints::allocate(device, LANES)?;
    let arguments = [Argument::Pointer(from), Argument::Pointer(to)];
    let launch = Launch::new(1, LANES as u32);
    let mut trace = Trace::new();
    let report = device.launch_observed(module, kernel, &launch, &arguments, &mut trace)?;
    completed(kernel, report)?;
    let output = ints::download(device, to, LANES)?;
    let program = device.program(module, kernel)?;
    let data = program.shared.first().map_or(0, |symbol| symbol.address);
    Ok((trace, output, data))
}

/// The shared memory that a step touched in this way.
fn shared(step: &Step, kind: AccessKind) -> Option<&Touch> {
    step.touches.iter().find(|touch| touch.space == Space::Shared && touch.kind == kind)
}

/// How many times lane 0 went to shared memory.
fn accesses(trace: &Trace) -> Accesses {
    let count = |kind| {
        let touches = trace.steps().iter().filter_map(|step| shared(step, kind));
        touches.filter(|touch| touch.mask & 1 == 1).count()
    };
    Accesses { loads: count(AccessKind::Read), stores: count(AccessKind::Write) }
}

/// The source lines that went to shared memory, in their order.
fn source_of(performance: &Performance) -> Vec<(u32, String)> {
    let touching = performance.trace.steps().iter().filter(|step| {
        shared(step, AccessKind::Read).or(shared(step, AccessKind::Write)).is_some()
    });
    let mut lines: Vec<u32> = touching.map(line_of).collect();
    lines.sort_unstable();
    lines.dedup();
    lines.into_iter().map(|line| (line, source_line(PROGRAM.source, line))).collect()
}

fn line_of(step: &Step) -> u32 {
    step.source.as_ref().map_or(0, |source| source.line)
}

/// A line of a text without its indentation.
fn source_line(source: Text, line: u32) -> String {
    let index = (line as usize).saturating_sub(1);
    source.text.lines().nth(index).unwrap_or_default().trim().to_owned()
}

/// The load at which two runs part.
struct Difference<'a> {
    /// Which of the loads of the second run it is, from 1.
    number: usize,
    /// The load in the run as written.
    should: &'a Step,
    /// The load in the run that goes wrong.
    does: &'a Step,
    /// A lane that reads another value.
    lane: usize,
}

fn first_difference<'a>(
    as_written: &'a Performance,
    cached: &'a Performance,
) -> Result<Difference<'a>, RunError> {
    let loads = cached.trace.steps().iter();
    let loads = loads.filter(|step| shared(step, AccessKind::Read).is_some());
    for (index, does) in loads.enumerate() {
        let same = |step: &&Step| step.instruction == does.instruction;
        let Some(should) = as_written.trace.steps().iter().find(same) else { continue };
        let differs = |lane: &usize| written(should, *lane) != written(does, *lane);
        if let Some(lane) = lanes_of(does.active).find(differs) {
            return Ok(Difference { number: index + 1, should, does, lane });
        }
    }
    Err(RunError::NothingToTell("a load that reads another value"))
}

/// What a step wrote to its first register in a lane.
fn written(step: &Step, lane: usize) -> i32 {
    step.writes.first().and_then(|values| values.bits.get(lane)).map_or(0, |bits| *bits as i32)
}

fn round(
    as_written: &Performance,
    cached: &Performance,
    difference: &Difference<'_>,
) -> Result<Round, RunError> {
    let Difference { number, should, does, .. } = difference;
    let missing = RunError::NothingToTell("the addition after the load");
    let sum_should = addition(&as_written.trace, should).ok_or(missing.clone())?;
    let sum_does = addition(&cached.trace, does).ok_or(missing)?;
    let touch = shared(does, AccessKind::Read);
    let row = |lane: usize| LaneRead {
        lane: lane as u32,
        cell: touch.map_or(0, |touch| (touch.addresses[lane] - cached.data) / 4),
        should_read: written(should, lane),
        read: written(does, lane),
        sum_should_be: written(sum_should, lane),
        sum: written(sum_does, lane),
    };
    let line = line_of(does);
    Ok(Round {
        number: *number,
        line,
        text: source_line(PROGRAM.source, line),
        lanes: lanes_of(does.active).map(row).collect(),
    })
}

/// The addition that takes up what a load has loaded.
fn addition<'a>(trace: &'a Trace, load: &Step) -> Option<&'a Step> {
    let loaded = &load.writes.first()?.register;
    let after = trace.steps().get(load.number + 1..)?;
    after.iter().find(|step| {
        step.name.starts_with("add") && step.reads.iter().any(|read| read.register == *loaded)
    })
}

/// The store that the run as written did before the load and the other did not.
fn culprit(
    as_written: &Performance,
    cached: &Performance,
    difference: &Difference<'_>,
    module: &Module,
) -> Result<Culprit, RunError> {
    let Difference { should, lane, .. } = difference;
    let missing = RunError::NothingToTell("the store that the load missed");
    let touch = shared(should, AccessKind::Read).ok_or(missing.clone())?;
    let address = touch.addresses[*lane];
    let before = &as_written.trace.steps()[..should.number];
    let writer = |step: &Step| {
        let touch = shared(step, AccessKind::Write)?;
        lanes_of(touch.mask).find(|lane| touch.addresses[*lane] == address)
    };
    let store = before.iter().rev().find_map(|step| Some((step, writer(step)?)));
    let (store, writer) = store.ok_or(missing.clone())?;
    let remark = cached.remarks.iter().find(|remark| remark.inst == store.instruction);
    let remark = remark.ok_or(missing)?;
    let map = SourceMap::of(module);
    let worded = |inst, _| map.position(inst).map_or_else(String::new, |at| at.line.to_string());
    Ok(Culprit {
        line: line_of(store),
        text: source_line(PROGRAM.source, line_of(store)),
        ptx_line: store.line,
        instruction: format!("{};", store.text),
        reason: remark.worded(&worded),
        holder: remark.holder.to_string(),
        reader: *lane as u32,
        writer: writer as u32,
    })
}
