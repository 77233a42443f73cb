//! Comparing what two runs left in global memory.

use std::fmt;
use std::num::ParseIntError;
use std::str::FromStr;

use super::{LaunchRequest, SHOWN};
use crate::argument::ArgumentPlace;
use crate::arguments::addresses;
use crate::element::ElementType;
use crate::findings::explain::buffer_of;
use crate::lower::Program;
use crate::machine::{Allocation, GlobalMemory, PAGE_BYTES};
use crate::names;

/// 128 bits that represent the contents of all live allocations. Equal contents have equal digests.
/// Different contents have different digests, except by a chance that is negligible (an adversary
/// can find equal ones).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(into = "String", try_from = "String"))]
pub struct Digest(pub u128);

/// 32 hexadecimal digits.
impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:032x}", self.0)
    }
}

/// Reads what it prints.
impl FromStr for Digest {
    type Err = ParseIntError;

    fn from_str(text: &str) -> Result<Digest, ParseIntError> {
        u128::from_str_radix(text, 16).map(Digest)
    }
}

impl From<Digest> for String {
    fn from(digest: Digest) -> String {
        digest.to_string()
    }
}

impl TryFrom<String> for Digest {
    type Error = ParseIntError;

    fn try_from(text: String) -> Result<Digest, ParseIntError> {
        text.parse()
    }
}

impl Digest {
    /// The digest of the memory's contents.
    pub(super) fn of(memory: &GlobalMemory) -> Digest {
        let mut state = [0x243f_6a88_85a3_08d3_u64, 0x1319_8a2e_0370_7344];
        let mut page = [0; PAGE_BYTES];
        for allocation in memory.allocations().iter().filter(|a| !a.freed) {
            absorb(&mut state, allocation.base);
            let mut at = 0;
            while at < allocation.bytes {
                let length = (allocation.bytes - at).min(PAGE_BYTES as u64) as usize;
                page[length..].fill(0);
                allocation.pages.read_bytes(at, &mut page[..length]);
                for word in page.chunks_exact(8) {
                    let word = word.iter().rev().fold(0, |word, byte| word << 8 | u64::from(*byte));
                    absorb(&mut state, word);
                }
                at += length as u64;
            }
        }
        Digest(u128::from(state[0]) << 64 | u128::from(state[1]))
    }
}

/// Mixes a word into two independent halves; each is a bijection of its state for a given word.
fn absorb(state: &mut [u64; 2], word: u64) {
    state[0] = (state[0] ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29);
    state[1] = state[1].rotate_left(23).wrapping_add(word).wrapping_mul(0xd6e8_feb8_6659_fd93);
    state[1] ^= state[1] >> 32;
}

/// A cell of global memory with different contents after two runs.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Cell {
    /// What it belongs to, as the user knows it: `argument 1 (`out`)` or a variable's name.
    pub object: String,
    /// The argument whose buffer it is in.
    pub argument: Option<ArgumentPlace>,
    /// Its index in the buffer, in cells.
    pub index: u64,
    /// Its address.
    pub address: u64,
    /// Its type.
    pub ty: ElementType,
    /// Its bits after the first and after the second run.
    pub values: [u64; 2],
}

/// A cell of global memory after a run.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct CellValue {
    /// What it belongs to: see [`Cell::object`].
    pub object: String,
    /// The argument whose buffer it is in.
    pub argument: Option<ArgumentPlace>,
    /// Its index in the buffer, in cells.
    pub index: u64,
    /// Its address.
    pub address: u64,
    /// Its type.
    pub ty: ElementType,
    /// Its bits.
    pub value: u64,
}

/// The first cells that differ, and how many do.
pub(super) fn different_cells(
    first: &GlobalMemory,
    second: &GlobalMemory,
    request: &LaunchRequest,
    program: &Program,
) -> (Vec<Cell>, u64) {
    let (mut cells, mut count) = (Vec::new(), 0);
    let pairs = first.allocations().iter().zip(second.allocations());
    for (a, b) in pairs.filter(|(a, b)| !a.freed && a.pages != b.pages) {
        let argument = argument_of(a, request);
        let ty = argument.and_then(|place| request.cell_types.get(&place)).copied();
        let ty = ty.unwrap_or(ElementType::U32);
        let width = ty.size() as u32;
        let at = |index: u64| index * u64::from(width);
        let differs =
            |index: &u64| a.pages.read(at(*index), width) != b.pages.read(at(*index), width);
        for index in (0..a.bytes.div_ceil(width.into())).filter(differs) {
            count += 1;
            if cells.len() < SHOWN {
                cells.push(Cell {
                    object: name(a, argument, program),
                    argument,
                    index,
                    address: a.base + at(index),
                    ty,
                    values: [a.pages.read(at(index), width), b.pages.read(at(index), width)],
                });
            }
        }
    }
    (cells, count)
}

/// The first argument that points into an allocation.
fn argument_of(allocation: &Allocation, request: &LaunchRequest) -> Option<ArgumentPlace> {
    let inside = |address: u64| address.wrapping_sub(allocation.base) < allocation.bytes;
    addresses(&request.arguments).find(|(_, address)| inside(*address)).map(|(place, _)| place)
}

fn name(allocation: &Allocation, argument: Option<ArgumentPlace>, program: &Program) -> String {
    match (&allocation.name, argument) {
        (Some(name), _) => format!("`{}`", names::variable(name)),
        (None, Some(i)) => buffer_of(program, i),
        (None, None) => format!("the allocation at {:#x}", allocation.base),
    }
}
