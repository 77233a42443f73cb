//! Memory that lives in the order of streams. A use that is too early or too late is found by the
//! order of operations, whatever has become of the memory (CUDA programming guide, "Stream-Ordered
//! Memory Allocator").

use super::orders::recorded_until;
use super::*;
use crate::{Answer, Call, Choice, CudaError, Entry, Spot};

/// A stream's launch of a kernel that reads and writes 16 bytes.
fn launch(call: &mut Call<'_>, kernel: Handle, stream: Handle, memory: u64) -> Answer<()> {
    let stream = call.stream(stream, LEGACY)?;
    call.launch(&request(kernel, 4, &memory.to_le_bytes()), stream)
}

fn allocate(call: &mut Call<'_>, stream: Handle) -> Answer<u64> {
    let stream = call.stream(stream, LEGACY)?;
    let memory = call.allocate_in_stream(None, 16, stream)?;
    call.set(memory, &[1; 4], [4, 1], 0, stream)?;
    Ok(memory)
}

fn free(call: &mut Call<'_>, stream: Handle, memory: u64) -> Answer<()> {
    let stream = call.stream(stream, LEGACY)?;
    call.free_in_stream(memory, stream)
}

fn order(call: &mut Call<'_>, first: Handle, second: Handle) -> Answer<()> {
    let event = call.create_event(2)?;
    call.record_event(event, first, LEGACY)?;
    call.wait_for_event(second, LEGACY, event)
}

/// The codes of the findings in a program with two streams.
fn codes(
    program: impl FnOnce(&mut Call<'_>, Handle, [Handle; 2]) -> Answer<()>,
) -> Vec<&'static str> {
    codes_until(Ok(()), program)
}

/// The same, where waiting for everything returns `end`.
fn codes_until(
    end: Answer<()>,
    program: impl FnOnce(&mut Call<'_>, Handle, [Handle; 2]) -> Answer<()>,
) -> Vec<&'static str> {
    let (entries, _) = recorded_until(Choice::default(), end, |call, twice, streams, _| {
        program(call, twice, streams).unwrap();
    });
    let findings = entries.iter().flat_map(|entry| match entry {
        Entry::Launch(launch) => launch.findings.clone(),
        Entry::Copies { findings, .. } => findings.clone(),
        Entry::Failed(_)
        | Entry::Counts(_)
        | Entry::Span(_)
        | Entry::Unsupported { .. }
        | Entry::Bug { .. } => {
            panic!("{entry:?}")
        }
    });
    let mut codes: Vec<&str> = findings.map(|finding| finding.code.name()).collect();
    codes.dedup();
    codes
}

#[test]
fn a_use_between_allocation_and_free_is_clean_by_stream_event_and_host() {
    let by_stream = codes(|call, twice, [s, _]| {
        let memory = allocate(call, s)?;
        launch(call, twice, s, memory)?;
        free(call, s, memory)
    });
    assert_eq!(by_stream, [""; 0]);
    let by_event = codes(|call, twice, [s, t]| {
        let memory = allocate(call, s)?;
        order(call, s, t)?;
        launch(call, twice, t, memory)?;
        order(call, t, s)?;
        free(call, s, memory)
    });
    assert_eq!(by_event, [""; 0]);
    let by_host = codes(|call, twice, [s, t]| {
        let memory = allocate(call, s)?;
        call.synchronise_stream(s, LEGACY)?;
        launch(call, twice, t, memory)?;
        call.synchronise_stream(t, LEGACY)?;
        call.free(memory)
    });
    assert_eq!(by_host, [""; 0]);
}

#[test]
fn a_use_behind_a_free_is_found_while_the_memory_is_there_and_when_it_is_gone() {
    for waits in [false, true] {
        // Memory that is gone stops the launch that uses it.
        let end = if waits { Err(CudaError::IllegalAddress) } else { Ok(()) };
        let found = codes_until(end, |call, twice, [s, t]| {
            let memory = allocate(call, s)?;
            order(call, s, t)?;
            launch(call, twice, t, memory)?;
            order(call, t, s)?;
            free(call, s, memory)?;
            if waits {
                call.synchronise_stream(s, LEGACY)?;
            }
            launch(call, twice, s, memory)
        });
        assert_eq!(found, ["use-after-free"], "{waits}");
    }
}

/// The host waits for the free, and not for another use, which keeps the memory: a third use still
/// comes too late.
#[test]
fn a_free_that_was_waited_for_ends_the_life_of_memory_that_is_still_in_use() {
    let found = codes(|call, twice, [s, t]| {
        let memory = allocate(call, s)?;
        call.synchronise_stream(s, LEGACY)?;
        free(call, s, memory)?;
        // It is found here, beside the free.
        launch(call, twice, t, memory)?;
        call.synchronise_stream(s, LEGACY)?;
        launch(call, twice, s, memory)
    });
    assert_eq!(found, ["use-after-free", "race", "use-after-free"]);
}

#[test]
fn the_order_of_issue_is_no_order() {
    let use_first = codes(|call, twice, [s, t]| {
        let memory = allocate(call, s)?;
        call.synchronise_stream(s, LEGACY)?;
        launch(call, twice, t, memory)?;
        free(call, s, memory)
    });
    let free_first = codes(|call, twice, [s, t]| {
        let memory = allocate(call, s)?;
        call.synchronise_stream(s, LEGACY)?;
        free(call, s, memory)?;
        launch(call, twice, t, memory)
    });
    assert_eq!((use_first, free_first), (vec!["use-after-free"], vec!["use-after-free"]));
    let unallocated = codes(|call, twice, [s, t]| {
        let stream = call.stream(s, LEGACY)?;
        let memory = call.allocate_in_stream(None, 16, stream)?;
        let stream = call.stream(t, LEGACY)?;
        call.set(memory, &[1; 4], [4, 1], 0, stream)?;
        launch(call, twice, t, memory)?;
        order(call, t, s)?;
        free(call, s, memory)
    });
    assert_eq!(unallocated, ["race"]);
}

#[test]
fn copies_are_uses_and_the_default_stream_orders_what_it_waits_for() {
    let copied = codes(|call, _, [s, t]| {
        let memory = allocate(call, s)?;
        call.synchronise_stream(s, LEGACY)?;
        free(call, s, memory)?;
        let t = call.stream(t, LEGACY)?;
        call.copy(Spot::Host(OWN), Spot::Device(memory), 16, t, false)
    });
    assert_eq!(copied, ["use-after-free"]);
    // Blocking streams and the default stream wait for each other.
    let blocking = codes(|call, twice, _| {
        let s = call.create_stream(0, 0)?;
        let memory = allocate(call, s)?;
        launch(call, twice, 0, memory)?;
        free(call, s, memory)
    });
    assert_eq!(blocking, [""; 0]);
}

#[test]
fn memory_of_a_pool_that_the_host_frees_waits_for_nothing_and_other_memory_does() {
    let of_pool = codes(|call, twice, [s, _]| {
        let memory = allocate(call, s)?;
        call.synchronise_stream(s, LEGACY)?;
        launch(call, twice, s, memory)?;
        call.free(memory)
    });
    assert_eq!(of_pool, ["use-after-free"]);
    let other = codes(|call, twice, [s, _]| {
        let memory = call.allocate(16)?;
        let stream = call.stream(s, LEGACY)?;
        call.set(memory, &[1; 4], [4, 1], 0, stream)?;
        launch(call, twice, s, memory)?;
        call.free(memory)
    });
    assert_eq!(other, [""; 0]);
}
