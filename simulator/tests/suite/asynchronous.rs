//! Asynchronous copies: the schedule says when they take effect, at once or as late as possible.

use warpsim::explore::{Exploration, LaunchRequest, Strategy, Unit, explore};
use warpsim::host::{Argument, Device, Launch, Pointer, Simulator};
use warpsim::schedule::{Recorder, Schedule};

/// Thread 0 copies a 7 over a 3 and reads before the wait and after it; `poll` waits for nothing
/// but the value.
const TEXT: &str = "
.version 7.5
.target sm_80
.address_size 64
.shared .align 16 .b32 s;
.visible .entry early(.param .u64 in, .param .u64 out) {
    .reg .b64 %a<2>; .reg .b32 %r<3>;
    ld.param.u64 %a0, [in];
    ld.param.u64 %a1, [out];
    st.shared.u32 [s], 3;
    cp.async.ca.shared.global [s], [%a0], 4;
    cp.async.commit_group;
    ld.shared.u32 %r0, [s];
    cp.async.wait_group 0;
    ld.shared.u32 %r1, [s];
    st.global.v2.u32 [%a1], {%r0, %r1};
    ret;
}
.visible .entry late_source(.param .u64 in, .param .u64 out) {
    .reg .b64 %a<2>; .reg .b32 %r<3>;
    ld.param.u64 %a0, [in];
    ld.param.u64 %a1, [out];
    cp.async.ca.shared.global [s], [%a0], 4;
    st.global.u32 [%a0], 8;
    cp.async.wait_all;
    ld.shared.u32 %r1, [s];
    st.global.u32 [%a1], %r1;
    ret;
}
.visible .entry poll(.param .u64 in, .param .u64 out) {
    .reg .b64 %a<2>; .reg .b32 %r<3>; .reg .pred %p;
    ld.param.u64 %a0, [in];
    ld.param.u64 %a1, [out];
    st.shared.u32 [s], 3;
    cp.async.ca.shared.global [s], [%a0], 4;
again:
    ld.volatile.shared.u32 %r0, [s];
    setp.eq.u32 %p, %r0, 3;
    @%p bra again;
    st.global.u32 [%a1], %r0;
    ret;
}";

struct Bench {
    gpu: Simulator,
    request: LaunchRequest,
    out: Pointer,
}

fn bench(kernel: &str) -> Bench {
    let mut gpu = Simulator::default();
    let module = gpu.load(&warpsim::ptx::parse("async.ptx", TEXT).unwrap()).unwrap();
    let (input, out) = (gpu.allocate(4).unwrap(), gpu.allocate(8).unwrap());
    gpu.upload(input, &7_u32.to_le_bytes()).unwrap();
    gpu.upload(out, &[0; 8]).unwrap();
    let arguments = [Argument::Pointer(input), Argument::Pointer(out)];
    let request = LaunchRequest::new(module, kernel, Launch::new(1, 1), &arguments);
    Bench { gpu, request, out }
}

/// What a kernel leaves under a schedule.
fn left(kernel: &str, schedule: Box<dyn Schedule>) -> [u32; 2] {
    let Bench { mut gpu, request, out } = bench(kernel);
    gpu.settings_mut().schedule = schedule;
    let LaunchRequest { module, kernel, launch, arguments, .. } = &request;
    gpu.launch(*module, kernel, launch, arguments).unwrap();
    let mut bytes = [0; 8];
    gpu.download(out, &mut bytes).unwrap();
    let (low, high) = bytes.split_at(4);
    [low, high].map(|word| u32::from_le_bytes(word.try_into().unwrap()))
}

fn named(text: &str) -> Box<dyn Schedule> {
    text.parse().unwrap()
}

#[test]
fn a_read_before_the_wait_sees_the_copy_at_once_or_old_data() {
    assert_eq!(left("early", named("in-order")), [7, 7]);
    for late in ["reverse", "adversarial", "adversarial:back"] {
        assert_eq!(left("early", named(late)), [3, 7], "{late}");
    }
    let random: Vec<[u32; 2]> =
        (0..16).map(|seed| left("early", named(&format!("random:{seed}")))).collect();
    assert!(random.contains(&[3, 7]) && random.contains(&[7, 7]), "{random:?}");
}

#[test]
fn a_source_that_is_written_before_the_wait_is_copied_as_it_was_or_as_it_is() {
    assert_eq!(left("late_source", named("in-order"))[0], 7);
    assert_eq!(left("late_source", named("adversarial"))[0], 8);
}

#[test]
fn a_copy_that_nobody_waits_for_happens_all_the_same() {
    for schedule in ["in-order", "adversarial", "reverse", "1a:0q1q", "random:1", "pct:2"] {
        assert_eq!(left("poll", named(schedule))[0], 7, "{schedule}");
    }
}

#[test]
fn a_recording_says_when_copies_take_effect() {
    let late = named("1a:0q1q");
    assert_eq!(late.to_string(), "1a:0q1q");
    assert_eq!(left("early", late), [3, 7]);
    assert_eq!(left("early", named("1a:1q")), [7, 7]);
    let mut recorder = Recorder::new(named("adversarial"));
    assert!(!recorder.copies_at_once() && !recorder.copies_at_once());
    assert_eq!(recorder.replay().to_string(), "1a:0q2q");
}

#[test]
fn every_schedule_is_tried_with_copies_at_once_and_late_and_these_are_not_said_to_be_all() {
    let Bench { mut gpu, request, .. } = bench("early");
    let exploration = Exploration::default()
        .with_strategy(Strategy::Exhaustive(Unit::Threads))
        .with_schedules(100)
        .with_shrinking(10_000);
    let explored = explore(&mut gpu, &request, &exploration).unwrap();
    assert_eq!((explored.outcomes.len(), explored.complete), (2, false));
    let difference = explored.difference.unwrap();
    assert_eq!(difference.turns, 0);
    assert!(difference.second.contains("0q"), "{}", difference.second);
}

#[test]
fn going_back_brings_a_copy_back_that_was_under_way() {
    let Bench { mut gpu, request, .. } = bench("early");
    gpu.settings_mut().schedule = named("adversarial");
    let LaunchRequest { module, kernel, launch, arguments, .. } = &request;
    let mut stepper = gpu.stepper(*module, kernel, launch, arguments).unwrap();
    let mut read = Vec::new();
    while let Some(step) = stepper.step() {
        if &*step.name == "ld.shared.u32" {
            read.push(stepper.register(0, 0, 0, if read.is_empty() { "%r0" } else { "%r1" }));
        }
    }
    let read: Vec<u64> = read.into_iter().map(|value| value.unwrap().bits).collect();
    assert_eq!(read, [3, 7]);
    // Back before the first load, and forth again.
    for _ in 0..5 {
        stepper.back();
    }
    while let Some(step) = stepper.step() {
        if &*step.name == "st.global.v2.u32" {
            break;
        }
    }
    let values = ["%r0", "%r1"].map(|name| stepper.register(0, 0, 0, name).unwrap().bits);
    assert_eq!(values, [3, 7]);
}
