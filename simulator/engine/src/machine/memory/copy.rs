//! Copies between memory and registers, all lanes of an access at once.
//!
//! Consecutive elements are a block copy, and one element for all lanes is a broadcast. The others
//! are read one by one. Bytes outside the given memory give `None`, which is a bug of the caller.
//!
//! This equals `gather` and `scatter` of [`super::lanes`].
//! `the_fast_path_gives_what_the_slow_one_gives` (`machine/tests.rs`) compares them.

use super::line::Line;
use crate::lanes::{FULL, LANES, Mask, Registers, Slot, Word, write_lanes};

/// An element of memory: an unsigned number.
pub(in crate::machine) trait Element: Copy {
    /// Its size.
    const BYTES: usize;

    /// The element at an offset.
    fn at(bytes: &[u8], offset: usize) -> Option<Self>;

    /// Puts it at an offset.
    fn put(self, bytes: &mut [u8], offset: usize) -> Option<()>;

    /// The low bits of a value.
    fn of(value: u64) -> Self;

    /// Copies one for each lane, one after the other.
    fn copy<W: Word + From<Self>>(bytes: &[u8], into: &mut [W; LANES]) -> Option<()>;

    /// Copies one of each lane, one after the other.
    fn copy_back<W: Word + Into<u64>>(from: &[W; LANES], bytes: &mut [u8]) -> Option<()>;
}

macro_rules! elements {
    ($($ty:ty, $bytes:literal;)*) => {
        $(impl Element for $ty {
            const BYTES: usize = $bytes;
            #[inline(always)]
            fn at(bytes: &[u8], offset: usize) -> Option<$ty> {
                bytes.get(offset..)?.first_chunk().map(|chunk| <$ty>::from_le_bytes(*chunk))
            }
            #[inline(always)]
            fn put(self, bytes: &mut [u8], offset: usize) -> Option<()> {
                *bytes.get_mut(offset..)?.first_chunk_mut()? = self.to_le_bytes();
                Some(())
            }
            #[inline(always)]
            fn of(value: u64) -> $ty {
                value as $ty
            }
            #[inline(always)]
            fn copy<W: Word + From<$ty>>(bytes: &[u8], into: &mut [W; LANES]) -> Option<()> {
                let chunks: &[[u8; $bytes]; LANES] = bytes.as_chunks().0.first_chunk()?;
                // Through a copy: the compiler then knows that the two do not overlap.
                let mut values = [W::default(); LANES];
                for (value, chunk) in values.iter_mut().zip(chunks) {
                    *value = W::from(<$ty>::from_le_bytes(*chunk));
                }
                *into = values;
                Some(())
            }
            #[inline(always)]
            fn copy_back<W: Word + Into<u64>>(from: &[W; LANES], bytes: &mut [u8]) -> Option<()> {
                let chunks: &mut [[u8; $bytes]; LANES] =
                    bytes.as_chunks_mut().0.first_chunk_mut()?;
                let mut elements = [[0; $bytes]; LANES];
                for (value, element) in from.iter().zip(&mut elements) {
                    let value: u64 = (*value).into();
                    *element = (value as $ty).to_le_bytes();
                }
                *chunks = elements;
                Some(())
            }
        })*
    };
}

elements! {
    u8, 1;
    u16, 2;
    u32, 4;
    u64, 8;
}

/// Some lanes of a register.
pub(in crate::machine) struct Lanes<'r> {
    /// The registers.
    pub(in crate::machine) registers: &'r mut Registers,
    /// The register.
    pub(in crate::machine) slot: Slot,
    /// The lanes.
    pub(in crate::machine) mask: Mask,
}

/// The places of the lanes' elements.
#[derive(Clone, Copy)]
pub(in crate::machine) enum Places<'a> {
    /// On a line, whose addresses are offsets.
    Line(&'a Line),
    /// Each at its own offset.
    Each(&'a [u64; LANES]),
}

impl Places<'_> {
    /// The offset of a lane.
    #[inline]
    pub(in crate::machine) fn at(&self, lane: usize) -> u64 {
        match self {
            Places::Line(line) => line.at(lane),
            Places::Each(offsets) => offsets[lane],
        }
    }
}

/// Loads the elements at some offsets, zero-extended.
#[inline]
pub(in crate::machine) fn load<E: Element, W: Word + From<E>>(
    bytes: &[u8],
    places: Places<'_>,
    lanes: Lanes<'_>,
) -> Option<()> {
    match places {
        Places::Line(line) if line.stride == E::BYTES as i64 && lanes.mask == FULL => {
            let Lanes { registers, slot, mask: _ } = lanes;
            E::copy(bytes.get(line.first as usize..)?, W::write(registers, slot))
        }
        _ => load_apart::<E, W>(bytes, places, lanes),
    }
}

