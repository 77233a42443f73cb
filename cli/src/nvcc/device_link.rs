//! Linking device code, as `nvlink` does. Objects and archives bring parts (sections
//! `__nv_relfatbin`, by clang's and NVIDIA's compilers), which become one PTX text. This module
//! also defines the functions by which each object registers its code.
//!
//! Objects with relocatable device code call `__cudaRegisterLinkedBinary_NAME` before `main`, with
//! a function that registers their kernels and variables (`crt/link.stub` of the toolkit defines
//! these). Here each registers at once with the one linked image.
//!
//! Deviations: a member of an archive is taken if it defines something that is missing, as a host's
//! linker does. Machine code is ignored: an object without PTX is refused.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use object::read::archive::ArchiveFile;
use object::{Object, ObjectSection, ObjectSymbol};
use warpsim::ptx::{self, Item, Linkage, Space};
use warpsim_driver_core::{fat_binary, texts};

use super::request::{Input, Kind};
use super::steps::{Step, Steps};
use super::toolkit::Toolkit;
use crate::failure::Failure;
use crate::output::Output;

/// The section in which compilers put relocatable device code.
const SECTION: &str = "__nv_relfatbin";

/// What the names of functions begin with that register a part.
const REGISTERS: &str = "__cudaRegisterLinkedBinary";

/// An object or a member of an archive.
#[derive(Debug, Default)]
struct Part {
    name: String,
    /// The PTX of its relocatable device code.
    texts: Vec<Vec<u8>>,
    /// The functions that it registers by.
    registers: Vec<String>,
    /// What its device code defines for others, and what it lacks.
    defined: BTreeSet<String>,
    missing: BTreeSet<String>,
    has_kernels: bool,
}

impl Part {
    /// What an item shows to other parts, or lacks.
    fn note(&mut self, item: &Item) {
        let (name, linkage, is_defined) = match item {
            Item::Function(function) => {
                self.has_kernels |= function.is_entry;
                (&function.name, function.linkage, function.body.is_some())
            }
            // Dynamic shared memory is the launch's.
            Item::Variable(variable) if variable.space == Space::Shared => return,
            Item::Variable(variable) => {
                (&variable.name, variable.linkage, variable.linkage != Some(Linkage::Extern))
            }
            Item::File(_) | Item::Section(_) | Item::Pragma(_) | Item::Alias(..) => return,
        };
        let name = name.text.to_string();
        match (linkage, is_defined) {
            (Some(Linkage::Visible | Linkage::Weak | Linkage::Common), true) => {
                self.defined.insert(name);
            }
            (Some(Linkage::Extern), _) | (_, false) => {
                self.missing.insert(name);
            }
            // It belongs to its file.
            (None, true) => {}
        }
    }
}

/// Writes the object with the linked device code of these inputs; whether they have some.
///
/// # Errors
/// A file cannot be read, parts do not fit together, or no compiler takes the object.
pub(super) fn link(
    inputs: &[Input],
    (toolkit, clang): (&Toolkit, &Path),
    (scratch, to): (&Path, &Path),
    (steps, output): (Steps, &mut Output),
) -> Result<bool, Failure> {
    let (mut taken, mut members) = (Vec::new(), Vec::new());
    for file in files(inputs, toolkit) {
        let bytes = fs::read(&file)
            .map_err(|error| Failure::usage(format!("cannot read {}: {error}", file.display())))?;
        let parts = parts(&file, &bytes)?;
        match is_archive(&bytes) {
            true => members.extend(parts),
            false => taken.extend(parts),
        }
    }
    take_members(&mut taken, &mut members);
    let registers: BTreeSet<&str> =
        taken.iter().chain(&members).flat_map(|part| &part.registers).map(String::as_str).collect();
    if registers.is_empty() {
        return Ok(false);
    }
    let names: Vec<(&str, &[u8])> = taken
        .iter()
        .flat_map(|part| part.texts.iter().map(|text| (part.name.as_str(), text.as_slice())))
        .collect();
    let linked =
        ptx::link(&names).map_err(|error| Failure::usage(format!("device code: {error}")))?;
    let image = scratch.join("linked.fatbin");
    let stub = scratch.join("linked.c");
    let binary = fat_binary(ptx::print(&linked).as_bytes());
    for (path, bytes) in
        [(&image, binary.as_slice()), (&stub, source(&image, &registers).as_bytes())]
    {
        let written = fs::write(path, bytes);
        written
            .map_err(|error| Failure::usage(format!("cannot write {}: {error}", path.display())))?;
    }
    let mut step = Step::new(clang);
    step.add(["-x", "c", "-fPIC", "-O1", "-c", "-o"]).add_path(to).add_path(&stub);
    steps.run(&step, output)?;
    Ok(true)
}

/// The objects and archives among inputs. A library by its name is an archive where there is one.
fn files(inputs: &[Input], toolkit: &Toolkit) -> Vec<PathBuf> {
    let folders: Vec<&Path> = inputs
        .iter()
        .filter_map(|input| match input {
            Input::LibraryFolder(folder) => Some(folder.as_path()),
            Input::File(..) | Input::Library(_) | Input::Linker(_) => None,
        })
        .collect();
    let of_toolkit = toolkit.libraries();
    let found = inputs.iter().filter_map(|input| match input {
        Input::File(file, Kind::Linkable) => Some(file.clone()),
        Input::Library(name) => {
            let archive = format!("lib{name}.a");
            let places = folders.iter().map(|folder| folder.join(&archive));
            places.filter(|path| path.parent() != Some(&of_toolkit)).find(|path| path.is_file())
        }
        Input::File(..) | Input::LibraryFolder(_) | Input::Linker(_) => None,
    });
    found.collect()
}

