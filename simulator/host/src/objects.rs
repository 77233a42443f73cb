//! What lies at an address, as people know it: a variable, or the buffer of an argument.

use crate::check::{Object, Objects};
use crate::lower::Program;
use crate::machine::GlobalMemory;
use crate::ptx::Space;

/// The objects that a launch can reach.
pub(super) struct LaunchObjects<'a> {
    /// The program.
    pub program: &'a Program,
    /// Global memory.
    pub global: &'a GlobalMemory,
    /// The arguments that are addresses.
    pub pointers: &'a [(usize, u64)],
}

impl LaunchObjects<'_> {
    fn in_shared(&self, address: u64) -> Option<Object> {
        let below = self.program.shared.iter().filter(|s| s.address <= address);
        let symbol = below.max_by_key(|s| s.address)?;
        let name = Some(readable(&symbol.name).to_owned());
        Some(Object { name, argument: None, offset: address - symbol.address })
    }

    fn in_global(&self, address: u64) -> Option<Object> {
        let allocation = self.global.find_ref(address, 1).ok()?;
        if let Some(name) = &allocation.name {
            let name = Some(readable(name).to_owned());
            return Some(Object { name, argument: None, offset: address - allocation.base });
        }
        let inside = |p: u64| p >= allocation.base && p <= address;
        let pointers = self.pointers.iter().filter(|(_, p)| inside(*p));
        // The argument that leads there with the smallest offset.
        let (argument, pointer) = pointers.max_by_key(|(_, p)| *p)?;
        let name = self.program.parameters.get(*argument).map(|p| p.name.to_string());
        Some(Object { name, argument: Some(*argument), offset: address - pointer })
    }
}

impl Objects for LaunchObjects<'_> {
    fn at(&self, space: Space, address: u64) -> Object {
        let found = match space {
            Space::Shared => self.in_shared(address),
            Space::Global => self.in_global(address),
            _ => None,
        };
        found.unwrap_or(Object { offset: address, ..Object::default() })
    }
}

/// The name of a variable as its source has it: C++ compilers give one that is local to a function,
/// or has a namespace, a mangled name, whose last length-prefixed part is the name.
pub(super) fn readable(name: &str) -> &str {
    let Some(mangled) = name.strip_prefix("_Z") else { return name };
    let mut rest = mangled;
    let mut last = None;
    while let Some(at) = rest.find(|c: char| c.is_ascii_digit()) {
        let digits =
            rest[at..].len() - rest[at..].trim_start_matches(|c: char| c.is_ascii_digit()).len();
        let Ok(length) = rest[at..at + digits].parse::<usize>() else { break };
        let start = at + digits;
        match rest.get(start..start.saturating_add(length)) {
            Some(part) if length > 0 => {
                last = Some(part);
                rest = &rest[start + length..];
            }
            _ => rest = &rest[start..],
        }
    }
    last.unwrap_or(name)
}

#[cfg(test)]
mod tests {
    use super::readable;

    #[test]
    fn a_mangled_local_variable_has_the_name_of_its_source() {
        assert_eq!(readable("_ZZ2kAE1s"), "s");
        assert_eq!(readable("_ZZ6reducePiE4data"), "data");
        assert_eq!(readable("_ZN5space5countE"), "count");
        assert_eq!(readable("data"), "data");
        assert_eq!(readable("_Z"), "_Z");
    }
}
