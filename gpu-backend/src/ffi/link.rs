//! Several texts that the driver links (CUDA driver API, "Module Management": `cuLinkCreate`).
//!
//! The driver compiles each text separately, so a caller and its callee are not compiled together.
//! Its linker resolves the names, and warpsim's own linking takes no part.

use std::ffi::{CStr, c_void};
use std::ptr;

use cudarc::driver::sys as cu;

use super::{CompilerOptions, RawModule, driver};
use crate::error::GpuError;
use crate::jit::JitLevel;

/// A linker at work.
struct Linker {
    state: cu::CUlinkState,
    /// The driver reads and writes them until the linker is destroyed.
    options: CompilerOptions,
}

impl Linker {
    fn new(level: JitLevel) -> Result<Linker, GpuError> {
        let mut options = CompilerOptions::new(level);
        let mut state = ptr::null_mut();
        let (count, kinds, values) = options.for_the_driver();
        // SAFETY: writes to `state`; there are `count` options and values, whose memory is not
        // moved and lives until `drop`, which destroys the linker first.
        unsafe { driver::cuLinkCreate_v2(count, kinds, values, &mut state) }?;
        Ok(Linker { state, options })
    }

    fn add(&mut self, name: &CStr, text: &CStr) -> Result<(), GpuError> {
        let bytes = text.to_bytes_with_nul();
        let start = bytes.as_ptr().cast_mut().cast::<c_void>();
        let (kinds, values) = (ptr::null_mut(), ptr::null_mut());
        let kind = cu::CUjitInputType::CU_JIT_INPUT_PTX;
        // SAFETY: the driver reads that many bytes of the text, and the name, and has done so when
        // it returns. Both end in a zero. There are no further options.
        let added = unsafe {
            driver::cuLinkAddData_v2(
                self.state,
                kind,
                start,
                bytes.len(),
                name.as_ptr(),
                0,
                kinds,
                values,
            )
        };
        added.map_err(|error| self.options.with_log(error))
    }

    fn load(self) -> Result<RawModule, GpuError> {
        let (mut binary, mut bytes) = (ptr::null_mut(), 0);
        // SAFETY: writes to both; what `binary` leads to is the linker's, and lives as long.
        unsafe { driver::cuLinkComplete(self.state, &mut binary, &mut bytes) }
            .map_err(|error| self.options.with_log(error))?;
        let mut module = ptr::null_mut();
        // SAFETY: writes to `module`; reads the binary, which says itself how long it is.
        unsafe { driver::cuModuleLoadData(&mut module, binary) }?;
        Ok(RawModule(module))
    }
}

impl Drop for Linker {
    fn drop(&mut self) {
        // SAFETY: the handle is not used again, and the options are still there.
        let _ = unsafe { driver::cuLinkDestroy(self.state) };
    }
}

impl RawModule {
    /// Compiles and links texts, each with its name.
    ///
    /// # Errors
    /// The result of `told`. It receives the driver's error and the index in `texts` of the one
    /// text that the driver refuses even alone. The index is `None` if it refuses all of them, or
    /// none in particular.
    pub(crate) fn link(
        texts: &[(&CStr, &CStr)],
        level: JitLevel,
        told: impl Fn(Option<usize>, GpuError) -> GpuError,
    ) -> Result<RawModule, GpuError> {
        let of_all = |error| told(None, error);
        let mut linker = Linker::new(level).map_err(of_all)?;
        for (at, (name, text)) in texts.iter().enumerate() {
            linker.add(name, text).map_err(|error| told(Some(at), error))?;
        }
        linker.load().map_err(of_all)
    }
}
