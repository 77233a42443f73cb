//! How kernels use the machine. For each advice there is a kernel that deserves it, and its nearest
//! neighbour that does not. The numbers were worked out by hand from the definitions.

use warpsim::host::{Argument, Device, DeviceProfile, Launch, Simulator};
use warpsim::observe::{AdviceKind, Class, MemoryOperation, MetricValue, Statistics};
use warpsim::report::Report;

/// Runs one block of a kernel with this body: %t is the thread, %g a buffer, %s shared memory.
fn ran(body: &str, threads: u32) -> (Statistics, Report) {
    let text = format!(
        ".version 8.0\n.target sm_80\n.address_size 64
         .visible .entry kernel(.param .u64 p) {{
           .shared .align 128 .b8 tile[8192];
           .reg .pred %p; .reg .b32 %t, %a, %s, %i; .reg .b64 %g, %d; .reg .f32 %f;
           ld.param.u64 %g, [p];
           mov.u32 %t, %tid.x;
           mov.u32 %s, tile;
           {body}
           ret;
         }}"
    );
    let mut gpu = Simulator::default();
    let module = gpu.load(&warpsim::ptx::parse("kernel.ptx", &text).unwrap()).unwrap();
    let buffer = gpu.allocate(1 << 16).unwrap();
    let mut statistics = Statistics::default();
    let (launch, arguments) = (Launch::new(1, threads), [Argument::Pointer(buffer)]);
    let report = gpu.launch_observed(module, "kernel", &launch, &arguments, &mut statistics);
    (statistics, report.unwrap())
}

fn advice(body: &str, threads: u32) -> Vec<(AdviceKind, u64, String)> {
    let advice = ran(body, threads).0.advice();
    advice.into_iter().map(|advice| (advice.kind, advice.cost, advice.text)).collect()
}

fn metric(statistics: &Statistics, name: &str) -> Option<MetricValue> {
    statistics.metrics().into_iter().find(|m| m.ncu == Some(name)).map(|m| m.value)
}

#[test]
fn a_column_of_shared_memory_conflicts_and_a_padded_one_does_not() {
    let store = |stride: u32| format!("mad.lo.u32 %a, %t, {stride}, %s; st.shared.u32 [%a], %t;");
    // One request of 32 passes, where one would do.
    let help = "32-way bank conflict: lanes are 128 bytes apart; pad rows of 32 elements to 33";
    assert_eq!(advice(&store(128), 32), [(AdviceKind::BankConflict, 31, help.to_owned())]);
    assert_eq!(advice(&store(132), 32), []);
    let (statistics, _) = ran(&store(128), 64);
    let stores = statistics.requests[&MemoryOperation::Store].shared;
    assert_eq!((stores.requests, stores.taken, stores.conflicts), (2, 64, 62));
}

#[test]
fn lanes_far_apart_take_more_sectors_than_lanes_side_by_side() {
    let load = |stride: u32, offset: u32| {
        format!(
            "mul.wide.u32 %d, %t, {stride}; add.u64 %g, %g, %d; ld.global.u32 %a, [%g+{offset}];"
        )
    };
    let found = advice(&load(128, 0), 32);
    // 32 sectors, where 4 would hold 128 bytes.
    assert_eq!((found[0].0, found[0].1, found.len()), (AdviceKind::Uncoalesced, 28, 1));
    assert!(found[0].2.starts_with("32.0 sectors a request, where 4.0 would hold its bytes"));
    // Behind the beginning of a sector: 5 for 4.
    let found = advice(&load(4, 4), 32);
    assert_eq!((found[0].0, found[0].1, found.len()), (AdviceKind::Misaligned, 1, 1));
    assert!(found[0].2.contains("4 bytes behind a multiple of 32"), "{}", found[0].2);
    assert_eq!(advice(&load(4, 0), 32), []);
    // All lanes at one address: a single sector.
    assert_eq!(advice(&load(0, 0), 32), []);
    let (statistics, _) = ran(&load(0, 0), 32);
    let name = "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum";
    assert_eq!(metric(&statistics, name), Some(MetricValue::Count(1)));
}

#[test]
fn a_condition_that_parts_a_warp_diverges_and_one_of_whole_warps_does_not() {
    let branch = |bit: u32| {
        format!(
            "and.b32 %a, %t, {bit}; setp.eq.u32 %p, %a, 0; @%p bra other;
             st.shared.u32 [%s], %t; bra done; other: st.shared.u32 [%s+4], %t; done:"
        )
    };
    let found = advice(&branch(1), 64);
    assert_eq!((found[0].0, found[0].1, found.len()), (AdviceKind::Divergence, 2, 1));
    assert!(found[0].2.starts_with("2 of 2 branches part the lanes of a warp"));
    assert_eq!(advice(&branch(32), 64), []);
}

