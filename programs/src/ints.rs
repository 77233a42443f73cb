//! Arrays of C's `int` on a device.

use warpsim::host::{Device, DeviceError, Pointer};

/// Reserves room for so many ints.
pub(crate) fn allocate(device: &mut dyn Device, count: usize) -> Result<Pointer, DeviceError> {
    device.allocate(4 * count as u64)
}

/// Reserves room for ints and copies them there.
pub(crate) fn upload(device: &mut dyn Device, ints: &[i32]) -> Result<Pointer, DeviceError> {
    let pointer = allocate(device, ints.len())?;
    let bytes: Vec<u8> = ints.iter().flat_map(|int| int.to_le_bytes()).collect();
    device.upload(pointer, &bytes)?;
    Ok(pointer)
}

/// Copies ints back.
pub(crate) fn download(
    device: &mut dyn Device,
    from: Pointer,
    count: usize,
) -> Result<Vec<i32>, DeviceError> {
    let mut bytes = vec![0; 4 * count];
    device.download(from, &mut bytes)?;
    let (cells, _) = bytes.as_chunks::<4>();
    Ok(cells.iter().map(|cell| i32::from_le_bytes(*cell)).collect())
}
