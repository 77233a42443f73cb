//! Reads that race, and whose values nobody uses, are notes; their twins are errors.

use warpsim::prelude::*;

/// A block of 64 threads, two for each of 32 cells. Each loads its cell (`%v`) and adds 1. `rest`
/// does something else with the value. Then the threads with `%p` store it: the first 32.
fn kernel(rest: &str) -> String {
    format!(
        ".version 7.0 .target sm_70 .address_size 64
         .visible .entry tile(.param .u64 cells, .param .u64 out) {{
           .reg .u64 %a, %b, %o; .reg .u32 %t, %c, %v, %w, %z; .reg .pred %p, %q, %s;
           ld.param.u64 %a, [cells];
           ld.param.u64 %b, [out];
           mov.u32 %t, %tid.x;
           and.b32 %c, %t, 31;
           mul.wide.u32 %o, %c, 4;
           add.u64 %a, %a, %o;
           mul.wide.u32 %o, %t, 4;
           add.u64 %b, %b, %o;
           setp.lt.u32 %p, %t, 32;
           ld.global.u32 %v, [%a];
           add.u32 %w, %v, 1;
           {rest}
           @%p st.global.u32 [%a], %w;
           ret;
         }}"
    )
}

/// The severities of the races that are found.
fn races(rest: &str) -> Vec<Severity> {
    races_of(&kernel(rest))
}

fn races_of(text: &str) -> Vec<Severity> {
    let module = warpsim::ptx::parse("tile.ptx", text).unwrap();
    let mut gpu = Simulator::default();
    gpu.settings_mut().checking = Some(Checking::default());
    let loaded = gpu.load(&module).unwrap();
    let cells = gpu.allocate(4 * 64).unwrap();
    let out = gpu.allocate(4 * 64).unwrap();
    for buffer in [cells, out] {
        gpu.upload(buffer, &[1; 4 * 64]).unwrap();
    }
    let arguments = [Argument::Pointer(cells), Argument::Pointer(out)];
    let report = gpu.launch(loaded, "tile", &Launch::new(1, 64), &arguments).unwrap();
    let races = report.findings.iter().filter(|finding| finding.code == Code::Race);
    races.map(|finding| finding.severity).collect()
}

#[test]
fn a_race_with_a_read_whose_value_goes_nowhere_is_a_note() {
    assert_eq!(races(""), [Severity::Note]);
    // The others store it nowhere, but under a guard that is false for them.
    assert_eq!(races("@%p st.global.u32 [%b], %v;"), [Severity::Note]);
    // Computed with, and thrown away.
    assert_eq!(
        races("mul.lo.u32 %z, %v, %w; mov.u32 %z, 0; st.global.u32 [%b], %z;"),
        [Severity::Note]
    );
}

#[test]
fn it_is_an_error_where_the_value_is_stored_or_decides_something() {
    let used = [
        "st.global.u32 [%b], %v;",
        "add.u32 %z, %w, %w; st.global.u32 [%b], %z;",
        "setp.eq.u32 %q, %v, 7; @%q bra DONE; mov.u32 %z, 0; DONE:",
        "setp.eq.u32 %q, %v, 7; @%q st.global.u32 [%b], %t;",
        "atom.global.add.u32 %z, [%b], %v;",
        "and.b32 %z, %v, 3; mul.wide.u32 %o, %z, 4; add.u64 %b, %b, %o; ld.global.u32 %z, [%b];",
        "setp.eq.u32 %q, %v, 7; selp.u32 %z, 1, 2, %q; st.global.u32 [%b], %z;",
    ];
    for rest in used {
        assert!(races(rest).contains(&Severity::Error), "{rest}");
    }
}

/// A thread may use what one load gives it, and not what another does.
#[test]
fn loads_are_told_apart() {
    // The second warp stores another cell, which it reads alone.
    let other = "ld.global.u32 %z, [%b]; add.u32 %z, %z, 1; st.global.u32 [%b], %z;";
    assert_eq!(races(other), [Severity::Note]);
}

/// Nothing says what it was for: a compiler leaves no such load.
#[test]
fn it_is_an_error_where_no_thread_uses_the_value() {
    let module = kernel("").replace("add.u32 %w, %v, 1;", "mov.u32 %w, 1;");
    assert!(races_of(&module).contains(&Severity::Error));
}

#[test]
fn values_are_followed_from_lane_to_lane() {
    // All of the second warp give each other what they read, and none of them stores it.
    let within = "shfl.sync.bfly.b32 %z, %w, 1, 31, 0xffffffff; add.u32 %w, %z, %w;";
    assert_eq!(races(within), [Severity::Note]);
    // The upper half of each warp reads for the lower half, which stores in both warps.
    let across = "shfl.sync.bfly.b32 %z, %w, 16, 31, 0xffffffff;
                  and.b32 %c, %t, 16; setp.eq.u32 %q, %c, 0; @%q st.global.u32 [%b], %z;";
    assert!(races(across).contains(&Severity::Error));
    // A vote makes it everybody's.
    let voted = "setp.eq.u32 %q, %v, 7; vote.sync.any.pred %s, %q, 0xffffffff;
                 selp.u32 %z, 1, 2, %s; st.global.u32 [%b], %z;";
    assert!(races(voted).contains(&Severity::Error));
}
