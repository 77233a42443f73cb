//! nvJitLink's functions (nvJitLink documentation, NVIDIA), for programs that find this library in
//! place of `libnvJitLink.so.12` or `.13`. [`JitLinker`] does the work.
//!
//! `nvJitLink.h` gives each function a name with its version. So a program that was compiled with
//! it asks for that name.

use std::collections::BTreeMap;
use std::ffi::{c_char, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Mutex, MutexGuard, PoisonError};

use warpsim_driver_core::{Compiler, JitLinkError, JitLinkInput, JitLinker};
use warpsim_nvrtc::link_to_ptx;

use crate::pointers::{Image, In, Out, Text, out_at};
use crate::process::tell;
use crate::real;

type Linked<T> = Result<T, JitLinkError>;

/// The version that we report: the last one whose functions are all here.
const VERSION: (u32, u32) = (13, 5);

/// The version that we report if NVIDIA's library is missing. It predates LTO-IR, so that programs
/// keep to PTX.
const WITHOUT_LTO: (u32, u32) = (12, 0);

struct Linkers {
    all: BTreeMap<u64, JitLinker>,
    made: u64,
}

static LINKERS: Mutex<Linkers> = Mutex::new(Linkers { all: BTreeMap::new(), made: 0 });

fn linkers() -> MutexGuard<'static, Linkers> {
    LINKERS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Does something with a linker.
fn with<T>(handle: u64, body: impl FnOnce(&mut JitLinker) -> Linked<T>) -> Linked<T> {
    let mut linkers = linkers();
    let none = if handle == 0 { JitLinkError::NullInput } else { JitLinkError::InvalidInput };
    body(linkers.all.get_mut(&handle).ok_or(none)?)
}

/// A call from C: whatever happens in it, a number comes back.
fn entered(name: &str, body: &mut dyn FnMut() -> Linked<()>) -> u32 {
    match catch_unwind(AssertUnwindSafe(body)) {
        Ok(answer) => answer.map_or_else(JitLinkError::number, |()| 0),
        Err(_) => {
            tell(&format!(
                "this is a bug in warpsim: {name}: a panic; the program is not to blame"
            ));
            JitLinkError::Internal.number()
        }
    }
}

/// NVIDIA's own library makes PTX of LTO-IR.
struct Nvidia;

impl Compiler for Nvidia {
    fn compile(&self, options: &[String], inputs: &[(String, Vec<u8>)]) -> Result<Vec<u8>, String> {
        const MISSING: &str = "LTO-IR is compiled by NVIDIA's libnvJitLink, which is not installed here: pip \
                               install nvidia-nvjitlink";
        let found = real::library(real::JIT_LINK).ok_or(MISSING)?;
        // Lines are kept where they are known: findings name them.
        let mut all: Vec<String> = options.to_vec();
        for needed in ["-lto", "-ptx", "-lineinfo"] {
            if !all.iter().any(|option| option == needed) {
                all.push(needed.to_owned());
            }
        }
        link_to_ptx(&found.library, &all, inputs)
    }
}

fn text(text: Text) -> Linked<String> {
    text.needed().map_err(|_| JitLinkError::InvalidInput)
}

fn options(count: u32, options: In<*const c_char>) -> Linked<Vec<String>> {
    let at = |index| options.at(index).map_err(|_| JitLinkError::NullInput);
    (0..count as usize).map(|index| text(Text::at(at(index)?))).collect()
}

fn add(handle: u64, kind: u32, data: &[u8], name: &str) -> Linked<()> {
    let kind = JitLinkInput::of_number(kind).ok_or(JitLinkError::InvalidInput)?;
    with(handle, |linker| linker.add(kind, data, name))
}

fn put<T>(to: Out<T>, value: T) -> Linked<()> {
    to.put(value).map_err(|_| JitLinkError::NullInput)
}

/// Writes what a program has made room for.
fn fill(to: *mut c_void, bytes: Vec<u8>) -> Linked<()> {
    out_at::<u8>(to).put_all(bytes).map_err(|_| JitLinkError::NullInput)
}

/// A log with the zero at its end; nothing at all where nothing was said.
fn log(handle: u64) -> Linked<Vec<u8>> {
    with(handle, |linker| match linker.log() {
        "" => Ok(Vec::new()),
        log => Ok([log.as_bytes(), &[0]].concat()),
    })
}

