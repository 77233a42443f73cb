//! Functions that `libcudart.so.12` and `libcudart.so.13` have with different signatures or
//! answers: a symbol with the version of each library. If CUDA 12 has the newer signature under a
//! name with a number, that function is in the other modules.

use warpsim_driver_core::DefaultStream::{Legacy, PerThread};
use warpsim_driver_core::Handle;

use super::properties;
use super::properties_13::Properties13;
use super::{only_device, ready, with};
use crate::functions::{advised, advised_at, fetched_at, fetched_to};
use crate::pointers::Out;

/// The symbol, the version with what sets it off, and the function.
macro_rules! versioned {
    ($($symbol:ident $version:literal $name:ident |$default:ident = $value:ident| $arguments:tt $body:block)*) => {
        $(
            $crate::functions::function!(
                [export_name = concat!(stringify!($symbol), $version)]
                $crate::runtime::entered, $name, $default = $value, $arguments, { let () = $body?; Ok(()) });
        )*

        /// The symbols of this file, with their versions.
        pub(super) fn table() -> Vec<(&'static str, usize)> {
            vec![$((concat!(stringify!($symbol), $version), $name as *const () as usize)),*]
        }
    };
}

versioned! {
    cudaRuntimeGetVersion "@@libcudart.so.12" version_12 |_default = Legacy| (version: Out<i32>) {
        version.put(12_090)
    }
    cudaRuntimeGetVersion "@libcudart.so.13" version_13 |_default = Legacy| (version: Out<i32>) {
        version.put(13_000)
    }
    cudaGetDeviceProperties "@@libcudart.so.12" properties_11 |_default = Legacy| (properties: Out<properties::Properties>, device: i32) {
        // Programs for CUDA 12 ask for `cudaGetDeviceProperties_v2`. Programs for CUDA 11 have the
        // beginning of the same structure.
        only_device(device)?;
        with(|call| properties.put_beginning(&properties::of(call)?, properties::OF_CUDA_11))
    }
    cudaGetDeviceProperties "@libcudart.so.13" properties_13 |_default = Legacy| (properties: Out<Properties13>, device: i32) {
        only_device(device)?;
        with(|call| properties.put(properties::of(call)?.into()))
    }
    cudaMemAdvise "@@libcudart.so.12" advise_12 |_default = Legacy| (address: u64, bytes: usize, advice: u32, device: i32) {
        ready()?;
        advised(address, bytes, advice, device)
    }
    cudaMemAdvise "@libcudart.so.13" advise_13 |_default = Legacy| (address: u64, bytes: usize, advice: u32, location: u64) {
        ready()?;
        advised_at(address, bytes, advice, location)
    }
    cudaMemPrefetchAsync "@@libcudart.so.12" prefetch_12 |default = Legacy| (address: u64, bytes: usize, device: i32, stream: Handle) {
        ready()?;
        fetched_to((address, bytes), device, (stream, default))
    }
    cudaMemPrefetchAsync_ptsz "@@libcudart.so.12" prefetch_12_of_thread |default = PerThread| (
        address: u64, bytes: usize, device: i32, stream: Handle
    ) {
        ready()?;
        fetched_to((address, bytes), device, (stream, default))
    }
    cudaMemPrefetchAsync "@libcudart.so.13" prefetch_13 |default = Legacy| (
        address: u64, bytes: usize, location: u64, flags: u32, stream: Handle
    ) {
        ready()?;
        fetched_at((address, bytes), (location, flags), (stream, default))
    }
    cudaMemPrefetchAsync_ptsz "@libcudart.so.13" prefetch_13_of_thread |default = PerThread| (
        address: u64, bytes: usize, location: u64, flags: u32, stream: Handle
    ) {
        ready()?;
        fetched_at((address, bytes), (location, flags), (stream, default))
    }
}
