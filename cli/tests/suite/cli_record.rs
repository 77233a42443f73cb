//! Recording with a simulator in place of a GPU, and comparing with the recording where neither is
//! present.

use std::path::PathBuf;
use std::process::Command;

const SCAN: &str = "tests/hardware/scan_naive.ptx";
const SLOTS: &str = "cli/tests/cmd/input/slots.ptx";

/// Runs the command in the root of the repository: its exit code, what it printed and what it said.
/// `stand_in` says what the GPU's child serves.
fn warpsim(stand_in: &str, arguments: &[&str]) -> (Option<i32>, String, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_warpsim"))
        .current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/.."))
        .env("WARPSIM_GPU_STAND_IN", stand_in)
        .env("NO_COLOR", "1")
        .args(arguments)
        .output();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    match output {
        Ok(output) => (output.status.code(), text(&output.stdout), text(&output.stderr)),
        Err(error) => (None, String::new(), error.to_string()),
    }
}

/// A path for a test's own recording, where there is none yet.
fn fresh(name: &str) -> String {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}.json"));
    let _ = std::fs::remove_file(&path);
    path.display().to_string()
}

/// Records the scan of 1 to 32.
fn record_scan(stand_in: &str, path: &str) {
    let arguments = ["record", SCAN, "--arg", "s32[32]=iota:1", "--arg=s32[32]", "-o", path];
    let (code, out, err) = warpsim(stand_in, &arguments);
    assert_eq!(code, Some(0), "{out}{err}");
    assert!(out.contains("scan (1 x 32 threads), level 0: completed\n"), "{out}");
}

#[test]
fn what_was_recorded_is_equal_on_a_machine_without_a_gpu() {
    let path = fresh("equal");
    record_scan("simulator", &path);
    let compared = warpsim("none", &["compare", SCAN, "--recording", &path, "--jit-opt", "0"]);
    let (code, out, err) = compared;
    assert_eq!(code, Some(0), "{out}{err}");
    assert!(out.contains("0      completed  completed  64     0          equal"), "{out}");
    assert!(out.contains(", recorded 20") || out.contains("(recorded 20"), "{out}");
}

#[test]
fn a_gpu_that_is_off_by_one_is_found_in_its_recording() {
    let path = fresh("off_by_one");
    record_scan("simulator:off-by-one", &path);
    let compared = warpsim("none", &["compare", SCAN, "--recording", &path, "--jit-opt", "0"]);
    let (code, out, _) = compared;
    assert_eq!(code, Some(1), "{out}");
    assert!(out.contains("1 of 32 cells differ"), "{out}");
    let arguments = ["compare", SCAN, "--recording", &path, "--jit-opt", "0", "--format", "json"];
    let (code, out, _) = warpsim("none", &arguments);
    assert_eq!(code, Some(1), "{out}");
    assert!(out.starts_with("{\"schema\":1,\"verdict\":\"different\""), "{out}");
}

#[test]
fn a_difference_in_a_large_buffer_is_placed_by_its_digests() {
    let (clean, wrong) = (fresh("large_clean"), fresh("large_wrong"));
    for (stand_in, path) in [("simulator", &clean), ("simulator:off-by-one", &wrong)] {
        let launch = ["--kernel", "half", "--block", "4", "--arg", "f32[8192]=fill:1"];
        let record = [&["record", SLOTS][..], &launch, &["-o", path]].concat();
        assert_eq!(warpsim(stand_in, &record).0, Some(0));
    }
    let compare = |path: &str| warpsim("none", &["compare", SLOTS, "--recording", path]);
    assert_eq!(compare(&clean).0, Some(0));
    let (code, out, _) = compare(&wrong);
    assert_eq!(code, Some(1), "{out}");
    assert!(out.contains("parameter 0: cells 0 to 255 differ"), "{out}");
}

#[test]
fn a_recording_of_another_text_is_refused_with_the_hash_that_was_expected() {
    let path = fresh("stale");
    record_scan("simulator", &path);
    let (code, _, err) = warpsim("none", &["compare", SLOTS, "--recording", &path]);
    assert_eq!(code, Some(2), "{err}");
    // `sha256sum tests/hardware/scan_naive.ptx`
    let hash = "c4a329d0b70e640cb276102db7ceca0001cb8d60dae51304cf9cc7dbadf46df4";
    assert!(err.contains(hash), "{err}");
    let add = ["record", SLOTS, "--kernel", "half", "--arg", "f32[32]", "-o", &path];
    let (code, _, err) = warpsim("simulator", &add);
    assert_eq!(code, Some(2), "{err}");
    assert!(err.contains(hash) && err.contains("--again"), "{err}");
}

