//! The command line of nvcc ("NVIDIA CUDA Compiler Driver NVCC", chapter 4, "NVCC Command
//! Options"): the options, the form of their values, and what each asks for.
//!
//! An option has a long name and mostly a short one, each behind one hyphen or two. Its value is
//! the next word, or follows a `=`. An option of one letter may have its value right behind it.
//! Lists are divided by commas.
//!
//! Deviations: options about machine code, the build of NVIDIA's own tools or Windows change
//! nothing here. They are accepted silently, except that a message names the options whose effect a
//! user would miss.

/// How the value of an option is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Value {
    /// It has none.
    None,
    /// One word.
    One,
    /// Several, divided by commas.
    List,
    /// One that follows a `=` or directly follows the option, or is left out.
    Optional,
}

/// What an option asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Meaning {
    /// How far to go.
    Phase(Phase),
    /// The file that is made.
    Output,
    /// The folder of files that are made.
    OutputFolder,
    /// `-D`, `-U`, `-I`, `-isystem`, `-include`: goes to both passes of the compiler, as it is.
    Preprocessor(&'static str),
    LibraryFolder,
    Library,
    /// `-Xcompiler`.
    Host,
    /// `-Xlinker`.
    Linker,
    /// `-Xarchive`.
    Archiver,
    /// `-ccbin`.
    HostCompiler,
    /// `-arbin`.
    ArchiverProgram,
    Language,
    Standard,
    Optimize,
    Debug,
    DeviceDebug,
    Relocatable,
    Architecture,
    Code,
    Generate,
    FastMath,
    FlushDenormals,
    Fused,
    Shared,
    Runtime,
    Dependencies(Dependencies),
    DependencyFile,
    DependencyTarget,
    DependencyPhony,
    ExtendedLambda,
    RelaxedConstexpr,
    DefaultStream,
    NoExceptions,
    Profile,
    Threads,
    ForwardToCompiler,
    ForwardToLinker,
    NoWarnings,
    WarningsAsErrors,
    Verbose,
    DryRun,
    Run,
    RunArguments,
    OptionsFile,
    Version,
    Help,
    ListArchitectures,
    ListCodes,
    /// It changes nothing, and no user would miss it.
    Harmless,
    /// It changes nothing, which is reported.
    Without(&'static str),
    /// It asks for something that is not made here.
    Refused(&'static str),
}

/// How far to go, and what comes of it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Phase {
    /// A program, or a library with `-shared`.
    #[default]
    Link,
    /// Objects.
    Compile,
    /// An archive of objects.
    Archive,
    /// An object with the device code of others, linked.
    DeviceLink,
    /// PTX.
    Ptx,
    /// A fat binary.
    FatBinary,
    /// A container in place of machine code.
    Cubin,
    /// Preprocessed text.
    Preprocess,
    /// The same in a separate file, `.cu.cpp.ii`, where nvcc writes C++ for a host compiler.
    HostText,
    /// Rules for make, and nothing else.
    Dependencies(Dependencies),
}

/// Which headers a rule for make names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Dependencies {
    All,
    WithoutSystem,
}

/// An option: its long name, its short one, how its value is written, and what it asks for.
pub(super) struct Choice {
    pub(super) long: &'static str,
    pub(super) short: &'static str,
    pub(super) value: Value,
    pub(super) meaning: Meaning,
}

const fn option(long: &'static str, short: &'static str, value: Value, meaning: Meaning) -> Choice {
    Choice { long, short, value, meaning }
}

use Dependencies::{All, WithoutSystem};
use Meaning as M;
use Value as V;

