//! What scripts rely on: the JSON document, exit codes, files, and that runs repeat exactly.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use std::io::Write;
use std::process::{Command, Output, Stdio};

use serde_json::Value;

const SCAN: &str = "tests/hardware/scan_naive.ptx";
const ARGUMENTS: [&str; 4] = ["--arg", "s32[32]=iota:1", "--arg", "s32[32]"];

fn warpsim(arguments: &[&str]) -> Output {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/..");
    let mut command = Command::new(env!("CARGO_BIN_EXE_warpsim"));
    // What is said without a GPU is said the same where there is one.
    command.env("WARPSIM_GPU_STAND_IN", "none");
    command.current_dir(root).args(arguments).stdin(Stdio::null()).output().unwrap()
}

fn document(output: &Output) -> Value {
    let text = String::from_utf8(output.stdout.clone()).unwrap();
    assert_eq!(text.matches('\n').count(), 1, "one document on one line: {text}");
    serde_json::from_str(&text).unwrap_or_else(|e| panic!("{e}: {text}"))
}

fn scan(options: &[&str]) -> Value {
    let arguments = [&["run", SCAN][..], &ARGUMENTS, &["--format", "json"], options].concat();
    let output = warpsim(&arguments);
    assert_eq!(output.status.code(), Some(0));
    document(&output)
}

fn keys(value: &Value) -> Vec<&str> {
    value.as_object().unwrap().keys().map(String::as_str).collect()
}

fn numbers(value: &Value) -> Vec<i64> {
    value.as_array().unwrap().iter().map(|v| v.as_i64().unwrap()).collect()
}

fn temporary(name: &str, contents: &[u8]) -> String {
    let path = std::env::temp_dir().join(format!("warpsim-{}-{name}", std::process::id()));
    std::fs::File::create(&path).unwrap().write_all(contents).unwrap();
    path.to_string_lossy().into_owned()
}

#[test]
fn the_scan_is_right_as_written_and_wrong_register_cached() {
    let triangular: Vec<i64> = (1..=32).map(|n| n * (n + 1) / 2).collect();
    assert_eq!(numbers(&scan(&[])["buffers"][1]["values"]), triangular);
    let cached = scan(&["--pass", "register-cache"]);
    assert_eq!(numbers(&cached["buffers"][1]["values"]), (1..=32).collect::<Vec<i64>>());
}

#[test]
fn the_document_has_its_keys_in_the_documented_order() {
    let document = scan(&["--launches", "2", "--pass", "register-cache@2"]);
    let top = ["schema", "outcome", "kernel", "launch", "buffers", "launches", "findings", "stats"];
    assert_eq!(keys(&document), top);
    let launch = ["grid", "block", "shared", "model", "schedule", "device"];
    assert_eq!(keys(&document["launch"]), launch);
    assert_eq!(keys(&document["buffers"][0]), ["param", "type", "len", "sha256", "values"]);
    assert_eq!(keys(&document["launches"][0]), ["passes", "outcome", "buffers", "stats"]);
    let stats = [
        "warp_instructions",
        "lane_instructions",
        "branches",
        "divergent_branches",
        "barriers",
        "seconds",
    ];
    assert_eq!(keys(&document["stats"]), stats);
    assert_eq!(document["launches"][0]["passes"], Value::Array(vec![]));
    assert_eq!(document["launches"][1]["passes"][0], "register-cache");
    assert_eq!(
        keys(&scan(&[])),
        ["schema", "outcome", "kernel", "launch", "buffers", "findings", "stats"]
    );
}

