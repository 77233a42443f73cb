//! `warpsim nvcc`: make and CMake build a project of ours (`tests/project`). It also answers what
//! build systems ask of a compiler driver.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test fails by panicking, in its helpers too"
)]
#![allow(clippy::print_stdout, reason = "a test that is skipped says so")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use crate::exec::{exec, scratch, text};

const PROJECT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/project");

/// A toolkit's folder; `None` where no clang is that compiles CUDA.
fn toolkit(name: &str) -> Option<PathBuf> {
    let folder = scratch(&format!("nvcc toolkit {name}").replace(' ', "_"));
    let _ = fs::remove_dir_all(&folder);
    let warpsim = env!("CARGO_BIN_EXE_warpsim");
    let made = Command::new(warpsim).args(["nvcc", "--install"]).arg(&folder).output().unwrap();
    assert!(made.status.success(), "{}", text(&made.stderr));
    let empty = scratch(&format!("nvcc_empty_{name}.cu"));
    fs::write(&empty, "__global__ void k() {}\n").unwrap();
    let tried = nvcc(&folder, &["-ptx", empty.to_str().unwrap(), "-o", "/dev/null"]);
    if text(&tried.stderr).contains("no clang") {
        println!("skipped: {}", text(&tried.stderr));
        return None;
    }
    Some(folder)
}

fn nvcc(toolkit: &Path, arguments: &[&str]) -> Output {
    Command::new(toolkit.join("bin/nvcc")).args(arguments).output().unwrap()
}

/// A copy of the project, in which it is built.
fn project(name: &str) -> PathBuf {
    let folder = scratch(&format!("nvcc_project_{name}"));
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    for file in fs::read_dir(PROJECT).unwrap() {
        let file = file.unwrap();
        fs::copy(file.path(), folder.join(file.file_name())).unwrap();
    }
    folder
}

/// Builds by make and gives the program; the messages are in a failure.
fn make(toolkit: &Path, folder: &Path, more: &[&str]) -> PathBuf {
    let nvcc = format!("NVCC={}", toolkit.join("bin/nvcc").display());
    let built = Command::new("make").current_dir(folder).arg(&nvcc).args(more).output().unwrap();
    assert!(built.status.success(), "{}{}", text(&built.stdout), text(&built.stderr));
    folder.join("prog")
}

#[test]
fn a_project_with_a_makefile_is_built_and_its_device_code_of_several_files_is_linked() {
    let Some(toolkit) = toolkit("make") else { return };
    let program = make(&toolkit, &project("make"), &[]);
    let run = exec(&["--check"], &[program.to_str().unwrap()]);
    let (out, err) = (text(&run.stdout), text(&run.stderr));
    assert_eq!((run.status.code(), out.as_str()), (Some(0), "0 wrong\n"), "{err}");
    assert!(err.contains("no findings in "), "{err}");
    let program = make(&toolkit, &project("racy"), &["DEFINES=-DRACY"]);
    let run = exec(&["--check"], &[program.to_str().unwrap()]);
    let err = text(&run.stderr);
    assert_eq!(run.status.code(), Some(1), "{err}");
    let source = include_str!("../project/kernels.cu");
    let line = source.lines().position(|line| line.contains("area(tile[")).unwrap() + 1;
    assert!(err.contains("error[race]: ") && err.contains(&format!("kernels.cu:{line}")), "{err}");
}

#[test]
fn a_project_with_cmake_is_configured_and_built_without_a_change() {
    let Some(toolkit) = toolkit("cmake") else { return };
    if Command::new("cmake").arg("--version").output().is_err() {
        return println!("skipped: no cmake");
    }
    let folder = project("cmake");
    let run = |arguments: &[&str]| {
        let run = Command::new("cmake").current_dir(&folder).args(arguments).output().unwrap();
        assert!(run.status.success(), "{}{}", text(&run.stdout), text(&run.stderr));
    };
    let compiler = format!("-DCMAKE_CUDA_COMPILER={}", toolkit.join("bin/nvcc").display());
    run(&["-B", "build", &compiler, "-DCMAKE_CUDA_ARCHITECTURES=80"]);
    run(&["--build", "build"]);
    let program = folder.join("build/prog");
    let run = exec(&[], &[program.to_str().unwrap()]);
    assert_eq!(text(&run.stdout), "0 wrong\n", "{}", text(&run.stderr));
}

/// A command with the toolkit in the places where build systems look for one.
fn with_toolkit(toolkit: &Path, program: &str) -> Command {
    let mut command = Command::new(program);
    let path = std::env::var("PATH").unwrap_or_default();
    command.env("PATH", format!("{}:{path}", toolkit.join("bin").display()));
    command.env("CUDA_HOME", toolkit).env("CUDA_PATH", toolkit).env_remove("CUDA_ROOT");
    command
}

