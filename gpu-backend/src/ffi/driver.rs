//! The driver's library and its functions (CUDA driver API, `cuda.h`).
//!
//! Each function is looked up in the library when it is called. Its name and its parameters are as
//! in `cuda.h`. It returns a number, and 0 is success. Any other number is a [`GpuError`] with the
//! driver's words, and so is a function that the library does not have.

use std::ffi::{CStr, c_char, c_int, c_uint, c_void};
use std::ptr;
use std::sync::OnceLock;

use cudarc::driver::sys as cu;
use libloading::Library;
use warpsim_nvrtc::libraries;

use crate::error::GpuError;

/// What the library is called, the first choice first.
const NAMES: &[&str] = match cfg!(windows) {
    true => &["nvcuda.dll"],
    false => &["libcuda.so.1", "libcuda.so"],
};

/// The driver's library, which is never closed; `None` where there is none that can be opened.
fn library() -> Option<&'static Library> {
    static LIBRARY: OnceLock<Option<Library>> = OnceLock::new();
    let look = || {
        let folders = libraries::asked_for().into_iter().chain(libraries::of_the_system());
        let paths = folders.flat_map(|folder| NAMES.iter().map(move |name| folder.join(name)));
        // One may be for another kind of machine, such as one of 32 bits.
        paths.filter(|path| path.is_file()).find_map(|path| libraries::open(&path).ok())
    };
    LIBRARY.get_or_init(look).as_ref()
}

/// Whether the driver's library is there and can be opened.
pub(crate) fn is_driver_present() -> bool {
    library().is_some()
}

