//! Operations of a library: what they do, and which races they have.

use super::orders::recorded;
use super::*;
use crate::{CaptureMode, Choice, CudaError, Entry, LibraryTask, Spot};

/// Adds 1 to each of the four words at an address.
fn increment(address: u64) -> LibraryTask {
    let work = Arc::new(move |memory: &mut crate::LibraryMemory<'_, '_>| {
        let mut bytes = [0; 16];
        memory.read(address, &mut bytes)?;
        for word in bytes.chunks_exact_mut(4) {
            word[0] += 1;
        }
        memory.write(address, &bytes)
    });
    LibraryTask { name: "increment", work }
}

/// Reads them alone.
fn look(address: u64) -> LibraryTask {
    let work = Arc::new(move |memory: &mut crate::LibraryMemory<'_, '_>| {
        memory.read(address, &mut [0; 16])
    });
    LibraryTask { name: "look", work }
}

fn races(entries: &[Entry]) -> usize {
    entries.iter().filter(|entry| matches!(entry, Entry::Launch(_) | Entry::Copies { .. })).count()
}

#[test]
fn an_operation_of_a_library_races_with_what_its_stream_does_not_wait_for() {
    let launch = |call: &mut crate::Call<'_>, kernel, stream, memory: u64| {
        let stream = call.stream(stream, LEGACY).unwrap();
        call.launch(&request(kernel, 4, &memory.to_le_bytes()), stream).unwrap();
    };
    for is_ordered in [false, true] {
        let (entries, _) = recorded(Choice::default(), |call, twice, [s, t], memory| {
            launch(call, twice, s, memory);
            if is_ordered {
                let event = call.create_event(0).unwrap();
                call.record_event(event, s, LEGACY).unwrap();
                call.wait_for_event(t, LEGACY, event).unwrap();
            }
            call.library_task(&look(memory), t, LEGACY).unwrap();
        });
        assert_eq!(races(&entries) > 0, !is_ordered, "{entries:?}");
    }
    // It may change what it reads, and two that read do not race.
    let (entries, _) = recorded(Choice::default(), |call, _, [s, t], memory| {
        call.library_task(&increment(memory), s, LEGACY).unwrap();
        call.synchronise_context().unwrap();
        call.library_task(&look(memory), s, LEGACY).unwrap();
        call.library_task(&look(memory), t, LEGACY).unwrap();
    });
    assert_eq!(races(&entries), 0, "{entries:?}");
}

#[test]
fn a_captured_operation_is_a_node_that_each_launch_carries_out() {
    for check in [false, true] {
        let (driver, fake, mut caller) = driver(Options { check, ..Options::default() });
        let mut call = driver.enter(&mut caller).unwrap();
        let memory = call.allocate(16).unwrap();
        let stream = call.create_stream(0, 0).unwrap();
        call.begin_capture(stream, LEGACY, CaptureMode::Global, None).unwrap();
        call.library_task(&increment(memory), stream, LEGACY).unwrap();
        call.library_task(&increment(memory), stream, LEGACY).unwrap();
        let graph = call.end_capture(stream, LEGACY).unwrap();
        let instance = call.instantiate(graph, false).unwrap();
        for _ in 0..2 {
            let mut run = call.launch_graph(instance, stream, LEGACY).unwrap();
            assert_eq!(call.go_on(&mut run).unwrap(), None);
        }
        let default = call.stream(0, LEGACY).unwrap();
        call.copy(Spot::Host(OWN), Spot::Device(memory), 16, default, true).unwrap();
        assert_eq!(fake.0.lock().unwrap().piece(OWN, 5), [4, 0, 0, 0, 4]);
    }
}

#[test]
fn what_is_not_the_devices_is_refused_and_nothing_of_it_is_touched() {
    let (driver, fake, mut caller) = driver(Options::default());
    let mut call = driver.enter(&mut caller).unwrap();
    let memory = call.allocate(8).unwrap();
    for address in [0, OWN, memory] {
        let refused = call.library_task(&increment(address), 0, LEGACY);
        assert_eq!(refused, Err(CudaError::InvalidValue), "{address:#x}");
    }
    assert_eq!(fake.0.lock().unwrap().piece(OWN, 16), [0; 16]);
    assert_eq!(call.library_task(&increment(memory), 77, LEGACY), Err(CudaError::InvalidHandle));
}