/// The five rows are those that the driver's optimiser gave on an H200; see `tests/hardware`.
#[test]
fn leftover_shared_memory_and_the_pass_give_the_five_rows_of_the_hardware() {
    let document =
        scan(&["--launches", "5", "--pass", "register-cache@2-5", "--shared-init", "leftover"]);
    let facts = include_str!("../../../tests/hardware/README.md");
    let rows: Vec<Vec<i64>> = facts
        .lines()
        .filter_map(|line| line.strip_prefix("| ")?.split_once(" | "))
        .filter(|(level, _)| level.len() == 1 && level.as_bytes()[0].is_ascii_digit())
        .map(|(_, row)| row.split_whitespace().map_while(|n| n.parse().ok()).collect())
        .collect();
    assert_eq!(rows.len(), 5);
    for (launch, row) in rows.iter().enumerate() {
        assert_eq!(numbers(&document["launches"][launch]["buffers"][1]["values"]), *row);
    }
    assert_eq!(document["buffers"], document["launches"][4]["buffers"]);
}

#[test]
fn the_same_command_prints_the_same_whatever_the_number_of_threads() {
    let without_seconds = |options: &[&str]| {
        let mut document = scan(options);
        document["stats"]["seconds"] = Value::Null;
        document.to_string()
    };
    let once = without_seconds(&[]);
    assert_eq!(without_seconds(&[]), once);
    assert_eq!(without_seconds(&["--threads", "1"]), once);
    assert_eq!(without_seconds(&["--threads=7"]), once);
}

#[test]
fn check_and_explore_print_the_same_byte_for_byte_whatever_the_number_of_threads() {
    let swap = ["cli/tests/cmd/input/swap.ptx", "--block", "64", "--arg", "s32[64]", "--kernel"];
    let printed = |command: &str, kernel: &str, threads: &str| {
        let options = [&[command][..], &swap, &[kernel, "--threads", threads]].concat();
        let Output { status, stdout, stderr } = warpsim(&options);
        (status.code(), stdout, stderr)
    };
    for command in ["check", "explore"] {
        for kernel in ["swap", "swap_volatile", "swap_barrier"] {
            let alone = printed(command, kernel, "1");
            assert_eq!(printed(command, kernel, "2"), alone, "{command} {kernel}");
            assert_eq!(printed(command, kernel, "3"), alone, "{command} {kernel}");
        }
    }
}

#[test]
fn cells_are_exact_in_their_own_type() {
    let shown = |spec: &str, bits: bool| {
        let options = ["run", SCAN, "--arg", "s32[32]", "--arg", spec, "--format", "json"];
        let options = [&options[..], if bits { &["--bits"] } else { &[] }].concat();
        // The kernel writes 32 zeros over the beginning of this buffer.
        let output = String::from_utf8(warpsim(&options).stdout).unwrap();
        let values = output.rsplit("\"values\":[").next().unwrap();
        values.split(']').next().unwrap().rsplit(',').take(3).map(str::to_owned).collect::<Vec<_>>()
    };
    let list = |ty: &str, zeros: usize, values: &str| {
        let count = zeros + values.split(',').count();
        format!("{ty}[{count}]=list:{}{values}", "0,".repeat(zeros))
    };
    let largest = list("u64", 16, "18446744073709551615,9007199254740993,1");
    assert_eq!(shown(&largest, false), ["1", "9007199254740993", "18446744073709551615"]);
    let floats = list("f32", 32, "0.1,nan,-inf");
    assert_eq!(shown(&floats, false), ["\"-inf\"", "\"nan\"", "0.1"]);
    assert_eq!(shown(&floats, true), ["\"0xff800000\"", "\"0x7fc00000\"", "\"0x3dcccccd\""]);
    let halves = list("f16", 64, "0.1,65504,-0.0");
    assert_eq!(shown(&halves, true), ["\"0x8000\"", "\"0x7bff\"", "\"0x2e66\""]);
    assert_eq!(shown(&list("s8", 128, "-128,127,-1"), true), ["\"0xff\"", "\"0x7f\"", "\"0x80\""]);
}

