//! Calls and the functions that they reach.

use super::*;

const ADD: &str = ".func (.param .u32 out) add(.param .u32 a, .param .u64 b) {\n\
     .reg .u32 %r<3>; .reg .u64 %d; ld.param.u32 %r1, [a]; ld.param.u64 %d, [b];\n\
     cvt.u32.u64 %r2, %d; add.u32 %r1, %r1, %r2; st.param.u32 [out+0], %r1; ret; }\n";

fn calls(program: &Program) -> Vec<&Call> {
    let calls = program.operations.iter().filter_map(|o| match &o.kind {
        Kind::Call(call) => Some(&**call),
        _ => None,
    });
    calls.collect()
}

#[test]
fn arguments_and_results_have_homes_on_both_sides() {
    let module = module(&format!(
        "{ADD}.entry k() {{ .reg .u32 %r<3>; {{ .param .b32 p0; .param .b64 p1; .param .b32 r0;\n\
         st.param.b32 [p0+0], %r1; st.param.b64 [p1], 7; call.uni (r0), add, (p0, p1);\n\
         ld.param.b32 %r2, [r0+0]; }} }}"
    ));
    let program = try_lowered(&module).unwrap();
    let param = |offset, size| Home::Param { offset, size };
    assert_eq!(program.functions[1].returns, [param(0, 4)]);
    assert_eq!(program.functions[1].params, [param(4, 4), param(8, 8)]);
    assert_eq!(program.functions[1].param_bytes, 16);
    let call = calls(&program)[0];
    assert_eq!(call.callee, Callee::Direct(1));
    assert_eq!(call.arguments, [param(0, 4), param(8, 8)]);
    assert_eq!(call.results, [param(16, 4)]);
    let Kind::Store(store) = &program.operations[1].kind else { panic!() };
    assert_eq!((store.target.base, store.target.offset), (Base::FrameParam, 8));
}

#[test]
fn registers_and_immediates_are_passed_in_registers() {
    let module = module(
        ".func (.reg .u64 x) f(.reg .u32 a, .reg .u16 b) { cvt.u64.u32 x, a; ret; }\n\
         .entry k() { .reg .u32 %r<2>; .reg .u64 %d<2>; call (%d1), f, (%r1, 5); }",
    );
    let program = try_lowered(&module).unwrap();
    let call = calls(&program)[0];
    assert_eq!(call.results, [Home::W64(slot(&program, "%d1"))]);
    let Home::W32(five, 2) = call.arguments[1] else { panic!("{call:?}") };
    assert_eq!(constant32(&program.constants, five), 5);
    assert!(matches!(program.functions[1].params[..], [Home::W32(_, 4), Home::W32(_, 2)]));
    assert!(matches!(program.functions[1].returns[..], [Home::W64(_)]));
}

#[test]
fn call_scopes_share_their_parameter_bytes() {
    let one = "{ .param .b64 p0; .param .b64 p1; st.param.b64 [p0], 1; }";
    let program = lowered(&one.repeat(3));
    assert_eq!(program.functions[0].param_bytes, 16);
}

#[test]
fn only_functions_that_can_be_reached_are_lowered() {
    let module = module(
        ".func bad() { nonsense.u32; }\n.func b() { ret; }\n.func a() { call b; call a; }\n\
         .entry k() { call a; }\n.entry other() { call bad; }",
    );
    let program = try_lowered(&module).unwrap();
    let names: Vec<_> = program.functions.iter().map(|f| &*f.name).collect();
    assert_eq!(names, ["k", "a", "b"]);
    assert!(program.functions.windows(2).all(|pair| pair[0].end == pair[1].entry));
    assert!(lower(&module, "other", &placement(&module)).is_err());
}

