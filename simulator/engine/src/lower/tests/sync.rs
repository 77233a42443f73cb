//! Barriers, fences and warp operations.

use super::*;
use crate::ptx::Type;

fn barrier(text: &str) -> Barrier {
    match operation(text) {
        Kind::Barrier(barrier) => *barrier,
        other => panic!("{other:?}"),
    }
}

fn warp(text: &str) -> WarpOperation {
    match operation(text) {
        Kind::Warp(warp) => *warp,
        other => panic!("{other:?}"),
    }
}

#[test]
fn bar_is_aligned_and_barrier_only_when_it_says_so() {
    assert!(barrier("bar.sync 0;").aligned && barrier("bar.cta.arrive 1, 64;").aligned);
    assert!(!barrier("barrier.sync 0;").aligned && barrier("barrier.cta.sync.aligned 0;").aligned);
}

#[test]
fn barriers_have_ids_and_counts() {
    let found = barrier("bar.sync %r1, %r2;");
    assert!(found.count.is_some() && found.action == BarrierAction::Sync);
    let program = lowered("bar.arrive 3, 64;");
    let Kind::Barrier(found) = &program.operations[0].kind else { panic!() };
    assert_eq!(found.action, BarrierAction::Arrive);
    assert_eq!(constant32(&program.constants, found.id), 3);
    assert_eq!(constant32(&program.constants, found.count.unwrap()), 64);
}

#[test]
fn barrier_reductions_take_a_predicate_that_may_be_negated() {
    let BarrierAction::Popc { p, .. } = barrier("bar.red.popc.u32 %r1, 0, !%p1;").action else {
        panic!()
    };
    assert!(p.negated);
    assert!(matches!(barrier("bar.red.and.pred %p2, 0, %p1;").action, BarrierAction::And { .. }));
    let or = barrier("barrier.red.or.aligned.pred %p2, 1, 96, %p1;");
    assert!(matches!(or.action, BarrierAction::Or { .. }) && or.count.is_some());
}

#[test]
fn fences_have_orders_and_scopes() {
    use {Order::*, Scope::*};
    for (text, order, scope) in [
        ("membar.cta;", SequentiallyConsistent, Block),
        ("membar.gl;", SequentiallyConsistent, Gpu),
        ("membar.sys;", SequentiallyConsistent, System),
        ("fence.sc.gpu;", SequentiallyConsistent, Gpu),
        ("fence.acq_rel.cta;", AcquireRelease, Block),
        ("fence.cluster;", AcquireRelease, Cluster),
        ("fence.acquire.sys;", Acquire, System),
        ("fence.sys.sc;", SequentiallyConsistent, System),
        ("fence.cta.acq_rel;", AcquireRelease, Block),
    ] {
        let Kind::Fence(found) = operation(text) else { panic!("{text}") };
        assert_eq!(found, Semantics { order, scope }, "{text}");
    }
    assert!(matches!(operation("fence.proxy.async;"), Kind::ProxyFence));
    assert!(matches!(operation("fence.proxy.alias;"), Kind::Nothing));
}

#[test]
fn shuffles_have_a_mode_and_perhaps_a_predicate() {
    let found = warp("shfl.sync.up.b32 %r1|%p1, %r2, 1, 0, -1;");
    assert!(found.mask.is_some());
    let WarpAction::Shuffle { mode: ShuffleMode::Up, p: Some(_), .. } = found.action else {
        panic!("{found:?}")
    };
    let old = warp("shfl.bfly.b32 %f1, %f2, %r3, 31;");
    assert_eq!(old.mask, None);
    assert!(matches!(
        old.action,
        WarpAction::Shuffle { mode: ShuffleMode::Butterfly, p: None, .. }
    ));
}

#[test]
fn votes_ask_one_of_four_questions() {
    let asked = |text| match warp(text).action {
        WarpAction::Vote { mode, p, .. } => (mode, p.negated),
        other => panic!("{other:?}"),
    };
    assert_eq!(asked("vote.sync.all.pred %p1, %p2, -1;"), (VoteMode::All, false));
    assert_eq!(asked("vote.sync.any.pred %p1, !%p2, %r1;"), (VoteMode::Any, true));
    assert_eq!(asked("vote.uni.pred %p1, %p2;"), (VoteMode::Uniform, false));
    assert_eq!(asked("vote.sync.ballot.b32 %r1, %p2, -1;"), (VoteMode::Ballot, false));
}

#[test]
fn match_redux_elect_and_activemask() {
    let found = warp("match.all.sync.b64 %r1|%p1, %d1, -1;").action;
    assert!(matches!(found, WarpAction::Match { all: true, wide: true, p: Some(_), .. }));
    let found = warp("match.any.sync.b32 %r1, %r2, -1;").action;
    assert!(matches!(found, WarpAction::Match { all: false, wide: false, p: None, .. }));
    let reduced = |text| match warp(text).action {
        WarpAction::Redux { reduction, .. } => reduction,
        other => panic!("{other:?}"),
    };
    let least = Reduction::Integers { operation: AtomicOperation::Min, ty: Type::S32 };
    assert_eq!(reduced("redux.sync.min.s32 %r1, %r2, -1;"), least);
    let floats = |greatest, absolute, nan| Reduction::Floats { greatest, absolute, nan };
    assert_eq!(reduced("redux.sync.min.f32 %f1, %f2, -1;"), floats(false, false, false));
    assert_eq!(reduced("redux.sync.max.abs.f32 %f1, %f2, -1;"), floats(true, true, false));
    assert_eq!(reduced("redux.sync.min.NaN.f32 %f1, %f2, -1;"), floats(false, false, true));
    assert_eq!(
        reduced("redux.sync.max.abs.NaN.f32 %r1, 0fbf800000, -1;"),
        floats(true, true, true)
    );
    assert!(matches!(warp("elect.sync _|%p1, -1;").action, WarpAction::Elect { d: None, .. }));
    assert!(matches!(operation("activemask.b32 %r1;"), Kind::ActiveMask(_)));
    assert!(matches!(warp("bar.warp.sync %r1;").action, WarpAction::Sync));
}
