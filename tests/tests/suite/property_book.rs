//! The chapter "Testing a kernel in CI without a GPU": its tests are the functions here, and it
//! shows the failures that they print. The tests in those messages fail for the same reason when
//! they are pasted into a file.
//!
//! `UPDATE_DOCS=1` writes both anew: the messages of the chapter, and `tests/property_pasted/`.

use std::path::{Path, PathBuf};

use warpsim::host::Model;
use warpsim::property::{Failure, Kernel, Tolerance, buffer, expect, f16, launch, scalar};

/// The kernels.
const REVERSE: &str = include_str!("../../property/reverse.ptx");
const ADD_ONE: &str = include_str!("../../property/add_one.ptx");
const TRANSPOSE: &str = include_str!("../../property/transpose.ptx");
const TWICE: &str = include_str!("../../property/twice.ptx");
const FLAG: &str = include_str!("../../property/flag.ptx");

#[test]
fn reverse_is_race_free() -> Result<(), Failure> {
    Kernel::from_ptx(REVERSE, "reverse")
        .launch(launch().blocks(1..=4).threads(1..=256))
        .argument(buffer::<i32>().one_per_thread().any())
        .argument(buffer::<i32>().one_per_thread().zeros())
        .race_free()?;
    Ok(())
}

#[test]
fn transpose_is_right_for_every_width_and_height() -> Result<(), Failure> {
    Kernel::from_ptx(TRANSPOSE, "transpose")
        .launch(
            launch()
                .block([1..=16, 1..=16, 1..=1])
                .grid_to_cover([2, 3])
                .shared_from(|launch| 4 * (launch.block[0] + 1) * launch.block[1]),
        )
        .argument(buffer::<u32>().product_of([2, 3]).any())
        .argument(buffer::<u32>().product_of([2, 3]))
        .argument(scalar::<u32>().between(1..=40))
        .argument(scalar::<u32>().between(1..=40))
        .matches(|case| {
            let (image, width) = (case.buffer::<u32>(0)?, case.scalar::<u32>(2)? as usize);
            let columns = (0..width).flat_map(|x| image.iter().skip(x).step_by(width).copied());
            Ok(expect().buffer(1, columns))
        })?;
    Ok(())
}

fn reverse_without_its_barrier() -> Result<(), Failure> {
    Kernel::from_ptx(REVERSE, "reverse_racy")
        .included_from("../property/reverse.ptx")
        .launch(launch().blocks(1..=4).threads(1..=256))
        .argument(buffer::<i32>().one_per_thread().any())
        .argument(buffer::<i32>().one_per_thread().zeros())
        .race_free()?;
    Ok(())
}

fn add_one_to_all_but_the_last() -> Result<(), Failure> {
    Kernel::from_ptx(ADD_ONE, "add_one_off")
        .included_from("../property/add_one.ptx")
        .launch(launch().threads(1..=256).blocks_to_cover(0))
        .argument(buffer::<u32>().lengths(1..=1000).any())
        .argument(buffer::<u32>().same_length_as(0))
        .argument(scalar::<u32>().length_of(0))
        .matches(|case| {
            let numbers = case.buffer::<u32>(0)?;
            Ok(expect().buffer(1, numbers.iter().map(|number| number.wrapping_add(1))))
        })?;
    Ok(())
}

fn add_one_with_the_wrong_length() -> Result<(), Failure> {
    Kernel::from_ptx(ADD_ONE, "add_one")
        .included_from("../property/add_one.ptx")
        .launch(launch().threads(1..=256).blocks_to_cover(0))
        .argument(buffer::<u32>().lengths(1..=1000).any())
        .argument(buffer::<u32>().same_length_as(0))
        .argument(scalar::<u32>().total_threads())
        .clean()?;
    Ok(())
}

fn volatile_scan() -> Result<(), Failure> {
    Kernel::from_file("../programs/src/volatile/scan32.ptx", "scan_volatile")
        .argument(buffer::<i32>().length(32).between(-100..=100))
        .argument(buffer::<i32>().length(32))
        .deterministic()?;
    Ok(())
}

fn lock_within_a_warp() -> Result<(), Failure> {
    Kernel::from_ptx(FLAG, "lock")
        .included_from("../property/flag.ptx")
        .launch(launch().threads(1..=64))
        .argument(buffer::<u32>().length(1))
        .model(Model::Lockstep)
        .terminates()?;
    Ok(())
}