/// The parts of a file: itself, or the members of an archive. A file that is neither has none.
fn parts(file: &Path, bytes: &[u8]) -> Result<Vec<Part>, Failure> {
    let name = file.display().to_string();
    let broken = |error: object::Error| Failure::usage(format!("{name}: {error}"));
    if !is_archive(bytes) {
        return Ok(part(&name, bytes)?.into_iter().collect());
    }
    let mut parts = Vec::new();
    for member in ArchiveFile::parse(bytes).map_err(broken)?.members() {
        let member = member.map_err(broken)?;
        let data = member.data(bytes).map_err(broken)?;
        let name = format!("{name}({})", String::from_utf8_lossy(member.name()));
        parts.extend(part(&name, data)?);
    }
    Ok(parts)
}

/// Whether a file begins as archives do (`ar(5)`). Archives of the second kind name files, which is
/// reported.
fn is_archive(bytes: &[u8]) -> bool {
    bytes.starts_with(b"!<arch>\n") || bytes.starts_with(b"!<thin>\n")
}

/// An object with relocatable device code; `None` for one without, and for anything else.
fn part(name: &str, bytes: &[u8]) -> Result<Option<Part>, Failure> {
    let Ok(object) = object::File::parse(bytes) else { return Ok(None) };
    let registers: Vec<String> = object
        .symbols()
        .filter(|symbol| symbol.is_undefined())
        .filter_map(|symbol| symbol.name().ok())
        .filter(|symbol| symbol.starts_with(REGISTERS))
        .map(str::to_owned)
        .collect();
    let Some(section) = object.section_by_name(SECTION) else { return Ok(None) };
    let broken = |error: &dyn std::fmt::Display| {
        let help = "compile it with PTX in it: -gencode arch=compute_80,code=compute_80";
        Failure::usage_with_help(format!("{name}: its device code: {error}"), help)
    };
    let data = section.data().map_err(|error| broken(&error))?;
    let mut part = Part { name: name.to_owned(), registers, ..Part::default() };
    for text in texts(data).map_err(|error| broken(&error))? {
        let module = ptx::parse_bytes(name, &text).map_err(|error| broken(&error))?;
        module.items.iter().for_each(|item| part.note(item));
        part.texts.push(text);
    }
    part.missing.retain(|name| !part.defined.contains(name));
    Ok(Some(part))
}

/// Takes members of archives that define what the parts so far lack, until there are none.
fn take_members(taken: &mut Vec<Part>, members: &mut Vec<Part>) {
    loop {
        let defined: BTreeSet<&String> = taken.iter().flat_map(|part| &part.defined).collect();
        let missing: BTreeSet<&String> = taken
            .iter()
            .flat_map(|part| &part.missing)
            .filter(|name| !defined.contains(name))
            .collect();
        let wanted = members.iter().position(|member| {
            // One with kernels is there for host code, which is not looked at here.
            member.defined.iter().any(|name| missing.contains(name)) || member.has_kernels
        });
        match wanted {
            Some(wanted) => taken.push(members.remove(wanted)),
            None => return,
        }
    }
}

/// The C source of the object. The image is put in by the assembler.
fn source(image: &Path, registers: &BTreeSet<&str>) -> String {
    let functions: String = registers
        .iter()
        .map(|name| {
            format!(
                "__attribute__((weak)) void {name}(void (*part)(void **), void *binary, void *name, void (*end)(void *)) {{\n  \
                 (void)binary; (void)name; (void)end;\n  add(part);\n}}\n"
            )
        })
        .collect();
    let image = image.display().to_string().replace('\\', "\\\\").replace('"', "\\\"");
    format!(
        r#"__asm__(".section .nv_fatbin,\"a\"\n.balign 8\n__warpsim_linked:\n.incbin \"{image}\"\n.previous\n");
extern const unsigned char __warpsim_linked[] __attribute__((visibility("hidden")));
extern void **__cudaRegisterFatBinary(const void *);
extern void __cudaRegisterFatBinaryEnd(void **);
extern void __cudaUnregisterFatBinary(void **);
extern int atexit(void (*)(void));
static const struct {{ int magic, version; const void *image, *others; }} wrapper
    __attribute__((section(".nvFatBinSegment"), used)) = {{0x466243b1, 1, __warpsim_linked, 0}};
static void **binary;
static void unregister(void) {{ __cudaUnregisterFatBinary(binary); }}
static void add(void (*part)(void **)) {{
  if (!binary) {{
    binary = __cudaRegisterFatBinary(&wrapper);
    __cudaRegisterFatBinaryEnd(binary);
    atexit(unregister);
  }}
  part(binary);
}}
{functions}"#
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_archive_without_members_has_no_parts_and_a_broken_one_is_told() {
        let parts = |bytes: &[u8]| parts(Path::new("lib.a"), bytes).map(|parts| parts.len());
        assert!(matches!(parts(b"!<arch>\n"), Ok(0)));
        // The script of a linker, which is called like an archive.
        assert!(matches!(parts(b"INPUT ( -lcudart )\n"), Ok(0)));
        assert!(parts(b"!<arch>\nbroken").is_err());
    }
}
