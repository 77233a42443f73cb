//! Each rule of the pass, beside near-identical programs where it must not apply.
//!
//! The kernel of `super::kernel` has shared arrays `s` and `t` and pointer parameters `p` and `q`.
//! Every program is written with its outcome: how many loads and stores are left.

use super::{accesses, cache, instructions, kernel, module, register_cache};
use crate::passes::policy::Policy;
use crate::passes::remark::{Change, Holder};
use crate::ptx::{Module, SourceMap};

/// Loads and stores that the pass leaves of a body.
fn left(body: &str) -> (usize, usize) {
    accesses(&register_cache(&kernel(body)).module, "k")
}

/// Opcodes and operands of the accesses left, in order.
fn order(body: &str) -> Vec<String> {
    let module = register_cache(&kernel(body)).module;
    let memory = |opcode: &str| matches!(opcode, "ld" | "st" | "bar" | "bra" | "ret");
    let found = instructions(&module, "k").into_iter().filter(|inst| memory(&inst.opcode.text));
    found.map(|inst| module.source.slice(inst.span).to_string()).collect()
}

/// The printed module, with single blanks.
fn print(module: &Module) -> String {
    crate::ptx::print(module).split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A store and a load of the same place, with something between.
fn between(middle: &str) -> (usize, usize) {
    left(&format!("st.shared.u32 [s+4], %r1; {middle} ld.shared.u32 %r2, [s+4];"))
}

#[test]
fn a_load_takes_what_a_store_put_there() {
    assert_eq!(between(""), (0, 1));
    assert_eq!(between("ld.shared.u32 %r3, [s+8];"), (1, 1));
    assert_eq!(between("st.shared.u32 [s+8], %r3;"), (0, 2));
    assert_eq!(between("st.shared.u32 [t+4], %r3;"), (0, 2));
    assert_eq!(between("ld.param.u64 %d1, [p]; st.global.u32 [%d1], %r3;"), (0, 2));
    assert_eq!(between("mov.u32 %r1, 0;"), (0, 1), "the old value is saved");
}

#[test]
fn a_subscript_is_a_place_in_its_variable() {
    // `s` and `t` have elements of one byte.
    assert_eq!(between("st.shared.u32 s[8], %r3;"), (0, 2), "other bytes");
    assert_eq!(between("st.shared.u32 s[6], %r3;"), (1, 2));
    assert_eq!(between("st.shared.u32 s[%r4], %r3;"), (1, 2), "anywhere");
    let wide = |load: &str| left(&format!(".shared .u32 w[4]; st.shared.u32 w[1], %r1; {load}"));
    assert_eq!(wide("ld.shared.u32 %r2, [w+4];"), (0, 1));
    assert_eq!(wide("ld.shared.u32 %r2, w[1];"), (0, 1));
    assert_eq!(wide("mov.u64 %d1, w[1]; ld.shared.u32 %r2, [%d1];"), (0, 1));
    assert_eq!(wide("ld.shared.u32 %r2, w[2];"), (1, 1));
    assert_eq!(wide("mov.u64 %d1, w[2]; ld.shared.u32 %r2, [%d1];"), (1, 1));
}

#[test]
fn warp_functions_without_memory_end_nothing() {
    assert_eq!(between("shfl.sync.up.b32 %r3, %r1, 1, 0, -1;"), (0, 1));
    assert_eq!(between("vote.sync.ballot.b32 %r3, %p1, -1;"), (0, 1));
    assert_eq!(between("redux.sync.add.s32 %r3, %r1, -1;"), (0, 1));
    assert_eq!(between("activemask.b32 %r3;"), (0, 1));
}

#[test]
fn barriers_and_fences_end_what_is_assumed() {
    for barrier in [
        "bar.sync 0;",
        "barrier.sync 0;",
        "bar.warp.sync -1;",
        "bar.red.popc.u32 %r3, 0, %p1;",
        "membar.cta;",
        "fence.acq_rel.gpu;",
        "fence.sc.sys;",
        "mbarrier.init.shared.b64 [t], 1;",
        "some.unknown.instruction;",
    ] {
        assert_eq!(between(barrier), (1, 1), "{barrier}");
    }
}

#[test]
fn strong_accesses_end_what_is_assumed_about_their_bytes() {
    assert_eq!(between("st.volatile.shared.u32 [s+4], %r3;"), (1, 2));
    assert_eq!(between("ld.volatile.shared.u32 %r3, [s+4];"), (2, 1));
    assert_eq!(between("ld.volatile.shared.u32 %r3, [s+8];"), (1, 1), "other bytes");
    assert_eq!(between("ld.relaxed.gpu.shared.u32 %r3, [s+4];"), (2, 1));
    assert_eq!(between("ld.relaxed.gpu.shared.u32 %r3, [t];"), (1, 1), "other bytes");
    assert_eq!(between("ld.acquire.gpu.shared.u32 %r3, [t];"), (2, 1), "it orders all bytes");
    assert_eq!(between("st.release.gpu.shared.u32 [t], %r3;"), (1, 2));
    assert_eq!(between("atom.shared.add.u32 %r3, [t], 1;"), (1, 1));
    assert_eq!(between("red.shared.add.u32 [t], 1;"), (1, 1));
    assert_eq!(between("atom.relaxed.gpu.shared.add.u32 %r3, [t], 1;"), (0, 1));
    assert_eq!(between("atom.relaxed.gpu.shared.add.u32 %r3, [s+4], 1;"), (1, 1));
}

#[test]
fn strong_accesses_are_never_touched() {
    for word in ["volatile", "relaxed.gpu", "mmio.relaxed.sys", "acquire.gpu"] {
        let body = format!("ld.{word}.shared.u32 %r1, [s]; ld.{word}.shared.u32 %r2, [s];");
        assert_eq!(left(&body), (2, 0), "{word}");
    }
    for word in ["volatile", "relaxed.gpu", "release.gpu"] {
        let body = format!("st.{word}.shared.u32 [s], %r1; st.{word}.shared.u32 [s], %r2;");
        assert_eq!(left(&body), (0, 2), "{word}");
        let body = format!("st.{word}.shared.u32 [s], %r1; ld.shared.u32 %r2, [s];");
        assert_eq!(left(&body), (1, 1), "{word}");
    }
    assert_eq!(left("ld.global.cv.u32 %r1, [%d1]; ld.global.cv.u32 %r2, [%d1];"), (2, 0));
    assert_eq!(left("ld.global.ca.u32 %r1, [%d1]; ld.global.cg.u32 %r2, [%d1];"), (1, 0));
}

#[test]
fn stores_that_may_alias_end_what_is_assumed() {
    let pointers = "ld.param.u64 %d1, [p]; ld.param.u64 %d2, [q];";
    assert_eq!(between(&format!("{pointers} st.u32 [%d1], %r3;")), (1, 2), "p may be shared");
    let two = |space: &str| {
        left(&format!(
            "{pointers} st{space}.u32 [%d1], %r1; st{space}.u32 [%d2], %r3;
             ld{space}.u32 %r2, [%d1];"
        ))
    };
    assert_eq!(two(""), (1, 2), "p may be q");
    assert_eq!(two(".global"), (1, 2));
    let one = format!(
        "{pointers} st.u32 [%d1], %r1; st.u32 [%d1+4], %r3; ld.u32 %r2, [%d1]; ld.u32 %r4, [%d1+4];"
    );
    assert_eq!(left(&one), (0, 2), "one pointer, disjoint bytes");
    let indexed = "mov.u32 %r5, %ctaid.x; shl.b32 %r5, %r5, 2; mov.u32 %r6, s; \
                   add.u32 %r6, %r6, %r5; st.shared.u32 [%r6], %r3;";
    assert_eq!(between(indexed), (1, 2), "somewhere in the same array");
}

#[test]
fn overlapping_bytes_end_what_is_assumed() {
    assert_eq!(between("st.shared.u8 [s+5], %r3;"), (1, 2));
    assert_eq!(between("st.shared.u16 [s+4], %r3;"), (1, 2));
    assert_eq!(between("st.shared.u64 [s+0], %d3;"), (1, 1), "all of it and more");
    assert_eq!(between("st.shared.v2.u32 [s+0], {%r3, %r4};"), (1, 2));
    assert_eq!(between("st.shared.v2.u32 [s+8], {%r3, %r4};"), (0, 2));
    assert_eq!(left("st.shared.u8 [s], %r1; ld.shared.u32 %r2, [s];"), (1, 1), "wider");
    assert_eq!(left("st.shared.u32 [s], %r1; ld.shared.u8 %r2, [s];"), (1, 1), "narrower");
    assert_eq!(left("st.shared.u32 [s], %r1; ld.shared.u32 %r2, [s+2];"), (1, 1));
}

#[test]
fn guards_end_what_is_assumed() {
    assert_eq!(between("@%p1 st.shared.u32 [s+4], %r3;"), (1, 2));
    assert_eq!(left("@%p1 st.shared.u32 [s], %r1; ld.shared.u32 %r2, [s];"), (1, 1));
    assert_eq!(left("@%p1 ld.shared.u32 %r1, [s]; ld.shared.u32 %r2, [s];"), (2, 0));
    let guarded = register_cache(&kernel("st.shared.u32 [s], %r1; @!%p1 ld.shared.u32 %r2, [s];"));
    assert!(print(&guarded.module).contains("@!%p1 mov.b32 %r2, %r1;"));
    let redirected = "mov.u32 %r3, s; @%p1 mov.u32 %r3, t; st.shared.u32 [s], %r1; \
                      ld.shared.u32 %r2, [%r3];";
    assert_eq!(left(redirected), (1, 1));
}

#[test]
fn calls_end_what_their_callee_may_touch() {
    let with = |callee: &str| {
        let text = format!(
            ".version 8.0\n.target sm_80\n.address_size 64\n.extern .func elsewhere();\n\
             .func f(.param .b64 a) {{ .reg .b32 %r<4>; .reg .b64 %d<4>; ld.param.u64 %d1, [a]; \
             {callee} ret; }}\n\
             .visible .entry k() {{ .reg .b32 %r<4>; .reg .b64 %d<4>; .shared .b32 s;\n\
             st.shared.u32 [s], %r1; {{ .param .b64 x; st.param.b64 [x], %d1; call f, (x); }}\n\
             ld.shared.u32 %r2, [s]; ret; }}"
        );
        accesses(&register_cache(&module(&text)).module, "k").0
    };
    assert_eq!(with("add.u32 %r1, %r1, 1;"), 0, "touches no memory");
    assert_eq!(with("ld.u32 %r1, [%d1];"), 0, "only reads");
    assert_eq!(with("st.global.u32 [%d1], %r1;"), 0, "writes another space");
    assert_eq!(with("st.u32 [%d1], %r1;"), 1, "may write anything");
    assert_eq!(with("bar.warp.sync -1;"), 1, "synchronises");
    assert_eq!(with("call elsewhere;"), 1, "calls what is not known");
    assert_eq!(with("call f, (a);"), 0, "calls itself");
}

#[test]
fn where_paths_join_one_producer_must_have_come_on_all() {
    let join = |left_side: &str, right_side: &str| {
        left(&format!(
            "{{ @%p1 bra Right; {left_side} bra Join; Right: {right_side} Join:
             ld.shared.u32 %r2, [s]; st.shared.u32 [t], %r2; }}"
        ))
    };
    let (one, other) = ("st.shared.u32 [s], %r1;", "st.shared.u32 [s], %r3;");
    assert_eq!(join(one, other).0, 1, "different values");
    assert_eq!(join(one, "").0, 1, "only on one side");
    let before = "st.shared.u32 [s], %r1; { @%p1 bra Right; add.u32 %r4, %r4, 1; Right: \
                  ld.shared.u32 %r2, [s]; }";
    assert_eq!(left(before).0, 0, "before the paths part");
    let spoiled = "st.shared.u32 [s], %r1; { @%p1 bra Right; st.shared.u32 [s], %r3; Right: \
                   ld.shared.u32 %r2, [s]; }";
    assert_eq!(left(spoiled).0, 1, "overwritten on one side");
}

