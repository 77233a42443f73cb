//! Memory whose addresses are managed separately: an allocator that grows in place, and the
//! mistakes that it may make.

use super::*;
use crate::{Access, Answer, Call, CudaError, GRANULARITY, Leaked, Spot};

/// Two megabytes, as the API's granularity of memory of the device is.
const PIECE: u64 = 2 << 20;

fn words(first: u32, count: usize) -> Vec<u8> {
    (0..count as u32).flat_map(|i| (first + i).to_le_bytes()).collect()
}

/// Copies what the program has at its memory's beginning to the device, or back.
fn copy(call: &mut Call<'_>, device: u64, bytes: u64, is_up: bool) -> Answer<()> {
    let stream = call.stream(0, LEGACY)?;
    let (device, host) = (Spot::Device(device), Spot::Host(OWN));
    match is_up {
        true => call.copy(device, host, bytes, stream, true),
        false => call.copy(host, device, bytes, stream, true),
    }
}

#[test]
fn pieces_side_by_side_are_one_to_kernels_and_copies() -> Result<(), CudaError> {
    assert_eq!(GRANULARITY, PIECE);
    for check in [false, true] {
        let (driver, fake, mut caller) = driver(Options { check, ..Options::default() });
        let mut call = driver.enter(&mut caller)?;
        let (free, _) = call.memory_info()?;
        // More addresses than the device has memory, as PyTorch reserves them.
        let start = call.reserve_addresses(160 << 30, 0, 0)?;
        let pieces = [call.create_memory(PIECE, 0)?, call.create_memory(2 * PIECE, 1)?];
        call.map_memory(start, PIECE, 0, pieces[0])?;
        call.map_memory(start + PIECE, 2 * PIECE, 0, pieces[1])?;
        call.set_access(start, 3 * PIECE, Access::ReadWrite)?;
        assert_eq!(call.memory_info()?.0, free - 3 * PIECE);
        // 32 words on either side of the border, doubled by one warp after the other.
        let border = start + PIECE - 128;
        fake.0.lock().unwrap().piece(OWN, 256).copy_from_slice(&words(1, 64));
        copy(&mut call, border, 256, true)?;
        let module = call.load_module(KERNELS.as_bytes(), None).unwrap();
        let twice = call.module_function(module, "twice")?;
        let stream = call.stream(0, LEGACY)?;
        // One launch whose warps each have a side, and one whose warp has half of both.
        call.launch(&request(twice, 64, &border.to_le_bytes()), stream)?;
        call.launch(&request(twice, 32, &(border + 64).to_le_bytes()), stream)?;
        copy(&mut call, border, 256, false)?;
        let doubled = |i: u32| i * if (17..=48).contains(&i) { 4 } else { 2 };
        let expected: Vec<u8> = (1..=64).flat_map(|i| doubled(i).to_le_bytes()).collect();
        assert_eq!(fake.0.lock().unwrap().piece(OWN, 256), expected);
        call.set(border, &[9], [256, 1], 256, stream)?;
        copy(&mut call, border, 256, false)?;
        assert_eq!(fake.0.lock().unwrap().piece(OWN, 256), [9; 256]);
        // To the last byte, and not further.
        assert_eq!(copy(&mut call, start + 3 * PIECE - 8, 8, true), Ok(()));
        assert_eq!(copy(&mut call, start + 3 * PIECE - 8, 9, true), Err(CudaError::InvalidValue));
        assert_eq!(call.pointer(border)?.start, start);
        call.unload_module(module)?;
        call.unmap_memory(start, 3 * PIECE)?;
        assert_eq!(call.memory_info()?.0, free - 3 * PIECE, "it has handles");
        pieces.iter().try_for_each(|piece| call.release_memory(*piece))?;
        call.free_addresses(start, 160 << 30)?;
        assert_eq!(call.memory_info()?.0, free);
        drop(call);
        driver.finish(false);
        let memory = fake.0.lock().unwrap();
        assert_eq!(memory.done.leaked, Leaked::default());
        let recorded = memory.recorded.concat();
        assert!(!recorded.contains("findings"), "{recorded}");
    }
    Ok(())
}

#[test]
fn memory_keeps_what_it_holds_from_one_address_to_the_next() -> Result<(), CudaError> {
    let (driver, fake, mut caller) = driver(Options::default());
    let mut call = driver.enter(&mut caller)?;
    let start = call.reserve_addresses(4 * PIECE, PIECE, 0)?;
    let memory = call.create_memory(PIECE, 0)?;
    call.map_memory(start, PIECE, 0, memory)?;
    call.set_access(start, PIECE, Access::ReadWrite)?;
    fake.0.lock().unwrap().piece(OWN, 64).copy_from_slice(&words(7, 16));
    copy(&mut call, start + 4096, 64, true)?;
    // Access is taken back and given again; then it moves.
    call.set_access(start, PIECE, Access::Nothing)?;
    assert_eq!(copy(&mut call, start + 4096, 64, true), Err(CudaError::InvalidValue));
    assert_eq!(call.access(start + 4096), Ok(Access::Nothing));
    // The memory outlives its handle while it is mapped; a new handle keeps it beyond that.
    call.release_memory(memory)?;
    assert_eq!(call.release_memory(memory), Err(CudaError::InvalidValue));
    assert_eq!(call.retain_memory(start + 5), Ok(memory));
    call.unmap_memory(start, PIECE)?;
    call.map_memory(start + 3 * PIECE, PIECE, 0, memory)?;
    call.set_access(start + 3 * PIECE, PIECE, Access::ReadWrite)?;
    fake.0.lock().unwrap().piece(OWN, 64).fill(0);
    copy(&mut call, start + 3 * PIECE + 4096, 64, false)?;
    assert_eq!(fake.0.lock().unwrap().piece(OWN, 64), words(7, 16));
    Ok(())
}

