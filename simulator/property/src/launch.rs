//! Which launches to try.

use std::fmt;
use std::ops::RangeInclusive;
use std::sync::Arc;

use rand_chacha::rand_core::Rng;

use crate::host::Launch;

/// Shapes of launches, with bounds. Made by [`launch`].
#[derive(Clone, Debug)]
pub struct LaunchShapes {
    pub(super) grid: [RangeInclusive<u32>; 3],
    pub(super) block: [RangeInclusive<u32>; 3],
    pub(super) shared: Shared,
    pub(super) cover: Cover,
    pub(super) cooperative: bool,
}

/// How many bytes of dynamic shared memory a block has.
#[derive(Clone)]
pub(super) enum Shared {
    Between(RangeInclusive<u32>),
    Of(Arc<dyn Fn(&Launch) -> u32 + Send + Sync>),
}

impl fmt::Debug for Shared {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Shared::Between(range) => write!(f, "{range:?}"),
            Shared::Of(_) => f.write_str("as many as the launch says"),
        }
    }
}

/// What the grid gives a thread each.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Cover {
    /// Nothing: it is drawn.
    Nothing,
    /// The cells of the buffer of an argument, in x.
    Cells(usize),
    /// As many as the numbers of these arguments say, in x, y and z.
    Numbers(Vec<usize>),
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
        shared: Shared::Between(0..=0),
        cover: Cover::Nothing,
        cooperative: false,
    }
}

impl LaunchShapes {
    /// This many blocks, in one dimension.
    pub fn blocks(self, blocks: RangeInclusive<u32>) -> LaunchShapes {
        self.grid([blocks, 1..=1, 1..=1])
    }

    /// This many threads of a block, in one dimension.
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

    /// Cooperative launches, whose blocks may wait for each other. There must be room for all.
    pub fn cooperative(self) -> LaunchShapes {
        LaunchShapes { cooperative: true, ..self }
    }

    /// Bytes of dynamic shared memory.
    pub fn shared(self, bytes: RangeInclusive<u32>) -> LaunchShapes {
        LaunchShapes { shared: Shared::Between(bytes), ..self }
    }

    /// This many bytes of dynamic shared memory for each thread of a block: what host code means by
    /// `threads * sizeof(float)`.
    ///
    /// ```
    /// use warpsim::property::launch;
    /// let sums = launch().threads(1..=256).shared_per_thread(4);
    /// # let _ = sums;
    /// ```
    pub fn shared_per_thread(self, bytes: u32) -> LaunchShapes {
        self.shared_from(move |launch| launch.threads_per_block().saturating_mul(bytes))
    }

    /// As many bytes of dynamic shared memory as a function of the grid and the block says.
    ///
    /// ```
    /// use warpsim::property::launch;
    /// // A tile with a border of one cell.
    /// let tiles = launch()
    ///     .block([1..=16, 1..=16, 1..=1])
    ///     .shared_from(|launch| 4 * (launch.block[0] + 2) * (launch.block[1] + 2));
    /// # let _ = tiles;
    /// ```
    pub fn shared_from(
        self,
        bytes: impl Fn(&Launch) -> u32 + Send + Sync + 'static,
    ) -> LaunchShapes {
        LaunchShapes { shared: Shared::Of(Arc::new(bytes)), ..self }
    }

    /// As many blocks, in x, as give every cell of a buffer a thread: what host code means by
    /// `(n + threads - 1) / threads`. At least one; the length of the buffer must not depend on the
    /// launch.
    pub fn blocks_to_cover(self, argument: usize) -> LaunchShapes {
        LaunchShapes { cover: Cover::Cells(argument), ..self }
    }

    /// As many blocks, in x, y and z, as give each of this many points a thread, where the numbers
    /// of these arguments say how many: a width and a height, for example. At least one in each
    /// dimension; the numbers must be drawn and not follow the launch.
    ///
    /// ```
    /// use warpsim::property::{buffer, launch, scalar};
    /// let shapes = launch().block([1..=16, 1..=16, 1..=1]).grid_to_cover([1, 2]);
    /// let image = buffer::<f32>().product_of([1, 2]).any();
    /// let (width, height) = (scalar::<u32>().between(1..=40), scalar::<u32>().between(1..=40));
    /// # let _ = (shapes, image, width, height);
    /// ```
    pub fn grid_to_cover<const N: usize>(self, arguments: [usize; N]) -> LaunchShapes {
        const { assert!(N >= 1 && N <= 3, "a grid has one to three dimensions") }
        LaunchShapes { cover: Cover::Numbers(arguments.to_vec()), ..self }
    }

    /// The seven ranges, in the order of [`Sizes`]; what follows from the others is not drawn.
    pub(super) fn ranges(&self) -> [RangeInclusive<u32>; 7] {
        let ([gx, gy, gz], [bx, by, bz]) = (self.grid.clone(), self.block.clone());
        let shared = match &self.shared {
            Shared::Between(range) => range.clone(),
            Shared::Of(_) => 0..=0,
        };
        [gx, gy, gz, bx, by, bz, shared]
    }
}

/// Grid, block and dynamic shared memory as drawn.
pub(super) type Sizes = [u32; 7];

/// The most threads of a block.
const THREADS: u32 = 1024;

/// Draws sizes: often the ends of a range, and around whole warps, where mistakes live.
pub(super) fn draw(shapes: &LaunchShapes, random: &mut impl Rng) -> Sizes {
    shapes.ranges().map(|range| u32::try_from(draw_size(&wide(&range), random)).unwrap_or(u32::MAX))
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
    let any = random.next_u64();
    // The whole range of 64 bits has one number more than they can say.
    let uniform = (high - low).checked_add(1).map_or(any, |sizes| low + any % sizes);
    match random.next_u32() % 8 {
        0 => low,
        1 => high,
        2 | 3 => {
            let around = [31, 32, 33][(random.next_u32() % 3) as usize];
            (uniform / 32 * 32).saturating_add(around).saturating_sub(32).clamp(low, high)
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
