//! Programs and libraries with the runtime linked into them, run by `warpsim exec`.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking, in its helpers too")]
#![allow(clippy::print_stdout, reason = "a test that is skipped says so")]

use std::process::Command;

use super::exec::{exec, scratch, text};

/// What a runtime is linked into.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Form {
    Program,
    Stripped,
    Library,
}

/// A program or a library with a runtime linked into it: NVIDIA's where the environment says where
/// it is, else functions of the same names that do nothing but fail. `None`, and a message, where
/// there is no C compiler.
fn with_static_runtime(version: &str, form: Form) -> Option<String> {
    let source = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/exec/runtime.c");
    let symbols = include_str!("../../../driver-api/src/runtime/symbols.txt");
    let folder = scratch(&format!("exec_static_{version}_{form:?}"));
    std::fs::create_dir_all(&folder).unwrap();
    let (stubs, program) = (folder.join("stubs.c"), folder.join("program"));
    let theirs = std::env::var_os(format!("WARPSIM_TEST_CUDART_STATIC_{version}"));
    let mut cc = Command::new("cc");
    cc.args(["-w", &format!("-DCUDART={version}"), "-DIS_STATIC", source, "-o"]).arg(&program);
    match theirs {
        Some(library) => cc.arg(library).args(["-lpthread", "-ldl", "-lrt", "-lstdc++"]),
        None => {
            let stub = |line: &str| {
                let name = line.split(' ').next().unwrap();
                format!(
                    "__attribute__((noinline)) int {name}(volatile int *p) {{ int s = 0; for (int i = 0; i < 9; i++) s += i; return 999; }}\n"
                )
            };
            // The runtime of CUDA 11 had most of the functions of CUDA 12.
            let of = if version == "11" { "12" } else { version };
            let later = ["cudaGetDeviceProperties_v2 ", "cudaLibraryLoadData "];
            let is_later =
                |line: &&str| version == "11" && later.iter().any(|name| line.starts_with(name));
            let lines = symbols.lines().filter(|line| line.contains(of) && !is_later(line));
            std::fs::write(&stubs, lines.map(stub).collect::<String>()).unwrap();
            cc.arg("-O0").arg(&stubs)
        }
    };
    match form {
        Form::Program => {}
        Form::Stripped => {
            cc.arg("-s");
        }
        // Others see only `run` of it. So only code that is written over its functions takes their
        // place.
        Form::Library => {
            cc.args(["-shared", "-fPIC", "-fvisibility=hidden", "-DIS_LIBRARY"]);
        }
    }
    match cc.status() {
        Ok(status) => assert!(status.success(), "{source} does not compile"),
        Err(error) => {
            println!("skipped: no C compiler: {error}");
            return None;
        }
    }
    Some(program.display().to_string())
}

#[test]
#[cfg(target_arch = "x86_64")]
fn a_program_with_the_runtime_linked_into_it_runs_as_with_the_shared_one() {
    for version in ["11", "12", "13"] {
        let Some(program) = with_static_runtime(version, Form::Program) else { return };
        let run = exec(&[], &[&program]);
        let (out, err) = (text(&run.stdout), text(&run.stderr));
        assert_eq!(out, "the runtime is right\n", "{version}: {err}");
        assert_eq!(run.status.code(), Some(1), "{err}");
        assert!(err.ends_with("warpsim exec: 1 error in 5 launches\n"), "{err}");
        // Without its symbols nothing can be done for it.
        let Some(program) = with_static_runtime(version, Form::Stripped) else { return };
        let run = exec(&[], &[&program]);
        let err = text(&run.stderr);
        match std::env::var_os(format!("WARPSIM_TEST_CUDART_STATIC_{version}")) {
            Some(_) => {
                assert_eq!(run.status.code(), Some(3), "{err}");
                assert!(err.contains("nvcc -cudart shared"), "{err}");
            }
            // The functions that do nothing but fail were called.
            None => assert_ne!(text(&run.stdout), "the runtime is right\n"),
        }
    }
}

#[test]
#[cfg(target_arch = "x86_64")]
fn a_library_with_the_runtime_linked_into_it_is_met_when_it_is_loaded() {
    let (source, host) = (
        concat!(env!("CARGO_MANIFEST_DIR"), "/tests/exec/library.c"),
        scratch("exec_library").display().to_string(),
    );
    match Command::new("cc").args([source, "-o", &host, "-ldl"]).status() {
        Ok(status) => assert!(status.success(), "{source} does not compile"),
        Err(error) => return println!("skipped: no C compiler: {error}"),
    }
    for version in ["12", "13"] {
        let Some(library) = with_static_runtime(version, Form::Library) else { return };
        // `env` starts the program, and nothing says that it will load such a library.
        let run = exec(&[], &["env", "LD_PRELOAD=libcuda.so.1", &host, &library]);
        let (out, err) = (text(&run.stdout), text(&run.stderr));
        assert_eq!(out, "the runtime is right\n", "{version}: {err}");
        let run = exec(&[], &[&host, &library]);
        assert_ne!(text(&run.stdout), "the runtime is right\n", "{version}");
    }
}
