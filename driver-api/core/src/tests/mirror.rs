//! Memory of the device that the host works on.

use super::orders::recorded;
use super::*;
use crate::{Call, CaptureMode, Choice, CudaError, Entry};

/// Four words of the device, with something that doubles them.
fn with_words(
    check: bool,
    program: impl FnOnce(&mut Call<'_>, &Fake, u64, &dyn Fn(&mut Call<'_>)),
) {
    let (driver, fake, mut caller) = driver(Options { check, ..Options::default() });
    let mut call = driver.enter(&mut caller).unwrap();
    let module = call.load_module(KERNELS.as_bytes(), None).unwrap();
    let twice = call.module_function(module, "twice").unwrap();
    let memory = call.allocate(16).unwrap();
    let double = |call: &mut Call<'_>| {
        let stream = call.stream(0, LEGACY).unwrap();
        call.launch(&request(twice, 4, &memory.to_le_bytes()), stream).unwrap();
    };
    program(&mut call, &fake, memory, &double);
}

fn words(fake: &Fake, at: u64) -> Vec<u8> {
    fake.0.lock().unwrap().piece(at, 16).iter().step_by(4).copied().collect()
}

fn put(fake: &Fake, at: u64, values: &[u8]) {
    for (at, value) in (at..).step_by(4).zip(values) {
        fake.0.lock().unwrap().piece(at, 1)[0] = *value;
    }
}

#[test]
fn what_the_host_wrote_goes_to_the_device_and_what_a_kernel_wrote_comes_back() {
    for check in [false, true] {
        with_words(check, |call, fake, memory, double| {
            let stream = call.stream(0, LEGACY).unwrap();
            call.host_opens((memory, 16)).unwrap();
            put(fake, memory, &[1, 2, 3, 4]);
            call.host_wrote((memory, 16), stream).unwrap();
            double(call);
            call.host_reads((memory, 16), stream).unwrap();
            assert_eq!(words(fake, memory), [2, 4, 6, 8]);
            // Part of it: the rest is the device's.
            put(fake, memory + 4, &[7]);
            call.host_wrote((memory + 4, 4), stream).unwrap();
            double(call);
            double(call);
            call.host_reads((memory, 16), stream).unwrap();
            assert_eq!(words(fake, memory), [8, 28, 24, 32]);
        });
    }
}

#[test]
fn copies_and_sets_see_what_the_host_wrote_and_the_host_sees_them() {
    for check in [false, true] {
        with_words(check, |call, fake, memory, _| {
            let stream = call.stream(0, LEGACY).unwrap();
            call.host_reads((memory, 16), stream).unwrap();
            put(fake, memory, &[1, 2, 3, 4]);
            call.host_wrote((memory, 16), stream).unwrap();
            call.set(memory + 4, &[9, 0, 0, 0], [1, 1], 0, stream).unwrap();
            let (to, from) = (crate::Spot::Host(OWN), crate::Spot::Device(memory));
            call.copy(to, from, 16, stream, true).unwrap();
            assert_eq!(words(fake, OWN), [1, 9, 3, 4]);
            call.host_reads((memory, 16), stream).unwrap();
            assert_eq!(words(fake, memory), [1, 9, 3, 4]);
        });
    }
}

/// A module that is loaded changes nothing that the host had, and nothing of it may come back old.
#[test]
fn what_the_host_wrote_stays_while_nothing_has_taken_it_over() {
    with_words(false, |call, fake, memory, double| {
        let stream = call.stream(0, LEGACY).unwrap();
        call.host_opens((memory, 16)).unwrap();
        put(fake, memory, &[1, 2, 3, 4]);
        call.host_wrote((memory, 16), stream).unwrap();
        call.load_module(KERNELS.as_bytes(), None).unwrap();
        let managed = call.allocate_managed(16, 1).unwrap();
        call.host_reads((managed, 16), stream).unwrap();
        call.host_reads((memory, 16), stream).unwrap();
        assert_eq!(words(fake, memory), [1, 2, 3, 4]);
        double(call);
        call.host_reads((memory, 16), stream).unwrap();
        assert_eq!(words(fake, memory), [2, 4, 6, 8]);
    });
}

/// As on a GPU, where the next operation of a stream fails.
#[test]
fn the_host_learns_of_a_fault_when_it_reads_or_writes() {
    for check in [false, true] {
        let (driver, _fake, mut caller) = driver(Options { check, ..Options::default() });
        let mut call = driver.enter(&mut caller).unwrap();
        let module = call.load_module(KERNELS.as_bytes(), None).unwrap();
        let wild = call.module_function(module, "wild").unwrap();
        let memory = call.allocate(16).unwrap();
        let stream = call.stream(0, LEGACY).unwrap();
        call.host_opens((memory, 16)).unwrap();
        call.launch(&request(wild, 1, &0_u64.to_le_bytes()), stream).unwrap();
        assert_eq!(call.host_reads((memory, 16), stream), Err(CudaError::IllegalAddress));
        assert_eq!(call.host_wrote((memory, 16), stream), Err(CudaError::IllegalAddress));
    }
}

#[test]
fn a_mirror_ends_with_its_memory_and_what_is_no_memory_is_refused() {
    for check in [false, true] {
        with_words(check, |call, fake, memory, _| {
            let stream = call.stream(0, LEGACY).unwrap();
            call.host_wrote((memory, 16), stream).unwrap();
            assert!(fake.0.lock().unwrap().pieces.contains_key(&memory));
            assert_eq!(call.host_reads((memory + 8, 16), stream), Err(CudaError::InvalidValue));
            assert_eq!(call.host_opens((OWN, 16)), Err(CudaError::InvalidValue));
            assert_eq!(call.host_opens((memory, u64::MAX)), Err(CudaError::InvalidValue));
            call.free(memory).unwrap();
            assert!(!fake.0.lock().unwrap().pieces.contains_key(&memory));
            assert_eq!(call.host_reads((memory, 16), stream), Err(CudaError::InvalidValue));
        });
    }
}

