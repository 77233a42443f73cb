//! Mipmapped arrays of "Memory Management".

use warpsim_driver_core::{ArrayShape, CudaError, Handle};

use super::arrays::{Descriptor3D, element};
use super::functions;
use crate::callbacks;
use crate::pointers::{In, Out};
use crate::process::with;

functions! {
    cuMipmappedArrayCreate(array: Out<Handle>, wanted: In<Descriptor3D>, levels: u32) {
        let Descriptor3D { extent, format, channels, flags } = wanted.get()?;
        let extent = extent.map(|size| size as u64);
        let shape = ArrayShape { extent, element: element(format)?, channels, flags };
        match array.is_null() {
            true => Err(CudaError::InvalidValue),
            false => array.put(with(|call| call.create_mipmapped(shape, levels))?),
        }
    }
    cuMipmappedArrayDestroy(array: Handle) {
        callbacks::settle();
        with(|call| call.destroy_mipmapped(array))
    }
    cuMipmappedArrayGetLevel(level: Out<Handle>, array: Handle, number: u32) {
        level.put(with(|call| call.mipmapped_level(array, number))?)
    }
}
