//! The CUDA compiler itself, where NVRTC is installed. This is every version that
//! `scripts/fetch-nvrtc.sh` fetched, or the one that the environment variable `WARPSIM_NVRTC`
//! names, or else the one that is found. Without NVRTC the tests say how many of them were skipped.

#![expect(clippy::print_stderr, reason = "what was skipped is to be seen")]

use std::process::ExitCode;

use libtest_mimic::{Arguments, Failed, Trial};
use warpsim_nvrtc::{
    CompileOptions, MessageKind, Mode, Nvrtc, NvrtcError, OptionError, Search, Severity,
};

type Result = std::result::Result<(), Failed>;
type Test = fn(&Nvrtc) -> Result;

const TESTS: &[(&str, Test)] = &[
    ("a_source_becomes_ptx_with_lines_and_naive_keeps_its_accesses", both_modes),
    ("errors_of_a_source_are_messages_with_their_places", errors_of_a_source),
    ("what_messages_are_about_is_known_by_their_words", kinds_of_messages),
    ("what_is_wrong_with_an_option_is_no_error_of_the_source", errors_of_options),
    ("every_architecture_that_is_known_is_compiled_for", architectures),
    ("integers_of_128_bits_are_there", int128),
    ("macros_and_folders_of_headers_are_those_of_the_options", macros_and_headers),
    ("headers_of_the_host_need_not_be_there", host_headers),
    ("what_compiles_when_optimised_alone_says_so", only_optimised),
];

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let mut trials: Vec<Trial> = Vec::new();
    for given in warpsim_effort::compilers() {
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
    libtest_mimic::run(&arguments, trials).exit_code()
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
        let options = CompileOptions::default().with_mode(mode);
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
    let first = messages.first().ok_or("no message")?;
    let place = (first.file.as_deref(), first.line, first.column);
    let expected = MessageKind::UndefinedIdentifier { name: "nothing".to_owned() };
    let is_it = first.severity == Severity::Error
        && first.kind == expected
        && place == (Some("bad.cu"), Some(2), Some(23))
        && first.text == "identifier \"nothing\" is undefined"
        && (first.number.is_none() && first.notes.is_empty());
    check(is_it, &format!("{messages:?}"))
}

/// The words of the compiler that is here are those that are known.
fn kinds_of_messages(nvrtc: &Nvrtc) -> Result {
    let header = MessageKind::MissingHeader { name: "mine.h".to_owned() };
    let cluster = "__global__ void __cluster_dims__(2) k() {}";
    for (source, name, arch, kind) in [
        ("#include <mine.h>", "x.cu", "sm_80", header.clone()),
        ("#include \"mine.h\"", "", "sm_80", header),
        (cluster, "x.cu", "sm_80", MessageKind::NotForArchitecture),
    ] {
        let options = CompileOptions::default().with_arch(arch);
        let Err(NvrtcError::Source { messages, .. }) = nvrtc.compile(name, source, &options) else {
            return Err(format!("{source} compiles").into());
        };
        check(messages.iter().any(|m| m.kind == kind), &format!("{messages:?}"))?;
    }
    Ok(())
}

/// Versions that have `__dp4a` without optimisation compile it; the others say what would help.
fn only_optimised(nvrtc: &Nvrtc) -> Result {
    let source = "__global__ void k(int *p) { *p = __dp4a(p[1], p[2], p[3]); }";
    nvrtc.compile("x.cu", source, &CompileOptions::default())?;
    let naive = CompileOptions::default().with_mode(Mode::Naive);
    match nvrtc.compile("x.cu", source, &naive) {
        Ok(_) => Ok(()),
        Err(error @ NvrtcError::OnlyOptimised { .. }) => {
            check(!error.is_about_the_compiler(), "it is not the compiler that is missing")
        }
        Err(other) => Err(other.into()),
    }
}

fn errors_of_options(nvrtc: &Nvrtc) -> Result {
    let refused = |options: CompileOptions| {
        let error = nvrtc.compile("x.cu", TWICE, &options).err();
        error.ok_or_else(|| Failed::from(format!("{options:?} are taken")))
    };
    // 7.5 is in every version from 10 on, and adds no features.
    for arch in ["sm_1", "sm_75a", "ampere", ""] {
        let error = refused(CompileOptions::default().with_arch(arch))?;
        check(matches!(error, NvrtcError::Architecture { .. }), &error.to_string())?;
        check(error.to_string().contains("it knows sm_"), &error.to_string())?;
    }
    let error = refused(CompileOptions::default().with_extra("-nonsense"))?;
    let expected = NvrtcError::Option {
        kind: OptionError::Unknown { option: "-nonsense".to_owned() },
        words: "unrecognized option -nonsense found".to_owned(),
    };
    check(error == expected, &error.to_string())?;
    for define in ["1X", "X Y=3", ""] {
        let error = refused(CompileOptions::default().with_define(define))?;
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
        let options = CompileOptions::default().with_arch(format!("sm_{number}"));
        let ptx = nvrtc.compile("x.cu", TWICE, &options)?.ptx;
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

fn macros_and_headers(nvrtc: &Nvrtc) -> Result {
    let name = format!("warpsim-nvrtc-{}-{:?}", std::process::id(), nvrtc.version());
    let folder = std::env::temp_dir().join(name);
    std::fs::create_dir_all(&folder)?;
    std::fs::write(folder.join("own.h"), "#define TWO (ONE + 1)\n")?;
    let source = "#include \"own.h\"
__global__ void k(int *p) { static_assert(ONE == 1 && TWO == 2 && defined_as_one == 1, \"\"); }";
    let options = CompileOptions::default()
        .with_define("ONE=1")
        .with_define("defined_as_one")
        .with_include(&folder);
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
