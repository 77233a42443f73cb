//! "Error Log Management Functions". There is no log: the command writes a driver's log messages to
//! standard error. So a callback is taken, and never called.

use super::functions;
use crate::pointers::Out;
use warpsim_driver_core::CudaError;

/// Every callback has this handle.
const CALLBACK: usize = 1;

functions! {
    cuLogsRegisterCallback(callback: usize, _data: usize, handle: Out<usize>) {
        if callback == 0 {
            return Err(CudaError::InvalidValue);
        }
        handle.put(CALLBACK)
    }
    cuLogsUnregisterCallback(handle: usize) {
        match handle {
            CALLBACK => Ok(()),
            _ => Err(CudaError::InvalidValue),
        }
    }
}
