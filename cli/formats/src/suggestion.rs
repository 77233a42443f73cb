//! A command line for a kernel, from its PTX alone: the number of threads, and an argument for each
//! parameter.
//!
//! The accesses show which parameters are pointers, and the types that they point to. If a
//! parameter flows into an address, through copies and sums, the address is in its buffer. The PTX
//! does not say what a number means. So an integer is the number of elements of a buffer, and a
//! floating-point number is 1. In which direction it can be wrong: a kernel that expects more
//! memory, or another number, leaves its buffers. The check then says so.

use std::collections::BTreeMap;

use warpsim::ptx::{
    AddressBase, Function, Instruction, Item, Module, Operand, OperandKind, Parameter, Space, Type,
};

/// Threads of a block where the kernel does not say how many, in one and in two dimensions.
const BLOCK: [&[u64]; 2] = [&[256], &[16, 16]];

/// Blocks, if the kernel tells them apart.
const GRID: [&[u64]; 2] = [&[4], &[2, 2]];

/// Elements of a buffer: one for each thread.
const ELEMENTS: u64 = 1024;

/// Elements of a row, where threads have two dimensions.
const ROW: u64 = 32;

/// Bytes of dynamic shared memory, where there is an array without a size.
const SHARED: u64 = 4096;

/// The most bytes of a parameter: all of a kernel's together have no more (PTX ISA 7.1.1).
const MOST_BYTES: u64 = 32_764;

/// What a command line says of a launch.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Suggestion {
    /// Options and their values, but for `--kernel`.
    pub options: Vec<String>,
}

impl Suggestion {
    /// A launch of a kernel; `None` where the module has none of this name.
    pub fn of(module: &Module, kernel: &str) -> Option<Suggestion> {
        let function = module.functions().find(|function| {
            function.is_entry && &*function.name.text == kernel && function.body.is_some()
        });
        let function = function?;
        let instructions: Vec<&Instruction> = function.instructions().collect();
        let reads = |special: &str| instructions.iter().any(|one| reads(one, special));
        let is_flat = reads("%tid.y") || reads("%ctaid.y");
        let mut options = Vec::new();
        let mut add = |option: &str, value: String| options.extend([option.to_owned(), value]);
        if reads("%ctaid.x") || reads("%ctaid.y") {
            add("--grid", listed(GRID[usize::from(is_flat)]));
        }
        let is_block = |word: &str| word == "reqntid" || word == "maxntid";
        let block = function.directives.iter().find(|one| is_block(&one.name.text));
        match block.map(|directive| directive.values.as_slice()) {
            Some(values) => add("--block", listed(values)),
            None if is_flat || reads("%tid.x") => {
                add("--block", listed(BLOCK[usize::from(is_flat)]))
            }
            None => add("--block", "1".to_owned()),
        }
        if has_dynamic_shared(module) {
            add("--shared", SHARED.to_string());
        }
        let pointers = Pointers::of(function, &instructions);
        for (index, parameter) in function.params.iter().enumerate() {
            add("--arg", argument(parameter, pointers.0.get(&index), is_flat));
        }
        Some(Suggestion { options })
    }
}

fn listed(values: &[u64]) -> String {
    values.iter().map(u64::to_string).collect::<Vec<_>>().join(",")
}

/// Whether an instruction reads a special register, such as `%tid.x`.
fn reads(instruction: &Instruction, special: &str) -> bool {
    instruction.operands.iter().any(|operand| match &operand.kind {
        OperandKind::Member(name, element) => {
            special.split_once('.') == Some((&**name, &**element))
        }
        OperandKind::Name(name) => &**name == special,
        // A special register is a whole operand.
        OperandKind::Integer(_)
        | OperandKind::F32(_)
        | OperandKind::F64(_)
        | OperandKind::Offset(..)
        | OperandKind::Address(..)
        | OperandKind::Subscript(..)
        | OperandKind::Vector(_)
        | OperandKind::Pair(..)
        | OperandKind::Not(_)
        | OperandKind::Negate(_)
        | OperandKind::Sink
        | OperandKind::List(_)
        | OperandKind::Tuple(_) => false,
    })
}

/// Whether the module has an array in shared memory whose size the launch says.
fn has_dynamic_shared(module: &Module) -> bool {
    module.items.iter().any(|item| match item {
        Item::Variable(variable) => {
            variable.space == Space::Shared
                && variable.linkage == Some(warpsim::ptx::Linkage::Extern)
        }
        _ => false,
    })
}

