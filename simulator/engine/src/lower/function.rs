//! Lowers one function: its parameters and its body, statement by statement, to operations.
//!
//! An instruction becomes one operation or several. All except the last are parts. Branch targets
//! are labels at first. [`FunctionLowering::finish`] cuts the function into blocks and fills in
//! places, ranks and joins. Program counters are relative to the function's first operation until
//! the program is linked.

use crate::lower::operations::operand::{EXIT, Guard, Home, Pc};
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use super::error::{LowerError, LowerErrorKind};
use super::flow::{ranks, reconvergence};
use super::program::*;
use super::scope::{Location, Names, Variable};
use crate::graph::{Blocks, Step};
use crate::internal;
use crate::isa::ImpliedModifiers;
use crate::lanes::{Operands, Primitive, RegisterOperation, Slot};
use crate::lower::module::layout::{Packing, Shape, inner_variables};
use crate::lower::module::placement::Placement;
use crate::lower::module::shared::SharedLayout;
use crate::lower::module::symbols::Symbols;
use crate::lower::operations::constants::ConstantBank;
use crate::lower::operations::effect::{After, Leave};
use crate::lower::operations::operation::*;
use crate::ptx::{self, Block, InstId, Instruction, Space, Statement, Type};
use crate::report::SourcePosition;

/// The common data of the functions of one program.
pub(super) struct Surroundings<'m> {
    pub(super) symbols: &'m Symbols<'m>,
    pub(super) placement: &'m Placement,
    pub(super) shared: &'m SharedLayout,
    pub(super) positions: &'m ptx::SourceMap,
    /// The functions of the program and their numbers.
    pub(super) numbers: &'m HashMap<&'m str, usize>,
    /// The modifiers that a module of this version and target implies.
    pub(super) implied: ImpliedModifiers,
}

/// A function while it is lowered.
pub(super) struct FunctionLowering<'m, 'c> {
    pub(super) around: &'m Surroundings<'m>,
    pub(super) function: &'m ptx::Function,
    pub(super) constants: &'c mut ConstantBank,
    pub(super) scopes: Names<'m>,
    pub(super) operations: Vec<Operation>,
    pub(super) places: Vec<Place>,
    /// For each branch its operation and its labels.
    pub(super) jumps: Vec<(usize, Vec<usize>)>,
    /// The places of labels.
    pub(super) labels: HashMap<usize, usize>,
    pub(super) params: Vec<Home>,
    pub(super) returns: Vec<Home>,
    pub(super) kernel_parameters: Vec<KernelParameter>,
    param: Packing,
    param_bytes: u64,
    pub(super) local: Packing,
    local_align: u64,
    locals: Vec<Symbol>,
    pub(super) copied_params: Vec<CopiedParam>,
    shared_seen: usize,
    /// The `.global` and `.const` variables whose declarations come later.
    inner: std::vec::IntoIter<(Arc<str>, &'m ptx::Variable)>,
    pub(super) current: Current,
    temporaries: Temporaries,
    pub(super) carry: Option<Slot>,
    names: HashSet<Arc<str>>,
    last_source: Option<(&'m ptx::SourcePosition, Arc<SourcePosition>)>,
}

/// A parameter of a function whose address is taken. It is copied to local memory on entry, and
/// lives there.
pub(super) struct CopiedParam {
    /// Its offset in the `.param` bytes.
    pub(super) from: u32,
    /// Its offset in local memory.
    pub(super) to: u32,
    /// Bytes.
    pub(super) size: u32,
}

/// The instruction that is being lowered.
#[derive(Debug, Default)]
pub(super) struct Current {
    first: usize,
    pub(super) guard: Option<Guard>,
    pub(super) reads: Vec<u32>,
    pub(super) writes: Vec<u32>,
}

/// Scratch slots: each is free again after the instruction.
#[derive(Debug, Default)]
struct Temporaries {
    slots: [Vec<Slot>; 3],
    used: [usize; 3],
}

/// The result for a function.
pub(super) struct Lowered {
    pub(super) function: Function,
    pub(super) operations: Vec<Operation>,
    pub(super) places: Vec<Place>,
    pub(super) kernel_parameters: Vec<KernelParameter>,
    pub(super) kernel_parameter_bytes: u32,
    /// The alignment of its local memory.
    pub(super) local_align: u64,
}

/// Lowers a function.
pub(super) fn lower_function<'m>(
    around: &'m Surroundings<'m>,
    function: &'m ptx::Function,
    constants: &mut ConstantBank,
) -> Result<Lowered, LowerError> {
    let mut lowering = FunctionLowering::new(around, function, constants);
    if function.is_entry {
        lowering.kernel_parameters()?;
    } else {
        lowering.function_parameters()?;
    }
    if let Some(body) = &function.body {
        lowering.block(body)?;
    }
    lowering.end_of_body();
    lowering.finish()
}

impl<'m, 'c> FunctionLowering<'m, 'c> {
    fn new(
        around: &'m Surroundings<'m>,
        function: &'m ptx::Function,
        constants: &'c mut ConstantBank,
    ) -> FunctionLowering<'m, 'c> {
        FunctionLowering {
            around,
            function,
            constants,
            scopes: Names::default(),
            operations: Vec::new(),
            places: Vec::new(),
            jumps: Vec::new(),
            labels: HashMap::new(),
            params: Vec::new(),
            returns: Vec::new(),
            kernel_parameters: Vec::new(),
            param: Packing::default(),
            param_bytes: 0,
            local: Packing::default(),
            local_align: 16,
            locals: Vec::new(),
            copied_params: Vec::new(),
            shared_seen: 0,
            inner: inner_variables(function).into_iter(),
            current: Current::default(),
            temporaries: Temporaries::default(),
            carry: None,
            names: HashSet::new(),
            last_source: None,
        }
    }