#[test]
fn an_indirect_call_reaches_all_functions_whose_address_is_taken() {
    let module = module(
        ".func (.param .b32 r) a(.param .b32 x) { ret; }\n.func (.param .b32 r) b(.param .b32 x) { ret; }\n\
         .func unused() { ret; }\n.global .u64 table[2] = {a, 0};\n.alias c, b;\n\
         .entry k() { .reg .u64 %d<2>; .param .b32 x; .param .b32 r; mov.u64 %d1, b;\n\
         P: .callprototype (.param .b32 _) _ (.param .b32 _); call (r), %d1, (x), P; }",
    );
    let program = try_lowered(&module).unwrap();
    let names: Vec<_> = program.functions.iter().map(|f| &*f.name).collect();
    assert_eq!(names, ["k", "a", "b"]);
    let place = placement(&module);
    let at = |name: &str| place.functions[name];
    let mut expected = [(at("a"), 1), (at("b"), 2)];
    expected.sort_unstable();
    assert_eq!(program.function_addresses, expected);
    assert!(matches!(calls(&program)[0].callee, Callee::Indirect(_)));
}

#[test]
fn a_failed_assertion_of_the_runtime_is_a_trap() {
    let module = module(
        ".extern .func __assertfail(.param .b64 m, .param .b32 l);\n\
         .entry k() { .param .b64 m; .param .b32 l; call __assertfail, (m, l); }",
    );
    let program = try_lowered(&module).unwrap();
    let effect = program.operations[0].kind.effect();
    assert!(matches!(effect, Effect::Leave(Leave::Trap)), "{effect:?}");
}

#[test]
fn a_mismatched_call_is_refused() {
    for (call, reason) in [
        ("call (%r1), add, (%r1, %d1, %r2)", "2 arguments, and 3 are given"),
        ("call add, (%r1, %d1)", "1 results, and 0 are given"),
        ("call (%r1), add, (%r1, %r2)", "`%r2` has 4 bytes where it takes 8"),
    ] {
        let module = module(&format!("{ADD}.entry k() {{ {REGISTERS} {call}; }}"));
        let error = try_lowered(&module).unwrap_err();
        assert!(matches!(error.kind, LowerErrorKind::CallMismatch { .. }), "{error}");
        assert!(error.to_string().contains(reason), "{error}");
    }
}

#[test]
fn a_parameter_whose_address_is_taken_is_copied_to_local_memory_on_entry() {
    let module = module(
        ".func f(.param .align 8 .b8 x[14]) { .reg .u64 %d<2>; .reg .u32 %r; L: mov.b64 %d1, x;\n\
         ld.local.u32 %r, [%d1+4]; bra L; }\n\
         .entry k() { .param .align 8 .b8 x[14]; call f, (x); }",
    );
    let program = try_lowered(&module).unwrap();
    let f = &program.functions[1];
    assert_eq!(f.local_bytes, 16);
    let operations = &program.operations[f.entry as usize..f.end as usize];
    let moved: Vec<_> = operations
        .iter()
        .filter_map(|o| match &o.kind {
            Kind::Load(l) => Some(('l', l.target.base, l.target.offset, l.target.width)),
            Kind::Store(s) => Some(('s', s.target.base, s.target.offset, s.target.width)),
            _ => None,
        })
        .collect();
    let (from, to) = (Base::FrameParam, Base::Frame);
    let copies = [
        [('l', from, 0, 8), ('s', to, 0, 8)],
        [('l', from, 8, 4), ('s', to, 8, 4)],
        [('l', from, 12, 2), ('s', to, 12, 2)],
    ];
    assert_eq!(moved[..6], copies.concat());
    assert!(matches!(operations[6].kind, Kind::LocalAddress64(_, 0)));
    let Some(Kind::Branch { target, .. }) =
        operations.iter().map(|o| &o.kind).rfind(|k| matches!(k, Kind::Branch { .. }))
    else {
        panic!()
    };
    assert_eq!(*target, f.entry + 6, "the copies are made once");
}

#[test]
fn local_memory_of_every_activation_has_the_largest_alignment() {
    let module = module(
        ".func f() { .local .align 64 .b8 x[4]; ret; } .entry k() { .local .u32 y; call f; }",
    );
    let program = try_lowered(&module).unwrap();
    assert_eq!(program.functions.iter().map(|f| f.local_bytes).collect::<Vec<_>>(), [64, 64]);
}
