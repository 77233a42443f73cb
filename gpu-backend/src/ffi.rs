//! Every call of the CUDA driver and of NVRTC, and the only `unsafe` code of the crate. NVRTC has
//! the end of the file; what follows is about the driver.
//!
//! The functions are those of `cudarc`'s bindings, which load `libcuda` when the first one is
//! called and panic when the library or the function is not there. [`call`] looks first, so that
//! nobody sees the panic's words, and contains what is left: a missing or half-there driver is a
//! [`GpuError`].
//!
//! What keeps the rest safe: handles are made here and only here; each owner destroys its own and
//! keeps what it needs alive (a function its module, page-locked memory an event behind the copy
//! from or to it). A primary context is never released, so that none outlives it. Addresses
//! of device memory are numbers: a wrong one is an error of the driver, or a fault of the GPU, and
//! touches no memory of this process. A kernel is foreign code all the same, and one that is given
//! the address of page-locked host memory may write there; nothing here gives it out.
//!
//! The bindings' error codes are an enumeration of those that CUDA 13.0 has. A later driver does
//! not answer these functions, which are older, with others.

#![expect(unsafe_code, reason = "the functions of the driver and of NVRTC are foreign")]

use std::error::Error as _;
use std::ffi::{CStr, CString, OsStr, c_char, c_int, c_void};
use std::mem::ManuallyDrop;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::ptr;
use std::rc::Rc;
use std::slice;
use std::sync::OnceLock;

use cudarc::driver::sys as cu;
use libloading::Library;

use crate::error::GpuError;
use crate::jit::JitLevel;
use crate::nvrtc::NvrtcError;

/// Bytes of the messages of the driver's compiler that are kept.
const LOG: usize = 16 << 10;

/// Whether the driver's library can be loaded.
pub(crate) fn is_driver_present() -> bool {
    static PRESENT: OnceLock<bool> = OnceLock::new();
    // SAFETY: it loads a library and looks nothing up in it; what runs on loading is the driver's.
    let look = || unsafe { cu::is_culib_present() };
    *PRESENT.get_or_init(|| catch_unwind(look).unwrap_or(false))
}

/// Whether the driver's library, which can be loaded, has a function.
fn is_function_there(symbol: &str) -> bool {
    // SAFETY: the address is looked up and not used.
    let look = || unsafe { cu::culib().get::<*const c_void>(symbol.as_bytes()) }.is_ok();
    catch_unwind(look).unwrap_or(false)
}

/// Calls the driver's function of this name. An answer that is no success is an error with the
/// driver's words, and so is a library that lacks the function.
fn call(symbol: &'static str, body: impl FnOnce() -> cu::CUresult) -> Result<(), GpuError> {
    if !is_driver_present() {
        return Err(GpuError::NoDriver);
    }
    // What documentation calls it.
    let name = symbol.strip_suffix("_v2").unwrap_or(symbol);
    if !is_function_there(symbol) {
        return Err(GpuError::MissingFunction { name });
    }
    match catch_unwind(AssertUnwindSafe(body)) {
        Ok(cu::CUresult::CUDA_SUCCESS) => Ok(()),
        Ok(result) => Err(GpuError::Driver {
            call: name,
            code: result as u32,
            name: text_about(result, "cuGetErrorName", |code, text| {
                // SAFETY: writes the address of a text that is never freed to `text`.
                unsafe { cu::cuGetErrorName(code, text) }
            }),
            words: text_about(result, "cuGetErrorString", |code, text| {
                // SAFETY: as above.
                unsafe { cu::cuGetErrorString(code, text) }
            }),
            log: String::new(),
        }),
        Err(_) => Err(GpuError::MissingFunction { name }),
    }
}

/// What the driver says about an error.
fn text_about(
    code: cu::CUresult,
    symbol: &'static str,
    ask: impl FnOnce(cu::CUresult, *mut *const c_char) -> cu::CUresult,
) -> String {
    let mut text: *const c_char = ptr::null();
    let is_asked = is_function_there(symbol)
        && catch_unwind(AssertUnwindSafe(|| ask(code, &mut text))).is_ok();
    if text.is_null() || !is_asked {
        return format!("error {}", code as u32);
    }
    // SAFETY: the driver's texts end in a zero and are never freed.
    unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned()
}

/// Starts the driver; may be called again.
pub(crate) fn initialise() -> Result<(), GpuError> {
    // SAFETY: takes a number.
    call("cuInit", || unsafe { cu::cuInit(0) })
}

