//! How the command is linked: as a shared object with an entry point, so that it is `libcuda.so.1` and `libcudart.so.12`, too, for programs
//! that `warpsim exec` starts. The contract of `warpsim-driver` says why.
//!
//! On Linux with glibc it is; elsewhere the command is an ordinary executable, and `exec` says that it cannot.

use std::env;
use std::error::Error;
use std::fs;
use std::path::Path;

/// What other programs see of the command: the functions of the driver API, with the version that programs ask for which
/// were linked to `libcuda.so.1`, and those of the runtime API. The latter have no version, so that they are found
/// whether a program asks for that of `libcudart.so.12` or `.13`, but for those that bring one with their names. All
/// else stays inside: a pattern for each way in which a name is not that of a function of either.
const SYMBOLS: &str = "libcuda.so.1 { global: cu[A-Z]*; };\n\
                       libcudart.so.12 { local: [!_c]*; c[!u]*; cu[!dA-Z]*; cud[!a]*; _[!_]*; __[!c]*; __c[!u]*; };\n\
                       libcudart.so.13 { };\n";

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
