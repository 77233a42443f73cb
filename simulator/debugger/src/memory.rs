//! Memory that a person names, found and read.

use warpsim::host::{ArgumentPlace, NoArgumentPlace, Pointer, Variable};
use warpsim::observe::{Step, width};
use warpsim::ptx::{Space, Type};

use crate::error::DebuggerError;
use crate::expression::{self, Expression, Node};
use crate::regions::{Cell, Region, Target};
use crate::session::Debugger;
use crate::threads::ThreadId;
use crate::values::type_named;

impl Debugger<'_> {
    /// What an expression names: a register, a variable, a buffer, cells of them, or global memory
    /// at a number. A type says how to see the cells.
    ///
    /// # Errors
    /// Nothing has the name, or the cells are not there.
    pub fn target(&self, text: &str, ty: Option<Type>) -> Result<Target, DebuggerError> {
        let expression = Expression::parse(text)?;
        self.target_of(expression.root(), text, ty)
    }

    fn target_of(
        &self,
        node: &Node,
        text: &str,
        ty: Option<Type>,
    ) -> Result<Target, DebuggerError> {
        let not_a_place = || DebuggerError::NotAPlace { text: text.to_owned() };
        if let Some(target) = self.leaves().target(node, ty)? {
            return Ok(target);
        }
        match node {
            Node::Register(name) => {
                let thread = self.focus();
                self.register_target(thread, name)
            }
            Node::Cell { of, index, last } => {
                let whole = self.region_of(of, ty)?.ok_or_else(not_a_place)?;
                let leaves = self.leaves();
                let first = expression::integer(index, &leaves)?;
                let last = match last {
                    Some(last) => expression::integer(last, &leaves)?,
                    None => first,
                };
                Ok(Target::Memory(part(&whole, first, last)?))
            }
            Node::Name(_) | Node::Buffer(_) => {
                let whole = self.region_of(node, ty)?.ok_or_else(not_a_place)?;
                Ok(Target::Memory(whole))
            }
            Node::Number(_) => {
                let address = expression::integer(node, &self.leaves())?;
                let address = u64::try_from(address).map_err(|_| not_a_place())?;
                let ty = ty.unwrap_or(Type::B32);
                let region = Region::global(String::new(), address, ty, 1);
                self.bytes(&region)?;
                Ok(Target::Memory(region))
            }
            Node::Member(..) | Node::Pointed(_) | Node::Unary(..) | Node::Binary(..) => {
                Err(not_a_place())
            }
        }
    }

    /// A register of a thread, in the frame that is looked at.
    pub(crate) fn register_target(
        &self,
        thread: ThreadId,
        name: &str,
    ) -> Result<Target, DebuggerError> {
        match self.value_of_register(thread, name) {
            Ok(_) | Err(DebuggerError::NeverWritten { .. }) => {}
            Err(other) => return Err(other),
        }
        match self.level_of(thread)? {
            0 => Ok(Target::Register(thread, name.to_owned())),
            _ => Err(DebuggerError::OuterRegister { register: name.to_owned() }),
        }
    }

    /// All of a variable or a buffer; `None` for what has no memory.
    pub(crate) fn region_of(
        &self,
        node: &Node,
        ty: Option<Type>,
    ) -> Result<Option<Region>, DebuggerError> {
        match node {
            Node::Name(name) => {
                let variable = self.stepper.variable(name);
                variable.map(|v| self.region_of_variable(&v, ty)).transpose()
            }
            Node::Buffer(place) => self.region_of_buffer(place, ty).map(Some),
            Node::Number(_)
            | Node::Register(_)
            | Node::Cell { .. }
            | Node::Member(..)
            | Node::Pointed(_)
            | Node::Unary(..)
            | Node::Binary(..) => Ok(None),
        }
    }

    /// All of a variable, seen from the thread in focus.
    ///
    /// # Errors
    /// It is a shared one, and the block has not begun or has ended.
    pub fn region_of_variable(
        &self,
        variable: &Variable,
        ty: Option<Type>,
    ) -> Result<Region, DebuggerError> {
        let block = match variable.space {
            Space::Shared => Some(self.focus().block),
            _ => None,
        };
        // Compilers declare variables as bytes.
        let declared = variable.ty.filter(|ty| *ty != Type::B8);
        let ty = ty
            .or(declared)
            .or_else(|| self.accessed_type(variable))
            .or(variable.ty)
            .unwrap_or(Type::B32);
        let cells = variable.bytes / u64::from(width(ty));
        let region = Region::global(variable.name.clone(), variable.address, ty, cells);
        Ok(Region { block, ..region })
    }

    /// The type that the instructions of the program give a variable: the only one that they have
    /// for its state space, or else the one of the first access to it so far.
    fn accessed_type(&self, variable: &Variable) -> Option<Type> {
        let program = self.stepper.program()?;
        let space = match variable.space {
            Space::Shared => ".shared",
            _ => ".global",
        };
        let names = program.places.iter().map(|place| &*place.name);
        let mut types = names.filter(|name| accesses(name, space)).filter_map(type_of);
        let first = types.next();
        if first.is_some_and(|first| types.all(|ty| ty == first)) {
            return first;
        }
        let region = Region {
            block: (variable.space == Space::Shared).then(|| self.focus().block),
            ..Region::global(String::new(), variable.address, Type::B8, variable.bytes)
        };
        let touches = |step: &&Step| step.touches.iter().any(|t| region.lanes(step, t) != 0);
        let step = self.stepper.trace().steps().iter().find(touches)?;
        type_of(&step.name)
    }

    fn region_of_buffer(&self, place: &str, ty: Option<Type>) -> Result<Region, DebuggerError> {
        let parsed: ArgumentPlace = place.parse().map_err(|_: NoArgumentPlace| {
            DebuggerError::NoBuffer { argument: format!("@{place}") }
        })?;
        let buffer = self.buffers.iter().find(|buffer| buffer.place == parsed);
        let buffer =
            buffer.ok_or_else(|| DebuggerError::NoBuffer { argument: parsed.in_words() })?;
        let Pointer(address) = buffer.pointer;
        let ty = ty.unwrap_or(buffer.ty);
        let cells = buffer.bytes / u64::from(width(ty));
        Ok(Region::global(format!("@{place}"), address, ty, cells))
    }

    /// The bytes of a region as they are now.
    ///
    /// # Errors
    /// The block has ended, or no allocation has the bytes.
    pub fn bytes(&self, region: &Region) -> Result<Vec<u8>, DebuggerError> {
        let bytes = region.bytes();
        let no_memory = DebuggerError::NoMemory { address: region.address, bytes };
        let Ok(length) = usize::try_from(bytes) else { return Err(no_memory) };
        match (region.block, region.local) {
            (Some(block), _) => {
                let memory = self.stepper.shared_memory(block, region.address, length);
                memory.ok_or(DebuggerError::NoBlock { block })
            }
            (None, Some(ThreadId { block, warp, lane })) => {
                let memory =
                    self.stepper.local_memory(block, warp, lane as usize, region.address, length);
                memory.ok_or(DebuggerError::NoThread { block, warp, lane })
            }
            (None, None) => self.stepper.global(region.address, length).ok_or(no_memory),
        }
    }

    /// The cells of a region as they are now.
    ///
    /// # Errors
    /// The block has ended, or no allocation has the bytes.
    pub fn cells(&self, region: &Region) -> Result<Vec<Cell>, DebuggerError> {
        let values = region.values(&self.bytes(region)?);
        let cell = |(k, value)| Cell {
            index: region.first + k,
            address: region.address + k * region.step(),
            value,
        };
        Ok((0..).zip(values).map(cell).collect())
    }
}

