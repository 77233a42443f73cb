//! A launch that is traced for the page of a report, and the file in which the command finds it.

use std::fs;
use std::path::Path;

use warpsim::element::ElementType;
use warpsim::host::{ArgumentPlace, Device as _, DeviceError, Pointer, Simulator};
use warpsim::observe::{Observer, Several, Statistics, Step, TraceStream};
use warpsim::ptx::Space;
use warpsim_driver_core::LaunchToTrace;
use warpsim_formats::json;
use warpsim_formats::shared::{Variable, type_of_accesses};
use warpsim_formats::traced::{
    KeptSteps, SHOWN_CELLS, Steps, TextFile, TracedBuffer, TracedLaunch,
};

use super::system_calls::tell;

/// Traces a launch of this process, and writes it to a file whose name begins so.
///
/// # Errors
/// The launch cannot start.
pub(super) fn trace(launch: LaunchToTrace<'_>, process: u32, to: &Path) -> Result<(), DeviceError> {
    let number = launch.number;
    match traced(launch, process)?.and_then(|traced| json::to_string(&traced)) {
        Ok(text) => write(&text, to, (process, number)),
        Err(error) => tell(&format!("warpsim: launch {number} has no page: {error}")),
    }
    Ok(())
}

/// Writes the file under another name first: the command must not find half of it.
fn write(text: &str, to: &Path, (process, number): (u32, u64)) {
    let file = to.with_extension(format!("{process}.{number}.json"));
    let half = file.with_extension("half");
    let written = fs::write(&half, text).and_then(|()| fs::rename(&half, &file));
    if let Err(error) = written {
        tell(&format!("warpsim: cannot write {}: {error}", file.display()));
    }
}

fn traced(
    launch: LaunchToTrace<'_>,
    process: u32,
) -> Result<std::io::Result<TracedLaunch>, DeviceError> {
    let LaunchToTrace { device, module, kernel, of, launch, arguments, buffers, number } = launch;
    let schedule = device.settings().schedule.to_string();
    let program = device.program(module, kernel)?;
    let (mut steps, mut statistics) = (Steps::default(), Statistics::default());
    let report = {
        // What a pass has left in registers is known to the command that ran the pass.
        let mut trace = TraceStream::new(&[], |step| steps.add(step));
        let both: [&mut dyn Observer; 2] = [&mut trace, &mut statistics];
        let mut both = Several::new(both);
        device.launch_observed(module, kernel, launch, arguments, &mut both)?
    };
    let kept = match steps.finish() {
        Ok(kept) => kept,
        Err(error) => return Ok(Err(error)),
    };
    let sources = kept.sources();
    let KeptSteps { steps, rows, left_out } = kept;
    let shared = program.shared.iter();
    let shared = shared.map(|symbol| Variable::of(symbol, launch.shared, &steps)).collect();
    let mut left = Vec::new();
    for named in buffers {
        left.push(buffer(device, named, &steps)?);
    }
    Ok(Ok(TracedLaunch {
        process,
        number,
        kernel: kernel.to_owned(),
        module: of.to_owned(),
        launch: *launch,
        schedule,
        ptx: TextFile::of_module(&program.source),
        sources,
        shared,
        steps: rows,
        left_out,
        outcome: report.outcome,
        findings: report.findings,
        totals: statistics.totals(),
        buffers: left,
    }))
}

/// What an argument points to, as it is now. Its cells have the type with which the steps access
/// them first, and are words where no step says one.
fn buffer(
    device: &mut Simulator,
    (place, pointer, bytes): (ArgumentPlace, Pointer, u64),
    steps: &[Step],
) -> Result<TracedBuffer, DeviceError> {
    let accessed = type_of_accesses(steps, Space::Global, pointer.0, bytes);
    let fits = |element: &ElementType| bytes >= element.size() as u64;
    let element = accessed.or(Some(ElementType::U32)).filter(fits).unwrap_or(ElementType::U8);
    let length = bytes / element.size() as u64;
    let mut first = vec![0; length.min(SHOWN_CELLS) as usize * element.size()];
    device.download(pointer, &mut first)?;
    Ok(TracedBuffer { place, element, length, first })
}
