//! Launches: run, checked under several schedules, or explored.

use std::path::Path;
use std::time::Instant;

use pyo3::prelude::*;
use pyo3::types::PyBytes;
use warpsim::explore::{Exploration, LaunchRequest, Strategy, Unit, explore as explore_launch};
use warpsim::host::{Device, DeviceError, Launch};
use warpsim::report::{Finding, Report};
use warpsim_cli::documents::{Launched, Tried, finding_text, journal_findings, launch_document};

use crate::arguments::{Given, Placed, cell_types};
use crate::errors::{Kind, of_device, refused};
use crate::interruptible::interruptible;
use crate::module::Module;
use crate::settings::Settings;

/// What the buffer of each argument that is one holds after a launch.
type Left = Vec<Option<Vec<u8>>>;

/// What Python gets: the document, each finding as text, and what the buffers hold.
type Told = (String, Vec<String>, Vec<Option<Py<PyBytes>>>);

/// The shape of a launch: grid, block, bytes of dynamic shared memory, whether it is cooperative.
pub(crate) type Shape = ([u32; 3], [u32; 3], u32, bool);

/// The launch of a shape.
pub(crate) fn launch_of((grid, block, shared, cooperative): Shape) -> Launch {
    Launch { grid, block, shared, cooperative }
}

/// Runs a launch: once, or, where `is_checked`, under several schedules with analyses watching.
#[pyfunction]
pub(crate) fn run(
    py: Python<'_>,
    module: &Module,
    kernel: &str,
    shape: Shape,
    arguments: Vec<Given>,
    settings: &Settings,
    is_checked: bool,
) -> PyResult<Told> {
    let (mut device, meter) = settings.device()?;
    device.settings_mut().checking = is_checked.then(|| settings.checking());
    let launch = launch_of(shape);
    let types = cell_types(&arguments)?;
    let begun = Instant::now();
    let work = || -> Result<(Report, Left), DeviceError> {
        let loaded = device.load(&module.text)?;
        let placed = Placed::on(&mut device, &arguments, types)?;
        let report = device.launch(loaded, kernel, &launch, &placed.arguments)?;
        Ok((report, placed.contents(&mut device)?))
    };
    let (report, buffers) =
        interruptible(py, &meter, settings.limit, work)?.map_err(|error| of_device(&error))?;
    let of = Launched {
        kernel,
        launch: &launch,
        model: settings.model(),
        schedule: settings.schedule(),
        profile: &device.profile().name,
        report: &report,
        seconds: begun.elapsed().as_secs_f64(),
    };
    told(py, module, &of, None, buffers)
}

/// Runs a launch under many schedules and compares what they come to.
#[pyfunction]
pub(crate) fn explore(
    py: Python<'_>,
    module: &Module,
    kernel: &str,
    shape: Shape,
    arguments: Vec<Given>,
    settings: &Settings,
    chosen: (String, u64, u64),
) -> PyResult<Told> {
    let (strategy, schedules, seed) = chosen;
    let (name, chosen) = strategy_of(&strategy)?;
    let (mut device, meter) = settings.device()?;
    device.settings_mut().checking = Some(settings.checking());
    let launch = launch_of(shape);
    let types = cell_types(&arguments)?;
    let begun = Instant::now();
    let work = || {
        let loaded = device.load(&module.text)?;
        let placed = Placed::on(&mut device, &arguments, types)?;
        let request = LaunchRequest::new(loaded, kernel, launch, &placed.arguments)
            .with_cell_types(placed.cell_types.clone());
        let exploration =
            Exploration::default().with_strategy(chosen).with_schedules(schedules).with_seed(seed);
        Ok((explore_launch(&mut device, &request, &exploration)?, placed.contents(&mut device)?))
    };
    let (explored, buffers) = interruptible(py, &meter, settings.limit, work)?
        .map_err(|error: DeviceError| of_device(&error))?;
    let Some(first) = explored.outcomes.first() else {
        return Err(refused(Kind::Setting, "no schedule was tried: schedules is 0"));
    };
    let of = Launched {
        kernel,
        launch: &launch,
        model: settings.model(),
        schedule: settings.schedule(),
        profile: &device.profile().name,
        report: &first.report,
        seconds: begun.elapsed().as_secs_f64(),
    };
    told(py, module, &of, Some(&Tried { strategy: name, seed, explored: &explored }), buffers)
}

/// The strategy that the command calls so.
fn strategy_of(name: &str) -> PyResult<(&'static str, Strategy)> {
    let all = [
        ("all", Strategy::Mixed),
        ("random", Strategy::Random),
        ("pct", Strategy::Pct { depth: 3 }),
        ("exhaustive", Strategy::Exhaustive(Unit::Threads)),
        ("exhaustive-warps", Strategy::Exhaustive(Unit::Warps)),
    ];
    all.into_iter().find(|(known, _)| *known == name).ok_or_else(|| {
        let names = all.map(|(known, _)| known).join(", ");
        refused(Kind::Setting, format!("no strategy `{name}`; there are {names}"))
    })
}

/// What is told of a launch.
fn told(
    py: Python<'_>,
    module: &Module,
    of: &Launched<'_>,
    tried: Option<&Tried<'_>>,
    buffers: Left,
) -> PyResult<Told> {
    let document = launch_document(of, tried)
        .map_err(|error| refused(Kind::Internal, format!("no document: {error}")))?;
    let findings: &[Finding] = tried.map_or(&of.report.findings, |tried| &tried.explored.findings);
    let file = Path::new(module.text.source.name());
    let texts = findings.iter().map(|finding| finding_text(finding, file)).collect();
    let bytes = |one: Vec<u8>| PyBytes::new(py, &one).unbind();
    Ok((document, texts, buffers.into_iter().map(|one| one.map(bytes)).collect()))
}

/// A finding of a line of the journal: its code, whether it is an error, the kernel, where the
/// program launched it, and its text.
type Journaled = (String, bool, String, Option<String>, String);

/// The findings of a line of the journal that `warpsim exec` has processes write.
#[pyfunction]
pub(crate) fn journal(line: &str) -> Vec<Journaled> {
    let all = journal_findings(line).into_iter();
    all.map(|one| (one.code.to_owned(), one.is_error, one.kernel, one.site, one.text)).collect()
}
