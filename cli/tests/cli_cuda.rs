//! The command on `.cu` files, where NVRTC is installed. The tests use each compiler that
//! `scripts/fetch-nvrtc.sh` fetched, or the one that the environment variable `WARPSIM_NVRTC`
//! names. Otherwise they use the NVRTC that is found. If there is none, or if CUDA's headers are
//! not beside it, they say how many were skipped. A simulator replaces the GPU.
//!
//! The sources are in `tests/cuda`. The expected results are computed here from the same numbers,
//! or written out.

#![expect(clippy::print_stderr, reason = "what was skipped is to be seen")]

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use libtest_mimic::{Arguments, Failed, Trial};
use serde_json::Value;
use warpsim::cuda::{Nvrtc, Search};

type Result<T = ()> = std::result::Result<T, Failed>;
type Test = fn(&Compiler) -> Result;

const TESTS: &[(&str, Test)] = &[
    ("a_kernel_runs_beside_the_host_code_of_its_file", host_code),
    ("naive_makes_more_accesses_and_the_same_result", naive),
    ("kernels_have_the_names_of_the_ptx_and_of_the_source", names),
    ("a_race_is_told_in_lines_of_the_source", races),
    ("check_looks_at_what_the_compiler_would_remove", removed),
    ("what_compile_writes_is_the_program_that_runs", compiles),
    ("other_commands_take_the_source_too", other_commands),
    ("both_sides_are_compared_and_recorded", compared),
    ("constants_headers_and_macros_are_those_that_are_given", constants),
    ("an_architecture_is_chosen_or_refused_with_those_that_are_known", architectures),
    ("errors_and_warnings_have_their_file_and_line", mistakes),
    ("what_no_compiler_can_help_is_said_with_what_to_do", advice),
    ("a_file_with_host_code_is_compiled_by_a_clang_that_is_there", host_code_by_clang),
    ("integers_of_128_bits_are_computed", wide),
];

/// These read CUDA's own headers.
const WITH_HEADERS: &[(&str, Test)] = &[
    ("tiles_and_coalesced_groups_are_those_of_cooperative_groups", groups),
    ("atomics_of_the_standard_library_order_what_they_say", flags),
    ("halves_are_rounded_after_each_step", halves),
    ("a_barrier_of_the_grid_is_told_to_need_a_cooperative_launch", grid_sync),
    ("a_barrier_object_runs_for_every_architecture", meeting),
    ("copies_that_tell_a_barrier_run_and_are_judged", copies),
];

fn main() -> std::process::ExitCode {
    let arguments = Arguments::from_args();
    let mut trials = Vec::new();
    for given in warpsim_effort::compilers() {
        let search = Search::of_process(given.as_deref());
        match Nvrtc::find(&search) {
            Ok(nvrtc) => trials.extend(of_compiler(&nvrtc)),
            // A path that was given and leads nowhere is a mistake, and nothing to skip.
            Err(error) if search.given.is_some() => {
                let name = format!("nvrtc at {:?}", search.given.unwrap_or_default());
                trials.push(Trial::test(name, move || Err(error.into())));
            }
            Err(error) => {
                let all = TESTS.len() + WITH_HEADERS.len();
                eprintln!(
                    "the command on .cu files: {all} skipped: {error}; scripts/fetch-nvrtc.sh \
                     fetches one"
                );
            }
        }
    }
    libtest_mimic::run(&arguments, trials).exit_code()
}

