//! Which launches to try.

use std::ops::RangeInclusive;

use rand_chacha::rand_core::Rng;

/// Shapes of launches, with bounds. Made by [`launch`].
#[derive(Clone, Debug, PartialEq)]
pub struct LaunchShapes {
    pub(super) grid: [RangeInclusive<u32>; 3],
    pub(super) block: [RangeInclusive<u32>; 3],
    pub(super) shared: RangeInclusive<u32>,
    pub(super) cover: Option<usize>,
}

/// One block of 32 threads, unless more is said.
///
/// ```
/// use warpsim::property::launch;
/// let small = launch().blocks(1..=4).threads(1..=256);
/// let images = launch().grid([1..=3, 1..=3, 1..=1]).block([1..=16, 1..=16, 1..=1]);
/// # let _ = (small, images);
/// ```
pub fn launch() -> LaunchShapes {
    let one = || 1..=1;
    LaunchShapes {
        grid: [one(), one(), one()],
        block: [32..=32, one(), one()],
        shared: 0..=0,
        cover: None,
    }
}

impl LaunchShapes {
    /// So many blocks, in one dimension.
    pub fn blocks(self, blocks: RangeInclusive<u32>) -> LaunchShapes {
        self.grid([blocks, 1..=1, 1..=1])
    }

    /// So many threads of a block, in one dimension.
    pub fn threads(self, threads: RangeInclusive<u32>) -> LaunchShapes {
        self.block([threads, 1..=1, 1..=1])
    }

    /// The grid in x, y and z.
    pub fn grid(self, grid: [RangeInclusive<u32>; 3]) -> LaunchShapes {
        LaunchShapes { grid, ..self }
    }

    /// The block in x, y and z. Blocks of more than 1024 threads are made smaller, in z first.
    pub fn block(self, block: [RangeInclusive<u32>; 3]) -> LaunchShapes {
        LaunchShapes { block, ..self }
    }

    /// Bytes of dynamic shared memory.
    pub fn shared(self, bytes: RangeInclusive<u32>) -> LaunchShapes {
        LaunchShapes { shared: bytes, ..self }
    }

    /// As many blocks, in x, as give every cell of a buffer a thread: what host code means by
    /// `(n + threads - 1) / threads`. At least one; the length of the buffer must not depend on the
    /// launch.
    pub fn blocks_to_cover(self, argument: usize) -> LaunchShapes {
        LaunchShapes { cover: Some(argument), ..self }
    }

    /// The seven ranges, in the order of [`Sizes`].
    pub(super) fn ranges(&self) -> [&RangeInclusive<u32>; 7] {
        let ([gx, gy, gz], [bx, by, bz]) = (&self.grid, &self.block);
        [gx, gy, gz, bx, by, bz, &self.shared]
    }
}

/// Grid, block and dynamic shared memory as drawn.
pub(super) type Sizes = [u32; 7];

/// The most threads of a block.
const THREADS: u32 = 1024;

/// Draws sizes: often the ends of a range, and around whole warps, where mistakes live.
pub(super) fn draw(shapes: &LaunchShapes, random: &mut impl Rng) -> Sizes {
    shapes.ranges().map(|range| u32::try_from(draw_size(&wide(range), random)).unwrap_or(u32::MAX))
}

/// A range of sizes in 64 bits.
pub(super) fn wide(range: &RangeInclusive<u32>) -> RangeInclusive<u64> {
    u64::from(*range.start())..=u64::from(*range.end())
}

/// A size from a range: often its ends, and around multiples of 32.
pub(super) fn draw_size(range: &RangeInclusive<u64>, random: &mut impl Rng) -> u64 {
    let (low, high) = (*range.start(), *range.end());
    if high <= low {
        return low;
    }
    let uniform = low + random.next_u64() % (high - low + 1).max(1);
    match random.next_u32() % 8 {
        0 => low,
        1 => high,
        2 | 3 => {
            let around = [31, 32, 33][(random.next_u32() % 3) as usize];
            (uniform / 32 * 32 + around).saturating_sub(32).clamp(low, high)
        }
        _ => uniform,
    }
}

/// Makes a block smaller, in z first, until it has no more threads than a block can have.
pub(super) fn possible([x, y, z]: [u32; 3]) -> [u32; 3] {
    let y = y.min((THREADS / x.max(1)).max(1));
    let z = z.min((THREADS / x.saturating_mul(y).max(1)).max(1)).min(64);
    [x, y, z]
}