#[test]
fn memory_that_is_shared_anyway_stays_in_its_place() {
    with_words(false, |call, fake, _, _| {
        let stream = call.stream(0, LEGACY).unwrap();
        let memory = call.allocate_managed(16, 1).unwrap();
        put(fake, memory, &[5]);
        call.host_wrote((memory, 16), stream).unwrap();
        call.set(memory + 4, &[6, 0, 0, 0], [1, 1], 0, stream).unwrap();
        call.host_reads((memory, 16), stream).unwrap();
        assert_eq!(words(fake, memory), [5, 6, 0, 0]);
    });
}

/// Each launch does it again, between what comes before and behind it; a capture does nothing, and
/// what the work holds goes with the graph.
#[test]
fn what_the_host_does_to_a_captured_stream_is_done_by_each_launch_of_the_graph() {
    for check in [false, true] {
        with_words(check, |call, fake, memory, double| {
            let legacy = call.stream(0, LEGACY).unwrap();
            let handle = call.create_stream(1, 0).unwrap();
            let stream = call.stream(handle, LEGACY).unwrap();
            call.set(memory, &[1, 0, 0, 0], [4, 1], 0, legacy).unwrap();
            let runs = Arc::new(Mutex::new(0));
            let add_one = |fake: &Fake, memory: u64| -> crate::HostWork {
                let (fake, runs) = (fake.clone(), Arc::clone(&runs));
                Box::new(move || {
                    *runs.lock().unwrap() += 1;
                    for at in (memory..).step_by(4).take(4) {
                        fake.0.lock().unwrap().piece(at, 1)[0] += 1;
                    }
                    Ok(())
                })
            };
            let all = || vec![(memory, 16)];
            let refused = call.host_captures(all(), all(), add_one(fake, memory), stream);
            assert_eq!(refused, Err(CudaError::IllegalState));
            call.begin_capture(handle, LEGACY, CaptureMode::Global, None).unwrap();
            call.host_captures(all(), all(), add_one(fake, memory), stream).unwrap();
            let graph = call.end_capture(handle, LEGACY).unwrap();
            let instance = call.instantiate(graph, false).unwrap();
            assert_eq!(*runs.lock().unwrap(), 0);
            for expected in [4, 10] {
                double(call);
                let mut run = call.launch_graph(instance, handle, LEGACY).unwrap();
                assert_eq!(call.go_on(&mut run), Ok(None));
                call.synchronise_context().unwrap();
                call.host_reads((memory, 16), legacy).unwrap();
                assert_eq!(words(fake, memory), [expected - 1; 4]);
                // The graph reads what the host writes outside of it.
                put(fake, memory, &[expected; 4]);
                call.host_wrote((memory, 16), legacy).unwrap();
            }
            assert_eq!(*runs.lock().unwrap(), 2);
            assert!(Arc::strong_count(&runs) > 1);
            call.destroy_instance(instance).unwrap();
            call.destroy_graph(graph).unwrap();
            assert_eq!(Arc::strong_count(&runs), 1);
        });
    }
}

#[test]
fn work_of_the_host_that_fails_ends_the_launch_of_its_graph() {
    with_words(false, |call, _, memory, _| {
        let handle = call.create_stream(1, 0).unwrap();
        let stream = call.stream(handle, LEGACY).unwrap();
        call.begin_capture(handle, LEGACY, CaptureMode::Global, None).unwrap();
        let fails: crate::HostWork = Box::new(|| Err(CudaError::Assert));
        call.host_captures(vec![(memory, 16)], Vec::new(), fails, stream).unwrap();
        let graph = call.end_capture(handle, LEGACY).unwrap();
        let instance = call.instantiate(graph, false).unwrap();
        let mut run = call.launch_graph(instance, handle, LEGACY).unwrap();
        assert_eq!(call.go_on(&mut run), Err(CudaError::Assert));
    });
}

/// Whether a race is reported when the host works in one stream while a kernel runs in another.
fn is_race(is_ordered: bool, writes: bool) -> bool {
    let (entries, _) = recorded(Choice::default(), |call, twice, [s, t], memory| {
        let (kernels, host) = (call.stream(s, LEGACY).unwrap(), call.stream(t, LEGACY).unwrap());
        call.launch(&request(twice, 4, &memory.to_le_bytes()), kernels).unwrap();
        if is_ordered {
            let event = call.create_event(2).unwrap();
            call.record_event(event, s, LEGACY).unwrap();
            call.wait_for_event(t, LEGACY, event).unwrap();
        }
        match writes {
            true => {
                call.host_opens((memory, 16)).unwrap();
                call.host_wrote((memory, 16), host).unwrap();
            }
            false => call.host_reads((memory, 16), host).unwrap(),
        }
    });
    entries.iter().any(|entry| matches!(entry, Entry::Copies { .. } | Entry::Launch(_)))
}

#[test]
fn the_host_races_with_a_kernel_of_another_stream_unless_an_event_orders_them() {
    for writes in [false, true] {
        assert!(is_race(false, writes), "writes: {writes}");
        assert!(!is_race(true, writes), "writes: {writes}");
    }
}