/// The version of CUDA that the driver supports, as 1000 times the major and 10 times the minor.
pub(crate) fn driver_version() -> Result<u32, GpuError> {
    let mut version = 0;
    // SAFETY: writes to `version`.
    call("cuDriverGetVersion", || unsafe { cu::cuDriverGetVersion(&mut version) })?;
    Ok(version.unsigned_abs())
}

/// How many GPUs there are.
pub(crate) fn device_count() -> Result<u32, GpuError> {
    let mut count = 0;
    // SAFETY: writes to `count`.
    call("cuDeviceGetCount", || unsafe { cu::cuDeviceGetCount(&mut count) })?;
    Ok(count.unsigned_abs())
}

/// A GPU, by the driver's handle of it, which is good as long as the process lives.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RawDevice(cu::CUdevice);

/// What is asked of a GPU.
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
        call("cuDeviceGet", || unsafe { cu::cuDeviceGet(&mut device, ordinal) })?;
        Ok(RawDevice(device))
    }

    /// Its name.
    pub(crate) fn name(self) -> Result<String, GpuError> {
        let mut bytes = [0_u8; 256];
        let (room, length) = (bytes.as_mut_ptr(), bytes.len() as c_int);
        // SAFETY: writes at most `length` bytes to `room`, the last one zero.
        call("cuDeviceGetName", || unsafe { cu::cuDeviceGetName(room.cast(), length, self.0) })?;
        let name = CStr::from_bytes_until_nul(&bytes).unwrap_or_default();
        Ok(name.to_string_lossy().into_owned())
    }

    /// Bytes of its memory.
    pub(crate) fn memory(self) -> Result<u64, GpuError> {
        let mut bytes = 0;
        // SAFETY: writes to `bytes`.
        call("cuDeviceTotalMem_v2", || unsafe { cu::cuDeviceTotalMem_v2(&mut bytes, self.0) })?;
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
        let ask = || {
            // SAFETY: writes to `value`.
            unsafe { cu::cuDeviceGetAttribute(&mut value, attribute, self.0) }
        };
        call("cuDeviceGetAttribute", ask)?;
        Ok(value.unsigned_abs())
    }

    /// Its primary context, made if there is none.
    pub(crate) fn context(self) -> Result<RawContext, GpuError> {
        let mut context = ptr::null_mut();
        let retain = || {
            // SAFETY: writes to `context`. It is never released, so that no handle outlives it.
            unsafe { cu::cuDevicePrimaryCtxRetain(&mut context, self.0) }
        };
        call("cuDevicePrimaryCtxRetain", retain)?;
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
        call("cuCtxSetCurrent", || unsafe { cu::cuCtxSetCurrent(self.0) })
    }
}

/// Waits for all that was issued.
pub(crate) fn synchronise() -> Result<(), GpuError> {
    // SAFETY: takes nothing; without a context it is an error.
    call("cuCtxSynchronize", || unsafe { cu::cuCtxSynchronize() })
}

/// Free bytes of device memory.
pub(crate) fn free_memory() -> Result<u64, GpuError> {
    let (mut free, mut total) = (0, 0);
    // SAFETY: writes to both.
    call("cuMemGetInfo_v2", || unsafe { cu::cuMemGetInfo_v2(&mut free, &mut total) })?;
    Ok(free as u64)
}

/// Takes device memory.
pub(crate) fn allocate(bytes: usize) -> Result<u64, GpuError> {
    let mut address = 0;
    // SAFETY: writes to `address`.
    call("cuMemAlloc_v2", || unsafe { cu::cuMemAlloc_v2(&mut address, bytes) })?;
    Ok(address)
}

/// Gives device memory back.
pub(crate) fn free(address: u64) -> Result<(), GpuError> {
    // SAFETY: a wrong address is an error.
    call("cuMemFree_v2", || unsafe { cu::cuMemFree_v2(address) })
}

/// Copies to the device, in the default stream, and waits.
pub(crate) fn upload(to: u64, bytes: &[u8]) -> Result<(), GpuError> {
    let (from, length) = (bytes.as_ptr().cast::<c_void>(), bytes.len());
    // SAFETY: reads `length` bytes of `bytes`, and has done so when it returns.
    call("cuMemcpyHtoD_v2", || unsafe { cu::cuMemcpyHtoD_v2(to, from, length) })?;
    // It may return when the bytes are in memory of its own (driver API, "API synchronization
    // behavior"), before they are where streams see them that do not wait for the default one.
    RawStream::default_stream().synchronise()
}

