//! Findings are reported as they are found: each once, in one order whatever the number of host
//! threads, before the report that has all.

use std::sync::mpsc::{Receiver, channel};

use warpsim::explore::{Exploration, LaunchRequest, explore};
use warpsim::host::{Argument, Checking, Device, Launch, Listener, ModuleHandle, Schedules};
use warpsim::host::{Simulator, Threads};
use warpsim::report::{Code, Finding};

/// Two races, a barrier that half of the threads pass by, and a race where the second warp comes
/// first.
const WRONG: &str = ".version 7.0 .target sm_70 .address_size 64
    .visible .entry k(.param .u64 out) {
      .reg .u64 %a; .reg .u32 %t, %v; .reg .pred %p, %q, %r; .shared .u32 s;
      ld.param.u64 %a, [out]; mov.u32 %t, %tid.x;
      st.global.u32 [%a], %t;
      st.shared.u32 [s], %t;
      atom.global.add.u32 %v, [%a+4], 1;
      setp.eq.u32 %q, %v, 0;
      setp.ge.and.u32 %r, %t, 32, %q;
      @%r st.global.u32 [%a+12], %t;
      setp.eq.u32 %q, %t, 0;
      @%q ld.global.u32 %t, [%a+12];
      setp.lt.u32 %p, %v, 32;
      @%p bra over;
      bar.sync 0;
    over:
      st.global.u32 [%a+8], 1;
      ret; }";

/// A device that tells what it finds.
fn telling(threads: usize) -> (Simulator, ModuleHandle, Vec<Argument>, Receiver<Finding>) {
    let (sender, told) = channel();
    let mut gpu = Simulator::default();
    let settings = gpu.settings_mut();
    settings.threads = Threads::up_to(threads);
    settings.listener = Some(Listener::new(move |finding| drop(sender.send(finding.clone()))));
    let module = gpu.load(&warpsim::ptx::parse("k.ptx", WRONG).unwrap()).unwrap();
    let out = gpu.allocate(64).unwrap();
    (gpu, module, vec![Argument::Pointer(out)], told)
}

/// A finding as far as it does not say how often it happened, which is known at the end.
fn without_count(finding: &Finding) -> (Code, String, Option<String>) {
    (finding.code, finding.explanation.clone(), finding.replay.clone())
}

fn sorted(findings: &[Finding]) -> Vec<(Code, String, Option<String>)> {
    let mut all: Vec<_> = findings.iter().map(without_count).collect();
    all.sort_by_key(|(code, text, _)| (code.name(), text.clone()));
    all
}

#[test]
fn a_check_tells_of_each_finding_once_and_before_its_report() {
    let mut orders = Vec::new();
    for threads in [1, 3] {
        let (mut gpu, module, arguments, told) = telling(threads);
        gpu.settings_mut().checking = Some(Checking::default());
        let report = gpu.launch(module, "k", &Launch::new(1, 64), &arguments).unwrap();
        drop(gpu);
        let told: Vec<Finding> = told.iter().collect();
        assert!(told.len() >= 3, "{told:?}");
        assert_eq!(sorted(&told), sorted(&report.findings));
        orders.push(told);
    }
    assert_eq!(orders[0], orders[1]);
}

#[test]
fn an_exploration_tells_with_the_first_schedule_that_shows_it() {
    let mut orders = Vec::new();
    for threads in [1, 2, 3] {
        let (mut gpu, module, arguments, told) = telling(threads);
        gpu.settings_mut().checking = Some(Checking::default().with_schedules(Schedules::AsSet));
        let request = LaunchRequest::new(module, "k", Launch::new(1, 64), &arguments);
        let exploration =
            Exploration::default().with_schedules(40).with_threads(Threads::up_to(threads));
        let explored = explore(&mut gpu, &request, &exploration).unwrap();
        drop(gpu);
        let told: Vec<Finding> = told.iter().collect();
        let of_schedules: Vec<Finding> = explored
            .findings
            .into_iter()
            .filter(|finding| finding.code != Code::ScheduleDependent)
            .collect();
        assert_eq!(sorted(&told), sorted(&of_schedules));
        orders.push(told);
    }
    assert!(orders[0].iter().any(|finding| finding.replay.as_deref() != Some("in-order")));
    assert!(orders.iter().all(|order| *order == orders[0]));
}
