//! Programs that use the driver API, run unchanged by `warpsim exec`.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test fails by panicking, in its helpers too"
)]
#![allow(clippy::print_stdout, reason = "a test that is skipped says so, and a program prints")]

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// `warpsim exec OPTIONS -- PROGRAM`.
pub(crate) fn exec(options: &[&str], program: &[&str]) -> Output {
    let warpsim = env!("CARGO_BIN_EXE_warpsim");
    let arguments = [&["exec"], options, &["--"], program].concat();
    Command::new(warpsim).args(arguments).stdin(Stdio::null()).output().unwrap()
}

pub(crate) fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

pub(crate) fn scratch(name: &str) -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join(name)
}

/// The C program, compiled; `None`, and a message, where there is no C compiler.
fn c_client(name: &str) -> Option<String> {
    compiled("client", name)
}

/// Another one.
pub(crate) fn c_program(source: &str) -> Option<String> {
    compiled(source, &format!("exec_{source}"))
}

fn compiled(source: &str, name: &str) -> Option<String> {
    let source = &format!("{}/tests/exec/{source}.c", env!("CARGO_MANIFEST_DIR"));
    let program = scratch(name);
    // It appears whole under its name: tests that run side by side have the same program.
    let beside = tempfile::NamedTempFile::new_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let beside = beside.into_temp_path();
    let compiled = Command::new("cc")
        .args(["-w", source, "-o"])
        .arg(&beside)
        .args(["-ldl", "-lpthread"])
        .status();
    match compiled {
        Ok(status) if status.success() => {
            let mut all = std::fs::metadata(&beside).unwrap().permissions();
            std::os::unix::fs::PermissionsExt::set_mode(&mut all, 0o755);
            std::fs::set_permissions(&beside, all).unwrap();
            beside.persist(&program).unwrap();
            Some(program.display().to_string())
        }
        Ok(_) => panic!("{source} does not compile"),
        Err(error) => {
            println!("skipped: no C compiler: {error}");
            None
        }
    }
}

#[test]
fn a_c_program_runs_unchanged_and_its_output_and_exit_code_are_its_own() {
    let Some(client) = c_client("exec_client") else { return };
    let run = exec(&[], &[&client]);
    let (out, err) = (text(&run.stdout), text(&run.stderr));
    assert_eq!(run.status.code(), Some(0), "{out}{err}");
    let wanted = "compute capability 9, 132 multiprocessors\n1000 sums are right\nthe last thread wrote 63\n\
                  shared memory is right\nthreads and callbacks are right\nmistakes are errors\n";
    assert_eq!(out, wanted);
    assert_eq!(err, "warpsim does not support cuIpcGetMemHandle\n");
    let small = exec(&["--device", "a100"], &[&client, "seven"]);
    assert_eq!(small.status.code(), Some(7), "{}", text(&small.stderr));
    assert!(text(&small.stdout).starts_with("compute capability 8, 108 multiprocessors\n"));
}

#[test]
fn a_race_is_found_in_the_racy_program_and_nothing_in_its_clean_twin() {
    let Some(client) = c_client("exec_twins") else { return };
    let clean = exec(&["--check"], &[&client, "clean"]);
    assert_eq!(clean.status.code(), Some(0), "{}", text(&clean.stderr));
    assert_eq!(text(&clean.stderr), "warpsim exec: no findings in 4 launches\n");
    let report = scratch("exec_report.json");
    let options = ["--check", "--error-exitcode", "9", "--report", &report.display().to_string()];
    let racy = exec(&options, &[&client, "racy"]);
    let err = text(&racy.stderr);
    assert_eq!(racy.status.code(), Some(9), "{err}");
    assert!(err.starts_with("error[race]: read-write race on shared memory `cell`+0xfc"), "{err}");
    assert!(err.contains("kernel `last`, 3 launches, first in launch 2"), "{err}");
    assert!(err.ends_with("warpsim exec: 1 error in 4 launches\n"), "{err}");
    let document: serde_json::Value =
        serde_json::from_slice(&std::fs::read(&report).unwrap()).unwrap();
    assert_eq!((&document["exit"], &document["launches"]), (&0.into(), &4.into()));
    let finding = &document["findings"][0];
    assert_eq!((&finding["code"], &finding["hazard"]), (&"race".into(), &"RAW".into()));
    assert_eq!((&finding["kernel"], &finding["launches"]), (&"last".into(), &3.into()));
    // What is allowed does not count, and a race is nothing that stops a program.
    for options in [&["--check", "--allow", "race"][..], &[]] {
        let run = exec(options, &[&client, "racy"]);
        assert_eq!(run.status.code(), Some(0), "{}", text(&run.stderr));
    }
}

