//! Properties of every primitive.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::*;
use crate::lanes::{
    Constants, FULL, Flags, LANES, Operands, Position, Registers, Slot, SlotCounts, Width,
};

/// The slots of [`on_random_registers`], in their order.
const POSITIONS: [Position; 6] =
    [Position::D, Position::A, Position::B, Position::C, Position::E, Position::D2];

#[test]
fn every_primitive_has_a_name_of_its_own() {
    let mut names = BTreeSet::new();
    for primitive in Primitive::all() {
        let name = primitive.to_string();
        let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '.';
        assert!(name.contains('.') && name.chars().all(plain), "{name}");
        assert!(names.insert(name.clone()), "two primitives are named {name}");
    }
}

#[test]
fn names_are_those_of_the_instructions_that_primitives_come_from() {
    for (primitive, name) in [
        (Primitive::Integer(Integer::MulHiU16), "mul.hi.u16"),
        (Primitive::Half(Half::Ex2ApproxBf16x2), "ex2.approx.bf16x2"),
        (Primitive::Bits(Bits::Dp2aLoS32U32), "dp2a.lo.s32.u32"),
        (Primitive::Convert(Convert::new(Number::Bf16, Number::S8)), "cvt.bf16.s8"),
    ] {
        assert_eq!(primitive.to_string(), name);
    }
    let names: BTreeSet<String> = Primitive::all().map(|p| p.to_string()).collect();
    for name in ["setp.lt.s32", "set.geu.bool.f64", "setp.eq.b16", "set.nan.bf16x2"] {
        assert!(names.contains(name), "{name}");
    }
}

#[test]
fn a_primitive_has_destinations_first_and_each_operand_once() {
    for primitive in Primitive::all() {
        let roles = primitive.roles();
        assert!(roles[0].destination().is_some(), "{primitive}");
        let written: Vec<_> = roles.iter().filter(|role| role.source().is_some()).collect();
        assert!((1..=4).contains(&written.len()), "{primitive}");
        let bytes = |ty: crate::ptx::Type| match ty.bytes() {
            None => Width::Predicate,
            Some(bytes) => Width::Bytes(bytes as u8),
        };
        let flow = primitive.dataflow();
        assert_eq!(flow.width(Position::D), roles[0].destination().map(bytes), "{primitive}");
        let sources = [Position::A, Position::B, Position::C, Position::E];
        let hidden = roles.iter().filter(|r| matches!(r, Role::CarryIn | Role::True(_))).count();
        let read = sources.iter().filter(|at| flow.width(**at).is_some()).count();
        assert_eq!(read, written.len() + hidden, "{primitive}");
    }
}

/// Bits that look random, with edge cases in one of four.
fn word(seed: &mut u64) -> u64 {
    const EDGES: [u64; 15] = [
        0,
        1,
        u64::MAX,
        1 << 31,
        1 << 63,
        0x7fff_ffff,
        0x7f80_0000_7f80_0000,
        0x7c00_7c00_3c00_3c00,
        0x3c00_3c00_7c00_7c00,
        0x7ff0_0000_0000_0000,
        0x7fff_ffff_7fff_7fff,
        0x3f80_0000_3f80_3f80,
        0x4000_0000_0000_0000,
        0x40,
        0xff,
    ];
    *seed = seed.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
    let word = *seed ^ *seed >> 29;
    if word >> 40 & 3 == 0 { EDGES[(word >> 50) as usize % EDGES.len()] } else { word }
}

/// The slots of an operation on registers 0 to 5 of each bank, and the registers.
fn on_random_registers(seed: u64, flags: Flags) -> (Operands, Registers) {
    let counts = SlotCounts { w32: 6, w64: 6, predicates: 6 };
    let mut registers = Registers::new(counts, Arc::new(Constants::default()));
    let mut seed = seed;
    for slot in 0..6 {
        registers.w32[slot] = std::array::from_fn(|_| word(&mut seed) as u32);
        registers.w64[slot] = std::array::from_fn(|_| word(&mut seed));
        registers.predicates[slot] = word(&mut seed) as u32;
    }
    // Pairs of equal values too, which random ones hardly are.
    for lane in (0..LANES).step_by(4) {
        registers.w32[2][lane] = registers.w32[1][lane];
        registers.w64[2][lane] = registers.w64[1][lane];
    }
    let [d, a, b, c, e, d2] = std::array::from_fn(Slot::register);
    (Operands { d, d2, a, b, c, e, flags, ..Operands::default() }, registers)
}

