//! Arrays of C's `int` on a device.

use warpsim::element::ElementType;
use warpsim::host::{Device, DeviceError, Pointer};

use crate::arrays;

/// Reserves room for this many ints.
pub(crate) fn allocate(device: &mut dyn Device, count: usize) -> Result<Pointer, DeviceError> {
    arrays::allocate(device, ElementType::I32, count)
}

/// Reserves room for this many ints, and sets them to zero.
pub(crate) fn zeros(device: &mut dyn Device, count: usize) -> Result<Pointer, DeviceError> {
    arrays::zeros(device, ElementType::I32, count)
}

/// Reserves room for ints and copies them there.
pub(crate) fn upload(device: &mut dyn Device, ints: &[i32]) -> Result<Pointer, DeviceError> {
    arrays::upload(device, &ints.to_vec().into())
}

/// Copies ints back.
pub(crate) fn download(
    device: &mut dyn Device,
    from: Pointer,
    count: usize,
) -> Result<Vec<i32>, DeviceError> {
    let numbers = arrays::download(device, from, ElementType::I32, count)?;
    let (cells, _) = numbers.bytes.as_chunks::<4>();
    Ok(cells.iter().map(|cell| i32::from_le_bytes(*cell)).collect())
}
