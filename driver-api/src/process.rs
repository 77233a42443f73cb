//! The process around the driver: its memory, its standard streams, its threads, its end.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::ffi::{CStr, CString, OsStr, c_char, c_void};
use std::fs::File;
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::os::fd::{AsRawFd as _, FromRawFd as _};
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::FileExt as _;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};

use warpsim_driver_core::{
    Answer, Call, Caller, CudaError, Driver, Host, Note, Options, Site, Unsupported, VARIABLE,
};
use warpsim_nvrtc::WordFunction;

use crate::callbacks;
use crate::failures::{self, Api};
use crate::pointers::Shown;
use crate::records::{self, Records};
use crate::site::Stack;
use crate::static_runtime::{Loaded, Patch};
use crate::words;

/// The driver of the process; `None` where what it was asked for cannot be read.
static DRIVER: OnceLock<Option<(Driver, u32)>> = OnceLock::new();

/// How many calls threads of the process are in.
static CALLS: AtomicUsize = AtomicUsize::new(0);

thread_local! {
    static CALLER: RefCell<Caller> = RefCell::default();
}

/// The process, as the core sees it.
struct Process {
    records: Option<Records>,
}

impl Host for Process {
    fn read(&self, address: u64, bytes: usize, with: &mut dyn FnMut(&[u8])) {
        let start = std::ptr::with_exposed_provenance::<u8>(address as usize);
        // SAFETY: the program says that these bytes are there to be read while the call lasts, as
        // every function asks that copies memory of the host.
        with(unsafe { std::slice::from_raw_parts(start, bytes) });
    }

    fn write(&self, address: u64, bytes: usize, with: &mut dyn FnMut(&mut [u8])) {
        let start = std::ptr::with_exposed_provenance_mut::<u8>(address as usize);
        // SAFETY: the program says that these bytes are there to be written while the call lasts.
        with(unsafe { std::slice::from_raw_parts_mut(start, bytes) });
    }

    fn load(&self, address: u64, into: &mut [u8]) {
        words::load(address as usize, into);
    }

    fn merge(&self, address: u64, old: &[u8], new: &[u8]) {
        words::merge(address as usize, old, new);
    }

    fn map(&self, address: u64, bytes: usize) -> bool {
        let wanted = std::ptr::without_provenance_mut::<c_void>(address as usize);
        let protection = libc::PROT_READ | libc::PROT_WRITE;
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_FIXED_NOREPLACE;
        // SAFETY: fresh memory, at an address where there is none: nothing that is mapped is
        // replaced.
        let mapped = unsafe { libc::mmap(wanted, bytes, protection, flags, -1, 0) };
        if mapped == libc::MAP_FAILED {
            return false;
        }
        if mapped != wanted {
            // An old kernel takes the address for advice.
            // SAFETY: mapped just now, with so many bytes.
            unsafe { libc::munmap(mapped, bytes) };
            return false;
        }
        mapped.expose_provenance();
        true
    }

    fn unmap(&self, address: u64, bytes: usize) {
        let start = std::ptr::with_exposed_provenance_mut::<c_void>(address as usize);
        // SAFETY: mapped by `map` with so many bytes, and the program has given it back.
        unsafe { libc::munmap(start, bytes) };
    }

    fn print(&self, text: &str) {
        // SAFETY: the C library's own stream, in which the program's output is, so that both stay
        // in order.
        unsafe { libc::fwrite(text.as_ptr().cast(), 1, text.len(), stdout) };
    }

    fn tell(&self, message: &str) {
        tell(message);
    }

    fn record(&self, line: &str) {
        if let Some(records) = &self.records {
            records.record(line);
        }
    }

    fn note(&self, note: Note<'_>) {
        if let Some(records) = &self.records {
            records.note(note);
        }
    }

    fn process(&self) -> u32 {
        std::process::id()
    }

    fn site(&self) -> Option<Box<dyn Site>> {
        Some(Box::new(Stack::now()))
    }
}

