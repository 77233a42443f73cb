//! The CUDA compiler itself, where NVRTC is installed: every one that `scripts/fetch-nvrtc.sh`
//! fetched, or the one that the environment variable `WARPSIM_NVRTC` names, or else the one that is
//! found. Where there is none it is said how many of these were skipped.

#![expect(clippy::print_stderr, reason = "what was skipped is to be seen")]

use std::path::{Path, PathBuf};

use libtest_mimic::{Failed, Trial};
use warpsim::prelude::*;
use warpsim_gpu::nvrtc::{CompileOptions, Message, Mode, Nvrtc, NvrtcError, Search, Severity};

type Result = std::result::Result<(), Failed>;
type Test = fn(&Nvrtc) -> Result;

const TESTS: &[(&str, Test)] = &[
    ("a_source_becomes_ptx_with_lines_and_naive_keeps_its_accesses", both_modes),
    ("errors_of_a_source_are_messages_with_their_places", errors_of_a_source),
    ("what_is_wrong_with_an_option_is_no_error_of_the_source", errors_of_options),
    ("a_device_takes_a_source_and_kernels_by_their_names_in_it", loaded),
    ("every_architecture_that_is_known_is_compiled_for", architectures),
    ("integers_of_128_bits_are_there", int128),
    ("macros_and_folders_of_headers_are_those_of_the_options", macros_and_headers),
    ("headers_of_the_host_need_not_be_there", host_headers),
];

/// All tests, with each compiler that is here.
pub(crate) fn trials() -> Vec<Trial> {
    let mut trials: Vec<Trial> = Vec::new();
    for given in compilers() {
        let search = Search::of_process(given.as_deref());
        match Nvrtc::find(&search) {
            Ok(nvrtc) => {
                let (major, minor) = nvrtc.version();
                trials.extend(TESTS.iter().map(|(name, test)| {
                    let (search, test) = (search.clone(), *test);
                    let name = format!("nvrtc {major}.{minor} {name}");
                    Trial::test(name, move || test(&Nvrtc::find(&search)?))
                }));
            }
            // A path that was given and leads nowhere is a mistake, and nothing to skip.
            Err(error) if search.given.is_some() => {
                let name = format!("nvrtc at {:?}", search.given.unwrap_or_default());
                trials.push(Trial::test(name, move || Err(error.into())));
            }
            Err(error) => eprintln!(
                "live tests of NVRTC: {} skipped: {error}; scripts/fetch-nvrtc.sh fetches one",
                TESTS.len()
            ),
        }
    }
    trials
}

/// Paths of compilers; none is the one that is found without a path.
fn compilers() -> Vec<Option<PathBuf>> {
    let target = Path::new(env!("CARGO_MANIFEST_DIR")).join("../target");
    let entries = std::fs::read_dir(target).into_iter().flatten().flatten();
    let mut fetched: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    let is_one = |p: &PathBuf| {
        let name = p.file_name().unwrap_or_default().to_string_lossy();
        name == "nvrtc-venv" || name.starts_with("nvrtc-venv-")
    };
    fetched.retain(is_one);
    fetched.sort();
    match std::env::var_os("WARPSIM_NVRTC").is_some() || fetched.is_empty() {
        true => vec![None],
        false => fetched.into_iter().map(Some).collect(),
    }
}

fn check(holds: bool, what: &str) -> Result {
    if holds { Ok(()) } else { Err(what.into()) }
}

const TWICE: &str = "
extern \"C\" __global__ void twice(int *cells) {
    __shared__ int data[32];
    int t = threadIdx.x;
    data[t] = cells[t];
    data[t] = data[t] + data[t];
    cells[t] = data[t];
}
";

fn both_modes(nvrtc: &Nvrtc) -> Result {
    let compile = |mode| {
        let options = CompileOptions { mode, ..CompileOptions::default() };
        nvrtc.compile("made/up.cu", TWICE, &options).map(|compiled| compiled.ptx)
    };
    // The source stores to shared memory twice and loads from it three times; nothing of it is
    // needed, as nobody else looks.
    let (optimised, naive) = (compile(Mode::Optimised)?, compile(Mode::Naive)?);
    let stores = |ptx: &str| ptx.lines().filter(|l| l.trim().starts_with("st.")).count();
    check(stores(&optimised) < stores(&naive), &format!("{optimised}\n{naive}"))?;
    check(stores(&naive) == 3 + naive.matches("st.param").count(), &naive)?;
    for ptx in [&optimised, &naive] {
        let has = |part: &str| ptx.contains(part);
        check(has(".entry twice") && has(".loc") && has("made/up.cu\""), ptx)?;
    }
    Ok(())
}

fn errors_of_a_source(nvrtc: &Nvrtc) -> Result {
    let source = "\n__global__ void k() { nothing(); }\n";
    let Err(error) = nvrtc.compile("bad.cu", source, &CompileOptions::default()) else {
        return Err("it compiles".into());
    };
    let NvrtcError::Source { messages, .. } = error else { return Err(error.into()) };
    let expected = Message {
        severity: Severity::Error,
        file: Some("bad.cu".to_owned()),
        line: Some(2),
        column: Some(23),
        number: None,
        text: "identifier \"nothing\" is undefined".to_owned(),
        notes: Vec::new(),
    };
    check(messages.first() == Some(&expected), &format!("{messages:?}"))
}