fn of_compiler(nvrtc: &Nvrtc) -> Vec<Trial> {
    let (major, minor) = nvrtc.version();
    let library = nvrtc.found().library.clone();
    let version = format!("{major}.{minor}");
    let has_headers = nvrtc.found().headers().iter().any(|f| f.join("cuda_fp16.h").is_file());
    let mut tests: Vec<_> = TESTS.to_vec();
    match has_headers {
        true => tests.extend(WITH_HEADERS),
        false => eprintln!(
            "the command on .cu files, NVRTC {version}: {} skipped: CUDA's headers are not beside \
             it; scripts/fetch-nvrtc.sh fetches both",
            WITH_HEADERS.len()
        ),
    }
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("cli-cuda-{version}"));
    let has_crt = nvrtc.found().headers().iter().any(|f| f.join("crt/mma.h").is_file());
    let compiler = Arc::new(Compiler { library, folder, has_crt });
    let trial = |(name, test): (&str, Test)| {
        let compiler = Arc::clone(&compiler);
        Trial::test(format!("nvrtc {version} {name}"), move || test(&compiler))
    };
    tests.into_iter().map(trial).collect()
}

/// A compiler, and a folder for what the command writes.
struct Compiler {
    library: PathBuf,
    folder: PathBuf,
    /// The headers of another package, which `scripts/fetch-nvrtc.sh` does not fetch, are there
    /// too.
    has_crt: bool,
}

/// The result of a command.
struct Said {
    code: Option<i32>,
    out: String,
    err: String,
}

impl Compiler {
    /// Runs the command in `tests/cuda`; its arguments are split at blanks.
    fn warpsim(&self, arguments: &str) -> Result<Said> {
        let output = Command::new(env!("CARGO_BIN_EXE_warpsim"))
            .current_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cuda"))
            .env("WARPSIM_GPU_STAND_IN", "simulator")
            .env("WARPSIM_NVRTC", &self.library)
            .env("NO_COLOR", "1")
            .args(arguments.split_whitespace())
            .output()?;
        let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
        let (out, err) = (text(output.stdout), text(output.stderr));
        Ok(Said { code: output.status.code(), out, err })
    }

    /// Runs the command, which has to end with this exit code.
    fn ends(&self, code: i32, arguments: &str) -> Result<Said> {
        let said = self.warpsim(arguments)?;
        match said.code == Some(code) {
            true => Ok(said),
            false => Err(format!(
                "`warpsim {arguments}` ended with {:?}, not {code}:\n{}{}",
                said.code, said.out, said.err
            )
            .into()),
        }
    }

    /// The command fails with this exit code and says all of these.
    fn refuses(&self, code: i32, arguments: &str, words: &[&str]) -> Result {
        let said = self.ends(code, arguments)?;
        for words in words {
            check(said.err.contains(words), &format!("{words:?} is not in\n{}", said.err))?;
        }
        check(!said.err.contains("panicked"), &said.err)
    }

    /// What a launch leaves in the buffer of a parameter.
    fn buffer(&self, parameter: usize, arguments: &str) -> Result<Vec<Value>> {
        let document = self.document(arguments)?;
        let buffers = document["buffers"].as_array().cloned().unwrap_or_default();
        let found = buffers.iter().find(|b| b["param"] == parameter);
        let values = found.and_then(|buffer| buffer["values"].as_array().cloned());
        Ok(values.ok_or_else(|| format!("no values in {document}"))?)
    }

    fn document(&self, arguments: &str) -> Result<Value> {
        let said = self.ends(0, &format!("{arguments} --format json"))?;
        Ok(serde_json::from_str(&said.out)?)
    }

    /// A launch leaves these numbers in the buffer of a parameter.
    fn leaves<T>(&self, parameter: usize, numbers: &[T], arguments: &str) -> Result
    where
        T: Copy + Into<Value>,
    {
        let found = self.buffer(parameter, arguments)?;
        let expected: Vec<Value> = numbers.iter().map(|n| (*n).into()).collect();
        check(found == expected, &format!("{arguments}: {found:?}, not {expected:?}"))
    }

    /// A path for what the command writes.
    fn path(&self, name: &str) -> Result<String> {
        std::fs::create_dir_all(&self.folder)?;
        let path = self.folder.join(name);
        let _ = std::fs::remove_file(&path);
        Ok(path.display().to_string())
    }
}

fn check(holds: bool, what: &str) -> Result {
    if holds { Ok(()) } else { Err(what.into()) }
}