unsafe extern "C" {
    /// The C library's standard output.
    static stdout: *mut libc::FILE;
}

/// A message to the person.
pub(crate) fn tell(message: &str) {
    // Where standard error is closed there is nobody to tell.
    let _ = writeln!(std::io::stderr(), "{message}");
}

/// The words of a file, which other processes have, too.
///
/// # Errors
/// The system does not map it.
pub(crate) fn shared_words(file: &File, words: usize) -> io::Result<&'static [AtomicU64]> {
    let protection = libc::PROT_READ | libc::PROT_WRITE;
    let (bytes, descriptor) = (words * size_of::<AtomicU64>(), file.as_raw_fd());
    // SAFETY: fresh memory at an address that the system chooses; nothing that is mapped is
    // replaced.
    let mapped = unsafe {
        libc::mmap(std::ptr::null_mut(), bytes, protection, libc::MAP_SHARED, descriptor, 0)
    };
    if mapped == libc::MAP_FAILED {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: so many bytes were mapped just now, at the beginning of a page, and are never
    // unmapped; any bits are a value of an atomic word, and all who have the file change it by
    // atomic words alone.
    Ok(unsafe { std::slice::from_raw_parts(mapped.cast::<AtomicU64>(), words) })
}

/// A text that C keeps as long as the process is there; each name once.
pub(crate) fn interned(text: &str) -> Answer<*const c_char> {
    static NAMES: Mutex<BTreeSet<&'static CStr>> = Mutex::new(BTreeSet::new());
    let text = CString::new(text).map_err(|_| CudaError::Unknown)?;
    let mut names = NAMES.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(known) = names.get(text.as_c_str()) {
        return Ok(known.as_ptr());
    }
    let kept: &'static CStr = Box::leak(text.into_boxed_c_str());
    names.insert(kept);
    Ok(kept.as_ptr())
}

/// What was asked for, in the environment.
fn asked() -> Option<Options> {
    match std::env::var(VARIABLE) {
        Err(std::env::VarError::NotPresent) => Some(Options::default()),
        Err(error) => {
            tell(&format!("warpsim: {VARIABLE}: {error}"));
            None
        }
        Ok(text) => match Options::read(&text) {
            Ok(options) => Some(options),
            Err(error) => {
                tell(&format!("warpsim: {VARIABLE}: {error}"));
                None
            }
        },
    }
}

fn opened() -> Option<(Driver, u32)> {
    let options = asked()?;
    let records = records::open_log(&options).and_then(|()| Records::open(&options));
    let records = match records {
        Ok(records) => records,
        Err(what) => {
            tell(&format!("warpsim: {what}"));
            return None;
        }
    };
    // SAFETY: a function without arguments that does not unwind.
    unsafe { libc::atexit(at_exit) };
    Some((Driver::new(options, Box::new(Process { records })), std::process::id()))
}

/// The driver of this process. A child that was forked off has none: what threads of its parent
/// held is held for ever.
fn driver() -> Answer<&'static Driver> {
    match DRIVER.get() {
        Some(Some((driver, process))) if *process == std::process::id() => Ok(driver),
        Some(_) | None => Err(CudaError::NotInitialized),
    }
}

/// The driver of this process, where it checks launches.
pub(crate) fn checked() -> Option<&'static Driver> {
    driver().ok().filter(|driver| driver.is_checked())
}

/// The library is loaded, or another one is, of which nothing has run. There is something to do
/// only under `warpsim exec`, and only where this library was there before the program began: code
/// that runs cannot be written over.
pub(crate) extern "C" fn at_start() {
    let is_first = || {
        let first = std::env::var_os("LD_PRELOAD")?;
        let of_list = first.to_str()?.split([' ', ':']).any(|path| path.ends_with("libcuda.so.1"));
        of_list.then_some(())
    };
    if std::env::var_os(VARIABLE).is_none() || is_first().is_none() {
        return;
    }
    if catch_unwind(crate::static_runtime::take_over).is_err() {
        tell("this is a bug in warpsim: a panic at the beginning of a program or of a library");
    }
}

