//! What one NVIDIA H200 did with these kernels, in every form that the compilers gave them.
//!
//! The expected values are the hardware's, or follow from the source by hand where the hardware's
//! value was not written down. Where several values are allowed the test says which.

use std::path::{Path, PathBuf};

use warpsim::host::{
    Argument, Device, DeviceProfile, Launch, Model, Pointer, SharedInit, Simulator,
};
use warpsim::ptx::Module;
use warpsim::report::{Code, Outcome, Report};

/// The folders of the corpus that hold a form of the kernels: those in the repository, or all of a
/// larger corpus.
fn forms(file: &str) -> Vec<PathBuf> {
    let here = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus");
    let corpus = std::env::var_os("WARPSIM_CORPUS").map_or(here, PathBuf::from);
    let folders = std::fs::read_dir(&corpus).expect("the corpus is there");
    let mut found: Vec<PathBuf> =
        folders.map(|f| f.expect("readable").path().join(file)).filter(|f| f.exists()).collect();
    found.sort();
    assert!(found.len() >= 5, "only {} forms of {file}", found.len());
    found
}

fn parse(path: &Path) -> Module {
    let text = std::fs::read_to_string(path).expect("readable");
    warpsim::ptx::parse(&path.to_string_lossy(), &text).expect("valid PTX")
}

/// A device with one buffer of words.
struct Run {
    gpu: Simulator,
    module: Module,
    out: Pointer,
    words: usize,
}

impl Run {
    fn new(path: &Path, words: usize) -> Run {
        let mut gpu = Simulator::new(DeviceProfile::h200());
        gpu.settings_mut().max_steps = 50_000_000;
        let out = gpu.allocate(words as u64 * 4).expect("memory");
        Run { gpu, module: parse(path), out, words }
    }

    fn input(&mut self, values: impl Iterator<Item = u32>) -> Argument {
        let bytes: Vec<u8> = values.flat_map(u32::to_le_bytes).collect();
        let pointer = self.gpu.allocate(bytes.len() as u64).expect("memory");
        self.gpu.upload(pointer, &bytes).expect("in range");
        Argument::Pointer(pointer)
    }

    fn launch(&mut self, kernel: &str, threads: u32, before: &[Argument]) -> Report {
        let module = self.gpu.load(&self.module).expect("loads");
        let mut arguments = before.to_vec();
        arguments.push(Argument::Pointer(self.out));
        let launch = Launch::new(1, threads);
        match self.gpu.launch(module, kernel, &launch, &arguments) {
            Ok(report) => report,
            Err(error) => panic!("{kernel}: {error}"),
        }
    }

    fn words(&self) -> Vec<u32> {
        let mut bytes = vec![0; self.words * 4];
        self.gpu.peek(self.out, &mut bytes).expect("in range");
        bytes.chunks(4).map(|c| u32::from_le_bytes([c[0], c[1], c[2], c[3]])).collect()
    }
}

/// Runs a kernel that takes only the output buffer, in every form, and checks what it leaves.
fn every_form(kernel: &str, threads: u32, check: impl Fn(&Path, &[u32])) {
    for path in forms("h200_kernels.ptx") {
        let mut run = Run::new(&path, 1024);
        let report = run.launch(kernel, threads, &[]);
        assert_eq!(report.outcome, Outcome::Completed, "{kernel} {}: {report:?}", path.display());
        check(&path, &run.words());
    }
}

fn scan_of_1_to_32() -> Vec<u32> {
    (1..=32).map(|n| n * (n + 1) / 2).collect()
}

#[test]
fn the_volatile_scans_are_right_in_every_form() {
    for path in forms("h200_kernels.ptx") {
        for kernel in ["kB", "kC"] {
            let mut run = Run::new(&path, 32);
            let input = run.input(1..=32);
            run.launch(kernel, 32, &[input]);
            assert_eq!(run.words(), scan_of_1_to_32(), "{kernel} {}", path.display());
        }
    }
}