#[test]
fn what_is_reserved_or_mapped_and_not_to_be_accessed_faults() -> Result<(), CudaError> {
    for access in [None, Some(Access::Nothing), Some(Access::ReadWrite)] {
        let (driver, _, mut caller) = driver(Options::default());
        let mut call = driver.enter(&mut caller)?;
        let module = call.load_module(KERNELS.as_bytes(), None).unwrap();
        let wild = call.module_function(module, "wild")?;
        let start = call.reserve_addresses(2 * PIECE, 0, 0)?;
        let memory = call.create_memory(PIECE, 0)?;
        if let Some(access) = access {
            call.map_memory(start, PIECE, 0, memory)?;
            call.set_access(start, PIECE, access)?;
        }
        let stream = call.stream(0, LEGACY)?;
        call.launch(&request(wild, 1, &start.to_le_bytes()), stream)?;
        let expected = match access {
            Some(Access::ReadWrite) => Ok(()),
            Some(Access::Nothing | Access::Read) | None => Err(CudaError::IllegalAddress),
        };
        assert_eq!(call.synchronise_context(), expected, "{access:?}");
        // An error that stays is the answer to all that comes.
        assert_eq!(call.create_memory(PIECE, 0).map(|_| ()), expected);
    }
    Ok(())
}

#[test]
fn mistakes_are_the_errors_that_the_reference_names() -> Result<(), CudaError> {
    const NO: Answer<()> = Err(CudaError::InvalidValue);
    let (driver, _, mut caller) = driver(Options::default());
    let mut call = driver.enter(&mut caller)?;
    for (bytes, alignment) in [(0, 0), (100, 0), (PIECE, 3)] {
        assert_eq!(call.reserve_addresses(bytes, alignment, 0), Err(CudaError::InvalidValue));
    }
    assert_eq!(call.reserve_addresses(1 << 60, 0, 0), Err(CudaError::OutOfMemory));
    assert_eq!(call.create_memory(PIECE / 2, 0), Err(CudaError::InvalidValue));
    assert_eq!(call.create_memory(1 << 40, 0), Err(CudaError::OutOfMemory));
    let start = call.reserve_addresses(4 * PIECE, 0, 0)?;
    let (a, b) = (call.create_memory(2 * PIECE, 0)?, call.create_memory(PIECE, 0)?);
    // Not where they may be, not as large as they are, not from their middle.
    assert_eq!(call.map_memory(start + 4096, 2 * PIECE, 0, a), NO);
    assert_eq!(call.map_memory(start + 3 * PIECE, 2 * PIECE, 0, a), NO);
    assert_eq!(call.map_memory(start - PIECE, 2 * PIECE, 0, a), NO);
    assert_eq!(call.map_memory(start, 4 * PIECE, 0, a), NO);
    assert_eq!(call.map_memory(start, PIECE, PIECE, a), NO);
    assert_eq!(call.map_memory(start, PIECE, 0, 77), NO);
    call.map_memory(start, 2 * PIECE, 0, a)?;
    // Over another, and a second time.
    assert_eq!(call.map_memory(start + PIECE, PIECE, 0, b), NO);
    assert_eq!(call.map_memory(start + 2 * PIECE, 2 * PIECE, 0, a), Err(CudaError::NotSupported));
    // Parts, and what nothing is mapped to.
    assert_eq!(call.set_access(start, PIECE, Access::ReadWrite), NO);
    assert_eq!(call.set_access(start, 3 * PIECE, Access::ReadWrite), NO);
    assert_eq!(call.unmap_memory(start, PIECE), NO);
    assert_eq!(call.unmap_memory(start + 2 * PIECE, PIECE), NO);
    assert_eq!(call.retain_memory(start + 2 * PIECE), Err(CudaError::InvalidValue));
    // In use, of another size, or not from its beginning. Mapped memory cannot be freed.
    assert_eq!(call.free_addresses(start, 4 * PIECE), NO);
    call.set_access(start, 2 * PIECE, Access::ReadWrite)?;
    assert_eq!(call.free(start), NO);
    assert_eq!(call.free_later(start, None), NO);
    call.unmap_memory(start, 2 * PIECE)?;
    assert_eq!(call.unmap_memory(start, 2 * PIECE), NO);
    assert_eq!(call.free_addresses(start, 2 * PIECE), NO);
    assert_eq!(call.free_addresses(start + PIECE, 3 * PIECE), NO);
    call.free_addresses(start, 4 * PIECE)?;
    assert_eq!(call.free_addresses(start, 4 * PIECE), NO);
    // Addresses that are asked for are given where they are free: a range grows in place so.
    let first = call.reserve_addresses(PIECE, 0, 0)?;
    assert_eq!(call.reserve_addresses(PIECE, 0, first + PIECE), Ok(first + PIECE));
    assert_ne!(call.reserve_addresses(PIECE, 0, first), Ok(first));
    Ok(())
}

#[test]
fn memory_that_is_never_released_is_told_at_the_end() -> Result<(), CudaError> {
    let (driver, fake, mut caller) = driver(Options::default());
    let mut call = driver.enter(&mut caller)?;
    let start = call.reserve_addresses(PIECE, 0, 0)?;
    let (mapped, _) = (call.create_memory(PIECE, 0)?, call.create_memory(3 * PIECE, 0)?);
    call.map_memory(start, PIECE, 0, mapped)?;
    call.set_access(start, PIECE, Access::ReadWrite)?;
    call.release_memory(mapped)?;
    drop(call);
    driver.finish(false);
    let leaked = fake.0.lock().unwrap().done.leaked;
    assert_eq!(leaked, Leaked { pieces: 2, bytes: 8_388_608 });
    Ok(())
}
