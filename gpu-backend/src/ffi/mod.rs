//! Every call of the CUDA driver, and the only `unsafe` code of the crate.
//!
//! The driver's library is opened by its absolute path ([`libraries`](warpsim_nvrtc::libraries))
//! when the first of its functions is called. Types and numbers come from `cudarc`'s bindings.
//! Their functions are not used, because they have the system's loader look for names. A missing or
//! incomplete driver is a [`GpuError`].
//!
//! The rest is safe for these reasons. Handles are made only here. Each owner destroys its own
//! handle and keeps what it needs alive: a function keeps its module, page-locked memory an event
//! behind the copy from or to it. A primary context is never released, so no handle outlives it.
//! Addresses of device memory are numbers. A wrong one is an error of the driver, or a fault of the
//! GPU, and touches no memory of this process. A kernel is still foreign code. Given the address of
//! page-locked host memory it may write there, but nothing here gives it out.

#![expect(unsafe_code, reason = "the functions of the driver are foreign")]

mod compiler;
mod driver;
mod host_memory;
mod images;
mod link;

use std::ffi::{CStr, CString, c_int, c_void};
use std::ptr;
use std::rc::Rc;
use std::slice;

use cudarc::driver::sys as cu;
use warpsim::host::Launch;

use crate::error::GpuError;
use crate::jit::JitLevel;
use compiler::CompilerOptions;

pub(crate) use driver::is_driver_present;
pub(crate) use host_memory::{HostMemory, copy};
pub(crate) use images::RawImage;

/// Starts the driver; may be called again.
pub(crate) fn initialise() -> Result<(), GpuError> {
    // SAFETY: takes a number.
    unsafe { driver::cuInit(0) }
}

/// The version of CUDA that the driver supports, as 1000 times the major and 10 times the minor.
pub(crate) fn driver_version() -> Result<u32, GpuError> {
    let mut version = 0;
    // SAFETY: writes to `version`.
    unsafe { driver::cuDriverGetVersion(&mut version) }?;
    Ok(version.unsigned_abs())
}

/// How many GPUs there are.
pub(crate) fn device_count() -> Result<u32, GpuError> {
    let mut count = 0;
    // SAFETY: writes to `count`.
    unsafe { driver::cuDeviceGetCount(&mut count) }?;
    Ok(count.unsigned_abs())
}

/// A GPU, by the driver's handle of it, which is good as long as the process lives.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RawDevice(cu::CUdevice);

/// The attributes of a GPU that are queried.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Attribute {
    Multiprocessors,
    CapabilityMajor,
    CapabilityMinor,
    SharedPerBlock,
    ThreadsPerBlock,
}

impl RawDevice {
    /// The GPU with this number, which must be below [`device_count`].
    pub(crate) fn get(ordinal: u32) -> Result<RawDevice, GpuError> {
        let mut device = 0;
        let ordinal = c_int::try_from(ordinal).unwrap_or(c_int::MAX);
        // SAFETY: writes to `device`; a number that is too large is an error.
        unsafe { driver::cuDeviceGet(&mut device, ordinal) }?;
        Ok(RawDevice(device))
    }

    /// Its name.
    pub(crate) fn name(self) -> Result<String, GpuError> {
        let mut bytes = [0_u8; 256];
        let (room, length) = (bytes.as_mut_ptr(), bytes.len() as c_int);
        // SAFETY: writes at most `length` bytes to `room`, the last one zero.
        unsafe { driver::cuDeviceGetName(room.cast(), length, self.0) }?;
        let name = CStr::from_bytes_until_nul(&bytes).unwrap_or_default();
        Ok(name.to_string_lossy().into_owned())
    }

    /// Bytes of its memory.
    pub(crate) fn memory(self) -> Result<u64, GpuError> {
        let mut bytes = 0;
        // SAFETY: writes to `bytes`.
        unsafe { driver::cuDeviceTotalMem_v2(&mut bytes, self.0) }?;
        Ok(bytes as u64)
    }

