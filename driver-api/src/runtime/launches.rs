//! "Execution Control", "Occupancy", and the calls that `<<<>>>` becomes (`crt/host_runtime.h`).

use std::cell::RefCell;

use warpsim_driver_core::{CudaError, DefaultStream, FunctionAttribute, Handle, LaunchRequest};

use super::{DONE, RuntimeError, answers, registered, runtime, with};
use crate::callbacks;
use crate::functions::{is_cooperative, parameters};
use crate::pointers::{In, Out, Parameters};
use crate::process::unsupported;
use crate::structures::LaunchConfig;

/// `dim3`.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub(crate) struct Extent {
    x: u32,
    y: u32,
    z: u32,
}

impl Extent {
    pub(crate) fn all(self) -> [u32; 3] {
        [self.x, self.y, self.z]
    }
}

impl From<[u32; 3]> for Extent {
    fn from([x, y, z]: [u32; 3]) -> Extent {
        Extent { x, y, z }
    }
}

impl crate::pointers::Shown for Extent {
    fn shown(&self) -> String {
        format!("{},{},{}", self.x, self.y, self.z)
    }
}

thread_local! {
    /// The values between `<<<` and `>>>` of the current call.
    static CONFIGURED: RefCell<Vec<(Extent, Extent, usize, Handle)>> = const { RefCell::new(Vec::new()) };
}

/// `cudaFuncAttributes`.
#[derive(Clone, Copy)]
#[repr(C)]
pub(super) struct Attributes {
    shared: usize,
    constants: usize,
    local: usize,
    threads: i32,
    registers: i32,
    ptx: i32,
    binary: i32,
    cache: i32,
    dynamic: i32,
    carveout: i32,
    clusters: [i32; 6],
    reserved: [i32; 16],
}

/// What of a launch is not its kernel and its parameters.
struct Shape {
    grid: [u32; 3],
    block: [u32; 3],
    shared: usize,
    cooperative: bool,
}

impl Shape {
    /// Refuses a grid and a block that no kernel can have; that is `cudaErrorInvalidConfiguration`.
    fn check(&self, function: Handle) -> Result<(), RuntimeError> {
        const BLOCK: [u32; 3] = [2, 3, 4];
        const GRID: [u32; 3] = [5, 6, 7];
        let fits = |extent: [u32; 3], attributes: [u32; 3]| {
            with(|call| {
                for (size, attribute) in extent.into_iter().zip(attributes) {
                    let most = call.device_attribute(attribute)?;
                    if size == 0 || u64::from(size) > u64::from(most.unsigned_abs()) {
                        return Ok(false);
                    }
                }
                Ok(true)
            })
        };
        let threads: u64 = self.block.iter().map(|size| u64::from(*size)).product();
        let most = with(|call| call.device_attribute(1))?;
        let is_one = fits(self.grid, GRID)? && fits(self.block, BLOCK)?;
        match is_one && threads <= u64::from(most.unsigned_abs()) {
            true => Ok(()),
            false => {
                with(|call| {
                    call.because_of_shape(self.grid, self.block);
                    call.because_of_kernel(function);
                    Ok(())
                })?;
                Err(RuntimeError::INVALID_CONFIGURATION)
            }
        }
    }
}

fn launched(
    host: u64,
    shape: &Shape,
    (stream, default): (Handle, DefaultStream),
    each: Parameters,
) -> Result<(), RuntimeError> {
    callbacks::settle();
    let function = registered::kernel(host)?;
    shape.check(function)?;
    let parameters = parameters(function, each, Parameters::NONE)?;
    let shared = u32::try_from(shape.shared).map_err(|_| CudaError::InvalidValue)?;
    let Shape { grid, block, cooperative, .. } = *shape;
    let request = LaunchRequest { function, grid, block, shared, cooperative, parameters };
    with(|call| {
        let stream = call.stream(stream, default)?;
        call.launch(&request, stream)
    })?;
    Ok(())
}