#[test]
fn the_plain_scan_is_right_where_the_compiler_keeps_its_stores_and_wrong_where_it_does_not() {
    for path in forms("h200_kernels.ptx") {
        let mut run = Run::new(&path, 32);
        let input = run.input(1..=32);
        run.launch("kA", 32, &[input]);
        let optimised = path.to_string_lossy().contains("-O3");
        let expected = if optimised { (1..=32).collect() } else { scan_of_1_to_32() };
        assert_eq!(run.words(), expected, "{}", path.display());
    }
}

#[test]
fn the_volatile_reduction_is_right_in_every_form() {
    for path in forms("h200_kernels.ptx") {
        let mut run = Run::new(&path, 1);
        let input = run.input((0..64).map(|i| i * i + 3));
        run.launch("redB", 64, &[input]);
        let sum: u32 = (0..64).map(|i| i * i + 3).sum();
        assert_eq!(run.words(), [sum], "{}", path.display());
    }
}

#[test]
fn lanes_that_part_read_what_their_neighbours_wrote_or_had_before() {
    every_form("divg", 32, |path, out| {
        for t in 0..32u32 {
            let allowed = if t % 2 == 1 { vec![t] } else { vec![0, t + 1] };
            assert!(allowed.contains(&out[t as usize]), "{}: {t}", path.display());
        }
    });
    every_form("divg2", 32, |path, out| {
        for t in 0..32u32 {
            let allowed = if t % 2 == 0 { vec![t + 100] } else { vec![0, t - 1 + 100] };
            assert!(allowed.contains(&out[t as usize]), "{}: {t}", path.display());
        }
    });
}

#[test]
fn both_sides_of_a_branch_in_one_warp_at_a_barrier_each_is_a_deadlock() {
    for path in forms("h200_kernels.ptx") {
        let mut run = Run::new(&path, 64);
        let report = run.launch("evenbar", 32, &[]);
        assert_eq!(report.outcome, Outcome::Deadlock, "{}", path.display());
        assert_eq!(report.findings[0].code, Code::Deadlock);
        let lanes: Vec<u32> = report.findings[0].sites.iter().map(|site| site.lane).collect();
        assert!(lanes.contains(&0) && lanes.contains(&16), "{}: {lanes:?}", path.display());
    }
}

#[test]
fn a_barrier_does_not_wait_for_warps_that_have_exited() {
    // Warp 1 reads the count without waiting for warp 0: the hardware's 32 is one of the values
    // that it may see.
    every_form("divbar", 64, |path, out| {
        assert_eq!(out[..32], [32; 32], "{}", path.display());
        assert!(out[32..64].iter().all(|c| *c <= 32), "{}: {out:?}", path.display());
    });
    every_form("mismatch", 64, |_, out| assert_eq!(out[..64], [32; 64]));
    for threads in [64, 96] {
        every_form("earlyexit", threads, |_, out| assert_eq!(out[..40], [40; 40]));
    }
}

#[test]
fn lanes_that_pass_by_a_barrier_go_on_and_the_others_wait_until_they_have_exited() {
    let even_odd = |even: u32, odd: u32| {
        move |path: &Path, out: &[u32]| {
            for (t, value) in out[..32].iter().enumerate() {
                let expected = if t % 2 == 0 { even } else { odd };
                assert_eq!(*value, expected, "{}: thread {t}", path.display());
            }
        }
    };
    every_form("partbar", 64, even_odd(64032, 32032));
    every_form("partbar", 32, even_odd(32016, 16016));
}

#[test]
fn a_lock_between_lanes_makes_progress_under_independent() {
    for kernel in ["spin", "spin2"] {
        every_form(kernel, 32, |path, out| {
            assert_eq!((out[0], out[60]), (32, 0), "{kernel} {}", path.display());
        });
    }
}