#[test]
fn a_fault_is_told_with_its_kernel_and_every_call_is_logged() {
    let Some(client) = c_client("exec_fault") else { return };
    let log = scratch("exec_log.json");
    let run = exec(&["--log", &log.display().to_string()], &[&client, "fault"]);
    let err = text(&run.stderr);
    assert_eq!(run.status.code(), Some(1), "{err}");
    assert!(err.starts_with("error[out-of-bounds]: "), "{err}");
    assert!(err.contains("kernel `add`, launch 1"), "{err}");
    assert_eq!(text(&run.stdout).lines().last(), Some("a fault stayed, and was reset"));
    let calls = std::fs::read_to_string(&log).unwrap();
    let calls: Vec<serde_json::Value> =
        calls.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    // Before cuInit nothing is logged, because cuInit opens the log.
    assert_eq!(calls[0]["call"], "cuInit");
    let failed = calls.iter().find(|call| call["call"] == "cuCtxSynchronize").unwrap();
    assert_eq!(failed["result"], "CUDA_ERROR_ILLEGAL_ADDRESS");
}

#[test]
fn arrays_textures_and_surfaces_are_those_that_the_structures_say() {
    let Some(program) = c_program("pictures") else { return };
    for options in [&[][..], &["--check"]] {
        let run = exec(options, &[&program]);
        let (out, err) = (text(&run.stdout), text(&run.stderr));
        assert_eq!((run.status.code(), out.as_str()), (Some(0), "pictures are right\n"), "{err}");
        assert!(!err.contains("error") && !err.contains("support"), "{err}");
    }
}

#[test]
fn what_programs_find_by_its_name_does_what_the_documentation_says() {
    let Some(program) = c_program("names") else { return };
    let picture = scratch("exec_names.dot").display().to_string();
    for options in [&[][..], &["--check"]] {
        let run = exec(options, &[&program, &picture]);
        let (out, err) = (text(&run.stdout), text(&run.stderr));
        assert_eq!((run.status.code(), out.as_str()), (Some(0), "all names are right\n"), "{err}");
        assert!(!err.contains("error["), "{err}");
        // What is refused is named, and what to do about it.
        assert!(err.contains("which `cuda.h` calls by this name"), "{err}");
        assert!(err.contains("contexts with an execution affinity"), "{err}");
        assert_eq!(err.matches("does not support").count(), 2, "{err}");
    }
}

#[test]
fn memory_is_mapped_piece_by_piece_and_what_goes_wrong_there_is_found() {
    let Some(program) = c_program("memory") else { return };
    let run = |options: &[&str], what: &str| {
        let run = exec(options, &[&program, what]);
        (run.status.code(), text(&run.stdout), text(&run.stderr))
    };
    let right = (Some(0), "memory is right\n".to_owned());
    for options in [&[][..], &["--check"]] {
        let (code, out, err) = run(options, "");
        assert_eq!((code, out), right, "{err}");
        assert!(!err.contains("error") && !err.contains("not freed"), "{err}");
    }
    let (code, _, err) = run(&["--check"], "racy");
    assert_eq!(code, Some(1), "{err}");
    assert!(err.contains("error[race]") && err.contains("the launch of `fill` in stream"), "{err}");
    let (code, out, err) = run(&[], "unmapped");
    assert_eq!((code, out.as_str()), (Some(1), "a fault stayed\n"), "{err}");
    assert!(err.contains("error[out-of-bounds]"), "{err}");
    let (code, out, err) = run(&["--check"], "leak");
    assert_eq!((code, out), right, "{err}");
    assert!(err.contains("2097152 bytes"), "{err}");
}