#[test]
fn loops_carry_stores_around() {
    let around = |body: &str| {
        left(&format!(
            "st.shared.u32 [s], %r1; Head: {body} setp.lt.u32 %p1, %r2, 9; @%p1 bra Head;"
        ))
    };
    assert_eq!(around("ld.shared.u32 %r2, [s];").0, 0, "nothing in the loop writes it");
    let carried = "ld.shared.u32 %r2, [s]; add.u32 %r2, %r2, 1; st.shared.u32 [s], %r2;";
    assert_eq!(around(carried).0, 1, "the next round reads what this one wrote");
    let walking = "mov.u32 %r3, s; Head: st.shared.u32 [%r3], %r1; add.u32 %r3, %r3, 4; \
                   ld.shared.u32 %r2, [%r3]; setp.lt.u32 %p1, %r2, 9; @%p1 bra Head;";
    assert_eq!(left(walking), (1, 1), "another address each round");
}

#[test]
fn a_store_that_is_overwritten_goes() {
    let overwritten = |middle: &str| {
        left(&format!("st.shared.u32 [s+4], %r1; {middle} st.shared.u32 [s+4], %r2;")).1
    };
    assert_eq!(overwritten(""), 1);
    assert_eq!(overwritten("ld.shared.u32 %r3, [s+8];"), 1);
    assert_eq!(overwritten("ld.param.u64 %d1, [p]; ld.global.u32 %r3, [%d1];"), 1);
    assert_eq!(overwritten("ld.param.u64 %d1, [p]; ld.u32 %r3, [%d1];"), 2, "may read it");
    assert_eq!(overwritten("ld.shared.u8 %r3, [s+6];"), 2, "reads a byte of it");
    assert_eq!(overwritten("ld.volatile.shared.u32 %r3, [s+4];"), 2);
    assert_eq!(overwritten("bar.sync 0;"), 2);
    assert_eq!(overwritten("@%p1 ret;"), 2, "memory is read after the end");
    assert_eq!(overwritten("@%p1 trap;"), 2);
    assert_eq!(left("st.shared.u32 [s], %r1; @%p1 st.shared.u32 [s], %r2;").1, 2);
    assert_eq!(left("@%p1 st.shared.u32 [s], %r1; st.shared.u32 [s], %r2;").1, 1);
    assert_eq!(left("st.shared.u32 [s], %r1; st.shared.u8 [s], %r2;").1, 2, "only a part");
    assert_eq!(left("st.shared.u8 [s+3], %r1; st.shared.u32 [s], %r2;").1, 1, "and more");
    assert_eq!(left("st.shared.u32 [s], %r1; st.volatile.shared.u32 [s], %r2;").1, 2);
    assert_eq!(left("st.shared.u32 [s], %r1; Head: bra Head;").1, 1);
}

