//! "Error Handling". The names of errors are those of `cudaError_t` where they differ from the driver's.

use std::ffi::c_char;

use warpsim_driver_core::CudaError;

use super::{LAST, runtime};
use crate::process::interned;

/// Errors that the runtime alone has: numbers, names, words (`driver_types.h`).
const OWN: &[(u32, &str, &str)] = &[
    (9, "cudaErrorInvalidConfiguration", "invalid configuration argument"),
    (13, "cudaErrorInvalidSymbol", "invalid device symbol"),
    (21, "cudaErrorInvalidMemcpyDirection", "invalid copy direction for memcpy"),
    (52, "cudaErrorMissingConfiguration", "__global__ function call is not configured"),
    (98, "cudaErrorInvalidDeviceFunction", "invalid device function"),
];

/// Names that are not the driver's name in other letters.
const NAMES: &[(u32, &str)] = &[
    (0, "cudaSuccess"),
    (2, "cudaErrorMemoryAllocation"),
    (3, "cudaErrorInitializationError"),
    (200, "cudaErrorInvalidKernelImage"),
    (201, "cudaErrorDeviceUninitialized"),
    (209, "cudaErrorNoKernelImageForDevice"),
    (400, "cudaErrorInvalidResourceHandle"),
    (500, "cudaErrorSymbolNotFound"),
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
    cudaRuntimeGetVersion |_default| (version: crate::pointers::Out<i32>) {
        version.put(12_090)
    }
    cudaDriverGetVersion |_default| (version: crate::pointers::Out<i32>) {
        version.put(13_000)
    }
}

macro_rules! answers {
    ($($name:ident($($argument:ident: $ty:ty),*) -> $answer:ty $body:block)*) => {
        $(
            #[expect(unsafe_code, reason = "the symbol that programs look for; nothing else has it")]
            #[unsafe(no_mangle)]
            pub(super) extern "C" fn $name($($argument: $ty),*) -> $answer $body
        )*

        /// The symbols that give no error.
        pub(super) fn answers() -> Vec<(&'static str, usize)> {
            vec![$((stringify!($name), $name as *const () as usize)),*]
        }
    };
}

answers! {
    cudaGetLastError() -> u32 {
        LAST.replace(0)
    }
    cudaPeekAtLastError() -> u32 {
        LAST.get()
    }
    cudaGetErrorName(error: u32) -> *const c_char {
        interned(&name(error)).unwrap_or(std::ptr::null())
    }
    cudaGetErrorString(error: u32) -> *const c_char {
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
        assert_eq!(
            (name(12345), words(2)),
            ("unrecognized error code".into(), "out of memory".into())
        );
    }
}