/// What documentation calls a function: without the version of its signature.
fn documented(symbol: &'static str) -> &'static str {
    symbol.strip_suffix("_v2").unwrap_or(symbol)
}

/// A function by its name; `F` is its signature.
fn function<F: Copy>(symbol: &'static str) -> Result<F, GpuError> {
    let library = library().ok_or(GpuError::NoDriver)?;
    // SAFETY: the table below gives the signature that `cuda.h` has for the name; the library is
    // never closed, so that the address stays good.
    let found = unsafe { library.get::<F>(symbol.as_bytes()) };
    let missing = |_| GpuError::MissingFunction { name: documented(symbol).into() };
    found.map(|function| *function).map_err(missing)
}

/// What an answer means.
fn answer(symbol: &'static str, code: c_uint) -> Result<(), GpuError> {
    if code == 0 {
        return Ok(());
    }
    Err(GpuError::Driver {
        call: documented(symbol).into(),
        code,
        name: text_about(code, "cuGetErrorName"),
        words: text_about(code, "cuGetErrorString"),
        log: String::new(),
    })
}

/// What the driver says about an error.
fn text_about(code: c_uint, symbol: &'static str) -> String {
    type Function = unsafe extern "C" fn(c_uint, *mut *const c_char) -> c_uint;
    let mut text: *const c_char = ptr::null();
    if let Ok(ask) = function::<Function>(symbol) {
        // SAFETY: writes the address of a text that is never freed to `text`, or null.
        let _ = unsafe { ask(code, &mut text) };
    }
    if text.is_null() {
        return format!("error {code}");
    }
    // SAFETY: the driver's texts end in a zero and are never freed.
    unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned()
}

macro_rules! functions {
    ($(fn $name:ident($($value:ident: $ty:ty),*);)*) => {$(
        #[expect(non_snake_case, reason = "named as in `cuda.h`")]
        #[allow(clippy::too_many_arguments, reason = "as many as in `cuda.h`")]
        pub(super) unsafe fn $name($($value: $ty),*) -> Result<(), GpuError> {
            type Function = unsafe extern "C" fn($($ty),*) -> c_uint;
            let function: Function = function(stringify!($name))?;
            // SAFETY: the caller's.
            answer(stringify!($name), unsafe { function($($value),*) })
        }
    )*};
}

functions! {
    fn cuInit(flags: c_uint);
    fn cuDriverGetVersion(version: *mut c_int);
    fn cuDeviceGetCount(count: *mut c_int);
    fn cuDeviceGet(device: *mut cu::CUdevice, ordinal: c_int);
    fn cuDeviceGetName(name: *mut c_char, length: c_int, device: cu::CUdevice);
    fn cuDeviceTotalMem_v2(bytes: *mut usize, device: cu::CUdevice);
    fn cuDeviceGetAttribute(
        value: *mut c_int,
        attribute: cu::CUdevice_attribute,
        device: cu::CUdevice
    );
    fn cuDevicePrimaryCtxRetain(context: *mut cu::CUcontext, device: cu::CUdevice);
    fn cuCtxSetCurrent(context: cu::CUcontext);
    fn cuCtxSynchronize();
    fn cuMemGetInfo_v2(free: *mut usize, total: *mut usize);
    fn cuMemAlloc_v2(address: *mut cu::CUdeviceptr, bytes: usize);
    fn cuMemFree_v2(address: cu::CUdeviceptr);
    fn cuMemAllocHost_v2(start: *mut *mut c_void, bytes: usize);
    fn cuMemFreeHost(start: *mut c_void);
    fn cuMemcpyHtoD_v2(to: cu::CUdeviceptr, from: *const c_void, bytes: usize);
    fn cuMemcpyDtoH_v2(to: *mut c_void, from: cu::CUdeviceptr, bytes: usize);
    fn cuMemcpyHtoDAsync_v2(
        to: cu::CUdeviceptr,
        from: *const c_void,
        bytes: usize,
        stream: cu::CUstream
    );
    fn cuMemcpyDtoHAsync_v2(
        to: *mut c_void,
        from: cu::CUdeviceptr,
        bytes: usize,
        stream: cu::CUstream
    );
    fn cuMemcpyAsync(
        to: cu::CUdeviceptr,
        from: cu::CUdeviceptr,
        bytes: usize,
        stream: cu::CUstream
    );
    fn cuMemcpy3D_v2(copy: *const cu::CUDA_MEMCPY3D);
    fn cuArray3DCreate_v2(array: *mut cu::CUarray, description: *const cu::CUDA_ARRAY3D_DESCRIPTOR);
    fn cuArrayDestroy(array: cu::CUarray);
    fn cuMipmappedArrayCreate(
        array: *mut cu::CUmipmappedArray,
        description: *const cu::CUDA_ARRAY3D_DESCRIPTOR,
        levels: c_uint
    );
    fn cuMipmappedArrayGetLevel(
        level: *mut cu::CUarray,
        array: cu::CUmipmappedArray,
        number: c_uint
    );
    fn cuMipmappedArrayDestroy(array: cu::CUmipmappedArray);
    fn cuTexObjectCreate(
        object: *mut cu::CUtexObject,
        resource: *const cu::CUDA_RESOURCE_DESC,
        texture: *const cu::CUDA_TEXTURE_DESC,
        view: *const cu::CUDA_RESOURCE_VIEW_DESC
    );
    fn cuTexObjectDestroy(object: cu::CUtexObject);
    fn cuSurfObjectCreate(object: *mut cu::CUsurfObject, resource: *const cu::CUDA_RESOURCE_DESC);
    fn cuSurfObjectDestroy(object: cu::CUsurfObject);
    fn cuStreamCreate(stream: *mut cu::CUstream, flags: c_uint);
    fn cuStreamDestroy_v2(stream: cu::CUstream);
    fn cuStreamSynchronize(stream: cu::CUstream);
    fn cuStreamWaitEvent(stream: cu::CUstream, event: cu::CUevent, flags: c_uint);
    fn cuEventCreate(event: *mut cu::CUevent, flags: c_uint);
    fn cuEventDestroy_v2(event: cu::CUevent);
    fn cuEventRecord(event: cu::CUevent, stream: cu::CUstream);
    fn cuEventQuery(event: cu::CUevent);
    fn cuEventSynchronize(event: cu::CUevent);
    fn cuEventElapsedTime(milliseconds: *mut f32, start: cu::CUevent, end: cu::CUevent);
    fn cuModuleLoadDataEx(
        module: *mut cu::CUmodule,
        image: *const c_void,
        count: c_uint,
        options: *mut cu::CUjit_option,
        values: *mut *mut c_void
    );
    fn cuModuleLoadData(module: *mut cu::CUmodule, image: *const c_void);
    fn cuModuleUnload(module: cu::CUmodule);
    fn cuLinkCreate_v2(
        count: c_uint,
        options: *mut cu::CUjit_option,
        values: *mut *mut c_void,
        linker: *mut cu::CUlinkState
    );
    fn cuLinkAddData_v2(
        linker: cu::CUlinkState,
        kind: cu::CUjitInputType,
        data: *mut c_void,
        bytes: usize,
        name: *const c_char,
        count: c_uint,
        options: *mut cu::CUjit_option,
        values: *mut *mut c_void
    );
    fn cuLinkComplete(linker: cu::CUlinkState, binary: *mut *mut c_void, bytes: *mut usize);
    fn cuLinkDestroy(linker: cu::CUlinkState);
    fn cuModuleGetGlobal_v2(
        address: *mut cu::CUdeviceptr,
        bytes: *mut usize,
        module: cu::CUmodule,
        name: *const c_char
    );
    fn cuModuleGetFunction(
        function: *mut cu::CUfunction,
        module: cu::CUmodule,
        name: *const c_char
    );
    fn cuFuncGetAttribute(
        value: *mut c_int,
        attribute: cu::CUfunction_attribute,
        function: cu::CUfunction
    );
    fn cuFuncSetAttribute(
        function: cu::CUfunction,
        attribute: cu::CUfunction_attribute,
        value: c_int
    );
    fn cuLaunchKernelEx(
        config: *const cu::CUlaunchConfig,
        function: cu::CUfunction,
        parameters: *mut *mut c_void,
        extra: *mut *mut c_void
    );
    fn cuLaunchKernel(
        function: cu::CUfunction,
        grid_x: c_uint,
        grid_y: c_uint,
        grid_z: c_uint,
        block_x: c_uint,
        block_y: c_uint,
        block_z: c_uint,
        shared: c_uint,
        stream: cu::CUstream,
        parameters: *mut *mut c_void,
        extra: *mut *mut c_void
    );
}
