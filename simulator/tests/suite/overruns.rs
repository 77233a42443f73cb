//! Accesses that leave the variable that their address is made from, beside their clean neighbours.

use warpsim::host::{Argument, Checking, Device, Launch, Simulator};
use warpsim::report::{Code, Finding, Outcome, Report};

/// A block of 32 threads runs a kernel with arrays `a` and `b` of 32 words in shared memory, `l`
/// and `m` of 4 words in local memory, `%t` (`%tid.x`), `%k` (a parameter), `%o` (4 times their
/// sum).
fn checked(body: &str, k: u32) -> Report {
    let text = format!(
        ".version 8.0\n.target sm_80\n.address_size 64\n
         .visible .entry kernel(.param .u64 out, .param .u32 k) {{
           .shared .align 4 .b8 a[128]; .shared .align 4 .b8 b[128];
           .local .align 4 .b8 l[16]; .local .align 4 .b8 m[16];
           .reg .b32 %t, %k, %o, %r<9>; .reg .b64 %out, %d<9>; .reg .pred %p;
           ld.param.u64 %out, [out];
           ld.param.u32 %k, [k];
           mov.u32 %t, %tid.x;
           add.u32 %o, %t, %k;
           shl.b32 %o, %o, 2;
           {body}
           ret;
         }}"
    );
    let mut gpu = Simulator::default();
    gpu.settings_mut().checking = Some(Checking::default());
    let module = gpu.load(&warpsim::ptx::parse("kernel.ptx", &text).unwrap()).unwrap();
    let out = gpu.allocate(128).unwrap();
    gpu.upload(out, &[0; 128]).unwrap();
    let arguments = [Argument::Pointer(out), Argument::U32(k)];
    gpu.launch(module, "kernel", &Launch::new(1, 32), &arguments).unwrap()
}

/// The access that is out of bounds.
fn overruns(body: &str, k: u32) -> Vec<Finding> {
    let mut findings = checked(body, k).findings;
    findings.retain(|finding| finding.code == Code::OutOfBounds);
    findings
}

/// `a[t + k] = t`.
const STORE: &str = "mov.u32 %r1, a; add.u32 %r2, %r1, %o; st.shared.u32 [%r2], %t;";

#[test]
fn an_index_past_the_end_of_an_array_is_out_of_bounds_though_its_neighbour_is_there() {
    let [finding] = &overruns(STORE, 1)[..] else { panic!("one finding") };
    assert_eq!(
        finding.explanation,
        "an access of 4 bytes just past the end of `a`, which has 128 bytes: it is one to `b`"
    );
    assert_eq!((finding.sites[0].thread, finding.count), ([31, 0, 0], 1));
    assert_eq!((finding.object.as_deref(), finding.address), (Some("a"), Some(128)));
}

#[test]
fn an_index_that_stays_inside_is_fine() {
    assert_eq!(checked(STORE, 0).findings, []);
}

/// The same through a generic address, an atomic, a number beside the index, and before the start.
#[test]
fn every_way_to_an_address_that_keeps_its_variable_is_seen() {
    for (body, what) in [
        (
            "mov.u64 %d1, a; cvta.shared.u64 %d1, %d1; cvt.u64.u32 %d2, %o; add.s64 %d1, %d1, %d2; \
             st.u32 [%d1], %t;",
            "generic",
        ),
        ("mov.u32 %r1, a; add.u32 %r2, %r1, %o; atom.shared.add.u32 %r3, [%r2], 1;", "atomic"),
        (
            "mov.u32 %r1, a; sub.u32 %r2, %o, 4; add.u32 %r2, %r2, %r1; st.shared.u32 [%r2+4], %t;",
            "number",
        ),
        ("mov.u32 %r1, a; mad.lo.u32 %r2, %t, 4, %r1; st.shared.u32 [%r2+4], %t;", "mad"),
        (
            "mov.u32 %r1, b; shl.b32 %r3, %t, 2; sub.u32 %r2, %r1, %r3; st.shared.u32 [%r2], %t;",
            "before",
        ),
    ] {
        let found = overruns(body, 1);
        assert_eq!(found.len(), 1, "{what}: {found:?}");
    }
}

/// What reaches another variable on purpose, or without a computed index, or by a way on which the
/// variable is not certain.
#[test]
fn two_arrays_may_be_reached_from_one_base_by_numbers_and_choices() {
    for (body, what) in [
        (
            "shl.b32 %r3, %t, 2; mov.u32 %r1, a; add.u32 %r2, %r1, %r3; st.shared.u32 [%r2], %t; \
             st.shared.u32 [%r2+128], %t;",
            "the second array by its distance",
        ),
        (
            "mov.u32 %r1, b; shl.b32 %r3, %t, 2; add.u32 %r2, %r1, %r3; st.shared.u32 [%r2+-128], %t;",
            "and back",
        ),
        ("setp.eq.u32 %p, %t, 0; @%p st.shared.u32 [a+128], %t;", "a number alone"),
        (
            "and.b32 %r3, %t, 1; mov.u32 %r1, a; setp.eq.u32 %p, %r3, 1; @%p mov.u32 %r1, b; \
             shl.b32 %r3, %t, 2; add.u32 %r2, %r1, %r3; st.shared.u32 [%r2], %t;",
            "a choice of two",
        ),
        (
            "mov.u32 %r1, a; mov.u32 %r4, b; sub.u32 %r4, %r4, %r1; add.u32 %r1, %r1, %r4; \
             shl.b32 %r3, %t, 2; add.u32 %r2, %r1, %r3; st.shared.u32 [%r2], %t;",
            "the distance of two",
        ),
    ] {
        let report = checked(body, 0);
        assert_eq!(report.findings, [], "{what}");
    }
}

/// `l[k] = t`, in local memory.
const LOCAL: &str =
    "shl.b32 %r3, %k, 2; mov.u32 %r1, l; add.u32 %r2, %r1, %r3; st.local.u32 [%r2], %t;";

#[test]
fn an_index_past_the_end_of_a_local_array_is_out_of_bounds_too() {
    assert_eq!(checked(LOCAL, 3).findings, []);
    let [finding] = &overruns(LOCAL, 5)[..] else { panic!("one finding") };
    assert_eq!(
        finding.explanation,
        "an access of 4 bytes 4 bytes past the end of `l`, which has 16 bytes: it is one to `m`+0x4"
    );
    assert_eq!(finding.count, 32);
}

#[test]
fn past_all_local_memory_there_is_no_null_pointer_but_the_end_of_an_array() {
    let report = checked(LOCAL, 100);
    assert_eq!(report.outcome, Outcome::Finding);
    let words = &report.findings[0].explanation;
    assert_eq!(words, "an access of 4 bytes 368 bytes past the end of `m`, which has 16 bytes");
}