/// The argument of a parameter.
fn argument(parameter: &Parameter, target: Option<&Target>, is_flat: bool) -> String {
    let bytes = u64::from(parameter.ty.bytes().unwrap_or(8));
    if let Some(array) = parameter.array {
        // A module may say any size.
        let bytes = bytes.saturating_mul(array.unwrap_or(1)).min(MOST_BYTES);
        return format!("bytes:{}", "00".repeat(usize::try_from(bytes).unwrap_or(0)));
    }
    // What is narrower is an index into an array of the kernel's own.
    if bytes == 8 && (target.is_some() || parameter.pointer.is_some()) {
        return target.copied().unwrap_or_default().buffer();
    }
    match parameter.ty {
        Type::F16 | Type::F16x2 | Type::Bf16 | Type::Bf16x2 | Type::F32 | Type::F64 => {
            "1".to_owned()
        }
        Type::B8 | Type::U8 | Type::S8 | Type::Pred => "1".to_owned(),
        Type::Texref | Type::Samplerref | Type::Surfref => "null".to_owned(),
        Type::B16
        | Type::B32
        | Type::B64
        | Type::B128
        | Type::U16
        | Type::U32
        | Type::U64
        | Type::S16
        | Type::S32
        | Type::S64 => if is_flat { ROW } else { ELEMENTS }.to_string(),
    }
}

/// What a pointer points to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Target {
    /// The type of an access; `None` for one that says how wide it is and no more.
    ty: Option<Type>,
    bytes: u32,
    is_read: bool,
}

impl Target {
    fn buffer(self) -> String {
        // PTX writes C's `int` as `.u32`, too.
        let element = match (self.ty, self.bytes) {
            (Some(Type::F64), _) => "f64",
            (Some(Type::F16 | Type::F16x2), _) => "f16",
            (Some(Type::Bf16 | Type::Bf16x2), _) => "bf16",
            (Some(Type::F32), _) => "f32",
            (Some(Type::S8), _) => "s8",
            (_, 1) => "u8",
            (_, 2) => "s16",
            (_, 8 | 16) => "s64",
            (_, _) => "s32",
        };
        let init = match (self.is_read, element) {
            (false, _) => "",
            (true, "f16" | "bf16" | "f32" | "f64") => "=rand:1",
            // Not so many numbers fit.
            (true, "u8" | "s8") => "=fill:1",
            (true, _) => "=iota",
        };
        format!("{element}[{ELEMENTS}]{init}")
    }
}

/// The parameters that are pointers, by their indices.
struct Pointers(BTreeMap<usize, Target>);

/// Instructions by which an address becomes another of the same buffer.
const ADDRESS_ARITHMETIC: [&str; 7] = ["cvta", "mov", "add", "sub", "mad", "selp", "shl"];

impl Pointers {
    fn of(function: &Function, instructions: &[&Instruction]) -> Pointers {
        // A pointer has eight bytes. A narrower parameter is an index at most.
        let is_wide = |p: &Parameter| p.ty.bytes() == Some(8) && p.array.is_none();
        let index =
            |name: &str| function.params.iter().position(|p| &*p.name.text == name && is_wide(p));
        let mut from: BTreeMap<&str, usize> = BTreeMap::new();
        // Cells of the thread's own memory that hold a parameter: code without optimisation keeps
        // its variables there.
        let mut slots: BTreeMap<(&str, i64), usize> = BTreeMap::new();
        let loads = instructions.iter().filter(|one| is_load_of_parameter(one));
        for load in loads {
            if let [to, Operand { kind: OperandKind::Address(AddressBase::Name(name), 0), .. }, ..] =
                load.operands.as_slice()
                && let (OperandKind::Name(to), Some(index)) = (&to.kind, index(name))
            {
                from.insert(to, index);
            }
        }
        // An address flows through at most as many instructions as there are.
        for _ in 0..instructions.len() {
            let before = from.len() + slots.len();
            for one in instructions {
                let Some((base, offset, value)) = moved(one) else { continue };
                if from.contains_key(base) {
                    continue;
                }
                let slot = (base, offset);
                match (&*one.opcode.text, from.get(value).copied(), slots.get(&slot).copied()) {
                    ("st", Some(index), None) => drop(slots.insert(slot, index)),
                    ("ld", None, Some(index)) => drop(from.insert(value, index)),
                    (_, _, _) => (),
                }
            }
            let steps = instructions.iter().filter(|one| is_address_arithmetic(one));
            for step in steps {
                let Some((to, sources)) = step.operands.split_first() else { continue };
                let OperandKind::Name(to) = &to.kind else { continue };
                let source = sources.iter().find_map(|operand| match &operand.kind {
                    OperandKind::Name(name) => from.get(&**name).copied(),
                    _ => None,
                });
                if let Some(source) = source {
                    from.entry(to).or_insert(source);
                }
            }
            if from.len() + slots.len() == before {
                break;
            }
        }
        let types = Types::of(instructions);
        let mut pointers = Pointers(BTreeMap::new());
        for access in instructions.iter().filter(|one| !is_load_of_parameter(one)) {
            for operand in &access.operands {
                if let OperandKind::Address(AddressBase::Name(name), _) = &operand.kind
                    && let Some(index) = from.get(&**name)
                {
                    pointers.add(*index, access, &types);
                }
            }
        }
        pointers
    }

