//! Page-locked memory: copies read and write it when they happen, and the host at once.

use super::{BOTH, device, one_thread, pointers, word};
use crate::observe::{OperationId, TaskRace, TaskRaces};
use crate::report::{Code, Finding, Hazard};
use crate::{Device, DeviceError, Launch, Pointer, Simulator, StreamKind, StreamOrder};

type Result = std::result::Result<(), DeviceError>;

/// The host writes 7, issues a copy, and writes 8, having waited for the copy or not. Returns the
/// copied value and the findings.
fn refilled(
    order: StreamOrder,
    waits: bool,
) -> std::result::Result<(u32, Vec<Finding>), DeviceError> {
    let (mut gpu, _) = device(order);
    let mut races = TaskRaces::default();
    let mut watched = gpu.watched(&mut races);
    let (source, cell) = (watched.allocate_host(8)?, watched.allocate(4)?);
    let stream = watched.stream(StreamKind::NonBlocking)?;
    watched.host_write(source.offset(4), &7u32.to_le_bytes())?;
    watched.copy_async(stream, cell, source.offset(4), 4)?;
    if waits {
        watched.synchronise_stream(stream)?;
    }
    watched.host_write(source.offset(4), &8u32.to_le_bytes())?;
    watched.synchronise()?;
    let arrived = word(&mut gpu, cell)?;
    Ok((arrived, races.take_findings()))
}

#[test]
fn a_copy_reads_what_is_there_when_it_happens() -> Result {
    for order in BOTH {
        let (arrived, found) = refilled(order, true)?;
        assert_eq!((arrived, found), (7, Vec::new()));
    }
    for (order, expected) in [(StreamOrder::AsIssued, 7), (StreamOrder::Reversed, 8)] {
        let (arrived, found) = refilled(order, false)?;
        assert_eq!(arrived, expected, "{order:?}");
        let [finding] = &found[..] else { panic!("{found:?}") };
        // Carried out as issued, the copy reads first; as late as possible, it reads last.
        let hazard = match order {
            StreamOrder::AsIssued => Hazard::WriteAfterRead,
            StreamOrder::Reversed => Hazard::ReadAfterWrite,
        };
        assert_eq!((finding.code, finding.hazard), (Code::Race, Some(hazard)));
        for who in ["the host's write", "the copy in stream 1"] {
            assert!(finding.explanation.contains(who), "{}", finding.explanation);
        }
        let help = finding.help.as_deref().unwrap_or_default();
        assert!(help.ends_with("before it writes"), "{help}");
    }
    Ok(())
}

#[test]
fn the_host_that_reads_too_early_is_found() -> Result {
    for order in BOTH {
        let (mut gpu, module) = device(order);
        let mut races = TaskRaces::default();
        let mut watched = gpu.watched(&mut races);
        let (result, cell) = (watched.allocate_host(4)?, watched.allocate(4)?);
        watched.upload(cell, &21u32.to_le_bytes())?;
        let stream = watched.stream(StreamKind::Blocking)?;
        watched.launch_on(stream, module, "twice", &one_thread(), &pointers([cell]))?;
        watched.copy_async(stream, result, cell, 4)?;
        let mut early = [9; 4];
        watched.host_read(result, &mut early)?;
        watched.synchronise()?;
        let mut late = [9; 4];
        watched.host_read(result, &mut late)?;
        let expected = if order == StreamOrder::AsIssued { 42 } else { 0 };
        assert_eq!((u32::from_le_bytes(early), u32::from_le_bytes(late)), (expected, 42));
        let found = races.take_findings();
        assert_eq!(found.iter().map(|f| f.code).collect::<Vec<_>>(), [Code::Race], "{order:?}");
    }
    Ok(())
}

#[test]
fn what_the_host_writes_in_many_places_is_one_act_and_of_each_access_one_finding() -> Result {
    let (mut gpu, module) = device(StreamOrder::AsIssued);
    let mut races = TaskRaces::default();
    let mut watched = gpu.watched(&mut races);
    let memory = watched.allocate_host(3 * 4096)?;
    let stream = watched.stream(StreamKind::NonBlocking)?;
    // 32 threads read a byte each, on both sides of a multiple of 4096.
    let start = Pointer(memory.0.next_multiple_of(4096) + 4096 - 16);
    watched.launch_on(stream, module, "look", &Launch::new(1, 32), &pointers([start]))?;
    let odd = (0..4096).map(|word| (Pointer(start.0 - 4079 + 2 * word), &[1][..]));
    watched.host_writes(&odd.collect::<Vec<_>>())?;
    let copied = watched.allocate(4)?;
    watched.copy_async(stream, copied, start.offset(3), 4)?;
    watched.host_writes(&[(start.offset(2), &[2]), (start.offset(6), &[2]), (start, &[2])])?;
    watched.synchronise()?;
    let found = races.take();
    // The kernel and each act; the copy comes after the first, and meets one byte of the second.
    let of = |race: &TaskRace| (race.finding.address, race.finding.count, race.later);
    let wanted = [(start.0 + 1, 16), (start.0, 3), (start.0 + 6, 1)];
    let wanted = wanted.map(|(address, count)| (Some(address), count, None));
    assert_eq!(found.iter().map(of).collect::<Vec<_>>(), wanted);
    assert_eq!(found[0].finding.sites[0].thread, [1, 0, 0]);
    assert!(found.iter().all(|race| race.operations[0].timeline == OperationId::HOST));
    Ok(())
}

