//! Programs that NVIDIA's static runtime was linked into, as `nvcc` does by default.
//!
//! Such a program calls its own functions with the runtime's names. They reach the driver by
//! undocumented tables and ask it to prove that it is NVIDIA's. This library answers none of these
//! requests. The program's symbol table (System V ABI, "Symbol Table") has the functions' names and
//! places, unless it was stripped. Before any code of the program runs, a jump to this crate's
//! function is written over the beginning of each. So the program runs as if it had been linked to
//! the shared runtime, whose functions are the same. A library of the program may have its own
//! runtime. It is treated in the same way before any of its code runs. This works because each
//! object first calls `__gmon_start__` if it is defined (`crti.S` of the GNU C Library), and this
//! crate defines it.
//!
//! All of this needs this library before the program begins. `warpsim exec` puts it first
//! (`LD_PRELOAD`) into a program whose symbol table has the runtime ([`Linked::read`]). It does the
//! same for an interpreter of Python ([`is_interpreter`]), whose libraries come later.
//! `warpsim exec` may not know of a runtime, because another program starts this one or something
//! is stripped. Then the runtime asks for its table, and `cuGetExportTable` prints advice.
//!
//! The runtime of CUDA 11 has the functions of CUDA 12, except some whose signature changed, and
//! texture references, which are refused by their names.
//!
//! Deviations: the runtime of CUDA 10 and before, and processors other than x86-64, are left as
//! they are. A program that asks for the driver's table there gets advice.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::panic::catch_unwind;
use std::path::Path;
use std::sync::{Mutex, OnceLock, PoisonError};

use object::read::{Object, ObjectSymbol, ReadCache};
use object::{SymbolKind, elf};
use warpsim_driver_core::VARIABLE;

use crate::lookup;
use crate::process::{self, LINK_ADVICE, Loaded, Patch, tell};

/// As many of its functions make a program one that has the runtime, and not some functions of the
/// same names: the smallest that is known has more than 400.
const MANY: usize = 300;

/// The version that a function with another signature in CUDA 11 has in the table; no symbol has
/// it.
pub(crate) const ELEVEN: &str = "@libcudart.so.11.0";

/// Bytes of a jump to anywhere: `jmp *0(%rip)` and the address behind it.
const FAR: u64 = 14;

/// Bytes of a jump within 2 GiB: `jmp` with the distance from its end.
const NEAR: u64 = 5;

/// The runtime in a program or a library.
#[derive(Clone, Debug)]
pub struct Linked {
    /// Its major version.
    version: u32,
    functions: Vec<Function>,
}

/// A function of the runtime in a program.
#[derive(Clone, Debug)]
struct Function {
    name: String,
    /// By its file.
    address: u64,
    bytes: u64,
}

impl Linked {
    /// The runtime in this file. `None` if the file is no object, has no symbols, or has no known
    /// runtime.
    pub fn read(path: &Path) -> Option<Linked> {
        let file = ReadCache::new(File::open(path).ok()?);
        let program = object::File::parse(&file).ok()?;
        let known = names();
        let is_one = |symbol: &object::read::Symbol<'_, '_, _>| {
            symbol.kind() == SymbolKind::Text && symbol.is_definition() && symbol.size() > 0
        };
        let named = program.symbols().filter(is_one).filter_map(|symbol| {
            let name = symbol.name().ok().filter(|name| known.contains(name))?.to_owned();
            Some(Function { name, address: symbol.address(), bytes: symbol.size() })
        });
        let mut functions: Vec<Function> = named.collect();
        functions.sort_by(|a, b| a.name.cmp(&b.name));
        functions.dedup_by(|a, b| a.name == b.name);
        let has = |name: &str| functions.iter().any(|function| function.name == name);
        // What has the driver's functions, too, is this command, or has this crate in it: there
        // they are ours already.
        if has("cuInit") {
            return None;
        }
        let version = match (has("cudaGetDeviceProperties_v2"), has("cudaLibraryLoadData")) {
            (true, _) => 12,
            (false, true) => 13,
            // It came with CUDA 11.
            (false, false) if has("cudaStreamCopyAttributes") => 11,
            (false, false) => return None,
        };
        let is_linked =
            functions.len() >= MANY && program.architecture() == object::Architecture::X86_64;
        is_linked.then_some(Linked { version, functions })
    }