/// The message if nothing is wrong: nothing.
fn info(handle: u64) -> Linked<Vec<u8>> {
    with(handle, |_| Ok(Vec::new()))
}

macro_rules! functions {
    ($($name:ident($($argument:ident: $ty:ty),*) $body:block)*) => {
        $(
            #[expect(unsafe_code, reason = "the symbol that programs look for; nothing else has it")]
            #[unsafe(no_mangle)]
            pub(super) extern "C" fn $name($($argument: $ty),*) -> u32 {
                entered(stringify!($name), &mut || $body)
            }
        )*

        /// All symbols with their addresses.
        pub(crate) fn table() -> Vec<(&'static str, usize)> {
            vec![$((stringify!($name), $name as *const () as usize)),*]
        }
    };
}

functions! {
    nvJitLinkCreate(handle: Out<u64>, count: u32, given: In<*const c_char>) {
        if handle.is_null() {
            return Err(JitLinkError::NullInput);
        }
        let linker = JitLinker::new(&options(count, given)?)?;
        let mut linkers = linkers();
        linkers.made += 1;
        // Looks like an address to programs that inspect it, but nothing is ever there.
        let made = (1 << 46) | (0x70 << 40) | (linkers.made << 4);
        linkers.all.insert(made, linker);
        put(handle, made)
    }
    nvJitLinkDestroy(handle: Out<u64>) {
        let known = handle.get().map_err(|_| JitLinkError::NullInput)?;
        let none = if known == 0 { JitLinkError::NullInput } else { JitLinkError::InvalidInput };
        linkers().all.remove(&known).ok_or(none)?;
        put(handle, 0)
    }
    nvJitLinkAddData(handle: u64, kind: u32, data: Image, size: usize, name: Text) {
        let bytes = data.sized(size).map_err(|_| JitLinkError::InvalidInput)?;
        let name = name.get().map_err(|_| JitLinkError::InvalidInput)?;
        add(handle, kind, &bytes, name.as_deref().unwrap_or("input"))
    }
    nvJitLinkAddFile(handle: u64, kind: u32, path: Text) {
        let path = path.get().map_err(|_| JitLinkError::InvalidInput)?.ok_or(JitLinkError::NullInput)?;
        let bytes = std::fs::read(&path).map_err(|_| JitLinkError::InvalidInput)?;
        add(handle, kind, &bytes, &path)
    }
    nvJitLinkComplete(handle: u64) {
        with(handle, |linker| linker.complete(&Nvidia))
    }
    nvJitLinkGetLinkedCubinSize(handle: u64, size: Out<usize>) {
        put(size, with(handle, |linker| linker.cubin())?.len())
    }
    nvJitLinkGetLinkedCubin(handle: u64, to: *mut c_void) {
        fill(to, with(handle, |linker| linker.cubin())?)
    }
    nvJitLinkGetLinkedPtxSize(handle: u64, size: Out<usize>) {
        put(size, with(handle, |linker| linker.text())?.len())
    }
    nvJitLinkGetLinkedPtx(handle: u64, to: *mut c_void) {
        fill(to, with(handle, |linker| linker.text())?)
    }
    nvJitLinkGetLinkedLTOIRSize(handle: u64, size: Out<usize>) {
        let _ = size;
        with(handle, |_| Err(JitLinkError::InvalidInput))
    }
    nvJitLinkGetLinkedLTOIR(handle: u64, to: *mut c_void) {
        let _ = to;
        with(handle, |_| Err(JitLinkError::InvalidInput))
    }
    nvJitLinkGetErrorLogSize(handle: u64, size: Out<usize>) {
        put(size, log(handle)?.len())
    }
    nvJitLinkGetErrorLog(handle: u64, to: *mut c_void) {
        fill(to, log(handle)?)
    }
    nvJitLinkGetInfoLogSize(handle: u64, size: Out<usize>) {
        put(size, info(handle)?.len())
    }
    nvJitLinkGetInfoLog(handle: u64, to: *mut c_void) {
        fill(to, info(handle)?)
    }
    nvJitLinkVersion(major: Out<u32>, minor: Out<u32>) {
        let version = real::library(real::JIT_LINK).map_or(WITHOUT_LTO, |_| VERSION);
        put(major, version.0)?;
        put(minor, version.1)
    }
}