fn twice_with_another_number() -> Result<(), Failure> {
    Kernel::from_ptx(TWICE, "twice")
        .included_from("../property/twice.ptx")
        .launch(launch().threads(1..=64))
        .argument(buffer::<f16>().one_per_thread().between(f16::from_f32(0.1)..=f16::from_f32(8.0)))
        .argument(scalar::<f16>().value(f16::from_f32(1.5)))
        .matches(|case| {
            let sums = case.buffer::<f16>(0)?.into_iter().map(|half| half.to_f32() * 2.0 + 1.0);
            Ok(expect().close(0, sums.map(f16::from_f32), Tolerance::absolute(0.25)))
        })?;
    Ok(())
}

/// A failing test of the chapter, and the test that its message holds.
struct Example {
    name: &'static str,
    test: fn() -> Result<(), Failure>,
    pasted: fn() -> Result<(), Box<dyn std::error::Error>>,
    /// What the pasted test fails with.
    says: &'static str,
}

include!("../../property_pasted/reverse_without_its_barrier.rs");
include!("../../property_pasted/add_one_to_all_but_the_last.rs");
include!("../../property_pasted/add_one_with_the_wrong_length.rs");
include!("../../property_pasted/volatile_scan.rs");
include!("../../property_pasted/lock_within_a_warp.rs");
include!("../../property_pasted/twice_with_another_number.rs");

const EXAMPLES: [Example; 5] = [
    Example {
        name: "reverse_without_its_barrier",
        test: reverse_without_its_barrier,
        pasted: reverse_racy_race_free,
        says: "error[race]: read-write race on shared memory `cells`+0x4, block (0,0,0)\n  (2) ld.shared.u32 by thread (0,0,0)",
    },
    Example {
        name: "add_one_to_all_but_the_last",
        test: add_one_to_all_but_the_last,
        pasted: add_one_off_matches,
        says: "left: [0]\n right: [1]",
    },
    Example {
        name: "add_one_with_the_wrong_length",
        test: add_one_with_the_wrong_length,
        pasted: add_one_clean,
        says: "error[out-of-bounds]: an access of 4 bytes just past the end of the buffer",
    },
    Example {
        name: "volatile_scan",
        test: volatile_scan,
        pasted: scan_volatile_deterministic,
        says: "left == right",
    },
    Example {
        name: "lock_within_a_warp",
        test: lock_within_a_warp,
        pasted: lock_terminates,
        says: "error[livelock]: the state of the machine repeats",
    },
];

/// What the chapter does not show.
const MORE: [Example; 1] = [Example {
    name: "twice_with_another_number",
    test: twice_with_another_number,
    pasted: twice_matches,
    // 2 * 0.1 + 1.5, in steps of 2^-10.
    says: "cell 0: 1.7001953125, not 1.2001953125",
}];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn is_to_be_updated() -> bool {
    std::env::var_os("UPDATE_DOCS").is_some()
}

#[test]
fn the_failures_in_the_chapter_are_what_the_tests_print() {
    let path = root().join("docs/testing-without-a-gpu.md");
    let page = std::fs::read_to_string(&path).unwrap();
    let mut renewed = page.clone();
    for example in EXAMPLES {
        let message = (example.test)().unwrap_err().to_string();
        let mark = format!("<!-- failure: {} -->\n```text\n", example.name);
        let (before, rest) = renewed.split_once(&mark).unwrap();
        let (_, after) = rest.split_once("```\n<!-- end -->").unwrap();
        renewed = format!("{before}{mark}{}\n```\n<!-- end -->{after}", message.trim_end());
    }
    if is_to_be_updated() {
        std::fs::write(&path, renewed).unwrap();
    } else {
        assert!(renewed == page, "the chapter shows something else:\n{renewed}");
    }
}

#[test]
fn the_tests_that_the_messages_hold_are_those_that_are_tried_here() {
    for Example { name, test, .. } in EXAMPLES.into_iter().chain(MORE) {
        let Err(Failure::Counterexample(found)) = test() else { panic!("{name} passes") };
        let text = found.test.strip_prefix("#[test]\n").unwrap();
        let path = root().join("tests/property_pasted").join(format!("{name}.rs"));
        if is_to_be_updated() {
            std::fs::write(&path, text).unwrap();
        } else {
            assert_eq!(std::fs::read_to_string(&path).unwrap(), text, "{name}");
        }
    }
}

#[test]
fn pasted_tests_fail_for_the_same_reason() {
    for Example { name, pasted, says, .. } in EXAMPLES.into_iter().chain(MORE) {
        let panic = std::panic::catch_unwind(pasted).unwrap_err();
        let message = panic.downcast_ref::<String>().unwrap();
        assert!(message.contains(says), "{name}: {message}");
    }
}