/// Loads elements that do not follow each other.
#[inline(never)]
fn load_apart<E: Element, W: Word + From<E>>(
    bytes: &[u8],
    places: Places<'_>,
    Lanes { registers, slot, mask }: Lanes<'_>,
) -> Option<()> {
    let mut values = [W::default(); LANES];
    match places {
        Places::Line(line) if line.stride == 0 => {
            values = [W::from(E::at(bytes, line.first as usize)?); LANES];
        }
        Places::Line(line) => {
            let mut at = line.first as usize;
            for value in &mut values[line.lane..=line.last] {
                *value = W::from(E::at(bytes, at)?);
                at = at.wrapping_add(line.stride as usize);
            }
        }
        Places::Each(offsets) if mask == FULL => {
            for (offset, value) in offsets.iter().zip(&mut values) {
                *value = W::from(E::at(bytes, *offset as usize)?);
            }
        }
        Places::Each(offsets) => {
            for (lane, value) in values.iter_mut().enumerate() {
                if mask >> lane & 1 == 1 {
                    *value = W::from(E::at(bytes, offsets[lane] as usize)?);
                }
            }
        }
    }
    write_lanes(registers, slot, mask, &values);
    Some(())
}

/// Bytes from the lower half of an element of 8 bytes to the upper half, in the memory of each
/// lane.
const NEXT_WORD: usize = 4 * LANES;

/// Loads elements of 8 bytes whose halves are not adjacent, in the memory of each lane.
#[inline(never)]
pub(in crate::machine) fn load_split(
    bytes: &[u8],
    places: Places<'_>,
    Lanes { registers, slot, mask }: Lanes<'_>,
) -> Option<()> {
    let mut values = [0; LANES];
    for (lane, value) in values.iter_mut().enumerate() {
        if mask >> lane & 1 == 1 {
            let at = places.at(lane) as usize;
            let high = u32::at(bytes, at.wrapping_add(NEXT_WORD))?;
            *value = u64::from(u32::at(bytes, at)?) | u64::from(high) << 32;
        }
    }
    write_lanes(registers, slot, mask, &values);
    Some(())
}

/// Stores elements of 8 bytes whose halves are not adjacent; no two lanes have one place.
#[inline(never)]
pub(in crate::machine) fn store_split(
    bytes: &mut [u8],
    places: Places<'_>,
    values: &[u64; LANES],
    mask: Mask,
) -> Option<()> {
    (0..LANES).filter(|lane| mask >> lane & 1 == 1).try_for_each(|lane| {
        let at = places.at(lane) as usize;
        (values[lane] as u32).put(bytes, at)?;
        ((values[lane] >> 32) as u32).put(bytes, at.wrapping_add(NEXT_WORD))
    })
}

/// Stores the elements of some lanes; the lowest of several lanes with one offset wins.
#[inline]
pub(in crate::machine) fn store<E: Element, W: Word + Into<u64>>(
    bytes: &mut [u8],
    places: Places<'_>,
    values: &[W; LANES],
    mask: Mask,
) -> Option<()> {
    match places {
        Places::Line(line) if line.stride == E::BYTES as i64 && mask == FULL => {
            E::copy_back(values, bytes.get_mut(line.first as usize..)?)
        }
        _ => store_apart::<E, W>(bytes, places, values, mask),
    }
}

/// Stores elements that do not follow each other.
#[inline(never)]
fn store_apart<E: Element, W: Word + Into<u64>>(
    bytes: &mut [u8],
    places: Places<'_>,
    values: &[W; LANES],
    mask: Mask,
) -> Option<()> {
    let put = |bytes: &mut [u8], lane: usize, offset: usize| {
        E::of(values[lane].into()).put(bytes, offset)
    };
    match places {
        Places::Line(line) if line.stride == 0 => put(bytes, line.lane, line.first as usize),
        Places::Line(line) => {
            let mut at = line.first as usize;
            for lane in line.lane..=line.last {
                if mask >> lane & 1 == 1 {
                    put(bytes, lane, at)?;
                }
                at = at.wrapping_add(line.stride as usize);
            }
            Some(())
        }
        Places::Each(offsets) => (0..LANES)
            .rev()
            .filter(|lane| mask >> lane & 1 == 1)
            .try_for_each(|lane| put(bytes, lane, offsets[lane] as usize)),
    }
}

/// Changes the elements of some lanes, one lane after the other from the lowest up. `change` gets
/// the lane and the old value.
#[inline(always)]
pub(in crate::machine) fn change<E: Element + Into<u64>>(
    bytes: &mut [u8],
    places: Places<'_>,
    mask: Mask,
    mut change: impl FnMut(usize, u64) -> u64,
) -> Option<()> {
    let mut rest = mask;
    if let Places::Line(line) = places
        && line.stride == 0
    {
        let at = line.first as usize;
        let mut value = E::at(bytes, at)?;
        while rest != 0 {
            value = E::of(change(rest.trailing_zeros() as usize, value.into()));
            rest &= rest - 1;
        }
        return value.put(bytes, at);
    }
    while rest != 0 {
        let lane = rest.trailing_zeros() as usize % LANES;
        let at = places.at(lane) as usize;
        E::of(change(lane, E::at(bytes, at)?.into())).put(bytes, at)?;
        rest &= rest - 1;
    }
    Some(())
}
