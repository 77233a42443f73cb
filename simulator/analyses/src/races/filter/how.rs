//! The parts of an access that count in a look, and are the same for all its lanes.

use super::super::operation::{Reach, strength};
use crate::lower::Semantics;
use crate::observe::{Access, AccessKind};
use crate::ptx::Space;

/// How an access is made, as far as it is the same for all lanes.
#[derive(Clone, Copy, Debug)]
pub(super) struct How {
    pub(super) is_shared: bool,
    pub(super) is_write: bool,
    /// See [`super::cell::Me::is_local`].
    pub(super) is_local: bool,
    pub(super) non_coherent: bool,
}

impl How {
    pub(super) fn new(
        space: Space,
        kind: AccessKind,
        semantics: Semantics,
        non_coherent: bool,
    ) -> How {
        let is_shared = space == Space::Shared;
        let is_wide = strength(semantics) == Some(Reach::Device);
        let is_write = kind == AccessKind::Write;
        How { is_shared, is_write, is_local: is_shared || !is_wide, non_coherent }
    }

    pub(super) fn of(access: &Access<'_>) -> How {
        How::new(access.space, access.kind, access.semantics, access.non_coherent)
    }
}

/// What else counts in a close look.
#[derive(Clone, Copy, Debug)]
pub(super) struct Closely {
    pub(super) kind: AccessKind,
    pub(super) space: Space,
    /// Bytes of each lane, all elements together.
    pub(super) bytes: u32,
    /// Bytes of an element.
    pub(super) width: u32,
    /// It belongs to an asynchronous copy.
    pub(super) in_flight: bool,
}

impl Closely {
    pub(super) fn of(access: &Access<'_>) -> Closely {
        let &Access { kind, space, bytes, width, .. } = access;
        Closely { kind, space, bytes, width, in_flight: access.flight.is_some() }
    }
}
