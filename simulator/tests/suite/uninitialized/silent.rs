//! Reads that are no use: copies, padding, bytes that nobody looks at.

use super::Kernel;
use super::kernels::check;

#[test]
fn reading_and_copying_is_no_use() {
    check(
        "ld.shared.u32 %r1, [s]; st.shared.u32 [s+4], %r1; ld.shared.u32 %r2, [s+4];
           st.local.u32 [l], %r2; ld.local.u32 %r3, [l]; mov.u32 %r4, %r3;
           mov.b64 %d1, {%r4, %r4}; mov.b64 {%r5, %r6}, %d1; st.shared.u32 [s+8], %r6;",
        &[],
    );
}

#[test]
fn a_struct_is_copied_with_its_padding() {
    // struct { double d; int i; } as two words of 64 bits, as a vector, as a vector of 32 bits.
    let write = "st.shared.u64 [s], 1; st.shared.u32 [s+8], 2;";
    for copy in [
        "ld.shared.u64 %d1, [s+8]; st.global.u64 [%out+8], %d1;",
        "ld.shared.v2.u64 {%d1, %d2}, [s]; st.global.v2.u64 [%out], {%d1, %d2};",
        "ld.shared.v4.u32 {%r1, %r2, %r3, %r4}, [s]; st.global.v4.u32 [%out], {%r1, %r2, %r3, %r4};",
    ] {
        check(&format!("{write} {copy}"), &[]);
    }
    // With nothing written, it is a use.
    check(
        "ld.shared.v2.u64 {%d1, %d2}, [s]; st.global.v2.u64 [%out], {%d1, %d2};",
        &["st.global.v2.u64 <- ld.shared.v2.u64"],
    );
}

#[test]
fn a_struct_is_copied_byte_by_byte_with_its_padding() {
    // struct { char c; short s; }
    check(
        "st.shared.u8 [s], 1; st.shared.u16 [s+2], 2;
           ld.shared.u8 %h1, [s+1]; st.global.u8 [%out+1], %h1;",
        &[],
    );
    check(
        "st.shared.u8 [s+8], 1; ld.shared.u8 %h1, [s+1]; st.global.u8 [%out+1], %h1;",
        &["st.global.u8 <- ld.shared.u8"],
    );
}

#[test]
fn the_defined_bytes_of_a_word_can_be_taken_out_and_used() {
    let load = "st.shared.u8 [s+1], 5; ld.shared.u32 %r1, [s];";
    let add = "add.u32 %r3, %r2, 1; st.global.u32 [%out], %r3;";
    for (extract, expected) in [
        ("bfe.u32 %r2, %r1, 8, 8;", None),
        ("bfe.s32 %r2, %r1, 8, 8;", None),
        ("bfe.u32 %r2, %r1, 8, 9;", Some("add.u32 <- ld.shared.u32")),
        ("shr.u32 %r2, %r1, 8; and.b32 %r2, %r2, 255;", None),
        ("and.b32 %r2, %r1, 65280;", None),
        ("and.b32 %r2, %r1, 255;", Some("add.u32 <- ld.shared.u32")),
        ("or.b32 %r2, %r1, -65281;", None),
        ("prmt.b32 %r2, %r1, 0, 0x4441;", None),
        ("prmt.b32 %r2, %r1, 0, 0x4440;", Some("add.u32 <- ld.shared.u32")),
        ("shr.u32 %r2, %r1, 8; cvt.u16.u32 %h1, %r2; cvt.u32.u8 %r2, %h1;", None),
        ("shl.b32 %r2, %r1, 16; shr.s32 %r2, %r2, 24;", None),
        ("lop3.b32 %r2, %r1, 65280, 0, 0xc0;", None),
        ("mov.b32 {%h1, %h2}, %r1; shr.u16 %h1, %h1, 8; cvt.u32.u16 %r2, %h1;", None),
        ("mov.b32 {%h1, %h2}, %r1; cvt.u32.u16 %r2, %h2;", Some("add.u32 <- ld.shared.u32")),
        ("bfi.b32 %r2, 0, %r1, 16, 16; shr.u32 %r2, %r2, 8;", None),
        ("xor.b32 %r2, %r1, %r1;", None),
    ] {
        let expected: Vec<&str> = expected.into_iter().collect();
        check(&format!("{load} {extract} {add}"), &expected);
    }
}

#[test]
fn an_operation_looks_at_the_bytes_of_its_type_only() {
    let load = "st.shared.u16 [s], 5; ld.shared.u32 %r1, [s]; mov.b32 {%h1, %h2}, %r1;";
    check(&format!("{load} add.u16 %h3, %h1, 1; st.global.u16 [%out], %h3;"), &[]);
    check(
        &format!("{load} add.u16 %h3, %h2, 1; st.global.u16 [%out], %h3;"),
        &["add.u16 <- ld.shared.u32"],
    );
    check(&format!("{load} st.global.u16 [%out], %h1;"), &[]);
}

#[test]
fn the_side_that_a_selection_does_not_take_does_not_matter() {
    let body = |choice: &str| {
        format!(
            "mov.u32 %r1, 5; ld.shared.u32 %r2, [s]; setp.eq.u32 %p1, %t, {choice};
         selp.b32 %r3, %r1, %r2, %p1; st.global.u32 [%out], %r3;"
        )
    };
    check(&body("0"), &[]);
    check(&body("1"), &["st.global.u32 <- ld.shared.u32"]);
}