#[test]
fn a_project_with_meson_is_configured_and_built_without_a_change() {
    let Some(toolkit) = toolkit("meson") else { return };
    let there = |program: &str| Command::new(program).arg("--version").output().is_ok();
    if !there("meson") || !there("ninja") {
        return println!("skipped: no meson, or no ninja");
    }
    let folder = project("meson");
    for arguments in [["setup", "build"], ["compile", "-Cbuild"]] {
        let mut meson = with_toolkit(&toolkit, "meson");
        let run = meson.current_dir(&folder).args(arguments).output().unwrap();
        assert!(run.status.success(), "{}{}", text(&run.stdout), text(&run.stderr));
    }
    let program = folder.join("build/prog");
    let run = exec(&[], &[program.to_str().unwrap()]);
    assert_eq!(text(&run.stdout), "0 wrong\n", "{}", text(&run.stderr));
}

#[test]
fn the_toolkit_of_a_compiler_from_path_is_the_one_that_it_is_in() {
    let Some(toolkit) = toolkit("path") else { return };
    let file = format!("{PROJECT}/numbers.cu");
    let top = format!("#$ TOP={}\n", toolkit.display());
    let run = with_toolkit(&toolkit, "nvcc").args(["-dryrun", &file]).output().unwrap();
    let said = text(&run.stderr);
    assert!(said.contains(&top), "{said}");
    // By a link to it from somewhere else.
    let folder = scratch("nvcc_link_to_it");
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(folder.join("bin")).unwrap();
    let link = folder.join("bin/nvcc");
    std::os::unix::fs::symlink(toolkit.join("bin/nvcc"), &link).unwrap();
    let run = Command::new(&link).args(["-dryrun", &file]).output().unwrap();
    let said = text(&run.stderr);
    assert!(said.contains(&top), "{said}");
}

#[test]
fn programs_that_build_systems_start_and_link_by_paths_find_the_libraries() {
    let Some(toolkit) = toolkit("started") else { return };
    let (source, program) = (scratch("nvcc_started.cu"), scratch("nvcc_started"));
    fs::write(&source, "int main() { int n = 0; cudaGetDeviceCount(&n); return n != 1; }\n")
        .unwrap();
    let (source, program) = (source.to_str().unwrap(), program.to_str().unwrap());
    let made = nvcc(&toolkit, &[source, "-o", program]);
    assert!(made.status.success(), "{}", text(&made.stderr));
    // Without `warpsim exec`: there is a device.
    let run = Command::new(program).env_remove("LD_LIBRARY_PATH").output().unwrap();
    assert_eq!(run.status.code(), Some(0), "{}", text(&run.stderr));
    // As CMake and Meson link C++: the archive by its path, and no folder.
    let archive = toolkit.join("targets/x86_64-linux/lib/libcudart_static.a");
    if !archive.is_file() {
        return println!("skipped: another machine's folder");
    }
    let object = scratch("nvcc_started.o");
    let made = nvcc(&toolkit, &["-c", source, "-o", object.to_str().unwrap()]);
    assert!(made.status.success(), "{}", text(&made.stderr));
    let mut linker = Command::new("g++");
    let linked = linker.arg(&object).arg(&archive).args(["-o", program]).output().unwrap();
    assert!(linked.status.success(), "{}", text(&linked.stderr));
    let run = exec(&[], &[program]);
    assert_eq!(run.status.code(), Some(0), "{}", text(&run.stderr));
    // GoogleTest's CMake starts programs while it builds, to list their tests.
    let run = Command::new(program).env_remove("LD_LIBRARY_PATH").output().unwrap();
    assert_eq!(run.status.code(), Some(0), "{}", text(&run.stderr));
}

#[test]
fn sources_compile_in_each_standard_and_for_architectures_that_clang_may_not_know() {
    let Some(toolkit) = toolkit("standards") else { return };
    let (source, object) = (scratch("nvcc_standards.cu"), scratch("nvcc_standards.o"));
    let code = "#include <cooperative_groups.h>\n#include <cublas_v2.h>\n#include <curand_kernel.h>\n\
                #include <cufft.h>\n#include <cuda_fp16.h>\n#include <map>\n\
                template <class... T> struct all { alignas(T...) char bytes[16]; };\n\
                static_assert(alignof(all<char, double>) == alignof(double), \"\");\n\
                static_assert(alignof(all<>) == 1, \"\");\n\
                struct alignas(16) vector { float x; };\n\
                static_assert(alignof(vector) == 16, \"\");\n\
                __global__ void k(int *p) { *p = 1; }\n";
    fs::write(&source, code).unwrap();
    let made = |more: &str| {
        let (from, to) = (source.to_str().unwrap(), object.to_str().unwrap());
        let made = nvcc(&toolkit, &["-c", from, "-o", to, more]);
        assert!(made.status.success(), "{more}: {}", text(&made.stderr));
        text(&made.stderr)
    };
    for standard in ["c++11", "c++14", "c++17", "c++20"] {
        assert_eq!(made(&format!("-std={standard}")), "");
    }
    for architecture in ["sm_100", "sm_101", "sm_103", "sm_120", "sm_121", "all", "native"] {
        let said = made(&format!("-arch={architecture}"));
        let told = format!(
            "nvcc: note: {architecture}: this clang does not have it; using sm_90 instead\n"
        );
        assert!(said.is_empty() || said == told, "{said}");
    }
    // Device code alone flushes: the host's pass has no word to say.
    assert_eq!(made("-use_fast_math"), "");
}