/// Copies from the device, and waits.
pub(crate) fn download(from: u64, into: &mut [u8]) -> Result<(), GpuError> {
    let (to, length) = (into.as_mut_ptr().cast::<c_void>(), into.len());
    // SAFETY: writes `length` bytes of `into`, and has done so when it returns.
    call("cuMemcpyDtoH_v2", || unsafe { cu::cuMemcpyDtoH_v2(to, from, length) })
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
        call("cuStreamCreate", || unsafe { cu::cuStreamCreate(&mut stream, flags) })?;
        Ok(RawStream(stream))
    }

    /// Waits for all that was issued to it.
    pub(crate) fn synchronise(&self) -> Result<(), GpuError> {
        // SAFETY: the handle is good until it is dropped.
        call("cuStreamSynchronize", || unsafe { cu::cuStreamSynchronize(self.0) })
    }

    /// Makes what is issued from now on wait for an event.
    pub(crate) fn wait(&self, event: &RawEvent) -> Result<(), GpuError> {
        // SAFETY: both handles are good until they are dropped.
        call("cuStreamWaitEvent", || unsafe { cu::cuStreamWaitEvent(self.0, event.0, 0) })
    }
}

impl Drop for RawStream {
    fn drop(&mut self) {
        if !self.0.is_null() {
            // SAFETY: the handle is not used again. An error has nobody to go to.
            let _ = call("cuStreamDestroy_v2", || unsafe { cu::cuStreamDestroy_v2(self.0) });
        }
    }
}

/// An event.
#[derive(Debug)]
pub(crate) struct RawEvent(cu::CUevent);

impl RawEvent {
    /// A new event that takes no time.
    pub(crate) fn new() -> Result<RawEvent, GpuError> {
        let flags = cu::CUevent_flags::CU_EVENT_DISABLE_TIMING as u32;
        let mut event = ptr::null_mut();
        // SAFETY: writes to `event`.
        call("cuEventCreate", || unsafe { cu::cuEventCreate(&mut event, flags) })?;
        Ok(RawEvent(event))
    }

    /// Records it in a stream.
    pub(crate) fn record(&self, stream: &RawStream) -> Result<(), GpuError> {
        // SAFETY: both handles are good until they are dropped.
        call("cuEventRecord", || unsafe { cu::cuEventRecord(self.0, stream.0) })
    }

    /// Whether all has happened that it stands for; not so when the driver fails.
    pub(crate) fn is_over(&self) -> bool {
        // SAFETY: the handle is good until it is dropped.
        call("cuEventQuery", || unsafe { cu::cuEventQuery(self.0) }).is_ok()
    }

    /// Waits for it.
    pub(crate) fn synchronise(&self) -> Result<(), GpuError> {
        // SAFETY: the handle is good until it is dropped.
        call("cuEventSynchronize", || unsafe { cu::cuEventSynchronize(self.0) })
    }
}

impl Drop for RawEvent {
    fn drop(&mut self) {
        // SAFETY: the handle is not used again. An error has nobody to go to.
        let _ = call("cuEventDestroy_v2", || unsafe { cu::cuEventDestroy_v2(self.0) });
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
        call("cuMemAllocHost_v2", || unsafe { cu::cuMemAllocHost_v2(&mut start, bytes.max(1)) })?;
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
            unsafe { cu::cuMemcpyHtoDAsync_v2(to, pinned.start, pinned.bytes, stream.0) }
        };
        pinned.issue(stream, || call("cuMemcpyHtoDAsync_v2", issue))?;
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
            unsafe { cu::cuMemcpyDtoHAsync_v2(pinned.start, from, pinned.bytes, stream.0) }
        };
        pinned.issue(stream, || call("cuMemcpyDtoHAsync_v2", issue))?;
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
            // Nothing stands for the copy: it has to be over before the memory is freed.
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
        let _ = call("cuMemFreeHost", || unsafe { cu::cuMemFreeHost(self.start) });
    }
}

/// A loaded module.
#[derive(Debug)]
pub(crate) struct RawModule(cu::CUmodule);

