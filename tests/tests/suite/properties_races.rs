//! A kernel that synchronises by barriers and warp syncs alone, without control flow or addresses
//! that depend on data, races for the same words under every schedule: those that follow from its
//! text. The text is judged here by counting barriers, without running anything.

use std::collections::BTreeSet;

use proptest::prelude::*;
use warpsim::host::{Argument, Device, Launch, Simulator};
use warpsim::observe::races::Races;
use warpsim::ptx::Space;

/// Threads of a block; its second warp is short.
const THREADS: u64 = 40;
const BLOCKS: u64 = 2;
const SCHEDULES: [&str; 7] =
    ["in-order", "reverse", "random:1", "random:2", "adversarial", "adversarial:back", "pct:3"];

#[derive(Clone, Debug)]
enum Statement {
    Barrier,
    WarpSync,
    Access { shared: bool, writes: bool, offset: u64, stride: u64, below: u64 },
}

fn statement() -> impl Strategy<Value = Statement> {
    let access = (any::<bool>(), any::<bool>(), 0..6u64, 0..3u64, prop_oneof![Just(64), 1..40u64]);
    prop_oneof![
        1 => Just(Statement::Barrier),
        1 => Just(Statement::WarpSync),
        4 => access.prop_map(|(shared, writes, offset, stride, below)| Statement::Access {
            shared, writes, offset, stride, below
        }),
    ]
}

/// The kernel. The two blocks' global accesses are 8 words apart, so that some meet.
fn text(statements: &[Statement]) -> String {
    let mut body = String::new();
    for statement in statements {
        body += &match statement {
            Statement::Barrier => "bar.sync 0;\n".to_owned(),
            Statement::WarpSync => "bar.warp.sync -1;\n".to_owned(),
            Statement::Access { shared, writes, offset, stride, below } => {
                let (space, base) = if *shared { ("shared", "%s") } else { ("global", "%g") };
                let access = match writes {
                    true => format!("st.{space}.u32 [%a+{}], %t;", 4 * offset),
                    false => format!("ld.{space}.u32 %v, [%a+{}];", 4 * offset),
                };
                format!(
                    "setp.lt.u32 %p, %t, {below};\nmul.wide.u32 %a, %t, {};\n\
                     add.u64 %a, %a, {base};\n@%p {access}\n",
                    4 * stride
                )
            }
        };
    }
    format!(
        ".version 7.0\n.target sm_70\n.address_size 64
         .visible .entry k(.param .u64 out) {{
           .reg .u64 %g, %s, %a; .reg .u32 %t, %v, %b; .reg .pred %p; .shared .u32 cells[128];
           ld.param.u64 %g, [out]; mov.u32 %t, %tid.x; mov.u32 %b, %ctaid.x;
           mul.wide.u32 %a, %b, 32; add.u64 %g, %g, %a; mov.u64 %s, cells;
           {body}
           ret;
         }}"
    )
}

/// An access of a thread, and how many barriers and warp syncs were before it.
struct Made {
    thread: (u64, u64),
    barriers: usize,
    syncs: usize,
    word: (Space, u64, u64),
    writes: bool,
}

fn accesses(statements: &[Statement], global: u64) -> Vec<Made> {
    let mut made = Vec::new();
    let (mut barriers, mut syncs) = (0, 0);
    for statement in statements {
        match *statement {
            Statement::Barrier => barriers += 1,
            Statement::WarpSync => syncs += 1,
            Statement::Access { shared, writes, offset, stride, below } => {
                for (block, t) in (0..BLOCKS).flat_map(|b| (0..THREADS).map(move |t| (b, t))) {
                    let at = t * stride + offset;
                    let word = match shared {
                        true => (Space::Shared, block, at),
                        false => (Space::Global, 0, global / 4 + 8 * block + at),
                    };
                    if t < below {
                        made.push(Made { thread: (block, t), barriers, syncs, word, writes });
                    }
                }
            }
        }
    }
    made
}

fn is_ordered(a: &Made, b: &Made) -> bool {
    let ((block, t), (other_block, u)) = (a.thread, b.thread);
    a.thread == b.thread
        || block == other_block
            && (a.barriers != b.barriers || t / 32 == u / 32 && a.syncs != b.syncs)
}

fn expected(statements: &[Statement], global: u64) -> BTreeSet<(Space, u64, u64)> {
    let made = accesses(statements, global);
    let races =
        |a: &Made, b: &Made| a.word == b.word && (a.writes || b.writes) && !is_ordered(a, b);
    let racing = made.iter().filter(|a| made.iter().any(|b| races(a, b)));
    racing.map(|a| a.word).collect()
}

fn found(statements: &[Statement], schedule: &str) -> (BTreeSet<(Space, u64, u64)>, u64) {
    let module = warpsim::ptx::parse("k.ptx", &text(statements)).expect("valid PTX");
    let mut gpu = Simulator::default();
    gpu.settings_mut().schedule = schedule.parse().expect("a schedule");
    let handle = gpu.load(&module).expect("loads");
    let out = gpu.allocate(1024).expect("memory");
    let launch = Launch::new(BLOCKS as u32, THREADS as u32);
    let mut races = Races::new();
    let arguments = [Argument::Pointer(out)];
    gpu.launch_observed(handle, "k", &launch, &arguments, &mut races).expect("starts");
    (races.racing_words().clone(), out.0)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(warpsim_effort::cases(75, 600)))]

    #[test]
    fn the_words_raced_for_follow_from_the_text_and_not_from_the_schedule(
        statements in proptest::collection::vec(statement(), 1..9)
    ) {
        for schedule in SCHEDULES {
            let (found, global) = found(&statements, schedule);
            prop_assert_eq!(&found, &expected(&statements, global), "{}", schedule);
        }
    }
}

#[test]
fn the_kernels_of_the_property_do_race_and_do_not() {
    let write =
        |offset| Statement::Access { shared: true, writes: true, offset, stride: 1, below: 64 };
    let read = Statement::Access { shared: true, writes: false, offset: 1, stride: 1, below: 64 };
    assert!(!expected(&[write(0), read.clone()], 0).is_empty());
    assert!(expected(&[write(0), Statement::Barrier, read.clone()], 0).is_empty());
    // The last lane of the first warp reads what the second warp writes.
    let left = expected(&[write(0), Statement::WarpSync, read], 0);
    assert_eq!(left, [(Space::Shared, 0, 32), (Space::Shared, 1, 32)].into());
}
