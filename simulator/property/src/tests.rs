//! The drawn values, how they get smaller, and how they are written down.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::{Config, TestRunner};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;

use super::judge::Wrong;
use super::shards::Share;
use super::*;
use crate::drawing::element::{Range, nearer};
use crate::host::Launch;

/// Adds 0.5 to a number in each cell, through the text that a test gives.
const TEXT: &str = "
    .version 7.0 .target sm_70 .address_size 64
    .visible .entry half(.param .u64 cells) {
      .reg .u64 %a, %o; .reg .u32 %t; .reg .f32 %v;
      ld.param.u64 %a, [cells];
      mov.u32 %t, %tid.x;
      mul.wide.u32 %o, %t, 4;
      add.u64 %a, %a, %o;
      ld.global.f32 %v, [%a];
      add.f32 %v, %v, 0f3F000000;
      st.global.f32 [%a], %v;
      ret;
    }";

fn half() -> Kernel {
    Kernel::from_ptx(TEXT, "half")
        .launch(launch().threads(1..=64))
        .argument(buffer::<f32>().one_per_thread().between(-8.0..=8.0))
}

#[test]
fn cells_are_bytes_in_little_endian_order() {
    let cells = Cells::new([1i16, -2]);
    assert_eq!(cells.to_bytes(), [1, 0, 0xfe, 0xff]);
    assert_eq!(Cells::from_bytes(ElementType::I16, &[1, 0, 0xfe, 0xff, 7]), cells);
    assert_eq!(cells.numbers(), Ok(vec![1i16, -2]));
    let mistake = Mistake::OtherType { expected: ElementType::I16, found: ElementType::U8 };
    assert_eq!(cells.numbers::<u8>(), Err(mistake));
}

proptest! {
    #[test]
    fn integers_stay_in_their_range_and_get_nearer_to_zero(
        a in any::<i32>(), b in any::<i32>(), seed in any::<u64>(),
    ) {
        let (low, high) = (a.min(b), a.max(b));
        let range = Range::of(&(low..=high));
        let simplest = i32::from_bits(range.simplest(ElementType::I32));
        prop_assert_eq!(simplest, 0.clamp(low, high));
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        let drawn = i32::from_bits(range.draw(ElementType::I32, &mut random));
        prop_assert!((low..=high).contains(&drawn));
        for attempt in 0..64 {
            let to = simplest.to_bits();
            if let Some(bits) = nearer(ElementType::I32, drawn.to_bits(), to, attempt) {
                let distance = |n: i32| (i64::from(n) - i64::from(simplest)).abs();
                prop_assert!(distance(i32::from_bits(bits)) < distance(drawn));
            }
        }
    }

    #[test]
    fn floats_stay_in_their_range(a in -1e9f32..1e9, b in -1e9f32..1e9, seed in any::<u64>()) {
        let (low, high) = (a.min(b), a.max(b));
        let range = Range::of(&(low..=high));
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        let drawn = f32::from_bits(range.draw(ElementType::F32, &mut random) as u32);
        prop_assert!((low..=high).contains(&drawn));
        let simplest = f32::from_bits(range.simplest(ElementType::F32) as u32);
        prop_assert_eq!(simplest, 0f32.clamp(low, high));
    }

    #[test]
    fn shrinking_ends_whatever_is_said_to_fail(seed in any::<u64>(), modulus in 1u32..5) {
        let config = Config { failure_persistence: None, ..Config::default() };
        let bytes = [seed as u8; 32];
        let random = proptest::test_runner::TestRng::from_seed(Default::default(), &bytes);
        let mut runner = TestRunner::new_with_rng(config, random);
        let strategy = cases(
            launch().blocks(1..=3).threads(1..=9),
            [buffer::<i16>().any().into(), buffer::<f32>().lengths(0..=5).any().into()],
        );
        let mut tree = strategy.new_tree(&mut runner).unwrap();
        let mut goes_on = tree.simplify();
        let mut tries = 0;
        while goes_on {
            tries += 1;
            prop_assert!(tries < 20_000, "it does not end");
            let case = tree.current();
            let sum = case.buffer::<i16>(0).unwrap().iter().map(|n| u32::from(*n as u16)).sum::<u32>();
            goes_on = if sum % modulus == 0 { tree.simplify() } else { tree.complicate() };
        }
    }
}

