//! The shape of a launch: blocks of the grid, threads of a block, dynamic shared memory.
//!
//! One type serves the command line, the machine, recordings and a GPU's driver. Only this file
//! computes the number of a launch's threads, and the place of one among them. Linear numbers
//! follow the CUDA C++ Programming Guide, "Thread Hierarchy": x + nx * (y + ny * z).
//!
//! A shape is a request. Only the host judges whether a device can start it.

use std::fmt;
use std::str::FromStr;

/// The shape of a launch.
///
/// ```
/// use warpsim::host::Launch;
///
/// let launch = Launch { grid: [4, 2, 1], block: [16, 8, 1], ..Launch::default() };
/// assert_eq!((launch.blocks(), launch.threads_per_block()), (8, 128));
/// assert_eq!(launch.block_index(5), [1, 1, 0]);
/// assert_eq!(launch.to_string(), "4x2 x 16x8 threads");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Launch {
    /// Blocks in x, y and z.
    pub grid: [u32; 3],
    /// Threads of a block in x, y and z.
    pub block: [u32; 3],
    /// Bytes of dynamic shared memory.
    pub shared: u32,
    /// A cooperative launch: all blocks are resident at a time, so that they may wait for each
    /// other (`cudaLaunchCooperativeKernel`).
    pub cooperative: bool,
}

/// One block of one warp.
impl Default for Launch {
    fn default() -> Launch {
        Launch::new(1, 32)
    }
}

impl Launch {
    /// A one-dimensional launch without dynamic shared memory.
    pub fn new(blocks: u32, threads: u32) -> Launch {
        let (grid, block) = ([blocks, 1, 1], [threads, 1, 1]);
        Launch { grid, block, shared: 0, cooperative: false }
    }

    /// The same as a cooperative launch.
    #[must_use]
    pub fn cooperative(self) -> Launch {
        Launch { cooperative: true, ..self }
    }

    /// Blocks of the grid.
    pub fn blocks(&self) -> u64 {
        Extent(self.grid).volume()
    }

    /// Threads of a block; at most `u32::MAX`.
    pub fn threads_per_block(&self) -> u32 {
        u32::try_from(Extent(self.block).volume()).unwrap_or(u32::MAX)
    }

    /// Threads of the grid; at most `u64::MAX`.
    pub fn threads(&self) -> u64 {
        self.blocks().saturating_mul(Extent(self.block).volume())
    }

    /// `%ctaid` of the block with this linear number.
    pub fn block_index(&self, linear: u64) -> [u32; 3] {
        Extent(self.grid).index(linear)
    }

    /// `%tid` of the thread with this linear number in its block.
    pub fn thread_index(&self, linear: u32) -> [u32; 3] {
        Extent(self.block).index(linear.into())
    }
}

/// `2 x 64 threads`, or `4x2 x 16x8 threads`.
impl fmt::Display for Launch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (grid, block) = (Extent(self.grid), Extent(self.block));
        write!(f, "{} x {} threads", grid.separated("x"), block.separated("x"))
    }
}

/// Sizes in x, y and z, of a grid or of a block.
///
/// As text, in the form of options: `8`, `8,4` or `8,4,2`.
///
/// ```
/// use warpsim::host::Extent;
/// let Extent(grid) = "8,4".parse()?;
/// assert_eq!(grid, [8, 4, 1]);
/// assert_eq!((Extent(grid).to_string(), Extent(grid).volume()), ("8,4".to_owned(), 32));
/// # Ok::<(), warpsim::host::ExtentError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Extent(pub [u32; 3]);

impl Extent {
    /// The product of the sizes; at most `u64::MAX`.
    pub fn volume(self) -> u64 {
        self.0.iter().map(|size| u64::from(*size)).fold(1, u64::saturating_mul)
    }

    /// The place of this linear number, from 0. A size of 0 counts as 1.
    pub fn index(self, linear: u64) -> [u32; 3] {
        let [nx, ny, _] = self.0.map(|size| u64::from(size).max(1));
        [linear % nx, linear / nx % ny, linear / nx / ny].map(|at| at as u32)
    }