    /// One of its figures.
    pub(crate) fn attribute(self, attribute: Attribute) -> Result<u32, GpuError> {
        use cu::CUdevice_attribute as A;
        let attribute = match attribute {
            Attribute::Multiprocessors => A::CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT,
            Attribute::CapabilityMajor => A::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR,
            Attribute::CapabilityMinor => A::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR,
            Attribute::SharedPerBlock => A::CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN,
            Attribute::ThreadsPerBlock => A::CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK,
        };
        let mut value = 0;
        // SAFETY: writes to `value`.
        unsafe { driver::cuDeviceGetAttribute(&mut value, attribute, self.0) }?;
        Ok(value.unsigned_abs())
    }

    /// Its primary context, made if there is none.
    pub(crate) fn context(self) -> Result<RawContext, GpuError> {
        let mut context = ptr::null_mut();
        // SAFETY: writes to `context`. It is never released, so that no handle outlives it.
        unsafe { driver::cuDevicePrimaryCtxRetain(&mut context, self.0) }?;
        Ok(RawContext(context))
    }
}

/// A primary context: whatever is asked of a GPU is asked in the one that is this thread's.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RawContext(cu::CUcontext);

impl RawContext {
    /// Makes it this thread's.
    pub(crate) fn enter(self) -> Result<(), GpuError> {
        // SAFETY: the context was retained and is never released.
        unsafe { driver::cuCtxSetCurrent(self.0) }
    }
}

/// Waits for all that was issued.
pub(crate) fn synchronise() -> Result<(), GpuError> {
    // SAFETY: takes nothing; without a context it is an error.
    unsafe { driver::cuCtxSynchronize() }
}

/// Free bytes of device memory.
pub(crate) fn free_memory() -> Result<u64, GpuError> {
    let (mut free, mut total) = (0, 0);
    // SAFETY: writes to both.
    unsafe { driver::cuMemGetInfo_v2(&mut free, &mut total) }?;
    Ok(free as u64)
}

/// Takes device memory.
pub(crate) fn allocate(bytes: usize) -> Result<u64, GpuError> {
    let mut address = 0;
    // SAFETY: writes to `address`.
    unsafe { driver::cuMemAlloc_v2(&mut address, bytes) }?;
    Ok(address)
}

/// Gives device memory back.
pub(crate) fn free(address: u64) -> Result<(), GpuError> {
    // SAFETY: a wrong address is an error.
    unsafe { driver::cuMemFree_v2(address) }
}

/// Copies to the device, in the default stream, and waits.
pub(crate) fn upload(to: u64, bytes: &[u8]) -> Result<(), GpuError> {
    let (from, length) = (bytes.as_ptr().cast::<c_void>(), bytes.len());
    // SAFETY: reads `length` bytes of `bytes`, and has done so when it returns.
    unsafe { driver::cuMemcpyHtoD_v2(to, from, length) }?;
    // It may return when the bytes are in the driver's own memory (driver API, "API synchronization
    // behavior"). Streams that do not wait for the default one may not see them yet.
    RawStream::default_stream().synchronise()
}

/// Copies from the device, and waits.
pub(crate) fn download(from: u64, into: &mut [u8]) -> Result<(), GpuError> {
    let (to, length) = (into.as_mut_ptr().cast::<c_void>(), into.len());
    // SAFETY: writes `length` bytes of `into`, and has done so when it returns.
    unsafe { driver::cuMemcpyDtoH_v2(to, from, length) }
}

/// A stream.
#[derive(Debug)]
pub(crate) struct RawStream(cu::CUstream);

impl RawStream {
    /// The default stream, with legacy behaviour.
    pub(crate) fn default_stream() -> RawStream {
        RawStream(ptr::null_mut())
    }

    /// A new stream; the default stream does not wait for a `non_blocking` one.
    pub(crate) fn new(non_blocking: bool) -> Result<RawStream, GpuError> {
        let flags = match non_blocking {
            true => cu::CUstream_flags::CU_STREAM_NON_BLOCKING as u32,
            false => cu::CUstream_flags::CU_STREAM_DEFAULT as u32,
        };
        let mut stream = ptr::null_mut();
        // SAFETY: writes to `stream`.
        unsafe { driver::cuStreamCreate(&mut stream, flags) }?;
        Ok(RawStream(stream))
    }

