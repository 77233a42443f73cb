//! Mipmapped arrays of "Memory Management".

use warpsim_driver_core::{ArrayShape, CudaError, Handle};

use super::arrays::{Size, element};
use super::launches::ChannelDescription;
use super::{runtime, with};
use crate::callbacks;
use crate::pointers::{In, Out};

runtime! {
    cudaMallocMipmappedArray |_default| (
        array: Out<Handle>, wanted: In<ChannelDescription>, size: Size, levels: u32, flags: u32
    ) {
        let (element, channels) = element(wanted.get()?)?;
        let extent = size.all.map(|size| size as u64);
        let shape = ArrayShape { extent, element, channels, flags };
        match array.is_null() {
            true => Err(CudaError::InvalidValue),
            false => array.put(with(|call| call.create_mipmapped(shape, levels))?),
        }
    }
    cudaFreeMipmappedArray |_default| (array: Handle) {
        callbacks::settle();
        match array {
            0 => Ok(()),
            array => with(|call| call.destroy_mipmapped(array)),
        }
    }
    cudaGetMipmappedArrayLevel |_default| (level: Out<Handle>, array: Handle, number: u32) {
        level.put(with(|call| call.mipmapped_level(array, number))?)
    }
}
