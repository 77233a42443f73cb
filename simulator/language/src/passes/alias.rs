//! Can two accesses touch the same byte?
//!
//! A [`Place`] is where an access goes: a state space when it is known, an address as a linear
//! form, a number of bytes. Within shared and local memory the address is the 32-bit offset within
//! the window, whether the program used `.shared` or a generic address made by `cvta.shared`;
//! otherwise it is the 64-bit generic address.
//!
//! Two places are disjoint when they lie in different spaces, when their distance is large enough,
//! or when they start from different variables. Like a compiler this trusts provenance: an address
//! made from a variable's stays within that variable, and one made by `cvta.shared` within shared
//! memory. Anything else may overlap; a pointer parameter may point to anything. `.extern .shared`
//! arrays all start at one place and may overlap each other.

use super::policy::{Fault, Policy};
use super::values::{Atom, ValueId, Values};
use crate::passes::function::body::{Body, Meaning, Memory, Site, VarId};
use crate::passes::function::effects::Access;
use crate::ptx::{AddressBase, OperandKind, Space};

/// Where an access goes.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Place {
    /// The state space, when it is known.
    pub(super) space: Option<Space>,
    /// The variable that the address is made from, when there is exactly one.
    pub(super) root: Option<VarId>,
    /// The address.
    pub(super) address: ValueId,
    /// How many bytes.
    pub(super) bytes: u32,
}

impl Place {
    /// The place of an access whose address register, if it has one, holds `base`.
    pub(super) fn new(
        values: &mut Values,
        body: &Body<'_>,
        site: &Site<'_>,
        access: &Access,
        register: impl Fn(&str) -> Option<ValueId>,
    ) -> Option<Place> {
        let operand = site.inst.operands.get(access.address)?;
        let (base, offset) = match &operand.kind {
            OperandKind::Address(base, offset) => (base.clone(), *offset),
            OperandKind::Subscript(name, index) => {
                let offset = body.element_offset(site.meaning(name), index)?;
                (AddressBase::Name(name.clone()), offset)
            }
            _ => return None,
        };
        let base = match &base {
            AddressBase::Absolute(address) => values.constant(64, *address),
            AddressBase::Name(name) => match site.meaning(name) {
                Meaning::Register(_) => register(name)?,
                Meaning::Variable(variable) => variable_address(values, body, *variable, 64)?,
                _ => return None,
            },
        };
        let offset = values.constant(64, offset as u64);
        let (space, address) = match access.space {
            Some(space @ (Space::Shared | Space::Local)) => {
                (Some(space), within_window(values, base, offset))
            }
            Some(Space::Global) => {
                let wide = values.widened(base, 64, false, false);
                let address = values.add_scaled(wide, offset, 1);
                let window = window(values, Space::Global);
                (Some(Space::Global), values.add_scaled(address, window, 1))
            }
            None => {
                let wide = values.widened(base, 64, false, false);
                located(values, wide, offset)
            }
            _ => return None,
        };
        let mut variables = values.summands(address).filter_map(|atom| match atom {
            Atom::Variable(variable) => Some(*variable),
            _ => None,
        });
        let root = variables.next().filter(|_| variables.next().is_none());
        Some(Place { space, root, address, bytes: access.bytes })
    }

    /// How far `other` starts after `self`, when that is a known number.
    fn exact_distance(&self, values: &Values, other: &Place) -> Option<i128> {
        if !self.is_comparable(other) {
            return None;
        }
        let (low, high) = values.distance(self.address, other.address)?;
        (low == high).then_some(low)
    }

    /// Whether the two addresses are numbers of one kind: offsets in one window, or generic.
    fn is_comparable(&self, other: &Place) -> bool {
        let windowed = |place: &Place| match place.space {
            Some(Space::Shared | Space::Local) => place.space,
            _ => None,
        };
        windowed(self) == windowed(other)
    }