/// `cudaLaunchParams`.
#[derive(Clone, Copy)]
#[repr(C)]
pub(super) struct DeviceLaunch {
    host: u64,
    grid: Extent,
    block: Extent,
    each: Parameters,
    shared: usize,
    stream: Handle,
}

runtime! {
    __cudaPushCallConfiguration |_default| (grid: Extent, block: Extent, shared: usize, stream: Handle) {
        let configured = (grid, block, shared, stream);
        // A thread that is at its end keeps nothing any more.
        let kept = CONFIGURED.try_with(|calls| calls.borrow_mut().push(configured));
        kept.map_err(|_| CudaError::NotPermitted)?;
        DONE
    }
    __cudaPopCallConfiguration |_default| (grid: Out<Extent>, block: Out<Extent>, shared: Out<usize>, stream: Out<Handle>) {
        let last = CONFIGURED.try_with(|calls| calls.borrow_mut().pop()).ok().flatten();
        let last = last.ok_or(RuntimeError::MISSING_CONFIGURATION)?;
        grid.put(last.0)?;
        block.put(last.1)?;
        shared.put(last.2)?;
        stream.put(last.3)
    }
    cudaLaunchKernel / cudaLaunchKernel_ptsz |default| (
        host: u64, grid: Extent, block: Extent, each: Parameters, shared: usize, stream: Handle
    ) {
        let shape = Shape { grid: grid.all(), block: block.all(), shared, cooperative: false };
        launched(host, &shape, (stream, default), each)
    }
    __cudaLaunchKernel / __cudaLaunchKernel_ptsz |default| (
        kernel: Handle, grid: Extent, block: Extent, each: Parameters, shared: usize, stream: Handle
    ) {
        let shape = Shape { grid: grid.all(), block: block.all(), shared, cooperative: false };
        launched(kernel, &shape, (stream, default), each)
    }
    cudaLaunchCooperativeKernel / cudaLaunchCooperativeKernel_ptsz |default| (
        host: u64, grid: Extent, block: Extent, each: Parameters, shared: usize, stream: Handle
    ) {
        let shape = Shape { grid: grid.all(), block: block.all(), shared, cooperative: true };
        launched(host, &shape, (stream, default), each)
    }
    cudaLaunchKernelExC / cudaLaunchKernelExC_ptsz |default| (config: In<RuntimeConfig>, host: u64, each: Parameters) {
        let config = config.get()?;
        let cooperative = is_cooperative(&config.attributes())?;
        let (grid, block) = (config.grid.all(), config.block.all());
        let shape = Shape { grid, block, shared: config.shared, cooperative };
        launched(host, &shape, (config.stream, default), each)
    }
    cudaFuncGetAttributes |_default| (attributes: Out<Attributes>, host: u64) {
        use FunctionAttribute as F;
        let kernel = registered::kernel(host)?;
        with(|call| {
            let of = |attribute| call.function_attribute(kernel, attribute);
            let bytes = |attribute| usize::try_from(of(attribute)?).map_err(|_| CudaError::Unknown);
            attributes.put(Attributes {
                shared: bytes(F::SharedSizeBytes)?,
                constants: bytes(F::ConstSizeBytes)?,
                local: bytes(F::LocalSizeBytes)?,
                threads: of(F::MaxThreadsPerBlock)?,
                registers: of(F::NumRegs)?,
                ptx: of(F::PtxVersion)?,
                binary: of(F::BinaryVersion)?,
                cache: of(F::CacheModeCa)?,
                dynamic: of(F::MaxDynamicSharedSizeBytes)?,
                carveout: of(F::PreferredSharedMemoryCarveout)?,
                clusters: [0; 6],
                reserved: [0; 16],
            })
        })
    }
    cudaFuncSetAttribute |_default| (host: u64, number: u32, value: i32) {
        // The runtime's numbers are the driver's.
        let attribute = FunctionAttribute::of_number(number).ok_or(CudaError::InvalidValue)?;
        let kernel = registered::kernel(host)?;
        with(|call| {
            call.set_function_attribute(kernel, attribute, value)
        })
    }
    cudaFuncSetCacheConfig |_default| (host: u64, config: u32) {
        let _ = config;
        registered::kernel(host).map(|_| ())
    }
    cudaFuncSetSharedMemConfig |_default| (host: u64, config: u32) {
        let _ = config;
        registered::kernel(host).map(|_| ())
    }
    cudaGetKernel |_default| (kernel: Out<Handle>, host: u64) {
        kernel.put(registered::kernel(host)?)
    }
    __cudaGetKernel |_default| (kernel: Out<Handle>, host: u64) {
        kernel.put(registered::kernel(host)?)
    }
    cudaGetFuncBySymbol |_default| (function: Out<Handle>, host: u64) {
        function.put(registered::kernel(host)?)
    }
    cudaOccupancyMaxActiveBlocksPerMultiprocessor |_default| (blocks: Out<i32>, host: u64, threads: i32, shared: usize) {
        let kernel = registered::kernel(host)?;
        with(|call| {
            blocks.put(call.occupancy(kernel, threads, shared as u64)? as i32)
        })
    }
    cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags |_default| (
        blocks: Out<i32>, host: u64, threads: i32, shared: usize, flags: u32
    ) {
        let _ = flags;
        let kernel = registered::kernel(host)?;
        with(|call| {
            blocks.put(call.occupancy(kernel, threads, shared as u64)? as i32)
        })
    }
    cudaOccupancyAvailableDynamicSMemPerBlock |_default| (bytes: Out<usize>, host: u64, blocks: i32, threads: i32) {
        let _ = threads;
        let kernel = registered::kernel(host)?;
        with(|call| {
            bytes.put(call.available_shared(kernel, blocks)? as usize)
        })
    }
    cudaLaunchCooperativeKernelMultiDevice |_default| (list: In<DeviceLaunch>, count: u32, flags: u32) {
        // With one device this is one launch, whatever it must wait for before and behind it.
        match (count, flags) {
            (1, 0..=3) => {}
            (_, _) => return Err(CudaError::InvalidValue.into()),
        }
        let DeviceLaunch { host, grid, block, each, shared, stream } = list.get()?;
        let shape = Shape { grid: grid.all(), block: block.all(), shared, cooperative: true };
        match stream {
            // The streams that are there without being made are no streams for that.
            0..=2 => Err(RuntimeError::Driver(CudaError::InvalidHandle)),
            stream => launched(host, &shape, (stream, DefaultStream::Legacy), each),
        }
    }
    cudaGetExportTable |_default| (table: Out<*const std::ffi::c_void>, id: u64) {
        let _ = (table, id);
        unsupported("cudaGetExportTable")
    }
}

/// `cudaChannelFormatDesc`: bits of each channel, and what they mean.
#[derive(Clone, Copy, Default)]
#[repr(C)]
pub(super) struct ChannelDescription {
    pub(super) bits: [i32; 4],
    pub(super) kind: u32,
}

answers! {
    cudaCreateChannelDesc(x: i32, y: i32, z: i32, w: i32, kind: u32) -> ChannelDescription {
        ChannelDescription { bits: [x, y, z, w], kind }
    }
}

/// `cudaLaunchConfig_t`.
#[derive(Clone, Copy)]
#[repr(C)]
pub(super) struct RuntimeConfig {
    grid: Extent,
    block: Extent,
    shared: usize,
    stream: Handle,
    attributes: *const crate::structures::LaunchAttribute,
    count: u32,
}

impl RuntimeConfig {
    /// The same in the driver's form: its attributes are the same.
    fn attributes(&self) -> LaunchConfig {
        LaunchConfig {
            grid: self.grid.all(),
            block: self.block.all(),
            shared: 0,
            stream: self.stream,
            attributes: self.attributes,
            count: self.count,
        }
    }
}
