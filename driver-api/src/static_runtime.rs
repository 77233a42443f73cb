//! Programs into which NVIDIA's static runtime was linked, as `nvcc` does unless told otherwise.
//!
//! Such a program calls functions of its own with the runtime's names, which reach the driver by tables that are not
//! documented and ask it to prove that it is NVIDIA's. None of that is answered here. The functions' names and places
//! stand in the program's symbol table (System V ABI, "Symbol Table"), unless it was stripped: before anything of the
//! program runs, a jump to the function of this crate is written over the beginning of each. So it runs as if it had
//! been linked to the shared runtime, whose functions are the same.
//!
//! `warpsim exec` puts this library first into a program whose symbol table has the runtime ([`Linked::read`]). Where it
//! does not know of it (the program is started by another one, or is stripped) the runtime asks for its table, and is told
//! what to do: `cuGetExportTable`.
//!
//! Deviations: the runtime of CUDA 11 and before, that in shared libraries of the program, and processors other than
//! x86-64 are left as they are.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::path::Path;

use object::read::{Object, ObjectSymbol, ReadCache};
use object::{SymbolKind, elf};

use crate::lookup;
use crate::process::{self, tell};

/// As many of its functions make a program one that has the runtime, and not some functions of the same names: the
/// smallest that is known has more than 400.
const MANY: usize = 300;

/// Bytes of a jump to anywhere: `jmp *0(%rip)` and the address behind it.
const FAR: u64 = 14;

/// Bytes of a jump within 2 GiB: `jmp` with the distance from its end.
const NEAR: u64 = 5;

/// The runtime in a program.
#[derive(Clone, Debug)]
pub struct Linked {
    /// Its major version.
    version: u32,
    /// Where the program begins to run, by its file.
    entry: u64,
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

/// Bytes to be written over a program's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Patch {
    pub(crate) address: u64,
    pub(crate) bytes: Vec<u8>,
}

impl Linked {
    /// The runtime in this file, or none that is known: it is no program, has no symbols, or no runtime.
    pub fn read(path: &Path) -> Option<Linked> {
        let file = ReadCache::new(File::open(path).ok()?);
        let program = object::File::parse(&file).ok()?;
        let known: BTreeSet<&str> =
            lookup::table().keys().map(|name| name.split('@').next().unwrap_or(name)).collect();
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
        let version = match (has("cudaGetDeviceProperties_v2"), has("cudaLibraryLoadData")) {
            (true, _) => 12,
            (false, true) => 13,
            (false, false) => return None,
        };
        let is_linked =
            functions.len() >= MANY && program.architecture() == object::Architecture::X86_64;
        is_linked.then(|| Linked { version, entry: program.entry(), functions })
    }

    /// What has to be written where, in a program that is `moved` by so many bytes: jumps to our functions. Functions
    /// that are too short for a jump are left.
    fn patches(&self, moved: u64, ours: &BTreeMap<&str, usize>) -> Vec<Patch> {
        let target = |name: &str| {
            let mark = if self.version == 12 { "@@" } else { "@" };
            let versioned = format!("{name}{mark}libcudart.so.{}", self.version);
            ours.get(versioned.as_str()).or_else(|| ours.get(name)).map(|at| *at as u64)
        };
        // What stands behind the jump of a function never runs again, and has room for those of others.
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

/// Before the program runs: where it has the runtime in it, its functions become ours. `entry` is where the program
/// begins to run, in memory.
pub(crate) fn take_over(entry: u64) {
    let Some(linked) = Linked::read(Path::new("/proc/self/exe")) else { return };
    let ours = lookup::table();
    let moved = entry.wrapping_sub(linked.entry);
    // This command has functions of the same names, which are ours already.
    let is_own = |function: &Function| {
        ours.get(function.name.as_str())
            .is_some_and(|at| *at as u64 == function.address.wrapping_add(moved))
    };
    if linked.functions.iter().any(is_own) {
        return;
    }
    if !process::overwrite(&linked.patches(moved, ours)) {
        tell(&format!("warpsim: cannot take the place of the runtime in the program; {ADVICE}"));
    }
}

/// What to do with a program whose runtime cannot be met.
pub(crate) const ADVICE: &str = "link it to the shared runtime (nvcc -cudart shared)";

const _: () = assert!(elf::EM_X86_64 == 62);

#[cfg(test)]
mod tests {
    use super::*;

    fn linked(functions: &[(&str, u64, u64)]) -> Linked {
        let function = |(name, address, bytes): &(&str, u64, u64)| Function {
            name: (*name).to_owned(),
            address: *address,
            bytes: *bytes,
        };
        Linked { version: 13, entry: 0, functions: functions.iter().map(function).collect() }
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
    fn a_file_without_the_runtime_has_none() {
        assert!(Linked::read(Path::new("/no/such/file")).is_none());
        assert!(Linked::read(Path::new(file!())).is_none());
    }
}