    fn add(&mut self, index: usize, access: &Instruction, types: &Types<'_>) {
        let target = self.0.entry(index).or_default();
        let said = access.modifiers.iter().rev().find_map(|word| Type::from_keyword(&word.text));
        let bytes = said.and_then(Type::bytes).unwrap_or(4);
        target.bytes = target.bytes.max(bytes);
        let ty = said.filter(|ty| !is_untyped(*ty)).or_else(|| types.of_value(access));
        target.ty = target.ty.or(ty.filter(|ty| ty.bytes() == Some(bytes)));
        target.is_read |= &*access.opcode.text != "st";
    }
}

/// The cell of an access of one register, and the register: base, offset, register.
fn moved(access: &Instruction) -> Option<(&str, i64, &str)> {
    let [first, second] = access.operands.as_slice() else { return None };
    let (address, register) = match &*access.opcode.text {
        "st" => (first, second),
        "ld" if !is_load_of_parameter(access) => (second, first),
        _ => return None,
    };
    match (&address.kind, &register.kind) {
        (OperandKind::Address(AddressBase::Name(base), offset), OperandKind::Name(register)) => {
            Some((&**base, *offset, &**register))
        }
        _ => None,
    }
}

fn is_load_of_parameter(instruction: &Instruction) -> bool {
    let has = |word: &str| instruction.modifiers.iter().any(|m| m.text.starts_with(word));
    &*instruction.opcode.text == "ld" && has("param")
}

fn is_address_arithmetic(instruction: &Instruction) -> bool {
    ADDRESS_ARITHMETIC.contains(&&*instruction.opcode.text)
}

/// Whether a type says how wide a value is and no more.
fn is_untyped(ty: Type) -> bool {
    matches!(ty, Type::B8 | Type::B16 | Type::B32 | Type::B64 | Type::B128)
}

/// The types that arithmetic has for registers.
struct Types<'a>(BTreeMap<&'a str, Type>);

impl<'a> Types<'a> {
    fn of(instructions: &[&'a Instruction]) -> Types<'a> {
        let mut types = BTreeMap::new();
        let is_arithmetic = |one: &&&Instruction| {
            !matches!(&*one.opcode.text, "ld" | "st" | "mov" | "cvt" | "cvta" | "setp" | "selp")
        };
        for instruction in instructions.iter().filter(is_arithmetic) {
            let last = instruction.modifiers.last();
            let ty = last.and_then(|word| Type::from_keyword(&word.text));
            let Some(ty) = ty.filter(|ty| !is_untyped(*ty)) else { continue };
            for operand in &instruction.operands {
                if let OperandKind::Name(name) = &operand.kind {
                    types.entry(&**name).or_insert(ty);
                }
            }
        }
        Types(types)
    }

    /// The type of what an access moves.
    fn of_value(&self, access: &Instruction) -> Option<Type> {
        let names = access.operands.iter().flat_map(|operand| match &operand.kind {
            OperandKind::Name(name) => vec![&**name],
            OperandKind::Vector(elements) => elements
                .iter()
                .filter_map(|element| match &element.kind {
                    OperandKind::Name(name) => Some(&**name),
                    _ => None,
                })
                .collect(),
            _ => Vec::new(),
        });
        names.into_iter().find_map(|name| self.0.get(name).copied())
    }
}

#[cfg(test)]
mod tests {
    use super::Suggestion;

    /// As compilers write it without optimisation: `out[i] = in[i] * n`, with `i * n` beside it.
    #[test]
    fn a_pointer_that_goes_through_the_stack_is_a_buffer() {
        let text = "
            .version 7.0
            .target sm_70
            .address_size 64
            .visible .entry scale(.param .u64 out, .param .u64 in, .param .u32 n) {
              .local .align 8 .b8 depot[24];
              .reg .u64 %SP, %d<9>; .reg .u32 %r<9>; .reg .f32 %f<3>;
              mov.u64 %SP, depot;
              cvta.local.u64 %SP, %SP;
              ld.param.u64 %d1, [out]; ld.param.u64 %d2, [in]; ld.param.u32 %r1, [n];
              st.u64 [%SP], %d1; st.u64 [%SP+8], %d2; st.u32 [%SP+16], %r1;
              mov.u32 %r2, %tid.x;
              ld.u32 %r3, [%SP+16];
              mul.lo.s32 %r4, %r2, %r3;
              mul.wide.s32 %d3, %r4, 4;
              ld.u64 %d4, [%SP+8];
              add.s64 %d5, %d3, %d4;
              ld.f32 %f1, [%d5];
              ld.u64 %d6, [%SP];
              add.s64 %d7, %d6, %d3;
              st.f32 [%d7], %f1;
              ret;
            }";
        let module = warpsim::ptx::parse("scale.ptx", text).unwrap();
        let suggested = Suggestion::of(&module, "scale").unwrap().options.join(" ");
        let wanted = "--block 256 --arg f32[1024] --arg f32[1024]=rand:1 --arg 1024";
        assert_eq!(suggested, wanted);
    }
}
