//! Each way of using a value, with its neighbour in which the value was written.

use super::Kernel;
use super::kernels::check;
use warpsim::ptx::Space;
use warpsim_engine::lower::window;

/// Checks a body as it is, and then with the cell written before.
fn twins(write: &str, body: &str, expected: &str) {
    check(body, &[expected]);
    check(&format!("{write}\n{body}"), &[]);
}

const S: &str = "st.shared.u32 [s], 7;";

#[test]
fn arithmetic_whose_result_is_stored_is_a_use() {
    twins(
        S,
        "ld.shared.u32 %r1, [s]; add.u32 %r2, %r1, 1; st.global.u32 [%out], %r2;",
        "add.u32 <- ld.shared.u32",
    );
    twins(
        "st.local.f32 [l+8], 0f3f800000;",
        "ld.local.f32 %f1, [l+8]; mul.f32 %f2, %f1, %f1; st.global.f32 [%out], %f2;",
        "mul.f32 <- ld.local.f32",
    );
}

#[test]
fn the_first_computation_is_the_use_however_long_the_way_from_there() {
    twins(
        S,
        "ld.shared.u32 %r1, [s]; add.u32 %r2, %r1, 1; mul.lo.u32 %r3, %r2, 3;
         st.shared.u32 [s+16], %r3; ld.shared.u32 %r4, [s+16]; xor.b32 %r5, %r4, 5;
         st.global.u32 [%out], %r5;",
        "add.u32 <- ld.shared.u32",
    );
}

#[test]
fn arithmetic_of_which_nothing_comes_is_a_note() {
    let body = "ld.shared.u32 %r1, [s]; add.u32 %r2, %r1, 1; st.shared.u32 [s], %r2;";
    let findings = Kernel::new(body).findings();
    assert_eq!(super::serious(&findings), Vec::<String>::new());
    assert_eq!(findings.len(), 1);
    assert_eq!(findings[0].severity, warpsim::report::Severity::Note);
}

#[test]
fn an_address_is_a_use() {
    twins(
        "st.shared.u64 [s], 0;",
        "ld.shared.u64 %d1, [s]; ld.shared.u32 %r1, [%d1];",
        "ld.shared.u32 <- ld.shared.u64",
    );
    twins(
        S.replace('7', "8").as_str(),
        "ld.shared.u32 %r1, [s]; st.shared.u32 [%r1], 0;",
        "st.shared.u32 <- ld.shared.u32",
    );
}

#[test]
fn deciding_where_to_go_is_a_use() {
    twins(
        S,
        "ld.shared.u32 %r1, [s]; setp.eq.u32 %p1, %r1, 0; @%p1 bra E; mov.u32 %r2, 1; E:",
        "setp.eq.u32 <- ld.shared.u32",
    );
    twins(
        S,
        "ld.shared.u32 %r1, [s]; setp.lt.s32 %p1, %r1, 0; @%p1 st.global.u32 [%out], 1;",
        "setp.lt.s32 <- ld.shared.u32",
    );
}

#[test]
fn a_store_to_global_memory_is_a_use() {
    twins(
        S,
        "ld.shared.u32 %r1, [s]; st.global.u32 [%out], %r1;",
        "st.global.u32 <- ld.shared.u32",
    );
    let generic =
        format!("mov.u64 %d1, {}; ld.u32 %r1, [%d1]; st.u32 [%out+8], %r1;", window::SHARED);
    twins(S, &generic, "st.u32 <- ld.u32");
}

#[test]
fn an_atomic_uses_its_operand_and_what_it_reads() {
    twins(
        S,
        "ld.shared.u32 %r1, [s]; atom.global.add.u32 %r2, [%out], %r1;",
        "atom.global.add.u32 <- ld.shared.u32",
    );
    twins(S, "red.shared.add.u32 [s], 1;", "red.shared.add.u32");
    twins(S, "atom.shared.cas.b32 %r1, [s], 0, 1;", "atom.shared.cas.b32");
    check(
        "atom.shared.exch.b32 %r1, [s], 1; ld.shared.u32 %r2, [s]; add.u32 %r2, %r2, 1;
           st.global.u32 [%out], %r2;",
        &[],
    );
    twins(
        S,
        "atom.shared.exch.b32 %r1, [s], 1; st.global.u32 [%out], %r1;",
        "st.global.u32 <- atom.shared.exch.b32",
    );
}

#[test]
fn votes_matches_and_reductions_are_uses() {
    twins(
        S,
        "ld.shared.u32 %r1, [s]; redux.sync.add.u32 %r2, %r1, 1;",
        "redux.sync.add.u32 <- ld.shared.u32",
    );
    twins(
        S,
        "ld.shared.u32 %r1, [s]; match.any.sync.b32 %r2, %r1, 1;",
        "match.any.sync.b32 <- ld.shared.u32",
    );
    twins(
        S,
        "ld.shared.u32 %r1, [s]; setp.ne.u32 %p1, %r1, 0; vote.sync.ballot.b32 %r2, %p1, 1;",
        "setp.ne.u32 <- ld.shared.u32",
    );
}

#[test]
fn a_finding_names_threads_address_and_how_often() {
    let kernel = Kernel::new(
        "mul.lo.u32 %r1, %t, 4; mov.u32 %r2, s; add.u32 %r1, %r1, %r2;
         setp.gt.u32 %p1, %t, 7; @%p1 st.shared.u32 [%r1], %t; bar.sync 0;
         ld.shared.u32 %r3, [%r1]; cvt.u64.u32 %d1, %r1; add.u64 %d2, %out, %d1;
         st.global.u32 [%d2], %r3;",
    );
    let found = kernel.threads(40).findings();
    assert_eq!(found.len(), 1);
    let finding = &found[0];
    assert_eq!((finding.count, finding.space), (8, Some(Space::Shared)));
    assert_eq!((finding.address, finding.sites[0].lane), (Some(0), 0));
    assert_eq!(finding.sites[0].thread, finding.sites[1].thread);
    assert_eq!(finding.sites[0].operation, "st.global.u32");
    assert!(finding.sites[0].ptx_line >= finding.sites[1].ptx_line);
    assert!(finding.help.is_some() && finding.explanation.contains("shared memory"));
}
