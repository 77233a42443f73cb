//! Value numbering: which value each register holds at each site, without SSA.
//!
//! PTX registers are assigned again and again, so a forward dataflow finds the values: its state
//! maps every register to a [`ValueId`]. Where the predecessors of a block disagree about a
//! register, it holds a fresh [`Atom::Join`] of that block. The first round is optimistic about
//! back edges, and disagreement found later stays. The result of a guarded instruction is unknown.
//!
//! At the fixed point, registers with equal values hold equal numbers. No register holds a stale
//! instance of an atom where that atom is defined anew: on the first way to that place the atom
//! does not exist yet, so the predecessors would disagree. For the same reason forward
//! must-analyses may compare values freely; backward ones must not (see
//! [`Values::definers`](super::values::Values::definers)).

use std::sync::Arc;

use super::alias::{self, Place};
use super::error::until_stable;
use super::policy::{Fault, Policy};
use super::values::{Atom, Bounds, ValueId, Values, mask};
use crate::internal::InternalError;
use crate::passes::function::body::{Body, Meaning, Site};
use crate::passes::function::cfg::Cfg;
use crate::passes::function::effects::{self, Effect};
use crate::ptx::{AddressBase, Operand, OperandKind, Space, Type};
use crate::scope::{Register, RegisterId};

/// The values of a function, and where its accesses go.
#[derive(Debug)]
pub(super) struct Numbering {
    /// The interned values.
    pub(super) values: Values,
    /// For each site that accesses memory: where. None for other sites, in blocks that cannot be
    /// reached, and for addresses that make no sense.
    pub(super) places: Vec<Option<Place>>,
}

type State = Vec<ValueId>;

/// Rounds after which every join is given up, so that odd graphs end too.
const OPTIMISTIC: usize = 40;

impl Numbering {
    /// Numbers a function's values.
    pub(super) fn new(
        body: &Body<'_>,
        cfg: &Cfg,
        effects: &[Effect],
        policy: &Policy,
    ) -> Result<Numbering, InternalError> {
        let mut solver = Solver {
            body,
            policy,
            values: Values::default(),
            leaving: vec![None; cfg.blocks.len()],
            joined: vec![vec![false; body.registers().len()]; cfg.blocks.len()],
        };
        solver.solve(cfg)?;
        let mut places = vec![None; body.sites.len()];
        for &block in &cfg.order {
            let mut state = solver.entering(cfg, block);
            for index in cfg.blocks[block].sites.clone() {
                let site = &body.sites[index];
                if let Some(Effect::Access(access)) = effects.get(index) {
                    let register = |name: &str| match site.meaning(name) {
                        Meaning::Register(register) => state.get(register.0 as usize).copied(),
                        _ => None,
                    };
                    places[index] = Place::new(&mut solver.values, body, site, access, register);
                }
                solver.execute(index, &mut state);
            }
        }
        Ok(Numbering { values: solver.values, places })
    }
}

struct Solver<'b, 'a> {
    body: &'b Body<'a>,
    policy: &'b Policy,
    values: Values,
    /// The state at each block's end, once it has been reached.
    leaving: Vec<Option<State>>,
    /// Where each block's predecessors disagree.
    joined: Vec<Vec<bool>>,
}

impl Solver<'_, '_> {
    fn solve(&mut self, cfg: &Cfg) -> Result<(), InternalError> {
        let mut round = 0;
        // Once all joins are given up, a round settles a block that one predecessor leads to.
        until_stable("value numbering", OPTIMISTIC + cfg.blocks.len() + 1, || {
            if round == OPTIMISTIC {
                self.give_up_joins(cfg);
            }
            round += 1;
            Ok(self.round(cfg))
        })
    }

    /// Looks at every block once. Says whether a state changed.
    fn round(&mut self, cfg: &Cfg) -> bool {
        let mut changed = false;
        for &block in &cfg.order {
            let mut state = self.entering(cfg, block);
            for index in cfg.blocks[block].sites.clone() {
                self.execute(index, &mut state);
            }
            if self.leaving[block].as_ref() != Some(&state) {
                self.leaving[block] = Some(state);
                changed = true;
            }
        }
        changed
    }