    /// Waits for all that was issued to it.
    pub(crate) fn synchronise(&self) -> Result<(), GpuError> {
        // SAFETY: the handle is good until it is dropped.
        unsafe { driver::cuStreamSynchronize(self.0) }
    }

    /// Makes work that is issued from now on wait for an event.
    pub(crate) fn wait(&self, event: &RawEvent) -> Result<(), GpuError> {
        // SAFETY: both handles are good until they are dropped.
        unsafe { driver::cuStreamWaitEvent(self.0, event.0, 0) }
    }
}

impl Drop for RawStream {
    fn drop(&mut self) {
        if !self.0.is_null() {
            // SAFETY: the handle is not used again. There is no caller to receive an error.
            let _ = unsafe { driver::cuStreamDestroy_v2(self.0) };
        }
    }
}

/// An event.
#[derive(Debug)]
pub(crate) struct RawEvent(cu::CUevent);

impl RawEvent {
    /// A new event that takes no time.
    pub(crate) fn new() -> Result<RawEvent, GpuError> {
        RawEvent::with(cu::CUevent_flags::CU_EVENT_DISABLE_TIMING)
    }

    /// A new event that notes when it is reached.
    pub(crate) fn timed() -> Result<RawEvent, GpuError> {
        RawEvent::with(cu::CUevent_flags::CU_EVENT_DEFAULT)
    }

    fn with(flags: cu::CUevent_flags) -> Result<RawEvent, GpuError> {
        let flags = flags as u32;
        let mut event = ptr::null_mut();
        // SAFETY: writes to `event`.
        unsafe { driver::cuEventCreate(&mut event, flags) }?;
        Ok(RawEvent(event))
    }

    /// Records it in a stream.
    pub(crate) fn record(&self, stream: &RawStream) -> Result<(), GpuError> {
        // SAFETY: both handles are good until they are dropped.
        unsafe { driver::cuEventRecord(self.0, stream.0) }
    }

    /// Whether all the work that it represents is done; false if the driver fails.
    pub(crate) fn is_over(&self) -> bool {
        // SAFETY: the handle is good until it is dropped.
        unsafe { driver::cuEventQuery(self.0) }.is_ok()
    }

    /// Waits for it.
    pub(crate) fn synchronise(&self) -> Result<(), GpuError> {
        // SAFETY: the handle is good until it is dropped.
        unsafe { driver::cuEventSynchronize(self.0) }
    }

    /// The milliseconds from a timed event to this one.
    pub(crate) fn since(&self, start: &RawEvent) -> Result<f32, GpuError> {
        let mut milliseconds = 0.0;
        // SAFETY: writes to `milliseconds`; both handles are good until they are dropped.
        unsafe { driver::cuEventElapsedTime(&mut milliseconds, start.0, self.0) }?;
        Ok(milliseconds)
    }
}

impl Drop for RawEvent {
    fn drop(&mut self) {
        // SAFETY: the handle is not used again. There is no caller to receive an error.
        let _ = unsafe { driver::cuEventDestroy_v2(self.0) };
    }
}

/// Page-locked host memory that a stream copies from or to.
#[derive(Debug)]
pub(crate) struct Pinned {
    start: *mut c_void,
    bytes: usize,
    /// Recorded behind the copy.
    copied: RawEvent,
}

impl Pinned {
    fn new(bytes: usize) -> Result<Pinned, GpuError> {
        let copied = RawEvent::new()?;
        let mut start = ptr::null_mut();
        // SAFETY: writes to `start`. No length is zero.
        unsafe { driver::cuMemAllocHost_v2(&mut start, bytes.max(1)) }?;
        // SAFETY: that many bytes begin there; zeroed, they are initialised.
        unsafe { ptr::write_bytes(start.cast::<u8>(), 0, bytes) };
        Ok(Pinned { start, bytes, copied })
    }