#[test]
fn every_type_draws_zero_and_its_extremes() {
    let mut random = ChaCha8Rng::seed_from_u64(0);
    for ty in ElementType::ALL {
        let drawn: Vec<u64> = (0..2000).map(|_| Range::Any.draw(ty, &mut random)).collect();
        assert!(drawn.contains(&0), "{ty:?}");
        let all_ones = ty.mask();
        match ty.is_float() {
            true => {
                assert!(drawn.iter().any(|bits| ty.float(*bits).is_nan()), "{ty:?}");
                assert!(drawn.iter().any(|bits| ty.float(*bits).is_infinite()), "{ty:?}");
            }
            // The largest of an unsigned type, -1 of a signed one.
            false => assert!(drawn.contains(&all_ones), "{ty:?}"),
        }
    }
}

#[test]
fn a_grid_covers_a_buffer_of_any_length() {
    let blocks = |cells: u64| {
        let shapes = launch().threads(128..=128).blocks_to_cover(0);
        let strategy = cases(shapes, [buffer::<u8>().length(cells).into()]);
        strategy.new_tree(&mut TestRunner::deterministic()).unwrap().current().launch
    };
    assert_eq!(blocks(0), Launch::new(1, 128));
    assert_eq!(blocks(128), Launch::new(1, 128));
    assert_eq!(blocks(257), Launch::new(3, 128));
}

#[test]
fn blocks_never_have_more_threads_than_a_block_can_have() {
    assert_eq!(super::launch::possible([1024, 7, 3]), [1024, 1, 1]);
    assert_eq!(super::launch::possible([32, 32, 2]), [32, 32, 1]);
    assert_eq!(super::launch::possible([3, 5, 64]), [3, 5, 64]);
    assert_eq!(super::launch::possible([1, 1, 200]), [1, 1, 64]);
}

#[test]
fn a_tolerance_is_only_what_was_declared() {
    let plus = |case: &Case, more: f32| -> Result<Vec<f32>, Mistake> {
        Ok(case.buffer::<f32>(0)?.into_iter().map(|n| n + more).collect())
    };
    half().matches(|case| Ok(expect().buffer(0, plus(case, 0.5)?))).unwrap();
    let within = |tolerance| {
        half().matches(|case| {
            Ok(expect().close(0, plus(case, 0.75)?, Tolerance::absolute(tolerance)))
        })
    };
    within(0.26).unwrap();
    let Err(Failure::Counterexample(found)) = within(0.24) else { panic!("0.25 is too far") };
    let Wrong::Mismatch(mismatch) = &found.wrong else { panic!("{:?}", found.wrong) };
    assert_eq!((&*mismatch.expected, &*mismatch.found), ("0.75", "0.5"));
    let wrong_length = half().matches(|_| Ok(expect().buffer::<f32>(0, [])));
    let Err(Failure::Mistake(Mistake::OtherLength { argument: 0, said: 0, .. })) = wrong_length
    else {
        panic!("{wrong_length:?}")
    };
}

#[test]
fn nothing_is_made_smaller_without_tries() {
    let never = |_: &Case| Ok(expect().buffer::<f32>(0, [9.0]));
    let one_cell = Kernel::from_ptx(TEXT, "half")
        .launch(launch().threads(1..=1))
        .argument(buffer::<f32>().one_per_thread().between(1.5..=2.0));
    let Err(Failure::Counterexample(found)) = one_cell.clone().shrink_tries(0).matches(never)
    else {
        panic!("9.0 is not the result")
    };
    assert_eq!((found.tries, &found.case), (0, &found.first));
    let Err(Failure::Counterexample(found)) = one_cell.matches(never) else {
        panic!("9.0 is not the result")
    };
    assert_eq!(found.case.buffer::<f32>(0), Ok(vec![1.5]));
}

