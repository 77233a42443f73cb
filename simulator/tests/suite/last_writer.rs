//! The last writer of a cell.

use warpsim::host::{Argument, Device, Launch, Pointer, Simulator};
use warpsim::observe::LastWriter;
use warpsim::report::Site;

/// Runs `entry` over a buffer of 64 words; the writers of these words.
fn writers(body: &str, threads: u32, words: &[u64]) -> Vec<Option<Site>> {
    let text = format!(
        ".version 7.0 .target sm_70 .address_size 64\n.visible .entry k(.param .u64 p) {{\n\
         .reg .u64 %a, %o; .reg .u32 %t, %v; .reg .pred %p;\nld.param.u64 %a, [p];\n\
         mov.u32 %t, %tid.x; mul.wide.u32 %o, %t, 4;\n{body}\nret;\n}}"
    );
    let mut gpu = Simulator::default();
    let module = gpu.load(&warpsim::ptx::parse("k.ptx", &text).unwrap()).unwrap();
    let Pointer(start) = gpu.allocate(256).unwrap();
    let mut writer = LastWriter::of(words.iter().map(|word| (start + 4 * word, 4)));
    let arguments = [Argument::Pointer(Pointer(start))];
    gpu.launch_observed(module, "k", &Launch::new(1, threads), &arguments, &mut writer).unwrap();
    words.iter().map(|word| writer.site(start + 4 * word)).collect()
}

#[test]
fn the_later_of_two_stores_is_the_last_and_a_guard_that_is_false_writes_nothing() {
    let body = "add.u64 %o, %a, %o;\nst.global.u32 [%o], %t;\nsetp.gt.u32 %p, %t, 1;\n\
                @%p st.global.u32 [%o], %t;";
    let found = writers(body, 3, &[0, 1, 2, 3]);
    let line = |site: &Option<Site>| site.as_ref().map(|s| (s.ptx_line, s.thread[0]));
    let lines: Vec<_> = found.iter().map(line).collect();
    assert_eq!(lines, [Some((7, 0)), Some((7, 1)), Some((9, 2)), None]);
}

#[test]
fn the_lowest_lane_of_a_store_wins_and_the_highest_of_an_atomic_is_last() {
    let lane = |body| writers(body, 32, &[5])[0].as_ref().map(|s| s.lane);
    assert_eq!(lane("st.global.u32 [%a+20], %t;"), Some(0));
    assert_eq!(lane("red.global.add.u32 [%a+20], %t;"), Some(31));
}

#[test]
fn a_vector_or_a_store_of_a_part_writes_to_every_cell_that_it_touches() {
    let body = "st.global.v2.u32 [%a+8], {%t, %t};\nst.global.u8 [%a+19], %t;";
    let found = writers(body, 1, &[1, 2, 3, 4, 5]);
    let lines: Vec<_> = found.iter().map(|s| s.as_ref().map(|s| s.ptx_line)).collect();
    assert_eq!(lines, [None, Some(6), Some(6), Some(7), None]);
}
