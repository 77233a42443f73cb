//! "Execution Control", "Occupancy".

use std::ffi::c_char;

use warpsim_driver_core::{
    Answer, CudaError, DefaultStream, FunctionAttribute, Handle, LaunchRequest,
};

use super::{functions, streamed};
use crate::callbacks;
use crate::pointers::{In, Out, Parameters, array_at, bytes_at, size_at};
use crate::process::{cannot_run, interned, with};
use crate::structures::LaunchConfig;

/// `CUoccupancyB2DSize`.
type SharedOfBlock = Option<extern "C" fn(i32) -> usize>;

/// The shape of a launch, as C gives it.
struct Shape {
    grid: [u32; 3],
    block: [u32; 3],
    shared: u32,
    cooperative: bool,
}

/// The bytes of all parameters, from an array of pointers to each, or from a buffer of them all.
pub(crate) fn parameters(function: Handle, each: Parameters, extra: Parameters) -> Answer<Vec<u8>> {
    /// The markers in `extra`: the end, a buffer follows, its size follows.
    const END: usize = 0;
    const BUFFER: usize = 1;
    const SIZE: usize = 2;
    let places = with(|call| call.parameters(function))?;
    let bytes = places.iter().map(|place| place.offset + place.size).max().unwrap_or(0);
    let mut all = vec![0; bytes];
    match (each.is_null(), extra.is_null()) {
        _ if bytes == 0 => {}
        (true, true) | (false, false) => return Err(CudaError::InvalidValue),
        (false, true) => {
            for (index, place) in places.iter().enumerate() {
                let value = each.bytes(index, place.size)?;
                let to = all.get_mut(place.offset..place.offset + place.size);
                to.ok_or(CudaError::Unknown)?.copy_from_slice(&value);
            }
        }
        (true, false) => {
            let (mut buffer, mut size) = (std::ptr::null(), std::ptr::null());
            for index in (0..4).step_by(2) {
                match extra.word(index)?.addr() {
                    END => break,
                    BUFFER => buffer = extra.word(index + 1)?,
                    SIZE => size = extra.word(index + 1)?,
                    3.. => return Err(CudaError::InvalidValue),
                }
            }
            if size_at(size)? < bytes {
                return Err(CudaError::InvalidValue);
            }
            all = bytes_at(buffer, bytes)?;
        }
    }
    Ok(all)
}

fn launched(
    function: Handle,
    shape: &Shape,
    (stream, default): (Handle, DefaultStream),
    each: Parameters,
    extra: Parameters,
) -> Answer<()> {
    callbacks::settle();
    let parameters = parameters(function, each, extra)?;
    let Shape { grid, block, shared, cooperative } = *shape;
    let request = LaunchRequest { function, grid, block, shared, cooperative, parameters };
    with(|call| {
        let stream = call.stream(stream, default)?;
        call.launch(&request, stream)
    })
}

/// Whether all blocks must be resident, by the attributes of a launch. Attributes about its speed
/// have no effect here.
pub(crate) fn is_cooperative(config: &LaunchConfig) -> Answer<bool> {
    const COOPERATIVE: u32 = 2;
    const CLUSTER: u32 = 4;
    let mut cooperative = false;
    for index in 0..config.count as usize {
        let attribute = array_at(config.attributes).at(index)?;
        match attribute.id {
            COOPERATIVE => cooperative = attribute.value[0] != 0,
            CLUSTER if attribute.value[..3] == [1; 3] => {}
            CLUSTER => cannot_run("launches with clusters")?,
            // Nothing; the window of the L2 cache; how to wait; how to place clusters; overlap with
            // the launch before; priority; domains of memory.
            0 | 1 | 3 | 5 | 6 | 8 | 9 | 10 => {}
            other => cannot_run(&format!("the attribute {other} of a launch"))?,
        }
    }
    Ok(cooperative)
}

/// The numbers of an attribute of a kernel.
pub(crate) fn attribute(number: u32) -> Answer<FunctionAttribute> {
    FunctionAttribute::of_number(number).ok_or(CudaError::InvalidValue)
}

