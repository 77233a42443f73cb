//! Calls, constants, local arrays, address spaces, cooperative groups and C++ atomics of the corpus
//! (k12, k15, k17, k20), in every form that compilers gave them, against oracles written from the
//! CUDA sources.

use warpsim::host::{Argument, Device, Launch, Model};
use warpsim_tests::launching::{Bench, form, forms};

fn factorial(n: i32) -> i32 {
    if n <= 1 { 1 } else { n * factorial(n - 1) + (n & 3) }
}

/// `calls` for one thread: functions with structs, pointers to locals, recursion and a table of
/// functions.
fn called(t: i32, k: i32, before: i32) -> i32 {
    let (local, outside) = (k + 1, before + 1);
    let (a, b) = (t + k, 1.5 * f64::from(k));
    let product = t * k + 7;
    let chosen = if k & 1 == 0 { product } else { t - k };
    let shared = k + 1;
    outside + product + local + a + b as i32 + factorial(t & 7) + chosen + shared
}

#[test]
fn functions_take_structs_and_pointers_recurse_and_come_from_a_table() {
    for path in forms("k15_noinline.ptx") {
        for model in [Model::Independent, Model::Lockstep] {
            for k in [4, 5, -3] {
                let mut bench = Bench::of_file(&path).under(model);
                let out = bench.buffer(&(0..64).map(|t| t * 10).collect::<Vec<i32>>());
                bench.run("calls", &Launch::new(1, 64), &[out.into(), Argument::I32(k)]);
                let expected: Vec<i32> = (0..64).map(|t| called(t, k, t * 10)).collect();
                assert_eq!(bench.read(out), expected, "{} {} {k}", form(&path), model.name());
            }
        }
    }
}

#[test]
fn constants_are_those_of_the_module_and_those_that_the_host_writes() {
    for path in forms("k17_misc_mem.ptx") {
        let mut bench = Bench::of_file(&path);
        let out = bench.buffer(&[0i32; 40]);
        let expected = |table: &dyn Fn(i32) -> i32| -> Vec<i32> {
            (0..40).map(|t| table(t & 15) + (t & 3) + 1 + (t & 3) + 5).collect()
        };
        bench.run("constmem", &Launch::new(1, 40), &[out.into()]);
        assert_eq!(bench.read(out), expected(&|_| 0), "{}", form(&path));
        let (table, bytes) = bench.gpu.variable(bench.handle, "ctab").expect("it is there");
        assert_eq!(bytes, 64);
        let values: Vec<u8> = (0..16i32).flat_map(|i| (i * i).to_le_bytes()).collect();
        bench.gpu.upload(table, &values).expect("in range");
        bench.run("constmem", &Launch::new(1, 40), &[out.into()]);
        assert_eq!(bench.read(out), expected(&|i| i * i), "{}", form(&path));
    }
}

#[test]
fn arrays_in_local_memory_are_indexed_at_run_time() {
    for path in forms("k17_misc_mem.ptx") {
        for k in [0, 1, 5, 50] {
            let mut bench = Bench::of_file(&path);
            let cells: Vec<i32> = (0..32).map(|i| i * 3 - 11).collect();
            let out = bench.buffer(&cells);
            bench.run("localarr", &Launch::new(1, 32), &[out.into(), Argument::I32(k)]);
            let sum: i32 = (0..k).map(|i| cells[((i * 7 + k) & 31) as usize] * k).sum();
            assert_eq!(bench.read(out), [sum; 32], "{} {k}", form(&path));
        }
    }
}

