//! Refused programs: the message, and the place.

use super::*;

/// The error of a kernel with this statement, the text that it points at, and its line.
fn refused(body: &str) -> (LowerErrorKind, String, u32) {
    let module = kernel(body);
    let error = try_lowered(&module).unwrap_err();
    (error.kind, module.source.slice(error.span).to_owned(), error.line)
}

#[test]
fn an_unknown_opcode_is_told_from_unknown_modifiers() {
    let (kind, at, line) = refused("ret;\nfrobnicate.u32 %r1, %r2;");
    assert_eq!(kind, LowerErrorKind::UnknownOpcode("frobnicate.u32".into()));
    assert_eq!((&*at, line), ("frobnicate.u32 %r1, %r2;", 8));
    let (kind, at, _) = refused("@%p1 ld.shared.q7 %r1, [%r2];");
    assert!(matches!(kind, LowerErrorKind::NoSuchForm { .. }), "{kind:?}");
    assert_eq!(at, "@%p1 ld.shared.q7 %r1, [%r2];");
}

#[test]
fn a_form_that_ptx_has_not_is_the_programs_fault_and_one_that_is_missing_here_is_not() {
    let refusal = |body: &str| try_lowered(&kernel(body)).unwrap_err();
    for text in [
        "cvt.rn.f32.s8x4 %r1, %r2;",
        "cvt.u32.f32 %r1, %r2;",
        "cvt.rn.u32.f32 %r1, %r2;",
        "cvt.rni.f32.u32 %r1, %r2;",
        "cvt.rn.f64.f32 %d1, %r2;",
        "cvt.rn.e4m3x2.f32 %h1, %r1, %r2;",
        "add.sat.u32 %r1, %r2, %r3;",
        "mul.u32.lo %r1, %r2, %r3;",
        "setp.ltu.s32 %p1, %r2, %r3;",
        "atom.global.mul.u32 %r1, [%d1], %r2;",
        "atom.global.add.f16 %h1, [%d1], %h2;",
        "atom.global.min.noftz.f16 %h1, [%d1], %h2;",
        "red.global.add.v8.f32 [%d1], {%f1, %f1, %f1, %f1, %f1, %f1, %f1, %f1};",
        "red.shared.add.v2.f32 [%r1], {%f1, %f2};",
    ] {
        let error = refusal(text);
        assert!(!error.is_unsupported(), "{text}: {error}");
        let LowerErrorKind::NoSuchForm { instruction, nearest } = error.kind else {
            panic!("{text}: {error}")
        };
        assert!(text.starts_with(&instruction) && !nearest.is_empty(), "{text}: {nearest:?}");
    }
    for text in ["fma.rz.bf16 %h1, %h2, %h3, %h4;", "wgmma.wait_group.sync.aligned 0;"] {
        let error = refusal(text);
        assert!(error.is_unsupported(), "{text}: {error}");
    }
}

#[test]
fn conversions_of_bf16_and_8_bit_integers_take_registers_of_8_bits() {
    lowered("cvt.rn.bf16.u8 %h1, %b2; cvt.rzi.s8.bf16 %b1, %h2; ret;");
    assert!(try_lowered(&kernel("cvt.rn.bf16.u8 %h1, %h2; ret;")).is_err());
}

#[test]
fn what_would_never_execute_is_refused_all_the_same() {
    assert!(matches!(refused("ret; frobnicate;").0, LowerErrorKind::UnknownOpcode(_)));
}

#[test]
fn undeclared_names_are_errors() {
    for (body, name, at) in [
        ("add.u32 %r1, %r2, %q;", "%q", "%q"),
        ("add.u32 %q, %r2, 1;", "%q", "%q"),
        ("@%q ret;", "%q", "%q"),
        ("ld.global.u32 %r1, [nothing+4];", "nothing", "[nothing+4]"),
        ("call nowhere;", "nowhere", "nowhere"),
        ("{ .reg .u32 inner; } mov.u32 inner, 1;", "inner", "inner"),
        ("mov.u32 %r1, %q.x;", "%q.x", "%q.x"),
    ] {
        let (kind, found, _) = refused(body);
        assert_eq!(kind, LowerErrorKind::Undeclared(name.into()), "{body}");
        assert_eq!(found, at, "{body}");
    }
}

#[test]
fn a_name_may_be_declared_once_in_a_scope() {
    for (body, name) in [
        (".reg .u32 x; .reg .u64 x;", "x"),
        (".reg .u32 %r<2>;", "%r"),
        (".reg .u32 %r3;", "%r3"),
        (".reg .u32 x; .shared .u32 x;", "x"),
        ("L: L: ret;", "L"),
        (".reg .u32 x; x: ret;", "x"),
        (".reg .u32 s1; .reg .u32 s<4>;", "s1"),
    ] {
        assert_eq!(refused(body).0, LowerErrorKind::DeclaredTwice(name.into()), "{body}");
    }
    let twice = module(".func f() { ret; } .func f() { ret; } .entry k() { ret; }");
    assert!(place(&twice).is_err());
}