/// `s32[N]=list:...`, as an argument.
fn list(numbers: &[i64], ty: &str) -> String {
    let cells: Vec<String> = numbers.iter().map(i64::to_string).collect();
    format!("--arg {ty}[{}]=list:{}", cells.len(), cells.join(","))
}

/// 3 + 4 + ... + 502, in blocks. The last block is not full.
const SUM: &str = "sum.cu --grid 4 --block 128 --arg s32[500]=iota:3 --arg 500 --arg s32[1]";
const TOTAL: i64 = (3 + 502) * 500 / 2;

fn host_code(compiler: &Compiler) -> Result {
    for arch in ["", "--arch sm_75", "--arch compute_90"] {
        compiler.leaves(2, &[TOTAL], &format!("run {SUM} {arch}"))?;
    }
    compiler.leaves(2, &[TOTAL], &format!("run {SUM} --on gpu"))
}

fn naive(compiler: &Compiler) -> Result {
    let count = |arguments: &str| -> Result<u64> {
        let document = compiler.document(&format!("run {SUM} {arguments}"))?;
        Ok(document["stats"]["warp_instructions"].as_u64().ok_or("no stats")?)
    };
    compiler.leaves(2, &[TOTAL], &format!("run {SUM} --naive"))?;
    let (optimised, naive) = (count("")?, count("--naive")?);
    check(naive > optimised, &format!("{naive} and {optimised} instructions"))
}

fn names(compiler: &Compiler) -> Result {
    let run = |name: &str, rest: &str| format!("run names.cu --block 3 --kernel {name} {rest}");
    compiler.leaves(0, &[1, 1, 1], &run("plain", "--arg s32[3]"))?;
    for name in ["own", "sums::own", "_ZN4sums3ownEPi"] {
        compiler.leaves(0, &[2, 2, 2], &run(name, "--arg s32[3]"))?;
    }
    for (name, ty, by) in [
        ("sums::fold<int,sums::Twice,100>", "s32", 100),
        ("fold<int,sums::Twice,100>", "s32", 100),
        // Blanks do not matter, and would part the arguments here.
        ("fold<longlong,sums::Twice,200>", "s64", 200),
    ] {
        let rest = format!("--arg {ty}[3] --arg bytes:00");
        compiler.leaves(0, &[by, by + 2, by + 4], &run(name, &rest))?;
    }
    let listed = ["there is no kernel `nope`", "sums::own (_ZN4sums3ownEPi)", "plain"];
    compiler.refuses(2, &run("nope", "--arg s32[3]"), &listed)?;
    let several =
        ["several kernels have the name `fold`", "sums::fold<long long, sums::Twice, 200>"];
    compiler.refuses(2, &run("fold", "--arg s32[3]"), &several)?;
    let four = ["the module has 4 kernels", "--kernel NAME"];
    compiler.refuses(2, "run names.cu --arg s32[3]", &four)
}

fn races(compiler: &Compiler) -> Result {
    for form in ["", "--naive", "--arch sm_90"] {
        let launch = |kernel: &str| {
            format!("check race.cu --kernel {kernel} --block 64 --arg s32[64] {form}")
        };
        let lines = ["error[race]", "race.cu:4", "race.cu:5", "out[threadIdx.x] = cells[thr"];
        compiler.refuses(1, &launch("racy"), &lines)?;
        compiler.ends(0, &launch("clean"))?;
    }
    let swapped: Vec<i64> = (0..64).map(|t| t ^ 32).collect();
    compiler.leaves(0, &swapped, "run race.cu --kernel clean --block 64 --arg s32[64]")
}