#[test]
fn a_store_is_overwritten_on_every_way_or_stays() {
    let parted = |one: &str, other: &str| {
        left(&format!(
            "{{ st.shared.u32 [s], %r1; @%p1 bra Right; {one} bra Join; Right: {other} Join: }}"
        ))
        .1
    };
    let store = "st.shared.u32 [s], %r2;";
    assert_eq!(parted(store, store), 2);
    assert_eq!(parted(store, ""), 2);
    assert_eq!(parted("", ""), 1);
}

#[test]
fn the_last_store_of_a_cached_location_sinks() {
    let last = "st.shared.u32 [s], %r1; st.shared.u32 [s], %r2;";
    let sunk = |middle: &str| order(&format!("{last} {middle}"));
    assert_eq!(
        sunk("ld.shared.u32 %r3, [t];"),
        ["ld.shared.u32 %r3, [t];", "st.shared.u32 [s], %r2;", "ret;"]
    );
    assert_eq!(
        sunk("ld.shared.u32 %r3, [t]; bar.sync 0; ld.shared.u32 %r4, [t];"),
        [
            "ld.shared.u32 %r3, [t];",
            "st.shared.u32 [s], %r2;",
            "bar.sync 0;",
            "ld.shared.u32 %r4, [t];",
            "ret;"
        ]
    );
    assert_eq!(
        sunk("ld.shared.u32 %r3, [t]; ld.param.u64 %d1, [p]; ld.u32 %r4, [%d1];"),
        [
            "ld.shared.u32 %r3, [t];",
            "ld.param.u64 %d1, [p];",
            "st.shared.u32 [s], %r2;",
            "ld.u32 %r4, [%d1];",
            "ret;"
        ]
    );
    assert_eq!(
        order("st.shared.u32 [s], %r2; ld.shared.u32 %r3, [t];"),
        ["st.shared.u32 [s], %r2;", "ld.shared.u32 %r3, [t];", "ret;"],
        "nothing was cached from it"
    );
    assert_eq!(
        sunk("add.u32 %r3, %r3, 1; @%p1 bra Right; ld.shared.u32 %r3, [t]; Right:"),
        ["st.shared.u32 [s], %r2;", "@%p1 bra Right;", "ld.shared.u32 %r3, [t];", "ret;"],
        "not past a branch"
    );
}

