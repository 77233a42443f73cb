//! Opening libraries, and every call of NVRTC: the only `unsafe` code of the crate.
//!
//! Several versions of NVRTC may be here, and the caller chooses one. The signatures of its
//! functions are in its `nvrtc.h`, the same in 12 and 13. A program is made only here, and its
//! owner destroys it. Libraries are never closed.

#![expect(unsafe_code, reason = "the functions of NVRTC are foreign, and so is opening a library")]

use std::error::Error as _;
use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::mem::ManuallyDrop;
use std::path::{Path, PathBuf};
use std::ptr;

use libloading::Library;

use crate::error::NvrtcError;
use crate::find::Found;

type RawProgramHandle = *mut c_void;

/// Opens a library by its absolute path.
///
/// # Errors
/// The system's words, or that the path is none.
pub fn open(path: &Path) -> Result<Library, String> {
    if !path.is_absolute() {
        return Err("a library is opened by its absolute path only".to_owned());
    }
    // SAFETY: what runs on loading is the library's, which the user has chosen or installed.
    let library = unsafe { Library::new(path) };
    // The system's words are behind the words of the crate that asked it.
    library.map_err(|error| error.source().map_or_else(|| error.to_string(), ToString::to_string))
}

/// NVRTC: a library that was opened. It is never closed, as it leaves things with its thread.
#[derive(Debug)]
pub(crate) struct RawNvrtc(ManuallyDrop<Library>);

impl RawNvrtc {
    /// Opens a library, and before it those that it will look for by their names alone.
    pub(crate) fn open(path: &Path, needed: &[PathBuf]) -> Result<RawNvrtc, NvrtcError> {
        needed.iter().for_each(|path| keep_open(path));
        let library =
            open(path).map_err(|words| NvrtcError::CannotOpen { library: path.into(), words })?;
        Ok(RawNvrtc(ManuallyDrop::new(library)))
    }

    /// A function by its name; `F` is its signature.
    fn function<F: Copy>(&self, name: &'static str) -> Result<F, NvrtcError> {
        // SAFETY: every caller gives the signature that `nvrtc.h` has for the name; the library is
        // never closed, so that the address stays good.
        let found = unsafe { self.0.get::<F>(name.as_bytes()) };
        found.map(|function| *function).map_err(|_| NvrtcError::MissingFunction { name })
    }

    /// What an answer means.
    fn answer(&self, call: &'static str, code: c_int) -> Result<(), NvrtcError> {
        type Function = unsafe extern "C" fn(c_int) -> *const c_char;
        if code == 0 {
            return Ok(());
        }
        let describe: Function = self.function("nvrtcGetErrorString")?;
        // SAFETY: any number is allowed; the text is never freed.
        let text = unsafe { describe(code) };
        let words = if text.is_null() {
            format!("error {code}")
        } else {
            // SAFETY: it is not null and ends in a zero.
            unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned()
        };
        Err(NvrtcError::Call { call, code, words })
    }

    /// Its version, major and minor.
    pub(crate) fn version(&self) -> Result<(u32, u32), NvrtcError> {
        type Function = unsafe extern "C" fn(*mut c_int, *mut c_int) -> c_int;
        let (mut major, mut minor) = (0, 0);
        let ask: Function = self.function("nvrtcVersion")?;
        // SAFETY: writes to both.
        self.answer("nvrtcVersion", unsafe { ask(&mut major, &mut minor) })?;
        Ok((major.unsigned_abs(), minor.unsigned_abs()))
    }

    /// The architectures that it compiles for: 75 is `compute_75`.
    pub(crate) fn architectures(&self) -> Result<Vec<u32>, NvrtcError> {
        type Function = unsafe extern "C" fn(*mut c_int) -> c_int;
        let count_all: Function = self.function("nvrtcGetNumSupportedArchs")?;
        let list: Function = self.function("nvrtcGetSupportedArchs")?;
        let mut count = 0;
        // SAFETY: writes to `count`.
        self.answer("nvrtcGetNumSupportedArchs", unsafe { count_all(&mut count) })?;
        // A number below 0 would be none.
        let mut found = vec![0; usize::try_from(count).unwrap_or(0)];
        // SAFETY: writes this many numbers as it just said, and the room for them is there.
        self.answer("nvrtcGetSupportedArchs", unsafe { list(found.as_mut_ptr()) })?;
        Ok(found.into_iter().filter_map(|n| u32::try_from(n).ok()).collect())
    }