/// A launch that the host can poll is over when the host says so. Later operations of its stream
/// are not over, and neither are the operations of other streams.
#[test]
fn the_host_may_learn_by_polling_that_a_launch_is_over_and_what_comes_before_it() -> Result {
    for (kernel, is_reached) in [("signal", true), ("signal", false), ("twice", true)] {
        for behind in [false, true] {
            let (mut gpu, module) = device(StreamOrder::AsIssued);
            let mut races = TaskRaces::default();
            let (data, flag) = (gpu.allocate_host(4)?, gpu.allocate_host(4)?);
            gpu.define(flag, 4)?;
            if is_reached {
                races.host_reaches(data.0, 4);
                races.host_reaches(flag.0, 4);
            }
            let mut watched = gpu.watched(&mut races);
            let stream = watched.stream(StreamKind::NonBlocking)?;
            let mut kernels = [("look", data), (kernel, flag)];
            if behind {
                kernels.reverse();
            }
            for (kernel, cell) in kernels {
                watched.launch_on(stream, module, kernel, &one_thread(), &pointers([cell]))?;
            }
            watched.host_write(data, &[1])?;
            watched.synchronise()?;
            let may_know = kernel == "signal" && is_reached && !behind;
            let found = races.take_findings();
            assert_eq!(found.is_empty(), may_know, "{kernel} {is_reached} {behind} {found:?}");
        }
    }
    Ok(())
}

#[test]
fn the_host_may_learn_from_its_function_what_its_stream_has_done_and_streams_do_not() -> Result {
    let (mut gpu, module) = device(StreamOrder::AsIssued);
    let (data, other) = (gpu.allocate_host(4)?, gpu.allocate_host(4)?);
    let (s, t) = (gpu.stream(StreamKind::NonBlocking)?, gpu.stream(StreamKind::NonBlocking)?);
    let mut races = TaskRaces::default();
    let mut watched = gpu.watched(&mut races);
    watched.launch_on(s, module, "look", &one_thread(), &pointers([data]))?;
    watched.launch_on(t, module, "look", &one_thread(), &pointers([other]))?;
    let order = gpu.host_function(s)?;
    races.host_learns(&order);
    let mut watched = gpu.watched(&mut races);
    watched.host_write(data, &[1])?;
    assert_eq!(races.take_findings(), []);
    let mut watched = gpu.watched(&mut races);
    watched.host_write(other, &[1])?;
    assert_eq!(races.take_findings().len(), 1, "nothing was learned of the other stream");
    let mut watched = gpu.watched(&mut races);
    watched.launch_on(t, module, "mark", &one_thread(), &pointers([data]))?;
    watched.synchronise()?;
    assert_eq!(races.take_findings().len(), 1, "the other stream has waited for nothing");
    Ok(())
}

/// The host's own accesses may be atomic. If only some of them are reported, they do not race with
/// accesses that are atomic towards the host.
#[test]
fn a_flag_that_the_host_sets_beside_a_kernel_that_polls_it_is_no_race() -> Result {
    for (kernel, is_reached, is_race) in
        [("poll", true, false), ("look", true, true), ("poll", false, true)]
    {
        let (mut gpu, module) = device(StreamOrder::AsIssued);
        let mut races = TaskRaces::default();
        let flag = gpu.allocate_host(4)?;
        gpu.define(flag, 4)?;
        if is_reached {
            races.host_reaches(flag.0, 4);
        }
        let mut watched = gpu.watched(&mut races);
        let stream = watched.stream(StreamKind::NonBlocking)?;
        watched.launch_on(stream, module, kernel, &one_thread(), &pointers([flag]))?;
        watched.host_write(flag, &[1])?;
        watched.synchronise()?;
        assert_eq!(races.take_findings().len(), usize::from(is_race), "{kernel} {is_reached}");
    }
    Ok(())
}

#[test]
fn kernels_reach_page_locked_memory() -> Result {
    let (mut gpu, module) = device(StreamOrder::AsIssued);
    let cell = gpu.allocate_host(4)?;
    gpu.host_write(cell, &21u32.to_le_bytes())?;
    gpu.launch(module, "twice", &one_thread(), &pointers([cell]))?;
    assert_eq!(word(&mut gpu, cell)?, 42);
    Ok(())
}

#[test]
fn the_host_reaches_no_other_memory_and_frees_none_that_is_in_use() -> Result {
    let (mut gpu, _) = device(StreamOrder::Reversed);
    let (cell, host) = (gpu.allocate(4)?, gpu.allocate_host(4)?);
    let outside = |address| Err(DeviceError::BadPointer { address, bytes: 4 });
    assert_eq!(gpu.host_write(cell, &[0; 4]), outside(cell.0));
    assert_eq!(gpu.host_read(cell, &mut [0; 4]), outside(cell.0));
    assert_eq!(gpu.host_write(host.offset(2), &[0; 4]), outside(host.0 + 2));
    let stream = gpu.stream(StreamKind::Blocking)?;
    gpu.copy_async(stream, cell, host, 4)?;
    assert!(matches!(gpu.free(host), Err(DeviceError::StillInUse { stream: 1, .. })));
    gpu.synchronise()?;
    gpu.free(host)?;
    assert_eq!(gpu.host_write(host, &[0]), Err(DeviceError::Freed { address: host.0, bytes: 1 }));
    let mut fork: Simulator = gpu.fork();
    let host = fork.allocate_host(4)?;
    fork.fork().host_write(host, &[0; 4])
}