    fn block(&mut self, block: &'m Block) -> Result<(), LowerError> {
        self.scopes.open(block)?;
        let param = self.param;
        for statement in &block.statements {
            match statement {
                Statement::Registers(r) => {
                    for (name, count) in &r.names {
                        self.scopes.declare_register(name, r.ty, *count, r.vector)?;
                    }
                }
                Statement::Variable(v) => self.variable(v)?,
                Statement::Label(name) => {
                    let scope = self.scopes.innermost();
                    let Some(number) = self.scopes.place(scope, &name.text) else {
                        return Err(internal!("the label `{}` names no place", name.text).into());
                    };
                    self.labels.insert(number, self.operations.len());
                }
                Statement::Instruction(i) => self.instruction(i)?,
                Statement::Block(inner) => self.block(inner)?,
                // The names of a label are known from the beginning of its scope.
                Statement::BranchTargets(..)
                | Statement::CallTargets(..)
                | Statement::CallPrototype(_)
                | Statement::Loc(_)
                | Statement::Pragma(_) => {}
            }
        }
        // The next scope may overwrite the parameters that a scope declared for a call.
        self.param = param;
        self.scopes.close();
        Ok(())
    }

    fn variable(&mut self, variable: &'m ptx::Variable) -> Result<(), LowerError> {
        let shape = Shape::of(variable)?;
        for name in variable.names() {
            let location = match variable.space {
                Space::Shared => {
                    let symbol =
                        self.around.shared.of_function(&self.function.name.text, self.shared_seen);
                    let symbol = symbol.ok_or_else(|| internal!("`{name}` has no place"))?;
                    self.shared_seen += 1;
                    Location::Absolute(symbol.address)
                }
                Space::Local => Location::Frame(self.local(&name, variable.ty, &shape)?),
                Space::Param => Location::FrameParam(self.param_bytes(shape.size, shape.align)?),
                Space::Global | Space::Const => {
                    let inner = self.inner.next();
                    let (name, _) = inner.ok_or_else(|| internal!("`{name}` has no place"))?;
                    let placement = self.around.placement;
                    let placed = placement.globals.get(&name).or(placement.constants.get(&name));
                    let address = placed.ok_or_else(|| internal!("`{name}` has no address"))?;
                    Location::Absolute(*address)
                }
                Space::Tex => {
                    let what = format!(".{} in a function", variable.space.keyword());
                    let reason = "declare it at module scope".into();
                    let kind = LowerErrorKind::Unsupported { what, reason };
                    return Err(LowerError::at(kind, variable.span));
                }
            };
            let element = variable.element();
            let entity = Variable { space: variable.space, location, size: shape.size, element };
            self.scopes.declare_variable(&name, entity, variable.name.span)?;
        }
        Ok(())
    }

