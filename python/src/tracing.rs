//! The steps of a launch, one after the other, as they happen.

use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use crossbeam_channel::{Receiver, RecvTimeoutError, SendError};
use pyo3::prelude::*;
use warpsim::host::{Device, DeviceError, Meter};
use warpsim::observe::{Step, TraceStream};
use warpsim::report::Report;
use warpsim_cli::documents::step_document;

use crate::arguments::{Given, Placed, cell_types};
use crate::errors::{Kind, of_device, refused};
use crate::launching::{Shape, launch_of};
use crate::module::Module;
use crate::settings::Settings;

/// How many steps wait for Python at most: a launch runs no further ahead.
const WAITING: usize = 1024;

/// How often Python is asked for signals.
const EACH: Duration = Duration::from_millis(50);

/// The steps of a launch, each as a line of JSON. The launch ends where nobody asks for more.
#[pyclass(frozen, module = "warpsim._native")]
#[derive(Debug)]
pub(crate) struct Steps {
    steps: Receiver<Step>,
    meter: Arc<Meter>,
    running: Mutex<Option<JoinHandle<Result<Report, DeviceError>>>>,
    outcome: Mutex<Option<&'static str>>,
}

#[pymethods]
impl Steps {
    fn __iter__(slf: PyRef<'_, Self>) -> PyRef<'_, Self> {
        slf
    }

    fn __next__(&self, py: Python<'_>) -> PyResult<Option<String>> {
        loop {
            match py.detach(|| self.steps.recv_timeout(EACH)) {
                Ok(step) => {
                    let line = step_document(&step);
                    let line = line.map_err(|error| refused(Kind::Internal, error.to_string()));
                    return line.map(Some);
                }
                Err(RecvTimeoutError::Disconnected) => {
                    self.end(py)?;
                    return Ok(None);
                }
                Err(RecvTimeoutError::Timeout) => py.check_signals()?,
            }
        }
    }

    /// How the launch ended; `None` before it has.
    #[getter]
    fn outcome(&self) -> Option<&'static str> {
        *self.outcome.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Steps {
    /// Keeps how the launch ended.
    fn end(&self, py: Python<'_>) -> PyResult<()> {
        let running = self.running.lock().unwrap_or_else(PoisonError::into_inner).take();
        // Who asks again after the end is told the end again.
        let Some(running) = running else { return Ok(()) };
        let report = py
            .detach(|| running.join())
            .map_err(|_| refused(Kind::Internal, "this is a bug in warpsim: a panic"))?
            .map_err(|error| of_device(&error))?;
        let mut outcome = self.outcome.lock().unwrap_or_else(PoisonError::into_inner);
        *outcome = Some(report.outcome.name());
        Ok(())
    }
}

impl Drop for Steps {
    fn drop(&mut self) {
        self.meter.interrupt();
    }
}

/// Launches, and gives the steps.
#[pyfunction]
pub(crate) fn trace(
    module: &Module,
    kernel: String,
    shape: Shape,
    arguments: Vec<Given>,
    settings: &Settings,
) -> PyResult<Steps> {
    let (mut device, meter) = settings.device()?;
    let types = cell_types(&arguments)?;
    let loaded = device.load(&module.text).map_err(|error| of_device(&error))?;
    let placed = Placed::on(&mut device, &arguments, types).map_err(|error| of_device(&error))?;
    let (sender, steps) = crossbeam_channel::bounded::<Step>(WAITING);
    let ending = Arc::clone(&meter);
    let running = thread::spawn(move || {
        let mut stream = TraceStream::new(&[], |step| {
            if let Err(SendError(_)) = sender.send(step) {
                ending.interrupt();
            }
        });
        let launch = launch_of(shape);
        device.launch_observed(loaded, &kernel, &launch, &placed.arguments, &mut stream)
    });
    Ok(Steps { steps, meter, running: Mutex::new(Some(running)), outcome: Mutex::new(None) })
}
