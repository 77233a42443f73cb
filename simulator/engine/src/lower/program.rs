//! A kernel and the functions it can call, lowered to dense operations.
//!
//! All functions share one vector of operations, so a program counter ([`Pc`]) is an index into it,
//! and one bank of constants. Names, scopes and types are gone: operands are [`Slot`]s, labels are
//! program counters, variables are addresses; see [`Operation`]. What a person wants to know of an
//! operation is kept beside it in a [`Place`].
//!
//! A program is bound to one loading of its module, because the addresses of module variables are
//! in it, and to nothing else: it is immutable and holds no state of a run.

use std::sync::Arc;

use super::again::Again;
use super::call_stack::CallStack;
use super::diamond::Diamonds;
use super::operation::Operation;
use super::run::Runs;
use crate::lanes::{Constants, Slot, SlotCounts};
use crate::ptx::{InstId, Source, Space, Type};
use crate::report::SourcePosition;

/// An index into [`Program::operations`].
pub type Pc = u32;

/// The program counter that stands for the exit of the function: where paths meet that meet nowhere
/// else.
pub const EXIT: Pc = Pc::MAX;

/// A lowered kernel.
#[derive(Debug)]
pub struct Program {
    /// The text it came from, for messages.
    pub source: Source,
    /// The functions; the kernel is the first.
    pub functions: Vec<Function>,
    /// The operations of all functions, one function after the other.
    pub operations: Vec<Operation>,
    /// Those of them that are executed in a row.
    pub(crate) runs: Runs,
    /// The branches whose ways are executed one after the other.
    pub(crate) diamonds: Diamonds,
    /// Those that access memory where one before them did.
    pub(crate) again: Again,
    /// One for each operation.
    pub places: Vec<Place>,
    /// The broadcast constants.
    pub constants: Arc<Constants>,
    /// The kernel's parameters, in order.
    pub parameters: Vec<KernelParameter>,
    /// Bytes of all parameters.
    pub parameter_bytes: u32,
    /// Shared variables that the kernel's functions or the module declare, at their addresses in
    /// shared memory.
    pub shared: Vec<Symbol>,
    /// What the local memory of every activation is aligned to, in bytes.
    pub local_align: u64,
    /// Where static shared memory ends; dynamic shared memory begins here, rounded up to 16.
    pub static_shared_bytes: u32,
    /// Bytes at the beginning of shared memory that are the system's, and count for no limit.
    pub reserved_shared_bytes: u32,
    /// `.maxntid`/`.reqntid` of the kernel: the most threads of a block, and the shape required.
    pub max_threads: Option<u32>,
    /// `.reqntid`.
    pub required_block: Option<[u32; 3]>,
    /// Function addresses (as [`crate::lower::Placement`] gave them) that an indirect call may go
    /// to.
    pub function_addresses: Vec<(u64, usize)>,
    /// How much stack its threads need.
    pub call_stack: CallStack,
}

impl Program {
    /// Bytes of shared memory of a block whose launch gives it so many dynamic ones, with the
    /// system's.
    pub fn shared_bytes(&self, dynamic: u32) -> u32 {
        match dynamic {
            0 => self.static_shared_bytes,
            dynamic => {
                let before = self.static_shared_bytes.div_ceil(16).saturating_mul(16);
                before.saturating_add(dynamic)
            }
        }
    }

    /// Bytes of static shared memory without the system's.
    pub fn own_static_shared_bytes(&self) -> u32 {
        self.static_shared_bytes - self.reserved_shared_bytes
    }
}

/// A parameter of a kernel, at its place in the parameter bank.
#[derive(Clone, Debug, PartialEq)]
pub struct KernelParameter {
    /// Its name.
    pub name: Arc<str>,
    /// Its scalar type (the element type of an array).
    pub ty: Type,
    /// Where it lies in the parameter bank, in bytes.
    pub offset: u32,
    /// Its size in bytes.
    pub size: u32,
}

/// A variable with its address in its state space.
#[derive(Clone, Debug, PartialEq)]
pub struct Symbol {
    /// The name as declared.
    pub name: Arc<str>,
    /// The state space.
    pub space: Space,
    /// The element type.
    pub ty: Type,
    /// The address in that space.
    pub address: u64,
    /// The size in bytes; 0 for `extern __shared__ x[]`.
    pub size: u64,
}

