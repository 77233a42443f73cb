//! `.cu` files: NVRTC compiles them, and its messages are drawn as all others are. Without NVRTC,
//! clang compiles them. clang also compiles files with host code, which NVRTC does not accept.

use std::cell::RefCell;
use std::path::{Path, PathBuf};

use warpsim::cuda::{
    self, CompileOptions, Message, MessageKind, Mode, Nvrtc, NvrtcError, PIP_COMMAND, Search,
    pip_command_for, pip_headers_command,
};
use warpsim::diagnostics::{Colour, Diagnostic, Severity, render};
use warpsim::ptx::Span;

use crate::args::{CompilerOptions, LaunchOptions};
use crate::clang::{self, Clang, Device};
use crate::failure::Failure;
use crate::output::Output;
use crate::render::source::file_lines;

/// A file that was compiled, with its text, the options, and the resulting PTX.
#[derive(Debug)]
struct Done {
    file: PathBuf,
    source: Vec<u8>,
    options: CompilerOptions,
    ptx: String,
}

thread_local! {
    /// What this thread has compiled: a command may read its program more than once.
    static DONE: RefCell<Vec<Done>> = const { RefCell::new(Vec::new()) };
}

/// Whether FILE is CUDA C++.
pub(crate) fn is_cuda(file: &Path) -> bool {
    file.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("cu"))
}

/// Has a `.cu` file compiled so that its accesses stay, unless the user said how. Accesses that the
/// compiler has removed cannot be judged. The command lines that replay a finding say so, too.
pub(crate) fn keep_accesses(launch: &mut LaunchOptions, output: &mut Output) {
    if !is_cuda(&launch.file) || launch.compiler.naive || launch.compiler.optimised {
        return;
    }
    launch.compiler.naive = true;
    let mut line = output.arguments().to_vec();
    // Behind the command's name and the subcommand's.
    line.insert(line.len().min(2), "--naive".into());
    output.answer(line);
}

/// In which form a `.cu` file was compiled; nothing for PTX.
pub(crate) fn form(launch: &LaunchOptions) -> Option<&'static str> {
    let form = if launch.compiler.naive { "naive" } else { "optimised" };
    is_cuda(&launch.file).then_some(form)
}

/// What that means for what was looked for, in a line.
pub(crate) fn form_in_words(launch: &LaunchOptions) -> Option<&'static str> {
    let naive = "compiled with all accesses of the source (--naive); --optimised checks a release \
                 build";
    let optimised = "compiled as for a release (--optimised): accesses that the compiler removed \
                     were not checked";
    form(launch).map(|form| if form == "naive" { naive } else { optimised })
}

/// The PTX of a `.cu` file. Warnings of the compiler go to standard error.
pub(crate) fn compile(
    file: &Path,
    source: &[u8],
    options: &CompilerOptions,
    output: &mut Output,
) -> Result<String, Failure> {
    let is_it =
        |done: &&Done| done.file == file && done.source == source && done.options == *options;
    let known = DONE.with_borrow(|done| done.iter().find(is_it).map(|done| done.ptx.clone()));
    if let Some(ptx) = known {
        return Ok(ptx);
    }
    let name = file.display().to_string();
    let text = String::from_utf8_lossy(source);
    let colour = output.diagnostic_colour();
    let search = Search::of_process(options.nvrtc.as_deref());
    let nvrtc = match Nvrtc::find(&search) {
        Ok(nvrtc) => nvrtc,
        Err(error @ NvrtcError::NotFound { given: None }) => {
            let ptx = with_clang(file, options, output)?.ok_or_else(|| unusable(&error, &name))?;
            remember(file, source, options, &ptx);
            return Ok(ptx);
        }
        Err(error) => return Err(unusable(&error, &name)),
    };
    let compiled = nvrtc.compile(&name, &text, &compile_options(options));
    if let Err(NvrtcError::Source { messages, .. }) = &compiled
        && options.nvrtc.is_none()
        && is_host_code(messages, &text)
        && let Ok(Some(compiler)) = clang::chosen(options.allow_compiler, output)
    {
        let ptx = compiled_by(&compiler, file, options, output)?;
        remember(file, source, options, &ptx);
        return Ok(ptx);
    }
    let compiled = compiled.map_err(|error| match error {
        NvrtcError::Source { messages, .. } => {
            let help = advice(&messages, &text, nvrtc.version());
            Failure::Rendered(drawn(&messages, colour, help.as_deref()))
        }
        error if error.is_about_the_compiler() => unusable(&error, &name),
        NvrtcError::OnlyOptimised { .. } => {
            let message = format!("cannot compile {name} as written: {error}");
            Failure::Missing { message, help: Some(OPTIMISE.to_owned()) }
        }
        error => Failure::usage(format!("cannot compile {name}: {error}")),
    })?;
    if !compiled.warnings.is_empty() {
        output.message(&drawn(&compiled.warnings, colour, None));
    }
    remember(file, source, options, &compiled.ptx);
    Ok(compiled.ptx)
}

