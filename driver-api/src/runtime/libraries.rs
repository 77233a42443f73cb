//! "Library Management", and the functions of "Execution Control" that take kernels by their
//! handles.

use std::ffi::{c_char, c_void};

use warpsim_driver_core::{CudaError, Handle};

use super::{RuntimeError, kernel, only_device, ready, runtime, with};
use crate::callbacks;
use crate::functions::{Asked, attribute, library_of_file, library_of_image};
use crate::pointers::{Image, In, Out, Text};
use crate::process::interned;

/// A variable that a library does not have is no symbol here.
fn symbol(error: CudaError) -> RuntimeError {
    match error {
        CudaError::NotFound => RuntimeError::INVALID_SYMBOL,
        other => other.into(),
    }
}

runtime! {
    cudaLibraryLoadData |_default| (
        library: Out<Handle>, image: Image, jit_options: In<u32>, jit_values: Out<*mut c_void>, jit_count: u32,
        options: In<u32>, values: Out<*mut c_void>, count: u32
    ) {
        let _ = (options, values, count);
        ready()?;
        library_of_image(library, image, Asked { count: jit_count, options: jit_options, values: jit_values })
    }
    cudaLibraryLoadFromFile |_default| (
        library: Out<Handle>, path: Text, jit_options: In<u32>, jit_values: Out<*mut c_void>, jit_count: u32,
        options: In<u32>, values: Out<*mut c_void>, count: u32
    ) {
        let _ = (options, values, count);
        ready()?;
        library_of_file(library, path, Asked { count: jit_count, options: jit_options, values: jit_values })
    }
    cudaLibraryUnload |_default| (library: Handle) {
        callbacks::settle();
        with(|call| call.unload_module(library))
    }
    cudaLibraryGetKernel |_default| (kernel: Out<Handle>, library: Handle, name: Text) {
        let name = name.needed()?;
        let found = with(|call| call.module_function(library, &name)).map_err(symbol)?;
        kernel.put(found)
    }
    cudaLibraryGetGlobal |_default| (address: Out<u64>, bytes: Out<usize>, library: Handle, name: Text) {
        let name = name.needed()?;
        let (start, size) = with(|call| call.module_variable(library, &name)).map_err(symbol)?;
        bytes.put_if_wanted(size as usize);
        address.put(start)
    }
    cudaLibraryGetManaged |_default| (address: Out<u64>, bytes: Out<usize>, library: Handle, name: Text) {
        let name = name.needed()?;
        let start = with(|call| call.managed_variable(library, &name)).map_err(symbol)?;
        let (_, size) = with(|call| call.module_variable(library, &name)).map_err(symbol)?;
        bytes.put_if_wanted(size as usize);
        address.put(start)
    }
    cudaLibraryGetKernelCount |_default| (count: Out<u32>, library: Handle) {
        with(|call| count.put(call.module_kernels(library)?.len() as u32))
    }
    cudaLibraryEnumerateKernels |_default| (kernels: Out<Handle>, room: u32, library: Handle) {
        with(|call| {
            let names = call.module_kernels(library)?;
            let mut handles = Vec::new();
            for name in names.iter().take(room as usize) {
                handles.push(call.module_function(library, name)?);
            }
            kernels.put_all(handles)
        })
    }
    cudaKernelSetAttributeForDevice |_default| (function: Handle, number: u32, value: i32, device: i32) {
        only_device(device)?;
        with(|call| call.set_function_attribute(function, attribute(number)?, value))
    }
    cudaFuncGetName |_default| (name: Out<*const c_char>, function: u64) {
        let function = kernel(function)?;
        let text = with(|call| call.function_name(function))?;
        name.put(interned(&text)?)
    }
    cudaFuncGetParamInfo |_default| (function: u64, index: usize, offset: Out<usize>, size: Out<usize>) {
        let function = kernel(function)?;
        let all = with(|call| call.parameters(function))?;
        let place = all.get(index).ok_or(CudaError::InvalidValue)?;
        size.put_if_wanted(place.size);
        offset.put(place.offset)
    }
    cudaFuncGetParamCount |_default| (function: u64, count: Out<usize>) {
        let function = kernel(function)?;
        count.put(with(|call| call.parameters(function))?.len())
    }
}
