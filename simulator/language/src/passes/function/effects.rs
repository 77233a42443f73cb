//! The effect of one instruction on memory, as a compiler sees it (PTX ISA 9.7.9, 9.7.13, 8.2).
//!
//! The table of instructions ([`crate::isa::effect()`]) says which of them touch memory, order
//! accesses or write a register. Here are the meanings of the modifiers of an access.
//!
//! The register-caching pass touches only plain (weak) scalar `ld` and `st`. The others:
//!
//! - `volatile`, `relaxed` and `mmio` accesses, `ld.cv` and `st.wt` are *strong*: never touched,
//!   never forwarded from. They end all assumptions about the bytes they may touch, as a compiler
//!   may move plain accesses of other bytes across them.
//! - `atom` and `red` are strong when they say `.relaxed`. Without a modifier for their order they
//!   end every assumption, because compilers treat the corresponding CUDA atomics so.
//! - `acquire`, `release` and stronger accesses, barriers, fences, `bar.warp.sync`, and every
//!   instruction that is not known here end every assumption.
//! - `shfl`, `vote`, `match`, `redux`, `activemask` end nothing: in LLVM and NVVM they are
//!   convergent but touch no memory that the program can see.
//! - parameters are their own memory, unless the function takes a parameter's address.
//!
//! An instruction under a guard does what it says here, or nothing.

use crate::isa::{self, Destinations};
use crate::passes::function::body::{Body, Site};
use crate::passes::function::summaries::{Spaces, Summaries, Summary};
use crate::ptx::{Instruction, Operand, OperandKind, Space, Type};

/// What an instruction does to memory.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::passes) enum Effect {
    /// Nothing that another access could notice.
    Nothing,
    /// It reads or writes certain bytes.
    Access(Access),
    /// It may read and write some spaces, as a call does.
    Call(Summary),
    /// It may read and write anything, and others may look.
    Everything,
}

/// A read or write of certain bytes.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::passes) struct Access {
    /// It may read them.
    pub(in crate::passes) reads: bool,
    /// It may write them.
    pub(in crate::passes) writes: bool,
    /// It is a plain access of one scalar, which the pass may change.
    pub(in crate::passes) touchable: bool,
    /// Volatile or atomic: nothing may be assumed about its bytes afterwards.
    pub(in crate::passes) strong: bool,
    /// The space that the instruction names; None for a generic address.
    pub(in crate::passes) space: Option<Space>,
    /// The type of an element.
    pub(in crate::passes) ty: Type,
    /// All bytes together.
    pub(in crate::passes) bytes: u32,
    /// Which operand is the address.
    pub(in crate::passes) address: usize,
    /// Which operand is the value.
    pub(in crate::passes) data: usize,
    /// Without a guard: it happens whenever control gets there.
    pub(in crate::passes) unconditional: bool,
}

/// The effect of an instruction in the table.
fn in_the_table(inst: &Instruction) -> (isa::Effect, Destinations) {
    let modifiers: Vec<&str> = inst.modifiers.iter().map(|modifier| &*modifier.text).collect();
    isa::effect(&inst.opcode.text, &modifiers)
}

/// The operands that an instruction writes; of one that the table does not know, all of them.
pub(in crate::passes) fn destinations(inst: &Instruction) -> &[Operand] {
    let all = inst.operands.as_slice();
    let first = all.get(..1).unwrap_or(&[]);
    match in_the_table(inst).1 {
        Destinations::None => &[],
        Destinations::First => first,
        Destinations::FirstList => match first {
            [Operand { kind: OperandKind::List(_), .. }] => first,
            _ => &[],
        },
        Destinations::Unknown => all,
    }
}

/// What a site does to memory.
pub(in crate::passes) fn effect(body: &Body<'_>, site: &Site<'_>, summaries: &Summaries) -> Effect {
    let inst = site.inst;
    match in_the_table(inst).0 {
        isa::Effect::Registers
        | isa::Effect::Lanes
        | isa::Effect::Control
        | isa::Effect::Ends
        | isa::Effect::Nothing => Effect::Nothing,
        isa::Effect::Reads | isa::Effect::Writes => plain_or_strong(body, inst),
        isa::Effect::ReadsAndWrites if has(inst, "relaxed") => read_modify_write(inst),
        isa::Effect::Calls => summaries.of_call(inst).map_or(Effect::Everything, Effect::Call),
        isa::Effect::ReadsAndWrites | isa::Effect::Orders | isa::Effect::Unknown => {
            Effect::Everything
        }
    }
}

/// The access that an instruction makes, whatever else it orders.
pub(in crate::passes) fn access(body: &Body<'_>, inst: &Instruction) -> Effect {
    match &*inst.opcode.text {
        "ld" | "ldu" | "st" => plain_or_strong(body, inst),
        "atom" | "red" => read_modify_write(inst),
        _ => Effect::Nothing,
    }
}