#[test]
fn the_command_says_numbers_as_the_command_reads_them() {
    let case = Case {
        launch: Launch { grid: [2, 1, 1], block: [4, 2, 1], shared: 16, ..Launch::default() },
        arguments: vec![
            Value::Buffer(Cells::new([-1i32, 5])),
            Value::Buffer(Cells::new([2.0f32; 3])),
            Value::Scalar { ty: ElementType::F32, bits: 0x3e80_0000 },
            Value::Scalar { ty: ElementType::I64, bits: (-7i64).to_bits() },
            Value::Again(1),
            Value::Buffer(Cells::new::<u8>([])),
        ],
    };
    let kernel = Kernel::from_ptx(TEXT, "half").included_from("a b.ptx");
    let wrong = Wrong::Found(Vec::new());
    assert_eq!(
        command::line(&kernel, &case, "random:3", &wrong).unwrap(),
        "warpsim check 'a b.ptx' --kernel half --grid 2 --block 4,2 --shared 16 \
         --arg 's32[2]=list:-1,5' --arg 'f32[3]=fill:2.0' --arg f32:0f3E800000 --arg s64:-7 \
         --arg @1 --arg 'u8[0]' --schedule random:3"
    );
}

const HALVES: &str = "
    .version 7.0 .target sm_70 .address_size 64
    .visible .entry twice(.param .u64 cells, .param .b16 more) {
      .reg .u64 %a, %o; .reg .u32 %t; .reg .b16 %v, %m;
      ld.param.u64 %a, [cells];
      ld.param.b16 %m, [more];
      mov.u32 %t, %tid.x;
      mul.wide.u32 %o, %t, 2;
      add.u64 %a, %a, %o;
      ld.global.b16 %v, [%a];
      add.f16 %v, %v, %v;
      add.f16 %v, %v, %m;
      st.global.b16 [%a], %v;
      ret;
    }";

#[test]
fn floats_of_16_bits_are_drawn_compared_and_pasted() {
    let twice = Kernel::from_ptx(HALVES, "twice")
        .launch(launch().threads(1..=40))
        .argument(buffer::<f16>().one_per_thread().between(f16::from_f32(0.1)..=f16::from_f32(2.0)))
        .argument(scalar::<f16>().value(f16::from_f32(0.0)));
    let sums = |case: &Case| -> Result<Vec<f16>, Mistake> {
        Ok(case.buffer::<f16>(0)?.into_iter().map(|n| f16::from_f32(n.to_f32() * 2.0)).collect())
    };
    twice.matches(|case| Ok(expect().buffer(0, sums(case)?))).unwrap();
    let close = twice.clone().matches(|case| {
        let more = sums(case)?.into_iter().map(|n| f16::from_f32(n.to_f32() + 0.5));
        Ok(expect().close(0, more, Tolerance::absolute(0.25)))
    });
    let Err(Failure::Counterexample(found)) = close else { panic!("0.5 is too far") };
    let Wrong::Mismatch(mismatch) = &found.wrong else { panic!("{:?}", found.wrong) };
    // The smallest case is one cell of the lowest number, 0x2e66.
    assert_eq!((&*mismatch.expected, &*mismatch.found), ("0.7", "0.2"));
    assert!(found.case.to_string().contains("argument 0: f16[1] = [0.1]"), "{}", found.case);
    let command = found.command.as_ref().unwrap();
    assert!(command.contains("--arg 'f16[1]=fill:0.1' --arg f16:0.0"), "{command}");
    for line in [
        "let cells0: Vec<warpsim::property::f16> = vec![warpsim::property::f16::from_bits(0x2e66)];",
        "Argument::Bytes(warpsim::property::f16::from_bits(0x0).to_le_bytes().to_vec())",
        ".as_chunks::<2>().0.iter().map(|cell| warpsim::property::f16::from_le_bytes(*cell))",
    ] {
        assert!(found.test.contains(line), "{}", found.test);
    }
}

const CALLER: &str = "
    .version 7.0 .target sm_70 .address_size 64
    .extern .func (.param .b32 r) number();
    .visible .entry store(.param .u64 cells) {
      .reg .u64 %a; .reg .u32 %v; .param .b32 q;
      ld.param.u64 %a, [cells]; call.uni (q), number; ld.param.b32 %v, [q];
      st.global.u32 [%a], %v; ret;
    }";
const SEVEN: &str = "
    .version 7.0 .target sm_70 .address_size 64
    .visible .func (.param .b32 r) number() { st.param.b32 [r], 7; ret; }";