#[test]
fn several_files_of_exec_become_one_program() {
    let file = |name: &str| format!("{PROJECT}/{name}");
    let files = ["main.cpp", "kernels.cu", "shapes.cu", "numbers.cu"].map(file);
    let mut options: Vec<&str> = files.iter().map(String::as_str).collect();
    options.push("--check");
    let run = exec(&options, &[]);
    let (out, err) = (text(&run.stdout), text(&run.stderr));
    match run.status.code() {
        Some(4) => println!("skipped: {err}"),
        code => assert_eq!((code, out.as_str()), (Some(0), "0 wrong\n"), "{err}"),
    }
}

#[test]
fn managed_variables_are_the_same_on_both_sides() {
    let source = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/exec/managed.cu");
    let run = exec(&["--check", source], &[]);
    let (out, err) = (text(&run.stdout), text(&run.stderr));
    match run.status.code() {
        Some(4) => println!("skipped: {err}"),
        code => assert_eq!((code, out.as_str()), (Some(0), "0 wrong\n"), "{err}"),
    }
}

#[test]
fn each_phase_makes_what_it_says() {
    let Some(toolkit) = toolkit("phases") else { return };
    let folder = project("phases");
    let at = |name: &str| folder.join(name).display().to_string();
    let begins = |name: &str, with: &[u8]| {
        let bytes = fs::read(folder.join(name)).unwrap();
        assert!(bytes.starts_with(with), "{name}: {:?}", &bytes[..16.min(bytes.len())]);
    };
    let made = |arguments: &[&str]| {
        let made = nvcc(&toolkit, arguments);
        assert!(made.status.success(), "{arguments:?}: {}", text(&made.stderr));
        made
    };
    let numbers = at("numbers.cu");
    made(&["-ptx", "-rdc=true", &numbers, "-o", &at("n.ptx")]);
    assert!(fs::read_to_string(at("n.ptx")).unwrap().contains(".visible .func"));
    made(&["-fatbin", &numbers, "-o", &at("n.fatbin")]);
    begins("n.fatbin", &0xba55_ed50u32.to_le_bytes());
    made(&["-cubin", &numbers, "-o", &at("n.cubin")]);
    begins("n.cubin", b"\x7fPTX");
    let (object, rules) = (at("n.o"), at("n.d"));
    made(&["-MD", "-MF", &rules, "-MT", "target", "-dc", &numbers, "-o", &object]);
    begins("n.o", b"\x7fELF");
    let rule = fs::read_to_string(&rules).unwrap();
    assert!(rule.starts_with("target:") && rule.contains("project.h"), "{rule}");
    made(&["-dlink", &object, "-o", &at("linked.o")]);
    begins("linked.o", b"\x7fELF");
    made(&["-lib", &object, "-o", &at("n.a")]);
    begins("n.a", b"!<arch>\n");
    let text_of = made(&["-E", &numbers]);
    assert!(text(&text_of.stdout).contains("square(float x)"));
    let rules = made(&["-M", &numbers]);
    assert!(text(&rules.stdout).contains("cuda_runtime.h"), "{}", text(&rules.stdout));
}

#[test]
fn build_systems_learn_the_version_the_places_and_the_line_that_links() {
    let Some(toolkit) = toolkit("asked") else { return };
    let version = text(&nvcc(&toolkit, &["--version"]).stdout);
    assert!(version.contains("nvcc: NVIDIA (R) Cuda compiler driver"), "{version}");
    assert!(version.contains("release 12.9, V12.9.86"), "{version}");
    let shown = nvcc(&toolkit, &["--dryrun", &format!("{PROJECT}/numbers.cu")]);
    let shown = text(&shown.stderr);
    let top = format!("#$ TOP={}", toolkit.display());
    assert!(shown.contains(&top), "{shown}");
    let libraries = shown.lines().find_map(|line| line.strip_prefix("#$ LIBRARIES=")).unwrap();
    let link = shown.lines().last().unwrap();
    assert!(link.contains(libraries) && link.contains("-lcudart_static"), "{shown}");
    let architectures = text(&nvcc(&toolkit, &["--list-gpu-arch"]).stdout);
    assert!(architectures.contains("compute_80\n"), "{architectures}");
}