#[test]
fn a_second_run_is_added_the_same_run_replaced_and_all_are_recorded_again() {
    let path = fresh("again");
    let of = |stand_in, block| {
        let launch = ["--kernel", "half", "--block", block, "--arg", "f32[8]", "--jit-opt", "0"];
        let record = [&["record", SLOTS][..], &launch, &["-o", &path]].concat();
        warpsim(stand_in, &record).1
    };
    assert!(of("simulator:off-by-one", "4").ends_with(": 1 run\n"));
    assert!(of("simulator", "8").ends_with(": 2 runs\n"));
    assert!(of("simulator", "4").ends_with(": 2 runs\n"));
    let compare = || warpsim("none", &["compare", SLOTS, "--recording", &path]).0;
    assert_eq!(compare(), Some(0));
    let again = |stand_in| warpsim(stand_in, &["record", SLOTS, "--again", &path]);
    assert_eq!(again("simulator:off-by-one").0, Some(0));
    assert_eq!(compare(), Some(1));
    let (code, out, _) = again("simulator");
    assert_eq!((code, out.lines().count()), (Some(0), 3), "{out}");
    assert_eq!(compare(), Some(0));
}

#[test]
fn passes_that_stand_for_the_driver_s_compiler_are_not_sent_to_the_gpu_again() {
    // As written the scan of shared memory is right; after the pass its first cells are not.
    let path = fresh("again_simulated");
    record_scan("simulator", &path);
    let recorded = || std::fs::read_to_string(&path).unwrap_or_default();
    let first = recorded();
    let simulated = "\"simulated\":{\"passes\":[\"register-cache\"],\"shared_init\":\"zero\"},";
    let edited = first.replace("\"outcome\"", &format!("{simulated}\"outcome\""));
    assert!(edited != first && std::fs::write(&path, &edited).is_ok(), "{first}");
    let (code, out, err) = warpsim("simulator", &["record", SCAN, "--again", &path]);
    assert_eq!(code, Some(0), "{out}{err}");
    assert_eq!(recorded(), edited);
}

#[test]
fn a_launch_that_was_not_recorded_is_refused_with_those_that_were() {
    let path = fresh("other_launch");
    record_scan("simulator", &path);
    let arguments = ["--arg", "s32[32]=iota:2", "--arg", "s32[32]"];
    let compare = [&["compare", SCAN, "--recording", &path][..], &arguments].concat();
    let (code, _, err) = warpsim("none", &compare);
    assert_eq!(code, Some(2), "{err}");
    assert!(err.contains("--kernel scan --arg 's32[32]=iota:1' --arg 's32[32]'"), "{err}");
}

/// Compares the scan with a recording of it in which one text replaces another. Returns the exit
/// code and standard error.
fn compare_edited(name: &str, from: &str, to: &str) -> (Option<i32>, String) {
    let path = fresh(name);
    record_scan("simulator", &path);
    let text = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(text.contains(from), "{text}");
    assert!(std::fs::write(&path, text.replace(from, to)).is_ok());
    let (code, _, err) = warpsim("none", &["compare", SCAN, "--recording", &path]);
    (code, err)
}

#[test]
fn a_recording_whose_buffers_are_not_those_of_its_launch_is_refused() {
    let (code, err) = compare_edited("no_such_parameter", "\"param\":1", "\"param\":2");
    assert_eq!(code, Some(2), "{err}");
    assert!(err.contains("a buffer of parameter 2, and the launch has none there"), "{err}");

    let (code, err) = compare_edited("other_type", "\"type\":\"s32\"", "\"type\":\"f32\"");
    assert_eq!(code, Some(2), "{err}");
    assert!(err.contains("parameter 0 is f32[32] in it, and s32[32] here"), "{err}");

    let (code, err) = compare_edited("other_length", "\"s32[32]\"", "\"s32[64]\"");
    assert_eq!(code, Some(2), "{err}");
    assert!(err.contains("parameter 1 is s32[32] in it, and s32[64] here"), "{err}");
}

#[test]
fn a_recording_that_lacks_a_buffer_of_its_launch_is_refused() {
    let path = fresh("lacks_a_buffer");
    record_scan("simulator", &path);
    let text = std::fs::read_to_string(&path).unwrap_or_default();
    let kept: Vec<&str> = text.lines().filter(|line| !line.contains("\"param\":0")).collect();
    assert_eq!(text.lines().count() - kept.len(), 2, "{text}");
    assert!(std::fs::write(&path, kept.join("\n")).is_ok());
    let (code, _, err) = warpsim("none", &["compare", SCAN, "--recording", &path]);
    assert_eq!(code, Some(2), "{err}");
    assert!(err.contains("it does not say what the buffer of parameter 0 held"), "{err}");
}

#[test]
fn a_launch_that_is_described_by_its_shape_alone_is_looked_for_too() {
    let path = fresh("shape_alone");
    record_scan("simulator", &path);
    for option in ["--block=64", "--grid=2", "--launches=2", "--shared=16", "--pass=register-cache"]
    {
        let (code, out, err) = warpsim("none", &["compare", SCAN, "--recording", &path, option]);
        assert_eq!(code, Some(2), "{option}: {out}");
        assert!(err.contains("takes 2 arguments, but none are given"), "{option}: {err}");
    }
}

