//! A user's own observers and analyses run beside the analyses of warpsim.

use warpsim::explore::{Exploration, LaunchRequest, explore};
use warpsim::host::{
    Analyses, Argument, Checking, Device, DeviceError, Launch, ModuleHandle, Pointer, Simulator,
    StreamKind,
};
use warpsim::internal::InternalError;
use warpsim::observe::{
    Access, AccessKind, Analysis, EndedRun, Event, HostAccess, Interest, LaunchFacts, Observer,
};
use warpsim::report::{Code, Finding, OwnCode, Severity};

const STORES: Code = Code::Own(OwnCode::new("stores", Severity::Note, "how many stores"));

/// Counts the warp instructions that store, and the launches and host accesses that were reported
/// to it.
#[derive(Clone, Debug, Default)]
struct Stores {
    stores: u64,
    launches: u64,
    host_accesses: u64,
    is_broken: bool,
}

impl Observer for Stores {
    fn interest(&self) -> Interest {
        Interest::none().with_accesses(true)
    }

    fn launch_begin(&mut self, _: &LaunchFacts) {
        self.launches += 1;
    }

    fn access(&mut self, _: &Event<'_>, access: &Access<'_>) {
        self.stores += u64::from(access.kind == AccessKind::Write);
    }

    fn host_access(&mut self, _: &HostAccess) {
        self.host_accesses += 1;
    }
}

impl Analysis for Stores {
    fn name(&self) -> &'static str {
        "stores"
    }

    fn looks_for(&self) -> &'static str {
        "stores"
    }

    fn codes(&self) -> &'static [Code] {
        &[STORES]
    }

    fn findings(&mut self, run: &mut dyn EndedRun) -> Vec<Finding> {
        assert!(run.steps() > 0);
        let Stores { stores, launches, host_accesses, .. } = self;
        let what = format!("{stores} stores, {launches} launches, {host_accesses} host accesses");
        vec![Finding::of(STORES, what)]
    }

    fn bug(&mut self) -> Option<InternalError> {
        self.is_broken.then(|| warpsim::internal!("a planted one"))
    }

    fn boxed(&self) -> Box<dyn Analysis> {
        Box::new(self.clone())
    }
}

/// Each thread waits for nobody and reads what its neighbour wrote.
const NEIGHBOUR: &str = "
    .version 7.0 .target sm_70 .address_size 64
    .visible .entry neighbour(.param .u64 out) {
      .reg .u64 %a, %b; .reg .u32 %t, %v; .reg .pred %p;
      mov.u32 %t, %tid.x;
      mul.wide.u32 %a, %t, 4;
      ld.param.u64 %b, [out];
      add.u64 %a, %a, %b;
      st.global.u32 [%a+4], %t;
      ld.global.u32 %v, [%a];
      setp.eq.u32 %p, %v, 77;
      @%p st.global.u32 [%a+4], 1;
      ret;
    }";

/// A device that checks for everything and counts stores, with its module and a buffer.
fn device() -> (Simulator, ModuleHandle, Pointer) {
    device_with(Stores::default())
}

fn device_with(stores: Stores) -> (Simulator, ModuleHandle, Pointer) {
    let mut gpu = Simulator::default();
    let analyses = Analyses::default().with(stores);
    gpu.settings_mut().checking = Some(Checking::default().with_analyses(analyses));
    let module = gpu.load(&warpsim::ptx::parse("neighbour.ptx", NEIGHBOUR).unwrap()).unwrap();
    let out = gpu.allocate(4 * 33).unwrap();
    gpu.upload(out, &[0; 4 * 33]).unwrap();
    (gpu, module, out)
}

/// The names of what was found, each once, and what was said of stores.
fn told(findings: &[Finding]) -> (Vec<&'static str>, Vec<&str>) {
    let mut names: Vec<&str> = findings.iter().map(|finding| finding.code.name()).collect();
    names.dedup();
    let stores = findings.iter().filter(|finding| finding.code == STORES);
    (names, stores.map(|finding| &*finding.explanation).collect())
}

