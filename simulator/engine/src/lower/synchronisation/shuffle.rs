//! The lane that `shfl` reads (PTX ISA 9.7.9.6, the pseudocode of `shfl.sync`).

use crate::lanes::{LANES, Mask};
use crate::lower::operations::warp_operation::ShuffleMode;

impl ShuffleMode {
    /// The lane that `lane` reads, and whether it is in range; out of range a lane reads itself.
    /// `b` is the lane, delta or lane mask, `c` holds the clamp and the segment mask.
    ///
    /// ```
    /// # use warpsim_engine::lower::ShuffleMode;
    /// assert_eq!(ShuffleMode::Down.source(3, 16, 0x1f), (19, true));
    /// assert_eq!(ShuffleMode::Down.source(20, 16, 0x1f), (20, false));
    /// ```
    #[inline(always)]
    pub fn source(self, lane: usize, b: u32, c: u32) -> (usize, bool) {
        let lane = lane as i32;
        let b = (b & 31) as i32;
        let clamp = (c & 31) as i32;
        let segment = (c >> 8 & 31) as i32;
        let most = lane & segment | clamp & !segment;
        let least = lane & segment;
        let (source, in_range) = match self {
            ShuffleMode::Up => (lane - b, lane - b >= most),
            ShuffleMode::Down => (lane + b, lane + b <= most),
            ShuffleMode::Butterfly => (lane ^ b, lane ^ b <= most),
            ShuffleMode::Index => {
                let source = least | b & !segment;
                (source, source <= most)
            }
        };
        (if in_range { source } else { lane } as usize & 31, in_range)
    }

    /// The same for all lanes: the lane that each reads, and the lanes in range.
    pub fn sources(self, b: &[u32; LANES], c: &[u32; LANES]) -> ([u8; LANES], Mask) {
        // Each mode has its own loop, which the compiler vectorises.
        match self {
            ShuffleMode::Up => each(|lane| ShuffleMode::Up.source(lane, b[lane], c[lane])),
            ShuffleMode::Down => each(|lane| ShuffleMode::Down.source(lane, b[lane], c[lane])),
            ShuffleMode::Butterfly => {
                each(|lane| ShuffleMode::Butterfly.source(lane, b[lane], c[lane]))
            }
            ShuffleMode::Index => each(|lane| ShuffleMode::Index.source(lane, b[lane], c[lane])),
        }
    }
}

#[inline(always)]
fn each(source: impl Fn(usize) -> (usize, bool)) -> ([u8; LANES], Mask) {
    let (mut sources, mut inside) = ([0; LANES], [false; LANES]);
    for lane in 0..LANES {
        let (from, in_range) = source(lane);
        sources[lane] = from as u8;
        inside[lane] = in_range;
    }
    let bits = inside.iter().enumerate().fold(0, |bits, (lane, is)| bits | Mask::from(*is) << lane);
    (sources, bits)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `__shfl_up_sync(mask, v, delta, width)` and similar functions give `c` = ((32 - width) << 8)
    /// | clamp.
    #[test]
    fn all_lanes_at_once_read_what_each_reads_alone() {
        let modes =
            [ShuffleMode::Up, ShuffleMode::Down, ShuffleMode::Butterfly, ShuffleMode::Index];
        for (mode, c) in modes.iter().flat_map(|m| (0..0x2000).step_by(7).map(move |c| (m, c))) {
            let b = std::array::from_fn(|lane| (lane as u32 * 11 + c) % 40);
            let c = std::array::from_fn(|lane| c ^ (lane as u32 % 3));
            let (sources, inside) = mode.sources(&b, &c);
            for lane in 0..LANES {
                let here = (usize::from(sources[lane]), inside >> lane & 1 == 1);
                assert_eq!(here, mode.source(lane, b[lane], c[lane]), "{mode:?} {lane}");
            }
        }
    }

    #[test]
    fn shuffles_read_the_lanes_that_the_isa_says() {
        assert_eq!(ShuffleMode::Up.source(5, 3, 0), (2, true));
        assert_eq!(ShuffleMode::Up.source(2, 3, 0), (2, false));
        assert_eq!(ShuffleMode::Down.source(30, 9, 0x1f), (30, false));
        assert_eq!(ShuffleMode::Down.source(14, 9, 0x101f), (14, false));
        assert_eq!(ShuffleMode::Down.source(3, 9, 0x101f), (12, true));
        assert_eq!(ShuffleMode::Butterfly.source(9, 5, 0x181f), (12, true));
        assert_eq!(ShuffleMode::Index.source(20, 3, 0x1f), (3, true));
        assert_eq!(ShuffleMode::Index.source(20, 3, 0x101f), (19, true));
        assert_eq!(ShuffleMode::Index.source(0, 35, 0x1f), (3, true));
    }
}
