//! Reading the program: a `.ptx` file, PTX on standard input, or a `.cu` file, which is compiled.

use std::io;
use std::path::{Path, PathBuf};

use warpsim::diagnostics::{Diagnostic, render, render_in};
use warpsim::isa;
use warpsim::lower::{LowerError, LowerErrorKind};
use warpsim::passes::PassError;
use warpsim::ptx::{self, Module, SourceMap};
use warpsim_files::{self as files, ReadError};

use crate::args::CompilerOptions;
use crate::cuda::{self, ptx_path};
use crate::failure::{Failure, REPORT_IT};
use crate::output::Output;
use crate::render::findings::position;

/// Longest program that is read, in bytes: some hundred times the largest that compilers emit.
const LONGEST: u64 = 64 << 20;

/// Reads and parses FILE, where `-` is standard input; a `.cu` file is compiled first.
pub(crate) fn read(
    file: &Path,
    compiler: &CompilerOptions,
    output: &mut Output,
) -> Result<Module, Failure> {
    let (name, bytes) = text(file, compiler, output)?;
    let module = parse(&name, &bytes, output)?;
    let module = match ptx::needs_toolchain(&module) {
        true => linked(&[(&name, &bytes)], output)?,
        false => module,
    };
    if !cuda::is_cuda(file) {
        warn(&module, output);
    }
    Ok(module)
}

/// The same for several files. The further ones define what others declare `.extern`.
pub(crate) fn read_linked(
    file: &Path,
    links: &[PathBuf],
    compiler: &CompilerOptions,
    output: &mut Output,
) -> Result<Module, Failure> {
    if links.is_empty() {
        return read(file, compiler, output);
    }
    let all = std::iter::once(file).chain(links.iter().map(PathBuf::as_path));
    if all.clone().filter(|file| is_standard_input(file)).count() > 1 {
        return Err(Failure::usage("`-` is standard input, and can be read once"));
    }
    let texts: Result<Vec<(String, Vec<u8>)>, Failure> =
        all.map(|file| text(file, compiler, output)).collect();
    let texts = texts?;
    let files: Vec<(&str, &[u8])> =
        texts.iter().map(|(name, bytes)| (name.as_str(), bytes.as_slice())).collect();
    let module = linked(&files, output)?;
    warn(&module, output);
    Ok(module)
}

/// The module that files are linked to.
fn linked(files: &[(&str, &[u8])], output: &Output) -> Result<Module, Failure> {
    ptx::link(files).map_err(|error| {
        let diagnostic = Diagnostic::from(&*error);
        Failure::Rendered(render_in(&diagnostic, &error.source, output.diagnostic_colour()))
    })
}

/// The PTX of FILE, and what messages call it.
fn text(
    file: &Path,
    compiler: &CompilerOptions,
    output: &mut Output,
) -> Result<(String, Vec<u8>), Failure> {
    let name =
        if is_standard_input(file) { "<stdin>".to_owned() } else { file.display().to_string() };
    let bytes = match is_standard_input(file) {
        true => files::read_from(io::stdin().lock(), LONGEST),
        false => files::read(file, LONGEST),
    };
    let bytes = bytes.map_err(|error| cannot_read(&name, &error))?;
    if bytes.iter().all(u8::is_ascii_whitespace) {
        return Err(Failure::usage_with_help(format!("{name} is empty"), begins_with(file)));
    }
    if !cuda::is_cuda(file) {
        return Ok((name, bytes));
    }
    let ptx = cuda::compile(file, &bytes, compiler, output)?;
    let name = ptx_path(file).display().to_string();
    let compiled = parse(&name, ptx.as_bytes(), output)?;
    // Reported line numbers refer to the text that `compile` writes.
    Ok((name, ptx::print(&compiled).into_bytes()))
}

/// What a file that says nothing should begin with.
fn begins_with(file: &Path) -> &'static str {
    match cuda::is_cuda(file) {
        true => "a .cu file holds CUDA C++, with at least one kernel (`__global__ void`)",
        false => "PTX begins with `.version` and `.target`",
    }
}

