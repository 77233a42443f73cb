//! NVRTC's functions (NVRTC documentation, NVIDIA, versions 12 and 13), for programs that find this
//! library in place of `libnvrtc.so.12` or `.13`. All calls go on to NVIDIA's own library, which is
//! opened by its path.
//!
//! The machine code that a program asks for (`nvrtcGetCUBIN`) is its PTX in a container of ours.
//! LTO-IR is NVIDIA's own format; `jit_link` makes PTX from it.
//!
//! If NVIDIA's library is not installed, the functions answer `NVRTC_ERROR_INTERNAL_ERROR`, and a
//! message says so once.
//!
//! A program that is linked to the library asks for a symbol with its version, so each function has
//! two symbols.

use std::ffi::c_void;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::OnceLock;

use warpsim_driver_core::container;
use warpsim_nvrtc::{PIP_COMMAND, Words};

use crate::pointers::{Out, out_at};
use crate::process::{passed_on, tell};
use crate::real;

/// `NVRTC_ERROR_INVALID_INPUT` and `NVRTC_ERROR_INTERNAL_ERROR`.
const INVALID: usize = 3;
const INTERNAL: usize = 11;

/// NVIDIA's library; `None` where there is none, which was said then.
fn library() -> Option<&'static Words> {
    static LIBRARY: OnceLock<Option<Words>> = OnceLock::new();
    let opened = || match real::library(real::NVRTC) {
        Some(found) => Words::open(&found)
            .inspect_err(|error| {
                tell(&format!("warpsim: cannot open {}: {error}", found.library.display()));
            })
            .ok(),
        None => {
            tell(&format!("warpsim: NVRTC is not installed here: {PIP_COMMAND}"));
            None
        }
    };
    LIBRARY.get_or_init(opened).as_ref()
}

/// A call of NVIDIA's function with these words. What comes back is a number of 32 bits, in a word
/// whose upper half may hold anything; C looks at the lower.
fn real(name: &str, words: [usize; 6]) -> usize {
    let function = library().and_then(|library| library.function(name));
    function.map_or(INTERNAL, |function| passed_on(function, words) & 0xffff_ffff)
}

/// A call from C: whatever happens in it, a number comes back.
fn entered(name: &str, body: &mut dyn FnMut() -> usize) -> usize {
    catch_unwind(AssertUnwindSafe(body)).unwrap_or_else(|_| {
        tell(&format!("this is a bug in warpsim: {name}: a panic; the program is not to blame"));
        INTERNAL
    })
}

/// A size that a function gives.
fn size(name: &str, program: usize) -> Result<usize, usize> {
    let mut bytes = 0usize;
    let to = (&raw mut bytes).expose_provenance();
    match real(name, [program, to, 0, 0, 0, 0]) {
        0 => Ok(bytes),
        code => Err(code),
    }
}

/// The PTX of a program in a container of ours; nothing where no machine code was asked for.
fn contained(program: usize) -> Result<Vec<u8>, usize> {
    if size("nvrtcGetCUBINSize", program)? == 0 {
        return Ok(Vec::new());
    }
    let mut text = vec![0u8; size("nvrtcGetPTXSize", program)?];
    let start = text.as_mut_ptr().expose_provenance();
    match real("nvrtcGetPTX", [program, start, 0, 0, 0, 0]) {
        0 => {
            let end = text.iter().position(|byte| *byte == 0).unwrap_or(text.len());
            text.truncate(end);
            Ok(container(&text))
        }
        code => Err(code),
    }
}

fn error_string(code: usize) -> usize {
    let function = library().and_then(|library| library.function("nvrtcGetErrorString"));
    match function {
        Some(function) => passed_on(function, [code, 0, 0, 0, 0, 0]),
        None => c"NVRTC is not installed".as_ptr().expose_provenance(),
    }
}

fn cubin_size(program: usize, size: Out<usize>) -> usize {
    match contained(program) {
        Ok(bytes) => size.put(bytes.len()).map_or(INVALID, |()| 0),
        Err(code) => code,
    }
}