/// The program and the libraries that it has now but for this one, and how many it has given up.
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
    let own = object_of(at_start as *const c_void).map(|(_, start)| start);
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

/// Those of addresses to which functions return that are not of this library, which has been
/// called.
pub(crate) fn of_program(returns: Vec<usize>) -> Vec<usize> {
    let own = object_of(at_start as *const c_void);
    let is_own =
        |address: &usize| own.is_some() && object_of(std::ptr::without_provenance(*address)) == own;
    returns.into_iter().skip_while(is_own).collect()
}

/// Reads code of the process: how many bytes there are, up to so many.
pub(crate) fn code(address: usize, into: &mut [u8]) -> usize {
    static MEMORY: OnceLock<Option<File>> = OnceLock::new();
    let memory = MEMORY.get_or_init(|| File::open("/proc/self/mem").ok());
    let read = memory.as_ref().and_then(|memory| memory.read_at(into, address as u64).ok());
    read.unwrap_or(0)
}

/// The file of the object that called into this library; `None` where the stack does not say.
pub(crate) fn caller_file() -> Option<PathBuf> {
    let own = object_of(at_start as *const c_void)?;
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
        // SAFETY: within the pages that were opened, and within functions that are never called
        // again but for what is written here.
        unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), to, bytes.len()) };
    }
    // SAFETY: the same pages as above, as they were.
    unsafe { libc::mprotect(pages, bytes, libc::PROT_READ | libc::PROT_EXEC) == 0 }
}

/// The process ends.
extern "C" fn at_exit() {
    let finished = catch_unwind(|| {
        if let Ok(driver) = driver() {
            driver.finish(CALLS.load(Ordering::Relaxed) > 0);
        }
    });
    if finished.is_err() {
        tell("this is a bug in warpsim: a panic at the end of the process");
    }
}

/// `cuInit`.
pub(crate) fn initialise(flags: u32) -> Answer<()> {
    match DRIVER.get_or_init(opened) {
        Some((driver, process)) if *process == std::process::id() => driver.initialise(flags),
        Some(_) => Err(CudaError::NotInitialized),
        None => Err(CudaError::InvalidValue),
    }
}

/// Something that is not supported was asked for.
pub(crate) fn unsupported(what: &str) -> Answer<()> {
    lacks(what, Unsupported::Call)
}

/// The same, for want of which something does not run.
pub(crate) fn cannot_run(what: &str) -> Answer<()> {
    lacks(what, Unsupported::Launches)
}

fn lacks(what: &str, kind: Unsupported) -> Answer<()> {
    match driver() {
        Ok(driver) => driver.tell_unsupported(what, kind),
        Err(_) => tell(&format!("warpsim does not support {what}")),
    }
    Err(CudaError::NotSupported)
}

