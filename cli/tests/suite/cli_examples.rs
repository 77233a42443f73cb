//! The command as people use it: what the documentation shows, help texts and messages.
//!
//! Each file holds commands and their output; paths in it are relative to the repository. A
//! difference fails; `TRYCMD=overwrite` writes the new output, to be read before it is kept.

/// What the child process of a GPU serves in its place: `none` is a machine without one.
const STAND_IN: &str = "WARPSIM_GPU_STAND_IN";

fn cases(stand_in: &str) -> trycmd::TestCases {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/..");
    assert!(std::env::set_current_dir(root).is_ok(), "the repository is not there");
    let cases = trycmd::TestCases::new();
    // What is printed must not depend on a compiler that happens to be here.
    cases.env("WARPSIM_NVRTC", "none").env("WARPSIM_CLANG", "none");
    cases.env("NO_COLOR", "1").env("COLUMNS", "100").env(STAND_IN, stand_in);
    cases
}

#[test]
fn the_documentation_shows_what_the_command_prints() {
    let cases = cases("none");
    cases.case("docs/cli.md").case("docs/recordings.md");
    cases.case("cli/tests/cmd/*.trycmd").case("cli/tests/cmd/*.toml");
}

#[test]
fn with_a_simulator_in_place_of_a_gpu_both_agree() {
    let all = cases("simulator");
    let all = all.case("cli/tests/cmd/gpu/agrees.trycmd").case("docs/real-hardware.md");
    all.case("cli/tests/cmd/gpu/textures.trycmd");
}

#[test]
fn a_difference_that_is_planted_is_found() {
    cases("simulator:off-by-one").case("cli/tests/cmd/gpu/off_by_one.trycmd");
}

#[test]
fn a_gpu_that_runs_blocks_in_another_order_has_another_legal_result() {
    cases("simulator:schedule=reverse").case("cli/tests/cmd/gpu/reverse.trycmd");
}

#[test]
fn what_somebody_else_left_in_shared_memory_explains_other_rows() {
    cases("simulator:busy").case("cli/tests/cmd/gpu/busy.trycmd");
}

#[test]
fn a_gpu_that_never_answers_is_called_hung() {
    cases("simulator:hang").case("cli/tests/cmd/gpu/hang.trycmd");
}
