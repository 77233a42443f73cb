//! Runs one form of the table on given operands, for tests: by its text, through the same look-up
//! and operand roles as lowering.

use std::sync::Arc;

use crate::isa::{Action, Found, NoForm, lookup, lookup_with};
use crate::lanes::{
    Constants, FULL, Flags, LANES, Lines, Mask, Operands, Primitive, RegisterOperation, Registers,
    Role, Slot, SlotCounts, Tier,
};
use crate::ptx::Type;

/// The words of one operand, a lane each; of a predicate 0 or 1.
pub(crate) type Words = [u64; LANES];

/// What a form left in its destinations.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Results {
    /// Destination `d`, narrow types without what their register has above them.
    pub(crate) d: Words,
    /// Destination `d2`, or the carry flag.
    pub(crate) d2: Mask,
}

/// The size of a type in bits; 1 for predicates.
pub(crate) fn bits(ty: Type) -> u32 {
    match ty {
        Type::Pred => 1,
        Type::B8 | Type::U8 | Type::S8 => 8,
        Type::B16 | Type::U16 | Type::S16 | Type::F16 | Type::Bf16 => 16,
        Type::B64 | Type::U64 | Type::S64 | Type::F64 => 64,
        _ => 32,
    }
}

/// The type of destination `d`.
pub(crate) fn destination_type(roles: &[Role]) -> Type {
    roles.iter().find_map(|role| role.destination()).unwrap()
}

/// The operand roles, the primitive and the flags of a form.
pub(crate) type RegisterForm = (&'static [Role], Primitive, Flags);

/// A register form by its text: `add.sat.s32`.
pub(crate) fn form(text: &str) -> RegisterForm {
    with_modifiers(text, lookup)
}

/// A register form by its text and how many operands it has.
pub(crate) fn form_with(text: &str, operands: usize) -> RegisterForm {
    with_modifiers(text, |opcode, modifiers| lookup_with(opcode, modifiers, operands))
}

fn with_modifiers(
    text: &str,
    lookup: impl Fn(&str, &[&str]) -> Result<Found, NoForm>,
) -> RegisterForm {
    let mut names = text.split('.');
    let opcode = names.next().unwrap();
    let modifiers: Vec<_> = names.collect();
    let found = lookup(opcode, &modifiers).unwrap_or_else(|why| panic!("{text}: {why:?}"));
    match found.form.action {
        Action::Lanes { operands, primitive } => (operands, primitive, found.flags),
        _ => panic!("{text} is no register operation"),
    }
}

/// Circumstances of a run.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Setting {
    /// The carry flag before.
    pub(crate) carry: Mask,
    /// Flags that are no modifiers.
    pub(crate) flags: Flags,
    /// The active lanes.
    pub(crate) mask: Mask,
    /// Sources are constants, not registers.
    pub(crate) constants: bool,
}

/// No carry, all lanes, registers.
pub(crate) const PLAIN: Setting =
    Setting { carry: 0, flags: Flags::NONE, mask: FULL, constants: false };

/// What a destination holds before, in registers and in predicates.
pub(crate) const BEFORE: (u64, Mask) = (0x5a5a_5a5a_5a5a_5a5a, 0x5aa5_c33c);

/// Runs a form on all lanes.
pub(crate) fn run(text: &str, sources: &[Words]) -> Results {
    run_form(form(text), sources, PLAIN)
}

/// Runs a form under some circumstances.
pub(crate) fn run_form(
    (roles, primitive, flags): RegisterForm,
    sources: &[Words],
    setting: Setting,
) -> Results {
    const CARRY: usize = 6;
    const SECOND: usize = 7;
    const TRUE: usize = 7;
    let counts = SlotCounts { w32: 8, w64: 8, predicates: 8 };
    let mut registers = Registers::new(counts, Arc::new(Constants::default()));
    registers.w32.fill([BEFORE.0 as u32; LANES]);
    registers.w64.fill([BEFORE.0; LANES]);
    registers.predicates.fill(BEFORE.1);
    registers.set_predicate(Slot::register(CARRY), FULL, setting.carry);
    let mut operands = Operands { flags: flags.with(setting.flags), ..Operands::default() };
    operands.d2 = Slot::register(SECOND);
    let mut sources = sources.iter();
    for (index, role) in roles.iter().enumerate() {
        let slot = Slot::register(index);
        if let Some(ty) = role.source() {
            fill(&mut registers, slot, ty, sources.next().unwrap());
        }
        let source = if setting.constants { Slot::constant(index) } else { slot };
        match role {
            Role::D(_) | Role::WideD(_) | Role::DWith(_) | Role::DPair | Role::DFirst => {
                operands.d = slot;
            }
            Role::A(_) | Role::WideA(_) => operands.a = source,
            Role::B(_) => operands.b = source,
            Role::C(_) | Role::MaybeNotC => operands.c = source,
            Role::E(_) => operands.e = source,
            Role::CarryIn => operands.e = Slot::register(CARRY),
            Role::CarryOut => operands.d2 = Slot::register(CARRY),
            Role::True(word) => {
                registers.w32[TRUE] = [*word; LANES];
                operands.e =
                    if setting.constants { Slot::constant(TRUE) } else { Slot::register(TRUE) };
            }
        }
    }
    assert_eq!(sources.next(), None, "fewer operands than given");
    if setting.constants {
        registers.constants = Arc::new(Constants {
            w32: std::mem::replace(&mut registers.w32, Lines::of([0; LANES], counts.w32)),
            w64: std::mem::replace(&mut registers.w64, Lines::of([0; LANES], counts.w64)),
            predicates: registers.predicates.clone(),
        });
    }
    let ty = destination_type(roles);
    let of_tier = |tier| {
        let mut registers = registers.clone();
        let operation = RegisterOperation::with_tier(primitive, operands, tier);
        operation.execute(&mut registers, setting.mask);
        Results { d: words(&registers, operands.d, ty), d2: registers.predicate(operands.d2) }
    };
    let results = of_tier(Tier::Baseline);
    for tier in Tier::available() {
        assert_eq!(of_tier(tier), results, "{primitive} with {tier}");
    }
    results
}

/// The result of a form with the same operands in all lanes.
pub(crate) fn one(text: &str, sources: &[u64]) -> u64 {
    let sources: Vec<Words> = sources.iter().map(|s| [*s; LANES]).collect();
    let results = run(text, &sources);
    assert!(results.d.iter().all(|d| *d == results.d[0]), "{text} differs between lanes");
    results.d[0]
}

fn fill(registers: &mut Registers, slot: Slot, ty: Type, values: &Words) {
    match bits(ty) {
        1 => {
            let mask = (0..LANES).fold(0, |m, i| m | (values[i] as u32 & 1) << i);
            registers.set_predicate(slot, FULL, mask);
        }
        64 => registers.w64[slot.index()] = *values,
        // What lies above a narrow value must not matter: leave the caller's bits there.
        _ => registers.w32[slot.index()] = values.map(|v| v as u32),
    }
}

fn words(registers: &Registers, slot: Slot, ty: Type) -> Words {
    match bits(ty) {
        1 => std::array::from_fn(|i| (registers.predicate(slot) >> i & 1) as u64),
        64 => *registers.w64(slot),
        16 => registers.w32(slot).map(|w| (w & 0xffff) as u64),
        8 => registers.w32(slot).map(|w| (w & 0xff) as u64),
        _ => registers.w32(slot).map(|w| w as u64),
    }
}
