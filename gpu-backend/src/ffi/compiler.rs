//! The options of the driver's compiler and linker, and where they write their messages (CUDA
//! driver API, `CUjit_option`).

use std::ffi::{CStr, c_uint, c_void};

use cudarc::driver::sys as cu;
use cudarc::driver::sys::CUjit_option as O;

use crate::error::GpuError;
use crate::jit::JitLevel;

/// Bytes of the messages that are kept.
const LOG: usize = 16 << 10;

/// Options as the driver takes them. What it is given leads into memory that moving these does not
/// move.
pub(super) struct CompilerOptions {
    kinds: Vec<cu::CUjit_option>,
    values: Vec<*mut c_void>,
    log: Vec<u8>,
}

impl CompilerOptions {
    pub(super) fn new(level: JitLevel) -> CompilerOptions {
        let mut log = vec![0_u8; LOG];
        let number = |n: usize| n as *mut c_void;
        let mut kinds = vec![O::CU_JIT_ERROR_LOG_BUFFER, O::CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES];
        let mut values = vec![log.as_mut_ptr().cast::<c_void>(), number(LOG)];
        if let Some(level) = level.level() {
            kinds.push(O::CU_JIT_OPTIMIZATION_LEVEL);
            values.push(number(level.into()));
        }
        CompilerOptions { kinds, values, log }
    }

    /// How many there are, and where they and their values begin.
    pub(super) fn for_the_driver(&mut self) -> (c_uint, *mut cu::CUjit_option, *mut *mut c_void) {
        (self.kinds.len() as c_uint, self.kinds.as_mut_ptr(), self.values.as_mut_ptr())
    }

    /// The error with what was said.
    pub(super) fn with_log(&self, error: GpuError) -> GpuError {
        let said = CStr::from_bytes_until_nul(&self.log).unwrap_or_default();
        error.with_log(said.to_string_lossy().trim())
    }
}
