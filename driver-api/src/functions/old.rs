//! The functions as CUDA 3.1 and before had them, with sizes and device addresses of 32 bits
//! (`cudaTypedefs.h`, the functions of version 2000). `cuda.h` calls their successors, whose names
//! end in `_v2`. A program that looks a function up by its plain name gets these, as with NVIDIA's
//! library.
//!
//! Deviation: device memory lies beyond the reach of 32 bits. So functions with such addresses are
//! refused, and a message names the function to call instead.

use super::functions;
use crate::pointers::Out;
use crate::process::{entered, unsupported, with};

/// A size in 32 bits: of more than these can say, as much as they can.
fn small(bytes: u64) -> u32 {
    u32::try_from(bytes).unwrap_or(u32::MAX)
}

functions! {
    cuDeviceTotalMem(bytes: Out<u32>, device: i32) {
        with(|call| {
            call.device(device)?;
            bytes.put(small(call.device_memory()))
        })
    }
    cuMemGetInfo(free: Out<u32>, all: Out<u32>) {
        with(|call| {
            let (unused, total) = call.memory_info()?;
            free.put_if_wanted(small(unused));
            all.put_if_wanted(small(total));
            Ok(())
        })
    }
    cuMemAllocHost(address: Out<u64>, bytes: u32) {
        with(|call| {
            if address.is_null() {
                return Err(warpsim_driver_core::CudaError::InvalidValue);
            }
            address.put(call.allocate_locked(bytes.into(), 0)?)
        })
    }
}

/// They take no arguments here: see the contract of the crate.
macro_rules! narrow {
    ($($name:ident)*) => {
        $(
            #[expect(unsafe_code, reason = "the symbol that programs look for; nothing else has it")]
            #[unsafe(no_mangle)]
            pub(super) extern "C" fn $name() -> u32 {
                entered(stringify!($name), &[], &mut || unsupported(concat!(
                    stringify!($name), " of CUDA 3.1, whose addresses have 32 bits; the current \
                                        one is ",
                    stringify!($name), "_v2, which `cuda.h` calls by this name"
                )))
            }
        )*

        /// The symbols of this file that are refused.
        pub(super) fn narrow() -> Vec<(&'static str, usize)> {
            vec![$((stringify!($name), $name as *const () as usize)),*]
        }
    };
}

narrow! {
    cuArray3DCreate
    cuArray3DGetDescriptor
    cuArrayCreate
    cuArrayGetDescriptor
    cuGraphicsResourceGetMappedPointer
    cuMemAlloc
    cuMemAllocPitch
    cuMemFree
    cuMemGetAddressRange
    cuMemHostGetDevicePointer
    cuMemcpy2D
    cuMemcpy2DAsync
    cuMemcpy2DUnaligned
    cuMemcpy3D
    cuMemcpy3DAsync
    cuMemcpyAtoA
    cuMemcpyAtoD
    cuMemcpyAtoH
    cuMemcpyAtoHAsync
    cuMemcpyDtoA
    cuMemcpyDtoD
    cuMemcpyDtoDAsync
    cuMemcpyDtoH
    cuMemcpyDtoHAsync
    cuMemcpyHtoA
    cuMemcpyHtoAAsync
    cuMemcpyHtoD
    cuMemcpyHtoDAsync
    cuMemsetD16
    cuMemsetD2D16
    cuMemsetD2D32
    cuMemsetD2D8
    cuMemsetD32
    cuMemsetD8
    cuModuleGetGlobal
    cuTexRefGetAddress
    cuTexRefSetAddress
    cuTexRefSetAddress2D
}