    /// A program of a source text, its name, and headers that are no files: name and text of each.
    pub(crate) fn program(
        &self,
        source: &CStr,
        name: &CStr,
        headers: &[(CString, CString)],
    ) -> Result<RawProgram<'_>, NvrtcError> {
        type Function = unsafe extern "C" fn(
            *mut RawProgramHandle,
            *const c_char,
            *const c_char,
            c_int,
            *const *const c_char,
            *const *const c_char,
        ) -> c_int;
        let names: Vec<_> = headers.iter().map(|(name, _)| name.as_ptr()).collect();
        let texts: Vec<_> = headers.iter().map(|(_, text)| text.as_ptr()).collect();
        // They fit: 2^31 headers have more names than memory.
        let count = c_int::try_from(headers.len()).unwrap_or(0);
        let create: Function = self.function("nvrtcCreateProgram")?;
        let (source, name) = (source.as_ptr(), name.as_ptr());
        let mut handle = ptr::null_mut();
        // SAFETY: writes to `handle`; all texts end in a zero, there are `count` of both lists, and
        // the library copies them.
        let code =
            unsafe { create(&mut handle, source, name, count, texts.as_ptr(), names.as_ptr()) };
        self.answer("nvrtcCreateProgram", code)?;
        Ok(RawProgram { nvrtc: self, handle })
    }
}

/// A function of six words, which is as many as any function of NVRTC takes: numbers and addresses
/// alone.
pub type WordFunction = unsafe extern "C" fn(usize, usize, usize, usize, usize, usize) -> usize;

/// A library opened at a given place, whose functions are called with words: NVRTC.
#[derive(Debug)]
pub struct Words(ManuallyDrop<Library>);

impl Words {
    /// Opens a library, and before it those that it will look for by their names alone.
    ///
    /// # Errors
    /// The system's words.
    pub fn open(found: &Found) -> Result<Words, String> {
        found.builtins().iter().for_each(|path| keep_open(path));
        Ok(Words(ManuallyDrop::new(open(&found.library)?)))
    }

    /// A function by its name.
    pub fn function(&self, name: &str) -> Option<WordFunction> {
        // SAFETY: an address with a type that allows nothing but a call. The caller answers for the
        // words; the library is never closed.
        unsafe { self.0.get::<WordFunction>(name.as_bytes()) }.ok().map(|function| *function)
    }
}

/// PTX from what nvJitLink links, by NVIDIA's own library: `-lto -ptx` and LTO-IR. `options` begin
/// with a dash each.
///
/// # Errors
/// The system's words about the library, or the log of the linker.
pub fn link_to_ptx(
    library: &Path,
    options: &[String],
    inputs: &[(String, Vec<u8>)],
) -> Result<Vec<u8>, String> {
    type Create = unsafe extern "C" fn(*mut *mut c_void, u32, *const *const c_char) -> c_int;
    type Add =
        unsafe extern "C" fn(*mut c_void, c_int, *const c_void, usize, *const c_char) -> c_int;
    type Complete = unsafe extern "C" fn(*mut c_void) -> c_int;
    type Destroy = unsafe extern "C" fn(*mut *mut c_void) -> c_int;
    /// `NVJITLINK_INPUT_LTOIR`.
    const LTO_IR: c_int = 3;
    let library = ManuallyDrop::new(open(library)?);
    let ended = |text: &str| CString::new(text).map_err(|error| error.to_string());
    let options: Vec<CString> = options.iter().map(|o| ended(o)).collect::<Result<_, _>>()?;
    let pointers: Vec<_> = options.iter().map(|option| option.as_ptr()).collect();
    let count = u32::try_from(pointers.len()).map_err(|error| error.to_string())?;
    let mut handle = ptr::null_mut();
    // SAFETY: the signatures come from `nvJitLink.h`. There are `count` texts that end in a zero,
    // and the library copies them. The sizes given for the inputs are their sizes. A handle is
    // destroyed once and not used afterwards.
    unsafe {
        let create: Create = linker_function(&library, "nvJitLinkCreate")?;
        let add: Add = linker_function(&library, "nvJitLinkAddData")?;
        let complete: Complete = linker_function(&library, "nvJitLinkComplete")?;
        let destroy: Destroy = linker_function(&library, "nvJitLinkDestroy")?;
        let created = create(&mut handle, count, pointers.as_ptr());
        if created != 0 {
            return Err(format!("nvJitLinkCreate: error {created}"));
        }
        let linked = inputs
            .iter()
            .try_for_each(|(name, data)| {
                let name = ended(name)?;
                let data_start = data.as_ptr().cast();
                answer(add(handle, LTO_IR, data_start, data.len(), name.as_ptr()))
            })
            .and_then(|()| answer(complete(handle)));
        let text = match linked {
            Ok(()) => linker_text(
                &library,
                handle,
                ["nvJitLinkGetLinkedPtxSize", "nvJitLinkGetLinkedPtx"],
            ),
            Err(error) => {
                let log = ["nvJitLinkGetErrorLogSize", "nvJitLinkGetErrorLog"];
                let log = linker_text(&library, handle, log).unwrap_or_default();
                Err(format!("{error}: {}", String::from_utf8_lossy(&log).trim_end()))
            }
        };
        destroy(&mut handle);
        text
    }
}

fn answer(code: c_int) -> Result<(), String> {
    if code == 0 { Ok(()) } else { Err(format!("nvJitLink: error {code}")) }
}

