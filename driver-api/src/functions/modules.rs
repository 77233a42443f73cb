//! "Module Management", "Library Management".

use std::collections::BTreeMap;
use std::ffi::c_void;
use std::sync::{Mutex, PoisonError};

use warpsim_driver_core::{Answer, CudaError, Handle, LoadError};

use super::functions;
use crate::callbacks;
use crate::pointers::{Image, In, Out, Text, out_at};
use crate::process::{tell, with};

/// What the driver's compiler says goes where its options say (`CUjit_option`).
#[derive(Clone, Copy)]
pub(crate) struct Asked {
    pub(crate) count: u32,
    pub(crate) options: In<u32>,
    pub(crate) values: Out<*mut c_void>,
}

impl Asked {
    const INFO: u32 = 3;
    const INFO_BYTES: u32 = 4;
    const ERROR: u32 = 5;
    const ERROR_BYTES: u32 = 6;

    fn value(self, wanted: u32) -> Answer<Option<(usize, *mut c_void)>> {
        for index in 0..self.count as usize {
            if self.options.at(index)? == wanted {
                return Ok(Some((index, self.values.element(index).get()?)));
            }
        }
        Ok(None)
    }

    /// Writes what was said, and how much.
    fn write(self, error: &str) -> Answer<()> {
        for (text, buffer, bytes) in
            [("", Asked::INFO, Asked::INFO_BYTES), (error, Asked::ERROR, Asked::ERROR_BYTES)]
        {
            let (buffer, bytes) = (self.value(buffer)?, self.value(bytes)?);
            let room = bytes.map_or(0, |(_, room)| room.addr());
            let written = text.len().min(room.saturating_sub(1));
            if let Some((_, buffer)) = buffer.filter(|(_, b)| !b.is_null() && room > 0) {
                let shown = text.bytes().take(written).chain([0]);
                out_at::<u8>(buffer).put_all(shown)?;
            }
            if let Some((index, _)) = bytes {
                let filled = std::ptr::without_provenance_mut(written);
                self.values.element(index).put(filled)?;
            }
        }
        Ok(())
    }
}

/// An answer of the loader. Errors go to the log, or to standard error if there is no log.
fn logged(answer: Result<Handle, LoadError>, logs: Option<Asked>) -> Answer<Handle> {
    let (said, answer) = match answer {
        Ok(handle) => (String::new(), Ok(handle)),
        Err(LoadError { error, log }) => (log, Err(error)),
    };
    let has_log = logs.is_some_and(|logs| matches!(logs.value(Asked::ERROR), Ok(Some(_))));
    if !has_log && !said.is_empty() {
        tell(&format!("warpsim: {said}"));
    }
    if let Some(logs) = logs {
        logs.write(&said)?;
    }
    answer
}

fn load(to: Out<Handle>, image: &[u8], name: Option<&str>, logs: Option<Asked>) -> Answer<()> {
    if to.is_null() {
        return Err(CudaError::InvalidValue);
    }
    let loaded = with(|call| Ok(call.load_module(image, name)))?;
    to.put(logged(loaded, logs)?)
}

fn read(path: &str) -> Answer<Vec<u8>> {
    std::fs::read(path).map_err(|_| CudaError::FileNotFound)
}

/// `cuLibraryLoadData`, `cudaLibraryLoadData`.
pub(crate) fn library_of_image(to: Out<Handle>, image: Image, asked: Asked) -> Answer<()> {
    if to.is_null() {
        return Err(CudaError::InvalidValue);
    }
    let image = image.bytes()?;
    let loaded = with(|call| Ok(call.load_library(&image, None)))?;
    to.put(logged(loaded, Some(asked))?)
}

/// `cuLibraryLoadFromFile`, `cudaLibraryLoadFromFile`.
pub(crate) fn library_of_file(to: Out<Handle>, path: Text, asked: Asked) -> Answer<()> {
    if to.is_null() {
        return Err(CudaError::InvalidValue);
    }
    let path = path.needed()?;
    let image = read(&path)?;
    let loaded = with(|call| Ok(call.load_library(&image, Some(&path))))?;
    to.put(logged(loaded, Some(asked))?)
}

/// What linkers gave, which stays until they are destroyed.
static LINKED: Mutex<BTreeMap<Handle, Box<[u8]>>> = Mutex::new(BTreeMap::new());

fn added(linker: Handle, kind: u32, image: &[u8], name: Option<&str>, logs: Asked) -> Answer<()> {
    /// `CU_JIT_INPUT_CUBIN` (ours hold PTX), PTX, fat binaries, and objects (which may be such).
    const KINDS: std::ops::RangeInclusive<u32> = 0..=3;
    if !KINDS.contains(&kind) {
        return crate::process::unsupported("libraries and LTO in the linker (cuLinkAddData)");
    }
    let added = with(|call| Ok(call.add_to_linker(linker, image, name)))?;
    logged(added.map(|()| 0), Some(logs)).map(|_| ())
}