    fn give_up_joins(&mut self, cfg: &Cfg) {
        for (number, (block, joined)) in cfg.blocks.iter().zip(&mut self.joined).enumerate() {
            // The function is entered where its first block begins.
            if block.predecessors.len() + usize::from(number == 0) > 1 {
                joined.fill(true);
            }
        }
    }

    /// The state on entry to a block, from the predecessors reached so far.
    fn entering(&mut self, cfg: &Cfg, block: usize) -> State {
        let mut reached: Vec<&State> = Vec::new();
        for &before in &cfg.blocks[block].predecessors {
            let backwards =
                cfg.is_back_edge(before, block) && self.policy.broken(Fault::IgnoreBackEdges);
            let extra = self.policy.broken(Fault::IgnoreJoins) && !reached.is_empty();
            if !backwards && !extra {
                reached.extend(&self.leaving[before]);
            }
        }
        let mut state = State::with_capacity(self.body.registers().len());
        for (number, register) in self.body.registers().iter().enumerate() {
            let id = RegisterId(number as u32);
            let width = register.width().max(1);
            let mut held: Option<ValueId> = None;
            if block == 0 {
                held = Some(self.values.unknown(width, Atom::Initial(id)));
            }
            for found in reached.iter().map(|state| state[number]) {
                if *held.get_or_insert(found) != found {
                    self.joined[block][number] = true;
                }
            }
            let join = self.joined[block][number] || held.is_none();
            state.push(match held {
                Some(held) if !join => held,
                _ => self.values.unknown(width, Atom::Join(block, id)),
            });
        }
        state
    }

    /// What a site does to the registers.
    fn execute(&mut self, index: usize, state: &mut State) {
        let site = &self.body.sites[index];
        let guarded =
            site.inst.guard.is_some() && !self.policy.broken(Fault::IgnoreGuardsOfDefinitions);
        let computed = match site.defines.as_slice() {
            [register] if !guarded => self.compute(site, *register, state),
            _ => None,
        };
        for &register in &site.defines {
            let width = self.width(register).max(1);
            let value = match computed {
                Some(value) if self.values.width(value) == width => value,
                _ => {
                    let bounds = result_bounds(site, width);
                    self.values.atom(width, Atom::Result(index, register), bounds)
                }
            };
            state[register.0 as usize] = value;
        }
    }

    fn width(&self, register: RegisterId) -> u8 {
        self.body.register(register).map_or(0, Register::width)
    }

    /// The value that an instruction leaves in its only destination, when it is a function of
    /// values that are known.
    fn compute(&mut self, site: &Site<'_>, into: RegisterId, state: &State) -> Option<ValueId> {
        let width = self.width(into);
        if width == 0 {
            // A predicate, a vector or a register of 8 bits holds nothing that is followed.
            return None;
        }
        let expression = Expression { site, state, width, types: types_of(site) };
        match &*site.inst.opcode.text {
            "mov" => self.copy(&expression),
            "cvta" => self.change_space(&expression),
            "cvt" => self.convert(&expression),
            "ld" => self.parameter(&expression),
            "add" => self.sum(&expression, 1),
            "sub" => self.sum(&expression, u64::MAX),
            "neg" => self.scale(&expression, u64::MAX),
            "shl" => self.shift_left(&expression),
            "or" => self.or(&expression),
            "mul" | "mad" => self.product(&expression),
            _ => None,
        }
        .or_else(|| self.function(&expression))
    }