#[test]
fn a_vector_register_has_two_or_four_elements() {
    let kind = refused(".reg .v8 .u32 v;").0;
    assert!(matches!(&kind, LowerErrorKind::Variable { name, .. } if name == "v"), "{kind:?}");
}

#[test]
fn labels_must_be_in_sight() {
    for body in ["bra NOWHERE;", "{ L: ret; } bra L;", "T: .branchtargets NOWHERE; brx.idx %r1, T;"]
    {
        assert!(matches!(refused(body).0, LowerErrorKind::NoSuchLabel(_)), "{body}");
    }
}

#[test]
fn operands_are_counted() {
    for body in [
        "add.u32 %r1, %r2;",
        "add.u32 %r1, %r2, %r3, %r4;",
        "mov.u32 %r1;",
        "ld.global.u32 %r1;",
        "atom.global.cas.b32 %r1, [%d1], 1;",
        "atom.global.add.u32 %r1, [%d1], 1, 2;",
        "bar.arrive 0;",
        "bar.sync 0, 32, 1;",
        "shfl.sync.up.b32 %r1, %r2, 1, 0;",
        "bra L, L; L: ret;",
        "nanosleep.u32 1, 2;",
    ] {
        let (kind, ..) = refused(body);
        assert!(matches!(kind, LowerErrorKind::OperandCount { .. }), "{body}: {kind:?}");
    }
    let (kind, at, _) = refused("mad.lo.u32 %r1, %r2, %r3;");
    let expected = "`mad.lo.u32` takes the operands `d, a, b, c`, but 3 are given";
    assert_eq!((kind.to_string(), &*at), (expected.into(), "mad.lo.u32 %r1, %r2, %r3;"));
}

#[test]
fn operands_must_fit_their_type() {
    for (body, at) in [
        ("add.u32 %r1, %d1, 1;", "%d1"),
        ("add.u64 %d1, %r1, 1;", "%r1"),
        ("add.u32 %h1, %r1, 1;", "%h1"),
        ("add.u32 %r1, %p1, 1;", "%p1"),
        ("add.f32 %f1, %f2, 1;", "1"),
        ("add.u32 5, %r2, 1;", "5"),
        ("setp.eq.u32 %r1, %r2, 1;", "%r1"),
        ("@%r1 ret;", "%r1"),
        ("cvt.u32.u64 %r1, %r2;", "%r2"),
        ("cvt.u64.u32 %r1, %r2;", "%r1"),
        ("ld.global.u32 %h1, [%d1];", "%h1"),
        ("ld.global.u32 %p1, [%d1];", "%p1"),
        ("st.global.u64 [%d1], %r1;", "%r1"),
        ("ld.global.u32 %r1, [%h1];", "[%h1]"),
        ("ld.global.u32 %r1, %d1;", "%d1"),
        ("ld.global.v2.u32 %r1, [%d1];", "%r1"),
        ("ld.global.v4.u32 {%r1, %r2}, [%d1];", "{%r1, %r2}"),
        ("ld.global.u32 %r1, [n];", "[n]"),
        ("ld.global.b128 %d1, [%d2];", "%d1"),
        ("mov.b128 %d1, {%d1, %d2};", "%d1"),
        (".reg .b128 %q; mov.b128 %q, {%d1, %d2, %d3};", "{%d1, %d2, %d3}"),
        (".reg .b128 %q; st.global.b128 [%d1], %d1;", "%d1"),
        (".reg .b128 %q; ld.global.s64 %q, [%d1];", "%q"),
        ("atom.global.exch.b128 %d1, [%d2], 0;", "%d1"),
        ("red.global.add.v2.f32 [%d1], %f1;", "%f1"),
        ("red.global.add.v2.f32 [%d1], {%f1, %f1, %f1};", "{%f1, %f1, %f1}"),
        ("atom.local.add.u32 %r1, [%d1], 1;", ""),
        ("mov.b64 {%r1, %r2, %r3}, %d1;", "{%r1, %r2, %r3}"),
        ("mov.b64 {%r1, %h1}, %d1;", "%h1"),
        (".shared .u32 a[4]; ld.shared.u32 %r1, a[%p1];", "a[%p1]"),
        (".reg .v2 .b32 %v; mov.v2.b32 %v, {%r1, %r2, %r3};", "{%r1, %r2, %r3}"),
        (".reg .v4 .b32 %v; mov.v2.b32 {%r1, %r2}, %v;", "%v"),
        ("mov.v2.b32 {%r1, %r2}, %r3;", "%r3"),
        ("bar.sync 16;", "16"),
        ("bra %r1;", ""),
        ("elect.sync %r1, -1;", "%r1"),
        ("match.any.sync.b32 %r1|%p1, %r2, -1;", "%r1|%p1"),
        ("{ .param .b32 x; mov.u64 %d1, x; }", "x"),
        ("{ .param .b32 x; st.param.b32 [x+2], 1; }", "[x+2]"),
        ("{ .param .b32 x[2]; st.param.b32 x[2], 1; }", "x[2]"),
        ("mov.u64 %d1, %d2[0];", "%d2[0]"),
        ("ld.shared.u32 %r1, %tid[1];", ""),
        (".shared .u32 a[4]; mov.u64 %d1, a[0x7fffffffffffffff];", "a[0x7fffffffffffffff]"),
        (".shared .u32 a[4]; ld.global.u32 %r1, a[1];", "a[1]"),
        (".shared .u32 a[4]; mov.u32 a[1], %r1;", "a[1]"),
    ] {
        let (kind, found, _) = refused(body);
        if !at.is_empty() {
            assert_eq!(found, at, "{body}: {kind}");
        }
    }
}