    /// The bytes to write and their places, in an object that is `moved` by this many bytes: jumps
    /// to the functions here. Functions that are too short for a jump are left.
    fn patches(&self, moved: u64, ours: &BTreeMap<&str, usize>) -> Vec<Patch> {
        let target = |name: &str| {
            let ends: &[&str] = match self.version {
                11 => &[ELEVEN, "@@libcudart.so.12", ""],
                12 => &["@@libcudart.so.12", ""],
                // 13: `read` knows no others.
                _ => &["@libcudart.so.13", ""],
            };
            let found = ends.iter().find_map(|end| ours.get(format!("{name}{end}").as_str()));
            found.map(|at| *at as u64)
        };
        // The code behind a function's jump never runs again, so it has room for the jumps of
        // others.
        let long =
            self.functions.iter().filter(|f| f.bytes >= 2 * FAR && target(&f.name).is_some());
        let mut room = long.map(|function| function.address.wrapping_add(moved + FAR));
        let mut patches = Vec::new();
        for function in &self.functions {
            let Some(target) = target(&function.name) else { continue };
            let address = function.address.wrapping_add(moved);
            if function.bytes >= FAR {
                patches.push(Patch { address, bytes: far(target) });
            } else if function.bytes >= NEAR
                && let Some(place) = room.next()
                && let Some(bytes) = near(address, place)
            {
                patches.push(Patch { address: place, bytes: far(target) });
                patches.push(Patch { address, bytes });
            }
        }
        patches
    }
}

/// A jump to anywhere.
fn far(target: u64) -> Vec<u8> {
    let mut bytes = vec![0xff, 0x25, 0, 0, 0, 0];
    bytes.extend(target.to_le_bytes());
    bytes
}

/// A jump from one place to one that is near.
fn near(from: u64, to: u64) -> Option<Vec<u8>> {
    let distance = (to as i64).checked_sub(from.wrapping_add(NEAR) as i64)?;
    let mut bytes = vec![0xe9];
    bytes.extend(i32::try_from(distance).ok()?.to_le_bytes());
    Some(bytes)
}

/// The names of all functions, without versions.
fn names() -> &'static BTreeSet<&'static str> {
    static NAMES: OnceLock<BTreeSet<&str>> = OnceLock::new();
    let without = |name: &&'static str| name.split_once('@').map_or(*name, |(name, _)| name);
    NAMES.get_or_init(|| lookup::table().keys().map(without).collect())
}

/// Whether a file is an interpreter of Python, which loads libraries while it runs. Such a file
/// calls or defines Python's entry function.
pub fn is_interpreter(path: &Path) -> bool {
    let Ok(file) = File::open(path) else { return false };
    let file = ReadCache::new(file);
    let Ok(program) = object::File::parse(&file) else { return false };
    let is_begin = |symbol: object::read::Symbol<'_, '_, _>| {
        matches!(symbol.name(), Ok("Py_BytesMain" | "Py_Main"))
    };
    program.dynamic_symbols().any(is_begin)
}

/// Before anything of a program or a library runs: where one that was not seen yet has the runtime
/// in it, its functions become ours.
pub(crate) fn take_over() {
    // What was seen, and how many objects the process had given up by then: another one may be
    // where one of these was.
    static SEEN: Mutex<(BTreeSet<Loaded>, u64)> = Mutex::new((BTreeSet::new(), 0));
    let (objects, gone) = process::objects();
    let mut seen = SEEN.lock().unwrap_or_else(PoisonError::into_inner);
    if seen.1 != gone {
        *seen = (BTreeSet::new(), gone);
    }
    for object in objects {
        if !seen.0.contains(&object) {
            take_over_one(&object);
            seen.0.insert(object);
        }
    }
}

fn take_over_one(Loaded { path, moved }: &Loaded) {
    let Some(linked) = Linked::read(path) else { return };
    let ours = lookup::table();
    if !process::overwrite(&linked.patches(*moved, ours)) {
        let file = path.display();
        tell(&format!("warpsim: cannot take the place of the runtime in {file}; {LINK_ADVICE}"));
    }
}

const _: () = assert!(elf::EM_X86_64 == 62);