#[test]
fn modules_are_linked_and_the_test_and_the_command_say_so() {
    let store = Kernel::from_ptx(CALLER, "store").argument(buffer::<u32>().length(1));
    let Err(Failure::Mistake(Mistake::Device(_))) = store.terminates() else { panic!("number") };
    let linked = store.clone().link_ptx(SEVEN);
    linked.matches(|_| Ok(expect().buffer(0, [7u32]))).unwrap();
    let Err(Failure::Counterexample(found)) = linked.matches(|_| Ok(expect().buffer(0, [8u32])))
    else {
        panic!("it is 7")
    };
    for line in [
        &format!("let ptx = r#\"{CALLER}\"#;"),
        &format!("let ptx2 = r#\"{SEVEN}\"#;"),
        "ptx::link(&[(\"store.ptx\", ptx.as_bytes()), (\"store.2.ptx\", ptx2.as_bytes())])?;",
    ] {
        assert!(found.test.contains(line), "{}", found.test);
    }
    let command = found.command.as_ref().unwrap();
    assert!(command.contains("store.ptx --kernel store --link store.2.ptx --grid"), "{command}");
    let Err(Failure::Mistake(Mistake::Ptx(words))) = linked.link_ptx(SEVEN).terminates() else {
        panic!("it is defined twice")
    };
    assert!(
        words.starts_with("error: `number` is defined twice, first at store.2.ptx:3"),
        "{words}"
    );
    let missing = store.link_file("nowhere.ptx").terminates();
    assert!(matches!(missing, Err(Failure::Mistake(Mistake::File { .. }))));
}

#[test]
fn a_cooperative_launch_is_one_in_the_test_that_is_pasted() {
    let half = half().launch(launch().cooperative());
    let Err(Failure::Counterexample(found)) = half.matches(|case| {
        Ok(expect().buffer(0, case.buffer::<f32>(0)?.into_iter().map(|cell| cell + 1.0)))
    }) else {
        panic!("it adds 0.5")
    };
    assert!(found.test.contains("shared: 0, cooperative: true, ..Launch"), "{}", found.test);
}

#[test]
fn a_short_text_stands_in_the_test_itself_and_a_long_one_does_not() {
    let test = |text: &str| {
        let kernel = Kernel::from_ptx(text, "half").launch(launch().threads(1..=1));
        let kernel = kernel.argument(buffer::<f32>());
        match kernel.matches(|_| Ok(expect().buffer(0, [9f32]))) {
            Err(Failure::Counterexample(found)) => found.test.clone(),
            other => panic!("{other:?}"),
        }
    };
    let short = test(TEXT);
    assert!(short.contains(&format!("let ptx = r#\"{TEXT}\"#;")), "{short}");
    assert!(test(&format!("{TEXT}{}", "\n".repeat(60))).contains("include_str!(\"...\")"));
}

/// Cases of these launches and arguments.
fn drawn(shapes: LaunchShapes, arguments: Vec<ArgumentChoice>) -> Vec<Case> {
    let strategy = cases(shapes, arguments);
    let mut runner = TestRunner::deterministic();
    (0..200).map(|_| strategy.new_tree(&mut runner).unwrap().current()).collect()
}

#[test]
fn shared_memory_follows_the_launch() {
    let shapes = || launch().block([1..=16, 1..=16, 1..=1]).blocks(1..=3);
    for case in drawn(shapes().shared_per_thread(4), Vec::new()) {
        let [x, y, _] = case.launch.block;
        assert_eq!(case.launch.shared, 4 * x * y);
    }
    let tiles = shapes().shared_from(|launch| 4 * (launch.block[0] + 2) * (launch.block[1] + 2));
    for case in drawn(tiles, Vec::new()) {
        let [x, y, _] = case.launch.block;
        assert_eq!(case.launch.shared, 4 * (x + 2) * (y + 2));
    }
}

#[test]
fn lengths_follow_the_launch_and_numbers_whether_these_come_before_or_after() {
    let arguments = vec![
        buffer::<f32>().per_thread(3).into(),
        buffer::<u8>().per_block(5).into(),
        buffer::<i32>().product_of([3, 4]).any().into(),
        scalar::<u32>().between(0..=40).into(),
        scalar::<i64>().between(1..=7).into(),
        buffer::<i32>().same_length_as(2).into(),
        scalar::<u32>().length_of(2).into(),
        scalar::<u16>().value_from(|launch| launch.block[0] as u16).into(),
    ];
    let mut seen = std::collections::BTreeSet::new();
    for case in drawn(launch().blocks(1..=4).threads(1..=64), arguments) {
        let length = |argument: usize| case.cells(argument).unwrap().bits.len() as u64;
        let (blocks, threads) = (u64::from(case.launch.grid[0]), u64::from(case.launch.block[0]));
        let (width, height) = (case.scalar::<u32>(3).unwrap(), case.scalar::<i64>(4).unwrap());
        assert_eq!((length(0), length(1)), (3 * blocks * threads, 5 * blocks));
        assert_eq!(length(2), u64::from(width) * height as u64);
        assert_eq!((length(5), case.scalar::<u32>(6)), (length(2), Ok(length(2) as u32)));
        assert_eq!(case.scalar::<u16>(7), Ok(threads as u16));
        seen.insert(length(2));
    }
    assert!(seen.len() > 20 && seen.contains(&0), "{seen:?}");
}