#[test]
fn what_is_not_supported_does_not_look_like_the_programs_fault() {
    for body in [
        "multimem.ld_reduce.add.u32 %r1, [%d1];",
        "cp.async.bulk.tensor.1d.shared::cta.global.mbarrier::complete_tx::bytes [%d1], [%d2, {%r1}], [%d1];",
        "cvta.shared.u32 %r1, %r2;",
        "wgmma.wait_group.sync.aligned 0;",
    ] {
        let error = try_lowered(&kernel(body)).unwrap_err();
        assert!(error.is_unsupported(), "{body}: {error}");
    }
    let narrow = parse("t", ".version 7.0\n.target sm_80\n.address_size 32\n.entry k() { ret; }");
    let error = lower(&narrow.unwrap(), "k", &Placement::default()).unwrap_err();
    assert_eq!(error.kind, LowerErrorKind::AddressSize(32));
    let launching = module(
        ".extern .func (.param .b32 r) cudaLaunchDeviceV2(.param .b64 a, .param .b64 b);\n\
         .entry k() { .param .b32 r; .param .b64 a; .param .b64 b; call (r), cudaLaunchDeviceV2, (a, b); }",
    );
    assert!(try_lowered(&launching).unwrap_err().is_unsupported());
    let nowhere = module(".extern .func f();\n.entry k() { call f; }");
    let error = try_lowered(&nowhere).unwrap_err();
    assert_eq!(error.kind, LowerErrorKind::Unresolved("f".into()));
}

#[test]
fn a_cluster_has_one_block() {
    let entry = |clusters: &str| module(&format!(".entry k() {clusters} {{ ret; }}"));
    for one in [".reqnctapercluster 1", ".reqnctapercluster 1, 1, 1 .explicitcluster"] {
        try_lowered(&entry(one)).unwrap();
    }
    try_lowered(&entry(".maxclusterrank 8")).unwrap();
    let error = try_lowered(&entry(".reqnctapercluster 2, 2")).unwrap_err();
    assert!(error.is_unsupported(), "{error}");
    assert!(error.to_string().contains(".reqnctapercluster of 4 blocks"), "{error}");
}

#[test]
fn a_kernel_must_be_there() {
    let module = module(".func f() { ret; } .entry k() { ret; }");
    for name in ["f", "missing"] {
        let error = lower(&module, name, &placement(&module)).unwrap_err();
        assert_eq!(error.kind, LowerErrorKind::Undeclared(name.into()));
    }
}

#[test]
fn matrices_are_refused_with_what_is_wrong() {
    let expected = |text: &str| match refused(text).0 {
        LowerErrorKind::Operand { expected, .. } => expected,
        other => panic!("{text}: {other:?}"),
    };
    let sparse = "mma.sp.sync.aligned.m16n8k32.row.col.f16.f16.f16.f16 \
                  {%r1, %r1}, {%r1, %r1, %r1, %r1}, {%r1, %r1, %r1, %r1}, {%r1, %r1}, %r2, ";
    assert!(expected(&format!("{sparse}2;")).starts_with("0 or 1"));
    assert!(expected(&format!("{sparse}%r3;")).starts_with("0 or 1"));
    let short =
        "mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16 {%r1, %r1}, {%r1}, {%r1}, {%r1, %r1};";
    assert_eq!(expected(short), "a vector of 2 registers");
    assert_eq!(
        expected("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%r1, %d1}, [%r2];"),
        "a register of 32 bits, and this is a .b64"
    );
    for text in [
        "mma.sync.aligned.m16n8k8.col.row.f16.f16.f16.f16 {%r1, %r1}, {%r1, %r1}, {%r1}, {%r1, %r1};",
        "ldmatrix.sync.aligned.m8n8.x2.global.b16 {%r1, %r1}, [%d1];",
        "wmma.load.a.sync.aligned.row.m16n16k16.local.f16 {%r1, %r1}, [%d1];",
    ] {
        assert!(matches!(refused(text).0, LowerErrorKind::NoSuchForm { .. }), "{text}");
    }
    let scaled = "mma.sync.aligned.m16n8k64.row.col.kind::mxf4.block_scale.scale_vec::2X.f32.e2m1.e2m1.f32.ue8m0 %r1;";
    let error = try_lowered(&kernel(scaled)).unwrap_err();
    assert!(error.is_unsupported() && error.to_string().contains("block scaling"), "{error}");
}
