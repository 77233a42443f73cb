//! `warpsim exec FILE.cu`: clang compiles the device's part to PTX and the host's part to an object in which that PTX is
//! registered, and links it to this command as `libcudart`.
//!
//! CUDA's headers are not asked for: one of ours (`cuda.h` beside this file) is included before the file and stands for
//! `cuda_runtime.h`. It has the common language and the runtime's functions that warpsim has; what it lacks is an error
//! of the compiler that names it.

use std::env;
use std::ffi::OsStr;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

use warpsim_driver_core::fat_binary;

use crate::failure::Failure;

/// The header.
const HEADER: &str = include_str!("cuda.h");

/// What programs include that it stands for.
const STANDS_FOR: [&str; 4] =
    ["cuda_runtime.h", "cuda_runtime_api.h", "device_launch_parameters.h", "cuda.h"];

/// The compute capability and the version of PTX that are compiled for.
const DEVICE: [&str; 5] =
    ["--cuda-gpu-arch=sm_80", "-Xclang", "-target-feature", "-Xclang", "+ptx75"];

/// The newest and the oldest clang that are looked for by their versions; one without a version comes first.
const VERSIONS: std::ops::RangeInclusive<u32> = 14..=22;

/// Compiles FILE.cu; the program's path. `folder` holds this command as `libcudart.so`, and what is made here.
pub(super) fn build(file: &Path, folder: &Path) -> Result<PathBuf, Failure> {
    if !file.is_file() {
        return Err(Failure::usage(format!("cannot read {}: no such file", file.display())));
    }
    let clang = clang()?;
    let include = folder.join("include");
    let header = include.join("warpsim_cuda.h");
    let write = |path: &Path, bytes: &[u8]| fs::write(path, bytes).map_err(|e| failed(path, &e));
    fs::create_dir(&include).map_err(|error| failed(&include, &error))?;
    write(&header, HEADER.as_bytes())?;
    for name in STANDS_FOR {
        write(&include.join(name), b"#include \"warpsim_cuda.h\"\n")?;
    }
    let common = |mode: &str| {
        let mut command = Command::new(&clang);
        command.args(["-x", "cuda", "-nocudainc", "-nocudalib", "-std=c++17", "-O2", mode]);
        // Which functions a launch calls goes by the version of CUDA.
        command.args(["-Xclang", "-target-sdk-version=11.5", "-Wno-unknown-cuda-version"]);
        command.arg("-isystem").arg(&include).arg("-include").arg(&header);
        command
    };
    let (ptx, binary) = (folder.join("device.ptx"), folder.join("device.fatbin"));
    let mut device = common("--cuda-device-only");
    device.args(DEVICE).args(["-S", "-gline-tables-only", "-o"]).arg(&ptx).arg(file);
    run(&mut device, file)?;
    let text = fs::read(&ptx).map_err(|error| failed(&ptx, &error))?;
    write(&binary, &fat_binary(&text))?;
    let object = folder.join("host.o");
    let mut host = common("--cuda-host-only");
    host.args(["-Xclang", "-fcuda-include-gpubinary", "-Xclang"]).arg(&binary);
    host.args(["-g", "-c", "-o"]).arg(&object).arg(file);
    run(&mut host, file)?;
    let program = folder.join(file.file_stem().unwrap_or_else(|| OsStr::new("program")));
    let mut link = Command::new(&clang);
    link.arg(&object).arg("-o").arg(&program).arg("-L").arg(folder);
    link.args(["-lcudart", "-lpthread", "-ldl"]);
    run(&mut link, file)?;
    Ok(program)
}

fn failed(path: &Path, error: &io::Error) -> Failure {
    Failure::usage(format!("{}: {error}", path.display()))
}

/// The compiler says itself what is wrong.
fn run(command: &mut Command, file: &Path) -> Result<(), Failure> {
    let status = command.status().map_err(|error| failed(file, &error))?;
    match status.success() {
        true => Ok(()),
        false => Err(Failure::usage(format!("clang does not compile {}", file.display()))),
    }
}

/// A clang, by its path.
fn clang() -> Result<PathBuf, Failure> {
    let versioned = VERSIONS.rev().map(|version| format!("clang++-{version}"));
    let names: Vec<String> = std::iter::once("clang++".to_owned()).chain(versioned).collect();
    let folders = env::var_os("PATH").unwrap_or_default();
    let found = names.iter().find_map(|name| {
        env::split_paths(&folders).map(|folder| folder.join(name)).find(|path| path.is_file())
    });
    found.ok_or_else(|| Failure::Missing {
        message: "no clang to compile the file (clang++)".to_owned(),
        help: Some(
            "install clang 14 or later, or compile it elsewhere and run the program".to_owned(),
        ),
    })
}