    /// Issues a copy of `bytes` to the device; they are taken now.
    pub(crate) fn upload(stream: &RawStream, to: u64, bytes: &[u8]) -> Result<Pinned, GpuError> {
        let pinned = Pinned::new(bytes.len())?;
        // SAFETY: the memory was made with this length, and nothing else looks at it yet.
        unsafe { ptr::copy_nonoverlapping(bytes.as_ptr(), pinned.start.cast(), bytes.len()) };
        let issue = || {
            // SAFETY: the memory lives until `drop`, which waits for the copy first.
            unsafe { driver::cuMemcpyHtoDAsync_v2(to, pinned.start, pinned.bytes, stream.0) }
        };
        pinned.issue(stream, issue)?;
        Ok(pinned)
    }

    /// Issues a copy from the device.
    pub(crate) fn download(
        stream: &RawStream,
        from: u64,
        bytes: usize,
    ) -> Result<Pinned, GpuError> {
        let pinned = Pinned::new(bytes)?;
        let issue = || {
            // SAFETY: as in `upload`.
            unsafe { driver::cuMemcpyDtoHAsync_v2(pinned.start, from, pinned.bytes, stream.0) }
        };
        pinned.issue(stream, issue)?;
        Ok(pinned)
    }

    /// Issues a copy, unless there is nothing to copy, and records the event behind it.
    fn issue(
        &self,
        stream: &RawStream,
        copy: impl FnOnce() -> Result<(), GpuError>,
    ) -> Result<(), GpuError> {
        if self.bytes > 0 {
            copy()?;
        }
        self.copied.record(stream).inspect_err(|_| {
            // No event represents the copy, so it has to be over before the memory is freed.
            let _ = stream.synchronise();
        })
    }

    /// Whether the copy is over.
    pub(crate) fn is_over(&self) -> bool {
        self.copied.is_over()
    }

    /// The bytes, when the copy is over: it is waited for.
    pub(crate) fn into_bytes(self) -> Result<Vec<u8>, GpuError> {
        self.copied.synchronise()?;
        // SAFETY: the memory was made with this length and initialised, and the copy, which alone
        // wrote to it, is over.
        Ok(unsafe { slice::from_raw_parts(self.start.cast::<u8>(), self.bytes) }.to_vec())
    }
}

impl Drop for Pinned {
    fn drop(&mut self) {
        // After a fault this is an error, and nothing copies any more.
        let _ = self.copied.synchronise();
        // SAFETY: nothing uses the memory any more, and it is not used again.
        let _ = unsafe { driver::cuMemFreeHost(self.start) };
    }
}

/// A loaded module.
#[derive(Debug)]
pub(crate) struct RawModule(cu::CUmodule);

impl RawModule {
    /// Compiles PTX. The error holds what the driver's compiler says.
    pub(crate) fn load(ptx: &CStr, level: JitLevel) -> Result<RawModule, GpuError> {
        let mut options = CompilerOptions::new(level);
        let (count, kinds, values) = options.for_the_driver();
        let mut module = ptr::null_mut();
        // SAFETY: there are `count` options and values; the text ends in a zero. All are used
        // during the call alone.
        unsafe {
            driver::cuModuleLoadDataEx(&mut module, ptx.as_ptr().cast(), count, kinds, values)
        }
        .map_err(|error| options.with_log(error))?;
        Ok(RawModule(module))
    }

    /// The address and size of a variable.
    pub(crate) fn variable(&self, name: &str) -> Result<(u64, u64), GpuError> {
        let name = zero_ended(name)?;
        let (mut address, mut bytes) = (0, 0);
        // SAFETY: writes to both; the module is good until it is dropped.
        unsafe { driver::cuModuleGetGlobal_v2(&mut address, &mut bytes, self.0, name.as_ptr()) }?;
        Ok((address, bytes as u64))
    }

    /// A kernel.
    pub(crate) fn function(self: &Rc<RawModule>, name: &str) -> Result<RawFunction, GpuError> {
        let text = zero_ended(name)?;
        let mut function = ptr::null_mut();
        // SAFETY: writes to `function`; the module is good until it is dropped.
        unsafe { driver::cuModuleGetFunction(&mut function, self.0, text.as_ptr()) }?;
        Ok(RawFunction { function, _module: Rc::clone(self) })
    }
}

/// A text as the driver reads it.
pub(crate) fn zero_ended(text: &str) -> Result<CString, GpuError> {
    /// Characters that are shown of a text that has a zero byte.
    const SHOWN: usize = 40;
    let refused = |_| GpuError::ZeroByte { text: text.chars().take(SHOWN).collect() };
    CString::new(text).map_err(refused)
}

