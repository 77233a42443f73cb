//! Scans, reductions, counts and atomics of the corpus (k01 to k08, k18), in every form that
//! compilers gave them, against oracles written from the CUDA sources.
//!
//! Where a kernel is a race, what a form gives depends on what its compiler kept in registers; the
//! test then says which values there are.

use warpsim::host::{Argument, Launch};
use warpsim_tests::launching::{Bench, Buffer, form, forms};

/// Numbers without a pattern, between -500 and 499.
fn numbers(count: usize) -> Vec<i32> {
    let mix = |i: u32| (i.wrapping_mul(2_654_435_761) >> 7) % 1000;
    (0..count as u32).map(|i| mix(i + 1) as i32 - 500).collect()
}

/// Floats whose sums round.
fn floats(count: usize) -> Vec<f32> {
    numbers(count).iter().map(|n| *n as f32 * 0.37 + 0.01).collect()
}

fn prefix_sums(values: &[i32]) -> Vec<i32> {
    let mut sum = 0;
    values
        .iter()
        .map(|v| {
            sum += v;
            sum
        })
        .collect()
}

/// What a lane gets when every neighbour is read before anybody stores.
fn window_sums(values: &[i32]) -> Vec<i32> {
    let at = |i: usize, back: usize| i.checked_sub(back).map_or(0, |j| values[j]);
    let sum = |i| [0, 1, 2, 4, 8, 16].map(|back| at(i, back)).iter().sum();
    (0..values.len()).map(sum).collect()
}

/// Runs a scan of 32 in every form and hands over the form, the input and the output.
fn scans(file: &str, kernel: &str, check: impl Fn(&str, &[i32], &[i32])) {
    for path in forms(file) {
        let mut bench = Bench::of_file(&path);
        // Where the stores were sunk, lanes read what their neighbours have not stored yet.
        bench.undefined_is_fine = kernel == "scan_plain" && form(&path).contains("-O3");
        let input = numbers(32);
        let (out, source) = (bench.buffer(&[0i32; 32]), bench.buffer(&input));
        bench.run(kernel, &Launch::new(1, 32), &[out.into(), source.into()]);
        check(&form(&path), &input, &bench.read(out));
    }
}

#[test]
fn the_plain_scan_is_its_input_where_the_stores_were_sunk_and_right_elsewhere() {
    scans("k01_scan_plain.ptx", "scan_plain", |form, input, out| {
        // The neighbours' cells are still zero when all loads come first.
        let expected = if form.contains("-O3") { input.to_vec() } else { prefix_sums(input) };
        assert_eq!(out, expected, "{form}");
    });
}

#[test]
fn the_guarded_scan_is_right_in_every_form() {
    // Between two conditions a compiler may not leave out the store.
    scans("k01_scan_plain.ptx", "scan_plain_guarded", |form, input, out| {
        assert_eq!(out, prefix_sums(input), "{form}");
    });
}

#[test]
fn the_scan_in_global_memory_is_right_or_a_sum_over_old_neighbours() {
    for path in forms("k01_scan_plain.ptx") {
        let mut bench = Bench::of_file(&path);
        let input = numbers(32);
        let data = bench.buffer(&[vec![0; 32], input.clone()].concat());
        bench.run("scan_plain_global", &Launch::new(1, 32), &[data.into()]);
        let expected =
            if form(&path).contains("-O3") { window_sums(&input) } else { prefix_sums(&input) };
        assert_eq!(bench.read(data)[32..], expected, "{}", form(&path));
    }
}

#[test]
fn volatile_and_synchronised_scans_are_right_in_every_form() {
    let kernels = [
        ("k02_scan_volatile.ptx", "scan_volatile"),
        ("k03_scan_volatile_acc.ptx", "scan_volatile_acc"),
        ("k03_scan_volatile_acc.ptx", "scan_syncwarp"),
        ("k03_scan_volatile_acc.ptx", "scan_shfl"),
        ("k18_scan_ptrarg.ptx", "B_volatile"),
        ("k18_scan_ptrarg.ptx", "C_volatile_acc"),
    ];
    for (file, kernel) in kernels {
        scans(file, kernel, |form, input, out| {
            assert_eq!(out, prefix_sums(input), "{kernel} {form}");
        });
    }
}

#[test]
fn a_plain_scan_through_a_pointer_is_right_or_a_sum_over_old_neighbours() {
    for kernel in ["A_plain", "A_plain_noinline"] {
        scans("k18_scan_ptrarg.ptx", kernel, |form, input, out| {
            let (right, early) = (prefix_sums(input), window_sums(input));
            match () {
                () if form.ends_with("-G") => assert_eq!(out, right, "{kernel} {form}"),
                () if form.ends_with("-O3") => assert_eq!(out, early, "{kernel} {form}"),
                () => assert!(out == right || out == early, "{kernel} {form}: {out:?}"),
            }
        });
    }
}