/// Whether an instruction may access a state space.
fn accesses(name: &str, space: &str) -> bool {
    let opcode = name.split('.').next().unwrap_or_default();
    let spaces = [".shared", ".global", ".local", ".const", ".param"];
    let names_one = spaces.iter().any(|space| name.contains(space));
    matches!(opcode, "ld" | "st" | "atom" | "red") && (name.contains(space) || !names_one)
}

/// The type at the end of an instruction's name: `ld.shared.u32`.
fn type_of(name: &str) -> Option<Type> {
    name.rsplit('.').find_map(type_named)
}

/// Cells `first` to `last` of a region.
pub(crate) fn part(whole: &Region, first: i128, last: i128) -> Result<Region, DebuggerError> {
    let out =
        |index| DebuggerError::OutOfRange { name: whole.name.clone(), index, cells: whole.cells };
    let inside = |index: i128| {
        u64::try_from(index).ok().filter(|index| *index < whole.cells).ok_or_else(|| out(index))
    };
    let (begin, end) = (inside(first)?, inside(last)?);
    if end < begin {
        return Err(out(last));
    }
    let (first, cells) = (whole.first + begin, end - begin + 1);
    let address = whole.address + begin * whole.step();
    Ok(Region { first, cells, address, ..whole.clone() })
}
