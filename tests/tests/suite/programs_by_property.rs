//! Kernels of the programs on launches and data that are drawn: good variants race-free, bad ones
//! caught.

use warpsim::host::DeviceProfile;
use warpsim::property::{
    Case, Expected, Failure, Kernel, Mistake, Wrong, buffer, expect, launch, scalar,
};
use warpsim::report::{Code, Hazard, Outcome};
use warpsim_effort as effort;
use warpsim_programs::{Form, Numbers, find};

/// The kernel of a variant, as the optimising compiler made it: the shipped form.
fn kernel(program: &str, variant: &str) -> Kernel {
    let program = find(program).unwrap();
    let text = program.text(Form::Optimised).unwrap().text;
    Kernel::from_ptx(text, program.variant(variant).unwrap().kernel).cases(effort::cases(6, 32))
}

/// The kind of the mistake, and the dependence.
fn caught<T: std::fmt::Debug>(tried: Result<T, Failure>) -> (Code, Option<Hazard>) {
    match tried.unwrap_err() {
        Failure::Counterexample(counterexample) => match counterexample.wrong {
            Wrong::Found(findings) => (findings[0].code, findings[0].hazard),
            wrong => panic!("{wrong:?}"),
        },
        mistake => panic!("{mistake}"),
    }
}

/// How a launch ended that never ends.
fn stopped<T: std::fmt::Debug>(tried: Result<T, Failure>) -> Outcome {
    match tried.unwrap_err() {
        Failure::Counterexample(counterexample) => match counterexample.wrong {
            Wrong::Stopped { outcome, .. } => outcome,
            wrong => panic!("{wrong:?}"),
        },
        mistake => panic!("{mistake}"),
    }
}

fn is_different<T: std::fmt::Debug>(tried: Result<T, Failure>) -> bool {
    matches!(
        tried.unwrap_err(),
        Failure::Counterexample(counterexample) if matches!(counterexample.wrong, Wrong::Differs(_))
    )
}

/// The rows of `atomics`.
const ROWS: u64 = 38;

fn atomics(variant: &str, blocks: u32, stride: i32) -> Kernel {
    kernel("atomics", variant)
        .launch(launch().blocks(1..=blocks).threads(1..=96))
        .argument(buffer::<i32>().one_per_thread().any())
        .argument(buffer::<u64>().per_thread(ROWS))
        .argument(buffer::<u64>().per_thread(ROWS))
        .argument(scalar::<i32>().value(stride))
}

#[test]
fn atomics_race_where_their_scope_is_too_narrow_and_where_they_are_none() -> Result<(), Failure> {
    for stride in [0, 1] {
        atomics("device", 3, stride).race_free()?;
        atomics("system", 3, stride).race_free()?;
        atomics("block", 1, stride).race_free()?;
    }
    assert_eq!(caught(atomics("block-across", 3, 0).race_free()).0, Code::Race);
    assert_eq!(caught(atomics("plain", 3, 0).race_free()).0, Code::Race);
    atomics("plain", 3, 1).race_free()?;
    Ok(())
}

fn reordering(variant: &str) -> Kernel {
    let numbers = || buffer::<i32>().lengths(2..=200).between(1..=1000);
    let more = |cells| buffer::<i32>().length(cells);
    let of = kernel("reordering", variant).launch(launch().threads(1..=64).blocks_to_cover(0));
    match variant {
        "true" => of.argument(numbers()).argument(more(201)).argument(more(200)),
        "anti" => of.argument(numbers()),
        _ => of.argument(numbers()).argument(more(201)),
    }
    .argument(scalar::<i32>().length_of(0))
}

#[test]
fn only_the_loop_without_dependences_gives_the_same_in_any_order() -> Result<(), Failure> {
    reordering("forall").race_free()?;
    reordering("forall").deterministic()?;
    for (variant, hazard) in [
        ("true", Hazard::ReadAfterWrite),
        ("anti", Hazard::WriteAfterRead),
        ("output", Hazard::WriteAfterWrite),
    ] {
        let in_order = reordering(variant).under(["in-order"]);
        assert_eq!(caught(in_order.race_free()), (Code::Race, Some(hazard)), "{variant}");
        assert!(is_different(reordering(variant).deterministic()), "{variant}");
    }
    Ok(())
}

fn barrier(variant: &str) -> Kernel {
    kernel("barrier", variant)
        .launch(launch().threads(64..=64))
        .argument(buffer::<i32>().one_per_thread().any())
        .argument(buffer::<i32>().one_per_thread())
        .argument(scalar::<i32>().total_threads())
}

#[test]
fn a_barrier_orders_only_what_all_threads_reach() -> Result<(), Failure> {
    barrier("all").clean()?;
    barrier("all").deterministic()?;
    // Warps at different barriers of one number meet, and are reported.
    barrier("by-warp").race_free()?;
    assert_eq!(caught(barrier("by-warp").clean()).0, Code::BarrierDivergence);
    for variant in ["some-warps", "part-of-warp"] {
        barrier(variant).terminates()?;
        assert_eq!(caught(barrier(variant).race_free()).0, Code::Race, "{variant}");
        assert!(is_different(barrier(variant).deterministic()), "{variant}");
    }
    assert_eq!(stopped(barrier("both-sides").terminates()), Outcome::Deadlock);
    Ok(())
}

#[test]
fn the_kernel_of_async_works_on_any_number_of_numbers() -> Result<(), Failure> {
    let program = find("async").unwrap();
    let work = kernel("async", "events")
        .launch(launch().threads(1..=128).blocks_to_cover(0))
        .argument(buffer::<i32>().lengths(1..=500).any())
        .argument(buffer::<i32>().same_length_as(0))
        .argument(scalar::<i32>().length_of(0));
    work.clean()?;
    work.matches(|case: &Case| -> Result<Expected, Mistake> {
        let Numbers { bytes, .. } = program.oracle(&program.variants[0], &case.buffer::<i32>(0)?);
        let (cells, _) = bytes.as_chunks::<4>();
        Ok(expect().buffer(1, cells.iter().map(|cell| i32::from_le_bytes(*cell))))
    })?;
    Ok(())
}

/// On a device that holds four blocks at a time.
fn waves(variant: &str, blocks: u32) -> Kernel {
    let mut four = DeviceProfile::h200();
    (four.multiprocessors, four.blocks_per_multiprocessor) = (2, 2);
    kernel("waves", variant)
        .device(four)
        .launch(launch().blocks(1..=blocks).threads(1..=64))
        .argument(buffer::<i32>().lengths(1..=20).any())
        .argument(buffer::<i32>().same_length_as(0))
        .argument(buffer::<i32>().length(3))
        .argument(scalar::<i32>().length_of(0))
        .cases(effort::cases(3, 16))
}

#[test]
fn blocks_can_wait_for_those_that_have_started() -> Result<(), Failure> {
    for variant in ["ticket", "first"] {
        waves(variant, 12).clean()?;
        waves(variant, 12).deterministic()?;
    }
    waves("last", 4).clean()?;
    assert_eq!(stopped(waves("last", 12).terminates()), Outcome::Livelock);
    Ok(())
}