/// The sum of a block in the order of a tree.
fn tree_sum(mut values: Vec<f32>) -> f32 {
    let mut half = values.len() / 2;
    while half > 0 {
        for i in 0..half {
            values[i] += values[i + half];
        }
        half /= 2;
    }
    values[0]
}

#[test]
fn block_reductions_add_in_the_order_of_a_tree() {
    for path in forms("k04_block_reduce.ptx") {
        let mut bench = Bench::of_file(&path);
        // The last block is not full: what it has too little counts as zero.
        let input = floats(3 * 128 - 30);
        let (source, out) = (bench.buffer(&input), bench.buffer(&[0f32; 3]));
        let n = Argument::I32(input.len() as i32);
        bench.run("block_reduce", &Launch::new(3, 128), &[source.into(), out.into(), n]);
        let padded = [input.clone(), vec![0.0; 30]].concat();
        let expected: Vec<f32> = padded.chunks(128).map(|b| tree_sum(b.to_vec())).collect();
        assert_eq!(bench.read(out), expected, "{}", form(&path));
    }
}

#[test]
fn a_barrier_that_some_threads_pass_by_waits_until_they_have_exited() {
    for path in forms("k04_block_reduce.ptx") {
        let mut bench = Bench::of_file(&path);
        let input = floats(256);
        let (source, out) = (bench.buffer(&input), bench.buffer(&[0f32]));
        let arguments = [source.into(), out.into(), Argument::I32(256)];
        bench.run("block_reduce_bug", &Launch::new(1, 256), &arguments);
        assert_eq!(bench.read(out), [tree_sum(input)], "{}", form(&path));
    }
}

#[test]
fn the_reduction_with_a_volatile_tail_is_right_in_every_form() {
    for path in forms("k05_warp_tail.ptx") {
        for threads in [64, 128, 512] {
            let mut bench = Bench::of_file(&path);
            let input = numbers(2 * threads);
            let (source, out) = (bench.buffer(&input), bench.buffer(&[0i32; 2]));
            let launch = Launch::new(2, threads as u32);
            bench.run("reduce_tail", &launch, &[source.into(), out.into()]);
            let expected: Vec<i32> = input.chunks(threads).map(|b| b.iter().sum()).collect();
            assert_eq!(bench.read(out), expected, "{} {threads}", form(&path));
        }
    }
}

#[test]
fn maxima_are_found_with_atomics() {
    for path in forms("k06_max_atomic.ptx") {
        for kernel in ["find_max", "find_max_shared"] {
            let mut bench = Bench::of_file(&path);
            let input: Vec<i32> = numbers(333).iter().map(|n| n * 1_000_003).collect();
            let (source, out) = (bench.buffer(&input), bench.buffer(&[i32::MIN]));
            let arguments = [source.into(), out.into(), Argument::I32(333)];
            bench.run(kernel, &Launch::new(4, 96), &arguments);
            assert_eq!(bench.read(out)[0], *input.iter().max().expect("some"), "{kernel}");
        }
    }
}

/// 150 digits, and the places of a 6 among them.
fn digits() -> (Vec<i32>, Vec<usize>) {
    let digits: Vec<i32> = numbers(150).iter().map(|n| n.rem_euclid(10)).collect();
    let sixes: Vec<usize> = (0..150).filter(|i| digits[*i] == 6).collect();
    assert!(sixes.len() > 5);
    (digits, sixes)
}

#[test]
fn atomic_counts_lose_nothing_and_racing_ones_may() {
    let (input, sixes) = digits();
    for path in forms("k07_count6.ptx") {
        for kernel in ["count6", "count6_racy"] {
            let mut bench = Bench::of_file(&path);
            let (source, count) = (bench.buffer(&input), bench.buffer(&[0i32]));
            let arguments = [source.into(), count.into(), Argument::I32(150)];
            bench.run(kernel, &Launch::new(3, 64), &arguments);
            let found = bench.read(count)[0];
            let least = if kernel == "count6" { sixes.len() as i32 } else { 1 };
            assert!((least..=sixes.len() as i32).contains(&found), "{kernel}: {found}");
        }
    }
}