#[test]
fn what_shared_memory_holds_at_first_can_be_said_beside_a_recording() {
    let kernel = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("never_written.ptx");
    let text = ".version 8.3\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 out) {\n\
                .shared .u32 s[1]; .reg .u32 %r; .reg .u64 %d;\nld.param.u64 %d, [out];\n\
                ld.shared.u32 %r, [s];\nst.global.u32 [%d], %r;\nret;\n}\n";
    assert!(std::fs::write(&kernel, text).is_ok());
    let (path, kernel) = (fresh("never_written"), kernel.display().to_string());
    let record = ["record", &kernel, "--block", "1", "--arg", "u32[1]", "-o", &path];
    assert_eq!(warpsim("simulator", &record).0, Some(0));
    let compare = |init: &str| {
        warpsim("none", &["compare", &kernel, "--recording", &path, "--shared-init", init]).0
    };
    assert_eq!(compare("zero"), Some(0));
    assert_eq!(compare("poison"), Some(1));
}

#[test]
fn runs_of_a_program_are_left_out_and_counted() {
    let path = fresh("with_programs");
    record_scan("simulator", &path);
    let text = std::fs::read_to_string(&path).unwrap_or_default();
    let of_program = |level| {
        format!(
            "{{\"program\":\"volatile\",\"form\":\"naive\",\"variant\":\"plain\",\"input\":\"s32[32]\",\
             \"jit_opt\":[{level}],\"outcome\":\"completed\",\"buffers\":[]}},\n"
        )
    };
    let runs = [of_program("0"), of_program("0,null"), of_program("null")].concat();
    let runs = format!("\"runs\": [\n{runs}");
    assert!(std::fs::write(&path, text.replace("\"runs\": [\n", &runs)).is_ok());
    let compare = |more: &[&str]| {
        warpsim("none", &[&["compare", SCAN, "--recording", &path][..], more].concat())
    };
    let (code, out, err) = compare(&["--jit-opt", "0"]);
    assert_eq!(code, Some(0), "{out}{err}");
    let left_out = "\n\nleft out: 2 of the recorded runs: they are runs of a program";
    assert!(out.contains(left_out), "{out}");
    let (code, out, err) = compare(&["--format", "json", "--jit-opt", "0"]);
    assert_eq!(code, Some(0), "{out}{err}");
    assert!(out.starts_with("{\"schema\":1,\"verdict\":\"equal\",\"comparisons\":[{"), "{out}");
    assert!(
        out.contains("}],\"left_out\":{\"runs\":2,\"reason\":\"they are runs of a program"),
        "{out}"
    );
    let (code, out, err) = compare(&["--kernel", "scan", "--jit-opt", "0"]);
    assert_eq!(code, Some(0), "{out}{err}");
    assert!(!out.contains("left out"), "{out}");
}

#[test]
fn a_hang_is_recorded_and_is_what_the_simulator_calls_a_livelock() {
    let path = fresh("hang");
    let record = ["record", SLOTS, "--kernel", "endless", "--arg", "u32[4]", "--jit-opt", "0"];
    let record = [&record[..], &["--gpu-timeout", "1", "-o", &path]].concat();
    let (code, out, err) = warpsim("simulator", &record);
    assert_eq!(code, Some(1), "{err}");
    assert!(out.contains("endless (1 x 32 threads), level 0: hung"), "{out}");
    let (code, out, _) = warpsim("none", &["compare", SLOTS, "--recording", &path]);
    assert_eq!(code, Some(0), "{out}");
    assert!(out.contains("0      livelock   hung  0      0          equal"), "{out}");
}

#[test]
fn what_says_how_the_simulator_runs_is_refused() {
    let path = fresh("refused_schedule");
    let launch = ["record", SLOTS, "--kernel", "half", "--arg", "f32[8]", "-o", &path];
    for option in ["--schedule=reverse", "--model=lockstep", "--max-steps=5", "--device=blocks=1"] {
        let (code, _, err) = warpsim("simulator", &[&launch[..], &[option]].concat());
        assert_eq!(code, Some(2), "{option}: {err}");
        assert!(err.contains("has no meaning on a GPU"), "{option}: {err}");
    }
}

#[test]
fn inputs_from_files_and_standard_input_are_refused() {
    let path = fresh("refused");
    let file = ["record", SCAN, "--arg", "s32[32]=file:x.npy", "--arg", "s32[32]", "-o", &path];
    let (code, _, err) = warpsim("simulator", &file);
    assert_eq!(code, Some(2), "{err}");
    assert!(err.contains("a file may change"), "{err}");
    assert_eq!(warpsim("simulator", &["record", "-", "-o", &path]).0, Some(2));
}