#[test]
fn a_grid_covers_a_width_and_a_height_and_both_get_small_together() {
    let shapes = || launch().block([1..=16, 1..=8, 1..=1]).grid_to_cover([1, 2]);
    let number = || scalar::<u32>().between(0..=100);
    let image = || buffer::<f32>().product_of([1, 2]).any();
    let arguments = || vec![image().into(), number().into(), number().into()];
    for case in drawn(shapes(), arguments()) {
        let Launch { grid: [gx, gy, gz], block: [bx, by, _], .. } = case.launch;
        let (width, height) = (case.scalar::<u32>(1).unwrap(), case.scalar::<u32>(2).unwrap());
        assert_eq!([gx, gy, gz], [width.div_ceil(bx).max(1), height.div_ceil(by).max(1), 1]);
        assert_eq!(case.cells(0).unwrap().bits.len() as u32, width * height);
    }
    // What fails for 12 cells and more becomes as small as that in both numbers.
    let (strategy, mut runner) = (cases(shapes(), arguments()), TestRunner::deterministic());
    let fails = |case: &Case| {
        let (width, height) = (case.scalar::<u32>(1).unwrap(), case.scalar::<u32>(2).unwrap());
        width >= 4 && height >= 3
    };
    let mut trees = (0..100).map(|_| strategy.new_tree(&mut runner).unwrap());
    let mut tree = trees.find(|tree| fails(&tree.current())).unwrap();
    let mut goes_on = tree.simplify();
    while goes_on {
        goes_on = if fails(&tree.current()) { tree.simplify() } else { tree.complicate() };
    }
    let case = tree.current();
    assert_eq!((case.scalar::<u32>(1), case.scalar::<u32>(2)), (Ok(4), Ok(3)));
    assert_eq!(case.buffer::<f32>(0), Ok(vec![0.0; 12]));
    assert_eq!(case.launch, Launch { grid: [4, 3, 1], block: [1, 1, 1], ..Launch::default() });
}

#[test]
fn what_follows_something_that_is_no_count_is_a_mistake_of_the_test() {
    let mistake = |shapes: LaunchShapes, arguments: Vec<ArgumentChoice>| {
        let strategy = cases(shapes, arguments);
        strategy.new_tree(&mut TestRunner::deterministic()).err().unwrap().to_string()
    };
    let image = || buffer::<f32>().product_of([1]);
    for number in [
        scalar::<f32>().value(3.0).into(),
        scalar::<i32>().value(-1).into(),
        scalar::<u32>().length_of(0).into(),
        buffer::<u32>().length(4).into(),
    ] {
        let said = mistake(launch(), vec![image().into(), number]);
        assert!(said.contains("argument 1 must say how many there are"), "{said}");
    }
    let said = mistake(launch().grid_to_cover([7]), Vec::new());
    assert!(said.contains("argument 7 must say how many"), "{said}");
    let follows = scalar::<u32>().total_threads().into();
    let said = mistake(launch().grid_to_cover([0]), vec![follows]);
    assert!(said.contains("argument 0 must say how many"), "{said}");
}

#[test]
fn a_size_from_any_range_lies_in_it() {
    let mut random = ChaCha8Rng::seed_from_u64(1);
    for range in [0..=u64::MAX, 1..=u64::MAX, u64::MAX - 1..=u64::MAX, 0..=0, 5..=40] {
        for _ in 0..200 {
            assert!(range.contains(&super::launch::draw_size(&range, &mut random)), "{range:?}");
        }
    }
}

