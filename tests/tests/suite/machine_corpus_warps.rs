//! Votes, shuffles, matches, dynamic shared memory and control flow of the corpus (k10, k11, k14,
//! k19), in every form that compilers gave them, against oracles written from the CUDA sources.

use warpsim::host::{Argument, Launch, Model};
use warpsim::report::Outcome;
use warpsim_tests::launching::{Bench, form, forms};

#[test]
fn barrier_votes_count_and_decide_for_the_block() {
    let inputs: [fn(i32) -> i32; 4] = [|i| i % 7, |_| 9, |_| -1, |i| i];
    for path in forms("k10_syncthreads_votes.ptx") {
        for (input, threads) in inputs.iter().zip([96, 64, 32, 80]) {
            let mut bench = Bench::of_file(&path);
            let values: Vec<i32> = (0..threads).map(input).collect();
            let (source, out) = (bench.buffer(&values), bench.buffer(&vec![0i32; values.len()]));
            bench.run("st_votes", &Launch::new(1, threads as u32), &[source.into(), out.into()]);
            let yes = values.iter().filter(|v| **v > 3).count() as i32;
            let expected = yes + 1000 * i32::from(yes == threads) + 2000 * i32::from(yes > 0);
            assert!(bench.read(out).iter().all(|o| *o == expected), "{} {threads}", form(&path));
        }
    }
}

/// `wintr` for one lane of a full warp.
fn warp_intrinsics(lane: usize, values: &[i32; 32]) -> u32 {
    let ballot =
        |f: &dyn Fn(i32) -> bool| (0..32).fold(0u32, |m, l| m | u32::from(f(values[l])) << l);
    let mut r = u32::from(ballot(&|v| v > 3) != 0);
    r += 2 * u32::from(ballot(&|v| v > 3) == u32::MAX);
    r ^= ballot(&|v| v & 1 == 1);
    let read = |l: usize| values[l] as u32;
    r = r.wrapping_add(read(3)).wrapping_add(read(lane ^ 1));
    r = r.wrapping_add(read(if lane + 2 < 32 { lane + 2 } else { lane }));
    r = r.wrapping_add(read(if lane % 16 >= 4 { lane - 4 } else { lane }));
    r = r.wrapping_add(values.iter().fold(0, |sum: u32, v| sum.wrapping_add(*v as u32)));
    r = r.wrapping_add(*values.iter().max().expect("32 values") as u32);
    r ^= values.iter().fold(0, |x, v| x ^ *v as u32);
    let same = ballot(&|other| other == values[lane]);
    r = r.wrapping_add(same);
    if same == u32::MAX {
        r = r.wrapping_add(same).wrapping_add(1);
    }
    // __activemask() of a full warp.
    r = r.wrapping_add(u32::MAX);
    let ffs = if r == 0 { 0 } else { r.trailing_zeros() + 1 };
    let bits = r.count_ones() + r.leading_zeros() + ffs;
    // __byte_perm(r, v, 0x3210) is r.
    r.wrapping_add(bits).wrapping_add(r.reverse_bits()).wrapping_add(r)
}

#[test]
fn warp_intrinsics_of_a_full_warp_give_what_cuda_says() {
    let inputs: [fn(usize) -> i32; 4] =
        [|i| i as i32, |_| 77, |i| (i as i32 * 7919) % 13 - 6, |i| i32::MIN >> (i % 5)];
    for path in forms("k11_warp_intrinsics.ptx") {
        for input in inputs {
            let values: [i32; 32] = std::array::from_fn(input);
            let mut bench = Bench::of_file(&path);
            let (source, out) = (bench.buffer(&values), bench.buffer(&[0u32; 32]));
            bench.run("wintr", &Launch::new(1, 32), &[source.into(), out.into()]);
            let expected: Vec<u32> = (0..32).map(|lane| warp_intrinsics(lane, &values)).collect();
            assert_eq!(bench.read(out), expected, "{}", form(&path));
        }
    }
}

#[test]
fn the_two_halves_of_a_warp_shuffle_and_vote_by_themselves() {
    for path in forms("k11_warp_intrinsics.ptx") {
        for model in [Model::Independent, Model::Lockstep] {
            let mut bench = Bench::of_file(&path).under(model);
            let values: Vec<i32> = (0..32).map(|i| i % 5 - 2 + 10 * (i & 1)).collect();
            let (source, out) = (bench.buffer(&values), bench.buffer(&[0i32; 32]));
            bench.run("wpartial", &Launch::new(1, 32), &[source.into(), out.into()]);
            let even = values.iter().step_by(2).filter(|v| **v > 0).count() as i32;
            let expected: Vec<i32> =
                (0..32).map(|i| if i & 1 == 1 { values[1] } else { even }).collect();
            assert_eq!(bench.read(out), expected, "{} {}", form(&path), model.name());
        }
    }
}

#[test]
fn dynamic_shared_memory_reverses_an_array() {
    for path in forms("k14_dyn_shared.ptx") {
        let mut bench = Bench::of_file(&path);
        let data = bench.buffer(&(0..96).collect::<Vec<i32>>());
        let launch = Launch { shared: 96 * 4, ..Launch::new(1, 96) };
        bench.run("rev", &launch, &[data.into(), Argument::I32(96)]);
        assert_eq!(bench.read(data), (0..96).rev().collect::<Vec<i32>>(), "{}", form(&path));
    }
}