fn remember(file: &Path, source: &[u8], options: &CompilerOptions, ptx: &str) {
    let (file, source) = (file.to_owned(), source.to_owned());
    let done = Done { file, source, options: options.clone(), ptx: ptx.to_owned() };
    DONE.with_borrow_mut(|all| all.push(done));
}

/// What clang makes of the device code of a file; `None` where there is no clang.
fn with_clang(
    file: &Path,
    options: &CompilerOptions,
    output: &mut Output,
) -> Result<Option<String>, Failure> {
    match clang::chosen(options.allow_compiler, output)? {
        Some(compiler) => compiled_by(&compiler, file, options, output).map(Some),
        None => Ok(None),
    }
}

/// What this clang makes of the device code of a file.
fn compiled_by(
    compiler: &Path,
    file: &Path,
    options: &CompilerOptions,
    output: &mut Output,
) -> Result<String, Failure> {
    let folder = clang::folder()?;
    let clang = Clang::at(compiler, folder.path(), &options.defines, &options.includes)?;
    let architecture = options.arch.as_deref();
    let device = Device { architecture, is_naive: options.naive };
    clang.device(file, device, Some(output))
}

fn compile_options(options: &CompilerOptions) -> CompileOptions {
    let mode = if options.naive { Mode::Naive } else { Mode::Optimised };
    let mut compile = CompileOptions::default().with_mode(mode);
    compile.arch.clone_from(&options.arch);
    compile.defines.clone_from(&options.defines);
    compile.includes.clone_from(&options.includes);
    compile
}

/// The error for a compiler that is missing or broken.
fn unusable(error: &NvrtcError, name: &str) -> Failure {
    let (message, help) = match error {
        NvrtcError::NotFound { given: Some(_) } => (error.to_string(), GIVE_A_PATH.to_owned()),
        NvrtcError::CannotOpen { .. } => (
            format!("cannot compile {name}: {error}"),
            format!("{GIVE_A_PATH}; `warpsim devices` says which are here"),
        ),
        _ => (
            format!("cannot compile {name}: {error}"),
            format!(
                "`{PIP_COMMAND}` installs it, or {}; it needs no GPU. Or compile it yourself and \
                 pass the .ptx file: nvcc -ptx -lineinfo {name}",
                clang::INSTALL
            ),
        ),
    };
    Failure::Missing { message, help: Some(help) }
}

const OPTIMISE: &str = "--optimised compiles as for a release; the compiler then removes \
                        superfluous accesses";

const GIVE_A_PATH: &str = "--nvrtc and WARPSIM_NVRTC take the path of libnvrtc.so.N, or a folder, \
                           virtual environment or toolkit that holds it";

/// Words that host code has.
const HOST_WORDS: [&str; 5] =
    ["cudaMalloc", "cudaMemcpy", "cudaDeviceSynchronize", "<<<", " main("];

/// Headers of the C++ library that only host code includes.
const HOST_HEADERS: [&str; 8] =
    ["iostream", "fstream", "vector", "string", "algorithm", "random", "memory", "thread"];

/// Whether a text cannot be compiled because it holds host code.
fn is_host_code(messages: &[Message], source: &str) -> bool {
    let missing = messages.iter().find_map(|message| match &message.kind {
        MessageKind::MissingHeader { name } => Some(name.as_str()),
        _ => None,
    });
    match missing {
        Some(header) => HOST_HEADERS.contains(&header),
        None => HOST_WORDS.iter().any(|word| source.contains(word)),
    }
}

/// What to do about errors that most likely come from something else than a mistake.
fn advice(messages: &[Message], source: &str, version: (u32, u32)) -> Option<String> {
    if messages.iter().any(|m| m.kind == MessageKind::NotForArchitecture) {
        return Some(
            "--arch sm_90 compiles for a later architecture; the default is sm_80".to_owned(),
        );
    }
    let missing = messages.iter().find_map(|message| match &message.kind {
        MessageKind::MissingHeader { name } => Some((name, message)),
        _ => None,
    });
    match missing {
        Some((header, message)) => {
            Some(advice_for_header(header, message.file.as_deref().unwrap_or_default(), version))
        }
        None => is_host_code(messages, source).then(|| HOST_CODE.to_owned()),
    }
}