    /// Whether the two certainly start at the same byte.
    pub(super) fn starts_with(&self, values: &Values, other: &Place) -> bool {
        self.exact_distance(values, other) == Some(0)
    }

    /// Whether every byte of `inner` certainly lies in `self`.
    pub(super) fn covers(&self, values: &Values, inner: &Place, policy: &Policy) -> bool {
        let Some(distance) = self.exact_distance(values, inner) else { return false };
        let end = distance + i128::from(inner.bytes);
        let covered = distance >= 0 && end <= i128::from(self.bytes);
        let touched = distance < i128::from(self.bytes) && end > 0;
        covered || policy.broken(Fault::IgnoreCoverage) && touched
    }

    /// Whether the two certainly have no byte in common.
    pub(super) fn is_disjoint(
        &self,
        values: &Values,
        variables: &[Memory],
        other: &Place,
        policy: &Policy,
    ) -> bool {
        if let (Some(mine), Some(theirs)) = (self.space, other.space)
            && mine != theirs
        {
            return true;
        }
        let distance = match self.is_comparable(other) {
            true => values.distance(self.address, other.address),
            false => None,
        };
        if let Some((low, high)) = distance {
            let apart = low >= i128::from(self.bytes) || high + i128::from(other.bytes) <= 0;
            if apart || low == high {
                let shifted = low == high && low != 0;
                return apart || policy.broken(Fault::IgnorePartialOverlap) && shifted;
            }
        }
        have_different_roots(variables, self.root, other.root)
            || policy.broken(Fault::UnknownPointersNeverAlias)
    }
}

/// The address of a variable within its space.
pub(super) fn variable_address(
    values: &mut Values,
    body: &Body<'_>,
    variable: VarId,
    width: u8,
) -> Option<ValueId> {
    let space = body.variables.get(variable.0 as usize)?.space;
    Some(match space {
        // Windows are far smaller than this (227 KB of shared, 512 KB of local memory a thread).
        Space::Shared | Space::Local | Space::Const | Space::Param => {
            values.atom(width, Atom::Variable(variable), (0, 1 << 24))
        }
        _ => values.atom(width, Atom::Variable(variable), (0, i128::from(u64::MAX))),
    })
}

/// Where a space's window starts, as a 64-bit generic address.
pub(super) fn window(values: &mut Values, space: Space) -> ValueId {
    values.unknown(64, Atom::Window(space))
}

/// An address as an offset within a window of less than 4 GiB.
fn within_window(values: &mut Values, base: ValueId, offset: ValueId) -> ValueId {
    let offset = values.truncated(offset, 32);
    let base = values.truncated(base, 32);
    values.add_scaled(base, offset, 1)
}

/// The space that a generic address certainly lies in, and the address as [`Place`] wants it.
fn located(values: &mut Values, base: ValueId, offset: ValueId) -> (Option<Space>, ValueId) {
    let mut windows = values.summands(base).filter_map(|atom| match atom {
        Atom::Window(space) => Some(*space),
        _ => None,
    });
    let space = windows.next().filter(|_| windows.next().is_none());
    drop(windows);
    match space {
        Some(space @ (Space::Shared | Space::Local)) => {
            let start = window(values, space);
            let inside = values.add_scaled(base, start, u64::MAX);
            (Some(space), within_window(values, inside, offset))
        }
        Some(Space::Global) => (Some(Space::Global), values.add_scaled(base, offset, 1)),
        _ => (None, values.add_scaled(base, offset, 1)),
    }
}

/// Whether two places are made from the addresses of different variables.
fn have_different_roots(variables: &[Memory], a: Option<VarId>, b: Option<VarId>) -> bool {
    let (Some(a), Some(b)) = (a, b) else { return false };
    let dynamic =
        |root: VarId| variables.get(root.0 as usize).is_none_or(|variable| variable.dynamic);
    a != b && !(dynamic(a) && dynamic(b))
}
