//! One request of a warp to memory: the sectors and the passes that it takes.
//!
//! Global memory moves in *sectors* of 32 bytes. A request takes every sector that one of its lanes
//! touches, once. Nsight Compute calls them `l1tex__t_requests` and `l1tex__t_sectors`. An atomic
//! operation takes rounds: each serves one lane of each address, and takes its sectors anew. An
//! H200 counts so.
//!
//! Shared memory has 32 banks of 4 bytes. In one *pass* each bank gives one word, to all lanes that
//! ask for it. Nsight Compute calls a pass a data-stage wavefront. The halves of a warp make an
//! access of 8 bytes a lane in turn, and the quarters an access of 16 bytes. A part with an active
//! lane takes at least one pass. Each pass beyond that is a bank conflict.
//!
//! Where it can be wrong: hardware joins halves or quarters when it can, and is then faster.
//! Atomics on shared memory take one pass for each lane of a bank here. Hardware may take fewer.

use crate::lanes::{LANES, Mask, lanes_of};

/// Bytes of a sector of global memory.
pub const SECTOR: u64 = 32;
/// Banks of shared memory.
pub(super) const BANKS: u64 = 32;
/// Bytes of a word of a bank.
pub(super) const WORD: u64 = 4;

/// The addresses of a warp's request.
///
/// ```
/// use warpsim::observe::WarpRequest;
///
/// // 32 lanes read floats with a stride of 128 bytes.
/// let addresses = std::array::from_fn(|lane| 128 * lane as u64);
/// let request = WarpRequest { mask: u32::MAX, addresses: &addresses, bytes: 4 };
/// assert_eq!((request.sectors(), request.least_sectors()), (32, 4));
/// assert_eq!((request.passes(), request.least_passes()), (32, 1));
/// assert_eq!(request.stride(), Some(128));
/// ```
#[derive(Clone, Copy, Debug)]
pub struct WarpRequest<'a> {
    /// The lanes that take part.
    pub mask: Mask,
    /// Their addresses; arbitrary for other lanes.
    pub addresses: &'a [u64; LANES],
    /// Bytes for each lane.
    pub bytes: u32,
}

