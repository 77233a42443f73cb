//! Where a variable of the source is, for one thread and now, and what it holds.
//!
//! Pointers are generic addresses, except where their types say which state space they point into.
//! Constant memory is not read.

use std::rc::Rc;

use warpsim::observe::width;
use warpsim::ptx::{Space, Type};

use super::place::{At, Memory, Place, View, of_field, scalar};
use super::visible::Visible;
use crate::dwarf::{Locations, Spot, Ty, Variable, evaluate};
use crate::error::DebuggerError;
use crate::expression::{Node, integer};
use crate::session::ThreadLeaves;
use crate::values::Value;

impl ThreadLeaves<'_, '_> {
    /// The place of a variable of the source, or of a part of one. `None` where an expression
    /// begins with none.
    pub(crate) fn place_of(&self, node: &Node) -> Result<Option<Place>, DebuggerError> {
        match node {
            Node::Name(name) => self.variable(name),
            Node::Member(of, name) => {
                let Some(place) = self.place_of(of)? else { return Ok(None) };
                place.known.info().map(|info| place.member(info, name)).transpose()
            }
            Node::Pointed(of) => {
                let place = self.place_of(of)?;
                place.map(|place| self.pointed(&place, 0)).transpose()
            }
            Node::Cell { of, index, last: None } => {
                let Some(place) = self.place_of(of)? else { return Ok(None) };
                let index = integer(index, self)?;
                self.indexed(&place, index).map(Some)
            }
            Node::Number(_)
            | Node::Register(_)
            | Node::Buffer(_)
            | Node::Cell { .. }
            | Node::Unary(..)
            | Node::Binary(..) => Ok(None),
        }
    }

    /// A variable by its name, and members behind dots.
    fn variable(&self, name: &str) -> Result<Option<Place>, DebuggerError> {
        let Some(visible) = self.debugger.visible(self.thread)? else { return Ok(None) };
        let mut parts = name.split('.');
        let first = parts.next().unwrap_or_default();
        let Some(variable) = visible.find(first) else { return Ok(None) };
        let mut place = self.place_of_variable(&visible, variable)?;
        for member in parts {
            let Some(info) = visible.known.info() else { return Ok(None) };
            place = place.member(info, member)?;
        }
        Ok(Some(place))
    }

    /// Where a variable is now. That of a reference is where it refers to.
    pub(crate) fn place_of_variable(
        &self,
        visible: &Visible,
        variable: &Variable,
    ) -> Result<Place, DebuggerError> {
        let name = variable.name.clone();
        let at = self.at(visible, variable)?;
        let known = Rc::clone(&visible.known);
        let place = Place { known, ty: variable.ty, chosen: 0, at, bits: None, name };
        let bare = visible.known.info().and_then(|info| info.bare(variable.ty));
        match bare {
            Some((_, Ty::Pointer { is_reference: true, .. })) => {
                let to = self.pointed(&place, 0)?;
                Ok(Place { name: place.name, ..to })
            }
            Some(_) | None => Ok(place),
        }
    }

    fn at(&self, visible: &Visible, variable: &Variable) -> Result<At, DebuggerError> {
        let Some(info) = visible.known.info() else {
            return Err(DebuggerError::OptimisedOut { name: variable.name.clone() });
        };
        if let Locations::Constant(bits) = variable.locations {
            return Ok(At::Value { bits, offset: 0 });
        }
        let Some(expression) = variable.locations.at(visible.address) else {
            return Err(DebuggerError::OptimisedOut { name: variable.name.clone() });
        };
        let unreadable =
            |reason: String| DebuggerError::Unreadable { name: variable.name.clone(), reason };
        let spot = evaluate(expression, info.address_bytes)
            .map_err(|error| unreadable(error.to_string()))?;
        let level = visible.level;
        Ok(match spot {
            Spot::Register(name) => {
                let argument = self.argument(visible, variable);
                At::Register { name, level, offset: 0, argument }
            }
            Spot::Value(bits) => At::Value { bits, offset: 0 },
            Spot::Frame(offset) => {
                let (block, warp, lane) = self.lane();
                let base = self.debugger.stepper.local_base(block, warp, lane, level);
                let base = base.ok_or_else(|| self.no_thread())?;
                let address = base.wrapping_add_signed(offset);
                At::Memory(Memory { space: Space::Local, address, bytes: None })
            }
            Spot::Behind { register, offset } => {
                let value = self.debugger.value_of_register_in(self.thread, level, &register)?;
                let Value::Bits(_, bits) = value else {
                    return Err(unreadable(register));
                };
                At::Memory(self.generic(bits.wrapping_add_signed(offset)))
            }
            Spot::Symbol { symbol, offset } => {
                let name = info.symbols.get(symbol).map(String::as_str).unwrap_or_default();
                let memory = self.symbol(name, level);
                let missing = || unreadable(format!("{name} is no memory that can be read here"));
                let memory = memory.ok_or_else(missing)?;
                At::Memory(Memory {
                    address: memory.address.wrapping_add_signed(offset),
                    bytes: memory
                        .bytes
                        .and_then(|all| all.checked_add_signed(offset.wrapping_neg())),
                    ..memory
                })
            }
        })
    }

