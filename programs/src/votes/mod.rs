//! Votes of blocks and of warps: any number other than 0 is a vote for yes.
//!
//! [`UNMASKED`] has the votes of PTX before 6.0 and sm_70, which name no lanes: the lanes that
//! happen to be together vote.

use warpsim::element::ElementType;
use warpsim::host::{Argument, Device, Launch, ModuleHandle};
use warpsim::report::Code;

use crate::numbers::Numbers;
use crate::program::{
    ANY, Form, Inputs, Length, Program, RunError, Soundness, Text, Told, Variant, completed,
};
use crate::texts::{compiled, cuda};
use crate::{arrays, ints};

/// Threads of a block.
const BLOCK: usize = 96;
/// Lanes of a warp.
const LANES: usize = 32;
/// Words that each voter gets.
const WORDS: usize = 3;
/// The variant in which whole blocks vote; in all others warps do.
const BLOCKS: &str = "block";
/// The variants in which lanes vote together only if their numbers are both even or both odd.
const BY_SIDES: [&str; 2] = ["sides", "sides-unmasked"];

/// The program.
pub static PROGRAM: Program = Program {
    name: "votes",
    summary: "the results of the votes of blocks and of warps",
    source: cuda!("votes"),
    ptx: compiled!("votes"),
    variants: &[
        Variant {
            name: "block",
            kernel: "votes_of_block",
            soundness: Soundness::Synchronised,
            note: "__syncthreads_count(), _and(), _or()",
        },
        Variant {
            name: "warp",
            kernel: "votes_of_warp",
            soundness: Soundness::Synchronised,
            note: "__any_sync(), __all_sync(), __ballot_sync()",
        },
        Variant {
            name: "sides",
            kernel: "votes_of_sides",
            soundness: Soundness::Synchronised,
            note: "the same on both sides of a branch, each with its own mask",
        },
        Variant {
            name: "outsiders",
            kernel: "votes_of_outsiders",
            soundness: Soundness::Faulty(&[Code::SyncMask]),
            note: "the same, some lanes with a mask that they are not in",
        },
    ],
    length: Length::AtMost(1 << 20),
    values: ANY,
    inputs: INPUTS,
    tolerance: 0.0,
    told: Told::Verdicts,
    driver: drive,
    oracle,
};

/// The votes without a mask, in their own module: sm_70 and later have them no more.
pub static UNMASKED: Program = Program {
    name: "votes-unmasked",
    summary: "the votes of a warp as they were before sm_70, without a mask",
    source: UNMASKED_TEXT,
    ptx: &[(Form::Naive, UNMASKED_TEXT)],
    variants: &[
        Variant {
            name: "unmasked",
            kernel: "votes_unmasked",
            soundness: Soundness::Unmasked,
            note: "vote.any, vote.all, vote.ballot",
        },
        Variant {
            name: "sides-unmasked",
            kernel: "votes_of_sides_unmasked",
            soundness: Soundness::Unmasked,
            note: "the same on both sides of a branch",
        },
    ],
    length: Length::AtMost(1 << 20),
    values: ANY,
    inputs: INPUTS,
    tolerance: 0.0,
    told: Told::Verdicts,
    driver: drive,
    oracle,
};

const UNMASKED_TEXT: Text =
    Text { file: "votes_unmasked.ptx", text: include_str!("votes_unmasked.ptx") };

const INPUTS: Inputs = Inputs {
    example: votes,
    checked: votes,
    recorded: &["s32[192]=rand:7:-2:9", "s32[192]=fill:-2147483648", "s32[192]"],
};

/// Two blocks: one in which one thread in three votes for no, and one in which all vote for yes.
/// Most numbers are not 1.
fn votes() -> Vec<i32> {
    let of = |i: i32| if i < BLOCK as i32 { (i % 3) * (i - 40) } else { i << 20 | 1 };
    (0..2 * BLOCK as i32).map(of).collect()
}

fn drive(
    device: &mut dyn Device,
    module: ModuleHandle,
    variant: &Variant,
    input: &[i32],
) -> Result<Numbers, RunError> {
    let votes = padded(input);
    let words = WORDS * votes.len();
    let (from, to) =
        (ints::upload(device, &votes)?, arrays::zeros(device, ElementType::U32, words)?);
    let launch = Launch::new((votes.len() / BLOCK) as u32, BLOCK as u32);
    let arguments = [Argument::Pointer(from), Argument::Pointer(to)];
    completed(variant.kernel, device.launch(module, variant.kernel, &launch, &arguments)?)?;
    let told = arrays::download(device, to, ElementType::U32, words)?;
    device.free(from)?;
    device.free(to)?;
    Ok(told)
}

/// A number for each thread of one block or more: those that have none vote for no.
fn padded(input: &[i32]) -> Vec<i32> {
    let mut votes = input.to_vec();
    votes.resize(input.len().next_multiple_of(BLOCK).max(BLOCK), 0);
    votes
}

fn oracle(variant: &Variant, input: &[i32]) -> Numbers {
    let votes = padded(input);
    let told: Vec<u32> = match variant.name {
        BLOCKS => votes.chunks(BLOCK).flat_map(told_to_block).collect(),
        name => {
            let by_sides = BY_SIDES.contains(&name);
            votes.chunks(LANES).flat_map(|warp| told_to_warp(warp, by_sides)).collect()
        }
    };
    told.into()
}

/// Count, and, or: the same for every thread.
fn told_to_block(votes: &[i32]) -> Vec<u32> {
    let count = votes.iter().filter(|&&vote| vote != 0).count();
    [count as u32, u32::from(count == votes.len()), u32::from(count > 0)].repeat(votes.len())
}

/// Any, all, ballot, among all lanes or among those whose numbers are as even or odd as the
/// voter's.
fn told_to_warp(votes: &[i32], by_sides: bool) -> Vec<u32> {
    let of_lane = |&own: &i32| {
        let is_among = |vote: i32| !by_sides || vote & 1 == own & 1;
        let among: Vec<(u32, bool)> = (0..)
            .zip(votes)
            .filter(|(_, vote)| is_among(**vote))
            .map(|(lane, vote)| (lane, *vote != 0))
            .collect();
        let ballot = among.iter().filter(|(_, yes)| *yes).fold(0, |all, (lane, _)| all | 1 << lane);
        [u32::from(ballot != 0), u32::from(among.iter().all(|(_, yes)| *yes)), ballot]
    };
    votes.iter().flat_map(of_lane).collect()
}
