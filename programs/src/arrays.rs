//! Arrays of numbers on a device.

use warpsim::element::ElementType;
use warpsim::host::{Device, DeviceError, Pointer};

use crate::numbers::Numbers;

/// Reserves room for this many numbers of a type.
pub(crate) fn allocate(
    device: &mut dyn Device,
    ty: ElementType,
    count: usize,
) -> Result<Pointer, DeviceError> {
    device.allocate((ty.size() * count) as u64)
}

/// Reserves room for this many numbers of a type, and sets them to zero.
pub(crate) fn zeros(
    device: &mut dyn Device,
    ty: ElementType,
    count: usize,
) -> Result<Pointer, DeviceError> {
    let bytes = vec![0; ty.size() * count];
    upload(device, &Numbers { ty, bytes })
}

/// Reserves room for numbers and copies them there.
pub(crate) fn upload(device: &mut dyn Device, numbers: &Numbers) -> Result<Pointer, DeviceError> {
    let pointer = allocate(device, numbers.ty, numbers.len())?;
    device.upload(pointer, &numbers.bytes)?;
    Ok(pointer)
}

/// Copies numbers back.
pub(crate) fn download(
    device: &mut dyn Device,
    from: Pointer,
    ty: ElementType,
    count: usize,
) -> Result<Numbers, DeviceError> {
    let mut bytes = vec![0; ty.size() * count];
    device.download(from, &mut bytes)?;
    Ok(Numbers { ty, bytes })
}