    /// An operand as a value of `width` bits.
    fn operand(&mut self, of: &Expression<'_>, operand: usize, width: u8) -> Option<ValueId> {
        let operand = of.site.inst.operands.get(operand)?;
        let (name, offset) = match &operand.kind {
            OperandKind::Integer(number) => {
                return Some(self.values.constant(width, *number as u64));
            }
            OperandKind::Name(name) => (name, 0),
            OperandKind::Offset(name, offset) => (name, *offset),
            OperandKind::Subscript(name, index) => {
                (name, self.body.element_offset(of.site.meaning(name), index)?)
            }
            OperandKind::Member(name, element) => {
                return self.special(of.site, name, Some(element), width);
            }
            _ => return None,
        };
        match of.site.meaning(name) {
            Meaning::Register(register) if offset == 0 => {
                let value = *of.state.get(register.0 as usize)?;
                let held = self.width(*register);
                (held >= width && held > 0).then(|| self.values.truncated(value, width))
            }
            Meaning::Variable(variable) => {
                let start = alias::variable_address(&mut self.values, self.body, *variable, width)?;
                let offset = self.values.constant(width, offset as u64);
                Some(self.values.add_scaled(start, offset, 1))
            }
            Meaning::Special if offset == 0 => self.special(of.site, name, None, width),
            _ => None,
        }
    }

    /// A special register that does not change during a thread's life (PTX ISA 10).
    fn special(
        &mut self,
        site: &Site<'_>,
        name: &Arc<str>,
        element: Option<&Arc<str>>,
        width: u8,
    ) -> Option<ValueId> {
        if *site.meaning(name) != Meaning::Special {
            return None;
        }
        if &**name == "WARP_SZ" {
            return Some(self.values.constant(width, 32));
        }
        let name: Arc<str> = match element {
            Some(element) => format!("{name}.{element}").into(),
            None => name.clone(),
        };
        let most = special_limit(&name)?;
        Some(self.values.atom(width, Atom::Special(name), (0, most)))
    }

    fn copy(&mut self, of: &Expression<'_>) -> Option<ValueId> {
        let [ty] = *of.types.as_slice() else { return None };
        let bits = bits_of(ty);
        (bits == of.width).then(|| self.operand(of, 1, bits)).flatten()
    }

    fn change_space(&mut self, of: &Expression<'_>) -> Option<ValueId> {
        let modifiers: Vec<&str> = of.site.inst.modifiers.iter().map(|m| &*m.text).collect();
        let (space, factor) = match modifiers.as_slice() {
            ["to", space, _] => (*space, u64::MAX),
            [space, _] => (*space, 1),
            _ => return None,
        };
        let space = match space {
            "global" => Space::Global,
            "shared" | "shared::cta" => Space::Shared,
            "local" => Space::Local,
            _ => return None,
        };
        let address = self.operand(of, 1, of.width)?;
        let start = alias::window(&mut self.values, space);
        let start = self.values.truncated(start, of.width);
        Some(self.values.add_scaled(address, start, factor))
    }

    fn convert(&mut self, of: &Expression<'_>) -> Option<ValueId> {
        let [into, from] = *of.types.as_slice() else { return None };
        if !is_integer(into) || !is_integer(from) || of.site.inst.modifiers.len() != 2 {
            return None;
        }
        let trusting = self.policy.broken(Fault::WideningIsAlwaysExact);
        let signed = effects::is_signed;
        let source = self.operand(of, 1, bits_of(from))?;
        let value = self.values.widened(source, bits_of(into), signed(from), trusting);
        Some(self.values.widened(value, of.width, signed(into), trusting))
    }

    fn parameter(&mut self, of: &Expression<'_>) -> Option<ValueId> {
        let [ty] = *of.types.as_slice() else { return None };
        let (name, offset) = match &of.site.inst.operands.get(1)?.kind {
            OperandKind::Address(AddressBase::Name(name), offset) => (name, *offset),
            OperandKind::Subscript(name, index) => {
                (name, self.body.element_offset(of.site.meaning(name), index)?)
            }
            _ => return None,
        };
        let Meaning::Variable(variable) = of.site.meaning(name) else { return None };
        let declared = self.body.variables.get(variable.0 as usize)?;
        if !declared.constant || self.body.parameter_address_taken {
            return None;
        }
        let (bytes, signed) = (effects::bytes_of(ty), effects::is_signed(ty));
        let bounds = loaded_bounds(ty, of.width);
        let atom = Atom::Parameter(*variable, offset, bytes, signed);
        Some(self.values.atom(of.width, atom, bounds))
    }