functions! {
    cuFuncGetAttribute(value: Out<i32>, number: u32, function: Handle) {
        with(|call| {
            call.context()?;
            value.put(call.function_attribute(function, attribute(number)?)?)
        })
    }
    cuFuncSetAttribute(function: Handle, number: u32, value: i32) {
        with(|call| {
            call.context()?;
            call.set_function_attribute(function, attribute(number)?, value)
        })
    }
    cuKernelGetAttribute(value: Out<i32>, number: u32, function: Handle, device: i32) {
        with(|call| {
            call.device(device)?;
            value.put(call.function_attribute(function, attribute(number)?)?)
        })
    }
    cuKernelSetAttribute(number: u32, value: i32, function: Handle, device: i32) {
        with(|call| {
            call.device(device)?;
            call.set_function_attribute(function, attribute(number)?, value)
        })
    }
    cuFuncSetCacheConfig(function: Handle, config: u32) {
        let _ = config;
        with(|call| call.function_name(function).map(|_| ()))
    }
    cuFuncSetSharedMemConfig(function: Handle, config: u32) {
        let _ = config;
        with(|call| call.function_name(function).map(|_| ()))
    }
    cuKernelSetCacheConfig(function: Handle, config: u32, device: i32) {
        let _ = (config, device);
        with(|call| call.function_name(function).map(|_| ()))
    }
    cuFuncGetName(name: Out<*const c_char>, function: Handle) = cuKernelGetName {
        let text = with(|call| call.function_name(function))?;
        name.put(interned(&text)?)
    }
    cuFuncGetModule(module: Out<Handle>, function: Handle) {
        with(|call| module.put(call.function_module(function)?))
    }
    cuKernelGetLibrary(library: Out<Handle>, function: Handle) {
        with(|call| library.put(call.function_module(function)?))
    }
    cuKernelGetFunction(function: Out<Handle>, kernel: Handle) {
        with(|call| {
            call.context()?;
            call.function_name(kernel)?;
            function.put(kernel)
        })
    }
    cuFuncIsLoaded(state: Out<u32>, function: Handle) {
        with(|call| {
            call.function_name(function)?;
            state.put(1)
        })
    }
    cuFuncLoad(function: Handle) {
        with(|call| call.function_name(function).map(|_| ()))
    }
    cuFuncGetParamInfo(function: Handle, index: usize, offset: Out<usize>, size: Out<usize>) = cuKernelGetParamInfo {
        with(|call| {
            let all = call.parameters(function)?;
            let place = all.get(index).ok_or(CudaError::InvalidValue)?;
            offset.put(place.offset)?;
            size.put_if_wanted(place.size);
            Ok(())
        })
    }
    cuFuncGetParamCount(function: Handle, count: Out<usize>) = cuKernelGetParamCount {
        with(|call| count.put(call.parameters(function)?.len()))
    }
    cuOccupancyMaxActiveBlocksPerMultiprocessor(blocks: Out<i32>, function: Handle, threads: i32, shared: usize) {
        with(|call| blocks.put(call.occupancy(function, threads, shared as u64)? as i32))
    }
    cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks: Out<i32>, function: Handle, threads: i32, shared: usize, flags: u32) {
        let _ = flags;
        with(|call| blocks.put(call.occupancy(function, threads, shared as u64)? as i32))
    }
    cuOccupancyMaxPotentialBlockSize(grid: Out<i32>, block: Out<i32>, function: Handle, of_block: SharedOfBlock, shared: usize, limit: i32) {
        best(grid, block, function, of_block, shared, limit)
    }
    cuOccupancyMaxPotentialBlockSizeWithFlags(grid: Out<i32>, block: Out<i32>, function: Handle, of_block: SharedOfBlock, shared: usize, limit: i32, flags: u32) {
        let _ = flags;
        best(grid, block, function, of_block, shared, limit)
    }
    cuOccupancyAvailableDynamicSMemPerBlock(bytes: Out<usize>, function: Handle, blocks: i32, threads: i32) {
        let _ = threads;
        with(|call| bytes.put(call.available_shared(function, blocks)? as usize))
    }
}

fn best(
    grid: Out<i32>,
    block: Out<i32>,
    function: Handle,
    of_block: SharedOfBlock,
    shared: usize,
    limit: i32,
) -> Answer<()> {
    with(|call| {
        // The program's function runs while the driver is held: it only computes a size.
        let mut dynamic = |threads: i32| match of_block {
            Some(of_block) => of_block(threads) as u64,
            None => shared as u64,
        };
        let (blocks, threads) = call.best_block(function, limit, &mut dynamic)?;
        grid.put(blocks)?;
        block.put(threads)
    })
}

streamed! {
    cuLaunchKernel / cuLaunchKernel_ptsz |default| (
        function: Handle, grid_x: u32, grid_y: u32, grid_z: u32, block_x: u32, block_y: u32, block_z: u32,
        shared: u32, stream: Handle, each: Parameters, extra: Parameters
    ) {
        let (grid, block) = ([grid_x, grid_y, grid_z], [block_x, block_y, block_z]);
        let shape = Shape { grid, block, shared, cooperative: false };
        launched(function, &shape, (stream, default), each, extra)
    }
    cuLaunchCooperativeKernel / cuLaunchCooperativeKernel_ptsz |default| (
        function: Handle, grid_x: u32, grid_y: u32, grid_z: u32, block_x: u32, block_y: u32, block_z: u32,
        shared: u32, stream: Handle, each: Parameters
    ) {
        let (grid, block) = ([grid_x, grid_y, grid_z], [block_x, block_y, block_z]);
        let shape = Shape { grid, block, shared, cooperative: true };
        launched(function, &shape, (stream, default), each, Parameters::NONE)
    }
    cuLaunchKernelEx / cuLaunchKernelEx_ptsz |default| (config: In<LaunchConfig>, function: Handle, each: Parameters, extra: Parameters) {
        let config = config.get()?;
        let LaunchConfig { grid, block, shared, stream, .. } = config;
        let shape = Shape { grid, block, shared, cooperative: is_cooperative(&config)? };
        launched(function, &shape, (stream, default), each, extra)
    }
}
