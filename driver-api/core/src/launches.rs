//! Launches, and how they ended (CUDA driver API, "Execution Control").

use warpsim::host::{
    Argument, Device, DeviceError, Ended, Launch, LaunchHandle, ModuleHandle, Pointer, Stream,
};
use warpsim::report::{Code, DeviceLaunch, Finding, Outcome, Report};

use crate::chosen::Chosen;
use crate::graphs::GraphTask;
use crate::options::{DEVICE_MEMORY, DEVICE_MEMORY_END};
use crate::reasons::Reason;
use crate::spaces::memory::AllocationKind;
use crate::state::{Call, State, bug, refusal};
use crate::told::journal::{Entry, LaunchEntry};
use crate::told::ledger::Note;
use crate::told::spans::{Begun, SpanTask};
use crate::{Answer, CudaError, Handle};

/// A launch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LaunchRequest {
    /// The kernel.
    pub function: Handle,
    /// Blocks.
    pub grid: [u32; 3],
    /// Threads of a block.
    pub block: [u32; 3],
    /// Dynamic shared memory.
    pub shared: u32,
    /// Whether all blocks must be resident.
    pub cooperative: bool,
    /// All parameters, each at its offset.
    pub parameters: Vec<u8>,
}

/// The place of a parameter among the bytes of all parameters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ParameterPlace {
    /// In bytes.
    pub offset: usize,
    /// In bytes.
    pub size: usize,
}

/// A launch that is about to be carried out.
#[derive(Clone, Copy, Debug)]
struct Ready<'a> {
    /// Its number among the launches of the process, from 1.
    number: u64,
    device: ModuleHandle,
    kernel: &'a str,
    /// The name of the module.
    module: &'a str,
    launch: Launch,
    arguments: &'a [Argument],
    chosen: Chosen,
}

/// A launch that was issued.
#[derive(Debug)]
pub(crate) struct Issued {
    context: Handle,
}

/// What the journal says of a launch.
#[derive(Debug)]
pub(crate) struct Judgement {
    pub(crate) outcome: Outcome,
    pub(crate) findings: Vec<Finding>,
    /// A check ran into its limits.
    is_given_up: bool,
    /// Another schedule may find something else.
    may_differ: bool,
}

impl From<&Report> for Judgement {
    fn from(report: &Report) -> Judgement {
        let checked = report.checked.as_ref();
        Judgement {
            outcome: report.outcome,
            findings: report.findings.clone(),
            is_given_up: checked.is_some_and(|checked| !checked.unfinished.is_empty()),
            may_differ: checked.is_some_and(|checked| !checked.every_schedule),
        }
    }
}