#[test]
fn what_cannot_be_asked_for_is_a_usage_error_and_a_program_without_cuda_is_left_alone() {
    let run = exec(&[], &["/no/such/program"]);
    assert_eq!(run.status.code(), Some(2));
    assert!(text(&run.stderr).contains("cannot start /no/such/program"), "{}", text(&run.stderr));
    let run = exec(&["--schedule", "sideways"], &["true"]);
    assert_eq!(run.status.code(), Some(2), "{}", text(&run.stderr));
    let run = exec(&[], &["sh", "-c", "echo out; echo err >&2; exit 5"]);
    assert_eq!(run.status.code(), Some(5));
    assert_eq!((text(&run.stdout), text(&run.stderr)), ("out\n".to_owned(), "err\n".to_owned()));
    let run = exec(&[], &["sh", "-c", "kill -TERM $$"]);
    assert_eq!(run.status.code(), Some(128 + 15));
}

/// A C program on the runtime API, linked to the library with this name; `None`, and a message,
/// where there is no C compiler.
pub(crate) fn runtime_client(name: &str, version: &str) -> Option<String> {
    let source = &format!("{}/tests/exec/{name}.c", env!("CARGO_MANIFEST_DIR"));
    let folder = scratch(&format!("exec_{name}_{version}"));
    let soname = format!("libcudart.so.{version}");
    let (library, program) = (folder.join(&soname), folder.join(name));
    std::fs::create_dir_all(&folder).unwrap();
    let _ = std::fs::remove_file(&library);
    // NVIDIA's library where there is one, which says which versions of symbols a program asks for;
    // else this one, which is to the linker what that is.
    match std::env::var_os(format!("WARPSIM_TEST_CUDART_{version}")) {
        Some(theirs) => std::os::unix::fs::symlink(theirs, &library).unwrap(),
        None => std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_warpsim"), &library).unwrap(),
    }
    let mut cc = Command::new("cc");
    cc.args(["-g", "-w", &format!("-DCUDART={version}"), source, "-o"]).arg(&program);
    match cc.arg("-L").arg(&folder).arg(format!("-l:{soname}")).status() {
        Ok(status) => assert!(status.success(), "{source} does not compile"),
        Err(error) => {
            println!("skipped: no C compiler: {error}");
            return None;
        }
    }
    Some(program.display().to_string())
}

#[test]
fn a_program_linked_to_the_runtime_with_kernels_registered_runs_unchanged() {
    for version in ["12", "13"] {
        let Some(program) = runtime_client("runtime", version) else { return };
        let run = exec(&[], &[&program]);
        let (out, err) = (text(&run.stdout), text(&run.stderr));
        assert_eq!(out, "the runtime is right\n", "{version}: {err}");
        // The fault that it plants is found.
        assert_eq!(run.status.code(), Some(1), "{err}");
        assert!(err.starts_with("error[out-of-bounds]: ") && !err.contains("version"), "{err}");
        assert!(err.ends_with("warpsim exec: 1 error in 5 launches\n"), "{err}");
    }
}

#[test]
fn what_a_program_makes_with_ptxas_nvjitlink_and_nvrtc_is_loaded() {
    let source = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/exec/linker.c");
    let folder = scratch("exec_linker");
    let (library, program) = (folder.join("libnvJitLink.so.12"), folder.join("linker"));
    std::fs::create_dir_all(&folder).unwrap();
    let _ = std::fs::remove_file(&library);
    std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_warpsim"), &library).unwrap();
    let mut cc = Command::new("cc");
    cc.args(["-w", source, "-o"]).arg(&program).arg("-L").arg(&folder);
    match cc.args(["-l:libnvJitLink.so.12", "-ldl"]).status() {
        Ok(status) => assert!(status.success(), "{source} does not compile"),
        Err(error) => return println!("skipped: no C compiler: {error}"),
    }
    let run = |nvrtc: &str| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_warpsim"));
        command.args(["exec", "--"]).arg(&program);
        match nvrtc {
            "" => command.output().unwrap(),
            nvrtc => command.env("WARPSIM_NVRTC", nvrtc).output().unwrap(),
        }
    };
    let without = run("none");
    let (out, err) = (text(&without.stdout), text(&without.stderr));
    assert_eq!(out, "nvJitLink and ptxas: 42\nNVRTC: NVRTC is not installed\n", "{err}");
    assert_eq!(err, "warpsim: NVRTC is not installed here: pip install nvidia-cuda-nvrtc\n");
    assert_eq!(without.status.code(), Some(0));
    // Where NVRTC is, it is asked, and its machine code is loaded, too.
    let with = run("");
    let (out, err) = (text(&with.stdout), text(&with.stderr));
    assert_eq!(with.status.code(), Some(0), "{out}{err}");
    match err.contains("NVRTC is not installed") {
        true => println!("skipped: {err}"),
        false => assert!(out.ends_with("NVRTC 12 or later: 42\n"), "{out}{err}"),
    }
}

