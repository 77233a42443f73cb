//! How register operations pass on undefined bytes.
//!
//! An operation that computes makes its whole result undefined when it looks at an undefined byte.
//! For an operation that moves bits ([`Dataflow::moves`]) the result is exact. It is executed again
//! with the undefined bytes all zeros and all ones, in every combination of its sources. Whatever
//! changes is undefined. The same method finds the bytes that depend on no source at all: zeros
//! from an extension or a mask, which say nothing of the value.
//!
//! [`Dataflow::moves`]: crate::lanes::Dataflow::moves

use super::registers::{Doubt, WarpRegisters};
use super::rules::{destinations, sources};
use crate::lanes::{
    LANES, Mask, Operands, Position, RegisterOperation, Registers, Slot, SlotCounts, lanes_of,
};
use crate::lower::{Bank, Register};

/// Values of all lanes, as bits.
type Bits = [u64; LANES];

/// What an operation leaves in one destination.
pub(super) struct Moved {
    /// The destination.
    pub register: Register,
    /// Undefined bytes and filler of each lane.
    pub doubts: [(u8, u8); LANES],
}

/// A source that is a register.
struct Source {
    register: Register,
    values: Bits,
    doubts: [Doubt; LANES],
    is_doubtful: bool,
}

/// Where operands lie in the scratch registers: `d`, then the sources, then `d2`.
const D: usize = 0;
const FIRST: usize = 1;
const D2: usize = 5;

/// An operation on scratch registers.
struct Trial {
    operation: RegisterOperation,
    registers: Registers,
    sources: Vec<Source>,
    lanes: Mask,
}

/// What an operation that moves bits leaves, for sources about which this is known.
pub(super) fn moved(
    operation: &RegisterOperation,
    registers: &Registers,
    known: &WarpRegisters,
    depth: u16,
    lanes: Mask,
) -> Vec<Moved> {
    let mut trial = Trial::new(operation, registers, known, depth, lanes);
    destinations(operation.operands())
        .map(|(position, register)| {
            let at = Register { slot: Slot::register(scratch_of(position)), ..register };
            let changing = trial.changing(at);
            let depending = trial.depending(at);
            let bytes = register.bytes();
            let doubts = std::array::from_fn(|lane| {
                let undefined = bytes_of(changing[lane], bytes);
                let filler = !(undefined | bytes_of(depending[lane], bytes));
                (undefined, filler & super::written::all(bytes))
            });
            Moved { register, doubts }
        })
        .collect()
}

fn scratch_of(position: Position) -> usize {
    if position == Position::D2 { D2 } else { D }
}

/// The bytes in which a bit is set.
pub(super) fn bytes_of(bits: u64, bytes: u32) -> u8 {
    (0..bytes).filter(|i| bits >> (8 * i) & 0xff != 0).fold(0, |mask, i| mask | 1 << i)
}

/// All bits of some bytes.
pub(super) fn bits_of(bytes: u8) -> u64 {
    (0..8).filter(|i| bytes >> i & 1 == 1).fold(0, |bits, i| bits | 0xff << (8 * i))
}

impl Trial {
    fn new(
        operation: &RegisterOperation,
        registers: &Registers,
        known: &WarpRegisters,
        depth: u16,
        lanes: Mask,
    ) -> Trial {
        let mut found: Vec<Source> = Vec::new();
        for (register, _) in sources(operation.operands()) {
            if found.iter().all(|source| source.register != register) {
                let doubts = std::array::from_fn(|lane| known.get(depth, register, lane));
                let is_doubtful = known.doubtful(depth, register) & lanes != 0;
                let values = read(registers, register);
                found.push(Source { register, values, doubts, is_doubtful });
            }
        }
        let counts = SlotCounts { w32: D2 + 1, w64: D2 + 1, predicates: D2 + 1 };
        let scratch = Registers::new(counts, std::sync::Arc::clone(registers.constants()));
        let operation = operation.on(renamed(operation.operands(), &found));
        Trial { operation, registers: scratch, sources: found, lanes }
    }

