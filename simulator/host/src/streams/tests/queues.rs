//! When operations are done, and what the host may know of them.

use std::time::Duration;

use proptest::prelude::*;

use super::{BOTH, device, one_thread, pointers, word};
use crate::observe::{HostAccess, HostAccessKind, LaunchFacts, Observer, Order};
use crate::report::Outcome;
use crate::{Device, DeviceError, Simulator, Stream, StreamKind, StreamOrder};

type Result = std::result::Result<(), DeviceError>;

#[test]
fn a_copy_to_the_host_cannot_be_read_before_something_waited_for_it() -> Result {
    for order in BOTH {
        let (mut gpu, _) = device(order);
        let buffer = gpu.allocate(4)?;
        let (a, b) = (gpu.stream(StreamKind::Blocking)?, gpu.stream(StreamKind::Blocking)?);
        gpu.upload_async(a, buffer, &[1, 2, 3, 4])?;
        let copy = gpu.download_async(a, buffer, 4)?;
        assert_eq!(gpu.fetch(copy), Err(DeviceError::NotSynchronised { stream: 1 }));
        gpu.synchronise_stream(b)?;
        assert_eq!(gpu.fetch(copy), Err(DeviceError::NotSynchronised { stream: 1 }));
        gpu.synchronise_stream(a)?;
        assert_eq!(gpu.fetch(copy)?, [1, 2, 3, 4]);
        assert_eq!(gpu.fetch(copy), Err(DeviceError::UnknownHandle { what: "copy".into() }));
    }
    Ok(())
}

#[test]
fn an_event_recorded_before_a_copy_does_not_make_it_readable() -> Result {
    for order in BOTH {
        let (mut gpu, _) = device(order);
        let buffer = gpu.allocate(1)?;
        let stream = gpu.stream(StreamKind::NonBlocking)?;
        let (early, late) = (gpu.event()?, gpu.event()?);
        gpu.record(early, stream)?;
        let copy = gpu.download_async(stream, buffer, 1)?;
        gpu.record(late, stream)?;
        gpu.synchronise_event(early)?;
        assert_eq!(gpu.fetch(copy), Err(DeviceError::NotSynchronised { stream: 1 }));
        gpu.synchronise_event(late)?;
        assert_eq!(gpu.fetch(copy)?, [0]);
    }
    Ok(())
}

/// Uploads 21 in one stream and doubles it in another.
fn across(order: StreamOrder, has_event: bool) -> std::result::Result<u32, DeviceError> {
    let (mut gpu, module) = device(order);
    let cell = gpu.allocate(4)?;
    gpu.upload(cell, &5u32.to_le_bytes())?;
    let (a, b) = (gpu.stream(StreamKind::Blocking)?, gpu.stream(StreamKind::NonBlocking)?);
    gpu.upload_async(a, cell, &21u32.to_le_bytes())?;
    if has_event {
        let event = gpu.event()?;
        gpu.record(event, a)?;
        gpu.wait(b, event)?;
    }
    gpu.launch_on(b, module, "twice", &one_thread(), &pointers([cell]))?;
    gpu.synchronise()?;
    word(&mut gpu, cell)
}

#[test]
fn a_missing_event_shows_in_one_of_the_two_orders() -> Result {
    for order in BOTH {
        assert_eq!(across(order, true)?, 42);
    }
    assert_eq!(across(StreamOrder::AsIssued, false)?, 42);
    // 5 is doubled, then overwritten.
    assert_eq!(across(StreamOrder::Reversed, false)?, 21);
    Ok(())
}

#[test]
fn a_copy_in_the_default_stream_waits_for_blocking_streams_only() -> Result {
    for (kind, expected) in [(StreamKind::Blocking, 2), (StreamKind::NonBlocking, 1)] {
        let (mut gpu, module) = device(StreamOrder::Reversed);
        let cell = gpu.allocate(4)?;
        gpu.upload(cell, &1u32.to_le_bytes())?;
        let stream = gpu.stream(kind)?;
        gpu.launch_on(stream, module, "twice", &one_thread(), &pointers([cell]))?;
        assert_eq!(word(&mut gpu, cell)?, expected);
        gpu.synchronise()?;
        assert_eq!(word(&mut gpu, cell)?, 2);
    }
    Ok(())
}

#[test]
fn a_launch_in_the_default_stream_comes_between_launches_of_blocking_streams() -> Result {
    for order in BOTH {
        let (mut gpu, module) = device(order);
        let (a, b) = (gpu.allocate(4)?, gpu.allocate(4)?);
        gpu.upload(a, &3u32.to_le_bytes())?;
        let (s, t) = (gpu.stream(StreamKind::Blocking)?, gpu.stream(StreamKind::Blocking)?);
        // ((3 * 2) + 3 into b ...): each of the three needs the one before.
        gpu.launch_on(s, module, "twice", &one_thread(), &pointers([a]))?;
        gpu.launch_on(Stream::DEFAULT, module, "plus", &one_thread(), &pointers([b, a]))?;
        gpu.launch_on(t, module, "twice", &one_thread(), &pointers([b]))?;
        gpu.synchronise()?;
        assert_eq!(word(&mut gpu, b)?, 12);
    }
    Ok(())
}