#[test]
fn a_sunk_store_keeps_its_value_and_its_source_line() {
    let text = ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k() {\n\
        .reg .b32 %r<4>; .reg .b64 %d<2>; .shared .b32 s; .shared .b32 t;\n\
        .loc 1 10 1\n mov.u32 %r3, s; st.shared.u32 [%r3], 1;\n\
        .loc 1 11 1\n st.shared.u32 [%r3], %r1;\n\
        .loc 1 12 1\n mov.u32 %r1, 0; mov.u32 %r3, 0; ld.shared.u32 %r2, [t];\n\
        .loc 1 13 1\n add.u32 %r3, %r3, %r2; add.u32 %r1, %r1, %r3; ret;\n}\n.file 1 \"k.cu\"\n";
    let module = module(text);
    let after = register_cache(&module);
    let printed = print(&after.module);
    assert!(printed.contains("st.shared.u32 [%kept1], %kept0;") || printed.contains("[%kept0]"));
    let sunk = after.remarks.iter().find(|remark| matches!(remark.change, Change::Sunk { .. }));
    let sunk = sunk.unwrap();
    assert!(matches!(&sunk.holder, Holder::Register(name) if name.starts_with("%kept")));
    let read = crate::ptx::parse("again.ptx", &printed).unwrap();
    let lines = SourceMap::of(&read);
    let of = |opcode: &str| {
        let found = instructions(&read, "k").into_iter().rfind(|i| &*i.opcode.text == opcode);
        lines.position(found.unwrap().id).unwrap().line
    };
    assert_eq!((of("st"), of("ld"), of("ret")), (11, 12, 13));
}

