//! Register operations: operands, immediates, scopes, packing.

use super::*;

#[test]
fn immediates_are_deduplicated_constants_of_the_operand_type() {
    let body = "add.s32 %r1, -1, 7; add.s32 %r2, %r1, 0xffffffff; add.f32 %f1, 0f3F800000, 2.5;";
    assert_eq!(values32(body, &["%r1", "%r2", "%f1"]), [6, 5, 3.5f32.to_bits()]);
    assert_eq!(lowered(body).constants.w32.len(), 4);
}

#[test]
fn a_decimal_float_rounds_to_the_operand_type() {
    assert_eq!(values32("mov.f32 %f1, 0.1;", &["%f1"]), [0.1f32.to_bits()]);
    assert_eq!(value64("mov.f64 %g1, 0.1;", "%g1"), 0.1f64.to_bits());
    assert_eq!(value64("mov.f64 %g1, 0dBFF921FB54442D18;", "%g1"), 0xBFF9_21FB_5444_2D18);
}

#[test]
fn negative_immediates_fill_the_width_of_their_type() {
    assert_eq!(value64("mov.u64 %d1, -2;", "%d1"), u64::MAX - 1);
    assert_eq!(values32("mov.b32 %r1, -2;", &["%r1"]), [u32::MAX - 1]);
    assert_eq!(values32("mov.u16 %h1, -1; cvt.u32.u16 %r1, %h1;", &["%r1"]), [0xffff]);
    assert_eq!(values32("mov.u16 %h1, -1; cvt.s32.s16 %r1, %h1;", &["%r1"]), [u32::MAX]);
}

#[test]
fn cvt_takes_and_gives_wider_registers() {
    // PTX ISA 9.4.1: a source is truncated, an integer destination is extended by its sign.
    assert_eq!(value64("mov.u64 %d1, 0x1234567890; cvt.s16.s64 %d2, %d1;", "%d2"), 0x7890);
    assert_eq!(value64("mov.u64 %d1, 0xf890; cvt.s16.s64 %d2, %d1;", "%d2"), 0xffff_ffff_ffff_f890);
    assert_eq!(value64("mov.u64 %d1, 0xf890; cvt.u8.u32 %d2, %d1;", "%d2"), 0x90);
    assert_eq!(values32("mov.u32 %r1, 0x1ff; cvt.u32.u8 %r2, %r1;", &["%r2"]), [0xff]);
}

#[test]
fn packing_puts_the_first_element_lowest() {
    let d = "mov.b32 %r1, 0x11112222; mov.b32 %r2, 0x33334444; mov.b64 %d1, {%r1, %r2};";
    assert_eq!(value64(d, "%d1"), 0x3333_4444_1111_2222);
    let four = "mov.b16 %h1, 1; mov.b16 %h2, 2; mov.b16 %h3, 3; mov.b16 %h4, -1;\n\
                mov.b64 %d1, {%h1, %h2, %h3, %h4};";
    assert_eq!(value64(four, "%d1"), 0xffff_0003_0002_0001);
    assert_eq!(values32("mov.b16 %h1, -2; mov.b32 %r1, {%h1, 5};", &["%r1"]), [0x0005_fffe]);
}

#[test]
fn unpacking_gives_the_lowest_element_first() {
    let body = "mov.b64 %d1, 0x8877665544332211; mov.b64 {%r1, %r2}, %d1;\n\
                mov.b64 {%h1, %h2, %h3, %h4}, %d1; mov.b64 {_, %r3}, %d1; mov.b32 {%h5, %h6}, %r1;\n\
                mov.b32 {%b1, %b2, %b3, %b4}, %r2; mov.b16 {%b5, %b6}, %h6;";
    let names = ["%r1", "%r2", "%h1", "%h2", "%h3", "%h4", "%r3", "%h5", "%h6"];
    let expected =
        [0x4433_2211, 0x8877_6655, 0x2211, 0x4433, 0x6655, 0x8877, 0x8877_6655, 0x2211, 0x4433];
    assert_eq!(values32(body, &names), expected);
    let bytes = ["%b1", "%b2", "%b3", "%b4", "%b5", "%b6"];
    assert_eq!(values32(body, &bytes), [0x55, 0x66, 0x77, 0x88, 0x33, 0x44]);
}