fn errors_of_options(nvrtc: &Nvrtc) -> Result {
    let refused = |options: CompileOptions| {
        let error = nvrtc.compile("x.cu", TWICE, &options).err();
        error.ok_or_else(|| Failed::from(format!("{options:?} are taken")))
    };
    // 7.5 is in every version from 10 on, and has no features of its own.
    for arch in ["sm_1", "sm_75a", "ampere", ""] {
        let arch = Some(arch.to_owned());
        let error = refused(CompileOptions { arch, ..CompileOptions::default() })?;
        check(matches!(error, NvrtcError::Architecture { .. }), &error.to_string())?;
        check(error.to_string().contains("it knows sm_"), &error.to_string())?;
    }
    let extra = vec!["-nonsense".to_owned()];
    let error = refused(CompileOptions { extra, ..CompileOptions::default() })?;
    check(matches!(error, NvrtcError::Option { .. }), &error.to_string())?;
    for define in ["1X", "X Y=3", ""] {
        let defines = vec![define.to_owned()];
        let error = refused(CompileOptions { defines, ..CompileOptions::default() })?;
        let words =
            format!("the CUDA compiler refuses its options: invalid macro definition: {define}");
        check(error.to_string() == words.trim_end(), &error.to_string())?;
        check(!error.is_about_the_compiler(), "it is not the compiler that is missing")?;
    }
    let zero = nvrtc.compile("x.cu", "\0", &CompileOptions::default());
    check(matches!(zero, Err(NvrtcError::Zero { .. })), "a zero byte")
}

fn architectures(nvrtc: &Nvrtc) -> Result {
    for number in nvrtc.architectures() {
        let arch = Some(format!("sm_{number}"));
        let compiled = nvrtc.compile("x.cu", TWICE, &CompileOptions { arch, ..Default::default() });
        let ptx = compiled?.ptx;
        check(ptx.contains(&format!(".target sm_{number}\n")), &ptx)?;
    }
    let usual = nvrtc.compile("x.cu", TWICE, &CompileOptions::default())?.ptx;
    check(usual.contains(".target sm_80\n"), &usual)
}

fn int128(nvrtc: &Nvrtc) -> Result {
    let source = "__global__ void k(__int128 *p) { *p = *p * *p; }";
    nvrtc.compile("x.cu", source, &CompileOptions::default())?;
    Ok(())
}

fn loaded(nvrtc: &Nvrtc) -> Result {
    let source = "
template <typename T, unsigned N> __global__ void turn(const T *in, T *out) {
  __shared__ T cells[N];
  cells[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = cells[N - 1 - threadIdx.x];
}
template __global__ void turn<int, 64>(const int *, int *);
template __global__ void turn<short, 64>(const short *, short *);";
    for mode in [Mode::Optimised, Mode::Naive] {
        let options = CompileOptions { mode, ..CompileOptions::default() };
        let mut gpu = Simulator::default();
        gpu.settings_mut().checking = Some(Checking::default());
        let module = gpu.load(&nvrtc.module("turn.cu", source, &options)?)?;
        let (input, output) = (gpu.allocate(256)?, gpu.allocate(256)?);
        let numbers: Vec<u8> = (0..64_u32).flat_map(|i| (i * i).to_le_bytes()).collect();
        gpu.upload(input, &numbers)?;
        let arguments = [Argument::Pointer(input), Argument::Pointer(output)];
        let launch = Launch::new(1, 64);
        let report = gpu.launch(module, "turn<int, 64>", &launch, &arguments)?;
        if !report.findings.is_empty() {
            return Err(format!("{:?}", report.findings).into());
        }
        let mut turned = vec![0; 256];
        gpu.download(output, &mut turned)?;
        let expected: Vec<u8> = (0..64_u32).rev().flat_map(|i| (i * i).to_le_bytes()).collect();
        assert_eq!(turned, expected, "{mode:?}");
        gpu.launch(module, "turn<int16_t, 64u>", &launch, &arguments)?;
        let refused = gpu.launch(module, "turn", &launch, &arguments);
        let words = refused.map_or_else(|error| error.to_string(), |_| "it ran".to_owned());
        assert!(words.starts_with("several kernels are called `turn`: turn<int, 64u>"), "{words}");
    }
    Ok(())
}

fn macros_and_headers(nvrtc: &Nvrtc) -> Result {
    let name = format!("warpsim-nvrtc-{}-{:?}", std::process::id(), nvrtc.version());
    let folder = std::env::temp_dir().join(name);
    std::fs::create_dir_all(&folder)?;
    std::fs::write(folder.join("own.h"), "#define TWO (ONE + 1)\n")?;
    let source = "#include \"own.h\"
__global__ void k(int *p) { static_assert(ONE == 1 && TWO == 2 && defined_as_one == 1, \"\"); }";
    let options = CompileOptions {
        defines: ["ONE=1", "defined_as_one"].map(str::to_owned).to_vec(),
        includes: vec![folder.clone()],
        ..CompileOptions::default()
    };
    let compiled = nvrtc.compile("nowhere/x.cu", source, &options);
    let missing = nvrtc.compile("nowhere/x.cu", source, &CompileOptions::default());
    std::fs::remove_dir_all(&folder)?;
    compiled?;
    check(matches!(missing, Err(NvrtcError::Source { .. })), "the header is nowhere else")
}

fn host_headers(nvrtc: &Nvrtc) -> Result {
    let source = "#include <cuda_runtime.h>
#include <stdio.h>
#include <cstdint>
#include <math.h>
#include <limits.h>
__global__ void k(int32_t *cells) { cells[0] = INT_MAX - (int32_t)sizeof(uint64_t); }
float host_like(float x) { return x == INFINITY ? 0 : x; }
";
    nvrtc.compile("x.cu", source, &CompileOptions::default())?;
    Ok(())
}