#[test]
fn read_only_loads_vectors_and_templates_compute_what_they_say() {
    for path in forms("k17_misc_mem.ptx") {
        let mut bench = Bench::of_file(&path);
        let input: Vec<i32> = (0..33).map(|i| i * i).collect();
        let (source, out) = (bench.buffer(&input), bench.buffer(&[0i32; 32]));
        bench.run("ldgro", &Launch::new(1, 32), &[source.into(), out.into()]);
        let sums: Vec<i32> = input.windows(2).map(|w| w[0] + w[1]).collect();
        assert_eq!(bench.read(out), sums, "{}", form(&path));

        let vectors: Vec<i32> = (0..128).map(|i| i * 5 - 100).collect();
        let (source, pairs) = (bench.buffer(&vectors), bench.buffer(&[0f64; 64]));
        bench.run("vec4", &Launch::new(1, 32), &[source.into(), pairs.into()]);
        let pair = |v: &[i32]| [f64::from(v[0] + v[1]), f64::from(v[2] * v[3])];
        let expected: Vec<f64> = vectors.chunks(4).flat_map(pair).collect();
        assert_eq!(bench.read(pairs), expected, "{}", form(&path));

        let (floats, longs) = (bench.buffer(&[0.5f32; 32]), bench.buffer(&[7i64; 32]));
        let launch = Launch::new(1, 32);
        bench.run("_Z4tmplIfEvPT_S0_", &launch, &[floats.into(), Argument::F32(0.25)]);
        bench.run("_Z4tmplIlEvPT_S0_", &launch, &[longs.into(), Argument::I64(-(1 << 40))]);
        assert_eq!(bench.read(floats), [0.75; 32], "{}", form(&path));
        assert_eq!(bench.read(longs), [7 - (1 << 40); 32], "{}", form(&path));

        let cells = bench.buffer(&[0i32; 12]);
        bench.run(
            "dims3",
            &Launch { grid: [1; 3], block: [3, 2, 2], ..Launch::default() },
            &[cells.into()],
        );
        assert_eq!(bench.read(cells), [32; 12], "{}", form(&path));
    }
}

#[test]
fn a_pointer_knows_which_space_it_points_into() {
    for path in forms("k17_misc_mem.ptx") {
        // To shared memory, to a local variable that is 5 then, and to the array itself.
        for (cells, after) in [
            ([9, 1, 0, 0], [9, 1, 0, 10]),
            ([9, 0, 1, 0], [9, 0, 1, 9]),
            ([9, 0, 0, 0], [5, 0, 0, 11]),
        ] {
            let mut bench = Bench::of_file(&path);
            let o = bench.buffer(&cells);
            bench.run("isspc", &Launch::new(1, 1), &[o.into()]);
            assert_eq!(bench.read(o), after, "{}", form(&path));
        }
    }
}

#[test]
fn barriers_with_counts_in_inline_assembly_let_go_and_arrive() {
    for path in forms("k17_misc_mem.ptx") {
        let mut bench = Bench::of_file(&path);
        let o = bench.buffer(&[0i32; 96]);
        bench.run("lb", &Launch::new(1, 64), &[o.into()]);
        let expected: Vec<i32> = (0..96).map(|i| if i < 32 { 1 } else { i % 32 }).collect();
        assert_eq!(bench.read(o), expected, "{}", form(&path));
    }
}

#[test]
fn tiles_of_sixteen_reduce_and_shuffle_and_coalesced_threads_are_counted() {
    for path in forms("k12_coop_groups.ptx") {
        let mut bench = Bench::of_file(&path);
        let input: Vec<i32> = (0..32).map(|i| i * i - 50).collect();
        let (source, out) = (bench.buffer(&input), bench.buffer(&[0i32; 2]));
        bench.run("cg_reduce", &Launch::new(1, 32), &[source.into(), out.into()]);
        let sums: Vec<i32> = input.chunks(16).map(|tile| 2 * tile.iter().sum::<i32>()).collect();
        // However the threads are grouped at the end, together they are 32.
        assert_eq!(bench.read(out), [sums[0] + 32, sums[1]], "{}", form(&path));
    }
}

#[test]
fn a_message_passes_between_blocks_through_cuda_atomics() {
    for path in forms("k20_libcudacxx_atomic.ptx") {
        for schedule in ["in-order", "reverse", "random:1"] {
            let mut bench = Bench::of_file(&path).scheduled(schedule);
            let cells = [bench.buffer(&[0i32]), bench.buffer(&[0i32]), bench.buffer(&[0i32])];
            bench.run("mp", &Launch::new(2, 1), &cells.map(Argument::from));
            let after = cells.map(|cell| bench.read(cell)[0]);
            assert_eq!(after, [42, 3, 42], "{} {schedule}", form(&path));
        }
    }
}