#[test]
fn predicates_are_moved_negated_and_constant() {
    let program = lowered(
        "setp.lt.u32 %p1, 1, 2; mov.pred %p2, %p1; mov.pred %p3, 0; mov.pred %p4, 1; not.pred %p5, %p1;\n\
         selp.u32 %r1, 10, 20, %p2; selp.u32 %r2, 10, 20, !%p2; setp.eq.and.u32 %p6, 1, 1, !%p3;\n\
         setp.eq.u32 %p7|%p8, 1, 2; setp.eq.u32 _|%p1, 1, 2;",
    );
    let registers = run(&program);
    let held = |name| registers.predicate(slot(&program, name));
    let names = ["%p2", "%p3", "%p4", "%p5", "%p6", "%p7", "%p8", "%p1"];
    assert_eq!(names.map(held), [FULL, 0, FULL, 0, FULL, 0, FULL, FULL]);
    assert_eq!(registers.w32(slot(&program, "%r1"))[0], 10);
    assert_eq!(registers.w32(slot(&program, "%r2"))[0], 20);
}

#[test]
fn the_carry_flag_joins_additions() {
    let body = "add.cc.u32 %r1, 0xffffffff, 1; addc.u32 %r2, 5, 0;";
    assert_eq!(values32(body, &["%r1", "%r2"]), [0, 6]);
}

#[test]
fn special_registers_may_stand_in_any_instruction() {
    let kinds = operations("add.u32 %r1, %tid.x, %ntid.y;");
    let [
        Kind::Special32(a, SpecialRegister::Tid(0)),
        Kind::Special32(b, SpecialRegister::Ntid(1)),
        Kind::Lanes(add),
    ] = kinds[..]
    else {
        panic!("{kinds:?}")
    };
    assert_eq!(add.primitive().to_string(), "add.u32");
    assert_eq!((add.operands().a, add.operands().b), (a, b));
    let program = lowered("add.u32 %r1, %tid.x, %ntid.y;");
    assert_eq!(
        program.operations.iter().map(|o| o.part).collect::<Vec<_>>(),
        [true, true, false, false]
    );
}

#[test]
fn mov_reads_a_special_register_in_one_operation() {
    for (text, expected) in [
        ("mov.u32 %r1, %laneid;", SpecialRegister::Laneid),
        ("mov.u32 %r1, %ctaid.z;", SpecialRegister::Ctaid(2)),
        ("mov.u32 %r1, %lanemask_lt;", SpecialRegister::LanemaskLt),
        ("mov.u32 %r1, %clock;", SpecialRegister::Clock),
        ("mov.u32 %r1, %dynamic_smem_size;", SpecialRegister::DynamicSharedSize),
        ("mov.u32 %r1, %envreg31;", SpecialRegister::Zero),
        ("mov.u32 %r1, %ntid.w;", SpecialRegister::Zero),
    ] {
        let Kind::Special32(_, found) = operation(text) else { panic!("{text}") };
        assert_eq!(found, expected);
    }
    assert!(matches!(
        operation("mov.u64 %d1, %clock64;"),
        Kind::Special64(_, SpecialRegister::Clock)
    ));
}

#[test]
fn a_guard_holds_for_all_operations_of_its_instruction() {
    let program = lowered("@!%p1 add.u32 %r1, %tid.x, 1;");
    let p = slot(&program, "%p1");
    let guard = Some(Guard { predicate: p, negated: true });
    assert_eq!(
        program.operations.iter().map(|o| o.guard).collect::<Vec<_>>(),
        [guard, guard, None]
    );
}

#[test]
fn inner_scopes_shadow_and_slots_go_to_used_names_only() {
    let program = lowered(
        "mov.u32 %r1, 1; { .reg .b32 %r1; .reg .b64 tmp; mov.u32 %r1, 2; mov.u64 tmp, 3; }\n\
         { .reg .b32 tmp; mov.u32 tmp, 4; } mov.u32 %r2, %r1;",
    );
    let names: Vec<_> = program.functions[0].registers.iter().map(|r| &*r.name).collect();
    assert_eq!(names, ["%r1", "%r1", "tmp", "tmp", "%r2"]);
    assert_eq!((program.functions[0].slots.w32, program.functions[0].slots.w64), (4, 1));
    assert_eq!(run(&program).w32(slot(&program, "%r2"))[0], 1);
}

#[test]
fn a_range_declares_exactly_its_numbers() {
    assert!(try_lowered(&kernel(".reg .u32 x<3>; mov.u32 x0, 1; mov.u32 x2, 1;")).is_ok());
    for name in ["x3", "x", "x00", "x02"] {
        let error =
            try_lowered(&kernel(&format!(".reg .u32 x<3>; mov.u32 {name}, 1;"))).unwrap_err();
        assert_eq!(error.kind, LowerErrorKind::Undeclared(name.into()));
    }
}

