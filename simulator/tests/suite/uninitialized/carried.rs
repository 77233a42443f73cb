//! Values that are carried far: through shuffles, calls, vectors, local arrays.

use super::Kernel;
use super::kernels::check;

#[test]
fn one_element_of_a_local_array_is_told_from_the_others() {
    let body = |read: u32| {
        format!(
            "st.local.u32 [l], 1; st.local.u32 [l+8], 3;
         mov.u64 %d1, l; cvta.local.u64 %d1, %d1; ld.u32 %r1, [%d1+{read}];
         add.u32 %r2, %r1, 1; st.global.u32 [%out], %r2;"
        )
    };
    check(&body(0), &[]);
    check(&body(8), &[]);
    check(&body(4), &["add.u32 <- ld.u32"]);
    check(&body(12), &["add.u32 <- ld.u32"]);
}

#[test]
fn a_shuffle_gives_the_value_of_the_lane_it_reads() {
    // Lane 0 has a value, lane 1 has none.
    let body = |source: u32| {
        format!(
            "setp.eq.u32 %p1, %t, 0; @%p1 st.shared.u32 [s], 1; mul.lo.u32 %r1, %t, 4;
         mov.u32 %r2, s; add.u32 %r1, %r1, %r2; ld.shared.u32 %r3, [%r1];
         shfl.sync.idx.b32 %r4, %r3, {source}, 31, 3; st.global.u32 [%out], %r4;"
        )
    };
    assert_eq!(Kernel::new(&body(0)).threads(2).uses(), Vec::<String>::new());
    assert_eq!(Kernel::new(&body(1)).threads(2).uses(), ["st.global.u32 <- ld.shared.u32"]);
}

const TWICE: &str = "
    .func (.param .b32 result) first(.param .align 4 .b8 pair[8]) {
      .reg .b32 %a; ld.param.b32 %a, [pair]; st.param.b32 [result], %a; ret;
    }
    .func (.reg .b32 %result) same(.reg .b32 %a) { mov.b32 %result, %a; ret; }";

#[test]
fn arguments_and_results_of_calls_carry_what_is_unknown_of_them() {
    let by_memory = |at: u32| {
        format!(
            "st.shared.u32 [s], 1; ld.shared.u32 %r1, [s]; ld.shared.u32 %r2, [s+4];
         {{ .param .align 4 .b8 p[8]; .param .b32 q;
         st.param.b32 [p+{at}], %r1; st.param.b32 [p+{}], %r2;
         call (q), first, (p); ld.param.b32 %r3, [q]; }}
         add.u32 %r4, %r3, 1; st.global.u32 [%out], %r4;",
            4 - at
        )
    };
    let run = |body: &str| Kernel::new(body).functions(TWICE).uses();
    assert_eq!(run(&by_memory(0)), Vec::<String>::new());
    assert_eq!(run(&by_memory(4)), ["add.u32 <- ld.shared.u32"]);
    let by_register = |from: u32| {
        format!(
            "st.shared.u32 [s], 1; ld.shared.u32 %r1, [s+{from}]; call (%r3), same, (%r1);
         add.u32 %r4, %r3, 1; st.global.u32 [%out], %r4;"
        )
    };
    assert_eq!(run(&by_register(0)), Vec::<String>::new());
    assert_eq!(run(&by_register(4)), ["add.u32 <- ld.shared.u32"]);
}

const STACK: &str = "
    .func write() { .local .align 4 .b8 a[16]; st.local.u32 [a], 1; ret; }
    .func (.reg .b32 %result) read() { .local .align 4 .b8 b[16]; ld.local.u32 %result, [b]; ret; }";

#[test]
fn local_memory_of_an_earlier_call_holds_nothing_for_the_next() {
    let body = "call write; call (%r1), read; add.u32 %r2, %r1, 1; st.global.u32 [%out], %r2;";
    assert_eq!(Kernel::new(body).functions(STACK).uses(), ["add.u32 <- ld.local.u32"]);
    // The caller's own stays.
    let body = "st.local.u32 [l], 1; call write; ld.local.u32 %r1, [l]; add.u32 %r2, %r1, 1;
                st.global.u32 [%out], %r2;";
    assert_eq!(Kernel::new(body).functions(STACK).uses(), Vec::<String>::new());
}

#[test]
fn elements_of_a_vector_are_told_apart() {
    let body = |register: &str| {
        format!(
            "st.shared.u32 [s+4], 1; ld.shared.v2.u32 {{%r1, %r2}}, [s];
         add.u32 %r3, {register}, 1; st.global.u32 [%out], %r3;"
        )
    };
    check(&body("%r2"), &[]);
    check(&body("%r1"), &["add.u32 <- ld.shared.v2.u32"]);
}

#[test]
fn a_computed_value_in_a_vector_is_no_padding() {
    check(
        "ld.shared.u32 %r1, [s]; add.u32 %r1, %r1, 1; mov.u32 %r2, 0;
           st.global.v2.u32 [%out], {%r1, %r2};",
        &["add.u32 <- ld.shared.u32"],
    );
}

#[test]
fn lanes_are_told_apart() {
    // Lane 3 alone has read what nobody wrote.
    let body = "setp.ne.u32 %p1, %t, 3; mul.lo.u32 %r1, %t, 4; mov.u32 %r2, s;
        add.u32 %r1, %r1, %r2; @%p1 st.shared.u32 [%r1], 0; ld.shared.u32 %r3, [%r1];
        add.u32 %r3, %r3, 1; cvt.u64.u32 %d1, %r1; add.u64 %d1, %d1, %out;
        st.global.u32 [%d1], %r3;";
    let found = Kernel::new(body).threads(32).findings();
    assert_eq!((found.len(), found[0].count, found[0].sites[0].lane), (1, 1, 3));
    assert_eq!(found[0].address, Some(12));
}
