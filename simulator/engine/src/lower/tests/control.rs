//! Branches: targets, leaders, ranks, and where paths meet.

use super::*;

/// For each operation its branch target and where its paths meet.
fn branches(program: &Program) -> Vec<(Pc, Pc, Pc)> {
    let operations = program.operations.iter().enumerate();
    operations
        .filter_map(|(pc, o)| match o.kind {
            Kind::Branch { target, reconverge } => Some((pc as Pc, target, reconverge)),
            _ => None,
        })
        .collect()
}

#[test]
fn an_if_meets_behind_itself() {
    let program = lowered("@%p1 bra L; add.u32 %r1, %r1, 1; L: mov.u32 %r2, 0;");
    assert_eq!(branches(&program), [(0, 2, 2)]);
    let leaders: Vec<bool> = program.operations.iter().map(|o| o.leader).collect();
    assert_eq!(leaders, [true, true, true, false]);
}

#[test]
fn a_loop_meets_behind_itself_and_ranks_before_what_follows() {
    let program = lowered(
        "bra HEAD; AFTER: mov.u32 %r2, 0; exit;\n\
         HEAD: add.u32 %r1, %r1, 1; @%p1 bra AFTER; bra.uni HEAD;",
    );
    assert_eq!(branches(&program), [(0, 3, 3), (4, 1, 1), (5, 3, 3)]);
    let rank = |pc: usize| program.operations[pc].rank;
    assert!(rank(0) < rank(3) && rank(3) < rank(5) && rank(5) < rank(1));
}

#[test]
fn an_early_exit_does_not_keep_the_rest_apart() {
    let shared_return =
        lowered("@%p1 bra JOIN; @%p2 bra RET; add.u32 %r1, %r1, 1; JOIN: bar.sync 0; RET: ret;");
    assert_eq!(branches(&shared_return)[0], (0, 3, 3));
    let guarded = lowered("@%p1 bra JOIN; @%p2 exit; JOIN: bar.sync 0;");
    assert_eq!(branches(&guarded)[0], (0, 2, 2));
}

#[test]
fn the_lanes_that_return_from_a_function_meet_in_its_caller() {
    let module = module(
        ".func f() { .reg .pred p; @p bra JOIN; @p ret; JOIN: bar.sync 0; ret; }\n\
         .entry k() { call f; }",
    );
    let program = try_lowered(&module).unwrap();
    let f = program.functions[1].entry;
    assert_eq!(branches(&program), [(f, f + 2, EXIT)]);
}

#[test]
fn paths_that_both_leave_meet_nowhere() {
    let program =
        lowered("@%p1 bra L; st.global.u32 [%d1], 1; trap; L: st.global.u32 [%d1], 2; exit;");
    // Of two equal exits the later one is the main one, so the branch waits there.
    assert_eq!(branches(&program), [(0, 3, 3)]);
    let endless = lowered("L: @%p1 bra L; M: bra M;");
    assert_eq!(branches(&endless)[1], (1, 1, EXIT));
}

#[test]
fn falling_off_the_end_returns() {
    for body in
        ["", "add.u32 %r1, %r1, 1;", "@%p1 ret;", "L: @%p1 bra L;", "bra E; E:", "@%p1 exit;"]
    {
        let program = lowered(body);
        let last = program.operations.last().unwrap();
        assert!(matches!(last.kind, Kind::Return) && last.guard.is_none(), "{body}");
    }
    assert_eq!(lowered("ret;").operations.len(), 1);
    assert_eq!(lowered("bra L; L: exit;").operations.len(), 2);
}

#[test]
fn labels_are_local_to_their_scope() {
    let program =
        lowered("{ L: @%p1 bra L; } { mov.u32 %r1, 0; L: @%p1 bra L; bra OUT; } OUT: ret;");
    let targets: Vec<Pc> = branches(&program).iter().map(|b| b.1).collect();
    assert_eq!(targets, [0, 2, 4]);
}

#[test]
fn an_indexed_branch_has_all_its_targets() {
    let program =
        lowered("T: .branchtargets A, B, A; @%p1 brx.idx %r1, T; A: add.u32 %r1, %r1, 1; B: ret;");
    let Kind::BranchIndexed(branch) = &program.operations[0].kind else { panic!() };
    assert_eq!((&branch.targets[..], branch.reconverge), (&[1, 2, 1][..], 1));
    assert!(program.operations[1].leader && program.operations[2].leader);
}

#[test]
fn the_targets_of_an_indexed_branch_are_the_labels_where_their_list_stands() {
    let program =
        lowered("T: .branchtargets A; { brx.idx %r1, T; A: add.u32 %r1, %r1, 1; } A: ret;");
    let Kind::BranchIndexed(branch) = &program.operations[0].kind else { panic!() };
    assert_eq!(branch.targets, [2]);
}

#[test]
fn instructions_that_stop_are_told_apart() {
    assert!(matches!(lowered("trap;").operations[0].kind, Kind::Trap));
    assert!(matches!(lowered("exit;").operations[0].kind, Kind::Exit));
    assert!(matches!(lowered("brkpt;").operations[0].kind, Kind::Breakpoint));
}
