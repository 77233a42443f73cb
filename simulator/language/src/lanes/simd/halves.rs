//! The accesses of whole warps to one element, or to elements one behind the other: by all 32
//! lanes, or by each half, as in blocks whose rows have 16 threads.

use super::address::{Address, HALF};
use super::element::Element;
use super::reach::{MOST, Reach};
use crate::lanes::LANES;

/// The accesses of half a warp, from an offset on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Half {
    /// The offset of its first lane.
    pub start: usize,
    /// The accesses follow each other; otherwise there is one for all lanes.
    pub is_row: bool,
}

/// How many offsets there are at which one element, and half a warp and a warp of elements that
/// follow each other, may begin.
#[derive(Clone, Copy)]
pub(super) struct Rooms {
    one: u64,
    row: u64,
    rows: u64,
}

/// None where accesses have more than one element, or are longer than one.
const NO_ROOM: Rooms = Rooms { one: 0, row: 0, rows: 0 };

impl Rooms {
    #[inline(always)]
    pub(super) fn of<E: Element>(memory: usize, reach: Reach) -> Rooms {
        if reach.bytes != E::BYTES || reach.within != 0 {
            return NO_ROOM;
        }
        Rooms::of_accesses(memory, E::BYTES)
    }

    /// The same for whole accesses of this many bytes.
    #[inline(always)]
    pub(super) fn of_accesses(memory: usize, bytes: u32) -> Rooms {
        if bytes > u64::BITS / 8 {
            return NO_ROOM;
        }
        let memory = memory.min(MOST) as u64 + 1;
        let room = |elements| memory.saturating_sub(u64::from(bytes) * elements);
        Rooms { one: room(1), row: room(HALF as u64), rows: room(LANES as u64) }
    }
}

/// The elements of half a warp, as its first two addresses show.
#[inline(always)]
fn half<A: Address>(base: &[A; HALF], reach: Reach, rooms: Rooms) -> Option<Half> {
    let start = base[0].at(reach.shift);
    let step = base[1].at(0).wrapping_sub(base[0].at(0));
    let (is_row, room) = if step == reach.bytes.into() {
        (true, rooms.row)
    } else if step == 0 {
        (false, rooms.one)
    } else {
        return None;
    };
    // None wraps around of addresses that begin inside and have room behind them.
    let good = start < room && start & u64::from(reach.bytes - 1) == 0;
    good.then_some(Half { start: start as usize, is_row })
}

/// Where the accesses of a whole warp begin, if they follow each other.
///
/// # Safety
///
/// `AVX2` is true only of a processor that has it.
#[inline(always)]
pub(super) unsafe fn row<A: Address, const AVX2: bool>(
    base: &[A; LANES],
    reach: Reach,
    rooms: Rooms,
) -> Option<usize> {
    let start = base[0].at(reach.shift);
    // If they do not, the last one mostly shows it.
    let length = base[LANES - 1].at(reach.shift).wrapping_sub(start);
    let good = length == (LANES as u64 - 1) * u64::from(reach.bytes)
        && start < rooms.rows
        && start & u64::from(reach.bytes - 1) == 0
        // SAFETY: the caller's promise.
        && unsafe { A::is_row::<AVX2>(base, reach.bytes) };
    good.then_some(start as usize)
}

/// The accesses of both halves of a whole warp. In each half, the lanes access one place or
/// consecutive places.
///
/// # Safety
///
/// `AVX2` is true only of a processor that has it.
#[inline(always)]
pub(super) unsafe fn halves<A: Address, const AVX2: bool>(
    base: &[A; LANES],
    reach: Reach,
    rooms: Rooms,
) -> Option<[Half; 2]> {
    let [a, b] = base.as_chunks().0 else { return None };
    let (half_a, half_b) = (half::<A>(a, reach, rooms)?, half::<A>(b, reach, rooms)?);
    let are_rows = [half_a.is_row, half_b.is_row];
    // SAFETY: the caller's promise.
    let good = unsafe { A::follow::<AVX2>([a, b], are_rows, reach.bytes) };
    good.then_some([half_a, half_b])
}

/// Halves that were found elsewhere, where they are inside of a memory that begins behind this
/// offset.
#[inline(always)]
pub(super) fn moved(halves: [Half; 2], offset: usize, rooms: Rooms) -> Option<[Half; 2]> {
    let [a, b] = halves.map(|half| Half { start: half.start.wrapping_sub(offset), ..half });
    let is_inside =
        |half: Half| (half.start as u64) < if half.is_row { rooms.row } else { rooms.one };
    (is_inside(a) && is_inside(b)).then_some([a, b])
}