fn removed(compiler: &Compiler) -> Result {
    let check_it = "check removed.cu --block 64 --arg s32[64]";
    let kept = ["error[race]", "removed.cu:3", "check --naive removed.cu", "last = threadIdx.x"];
    compiler.refuses(1, check_it, &kept)?;
    let said = compiler.ends(1, check_it)?.out;
    check(said.contains("compiled with all accesses of the source (--naive)"), &said)?;
    // All that is left of it is a store of each thread's own number.
    let said = compiler.ends(0, &format!("{check_it} --optimised"))?.out;
    check(said.contains("accesses that the compiler removed were not checked"), &said)?;
    let explored = "explore removed.cu --block 64 --arg s32[64] --schedules 3 --format json";
    let document: Value = serde_json::from_str(&compiler.ends(1, explored)?.out)?;
    check(document["compiled"] == "naive", &document.to_string())?;
    let document = compiler.document("run removed.cu --block 64 --arg s32[64]")?;
    check(document["compiled"] == "optimised", &document.to_string())
}

fn grid_sync(compiler: &Compiler) -> Result {
    let needs = ["`grid.sync()` needs a cooperative launch", "--cooperative"];
    for form in ["--naive", "--optimised"] {
        let launch = format!("grid_sync.cu --grid 2 --arg s32[64] {form}");
        compiler.refuses(1, &format!("run {launch} --kernel k"), &needs)?;
        compiler.ends(0, &format!("check {launch} --kernel k --cooperative"))?;
        // The other block may write already what this one has not read yet.
        let race = ["read-write race on global memory", "happened 64 times"];
        compiler.refuses(1, &format!("check {launch} --kernel once --cooperative"), &race)?;
    }
    Ok(())
}

fn compiles(compiler: &Compiler) -> Result {
    for form in ["", "--naive", "--naive --pass register-cache"] {
        let said = compiler.ends(0, &format!("compile sum.cu {form}"))?;
        check(said.out.starts_with(".version"), &said.out)?;
        let path = compiler.path(&format!("sum{}.ptx", form.replace(' ', "")))?;
        compiler.ends(0, &format!("compile sum.cu {form} -o {path}"))?;
        check(std::fs::read_to_string(&path)? == said.out, "-o writes something else")?;
        check(compiler.ends(0, &format!("compile {path}"))?.out == said.out, "no fixed point")?;
        compiler.leaves(2, &[TOTAL], &format!("run {}", SUM.replace("sum.cu", &path)))?;
    }
    Ok(())
}

fn other_commands(compiler: &Compiler) -> Result {
    let launch = "race.cu --kernel clean --block 64 --arg s32[64]";
    let traced = compiler.ends(0, &format!("trace {launch}"))?;
    check(traced.out.contains("race.cu:12 "), &traced.out)?;
    let explored = compiler.ends(0, &format!("explore {launch} --schedules 5"))?;
    check(explored.out.contains("no findings in"), &explored.out)?;
    compiler.ends(0, &format!("step {launch}"))?;
    let kept = compiler.ends(0, "diff sum.cu --naive --pass register-cache")?;
    check(kept.out.contains("after register-cache"), &kept.out)
}

fn compared(compiler: &Compiler) -> Result {
    let equal = compiler.document(&format!("compare {SUM}"))?;
    check(equal["verdict"] == "equal", &equal.to_string())?;
    let path = compiler.path("sum.json")?;
    compiler.ends(0, &format!("record {SUM} -o {path}"))?;
    compiler.ends(0, &format!("compare {SUM} --recording {path}"))?;
    // Another text: nothing can be said about it.
    let naive = format!("compare {SUM} --recording {path} --naive");
    compiler.refuses(2, &naive, &["ptx_sha256"])
}

fn constants(compiler: &Compiler) -> Result {
    let run = "run constants.cu --block 8 --arg f32[8] --global offset=s32[1]=list:3";
    let run = format!("{run} -I include -D EXTRA=1000");
    let weighed = [1008.0, 1013.0, 1023.0, 1043.0];
    compiler.leaves(0, &[weighed, weighed].concat(), &run)?;
    let missing = ["cannot open source file \"scale.h\"", "constants.cu:2:", "-I DIR"];
    compiler.refuses(2, &run.replace("-I include", ""), &missing)?;
    let undefined = ["identifier \"EXTRA\" is undefined", "constants.cu:9:"];
    compiler.refuses(2, &run.replace("-D EXTRA=1000", ""), &undefined)?;
    let wrong = ["cannot compile constants.cu", "invalid macro definition: 1EXTRA"];
    compiler.refuses(2, &run.replace("EXTRA=1000", "1EXTRA"), &wrong)
}

