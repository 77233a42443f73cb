//! Page-locked memory: copies read and write it when they happen, and the host at once.

use super::{BOTH, device, one_thread, pointers, word};
use crate::observe::TaskRaces;
use crate::report::{Code, Finding, Hazard};
use crate::{Device, DeviceError, Simulator, StreamKind, StreamOrder};

type Result = std::result::Result<(), DeviceError>;

/// The host writes 7, issues a copy, and writes 8, having waited for the copy or not: what arrives,
/// and what is found.
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