#[test]
fn a_store_of_what_cannot_be_saved_does_not_sink() {
    let sunk = |value: &str, change: &str| {
        order(&format!(
            ".reg .v2 .u32 %v; .reg .b8 %c; st.shared.u32 [s], %r1; st.shared.u8 [s], %r1; \
             st.shared.u32 [s], %r2; st.shared.{value}; {change}; st.shared.u32 [t], %r3; \
             ld.shared.u32 %r4, [t]; add.u32 %r4, %r4, %r3;"
        ))
    };
    let first = |value: &str, change: &str| sunk(value, change).remove(0);
    let kept = "st.shared.u32 [s], %v.x;";
    assert_eq!(first("u32 [s], %v.x", "mov.u32 %v.x, 77"), kept, "an element of a vector");
    let byte = "st.shared.u8 [s], %c;";
    assert!(sunk("u8 [s], %c", "cvt.u8.u32 %c, %r3").contains(&byte.to_owned()));
    assert_eq!(first("u32 [s], %clock", "mov.u32 %r1, 7"), "st.shared.u32 [s], %clock;");
    // Beside them: a register can be saved.
    assert_eq!(first("u32 [s], %r1", "mov.u32 %r1, 77"), "st.shared.u32 [t], %r3;");
}

#[test]
fn narrow_loads_extend_as_they_say() {
    let text = |load: &str| {
        let body = format!("st.shared.u8 [s], %r1; {load}");
        print(&register_cache(&kernel(&body)).module)
    };
    assert!(text("ld.shared.s8 %r2, [s];").contains("cvt.s32.s8 %r2, %r1;"));
    assert!(text("ld.shared.u8 %r2, [s];").contains("cvt.u32.u8 %r2, %r1;"));
    assert!(text("ld.shared.b8 %h2, [s];").contains("cvt.u16.u8 %h2, %r1;"));
    let body = "st.shared.u8 [s], -1; ld.shared.s8 %r2, [s]; ld.shared.u8 %r3, [s];";
    let constants = print(&register_cache(&kernel(body)).module);
    assert!(constants.contains("mov.b32 %r2, -1;"), "{constants}");
    assert!(constants.contains("mov.b32 %r3, 255;"), "{constants}");
    let float = "st.shared.f32 [s], %f1; ld.shared.u32 %r2, [s];";
    let float = print(&register_cache(&kernel(float)).module);
    assert!(float.contains("mov.b32 %r2, %f1;"), "bits are bits: {float}");
}

