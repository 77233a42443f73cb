//! The program and its libraries as the loader has them: their files, their code, and who called.

use std::ffi::{CStr, OsStr, c_void};
use std::fs::File;
use std::io::{Read as _, Seek as _, SeekFrom};
use std::os::fd::{AsRawFd as _, FromRawFd as _};
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::FileExt as _;
use std::path::PathBuf;
use std::sync::OnceLock;

use warpsim_nvrtc::WordFunction;

/// What to do with a program whose runtime cannot be met.
pub(crate) const LINK_ADVICE: &str = "link it to the shared runtime (nvcc -cudart shared), or, where another program starts \
     this one, set LD_PRELOAD=libcuda.so.1 for it";

/// The program, or a library that it has.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Loaded {
    pub(crate) path: PathBuf,
    /// Where the file's address 0 lies in memory.
    pub(crate) moved: u64,
}

/// Bytes to be written over a program's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Patch {
    pub(crate) address: u64,
    pub(crate) bytes: Vec<u8>,
}

/// The program and the libraries that it has now, except this one, and how many it has given up.
pub(crate) fn objects() -> (Vec<Loaded>, u64) {
    extern "C" fn one(info: *mut libc::dl_phdr_info, _: usize, all: *mut c_void) -> libc::c_int {
        // SAFETY: the loader calls it with what it knows of an object, and with the list below,
        // which nothing else has.
        let (info, all) = unsafe { (&*info, &mut *all.cast::<(Vec<Loaded>, u64)>()) };
        // SAFETY: a text that ends in a zero, as the loader keeps it.
        let name = unsafe { CStr::from_ptr(info.dlpi_name) };
        let path = match name.to_bytes() {
            [] => PathBuf::from("/proc/self/exe"),
            bytes => PathBuf::from(OsStr::from_bytes(bytes)),
        };
        all.0.push(Loaded { path, moved: info.dlpi_addr });
        all.1 = info.dlpi_subs;
        0
    }
    let mut all: (Vec<Loaded>, u64) = (Vec::new(), 0);
    // SAFETY: the function above is called for each object while this call lasts.
    unsafe { libc::dl_iterate_phdr(Some(one), (&raw mut all).cast()) };
    let own = object_of(return_addresses as *const c_void).map(|(_, start)| start);
    all.0.retain(|object| Some(object.moved) != own);
    all
}

/// The file of the object in which an address is, and where it begins.
fn object_of(address: *const c_void) -> Option<(PathBuf, u64)> {
    let mut found = std::mem::MaybeUninit::<libc::Dl_info>::zeroed();
    // SAFETY: a function that looks an address up and writes what it found; zeros are a value of
    // the structure.
    let found = unsafe {
        let is_found = libc::dladdr(address, found.as_mut_ptr()) != 0;
        is_found.then(|| found.assume_init()).filter(|found| !found.dli_fname.is_null())?
    };
    // SAFETY: it is not null, and a text that ends in a zero.
    let name = unsafe { CStr::from_ptr(found.dli_fname) };
    Some((PathBuf::from(OsStr::from_bytes(name.to_bytes())), found.dli_fbase.addr() as u64))
}

/// Where the functions return to that are being called, the innermost first; not more than some
/// dozens.
pub(crate) fn return_addresses() -> Vec<usize> {
    let mut stack = [std::ptr::null_mut(); 64];
    // SAFETY: as many addresses are written as there is room for.
    let count = unsafe { libc::backtrace(stack.as_mut_ptr(), stack.len() as libc::c_int) };
    let count = usize::try_from(count).unwrap_or(0);
    stack.iter().take(count).map(|address| address.addr()).collect()
}

/// The return addresses without those at the start that lie in this library.
pub(crate) fn of_program(returns: Vec<usize>) -> Vec<usize> {
    let own = object_of(return_addresses as *const c_void);
    let is_own =
        |address: &usize| own.is_some() && object_of(std::ptr::without_provenance(*address)) == own;
    returns.into_iter().skip_while(is_own).collect()
}

/// Reads code of the process: how many bytes there are, up to this many.
pub(crate) fn code(address: usize, into: &mut [u8]) -> usize {
    static MEMORY: OnceLock<Option<File>> = OnceLock::new();
    let memory = MEMORY.get_or_init(|| File::open("/proc/self/mem").ok());
    let read = memory.as_ref().and_then(|memory| memory.read_at(into, address as u64).ok());
    read.unwrap_or(0)
}