#[test]
fn lanes_that_add_at_one_address_wait_for_each_other() {
    let add = |stride: u32| {
        format!("mul.wide.u32 %d, %t, {stride}; add.u64 %g, %g, %d; red.global.add.u32 [%g], 1;")
    };
    let found = advice(&add(0), 64);
    // In each of two warps 31 lanes are behind the first.
    assert_eq!((found[0].0, found[0].1, found.len()), (AdviceKind::AtomicContention, 62, 1));
    assert_eq!(advice(&add(4), 64), []);
    assert_eq!(ran(&add(0), 64).0.hottest_address(), (64, 64));
    assert_eq!(ran(&add(4), 64).0.hottest_address(), (1, 64));
    // Nobody takes the old value: a reduction. Where somebody does, it is an atomic.
    let (reduced, _) = ran(&add(0), 64);
    assert_eq!(reduced.requests.keys().collect::<Vec<_>>(), [&MemoryOperation::Reduction]);
    let (taken, _) = ran("atom.global.add.u32 %a, [%g], 1;", 64);
    assert_eq!(taken.requests.keys().collect::<Vec<_>>(), [&MemoryOperation::Atomic]);
}

#[test]
fn warps_wait_for_the_one_that_does_the_work() {
    // The warps below the limit count to 50: 4 instructions before, 3 in each turn.
    let work = |limit: u32| {
        format!(
            "mov.u32 %i, 0; setp.ge.u32 %p, %t, {limit}; @%p bra meet;
             again: add.u32 %i, %i, 1; setp.lt.u32 %p, %i, 50; @%p bra again;
             meet: bar.sync 0;"
        )
    };
    let found = advice(&work(32), 128);
    // The slowest executes 3 * 50 instructions that the three others do not.
    assert_eq!((found[0].0, found[0].1, found.len()), (AdviceKind::BarrierWait, 3 * 150, 1));
    assert_eq!(advice(&work(128), 128), []);
    let (statistics, _) = ran(&work(32), 128);
    let total = statistics.total();
    assert_eq!((total.arrivals, total.waited, total.awaited), (4, 450, 4 * (3 + 3 + 150 + 1)));
}

#[test]
fn the_last_warp_of_a_block_should_be_full() {
    let found = advice("st.shared.u32 [%s], %t;", 48);
    // Of 64 lanes 16 have no thread.
    assert_eq!((found[0].0, found[0].1, found.len()), (AdviceKind::PartialWarp, 16, 1));
    assert!(found[0].2.contains("blocks of 48 threads leave 16 lanes"), "{}", found[0].2);
    assert_eq!(advice("st.shared.u32 [%s], %t;", 64), []);
}

#[test]
fn the_totals_are_those_of_the_report_and_of_the_lines() {
    let body = "setp.lt.u32 %p, %t, 20; @!%p bra high; red.global.add.u32 [%g], 1;
        high: mad.lo.u32 %a, %t, 4, %s; st.shared.u32 [%a], %t; bar.sync 0;
        @%p ld.shared.u32 %t, [%a]; cvt.rn.f32.u32 %f, %t; add.f32 %f, %f, %f;";
    let (statistics, report) = ran(body, 64);
    let total = statistics.total();
    // Warp 0 takes the branch with 12 lanes and goes on with 20; warp 1 takes it whole.
    let counts = report.counts;
    assert_eq!(total.executed, counts.warp_instructions);
    // The report counts the 20 lanes that do not take the branch; their predicate does not hold.
    assert_eq!(total.active, counts.lane_instructions - 20);
    assert_eq!((total.branches, total.divergent), (2, 1));
    assert_eq!((counts.branches, counts.divergent_branches), (2, 1));
    assert_eq!(statistics.barriers, counts.barriers);
    // The guarded load: 20 lanes of warp 0, and none of warp 1, which is no request.
    assert_eq!(statistics.requests[&MemoryOperation::Load].shared.requests, 1);
    assert_eq!(statistics.requests[&MemoryOperation::Store].shared.requests, 2);
    assert_eq!(statistics.classes[&Class::Fp32], 64);
    assert_eq!(statistics.classes[&Class::Conversion], 64);
    // The guards of the branch and of the load leave out 20, and 12 and 32 lanes.
    assert_eq!(total.present - total.active, 20 + 12 + 32);
    let of_lines: u64 = statistics.lines().iter().map(|line| line.usage.executed).sum();
    assert_eq!(of_lines, total.executed);
}

#[test]
fn instructions_of_one_line_of_the_source_are_counted_together() {
    let text = "
         .version 8.0\n.target sm_80\n.address_size 64
         .visible .entry kernel() {
           .reg .b32 %t;
           .loc 1 3 0
           mov.u32 %t, %tid.x;
           .loc 1 4 0
           add.u32 %t, %t, 1;
           add.u32 %t, %t, 2;
           ret;
         }
         .file 1 \"k.cu\"";
    let mut gpu = Simulator::default();
    let module = gpu.load(&warpsim::ptx::parse("kernel.ptx", text).unwrap()).unwrap();
    let mut statistics = Statistics::default();
    for _ in 0..2 {
        gpu.launch_observed(module, "kernel", &Launch::new(1, 32), &[], &mut statistics).unwrap();
    }
    let lines = statistics.lines();
    let found = lines.iter().map(|l| (l.source.as_ref().unwrap().1, l.usage.executed));
    assert_eq!(found.collect::<Vec<_>>(), [(3, 2), (4, 6)]);
    let occupancy = statistics.occupancy(&DeviceProfile::h200()).unwrap();
    assert_eq!((occupancy.blocks, occupancy.grid), (32, 1));
}
