//! A trace that is handed on as it happens equals the trace that is kept.

use std::cell::Cell;

use warpsim::host::{Argument, Device, Launch, ModuleHandle, Pointer, Simulator};
use warpsim::observe::{Access, Event, Observer, Step, Trace, TraceStream};

/// Warps part, wait for each other in shuffles and barriers, and meet again, many times.
const TEXT: &str = ".version 8.0 .target sm_80 .address_size 64
    .visible .entry k(.param .u64 out) {
      .reg .u64 %a, %o; .reg .u32 %t, %v, %n; .reg .pred %p, %q; .shared .u32 s[128];
      ld.param.u64 %a, [out]; mov.u32 %t, %tid.x; mov.u32 %n, 0; mul.wide.u32 %o, %t, 4;
    more:
      and.b32 %v, %t, 3; setp.eq.u32 %p, %v, 0;
      @%p bra side;
      add.u32 %v, %v, %n; bra met;
    side: mul.lo.u32 %v, %v, 7;
    met:
      shfl.sync.bfly.b32 %v, %v, 1, 31, 0xffffffff;
      bar.sync 0;
      add.u32 %n, %n, 1; setp.lt.u32 %q, %n, 40; @%q bra more;
      add.u64 %a, %a, %o; st.global.u32 [%a], %v; ret; }";

fn prepared() -> (Simulator, ModuleHandle, Pointer) {
    let mut gpu = Simulator::default();
    let module = gpu.load(&warpsim::ptx::parse("k.ptx", TEXT).unwrap()).unwrap();
    let out = gpu.allocate(4 * 128).unwrap();
    (gpu, module, out)
}

fn launched(observer: &mut dyn Observer, schedule: &str) {
    let (mut gpu, module, out) = prepared();
    gpu.settings_mut().schedule = schedule.parse().unwrap();
    let launch = Launch::new(2, 128);
    let arguments = [Argument::Pointer(out)];
    let report = gpu.launch_observed(module, "k", &launch, &arguments, observer).unwrap();
    assert_eq!(report.findings, []);
}

/// Counts the instructions that have begun.
struct Counting<'a, F> {
    begun: &'a Cell<usize>,
    stream: TraceStream<F>,
}

impl<F: FnMut(Step)> Observer for Counting<'_, F> {
    fn before(&mut self, event: &Event<'_>) {
        self.begun.set(self.begun.get() + 1);
        self.stream.before(event);
    }

    fn access(&mut self, event: &Event<'_>, access: &Access<'_>) {
        self.stream.access(event, access);
    }

    fn after(&mut self, event: &Event<'_>) {
        self.stream.after(event);
    }

    fn launch_end(&mut self) {
        self.stream.launch_end();
    }
}

#[test]
fn steps_are_handed_on_in_order_and_are_those_that_a_trace_keeps() {
    for schedule in ["in-order", "reverse", "random:3", "adversarial"] {
        let mut kept = Trace::new();
        launched(&mut kept, schedule);
        let mut handed = Vec::new();
        launched(&mut TraceStream::new(&[], |step| handed.push(step)), schedule);
        assert!(handed.len() > 1000, "{schedule}: {}", handed.len());
        assert!(handed == kept.steps(), "{schedule}");
    }
}

#[test]
fn few_steps_wait_for_others_to_be_complete() {
    let (begun, mut most) = (Cell::new(0), 0);
    let stream = TraceStream::new(&[], |step| most = most.max(begun.get() - step.number));
    launched(&mut Counting { begun: &begun, stream }, "in-order");
    assert!((1..100).contains(&most), "{most} of {}", begun.get());
    assert!(begun.get() > 1000);
}
