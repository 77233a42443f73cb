//! `exec --stats`: how the kernels of a program used the machine. The numbers are worked out by
//! hand from the kernels of `tests/exec/counts.c`.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking, in its helpers too")]

use serde_json::Value;

use super::exec::{c_program, exec, scratch, text};

/// What the report says of `stats`, what standard error says, and the exit code.
fn counted(name: &str, options: &[&str], program: &[&str]) -> (Value, String, Option<i32>) {
    let report = scratch(&format!("exec_stats_{name}.json")).display().to_string();
    let run = exec(&[&["--stats", "--report", &report], options].concat(), program);
    let document: Value = serde_json::from_slice(&std::fs::read(&report).unwrap()).unwrap();
    (document["stats"].clone(), text(&run.stderr), run.status.code())
}

/// The total with this name of Nsight Compute, of a kernel.
fn total(stats: &Value, kernel: &str, name: &str) -> Option<u64> {
    let kernels = stats["kernels"].as_array().unwrap();
    let kernel = kernels.iter().find(|row| row["kernel"] == kernel)?;
    let metrics = kernel["machine"]["metrics"].as_array().unwrap();
    metrics.iter().find(|metric| metric["ncu"] == name)?["value"].as_u64()
}

const DIVERGENT: &str = "smsp__sass_branch_targets_threads_divergent.sum";
const UNIFORM: &str = "smsp__sass_branch_targets_threads_uniform.sum";
const REQUESTS: &str = "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum";
const SECTORS: &str = "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum";
const PASSES: &str = "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum";
const CONFLICTS: &str = "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum";

/// A launch of `part` has 4 warps: 4 branches that diverge, and 4 stores of 32 sectors each.
fn are_of_part(stats: &Value, launches: u64, said: &str) {
    let of = |name| total(stats, "part", name);
    assert_eq!(of(DIVERGENT), Some(4 * launches), "{said}");
    assert_eq!(of(UNIFORM), Some(0), "{said}");
    assert_eq!((of(REQUESTS), of(SECTORS)), (Some(4 * launches), Some(128 * launches)), "{said}");
}

#[test]
fn a_kernel_has_the_counts_of_all_its_launches_checked_or_not() {
    let Some(program) = c_program("counts") else { return };
    for (name, options) in [("plain", &[][..]), ("checked", &["--check"])] {
        let launches = ["part", "column", "part", "part"];
        let (stats, said, code) = counted(name, options, &[&[&*program][..], &launches].concat());
        assert_eq!(code, Some(0), "{said}");
        assert_eq!((&stats["launches"], &stats["lost_launches"]), (&4.into(), &0.into()));
        are_of_part(&stats, 3, &said);
        // A store of one warp: 32 passes, where one would do.
        let of = |name| total(&stats, "column", name);
        assert_eq!((of(PASSES), of(CONFLICTS)), (Some(32), Some(31)), "{said}");
        // The kernel with the most instructions is the first.
        let rows = stats["kernels"].as_array().unwrap();
        let facts = |row: &Value| (row["kernel"].clone(), row["launches"].clone());
        assert_eq!(facts(&rows[0]), ("part".into(), 3.into()));
        assert_eq!(facts(&rows[1]), ("column".into(), 1.into()));
        assert_eq!(rows[0]["last"], serde_json::json!({"grid": [2, 1, 1], "block": [64, 1, 1]}));
        // Blocks of 2 warps on an H200: 32 blocks of 64 warps in all.
        let occupancy = &rows[0]["machine"]["occupancy"];
        assert_eq!(occupancy["sm__maximum_warps_per_active_cycle_pct"], 100.0);
        // By line, and in advice.
        let lines = rows[0]["machine"]["lines"].as_array().unwrap();
        let branch = lines.iter().find(|line| line["branches"] != 0).unwrap();
        assert_eq!((&branch["ptx_line"], &branch["divergent_branches"]), (&10.into(), &12.into()));
        assert!(said.contains("kernel `part` (module 1): 3 launches, the last with grid (2,1,1)"));
        let advice = "module 1:16 (st.shared.u32): 32-way bank conflict: lanes are 128 bytes \
                      apart; pad rows of 32 elements to 33\n";
        assert!(said.contains(advice), "{said}");
        assert!(said.contains("warpsim exec: counted 4 launches of 2 kernels\n"), "{said}");
        let clean = said.ends_with("warpsim exec: no findings in 4 launches\n");
        assert_eq!(clean, options.contains(&"--check"), "{said}");
    }
}

#[test]
fn the_counts_of_several_processes_add_up() {
    let Some(program) = c_program("counts") else { return };
    let script = "\"$0\" part && \"$0\" part part column & \"$0\" part; wait";
    let (stats, said, code) = counted("processes", &[], &["sh", "-c", script, &program]);
    assert_eq!(code, Some(0), "{said}");
    are_of_part(&stats, 4, &said);
    assert_eq!(total(&stats, "column", CONFLICTS), Some(31), "{said}");
    assert!(said.ends_with("warpsim exec: counted 5 launches of 2 kernels\n"), "{said}");
}

#[test]
fn launches_that_are_left_out_are_not_counted_and_this_is_said() {
    let Some(program) = c_program("counts") else { return };
    let left_out = "; the others are left out (--only, --first, --sample)\n";
    let launches = [&*program, "part", "part", "part", "column"];
    let of = |name: &str, options: &[&str]| {
        let (stats, said, _) = counted(name, options, &launches);
        (stats, said)
    };
    let (stats, said) = of("first", &["--first", "2"]);
    are_of_part(&stats, 2, &said);
    let counted = "warpsim exec: counted 3 of 4 launches of 2 kernels";
    assert!(said.ends_with(&format!("{counted}{left_out}")), "{said}");
    let (stats, said) = of("only", &["--only", "column"]);
    assert_eq!(total(&stats, "part", SECTORS), None, "{said}");
    assert_eq!(total(&stats, "column", PASSES), Some(32), "{said}");
    let (stats, said) = of("sample", &["--check", "--sample", "1/3"]);
    are_of_part(&stats, 1, &said);
    // These options choose which launches are checked or counted. Without either, they mean
    // nothing.
    let run = exec(&["--first", "2"], &["true"]);
    assert_eq!(run.status.code(), Some(2));
    assert!(text(&run.stderr).contains("--stats"), "{}", text(&run.stderr));
}

#[test]
fn a_process_that_is_killed_leaves_the_counts_of_half_of_its_launches_and_the_rest_is_told() {
    let Some(program) = c_program("counts") else { return };
    let (stats, said, code) = counted("killed", &[], &[&program, "part", "part", "part", "kill"]);
    assert_eq!(code, Some(128 + 9), "{said}");
    are_of_part(&stats, 2, &said);
    assert_eq!((&stats["launches"], &stats["lost_launches"]), (&2.into(), &1.into()));
    let lost = "warpsim exec: counted 2 of 3 launches of 1 kernel; the counts of 1 launch are lost \
                with a process that ended too early\n";
    assert!(said.ends_with(lost), "{said}");
}