    /// The memory of a variable of the PTX: of the activation, of the block, or of the module. Or
    /// the memory of a kernel's parameter.
    fn symbol(&self, name: &str, level: usize) -> Option<Memory> {
        let stepper = &self.debugger.stepper;
        let (block, warp, lane) = self.lane();
        if let Some(local) = stepper.local_variable(block, warp, lane, level, name) {
            let (address, bytes) = (local.address, Some(local.bytes));
            return Some(Memory { space: Space::Local, address, bytes });
        }
        let program = stepper.program()?;
        if let Some(parameter) = program.parameters.iter().find(|p| &*p.name == name) {
            let (address, bytes) = (parameter.offset.into(), Some(parameter.size.into()));
            return Some(Memory { space: Space::Param, address, bytes });
        }
        let shared = program.shared.iter().find(|symbol| &*symbol.name == name);
        let variable = stepper.variable(name)?;
        let address = shared.map_or(variable.address, |symbol| symbol.address);
        Some(Memory { space: variable.space, address, bytes: Some(variable.bytes) })
    }

    /// The memory at a generic address.
    fn generic(&self, address: u64) -> Memory {
        let (space, address) = self.debugger.stepper.space_of(address);
        Memory { space, address, bytes: None }
    }

    fn lane(&self) -> (u64, u32, usize) {
        (self.thread.block, self.thread.warp, self.thread.lane as usize)
    }

    fn no_thread(&self) -> DebuggerError {
        let (block, warp, lane) = (self.thread.block, self.thread.warp, self.thread.lane);
        DebuggerError::NoThread { block, warp, lane }
    }

    /// What a pointer points to, this many elements further on.
    pub(super) fn pointed(&self, place: &Place, index: i128) -> Result<Place, DebuggerError> {
        let not_a_pointer = || DebuggerError::NotAPointer { text: place.name.clone() };
        let info = place.known.info().ok_or_else(not_a_pointer)?;
        let View::Other(Ty::Pointer { to, space, .. }) = place.view(info) else {
            return Err(not_a_pointer());
        };
        let Value::Bits(_, address) = self.value_of(place)? else { return Err(not_a_pointer()) };
        let one = info.bytes(*to).or((index == 0).then_some(0)).ok_or_else(not_a_pointer)?;
        let offset = i128::from(one).saturating_mul(index);
        let address = (i128::from(address).saturating_add(offset)) as u64;
        // NVIDIA's numbers of the spaces; 12 is generic.
        let of = |space| Memory { space, address, bytes: None };
        let memory = match space {
            Some(4) => of(Space::Const),
            Some(5) => of(Space::Global),
            Some(6) => of(Space::Local),
            Some(7) => of(Space::Param),
            Some(8) => of(Space::Shared),
            Some(_) | None => self.generic(address),
        };
        let name = match index {
            0 => format!("*{}", place.name),
            index => format!("{}[{index}]", place.name),
        };
        let known = Rc::clone(&place.known);
        Ok(Place { known, ty: *to, chosen: 0, at: At::Memory(memory), bits: None, name })
    }

