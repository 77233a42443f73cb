//! The six workloads: sizes, inputs and oracles.

use std::num::Wrapping;

use warpsim::host::{Argument, Device, DeviceError, Launch};

use super::input::{lcg, upload, words};
use super::{Job, Workload};

/// All workloads, in order.
pub(crate) static WORKLOADS: [Workload; 6] = [
    Workload {
        name: "find_max",
        summary: "one block strides over 2^22 words; one atomic maximum a thread",
        lane_instructions: 6 * ELEMENTS as u64,
        prepare: find_max,
    },
    Workload {
        name: "block_reduce",
        summary: "4096 blocks of 256: a tree in shared memory, a barrier a step",
        lane_instructions: 75_500_000,
        prepare: block_reduce,
    },
    Workload {
        name: "trapezoid",
        summary: "sines and cosines in double precision at 65536 points, then a reduction",
        lane_instructions: 10_440_000,
        prepare: trapezoid,
    },
    Workload {
        name: "xorshift",
        summary: "65536 threads, 1000 rounds of integer mixing",
        lane_instructions: 656_200_000,
        prepare: xorshift,
    },
    Workload {
        name: "collatz",
        summary: "divergent loops from 65536 starting values",
        lane_instructions: 50_400_000,
        prepare: collatz,
    },
    Workload {
        name: "matmul",
        summary: "512 x 512 floats in shared tiles of 16 x 16",
        lane_instructions: 504_100_000,
        prepare: matmul,
    },
];

/// Words that `find_max` looks at.
const ELEMENTS: usize = 1 << 22;
/// Threads of the one-thread-a-value workloads, and points of the trapezoid rule.
const THREADS: u32 = 65_536;
/// Threads of a block.
const BLOCK: u32 = 256;

fn find_max(device: &mut dyn Device) -> Result<Job, DeviceError> {
    let mut input: Vec<u32> = lcg(12_345).take(ELEMENTS).map(|s| s >> 1).collect();
    input[ELEMENTS / 3] = 0xffff_fff0;
    let largest = input.iter().copied().max();
    let from = upload(device, &input)?;
    let to = device.allocate(4)?;
    let arguments =
        vec![Argument::Pointer(from), Argument::Pointer(to), Argument::U32(ELEMENTS as u32)];
    Ok(Job {
        launches: vec![("w1", Launch::new(1, BLOCK), arguments)],
        result: (to, 4),
        check: Box::new(move |bytes| words(bytes).first().copied() == largest),
    })
}

fn block_reduce(device: &mut dyn Device) -> Result<Job, DeviceError> {
    const BLOCKS: u32 = 4096;
    let input: Vec<u32> = lcg(1).take((BLOCKS * BLOCK) as usize).map(|s| s >> 20).collect();
    let sums: Vec<u32> = input.chunks(BLOCK as usize).map(|block| block.iter().sum()).collect();
    let from = upload(device, &input)?;
    let to = device.allocate(u64::from(BLOCKS) * 4)?;
    let arguments = vec![Argument::Pointer(from), Argument::Pointer(to)];
    Ok(Job {
        launches: vec![("w2", Launch::new(BLOCKS, BLOCK), arguments)],
        result: (to, BLOCKS as usize * 4),
        check: Box::new(move |bytes| words(bytes) == sums),
    })
}

/// sin g + 2 cos g at the polynomial g(x) = 2 - x + x²/2 - x³/5.
fn wave(x: f64) -> f64 {
    let g = 2.0 + x * (-1.0 + x * (0.5 - 0.2 * x));
    g.sin() + 2.0 * g.cos()
}

fn trapezoid(device: &mut dyn Device) -> Result<Job, DeviceError> {
    let blocks = THREADS / BLOCK;
    let partial = device.allocate(u64::from(blocks) * 8)?;
    let to = device.allocate(8)?;
    let step = 2.0 / f64::from(THREADS);
    let at = |i: u32| wave(-1.0 + f64::from(i) * step);
    let integral: f64 = (0..THREADS).map(|i| 0.5 * step * (at(i) + at(i + 1))).sum();
    let parts = vec![Argument::Pointer(partial), Argument::U32(THREADS)];
    let total = vec![Argument::Pointer(partial), Argument::Pointer(to), Argument::U32(blocks)];
    Ok(Job {
        launches: vec![
            ("w3a", Launch::new(blocks, BLOCK), parts),
            ("w3b", Launch::new(1, BLOCK), total),
        ],
        result: (to, 8),
        // The kernel has sine and cosine as polynomials and adds in another order.
        check: Box::new(move |bytes| {
            let bits = bytes.iter().rev().fold(0, |w, b| w << 8 | u64::from(*b));
            (f64::from_bits(bits) - integral).abs() < 1e-11
        }),
    })
}