#[test]
fn zeros_that_an_extension_adds_make_no_value() {
    check(
        "ld.shared.u16 %r1, [s]; st.global.u32 [%out], %r1;",
        &["st.global.u32 <- ld.shared.u16"],
    );
    check(
        "ld.shared.u32 %r1, [s]; cvt.u64.u32 %d1, %r1; st.global.u64 [%out], %d1;",
        &["st.global.u64 <- ld.shared.u32"],
    );
    check(
        "ld.shared.u32 %r1, [s]; and.b32 %r2, %r1, 255; mov.u32 %r3, %r2;
           st.global.u32 [%out], %r3;",
        &["st.global.u32 <- ld.shared.u32"],
    );
    check("ld.shared.s8 %r1, [s]; st.global.u32 [%out], %r1;", &["st.global.u32 <- ld.shared.s8"]);
}

#[test]
fn what_another_warp_wrote_is_written() {
    let body = |guard: &str| {
        format!(
            "mul.lo.u32 %r1, %t, 4; mov.u32 %r2, s; add.u32 %r2, %r1, %r2; xor.b32 %r3, %r2, 128;
         setp.{guard} %p1, %t, 33; @%p1 st.shared.u32 [%r2], %t; bar.sync 0;
         ld.shared.u32 %r4, [%r3]; add.u32 %r4, %r4, 1; st.global.u32 [%out], %r4;"
        )
    };
    assert_eq!(Kernel::new(&body("lt.u32")).threads(64).uses(), ["add.u32 <- ld.shared.u32"]);
    assert_eq!(Kernel::new(&body("ge.s32")).threads(64).uses(), ["add.u32 <- ld.shared.u32"]);
    let all = body("lt.u32").replace("%t, 33", "%t, 64");
    assert_eq!(Kernel::new(&all).threads(64).uses(), Vec::<String>::new());
}

#[test]
fn a_loop_may_use_its_registers_again() {
    let body = |from: u32| {
        format!(
            "mov.u32 %r1, 0; mov.u32 %r5, 0;
         W: mul.lo.u32 %r2, %r1, 4; mov.u32 %r3, s; add.u32 %r3, %r3, %r2;
         setp.ge.u32 %p2, %r1, {from}; @%p2 st.shared.u32 [%r3], %r1; ld.shared.u32 %r4, [%r3];
         @%p2 add.u32 %r5, %r5, %r4; add.u32 %r1, %r1, 1; setp.lt.u32 %p1, %r1, 8; @%p1 bra W;
         st.global.u32 [%out], %r5;"
        )
    };
    check(&body(0), &[]);
    check(&body(5), &[]);
    check(&body(5).replace("@%p2 add", "add"), &["add.u32 <- ld.shared.u32"]);
}

#[test]
fn registers_that_were_never_written_are_left_alone() {
    check("add.u32 %r2, %r1, 1; st.global.u32 [%out], %r2;", &[]);
}

#[test]
fn of_lanes_that_hit_one_cell_the_lowest_leaves_its_value() {
    // Lane 0 or lane 1 has a value, and both store what they have to one cell.
    let body = |writer: u32| {
        format!(
            "setp.eq.u32 %p1, %t, {writer}; mul.lo.u32 %r1, %t, 4; mov.u32 %r2, s;
             add.u32 %r1, %r1, %r2; @%p1 st.shared.u32 [%r1], 1; ld.shared.u32 %r3, [%r1];
             st.shared.u32 [s+64], %r3; ld.shared.u32 %r4, [s+64]; st.global.u32 [%out], %r4;"
        )
    };
    assert_eq!(Kernel::new(&body(0)).threads(2).uses(), Vec::<String>::new());
    assert_eq!(Kernel::new(&body(1)).threads(2).uses(), ["st.global.u32 <- ld.shared.u32"]);
}

#[test]
fn a_value_that_was_extended_stays_undefined_as_a_whole_in_memory() {
    check(
        "ld.shared.u16 %r1, [s]; st.shared.u32 [s+8], %r1; ld.shared.u32 %r2, [s+8];
         st.global.u32 [%out], %r2;",
        &["st.global.u32 <- ld.shared.u32"],
    );
}

#[test]
fn a_conversion_looks_at_the_bytes_that_it_converts_only() {
    let body = |at: u32| {
        format!(
            "st.shared.u8 [s+{at}], 5; ld.shared.u32 %r1, [s]; cvt.rn.f32.u8 %f1, %r1;
             st.global.f32 [%out], %f1;"
        )
    };
    check(&body(0), &[]);
    check(&body(1), &["cvt.rn.f32.u8 <- ld.shared.u32"]);
}

#[test]
fn what_the_system_keeps_in_shared_memory_is_its_own_business() {
    check(
        "mov.u32 %r1, %reserved_smem_offset_1; ld.shared.u32 %r2, [%r1]; st.global.u32 [%out], %r2;",
        &[],
    );
    // The block's own begins behind it.
    check(
        "mov.u32 %r1, %reserved_smem_offset_cap; ld.shared.u32 %r2, [%r1]; st.global.u32 [%out], %r2;",
        &["st.global.u32 <- ld.shared.u32"],
    );
}