    /// The sizes with a separator, without sizes of 1 at the end.
    pub fn separated(self, between: &str) -> String {
        let [x, y, z] = self.0;
        match (y, z) {
            (1, 1) => x.to_string(),
            (_, 1) => format!("{x}{between}{y}"),
            _ => format!("{x}{between}{y}{between}{z}"),
        }
    }
}

impl fmt::Display for Extent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.separated(","))
    }
}

/// Why a text is no [`Extent`].
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ExtentError {
    /// More than x, y and z.
    TooMany,
    /// Not a number of 32 bits.
    NotANumber {
        /// The text.
        text: String,
    },
    /// A size of 0.
    Zero,
}

impl fmt::Display for ExtentError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ExtentError::TooMany => f.write_str("there are at most three dimensions"),
            ExtentError::NotANumber { text } => {
                write!(f, "`{text}` is not a number below 2^32")
            }
            ExtentError::Zero => f.write_str("each dimension must be at least 1"),
        }
    }
}

impl std::error::Error for ExtentError {}

impl FromStr for Extent {
    type Err = ExtentError;

    fn from_str(text: &str) -> Result<Extent, ExtentError> {
        let parts: Vec<&str> = text.split(',').collect();
        if parts.len() > 3 {
            return Err(ExtentError::TooMany);
        }
        let mut sizes = [1; 3];
        for (size, part) in sizes.iter_mut().zip(parts) {
            let number = part.trim().parse();
            *size = number.map_err(|_| ExtentError::NotANumber { text: part.to_owned() })?;
            if *size == 0 {
                return Err(ExtentError::Zero);
            }
        }
        Ok(Extent(sizes))
    }
}

#[cfg(test)]
mod tests {
    use super::{Extent, ExtentError, Launch};

    #[test]
    fn an_extent_is_one_to_three_numbers_from_one() {
        assert_eq!("7".parse(), Ok(Extent([7, 1, 1])));
        assert_eq!("2, 3,4".parse(), Ok(Extent([2, 3, 4])));
        assert_eq!("1,2,3,4".parse::<Extent>(), Err(ExtentError::TooMany));
        assert_eq!("1,0".parse::<Extent>(), Err(ExtentError::Zero));
        for text in ["", "-1", "4294967296", "x", "1,,2"] {
            let error = text.parse::<Extent>().unwrap_err();
            assert!(matches!(error, ExtentError::NotANumber { .. }), "{text}: {error}");
        }
    }

    #[test]
    fn an_extent_is_printed_as_it_is_read() {
        for sizes in [[1, 1, 1], [8, 1, 1], [1, 4, 1], [1, 1, 2], [8, 4, 2], [u32::MAX; 3]] {
            assert_eq!(Extent(sizes).to_string().parse(), Ok(Extent(sizes)));
        }
    }

    #[test]
    fn each_thread_and_each_block_has_its_own_index_in_the_order_of_linear_numbers() {
        let launch = Launch { grid: [3, 2, 2], block: [2, 4, 3], ..Launch::default() };
        let mut linear = 0;
        for z in 0..3 {
            for y in 0..4 {
                for x in 0..2 {
                    assert_eq!(launch.thread_index(linear), [x, y, z]);
                    linear += 1;
                }
            }
        }
        assert_eq!(linear, launch.threads_per_block());
        assert_eq!(launch.block_index(11), [2, 1, 1]);
        assert_eq!(launch.threads(), 12 * 24);
    }

    #[test]
    fn the_largest_shapes_do_not_overflow() {
        let (grid, block) = ([u32::MAX; 3], [u32::MAX; 3]);
        let launch = Launch { grid, block, shared: u32::MAX, cooperative: true };
        assert_eq!((launch.blocks(), launch.threads()), (u64::MAX, u64::MAX));
    }
}