/// The file of the object that called into this library; `None` where the stack does not say.
pub(crate) fn caller_file() -> Option<PathBuf> {
    let own = object_of(return_addresses as *const c_void)?;
    let frames = return_addresses().into_iter().map(std::ptr::without_provenance);
    let files = frames.filter_map(object_of);
    files.skip_while(|file| *file == own).map(|(path, _)| path).next()
}

/// Writes over the code of a program or a library, before any of it has run. Whether all of it
/// could be written.
pub(crate) fn overwrite(patches: &[Patch]) -> bool {
    let stands = |patch: &Patch| {
        let from = std::ptr::with_exposed_provenance::<u8>(patch.address as usize);
        // SAFETY: within a function of an object that the process has, which may be read.
        let there = unsafe { std::slice::from_raw_parts(from, patch.bytes.len()) };
        there == patch.bytes
    };
    // It was written before, and may run.
    if patches.iter().all(stands) {
        return true;
    }
    let first = patches.iter().map(|patch| patch.address).min();
    let end = patches.iter().map(|patch| patch.address + patch.bytes.len() as u64).max();
    let (Some(first), Some(end)) = (first, end) else { return true };
    // SAFETY: a function that reads a setting.
    let page = unsafe { libc::sysconf(libc::_SC_PAGESIZE) }.unsigned_abs();
    let start = first - first % page;
    let bytes = (end - start) as usize;
    let pages = std::ptr::with_exposed_provenance_mut::<c_void>(start as usize);
    // SAFETY: the pages are code of the object's file, which the system mapped for this process
    // alone; none of it runs while it cannot be run: the thread in which the object begins is here,
    // and no other knows of it yet.
    let is_open = unsafe { libc::mprotect(pages, bytes, libc::PROT_READ | libc::PROT_WRITE) } == 0;
    if !is_open {
        return false;
    }
    for Patch { address, bytes } in patches {
        let to = std::ptr::with_exposed_provenance_mut::<u8>(*address as usize);
        // SAFETY: the bytes lie within the pages that were opened. They lie within functions that
        // are never called again, except for the code written here.
        unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), to, bytes.len()) };
    }
    // SAFETY: the same pages as above, as they were.
    unsafe { libc::mprotect(pages, bytes, libc::PROT_READ | libc::PROT_EXEC) == 0 }
}

/// The stack of a Python that calls from this thread, as `faulthandler` writes it: a line for each
/// frame, the innermost first. `None` where no Python calls, or one that does not show the
/// functions for it.
pub(crate) fn python_stack() -> Option<String> {
    type State = unsafe extern "C" fn() -> *mut c_void;
    type Dump = unsafe extern "C" fn(libc::c_int, *mut c_void);
    let state = symbol(c"PyGILState_GetThisThreadState")?;
    let dump = symbol(c"_Py_DumpTraceback")?;
    // SAFETY: CPython's functions have had these signatures since 3.6, and may be called without
    // its lock. The frames belong to this thread, which waits here.
    let text = unsafe {
        let state: State = std::mem::transmute(state);
        let dump: Dump = std::mem::transmute(dump);
        let thread = state();
        if thread.is_null() {
            return None;
        }
        let file = libc::memfd_create(c"warpsim".as_ptr(), libc::MFD_CLOEXEC);
        if file < 0 {
            return None;
        }
        let mut file = File::from_raw_fd(file);
        dump(file.as_raw_fd(), thread);
        let mut text = Vec::new();
        file.seek(SeekFrom::Start(0)).and_then(|_| file.read_to_end(&mut text)).ok()?;
        text
    };
    String::from_utf8(text).ok()
}

/// A symbol of the program or of a library that it has.
fn symbol(name: &CStr) -> Option<*mut c_void> {
    // SAFETY: a name that ends in a zero; nothing is called.
    let found = unsafe { libc::dlsym(libc::RTLD_DEFAULT, name.as_ptr()) };
    (!found.is_null()).then_some(found)
}

/// Calls a function of the library in whose place this one was found.
pub(crate) fn passed_on(function: WordFunction, [a, b, c, d, e, f]: [usize; 6]) -> usize {
    // SAFETY: the words are those that a program gave for the same function, or addresses of our
    // own of what it reads and writes; words behind those that it takes are not looked at.
    unsafe { function(a, b, c, d, e, f) }
}