#[test]
fn wrong_command_lines_say_what_and_what_else_there_is() {
    let Some(toolkit) = toolkit("wrong") else { return };
    let said = |arguments: &[&str]| {
        let run = nvcc(&toolkit, arguments);
        assert_eq!(run.status.code(), Some(1), "{arguments:?}");
        text(&run.stderr)
    };
    assert!(said(&["-relocatable-device-cod=true"]).contains("-relocatable-device-code"));
    assert!(said(&[]).contains("no input files"));
    assert!(said(&["no_such.cu"]).contains("cannot read no_such.cu: no such file"));
    assert!(said(&["a.cu", "b.cu", "-c", "-o", "x.o"]).contains("no such file"));
    let numbers = format!("{PROJECT}/numbers.cu");
    let two = said(&["-c", &numbers, &numbers, "-o", "x.o"]);
    assert!(two.contains("-o names one file, but there are several outputs"), "{two}");
    assert!(said(&["-arch=sm_81", &numbers]).contains("compute_N, sm_N"));
    // Build systems try what there is.
    for option in ["--no-such-option", "-fno-such-option"] {
        let refused =
            said(&["-forward-unknown-to-host-compiler", option, "-c", &numbers, "-o", "/dev/null"]);
        assert!(refused.contains(&format!("unknown option '{option}'")), "{refused}");
    }
    let folder = scratch("nvcc_not_ours");
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("theirs"), "").unwrap();
    let refused = said(&["--install", folder.to_str().unwrap()]);
    assert!(refused.contains("this folder holds other files"), "{refused}");
}

/// Seconds of processor time that one run of a command line of the shell takes.
fn seconds(command: &str) -> f64 {
    let line = format!("{{ {command}; }} >/dev/null 2>&1 && times");
    let run = Command::new("bash").args(["-c", &line]).output().unwrap();
    assert!(run.status.success(), "{command}: {}", text(&run.stderr));
    // The second line is of the shell's children: `0m1.234s 0m0.056s`.
    let said = text(&run.stdout);
    let parts = said.lines().nth(1).unwrap().split_whitespace();
    parts
        .map(|part| {
            let (minutes, seconds) = part.trim_end_matches('s').split_once('m').unwrap();
            60.0 * minutes.parse::<f64>().unwrap() + seconds.parse::<f64>().unwrap()
        })
        .sum()
}

#[test]
fn a_file_is_compiled_in_less_than_one_and_a_half_times_the_time_of_its_two_passes_by_clang() {
    let Some(toolkit) = toolkit("time") else { return };
    let source = concat!(env!("CARGO_MANIFEST_DIR"), "/../programs/cu/vector_add.cu");
    let object = scratch("nvcc_time.o");
    let object = object.to_str().unwrap();
    let shown = nvcc(&toolkit, &["-dryrun", "-O2", "-c", "-o", object, source]);
    let said = text(&shown.stderr);
    let passes: Vec<&str> = said
        .lines()
        .filter_map(|line| line.strip_prefix("#$ "))
        .filter(|line| line.contains("--cuda-device-only") || line.contains("--cuda-host-only"))
        .collect();
    let [device, host] = passes[..] else { panic!("{said}") };
    // Where the passes write: a folder that was there for the time of the command.
    let word = device.split_whitespace().find(|word| word.ends_with("device.ptx")).unwrap();
    let folder = Path::new(word).parent().unwrap();
    fs::create_dir_all(folder).unwrap();
    fs::write(folder.join("device.fatbin"), "what is in it takes no time").unwrap();
    let passes = format!("{device} && {host}");
    let command = format!("{}/bin/nvcc -O2 -c -o {object} {source}", toolkit.display());
    // A busy neighbour makes a run slower, never faster. So both run in turns, and the fastest of
    // each counts. More rounds follow only while the answer is no.
    let (mut own, mut all) = (f64::INFINITY, f64::INFINITY);
    for round in 0..12 {
        own = own.min(seconds(&passes));
        all = all.min(seconds(&command));
        if round >= 2 && all < 1.5 * own {
            break;
        }
    }
    fs::remove_dir_all(folder).unwrap();
    println!("vector_add.cu: nvcc {all:.2} s, clang's two passes {own:.2} s of processor time");
    assert!(all < 1.5 * own, "nvcc took {all:.2} s, clang's two passes {own:.2} s");
}