/// The modifiers that distinguish primitives.
const FLAGS: [Flags; 8] = [
    Flags::NONE,
    Flags::RZ.with(Flags::TO_INTEGER),
    Flags::RM,
    Flags::SAT,
    Flags::FTZ,
    Flags::RELU.with(Flags::NAN),
    Flags::AND,
    Flags::XOR.with(Flags::NOT_C),
];

/// All that a primitive leaves in registers under all of [`FLAGS`], as a digest.
fn digest(primitive: Primitive) -> u64 {
    let mut digest = 0u64;
    let mut add =
        |word: u64| digest = (digest ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ digest >> 31;
    for (round, flags) in FLAGS.iter().flat_map(|f| (0..24).map(move |round| (round, *f))) {
        let (operands, mut registers) = on_random_registers(round, flags);
        RegisterOperation::new(primitive, operands).execute(&mut registers, FULL);
        registers.w32[0].iter().for_each(|word| add((*word).into()));
        registers.w64[0].iter().for_each(|word| add(*word));
        add(registers.predicates[0].into());
        add(registers.predicates[5].into());
    }
    digest
}

#[test]
fn no_two_primitives_mean_the_same() {
    let mut by_meaning: BTreeMap<_, Vec<String>> = BTreeMap::new();
    for primitive in Primitive::all() {
        let widths =
            POSITIONS.map(|position| format!("{:?}", primitive.dataflow().width(position)));
        let named = by_meaning.entry((digest(primitive), widths)).or_default();
        named.push(primitive.to_string());
    }
    let same: Vec<_> = by_meaning.into_values().filter(|names| names.len() > 1).collect();
    assert_eq!(same, Vec::<Vec<String>>::new());
}

#[test]
fn a_primitive_writes_its_destinations_only_and_reads_its_sources_only() {
    for primitive in Primitive::all() {
        let flow = primitive.dataflow();
        for flags in FLAGS {
            let (operands, before) = on_random_registers(7, flags);
            let mut after = before.clone();
            RegisterOperation::new(primitive, operands).execute(&mut after, FULL);
            for (slot, position) in POSITIONS.into_iter().enumerate() {
                let width = flow.width(position);
                let writes = |bank: Width| match (bank, width) {
                    _ if !matches!(position, Position::D | Position::D2) => false,
                    (_, None) => false,
                    (Width::Predicate, Some(Width::Predicate)) => true,
                    (Width::Bytes(8), Some(Width::Bytes(8))) => true,
                    (Width::Bytes(4), Some(Width::Bytes(bytes))) => bytes < 8,
                    _ => false,
                };
                let kept =
                    |bank, same: bool| assert!(same || writes(bank), "{primitive} {position:?}");
                kept(Width::Bytes(4), before.w32[slot] == after.w32[slot]);
                kept(Width::Bytes(8), before.w64[slot] == after.w64[slot]);
                kept(Width::Predicate, before.predicates[slot] == after.predicates[slot]);
                if width.is_none() {
                    // What it does not read may hold anything.
                    let mut other = before.clone();
                    other.w32[slot] = [0xdead_beef; LANES];
                    other.w64[slot] = [0xdead_beef_dead_beef; LANES];
                    other.predicates[slot] ^= 0x0f0f_0f0f;
                    RegisterOperation::new(primitive, operands).execute(&mut other, FULL);
                    let results = |r: &Registers| (r.w32[0], r.w64[0], r.predicates[0]);
                    if position != Position::D2 {
                        assert_eq!(results(&other), results(&after), "{primitive} {position:?}");
                    }
                }
            }
        }
    }
}

#[test]
fn a_copy_of_a_narrow_signed_integer_extends_its_sign_and_an_unsigned_one_zeros() {
    let copied = |number, word: u32| {
        let (operands, mut registers) = on_random_registers(1, FLAGS[0]);
        registers.w32[2] = [word; LANES];
        let operands = Operands { a: Slot::register(2), ..operands };
        let copy = Primitive::Convert(Convert::new(number, number));
        RegisterOperation::new(copy, operands).execute(&mut registers, FULL);
        registers.w32[0][9]
    };
    // PTX ISA 9.4.1: a destination wider than its type is sign- or zero-extended.
    assert_eq!(copied(Number::S8, 0x1234_56f0), 0xffff_fff0);
    assert_eq!(copied(Number::U8, 0x1234_56f0), 0xf0);
    assert_eq!(copied(Number::S16, 0x1234_8001), 0xffff_8001);
    assert_eq!(copied(Number::U16, 0x1234_8001), 0x8001);
    assert_eq!(copied(Number::S32, 0x8234_8001), 0x8234_8001);
}