#[test]
fn dynamic_shared_memory_transposes_vectors() {
    for path in forms("k14_dyn_shared.ptx") {
        let mut bench = Bench::of_file(&path);
        let cells: Vec<f32> = (0..64 * 4).map(|i| i as f32).collect();
        let data = bench.buffer(&cells);
        let launch =
            Launch { grid: [1; 3], block: [8, 8, 1], shared: 64 * 16, ..Launch::default() };
        bench.run("rev2d", &launch, &[data.into(), Argument::I32(8)]);
        let out = bench.read(data);
        for (t, vector) in out.chunks(4).enumerate() {
            let from = (t % 8 * 8 + t / 8) * 4;
            let mut expected = cells[from..from + 4].to_vec();
            expected[0] += 1.0;
            assert_eq!(vector, expected, "{} thread {t}", form(&path));
        }
    }
}

/// `sw` for one thread.
fn switched(cells: &[i32], selector: usize) -> Vec<i32> {
    let mut p = cells.to_vec();
    match cells[selector] {
        0 => p[0] = 4,
        1 => p[1] = 9,
        2 => p[2] = -4,
        3 => p[3] = p[7] * p[8],
        4 => p[4] = selector as i32,
        5 => p[5] = p[1] / 3,
        6 => p[6] = p[2] % 7,
        7 => p[9] += 2,
        8 => p[12] -= 1,
        _ => p[9] = 1,
    }
    p
}

#[test]
fn a_switch_goes_to_each_of_its_cases() {
    for path in forms("k19_switch_sync.ptx") {
        for case in -1..11 {
            let mut cells: Vec<i32> = (0..32).map(|i| i * 7 - 40).collect();
            cells[20] = case;
            let mut bench = Bench::of_file(&path);
            let y = bench.buffer(&cells);
            bench.run("sw", &Launch::new(1, 1), &[y.into(), Argument::I32(20)]);
            assert_eq!(bench.read(y), switched(&cells, 20), "{} case {case}", form(&path));
        }
    }
}

#[test]
fn a_switch_taken_by_a_whole_warp_writes_each_thread_s_own_cell() {
    for path in forms("k19_switch_sync.ptx") {
        for (case, first, value) in [(0, 0, 4), (1, 1, 9), (2, 2, -4), (4, 4, 60)] {
            let mut cells = vec![0; 64];
            cells[60] = case;
            let mut bench = Bench::of_file(&path);
            let y = bench.buffer(&cells);
            bench.run("sw", &Launch::new(1, 32), &[y.into(), Argument::I32(60)]);
            cells[first..first + 32].fill(value);
            assert_eq!(bench.read(y), cells, "{} case {case}", form(&path));
        }
    }
}

#[test]
fn cache_operators_change_no_value() {
    for path in forms("k19_switch_sync.ptx") {
        let mut bench = Bench::of_file(&path);
        let p = bench.buffer(&[0, 10, 200, 3000, 40000, 0, 0, 0]);
        let report = bench.launch("cacheops", &Launch::new(1, 1), &[p.into()]);
        assert_eq!(bench.read(p), [43210, 10, 200, 3000, 40000, 1, 2, 3], "{}", form(&path));
        // `__prof_trigger` only counts, and there is no debugger that `__brkpt` could stop for.
        assert_eq!(report.outcome, Outcome::Completed, "{}", form(&path));
    }
}

/// `loopbrk` for one thread: the last index, unless it ran past the end.
fn walk(a: &[i32], start: usize, n: i32) -> Option<i32> {
    let mut i = start as i32;
    loop {
        match a[i as usize] {
            next if next < 0 => return Some(i),
            7 => i += 2,
            next if next >= n => return None,
            next => i = next,
        }
    }
}

#[test]
fn a_loop_with_break_continue_and_return_takes_each_lane_its_own_way() {
    for path in forms("k19_switch_sync.ptx") {
        for model in [Model::Independent, Model::Lockstep] {
            let jump = |i: i32| match i * 31 % 11 {
                0 | 1 => -1,
                2 | 3 => 7,
                step => i + step,
            };
            let n = 200;
            let a: Vec<i32> = (0..220).map(jump).collect();
            let mut bench = Bench::of_file(&path).under(model);
            let (source, out) = (bench.buffer(&a), bench.buffer(&[-5i32; 96]));
            let arguments = [source.into(), out.into(), Argument::I32(n)];
            bench.run("loopbrk", &Launch::new(1, 96), &arguments);
            let expected: Vec<i32> = (0..96).map(|t| walk(&a, t, n).unwrap_or(-5)).collect();
            assert_eq!(bench.read(out), expected, "{} {}", form(&path), model.name());
        }
    }
}

#[test]
fn a_spin_lock_lets_every_thread_in_once() {
    for path in forms("k19_switch_sync.ptx") {
        let mut bench = Bench::of_file(&path);
        let (lock, count) = (bench.buffer(&[0i32]), bench.buffer(&[0i32]));
        bench.run("spin", &Launch::new(2, 12), &[lock.into(), count.into()]);
        assert_eq!((bench.read(lock)[0], bench.read(count)[0]), (0, 24), "{}", form(&path));
    }
}
