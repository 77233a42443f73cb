//! "Initialization", "Version Management", "Device Management", "Error Handling".

use std::ffi::{c_char, c_void};

use warpsim_driver_core::{Call, CudaError};

use super::functions;
use crate::pointers::{In, Out, Text};
use crate::process::{LINK_ADVICE, caller_file, cannot_run, initialise, named_once, with};
use crate::structures::{BUS, Properties, Uuid, text, uuid_of};

/// The version of the API that the functions are of.
pub(crate) const VERSION: i32 = 13_000;

/// An attribute that every device has.
fn of(call: &Call<'_>, attribute: u32) -> Result<i32, CudaError> {
    call.device_attribute(attribute)
}

/// The first bytes of the table that NVIDIA's runtime asks for (`CUDART_INTERFACE`, as public
/// projects name it).
const OF_RUNTIME: [u8; 4] = [0x6b, 0xd5, 0xfb, 0x6c];

functions! {
    cuGetExportTable(table: Out<*const c_void>, id: In<Uuid>) {
        table.put(std::ptr::null())?;
        let id = id.get()?;
        if id.starts_with(&OF_RUNTIME) {
            let file = caller_file().map_or("the program".to_owned(), |file| file.display().to_string());
            return cannot_run(&format!("NVIDIA's static runtime in {file}, which has no symbols or \
                                        was not found at the program's start; {LINK_ADVICE}"));
        }
        let digits: String = id.iter().map(|byte| format!("{byte:02x}")).collect();
        named_once(&format!("the driver's table {digits} (cuGetExportTable)"));
        Err(CudaError::NotFound)
    }
    cuInit(flags: u32) {
        initialise(flags)
    }
    cuDriverGetVersion(version: Out<i32>) {
        version.put(VERSION)
    }
    cuDeviceGetCount(count: Out<i32>) {
        with(|_| count.put(1))
    }
    cuDeviceGet(device: Out<i32>, ordinal: i32) {
        with(|call| {
            call.device(ordinal)?;
            device.put(ordinal)
        })
    }
    cuDeviceGetName(name: Out<c_char>, room: i32, device: i32) {
        with(|call| {
            call.device(device)?;
            text(name, room, &call.device_name())
        })
    }
    cuDeviceGetUuid_v2(uuid: Out<Uuid>, device: i32) = cuDeviceGetUuid {
        with(|call| {
            call.device(device)?;
            uuid.put(uuid_of(&call.device_name()))
        })
    }
    cuDeviceGetLuid(luid: Out<[u8; 8]>, mask: Out<u32>, device: i32) {
        with(|call| {
            call.device(device)?;
            luid.put([0; 8])?;
            mask.put(0)
        })
    }
    cuDeviceTotalMem_v2(bytes: Out<usize>, device: i32) {
        with(|call| {
            call.device(device)?;
            bytes.put(call.device_memory() as usize)
        })
    }
    cuDeviceGetAttribute(value: Out<i32>, attribute: u32, device: i32) {
        with(|call| {
            call.device(device)?;
            value.put(call.device_attribute(attribute)?)
        })
    }
    cuDeviceComputeCapability(major: Out<i32>, minor: Out<i32>, device: i32) {
        with(|call| {
            call.device(device)?;
            major.put(of(call, 75)?)?;
            minor.put(of(call, 76)?)
        })
    }
    cuDeviceGetProperties(properties: Out<Properties>, device: i32) {
        with(|call| {
            call.device(device)?;
            properties.put(Properties {
                threads_per_block: of(call, 1)?,
                block: [of(call, 2)?, of(call, 3)?, of(call, 4)?],
                grid: [of(call, 5)?, of(call, 6)?, of(call, 7)?],
                shared_per_block: of(call, 8)?,
                constants: of(call, 9)?,
                warp: of(call, 10)?,
                pitch: of(call, 11)?,
                registers: of(call, 12)?,
                clock: of(call, 13)?,
                texture_alignment: of(call, 14)?,
            })
        })
    }
    cuDeviceGetPCIBusId(id: Out<c_char>, room: i32, device: i32) {
        with(|call| {
            call.device(device)?;
            text(id, room, BUS)
        })
    }
    cuDeviceGetByPCIBusId(device: Out<i32>, id: Text) {
        with(|_| {
            let id = id.needed()?;
            match BUS.ends_with(&id) && id.len() >= 7 {
                true => device.put(0),
                false => Err(CudaError::InvalidDevice),
            }
        })
    }
    cuDeviceCanAccessPeer(can: Out<i32>, device: i32, peer: i32) {
        with(|call| {
            call.device(device)?;
            call.device(peer)?;
            can.put(0)
        })
    }
    // There is one device, which is no peer of itself.
    cuDeviceGetP2PAttribute(value: Out<i32>, attribute: u32, from: i32, to: i32) {
        let _ = (value, attribute);
        with(|call| {
            call.device(from)?;
            call.device(to)?;
            Err(CudaError::InvalidDevice)
        })
    }
    cuGetErrorName(error: u32, name: Out<*const c_char>) {
        crate::failures::asked_about(error);
        match CudaError::of_number(error) {
            Some(error) => name.put(error.name().as_ptr()),
            None => {
                name.put(std::ptr::null())?;
                Err(CudaError::InvalidValue)
            }
        }
    }
    cuGetErrorString(error: u32, words: Out<*const c_char>) {
        crate::failures::asked_about(error);
        match CudaError::of_number(error) {
            Some(error) => words.put(error.words().as_ptr()),
            None => {
                words.put(std::ptr::null())?;
                Err(CudaError::InvalidValue)
            }
        }
    }
    cuDeviceGetTexture1DLinearMaxWidth(width: Out<usize>, format: u32, channels: u32, device: i32) {
        super::arrays::element(format)?;
        with(|call| {
            call.device(device)?;
            match channels {
                1 | 2 | 4 => width.put(of(call, 69)?.unsigned_abs() as usize),
                _ => Err(CudaError::InvalidValue),
            }
        })
    }
    // There is no other device, so all writes of one are there.
    cuFlushGPUDirectRDMAWrites(target: u32, scope: u32) {
        match (target, scope) {
            (0, 100 | 200) => with(|call| call.context().map(|_| ())),
            (_, _) => Err(CudaError::InvalidValue),
        }
    }
    // There is nothing to write down: profilers have their own settings for where to.
    cuProfilerInitialize(configuration: Text, output: Text, mode: u32) {
        let _ = (configuration, output);
        match mode {
            0 | 1 => Ok(()),
            2.. => Err(CudaError::InvalidValue),
        }
    }
    cuProfilerStart() {
        Ok(())
    }
    cuProfilerStop() {
        Ok(())
    }
}
