//! What stands in sections with names: the name of the loader, which an executable that is linked as a shared object has
//! to bring itself (System V ABI, "Program Interpreter"), and what is called when it is loaded.

/// What is called when this library is loaded, before anything of the program runs (System V ABI, "Initialization and
/// Termination Functions").
#[used]
#[unsafe(link_section = ".init_array")]
static START: extern "C" fn() = crate::process::at_start;

#[cfg(all(target_env = "gnu", target_arch = "x86_64"))]
#[used]
#[unsafe(link_section = ".interp")]
static LOADER: [u8; 28] = *b"/lib64/ld-linux-x86-64.so.2\0";

#[cfg(all(target_env = "gnu", target_arch = "aarch64"))]
#[used]
#[unsafe(link_section = ".interp")]
static LOADER: [u8; 28] = *b"/lib/ld-linux-aarch64.so.1\0\0";
