//! Any amount of random numbers in the memory of a device, without having them all on the host.

use std::time::{Duration, Instant};

use warpsim::host::{Device, DeviceError, Pointer};

/// Numbers that are made and copied at once.
const CHUNK: u64 = 1 << 18;

/// What the host knows of numbers that it put into a device's memory.
#[derive(Clone, Copy, Debug)]
pub(super) struct Filled {
    /// Where they are.
    pub(super) numbers: Pointer,
    /// The largest, which the host found one number after the other.
    pub(super) largest: u32,
    /// How long that took.
    pub(super) serial: Duration,
}

/// Puts `n` random numbers into a device's memory, which takes 4 bytes for each.
pub(super) fn fill(device: &mut dyn Device, n: u64) -> Result<Filled, DeviceError> {
    let numbers = device.allocate(4 * n)?;
    let mut filled = Filled { numbers, largest: 0, serial: Duration::ZERO };
    let mut first = 0;
    while first < n {
        let chunk: Vec<u32> = (first..n.min(first + CHUNK)).map(number).collect();
        let start = Instant::now();
        filled.largest = chunk.iter().fold(filled.largest, |most, &number| most.max(number));
        filled.serial += start.elapsed();
        let bytes: Vec<u8> = chunk.iter().flat_map(|number| number.to_le_bytes()).collect();
        device.upload(numbers.offset(4 * first), &bytes)?;
        first += chunk.len() as u64;
    }
    Ok(filled)
}

/// The number at an index: the upper half of SplitMix64's output there (Steele, Lea and Flood,
/// "Fast Splittable Pseudorandom Number Generators", OOPSLA 2014), from seed 0.
fn number(index: u64) -> u32 {
    let mut z = (index + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    ((z ^ (z >> 31)) >> 32) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_numbers_are_those_of_the_generator() {
        // The first outputs of SplitMix64 from seed 0 are e220a8397b1dcdaf, 6e789e6aa1b965f4,
        // 06c45d188009454f.
        assert_eq!([0, 1, 2].map(number), [0xe220_a839, 0x6e78_9e6a, 0x06c4_5d18]);
    }
}
