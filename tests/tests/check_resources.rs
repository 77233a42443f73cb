//! How much memory checking takes: a process of its own with one test, whose peak is measured.

use warpsim::host::{Checking, Launch};
use warpsim::report::Code;
use warpsim_tests::launching::Bench;

/// Every thread stores to 256 words and reads each back; in `racing` the last one also stores to
/// the first word, which is the first thread's.
const KERNELS: &str = r"
.version 7.8
.target sm_80
.address_size 64
.visible .entry clean(.param .u64 p) {
 .reg .u64 %a, %o; .reg .u32 %t, %b, %n, %i, %v; .reg .pred %q;
 ld.param.u64 %a, [p]; mov.u32 %t, %tid.x; mov.u32 %b, %ctaid.x; mov.u32 %n, %ntid.x;
 mad.lo.u32 %t, %b, %n, %t; mul.wide.u32 %o, %t, 4; add.u64 %a, %a, %o; mov.u32 %i, 0;
again:
 st.global.u32 [%a], %t; ld.global.u32 %v, [%a]; add.u64 %a, %a, 262144;
 add.u32 %i, %i, 1; setp.lt.u32 %q, %i, 256; @%q bra again;
 ret;
}
.visible .entry racing(.param .u64 p) {
 .reg .u64 %a, %o, %p; .reg .u32 %t, %b, %n, %i, %v; .reg .pred %q;
 ld.param.u64 %a, [p]; mov.u64 %p, %a; mov.u32 %t, %tid.x; mov.u32 %b, %ctaid.x; mov.u32 %n, %ntid.x;
 mad.lo.u32 %t, %b, %n, %t; mul.wide.u32 %o, %t, 4; add.u64 %a, %a, %o; mov.u32 %i, 0;
again:
 st.global.u32 [%a], %t; ld.global.u32 %v, [%a]; add.u64 %a, %a, 262144;
 add.u32 %i, %i, 1; setp.lt.u32 %q, %i, 256; @%q bra again;
 setp.eq.u32 %q, %t, 65535; @%q st.global.u32 [%p], %t;
 ret;
}
";

/// The most memory that this process has held, in bytes (proc_pid_status(5)).
fn peak() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").expect("Linux");
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).expect("a peak");
    let kib: u64 = line.trim().trim_end_matches(" kB").parse().expect("a number");
    kib * 1024
}

#[test]
fn sixty_four_mebi_of_memory_and_sixty_four_kibi_of_threads_are_checked_within_two_gib() {
    for (kernel, expected) in [("clean", None), ("racing", Some(Code::Race))] {
        let mut bench = Bench::of_text("large.ptx", KERNELS);
        bench.gpu.settings_mut().checking = Some(Checking::default());
        bench.gpu.settings_mut().max_steps = 1 << 32;
        let memory = bench.buffer(&vec![0u32; 1 << 24]);
        let report = bench.launch(kernel, &Launch::new(256, 256), &[memory.into()]);
        let found: Vec<Code> = report.findings.iter().map(|f| f.code).collect();
        assert_eq!(found.first().copied(), expected, "{kernel}: {:?}", report.findings);
    }
    assert!(peak() < 2 << 30, "{} bytes", peak());
}
