//! NVML (NVML API Reference Guide, NVIDIA, version 12.9), for programs that find this library in
//! place of `libnvidia-ml.so.1`: the number of devices, their names, and their memory.
//!
//! There is one device, the same as in the driver API. Quantities that only a machine can measure
//! (temperature, power, load, links) answer `NVML_ERROR_NOT_SUPPORTED`, by name, as many GPUs do.
//! Clocks are the highest of the device's profile. Only this process is known, and it is not
//! listed.
//!
//! In which direction it can be wrong: used memory is only the memory that this process has
//! allocated.

use std::ffi::{CStr, c_char};
use std::sync::atomic::{AtomicU32, Ordering};

use warpsim_driver_core::{Call, CudaError};

use crate::functions::{CUDA_VERSION, function};
use crate::pointers::{Out, Text};
use crate::process::{Number, initialise, library, named_once};
use crate::structures::{BUS, text, uuid_of};

library! {
    /// `nvmlReturn_t`.
    "NVML" {
        Success = 0,
        Uninitialized = 1,
        InvalidArgument = 2,
        NotSupported = 3,
        NotFound = 6,
        InsufficientSize = 7,
        Unknown = 999,
    }
    CudaError::Success => Success,
    CudaError::InvalidValue | CudaError::InvalidDevice => InvalidArgument,
    CudaError::NotSupported => NotSupported,
    _ => Unknown;
    |status| words(status.number()).to_string_lossy().into_owned()
}

/// What a number of `nvmlReturn_t` means.
fn words(number: u32) -> &'static CStr {
    match number {
        0 => c"Success",
        1 => c"Uninitialized",
        2 => c"Invalid Argument",
        3 => c"Not Supported",
        4 => c"Insufficient Permissions",
        5 => c"Already Initialized",
        6 => c"Not Found",
        7 => c"Insufficient Size",
        8 => c"Insufficient External Power",
        9 => c"Driver Not Loaded",
        10 => c"Timeout",
        11 => c"Interrupt Request Issue",
        12 => c"NVML Shared Library Not Found",
        13 => c"Function Not Found",
        14 => c"Corrupted infoROM",
        15 => c"GPU is lost",
        16 => c"GPU requires restart",
        17 => c"The operating system has blocked the request.",
        18 => c"RM has detected an NVML/RM version mismatch.",
        19 => c"GPU is currently in use",
        20 => c"Insufficient Memory",
        21 => c"No data",
        25 => c"Argument version mismatch",
        26 => c"Deprecated",
        _ => c"Unknown Error",
    }
}

/// How often the library was initialised and not shut down since.
static USERS: AtomicU32 = AtomicU32::new(0);

/// The handle of the one device: an address that is none of the program's.
const DEVICE: u64 = (1 << 46) | (0x4e << 40);

/// `driver_version` of the driver that this one replaces (release notes of CUDA 13.0).
const DRIVER: &str = "580.65.06";

/// Numbers of `CUdevice_attribute`.
const CLOCK: u32 = 13;
const MEMORY_CLOCK: u32 = 36;
const BUS_WIDTH: u32 = 37;
const PROCESSORS: u32 = 16;
const MAJOR: u32 = 75;
const MINOR: u32 = 76;

/// `nvmlMemory_t`.
#[derive(Clone, Copy)]
#[repr(C)]
pub(crate) struct Memory {
    total: u64,
    free: u64,
    used: u64,
}

/// `nvmlMemory_v2_t`.
#[derive(Clone, Copy)]
#[repr(C)]
pub(crate) struct Memory2 {
    version: u32,
    total: u64,
    reserved: u64,
    free: u64,
    used: u64,
}

/// `nvmlPciInfo_t`.
#[derive(Clone, Copy)]
#[repr(C)]
pub(crate) struct PciInfo {
    short: [u8; 16],
    domain: u32,
    bus: u32,
    device: u32,
    identity: u32,
    subsystem: u32,
    id: [u8; 32],
}

/// `nvmlGpuFabricInfo_v2_t`, which a caller asks for by its version.
#[derive(Clone, Copy)]
#[repr(C)]
pub(crate) struct FabricInfo {
    version: u32,
    cluster: [u8; 16],
    status: u32,
    clique: u32,
    state: u8,
    health: u32,
}

