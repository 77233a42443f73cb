//! Several modules as one, as a linker makes a program of them (PTX ISA 5.4 "Variable
//! declarations", 11.6 "Linking directives"; CUDA driver API, `cuLinkAddData`).
//!
//! - `.visible` functions and variables are seen by all modules, and must be defined once.
//! - `.weak` ones may be defined several times: one that is not weak is taken, else the first.
//! - `.common` variables may be defined several times, too, with different sizes: the largest is
//!   taken. A definition that is not common, weak or not, takes precedence over it, and must not be
//!   smaller.
//! - `.extern` ones belong to another module. A name that no module defines stays a declaration,
//!   because an unreached one does no harm; lowering refuses a use of it. `.extern .shared x[]` is
//!   the dynamic shared memory of the launch and is one in all modules.
//! - All others belong to their module. If two modules have one of the same name, or another module
//!   has a visible one, later ones are renamed. They get the number of their file behind a `$`.
//!
//! CUDA's device runtime library defines functions of cooperative launches. They are linked where a
//! module declares them (`cudadevrt.ptx` beside this file). Definitions of the modules take
//! precedence over these.
//!
//! A name must have the same kind of thing in all modules: for a variable its space and size; for a
//! function the sizes of its parameters and results, whether they are floats, and the elements of
//! arrays. Alignments may differ. The linker of a driver (580) does all of this in the same way.
//!
//! The linked module is a module like any other, whose [`Source`] holds all texts: it prints as
//! PTX, passes rewrite it, spans lead to their files. `.section`s are left out, because they
//! describe the text of one file. Deviations: a kernel without `.visible` is seen by all modules
//! too, so that two of one name are an error. A prototype that is never called must fit as well.
//! The driver takes both. It refuses a variable that is declared and nowhere defined even where
//! nothing uses it. It also refuses such a function if a kernel calls it that is not launched.

mod error;
mod files;
mod merge;
mod names;

#[cfg(test)]
mod tests;

pub use error::{LinkError, LinkErrorKind};
pub use files::linked_files;

use super::ast::{Item, Module};
use super::error::{SyntaxError, SyntaxErrorKind};
use super::parse::{Part, parse_part};
use super::span::{Source, Span};

/// What the toolchain links where it is asked for.
const TOOLCHAIN: (&str, &[u8]) = ("cudadevrt.ptx", include_bytes!("cudadevrt.ptx"));

/// The functions that it defines.
const BROUGHT: [&str; 18] = [
    "cudaCGGetIntrinsicHandle",
    "cudaCGSynchronize",
    "cudaGraphSetConditional",
    "__cudaCDP2GetParameterBufferV2",
    "__cudaCDP2LaunchDeviceV2",
    "cudaGetParameterBufferV2",
    "cudaLaunchDeviceV2",
    "__cudaCDP2GetLastError",
    "__cudaCDP2PeekAtLastError",
    "__cudaCDP2StreamCreateWithFlags",
    "__cudaCDP2StreamDestroy",
    "__cudaCDP2StreamWaitEvent",
    "__cudaCDP2EventCreateWithFlags",
    "__cudaCDP2EventRecord",
    "__cudaCDP2EventRecordWithFlags",
    "__cudaCDP2EventDestroy",
    "__cudaCDP2GetDevice",
    "__cudaCDP2GetDeviceCount",
];

/// Whether a module declares a function that CUDA's toolchain brings as PTX, and does not define
/// it: then [`link`] adds it, also to a single module.
pub fn needs_toolchain(module: &Module) -> bool {
    lack_toolchain(std::slice::from_ref(module))
}

/// The same of several modules together.
fn lack_toolchain(modules: &[Module]) -> bool {
    let is_there = |name: &str, defined: bool| {
        let mut functions = modules.iter().flat_map(Module::functions);
        functions.any(|f| *f.name.text == *name && f.body.is_some() == defined)
    };
    BROUGHT.iter().any(|name| is_there(name, false) && !is_there(name, true))
}

