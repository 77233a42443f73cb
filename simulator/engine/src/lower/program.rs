//! A kernel and the functions it can call, lowered to dense operations.
//!
//! All functions share one vector of operations, so a program counter ([`Pc`]) is an index into it,
//! and one bank of constants. There are no names, scopes and types: operands are [`Slot`]s, labels
//! are program counters, variables are addresses; see [`Operation`]. A [`Place`] keeps the facts
//! about an operation that interest a person.
//!
//! A program is bound to one loading of its module, because it contains the addresses of module
//! variables. It depends on nothing else: it is immutable and holds no state of a run.

use crate::lower::operations::operand::{Home, Pc};
use std::sync::Arc;

use crate::lanes::{Constants, Slot, SlotCounts};
use crate::lower::operations::again::Again;
use crate::lower::operations::call_stack::CallStack;
use crate::lower::operations::diamond::Diamonds;
use crate::lower::operations::operation::Operation;
use crate::lower::operations::run::Runs;
use crate::ptx::{InstId, Source, Space, Type};
use crate::report::SourcePosition;

/// A lowered kernel.
#[derive(Debug)]
pub struct Program {
    /// Its text, for messages.
    pub source: Source,
    /// The functions; the kernel is the first.
    pub functions: Vec<Function>,
    /// The operations of all functions, one function after the other.
    pub operations: Vec<Operation>,
    /// The operations that are executed in a row.
    pub(crate) runs: Runs,
    /// The branches whose ways are executed one after the other.
    pub(crate) diamonds: Diamonds,
    /// The accesses that repeat the addresses of an earlier one.
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
    /// The alignment of the local memory of every activation, in bytes.
    pub local_align: u64,
    /// The end of static shared memory; dynamic shared memory begins here, rounded up to 16.
    pub static_shared_bytes: u32,
    /// Bytes at the beginning of shared memory that belong to the system, and count for no limit.
    pub reserved_shared_bytes: u32,
    /// `.maxntid`/`.reqntid` of the kernel: the most threads of a block, and the shape required.
    pub max_threads: Option<u32>,
    /// `.reqntid`.
    pub required_block: Option<[u32; 3]>,
    /// Function addresses (as given by [`crate::lower::Placement`]) that an indirect call may use.
    pub function_addresses: Vec<(u64, usize)>,
    /// The stack that its threads need.
    pub call_stack: CallStack,
}

impl Program {
    /// Bytes of shared memory of a block whose launch gives it this many dynamic ones, including
    /// the system's.
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
    /// Its place in the parameter bank, in bytes.
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
    /// Bytes per lane of `.param` variables: parameters and return values, its own and its calls'.
    pub param_bytes: u32,
    /// Bytes per thread of `.local` variables; a multiple of 16.
    pub local_bytes: u32,
    /// The least stack of an activation in bytes: see [`CallStack`].
    pub frame_bytes: u32,
    /// The places of its parameters, in order.
    pub params: Vec<Home>,
    /// The places of its return values, in order.
    pub returns: Vec<Home>,
    /// The registers that the text names.
    pub registers: Vec<RegisterName>,
    /// The `.local` variables, at their offsets in the activation's local memory.
    pub locals: Vec<Symbol>,
}

/// A register with its name in the text.
#[derive(Clone, Debug, PartialEq)]
pub struct RegisterName {
    /// `%r5`. A name that several nested scopes declare occurs several times.
    pub name: Arc<str>,
    /// Its type; decides the bank of the slot.
    pub ty: Type,
    /// Its slot.
    pub slot: Slot,
}

/// The facts about an operation that interest a person.
#[derive(Clone, Debug, PartialEq)]
pub struct Place {
    /// The instruction of the operation. One instruction may become several operations; all but the
    /// last are [`Operation::part`]s.
    pub instruction: InstId,
    /// The instruction's line in the PTX text, from 1.
    pub line: u32,
    /// The file of that text, if modules are linked and it is not the first.
    pub file: Option<Arc<str>>,
    /// The line of the source that the PTX was compiled from; instructions of one line share it.
    pub source: Option<Arc<SourcePosition>>,
    /// The opcode with its modifiers: `ld.shared.u32`. Instructions of a function share it.
    pub name: Arc<str>,
    /// The instruction as printed, without guard and semicolon: `add.s32 %r1, %r2, 1`.
    pub text: Arc<str>,
    /// The registers that it names, starting with the ones that it reads.
    registers: Box<[u32]>,
    /// How many of them it reads.
    reads: u32,
}

/// The facts about an instruction, except the registers.
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

    /// Its line for messages: `PTX line 5`, `PTX line 5 of lib.ptx`.
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