    fn local(&mut self, name: &Arc<str>, ty: Type, shape: &Shape) -> Result<u32, LowerError> {
        let address = self.reserve_local(shape.size, shape.align);
        let size = shape.size;
        self.locals.push(Symbol { name: Arc::clone(name), space: Space::Local, ty, address, size });
        self.fits(self.local.end, address)
    }

    /// Reserves bytes in the local memory of the activation.
    pub(super) fn reserve_local(&mut self, size: u64, align: u64) -> u64 {
        self.local_align = self.local_align.max(align);
        self.local.add(size, align)
    }

    /// Reserves bytes for a `.param` variable of this activation.
    pub(super) fn param_bytes(&mut self, size: u64, align: u64) -> Result<u32, LowerError> {
        let offset = self.param.add(size, align);
        self.param_bytes = self.param_bytes.max(self.param.end);
        self.fits(self.param.end, offset)
    }

    pub(super) fn fits(&self, end: u64, offset: u64) -> Result<u32, LowerError> {
        if end > crate::lower::module::placement::window::KERNEL_PARAM {
            let name = self.function.name.text.to_string();
            let reason = "the variables of this function do not fit in memory".into();
            let kind = LowerErrorKind::Variable { name, reason };
            return Err(LowerError::at(kind, self.function.span));
        }
        Ok(offset as u32)
    }

    fn instruction(&mut self, instruction: &'m Instruction) -> Result<(), LowerError> {
        self.current = Current { first: self.operations.len(), ..Current::default() };
        self.free_temporaries();
        if let Some(guard) = &instruction.guard {
            let slot = self.predicate_register(&guard.register.text, guard.register.span)?;
            self.current.guard = Some(Guard { predicate: slot, negated: guard.negated });
        }
        self.translate(instruction).map_err(|error| error.while_lowering(instruction))?;
        self.end_of_instruction(instruction)
    }

    /// Marks the parts of a translated instruction, and notes its place.
    fn end_of_instruction(&mut self, instruction: &Instruction) -> Result<(), LowerError> {
        let made = self.operations.get_mut(self.current.first..);
        let Some((_, parts)) = made.and_then(<[Operation]>::split_last_mut) else {
            let nothing = internal!("no operation for `{}`", mnemonic(instruction));
            return Err(LowerError::from(nothing).while_lowering(instruction));
        };
        parts.iter_mut().for_each(|operation| operation.part = true);
        let place = self.place(instruction);
        self.places.resize(self.operations.len(), place);
        Ok(())
    }

    fn place(&mut self, instruction: &Instruction) -> Place {
        let whole = instruction.to_string();
        let guard = instruction.guard.as_ref().map(|g| format!("{g} ")).unwrap_or_default();
        let text = whole.strip_prefix(&guard).unwrap_or(&whole);
        let described = Described {
            instruction: instruction.id,
            line: self.around.symbols.module.source.line(instruction.span.start),
            file: self.around.symbols.module.source.other_file(instruction.span.start).cloned(),
            source: self.source_of(instruction),
            name: self.name_of(instruction),
            text: text.into(),
        };
        Place::new(described, &once(&self.current.reads), &once(&self.current.writes))
    }

    /// The opcode with its modifiers, shared by all instructions that have the same.
    fn name_of(&mut self, instruction: &Instruction) -> Arc<str> {
        let name = mnemonic(instruction);
        if let Some(known) = self.names.get(&*name) {
            return Arc::clone(known);
        }
        let name: Arc<str> = name.into();
        self.names.insert(Arc::clone(&name));
        name
    }

    /// The line of the source, shared by neighbouring instructions of one line.
    fn source_of(&mut self, instruction: &Instruction) -> Option<Arc<SourcePosition>> {
        let position = self.around.positions.position(instruction.id)?;
        match &self.last_source {
            Some((known, source)) if *known == position => Some(Arc::clone(source)),
            _ => {
                let source = Arc::new(source_position(position));
                self.last_source = Some((position, Arc::clone(&source)));
                Some(source)
            }
        }
    }