#[test]
fn buffers_are_cut_as_asked_and_hashed_whole() {
    let shown = scan(&["--values", "3"]);
    assert_eq!(numbers(&shown["buffers"][1]["values"]), [1, 3, 6]);
    assert_eq!(shown["buffers"][1]["elided"], true);
    assert_eq!(shown["buffers"][1]["sha256"], scan(&[])["buffers"][1]["sha256"]);
    assert_eq!(numbers(&scan(&["--values", "none"])["buffers"][1]["values"]), [0; 0]);
    let many = ["run", SCAN, "--arg", "s32[32]", "--arg", "u8[1048577]", "--format", "json"];
    let many = document(&warpsim(&many));
    assert_eq!(many["buffers"][1]["values"].as_array().unwrap().len(), 16);
    // SHA-256 of 1048577 zero bytes, computed with sha256sum.
    let digest = "2cb74edba754a81d121c9db6833704a8e7d417e5b13d1a19f4a52f007d644264";
    assert_eq!(many["buffers"][1]["sha256"], digest);
}

#[test]
fn an_overrun_is_a_finding_with_argument_lane_and_line() {
    let arguments = ["run", SCAN, "--arg", "s32[32]", "--arg", "s32[20]", "--format", "json"];
    let output = warpsim(&arguments);
    assert_eq!(output.status.code(), Some(1));
    let document = document(&output);
    assert_eq!(document["outcome"], "finding");
    let finding = &document["findings"][0];
    assert_eq!(finding["code"], "out-of-bounds");
    assert_eq!(finding["space"], "global");
    assert_eq!(finding["argument"], 1);
    let access = &finding["accesses"][0];
    assert_eq!(access["op"], "st.global.u32");
    assert_eq!((&access["lane"], &access["ptx_line"]), (&20.into(), &19.into()));
    let message = String::from_utf8(output.stderr).unwrap();
    assert!(message.starts_with("error[out-of-bounds]"), "{message}");
    let replay = finding["replay"].as_str().unwrap();
    assert!(message.contains(replay), "{message} {replay}");
}

#[test]
fn a_buffer_written_to_a_file_can_be_read_back() {
    let path = temporary("dump.npy", b"");
    scan(&["--dump", &format!("1={path}")]);
    let file = std::fs::read(&path).unwrap();
    assert!(file.starts_with(b"\x93NUMPY\x01\x00"));
    let spec = format!("s32[32]=file:{path}");
    let arguments = ["run", SCAN, "--arg", &spec, "--arg", "s32[32]", "--format", "json"];
    let again = document(&warpsim(&arguments));
    let triangular: Vec<i64> = (1..=32).map(|n| n * (n + 1) / 2).collect();
    assert_eq!(numbers(&again["buffers"][0]["values"]), triangular);
    std::fs::remove_file(path).unwrap();
}

const VARIABLES: &str = ".version 7.0 .target sm_70 .address_size 64
.global .u32 counter = 5;
.const .align 4 .b8 table[8];
.visible .entry k(.param .u64 out, .param .align 4 .b8 pair[8])
{
    .reg .u64 %o; .reg .u32 %r<5>;
    ld.param.u64 %o, [out];
    ld.param.u32 %r1, [pair+4];
    ld.const.u32 %r2, [table+4];
    ld.global.u32 %r3, [counter];
    add.u32 %r4, %r3, 1;
    st.global.u32 [counter], %r4;
    st.global.v4.u32 [%o], {%r1, %r2, %r3, %r4};
    ret;
}
";

#[test]
fn variables_are_initialised_and_keep_their_values_through_launches_and_passes() {
    let path = temporary("variables.ptx", VARIABLES.as_bytes());
    let arguments = [
        "run",
        &path,
        "--block",
        "1",
        "--format",
        "json",
        "--arg",
        "u32[4]",
        "--arg",
        "bytes:0100000002000000",
        "--global",
        "table=u32[2]=list:8,9",
        "--launches",
        "3",
        "--pass",
        "register-cache@2",
    ];
    let rows = document(&warpsim(&arguments));
    let row = |n: usize| numbers(&rows["launches"][n]["buffers"][0]["values"]);
    assert_eq!([row(0), row(1), row(2)], [[2, 9, 5, 6], [2, 9, 6, 7], [2, 9, 7, 8]]);
    let started = [&arguments[..], &["--global", "counter=40"]].concat();
    let rows = document(&warpsim(&started));
    assert_eq!(numbers(&rows["launches"][0]["buffers"][0]["values"]), [2, 9, 40, 41]);
    for wrong in ["table=u32[3]", "counter=4294967296", "counter=u32[2]", "table=1"] {
        let output = warpsim(&[&arguments[..], &["--global", wrong]].concat());
        assert_eq!(output.status.code(), Some(2), "{wrong}");
    }
    std::fs::remove_file(path).unwrap();
}

