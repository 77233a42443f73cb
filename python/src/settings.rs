//! How launches run: what Python says as keywords.

use std::sync::Arc;
use std::time::Duration;

use pyo3::prelude::*;
use warpsim::check::{Analyses, Checking, Schedules};
use warpsim::host::{DeviceProfile, Meter, Model, SharedInit, Simulator, Threads};
use warpsim::schedule::{Schedule, ScheduleError};

use crate::errors::{Kind, refused};

/// The settings of a launch.
#[pyclass(frozen, module = "warpsim._native")]
#[derive(Debug)]
pub(crate) struct Settings {
    /// As it prints; `None` for `in-order`, and for others, too, where a launch is checked.
    schedule: Option<String>,
    model: Model,
    shared_init: SharedInit,
    max_steps: Option<u64>,
    threads: Option<usize>,
    pub(crate) limit: Option<Duration>,
    uninitialized: bool,
}

#[pymethods]
impl Settings {
    #[new]
    #[pyo3(signature = (schedule, model, shared_init, max_steps, threads, limit, uninitialized))]
    fn new(
        schedule: Option<&str>,
        model: &str,
        shared_init: &str,
        max_steps: Option<u64>,
        threads: Option<usize>,
        limit: Option<f64>,
        uninitialized: bool,
    ) -> PyResult<Settings> {
        let setting = |message: String| refused(Kind::Setting, message);
        Ok(Settings {
            schedule: schedule
                .map(|text| Ok(parsed(text)?.to_string()))
                .transpose()
                .map_err(setting)?,
            model: [Model::Independent, Model::Lockstep]
                .into_iter()
                .find(|one| one.name() == model)
                .ok_or_else(|| {
                    setting(format!("no model `{model}`; there are independent and lockstep"))
                })?,
            shared_init: warpsim_cli::shared_init(shared_init).map_err(|there_are| {
                setting(format!("shared memory does not start with `{shared_init}`: {there_are}"))
            })?,
            max_steps,
            threads,
            limit: limit
                .map(|seconds| {
                    Duration::try_from_secs_f64(seconds)
                        .map_err(|_| setting(format!("{seconds} is no time limit, in seconds")))
                })
                .transpose()?,
            uninitialized,
        })
    }
}

impl Settings {
    /// A device with these settings, and what ends its launches.
    ///
    /// # Errors
    /// None that are known: the schedule was understood before.
    pub(crate) fn device(&self) -> PyResult<(Simulator, Arc<Meter>)> {
        let mut device = Simulator::new(DeviceProfile::default());
        let meter = Arc::new(Meter::default());
        let settings = device.settings_mut();
        settings.schedule =
            parsed(self.schedule()).map_err(|message| refused(Kind::Internal, message))?;
        settings.model = self.model;
        settings.shared_init = self.shared_init;
        settings.meter = Some(Arc::clone(&meter));
        if let Some(steps) = self.max_steps {
            settings.max_steps = steps;
        }
        if let Some(threads) = self.threads {
            settings.threads = Threads::up_to(threads);
        }
        Ok((device, meter))
    }

    /// What launches are checked for.
    pub(crate) fn checking(&self) -> Checking {
        let analyses = match self.uninitialized {
            true => Analyses::default(),
            false => Analyses::default().without(&["uninitialized"]),
        };
        let schedules = match self.schedule {
            Some(_) => Schedules::AsSet,
            None => Schedules::Merged,
        };
        Checking::default().with_analyses(analyses).with_schedules(schedules)
    }

    pub(crate) fn schedule(&self) -> &str {
        self.schedule.as_deref().unwrap_or("in-order")
    }

    pub(crate) fn model(&self) -> Model {
        self.model
    }
}

fn parsed(schedule: &str) -> Result<Box<dyn Schedule>, String> {
    schedule.parse().map_err(|error: ScheduleError| error.to_string())
}