#[test]
fn vector_registers_have_elements() {
    let body = ".reg .v2 .f32 v; mov.f32 v.x, 1.0; mov.f32 v.y, 2.0; add.f32 %f1, v.x, v.y;";
    assert_eq!(values32(body, &["%f1"]), [3f32.to_bits()]);
    let Kind::Load(load) = operation(".reg .v2 .f32 v; ld.global.v2.f32 v, [%d1];") else {
        panic!()
    };
    assert_eq!(load.destinations.len(), 2);
}

#[test]
fn places_name_what_is_read_and_written() {
    let program = lowered("@%p1 mad.lo.u32 %r1, %r2, %r2, %r3;");
    let place = &program.places[0];
    let registers = &program.functions[0].registers;
    let names =
        |indices: &[u32]| indices.iter().map(|i| &*registers[*i as usize].name).collect::<Vec<_>>();
    assert_eq!(names(place.reads()), ["%p1", "%r2", "%r3"]);
    assert_eq!(names(place.writes()), ["%r1"]);
    assert_eq!((&*place.name, &*place.text), ("mad.lo.u32", "mad.lo.u32 %r1, %r2, %r2, %r3"));
    assert_eq!(place.line, 7);
}

#[test]
fn the_parts_of_mov_are_those_that_lowering_uses() {
    use crate::lanes::Primitive;
    use crate::lanes::primitive::Move;
    let body = "
        mov.pred %p1, %p2;
        mov.b64 {%r1, %r2}, %d1; mov.b32 {%h1, %h2}, %r1; mov.b16 {%b1, %b2}, %h1;
        mov.b64 %d1, {%r1, %r2}; mov.b32 %r1, {%h1, %h2}; mov.b16 %h1, {%b1, %b2}; ret;";
    let used: std::collections::BTreeSet<Primitive> = operations(body)
        .iter()
        .filter_map(|kind| match kind {
            Kind::Lanes(operation) => Some(operation.primitive()),
            _ => None,
        })
        .collect();
    let parts = Move::ALL.iter().map(|part| Primitive::Move(*part));
    assert_eq!(parts.filter(|part| !used.contains(part)).collect::<Vec<_>>(), []);
}

#[test]
fn constants_have_64_bits_and_are_converted_where_they_are_used() {
    for (text, value) in [
        ("mov.b32 %r1, -256U;", 0xffff_ff00),
        ("mov.u32 %r1, 0x1ffffffff;", 0xffff_ffff),
        ("mov.s32 %r1, -5000000000;", 0xd5fa_0e00),
        ("add.u32 %r1, 4294967296, 7;", 7),
        ("and.b32 %r1, -1, 0xffffffff00000003;", 3),
        ("selp.b32 %r1, 0x123456789, 1, 1;", 0x2345_6789),
        ("cvt.u32.u8 %r1, 300;", 44),
        ("mov.u16 %h1, 65537; cvt.u32.u16 %r1, %h1;", 1),
        ("add.cc.u32 %r1, 0xffffffffffffffffU, 2;", 1),
    ] {
        assert_eq!(values32(text, &["%r1"]), [value], "{text}");
    }
}

/// The memory of a lowered instruction, including the heap, with 16 bytes more for each allocation.
#[test]
fn a_lowered_instruction_takes_less_than_300_bytes() {
    let one = "add.s32 %r1, %r2, %r3; ld.global.u32 %r4, [%d1+4]; setp.lt.s32 %p1, %r1, %r4;\n\
               @%p1 st.shared.u32 [%r5], %r6; mad.lo.s32 %r1, %r2, %r3, %r4; shl.b64 %d2, %d1, 2;\n";
    let program = lowered(&one.repeat(1000));
    let (operations, places) = (program.operations.capacity(), program.places.capacity());
    let own = operations * size_of::<Operation>() + places * size_of::<Place>();
    let boxed = |kind: &Kind| match kind {
        Kind::Load(load) => size_of::<Load>() + load.destinations.capacity() * 8 + 32,
        Kind::Store(store) => size_of::<Store>() + store.sources.capacity() * 4 + 32,
        _ => 0,
    };
    let named = |place: &Place| {
        4 * (place.reads().len() + place.writes().len()) + place.text.len() + 16 + 32
    };
    let heap: usize = program.operations.iter().map(|o| boxed(&o.kind)).sum::<usize>()
        + program.places.iter().map(named).sum::<usize>();
    let each = (own + heap) / program.operations.len();
    assert!(each < 300, "{each} bytes");
}