/// All options, in the order of the chapter.
pub(super) const OPTIONS: &[Choice] = &[
    // File and path specifications.
    option("output-file", "o", V::One, M::Output),
    option("objdir-as-tempdir", "objtemp", V::None, M::Harmless),
    option("dependency-output", "MF", V::One, M::DependencyFile),
    option("generate-dependency-targets", "MP", V::None, M::DependencyPhony),
    option("dependency-target-name", "MT", V::One, M::DependencyTarget),
    option("dependency-target-name-quoted", "MQ", V::One, M::DependencyTarget),
    option("compiler-bindir", "ccbin", V::One, M::HostCompiler),
    option("archiver-binary", "arbin", V::One, M::ArchiverProgram),
    option("cudart", "", V::One, M::Runtime),
    option("cudadevrt", "", V::One, M::Harmless),
    option("libdevice-directory", "ldir", V::One, M::Harmless),
    option("target-directory", "target-dir", V::One, M::Harmless),
    option("use-local-env", "", V::None, M::Harmless),
    option("pre-include", "include", V::List, M::Preprocessor("-include")),
    option("library", "l", V::List, M::Library),
    option("define-macro", "D", V::List, M::Preprocessor("-D")),
    option("undefine-macro", "U", V::List, M::Preprocessor("-U")),
    option("include-path", "I", V::List, M::Preprocessor("-I")),
    option("system-include", "isystem", V::List, M::Preprocessor("-isystem")),
    option("library-path", "L", V::List, M::LibraryFolder),
    option("output-directory", "odir", V::One, M::OutputFolder),
    // Options for specifying the compilation phase.
    option("link", "", V::None, M::Phase(Phase::Link)),
    option("lib", "", V::None, M::Phase(Phase::Archive)),
    option("device-link", "dlink", V::None, M::Phase(Phase::DeviceLink)),
    option("device-c", "dc", V::None, M::Phase(Phase::Compile)),
    option("device-w", "dw", V::None, M::Phase(Phase::Compile)),
    option("cuda", "", V::None, M::Phase(Phase::HostText)),
    option("compile", "c", V::None, M::Phase(Phase::Compile)),
    option("fatbin", "", V::None, M::Phase(Phase::FatBinary)),
    option("cubin", "", V::None, M::Phase(Phase::Cubin)),
    option("optix-ir", "", V::None, M::Refused("OptiX IR")),
    option("ltoir", "", V::None, M::Refused("LTO-IR")),
    option("ptx", "", V::None, M::Phase(Phase::Ptx)),
    option("preprocess", "E", V::None, M::Phase(Phase::Preprocess)),
    option("generate-dependencies", "M", V::None, M::Phase(Phase::Dependencies(All))),
    option(
        "generate-nonsystem-dependencies",
        "MM",
        V::None,
        M::Phase(Phase::Dependencies(WithoutSystem)),
    ),
    option("generate-dependencies-with-compile", "MD", V::None, M::Dependencies(All)),
    option(
        "generate-nonsystem-dependencies-with-compile",
        "MMD",
        V::None,
        M::Dependencies(WithoutSystem),
    ),
    option("run", "", V::None, M::Run),
    // Options for specifying behavior of the compiler and linker.
    option("profile", "pg", V::None, M::Profile),
    option("debug", "g", V::None, M::Debug),
    option("device-debug", "G", V::None, M::DeviceDebug),
    option("extensible-whole-program", "ewp", V::None, M::Harmless),
    option("no-compress", "", V::None, M::Harmless),
    option("compress-mode", "", V::One, M::Harmless),
    option("compress-all", "", V::None, M::Harmless),
    // Lines are always there.
    option("generate-line-info", "lineinfo", V::None, M::Harmless),
    option("optimization-info", "opt-info", V::List, M::Harmless),
    option("optimize", "O", V::Optional, M::Optimize),
    option("Ofast-compile", "Ofc", V::One, M::Harmless),
    option("dopt", "", V::Optional, M::Harmless),
    option("dlink-time-opt", "dlto", V::None, M::Harmless),
    option("lto", "", V::None, M::Harmless),
    option("gen-opt-lto", "", V::None, M::Harmless),
    option("ftemplate-backtrace-limit", "", V::One, M::Harmless),
    option("ftemplate-depth", "", V::One, M::Harmless),
    option("no-exceptions", "noeh", V::None, M::NoExceptions),
    option("shared", "", V::None, M::Shared),
    option("x", "", V::One, M::Language),
    option("std", "", V::One, M::Standard),
    option("no-host-device-initializer-list", "nohdinitlist", V::None, M::Harmless),
    option("no-host-device-move-forward", "nohdmoveforward", V::None, M::Harmless),
    option("expt-relaxed-constexpr", "", V::None, M::RelaxedConstexpr),
    option("extended-lambda", "", V::None, M::ExtendedLambda),
    option("expt-extended-lambda", "", V::None, M::ExtendedLambda),
    option("machine", "m", V::One, M::Harmless),
    option("m64", "", V::None, M::Harmless),
    option("m32", "", V::None, M::Refused("code of 32 bits")),
    option("allow-unsupported-compiler", "", V::None, M::Harmless),
    option("host-linker-script", "hls", V::One, M::Harmless),
    option("augment-host-linker-script", "aug-hls", V::None, M::Harmless),
    option("host-relocatable-link", "r", V::None, M::Refused("objects linked by `-r`")),
    // Options for passing specific phase options.
    option("compiler-options", "Xcompiler", V::List, M::Host),
    option("linker-options", "Xlinker", V::List, M::Linker),
    option("archive-options", "Xarchive", V::List, M::Archiver),
    option("ptxas-options", "Xptxas", V::List, M::Harmless),
    option("nvlink-options", "Xnvlink", V::List, M::Harmless),
    option("cicc-options", "Xcicc", V::List, M::Harmless),
    option("cudafe-options", "Xcudafe", V::List, M::Harmless),
    // Miscellaneous options for guiding the compiler driver.
    option("forward-unknown-to-host-compiler", "", V::None, M::ForwardToCompiler),
    option("forward-unknown-to-host-linker", "", V::None, M::ForwardToLinker),
    option("forward-unknown-opts", "", V::None, M::ForwardToCompiler),
    option("forward-slash-prefix-opts", "", V::None, M::Harmless),
    option("dont-use-profile", "noprof", V::None, M::Harmless),
    option("threads", "t", V::One, M::Threads),
    option("dryrun", "", V::None, M::DryRun),
    option("verbose", "v", V::None, M::Verbose),
    option("split-compile", "", V::One, M::Harmless),
    option("split-compile-extended", "", V::One, M::Harmless),
    option("fdevice-syntax-only", "", V::None, M::Harmless),
    option("fdevice-time-trace", "", V::One, M::Without("a trace of the compiler's time")),
    option("frandom-seed", "", V::One, M::Harmless),
    option("minimal", "", V::None, M::Harmless),
    option("keep", "", V::None, M::Without("the compiler's intermediate files")),
    option("keep-dir", "", V::One, M::Harmless),
    option("save-temps", "", V::None, M::Without("the compiler's intermediate files")),
    option("clean-targets", "clean", V::None, M::Refused("`-clean`")),
    option("time", "", V::One, M::Without("a table of the compiler's time")),
    option("run-args", "", V::List, M::RunArguments),
    option("input-drive-prefix", "idp", V::One, M::Harmless),
    option("dependency-drive-prefix", "ddp", V::One, M::Harmless),
    option("drive-prefix", "dp", V::One, M::Harmless),
    option("no-align-double", "", V::None, M::Harmless),
    option("no-device-link", "nodlink", V::None, M::Harmless),
    option("jobserver", "", V::None, M::Harmless),
    // Options for steering GPU code generation.
    option("default-stream", "", V::One, M::DefaultStream),
    option("gpu-architecture", "arch", V::One, M::Architecture),
    option("gpu-code", "code", V::List, M::Code),
    option("generate-code", "gencode", V::One, M::Generate),
    option("relocatable-device-code", "rdc", V::One, M::Relocatable),
    option("entries", "e", V::List, M::Harmless),
    option("maxrregcount", "", V::One, M::Harmless),
    option("use_fast_math", "", V::None, M::FastMath),
    option("ftz", "", V::One, M::FlushDenormals),
    option("prec-div", "", V::One, M::Harmless),
    option("prec-sqrt", "", V::One, M::Harmless),
    option("fmad", "", V::One, M::Fused),
    option("extra-device-vectorization", "", V::None, M::Harmless),
    option("compile-as-tools-patch", "astoolspatch", V::None, M::Harmless),
    option("keep-device-functions", "", V::None, M::Harmless),
    option("jump-table-density", "jtd", V::One, M::Harmless),
    option("device-stack-protector", "", V::One, M::Harmless),
    option("no-device-sanitize", "", V::None, M::Harmless),
    option("fdevice-sanitize", "", V::One, M::Harmless),
    option("device-entity-has-hidden-visibility", "", V::One, M::Harmless),
    option("static-global-template-stub", "", V::One, M::Harmless),
    option("init-stack", "", V::None, M::Harmless),
    // Generic tool options.
    option("disable-warnings", "w", V::None, M::NoWarnings),
    option("source-in-ptx", "src-in-ptx", V::None, M::Harmless),
    option("restrict", "", V::None, M::Harmless),
    option("Wno-deprecated-gpu-targets", "", V::None, M::Harmless),
    option("Wno-deprecated-declarations", "", V::None, M::Harmless),
    option("Wreorder", "", V::None, M::Harmless),
    option("Wdefault-stream-launch", "", V::None, M::Harmless),
    option("Wmissing-launch-bounds", "", V::None, M::Harmless),
    option("Wext-lambda-captures-this", "", V::None, M::Harmless),
    option("Werror", "", V::List, M::WarningsAsErrors),
    option("display-error-number", "err-no", V::None, M::Harmless),
    option("no-display-error-number", "no-err-no", V::None, M::Harmless),
    option("diag-error", "", V::List, M::Harmless),
    option("diag-suppress", "", V::List, M::Harmless),
    option("diag-warn", "", V::List, M::Harmless),
    option("brief-diagnostics", "brief-diag", V::One, M::Harmless),
    option("resource-usage", "res-usage", V::None, M::Harmless),
    option("help", "h", V::None, M::Help),
    option("version", "V", V::None, M::Version),
    option("options-file", "optf", V::List, M::OptionsFile),
    option("qpp-config", "qpp-config", V::One, M::Harmless),
    option("list-gpu-code", "code-ls", V::None, M::ListCodes),
    option("list-gpu-arch", "arch-ls", V::None, M::ListArchitectures),
];

