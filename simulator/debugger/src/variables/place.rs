//! The place of a variable or of a part of it, and its parts: members of structures, and elements
//! of arrays. A place is a register, memory, or nothing but a value.

use std::rc::Rc;

use warpsim::observe::width;
use warpsim::ptx::{Space, Type};

use crate::dwarf::{DebugInfo, Encoding, Known, Member, Ty, TypeId};
use crate::error::{DebuggerError, near};

/// The place of a variable or of a part of it.
#[derive(Clone, Debug)]
pub(crate) struct Place {
    pub(super) known: Rc<Known>,
    pub(super) ty: Option<TypeId>,
    /// How many extents of the array type have been chosen from.
    pub(super) chosen: usize,
    pub(super) at: At,
    pub(super) bits: Option<(u32, u32)>,
    /// As it is written in an expression.
    pub(super) name: String,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) enum At {
    /// Bytes of a register from an offset on.
    Register {
        name: String,
        level: usize,
        offset: u64,
        /// Where the value of an argument comes from, as long as the register is not written.
        argument: Option<Memory>,
    },
    Memory(Memory),
    /// Bytes of a value that is nowhere, from an offset on.
    Value {
        bits: u64,
        offset: u64,
    },
}

/// An address in a state space, as the thread sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Memory {
    pub(super) space: Space,
    pub(super) address: u64,
    /// Bytes of what lies there, where an array says no number.
    pub(super) bytes: Option<u64>,
}

/// What a place holds, without typedefs and qualifiers.
pub(super) enum View<'i> {
    /// The type of the elements, and the extents that are left to choose from.
    Array(Option<TypeId>, &'i [Option<u64>]),
    Other(&'i Ty),
    /// `void`, or a type that the debug information does not have.
    Nothing,
}

/// How many arrays may be of arrays.
const MOST_ARRAYS: usize = 16;

impl Place {
    pub(super) fn view<'i>(&self, info: &'i DebugInfo) -> View<'i> {
        let (mut ty, mut chosen) = (self.ty, self.chosen);
        for _ in 0..MOST_ARRAYS {
            match info.bare(ty) {
                Some((_, Ty::Array { of, counts })) => match counts.get(chosen..) {
                    Some([]) | None => (ty, chosen) = (*of, 0),
                    Some(left) => return View::Array(*of, left),
                },
                Some((_, other)) => return View::Other(other),
                None => return View::Nothing,
            }
        }
        View::Nothing
    }

    /// The bytes of the place; `None` where its type has no size.
    pub(super) fn bytes(&self, info: &DebugInfo) -> Option<u64> {
        match self.view(info) {
            View::Array(of, counts) => {
                let of_one = info.bytes(of)?;
                match counts {
                    [None, ..] => match self.at {
                        At::Memory(memory) => memory.bytes,
                        At::Register { .. } | At::Value { .. } => None,
                    },
                    counts => {
                        let product =
                            counts.iter().try_fold(1u64, |all, one| all.checked_mul((*one)?));
                        product?.checked_mul(of_one)
                    }
                }
            }
            View::Other(
                Ty::Base { bytes, .. }
                | Ty::Pointer { bytes, .. }
                | Ty::Structure { bytes, .. }
                | Ty::Enumeration { bytes, .. },
            ) => Some(*bytes),
            View::Other(
                Ty::Opaque { .. } | Ty::Array { .. } | Ty::Typedef { .. } | Ty::Qualified { .. },
            )
            | View::Nothing => None,
        }
    }

    /// A part of the place: bytes from an offset on.
    pub(super) fn part(
        &self,
        offset: u64,
        ty: Option<TypeId>,
        chosen: usize,
        name: String,
    ) -> Place {
        let at = match &self.at {
            At::Register { name, level, offset: at, argument } => At::Register {
                name: name.clone(),
                level: *level,
                offset: at.saturating_add(offset),
                argument: *argument,
            },
            At::Memory(memory) => At::Memory(Memory {
                address: memory.address.wrapping_add(offset),
                bytes: memory.bytes.and_then(|bytes| bytes.checked_sub(offset)),
                ..*memory
            }),
            At::Value { bits, offset: at } => {
                At::Value { bits: *bits, offset: at.saturating_add(offset) }
            }
        };
        Place { known: Rc::clone(&self.known), ty, chosen, at, bits: None, name }
    }

    /// The members, with their names.
    pub(super) fn members(&self, info: &DebugInfo) -> Vec<(String, Place)> {
        let View::Other(Ty::Structure { members, .. }) = self.view(info) else {
            return Vec::new();
        };
        let one = |member: &Member| {
            let name = match member.name.is_empty() {
                true => self.name.clone(),
                false => format!("{}.{}", self.name, member.name),
            };
            let part = self.part(member.offset, member.ty, 0, name);
            (member.name.clone(), Place { bits: member.bits, ..part })
        };
        members.iter().map(one).collect()
    }

    /// A member by its name, also of a base class or an anonymous member.
    pub(super) fn member(&self, info: &DebugInfo, name: &str) -> Result<Place, DebuggerError> {
        let mut inner = vec![self.clone()];
        let mut known = Vec::new();
        // Each round goes one structure deeper.
        for _ in 0..MOST_ARRAYS {
            let members: Vec<(String, Place)> =
                inner.iter().flat_map(|place| place.members(info)).collect();
            if let Some((_, found)) = members.iter().find(|(of, _)| of == name) {
                return Ok(found.clone());
            }
            known.extend(members.iter().map(|(name, _)| name.clone()).filter(|n| !n.is_empty()));
            inner = members.into_iter().filter(|(n, _)| n.is_empty()).map(|(_, p)| p).collect();
            inner.truncate(MOST_ARRAYS);
        }
        let near = near(name, known.iter().map(String::as_str));
        Err(DebuggerError::NoMember { of: self.name.clone(), member: name.to_owned(), near })
    }

    /// How many elements the outermost array has.
    pub(super) fn elements(&self, info: &DebugInfo) -> Option<u64> {
        let View::Array(_, counts) = self.view(info) else { return None };
        match counts.first()? {
            Some(count) => Some(*count),
            None => {
                let one = self.element(info, 0)?.bytes(info)?;
                self.bytes(info)?.checked_div(one)
            }
        }
    }

    /// An element of an array.
    pub(super) fn element(&self, info: &DebugInfo, index: u64) -> Option<Place> {
        let View::Array(of, counts) = self.view(info) else { return None };
        let inner = counts.get(1..)?;
        let product = inner.iter().try_fold(1u64, |all, one| all.checked_mul((*one)?))?;
        let offset = info.bytes(of)?.checked_mul(product)?.checked_mul(index)?;
        let name = format!("{}[{index}]", self.name);
        Some(match inner.is_empty() {
            true => self.part(offset, of, 0, name),
            false => {
                let (ty, chosen) = self.array(info)?;
                self.part(offset, Some(ty), chosen + 1, name)
            }
        })
    }

    /// The array type that elements are chosen from, and how many extents have been chosen.
    fn array(&self, info: &DebugInfo) -> Option<(TypeId, usize)> {
        let (mut ty, mut chosen) = (self.ty, self.chosen);
        for _ in 0..MOST_ARRAYS {
            let (id, Ty::Array { of, counts }) = info.bare(ty)? else { return None };
            if chosen < counts.len() {
                return Some((id, chosen));
            }
            (ty, chosen) = (*of, 0);
        }
        None
    }
}

