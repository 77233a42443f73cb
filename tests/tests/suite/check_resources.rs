//! How much memory checking takes: the test runs once more in its own process, whose peak is
//! measured.

use std::process::Command;

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

/// Set in the process whose peak is measured.
const CHILD: &str = "WARPSIM_TEST_PEAK_OF_CHECKING";

#[test]
fn sixty_four_mebi_of_memory_and_sixty_four_kibi_of_threads_are_checked_within_two_gib() {
    if std::env::var_os(CHILD).is_some() {
        return check_and_measure();
    }
    let name = "check_resources::sixty_four_mebi_of_memory_and_sixty_four_kibi_of_threads_are_checked_within_two_gib";
    let this = std::env::current_exe().expect("this program is there");
    let child = Command::new(this).args(["--exact", name, "--nocapture"]).env(CHILD, "1").output();
    let child = child.expect("it starts again");
    let said = String::from_utf8_lossy(&child.stdout);
    let complained = String::from_utf8_lossy(&child.stderr);
    assert!(child.status.success() && said.contains("1 passed"), "{said}{complained}");
}

/// Checks both kernels, and looks at what that took.
fn check_and_measure() {
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
