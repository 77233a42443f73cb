//! Cooperative groups, textures and surfaces as our headers have them (CUDA C++ Programming Guide,
//! "Cooperative Groups", "Texture Functions", "Surface Functions"). The programs of `tests/cuda`
//! compare a kernel's results with loops on the host.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test fails by panicking, in its helpers too"
)]
#![allow(clippy::print_stdout, reason = "a test that is skipped says so")]

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn file(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cuda").join(name).with_extension("cu")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// `warpsim COMMAND FILE OPTIONS`; `None`, and a message, without clang.
fn warpsim(command: &[&str], file: &Path, options: &[&str]) -> Option<Output> {
    let mut warpsim = Command::new(env!("CARGO_BIN_EXE_warpsim"));
    let run = warpsim.args(command).arg(file).args(options).output().unwrap();
    if run.status.code() == Some(4) {
        let said = text(&run.stderr);
        assert!(said.contains("clang"), "{said}");
        println!("skipped: {said}");
        return None;
    }
    Some(run)
}

/// The program says this, and checked it is clean.
fn is_right_and_clean(name: &str, says: &str, checked: &[&str]) {
    for options in [&["exec"][..], &[&["exec", "--check"], checked].concat()] {
        let Some(run) = warpsim(options, &file(name), &[]) else { return };
        let (out, err) = (text(&run.stdout), text(&run.stderr));
        assert_eq!((out.as_str(), run.status.code()), (says, Some(0)), "{name}: {out}{err}");
        let is_checked = options.contains(&"--check");
        assert_eq!(err.starts_with("warpsim exec: no findings in "), is_checked, "{name}: {err}");
    }
}

/// Without one of its barriers a race is found in it, at a line that it marks.
fn is_racy_without_a_barrier(name: &str, options: &[&str]) {
    let options = [&["exec", "--check", "-D", "RACY"], options].concat();
    let Some(run) = warpsim(&options, &file(name), &[]) else { return };
    let err = text(&run.stderr);
    assert_eq!(run.status.code(), Some(1), "{name}: {err}");
    assert!(err.contains("error[race]: "), "{name}: {err}");
    let source = std::fs::read_to_string(file(name)).unwrap();
    let marked = |index: usize| source.lines().nth(index - 1).unwrap().contains("// RACE");
    let name_of_file = format!("{name}.cu:");
    let places = err.split(&name_of_file).skip(1);
    let digits = |place: &str| place.chars().take_while(char::is_ascii_digit).collect::<String>();
    let mut told = places.filter_map(|place| digits(place).parse::<usize>().ok());
    assert!(told.any(marked), "{name}: {err}");
}

#[test]
fn tiles_coalesced_threads_and_partitions_give_what_lists_of_threads_give() {
    is_right_and_clean("group_values", "groups are right\n", &[]);
}

#[test]
fn tiles_of_several_warps_give_what_lists_of_threads_give_and_meet() {
    is_right_and_clean("group_warps", "tiles are right\n", &["-D", "MEET"]);
    is_racy_without_a_barrier("group_warps", &["-D", "MEET"]);
}

#[test]
fn a_program_may_give_the_headers_of_groups_to_nvrtc() {
    let headers = concat!("HEADERS=\"", env!("CARGO_MANIFEST_DIR"), "/src/clang/include\"");
    let Some(run) = warpsim(&["exec", "-D", headers], &file("group_nvrtc"), &[]) else { return };
    let (out, err) = (text(&run.stdout), text(&run.stderr));
    assert_eq!(run.status.code(), Some(0), "{out}{err}");
    match out == "NVRTC is not installed\n" {
        true => println!("skipped: {err}"),
        false => assert_eq!(out, "groups are right\n", "{err}"),
    }
}

#[test]
fn copies_by_groups_are_whole_once_they_are_waited_for_and_racy_before() {
    is_right_and_clean("group_copies", "copies are right\n", &[]);
    is_racy_without_a_barrier("group_copies", &[]);
}

#[test]
fn a_grid_meets_in_two_halves_and_groups_update_objects() {
    is_right_and_clean("group_grids", "grids are right\n", &[]);
    is_racy_without_a_barrier("group_grids", &[]);
}

#[test]
fn every_name_of_the_chapters_compiles() {
    let all = [
        ("group_names", "sm_75"),
        ("group_names", "sm_80"),
        ("group_names", "sm_90"),
        ("texture_names", "sm_80"),
    ];
    for (name, architecture) in all {
        let options = ["--arch", architecture];
        let Some(run) = warpsim(&["compile"], &file(name), &options) else { return };
        assert_eq!(run.status.code(), Some(0), "{name}: {}", text(&run.stderr));
    }
}

/// The cells of parameter K after a run, which prints them behind bars.
fn cells(out: &str, parameter: usize) -> Vec<f64> {
    let begin = format!("parameter {parameter} of ");
    let from = out.lines().skip_while(|line| !line.starts_with(&begin)).skip(1);
    let rows = from.take_while(|line| line.contains('|'));
    rows.flat_map(|row| row.split('|').nth(1).unwrap().split_whitespace())
        .map(|cell| cell.parse().unwrap())
        .collect()
}

fn counted(n: usize) -> Vec<f64> {
    (0..n).map(|i| i as f64).collect()
}

#[test]
fn a_cluster_of_one_block_has_its_ranks_and_its_barrier() {
    let launch = ["--arch", "sm_90", "--block", "16,4", "--arg", "s32[320]"];
    let options = [&launch[..], &["--values", "all"]].concat();
    let Some(run) = warpsim(&["run"], &file("group_cluster"), &options) else { return };
    let got = cells(&text(&run.stdout), 0);
    let wanted = |i: usize| match (i / 64, i % 64) {
        (0, t) => 5 * (63 - t),
        (1, t) => t % 16 + 100 * (t / 16) + 1000 * (16 + 4 + 1),
        (2, _) => 3 + 10,
        (3, t) => 64 * 1000 + t + 100_000 * 64,
        (_, _) => 1 + 10,
    };
    let wanted: Vec<f64> = (0..320).map(|i| wanted(i) as f64).collect();
    assert_eq!(got, wanted, "{}", text(&run.stderr));
    // As it is written, too: there a group that is given by value is copied.
    let run = warpsim(&["check"], &file("group_cluster"), &launch).unwrap();
    assert_eq!(run.status.code(), Some(0), "{}", text(&run.stdout));
}

/// Runs kernels of `texture_values.cu`, which is compiled once.
struct Textures {
    ptx: tempfile::TempPath,
}

impl Textures {
    fn new() -> Option<Self> {
        let ptx = tempfile::Builder::new().suffix(".ptx").tempfile().unwrap().into_temp_path();
        let options = ["-o", ptx.to_str().unwrap()];
        let run = warpsim(&["compile"], &file("texture_values"), &options)?;
        assert_eq!(run.status.code(), Some(0), "{}", text(&run.stderr));
        Some(Textures { ptx })
    }

    fn run(&self, kernel: &str, threads: usize, arguments: &[&str]) -> Output {
        let threads = threads.to_string();
        let mut options = vec!["--kernel", kernel, "--block", &threads, "--values", "all"];
        options.extend(arguments.iter().flat_map(|argument| ["--arg", argument]));
        warpsim(&["run"], &self.ptx, &options).unwrap()
    }

    fn leave(&self, kernel: &str, threads: usize, arguments: &[&str], wanted: &[Vec<f64>]) {
        let run = self.run(kernel, threads, arguments);
        let (out, err) = (text(&run.stdout), text(&run.stderr));
        assert_eq!(run.status.code(), Some(0), "{kernel} {arguments:?}: {out}{err}");
        for (parameter, wanted) in wanted.iter().enumerate() {
            assert_eq!(&cells(&out, parameter), wanted, "{kernel} {arguments:?}: {out}{err}");
        }
    }
}

#[test]
fn lookups_of_all_geometries_and_levels_give_the_texel_that_lies_there() {
    let Some(textures) = Textures::new() else { return };
    for (kernel, texels, texture) in [
        ("fetch", 8, "tex:s32[8]=iota"),
        ("line", 8, "tex:s32[8]=iota"),
        ("plane", 12, "tex:s32[4x3]=iota"),
        ("space", 24, "tex:s32[4x3x2]=iota"),
        ("lines", 12, "tex:s32[4]=iota,layers=3"),
        ("planes", 24, "tex:s32[4x3]=iota,layers=2"),
        ("cube", 24, "tex:s32[2x2]=iota,cube"),
        ("cubes", 48, "tex:s32[2x2]=iota,cube,layers=2"),
        ("levels", 21, "tex:s32[4x4]=iota,levels=3,normalized"),
    ] {
        let out = format!("s32[{texels}]");
        textures.leave(kernel, texels, &[&out, texture], &[counted(texels)]);
    }
    textures.leave("bytes", 12, &["s32[24]", "tex:u8x2[4x3]=iota"], &[counted(24)]);
    let mean = vec![(0.0 + 1.0 + 4.0 + 5.0) / 4.0];
    textures.leave("mixed", 1, &["f32[1]", "tex:f32[4x4]=iota,linear"], &[mean]);
    // The order of PTX ISA 9.7.10.4: (0, 1), (1, 1), (1, 0), (0, 0) as columns and rows.
    let around = [4, 5, 1, 0];
    let channels = (0..4).flat_map(|c| around.map(|texel| f64::from(4 * texel + c)));
    textures.leave("gather", 1, &["s32[16]", "tex:s32x4[4x4]=iota"], &[channels.collect()]);
}

#[test]
fn gradients_of_cubes_are_refused_by_name() {
    let Some(textures) = Textures::new() else { return };
    let run = textures.run("cube_gradient", 1, &["s32[1]", "tex:s32[2x2]=iota,cube"]);
    let err = text(&run.stderr);
    assert!(!run.status.success() && err.contains("tex.grad.cube"), "{err}");
}

#[test]
fn surfaces_of_all_geometries_hold_what_was_written_by_texel() {
    let Some(textures) = Textures::new() else { return };
    // Each texel once with the one before it, or nothing, and the one behind it, or itself.
    let seen = (0..8).map(|i: i32| f64::from((i - 1).max(0) * 100 + (i + 1).min(7)));
    let turned: Vec<f64> = counted(8).into_iter().rev().collect();
    textures.leave("rows", 8, &["s32[8]", "surf:s32[8]=iota"], &[seen.collect(), turned]);
    for (geometry, texels, shape) in [
        (0, 12, "[4],layers=3"),
        (1, 12, "[4x3]"),
        (2, 24, "[4x3x2]"),
        (3, 24, "[4x3],layers=2"),
        (4, 96, "[4x4],cube"),
        (5, 192, "[4x4],cube,layers=2"),
    ] {
        for (kernel, of, channels) in
            [("fill_bytes", "u8", 1), ("fill_pairs", "s16x2", 2), ("fill_fours", "f32x4", 4)]
        {
            let (out, surface) = (format!("s32[{texels}]"), format!("surf:{of}{shape}"));
            let geometry = format!("s32:{geometry}");
            let wanted = [vec![1.0; texels], counted(texels * channels)];
            textures.leave(kernel, texels, &[&out, &surface, &geometry], &wanted);
        }
    }
}