/// A function of a program.
#[derive(Debug)]
pub struct Function {
    /// Its name.
    pub name: Arc<str>,
    /// The first operation.
    pub entry: Pc,
    /// One past its last operation.
    pub end: Pc,
    /// The registers of an activation.
    pub slots: SlotCounts,
    /// Bytes per lane of `.param` variables: parameters, return values and those of its calls.
    pub param_bytes: u32,
    /// Bytes per thread of `.local` variables; a multiple of 16.
    pub local_bytes: u32,
    /// Bytes that an activation takes of a thread's stack, at least: see [`CallStack`].
    pub frame_bytes: u32,
    /// Where its parameters arrive, in order.
    pub params: Vec<Home>,
    /// Where its return values are left, in order.
    pub returns: Vec<Home>,
    /// The registers that the text names.
    pub registers: Vec<RegisterName>,
    /// The `.local` variables, at their offsets in the activation's local memory.
    pub locals: Vec<Symbol>,
}

/// Where a parameter or return value lives in an activation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Home {
    /// In the activation's `.param` bytes.
    Param {
        /// Offset in bytes.
        offset: u32,
        /// Size in bytes.
        size: u32,
    },
    /// In a 32-bit register or constant; `bytes` of it.
    W32(Slot, u32),
    /// In a 64-bit register or constant.
    W64(Slot),
    /// In a predicate.
    Predicate(Slot),
}

/// A register as the text names it.
#[derive(Clone, Debug, PartialEq)]
pub struct RegisterName {
    /// `%r5`. A name that several nested scopes declare stands here several times.
    pub name: Arc<str>,
    /// Its type; decides the bank of the slot.
    pub ty: Type,
    /// Its slot.
    pub slot: Slot,
}

/// What a person wants to know of an operation.
#[derive(Clone, Debug, PartialEq)]
pub struct Place {
    /// The instruction it came from. One instruction may become several operations; all but the
    /// last are [`Operation::part`]s.
    pub instruction: InstId,
    /// The instruction's line in the PTX text, from 1.
    pub line: u32,
    /// The file of that text, where modules are linked and it is not the first.
    pub file: Option<Arc<str>>,
    /// The line of the source that the PTX was compiled from; instructions of one line share it.
    pub source: Option<Arc<SourcePosition>>,
    /// The opcode with its modifiers: `ld.shared.u32`. Instructions of a function share it.
    pub name: Arc<str>,
    /// The instruction as printed, without guard and semicolon: `add.s32 %r1, %r2, 1`.
    pub text: Arc<str>,
    /// The registers that it names, first those that it reads.
    registers: Box<[u32]>,
    /// How many of them it reads.
    reads: u32,
}

/// What a person wants to know of an instruction, all but the registers.
pub(super) struct Described {
    pub(super) instruction: InstId,
    pub(super) line: u32,
    pub(super) file: Option<Arc<str>>,
    pub(super) source: Option<Arc<SourcePosition>>,
    pub(super) name: Arc<str>,
    pub(super) text: Arc<str>,
}

impl Place {
    /// The place of an instruction that reads and writes these registers.
    pub(super) fn new(described: Described, reads: &[u32], writes: &[u32]) -> Place {
        let Described { instruction, line, file, source, name, text } = described;
        let registers = [reads, writes].concat().into_boxed_slice();
        Place { instruction, line, file, source, name, text, registers, reads: reads.len() as u32 }
    }

    /// Its line as messages say it: `PTX line 5`, `PTX line 5 of lib.ptx`.
    pub fn line_in_words(&self) -> String {
        match &self.file {
            None => format!("PTX line {}", self.line),
            Some(file) => format!("PTX line {} of {file}", self.line),
        }
    }

    /// The registers that the instruction reads, as written, for traces: indices into
    /// [`Function::registers`].
    pub fn reads(&self) -> &[u32] {
        &self.registers[..self.reads as usize]
    }

    /// The registers that it writes.
    pub fn writes(&self) -> &[u32] {
        &self.registers[self.reads as usize..]
    }
}