impl RawModule {
    /// Compiles PTX. The error holds what the driver's compiler says.
    pub(crate) fn load(ptx: &CStr, level: JitLevel) -> Result<RawModule, GpuError> {
        use cu::CUjit_option as O;
        let mut log = vec![0_u8; LOG];
        let number = |n: usize| n as *mut c_void;
        let mut options = vec![O::CU_JIT_ERROR_LOG_BUFFER, O::CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES];
        let mut values = vec![log.as_mut_ptr().cast::<c_void>(), number(LOG)];
        if let Some(level) = level.level() {
            options.push(O::CU_JIT_OPTIMIZATION_LEVEL);
            values.push(number(level.into()));
        }
        let count = options.len() as u32;
        let (options, values) = (options.as_mut_ptr(), values.as_mut_ptr());
        let mut module = ptr::null_mut();
        let load = || {
            // SAFETY: there are `count` options and values; the log has the room that is said;
            // the text ends in a zero. All are used during the call alone.
            unsafe {
                cu::cuModuleLoadDataEx(&mut module, ptx.as_ptr().cast(), count, options, values)
            }
        };
        call("cuModuleLoadDataEx", load).map_err(|error| {
            let said = CStr::from_bytes_until_nul(&log).unwrap_or_default();
            error.with_log(said.to_string_lossy().trim())
        })?;
        Ok(RawModule(module))
    }

    /// The address and size of a variable.
    pub(crate) fn variable(&self, name: &str) -> Result<(u64, u64), GpuError> {
        let name = CString::new(name).unwrap_or_default();
        let (mut address, mut bytes) = (0, 0);
        let ask = || {
            // SAFETY: writes to both; the module is good until it is dropped.
            unsafe { cu::cuModuleGetGlobal_v2(&mut address, &mut bytes, self.0, name.as_ptr()) }
        };
        call("cuModuleGetGlobal_v2", ask)?;
        Ok((address, bytes as u64))
    }

    /// A kernel.
    pub(crate) fn function(self: &Rc<RawModule>, name: &str) -> Result<RawFunction, GpuError> {
        let text = CString::new(name).unwrap_or_default();
        let mut function = ptr::null_mut();
        let ask = || {
            // SAFETY: writes to `function`; the module is good until it is dropped.
            unsafe { cu::cuModuleGetFunction(&mut function, self.0, text.as_ptr()) }
        };
        call("cuModuleGetFunction", ask)?;
        Ok(RawFunction { function, _module: Rc::clone(self) })
    }
}

impl Drop for RawModule {
    fn drop(&mut self) {
        // SAFETY: no function of it is left, and it is not used again.
        let _ = call("cuModuleUnload", || unsafe { cu::cuModuleUnload(self.0) });
    }
}

/// A kernel of a loaded module, which it keeps loaded.
#[derive(Clone, Debug)]
pub(crate) struct RawFunction {
    function: cu::CUfunction,
    _module: Rc<RawModule>,
}

/// The shape of a launch, as the driver takes it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shape {
    pub(crate) grid: [u32; 3],
    pub(crate) block: [u32; 3],
    pub(crate) shared: u32,
}

/// What is asked of a kernel.
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
        let ask = || {
            // SAFETY: writes to `value`; the function is good as long as its module.
            unsafe { cu::cuFuncGetAttribute(&mut value, attribute, self.function) }
        };
        call("cuFuncGetAttribute", ask)?;
        Ok(value.unsigned_abs())
    }

    /// Allows launches with more dynamic shared memory than every GPU has.
    pub(crate) fn allow_shared(&self, bytes: u32) -> Result<(), GpuError> {
        use cu::CUfunction_attribute as F;
        let attribute = F::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;
        let bytes = c_int::try_from(bytes).unwrap_or(c_int::MAX);
        let set = || {
            // SAFETY: the function is good as long as its module.
            unsafe { cu::cuFuncSetAttribute(self.function, attribute, bytes) }
        };
        call("cuFuncSetAttribute", set)
    }

    /// Issues a launch. `parameters` are the bytes of all parameters, each at its place.
    pub(crate) fn launch(
        &self,
        shape: Shape,
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
        let Shape { grid: [gx, gy, gz], block: [bx, by, bz], shared } = shape;
        let extra = if size == 0 { ptr::null_mut() } else { extra.as_mut_ptr() };
        let (function, stream, none) = (self.function, stream.0, ptr::null_mut());
        let launch = || {
            // SAFETY: function and stream are good; the driver is told how many bytes of parameters
            // there are, compares that with what the kernel takes, and has copied them when it
            // returns.
            unsafe {
                cu::cuLaunchKernel(function, gx, gy, gz, bx, by, bz, shared, stream, none, extra)
            }
        };
        call("cuLaunchKernel", launch)
    }
}