/// What a function's instruction adds to its summary.
pub(in crate::passes) fn spaces_of(effect: &Effect, inst: &Instruction) -> Summary {
    match effect {
        // `exit` ends the thread: memory must be up to date, as at a barrier.
        Effect::Nothing if in_the_table(inst).0 == isa::Effect::Ends => Summary::EVERYTHING,
        Effect::Nothing => Summary::NOTHING,
        Effect::Everything => Summary::EVERYTHING,
        Effect::Call(summary) => *summary,
        Effect::Access(access) => {
            let spaces = Spaces::named(access.space);
            Summary {
                reads: if access.reads { spaces } else { Spaces::NONE },
                writes: if access.writes { spaces } else { Spaces::NONE },
                ends: false,
            }
        }
    }
}

fn has(inst: &Instruction, modifier: &str) -> bool {
    inst.modifiers.iter().any(|found| *found.text == *modifier)
}

/// `ld`, `ldu` or `st`.
fn plain_or_strong(body: &Body<'_>, inst: &Instruction) -> Effect {
    let mut shape = Shape { touchable: true, ..Shape::default() };
    for modifier in &inst.modifiers {
        shape.take(&modifier.text);
    }
    let (Some(ty), false) = (shape.ty, shape.ordered) else { return Effect::Everything };
    match shape.space {
        Some(Space::Const | Space::Tex) => return Effect::Nothing,
        Some(Space::Param) if !body.parameter_address_taken => return Effect::Nothing,
        // The parameter may be read or written through its address: leave it as it is, anywhere.
        Some(Space::Param) => return Effect::Everything,
        _ => {}
    }
    let store = &*inst.opcode.text == "st";
    let operands = if store { 2 } else { 2 + usize::from(shape.hinted) };
    let scalar =
        shape.vector == 1 && inst.operands.len() == operands && &*inst.opcode.text != "ldu";
    Effect::Access(Access {
        reads: !store || shape.strong,
        writes: store || shape.strong,
        touchable: shape.touchable && !shape.strong && scalar,
        strong: shape.strong,
        space: shape.space,
        ty,
        bytes: bytes_of(ty) * shape.vector,
        address: usize::from(!store),
        data: usize::from(store),
        unconditional: inst.guard.is_none(),
    })
}

/// An `atom` or `red`, as one that says `.relaxed`.
fn read_modify_write(inst: &Instruction) -> Effect {
    let mut shape = Shape::default();
    for modifier in &inst.modifiers {
        shape.take(&modifier.text);
    }
    let Some(ty) = shape.ty else { return Effect::Everything };
    Effect::Access(Access {
        reads: true,
        writes: true,
        touchable: false,
        strong: true,
        space: shape.space,
        ty,
        bytes: bytes_of(ty) * shape.vector,
        address: usize::from(&*inst.opcode.text == "atom"),
        data: 2,
        unconditional: inst.guard.is_none(),
    })
}

/// What the modifiers of an access say together.
struct Shape {
    touchable: bool,
    strong: bool,
    ordered: bool,
    hinted: bool,
    space: Option<Space>,
    ty: Option<Type>,
    vector: u32,
}

impl Default for Shape {
    fn default() -> Shape {
        Shape {
            touchable: false,
            strong: false,
            ordered: false,
            hinted: false,
            space: None,
            ty: None,
            vector: 1,
        }
    }
}

impl Shape {
    fn take(&mut self, modifier: &str) {
        match modifier {
            "volatile" | "relaxed" | "mmio" | "cv" | "wt" => self.strong = true,
            "acquire" | "release" | "acq_rel" | "sc" => self.ordered = true,
            "global" => self.space = Some(Space::Global),
            "shared" | "shared::cta" => self.space = Some(Space::Shared),
            "local" => self.space = Some(Space::Local),
            "const" => self.space = Some(Space::Const),
            "param" | "param::entry" | "param::func" => self.space = Some(Space::Param),
            "v2" => self.vector = 2,
            "v4" => self.vector = 4,
            "v8" => self.vector = 8,
            "weak" | "ca" | "cg" | "cs" | "lu" | "wb" => {}
            other => match type_named(other) {
                Some(ty) => self.ty = Some(ty),
                // A cache hint, `.nc`, the shared memory of another block, ...: not for us.
                None => self.touchable = false,
            },
        }
    }
}

/// The scalar type that a modifier names.
pub(in crate::passes) fn type_named(modifier: &str) -> Option<Type> {
    Type::from_keyword(modifier).filter(|ty| ty.bytes().is_some())
}

/// Bytes of a scalar type.
pub(in crate::passes) fn bytes_of(ty: Type) -> u32 {
    // A predicate has none: `type_named` gives no such type for an access.
    ty.bytes().unwrap_or(0)
}

/// Whether a load of this type extends with the sign.
pub(in crate::passes) fn is_signed(ty: Type) -> bool {
    matches!(ty, Type::S8 | Type::S16 | Type::S32 | Type::S64)
}
