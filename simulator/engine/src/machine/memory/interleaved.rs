//! The memory of the lanes of a warp, word by word: the first words of all lanes, then the second
//! ones.
//!
//! Compilers let all lanes access local variables at one address. So these lanes touch consecutive
//! bytes. An element of 8 bytes lies in two words that are not adjacent.

use super::line::Line;
use super::pages::{Copier, Pages};
use crate::lanes::LANES;

/// Bytes of a word of all lanes.
const ROW: u64 = 4 * LANES as u64;

/// The place of a lane's byte in such memory.
#[inline]
pub(in crate::machine) fn place(address: u64, lane: usize) -> u64 {
    (address / 4).wrapping_mul(ROW).wrapping_add(4 * lane as u64 + address % 4)
}

/// The places of bytes on a line, if they are a line, too: each lane's place in its word is the
/// same.
#[inline]
pub(in crate::machine) fn spread(line: &Line) -> Option<Line> {
    let first = place(line.first, line.lane);
    let stride = line.stride.checked_mul(LANES as i64)? + 4;
    (line.stride % 4 == 0).then_some(Line { first, stride, ..*line })
}

/// The memory of all lanes of a warp, zero at first.
#[derive(Debug, Default, PartialEq)]
pub struct Interleaved {
    /// The words.
    pub(in crate::machine) rows: Pages,
}

impl Interleaved {
    /// Bytes that each lane has.
    pub fn bytes(&self) -> u64 {
        self.rows.bytes() / LANES as u64
    }

    /// Makes sure that each lane has at least this many bytes.
    #[inline]
    pub(in crate::machine) fn reach(&mut self, bytes: u64) {
        if self.bytes() < bytes {
            let larger = bytes.max(2 * self.bytes()).next_multiple_of(64);
            self.rows.grow(larger * LANES as u64);
        }
    }

    /// A copy. `copy` copies its pages.
    pub fn snapshot(&mut self, copy: Copier) -> Interleaved {
        Interleaved { rows: copy(&mut self.rows) }
    }

    /// Copies bytes of a lane out; bytes beyond the end read as zero.
    pub fn read_bytes(&self, lane: usize, address: u64, into: &mut [u8]) {
        for (address, byte) in (address..).zip(into) {
            *byte = self.rows.read(place(address, lane), 1) as u8;
        }
    }

    /// Reads an aligned element of 1, 2, 4 or 8 bytes of a lane, zero-extended.
    pub fn read(&self, lane: usize, address: u64, width: u32) -> u64 {
        let part = |address, width| self.rows.read(place(address, lane), width);
        if width == 8 {
            part(address, 4) | part(address + 4, 4) << 32
        } else {
            part(address, width)
        }
    }

    /// Writes an aligned element of a lane. The memory grows where it must.
    pub fn write(&mut self, lane: usize, address: u64, width: u32, value: u64) {
        self.reach(address + u64::from(width));
        self.rows.write(place(address, lane), width.min(4), value);
        if width == 8 {
            self.rows.write(place(address + 4, lane), 4, value >> 32);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lanes_have_memory_of_their_own_and_elements_of_all_widths_see_the_same_bytes() {
        let mut memory = Interleaved::default();
        memory.write(3, 8, 8, 0x1122_3344_5566_7788);
        memory.write(4, 8, 4, 0xdead_beef);
        let mut bytes = [9; 10];
        memory.read_bytes(3, 7, &mut bytes);
        assert_eq!(bytes, [0, 0x88, 0x77, 0x66, 0x55, 0x44, 0x33, 0x22, 0x11, 0]);
        assert_eq!(memory.read(3, 8, 8), 0x1122_3344_5566_7788);
        assert_eq!((memory.read(3, 14, 2), memory.read(4, 10, 1)), (0x1122, 0xad));
        assert_eq!((memory.read(2, 8, 8), memory.read(3, 1 << 20, 8)), (0, 0));
    }

    #[test]
    fn what_grows_keeps_its_bytes() {
        let mut memory = Interleaved::default();
        for address in (0..512).step_by(4) {
            memory.write(31, address, 4, address + 1);
        }
        assert!((0..512).step_by(4).all(|a| memory.read(31, a, 4) == a + 1));
        assert!((0..512).step_by(4).all(|a| memory.read(30, a, 4) == 0));
    }
}