/// Whether FILE means standard input.
pub(crate) fn is_standard_input(file: &Path) -> bool {
    file == Path::new("-")
}

fn cannot_read(name: &str, error: &ReadError) -> Failure {
    match error {
        ReadError::TooLong { .. } => Failure::usage_with_help(
            format!("{name} is longer than {} MiB", LONGEST >> 20),
            "is it PTX text? a module of that size can be split",
        ),
        error => Failure::usage(format!("cannot read {name}: {error}")),
    }
}

fn parse(name: &str, bytes: &[u8], output: &Output) -> Result<Module, Failure> {
    if std::str::from_utf8(bytes).is_err() && bytes.contains(&0) {
        return Err(Failure::usage_with_help(
            format!("{name} is not text"),
            "warpsim reads PTX, not cubin, fatbin or object files: cuobjdump -ptx extracts the PTX",
        ));
    }
    ptx::parse_bytes(name, bytes).map_err(|error| {
        let text = String::from_utf8_lossy(bytes);
        let mut diagnostic = Diagnostic::from(&error);
        if is_like_cuda(&text) {
            diagnostic =
                diagnostic.help("to compile CUDA C++, give its file a name that ends in .cu");
        }
        Failure::Rendered(render(&diagnostic, name, &text, output.diagnostic_colour()))
    })
}

/// Tells what of a module runs here and is refused by NVIDIA's assembler.
fn warn(module: &Module, output: &mut Output) {
    for warning in isa::warnings(module) {
        let diagnostic = Diagnostic::warning(warning.kind.to_string()).primary(warning.span, "");
        let drawn = render_in(&diagnostic, &module.source, output.diagnostic_colour());
        output.message(&drawn);
    }
}

/// Whether a text that is no PTX is CUDA C++.
fn is_like_cuda(text: &str) -> bool {
    let words = ["__global__", "__device__", "#include"];
    !text.contains(".version") && words.iter().any(|word| text.contains(word))
}

/// The failure for a program that a pass refuses.
pub(crate) fn not_rewritten(error: &PassError, module: &Module, output: &Output) -> Failure {
    match error {
        PassError::DefinedTwice { span, .. } => {
            let diagnostic = Diagnostic::error(error.to_string()).primary(*span, "");
            Failure::Rendered(render_in(&diagnostic, &module.source, output.diagnostic_colour()))
        }
        PassError::Internal(error) => Failure::from(error.clone()),
    }
}

/// The failure for a program that cannot be lowered: bad input, something that warpsim lacks, or a
/// bug in warpsim. It is drawn into the program's text.
pub(crate) fn refused(error: &LowerError, module: &Module, output: &Output) -> Failure {
    let mut diagnostic = Diagnostic::error(error.kind.to_string()).primary(error.span, "");
    if error.is_unsupported() {
        if let Some(from) =
            SourceMap::of(module).position_at_line(error.line, error.file.as_deref())
        {
            diagnostic = diagnostic.note(format!("it comes from {}", position(from)));
        }
        diagnostic = diagnostic
            .note("the program is not to blame: warpsim lacks this")
            .help("`warpsim isa` lists what is supported");
    }
    if let LowerErrorKind::Unresolved(_) = error.kind {
        diagnostic = diagnostic.help("add the module that defines it with `--link FILE`");
    }
    if error.is_internal() {
        diagnostic = diagnostic.help(REPORT_IT);
    }
    let drawn = render_in(&diagnostic, &module.source, output.diagnostic_colour());
    let message = error.kind.to_string();
    if error.is_unsupported() {
        Failure::Unsupported { drawn, message, line: Some(error.line) }
    } else if error.is_internal() {
        Failure::Bug { what: message, drawn: Some(drawn) }
    } else {
        Failure::Rendered(drawn)
    }
}