impl WarpRequest<'_> {
    /// The number of its lanes.
    pub fn lanes(&self) -> u32 {
        self.mask.count_ones()
    }

    /// The sectors that its lanes touch.
    pub fn sectors(&self) -> u64 {
        self.sectors_of(|_| 0)
    }

    /// The sectors that it takes as an atomic operation: the sum over its rounds.
    pub fn atomic_sectors(&self) -> u64 {
        self.sectors_of(|lane| {
            let before = lanes_of(self.mask).take_while(|earlier| *earlier < lane);
            before.filter(|earlier| self.addresses[*earlier] == self.addresses[lane]).count()
        })
    }

    /// The different sectors of each round; a function says which round a lane is in.
    fn sectors_of(&self, round: impl Fn(usize) -> usize) -> u64 {
        let mut found: Vec<(usize, u64)> = Vec::with_capacity(LANES);
        for lane in lanes_of(self.mask) {
            for sector in self.units(lane, SECTOR) {
                let taken = (round(lane), sector);
                if !found.contains(&taken) {
                    found.push(taken);
                }
            }
        }
        found.len() as u64
    }

    /// The sectors that would hold the bytes of its lanes, if these lay side by side.
    pub fn least_sectors(&self) -> u64 {
        (u64::from(self.lanes()) * u64::from(self.bytes)).div_ceil(SECTOR)
    }

    /// The passes of shared memory that it takes.
    pub fn passes(&self) -> u64 {
        self.parts().map(|part| self.degree(part, false)).sum()
    }

    /// The passes that it takes without a bank conflict: one for each part with an active lane.
    pub fn least_passes(&self) -> u64 {
        self.parts().count() as u64
    }

    /// The passes of an atomic operation, which serves the lanes of a bank one after the other.
    pub fn atomic_passes(&self) -> u64 {
        self.parts().map(|part| self.degree(part, true)).sum()
    }

    /// The most passes that one of its parts takes: the *ways* of its bank conflict.
    pub fn ways(&self) -> u64 {
        self.parts().map(|part| self.degree(part, false)).max().unwrap_or(0)
    }

    /// The most lanes that have the same address.
    pub fn lanes_at_one_address(&self) -> u64 {
        let same = |lane: usize| {
            lanes_of(self.mask).filter(|l| self.addresses[*l] == self.addresses[lane]).count()
        };
        lanes_of(self.mask).map(same).max().unwrap_or(0) as u64
    }

    /// The number of different addresses.
    pub fn different_addresses(&self) -> u64 {
        let mut found: Vec<u64> = lanes_of(self.mask).map(|lane| self.addresses[lane]).collect();
        found.sort_unstable();
        found.dedup();
        found.len() as u64
    }

    /// The distance in bytes from each lane to the next, where it is the same for all lanes and
    /// there are at least three.
    pub fn stride(&self) -> Option<i64> {
        let lanes: Vec<usize> = lanes_of(self.mask).collect();
        if lanes.len() < 3 {
            return None;
        }
        let distance = |pair: &[usize]| {
            let bytes = self.addresses[pair[1]].wrapping_sub(self.addresses[pair[0]]) as i64;
            let lanes = (pair[1] - pair[0]) as i64;
            (bytes % lanes == 0).then_some(bytes / lanes)
        };
        let first = distance(&lanes[..2])?;
        lanes.windows(2).all(|pair| distance(pair) == Some(first)).then_some(first)
    }

    /// The lowest address of its lanes.
    pub fn lowest(&self) -> u64 {
        lanes_of(self.mask).map(|lane| self.addresses[lane]).min().unwrap_or(0)
    }

    /// The numbers of the units of this many bytes that a lane touches.
    fn units(&self, lane: usize, size: u64) -> impl Iterator<Item = u64> + use<> {
        let address = self.addresses[lane];
        let last = address.saturating_add(u64::from(self.bytes).max(1) - 1);
        address / size..=last / size
    }

    /// The active lanes of each part of the warp that shared memory serves at a time.
    fn parts(&self) -> impl Iterator<Item = Mask> + use<> {
        let count = (self.bytes / WORD as u32).clamp(1, 4).next_power_of_two();
        let lanes = LANES as u32 / count;
        let mask = self.mask;
        let part = move |part: u32| (Mask::MAX >> (LANES as u32 - lanes)) << (part * lanes) & mask;
        (0..count).map(part).filter(|part| *part != 0)
    }

    /// The most words that one bank gives to a part; with `each`, every lane counts.
    fn degree(&self, part: Mask, each: bool) -> u64 {
        let mut words: Vec<u64> = Vec::with_capacity(LANES);
        let mut of_bank = [0; BANKS as usize];
        for lane in lanes_of(part) {
            for word in self.units(lane, WORD) {
                if each || !words.contains(&word) {
                    words.push(word);
                    of_bank[(word % BANKS) as usize] += 1;
                }
            }
        }
        of_bank.into_iter().max().unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The addresses `start + lane * stride`.
    fn row(start: u64, stride: u64) -> [u64; LANES] {
        std::array::from_fn(|lane| start + lane as u64 * stride)
    }

    fn request(addresses: &[u64; LANES], bytes: u32) -> WarpRequest<'_> {
        WarpRequest { mask: Mask::MAX, addresses, bytes }
    }

    /// Start, stride and bytes of a lane, and the sectors: counted by hand from "distinct
    /// 32-byte pieces".
    #[test]
    fn sectors_are_the_distinct_pieces_of_32_bytes() {
        for (start, stride, bytes, sectors) in [
            // 32 floats side by side are 128 bytes, and one element further 132 bytes in 5 pieces.
            (0, 4, 4, 4),
            (4, 4, 4, 5),
            (32, 4, 4, 4),
            // Every second float: 256 bytes. Every eighth and further: one sector a lane.
            (0, 8, 4, 8),
            (0, 32, 4, 32),
            (0, 4096, 4, 32),
            // One address; bytes; doubles; four floats a lane.
            (64, 0, 4, 1),
            (0, 1, 1, 1),
            (0, 8, 8, 8),
            (0, 16, 16, 16),
            (0, 32, 16, 32),
        ] {
            let addresses = row(start, stride);
            let found = request(&addresses, bytes).sectors();
            assert_eq!(found, sectors, "start {start}, stride {stride}, {bytes} bytes");
        }
    }

    #[test]
    fn lanes_at_one_address_take_its_sector_in_turn_for_an_atomic() {
        // 32 lanes at one address; at 8 addresses of one sector, 4 lanes each; in a row.
        for (stride, addresses, sectors) in [(0, 1, 32), (4, 8, 4), (4, 32, 4)] {
            let all = std::array::from_fn(|lane| stride * (lane as u64 % addresses));
            assert_eq!(request(&all, 4).atomic_sectors(), sectors, "{addresses} addresses");
        }
    }

    #[test]
    fn only_active_lanes_touch_sectors() {
        let addresses = row(0, 32);
        let one = WarpRequest { mask: 1 << 7, addresses: &addresses, bytes: 4 };
        assert_eq!((one.sectors(), one.least_sectors(), one.lanes()), (1, 1, 1));
        let none = WarpRequest { mask: 0, addresses: &addresses, bytes: 4 };
        assert_eq!((none.sectors(), none.passes(), none.least_passes()), (0, 0, 0));
    }

    /// Stride and bytes of a lane; the passes, the least passes, and the ways.
    #[test]
    fn passes_are_the_words_of_the_fullest_bank_part_by_part() {
        for (stride, bytes, passes, least, ways) in [
            (4, 4, 1, 1, 1),
            // A stride of n words lets gcd(n, 32) lanes meet at one bank.
            (8, 4, 2, 1, 2),
            (12, 4, 1, 1, 1),
            (64, 4, 16, 1, 16),
            (128, 4, 32, 1, 32),
            (132, 4, 1, 1, 1),
            (0, 4, 1, 1, 1),
            // Four lanes share a word.
            (1, 1, 1, 1, 1),
            // Halves: 16 lanes of 8 bytes fill the 32 banks once.
            (8, 8, 2, 2, 1),
            (16, 8, 4, 2, 2),
            (256, 8, 32, 2, 16),
            (0, 8, 2, 2, 1),
            // Quarters: 8 lanes of 16 bytes fill the 32 banks once.
            (16, 16, 4, 4, 1),
            (32, 16, 8, 4, 2),
            (128, 16, 32, 4, 8),
        ] {
            let addresses = row(0, stride);
            let of = request(&addresses, bytes);
            let found = (of.passes(), of.least_passes(), of.ways());
            assert_eq!(found, (passes, least, ways), "stride {stride}, {bytes} bytes");
        }
    }

    #[test]
    fn a_part_without_active_lanes_takes_no_pass() {
        let addresses = row(0, 8);
        let half = WarpRequest { mask: 0xffff, addresses: &addresses, bytes: 8 };
        assert_eq!((half.passes(), half.least_passes()), (1, 1));
    }

    #[test]
    fn lanes_at_one_address_wait_for_each_other_in_an_atomic() {
        let one = row(0, 0);
        assert_eq!(request(&one, 4).lanes_at_one_address(), 32);
        assert_eq!(request(&one, 4).different_addresses(), 1);
        assert_eq!(request(&one, 4).atomic_passes(), 32);
        // Eight counters: four lanes at each.
        let eight = std::array::from_fn(|lane| 4 * (lane as u64 % 8));
        assert_eq!(request(&eight, 4).lanes_at_one_address(), 4);
        assert_eq!(request(&eight, 4).different_addresses(), 8);
        assert_eq!(request(&eight, 4).atomic_passes(), 4);
        assert_eq!(request(&row(0, 4), 4).lanes_at_one_address(), 1);
    }

    #[test]
    fn a_stride_is_the_same_between_all_neighbours() {
        assert_eq!(request(&row(8, 12), 4).stride(), Some(12));
        let down = std::array::from_fn(|lane| 4096 - 4 * lane as u64);
        assert_eq!(request(&down, 4).stride(), Some(-4));
        let mut bent = row(0, 4);
        bent[31] = 0;
        assert_eq!(request(&bent, 4).stride(), None);
        // Of the lanes that take part: every second one, which is 24 bytes away.
        let addresses = row(0, 12);
        let even = WarpRequest { mask: 0x5555_5555, addresses: &addresses, bytes: 4 };
        assert_eq!(even.stride(), Some(12));
        let two = WarpRequest { mask: 3, addresses: &addresses, bytes: 4 };
        assert_eq!(two.stride(), None);
    }
}
