//! `sync-mask`.

use super::*;

const INDEPENDENT: &[Model] = &[Model::Independent];
const STORE: &str = "st.global.u32 [%o], 1;";

/// `if (l < 16) { inside } store`.
fn half(inside: &str, after: &str) -> String {
    format!("setp.ge.u32 %p1, %l, 16;\n@%p1 bra join;\n{inside}\njoin:\n{after}")
}

#[test]
fn naming_the_lanes_that_come_is_clean() {
    expect(&format!("bar.warp.sync -1;\n{STORE}"), 64, CLEAN);
    expect(&half("bar.warp.sync 0xffff;", STORE), 64, CLEAN);
    let sides = "setp.ge.u32 %p1, %l, 7;\n@%p1 bra other;\nvote.sync.ballot.b32 %r1, %p1, 0x7f;\n\
                 bra join;\nother:\nvote.sync.ballot.b32 %r1, %p1, 0xffffff80;\njoin:\n\
                 st.global.u32 [%o], %r1;";
    expect(sides, 32, CLEAN);
}

#[test]
fn a_named_lane_that_goes_on_without_the_operation_passes_by() {
    for operation in [
        "bar.warp.sync -1;",
        "vote.sync.ballot.b32 %r1, %p1, -1;",
        "match.any.sync.b32 %r1, %t, -1;",
    ] {
        expect(&half(operation, STORE), 32, MASK);
    }
}

#[test]
fn naming_lanes_that_have_exited_or_never_were_is_clean() {
    expect(&half("bar.warp.sync -1;\nst.global.u32 [%o], 1;", ""), 32, CLEAN);
    let early = format!("setp.ge.u32 %p1, %l, 16;\n@%p1 exit;\nbar.warp.sync -1;\n{STORE}");
    expect(&early, 32, CLEAN);
    expect(&format!("bar.warp.sync -1;\n{STORE}"), 40, CLEAN);
}

#[test]
fn both_sides_of_a_branch_may_meet_under_independent_only() {
    let body = format!(
        "setp.ge.u32 %p1, %l, 16;\n@%p1 bra other;\nbar.warp.sync -1;\nbra join;\nother:\n\
         bar.warp.sync -1;\njoin:\n{STORE}"
    );
    expect_under(INDEPENDENT, &kernel("", &body), 32, CLEAN);
    expect_under(&[Model::Lockstep], &kernel("", &body), 32, MASK);
}

#[test]
fn lanes_that_are_not_in_their_own_mask_are_found() {
    expect(&half("bar.warp.sync 0x7fff;", STORE), 32, MASK);
    let redux = "redux.sync.add.s32 %r1, %t, 0x7fff;";
    for model in MODELS {
        let (outcome, findings) = run(&kernel("", redux), "k", 32, model, "in-order");
        assert_eq!((outcome, &*codes(&findings)), (Outcome::Fault, MASK));
    }
}

#[test]
fn lanes_that_name_each_other_must_name_the_same() {
    let masks = |low: &str, high: &str| {
        format!(
            "setp.lt.u32 %p1, %l, 16;\nselp.b32 %r1, {low}, {high}, %p1;\nbar.warp.sync %r1;\n{STORE}"
        )
    };
    expect(&masks("0xffff", "0xffff0000"), 64, CLEAN);
    expect(&masks("0xffffffff", "0xffff0000"), 64, MASK);
    expect(&masks("0xffffffff", "0xfffffffe"), 64, MASK);
}

#[test]
fn the_same_in_a_loop() {
    let body = |mask: &str| {
        format!(
            "setp.lt.u32 %p1, %l, 16;\nselp.b32 %r1, {mask}, 0xffff0000, %p1;\nmov.u32 %r2, 0;\n\
             again:\nbar.warp.sync %r1;\nadd.u32 %r2, %r2, 1;\nsetp.lt.u32 %p2, %r2, 3;\n\
             @%p2 bra again;\n{STORE}"
        )
    };
    expect(&body("0xffff"), 32, CLEAN);
    expect(&body("0xffffffff"), 32, MASK);
}

#[test]
fn lanes_that_leave_a_loop_early_pass_by_what_the_others_still_do_in_it() {
    let looped = |last: &str, after: &str| {
        format!(
            "mov.u32 %r2, 0;\nagain:\nbar.warp.sync -1;\nadd.u32 %r2, %r2, 1;\n\
             setp.lt.u32 %p2, %r2, {last};\n@%p2 bra again;\n{after}"
        )
    };
    expect(&looped("4", STORE), 32, CLEAN);
    expect(&looped("%l", STORE), 32, MASK);
    expect_under(INDEPENDENT, &kernel("", &looped("%l", "")), 32, CLEAN);
}

#[test]
fn lanes_that_wait_for_each_other_at_different_operations_are_found() {
    let crossed = |after: &str| {
        format!(
            "setp.ge.u32 %p1, %l, 16;\n@%p1 bra other;\nbar.warp.sync -1;\nbra join;\nother:\n{after}\n\
             join:\n{STORE}"
        )
    };
    for other in ["vote.sync.ballot.b32 %r1, %p1, -1;", "bar.warp.sync 0xfffffffe;", "bar.sync 0;"]
    {
        let module = kernel("", &crossed(other));
        for schedule in SCHEDULES {
            let (outcome, findings) = run(&module, "k", 32, Model::Independent, schedule);
            assert_eq!(outcome, Outcome::Deadlock, "{other} {schedule}");
            assert_eq!(codes(&findings), MASK, "{other} {schedule}");
        }
    }
}
