//! The places of a kernel's `.shared` variables (PTX ISA 5.1.5).
//!
//! The variables that reachable functions declare are laid out from address 0 in the order of the
//! text. So are the variables of the module that these functions name. Arrays of unknown size
//! (`.extern .shared x[]`) all begin at the end of the static ones. This end is rounded up to 16
//! bytes or to their own alignment.
//!
//! Recent devices keep the first bytes for the system
//! ([`crate::lower::Placement::reserved_shared`]; PTX ISA 10, `%reserved_smem_offset_<N>`), and
//! cooperative groups of several warps meet there. Here only kernels that read one of these
//! registers have them. In another kernel an address below the first variable is a mistake, which a
//! GPU does not report.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use crate::lower::error::LowerError;
use crate::lower::module::layout::{Packing, Shape, wrong};
use crate::lower::program::Symbol;
use crate::ptx::{Function, Item, Module, Space, Type, Variable};

/// Bytes of addressable shared memory.
const LARGEST: u64 = crate::lower::module::placement::window::SIZE;

/// The name of the system's part in messages. No variable can have it.
const RESERVED_NAME: &str = "%reserved_smem";

/// The layout.
#[derive(Debug, Default)]
pub(in crate::lower) struct SharedLayout {
    /// All variables.
    pub(in crate::lower) symbols: Vec<Symbol>,
    /// Bytes of the static ones, and of the system's part before them.
    pub(in crate::lower) bytes: u64,
    /// Bytes of the system's part, if the kernel has it.
    pub(in crate::lower) reserved: u32,
    module: HashMap<Arc<str>, usize>,
    local: HashMap<(Arc<str>, usize), usize>,
}

impl SharedLayout {
    /// Lays out the variables that the functions in `reachable` use; `named` are the names in them.
    /// The system has `reserved` bytes.
    pub(in crate::lower) fn new(
        module: &Module,
        reserved: u32,
        reachable: &HashSet<&str>,
        named: &HashSet<&str>,
    ) -> Result<SharedLayout, LowerError> {
        let mut layout = SharedLayout::default();
        let mut packing = Packing::default();
        let mut dynamic = Vec::new();
        if named.iter().any(|name| name.starts_with("%reserved_smem_offset_")) {
            layout.reserve(reserved, &mut packing);
        }
        for item in &module.items {
            match item {
                Item::Variable(v) if v.space == Space::Shared => {
                    for name in v.names().filter(|n| named.contains(&**n)) {
                        let index = layout.add(v, &name, &mut packing, &mut dynamic)?;
                        layout.module.insert(name, index);
                    }
                }
                Item::Function(f) if reachable.contains(&*f.name.text) => {
                    layout.add_function(f, &mut packing, &mut dynamic)?;
                }
                Item::Variable(_)
                | Item::Function(_)
                | Item::File(_)
                | Item::Section(_)
                | Item::Pragma(_)
                | Item::Alias(..) => {}
            }
        }
        let align = dynamic.iter().map(|(_, align)| *align).fold(16, u64::max);
        if !dynamic.is_empty() {
            packing.add(0, if align > 16 { align } else { 1 });
        }
        layout.bytes = packing.end;
        let begin = layout.bytes.next_multiple_of(16);
        dynamic.iter().for_each(|(index, _)| layout.symbols[*index].address = begin);
        Ok(layout)
    }

    /// Reserves the system's part.
    fn reserve(&mut self, reserved: u32, packing: &mut Packing) {
        if reserved == 0 {
            return;
        }
        self.reserved = reserved;
        let (size, address) = (reserved.into(), packing.add(reserved.into(), 16));
        let (space, ty) = (Space::Shared, Type::B8);
        self.symbols.push(Symbol { name: RESERVED_NAME.into(), space, ty, address, size });
    }

    fn add_function(
        &mut self,
        function: &Function,
        packing: &mut Packing,
        dynamic: &mut Vec<(usize, u64)>,
    ) -> Result<(), LowerError> {
        let mut ordinal = 0;
        for variable in function.variables().filter(|v| v.space == Space::Shared) {
            for name in variable.names() {
                let index = self.add(variable, &name, packing, dynamic)?;
                self.local.insert((Arc::clone(&function.name.text), ordinal), index);
                ordinal += 1;
            }
        }
        Ok(())
    }

    fn add(
        &mut self,
        variable: &Variable,
        name: &Arc<str>,
        packing: &mut Packing,
        dynamic: &mut Vec<(usize, u64)>,
    ) -> Result<usize, LowerError> {
        if variable.init.is_some() {
            return Err(wrong(variable, "shared memory cannot be initialised".into()));
        }
        let shape = Shape::of(variable)?;
        let index = self.symbols.len();
        let address = if shape.size == 0 {
            dynamic.push((index, shape.align));
            0
        } else {
            packing.add(shape.size, shape.align)
        };
        if packing.end > LARGEST {
            return Err(wrong(variable, format!("more than {LARGEST} bytes of shared memory")));
        }
        let (space, ty, size) = (Space::Shared, variable.ty, shape.size);
        self.symbols.push(Symbol { name: Arc::clone(name), space, ty, address, size });
        Ok(index)
    }

    /// A variable of the module.
    pub(in crate::lower) fn of_module(&self, name: &str) -> Option<&Symbol> {
        self.module.get(name).and_then(|index| self.symbols.get(*index))
    }

    /// The n-th variable that a function declares.
    pub(in crate::lower) fn of_function(
        &self,
        function: &Arc<str>,
        ordinal: usize,
    ) -> Option<&Symbol> {
        let index = self.local.get(&(Arc::clone(function), ordinal));
        index.and_then(|index| self.symbols.get(*index))
    }
}