    /// Appends an operation of the current instruction.
    pub(super) fn emit(&mut self, kind: Kind) {
        let visible = kind.effect().is_visible();
        let guard = self.current.guard;
        let (part, leader, rank) = (false, false, 0);
        self.operations.push(Operation { guard, part, leader, visible, rank, kind });
    }

    /// Appends a register operation.
    pub(super) fn emit_lanes(&mut self, piece: Primitive, d: Slot, a: Slot, b: Slot) {
        let operands = Operands { d, a, b, ..Operands::default() };
        self.emit(Kind::Lanes(RegisterOperation::new(piece, operands)));
    }

    /// Notes that the operation emitted next is a jump to labels.
    pub(super) fn jump_to(&mut self, labels: Vec<usize>) {
        self.jumps.push((self.operations.len(), labels));
    }

    /// Frees all scratch slots.
    pub(super) fn free_temporaries(&mut self) {
        self.temporaries.used = [0; 3];
    }

    /// A scratch slot for a value of a type, until the end of the instruction.
    pub(super) fn temporary(&mut self, ty: Type) -> Slot {
        let bank = match ty.bytes() {
            None => 0,
            Some(8..) => 2,
            Some(_) => 1,
        };
        let used = self.temporaries.used[bank];
        self.temporaries.used[bank] += 1;
        if let Some(slot) = self.temporaries.slots[bank].get(used) {
            return *slot;
        }
        let slot = self.scopes.registers.slot(ty);
        self.temporaries.slots[bank].push(slot);
        slot
    }

    /// The end of a body without a return returns.
    fn end_of_body(&mut self) {
        let end = self.function.body.as_ref().map_or(0, |b| b.span.end.saturating_sub(1));
        let last = self.places.last();
        let described = Described {
            instruction: last.map_or(InstId(u32::MAX), |p| p.instruction),
            line: self.around.symbols.module.source.line(end),
            file: self.around.symbols.module.source.other_file(end).cloned(),
            source: last.and_then(|p| p.source.clone()),
            name: "ret".into(),
            text: "ret".into(),
        };
        let place = Place::new(described, &[], &[]);
        let falls = self.operations.last().is_none_or(|last| last.after().next);
        if falls || self.labels.values().any(|at| *at == self.operations.len()) {
            self.current = Current { first: self.operations.len(), ..Current::default() };
            self.emit(Kind::Return);
            self.places.push(place);
        }
    }

    fn finish(mut self) -> Result<Lowered, LowerError> {
        self.copy_params()?;
        self.resolve_jumps()?;
        let blocks = Blocks::new(&self.steps());
        let ranks = ranks(&blocks.successors);
        let meeting = reconvergence(&blocks);
        let end = self.operations.len();
        for (i, operation) in self.operations.iter_mut().enumerate() {
            let block = blocks.of(i);
            let known = (ranks.get(block), blocks.starts.get(block), meeting.get(block));
            let (Some(rank), Some(start), Some(meet)) = known else {
                return Err(
                    internal!("operation {i} is in block {block}, which is not there").into()
                );
            };
            operation.rank = *rank;
            operation.leader = *start == i;
            let meet = match meet {
                None => EXIT,
                Some(meet) => {
                    let start = blocks.starts.get(*meet).copied();
                    let start = start.ok_or_else(|| internal!("lanes meet in no block: {meet}"))?;
                    // The caller is behind the end.
                    if start < end { start as Pc } else { EXIT }
                }
            };
            if let Some(jump) = operation.kind.jump() {
                *jump.reconverge = meet;
            }
        }
        let Names { registers, .. } = self.scopes;
        let function = Function {
            name: Arc::clone(&self.function.name.text),
            entry: 0,
            end: self.operations.len() as Pc,
            slots: registers.slots,
            param_bytes: self.param_bytes as u32,
            local_bytes: self.local.end.next_multiple_of(16) as u32,
            frame_bytes: self.local.end.next_multiple_of(8) as u32,
            params: self.params,
            returns: self.returns,
            registers: registers.names,
            locals: self.locals,
        };
        let bytes = self.kernel_parameters.iter().map(|p| p.offset + p.size).max();
        Ok(Lowered {
            function,
            operations: self.operations,
            places: self.places,
            kernel_parameter_bytes: bytes.unwrap_or(0),
            kernel_parameters: self.kernel_parameters,
            local_align: self.local_align,
        })
    }