#[test]
fn under_lockstep_a_loop_that_the_winner_leaves_is_a_livelock_and_one_it_stays_in_is_not() {
    let path = forms("h200_kernels.ptx")
        .into_iter()
        .find(|p| p.to_string_lossy().contains("nvrtc13-sm80-O3"))
        .expect("this form is there");
    let mut run = Run::new(&path, 64);
    run.gpu.settings_mut().model = Model::Lockstep;
    let report = run.launch("spin2", 32, &[]);
    assert!(report.counts.warp_instructions < 1_000_000, "{:?}", report.counts);
    assert_eq!(report.outcome, Outcome::Livelock);
    let explanation = &report.findings[0].explanation;
    assert!(explanation.contains("lanes 1-31 spin at"), "{explanation}");
    assert!(explanation.contains("lane 0 wait"), "{explanation}");

    let mut run = Run::new(&path, 64);
    run.gpu.settings_mut().model = Model::Lockstep;
    assert_eq!(run.launch("spin", 32, &[]).outcome, Outcome::Completed);
    assert_eq!(run.words()[0], 32);
}

#[test]
fn racing_increments_lose_all_but_one_and_atomic_ones_none() {
    every_form("sums6", 64, |_, out| assert_eq!(out[0], 1));
    every_form("sums6v", 1024, |_, out| assert_eq!(out[0], 1));
    every_form("sums6a", 64, |_, out| assert_eq!(out[0], 64));
}

#[test]
fn of_stores_to_one_cell_the_lowest_lane_of_the_last_warp_wins() {
    every_form("gsame", 64, |_, out| assert_eq!(out[..2], [32, 99]));
}

#[test]
fn ballots_with_disjoint_masks_in_two_sides_of_a_branch_do_not_mix() {
    every_form("syncw", 32, |_, out| {
        assert_eq!(out[..7], [42; 7]);
        assert_eq!(out[7..32], [0xaaaa_aa80; 25]);
    });
}

#[test]
fn shuffles_move_what_cuda_says_they_move() {
    every_form("shfl", 32, |_, out| {
        for t in 0..32u32 {
            let up = if t >= 3 { t - 3 } else { t };
            let xor = t ^ 5;
            let down = if t % 16 + 9 < 16 { t + 9 } else { t };
            assert_eq!(out[t as usize], up * 10000 + xor * 100 + down, "lane {t}");
        }
    });
}

#[test]
fn a_shuffle_from_lanes_that_never_come_reads_zero() {
    every_form("badshfl", 32, |_, out| assert_eq!(out[..32], [0; 32]));
}

#[test]
fn barrier_reductions_count_threads_whose_predicate_is_not_zero() {
    every_form("cnt", 96, |_, out| assert_eq!(out[..96], [3201; 96]));
}

#[test]
fn atomics_leave_the_values_of_the_hardware() {
    every_form("incdec", 32, |path, out| {
        let expected = [0, 6, 1, -31i32 as u32, 0x8000_001f, 0, 0, -496i32 as u32, 31];
        // And starts at zero, so it stays there; the hardware's memory was zeroed too.
        assert_eq!(out[..9], expected, "{}", path.display());
    });
}

#[test]
fn shared_memory_keeps_what_the_last_block_left() {
    for path in forms("h200_kernels.ptx") {
        let mut run = Run::new(&path, 64);
        run.gpu.settings_mut().shared_init = SharedInit::Leftover;
        run.launch("leftover", 64, &[]);
        assert_eq!(run.words(), [0; 64]);
        run.launch("leftover", 64, &[]);
        assert_eq!(run.words(), (1000..1064).collect::<Vec<u32>>(), "{}", path.display());
    }
}

#[test]
fn find_max_finds_the_maximum() {
    for path in forms("h200_kernels.ptx") {
        let mut run = Run::new(&path, 1);
        let n = 1 << 12;
        let value = |i: u32| i.wrapping_mul(2_654_435_761) >> 1;
        let input = run.input((0..n).map(value));
        run.launch("find_max", 16, &[input, Argument::U64(n.into())]);
        assert_eq!(run.words(), [(0..n).map(value).max().unwrap_or(0)], "{}", path.display());
    }
}