const HOST_CODE: &str = "NVRTC compiles device code only: put host code (main, cudaMalloc, \
                         <<<...>>>, and its headers) between `#ifndef __CUDACC_RTC__` and `#endif`, \
                         or install clang, which compiles both";

/// Where a header comes from that is not there and that a file includes.
fn advice_for_header(header: &str, file: &str, version: (u32, u32)) -> String {
    /// Headers of C++ that CUDA's own headers have for device code.
    const IN_CUDA_STD: [&str; 15] = [
        "array",
        "atomic",
        "bit",
        "chrono",
        "complex",
        "functional",
        "initializer_list",
        "iterator",
        "limits",
        "numeric",
        "optional",
        "ratio",
        "tuple",
        "type_traits",
        "utility",
    ];
    if let Some(command) = pip_command_for(header, version) {
        return format!(
            "`{header}` is one of CUDA's own headers; warpsim looks for them beside the compiler: \
             {command}; or name their folder with -I DIR"
        );
    }
    if ["/cub/", "/thrust/"].iter().any(|folder| file.contains(folder)) {
        return "this part of CUB and Thrust is for host code; include what device code uses: \
                <cub/block/block_reduce.cuh>, <cub/warp/warp_scan.cuh>"
            .to_owned();
    }
    if IN_CUDA_STD.contains(&header) {
        return format!(
            "NVRTC has no C++ standard library; use #include <cuda/std/{header}> in device code \
             ({}), and put host-only code between `#ifndef __CUDACC_RTC__` and `#endif`",
            pip_headers_command(version)
        );
    }
    match HOST_HEADERS.contains(&header) {
        true => HOST_CODE.to_owned(),
        false => format!("name the folder that holds `{header}` with -I DIR"),
    }
}

/// The messages, each with its line of the source, an empty line between them.
fn drawn(messages: &[Message], colour: Colour, help: Option<&str>) -> String {
    let mut texts: Vec<String> = Vec::new();
    for (index, message) in messages.iter().enumerate() {
        let last = index + 1 == messages.len();
        texts.push(draw(message, colour, help.filter(|_| last)));
    }
    texts.join("\n")
}

fn draw(message: &Message, colour: Colour, help: Option<&str>) -> String {
    let mut diagnostic = Diagnostic::error(message.text.clone());
    diagnostic.severity = match message.severity {
        cuda::Severity::Error => Severity::Error,
        cuda::Severity::Warning => Severity::Warning,
        cuda::Severity::Note => Severity::Note,
    };
    diagnostic.code.clone_from(&message.number);
    diagnostic.notes.clone_from(&message.notes);
    diagnostic.help.extend(help.map(str::to_owned));
    let name = message.file.as_deref().unwrap_or_default();
    let text = file_lines(Path::new(name)).unwrap_or_default();
    match message.line.and_then(|line| span(&text, line, message.column)) {
        Some(place) => render(&diagnostic.primary(place, ""), name, &text, colour),
        None => {
            if let Some(line) = message.line {
                diagnostic.notes.insert(0, format!("at {name}:{line}"));
            }
            render(&diagnostic, name, "", colour)
        }
    }
}

/// The place of a message in the text of its file: a word at the column, or the whole line.
fn span(text: &str, line: u32, column: Option<u32>) -> Option<Span> {
    let mut start = 0;
    let mut lines = text.split_inclusive('\n');
    for _ in 1..line {
        start += lines.next()?.len();
    }
    let line = lines.next()?.trim_end();
    let (from, length) = match column {
        Some(column) => {
            let skipped = line.chars().take(column.saturating_sub(1) as usize);
            let from = skipped.map(char::len_utf8).sum();
            let rest = line.get(from..).unwrap_or_default();
            let is_of_word = |c: char| c.is_alphanumeric() || c == '_';
            let first = rest.chars().next().map_or(0, char::len_utf8);
            (from, rest.find(|c| !is_of_word(c)).unwrap_or(rest.len()).max(first))
        }
        None => (line.len() - line.trim_start().len(), line.trim_start().len()),
    };
    let at = |offset: usize| u32::try_from(start + offset).ok();
    Some(Span::new(at(from)?, at(from + length)?))
}
/// The PTX file of a FILE: itself, or the file that `compile` makes of a `.cu` file.
pub(crate) fn ptx_path(file: &Path) -> PathBuf {
    if is_cuda(file) { file.with_extension("ptx") } else { file.to_owned() }
}