functions! {
    cuModuleLoad(module: Out<Handle>, path: Text) {
        let path = path.needed()?;
        load(module, &read(&path)?, Some(&path), None)
    }
    cuModuleLoadData(module: Out<Handle>, image: Image) {
        load(module, &image.bytes()?, None, None)
    }
    cuModuleLoadFatBinary(module: Out<Handle>, image: Image) {
        load(module, &image.bytes()?, None, None)
    }
    cuModuleLoadDataEx(module: Out<Handle>, image: Image, count: u32, options: In<u32>, values: Out<*mut c_void>) {
        load(module, &image.bytes()?, None, Some(Asked { count, options, values }))
    }
    cuModuleUnload(module: Handle) {
        callbacks::settle();
        with(|call| {
            call.context()?;
            call.unload_module(module)
        })
    }
    cuModuleGetLoadingMode(mode: Out<u32>) {
        // `CU_MODULE_LAZY_LOADING`.
        mode.put(2)
    }
    cuModuleGetFunction(function: Out<Handle>, module: Handle, name: Text) {
        let name = name.needed()?;
        with(|call| {
            call.context()?;
            function.put(call.module_function(module, &name)?)
        })
    }
    cuModuleGetFunctionCount(count: Out<u32>, module: Handle) = cuLibraryGetKernelCount {
        with(|call| count.put(call.module_kernels(module)?.len() as u32))
    }
    cuModuleEnumerateFunctions(functions: Out<Handle>, room: u32, module: Handle) = cuLibraryEnumerateKernels {
        with(|call| {
            let names = call.module_kernels(module)?;
            let mut handles = Vec::new();
            for name in names.iter().take(room as usize) {
                handles.push(call.module_function(module, name)?);
            }
            functions.put_all(handles)
        })
    }
    cuModuleGetGlobal_v2(address: Out<u64>, bytes: Out<usize>, module: Handle, name: Text) {
        let name = name.needed()?;
        with(|call| {
            call.context()?;
            let (start, size) = call.module_variable(module, &name)?;
            address.put_if_wanted(start);
            bytes.put_if_wanted(size as usize);
            Ok(())
        })
    }
    cuLibraryLoadData(
        library: Out<Handle>, image: Image, jit_options: In<u32>, jit_values: Out<*mut c_void>, jit_count: u32,
        options: In<u32>, values: Out<*mut c_void>, count: u32
    ) {
        let _ = (options, values, count);
        library_of_image(library, image, Asked { count: jit_count, options: jit_options, values: jit_values })
    }
    cuLibraryLoadFromFile(
        library: Out<Handle>, path: Text, jit_options: In<u32>, jit_values: Out<*mut c_void>, jit_count: u32,
        options: In<u32>, values: Out<*mut c_void>, count: u32
    ) {
        let _ = (options, values, count);
        library_of_file(library, path, Asked { count: jit_count, options: jit_options, values: jit_values })
    }
    cuLibraryUnload(library: Handle) {
        callbacks::settle();
        with(|call| call.unload_module(library))
    }
    cuLibraryGetKernel(kernel: Out<Handle>, library: Handle, name: Text) {
        let name = name.needed()?;
        with(|call| kernel.put(call.module_function(library, &name)?))
    }
    cuLibraryGetModule(module: Out<Handle>, library: Handle) {
        with(|call| {
            call.module_kernels(library)?;
            module.put(library)
        })
    }
    cuLibraryGetGlobal(address: Out<u64>, bytes: Out<usize>, library: Handle, name: Text) = cuLibraryGetManaged {
        let name = name.needed()?;
        with(|call| {
            let (start, size) = call.module_variable(library, &name)?;
            address.put_if_wanted(start);
            bytes.put_if_wanted(size as usize);
            Ok(())
        })
    }
    cuLinkCreate_v2(count: u32, options: In<u32>, values: Out<*mut c_void>, linker: Out<Handle>) = cuLinkCreate {
        let logs = Asked { count, options, values };
        // Checks the options, so that an invalid one is refused here and not later.
        logs.value(Asked::ERROR)?;
        with(|call| {
            if linker.is_null() {
                return Err(CudaError::InvalidValue);
            }
            linker.put(call.create_linker()?)
        })
    }
    cuLinkAddData_v2(
        linker: Handle, kind: u32, data: Image, bytes: usize, name: Text, count: u32, options: In<u32>,
        values: Out<*mut c_void>
    ) = cuLinkAddData {
        let name = name.get()?;
        added(linker, kind, &data.sized(bytes)?, name.as_deref(), Asked { count, options, values })
    }
    cuLinkAddFile_v2(
        linker: Handle, kind: u32, path: Text, count: u32, options: In<u32>, values: Out<*mut c_void>
    ) = cuLinkAddFile {
        let path = path.needed()?;
        added(linker, kind, &read(&path)?, Some(&path), Asked { count, options, values })
    }
    cuLinkComplete(linker: Handle, image: Out<*const c_void>, bytes: Out<usize>) {
        let linked = with(|call| Ok(call.complete_linker(linker)))?;
        let text = linked.map_err(|LoadError { error, log }| {
            tell(&format!("warpsim: {log}"));
            error
        })?;
        let mut kept = LINKED.lock().unwrap_or_else(PoisonError::into_inner);
        kept.insert(linker, text.into());
        let text = kept.get(&linker).ok_or(CudaError::Unknown)?;
        bytes.put_if_wanted(text.len());
        image.put(text.as_ptr().cast())
    }
    cuLinkDestroy(linker: Handle) {
        with(|call| call.destroy_linker(linker))?;
        LINKED.lock().unwrap_or_else(PoisonError::into_inner).remove(&linker);
        Ok(())
    }
}