#[test]
fn every_function_comes_back_from_calls_with_nothing_but_zeros_by_several_threads() {
    let source = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/exec/nulls.c");
    let program = scratch("exec_nulls");
    let cc = Command::new("cc")
        .args(["-w", source, "-o"])
        .arg(&program)
        .args(["-ldl", "-lpthread"])
        .status();
    match cc {
        Ok(status) => assert!(status.success(), "{source} does not compile"),
        Err(error) => return println!("skipped: no C compiler: {error}"),
    }
    // One gives a structure, for which the caller has to have room.
    let is_called = |name: &&str| !name.contains('@') && *name != "cudaCreateChannelDesc";
    let names: Vec<&str> = warpsim_driver::functions().keys().copied().filter(is_called).collect();
    let list = scratch("exec_nulls.txt");
    std::fs::write(&list, names.join("\n")).unwrap();
    let run = Command::new(env!("CARGO_BIN_EXE_warpsim"))
        .args(["exec", "--", program.to_str().unwrap()])
        .stdin(std::fs::File::open(&list).unwrap())
        .output()
        .unwrap();
    let (out, err) = (text(&run.stdout), text(&run.stderr));
    assert_eq!(run.status.code(), Some(0), "{out}{err}");
    assert_eq!(out, format!("{} functions, all of which came back\n", names.len()));
    assert!(!err.contains("bug in warpsim"), "{err}");
}

#[test]
fn graphs_go_as_their_edges_say_and_what_no_edge_orders_is_a_race() {
    let Some(program) = runtime_client("graphs", "12") else { return };
    for options in [&[][..], &["--check"]] {
        let run = exec(options, &[&program]);
        let (out, err) = (text(&run.stdout), text(&run.stderr));
        assert_eq!((run.status.code(), out.as_str()), (Some(0), "graphs are right\n"), "{err}");
        let wanted =
            if options.is_empty() { "" } else { "warpsim exec: no findings in 12 launches\n" };
        assert_eq!(err, wanted);
    }
    for left_out in ["edge", "racy"] {
        let run = exec(&["--check"], &[&program, left_out]);
        let err = text(&run.stderr);
        assert_eq!(run.status.code(), Some(1), "{left_out}: {err}");
        assert!(err.contains("error[race]: "), "{left_out}: {err}");
    }
}

#[test]
fn a_graph_allocates_what_it_uses_and_a_library_has_its_kernels() {
    for version in ["12", "13"] {
        let Some(program) = runtime_client("graph_memory", version) else { return };
        for options in [&[][..], &["--check"]] {
            let run = exec(options, &[&program]);
            let (out, err) = (text(&run.stdout), text(&run.stderr));
            assert_eq!(out, "graphs that allocate are right\n", "{err}");
            assert_eq!(run.status.code(), Some(0), "{err}");
            assert!(!err.contains("error") && !err.contains("not supported"), "{err}");
        }
    }
    let Some(program) = runtime_client("graph_memory", "13") else { return };
    let racy = exec(&["--check"], &[&program, "racy"]);
    let err = text(&racy.stderr);
    assert_eq!(racy.status.code(), Some(1), "{err}");
    assert!(err.contains("error[race]: "), "{err}");
    // What is used when it is freed is an address that nothing has.
    let early = exec(&[], &[&program, "early"]);
    let err = text(&early.stderr);
    assert_ne!(early.status.code(), Some(0), "{err}");
    assert!(err.contains("error[out-of-bounds]"), "{err}");
    // Where launches are checked it is known whose address that was.
    let early = exec(&["--check"], &[&program, "early"]);
    let err = text(&early.stderr);
    assert!(err.contains("error[use-after-free]: ") && err.contains("after it was freed"), "{err}");
}