/// The stack of a Python that calls from this thread, as `faulthandler` writes it: a line for each
/// frame, the innermost first. `None` where no Python calls, or one that does not show the
/// functions for it.
pub(crate) fn python_stack() -> Option<String> {
    type State = unsafe extern "C" fn() -> *mut c_void;
    type Dump = unsafe extern "C" fn(libc::c_int, *mut c_void);
    let state = symbol(c"PyGILState_GetThisThreadState")?;
    let dump = symbol(c"_Py_DumpTraceback")?;
    // SAFETY: CPython's functions have had these signatures since 3.6, and are made to be called
    // without its lock; the frames are those of this thread, which stands still here.
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

/// Something that is not supported was asked for, whose answer is another error.
pub(crate) fn named_once(what: &str) {
    // That it is not supported is told; the answer is the caller's.
    let _ = unsupported(what);
}

/// Calls the core.
pub(crate) fn with<T>(body: impl FnOnce(&mut Call<'_>) -> Answer<T>) -> Answer<T> {
    let mut body = Some(body);
    let mut answer = None;
    // Some hundred functions call this: what each of them is compiled for is kept small.
    once(&mut |call| answer = body.take().map(|body| body(call)))?;
    answer.unwrap_or(Err(CudaError::Unknown))
}

/// The same of a body that is called once, or not at all where there is an error.
fn once(body: &mut dyn FnMut(&mut Call<'_>)) -> Answer<()> {
    let driver = driver()?;
    let mut entered = |caller: &mut Caller| {
        let mut call = driver.enter(caller)?;
        body(&mut call);
        Ok(call.take_destroyed())
    };
    let called = CALLER.try_with(|caller| {
        // It is taken where a panic has left it so, or a signal's handler calls.
        let mut caller = caller.try_borrow_mut().map_err(|_| CudaError::NotPermitted)?;
        entered(&mut caller)
    });
    // The thread is at its end, and has nothing for itself any more.
    let destroyed = called.unwrap_or_else(|_| entered(&mut Caller::default()));
    destroyed?.into_iter().for_each(callbacks::destroy);
    Ok(())
}

/// An error that C gets as a number.
pub(crate) trait Number {
    /// The number.
    fn number(&self) -> u32;
    /// Its name, for the log.
    fn name(&self) -> String;
    /// What it means.
    fn words(&self) -> String;
}

impl Number for CudaError {
    fn number(&self) -> u32 {
        (*self).number()
    }

    fn name(&self) -> String {
        (*self).name().to_string_lossy().into_owned()
    }

    fn words(&self) -> String {
        (*self).words().to_string_lossy().into_owned()
    }
}

/// The arguments of a call, by their names.
pub(crate) type Arguments<'a> = &'a [(&'static str, &'a dyn Shown)];

/// A call of the driver API from C: whatever happens in it, a number comes back.
pub(crate) fn entered(
    name: &'static str,
    arguments: Arguments<'_>,
    body: &mut dyn FnMut() -> Answer<()>,
) -> u32 {
    answered(Api::Driver, name, arguments, body)
}

/// A call of a function of the driver API that is not implemented.
pub(crate) fn absent(name: &'static str) -> u32 {
    entered(name, &[], &mut || unsupported(name))
}

/// The same of any API.
pub(crate) fn answered<E: Number + From<CudaError>>(
    api: Api,
    name: &'static str,
    arguments: Arguments<'_>,
    body: &mut dyn FnMut() -> Result<(), E>,
) -> u32 {
    CALLS.fetch_add(1, Ordering::Relaxed);
    let answer = catch_unwind(AssertUnwindSafe(body));
    CALLS.fetch_sub(1, Ordering::Relaxed);
    let answer = answer.unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
        let text = text.or_else(|| panic.downcast_ref::<String>().cloned());
        let text = text.unwrap_or_else(|| "a panic without words".to_owned());
        tell(&format!(
            "this is a bug in warpsim: {name}: {text}; the program is not to blame, please report it"
        ));
        Err(CudaError::Unknown.into())
    });
    let result = answer.err().unwrap_or(CudaError::Success.into());
    if let Some(log) = records::log() {
        let arguments: serde_json::Map<String, serde_json::Value> = arguments
            .iter()
            .map(|(name, value)| ((*name).to_owned(), value.shown().into()))
            .collect();
        let line = serde_json::json!({
            "process": std::process::id(),
            "call": name,
            "arguments": arguments,
            "result": result.name(),
        });
        // One that cannot be written was told.
        log.write(&format!("{line}\n"));
    }
    let reasons = take_reasons();
    if result.number() != 0 {
        failures::failed(api, name, arguments, &result, reasons);
    }
    result.number()
}

/// Why the call that this thread has made failed.
fn take_reasons() -> Vec<String> {
    let taken = CALLER.try_with(|caller| Some(caller.try_borrow_mut().ok()?.take_reasons()));
    // The thread is at its end, or in a call around this one.
    taken.ok().flatten().unwrap_or_default()
}