    fn sum(&mut self, of: &Expression<'_>, factor: u64) -> Option<ValueId> {
        of.is_plain_integer(&["cc"]).then_some(())?;
        let (a, b) = (self.operand(of, 1, of.width)?, self.operand(of, 2, of.width)?);
        Some(self.values.add_scaled(a, b, factor))
    }

    fn scale(&mut self, of: &Expression<'_>, factor: u64) -> Option<ValueId> {
        of.is_plain_integer(&[]).then_some(())?;
        let a = self.operand(of, 1, of.width)?;
        Some(self.values.scaled(a, factor))
    }

    fn shift_left(&mut self, of: &Expression<'_>) -> Option<ValueId> {
        of.is_plain_integer(&[]).then_some(())?;
        let by = self.operand(of, 2, 32)?;
        let by = u32::try_from(self.values.as_constant(by)?).ok()?;
        self.scale(of, 1u64.checked_shl(by).unwrap_or(0))
    }

    /// `or` of a multiple of 2^k and a constant below 2^k is their sum.
    fn or(&mut self, of: &Expression<'_>) -> Option<ValueId> {
        of.is_plain_integer(&[]).then_some(())?;
        let (a, b) = (self.operand(of, 1, of.width)?, self.operand(of, 2, of.width)?);
        let low = self.values.as_constant(b)?;
        let zeros = self.values.trailing_zeros(a).min(63);
        (low < 1 << zeros).then(|| self.values.add_scaled(a, b, 1))
    }

    /// `mul.lo`, `mul.wide`, `mad.lo`, `mad.wide` by a constant.
    fn product(&mut self, of: &Expression<'_>) -> Option<ValueId> {
        let [ty] = *of.types.as_slice() else { return None };
        of.is_integer_with(&["lo", "wide"]).then_some(())?;
        let narrow = bits_of(ty);
        let wide = of.site.inst.modifiers.iter().any(|modifier| &*modifier.text == "wide");
        (of.width == if wide { 2 * narrow } else { narrow }).then_some(())?;
        let trusting = self.policy.broken(Fault::WideningIsAlwaysExact);
        let mut factors = [self.operand(of, 1, narrow)?, self.operand(of, 2, narrow)?];
        for factor in &mut factors {
            *factor = self.values.widened(*factor, of.width, effects::is_signed(ty), trusting);
        }
        let [a, b] = factors;
        let product = match (self.values.as_constant(a), self.values.as_constant(b)) {
            (_, Some(by)) => self.values.scaled(a, by),
            (Some(by), None) => self.values.scaled(b, by),
            (None, None) => return None,
        };
        if &*of.site.inst.opcode.text == "mul" {
            return Some(product);
        }
        let added = self.operand(of, 3, of.width)?;
        Some(self.values.add_scaled(product, added, 1))
    }

    /// Another pure integer function: equal arguments give equal results.
    fn function(&mut self, of: &Expression<'_>) -> Option<ValueId> {
        let inst = of.site.inst;
        let integers = of.types.iter().all(|ty| is_integer(*ty));
        if !FUNCTIONS.contains(&&*inst.opcode.text) || !integers {
            return None;
        }
        let mut name = format!("{}:{}", of.width, inst.opcode.text);
        for modifier in &inst.modifiers {
            name.push('.');
            name.push_str(&modifier.text);
        }
        let mut arguments = Vec::new();
        for number in 1..inst.operands.len() {
            let width = self.argument_width(of.site, inst.operands.get(number)?);
            arguments.push(self.operand(of, number, width)?);
        }
        let bounds = self.function_bounds(&inst.opcode.text, &name, &arguments, of.width);
        Some(self.values.atom(of.width, Atom::Function(name.into(), arguments), bounds))
    }

    /// An argument is a register as it is, or a constant with room for its sign.
    fn argument_width(&self, site: &Site<'_>, operand: &Operand) -> u8 {
        match site.register(operand).map(|register| self.width(register)) {
            Some(width) if width > 0 => width,
            _ => 64,
        }
    }