/// A function of nvJitLink by its name.
///
/// # Safety
/// `F` is its signature.
unsafe fn linker_function<F: Copy>(library: &Library, name: &str) -> Result<F, String> {
    // SAFETY: the caller says so.
    let found = unsafe { library.get::<F>(name.as_bytes()) };
    found.map(|function| *function).map_err(|error| error.to_string())
}

/// A text that nvJitLink has a pair of functions for, without the zero at its end.
///
/// # Safety
/// The handle is the library's, and lives.
unsafe fn linker_text(
    library: &Library,
    handle: *mut c_void,
    [size_of, text_of]: [&str; 2],
) -> Result<Vec<u8>, String> {
    type SizeOf = unsafe extern "C" fn(*mut c_void, *mut usize) -> c_int;
    type TextOf = unsafe extern "C" fn(*mut c_void, *mut c_char) -> c_int;
    let mut size = 0;
    // SAFETY: the signatures come from `nvJitLink.h`; the library writes as many bytes as it said
    // before.
    let mut bytes = unsafe {
        let measure: SizeOf = linker_function(library, size_of)?;
        let fetch: TextOf = linker_function(library, text_of)?;
        answer(measure(handle, &mut size))?;
        let mut bytes = vec![0_u8; size];
        answer(fetch(handle, bytes.as_mut_ptr().cast()))?;
        bytes
    };
    let end = bytes.iter().position(|byte| *byte == 0).unwrap_or(bytes.len());
    bytes.truncate(end);
    Ok(bytes)
}

/// Opens a library for all others to find, for as long as the process lives. If it cannot be
/// opened, the error appears where the library is needed.
fn keep_open(path: &Path) {
    if !path.is_absolute() {
        return;
    }
    #[cfg(unix)]
    // SAFETY: as in `RawNvrtc::open`.
    let opened = unsafe {
        use libloading::os::unix::{Library, RTLD_GLOBAL, RTLD_NOW};
        Library::open(Some(path), RTLD_NOW | RTLD_GLOBAL)
    };
    #[cfg(not(unix))]
    // SAFETY: as in `RawNvrtc::open`.
    let opened = unsafe { Library::new(path) };
    let _ = opened.map(ManuallyDrop::new);
}

/// A program that NVRTC holds.
#[derive(Debug)]
pub(crate) struct RawProgram<'a> {
    nvrtc: &'a RawNvrtc,
    handle: RawProgramHandle,
}

impl RawProgram<'_> {
    /// Compiles it.
    pub(crate) fn compile(&self, options: &[CString]) -> Result<(), NvrtcError> {
        type Function =
            unsafe extern "C" fn(RawProgramHandle, c_int, *const *const c_char) -> c_int;
        let pointers: Vec<_> = options.iter().map(|option| option.as_ptr()).collect();
        // They fit: no command line has 2^31 options.
        let count = c_int::try_from(pointers.len()).unwrap_or(0);
        let compile: Function = self.nvrtc.function("nvrtcCompileProgram")?;
        // SAFETY: the program lives until `drop`; there are `count` texts that end in a zero.
        let code = unsafe { compile(self.handle, count, pointers.as_ptr()) };
        self.nvrtc.answer("nvrtcCompileProgram", code)
    }

    /// What the compiler said.
    pub(crate) fn log(&self) -> Result<String, NvrtcError> {
        self.text(["nvrtcGetProgramLogSize", "nvrtcGetProgramLog"])
    }

    /// The PTX, once it is compiled.
    pub(crate) fn ptx(&self) -> Result<String, NvrtcError> {
        self.text(["nvrtcGetPTXSize", "nvrtcGetPTX"])
    }

    /// A text that NVRTC has a pair of functions for: one gives its size with the zero at its end.
    fn text(&self, [size_of, text_of]: [&'static str; 2]) -> Result<String, NvrtcError> {
        type SizeOf = unsafe extern "C" fn(RawProgramHandle, *mut usize) -> c_int;
        type TextOf = unsafe extern "C" fn(RawProgramHandle, *mut c_char) -> c_int;
        let measure: SizeOf = self.nvrtc.function(size_of)?;
        let fetch: TextOf = self.nvrtc.function(text_of)?;
        let mut size = 0;
        // SAFETY: writes to `size`; the program lives until `drop`.
        self.nvrtc.answer(size_of, unsafe { measure(self.handle, &mut size) })?;
        let mut bytes = vec![0_u8; size];
        // SAFETY: writes this many bytes as it just said, and the room for them is there.
        self.nvrtc.answer(text_of, unsafe { fetch(self.handle, bytes.as_mut_ptr().cast()) })?;
        let end = bytes.iter().position(|byte| *byte == 0).unwrap_or(bytes.len());
        bytes.truncate(end);
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }
}

impl Drop for RawProgram<'_> {
    fn drop(&mut self) {
        type Function = unsafe extern "C" fn(*mut RawProgramHandle) -> c_int;
        if let Ok(destroy) = self.nvrtc.function::<Function>("nvrtcDestroyProgram") {
            // SAFETY: it was made by this library, and is not used again.
            let _ = unsafe { destroy(&mut self.handle) };
        }
    }
}