const _: () = assert!(
    size_of::<Memory2>() == 40 && size_of::<PciInfo>() == 68 && size_of::<FabricInfo>() == 36
);

fn put<T>(to: Out<T>, value: T) -> Answer<()> {
    to.put(value).map_err(|_| Status::InvalidArgument)
}

fn put_text(to: Out<c_char>, room: u32, value: &str) -> Answer<()> {
    if value.len() >= room as usize {
        return Err(Status::InsufficientSize);
    }
    let room = i32::try_from(room).map_err(|_| Status::InvalidArgument)?;
    text(to, room, value).map_err(|_| Status::InvalidArgument)
}

fn ready() -> Answer<()> {
    match USERS.load(Ordering::Relaxed) {
        0 => Err(Status::Uninitialized),
        1.. => Ok(()),
    }
}

/// Asks the driver about the device.
fn asked<T>(device: u64, of: impl FnOnce(&mut Call<'_>) -> Result<T, CudaError>) -> Answer<T> {
    ready()?;
    match device {
        DEVICE => Ok(crate::process::with(of)?),
        _ => Err(Status::InvalidArgument),
    }
}

fn attribute(device: u64, number: u32) -> Answer<u32> {
    let value = asked(device, |call| call.device_attribute(number))?;
    u32::try_from(value).map_err(|_| Status::Unknown)
}

/// The bytes of the device's memory: all of them, and those that are free.
fn memory(device: u64) -> Answer<(u64, u64)> {
    asked(device, |call| {
        let total = call.device_memory();
        match call.memory_info() {
            Ok((free, _)) => Ok((total, free)),
            // Nothing is allocated where there is no context.
            Err(CudaError::InvalidContext) => Ok((total, total)),
            Err(error) => Err(error),
        }
    })
}

fn uuid(name: &str) -> String {
    // Groups of 4, 2, 2, 2 and 6 bytes.
    uuid_of(name).iter().enumerate().fold("GPU".to_owned(), |text, (index, byte)| {
        let dash = if matches!(index, 0 | 4 | 6 | 8 | 10) { "-" } else { "" };
        format!("{text}{dash}{byte:02x}")
    })
}

/// How many single-precision cores a multiprocessor has, by compute capability (CUDA C++
/// Programming Guide, "Compute Capabilities"); none where it is not known here.
fn cores_of_processor(capability: (u32, u32)) -> Option<u32> {
    match capability {
        (6, 0) | (7, 0 | 2 | 5) | (8, 0) => Some(64),
        (5, _) | (6, 1 | 2) | (8, 6 | 7 | 9) | (9, 0) | (10, 0 | 3) | (12, 0 | 1) => Some(128),
        (_, _) => None,
    }
}

fn unmeasured(name: &str) -> Answer<()> {
    ready()?;
    named_once(name);
    Err(Status::NotSupported)
}

macro_rules! functions {
    ($($name:ident $arguments:tt $(= $alias:ident)* $body:block)*) => {
        $(
            function!(entered, $name, _default = (), $arguments, $body);
            $(function!(entered, $alias, _default = (), $arguments, $body);)*
        )*

        fn computed() -> Vec<(&'static str, usize)> {
            vec![$((stringify!($name), $name as *const () as usize),
                $((stringify!($alias), $alias as *const () as usize),)*)*]
        }
    };
}

functions! {
    nvmlInitWithFlags(flags: u32) {
        if flags > 3 {
            return Err(Status::InvalidArgument);
        }
        initialise(0)?;
        USERS.fetch_add(1, Ordering::Relaxed);
        Ok(())
    }
    nvmlInit_v2() = nvmlInit {
        initialise(0)?;
        USERS.fetch_add(1, Ordering::Relaxed);
        Ok(())
    }
    nvmlShutdown() {
        let less = |users: u32| users.checked_sub(1);
        let before = USERS.fetch_update(Ordering::Relaxed, Ordering::Relaxed, less);
        before.map(|_| ()).map_err(|_| Status::Uninitialized)
    }
    nvmlSystemGetDriverVersion(version: Out<c_char>, room: u32) {
        ready()?;
        put_text(version, room, DRIVER)
    }
    nvmlSystemGetNVMLVersion(version: Out<c_char>, room: u32) {
        ready()?;
        put_text(version, room, &format!("13.{DRIVER}"))
    }
    nvmlSystemGetCudaDriverVersion_v2(version: Out<i32>) = nvmlSystemGetCudaDriverVersion {
        put(version, CUDA_VERSION)
    }
    nvmlDeviceGetCount_v2(count: Out<u32>) = nvmlDeviceGetCount {
        ready()?;
        put(count, 1)
    }
    nvmlDeviceGetHandleByIndex_v2(index: u32, device: Out<u64>) = nvmlDeviceGetHandleByIndex {
        ready()?;
        match index {
            0 => put(device, DEVICE),
            1.. => Err(Status::InvalidArgument),
        }
    }
    nvmlDeviceGetHandleByPciBusId_v2(id: Text, device: Out<u64>) = nvmlDeviceGetHandleByPciBusId {
        ready()?;
        let id = id.needed().map_err(|_| Status::InvalidArgument)?;
        // The domain has four digits or eight, or is not there.
        let is_ours = id.ends_with(BUS) || (BUS.ends_with(&id) && id.len() >= 7);
        if is_ours { put(device, DEVICE) } else { Err(Status::NotFound) }
    }
    nvmlDeviceGetHandleByUUID(id: Text, device: Out<u64>) {
        let id = id.needed().map_err(|_| Status::InvalidArgument)?;
        let name = asked(DEVICE, |call| Ok(call.device_name()))?;
        if id == uuid(&name) { put(device, DEVICE) } else { Err(Status::NotFound) }
    }
    nvmlDeviceGetName(device: u64, name: Out<c_char>, room: u32) {
        put_text(name, room, &asked(device, |call| Ok(call.device_name()))?)
    }
    nvmlDeviceGetUUID(device: u64, id: Out<c_char>, room: u32) {
        put_text(id, room, &uuid(&asked(device, |call| Ok(call.device_name()))?))
    }
    nvmlDeviceGetIndex(device: u64, index: Out<u32>) {
        asked(device, |_| Ok(()))?;
        put(index, 0)
    }
    nvmlDeviceGetMinorNumber(device: u64, number: Out<u32>) {
        asked(device, |_| Ok(()))?;
        put(number, 0)
    }
    nvmlDeviceGetComputeMode(device: u64, mode: Out<u32>) {
        asked(device, |_| Ok(()))?;
        put(mode, 0)
    }
    nvmlDeviceGetMemoryInfo(device: u64, memory_: Out<Memory>) {
        let (total, free) = memory(device)?;
        put(memory_, Memory { total, free, used: total.saturating_sub(free) })
    }
    nvmlDeviceGetMemoryInfo_v2(device: u64, memory_: Out<Memory2>) {
        let (total, free) = memory(device)?;
        let version = memory_.get().map_err(|_| Status::InvalidArgument)?.version;
        let used = total.saturating_sub(free);
        put(memory_, Memory2 { version, total, reserved: 0, free, used })
    }
    nvmlDeviceGetPciInfo_v3(device: u64, info: Out<PciInfo>) = nvmlDeviceGetPciInfo {
        asked(device, |_| Ok(()))?;
        let (mut short, mut id) = ([0; 16], [0; 32]);
        let long = format!("0000{BUS}");
        short.iter_mut().zip(BUS.bytes()).for_each(|(to, from)| *to = from);
        id.iter_mut().zip(long.bytes()).for_each(|(to, from)| *to = from);
        let of_bus = |from: usize| {
            BUS.get(from..from + 2).and_then(|digits| u32::from_str_radix(digits, 16).ok())
        };
        let (bus, place) = (of_bus(5).ok_or(Status::Unknown)?, of_bus(8).ok_or(Status::Unknown)?);
        put(info, PciInfo {
            short, domain: 0, bus, device: place, identity: 0, subsystem: 0, id,
        })
    }
    nvmlDeviceGetCudaComputeCapability(device: u64, major: Out<i32>, minor: Out<i32>) {
        let of = |number| attribute(device, number).map(|value| value as i32);
        put(major, of(MAJOR)?)?;
        put(minor, of(MINOR)?)
    }
    nvmlDeviceGetNumGpuCores(device: u64, cores: Out<u32>) {
        let capability = (attribute(device, MAJOR)?, attribute(device, MINOR)?);
        let each = cores_of_processor(capability).ok_or(Status::NotSupported)?;
        put(cores, each * attribute(device, PROCESSORS)?)
    }
    nvmlDeviceGetMemoryBusWidth(device: u64, bits: Out<u32>) {
        put(bits, attribute(device, BUS_WIDTH)?)
    }
    nvmlDeviceGetMaxClockInfo(device: u64, kind: u32, megahertz: Out<u32>)
        = nvmlDeviceGetClockInfo
    {
        let number = match kind {
            0 | 1 | 3 => CLOCK,
            2 => MEMORY_CLOCK,
            4.. => return Err(Status::InvalidArgument),
        };
        put(megahertz, attribute(device, number)? / 1000)
    }
    nvmlDeviceGetComputeRunningProcesses(device: u64, count: Out<u32>, infos: u64)
        = nvmlDeviceGetComputeRunningProcesses_v2
        = nvmlDeviceGetComputeRunningProcesses_v3
        = nvmlDeviceGetGraphicsRunningProcesses
        = nvmlDeviceGetGraphicsRunningProcesses_v2
        = nvmlDeviceGetGraphicsRunningProcesses_v3
    {
        let _ = infos;
        asked(device, |_| Ok(()))?;
        put(count, 0)
    }
    nvmlDeviceGetGpuFabricInfoV(device: u64, info: Out<FabricInfo>) {
        asked(device, |_| Ok(()))?;
        let asked = info.get().map_err(|_| Status::InvalidArgument)?;
        // No fabric: `NVML_GPU_FABRIC_STATE_NOT_SUPPORTED`.
        put(info, FabricInfo { status: Status::NotSupported.number(), state: 0, ..asked })
    }
}

macro_rules! unmeasured {
    ($($name:ident)*) => {
        $(function!(entered, $name, _default = (), (), { unmeasured(stringify!($name)) });)*

        fn refused() -> Vec<(&'static str, usize)> {
            vec![$((stringify!($name), $name as *const () as usize)),*]
        }
    };
}

unmeasured! {
    nvmlDeviceGetApplicationsClock
    nvmlDeviceGetCurrPcieLinkGeneration
    nvmlDeviceGetCurrPcieLinkWidth
    nvmlDeviceGetCurrentClocksEventReasons
    nvmlDeviceGetCurrentClocksThrottleReasons
    nvmlDeviceGetDecoderUtilization
    nvmlDeviceGetEccMode
    nvmlDeviceGetEncoderUtilization
    nvmlDeviceGetEnforcedPowerLimit
    nvmlDeviceGetFanSpeed
    nvmlDeviceGetFieldValues
    nvmlDeviceGetMigMode
    nvmlDeviceGetNvLinkCapability
    nvmlDeviceGetNvLinkRemoteDeviceType
    nvmlDeviceGetNvLinkRemotePciInfo_v2
    nvmlDeviceGetNvLinkState
    nvmlDeviceGetPcieThroughput
    nvmlDeviceGetPerformanceState
    nvmlDeviceGetPersistenceMode
    nvmlDeviceGetPowerManagementLimit
    nvmlDeviceGetPowerUsage
    nvmlDeviceGetSamples
    nvmlDeviceGetSupportedGraphicsClocks
    nvmlDeviceGetSupportedMemoryClocks
    nvmlDeviceGetTemperature
    nvmlDeviceGetTemperatureThreshold
    nvmlDeviceGetTotalEccErrors
    nvmlDeviceGetTotalEnergyConsumption
    nvmlDeviceGetUtilizationRates
    nvmlDeviceResetApplicationsClocks
    nvmlDeviceResetGpuLockedClocks
    nvmlDeviceSetApplicationsClocks
    nvmlDeviceSetGpuLockedClocks
    nvmlDeviceSetPersistenceMode
    nvmlDeviceSetPowerManagementLimit
}

/// What a number of `nvmlReturn_t` means, as C text.
#[expect(unsafe_code, reason = "the symbol that programs look for; nothing else has it")]
#[unsafe(no_mangle)]
pub(super) extern "C" fn nvmlErrorString(result: u32) -> *const c_char {
    words(result).as_ptr()
}

/// All symbols with their addresses.
pub(crate) fn table() -> Vec<(&'static str, usize)> {
    let words = [("nvmlErrorString", nvmlErrorString as *const () as usize)];
    computed().into_iter().chain(refused()).chain(words).collect()
}