#[test]
fn widening_what_may_wrap_is_not_exact() {
    let indexed = |index: &str| {
        left(&format!(
            "ld.param.u64 %d1, [p]; mov.u32 %r5, {index};
             cvt.s64.s32 %d2, %r5; shl.b64 %d2, %d2, 2; add.s64 %d2, %d2, %d1;
             add.s32 %r6, %r5, 32; mul.wide.s32 %d3, %r6, 4; add.s64 %d3, %d3, %d1;
             st.u32 [%d2+128], %r1; ld.u32 %r2, [%d3];"
        ))
        .0
    };
    assert_eq!(indexed("%tid.x"), 0, "tid + 32 is below 1056");
    assert_eq!(indexed("%ctaid.x"), 1, "ctaid + 32 may wrap");
    let backwards = "ld.param.u64 %d1, [p]; mov.u32 %r5, %tid.x; add.u32 %r6, %r5, -1;
        cvt.u64.u32 %d2, %r6; add.s64 %d2, %d2, %d1; cvt.u64.u32 %d3, %r5; add.s64 %d3, %d3, %d1;
        st.u8 [%d2], %r1; ld.u8 %r2, [%d3+-1];";
    assert_eq!(left(backwards).0, 1, "tid - 1 wraps for thread 0");
}

#[test]
fn dynamic_shared_arrays_may_overlap_and_others_do_not() {
    let arrays = |declared: &str| {
        let text = format!(
            ".version 8.0\n.target sm_80\n.address_size 64\n{declared}\n.visible .entry k() {{\n\
             .reg .b32 %r<4>; st.shared.u32 [a], %r1; st.shared.u32 [b], %r2;\n\
             ld.shared.u32 %r3, [a]; ret; }}"
        );
        accesses(&register_cache(&module(&text)).module, "k").0
    };
    assert_eq!(arrays(".extern .shared .align 4 .b8 a[]; .extern .shared .align 4 .b8 b[];"), 1);
    assert_eq!(arrays(".extern .shared .align 4 .b8 a[]; .shared .align 4 .b8 b[4];"), 0);
    assert_eq!(arrays(".shared .align 4 .b8 a[4]; .shared .align 4 .b8 b[4];"), 0);
}

#[test]
fn one_address_has_many_spellings() {
    let store = "mov.u32 %r5, %tid.x; shl.b32 %r6, %r5, 2; mov.u32 %r7, s; \
                 add.u32 %r7, %r7, %r6; st.shared.u32 [%r7+8], %r1;";
    for (name, load) in [
        ("mad", "mov.u32 %r8, s; mad.lo.u32 %r8, %r5, 4, %r8; ld.shared.u32 %r2, [%r8+8];"),
        ("sub", "sub.u32 %r8, %r7, -8; ld.shared.u32 %r2, [%r8];"),
        (
            "another tid",
            "mov.u32 %r9, %tid.x; mul.lo.s32 %r9, %r9, 4; add.u32 %r9, %r9, 8; \
             mov.u32 %r8, s; add.u32 %r8, %r8, %r9; ld.shared.u32 %r2, [%r8];",
        ),
        (
            "generic",
            "{ .reg .b64 %tmp; cvt.u64.u32 %tmp, %r7; cvta.shared.u64 %d3, %tmp; } \
             ld.u32 %r2, [%d3+8];",
        ),
        (
            "generic and wide",
            "mov.u64 %d3, s; cvta.shared.u64 %d3, %d3; mul.wide.u32 %d4, %r5, 4; \
             add.s64 %d3, %d3, %d4; ld.u32 %r2, [%d3+8];",
        ),
        (
            "there and back",
            "cvt.u64.u32 %d3, %r7; cvta.shared.u64 %d3, %d3; \
             cvta.to.shared.u64 %d4, %d3; ld.shared.u32 %r2, [%d4+8];",
        ),
        (
            "or",
            "shl.b32 %r9, %r5, 4; shr.u32 %r9, %r9, 2; or.b32 %r8, %r6, 0; \
             mov.u32 %r9, s; add.u32 %r8, %r8, %r9; ld.shared.u32 %r2, [%r8+8];",
        ),
    ] {
        assert_eq!(left(&format!("{store} {load}")).0, 0, "{name}");
    }
    assert_eq!(left(&format!("{store} ld.shared.u32 %r2, [%r7+4];")).0, 1, "another word");
}

