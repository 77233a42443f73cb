//! Contents of named sections, and a function that objects call at their start. An executable
//! linked as a shared object has to bring the name of the loader itself (System V ABI, "Program
//! Interpreter"). One function is called when this library is loaded, and one when another object
//! is.

/// What is called when this library is loaded, before anything of the program runs (System V ABI,
/// "Initialization and Termination Functions").
#[used]
#[unsafe(link_section = ".init_array")]
static START: extern "C" fn() = crate::static_runtime::at_start;

/// What each object calls before anything else of it runs, if someone defines it (`crti.S` of the
/// GNU C Library). It is meant for profilers, which define it in the program itself, and then this
/// one is not called.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn __gmon_start__() {
    crate::static_runtime::at_start();
}

#[cfg(all(target_env = "gnu", target_arch = "x86_64"))]
#[used]
#[unsafe(link_section = ".interp")]
static LOADER: [u8; 28] = *b"/lib64/ld-linux-x86-64.so.2\0";

#[cfg(all(target_env = "gnu", target_arch = "aarch64"))]
#[used]
#[unsafe(link_section = ".interp")]
static LOADER: [u8; 28] = *b"/lib/ld-linux-aarch64.so.1\0\0";