    /// An element of an array, or behind a pointer.
    pub(crate) fn indexed(&self, place: &Place, index: i128) -> Result<Place, DebuggerError> {
        let not_a_pointer = || DebuggerError::NotAPointer { text: place.name.clone() };
        let info = place.known.info().ok_or_else(not_a_pointer)?;
        if !matches!(place.view(info), View::Array(..)) {
            let name = format!("{}[{index}]", place.name);
            return Ok(Place { name, ..self.pointed(place, index)? });
        }
        let cells = place.elements(info).unwrap_or(0);
        let out = || DebuggerError::OutOfRange { name: place.name.clone(), index, cells };
        let index = u64::try_from(index).ok().filter(|index| *index < cells).ok_or_else(out)?;
        place.element(info, index).ok_or_else(out)
    }

    /// The bytes of a place.
    pub(super) fn bytes_of(&self, place: &Place, bytes: u64) -> Result<Vec<u8>, DebuggerError> {
        let of_word = |bits: u64, offset: u64| {
            let all = bits.to_le_bytes();
            let end = offset.checked_add(bytes).and_then(|end| usize::try_from(end).ok());
            let found = end.and_then(|end| all.get(offset as usize..end)).map(<[u8]>::to_vec);
            found.ok_or_else(|| DebuggerError::Unreadable {
                name: place.name.clone(),
                reason: format!("{bytes} bytes of a value of 8"),
            })
        };
        match &place.at {
            At::Value { bits, offset } => of_word(*bits, *offset),
            At::Register { name, level, offset, argument } => {
                match (self.debugger.value_of_register_in(self.thread, *level, name), argument) {
                    (Ok(Value::Bits(_, bits)), _) => of_word(bits, *offset),
                    (Ok(Value::Integer(_) | Value::Float(_)), _) => {
                        Err(DebuggerError::NotAValue { text: place.name.clone() })
                    }
                    (
                        Err(DebuggerError::NeverWritten { .. } | DebuggerError::NoThread { .. }),
                        Some(memory),
                    ) => {
                        let address = memory.address.wrapping_add(*offset);
                        self.memory(&Memory { address, ..*memory }, bytes)
                    }
                    (Err(error), _) => Err(error),
                }
            }
            At::Memory(memory) => self.memory(memory, bytes),
        }
    }

    /// Bytes of memory.
    fn memory(&self, memory: &Memory, bytes: u64) -> Result<Vec<u8>, DebuggerError> {
        let no_memory = DebuggerError::NoMemory { address: memory.address, bytes };
        if memory.space == Space::Param {
            let length = usize::try_from(bytes).map_err(|_| no_memory.clone())?;
            let found = self.debugger.stepper.parameter_memory(memory.address, length);
            return found.ok_or(no_memory);
        }
        let region = self.region_at(memory, Type::B8, bytes).ok_or(no_memory)?;
        self.debugger.bytes(&region)
    }

    /// Where the value of a kernel's argument comes from.
    fn argument(&self, visible: &Visible, variable: &Variable) -> Option<Memory> {
        let program = self.debugger.stepper.program()?;
        let index = visible.argument(self.debugger.stepper.kernel()?, variable)?;
        // Compilers may leave arguments out, or split them.
        let parameter = program.parameters.get(index.at)?;
        (program.parameters.len() == index.of).then(|| Memory {
            space: Space::Param,
            address: parameter.offset.into(),
            bytes: Some(parameter.size.into()),
        })
    }

    /// The value of a place that is no array and no structure.
    pub(crate) fn value_of(&self, place: &Place) -> Result<Value, DebuggerError> {
        let not_a_value = || DebuggerError::NotAValue { text: place.name.clone() };
        let info = place.known.info().ok_or_else(not_a_value)?;
        let View::Other(ty) = place.view(info) else { return Err(not_a_value()) };
        let ty = scalar(ty).ok_or_else(not_a_value)?;
        let bytes = self.bytes_of(place, width(ty).into())?;
        let bits = bytes.iter().rev().fold(0, |word, byte| word << 8 | u64::from(*byte));
        Ok(Value::Bits(ty, of_field(place, ty, bits)))
    }
}
