//! Philox4x32-10 (Salmon, Moraes, Dror, Shaw: "Parallel Random Numbers: As Easy as 1, 2, 3", SC
//! 2011).

use crate::numbers::Numbers;

/// The four numbers of a counter: its lower half is a place in a subsequence, its upper half the
/// subsequence.
pub(crate) fn block(seed: u64, subsequence: u64, at: u64) -> [u32; 4] {
    let half = |word: u64| [word as u32, (word >> 32) as u32];
    let ([mut a, mut b], [mut c, mut d]) = (half(at), half(subsequence));
    let [mut first, mut second] = half(seed);
    for _ in 0..10 {
        let x = half(0xd251_1f53 * u64::from(a));
        let y = half(0xcd9e_8d57 * u64::from(c));
        [a, b, c, d] = [y[1] ^ b ^ first, y[0], x[1] ^ d ^ second, x[0]];
        first = first.wrapping_add(0x9e37_79b9);
        second = second.wrapping_add(0xbb67_ae85);
    }
    [a, b, c, d]
}

/// The numbers of a subsequence from some counter on.
pub(crate) struct Philox {
    pub(crate) seed: u64,
    pub(crate) subsequence: u64,
    /// The counter, and which of its numbers comes next.
    pub(crate) at: (u64, usize),
}

impl Numbers for Philox {
    fn bits(&mut self) -> u32 {
        let (counter, word) = self.at;
        self.at = if word == 3 { (counter.wrapping_add(1), 0) } else { (counter, word + 1) };
        block(self.seed, self.subsequence, counter)[word]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `kat_vectors` of Random123, for `philox4x32 10`.
    #[test]
    fn the_known_answers_of_the_paper_s_authors_are_met() {
        assert_eq!(block(0, 0, 0), [0x6627_e8d5, 0xe169_c58d, 0xbc57_ac4c, 0x9b00_dbd8]);
        let ones = u64::MAX;
        assert_eq!(block(ones, ones, ones), [0x408f_276d, 0x41c8_3b0e, 0xa20b_c7c6, 0x6d54_51fd]);
        let pi = block(0x299f_31d0_a409_3822, 0x0370_7344_1319_8a2e, 0x85a3_08d3_243f_6a88);
        assert_eq!(pi, [0xd16c_fe09, 0x94fd_cceb, 0x5001_e420, 0x2412_6ea1]);
    }
}
