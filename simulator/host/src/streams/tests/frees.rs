//! Memory that is given back too early, twice, or used afterwards by the host.

use super::{BOTH, device, one_thread, pointers};
use crate::report::Code;
use crate::{Device, DeviceError, Pointer, StreamKind, StreamOrder};

type Result = std::result::Result<(), DeviceError>;

#[test]
fn memory_cannot_be_freed_under_an_operation_that_nobody_waited_for() -> Result {
    for order in BOTH {
        let (mut gpu, module) = device(order);
        let (a, b) = (gpu.allocate(4)?, gpu.allocate(4)?);
        let stream = gpu.stream(StreamKind::Blocking)?;
        gpu.launch_on(stream, module, "twice", &one_thread(), &pointers([a]))?;
        let (address, user) = (a.0, "a launch of `twice`".to_owned());
        assert_eq!(gpu.free(a), Err(DeviceError::StillInUse { address, user, stream: 1 }));
        gpu.free(b)?;
        gpu.synchronise_stream(stream)?;
        gpu.free(a)?;
    }
    Ok(())
}

#[test]
fn copies_in_flight_keep_memory_from_being_freed() -> Result {
    for order in BOTH {
        let (mut gpu, _) = device(order);
        let (a, b) = (gpu.allocate(8)?, gpu.allocate(8)?);
        let stream = gpu.stream(StreamKind::NonBlocking)?;
        gpu.upload_async(stream, a.offset(4), &[1; 4])?;
        let copy = gpu.download_async(stream, b, 8)?;
        for pointer in [a, b] {
            assert!(matches!(gpu.free(pointer), Err(DeviceError::StillInUse { stream: 1, .. })));
        }
        gpu.synchronise()?;
        gpu.free(a)?;
        gpu.free(b)?;
        assert_eq!(gpu.fetch(copy)?, [0; 8]);
    }
    Ok(())
}

#[test]
fn a_launch_that_finds_its_way_to_freed_memory_is_stopped_there() -> Result {
    let (mut gpu, module) = device(StreamOrder::Reversed);
    let (link, target) = (gpu.allocate(8)?, gpu.allocate(4)?);
    gpu.upload(link, &target.0.to_le_bytes())?;
    let stream = gpu.stream(StreamKind::NonBlocking)?;
    gpu.launch_on(stream, module, "through", &one_thread(), &pointers([link]))?;
    gpu.free(target)?;
    let ended = gpu.synchronise()?;
    let codes: Vec<Code> = ended[0].report.findings.iter().map(|f| f.code).collect();
    assert_eq!(codes, [Code::UseAfterFree]);
    Ok(())
}

#[test]
fn freeing_twice_and_copying_afterwards_are_told_from_a_wrong_address() -> Result {
    let (mut gpu, _) = device(StreamOrder::AsIssued);
    let a = gpu.allocate(4)?;
    gpu.free(a)?;
    let address = a.0;
    assert_eq!(gpu.free(a), Err(DeviceError::Freed { address, bytes: 0 }));
    assert_eq!(gpu.upload(a, &[0; 2]), Err(DeviceError::Freed { address, bytes: 2 }));
    assert_eq!(gpu.download(a, &mut [0; 3]), Err(DeviceError::Freed { address, bytes: 3 }));
    let wrong = Pointer(16);
    assert_eq!(gpu.free(wrong), Err(DeviceError::BadPointer { address: 16, bytes: 0 }));
    Ok(())
}

#[test]
fn refusals_say_what_to_do() {
    let user = "a launch of `sum`".to_owned();
    let in_use = DeviceError::StillInUse { address: 0x1000, user, stream: 2 };
    assert_eq!(
        in_use.to_string(),
        "the memory at 0x1000 cannot be freed: a launch of `sum` in stream 2 may still use it; \
         synchronise before freeing"
    );
    assert_eq!(
        DeviceError::NotSynchronised { stream: 0 }.to_string(),
        "the bytes are not there yet: nothing has waited for the copy in the default stream; \
         synchronise the stream, or an event recorded after the copy, before reading them"
    );
}