#[test]
fn each_launch_is_reported_once_when_the_host_has_waited_for_it() -> Result {
    for order in BOTH {
        let (mut gpu, module) = device(order);
        let cell = gpu.allocate(4)?;
        let (a, b) = (gpu.stream(StreamKind::NonBlocking)?, gpu.stream(StreamKind::NonBlocking)?);
        let launch = |gpu: &mut Simulator, stream, kernel, cells: &[_]| {
            gpu.launch_on(stream, module, kernel, &one_thread(), cells)
        };
        let first = launch(&mut gpu, a, "twice", &pointers([cell]))?;
        let second = launch(&mut gpu, b, "plus", &pointers([cell, cell]))?;
        let third = launch(&mut gpu, a, "twice", &pointers([cell]))?;
        // Waiting in the default stream says nothing about streams that it does not wait for.
        gpu.launch(module, "twice", &one_thread(), &pointers([cell]))?;
        let ended = gpu.synchronise_stream(b)?;
        assert_eq!(ended.iter().map(|e| e.launch).collect::<Vec<_>>(), [second]);
        assert_eq!((&*ended[0].kernel, ended[0].report.outcome), ("plus", Outcome::Completed));
        let ended = gpu.synchronise()?;
        assert_eq!(ended.iter().map(|e| e.launch).collect::<Vec<_>>(), [first, third]);
        assert_eq!(gpu.synchronise()?, []);
    }
    Ok(())
}

#[test]
fn what_cannot_start_is_refused_when_it_is_issued() -> Result {
    let (mut gpu, module) = device(StreamOrder::Reversed);
    let stream = gpu.stream(StreamKind::Blocking)?;
    let refused = gpu.launch_on(stream, module, "thrice", &one_thread(), &[]);
    assert!(matches!(refused, Err(DeviceError::UnknownKernel { .. })));
    let refused = gpu.launch_on(stream, module, "twice", &one_thread(), &[]);
    assert!(matches!(refused, Err(DeviceError::ArgumentCount { .. })));
    let cell = gpu.allocate(4)?;
    let refused = gpu.upload_async(stream, cell.offset(1), &[0; 4]);
    assert!(matches!(refused, Err(DeviceError::BadPointer { .. })));
    let other = Stream::new(7);
    let unknown = Err(DeviceError::UnknownHandle { what: "stream".into() });
    assert_eq!(gpu.upload_async(other, cell, &[0; 4]), unknown);
    assert_eq!(gpu.synchronise(), Ok(Vec::new()));
    Ok(())
}

#[test]
fn a_stepper_begins_after_what_the_default_stream_waits_for() -> Result {
    let (mut gpu, module) = device(StreamOrder::Reversed);
    let cell = gpu.allocate(4)?;
    let stream = gpu.stream(StreamKind::Blocking)?;
    gpu.upload_async(stream, cell, &4u32.to_le_bytes())?;
    gpu.stepper(module, "twice", &one_thread(), &pointers([cell]))?.finish();
    assert_eq!(word(&mut gpu, cell)?, 8);
    Ok(())
}

#[test]
fn a_fork_has_the_same_operations_in_flight() -> Result {
    let (mut gpu, module) = device(StreamOrder::Reversed);
    let cell = gpu.allocate(4)?;
    gpu.upload(cell, &4u32.to_le_bytes())?;
    let stream = gpu.stream(StreamKind::NonBlocking)?;
    gpu.launch_on(stream, module, "twice", &one_thread(), &pointers([cell]))?;
    let mut fork = gpu.fork();
    fork.synchronise()?;
    assert_eq!((word(&mut fork, cell)?, word(&mut gpu, cell)?), (8, 4));
    gpu.synchronise()?;
    assert_eq!(word(&mut gpu, cell)?, 8);
    Ok(())
}

/// The order of everything that happens, as it happens.
#[derive(Default)]
struct Happened(Vec<Order>, Vec<HostAccess>);

impl Observer for Happened {
    fn launch_begin(&mut self, launch: &LaunchFacts) {
        self.0.push(launch.order.clone());
    }
    fn host_access(&mut self, access: &HostAccess) {
        self.0.push(access.order.clone());
        self.1.push(access.clone());
    }
}