/// Runs a program of `shared.c`. Returns its exit code, its output, and standard error.
fn shared(options: &[&str], what: &[&str]) -> Option<(Option<i32>, String, String)> {
    // Tests run side by side: it is compiled once, and not while another one runs it.
    static PROGRAM: std::sync::OnceLock<Option<String>> = std::sync::OnceLock::new();
    let program = PROGRAM.get_or_init(|| runtime_client("shared", "13")).as_deref()?;
    let run = exec(options, &[&[program], what].concat());
    Some((run.status.code(), text(&run.stdout), text(&run.stderr)))
}

#[test]
fn what_a_thread_writes_beside_a_kernel_stays() {
    for options in [&[][..], &["--check"]] {
        let Some((code, out, err)) = shared(options, &["beside"]) else { return };
        assert_eq!((code, out.as_str()), (Some(0), "nothing is lost\n"), "{err}");
    }
}

#[test]
fn an_asynchronous_copy_takes_pageable_memory_when_the_program_calls() {
    for options in [&[][..], &["--check"]] {
        let Some((code, out, err)) = shared(options, &["staged"]) else { return };
        assert_eq!((code, out.as_str()), (Some(0), "1 7\n"), "{err}");
    }
}

#[test]
fn what_a_program_frees_after_a_fault_is_not_told_as_a_leak() {
    let Some((code, out, err)) = shared(&["--check"], &["fault"]) else { return };
    assert_eq!((code, out.as_str()), (Some(1), "5 calls failed\n"), "{err}");
    assert!(err.contains("error[out-of-bounds]") && !err.contains("not freed"), "{err}");
}

#[test]
fn a_host_that_overwrites_what_the_device_may_still_read_races_unless_it_may_know_better() {
    for kind in ["locked", "managed", "registered"] {
        for (by, who) in
            [("kernel", "the launch of `use` in stream"), ("copy", "the copy in stream")]
        {
            for how in ["nothing", "wait", "query", "event", "function", "learn"] {
                let Some((code, out, err)) = shared(&["--check"], &[kind, by, how]) else { return };
                assert_eq!(out, "0 words are wrong\n", "{kind} {by} {how}: {err}");
                let is_racy = how == "nothing";
                assert_eq!(code, Some(i32::from(is_racy)), "{kind} {by} {how}: {err}");
                if is_racy {
                    assert_eq!(err.matches("error[").count(), 1, "{err}");
                    assert!(
                        err.starts_with("error[race]: write-read race on global memory"),
                        "{err}"
                    );
                    assert!(err.contains(who) && err.contains("and the host's write"), "{err}");
                    assert!(err.contains("the host wrote between its calls from rounds"), "{err}");
                    assert!(err.contains("before it writes"), "{err}");
                }
            }
        }
    }
}

#[test]
fn the_assembler_that_programs_find_says_what_is_wrong_as_nvidias_does() {
    let folder = scratch("exec_ptxas");
    std::fs::create_dir_all(&folder).unwrap();
    let at = |name: &str| folder.join(name).display().to_string();
    std::fs::write(at("wrong.ptx"), ".version 8.0\n.target sm_80\n.visible .entry k( { ret; }\n")
        .unwrap();
    let wrong = exec(&[], &["ptxas", &at("wrong.ptx"), "-o", &at("wrong.cubin")]);
    assert_eq!(wrong.status.code(), Some(255));
    let err = text(&wrong.stderr);
    assert!(err.starts_with(&format!("ptxas {}, line 3; error   : ", at("wrong.ptx"))), "{err}");
    assert!(err.contains("ptxas fatal   : Ptx assembly aborted due to errors"), "{err}");
    assert!(!folder.join("wrong.cubin").exists());
    let missing = exec(&[], &["ptxas", "--gpu-name=sm_90", "/no/such.ptx", "--output-file=x"]);
    assert_eq!(missing.status.code(), Some(255));
    let err = text(&missing.stderr);
    assert!(err.starts_with("ptxas fatal   : Could not open input file '/no/such.ptx'"), "{err}");
    // Programs take the version of their PTX from this.
    let version = text(&exec(&[], &["ptxas", "--version"]).stdout);
    assert!(version.contains("release 12.9,"), "{version}");
}