/// Each thread adds to a cell of its block, not atomically, where the number that it was given is
/// small enough: that happens in some cases and not in others.
const SOMETIMES: &str = "
    .version 7.0 .target sm_70 .address_size 64
    .visible .entry sometimes(.param .u64 cells, .param .u32 number) {
      .reg .u64 %a; .reg .u32 %n, %v; .reg .pred %p;
      ld.param.u64 %a, [cells]; ld.param.u32 %n, [number];
      setp.ge.u32 %p, %n, 40; @%p ret;
      ld.global.u32 %v, [%a]; add.u32 %v, %v, 1; st.global.u32 [%a], %v; ret;
    }";

fn sometimes(least: u32, cases: u32, seed: u64) -> Kernel {
    Kernel::from_ptx(SOMETIMES, "sometimes")
        .launch(launch().threads(2..=40))
        .argument(buffer::<u32>().length(1))
        .argument(scalar::<u32>().between(least..=1000))
        .cases(cases)
        .seed(seed)
}

/// Evidence, or a failure, as it reads.
fn told(tried: Result<Evidence, Failure>) -> Result<Evidence, String> {
    tried.map_err(|failure| failure.to_string())
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(24) })]

    #[test]
    fn shards_of_cases_say_together_what_one_run_says(
        is_clean: bool, cases in 1..20_u32, seed in 0..100_u64, of in 1..7_u64,
    ) {
        let kernel = sometimes(if is_clean { 40 } else { 0 }, cases, seed);
        let whole = told(kernel.race_free());
        prop_assert!(whole.is_ok() || !is_clean);
        let folder = tempfile::tempdir().unwrap();
        let mut failed = 0;
        for number in (1..=of).rev() {
            let shard = kernel.clone().shard(number, of, folder.path()).unwrap();
            failed += u32::from(shard.race_free().is_err());
        }
        prop_assert_eq!(failed > 0, whole.is_err());
        prop_assert_eq!(told(kernel.merged(folder.path()).race_free()), whole);
    }
}

#[test]
fn shards_of_cases_that_are_missing_or_say_too_little_are_refused() {
    let kernel = sometimes(40, 10, 0);
    let folder = tempfile::tempdir().unwrap();
    let merged = |kernel: &Kernel| told(kernel.clone().merged(folder.path()).race_free());
    let none = merged(&kernel).unwrap_err();
    assert!(none.contains("there is no file race_free-"), "{none}");
    for number in [1, 3] {
        kernel.clone().shard(number, 3, folder.path()).unwrap().race_free().unwrap();
    }
    let missing = merged(&kernel).unwrap_err();
    assert!(missing.ends_with("there is no file of shard 2 of 3"), "{missing}");
    kernel.clone().shard(2, 3, folder.path()).unwrap().race_free().unwrap();
    assert_eq!(merged(&kernel), told(kernel.race_free()));
    // Files of another campaign have other names.
    assert!(merged(&sometimes(40, 10, 1)).unwrap_err().contains("there is no file race_free-"));
    assert!(merged(&sometimes(41, 10, 0)).unwrap_err().contains("there is no file race_free-"));
    // One that tried a case less than it should have, with a digest that fits.
    let files = std::fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().path());
    let last = files.max_by_key(|path| path.to_string_lossy().into_owned()).unwrap();
    let mut file = warpsim_campaign::ShardFile::read(&last).unwrap();
    file.result["cases"] = 3.into();
    file.write(&last).unwrap();
    let short = merged(&kernel).unwrap_err();
    assert!(short.ends_with("shard 3/3 says that it tried 3 cases"), "{short}");
    file.result["failed"] = 9.into();
    file.write(&last).unwrap();
    let healed = merged(&kernel).unwrap_err();
    assert!(healed.ends_with("case 9 failed in a shard, and does not fail here"), "{healed}");
}

#[test]
fn the_environment_says_a_shard_or_the_merge() {
    let folder = std::path::Path::new("shards");
    let asked = |word: &str| half().asked(word, folder).map(|kernel| kernel.share);
    let shard = Share::Shard("2/3".parse().unwrap(), folder.to_owned());
    assert_eq!(asked("2/3").unwrap(), shard);
    assert_eq!(asked("merge").unwrap(), Share::Merge(folder.to_owned()));
    for word in ["", "4/3", "all"] {
        assert!(asked(word).unwrap_err().to_string().contains("is not a shard"), "{word}");
    }
}