#[test]
fn whoever_watches_is_told_of_copies_and_frees() -> Result {
    let (mut gpu, module) = device(StreamOrder::AsIssued);
    let mut happened = Happened::default();
    let mut device = gpu.watched(&mut happened);
    let buffer = device.allocate(16)?;
    device.upload(buffer.offset(4), &[0; 8])?;
    device.launch(module, "twice", &one_thread(), &pointers([buffer]))?;
    device.download(buffer, &mut [0; 4])?;
    device.free(buffer)?;
    let told: Vec<_> = happened.1.iter().map(|a| (a.kind, a.address, a.bytes)).collect();
    let expected = [
        (HostAccessKind::Write, buffer.0 + 4, 8),
        (HostAccessKind::Read, buffer.0, 4),
        (HostAccessKind::Free, buffer.0, 16),
    ];
    assert_eq!(told, expected);
    // One after the other, the launch included.
    assert_eq!(happened.0.len(), 4);
    for (index, order) in happened.0.iter().enumerate() {
        let earlier = happened.0[..index].iter();
        assert!(earlier.clone().all(|earlier| order.is_after(earlier.operation())));
    }
    Ok(())
}

#[derive(Clone, Copy, Debug)]
enum Call {
    Launch(usize),
    Upload(usize),
    Record(usize),
    Wait(usize),
    SynchroniseStream(usize),
}

fn call() -> impl Strategy<Value = Call> {
    let stream = 0..4usize;
    prop_oneof![
        3 => stream.clone().prop_map(Call::Launch),
        3 => stream.clone().prop_map(Call::Upload),
        2 => stream.clone().prop_map(Call::Record),
        2 => stream.clone().prop_map(Call::Wait),
        1 => stream.prop_map(Call::SynchroniseStream),
    ]
}

proptest! {
    #[test]
    fn operations_happen_once_and_in_an_order_that_the_clocks_allow(
        calls in prop::collection::vec(call(), 0..25),
        reversed: bool,
    ) {
        let order = if reversed { StreamOrder::Reversed } else { StreamOrder::AsIssued };
        let (mut gpu, module) = device(order);
        let mut happened = Happened::default();
        let mut device = gpu.watched(&mut happened);
        let cell = device.allocate(4).unwrap();
        let event = device.event().unwrap();
        for kind in [StreamKind::Blocking, StreamKind::NonBlocking, StreamKind::NonBlocking] {
            device.stream(kind).unwrap();
        }
        let mut issued = 0;
        for call in &calls {
            match *call {
                Call::Launch(s) => {
                    issued += 1;
                    let (stream, cells) = (Stream::new(s), pointers([cell]));
                    device.launch_on(stream, module, "twice", &one_thread(), &cells).unwrap();
                }
                Call::Upload(s) => {
                    issued += 1;
                    device.upload_async(Stream::new(s), cell, &[1; 4]).unwrap();
                }
                Call::Record(s) => device.record(event, Stream::new(s)).unwrap(),
                Call::Wait(s) => device.wait(Stream::new(s), event).unwrap(),
                Call::SynchroniseStream(s) => {
                    device.synchronise_stream(Stream::new(s)).unwrap();
                }
            }
        }
        device.synchronise().unwrap();
        let mut numbers: Vec<u64> = happened.0.iter().map(|o| o.operation().number).collect();
        for (index, earlier) in happened.0.iter().enumerate() {
            for later in &happened.0[index..] {
                prop_assert!(!earlier.is_after(later.operation()), "{:?} {:?}", earlier, later);
            }
        }
        numbers.sort_unstable();
        numbers.dedup();
        prop_assert_eq!(numbers.len(), issued);
        prop_assert_eq!(happened.0.len(), issued);
    }
}

#[test]
fn the_time_between_events_is_that_of_the_launches_between_them() -> Result {
    for order in BOTH {
        let (mut gpu, module) = device(order);
        let cell = gpu.allocate(4)?;
        let (a, b) = (gpu.stream(StreamKind::NonBlocking)?, gpu.stream(StreamKind::NonBlocking)?);
        let [start, middle, end, never] = [gpu.event()?, gpu.event()?, gpu.event()?, gpu.event()?];
        let launch = |gpu: &mut Simulator, stream| {
            gpu.launch_on(stream, module, "twice", &one_thread(), &pointers([cell])).map(|_| ())
        };
        launch(&mut gpu, a)?;
        gpu.record(start, a)?;
        launch(&mut gpu, a)?;
        gpu.record(middle, a)?;
        launch(&mut gpu, a)?;
        // Operations of the other stream do not count, until that stream waits for the first one.
        launch(&mut gpu, b)?;
        gpu.wait(b, middle)?;
        launch(&mut gpu, b)?;
        gpu.record(end, b)?;
        assert_eq!(gpu.elapsed(start, middle), Err(DeviceError::EventPending));
        gpu.synchronise_event(middle)?;
        let one = gpu.elapsed(start, middle)?;
        assert!(one.as_nanos() > 0);
        assert_eq!(gpu.elapsed(start, end), Err(DeviceError::EventPending));
        gpu.synchronise()?;
        assert_eq!((gpu.elapsed(start, end)?, gpu.elapsed(end, start)?), (one * 3, Duration::ZERO));
        let unknown = DeviceError::UnknownHandle { what: "recorded event".into() };
        assert_eq!(gpu.elapsed(start, never), Err(unknown));
    }
    Ok(())
}