/// An option that a word names, and its value where the word has it.
pub(super) struct Named<'a> {
    pub(super) option: &'static Choice,
    pub(super) value: Option<&'a str>,
}

/// The option that a word names; `None` where there is none of that name.
pub(super) fn named(word: &str) -> Option<Named<'_>> {
    let name = word.strip_prefix("--").or_else(|| word.strip_prefix('-'))?;
    let (whole, behind) = match name.split_once('=') {
        Some((whole, behind)) => (whole, Some(behind)),
        None => (name, None),
    };
    let is =
        |option: &&Choice| option.long == whole || (option.short == whole && !whole.is_empty());
    if let Some(option) = OPTIONS.iter().find(is) {
        let fits = behind.is_none() || option.value != Value::None;
        return fits.then_some(Named { option, value: behind });
    }
    // Options of one letter, and the value right behind it: `-Iinclude`, `-O3`.
    let letter = name.get(..1)?;
    let joined = |option: &&Choice| {
        let is_joined = matches!(option.value, Value::One | Value::List | Value::Optional);
        is_joined && (option.short == letter || option.long == letter)
    };
    let option = OPTIONS.iter().find(joined)?;
    let is_single = !word.starts_with("--");
    // `-Mx`, `-exceptions` and similar words are not `-M` or `-e` with a value.
    let behind = name.get(1..).unwrap_or_default();
    let has_values = match letter {
        "D" | "U" | "I" | "L" | "l" | "o" => true,
        "O" => behind.len() == 1,
        "x" => matches!(behind, "cu" | "c" | "c++"),
        "t" => behind.parse::<u32>().is_ok(),
        _ => false,
    };
    (is_single && has_values).then_some(Named { option, value: name.get(1..) })
}