#[test]
fn a_cu_file_with_its_host_code_is_compiled_and_run_and_a_planted_race_is_found_at_its_line() {
    let source = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/exec/sum.cu");
    let warpsim = env!("CARGO_BIN_EXE_warpsim");
    let exec =
        |arguments: &[&str]| Command::new(warpsim).arg("exec").args(arguments).output().unwrap();
    let run = exec(&["--check", source]);
    let (out, err) = (text(&run.stdout), text(&run.stderr));
    if run.status.code() == Some(4) {
        assert!(err.contains("no clang"), "{err}");
        return println!("skipped: {err}");
    }
    assert_eq!(run.status.code(), Some(0), "{out}{err}");
    // 10,000 ones, each twice.
    assert_eq!(out, "block 0 of 4\n20000\n", "{err}");
    let leaked = "note: 2 pieces of device memory (40004 bytes) not freed when the program ended\n";
    assert_eq!(err, format!("{leaked}warpsim exec: no findings in 1 launch\n"));
    let sound = std::fs::read_to_string(source).unwrap();
    let barrier = "cell[t] = s;\n    __syncthreads();";
    let line = 1 + sound.lines().position(|line| line.contains("cell[t] = s;")).unwrap();
    let racy = scratch("racy_sum.cu");
    std::fs::write(&racy, sound.replacen(barrier, "cell[t] = s;\n", 1)).unwrap();
    let run = exec(&["--check", racy.to_str().unwrap()]);
    let err = text(&run.stderr);
    assert_eq!(run.status.code(), Some(1), "{err}");
    assert!(err.contains("error[race]: "), "{err}");
    assert!(err.contains(&format!("racy_sum.cu:{line} ")), "{err}");
    let kept = scratch("exec_kept");
    let run = exec(&["-o", kept.to_str().unwrap(), source]);
    assert_eq!(run.status.code(), Some(0), "{}", text(&run.stderr));
    let again = exec(&["--", kept.to_str().unwrap()]);
    assert_eq!(text(&again.stdout), "block 0 of 4\n20000\n");
    let missing = exec(&["no_such_file.cu"]);
    assert_eq!(missing.status.code(), Some(2));
}

#[test]
fn the_backend_for_gpus_runs_on_the_simulator_and_agrees_with_it() {
    let warpsim = env!("CARGO_BIN_EXE_warpsim");
    let ptx = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/cmd/input/linked.ptx");
    let library = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/cmd/input/linked_atomic.ptx");
    let launch = ["--kernel", "sum", "--block", "4", "--arg", "u32[4]=iota", "--link", library];
    let run = exec(&[], &[&[warpsim, "compare", ptx][..], &launch].concat());
    let (out, err) = (text(&run.stdout), text(&run.stderr));
    assert_eq!(run.status.code(), Some(0), "{out}{err}");
    assert!(out.contains("the simulator and warpsim h200 (sm_90)"), "{out}");
    assert!(out.lines().any(|line| line.ends_with("equal")), "{out}");
}

/// Libraries are loaded from the temporary folder, so nobody else may write to it, whatever the
/// umask is.
#[test]
fn the_temporary_folder_is_the_users_alone() {
    let script = "umask 000; exec \"$0\" exec -- sh -c 'stat -c %a \"${LD_LIBRARY_PATH%%:*}\"'";
    let ran = Command::new("sh")
        .args(["-c", script, env!("CARGO_BIN_EXE_warpsim")])
        .stdin(Stdio::null())
        .output()
        .unwrap();
    assert_eq!(text(&ran.stdout), "700\n", "{}", text(&ran.stderr));
}
