//! One element of an access by one lane, and what it stores or gives (PTX ISA 8.2, "Memory
//! operations").

use super::location::Performed;
use super::update::Update;
use crate::lanes::Slot;
use crate::lower::{self, Atomic, SpanAction};
use crate::observe::Event;
use crate::ptx::Space;

/// One element of an access by one lane.
#[derive(Clone, Copy)]
pub(super) struct Element {
    pub(super) performed: Performed,
    pub(super) pc: lower::Pc,
    pub(super) space: Space,
    /// See [`Member::value`](super::history::Member::value).
    pub(super) value: Option<u64>,
    /// See [`Member::update`](super::history::Member::update).
    pub(super) update: Option<Update>,
}

/// The bytes that a lane stores as one element, as a number; `None` when that is no store, or has
/// no such element.
pub(super) fn stored(event: &Event<'_>, element: usize, lane: usize) -> Option<u64> {
    let store = event.operation().kind.store()?;
    let pieces = store.target.pieces();
    let slots = store.sources.get(element * pieces..(element + 1) * pieces)?;
    // A register may be wider than the stored part of it.
    let bits = 8 * store.target.width.min(8);
    Some(in_one_word(slots, store.wide, event, lane) & (u64::MAX >> (64 - bits)))
}

/// Whether an instruction fills memory with zeros.
pub(super) fn clears(event: &Event<'_>) -> bool {
    match &event.operation().kind {
        lower::Kind::Span(span) => match span.action {
            SpanAction::Clear => true,
            SpanAction::Discard => false,
        },
        _ => false,
    }
}

/// What the registers of an element hold: of one of 16 bytes, which has two, a number of 64 bits
/// that is the same for the same bytes, and as good as never for others.
pub(super) fn in_one_word(slots: &[Slot], wide: bool, event: &Event<'_>, lane: usize) -> u64 {
    let value = |slot: Slot| match wide {
        true => event.registers.w64(slot)[lane],
        false => event.registers.w32(slot)[lane].into(),
    };
    match *slots {
        [low, high] => value(low) ^ value(high).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(31),
        _ => slots.first().map_or(0, |slot| value(*slot)),
    }
}

/// Whether a read, or an atomic, gives its thread what it read: a `red` does not.
pub(super) fn gives_old_value(event: &Event<'_>) -> bool {
    // What an mbarrier object makes known goes by its phases.
    match &event.operation().kind {
        lower::Kind::Mbarrier(_) => false,
        kind => kind.atomic().is_none_or(Atomic::gives),
    }
}