/// The three names that are most like a word.
pub(super) fn nearest(word: &str) -> Vec<String> {
    let name = word.trim_start_matches('-');
    let name = name.split_once('=').map_or(name, |(name, _)| name);
    let names = OPTIONS.iter().flat_map(|option| [option.long, option.short]);
    let mut all: Vec<(usize, &str)> = names
        .filter(|known| !known.is_empty())
        .map(|known| (strsim::damerau_levenshtein(known, name), known))
        .filter(|(distance, known)| *distance <= (known.len().max(name.len()) / 3).max(1))
        .collect();
    all.sort_unstable();
    all.dedup_by_key(|(_, known)| *known);
    all.into_iter().take(3).map(|(_, known)| format!("-{known}")).collect()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking, in its helpers too")]

    use super::*;

    fn meaning(word: &str) -> Option<(Meaning, Option<&str>)> {
        named(word).map(|named| (named.option.meaning, named.value))
    }

    #[test]
    fn options_have_one_hyphen_or_two_and_values_behind_a_sign_or_a_letter() {
        assert_eq!(meaning("-std=c++14"), Some((Meaning::Standard, Some("c++14"))));
        assert_eq!(meaning("--std"), Some((Meaning::Standard, None)));
        assert_eq!(meaning("-use_fast_math"), Some((Meaning::FastMath, None)));
        assert_eq!(meaning("-Iinclude"), Some((Meaning::Preprocessor("-I"), Some("include"))));
        assert_eq!(meaning("-DN=4"), Some((Meaning::Preprocessor("-D"), Some("N=4"))));
        assert_eq!(meaning("-O3"), Some((Meaning::Optimize, Some("3"))));
        assert_eq!(meaning("-lineinfo"), Some((Meaning::Harmless, None)));
        assert_eq!(meaning("-lm"), Some((Meaning::Library, Some("m"))));
        assert_eq!(meaning("-MD"), Some((Meaning::Dependencies(All), None)));
        assert_eq!(meaning("-dlink"), Some((Meaning::Phase(Phase::DeviceLink), None)));
        assert_eq!(
            meaning("--generate-code=arch=compute_80,code=sm_80").unwrap().1,
            Some("arch=compute_80,code=sm_80")
        );
        for wrong in ["-fopenmp", "-Wall", "-exotic", "--Iinclude", "-G=1", "file.cu", "-march=x"] {
            assert_eq!(meaning(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn no_name_stands_for_two_options() {
        let mut names: Vec<&str> = OPTIONS
            .iter()
            .flat_map(|option| match option.long == option.short {
                true => vec![option.long],
                false => vec![option.long, option.short],
            })
            .filter(|name| !name.is_empty())
            .collect();
        let count = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), count);
    }

    #[test]
    fn what_is_no_option_is_like_some() {
        assert_eq!(nearest("-relocatable-device-cod")[0], "-relocatable-device-code");
        assert_eq!(nearest("--ptxa"), ["-ptx", "-Xptxas"]);
    }
}