    fn function_bounds(
        &self,
        opcode: &str,
        name: &str,
        arguments: &[ValueId],
        width: u8,
    ) -> Bounds {
        let all = i128::from(mask(width));
        let last = arguments.last().and_then(|last| self.values.as_constant(*last));
        let Some(last) = last.map(|last| last & mask(width)) else { return (0, all) };
        match opcode {
            "and" => (0, i128::from(last)),
            "shr" if !name.ends_with("s32") && !name.ends_with("s64") && !name.ends_with("s16") => {
                (0, all.checked_shr(last.min(127) as u32).unwrap_or(0))
            }
            "rem" if name.contains(".u") && last > 0 => (0, i128::from(last) - 1),
            _ => (0, all),
        }
    }
}

/// Integer functions that are numbered by their arguments.
const FUNCTIONS: &[&str] = &[
    "abs", "and", "bfe", "bfi", "brev", "clz", "div", "lop3", "mad", "max", "min", "mul", "not",
    "or", "popc", "prmt", "rem", "sad", "shf", "shl", "shr", "xor",
];

/// An instruction with one destination, and what the registers hold before it.
struct Expression<'e> {
    site: &'e Site<'e>,
    state: &'e State,
    /// Bits of the destination.
    width: u8,
    /// The types among the modifiers.
    types: Vec<Type>,
}

impl Expression<'_> {
    /// One integer type of the destination's width, and no other modifier but these.
    fn is_plain_integer(&self, allowed: &[&str]) -> bool {
        matches!(self.types.as_slice(), [ty] if bits_of(*ty) == self.width)
            && self.is_integer_with(allowed)
    }

    fn is_integer_with(&self, allowed: &[&str]) -> bool {
        self.types.iter().all(|ty| is_integer(*ty))
            && self.site.inst.modifiers.iter().all(|modifier| {
                effects::type_named(&modifier.text).is_some() || allowed.contains(&&*modifier.text)
            })
    }
}

fn types_of(site: &Site<'_>) -> Vec<Type> {
    let modifiers = site.inst.modifiers.iter();
    modifiers.filter_map(|modifier| effects::type_named(&modifier.text)).collect()
}

fn bits_of(ty: Type) -> u8 {
    (effects::bytes_of(ty) * 8).min(128) as u8
}

fn is_integer(ty: Type) -> bool {
    use Type::{B8, B16, B32, B64, S8, S16, S32, S64, U8, U16, U32, U64};
    matches!(ty, B8 | B16 | B32 | B64 | U8 | U16 | U32 | U64 | S8 | S16 | S32 | S64)
}

/// Bounds of what a load leaves in a register of some width.
fn loaded_bounds(ty: Type, width: u8) -> Bounds {
    let bits = bits_of(ty).min(width);
    match effects::is_signed(ty) {
        true => (-(1i128 << (bits - 1)), (1i128 << (bits - 1)) - 1),
        false => (0, i128::from(mask(bits))),
    }
}

/// Bounds of what a site leaves in a register: narrow loads extend.
fn result_bounds(site: &Site<'_>, width: u8) -> Bounds {
    match (&*site.inst.opcode.text, types_of(site).as_slice()) {
        ("ld", [ty]) if site.inst.guard.is_none() => loaded_bounds(*ty, width),
        _ => (0, i128::from(mask(width))),
    }
}

/// The largest value of a special register that stays the same during a thread's life.
///
/// None for registers that change (`%clock`, and `%smid` or `%warpid`, PTX ISA 10.5 and 10.8) and
/// for unknown ones.
fn special_limit(name: &str) -> Option<i128> {
    Some(match name {
        "%tid.x" | "%tid.y" => 1023,
        "%tid.z" => 63,
        "%ntid.x" | "%ntid.y" => 1024,
        "%ntid.z" => 64,
        "%laneid" => 31,
        "%ctaid.x" | "%nctaid.x" => (1 << 31) - 1,
        "%ctaid.y" | "%ctaid.z" | "%nctaid.y" | "%nctaid.z" => 65535,
        "%lanemask_eq" | "%lanemask_le" | "%lanemask_lt" | "%lanemask_ge" | "%lanemask_gt" => {
            i128::from(u32::MAX)
        }
        _ => return None,
    })
}
