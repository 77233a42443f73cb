//! Layout of module variables and of shared memory.

use super::*;
use crate::ptx::Space;

fn layout(text: &str) -> Layout {
    place(&module(text)).unwrap()
}

#[test]
fn variables_have_their_natural_size_and_alignment() {
    let found = layout(
        ".global .u16 a; .global .v4 .f32 b; .global .align 64 .b8 c[10]; .global .u64 d[2][3];\n\
         .extern .global .u32 e;",
    );
    let shapes: Vec<_> = found.variables.iter().map(|v| (v.size, v.align)).collect();
    assert_eq!(shapes, [(2, 2), (16, 16), (10, 64), (48, 8)]);
}

#[test]
fn constants_share_a_bank() {
    let found = layout(".const .u8 a; .const .f64 b; .global .u32 g; .const .u32 c;");
    let offsets: Vec<_> = found.variables.iter().map(|v| v.offset).collect();
    assert_eq!((offsets, found.constant_bytes), (vec![0, 8, 0, 16], 20));
    assert!(place(&module(".const .b8 a[65536];")).is_ok());
    assert!(place(&module(".const .b8 a[65536]; .const .b8 b;")).is_err());
}

#[test]
fn initial_values_are_little_endian_and_the_rest_is_zero() {
    let found = layout(
        ".global .u32 a = 0x11223344; .global .s16 b[3] = {-1, 2}; .global .f32 c = 1.5;\n\
         .global .f64 d[2] = {0d3FF0000000000000, 2.0}; .global .u8 e[2][2] = {{1}, {2, 3}}; .global .u32 z;\n\
         .global .b8 s[] = {104, 105};",
    );
    let bytes = |i: usize| found.variables[i].initial.clone();
    assert_eq!(bytes(0), [0x44, 0x33, 0x22, 0x11]);
    assert_eq!(bytes(1), [0xff, 0xff, 2, 0]);
    assert_eq!(bytes(2), 1.5f32.to_le_bytes());
    assert_eq!(bytes(3), [1f64.to_le_bytes(), 2f64.to_le_bytes()].concat());
    assert_eq!(bytes(4), [1, 0, 2, 3]);
    assert!(bytes(5).is_empty() && !found.variables[5].initialised);
    assert_eq!(found.variables[6].size, 2);
}

#[test]
fn an_initial_value_wider_than_its_element_gives_its_low_bits() {
    let found = layout(
        ".global .u8 a = 300; .global .s16 b[2] = {-70000, 0xffffffffffffffff};\n\
         .global .u32 c = 0x1ffffffff; .global .u64 d = -256U;",
    );
    let bytes = |i: usize| found.variables[i].initial.clone();
    assert_eq!(bytes(0), [44]);
    assert_eq!(bytes(1), [0x90, 0xee, 0xff, 0xff]);
    assert_eq!(bytes(2), [0xff; 4]);
    assert_eq!(bytes(3), (-256i64).to_le_bytes());
}

#[test]
fn addresses_in_initialisers_are_filled_in() {
    let module = module(
        ".func f() { ret; }\n.global .u32 g[4]; .const .u32 pad; .const .u32 c;\n\
         .global .u64 a[4] = {g+8, generic(c), c, f}; .global .u8 m[2] = {0xff(g), 0xff00(g)};",
    );
    let place = placement(&module);
    let layout = super::super::place(&module).unwrap();
    let (g, f) = (place.globals["g"], place.functions["f"]);
    let words: Vec<u64> = layout.variables[3]
        .bytes(&place)
        .unwrap()
        .chunks(8)
        .map(|w| u64::from_le_bytes(w.try_into().unwrap()))
        .collect();
    assert_eq!(words, [g + 8, window::CONST + 4, 4, f]);
    let bytes = layout.variables[4].bytes(&place).unwrap();
    assert_eq!(bytes, [g as u8, (g >> 8) as u8]);
    assert_eq!(layout.variables[3].space, Space::Global);
}

#[test]
fn a_senseless_variable_is_an_error_that_names_it() {
    for (text, reason) in [
        (".global .u32 v[2] = {1, 2, 3};", "more values"),
        (".global .u32 v = {1, {2}};", "more values"),
        (".global .u32 v = 1.5;", "floating-point"),
        (".global .b8 v[2][1000000000] = {{1}, {1}};", "too large"),
        (".global .u32 v[0][4611686018427387904] = {{1}};", "more values"),
    ] {
        let module = module(text);
        let error = place(&module).unwrap_err();
        let LowerErrorKind::Variable { name, reason: found } = &error.kind else {
            panic!("{error}")
        };
        assert!(name == "v" && found.contains(reason), "{text}: {error}");
        assert_eq!(error.line, 4, "{text}");
    }
}

#[test]
fn shared_variables_lie_in_the_order_of_the_text() {
    let module = module(
        ".shared .b8 unused[100];\n.shared .b8 first[3];\n.func f() { .shared .u64 third; ret; }\n\
         .func g() { .shared .u64 never; ret; }\n.extern .shared .align 8 .b8 dynamic[];\n\
         .entry k() { .reg .u32 %r<9>; .shared .u16 fourth; { .shared .u32 fourth; mov.u32 %r1, fourth; }\n\
         mov.u32 %r2, fourth; mov.u32 %r3, first+1; mov.u32 %r4, dynamic; call f; }",
    );
    let program = try_lowered(&module).unwrap();
    let symbols: Vec<_> = program.shared.iter().map(|s| (&*s.name, s.address, s.size)).collect();
    let expected = [
        ("first", 0, 3),
        ("third", 8, 8),
        ("dynamic", 32, 0),
        ("fourth", 16, 2),
        ("fourth", 20, 4),
    ];
    assert_eq!(symbols, expected);
    assert_eq!(program.static_shared_bytes, 24);
    let registers = run(&program);
    let held = |name| registers.w32(slot(&program, name))[0];
    assert_eq!(["%r1", "%r2", "%r3", "%r4"].map(held), [20, 16, 1, 32]);
}

#[test]
fn a_kernel_says_which_blocks_it_takes() {
    let limits = |directive: &str| {
        let program = try_lowered(&module(&format!(".entry k() {directive} {{ ret; }}"))).unwrap();
        (program.max_threads, program.required_block)
    };
    assert_eq!(limits(""), (None, None));
    assert_eq!(limits(".maxntid 64, 2"), (Some(128), None));
    assert_eq!(limits(".reqntid 32"), (Some(32), Some([32, 1, 1])));
}
