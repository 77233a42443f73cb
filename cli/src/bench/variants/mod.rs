//! The variants: kernels that share one frame, a loop around the measured part, and their oracles.
//!
//! A thread begins with `x`, made of its number, and `acc = 0`, goes through its rounds and stores
//! `acc`. The oracles do the same in Rust. The order of the threads may show in a result (atomics
//! whose old values are used). Then the check takes a value that holds in every order: the sum of
//! the old values. Variants may read shared and local memory before any write; it is zero here.

mod arithmetic;
mod flow;
mod memory;
mod together;

use warpsim::host::{Argument, Device, DeviceError, Launch, ModuleHandle, Pointer};
use warpsim::schedule::Direction;

use super::input::{bytes, lcg, upload, words};
use super::job::{Check, Job, Written};

/// The kernels, each called as its variant.
pub(super) const TEXT: &str = include_str!("../variants.ptx");

/// The variant that the times of the others are compared with: a coalesced load.
pub(crate) const REFERENCE: &str = "ldcoal";

/// Threads of a block.
const BLOCK: u32 = 256;
/// Words that the kernels address by a mask, or by 20 bits.
const ADDRESSED: usize = 1 << 20;
/// Words behind them that an unaligned access reaches.
const BEHIND: usize = 8;

/// How many blocks go through how many rounds.
#[derive(Clone, Copy, Debug)]
pub(super) struct Size {
    blocks: u32,
    rounds: u32,
}

impl Size {
    /// For measuring time.
    pub(super) const USUAL: Size = Size { blocks: 64, rounds: 100 };
    /// For counting instructions.
    pub(super) const SMALL: Size = Size { blocks: 4, rounds: 20 };
}

/// A variant with its oracle.
pub(crate) struct Variant {
    /// What its kernel is called.
    pub(crate) name: &'static str,
    /// What it asks for, in a few words.
    pub(crate) summary: &'static str,
    /// The schedule under which it runs, if it is not the default.
    pub(crate) schedule: Option<Direction>,
    oracle: Oracle,
}

/// A thread as its oracle sees it.
struct Thread<'a> {
    /// Its number in the grid.
    number: u32,
    /// Its number in its block.
    in_block: u32,
    rounds: u32,
    /// What the buffer holds before the launch; empty for those that do not touch it.
    input: &'a [u32],
}

impl Thread<'_> {
    /// `acc` after all rounds; `x` begins as in every variant.
    fn rounds(&self, mut round: impl FnMut(u32, &mut u32, &mut u32)) -> u32 {
        let mut x = self.number.wrapping_mul(2_654_435_761).wrapping_add(1);
        let mut acc = 0;
        for i in 0..self.rounds {
            round(i, &mut x, &mut acc);
        }
        acc
    }
}