/// The type of PTX for a type of the source that has numbers as values.
pub(super) fn scalar(ty: &Ty) -> Option<Type> {
    match ty {
        Ty::Base { encoding, bytes, .. } => of_encoding(*encoding, *bytes),
        Ty::Pointer { bytes, .. } => of_encoding(Encoding::Unsigned, *bytes),
        Ty::Enumeration { bytes, .. } => of_encoding(Encoding::Signed, *bytes),
        Ty::Structure { .. }
        | Ty::Array { .. }
        | Ty::Typedef { .. }
        | Ty::Qualified { .. }
        | Ty::Opaque { .. } => None,
    }
}

fn of_encoding(encoding: Encoding, bytes: u64) -> Option<Type> {
    match (encoding, bytes) {
        (Encoding::Signed | Encoding::Character, 1) => Some(Type::S8),
        (Encoding::Signed | Encoding::Character, 2) => Some(Type::S16),
        (Encoding::Signed | Encoding::Character, 4) => Some(Type::S32),
        (Encoding::Signed | Encoding::Character, 8) => Some(Type::S64),
        (Encoding::Float, 2) => Some(Type::F16),
        (Encoding::Float, 4) => Some(Type::F32),
        (Encoding::Float, 8) => Some(Type::F64),
        (Encoding::Float, _) => None,
        (_, 1) => Some(Type::U8),
        (_, 2) => Some(Type::U16),
        (_, 4) => Some(Type::U32),
        (_, 8) => Some(Type::U64),
        (_, _) => None,
    }
}

/// The bits of a bit field, with its sign.
pub(super) fn of_field(place: &Place, ty: Type, bits: u64) -> u64 {
    let Some((first, size)) = place
        .bits
        .filter(|(first, size)| *size > 0 && first.saturating_add(*size) <= 8 * width(ty))
    else {
        return bits;
    };
    let unused = 64 - size;
    let field = bits >> first << unused;
    match ty {
        Type::S8 | Type::S16 | Type::S32 | Type::S64 => {
            let wide = (field as i64 >> unused) as u64;
            wide & u64::MAX >> (64 - 8 * width(ty))
        }
        _ => field >> unused,
    }
}