fn architectures(compiler: &Compiler) -> Result {
    for (options, target) in [
        ("", ".target sm_80\n"),
        ("--arch sm_75", ".target sm_75\n"),
        ("--arch sm_90", ".target sm_90\n"),
        ("--arch 90a", ".target sm_90a\n"),
    ] {
        let said = compiler.ends(0, &format!("compile sum.cu {options}"))?;
        check(said.out.contains(target), &said.out)?;
    }
    for unknown in ["sm_1", "sm_75a", "ampere"] {
        let words = [&format!("does not know the architecture {unknown}; it knows"), "sm_90"];
        compiler.refuses(2, &format!("compile sum.cu --arch {unknown}"), &words)?;
    }
    Ok(())
}

fn mistakes(compiler: &Compiler) -> Result {
    let own = ["identifier \"nothing\" is undefined", " --> mistakes.cu:3:24", "= nothing;"];
    compiler.refuses(2, "run mistakes.cu --arg s32[32]", &own)?;
    let header = ["identifier \"two\" is undefined", " --> include/broken.h:2:", "x / two"];
    compiler.refuses(2, "run includes.cu -I include --arg s32[1]", &header)?;
    let warned = compiler.ends(0, "run warns.cu --block 2 --arg s32[2] --format json")?;
    let words = "warning[177-D]: variable \"unused\" was declared but never referenced";
    check(warned.err.contains(words) && warned.err.contains("warns.cu:2:9"), &warned.err)?;
    serde_json::from_str::<Value>(&warned.out)?;
    Ok(())
}

/// NVRTC does not know host code: a clang that is there compiles the file.
fn host_code_by_clang(compiler: &Compiler) -> Result {
    if !compiler.ends(0, "devices")?.out.contains("(chosen)") {
        eprintln!("a file with host code beside NVRTC: skipped: no clang passes its trial");
        return Ok(());
    }
    compiler.leaves(0, &[1; 32], "run host.cu --block 32 --arg s32[32]")
}

fn advice(compiler: &Compiler) -> Result {
    let host = ["cannot open source file \"vector\"", "`#ifndef __CUDACC_RTC__`"];
    let asked = format!("run host.cu --arg s32[32] --nvrtc {}", compiler.library.display());
    compiler.refuses(2, &asked, &host)?;
    let std = ["cannot open source file \"type_traits\"", "#include <cuda/std/type_traits>"];
    compiler.refuses(2, "run std.cu", &std)?;
    if !compiler.has_crt {
        let crt = ["cannot open source file \"crt/mma.h\"", "pip install 'nvidia-cuda-"];
        compiler.refuses(2, "run crt.cu", &crt)?;
    }
    let none = ["the module defines no kernel", "a template becomes one where the file"];
    compiler.refuses(2, "run generic.cu --arg s32[32]", &none)?;
    compiler.refuses(2, "run generic.cu --kernel generic --arg s32[32]", &none)?;
    let clusters = ["__cluster_dims__ is not supported", "--arch sm_90 compiles"];
    compiler.refuses(2, "run clusters.cu --arg s32[32]", &clusters)?;
    let said = compiler.ends(0, "run printing.cu --block 3 --arg s32[3]")?;
    let printed = "thread 0\nthread 1\nthread 2\n";
    check(said.out.starts_with(printed) && said.out.contains("| 1 1 1"), &said.out)?;
    let nowhere = ["no CUDA compiler found (libnvrtc) at /nowhere", "--nvrtc and WARPSIM_NVRTC"];
    compiler.refuses(4, &format!("run {SUM} --nvrtc /nowhere"), &nowhere)?;
    // A text is no library: the system says so.
    let text = ["sum.cu cannot be opened: ", "invalid ELF header", "`warpsim devices`"];
    compiler.refuses(4, &format!("run {SUM} --nvrtc sum.cu"), &text)
}