/// A launch of one thread for each of the [`THREADS`] words of the result.
fn word_a_thread(
    device: &mut dyn Device,
    kernel: &'static str,
    more: &[Argument],
    expected: Vec<u32>,
) -> Result<Job, DeviceError> {
    let to = device.allocate(u64::from(THREADS) * 4)?;
    let arguments = [&[Argument::Pointer(to)], more].concat();
    Ok(Job {
        launches: vec![(kernel, Launch::new(THREADS / BLOCK, BLOCK), arguments)],
        result: (to, THREADS as usize * 4),
        check: Box::new(move |bytes| words(bytes) == expected),
    })
}

fn xorshift(device: &mut dyn Device) -> Result<Job, DeviceError> {
    const ROUNDS: u32 = 1000;
    let mixed = |thread: u32| {
        let mut x = Wrapping(thread) * Wrapping(2_654_435_761) + Wrapping(1);
        let mut sum = Wrapping(0);
        for _ in 0..ROUNDS {
            x ^= x << 13;
            x ^= x >> 17;
            x ^= x << 5;
            sum = sum * Wrapping(1_664_525) + x;
        }
        sum.0
    };
    word_a_thread(device, "w4", &[Argument::U32(ROUNDS)], (0..THREADS).map(mixed).collect())
}

fn collatz(device: &mut dyn Device) -> Result<Job, DeviceError> {
    let steps = |thread: u32| {
        let next = |n: &u64| match n {
            1 => None,
            n if n % 2 == 1 => Some(3 * n + 1),
            n => Some(n / 2),
        };
        std::iter::successors(Some(u64::from(thread) + 1), next).count() as u32 - 1
    };
    word_a_thread(device, "w5", &[], (0..THREADS).map(steps).collect())
}

fn matmul(device: &mut dyn Device) -> Result<Job, DeviceError> {
    const SIDE: usize = 512;
    // Halves and quarters: every product and sum is exact in f32, so integers are the oracle.
    let halves: Vec<i32> = (0..SIDE * SIDE).map(|i| (i % 13) as i32 - 6).collect();
    let quarters: Vec<i32> = (0..SIDE * SIDE).map(|i| (i % 7) as i32 - 4).collect();
    let floats = |scaled: &[i32], unit: f32| -> Vec<u32> {
        scaled.iter().map(|v| (*v as f32 * unit).to_bits()).collect()
    };
    let a = upload(device, &floats(&halves, 0.5))?;
    let b = upload(device, &floats(&quarters, 0.25))?;
    let c = device.allocate((SIDE * SIDE * 4) as u64)?;
    let arguments = vec![
        Argument::Pointer(a),
        Argument::Pointer(b),
        Argument::Pointer(c),
        Argument::U32(SIDE as u32),
    ];
    let tiles = SIDE as u32 / 16;
    let launch = Launch { grid: [tiles, tiles, 1], block: [16, 16, 1], ..Launch::default() };
    let expected = floats(&product(&halves, &quarters, SIDE), 0.125);
    Ok(Job {
        launches: vec![("w6", launch, arguments)],
        result: (c, SIDE * SIDE * 4),
        // A sum that is zero may have either sign in neither: 0 + x*y is never -0 here.
        check: Box::new(move |bytes| words(bytes) == expected),
    })
}

fn product(a: &[i32], b: &[i32], side: usize) -> Vec<i32> {
    let mut c = vec![0; side * side];
    for (row_of_c, row_of_a) in c.chunks_mut(side).zip(a.chunks(side)) {
        for (factor, row_of_b) in row_of_a.iter().zip(b.chunks(side)) {
            for (sum, term) in row_of_c.iter_mut().zip(row_of_b) {
                *sum += factor * term;
            }
        }
    }
    c
}