impl Call<'_> {
    /// The parameters of a kernel, in order.
    ///
    /// # Errors
    /// There is no such kernel.
    pub fn parameters(&self, function: Handle) -> Answer<Vec<ParameterPlace>> {
        let parameters = self.known_function(function)?.program.parameters.iter();
        let place = |offset: u32, size: u32| ParameterPlace {
            offset: offset as usize,
            size: size as usize,
        };
        Ok(parameters.map(|parameter| place(parameter.offset, parameter.size)).collect())
    }

    /// `cuLaunchKernel`.
    ///
    /// # Errors
    /// There is no such kernel, the device cannot start it, or the parameters do not match it.
    pub fn launch(&mut self, request: &LaunchRequest, stream: Stream) -> Answer<()> {
        let context = self.context()?;
        let function = self.known_function(request.function)?;
        let module = self.state.modules.get(&function.module).ok_or(CudaError::InvalidHandle)?;
        if module.context.is_some_and(|of_module| of_module != context) {
            return Err(CudaError::InvalidHandle);
        }
        let (device, name, module) = (module.device, function.name.clone(), module.name.clone());
        let most = function.dynamic_shared;
        if request.shared > most {
            self.because(&Reason::DynamicShared { asked: request.shared, most });
            self.because_of_kernel(request.function);
            return Err(CudaError::InvalidValue);
        }
        if self.capture(stream, || GraphTask::Kernel(request.clone()))? {
            return Ok(());
        }
        let arguments = self.arguments(request)?;
        let LaunchRequest { grid, block, shared, cooperative, .. } = *request;
        let launch = Launch { grid, block, shared, cooperative };
        if self.is_over(context) {
            return Ok(());
        }
        self.set_stack()?;
        self.share_in()?;
        self.debug((device, &name), &launch, &arguments)?;
        let chosen = self.choose((&name, &module), &launch);
        let mut untraced = self.untraced(chosen, (device, &name, &module), &launch, &arguments);
        let number = self.state.launches + 1;
        self.host.note(Note::Begins { launch: number, kernel: &name });
        let (kernel, module) = (&*name, &*module);
        let ready = Ready { number, device, kernel, module, launch, arguments: &arguments, chosen };
        let issued = self.carry_out(&ready, (stream, context));
        self.host.note(Note::Done(self.state.done()));
        let issued = match issued {
            Ok(issued) => issued,
            Err(DeviceError::ImpossibleLaunch { reason }) => {
                let error = impossible(&reason);
                self.because(&Reason::Launch(reason));
                self.because_of_kernel(request.function);
                return Err(error);
            }
            Err(error) => return Err(refusal(self, &error)),
        };
        let report = self.state.device.report(issued);
        let children = report.map_or_else(Vec::new, |report| report.launches.clone());
        if let (Some(untraced), Some(report)) = (&mut untraced, report) {
            untraced.found(report);
        }
        if let Some(untraced) = untraced {
            self.trace(untraced, number);
        }
        if !chosen.is_checked {
            self.all_is_written()?;
        }
        self.share_out()?;
        self.issued_to(stream)?;
        self.launch_children(request.function, children, stream)
    }

    /// Carries out a launch and judges it.
    fn carry_out(
        &mut self,
        ready: &Ready<'_>,
        (stream, context): (Stream, Handle),
    ) -> Result<LaunchHandle, DeviceError> {
        let Ready { number, device, kernel, module, launch, arguments, chosen } = *ready;
        let issue = |on: &mut dyn Device| on.launch_on(stream, device, kernel, &launch, arguments);
        let begun = self.begin_span();
        let issued = self.state.operate_launch(chosen, (kernel, module), issue)?;
        let Launch { grid, block, shared, cooperative: _ } = launch;
        self.time((begun, issued), (stream, context), |outcome| SpanTask::Launch {
            launch: number,
            kernel: kernel.to_owned(),
            module: module.to_owned(),
            grid,
            block,
            shared,
            outcome,
            is_checked: chosen.is_checked,
        });
        self.state.launches = number;
        let State { launched, options, .. } = &mut *self.state;
        launched.done(chosen, options);
        self.state.issued.insert(issued, Issued { context });
        self.judge(issued, (number, kernel.to_owned(), module.to_owned()), chosen);
        Ok(issued)
    }

    /// Carries out the launches that a kernel asked for, and those that they ask for: first all
    /// that may run beside it, then those that follow it.
    fn launch_children(
        &mut self,
        parent: Handle,
        children: Vec<DeviceLaunch>,
        stream: Stream,
    ) -> Answer<()> {
        let (last, first): (Vec<_>, Vec<_>) = children.into_iter().partition(|c| c.is_tail);
        for child in first.into_iter().chain(last) {
            let DeviceLaunch { kernel, grid, block, shared, is_tail: _, mut parameters } = child;
            let module = self.known_function(parent)?.module;
            let kernel = kernel.ok_or(CudaError::InvalidHandle)?;
            let function = self.module_function(module, &kernel)?;
            let bytes = self.known_function(function)?.program.parameter_bytes as usize;
            parameters.truncate(bytes);
            let cooperative = false;
            let request = LaunchRequest { function, grid, block, shared, cooperative, parameters };
            self.launch(&request, stream)?;
        }
        Ok(())
    }

    /// Puts a launch that was carried out on the timeline.
    fn time(
        &self,
        (begun, issued): (Option<Begun>, LaunchHandle),
        place: (Stream, Handle),
        task: impl FnOnce(Outcome) -> SpanTask,
    ) {
        // A launch that was not carried out is reported as a bug.
        if let Some(report) = self.state.device.report(issued) {
            self.end_span(begun, place, || task(report.outcome));
        }
    }

    /// Records the findings of a launch as soon as it was carried out: the program may end before
    /// it waits for the launch.
    fn judge(
        &mut self,
        issued: LaunchHandle,
        (launch, kernel, module): (u64, String, String),
        chosen: Chosen,
    ) {
        match self.state.device.report(issued).map(Judgement::from) {
            Some(judgement) => self.record_launch(judgement, (launch, kernel, module), chosen),
            None => {
                bug(self, &format!("a launch of `{kernel}` was issued and not carried out"));
            }
        }
    }

    /// Records how a launch ended, where something is wrong with it, and what was counted of it.
    pub(crate) fn record_launch(
        &mut self,
        judgement: Judgement,
        (launch, kernel, module): (u64, String, String),
        chosen: Chosen,
    ) {
        if let Some(counted) = self.state.counted.as_mut().filter(|_| chosen.is_counted) {
            let is_stopped = judgement.outcome != Outcome::Completed;
            let entry = counted.counted(&kernel, &module, is_stopped, self.host.process());
            entry.iter().for_each(|entry| self.host.record(&entry.line()));
        }
        let Judgement { outcome, mut findings, is_given_up, may_differ } = judgement;
        self.state.unfinished += u64::from(is_given_up);
        self.state.launched.in_turn += u64::from(may_differ && self.state.is_in_turn());
        if outcome == Outcome::Completed && findings.is_empty() {
            return;
        }
        self.state.lives.explain(&mut findings);
        let site = chosen.is_checked.then(|| self.host.site()).flatten();
        let entry = Entry::Launch(LaunchEntry {
            process: self.host.process(),
            launch,
            kernel,
            module,
            site: site.and_then(|site| site.text()),
            operations: None,
            outcome,
            findings,
        });
        self.host.record(&entry.line());
    }

    /// Decides what to do with the next launch of this kernel, and whether the device checks it.
    fn choose(&mut self, (kernel, module): (&str, &str), launch: &Launch) -> Chosen {
        let State { options, launched, device, .. } = &mut *self.state;
        let chosen = launched.next(kernel, options);
        if options.check {
            let checking =
                chosen.is_checked.then(|| launched.checking((kernel, module), launch, options));
            device.settings_mut().checking = checking;
        }
        if chosen.is_checked {
            self.name_launch(kernel, module);
        }
        chosen
    }

    /// All memory counts as written, if launches are checked and no analysis saw what this one
    /// wrote.
    fn all_is_written(&mut self) -> Answer<()> {
        let State { options, allocations, device, .. } = &mut *self.state;
        if !options.check {
            return Ok(());
        }
        let mut defined = Ok(());
        for (base, allocation) in allocations.iter().filter(|(_, known)| known.host.is_none()) {
            defined = defined.and(device.define(Pointer(*base), allocation.bytes));
        }
        defined.map_err(|error| refusal(self, &error))
    }

    /// The arguments of a launch. Nothing says which bytes are pointers, so bytes that are
    /// addresses in live memory count as pointers.
    fn arguments(&self, request: &LaunchRequest) -> Answer<Vec<Argument>> {
        let places = self.parameters(request.function)?;
        let bytes = |place: &ParameterPlace| {
            let all = request.parameters.get(place.offset..)?;
            all.get(..place.size).map(|bytes| self.on_device(bytes.to_vec()))
        };
        let argument = |place| match bytes(place) {
            Some(bytes) if bytes.len() > 8 => Ok(self.with_pointers(bytes)),
            Some(bytes) => Ok(Argument::Bytes(bytes)),
            None => Err(CudaError::InvalidValue),
        };
        places.iter().map(argument).collect()
    }

    /// Replaces addresses of the host's copies of variables in parameters by the device's
    /// addresses.
    fn on_device(&self, mut bytes: Vec<u8>) -> Vec<u8> {
        if self.state.registered.is_empty() {
            return bytes;
        }
        for word in bytes.chunks_exact_mut(8) {
            let address = <[u8; 8]>::try_from(&*word).map_or(0, u64::from_le_bytes);
            if let Some((base, allocation)) = self.around(address)
                && let (AllocationKind::ManagedVariable(_), Some(host)) =
                    (allocation.kind, allocation.host)
                && address.wrapping_sub(host) < allocation.bytes
            {
                word.copy_from_slice(&(base + (address - host)).to_le_bytes());
            }
        }
        bytes
    }

    fn with_pointers(&self, bytes: Vec<u8>) -> Argument {
        let words = bytes.chunks_exact(8).zip((0u64..).step_by(8));
        let pointers = words.filter_map(|(word, offset)| {
            let address = u64::from_le_bytes(word.try_into().ok()?);
            let is_one = (DEVICE_MEMORY..DEVICE_MEMORY_END).contains(&address)
                && self.around(address).is_some();
            is_one.then_some((offset, Pointer(address)))
        });
        let pointers: Vec<_> = pointers.collect();
        Argument::Struct { bytes, pointers }
    }

    /// Whether a launch of the context ended in a way that nothing follows: hardware drops the work
    /// that was issued behind it.
    pub(crate) fn is_over(&self, context: Handle) -> bool {
        let context = self.state.contexts.get(&context);
        context.is_some_and(|context| context.pending.or(context.fault).is_some())
    }

    /// Something was issued. If the order of operations is not checked, it counts as waited for, so
    /// that no list of running operations grows. The program does not notice.
    pub(crate) fn issued_to(&mut self, stream: Stream) -> Answer<()> {
        if self.state.options.check {
            self.collect_races();
            return Ok(());
        }
        let ended = self.state.device.synchronise_stream(stream);
        let ended = ended.map_err(|error| refusal(self, &error))?;
        self.collect(ended);
        Ok(())
    }

    /// Takes note of launches that have ended. Each was issued here, and its context is there: one
    /// that is destroyed waits for all that was issued first.
    pub(crate) fn collect(&mut self, ended: Vec<Ended>) {
        for Ended { launch, kernel, report } in ended {
            let Some(issued) = self.state.issued.remove(&launch) else {
                bug(self, &format!("a launch of `{kernel}` has ended that nobody issued"));
                continue;
            };
            self.state.printed.push_str(&report.printed.text);
            match (came_to(&report), self.state.contexts.get_mut(&issued.context)) {
                (None, Some(_)) => {}
                (Some(error), Some(context)) => {
                    context.pending = context.pending.or(Some(error));
                }
                (Some(_) | None, None) => {
                    bug(self, &format!("a launch of `{kernel}` has outlived its context"));
                }
            }
        }
        self.collect_races();
        self.free_what_is_over();
    }
}

