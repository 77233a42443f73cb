//! How the command is linked: as a shared object with an entry point, so that it is `libcuda.so.1` and `libcudart.so.12`, too, for programs
//! that `warpsim exec` starts. The contract of `warpsim-driver` says why.
//!
//! On Linux with glibc it is; elsewhere the command is an ordinary executable, and `exec` says that it cannot.

use std::env;
use std::error::Error;
use std::fs;
use std::path::Path;

/// What other programs see of the command: the functions of the driver API, and those of the runtime API with the version
/// that programs ask for which were linked to `libcudart.so.12`.
const SYMBOLS: &str = "libcuda.so.1 { global: cu[A-Z]*; local: *; };\n\
                       libcudart.so.12 { global: cuda*; __cuda*; };\n";

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed=build.rs");
    let is = |variable: &str, value: &str| env::var(variable).is_ok_and(|v| v == value);
    if !is("CARGO_CFG_TARGET_OS", "linux") || !is("CARGO_CFG_TARGET_ENV", "gnu") {
        return Ok(());
    }
    let folder = env::var("OUT_DIR")?;
    let symbols = Path::new(&folder).join("symbols");
    fs::write(&symbols, SYMBOLS)?;
    let version_script = format!("-Wl,--version-script={}", symbols.display());
    // A shared object that begins where programs begin (`Scrt1.o` calls `main`), with nothing undefined in it. The name of
    // the loader is a section that `warpsim-driver` brings.
    for argument in
        ["-no-pie", "-shared", "-l:Scrt1.o", "-Wl,-e,_start", "-Wl,-z,defs", &version_script]
    {
        println!("cargo::rustc-link-arg-bin=warpsim={argument}");
    }
    Ok(())
}