#[test]
fn each_atomic_addition_returns_a_value_of_its_own() {
    let (input, sixes) = digits();
    for path in forms("k07_count6.ptx") {
        let mut bench = Bench::of_file(&path);
        let (source, count) = (bench.buffer(&input), bench.buffer(&[0i32]));
        let slots = bench.buffer(&[-1i32; 150]);
        let arguments = [source.into(), count.into(), slots.into(), Argument::I32(150)];
        bench.run("count6_ret", &Launch::new(3, 64), &arguments);
        let slots = bench.read(slots);
        let mut taken: Vec<i32> = sixes.iter().map(|i| slots[*i]).collect();
        taken.sort_unstable();
        assert_eq!(taken, (0..sixes.len() as i32).collect::<Vec<i32>>(), "{}", form(&path));
        assert_eq!(slots.iter().filter(|s| **s == -1).count(), 150 - sixes.len());
    }
}

#[test]
fn atomics_of_every_kind_leave_what_does_not_depend_on_their_order() {
    for path in forms("k07_count6.ptx") {
        let mut bench = Bench::of_file(&path);
        let form = form(&path);
        let threads = 64u32;
        let words = [0, 0, u32::MAX, 0, 5, 10_000, 3, 7, 0, 0, 0, 0, 0, 0, 0, 0];
        let u = bench.buffer(&words);
        let s = bench.buffer(&[12i32]);
        let f = bench.buffer(&[0.25f32]);
        let d = bench.buffer(&[0.5f64]);
        let q = bench.buffer(&[1u64 << 40, 4]);
        let arguments = [u.into(), s.into(), f.into(), d.into(), q.into()];
        bench.run("atomics_misc", &Launch::new(1, threads), &arguments);
        let after = bench.read(u);
        let all = || 0..threads;
        assert!((1..=threads).contains(&after[0]), "compare and swap climbs {form}: {}", after[0]);
        assert!(all().contains(&after[1]), "{form}");
        assert_eq!(after[2], 0, "and {form}");
        assert_eq!(after[3], 63, "or {form}");
        assert_eq!(after[4], all().fold(5, |x, t| x ^ t), "xor {form}");
        assert_eq!(after[5], 10_000 - all().sum::<u32>(), "sub {form}");
        let dec = |x: u32| if x == 0 || x > 7 { 7 } else { x - 1 };
        assert_eq!(after[6], all().fold(3, |x, _| dec(x)), "dec {form}");
        assert_eq!(after[7], 7 + 2 * threads, "add, of a block and of the system {form}");
        assert!(after[8] < threads && after[9] < threads && after[10] <= 7, "{form}");
        let shared = |k: u32| all().filter(|t| t & 3 == k).sum::<u32>();
        assert!(after[11].is_multiple_of(4) && after[11] <= shared(0), "{form}");
        assert_eq!(after[12..], [0, 1, 2, 3].map(shared), "{form}");
        assert_eq!(bench.read(s), [0], "min {form}");
        assert_eq!(bench.read(f), [0.25 + 1.5 * 64.0], "{form}");
        assert_eq!(bench.read(d), [0.5 + 2.5 * 64.0], "{form}");
        assert_eq!(bench.read(q), [(1 << 40) + 3 * 64, 9], "{form}");
    }
}

/// `tf_sum` as one thread would do it: the sums of the blocks, and then their sum.
fn sums_of_blocks(input: &[f32], blocks: usize, threads: usize) -> Vec<f32> {
    let stride = blocks * threads;
    let of_thread = |at: usize| input.iter().skip(at).step_by(stride).fold(0.0, |sum, x| sum + x);
    let of_block = |b: usize| tree_sum((0..threads).map(|t| of_thread(b * threads + t)).collect());
    let mut sums: Vec<f32> = (0..blocks).map(of_block).collect();
    sums[0] = sums.iter().fold(0.0, |sum, x| sum + x);
    sums
}

#[test]
fn the_last_block_adds_what_all_blocks_left() {
    for path in forms("k08_threadfence_reduce.ptx") {
        let mut bench = Bench::of_file(&path);
        let input = floats(1000);
        let (source, result): (_, Buffer<f32>) = (bench.buffer(&input), bench.buffer(&[0.0; 5]));
        let arguments = [source.into(), Argument::U32(1000), result.into()];
        // Twice: the count of blocks is back at zero after the first launch.
        for _ in 0..2 {
            bench.run("tf_sum", &Launch::new(5, 64), &arguments);
            assert_eq!(bench.read(result), sums_of_blocks(&input, 5, 64), "{}", form(&path));
        }
    }
}

#[test]
fn fences_of_every_scope_let_a_thread_go_on() {
    for path in forms("k08_threadfence_reduce.ptx") {
        let mut bench = Bench::of_file(&path);
        let cells = bench.buffer(&[0i32; 4]);
        bench.run("fences", &Launch::new(1, 1), &[cells.into()]);
        assert_eq!(bench.read(cells), [1, 2, 3, 4], "{}", form(&path));
    }
}
