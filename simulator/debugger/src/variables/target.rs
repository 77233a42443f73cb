//! Variables of the source as cells of memory, to be watched or looked at as such.

use warpsim::observe::width;
use warpsim::ptx::{Space, Type};

use super::place::{At, Memory, Place, View, scalar};
use crate::dwarf::Ty;
use crate::error::DebuggerError;
use crate::expression::{Node, integer};
use crate::memory::part;
use crate::regions::{Region, Target};
use crate::session::ThreadLeaves;

impl ThreadLeaves<'_, '_> {
    /// Cells of memory; `None` where they cannot be watched.
    pub(super) fn region_at(&self, memory: &Memory, ty: Type, cells: u64) -> Option<Region> {
        let region = Region::global(String::new(), memory.address, ty, cells);
        match memory.space {
            Space::Global => Some(region),
            Space::Shared => Some(Region { block: Some(self.thread.block), ..region }),
            Space::Local => Some(Region { local: Some(self.thread), ..region }),
            Space::Const | Space::Param | Space::Tex => None,
        }
    }

    /// What can be watched, or looked at as cells: a variable of the source, or a part of one.
    /// `None` where an expression begins with none.
    pub(crate) fn target(
        &self,
        node: &Node,
        ty: Option<Type>,
    ) -> Result<Option<Target>, DebuggerError> {
        if let Node::Cell { of, index, last: Some(last) } = node {
            let Some(whole) = self.place_of(of)? else { return Ok(None) };
            let (first, last) = (integer(index, self)?, integer(last, self)?);
            let whole = self.cells_of(&whole, last, ty)?;
            return part(&whole, first, last).map(Target::Memory).map(Some);
        }
        let Some(place) = self.place_of(node)? else { return Ok(None) };
        match (&place.at, node) {
            (At::Register { name, level: 0, .. }, _) => {
                Ok(Some(Target::Register(self.thread, name.clone())))
            }
            (At::Register { name, .. }, _) => {
                Err(DebuggerError::OuterRegister { register: name.clone() })
            }
            (At::Value { .. }, _) => Err(DebuggerError::NotAPlace { text: place.name }),
            // The array's name identifies a cell of an array.
            (At::Memory(_), Node::Cell { of, index, last: None }) => {
                let Some(whole) = self.place_of(of)? else { return Ok(None) };
                let index = integer(index, self)?;
                let whole = self.cells_of(&whole, index, ty)?;
                match whole.is_single {
                    true => Ok(Some(Target::Memory(self.cells_of(&place, 0, ty)?))),
                    false => part(&whole, index, index).map(Target::Memory).map(Some),
                }
            }
            (At::Memory(_), _) => self.cells_of(&place, 0, ty).map(Target::Memory).map(Some),
        }
    }

    /// A place as cells; behind a pointer, up to a last one. A single one where it is no array of
    /// numbers.
    fn cells_of(
        &self,
        place: &Place,
        last: i128,
        ty: Option<Type>,
    ) -> Result<Region, DebuggerError> {
        let not_a_place = || DebuggerError::NotAPlace { text: place.name.clone() };
        let info = place.known.info().ok_or_else(not_a_place)?;
        if let View::Other(Ty::Pointer { to, is_reference: false, .. }) = place.view(info)
            && last > 0
        {
            let first = self.pointed(place, 0)?;
            let cell = ty.or(info.bare(*to).and_then(|(_, ty)| scalar(ty)));
            let cells = u64::try_from(last + 1).map_err(|_| not_a_place())?;
            let (At::Memory(memory), Some(cell)) = (&first.at, cell) else {
                return Err(not_a_place());
            };
            let region = self.region_at(memory, cell, cells).ok_or_else(not_a_place)?;
            return Ok(Region { name: place.name.clone(), ..region });
        }
        let bytes = place.bytes(info).ok_or_else(not_a_place)?;
        let natural = match place.view(info) {
            View::Array(of, counts) if counts.len() == 1 => {
                info.bare(of).and_then(|(_, ty)| scalar(ty)).map(|ty| (ty, false))
            }
            View::Other(ty) => scalar(ty).map(|ty| (ty, true)),
            View::Array(..) | View::Nothing => None,
        };
        let (cell, is_single) = match (ty, natural) {
            (Some(ty), _) => (ty, false),
            (None, Some(natural)) => natural,
            (None, None) if bytes % 4 == 0 => (Type::B32, false),
            (None, None) => (Type::B8, false),
        };
        let cells = bytes / u64::from(width(cell));
        let At::Memory(memory) = &place.at else { return Err(not_a_place()) };
        let region = self.region_at(memory, cell, cells).ok_or_else(not_a_place)?;
        Ok(Region { name: place.name.clone(), is_single, ..region })
    }
}
