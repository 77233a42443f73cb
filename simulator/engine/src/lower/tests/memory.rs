//! Loads, stores, atomics, and addresses.

use super::*;
use crate::ptx::{Space, Type};

fn load(text: &str) -> Load {
    match operation(text) {
        Kind::Load(load) => *load,
        other => panic!("{other:?}"),
    }
}

fn store(text: &str) -> Store {
    match operations(text).pop() {
        Some(Kind::Store(store)) => *store,
        other => panic!("{other:?}"),
    }
}

fn atomic(text: &str) -> Atomic {
    match operation(text) {
        Kind::Atomic(atomic) => *atomic,
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_load_names_its_space_base_offset_and_width() {
    let found = load("ld.global.u32 %r1, [%d1+-8];");
    assert_eq!(found.target.space, Some(Space::Global));
    assert!(matches!(found.target.base, Base::W64(_)));
    assert_eq!((found.target.offset, found.target.width, found.target.elements), (-8, 4, 1));
    assert_eq!((found.wide, found.signed, found.target.non_coherent), (false, false, false));
    let generic = load("ld.s8 %d1, [%d2];");
    assert_eq!((generic.target.space, generic.target.width), (None, 1));
    assert_eq!((generic.wide, generic.signed), (true, true));
    assert!(matches!(load("ld.shared.u32 %r1, [%r2];").target.base, Base::W32(_)));
    assert!(
        load("ld.global.nc.L1::no_allocate.L2::128B.v2.f64 {%g1, %g2}, [%d1];").target.non_coherent
    );
}

#[test]
fn vectors_load_into_each_of_their_registers_but_sinks() {
    let found = load("ld.global.v4.u16 {%h1, _, %r1, %h2}, [%d1];");
    assert_eq!((found.target.width, found.target.elements), (2, 4));
    let filled: Vec<bool> = found.destinations.iter().map(Option::is_some).collect();
    assert_eq!(filled, [true, false, true, true]);
}

#[test]
fn qualifiers_become_orders_and_scopes() {
    use Order::*;
    for (text, order, scope) in [
        ("ld.global.u32 %r1, [%d1];", Weak, Scope::System),
        ("ld.weak.global.ca.u32 %r1, [%d1];", Weak, Scope::System),
        ("ld.volatile.shared.u32 %r1, [%d1];", Volatile, Scope::System),
        ("ld.relaxed.cta.shared::cta.u32 %r1, [%d1];", Relaxed, Scope::Block),
        ("ld.acquire.gpu.global.u32 %r1, [%d1];", Acquire, Scope::Gpu),
        ("ld.acquire.cluster.u32 %r1, [%d1];", Acquire, Scope::Cluster),
        ("ld.mmio.relaxed.sys.global.u32 %r1, [%d1];", Mmio, Scope::System),
    ] {
        assert_eq!(load(text).target.semantics, Semantics { order, scope }, "{text}");
    }
    let release = store("st.release.sys.global.u32 [%d1], %r1;").target.semantics;
    assert_eq!(release, Semantics { order: Release, scope: Scope::System });
}

#[test]
fn stores_take_immediates_and_wider_registers() {
    let narrow = store("st.global.u8 [%d1], %r1;");
    assert_eq!((narrow.target.width, narrow.wide), (1, false));
    assert!(store("st.global.u8 [%d1], %d2;").wide);
    let program = lowered("st.shared.v2.f32 [%r1], {%f1, 1.0};");
    let Kind::Store(found) = &program.operations[0].kind else { panic!() };
    assert_eq!(constant32(&program.constants, found.sources[1]), 1f32.to_bits());
    assert!(store("st.global.v2.u32 [%d1], {%d2, 5};").wide);
}

#[test]
fn kernel_parameters_lie_in_the_bank_at_their_natural_alignment() {
    let module = module(
        ".entry k(.param .u8 a, .param .u64 b, .param .align 16 .b8 c[20], .param .u32 e) {\n\
         .reg .u32 r; .reg .u64 d; ld.param.u32 r, [c+8]; mov.b64 d, c; ld.param.u32 r, [d+4]; }",
    );
    let program = try_lowered(&module).unwrap();
    let offsets: Vec<_> = program.parameters.iter().map(|p| (p.offset, p.size)).collect();
    assert_eq!(offsets, [(0, 1), (8, 8), (16, 20), (36, 4)]);
    assert_eq!(program.parameter_bytes, 40);
    let Kind::Load(found) = &program.operations[0].kind else { panic!() };
    assert_eq!((found.target.base, found.target.offset), (Base::Absolute, 24));
    assert_eq!(found.target.space, Some(Space::Param));
    assert_eq!(run(&program).w64(slot(&program, "d"))[0], window::KERNEL_PARAM + 16);
}

#[test]
fn an_access_by_a_name_goes_to_the_variables_space() {
    let module = module(
        ".global .u32 g[4]; .const .u32 a; .const .u64 c; .shared .u32 m;\n\
         .entry k() { .reg .u32 %r<2>; .shared .u32 s; .local .u32 l[2]; .local .u32 t;\n\
         ld.u32 %r1, [g+4]; ld.const.u32 %r1, [c+4]; ld.shared.u32 %r1, [s]; ld.local.u32 %r1, [t];\n\
         ld.shared.u32 %r1, [m]; ld.global.u32 %r1, [64]; }",
    );
    let program = try_lowered(&module).unwrap();
    let targets: Vec<_> = program
        .operations
        .iter()
        .filter_map(|o| match &o.kind {
            Kind::Load(l) => Some((l.target.space.unwrap(), l.target.base, l.target.offset)),
            _ => None,
        })
        .collect();
    let global = (window::GLOBAL + 0x1004) as i64;
    assert_eq!(targets[0], (Space::Global, Base::Absolute, global));
    assert_eq!(targets[1], (Space::Const, Base::Absolute, 12));
    assert_eq!(targets[2], (Space::Shared, Base::Absolute, 4));
    assert_eq!(targets[3], (Space::Local, Base::Frame, 8));
    assert_eq!(targets[4], (Space::Shared, Base::Absolute, 0));
    assert_eq!(targets[5], (Space::Global, Base::Absolute, 64));
}

/// PTX ISA 6.4.2: a subscript counts elements of any size.
#[test]
fn a_subscript_is_an_address_so_many_elements_further() {
    let distance = |array: &str, index: &str| {
        let body =
            format!("{array}; mov.u64 %d1, a[{index}]; mov.u64 %d2, a; sub.s64 %d3, %d1, %d2;");
        value64(&body, "%d3") as i64
    };
    assert_eq!(distance(".shared .u32 a[4]", "3"), 12);
    assert_eq!(distance(".shared .align 16 .b8 a[64]", "3"), 3);
    assert_eq!(distance(".shared .f64 a[4]", "2"), 16);
    assert_eq!(distance(".shared .u16 a[4]", "4-1"), 6);
    assert_eq!(distance(".shared .u32 before[4]; .shared .u32 a[4]", "-1"), -4);
    assert_eq!(
        values32(".shared .b8 b[16]; .shared .u32 a[4]; mov.u32 %r1, a[3];", &["%r1"]),
        [28]
    );
}

#[test]
fn an_access_by_a_subscript_goes_where_its_element_lies() {
    let pairs = [
        ("ld.shared.u32 %r1, s[3];", "ld.shared.u32 %r1, [s+12];"),
        ("ld.u16 %h1, h[1];", "ld.u16 %h1, [h+2];"),
        ("st.local.u64 l[2], %d1;", "st.local.u64 [l+16], %d1;"),
        ("ld.param.u32 %r1, n[0];", "ld.param.u32 %r1, [n];"),
    ];
    for (subscript, address) in pairs {
        let shown = |access: &str| {
            let body = format!(".shared .u32 s[4]; .shared .u16 h[4]; .local .b64 l[4]; {access}");
            format!("{:?}", operation(&body))
        };
        assert_eq!(shown(subscript), shown(address), "{subscript}");
    }
    for atomic in ["atom.shared.add.u32 %r1, s[1], 2;", "red.shared.add.u32 s[1], 2;"] {
        let text = format!(".shared .u32 s[4]; {atomic}");
        let said = try_lowered(&kernel(&text)).unwrap_err().to_string();
        assert!(said.contains("an address in brackets"), "{said}");
    }
}

#[test]
fn only_what_others_can_see_is_visible() {
    let seen = |text: &str| lowered(text).operations[0].visible;
    assert!(seen("ld.global.u32 %r1, [%d1];") && seen("ld.u32 %r1, [%d1];"));
    assert!(seen("st.shared.u32 [%d1], 0;") && seen("red.global.add.u32 [%d1], 1;"));
    assert!(seen("bar.sync 0;") && seen("membar.gl;") && seen("bar.warp.sync -1;"));
    assert!(!seen("ld.local.u32 %r1, [%d1];") && !seen("ld.param.u32 %r1, [n];"));
    assert!(!seen("ld.const.u32 %r1, [%d1];") && !seen("add.u32 %r1, %r1, 1;"));
}

#[test]
fn atomics_take_their_modifiers_in_the_orders_compilers_write() {
    use {AtomicOperation::*, Order::*};
    for (text, operation, ty, order, scope, space) in [
        (
            "atom.global.add.u32 %r1, [%d1], 1;",
            Add,
            Type::U32,
            Relaxed,
            Scope::Gpu,
            Some(Space::Global),
        ),
        ("atom.add.relaxed.gpu.s32 %r1, [%d1], 1;", Add, Type::S32, Relaxed, Scope::Gpu, None),
        (
            "atom.add.acq_rel.sys.global.s32 %r1, [%d1], 1;",
            Add,
            Type::S32,
            AcquireRelease,
            Scope::System,
            Some(Space::Global),
        ),
        (
            "atom.relaxed.gpu.global.max.u64 %d2, [%d1], 1;",
            Max,
            Type::U64,
            Relaxed,
            Scope::Gpu,
            Some(Space::Global),
        ),
        (
            "atom.global.sys.add.u32 %r1, [%d1], 1;",
            Add,
            Type::U32,
            Relaxed,
            Scope::System,
            Some(Space::Global),
        ),
        ("atom.cta.add.u32 %r1, [%d1], 1;", Add, Type::U32, Relaxed, Scope::Block, None),
        (
            "atom.shared.inc.u32 %r1, [%d1], 1;",
            Increment,
            Type::U32,
            Relaxed,
            Scope::Gpu,
            Some(Space::Shared),
        ),
        (
            "atom.acquire.cta.shared::cta.exch.b64 %d2, [%d1], 1;",
            Exchange,
            Type::B64,
            Acquire,
            Scope::Block,
            Some(Space::Shared),
        ),
        (
            "red.release.gpu.global.or.b32 [%d1], 1;",
            Or,
            Type::B32,
            Release,
            Scope::Gpu,
            Some(Space::Global),
        ),
        (
            "red.global.add.f64 [%d1], 1.0;",
            Add,
            Type::F64,
            Relaxed,
            Scope::Gpu,
            Some(Space::Global),
        ),
    ] {
        let found = atomic(text);
        assert_eq!((found.operation, found.ty), (operation, ty), "{text}");
        assert_eq!(found.target.semantics, Semantics { order, scope }, "{text}");
        assert_eq!(found.target.space, space, "{text}");
        assert_eq!(found.target.width, ty.bytes().unwrap(), "{text}");
        assert_eq!(found.wide, ty.bytes() == Some(8), "{text}");
    }
}

#[test]
fn cas_compares_with_its_second_operand_and_stores_the_third() {
    let program =
        lowered("atom.global.cas.b32 %r1, [%d1], 7, 9; atom.global.exch.b32 _, [%d1], 3;");
    let Kind::Atomic(cas) = &program.operations[0].kind else { panic!() };
    let [AtomicPiece { destination, b, c }] = cas.pieces[..] else { panic!("{cas:?}") };
    assert_eq!(constant32(&program.constants, b), 7);
    assert_eq!(constant32(&program.constants, c.unwrap()), 9);
    assert_eq!(destination, Some(slot(&program, "%r1")));
    let Kind::Atomic(exchange) = &program.operations[1].kind else { panic!() };
    let [AtomicPiece { destination, c, .. }] = exchange.pieces[..] else { panic!("{exchange:?}") };
    assert_eq!((destination, c), (None, None));
}

#[test]
fn vectors_and_128_bits_have_a_piece_for_each_register() {
    let cas = atomic(".reg .b128 %q<3>; atom.global.cas.b128 %q0, [%d1], %q1, %q2;");
    assert_eq!((cas.target.width, cas.target.elements, cas.wide), (16, 1, true));
    let [low, high] = cas.pieces[..] else { panic!("{cas:?}") };
    assert_eq!(
        (low.destination.unwrap().upper(), low.b.upper()),
        (high.destination.unwrap(), high.b)
    );
    assert_eq!(low.c.unwrap().upper(), high.c.unwrap());
    let vector =
        atomic("atom.global.max.noftz.v4.f16x2 {%r1, _, %r2, %r3}, [%d1], {%r1, 2, 3, 4};");
    let target = vector.target;
    assert_eq!((target.width, target.elements, target.scalar(), vector.wide), (4, 4, 2, false));
    let gives: Vec<bool> = vector.pieces.iter().map(|p| p.destination.is_some()).collect();
    assert_eq!(gives, [true, false, true, true]);
    let vector = atomic("red.global.add.L2::cache_hint.v2.f32 [%d1], {%f1, 1.0}, %d2;");
    assert_eq!((vector.pieces.len(), vector.gives()), (2, false));
}

#[test]
fn cvta_moves_an_address_between_a_window_and_its_space() {
    let to = |space: &str| value64(&format!("mov.u64 %d1, 16; cvta.{space}.u64 %d2, %d1;"), "%d2");
    assert_eq!(to("global"), 16);
    assert_eq!(to("shared"), window::SHARED + 16);
    assert_eq!(to("local"), window::LOCAL + 16);
    assert_eq!(to("const"), window::CONST + 16);
    assert_eq!(to("param"), window::PARAM + 16);
    let back = "mov.u64 %d1, 16; cvta.shared::cta.u64 %d2, %d1; cvta.to.shared.u64 %d3, %d2;";
    assert_eq!(value64(back, "%d3"), 16);
}

/// Measured on an H100, at levels 0 and 4 of its driver: `cvta.shared` and `cvta.to.shared` use
/// only the low half. The forms for the other spaces add and subtract.
#[test]
fn cvta_takes_the_low_half_of_addresses_of_shared_memory_and_the_whole_of_others() {
    let of = |space: &str, value: u64| {
        value64(&format!("mov.u64 %d1, {value:#x}; cvta.{space}.u64 %d2, %d1;"), "%d2")
    };
    for garbage in [1 << 32, 1 << 34, 1 << 63] {
        assert_eq!(of("shared", garbage + 16), window::SHARED + 16);
        assert_eq!(of("to.shared", window::SHARED + garbage + 16), 16);
        assert_eq!(of("local", garbage + 16), window::LOCAL + garbage + 16);
        assert_eq!(of("to.local", window::LOCAL + garbage + 16), garbage + 16);
        assert_eq!(of("const", garbage + 16), window::CONST + garbage + 16);
        assert_eq!(of("to.const", window::CONST + garbage + 16), garbage + 16);
    }
}

#[test]
fn the_address_of_a_local_variable_depends_on_the_activation() {
    let kinds = operations(".local .align 8 .b8 a[4]; .local .align 8 .b8 b[4]; mov.u64 %d1, b+2;");
    assert!(matches!(kinds[..], [Kind::LocalAddress64(_, 10), Kind::Lanes(..)]), "{kinds:?}");
    let program = lowered(".local .align 8 .b8 a[4]; .local .align 8 .b8 b[4];");
    assert_eq!(program.functions[0].local_bytes, 16);
    assert_eq!(program.functions[0].locals[1].address, 8);
}

#[test]
fn isspacep_asks_about_a_generic_address() {
    for (name, expected) in
        [("shared::cta", Space::Shared), ("const", Space::Const), ("param", Space::Param)]
    {
        let Kind::IsSpace { space, .. } = operation(&format!("isspacep.{name} %p1, %d1;")) else {
            panic!()
        };
        assert_eq!(space, expected);
    }
}

#[test]
fn prefetches_do_nothing() {
    for text in
        ["prefetch.global.L2 [%d1];", "prefetchu.L1 [%d1];", "pmevent 3;", "nanosleep.u32 %r1;"]
    {
        assert!(matches!(operation(text), Kind::Nothing), "{text}");
    }
}

#[test]
fn the_address_of_a_functions_parameter_is_no_address_of_a_kernels() {
    let text = ".func f(.param .b8 none[0], .param .align 32 .b8 s[8]) { .reg .u64 %d<2>; .reg .u32 %r;\n\
         ld.param.u32 %r, [s+4]; mov.b64 %d1, s; ld.param.u32 %r, [%d1]; ret; }\n\
         .entry k(.param .u64 a, .param .u64 b) { .reg .u64 %d<2>; .param .b8 e[0]; .param .b8 s[8];\n\
         mov.b64 %d1, b; call f, (e, s); ret; }";
    let program = try_lowered(&module(text)).unwrap();
    let Kind::Lanes(operation) = &program.operations[0].kind else { panic!() };
    let operands = operation.operands();
    assert_eq!(program.constants.w64[operands.a.index()][0], window::KERNEL_PARAM + 8);
    let callee = &program.functions[1];
    assert_eq!(callee.local_bytes, 32);
    let body = &program.operations[callee.entry as usize..];
    let Kind::Store(copied) = &body[1].kind else { panic!("{body:?}") };
    assert_eq!((copied.target.space, copied.target.width), (Some(Space::Local), 8));
    let Kind::Load(by_name) = &body[2].kind else { panic!("{body:?}") };
    let target = &by_name.target;
    assert_eq!((target.space, target.base, target.offset), (Some(Space::Local), Base::Frame, 4));
}

#[test]
fn a_parameter_whose_address_is_taken_is_copied_in_pieces_that_its_copy_is_aligned_to() {
    // The result has the first four bytes of the parameters, so that the struct is at byte 4 of
    // them, and its copy at byte 0.
    let text = ".func (.param .b32 r) f(.param .align 4 .b8 s[24]) { .reg .u64 %d; .reg .u32 %r;\n\
         mov.b64 %d, s; ld.param.u32 %r, [%d+20]; st.param.b32 [r], %r; ret; }\n\
         .entry k() { .param .b32 r; .param .align 4 .b8 s[24]; call (r), f, (s); ret; }";
    let program = try_lowered(&module(text)).unwrap();
    let body = &program.operations[program.functions[1].entry as usize..];
    let pieces = body.iter().map_while(|operation| match &operation.kind {
        Kind::Load(load) => Some((load.target.offset, load.target.width)),
        Kind::Store(store) => Some((store.target.offset, store.target.width)),
        _ => None,
    });
    let pieces: Vec<(i64, u32)> = pieces.collect();
    assert!(pieces.len() >= 2, "{body:?}");
    assert!(pieces.iter().all(|(at, width)| at % i64::from(*width) == 0), "{pieces:?}");
}

#[test]
fn a_parameter_whose_address_is_taken_is_not_passed_on_as_it_is() {
    let text = ".func g(.param .b64 x) { ret; }\n\
         .func f(.param .b64 s) { .reg .u64 %d; mov.b64 %d, s; call g, (s); ret; }\n\
         .entry k() { .param .b64 s; call f, (s); ret; }";
    let error = try_lowered(&module(text)).unwrap_err().to_string();
    assert!(error.contains("it passes on a parameter whose address is taken"), "{error}");
}