/// Links modules, each with its name for messages. The kernels of all modules can be launched.
///
/// ```
/// let main = ".version 7.0 .target sm_70 .address_size 64
///     .extern .func (.param .b32 r) twice(.param .b32 x);
///     .visible .entry k(.param .u64 out) { ret; }";
/// let library = ".version 8.0 .target sm_80 .address_size 64
///     .visible .func (.param .b32 r) twice(.param .b32 x) { ret; }";
/// let module = warpsim::ptx::link(&[("main.ptx", main.as_bytes()), ("lib.ptx", library.as_bytes())])?;
/// assert_eq!(module.version, warpsim::ptx::Version { major: 8, minor: 0 });
///
/// let error = warpsim::ptx::link(&[("a.ptx", library.as_bytes()), ("b.ptx", library.as_bytes())]);
/// let error = error.unwrap_err().to_string();
/// assert_eq!(error, "b.ptx:2: `twice` is defined twice, first at a.ptx:2");
/// # Ok::<(), Box<warpsim::ptx::LinkError>>(())
/// ```
///
/// # Errors
/// A text that is no module, or modules that do not fit together.
pub fn link(files: &[(&str, &[u8])]) -> Result<Module, Box<LinkError>> {
    let source = joined(files)?;
    let mut parts: Vec<Part> =
        source.spans().map(|span| Part { span, ..Part::default() }).collect();
    let modules = read(&source, &mut parts)?;
    if lack_toolchain(&modules) {
        return link(&[files, &[TOOLCHAIN]].concat());
    }
    if modules.len() < 2 {
        return Ok(modules.into_iter().next().unwrap_or_else(|| merge::nothing(source)));
    }
    let modules = match names::rename(&modules, &mut parts) {
        true => read(&source, &mut parts)?,
        false => modules,
    };
    merge::merge(source.clone(), &modules)
        .map_err(|(kind, span)| Box::new(LinkError { kind, span, source }))
}

/// The texts of all files.
fn joined(files: &[(&str, &[u8])]) -> Result<Source, Box<LinkError>> {
    let mut texts = Vec::new();
    let mut bytes = 0u64;
    for (name, of_file) in files {
        let text = std::str::from_utf8(of_file).map_err(|error| {
            let at = error.valid_up_to();
            let text = String::from_utf8_lossy(of_file);
            let kind = SyntaxErrorKind::InvalidUtf8 { byte: of_file.get(at).copied().unwrap_or(0) };
            let start = u32::try_from(at).unwrap_or(u32::MAX);
            let span = Span::new(start, start.saturating_add(1));
            let source = Source::new(name, &text);
            Box::new(LinkError { kind: LinkErrorKind::Syntax(kind), span, source })
        })?;
        bytes += text.len() as u64 + 1;
        if u32::try_from(bytes).is_err() {
            let kind = LinkErrorKind::Syntax(SyntaxErrorKind::FileTooLarge { bytes });
            let (span, source) = (Span::new(0, 0), Source::new(name, ""));
            return Err(Box::new(LinkError { kind, span, source }));
        }
        texts.push((*name, text));
    }
    Ok(Source::joined(&texts))
}

/// Reads the files as modules whose instructions and source files have their own numbers.
fn read(source: &Source, parts: &mut [Part]) -> Result<Vec<Module>, Box<LinkError>> {
    let mut modules = Vec::new();
    let (mut first_inst, mut files) = (0, 0);
    for part in parts {
        (part.first_inst, part.files) = (first_inst, files);
        let module = parse_part(source, part).map_err(|SyntaxError { kind, span }| {
            let (kind, source) = (LinkErrorKind::Syntax(kind), source.clone());
            Box::new(LinkError { kind, span, source })
        })?;
        first_inst = module.next_inst;
        let indices = module.items.iter().filter_map(|item| match item {
            Item::File(file) => Some(file.index),
            Item::Function(_)
            | Item::Variable(_)
            | Item::Section(_)
            | Item::Pragma(_)
            | Item::Alias(..) => None,
        });
        files = indices.max().unwrap_or(files).max(files);
        modules.push(module);
    }
    Ok(modules)
}
