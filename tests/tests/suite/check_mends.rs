//! The advice of a finding mends all pairs of accesses that it represents.

use std::path::Path;

use serde_json::Value;
use warpsim_tests::labelled::Manifest;

/// What `warpsim check` says of a kernel of a twin, in a form.
fn check(twin: &str, form: &str, kernel: &str) -> Value {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("twins");
    let source = std::fs::read_to_string(folder.join(format!("{twin}.cu"))).unwrap();
    let manifest = Manifest::parse(&source).unwrap();
    let labelled = manifest.kernels.into_iter().find(|k| k.kernel == kernel).unwrap();
    let ptx = folder.join(format!("{twin}.{form}.ptx")).display().to_string();
    let mut command = vec!["check".to_owned(), ptx, "--kernel".to_owned(), kernel.to_owned()];
    command.extend(labelled.options);
    command.extend(["--format", "json", "--values", "none"].map(str::to_owned));
    serde_json::from_str(&warpsim_cli::capture(command).stdout).unwrap()
}

/// The advice of each finding, in both forms.
fn advice(twin: &str, kernel: &str) -> Vec<String> {
    let of_form = |form| {
        let findings = check(twin, form, kernel)["findings"].as_array().unwrap().clone();
        assert!(!findings.is_empty(), "{twin} {kernel} {form}");
        findings.into_iter().map(|f| f["help"].as_str().unwrap_or_default().to_owned())
    };
    ["naive", "o3"].into_iter().flat_map(of_form).collect()
}

#[test]
fn between_warps_of_a_block_a_barrier_is_advised() {
    for twin in ["matmul_next_round", "histogram_not_awaited", "stencil_not_awaited"] {
        for help in advice(twin, "bad") {
            assert!(help.contains("__syncthreads()"), "{twin}: {help}");
            assert!(!help.contains("__syncwarp()"), "{twin}: {help}");
        }
    }
}

/// The barrier that there is lies between the store and the load of one round; the one that is
/// missing, between the load and the store of the next.
#[test]
fn where_the_next_round_of_a_loop_comes_too_early_that_is_said() {
    let next_round = |help: &String| help.contains("in the next round of the loop");
    assert!(advice("matmul_next_round", "bad").iter().any(next_round));
    assert!(!advice("stencil_not_awaited", "bad").iter().any(next_round));
}

#[test]
fn within_a_warp_a_synchronisation_of_the_warp_is_advised() {
    for (twin, kernel) in [("warp_volatile_sum", "bad"), ("syncwarp_exchange", "bad_none")] {
        for help in advice(twin, kernel) {
            assert!(help.contains("__syncwarp()"), "{twin}: {help}");
            assert!(!help.contains("atomic"), "{twin}: {help}");
        }
    }
    // The same exchange by two warps.
    for help in advice("syncwarp_exchange", "bad_two_warps") {
        assert!(help.contains("__syncthreads()"), "{help}");
    }
}

#[test]
fn between_blocks_no_barrier_is_advised() {
    for help in advice("global_neighbour_blocks", "bad") {
        assert!(!help.contains("put __sync"), "{help}");
    }
}

#[test]
fn an_update_that_is_not_atomic_is_to_be_made_atomic() {
    for help in advice("histogram", "bad_plain") {
        assert!(help.contains("atomicAdd()"), "{help}");
    }
    for help in advice("lost_update", "bad_volatile") {
        assert!(help.contains("atomicExch()"), "{help}");
    }
}

/// How many schedules, whether they represent all, and the findings.
fn coverage(twin: &str, kernel: &str) -> (usize, bool, usize) {
    let said = check(twin, "o3", kernel);
    let schedules = said["checked"]["schedules"].as_array().unwrap().len();
    let every = said["checked"]["every_schedule"].as_bool().unwrap();
    (schedules, every, said["findings"].as_array().unwrap().len())
}

#[test]
fn more_schedules_are_tried_where_what_threads_do_depends_on_them() {
    // Locks that are taken in one order: nothing is found, and that is not every schedule.
    let (schedules, every, found) = coverage("two_locks", "good");
    assert!(schedules > 3 && !every && found == 0, "{schedules} {every} {found}");
    let (schedules, every, found) = coverage("seen_between", "good");
    assert!(schedules > 3 && !every && found == 0, "{schedules} {every} {found}");
    // Indices come from memory, but nobody writes there: one schedule represents all.
    assert_eq!(coverage("matmul_next_round", "good"), (1, true, 0));
    assert_eq!(coverage("histogram_not_awaited", "good"), (1, true, 0));
}