#[test]
fn unsupported_ptx_is_exit_code_3_with_a_document_that_says_the_line() {
    for command in ["run", "check", "explore", "trace"] {
        let output = warpsim(&[command, "cli/tests/cmd/input/wgmma.ptx", "--format", "json"]);
        assert_eq!(output.status.code(), Some(3), "{command}");
        let document = document(&output);
        assert_eq!(document["outcome"], "unsupported", "{command}");
        assert_eq!(document["error"]["kind"], "unsupported");
        assert_eq!(document["error"]["ptx_line"], 9);
        assert!(document["error"]["message"].as_str().unwrap().contains("wgmma.wait_group"));
    }
}

#[cfg(target_os = "linux")]
#[test]
fn results_that_cannot_be_written_are_exit_code_2_with_the_reason() {
    for arguments in [&["--help"][..], &["run", "--help"], &["isa"], &["completions", "bash"]] {
        let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
        let mut command = Command::new(env!("CARGO_BIN_EXE_warpsim"));
        let output = command.args(arguments).stdout(full).output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {said}");
        assert!(said.contains("cannot write the results: "), "{said}");
    }
}

#[test]
fn an_object_has_the_name_of_the_source_and_the_kernel_that_of_the_ptx() {
    let output = warpsim(&[
        "check",
        "cli/tests/cmd/input/mangled.ptx",
        "--kernel",
        "sums::fold<int, 64>",
        "--block",
        "64",
        "--arg",
        "s32[64]=iota",
        "--arg",
        "s32[32]",
        "--format",
        "json",
    ]);
    assert_eq!(output.status.code(), Some(1));
    let document = document(&output);
    let mangled = "_ZN4sums4foldIiLj64EEEvPKT_PS1_";
    assert_eq!(document["kernel"], mangled);
    let finding = &document["findings"][0];
    assert_eq!(finding["object"], "parameter 1 of sums::fold<int, 64u>");
    assert_eq!(finding["argument"], 1);
    assert_eq!(document.to_string().matches(mangled).count(), 1, "{document}");
}

#[test]
fn bad_input_writes_nothing_to_standard_output() {
    for arguments in [
        &["run", SCAN, "--format", "json"][..],
        &["run", "docs", "--format", "json"],
        &["run", SCAN, "--arg", "s32[32]", "--arg", "s32[32]", "--on", "gpu", "--format", "json"],
    ] {
        let output = warpsim(arguments);
        assert!(output.stdout.is_empty(), "{arguments:?}");
        assert!(matches!(output.status.code(), Some(2 | 4)), "{arguments:?}");
        let message = String::from_utf8(output.stderr).unwrap();
        assert_eq!(message.matches("error").count(), 1, "{message}");
    }
}

#[test]
fn compiling_is_a_fixed_point_and_the_pass_halves_the_accesses() {
    let count = |text: &str, word: &str| text.matches(word).count();
    for (passes, loads, stores) in [(&[][..], 11, 7), (&["--pass", "register-cache"], 5, 2)] {
        let output = warpsim(&[&["compile", SCAN][..], passes].concat());
        let text = String::from_utf8(output.stdout).unwrap();
        assert_eq!((count(&text, "ld.shared"), count(&text, "st.shared")), (loads, stores));
        let path = temporary(&format!("{loads}.ptx"), text.as_bytes());
        let again = warpsim(&["compile", &path]);
        assert_eq!(String::from_utf8(again.stdout).unwrap(), text);
        assert!(again.stderr.is_empty());
        let out = temporary("out.ptx", b"");
        assert!(warpsim(&["compile", &path, "-o", &out]).stdout.is_empty());
        assert_eq!(std::fs::read_to_string(&out).unwrap(), text);
        std::fs::remove_file(path).unwrap();
        std::fs::remove_file(out).unwrap();
    }
}

