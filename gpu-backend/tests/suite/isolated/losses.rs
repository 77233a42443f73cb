//! Kernels that hang or fault, and the device after them.

use std::time::{Duration, Instant};

use warpsim::host::{Argument, Device, DeviceError, Event, Launch, Pointer, StreamKind};
use warpsim::ptx::Module;
use warpsim::report::{Code, Outcome};
use warpsim_gpu::Isolated;

use super::{kernels, start, start_with_timeout, tests};

tests![
    an_endless_kernel_is_hung_within_the_limit_and_the_next_launch_works,
    a_deadlock_is_hung,
    a_fault_has_words_and_the_next_launch_works,
    a_process_that_aborts_is_a_fault_with_its_signal,
    everything_from_before_a_loss_is_lost,
    a_synchronisation_that_waits_too_long_loses_everything,
    a_fault_in_a_stream_is_told_and_loses_everything,
];

const SHORT: Duration = Duration::from_millis(300);

fn launch(gpu: &mut Isolated, module: &Module, kernel: &str) -> warpsim::report::Report {
    let module = gpu.load(module).expect("it loads");
    gpu.launch(module, kernel, &Launch::new(1, 32), &[]).expect("it starts")
}

/// The next launch is as if nothing had been.
fn assert_it_works(gpu: &mut Isolated) {
    let module = gpu.load(&kernels::increment()).expect("it loads");
    let buffer = gpu.allocate(4).expect("there is room");
    gpu.upload(buffer, &[41, 0, 0, 0]).expect("it fits");
    let report = gpu
        .launch(module, "increment", &Launch::new(1, 1), &[Argument::Pointer(buffer)])
        .expect("it starts");
    assert_eq!(report.outcome, Outcome::Completed);
    let mut bytes = [0; 4];
    gpu.download(buffer, &mut bytes).expect("it can be read");
    assert_eq!(bytes, [42, 0, 0, 0]);
}

fn assert_hung(report: &warpsim::report::Report, words: &str) {
    assert_eq!(report.outcome, Outcome::Hung);
    let [finding] = report.findings.as_slice() else { panic!("{report:?}") };
    assert_eq!(finding.code, Code::Hung);
    assert_eq!(finding.explanation, words);
}

fn an_endless_kernel_is_hung_within_the_limit_and_the_next_launch_works() {
    let mut gpu = start_with_timeout("simulator", SHORT);
    let begun = Instant::now();
    let report = launch(&mut gpu, &kernels::endless(), "endless");
    let took = begun.elapsed();
    assert_hung(&report, "the GPU did not end within 0.3 s");
    assert!(took >= SHORT, "{took:?}");
    assert!(took < SHORT + Duration::from_secs(5), "{took:?}");
    assert_eq!(gpu.process(), None, "the child is gone");
    gpu.settings_mut().timeout = Duration::from_secs(60);
    assert_it_works(&mut gpu);
}

fn a_deadlock_is_hung() {
    let mut gpu = start_with_timeout("simulator", SHORT);
    assert_hung(&launch(&mut gpu, &kernels::stuck(), "stuck"), "the GPU did not end within 0.3 s");
    let mut gpu = start_with_timeout("simulator:hang", SHORT);
    assert_hung(&launch(&mut gpu, &kernels::empty(), "empty"), "the GPU did not end within 0.3 s");
}

fn a_fault_has_words_and_the_next_launch_works() {
    let mut gpu = start("simulator");
    let report = launch(&mut gpu, &kernels::stray(), "stray");
    assert_eq!(report.outcome, Outcome::Fault);
    assert_eq!(report.findings.len(), 1);
    assert_eq!(report.findings[0].code, Code::Fault);
    assert_eq!(report.findings[0].explanation, "the launch failed: out-of-bounds");
    assert_it_works(&mut gpu);
}

fn a_process_that_aborts_is_a_fault_with_its_signal() {
    let mut gpu = start("simulator:abort");
    let report = launch(&mut gpu, &kernels::empty(), "empty");
    assert_eq!(report.outcome, Outcome::Fault);
    assert_eq!(report.findings[0].code, Code::Fault);
    let words = &report.findings[0].explanation;
    assert!(words.starts_with("the process that ran it ended"), "{words}");
    #[cfg(unix)]
    assert_eq!(words, "the process that ran it ended by signal 6");
    gpu.load(&kernels::empty()).expect("there is a new child");
}