fn cubin(program: usize, to: *mut c_void) -> usize {
    match contained(program) {
        Ok(bytes) => out_at::<u8>(to).put_all(bytes).map_or(INVALID, |()| 0),
        Err(code) => code,
    }
}

/// Functions in both versions: those with a body, and those that go on as they are.
macro_rules! functions {
    ($($name:ident($($argument:ident: $ty:ty),*) $body:block)*; $($passed:ident($($word:ident),*);)*) => {
        #[expect(non_snake_case, reason = "the names are those of C")]
        mod of_12 {
            use super::*;
            $(functions!("@libnvrtc.so.12", $name($($argument: $ty),*) $body);)*
            $(functions!("@libnvrtc.so.12", $passed($($word: usize),*) {
                real(stringify!($passed), words([$($word),*]))
            });)*
        }
        #[expect(non_snake_case, reason = "the names are those of C")]
        mod of_13 {
            use super::*;
            $(functions!("@@libnvrtc.so.13", $name($($argument: $ty),*) $body);)*
            $(functions!("@@libnvrtc.so.13", $passed($($word: usize),*) {
                real(stringify!($passed), words([$($word),*]))
            });)*
        }

        /// All symbols with their addresses.
        pub(crate) fn table() -> Vec<(&'static str, usize)> {
            vec![
                $((stringify!($name), of_13::$name as *const () as usize),)*
                $((stringify!($passed), of_13::$passed as *const () as usize),)*
                $((concat!(stringify!($name), "@12"), of_12::$name as *const () as usize),)*
                $((concat!(stringify!($passed), "@12"), of_12::$passed as *const () as usize),)*
            ]
        }
    };
    ($version:literal, $name:ident($($argument:ident: $ty:ty),*) $body:block) => {
        #[expect(unsafe_code, reason = "the symbol that programs look for; nothing else has it")]
        #[unsafe(export_name = concat!(stringify!($name), $version))]
        pub(super) extern "C" fn $name($($argument: $ty),*) -> usize {
            entered(stringify!($name), &mut || $body)
        }
    };
}

/// The words of a call, and zeros behind them.
fn words<const N: usize>(given: [usize; N]) -> [usize; 6] {
    let mut all = [0; 6];
    for (word, given) in all.iter_mut().zip(given) {
        *word = given;
    }
    all
}

functions! {
    nvrtcGetErrorString(code: usize) { error_string(code) }
    nvrtcGetCUBINSize(program: usize, size: Out<usize>) { cubin_size(program, size) }
    nvrtcGetCUBIN(program: usize, to: *mut c_void) { cubin(program, to) };
    nvrtcVersion(major, minor);
    nvrtcGetNumSupportedArchs(count);
    nvrtcGetSupportedArchs(archs);
    nvrtcCreateProgram(program, source, name, count, headers, names);
    nvrtcDestroyProgram(program);
    nvrtcCompileProgram(program, count, options);
    nvrtcGetPTXSize(program, size);
    nvrtcGetPTX(program, text);
    nvrtcGetLTOIRSize(program, size);
    nvrtcGetLTOIR(program, bytes);
    nvrtcGetOptiXIRSize(program, size);
    nvrtcGetOptiXIR(program, bytes);
    nvrtcGetTileIRSize(program, size);
    nvrtcGetTileIR(program, bytes);
    nvrtcGetNVVMSize(program, size);
    nvrtcGetNVVM(program, bytes);
    nvrtcGetProgramLogSize(program, size);
    nvrtcGetProgramLog(program, text);
    nvrtcAddNameExpression(program, name);
    nvrtcGetLoweredName(program, name, lowered);
    nvrtcGetPCHHeapSize(size);
    nvrtcSetPCHHeapSize(size);
    nvrtcGetPCHCreateStatus(program);
    nvrtcGetPCHHeapSizeRequired(program, size);
    nvrtcSetFlowCallback(program, callback, payload);
    nvrtcInstallBundledHeaders(a, b, c, d, e, f);
    nvrtcGetBundledHeadersInfo(a, b, c, d, e, f);
    nvrtcRemoveBundledHeaders(a, b, c, d, e, f);
}