/// The error of a launch that the device cannot start. One with more threads than the kernel's
/// bounds allow has an invalid value, too (numba-cuda's tests hold GPUs to that).
fn impossible(reason: &str) -> CudaError {
    match reason.starts_with("a cooperative launch") {
        true => CudaError::CooperativeLaunchTooLarge,
        false => CudaError::InvalidValue,
    }
}

/// The error that stays after a launch, as on hardware; `None` for one that ended.
fn came_to(report: &Report) -> Option<CudaError> {
    let code = report.findings.first().map(|finding| finding.code);
    let stopped_by = |code: Code| report.findings.iter().any(|finding| finding.code == code);
    match report.outcome {
        Outcome::Completed => None,
        Outcome::Trap if stopped_by(Code::Assert) => Some(CudaError::Assert),
        Outcome::Finding if stopped_by(Code::Misaligned) && code == Some(Code::Misaligned) => {
            Some(CudaError::MisalignedAddress)
        }
        Outcome::Finding => Some(CudaError::IllegalAddress),
        // As on an H100 for code that its driver optimises. For other code it is a failed launch.
        Outcome::Fault if stopped_by(Code::StackOverflow) => Some(CudaError::IllegalAddress),
        // As on hardware, for a member mask without the executing lane.
        Outcome::Fault if stopped_by(Code::SyncMask) => Some(CudaError::IllegalInstruction),
        Outcome::Trap | Outcome::Fault => Some(CudaError::LaunchFailed),
        // Hardware would go on for ever; a display's driver ends it so.
        Outcome::Deadlock | Outcome::Livelock | Outcome::Limit | Outcome::Hung => {
            Some(CudaError::LaunchTimeout)
        }
    }
}