/// The library is loaded, or another one is whose code has not run yet. This acts only under
/// `warpsim exec`, and only if this library was there before the program began. Code that runs
/// cannot be overwritten.
pub(crate) extern "C" fn at_start() {
    let is_first = || {
        let first = std::env::var_os("LD_PRELOAD")?;
        let of_list = first.to_str()?.split([' ', ':']).any(|path| path.ends_with("libcuda.so.1"));
        of_list.then_some(())
    };
    if std::env::var_os(VARIABLE).is_none() || is_first().is_none() {
        return;
    }
    if catch_unwind(take_over).is_err() {
        tell("this is a bug in warpsim: a panic at the beginning of a program or of a library");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn linked(functions: &[(&str, u64, u64)]) -> Linked {
        let function = |(name, address, bytes): &(&str, u64, u64)| Function {
            name: (*name).to_owned(),
            address: *address,
            bytes: *bytes,
        };
        Linked { version: 13, functions: functions.iter().map(function).collect() }
    }

    #[test]
    fn a_jump_is_written_over_each_function_and_a_short_one_goes_by_a_longer_one() {
        let ours = BTreeMap::from([
            ("cudaFree", 0x7000_0000_1000),
            ("cudaMemAdvise@@libcudart.so.12", 0x7000_0000_2000),
            ("cudaMemAdvise@libcudart.so.13", 0x7000_0000_3000),
            ("cudaGetDevice", 0x7000_0000_4000),
        ]);
        let all = [
            ("cudaFree", 0x100, 40),
            ("cudaMemAdvise", 0x200, 14),
            ("cudaGetDevice", 0x300, 10),
            ("cudaUnknown", 0x400, 99),
        ];
        let patches = linked(&all).patches(0x1000, &ours);
        let far = |address: u64, target: u64| Patch { address, bytes: super::far(target) };
        let wanted = [
            far(0x1100, 0x7000_0000_1000),
            far(0x1200, 0x7000_0000_3000),
            far(0x110e, 0x7000_0000_4000),
            // From 0x1305 to 0x110e: -0x1f7.
            Patch { address: 0x1300, bytes: vec![0xe9, 0x09, 0xfe, 0xff, 0xff] },
        ];
        assert_eq!(patches, wanted);
        // Too short for any jump, or nowhere to jump by.
        assert_eq!(linked(&[("cudaFree", 0, 4)]).patches(0, &ours), []);
        assert_eq!(linked(&[("cudaFree", 0, 10)]).patches(0, &ours), []);
        assert_eq!(super::far(0x0102), [0xff, 0x25, 0, 0, 0, 0, 2, 1, 0, 0, 0, 0, 0, 0]);
    }

    #[test]
    fn a_runtime_of_cuda_11_gets_what_it_had_before_what_cuda_12_has() {
        let ours = BTreeMap::from([
            ("cudaFree", 0x1000),
            ("cudaGraphInstantiate", 0x2000),
            ("cudaGraphInstantiate@libcudart.so.11.0", 0x3000),
            ("cudaMemAdvise@@libcudart.so.12", 0x4000),
            ("cudaMemAdvise@libcudart.so.13", 0x5000),
        ]);
        let all = [
            ("cudaFree", 0x100, 40),
            ("cudaGraphInstantiate", 0x200, 40),
            ("cudaMemAdvise", 0x300, 40),
        ];
        let of = |version| {
            let linked = Linked { version, ..linked(&all) };
            let patches = linked.patches(0, &ours);
            patches.iter().map(|patch| patch.bytes[7]).collect::<Vec<u8>>()
        };
        assert_eq!(of(11), [0x10, 0x30, 0x40]);
        assert_eq!(of(12), [0x10, 0x20, 0x40]);
        assert_eq!(of(13), [0x10, 0x20, 0x50]);
        let table = lookup::table();
        for name in ["cudaGraphInstantiate", "cudaGraphExecUpdate"] {
            assert!(table.contains_key(format!("{name}{ELEVEN}").as_str()), "{name}");
        }
    }

    #[test]
    fn a_file_without_the_runtime_has_none_and_a_test_is_no_interpreter() {
        let own = std::env::current_exe().unwrap();
        // The test has the functions of this crate in it, which are no other's.
        for file in [Path::new("/no/such/file"), Path::new(file!()), &own] {
            assert!(Linked::read(file).is_none(), "{}", file.display());
            assert!(!is_interpreter(file), "{}", file.display());
        }
    }

    #[test]
    fn the_objects_of_a_process_are_its_libraries_where_their_files_say_and_not_the_one_that_asks()
    {
        let (objects, _) = process::objects();
        assert!(objects.iter().all(|object| object.path != Path::new("/proc/self/exe")));
        let of_c = objects.iter().find(|object| {
            object.path.file_name().is_some_and(|name| name.to_string_lossy().contains("libc.so"))
        });
        // Where a library begins is a page.
        let is_page = |object: &Loaded| object.moved > 0 && object.moved.is_multiple_of(4096);
        assert!(of_c.is_some_and(is_page), "{objects:?}");
    }
}
