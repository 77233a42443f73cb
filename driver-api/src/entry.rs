//! Contents of named sections, and a function that objects call at their start. An executable that
//! is linked as a shared object must hold the name of the loader itself (System V ABI, "Program
//! Interpreter"). The loader calls one function when it loads this library, and one when it loads
//! another object.

/// The function that is called when this library is loaded, before any code of the program runs
/// (System V ABI, "Initialization and Termination Functions").
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