/// How to know what must come out.
enum Oracle {
    /// Each thread alone, from its numbers.
    Thread(fn(&Thread<'_>) -> u32),
    /// Each thread alone, from its numbers and the buffer.
    Reads(fn(&Thread<'_>) -> u32),
    /// The same, and what it leaves in the buffer, whatever the order of the threads.
    Writes(fn(&Thread<'_>) -> u32, fn(&Thread<'_>, &mut [u32])),
    /// The 32 threads of a warp together.
    Warp(fn(&[Thread<'_>]) -> Vec<u32>),
    /// Adds 1 to the words of shared memory with these numbers and sums what they held, zero at
    /// first.
    SharedAtomics(fn(&Thread<'_>) -> Vec<usize>),
    /// The same with the buffer.
    GlobalAtomics(fn(&Thread<'_>) -> Vec<usize>),
    /// It stores nothing.
    Nothing,
}

macro_rules! variants {
    (@schedule) => { None };
    (@schedule $schedule:expr) => { Some($schedule) };
    ($($name:ident: $oracle:expr, $summary:literal $(, $schedule:expr)?;)*) => {
        /// All variants, in the order of their kernels.
        pub(crate) static VARIANTS: [Variant; 55] = [$(Variant {
            name: stringify!($name),
            summary: $summary,
            schedule: variants!(@schedule $($schedule)?),
            oracle: $oracle,
        },)*];
    };
}

variants! {
    xs32: Oracle::Thread(arithmetic::xs32), "xor and shift of words";
    xs64: Oracle::Thread(arithmetic::xs64), "the same in 64 bits";
    varshift: Oracle::Thread(arithmetic::varshift), "shifts by other amounts in each lane";
    intmix: Oracle::Thread(arithmetic::intmix), "high product, minimum, counts of bits, fields, permuted bytes";
    divrem: Oracle::Thread(arithmetic::divrem), "integer quotient and remainder";
    f32mix: Oracle::Thread(arithmetic::f32mix), "float arithmetic";
    f32fma: Oracle::Thread(arithmetic::f32fma), "fused multiply-add of floats";
    f64mix: Oracle::Thread(arithmetic::f64mix), "double arithmetic";
    f32div: Oracle::Thread(arithmetic::f32div), "correctly rounded quotient, root, reciprocal";
    f32approx: Oracle::Thread(arithmetic::f32approx), "approximate functions";
    f64div: Oracle::Thread(arithmetic::f64div), "quotient and root of doubles";
    f32rz_ftz: Oracle::Thread(arithmetic::f32rz_ftz), "rounding to zero, subnormals flushed";
    f16x2: Oracle::Thread(arithmetic::f16x2), "two halves in a word";
    cvtmix: Oracle::Thread(arithmetic::cvtmix), "conversions";
    pred: Oracle::Thread(flow::pred), "guarded arithmetic, irregular masks";
    selp: Oracle::Thread(flow::selp), "the same by selection";
    ifelse: Oracle::Thread(flow::ifelse), "a divergent branch with two sides";
    uniform_if: Oracle::Thread(flow::uniform_if), "a branch that all take alike";
    inner4: Oracle::Thread(flow::inner4), "an inner loop of 4 rounds";
    innerdiv: Oracle::Thread(flow::innerdiv), "an inner loop of 1 to 8 rounds, by lane";
    switch8: Oracle::Thread(flow::switch8), "a jump through a table with 8 entries";
    call: Oracle::Thread(flow::call), "a function call";
    callodd: Oracle::Thread(flow::callodd), "divergent calls, as they are without optimisation";
    localarr: Oracle::Thread(flow::localarr), "local memory, another word in each lane";
    localuni: Oracle::Thread(flow::localuni), "local memory, the same word in each lane";
    ldcoal: Oracle::Reads(memory::ldcoal), "a coalesced load";
    ldgen: Oracle::Reads(memory::ldcoal), "the same through a generic address";
    ldnc: Oracle::Reads(memory::ldcoal), "the same through the non-coherent path";
    ldstr8: Oracle::Reads(memory::ldstr8), "lanes 8 words apart";
    ldstr32: Oracle::Reads(memory::ldstr32), "lanes 32 words apart";
    ldstr1k: Oracle::Reads(memory::ldstr1k), "lanes 1024 words apart";
    ldgather: Oracle::Reads(memory::ldgather), "lanes anywhere";
    ldbcast: Oracle::Reads(memory::ldbcast), "all lanes at one word";
    ldunal: Oracle::Reads(memory::ldunal), "coalesced, not at a line's beginning";
    ldv4: Oracle::Reads(memory::ldv4), "vectors of four words";
    ldv2: Oracle::Reads(memory::ldv2), "vectors of two words";
    ldu8: Oracle::Reads(memory::ldu8), "bytes";
    ldu64: Oracle::Reads(memory::ldu64), "64-bit words";
    stcoal: Oracle::Writes(memory::stcoal, memory::stcoal_leaves), "a coalesced store";
    shld: Oracle::Thread(memory::shld), "a load from shared memory";
    shst: Oracle::Thread(memory::shst), "a store to shared memory";
    shatom: Oracle::SharedAtomics(together::shatom), "an atomic addition in shared memory";
    shred1: Oracle::Thread(together::shred1), "a reduction of all threads to one shared word";
    glatom: Oracle::GlobalAtomics(together::glatom), "an atomic addition in global memory";
    glred: Oracle::Writes(together::sum_of_rounds, together::glred_leaves), "a reduction to a word for each thread";
    shfl: Oracle::Warp(together::shfl), "two shuffles";
    vote: Oracle::Warp(together::vote), "a ballot";
    bar: Oracle::Thread(together::sum_of_rounds), "a barrier of the block";
    syncwarp: Oracle::Thread(together::sum_of_rounds), "a barrier of the warp";
    inturn: Oracle::Thread(together::inturn), "threads that spin until it is their turn, under an adversarial schedule", Direction::Forward;
    spec: Oracle::Thread(together::spec), "special registers";
    ldparam: Oracle::Thread(memory::ldparam), "loads of parameters";
    ldconst: Oracle::Thread(memory::ldconst), "a load from constant memory";
    fence: Oracle::Thread(together::sum_of_rounds), "a fence";
    empty: Oracle::Nothing, "a kernel that only exits";
}

/// What must be in memory after a launch.
enum Expected {
    /// What the threads store, and what the buffer holds then where it is written.
    Exactly { stored: Vec<u32>, buffer: Option<Vec<u32>> },
    /// Sums of what this many threads after each other store, and the same of the buffer.
    Sums { threads: usize, sums: Vec<u32>, buffer: Option<Vec<u32>> },
}

impl Oracle {
    fn touches_buffer(&self) -> bool {
        match self {
            Oracle::Reads(_) | Oracle::Writes(..) | Oracle::GlobalAtomics(_) => true,
            Oracle::Thread(_) | Oracle::Warp(_) | Oracle::SharedAtomics(_) | Oracle::Nothing => {
                false
            }
        }
    }

    /// What the threads leave behind when the buffer holds `input`.
    fn expected(&self, size: Size, input: &[u32]) -> Expected {
        let Size { blocks, rounds } = size;
        let thread = |number| Thread { number, in_block: number % BLOCK, rounds, input };
        let threads: Vec<Thread<'_>> = (0..blocks * BLOCK).map(thread).collect();
        let each = |of: &fn(&Thread<'_>) -> u32| threads.iter().map(of).collect();
        let exactly = |stored| Expected::Exactly { stored, buffer: None };
        match self {
            Oracle::Thread(of) | Oracle::Reads(of) => exactly(each(of)),
            Oracle::Writes(of, leaves) => {
                let mut buffer = input.to_vec();
                threads.iter().for_each(|thread| leaves(thread, &mut buffer));
                Expected::Exactly { stored: each(of), buffer: Some(buffer) }
            }
            Oracle::Warp(of) => exactly(threads.chunks(32).flat_map(of).collect()),
            Oracle::SharedAtomics(words) => {
                let sum =
                    |block: &[Thread<'_>]| together::old_values(block, *words, &mut vec![0; 1024]);
                let sums = threads.chunks(BLOCK as usize).map(sum).collect();
                Expected::Sums { threads: BLOCK as usize, sums, buffer: None }
            }
            Oracle::GlobalAtomics(words) => {
                let mut buffer = input.to_vec();
                let sums = vec![together::old_values(&threads, *words, &mut buffer)];
                Expected::Sums { threads: threads.len(), sums, buffer: Some(buffer) }
            }
            Oracle::Nothing => exactly(vec![0; threads.len()]),
        }
    }
}

impl Expected {
    fn buffer(&self) -> &Option<Vec<u32>> {
        match self {
            Expected::Exactly { buffer, .. } | Expected::Sums { buffer, .. } => buffer,
        }
    }

    /// Whether the stored words are as expected.
    fn agrees(&self, stored: &[u32]) -> bool {
        match self {
            Expected::Exactly { stored: expected, .. } => stored == expected,
            Expected::Sums { threads, sums, .. } => {
                let sum = |part: &[u32]| part.iter().fold(0, |sum: u32, v| sum.wrapping_add(*v));
                stored.chunks(*threads).map(sum).eq(sums.iter().copied())
            }
        }
    }

    fn check(self) -> Check {
        Box::new(move |written| match (written, self.buffer()) {
            ([stored], None) => self.agrees(&words(stored)),
            ([stored, buffer], Some(left)) => self.agrees(&words(stored)) && words(buffer) == *left,
            _ => false,
        })
    }
}

impl Variant {
    /// Uploads the input and computes what must come out.
    pub(super) fn prepare(
        &self,
        device: &mut dyn Device,
        module: ModuleHandle,
        size: Size,
    ) -> Result<Job, DeviceError> {
        let length = if self.oracle.touches_buffer() { ADDRESSED + BEHIND } else { 0 };
        let input: Vec<u32> = lcg(7).take(length).collect();
        let buffer = match length {
            0 => Pointer::NULL,
            _ => upload(device, length as u64, input.iter().copied())?,
        };
        let (constants, _) = device.variable(module, "cc")?;
        device.upload(constants, &bytes(&memory::CONSTANTS))?;
        let stored = size.blocks as usize * BLOCK as usize * 4;
        let out = device.allocate(stored as u64)?;
        let expected = self.oracle.expected(size, &input);
        let mut written = vec![Written::zeros(out, stored)];
        if expected.buffer().is_some() {
            written.push(Written { at: buffer, before: bytes(&input) });
        }
        let arguments =
            vec![Argument::Pointer(out), Argument::U32(size.rounds), Argument::Pointer(buffer)];
        Ok(Job {
            streams: Vec::new(),
            launches: vec![(self.name, Launch::new(size.blocks, BLOCK), arguments)],
            written,
            check: expected.check(),
            lane_instructions: None,
        })
    }
}
