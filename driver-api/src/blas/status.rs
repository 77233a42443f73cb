//! The results of cuBLAS calls (`cublasStatus_t`).

use std::ffi::CStr;

use warpsim_driver_core::CudaError;

use crate::process::Number;

/// A status, with the numbers of `cublas_api.h`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub(super) enum Status {
    Success = 0,
    NotInitialized = 1,
    AllocFailed = 3,
    InvalidValue = 7,
    ArchMismatch = 8,
    MappingError = 11,
    ExecutionFailed = 13,
    InternalError = 14,
    NotSupported = 15,
    LicenseError = 16,
}

/// The result of a function.
pub(super) type Done<T = ()> = Result<T, Status>;

impl Status {
    const ALL: [Status; 10] = [
        Status::Success,
        Status::NotInitialized,
        Status::AllocFailed,
        Status::InvalidValue,
        Status::ArchMismatch,
        Status::MappingError,
        Status::ExecutionFailed,
        Status::InternalError,
        Status::NotSupported,
        Status::LicenseError,
    ];

    /// The status with a number.
    pub(super) fn of(number: u32) -> Option<Status> {
        Status::ALL.into_iter().find(|status| *status as u32 == number)
    }

    /// Its name.
    pub(super) fn text(self) -> &'static CStr {
        match self {
            Status::Success => c"CUBLAS_STATUS_SUCCESS",
            Status::NotInitialized => c"CUBLAS_STATUS_NOT_INITIALIZED",
            Status::AllocFailed => c"CUBLAS_STATUS_ALLOC_FAILED",
            Status::InvalidValue => c"CUBLAS_STATUS_INVALID_VALUE",
            Status::ArchMismatch => c"CUBLAS_STATUS_ARCH_MISMATCH",
            Status::MappingError => c"CUBLAS_STATUS_MAPPING_ERROR",
            Status::ExecutionFailed => c"CUBLAS_STATUS_EXECUTION_FAILED",
            Status::InternalError => c"CUBLAS_STATUS_INTERNAL_ERROR",
            Status::NotSupported => c"CUBLAS_STATUS_NOT_SUPPORTED",
            Status::LicenseError => c"CUBLAS_STATUS_LICENSE_ERROR",
        }
    }

    /// What it means.
    pub(super) fn meaning(self) -> &'static CStr {
        match self {
            Status::Success => c"success",
            Status::NotInitialized => c"the library was not initialized",
            Status::AllocFailed => c"the resource allocation failed",
            Status::InvalidValue => c"an unsupported value or parameter was passed to the function",
            Status::ArchMismatch => {
                c"the function requires a feature absent from the device architecture"
            }
            Status::MappingError => c"an access to GPU memory space failed",
            Status::ExecutionFailed => c"the GPU program failed to execute",
            Status::InternalError => c"an internal operation failed",
            Status::NotSupported => c"the functionality requested is not supported",
            Status::LicenseError => c"a license error occurred",
        }
    }
}

impl From<CudaError> for Status {
    fn from(error: CudaError) -> Status {
        match error {
            CudaError::Success => Status::Success,
            CudaError::NotInitialized | CudaError::InvalidContext => Status::NotInitialized,
            CudaError::OutOfMemory => Status::AllocFailed,
            CudaError::NotSupported => Status::NotSupported,
            CudaError::Unknown => Status::InternalError,
            _ => Status::ExecutionFailed,
        }
    }
}

impl Number for Status {
    fn number(&self) -> u32 {
        *self as u32
    }

    fn name(&self) -> String {
        self.text().to_string_lossy().into_owned()
    }

    fn words(&self) -> String {
        self.meaning().to_string_lossy().into_owned()
    }
}