    /// Where control goes after each operation. The lanes that return from a function meet in its
    /// caller, so `ret` goes to a separate block behind the function. The threads that leave a
    /// kernel meet nowhere.
    fn steps(&self) -> Vec<Step> {
        let caller = self.operations.len();
        let step = |operation: &Operation| {
            let After { targets, next, leaves } = operation.after();
            match leaves {
                Some(Leave::Return) if !self.function.is_entry => {
                    Step::Jump { targets: vec![caller], conditional: next }
                }
                Some(Leave::Return | Leave::Exit | Leave::Trap) => {
                    Step::Leave { conditional: next }
                }
                None if next && targets.is_empty() => Step::Next,
                None => {
                    let targets = targets.iter().map(|target| *target as usize).collect();
                    Step::Jump { targets, conditional: next }
                }
            }
        };
        let mut steps: Vec<Step> = self.operations.iter().map(step).collect();
        if !self.function.is_entry {
            steps.extend([Step::Next, Step::Leave { conditional: false }]);
        }
        steps
    }

    /// Replaces the labels of jumps by their places.
    fn resolve_jumps(&mut self) -> Result<(), LowerError> {
        for (operation, labels) in &self.jumps {
            let mut places = Vec::new();
            for label in labels {
                let place = self.labels.get(label);
                places.push(*place.ok_or_else(|| internal!("label {label} stands nowhere"))? as Pc);
            }
            let kind = self.operations.get_mut(*operation).map(|operation| &mut operation.kind);
            match (kind, places.as_slice()) {
                (Some(Kind::Branch { target, .. }), [only]) => *target = *only,
                (Some(Kind::BranchIndexed(branch)), _) => branch.targets = places,
                (kind, _) => return Err(internal!("{kind:?} jumps to {places:?}").into()),
            }
        }
        Ok(())
    }
}

/// `ld.shared.u32`
pub(super) fn mnemonic(instruction: &Instruction) -> String {
    let mut name = instruction.opcode.text.to_string();
    for modifier in &instruction.modifiers {
        name.push('.');
        name.push_str(&modifier.text);
    }
    name
}

/// Each index once, in the order of the text.
fn once(indices: &[u32]) -> Vec<u32> {
    let mut out = Vec::new();
    for index in indices {
        if !out.contains(index) {
            out.push(*index);
        }
    }
    out
}

fn source_position(position: &ptx::SourcePosition) -> SourcePosition {
    SourcePosition {
        file: Arc::clone(&position.file),
        line: position.line,
        column: position.column,
        inlined_at: position.inlined_at.iter().map(source_position).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Plants a routine that forgets its instruction: the instruction begins and ends without an
    /// operation.
    #[test]
    fn an_instruction_without_an_operation_is_a_bug_of_warpsim_told_with_its_line() {
        let text =
            ".version 7.0\n.target sm_80\n.address_size 64\n.entry k()\n{\n  membar.gl;\n}\n";
        let module = ptx::parse("k.ptx", text).unwrap();
        let (placement, positions) = (Placement::default(), ptx::SourceMap::of(&module));
        let around = Surroundings {
            symbols: &Symbols::new(&module).unwrap(),
            placement: &placement,
            shared: &SharedLayout::default(),
            positions: &positions,
            numbers: &HashMap::new(),
            implied: ImpliedModifiers::of(&module),
        };
        let function = around.symbols.function("k").unwrap();
        let mut constants = ConstantBank::default();
        let mut lowering = FunctionLowering::new(&around, function, &mut constants);
        let Some(Statement::Instruction(forgotten)) =
            function.body.as_ref().and_then(|body| body.statements.first())
        else {
            panic!("{function:?}")
        };
        let error = lowering.end_of_instruction(forgotten).unwrap_err().in_source(&module.source);
        assert!(error.is_internal() && !error.is_unsupported());
        assert_eq!((error.line, module.source.slice(error.span)), (6, "membar.gl;"));
        let told = error.to_string();
        let expected = "line 6: this is a bug in warpsim: no operation for `membar.gl` (";
        assert!(told.starts_with(expected), "{told}");
    }
}