// ---------------------------------------------------------------------------------------------
// NVRTC. Several versions of it may be here, and which one is used is the caller's choice, so the
// functions are those of a library that was opened by its path, and not of the one that the
// bindings would find by name. Their signatures are in NVRTC's `nvrtc.h`, the same in 12 and 13.

type RawProgramHandle = *mut c_void;

/// NVRTC: a library that was opened. It is never closed, as it leaves things with its thread.
#[derive(Debug)]
pub(crate) struct RawNvrtc(ManuallyDrop<Library>);

impl RawNvrtc {
    /// Opens a library, and before it those that it will look for by their names alone.
    pub(crate) fn open(path: &OsStr, needed: &[PathBuf]) -> Result<RawNvrtc, NvrtcError> {
        needed.iter().for_each(|path| keep_open(path));
        // SAFETY: what runs on loading is the library's, which the user has chosen or installed.
        let library = unsafe { Library::new(path) };
        library.map(|library| RawNvrtc(ManuallyDrop::new(library))).map_err(|error| {
            // The system's words are behind those of the crate that asked it.
            let words = error.source().map_or_else(|| error.to_string(), ToString::to_string);
            NvrtcError::CannotOpen { library: path.into(), words }
        })
    }

    /// A function by its name; `F` is its signature.
    fn function<F: Copy>(&self, name: &'static str) -> Result<F, NvrtcError> {
        // SAFETY: every caller gives the signature that `nvrtc.h` has for the name; the library is
        // never closed, so that the address stays good.
        let found = unsafe { self.0.get::<F>(name.as_bytes()) };
        found.map(|function| *function).map_err(|_| NvrtcError::MissingFunction { name })
    }

    /// What an answer means.
    fn answer(&self, call: &'static str, code: c_int) -> Result<(), NvrtcError> {
        type Function = unsafe extern "C" fn(c_int) -> *const c_char;
        if code == 0 {
            return Ok(());
        }
        let describe: Function = self.function("nvrtcGetErrorString")?;
        // SAFETY: any number is allowed; the text is never freed.
        let text = unsafe { describe(code) };
        let words = if text.is_null() {
            format!("error {code}")
        } else {
            // SAFETY: it is not null and ends in a zero.
            unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned()
        };
        Err(NvrtcError::Call { call, code, words })
    }

    /// Its version, major and minor.
    pub(crate) fn version(&self) -> Result<(u32, u32), NvrtcError> {
        type Function = unsafe extern "C" fn(*mut c_int, *mut c_int) -> c_int;
        let (mut major, mut minor) = (0, 0);
        let ask: Function = self.function("nvrtcVersion")?;
        // SAFETY: writes to both.
        self.answer("nvrtcVersion", unsafe { ask(&mut major, &mut minor) })?;
        Ok((major.unsigned_abs(), minor.unsigned_abs()))
    }

    /// The architectures that it compiles for: 75 is `compute_75`.
    pub(crate) fn architectures(&self) -> Result<Vec<u32>, NvrtcError> {
        type Function = unsafe extern "C" fn(*mut c_int) -> c_int;
        let count_all: Function = self.function("nvrtcGetNumSupportedArchs")?;
        let list: Function = self.function("nvrtcGetSupportedArchs")?;
        let mut count = 0;
        // SAFETY: writes to `count`.
        self.answer("nvrtcGetNumSupportedArchs", unsafe { count_all(&mut count) })?;
        let mut found = vec![0; usize::try_from(count).unwrap_or(0)];
        // SAFETY: writes so many numbers as it just said, and the room for them is there.
        self.answer("nvrtcGetSupportedArchs", unsafe { list(found.as_mut_ptr()) })?;
        Ok(found.into_iter().filter_map(|n| u32::try_from(n).ok()).collect())
    }

