//! What mends a conflict is tried within the steps that a check allows, and advice that nobody has
//! tried says so.

use warpsim::host::{Argument, Checking, Device, Launch, Schedules, Simulator};
use warpsim::report::{Code, Finding};

/// Each thread reads what its neighbour has written, and no barrier is in between.
const NEIGHBOUR: &str = ".version 7.0 .target sm_70 .address_size 64
    .visible .entry k(.param .u64 out) {
      .reg .u64 %a, %o; .reg .u32 %t, %s, %n, %v; .shared .u32 s[64];
      ld.param.u64 %a, [out]; mov.u32 %t, %tid.x; mov.u32 %s, s;
      mad.lo.u32 %n, %t, 4, %s;
      st.shared.u32 [%n], %t;
      xor.b32 %n, %t, 32; mad.lo.u32 %n, %n, 4, %s;
      ld.shared.u32 %v, [%n];
      mad.wide.u32 %o, %t, 4, %a; st.global.u32 [%o], %v; ret; }";

const NOT_TRIED: &str = "whether that is enough was not tried";

/// The race of the kernel, when trials may take this many steps.
fn race(steps: u64) -> Finding {
    let mut gpu = Simulator::default();
    let checking = Checking::default().with_schedules(Schedules::AsSet).with_trial_steps(steps);
    gpu.settings_mut().checking = Some(checking);
    let module = gpu.load(&warpsim::ptx::parse("k.ptx", NEIGHBOUR).unwrap()).unwrap();
    let out = Argument::Pointer(gpu.allocate(256).unwrap());
    let report = gpu.launch(module, "k", &Launch::new(1, 64), &[out]).unwrap();
    let mut races = report.findings.into_iter().filter(|finding| finding.code == Code::Race);
    let race = races.next().unwrap();
    assert_eq!(races.count(), 0);
    race
}

#[test]
fn advice_that_was_tried_has_a_place_and_advice_that_was_not_says_so() {
    let tried = race(1_000_000);
    assert!(tried.remedy.is_some());
    let help = tried.help.unwrap();
    assert!(help.contains("__syncthreads()") && !help.contains(NOT_TRIED), "{help}");
    let untried = race(0);
    assert_eq!(untried.remedy, None);
    let help = untried.help.unwrap();
    assert!(help.contains("__syncthreads()") && help.contains(NOT_TRIED), "{help}");
}
