//! One launch on the simulator: it takes the device's memory, runs to its end or to what stops it,
//! and gives the memory back.
//!
//! The stop of a launch is reported as a finding. A stop of the machine itself is an internal
//! error, and the memory is as the launch has left it so far. Checking (`checking`) and stepping
//! (`stepper`) build on this.

use std::sync::Arc;

use super::{Simulator, children};
use crate::admitted::Admitted;
use crate::argument::ArgumentPlace;
use crate::checking::Request;
use crate::device::ModuleHandle;
use crate::error::DeviceError;
use crate::findings::assertion;
use crate::findings::explain::explain;
use crate::internal::InternalError;
use crate::lower::Program;
use crate::machine::{Environment, GlobalMemory, Machine, Pages, Stop, Watcher};
use crate::observe::LaunchFacts;
use crate::report::{Counts, DeviceLaunch, Finding, Outcome, PrintedText, Report};
use crate::threads;

/// Bytes of what the blocks of a cooperative launch share: its second word is the barrier of the
/// grid (`cooperative_groups/details/sync.h`).
const WORKSPACE: u64 = 64;

/// A launch that is over.
pub(crate) struct Finished {
    pub outcome: Outcome,
    pub counts: Counts,
    /// What stopped it.
    pub findings: Vec<Finding>,
    pub printed: PrintedText,
    /// The launches that it asked for.
    pub launches: Vec<DeviceLaunch>,
    pub program: Arc<Program>,
    /// The arguments that are addresses.
    pub pointers: Arc<[(ArgumentPlace, u64)]>,
}

impl Finished {
    pub(crate) fn report(self) -> Report {
        let Finished { outcome, counts, findings, printed, launches, .. } = self;
        let mut report = Report::new(outcome, counts).with_findings(findings);
        report.printed = printed;
        report.launches = launches;
        report
    }
}

impl Simulator {
    /// Hands the memory of the device to a machine that runs the launch.
    pub(super) fn begin(&mut self, request: Request<'_>) -> Result<Machine, DeviceError> {
        let Request { admitted, order } = request;
        let Admitted { module, launch, program, parameters: bytes, .. } = admitted;
        let mut parameters = Pages::new(bytes.len() as u64);
        parameters.write_bytes(0, bytes);
        let loaded = self.modules.get_mut(module.0).and_then(Option::as_mut);
        let loaded = loaded.ok_or(DeviceError::UnknownModule)?;
        let workspace = match launch.cooperative {
            true => self.global.allocate(WORKSPACE, Some("the grid's workspace".to_owned())),
            false => 0,
        };
        let launch_queue = match children::may_be_asked_for(program) {
            true => self.global.allocate(children::QUEUE, Some("the queue of launches".to_owned())),
            false => 0,
        };
        self.launches += 1;
        let environment = Environment {
            program: Arc::clone(program),
            launch: *launch,
            parameters,
            constants: loaded.constants.snapshot(),
            images: Arc::clone(&self.images),
            model: self.settings.model,
            profile: self.profile.clone(),
            number: self.launches,
            order: order.clone(),
            workspace,
            launch_queue,
        };
        let mut machine = Machine::new(
            Arc::new(environment),
            self.settings.shared_init,
            self.settings.max_steps,
            std::mem::take(&mut self.global),
            std::mem::take(&mut self.leftovers),
        );
        machine.form_gangs(self.settings.gangs);
        if let Some(meter) = &self.settings.meter {
            machine.tell(Arc::clone(meter));
        }
        Ok(machine)
    }

    /// Runs a launch: watched by an observer, and checked for what the settings say.
    pub(crate) fn run(
        &mut self,
        request: Request<'_>,
        watcher: Watcher<'_, '_>,
    ) -> Result<Report, DeviceError> {
        match self.settings.checking.clone() {
            Some(checking) => self.run_checked(request, &checking, watcher),
            None => self.run_once(request, watcher).map(Finished::report),
        }
    }

