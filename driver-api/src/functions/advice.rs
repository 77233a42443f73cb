//! "Unified Addressing": a program's advice about managed memory, and its queries.

use std::ffi::c_void;

use warpsim_driver_core::{Answer, CudaError, Handle, Place, RangeFacts};

use super::{functions, streamed};
use crate::pointers::{In, Out, out_at};
use crate::process::with;

/// `CU_DEVICE_INVALID`.
const NOWHERE: i32 = -2;

/// `CUmemLocation`, which C passes in a register: its kind, and its number.
fn place(location: u64) -> Answer<Place> {
    Place::of_location(location as u32, (location >> 32) as u32 as i32)
}

/// `cuMemAdvise` with the ordinal of a device.
pub(crate) fn advised(address: u64, bytes: usize, advice: u32, device: i32) -> Answer<()> {
    let of = (address, bytes as u64);
    with(|call| call.advise(of, advice, || Place::of_device(device)))
}

/// `cuMemAdvise` with a location.
pub(crate) fn advised_at(address: u64, bytes: usize, advice: u32, location: u64) -> Answer<()> {
    let of = (address, bytes as u64);
    with(|call| call.advise(of, advice, || place(location)))
}

/// `cuMemPrefetchAsync`.
fn fetched(
    (address, bytes): (u64, usize),
    place: Place,
    (stream, default): (Handle, warpsim_driver_core::DefaultStream),
) -> Answer<()> {
    with(|call| {
        let stream = call.stream(stream, default)?;
        call.refuse_captured(stream)?;
        call.fetch(address, bytes as u64, place)
    })
}

/// The same to the ordinal of a device.
pub(crate) fn fetched_to(
    of: (u64, usize),
    device: i32,
    stream: (Handle, warpsim_driver_core::DefaultStream),
) -> Answer<()> {
    fetched(of, Place::of_device(device)?, stream)
}

/// The same to a location.
pub(crate) fn fetched_at(
    of: (u64, usize),
    (location, flags): (u64, u32),
    stream: (Handle, warpsim_driver_core::DefaultStream),
) -> Answer<()> {
    match flags {
        0 => fetched(of, place(location)?, stream),
        1.. => Err(CudaError::InvalidValue),
    }
}

/// Writes an attribute of a range (`CUmem_range_attribute`).
fn attribute(to: Out<c_void>, room: usize, number: u32, facts: &RangeFacts) -> Answer<()> {
    let device = |place: Option<Place>| place.map_or(NOWHERE, Place::device);
    let location = |place: Option<Place>| place.map_or((0, NOWHERE), Place::location);
    let value = match number {
        1 => facts.is_read_mostly.into(),
        2 => device(facts.preferred),
        3 => {
            let by = facts.accessed_by.iter().map(|place| place.device());
            let rest = std::iter::repeat(NOWHERE);
            return match room % 4 {
                0 if room > 0 => to.of::<i32>().put_all(by.chain(rest).take(room / 4)),
                _ => Err(CudaError::InvalidValue),
            };
        }
        4 => device(facts.fetched),
        5 => location(facts.preferred).0.cast_signed(),
        6 => location(facts.preferred).1,
        7 => location(facts.fetched).0.cast_signed(),
        8 => location(facts.fetched).1,
        0 | 9.. => return Err(CudaError::InvalidValue),
    };
    if room == 4 { to.of::<i32>().put(value) } else { Err(CudaError::InvalidValue) }
}

/// `cuMemRangeGetAttribute`.
pub(crate) fn range_attribute(
    to: Out<c_void>,
    room: usize,
    number: u32,
    (address, bytes): (u64, usize),
) -> Answer<()> {
    let facts = with(|call| call.range_facts(address, bytes as u64))?;
    attribute(to, room, number, &facts)
}

/// `cuMemRangeGetAttributes`.
pub(crate) fn range_attributes(
    to: In<*mut c_void>,
    rooms: In<usize>,
    numbers: In<u32>,
    count: usize,
    (address, bytes): (u64, usize),
) -> Answer<()> {
    let facts = with(|call| call.range_facts(address, bytes as u64))?;
    if count == 0 {
        return Err(CudaError::InvalidValue);
    }
    for index in 0..count {
        attribute(out_at(to.at(index)?), rooms.at(index)?, numbers.at(index)?, &facts)?;
    }
    Ok(())
}

functions! {
    cuMemAdvise(address: u64, bytes: usize, advice: u32, device: i32) {
        advised(address, bytes, advice, device)
    }
    cuMemAdvise_v2(address: u64, bytes: usize, advice: u32, location: u64) {
        advised_at(address, bytes, advice, location)
    }
    cuMemRangeGetAttribute(to: Out<c_void>, room: usize, number: u32, address: u64, bytes: usize) {
        range_attribute(to, room, number, (address, bytes))
    }
    cuMemRangeGetAttributes(
        to: In<*mut c_void>, rooms: In<usize>, numbers: In<u32>, count: usize, address: u64, bytes: usize
    ) {
        range_attributes(to, rooms, numbers, count, (address, bytes))
    }
}

streamed! {
    cuMemPrefetchAsync / cuMemPrefetchAsync_ptsz |default| (address: u64, bytes: usize, device: i32, stream: Handle) {
        fetched_to((address, bytes), device, (stream, default))
    }
    cuMemPrefetchAsync_v2 / cuMemPrefetchAsync_v2_ptsz |default| (
        address: u64, bytes: usize, location: u64, flags: u32, stream: Handle
    ) {
        fetched_at((address, bytes), (location, flags), (stream, default))
    }
}
