//! Links the command as a shared object with an entry point. So it is `libcuda.so.1` and
//! `libcudart.so.12`, too, for programs that `warpsim exec` starts. The contract of
//! `warpsim-driver` says why.
//!
//! This holds on Linux with glibc. Elsewhere the command is an ordinary executable, and `exec` says
//! that it cannot run programs.

use std::env;
use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};

/// The symbols that other programs see of the command. Functions of the driver API have the version
/// that programs linked to `libcuda.so.1` ask for. Functions of the runtime API have no version, so
/// they are found for `libcudart.so.12` and `.13`. Only functions that bring a version with their
/// names differ. Functions of cuBLAS and cuFFT have no version, either. All else stays inside,
/// except what the beginning of each object calls. There is a pattern for each way in which a name
/// does not name a function of either. The functions of nvJitLink, NVRTC, cuRAND, cuSPARSE, NVML
/// and GPU Ocelot come last. Linkers differ in which of two patterns wins, except where the last
/// pattern exports a name.
const SYMBOLS: &str = "libcuda.so.1 { global: cu[A-Z]*; __gmon_start__; };\n\
                       libcudart.so.12 { local: [!_c]*; c[!u]*; cu[!bdfpA-Z]*; cup[!t]*; cub[!l]*; cuf[!f]*; cud[!a]*; _[!_]*; __[!c]*; __c[!u]*; };\n\
                       libcudart.so.13 { };\n\
                       libcublas.so.12 { };\n\
                       libcublas.so.13 { };\n\
                       libcublasLt.so.12 { };\n\
                       libcublasLt.so.13 { };\n\
                       libnvJitLink.so.12 { global: __nvJitLink*_12_*; };\n\
                       libnvJitLink.so.13 { global: nvJitLink*; __nvJitLink*_13_*; };\n\
                       libnvrtc.so.12 { global: nvrtc*; };\n\
                       libnvrtc.so.13 { global: nvrtc*; };\n\
                       libcurand.so.10 { global: curand*; };\n\
                       libcufft.so.11 { };\n\
                       libcufft.so.12 { };\n\
                       libcusparse.so.12 { global: cusparse*; };\n\
                       libnvidia-ml.so.1 { global: nvml*; };\n\
                       libgpuocelot.so { global: ptx_run; };\n";

/// The functions of nvJitLink, which `nvJitLink.h` calls by the version that a program was compiled
/// with.
const JIT_LINK: [&str; 15] = [
    "Create",
    "Destroy",
    "AddData",
    "AddFile",
    "Complete",
    "GetLinkedCubinSize",
    "GetLinkedCubin",
    "GetLinkedPtxSize",
    "GetLinkedPtx",
    "GetLinkedLTOIRSize",
    "GetLinkedLTOIR",
    "GetErrorLogSize",
    "GetErrorLog",
    "GetInfoLogSize",
    "GetInfoLog",
];

/// The versions of CUDA, and how many minor ones of each there are.
const VERSIONS: [(u32, u32); 2] = [(12, 10), (13, 6)];

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed=build.rs");
    list_headers()?;
    let is = |variable: &str, value: &str| env::var(variable).is_ok_and(|v| v == value);
    if !is("CARGO_CFG_TARGET_OS", "linux") || !is("CARGO_CFG_TARGET_ENV", "gnu") {
        return Ok(());
    }
    let folder = env::var("OUT_DIR")?;
    let symbols = Path::new(&folder).join("symbols");
    fs::write(&symbols, SYMBOLS)?;
    let version_script = format!("-Wl,--version-script={}", symbols.display());
    // A shared object that begins where programs begin (`Scrt1.o` calls `main`), with nothing
    // undefined in it. The name of the loader is a section that `warpsim-driver` brings.
    for argument in
        ["-no-pie", "-shared", "-l:Scrt1.o", "-Wl,-e,_start", "-Wl,-z,defs", &version_script]
    {
        println!("cargo::rustc-link-arg-bin=warpsim={argument}");
    }
    for name in JIT_LINK {
        for (major, minor) in
            VERSIONS.iter().flat_map(|(major, n)| (0..*n).map(move |m| (major, m)))
        {
            let alias = format!("__nvJitLink{name}_{major}_{minor}=nvJitLink{name}");
            println!("cargo::rustc-link-arg-bin=warpsim=-Wl,--defsym={alias}");
        }
    }
    Ok(())
}

/// The folder of the headers that stand for CUDA's.
const HEADERS: &str = "src/clang/include";

/// Writes the list of these headers, by their paths in the folder, in order.
fn list_headers() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed={HEADERS}");
    let folder = Path::new(&env::var("CARGO_MANIFEST_DIR")?).join(HEADERS);
    let mut files = Vec::new();
    collect(&folder, &mut files)?;
    files.sort();
    let mut list = String::from("const HEADERS: &[(&str, &str)] = &[\n");
    for file in &files {
        let name = file.strip_prefix(&folder)?.to_str().ok_or("a name that is not UTF-8")?;
        let path = file.to_str().ok_or("a path that is not UTF-8")?;
        list += &format!("    ({name:?}, include_str!({path:?})),\n");
    }
    list += "];\n";
    fs::write(Path::new(&env::var("OUT_DIR")?).join("headers.rs"), list)?;
    Ok(())
}

/// The files of a folder, and of the folders in it.
fn collect(folder: &Path, files: &mut Vec<PathBuf>) -> Result<(), Box<dyn Error>> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        match path.is_dir() {
            true => collect(&path, files)?,
            false => files.push(path),
        }
    }
    Ok(())
}