    /// Runs a launch under the schedule of the settings.
    pub(crate) fn run_once(
        &mut self,
        request: Request<'_>,
        mut watcher: Watcher<'_, '_>,
    ) -> Result<Finished, DeviceError> {
        let mut machine = self.begin(request)?;
        let mut schedule = self.settings.schedule.clone();
        if let Some(observer) = watcher.as_deref_mut() {
            let unwritten = self.unwritten.ranges().into();
            let module = self.loaded(request.admitted.module).ok().map(|m| Arc::clone(&m.module));
            let facts = LaunchFacts { unwritten, module, ..machine.environment().facts() };
            observer.launch_begin(&facts);
            machine.attend(observer.interest());
        }
        let stop = match watcher.as_deref_mut() {
            None => threads::run(&mut machine, schedule.as_mut(), self.settings.threads).err(),
            Some(observer) => machine.run(schedule.as_mut(), Some(observer)).err(),
        };
        if let Some(observer) = watcher {
            observer.launch_end();
        }
        if let Some(meter) = &self.settings.meter {
            meter.end_run();
        }
        let pointers = Arc::clone(&request.admitted.pointers);
        let counts = machine.counts();
        let program = Arc::clone(&machine.environment().program);
        let explained = stop.map(|stop| {
            let (outcome, mut finding) =
                explain(&stop, machine.environment(), &pointers, self.settings.launcher)?;
            if let Some(words) = self.asserted(request.admitted.module, &program, &stop) {
                finding.explanation = words;
            }
            Ok::<_, InternalError>((outcome, finding))
        });
        let printed = machine.printed();
        let printed = PrintedText { text: printed.text(), lost: printed.lost() };
        let queue = machine.environment().launch_queue;
        let launches = self.take_back(machine, |global| children::asked_for(global, queue));
        let launches = self.named(request.admitted.module, launches)?;
        let (outcome, findings) = match explained.transpose()? {
            None => (Outcome::Completed, Vec::new()),
            Some((outcome, finding)) => (outcome, vec![finding]),
        };
        Ok(Finished { outcome, counts, findings, printed, launches, program, pointers })
    }

    /// The words of the `assert` that stopped a launch.
    pub(crate) fn asserted(
        &self,
        module: ModuleHandle,
        program: &Program,
        stop: &Stop,
    ) -> Option<String> {
        let Stop::Trap(at) = stop else { return None };
        let loaded = self.loaded(module).ok()?;
        let place = program.places.get(at.pc as usize)?;
        assertion::words(&loaded.module, &loaded.layout, place)
    }

    /// Takes memory back from a launch that is over. `look` sees it before what belongs to the
    /// launch is freed.
    pub(crate) fn take_back<T>(
        &mut self,
        machine: Machine,
        look: impl FnOnce(&GlobalMemory) -> T,
    ) -> T {
        let environment = machine.environment();
        let own = [environment.workspace, environment.launch_queue];
        (self.global, self.leftovers) = machine.into_memory();
        let seen = look(&self.global);
        own.into_iter().filter(|address| *address != 0).for_each(|own| _ = self.global.free(own));
        seen
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::Device;
    use crate::launch::Launch;
    use crate::schedule::{Choice, InOrder, Move, Schedule, View};

    /// Chooses a block or a warp that does not exist.
    #[derive(Clone, Debug)]
    struct Broken(Move);

    impl std::fmt::Display for Broken {
        fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            f.write_str("broken")
        }
    }

    impl Schedule for Broken {
        fn next(&mut self, _: &dyn View) -> Option<Move> {
            Some(self.0)
        }

        fn copies_at_once(&mut self) -> bool {
            true
        }

        fn boxed(&self) -> Box<dyn Schedule> {
            Box::new(self.clone())
        }

        fn recurrence(&self, _: usize) -> Option<u64> {
            None
        }
    }

    /// The fault is planted in the schedule; the machine notices, and memory survives.
    #[test]
    fn what_the_machine_cannot_do_is_an_error_of_warpsim_and_no_outcome_of_the_program() {
        let text = ".version 7.0 .target sm_70 .address_size 64 .entry k() { ret; }";
        let mut gpu = Simulator::default();
        let module = gpu.load(&crate::ptx::parse("k.ptx", text).unwrap()).unwrap();
        let kept = gpu.allocate(4).unwrap();
        let wrong = [(7, 0, "block 7", "turn.rs:"), (0, 9, "warp 9", "block.rs:")];
        for (block, warp, what, place) in wrong {
            let turn = Move { block, warp, lanes: Choice::Together };
            gpu.settings_mut().schedule = Box::new(Broken(turn));
            let error = gpu.launch(module, "k", &Launch::new(1, 32), &[]).unwrap_err();
            let DeviceError::Internal(error) = error else { panic!("{error}") };
            assert!(error.what.contains(what) && error.place.contains(place), "{error}");
        }
        gpu.settings_mut().schedule = Box::new(InOrder::new());
        assert_eq!(
            gpu.launch(module, "k", &Launch::new(1, 32), &[]).unwrap().outcome,
            Outcome::Completed
        );
        gpu.free(kept).unwrap();
    }
}