    /// Executes it with sources changed by `f`.
    fn execute(&mut self, at: Register, f: impl Fn(usize, &Source, usize) -> u64) -> Bits {
        for (i, source) in self.sources.iter().enumerate() {
            let slot = Slot::register(FIRST + i);
            let values = std::array::from_fn(|lane| f(i, source, lane));
            write(&mut self.registers, Register { slot, ..source.register }, &values);
        }
        self.operation.execute(&mut self.registers, self.lanes);
        read(&self.registers, at)
    }

    /// The bits of a result that change with the undefined bytes.
    fn changing(&mut self, at: Register) -> Bits {
        let doubtful: Vec<usize> =
            (0..self.sources.len()).filter(|i| self.sources[*i].is_doubtful).collect();
        let combination = |which: usize| {
            let doubtful = doubtful.clone();
            move |i: usize, source: &Source, lane: usize| {
                let undefined = bits_of(source.doubts[lane].undefined);
                let ones =
                    doubtful.iter().position(|d| *d == i).is_some_and(|k| which >> k & 1 == 1);
                source.values[lane] & !undefined | if ones { undefined } else { 0 }
            }
        };
        let first = self.execute(at, combination(0));
        let mut changing = [0; LANES];
        for which in 1..1 << doubtful.len() {
            let other = self.execute(at, combination(which));
            (0..LANES).for_each(|lane| changing[lane] |= first[lane] ^ other[lane]);
        }
        changing
    }

    /// The bits of a result that depend on the value of a source at all.
    fn depending(&mut self, at: Register) -> Bits {
        let mut depending = [0; LANES];
        for chosen in 0..self.sources.len() {
            if self.sources[chosen].register.bank == Bank::Predicate {
                continue;
            }
            let with = |ones: bool| {
                move |i: usize, source: &Source, lane: usize| {
                    let value = source.values[lane];
                    let free = bits_of(!source.doubts[lane].filler);
                    if i == chosen { value & !free | if ones { free } else { 0 } } else { value }
                }
            };
            let (zeros, ones) = (self.execute(at, with(false)), self.execute(at, with(true)));
            (0..LANES).for_each(|lane| depending[lane] |= zeros[lane] ^ ones[lane]);
        }
        depending
    }
}

/// The operands in the scratch registers.
fn renamed(operands: &Operands, sources: &[Source]) -> Operands {
    let mut renamed = *operands;
    (renamed.d, renamed.d2) = (Slot::register(D), Slot::register(D2));
    let places = [
        (Position::A, &mut renamed.a),
        (Position::B, &mut renamed.b),
        (Position::C, &mut renamed.c),
        (Position::E, &mut renamed.e),
    ];
    for (position, slot) in places {
        if slot.is_constant() {
            continue;
        }
        let register = operands.flow.width(position).map(|width| Register::of_width(*slot, width));
        let found = sources.iter().position(|source| Some(source.register) == register);
        // What the operation does not have stays at the first slot, which is there.
        *slot = Slot::register(found.map_or(D, |i| FIRST + i));
    }
    renamed
}

fn read(registers: &Registers, register: Register) -> Bits {
    match register.bank {
        Bank::W32 => registers.w32(register.slot).map(u64::from),
        Bank::W64 => *registers.w64(register.slot),
        Bank::Predicate => {
            let mask = registers.predicate(register.slot);
            std::array::from_fn(|lane| u64::from(mask >> lane & 1))
        }
    }
}

fn write(registers: &mut Registers, register: Register, values: &Bits) {
    use crate::lanes::{FULL, write_lanes};
    match register.bank {
        Bank::W32 => {
            write_lanes(registers, register.slot, FULL, &values.map(|value| value as u32));
        }
        Bank::W64 => write_lanes(registers, register.slot, FULL, values),
        Bank::Predicate => {
            let mask = lanes_of(FULL).filter(|lane| values[*lane] & 1 == 1);
            let mask = mask.fold(0, |mask, lane| mask | 1 << lane);
            registers.set_predicate(register.slot, FULL, mask);
        }
    }
}
