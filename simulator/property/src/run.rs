//! One run: a case, under one schedule, on a fresh device.

use super::case::{Case, Cells, Value};
use super::failure::Mistake;
use crate::drawing::element::Element;
use crate::drawing::structs::{Passed, Structs};
use crate::explore::{Exploration, LaunchRequest, explore};
use crate::host::{
    Argument, Checking, Device, DeviceProfile, ModuleHandle, Schedules, Settings, Simulator,
};
use crate::ptx::Module;
use crate::report::Report;

/// A kernel on a device that has not run anything.
#[derive(Debug)]
pub(super) struct Bench {
    gpu: Simulator,
    module: ModuleHandle,
    kernel: String,
    structs: Structs,
    /// Runs so far.
    pub(super) runs: u64,
    /// Warp instructions of all runs.
    pub(super) warp_instructions: u64,
}

/// The result of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Ran {
    /// How it ended, and what was found.
    pub report: Report,
    /// What each argument's buffer holds now; `None` for arguments without their own buffer.
    pub buffers: Vec<Option<Cells>>,
}

impl Ran {
    /// What the buffer of an argument holds now.
    ///
    /// # Errors
    /// When the argument is no buffer, or its cells are of another type.
    pub fn buffer<T: Element>(&self, argument: usize) -> Result<Vec<T>, Mistake> {
        match self.buffers.get(argument) {
            Some(Some(cells)) => cells.numbers(),
            _ => Err(Mistake::NoBuffer { argument }),
        }
    }
}

impl Bench {
    pub(super) fn new(
        module: &Module,
        kernel: &str,
        profile: DeviceProfile,
        settings: Settings,
    ) -> Result<Bench, Mistake> {
        let mut gpu = Simulator::new(profile);
        *gpu.settings_mut() = settings;
        let module = gpu.load(module)?;
        let (kernel, structs) = (kernel.to_owned(), Structs::default());
        Ok(Bench { gpu, module, kernel, structs, runs: 0, warp_instructions: 0 })
    }

    /// The same with the drawn arguments put into structs.
    pub(super) fn with_structs(self, structs: Structs) -> Bench {
        Bench { structs, ..self }
    }

    /// The drawn arguments that are passed.
    fn passed(&self, drawn: &[Argument]) -> Vec<Argument> {
        let of = |number: usize| drawn.get(number).cloned();
        let parameters = self.structs.passed(drawn.len()).into_iter();
        let passed = parameters.filter_map(|passed| match passed {
            Passed::Whole(number) => of(number),
            Passed::Struct(bytes, fields) => {
                let fields = fields.into_iter().filter_map(|(at, number)| Some((at, of(number)?)));
                Some(Argument::structure(bytes, fields))
            }
        });
        passed.collect()
    }

    /// Runs a case under a schedule; checks it when `is_checked`.
    pub(super) fn run(
        &mut self,
        case: &Case,
        schedule: &str,
        is_checked: bool,
    ) -> Result<Ran, Mistake> {
        let (mut gpu, arguments) = self.prepare(case)?;
        gpu.settings_mut().schedule = schedule.parse()?;
        let checking = Checking::default().with_schedules(Schedules::AsSet);
        gpu.settings_mut().checking = is_checked.then_some(checking);
        let passed = self.passed(&arguments);
        let report = gpu.launch(self.module, &self.kernel, &case.launch, &passed)?;
        self.runs += 1;
        self.warp_instructions += report.counts.warp_instructions;
        let mut buffers = Vec::new();
        for (value, argument) in case.arguments.iter().zip(&arguments) {
            let (Value::Buffer(cells), Argument::Pointer(from)) = (value, argument) else {
                buffers.push(None);
                continue;
            };
            let mut bytes = cells.to_bytes();
            gpu.download(*from, &mut bytes)?;
            buffers.push(Some(Cells::from_bytes(cells.ty, &bytes)));
        }
        Ok(Ran { report, buffers })
    }

    /// The schedule that departs from `in-order` in as little as possible and leads to another
    /// result, if one is found soon.
    pub(super) fn smallest_difference(&mut self, case: &Case) -> Result<Option<String>, Mistake> {
        let (mut gpu, arguments) = self.prepare(case)?;
        let passed = self.passed(&arguments);
        let request = LaunchRequest::new(self.module, &self.kernel, case.launch, &passed);
        let exploration = Exploration::default().with_schedules(16);
        let explored = explore(&mut gpu, &request, &exploration)?;
        let is_from_in_order = |first: &str| first == "in-order";
        let difference = explored.difference.filter(|found| is_from_in_order(&found.first));
        Ok(difference.map(|found| found.second))
    }

    /// A device with the buffers of a case, and what it is given, by number.
    fn prepare(&mut self, case: &Case) -> Result<(Simulator, Vec<Argument>), Mistake> {
        let mut gpu = self.gpu.fork();
        let mut arguments = Vec::new();
        for (index, value) in case.arguments.iter().enumerate() {
            arguments.push(match value {
                Value::Buffer(cells) => {
                    let bytes = cells.to_bytes();
                    let pointer = gpu.allocate(bytes.len() as u64)?;
                    gpu.upload(pointer, &bytes)?;
                    Argument::Pointer(pointer)
                }
                Value::Scalar { ty, bits } => Argument::number(*ty, *bits),
                Value::Again(of) => match arguments.get(*of) {
                    Some(Argument::Pointer(pointer)) => Argument::Pointer(*pointer),
                    _ => return Err(Mistake::NoBuffer { argument: index }),
                },
            });
        }
        Ok((gpu, arguments))
    }
}