#[test]
fn each_rule_can_be_switched_off() {
    let module = kernel(
        "st.shared.u32 [s], %r1; ld.shared.u32 %r2, [s]; st.shared.u32 [s], %r2;
         ld.shared.u32 %r3, [t]; ld.shared.u32 %r4, [t];",
    );
    let kinds = |policy: Policy| {
        let mut found = [0; 4];
        for remark in cache(&module, &policy).remarks {
            let kind = match remark.change {
                Change::Forwarded => 0,
                Change::Reused => 1,
                Change::Overwritten(_) => 2,
                Change::Sunk { .. } => 3,
            };
            found[kind] += 1;
        }
        found
    };
    assert_eq!(kinds(Policy::ALL), [1, 1, 1, 1]);
    // Without forwarding the load keeps the first store alive, and nothing is cached.
    assert_eq!(kinds(Policy { forward_stores: false, ..Policy::ALL }), [0, 1, 0, 0]);
    assert_eq!(kinds(Policy { reuse_loads: false, ..Policy::ALL }), [1, 0, 1, 1]);
    assert_eq!(kinds(Policy { delete_dead_stores: false, ..Policy::ALL })[2], 0);
    assert_eq!(kinds(Policy { sink_stores: false, ..Policy::ALL })[3], 0);
}

#[test]
fn what_cannot_be_analysed_is_left_alone() {
    let unknown = "st.shared.u32 [s], %r1; ld.shared.u32 %r2, [s]; brx.idx %r2, nowhere;";
    assert_eq!(left(unknown), (1, 1));
    let prototype = module(".version 8.0\n.target sm_80\n.address_size 64\n.extern .func f();\n");
    assert!(register_cache(&prototype).remarks.is_empty());
}

/// A register of 8 bits holds no number that is followed: its signed load had no bounds.
#[test]
fn a_signed_parameter_in_a_register_of_8_bits_is_left_alone() {
    let text = ".version 8.0\n.target sm_80\n.address_size 64\n\
                .visible .entry k(.param .s32 a, .param .s8 b) { .reg .s8 %h<3>; .shared .s8 s;\n\
                ld.param.s32 %h1, [a]; ld.param.s8 %h2, [b]; st.shared.s8 [s], %h2;\n\
                ld.shared.s8 %h1, [s]; ret; }\n";
    assert!(register_cache(&module(text)).remarks.is_empty());
}

/// A function that is defined twice has no one summary: asking for it went round for ever.
#[test]
fn a_module_that_defines_a_function_twice_is_refused() {
    let text = ".version 8.0\n.target sm_80\n.address_size 64\n\
                .func f() { .reg .u32 %r; ld.local.u32 %r, [0]; ret; }\n\
                .func f() { bar.sync 0; ret; }\n.visible .entry k() { ret; }\n";
    let refused = crate::passes::register_cache(&module(text)).unwrap_err();
    assert_eq!(refused.to_string(), "`f` is declared twice");
    let declared = text.replace("{ bar.sync 0; ret; }", ";");
    assert!(crate::passes::register_cache(&module(&declared)).is_ok());
}

#[test]
fn what_does_not_come_to_an_end_is_a_bug_of_ours() {
    use crate::internal::InternalError;
    use crate::passes::error::until_stable;
    let mut left = 3;
    let step = || {
        left -= 1;
        Ok::<bool, InternalError>(left > 0)
    };
    assert_eq!(until_stable("counting", 2, step), Ok(()));
    let for_ever = until_stable("counting", 2, || Ok::<bool, InternalError>(true)).unwrap_err();
    assert_eq!(for_ever.what, "counting does not end within 2 steps");
}