#[test]
fn nothing_is_coloured_in_a_pipe() {
    for arguments in [&["--help"][..], &["fly"], &["programs"], &["run", "docs"]] {
        let output = warpsim(arguments);
        assert!(!output.stdout.contains(&0x1b) && !output.stderr.contains(&0x1b), "{arguments:?}");
    }
}

#[test]
fn a_reader_that_goes_away_is_no_error() {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/..");
    let mut child = Command::new(env!("CARGO_BIN_EXE_warpsim"))
        .current_dir(root)
        .args(["isa", "--format", "json"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!(String::from_utf8(output.stderr).unwrap(), "");
    assert_eq!(output.status.code(), Some(0));
}

#[test]
fn a_program_may_come_from_standard_input() {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/..");
    let file = std::fs::File::open(format!("{root}/{SCAN}")).unwrap();
    let arguments = [&["run", "-"][..], &ARGUMENTS, &["--format", "json"]].concat();
    let mut command = Command::new(env!("CARGO_BIN_EXE_warpsim"));
    let output = command.args(arguments).stdin(file).output().unwrap();
    assert_eq!(document(&output)["buffers"], scan(&[])["buffers"]);
}

#[test]
fn the_instruction_table_has_a_row_for_each_form() {
    let document = document(&warpsim(&["isa", "--format", "json"]));
    let forms = document["forms"].as_array().unwrap();
    assert_eq!(keys(&forms[0]), ["opcode", "form", "section", "supported", "version", "target"]);
    let supported = |form: &str| {
        forms.iter().find(|f| f["form"] == form).map(|f| f["supported"].as_bool().unwrap())
    };
    assert_eq!(supported("add.s32"), Some(true));
    assert_eq!(supported("activemask.b32"), Some(true));
    // As the notes of the PTX ISA say; of a form with more in braces, without that.
    for (form, version, target) in [
        ("add.s32", "6.0", "sm_50"),
        ("activemask.b32", "6.2", "sm_50"),
        ("elect.sync", "8.0", "sm_90"),
        ("add{.rn}.bf16", "7.8", "sm_90"),
        ("min{.ftz}{.NaN}{.xorsign.abs}.f32", "6.0", "sm_50"),
        ("cvt{.ftz}.f32.bf16", "7.1", "sm_80"),
    ] {
        let row = forms.iter().find(|f| f["form"] == form).unwrap();
        assert_eq!((&row["version"], &row["target"]), (&version.into(), &target.into()), "{form}");
    }
    let refused = forms.iter().find(|f| f["opcode"] == "wgmma").unwrap();
    assert!(refused.get("version").is_none() && refused["supported"] == false);
}

#[test]
fn a_trace_has_a_line_for_each_warp_instruction() {
    let arguments = [&["trace", SCAN][..], &ARGUMENTS, &["--format", "json"]].concat();
    let output = warpsim(&arguments);
    let text = String::from_utf8(output.stdout).unwrap();
    let rows: Vec<Value> = text.lines().map(|l| serde_json::from_str(l).unwrap()).collect();
    assert_eq!(rows.last().unwrap()["outcome"], "completed");
    let store = rows.iter().find(|r| r["op"] == "st.global.u32").unwrap();
    assert_eq!(store["memory"][0]["kind"], "write");
    assert_eq!(store["ptx_line"], 19);
    // 528 = 0x210 is the last of the triangular numbers.
    assert_eq!(store["reads"][1]["bits"][31], "0x210");
    assert_eq!(rows.len() as u64 - 1, scan(&[])["stats"]["warp_instructions"].as_u64().unwrap());
}

fn checked(options: &[&str], exit: i32) -> Value {
    let file = "cli/tests/cmd/input/swap.ptx";
    let fixed = ["check", file, "--block", "64", "--arg", "s32[64]", "--format", "json"];
    let output = warpsim(&[&fixed[..], options].concat());
    assert_eq!(output.status.code(), Some(exit), "{options:?}");
    document(&output)
}

#[test]
fn a_finding_of_check_is_a_row_with_its_keys_in_the_documented_order() {
    let document = checked(&["--kernel", "swap"], 1);
    let top = ["schema", "outcome", "kernel", "launch", "buffers", "findings", "checked", "stats"];
    assert_eq!(keys(&document), top);
    assert_eq!(document["outcome"], "finding");
    let finding = &document["findings"][0];
    let row = [
        "severity", "code", "hazard", "space", "address", "object", "accesses", "count", "message",
        "notes", "chain", "help", "remedy", "replay",
    ];
    assert_eq!(keys(finding), row);
    assert_eq!(finding["code"], "race");
    assert_eq!(finding["hazard"], "RAW");
    assert_eq!(finding["accesses"][0]["op"], "ld.shared.u32");
    assert_eq!(finding["accesses"][1]["op"], "st.shared.u32");
    assert_eq!(finding["accesses"][1]["source"]["line"], 7);
    let schedules = ["in-order", "adversarial", "adversarial:back"];
    assert_eq!(document["checked"]["schedules"], serde_json::json!(schedules));
}

#[test]
fn only_what_is_as_bad_as_the_level_makes_the_outcome_of_check() {
    assert_eq!(checked(&["--kernel", "swap_barrier"], 0)["outcome"], "completed");
    let warned = checked(&["--kernel", "swap_volatile", "--level", "error"], 0);
    assert_eq!(warned["outcome"], "completed");
    assert_eq!(warned["findings"][0]["severity"], "warning");
    assert_eq!(checked(&["--kernel", "swap_volatile"], 1)["outcome"], "finding");
    let allowed = checked(&["--kernel", "swap", "--allow", "race"], 0);
    assert_eq!(
        (&allowed["outcome"], &allowed["allowed_findings"]),
        (&"completed".into(), &1.into())
    );
    let cut = checked(&["--kernel", "swap", "--max-findings", "0"], 1);
    assert_eq!((&cut["outcome"], &cut["more_findings"]), (&"finding".into(), &1.into()));
}

#[test]
fn the_replay_of_a_finding_of_check_shows_it_again() {
    let found = checked(&["--kernel", "swap", "--explain"], 1);
    let replay = found["findings"][0]["replay"].as_str().unwrap();
    let again: Vec<String> =
        replay.split(' ').skip(1).map(|word| word.trim_matches('\'').to_owned()).collect();
    let again: Vec<&str> = again.iter().map(String::as_str).collect();
    let again = document(&warpsim(&again));
    assert_eq!(again["findings"], found["findings"]);
    assert_eq!(again["checked"]["schedules"], serde_json::json!(["in-order"]));
}

#[test]
fn what_explore_found_is_a_row_a_launch_with_the_smallest_difference() {
    let file = "cli/tests/cmd/input/mistakes.ptx";
    let fixed = ["explore", file, "--kernel", "count", "--grid", "2", "--block", "1"];
    let rest = ["--arg", "s32[1]", "--strategy", "exhaustive", "--format", "json"];
    let output = warpsim(&[&fixed[..], &rest].concat());
    assert_eq!(output.status.code(), Some(1));
    let document = document(&output);
    assert_eq!(document["outcome"], "finding");
    let codes: Vec<&str> = document["findings"]
        .as_array()
        .unwrap()
        .iter()
        .map(|f| f["code"].as_str().unwrap())
        .collect();
    assert_eq!(codes, ["race", "schedule-dependent"]);
    let explored = &document["explored"][0];
    let row = ["strategy", "seed", "schedules", "unfinished", "complete", "results", "difference"];
    assert_eq!(keys(explored), row);
    assert_eq!(explored["complete"], true);
    assert_eq!(explored["results"].as_array().unwrap().len(), 2);
    // Both threads add one: the sum is 2, or 1 when one of them reads before the other writes.
    assert_eq!(explored["difference"]["cells"][0]["values"], serde_json::json!([2, 1]));
    assert_eq!(explored["difference"]["cells_in_all"], 1);
}
