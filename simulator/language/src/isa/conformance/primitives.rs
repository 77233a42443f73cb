//! The table names every primitive, each with operands that it has.

use std::collections::BTreeSet;

use crate::isa::{Action, Form, Structural, opcodes};
use crate::lanes::primitive::Move;
use crate::lanes::{Primitive, Role};
use crate::ptx::Type;

fn register_forms()
-> impl Iterator<Item = (&'static str, &'static Form, Primitive, &'static [Role])> {
    opcodes().flat_map(|opcode| {
        opcode.forms.iter().filter_map(|form| match form.action {
            Action::Lanes { primitive, operands } => Some((opcode.name, form, primitive, operands)),
            Action::Structural(_) | Action::Unsupported(_) => None,
        })
    })
}

#[test]
fn every_primitive_is_that_of_some_form() {
    let mut used: BTreeSet<Primitive> =
        register_forms().map(|(_, _, primitive, _)| primitive).collect();
    // The parts of `mov`, which lowering puts together with its own code; see the tests there.
    used.extend(Move::ALL.iter().copied().map(Primitive::Move));
    let actions = opcodes().flat_map(|opcode| opcode.forms).map(|form| form.action);
    used.extend(actions.filter_map(|action| match action {
        Action::Structural(Structural::Video(video)) => Some(Primitive::Video(video.operation)),
        Action::Structural(Structural::CvtFour(two)) => Some(Primitive::Narrow(two)),
        Action::Lanes { .. } | Action::Structural(_) | Action::Unsupported(_) => None,
    }));
    let unused: Vec<_> = Primitive::all().filter(|p| !used.contains(p)).collect();
    assert_eq!(unused, []);
}

/// Whether a value of one type is read or written as one of the other: as many bits of it.
fn fits(written: Type, own: Type) -> bool {
    match (written.bytes(), own.bytes()) {
        (None, None) => true,
        (Some(written), Some(own)) => written == own,
        _ => false,
    }
}

#[test]
fn the_operands_of_every_form_fit_its_primitive() {
    for (opcode, form, primitive, operands) in register_forms() {
        let text = format!("{opcode}{} as {primitive}", form.pattern.0);
        let own = primitive.roles();
        assert_eq!(operands.len(), own.len(), "{text}");
        for (written, own) in operands.iter().zip(own) {
            let fitting = match (*written, *own) {
                (Role::WideD(written), Role::D(own)) => fits(written, own),
                (Role::WideA(written), Role::A(own)) => fits(written, own),
                (Role::DFirst, Role::DPair) => true,
                (Role::True(_), Role::True(_)) => true,
                // What `set` writes is the word for true, of whatever type.
                (Role::D(_), Role::D(own)) if matches!(primitive, Primitive::Compare(_)) => {
                    own == Type::U32
                }
                (written, own) => written == own,
            };
            assert!(fitting, "{text}: {written:?} for {own:?}");
        }
    }
}

#[test]
fn forms_that_mean_the_same_share_a_primitive() {
    let of = |opcode: &str, pattern: &str| {
        let found = register_forms().find(|(o, f, ..)| *o == opcode && f.pattern.0 == pattern);
        found.map(|(_, _, primitive, _)| primitive).unwrap()
    };
    let direction = "(.rn|.rz|.rm|.rp)";
    let fma = format!("{direction}{{.ftz}}{{.sat}}.f32");
    assert_eq!(of("fma", &fma), of("mad", &fma));
    assert_eq!(of("cvt", ".u64.u32"), of("cvt", ".s64.u32"));
    let (to_u32, to_f32) = (".lt(.u32|.s32).s32", ".lt.f32.s32");
    assert_eq!(of("set", to_u32), of("set", to_f32));
}
