//! "Error Handling". Errors have the names of `cudaError_t` where these differ from the driver's.

use std::ffi::c_char;

use warpsim_driver_core::CudaError;

use super::{LAST, answers, runtime};
use crate::failures::{asked, asked_about};
use crate::process::{Number, interned};

/// An error of the runtime.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RuntimeError {
    /// One that has the driver's number.
    Driver(CudaError),
    /// One that the driver does not have, by its number in [`OWN`].
    Own(u32),
}

impl RuntimeError {
    /// A grid or a block that there is not.
    pub(super) const INVALID_CONFIGURATION: RuntimeError = RuntimeError::Own(9);
    /// Rows that are longer than what lies between them.
    pub(super) const INVALID_PITCH: RuntimeError = RuntimeError::Own(12);
    /// A host address that is not the symbol of a variable.
    pub(super) const INVALID_SYMBOL: RuntimeError = RuntimeError::Own(13);
    /// `cudaMemcpyKind` has no such number.
    pub(super) const INVALID_DIRECTION: RuntimeError = RuntimeError::Own(21);
    /// A filter over integers that are not read as floats.
    pub(super) const INVALID_FILTER: RuntimeError = RuntimeError::Own(26);
    /// Texels of 32 bits that would be read as floats from 0 to 1.
    pub(super) const INVALID_NORMALISATION: RuntimeError = RuntimeError::Own(27);
    /// A launch without `<<<>>>`.
    pub(super) const MISSING_CONFIGURATION: RuntimeError = RuntimeError::Own(52);
    /// A host address that is not the symbol of a kernel.
    pub(super) const INVALID_FUNCTION: RuntimeError = RuntimeError::Own(98);
}

impl From<CudaError> for RuntimeError {
    fn from(error: CudaError) -> RuntimeError {
        RuntimeError::Driver(error)
    }
}

impl Number for RuntimeError {
    fn number(&self) -> u32 {
        match self {
            RuntimeError::Driver(error) => error.number(),
            RuntimeError::Own(number) => *number,
        }
    }

    fn name(&self) -> String {
        name(self.number())
    }

    fn words(&self) -> String {
        words(self.number())
    }
}

/// Errors that the runtime alone has: numbers, names, words (`driver_types.h`). Errors that no
/// function returns any more have no words here.
const OWN: &[(u32, &str, &str)] = &[
    (9, "cudaErrorInvalidConfiguration", "invalid configuration argument"),
    (12, "cudaErrorInvalidPitchValue", "invalid pitch argument"),
    (13, "cudaErrorInvalidSymbol", "invalid device symbol"),
    (16, "cudaErrorInvalidHostPointer", "invalid host pointer"),
    (17, "cudaErrorInvalidDevicePointer", "invalid device pointer"),
    (18, "cudaErrorInvalidTexture", "invalid texture reference"),
    (20, "cudaErrorInvalidChannelDescriptor", "invalid channel descriptor"),
    (21, "cudaErrorInvalidMemcpyDirection", "invalid copy direction for memcpy"),
    (26, "cudaErrorInvalidFilterSetting", "linear filtering not supported for non-float type"),
    (
        27,
        "cudaErrorInvalidNormSetting",
        "read as normalized float not supported for 32-bit non float type",
    ),
    (31, "cudaErrorNotYetImplemented", "feature not yet implemented"),
    (
        35,
        "cudaErrorInsufficientDriver",
        "CUDA driver version is insufficient for CUDA runtime version",
    ),
    (37, "cudaErrorInvalidSurface", "invalid surface reference"),
    (43, "cudaErrorDuplicateVariableName", "duplicate global variable looked up by string name"),
    (49, "cudaErrorIncompatibleDriverContext", "incompatible driver context"),
    (52, "cudaErrorMissingConfiguration", "__global__ function call is not configured"),
    (53, "cudaErrorPriorLaunchFailure", "unspecified launch failure in prior launch"),
    (98, "cudaErrorInvalidDeviceFunction", "invalid device function"),
    (127, "cudaErrorStartupFailure", "startup failure in cuda runtime"),
];

/// Names that are not the driver's name in other letters.
const NAMES: &[(u32, &str)] = &[
    (0, "cudaSuccess"),
    (2, "cudaErrorMemoryAllocation"),
    (3, "cudaErrorInitializationError"),
    (4, "cudaErrorCudartUnloading"),
    (46, "cudaErrorDevicesUnavailable"),
    (200, "cudaErrorInvalidKernelImage"),
    (201, "cudaErrorDeviceUninitialized"),
    (205, "cudaErrorMapBufferObjectFailed"),
    (206, "cudaErrorUnmapBufferObjectFailed"),
    (209, "cudaErrorNoKernelImageForDevice"),
    (214, "cudaErrorECCUncorrectable"),
    (216, "cudaErrorDeviceAlreadyInUse"),
    (225, "cudaErrorUnsupportedDevSideSync"),
    (400, "cudaErrorInvalidResourceHandle"),
    (500, "cudaErrorSymbolNotFound"),
    (708, "cudaErrorSetOnActiveProcess"),
    (719, "cudaErrorLaunchFailure"),
];

/// The name of an error.
fn name(error: u32) -> String {
    let named = NAMES.iter().find(|(number, _)| *number == error).map(|(_, name)| *name);
    let own = OWN.iter().find(|(number, ..)| *number == error).map(|(_, name, _)| *name);
    match (named.or(own), CudaError::of_number(error)) {
        (Some(name), _) => name.to_owned(),
        // CUDA_ERROR_ILLEGAL_ADDRESS is cudaErrorIllegalAddress.
        (None, Some(known)) => {
            let words = known.name().to_string_lossy().replace("CUDA_ERROR_", "").to_lowercase();
            let mut name = "cudaError".to_owned();
            for word in words.split('_') {
                let mut letters = word.chars();
                name.extend(letters.next().map(|first| first.to_ascii_uppercase()));
                name.push_str(letters.as_str());
            }
            name
        }
        (None, None) => "unrecognized error code".to_owned(),
    }
}

fn words(error: u32) -> String {
    let own = OWN.iter().find(|(number, ..)| *number == error).map(|(.., words)| *words);
    match (own, CudaError::of_number(error)) {
        (Some(words), _) => words.to_owned(),
        (None, Some(known)) => known.words().to_string_lossy().into_owned(),
        (None, None) => "unrecognized error code".to_owned(),
    }
}

runtime! {
    cudaDriverGetVersion |_default| (version: crate::pointers::Out<i32>) {
        version.put(13_000)
    }
}

answers! {
    cudaGetLastError() -> u32 {
        asked(LAST.replace(0))
    }
    cudaPeekAtLastError() -> u32 {
        asked(LAST.get())
    }
    cudaGetErrorName(error: u32) -> *const c_char {
        asked_about(error);
        interned(&name(error)).unwrap_or(std::ptr::null())
    }
    cudaGetErrorString(error: u32) -> *const c_char {
        asked_about(error);
        interned(&words(error)).unwrap_or(std::ptr::null())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_have_the_names_of_the_runtime() {
        assert_eq!(name(700), "cudaErrorIllegalAddress");
        assert_eq!(name(2), "cudaErrorMemoryAllocation");
        assert_eq!(name(98), "cudaErrorInvalidDeviceFunction");
        assert_eq!(name(205), "cudaErrorMapBufferObjectFailed");
        assert_eq!(name(218), "cudaErrorInvalidPtx");
        assert_eq!(name(907), "cudaErrorCapturedEvent");
        assert_eq!(
            (name(12345), words(2)),
            ("unrecognized error code".into(), "out of memory".into())
        );
    }
}