fn wide(compiler: &Compiler) -> Result {
    let numbers = [3_i64, 1 << 40, 0x7fff_ffff_ffff_ffff, 5_000_000_000];
    let high: Vec<i64> = numbers.iter().map(|n| (i128::from(*n).pow(2) >> 64) as i64).collect();
    let run = format!("run wide.cu --block 4 {} --arg u64[4]", list(&numbers, "u64"));
    compiler.leaves(1, &high, &run)
}

fn groups(compiler: &Compiler) -> Result {
    let numbers: Vec<i64> = (0..64).map(|i| i * 37 % 101).collect();
    let largest: Vec<i64> = (0..64)
        .map(|i| numbers.chunks(8).nth(i / 8).and_then(|tile| tile.iter().max()).copied())
        .map(Option::unwrap_or_default)
        .collect();
    // Among the lanes of its warp whose number is divisible by three.
    let is_in = |i: &usize| numbers[*i] % 3 == 0;
    let rank = |i: usize| if is_in(&i) { (i / 32 * 32..i).filter(is_in).count() } else { 0 };
    let ranks: Vec<i64> = (0..64).map(|i| rank(i) as i64).collect();
    for form in ["", "--naive", "--arch sm_75"] {
        let run = format!("run groups.cu --block 64 {form} {}", list(&numbers, "s32"));
        let run = format!("{run} --arg s32[64] --arg s32[64]");
        compiler.leaves(1, &largest, &run)?;
        compiler.leaves(2, &ranks, &run)?;
    }
    Ok(())
}

fn flags(compiler: &Compiler) -> Result {
    for form in ["", "--naive", "--arch sm_90"] {
        let launch = format!("flags.cu --grid 2 --block 1 {form} --arg s32[1] --arg s32[1]");
        compiler.leaves(2, &[124], &format!("run {launch} --arg s32[1]"))?;
        compiler.ends(0, &format!("check {launch} --arg s32[1]"))?;
    }
    Ok(())
}

fn halves(compiler: &Compiler) -> Result {
    // 0.1 and 0.7 are 0.0999755859375 and 0.7001953125 as halves. Their squares, 0.009995... and
    // 0.490273..., round to 1310 * 2^-17 and 2008 * 2^-12; the sums to 2130 * 2^-13 and
    // 1516 * 2^-11.
    let run = "run halves.cu --block 4 --arg f32[4]=list:0.1,0.7,3,-1000 --arg f16[4] --bits";
    let expected = ["0x3429", "0x39ec", "0x48a0", "0x7c00"];
    compiler.leaves(1, &expected, run)
}

fn copies(compiler: &Compiler) -> Result {
    let sums: Vec<i64> = (0..64).map(|t| 4 * (t ^ 33) + 64 * 6).collect();
    let launch = "--block 64 --arg s32[256]=iota --arg s32[64]";
    for arch in ["--arch sm_80", "--arch sm_90"] {
        for kernel in ["good", "good_group"] {
            let run = format!("copies.cu --kernel {kernel} {launch} {arch}");
            compiler.leaves(1, &sums, &format!("run {run} --schedule adversarial"))?;
            compiler.ends(0, &format!("check {run}"))?;
        }
        for kernel in ["bad_no_wait", "bad_not_told", "bad_reuse"] {
            let check = format!("check copies.cu --kernel {kernel} {launch} {arch}");
            compiler.refuses(1, &check, &["error[race]"])?;
        }
    }
    Ok(())
}

fn meeting(compiler: &Compiler) -> Result {
    let turned: Vec<i64> = (0..64).map(|t| (63 - t) * 3).collect();
    let run = "run meeting.cu --block 64 --arg s32[64]";
    for form in ["", "--arch sm_75", "--arch sm_90"] {
        compiler.leaves(0, &turned, &format!("{run} {form}"))?;
        compiler.ends(0, &format!("check {} {form}", run.trim_start_matches("run ")))?;
    }
    Ok(())
}