fn everything_from_before_a_loss_is_lost() {
    let mut gpu = start("simulator");
    let module = gpu.load(&kernels::increment()).expect("it loads");
    let buffer = gpu.allocate(64).expect("there is room");
    let stream = gpu.stream(StreamKind::Blocking).expect("there are streams");
    let event = gpu.event().expect("there are events");
    let copy = gpu.download_async(stream, buffer, 4).expect("it is issued");
    launch(&mut gpu, &kernels::stray(), "stray");

    let lost = DeviceError::Lost;
    let one = Launch::new(1, 1);
    assert_eq!(gpu.upload(buffer.offset(60), &[1]), Err(lost.clone()));
    assert_eq!(gpu.download(buffer, &mut [0]), Err(lost.clone()));
    assert_eq!(gpu.define(buffer, 1), Err(lost.clone()));
    assert_eq!(gpu.free(buffer), Err(lost.clone()));
    assert_eq!(gpu.variable(module, "x"), Err(lost.clone()));
    assert_eq!(gpu.launch(module, "increment", &one, &[]), Err(lost.clone()));
    assert_eq!(gpu.launch_on(stream, module, "increment", &one, &[]), Err(lost.clone()));
    assert_eq!(gpu.upload_async(stream, buffer, &[1]), Err(lost.clone()));
    assert_eq!(gpu.fetch(copy), Err(lost.clone()));
    assert_eq!(gpu.record(event, stream), Err(lost.clone()));
    assert_eq!(gpu.wait(stream, event), Err(lost.clone()));
    assert_eq!(gpu.synchronise_stream(stream), Err(lost.clone()));
    assert_eq!(gpu.synchronise_event(event), Err(lost.clone()));
    assert_eq!(gpu.process(), None, "none of these needs a new child");

    let new = gpu.load(&kernels::increment()).expect("it loads");
    let old = [Argument::Pointer(buffer)];
    assert_eq!(gpu.launch(new, "increment", &one, &old), Err(lost.clone()));
    let inside = [Argument::structure(8, [(0, Argument::Pointer(buffer))])];
    assert_eq!(gpu.launch(new, "increment", &one, &inside), Err(lost));
    // What was never given out is not lost, but wrong.
    let nowhere = DeviceError::BadPointer { address: 12, bytes: 1 };
    assert_eq!(gpu.upload(Pointer(12), &[1]), Err(nowhere));
    let unknown = DeviceError::UnknownHandle { what: "event".into() };
    assert_eq!(gpu.synchronise_event(Event::new(99)), Err(unknown));
    // An address that is given out again belongs to its new allocation.
    let again = gpu.allocate(64).expect("there is room");
    assert_eq!(again, buffer, "this test is of an address that comes again");
    gpu.upload(buffer, &[1]).expect("it is there");
}

fn a_synchronisation_that_waits_too_long_loses_everything() {
    let mut gpu = start_with_timeout("simulator:hang", SHORT);
    let module = gpu.load(&kernels::empty()).expect("it loads");
    let stream = gpu.stream(StreamKind::Blocking).expect("there are streams");
    gpu.launch_on(stream, module, "empty", &Launch::new(1, 1), &[]).expect("it is issued");
    assert_eq!(gpu.synchronise(), Err(DeviceError::Lost));
    assert_eq!(gpu.process(), None);
    assert_eq!(gpu.synchronise_stream(stream), Err(DeviceError::Lost));
}

fn a_fault_in_a_stream_is_told_and_loses_everything() {
    let mut gpu = start("simulator");
    let module = gpu.load(&kernels::stray()).expect("it loads");
    let stream = gpu.stream(StreamKind::Blocking).expect("there are streams");
    let launch =
        gpu.launch_on(stream, module, "stray", &Launch::new(1, 1), &[]).expect("it is issued");
    let ended = gpu.synchronise().expect("it is told");
    assert_eq!((ended[0].launch, ended[0].report.outcome), (launch, Outcome::Fault));
    assert_eq!(gpu.process(), None);
    assert_it_works(&mut gpu);
}