impl Drop for RawModule {
    fn drop(&mut self) {
        // SAFETY: no function of it is left, and it is not used again.
        let _ = unsafe { driver::cuModuleUnload(self.0) };
    }
}

/// A kernel of a loaded module, which it keeps loaded.
#[derive(Clone, Debug)]
pub(crate) struct RawFunction {
    function: cu::CUfunction,
    _module: Rc<RawModule>,
}

/// The attributes of a kernel that are queried.
#[derive(Clone, Copy, Debug)]
pub(crate) enum FunctionAttribute {
    ThreadsPerBlock,
    StaticShared,
}

impl RawFunction {
    /// One of its figures.
    pub(crate) fn attribute(&self, attribute: FunctionAttribute) -> Result<u32, GpuError> {
        use cu::CUfunction_attribute as F;
        let attribute = match attribute {
            FunctionAttribute::ThreadsPerBlock => F::CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK,
            FunctionAttribute::StaticShared => F::CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES,
        };
        let mut value = 0;
        // SAFETY: writes to `value`; the function is good as long as its module.
        unsafe { driver::cuFuncGetAttribute(&mut value, attribute, self.function) }?;
        Ok(value.unsigned_abs())
    }

    /// Allows launches with more dynamic shared memory than every GPU has.
    pub(crate) fn allow_shared(&self, bytes: u32) -> Result<(), GpuError> {
        use cu::CUfunction_attribute as F;
        let attribute = F::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;
        let bytes = c_int::try_from(bytes).unwrap_or(c_int::MAX);
        // SAFETY: the function is good as long as its module.
        unsafe { driver::cuFuncSetAttribute(self.function, attribute, bytes) }
    }

    /// Issues a launch. `parameters` are the bytes of all parameters, each at its place.
    pub(crate) fn launch(
        &self,
        launch: &Launch,
        stream: &RawStream,
        parameters: &mut [u8],
    ) -> Result<(), GpuError> {
        let mut size = parameters.len();
        let marker = |n: u32| n as usize as *mut c_void;
        let mut extra = [
            marker(cu::CU_LAUNCH_PARAM_BUFFER_POINTER_AS_INT),
            parameters.as_mut_ptr().cast::<c_void>(),
            marker(cu::CU_LAUNCH_PARAM_BUFFER_SIZE_AS_INT),
            (&raw mut size).cast::<c_void>(),
            marker(cu::CU_LAUNCH_PARAM_END_AS_INT),
        ];
        let Launch { grid: [gx, gy, gz], block: [bx, by, bz], shared, cooperative } = *launch;
        let extra = if size == 0 { ptr::null_mut() } else { extra.as_mut_ptr() };
        let (function, stream, none) = (self.function, stream.0, ptr::null_mut());
        if cooperative {
            // SAFETY: all zeros are a valid attribute and configuration, without any meaning.
            let (mut attribute, mut config): (cu::CUlaunchAttribute, cu::CUlaunchConfig) =
                unsafe { (std::mem::zeroed(), std::mem::zeroed()) };
            attribute.id = cu::CUlaunchAttributeID::CU_LAUNCH_ATTRIBUTE_COOPERATIVE;
            attribute.value.cooperative = 1;
            (config.gridDimX, config.gridDimY, config.gridDimZ) = (gx, gy, gz);
            (config.blockDimX, config.blockDimY, config.blockDimZ) = (bx, by, bz);
            (config.sharedMemBytes, config.hStream) = (shared, stream);
            (config.attrs, config.numAttrs) = (&raw mut attribute, 1);
            // SAFETY: as below; the configuration and its attribute outlive the call.
            return unsafe { driver::cuLaunchKernelEx(&raw const config, function, none, extra) };
        }
        // SAFETY: function and stream are good. The driver gets the number of bytes of parameters,
        // compares that with what the kernel takes, and has copied them when it returns.
        unsafe {
            driver::cuLaunchKernel(function, gx, gy, gz, bx, by, bz, shared, stream, none, extra)
        }
    }
}
