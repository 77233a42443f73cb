//! The six workloads: sizes, inputs and oracles.

use std::num::Wrapping;

use warpsim::host::{Argument, Device, DeviceError, Launch, Pointer, Stream};

use super::input::{lcg, upload, words};
use super::job::{Job, Written};
use super::size::Sizes;

/// The kernels `w1` to `w6`.
pub(super) const TEXT: &str = include_str!("workloads.ptx");

/// A kernel with its sizes, its input and its oracle.
pub(crate) struct Workload {
    /// What the command calls it.
    pub(crate) name: &'static str,
    /// What it does, in a few words.
    pub(crate) summary: &'static str,
    /// How large it can be.
    pub(super) sizes: Sizes,
    /// Lane-instructions of the algorithm at the usual size.
    pub(super) lane_instructions: u64,
    /// How much there is to do at a size; the lane-instructions of other sizes are in proportion.
    pub(super) work: fn(u64) -> u64,
    /// Uploads the input of a size and says what to launch and to check.
    pub(super) prepare: fn(&mut dyn Device, u64) -> Result<Launched, DeviceError>,
}

/// What is launched and written, with its check.
pub(super) struct Launched {
    pub(super) launches: Vec<(&'static str, Launch, Vec<Argument>)>,
    /// To which streams they are issued, in turn; none where each is waited for.
    pub(super) streams: Vec<Stream>,
    /// Where the result lies, and its size in bytes.
    pub(super) result: (Pointer, usize),
    pub(super) check: CheckOfResult,
}

/// Whether the bytes of the result are right.
pub(super) type CheckOfResult = Box<dyn Fn(&[u8]) -> bool>;

impl Workload {
    /// Uploads the input of a size and computes what must come out.
    pub(super) fn prepare(&self, device: &mut dyn Device, size: u64) -> Result<Job, DeviceError> {
        let Launched { launches, streams, result: (at, bytes), check } =
            (self.prepare)(device, size)?;
        let lane_instructions = match size == self.sizes.usual {
            true => self.lane_instructions,
            false => {
                let (work, usual) = ((self.work)(size), (self.work)(self.sizes.usual));
                (u128::from(self.lane_instructions) * u128::from(work) / u128::from(usual)) as u64
            }
        };
        Ok(Job {
            launches,
            streams,
            written: vec![Written::zeros(at, bytes)],
            check: Box::new(move |written| matches!(written, [result] if check(result))),
            lane_instructions: Some(lane_instructions),
        })
    }
}

/// All workloads, in order.
pub(crate) static WORKLOADS: [Workload; 6] = [
    Workload {
        name: "find_max",
        summary: "one block strides over all words; one atomic maximum a thread",
        sizes: Sizes { unit: "words", usual: 1 << 22, small: 1 << 17, step: 1, largest: 1 << 31 },
        lane_instructions: 6 << 22,
        work: |words| words,
        prepare: find_max,
    },
    Workload {
        name: "block_reduce",
        summary: "blocks of 256: a tree in shared memory, a barrier a step",
        sizes: Sizes { unit: "blocks", usual: 4096, small: 32, step: 1, largest: 1 << 23 },
        lane_instructions: 75_500_000,
        work: |blocks| blocks,
        prepare: block_reduce,
    },
    Workload {
        name: "trapezoid",
        summary: "sines and cosines in double precision, then a reduction",
        sizes: Sizes { unit: "points", usual: 65_536, small: 4096, step: 256, largest: 1 << 30 },
        lane_instructions: 10_440_000,
        work: |points| points,
        prepare: trapezoid,
    },
    Workload {
        name: "xorshift",
        summary: "65536 threads, rounds of integer mixing",
        sizes: Sizes { unit: "rounds", usual: 1000, small: 30, step: 1, largest: 1 << 31 },
        lane_instructions: 656_200_000,
        work: |rounds| rounds,
        prepare: xorshift,
    },
    Workload {
        name: "collatz",
        summary: "divergent loops, a starting value for each thread",
        // From 159487 on, some value does not fit a word.
        sizes: Sizes { unit: "values", usual: 65_536, small: 1024, step: 256, largest: 1 << 17 },
        lane_instructions: 50_400_000,
        work: |values| (0..values).map(collatz_steps).sum(),
        prepare: collatz,
    },
    Workload {
        name: "matmul",
        summary: "floats in shared tiles of 16 x 16",
        sizes: Sizes { unit: "rows", usual: 512, small: 64, step: 16, largest: 1 << 14 },
        lane_instructions: 504_100_000,
        work: |rows| rows * rows * rows,
        prepare: matmul,
    },
];

/// Threads of the workloads with a word for each thread.
const THREADS: u32 = 65_536;
/// Threads of a block.
const BLOCK: u32 = 256;

fn find_max(device: &mut dyn Device, size: u64) -> Result<Launched, DeviceError> {
    let largest_at = size / 3;
    let of = move |(at, s): (u64, u32)| if at == largest_at { 0xffff_fff0 } else { s >> 1 };
    let input = || (0..size).zip(lcg(12_345)).map(of);
    let largest = input().max();
    let from = upload(device, size, input())?;
    let to = device.allocate(4)?;
    let arguments =
        vec![Argument::Pointer(from), Argument::Pointer(to), Argument::U32(size as u32)];
    Ok(Launched {
        launches: vec![("w1", Launch::new(1, BLOCK), arguments)],
        streams: Vec::new(),
        result: (to, 4),
        check: Box::new(move |bytes| words(bytes).first().copied() == largest),
    })
}

fn block_reduce(device: &mut dyn Device, blocks: u64) -> Result<Launched, DeviceError> {
    let length = blocks * u64::from(BLOCK);
    let input: Vec<u32> = lcg(1).take(length as usize).map(|s| s >> 20).collect();
    let sums: Vec<u32> = input.chunks(BLOCK as usize).map(|block| block.iter().sum()).collect();
    let from = upload(device, length, input.into_iter())?;
    let to = device.allocate(blocks * 4)?;
    let arguments = vec![Argument::Pointer(from), Argument::Pointer(to)];
    Ok(Launched {
        launches: vec![("w2", Launch::new(blocks as u32, BLOCK), arguments)],
        streams: Vec::new(),
        result: (to, blocks as usize * 4),
        check: Box::new(move |bytes| words(bytes) == sums),
    })
}

/// sin g + 2 cos g at the polynomial g(x) = 2 - x + x²/2 - x³/5.
fn wave(x: f64) -> f64 {
    let g = 2.0 + x * (-1.0 + x * (0.5 - 0.2 * x));
    g.sin() + 2.0 * g.cos()
}

fn trapezoid(device: &mut dyn Device, size: u64) -> Result<Launched, DeviceError> {
    let points = size as u32;
    let blocks = points / BLOCK;
    let partial = device.allocate(u64::from(blocks) * 8)?;
    let to = device.allocate(8)?;
    let step = 2.0 / f64::from(points);
    let at = |i: u32| wave(-1.0 + f64::from(i) * step);
    let integral: f64 = (0..points).map(|i| 0.5 * step * (at(i) + at(i + 1))).sum();
    let parts = vec![Argument::Pointer(partial), Argument::U32(points)];
    let total = vec![Argument::Pointer(partial), Argument::Pointer(to), Argument::U32(blocks)];
    Ok(Launched {
        launches: vec![
            ("w3a", Launch::new(blocks, BLOCK), parts),
            ("w3b", Launch::new(1, BLOCK), total),
        ],
        streams: Vec::new(),
        result: (to, 8),
        // The kernel has sine and cosine as polynomials and adds in another order.
        check: Box::new(move |bytes| {
            let bits = bytes.iter().rev().fold(0, |w, b| w << 8 | u64::from(*b));
            (f64::from_bits(bits) - integral).abs() < 1e-11
        }),
    })
}

/// A launch of one thread for each word of the result.
fn word_a_thread(
    device: &mut dyn Device,
    kernel: &'static str,
    more: &[Argument],
    expected: Vec<u32>,
) -> Result<Launched, DeviceError> {
    let to = device.allocate(expected.len() as u64 * 4)?;
    let arguments = [&[Argument::Pointer(to)], more].concat();
    Ok(Launched {
        launches: vec![(kernel, Launch::new(expected.len() as u32 / BLOCK, BLOCK), arguments)],
        streams: Vec::new(),
        result: (to, expected.len() * 4),
        check: Box::new(move |bytes| words(bytes) == expected),
    })
}

fn xorshift(device: &mut dyn Device, size: u64) -> Result<Launched, DeviceError> {
    let rounds = size as u32;
    let mixed = |thread: u32| {
        let mut x = Wrapping(thread) * Wrapping(2_654_435_761) + Wrapping(1);
        let mut sum = Wrapping(0);
        for _ in 0..rounds {
            x ^= x << 13;
            x ^= x >> 17;
            x ^= x << 5;
            sum = sum * Wrapping(1_664_525) + x;
        }
        sum.0
    };
    word_a_thread(device, "w4", &[Argument::U32(rounds)], (0..THREADS).map(mixed).collect())
}

/// How many steps of the Collatz sequence lead from this thread's value, its number plus 1, to 1.
fn collatz_steps(thread: u64) -> u64 {
    let next = |n: &u64| match n {
        1 => None,
        n if n % 2 == 1 => Some(3 * n + 1),
        n => Some(n / 2),
    };
    std::iter::successors(Some(thread + 1), next).count() as u64 - 1
}

fn collatz(device: &mut dyn Device, size: u64) -> Result<Launched, DeviceError> {
    let steps = (0..size).map(|thread| collatz_steps(thread) as u32);
    word_a_thread(device, "w5", &[], steps.collect())
}

fn matmul(device: &mut dyn Device, size: u64) -> Result<Launched, DeviceError> {
    let side = size as usize;
    // Halves and quarters: every product and sum is exact in f32, so integers are the oracle.
    let halves: Vec<i32> = (0..side * side).map(|i| (i % 13) as i32 - 6).collect();
    let quarters: Vec<i32> = (0..side * side).map(|i| (i % 7) as i32 - 4).collect();
    let floats = |scaled: &[i32], unit: f32| -> Vec<u32> {
        scaled.iter().map(|v| (*v as f32 * unit).to_bits()).collect()
    };
    let a = upload(device, size * size, floats(&halves, 0.5).into_iter())?;
    let b = upload(device, size * size, floats(&quarters, 0.25).into_iter())?;
    let c = device.allocate(size * size * 4)?;
    let arguments = vec![
        Argument::Pointer(a),
        Argument::Pointer(b),
        Argument::Pointer(c),
        Argument::U32(size as u32),
    ];
    let tiles = size as u32 / 16;
    let launch = Launch { grid: [tiles, tiles, 1], block: [16, 16, 1], ..Launch::default() };
    let expected = floats(&product(&halves, &quarters, side), 0.125);
    Ok(Launched {
        launches: vec![("w6", launch, arguments)],
        streams: Vec::new(),
        result: (c, side * side * 4),
        // No sum is -0: it begins as 0, and 0 + x*y is 0 where it is zero.
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
