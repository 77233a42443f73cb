//! The object at an address, as people know it: a variable, or the buffer of an argument.

use crate::argument::ArgumentPlace;
use crate::lower::Program;
use crate::machine::GlobalMemory;
use crate::names;
use crate::observe::Object;
use crate::ptx::Space;

/// The objects that a launch can reach.
pub(crate) struct LaunchObjects<'a> {
    /// The program.
    pub program: &'a Program,
    /// Global memory.
    pub global: &'a GlobalMemory,
    /// The arguments that are addresses.
    pub pointers: &'a [(ArgumentPlace, u64)],
}

impl LaunchObjects<'_> {
    /// What lies at an address of a space.
    pub(crate) fn at(&self, space: Space, address: u64) -> Object {
        let found = match space {
            Space::Shared => self.in_shared(address),
            Space::Global => self.in_global(address),
            _ => None,
        };
        found.unwrap_or(Object { offset: address, ..Object::default() })
    }

    fn in_shared(&self, address: u64) -> Option<Object> {
        let below = self.program.shared.iter().filter(|s| s.address <= address);
        let symbol = below.max_by_key(|s| s.address)?;
        let name = Some(names::variable(&symbol.name).into_owned());
        Some(Object { name, argument: None, offset: address - symbol.address })
    }

    fn in_global(&self, address: u64) -> Option<Object> {
        let allocation = self.global.find_ref(address, 1).ok()?;
        if let Some(name) = &allocation.name {
            let name = Some(names::variable(name).into_owned());
            return Some(Object { name, argument: None, offset: address - allocation.base });
        }
        let inside = |p: u64| p >= allocation.base && p <= address;
        let pointers = self.pointers.iter().filter(|(_, p)| inside(*p));
        // The argument that leads there with the smallest offset.
        let (argument, pointer) = pointers.max_by_key(|(_, p)| *p)?;
        let name = self.program.parameters.get(argument.argument).map(|p| p.name.to_string());
        Some(Object { name, argument: Some(*argument), offset: address - pointer })
    }
}