    /// A program of a source text, its name, and headers that are no files: name and text of each.
    pub(crate) fn program(
        &self,
        source: &CStr,
        name: &CStr,
        headers: &[(CString, CString)],
    ) -> Result<RawProgram<'_>, NvrtcError> {
        type Function = unsafe extern "C" fn(
            *mut RawProgramHandle,
            *const c_char,
            *const c_char,
            c_int,
            *const *const c_char,
            *const *const c_char,
        ) -> c_int;
        let names: Vec<_> = headers.iter().map(|(name, _)| name.as_ptr()).collect();
        let texts: Vec<_> = headers.iter().map(|(_, text)| text.as_ptr()).collect();
        let count = c_int::try_from(headers.len()).unwrap_or(0);
        let create: Function = self.function("nvrtcCreateProgram")?;
        let (source, name) = (source.as_ptr(), name.as_ptr());
        let mut handle = ptr::null_mut();
        // SAFETY: writes to `handle`; all texts end in a zero, there are `count` of both lists, and
        // the library copies them.
        let code =
            unsafe { create(&mut handle, source, name, count, texts.as_ptr(), names.as_ptr()) };
        self.answer("nvrtcCreateProgram", code)?;
        Ok(RawProgram { nvrtc: self, handle })
    }
}

/// Opens a library for all others to find, for as long as the process lives. One that cannot be
/// opened is missed by whoever needs it, and that is told then.
fn keep_open(path: &Path) {
    #[cfg(unix)]
    // SAFETY: as in `RawNvrtc::open`.
    let opened = unsafe {
        use libloading::os::unix::{Library, RTLD_GLOBAL, RTLD_NOW};
        Library::open(Some(path), RTLD_NOW | RTLD_GLOBAL)
    };
    #[cfg(not(unix))]
    // SAFETY: as in `RawNvrtc::open`.
    let opened = unsafe { Library::new(path) };
    let _ = opened.map(ManuallyDrop::new);
}

/// A program that NVRTC holds.
#[derive(Debug)]
pub(crate) struct RawProgram<'a> {
    nvrtc: &'a RawNvrtc,
    handle: RawProgramHandle,
}

impl RawProgram<'_> {
    /// Compiles it.
    pub(crate) fn compile(&self, options: &[CString]) -> Result<(), NvrtcError> {
        type Function =
            unsafe extern "C" fn(RawProgramHandle, c_int, *const *const c_char) -> c_int;
        let pointers: Vec<_> = options.iter().map(|option| option.as_ptr()).collect();
        let count = c_int::try_from(pointers.len()).unwrap_or(0);
        let compile: Function = self.nvrtc.function("nvrtcCompileProgram")?;
        // SAFETY: the program lives until `drop`; there are `count` texts that end in a zero.
        let code = unsafe { compile(self.handle, count, pointers.as_ptr()) };
        self.nvrtc.answer("nvrtcCompileProgram", code)
    }

    /// What the compiler said.
    pub(crate) fn log(&self) -> Result<String, NvrtcError> {
        self.text(["nvrtcGetProgramLogSize", "nvrtcGetProgramLog"])
    }

    /// The PTX, once it is compiled.
    pub(crate) fn ptx(&self) -> Result<String, NvrtcError> {
        self.text(["nvrtcGetPTXSize", "nvrtcGetPTX"])
    }

    /// A text that NVRTC has a pair of functions for: one gives its size with the zero at its end.
    fn text(&self, [size_of, text_of]: [&'static str; 2]) -> Result<String, NvrtcError> {
        type SizeOf = unsafe extern "C" fn(RawProgramHandle, *mut usize) -> c_int;
        type TextOf = unsafe extern "C" fn(RawProgramHandle, *mut c_char) -> c_int;
        let measure: SizeOf = self.nvrtc.function(size_of)?;
        let fetch: TextOf = self.nvrtc.function(text_of)?;
        let mut size = 0;
        // SAFETY: writes to `size`; the program lives until `drop`.
        self.nvrtc.answer(size_of, unsafe { measure(self.handle, &mut size) })?;
        let mut bytes = vec![0_u8; size];
        // SAFETY: writes so many bytes as it just said, and the room for them is there.
        self.nvrtc.answer(text_of, unsafe { fetch(self.handle, bytes.as_mut_ptr().cast()) })?;
        let end = bytes.iter().position(|byte| *byte == 0).unwrap_or(bytes.len());
        bytes.truncate(end);
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }
}

impl Drop for RawProgram<'_> {
    fn drop(&mut self) {
        type Function = unsafe extern "C" fn(*mut RawProgramHandle) -> c_int;
        if let Ok(destroy) = self.nvrtc.function::<Function>("nvrtcDestroyProgram") {
            // SAFETY: it was made by this library, and is not used again.
            let _ = unsafe { destroy(&mut self.handle) };
        }
    }
}
