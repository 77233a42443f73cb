//! Which barriers the adviser would let go.

use warpsim::host::{Advice, Argument, Device, Launch, Simulator};
use warpsim::report::Code;

/// Each thread stores its number, then reads its neighbour's; with these lines between, and these
/// after.
fn advice(between: &str, after: &str) -> Advice {
    let text = format!(
        ".version 7.0
         .target sm_70
         .address_size 64
         .visible .entry k(.param .u64 out) {{
           .reg .u64 %a, %o; .reg .u32 %t, %s, %v; .reg .pred %p; .shared .u32 cell[65];
           ld.param.u64 %a, [out];
           mov.u32 %t, %tid.x;
           shl.b32 %s, %t, 2;
           mov.u32 %v, cell;
           add.u32 %s, %s, %v;
           setp.eq.u32 %p, %t, 0;
           @%p st.shared.u32 [cell+256], %t;
           st.shared.u32 [%s], %t;
{between}
           ld.shared.u32 %v, [%s+4];
{after}
           mul.wide.u32 %o, %t, 4;
           add.u64 %a, %a, %o;
           st.global.u32 [%a], %v;
           ret;
         }}"
    );
    let module = warpsim::ptx::parse("k.ptx", &text).expect("valid PTX");
    let mut gpu = Simulator::default();
    let out = gpu.allocate(256).expect("memory");
    gpu.upload(out, &[0; 256]).expect("in range");
    gpu.advise(&module, "k", &Launch::new(1, 64), &[Argument::Pointer(out)]).expect("it starts")
}

fn lines(advice: &Advice) -> Vec<u32> {
    assert!(advice.findings.iter().all(|f| f.code == Code::RedundantBarrier));
    advice.findings.iter().map(|f| f.sites[0].ptx_line).collect()
}

#[test]
fn a_barrier_between_a_write_and_a_read_of_another_thread_stays() {
    let advice = advice("bar.sync 0;", "");
    assert_eq!((advice.tried, lines(&advice)), (1, vec![]));
    assert_eq!(advice.schedules, ["in-order", "adversarial", "adversarial:back"]);
}

#[test]
fn a_barrier_after_which_nobody_looks_at_others_can_go() {
    let advice = advice("bar.sync 0;", "bar.sync 0;");
    assert_eq!((advice.tried, lines(&advice)), (2, vec![16]));
}

#[test]
fn of_two_barriers_in_a_row_either_can_go_and_both_are_named() {
    let advice = advice("bar.sync 0;\nbar.sync 0;", "");
    assert_eq!((advice.tried, lines(&advice)), (2, vec![14, 15]));
    assert!(advice.findings[0].notes.iter().any(|note| note.contains("alone")));
}

#[test]
fn a_barrier_that_counts_is_never_tried() {
    let advice = advice("barrier.red.popc.u32 %v, 0, %p;", "");
    assert_eq!(advice.tried, 0);
}