#[test]
fn an_analysis_of_a_users_own_finds_beside_those_of_warpsim_and_goes_on_with_the_next_launch() {
    let (mut gpu, module, out) = device();
    for launch in 1..=2 {
        let arguments = [Argument::Pointer(out)];
        let report = gpu.launch(module, "neighbour", &Launch::new(1, 32), &arguments).unwrap();
        let stores = format!("{launch} stores, {launch} launches, 1 host accesses");
        assert_eq!(told(&report.findings), (vec!["race", "stores"], vec![&*stores]));
        // It took part under the other schedules, and what it saw there is not in its state.
        assert_eq!(report.checked.unwrap().schedules.len(), 3);
    }
}

#[test]
fn a_bug_that_an_analysis_comes_to_is_one_of_warpsim_and_no_finding() {
    let (mut gpu, module, out) = device_with(Stores { is_broken: true, ..Stores::default() });
    let arguments = [Argument::Pointer(out)];
    let error = gpu.launch(module, "neighbour", &Launch::new(1, 32), &arguments).unwrap_err();
    assert!(matches!(&error, DeviceError::Internal(bug) if bug.what == "a planted one"), "{error}");
}

#[test]
fn an_observer_sees_the_launch_once_and_the_launch_is_checked_all_the_same() {
    let (mut gpu, module, out) = device();
    let mut observer = Stores::default();
    let arguments = [Argument::Pointer(out)];
    let launch = Launch::new(1, 32);
    let report =
        gpu.launch_observed(module, "neighbour", &launch, &arguments, &mut observer).unwrap();
    assert_eq!(told(&report.findings).0, ["race", "stores"]);
    assert_eq!((observer.stores, observer.launches), (1, 1));
}

#[test]
fn both_stand_under_streams() {
    let (mut gpu, module, out) = device();
    let mut observer = Stores::default();
    let mut device = gpu.watched(&mut observer);
    let stream = device.stream(StreamKind::Blocking).unwrap();
    device.upload_async(stream, out, &[0; 4 * 33]).unwrap();
    let launch = Launch::new(1, 32);
    device.launch_on(stream, module, "neighbour", &launch, &[Argument::Pointer(out)]).unwrap();
    let ended = device.synchronise().unwrap();
    let stores = "1 stores, 1 launches, 2 host accesses";
    assert_eq!(told(&ended[0].report.findings), (vec!["race", "stores"], vec![stores]));
    assert_eq!((observer.stores, observer.launches, observer.host_accesses), (1, 1, 1));
}

#[test]
fn an_analysis_takes_part_in_explored_launches() {
    let (mut gpu, module, out) = device();
    let arguments = [Argument::Pointer(out)];
    let request = LaunchRequest::new(module, "neighbour", Launch::new(1, 32), &arguments);
    let exploration = Exploration::default().with_schedules(4);
    let explored = explore(&mut gpu, &request, &exploration).unwrap();
    let names = told(&explored.findings).0;
    assert!(names.contains(&"race") && names.contains(&"stores"), "{names:?}");
}

#[test]
fn a_list_holds_one_analysis_of_a_name() {
    let list = Analyses::default().with(Stores::default()).with(Stores::default());
    assert_eq!(list.names(), ["races", "convergence", "overruns", "uninitialized", "stores"]);
    assert_eq!(list.clone().without(&["races"]).names().len(), 4);
    assert!(Analyses::none().names().is_empty());
}

#[test]
fn the_analyses_make_only_findings_that_the_table_has() {
    let lists = [Analyses::default(), Analyses::on_request()];
    for analysis in lists.iter().flat_map(Analyses::iter) {
        assert!(!analysis.codes().is_empty(), "{}", analysis.name());
        assert!(
            analysis.codes().iter().all(|code| Code::ALL.contains(code)),
            "{}",
            analysis.name()
        );
    }
}
