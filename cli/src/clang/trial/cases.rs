//! The launches of the trial's kernels, and their expected results.
//!
//! The expected results are computed here from the kernels' source, in the plainest way. They do
//! not depend on a CUDA compiler or on the simulator.

use super::expected as right;

/// A launch with a known result.
pub(super) struct Case {
    /// The kernel, in `kernels.cu`.
    pub(super) kernel: &'static str,
    pub(super) grid: u32,
    pub(super) block: u32,
    pub(super) input: Input,
    /// How many words `out` has.
    pub(super) words: usize,
    /// What they must be.
    pub(super) right: fn(&[u32]) -> Vec<u32>,
    /// What a compiler does that fails.
    pub(super) wrong: &'static str,
}

/// What a kernel reads.
#[derive(Clone, Copy)]
pub(super) enum Input {
    /// This many numbers of 32 bits, as if drawn.
    Drawn(u32),
    /// Numbers of 64 bits, of both signs, near their limits and elsewhere.
    Wide,
}

/// How many numbers of 64 bits there are.
pub(super) const WIDE: u32 = 32;

impl Input {
    pub(super) fn words(self) -> Vec<u32> {
        // The mixing at the end of MurmurHash3. The first number is odd.
        let drawn = |i: u32| {
            let hash = (i + 1).wrapping_mul(0x85eb_ca6b);
            let hash = (hash ^ hash >> 13).wrapping_mul(0xc2b2_ae35);
            hash ^ hash >> 16
        };
        match self {
            Input::Drawn(count) => (0..count).map(drawn).collect(),
            Input::Wide => {
                let near = [-5, -1, 0, 1, i64::MIN, i64::MAX, -2, 1 << 33, -(1 << 33), 7, -8, 1000];
                let far = (0..WIDE).map(|i| i64::from(drawn(i)) << 31 ^ i64::from(drawn(i + 77)));
                let signed = far.enumerate().map(|(i, far)| if i % 2 == 0 { far } else { -far });
                let all = near.into_iter().chain(signed).take(WIDE as usize);
                all.flat_map(|wide| [wide as u32, (wide >> 32) as u32]).collect()
            }
        }
    }
}

const MOVES_LOADS: &str = "it moves loads across __syncthreads(), before the value is written";
const LOOPS: &str = "it breaks loops with __syncthreads()";
const BLOCKS: &str = "it breaks communication between blocks by atomic functions and fences";
const WARPS: &str = "it breaks functions of a warp (votes, matches, shuffles, __syncwarp())";
const BRANCHES: &str = "it merges the calls of a warp's function in two branches into one call";
const SIGNS: &str =
    "it computes signs and bits of integers wrong, as in `x < 0 ? 7 : 0` of a `long long`";
const VALUES: &str = "it computes integers or floating-point numbers wrong";
const RECORDS: &str = "it copies structures or arrays wrong";
const COPIES: &str = "it breaks asynchronous copies from global to shared memory";

use Input::{Drawn, Wide};

/// All of them.
pub(super) const CASES: &[Case] = &[
    case("broadcast_shared", (1, 64), Drawn(1), 64, right::broadcast_shared, MOVES_LOADS),
    case("broadcast_static", (1, 64), Drawn(1), 64, right::broadcast_shared, MOVES_LOADS),
    case("broadcast_element", (1, 64), Drawn(1), 64, right::broadcast_element, MOVES_LOADS),
    case("broadcast_flag", (1, 64), Drawn(1), 64, right::broadcast_flag, MOVES_LOADS),
    case("broadcast_rounds", (1, 64), Drawn(5), 64, right::broadcast_rounds, LOOPS),
    case("reduce_tree", (1, 128), Drawn(128), 1, right::sum, LOOPS),
    case("scan_steps", (1, 64), Drawn(64), 64, right::scan, LOOPS),
    case("exchange", (1, 32), Drawn(129), 1, right::exchange, LOOPS),
    case("counted", (1, 64), Drawn(64), 64, right::counted, LOOPS),
    case("last_block", (6, 64), Drawn(6), 7, right::last_block, MOVES_LOADS),
    case("message_between_blocks", (2, 1), Drawn(1), 1, right::first, BLOCKS),
    case("locked", (4, 1), Drawn(4), 5, right::locked, BLOCKS),
    case("histogram", (1, 64), Drawn(64), 10, right::histogram, BLOCKS),
    case("votes", (1, 64), Drawn(64), 256, right::votes, WARPS),
    case("branches", (1, 32), Drawn(32), 64, right::branches, BRANCHES),
    case("matches", (1, 32), Drawn(32), 128, right::matches, WARPS),
    case("shuffles", (1, 64), Drawn(64), 256, right::shuffles, WARPS),
    case("warp_exchange", (1, 32), Drawn(32), 32, right::warp_exchange, WARPS),
    case("rounds", (1, 32), Drawn(32), 64, right::rounds, WARPS),
    case("copied_beside", (1, 64), Drawn(64), 64, right::reversed, COPIES),
    case("records", (1, 32), Drawn(32), 128, right::records, RECORDS),
    case("signs", (1, WIDE), Wide, 12 * WIDE as usize, right::signs, SIGNS),
    case("products", (1, WIDE), Wide, 8 * WIDE as usize, right::products, VALUES),
    case("indexed", (1, 32), Drawn(32), 32, right::indexed, RECORDS),
    case("conversions", (1, 32), Drawn(32), 128, right::conversions, VALUES),
];

const fn case(
    kernel: &'static str,
    (grid, block): (u32, u32),
    input: Input,
    words: usize,
    right: fn(&[u32]) -> Vec<u32>,
    wrong: &'static str,
) -> Case {
    Case { kernel, grid, block, input, words, right, wrong }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clang::trial::KERNELS;

    #[test]
    fn every_kernel_of_the_source_is_launched_once_and_its_result_has_its_size() {
        let mut written: Vec<&str> = KERNELS
            .lines()
            .filter_map(|line| line.strip_prefix("KERNEL ")?.strip_suffix(" PARAMETERS {"))
            .collect();
        let mut launched: Vec<&str> = CASES.iter().map(|case| case.kernel).collect();
        written.sort_unstable();
        launched.sort_unstable();
        assert_eq!(written, launched);
        for case in CASES {
            assert_eq!((case.right)(&case.input.words()).len(), case.words, "{}", case.kernel);
        }
    }

    #[test]
    fn what_is_right_is_not_all_zeros_and_differs_from_thread_to_thread_where_it_should() {
        for case in CASES.iter().filter(|case| case.kernel != "branches") {
            let right = (case.right)(&case.input.words());
            assert!(right.iter().any(|word| *word != 0), "{}", case.kernel);
        }
        // Worked out by hand from the source, for the numbers -5, -1, 0, 1, -2^63, 2^63 - 1, -2,
        // 2^33, -2^33 and 7, in this order.
        let signs = right::signs(&Wide.words());
        assert_eq!(signs[..12], [7, 7, 0, 7, 0, 1, 4, u32::MAX, 7, 0, 0, 0]);
    }
}
