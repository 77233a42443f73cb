//! What `info barriers` says of mbarrier objects and of lanes that poll a word.

use warpsim::ptx::Type;
use warpsim_debugger::text::Console;

use super::Program;

/// A phase that waits for one more arrival than ever comes, and one that waits for bytes.
const MBARRIERS: &str = include_str!("../../../../tests/conformance/deadlock_mbarrier.ptx");

/// Lane 0 of warp 0 takes a lock and waits at a barrier; warp 1 spins for the lock.
const LOCK: &str = ".version 7.0 .target sm_70 .address_size 64
    .visible .entry k(.param .u64 p) { .reg .u64 %p; .reg .u32 %t, %old; .reg .pred %q;
      ld.param.u64 %p, [p];
      mov.u32 %t, %tid.x;
      setp.ge.u32 %q, %t, 32;
      @%q bra take;
      atom.global.cas.b32 %old, [%p+8], 0, 1;
      bar.sync 0;
      ret;
    take:
      atom.global.cas.b32 %old, [%p+8], 0, 1;
      setp.ne.u32 %q, %old, 0;
      @%q bra take;
      bar.sync 0;
      ret; }";

fn barriers(mut program: Program, steps: u32) -> String {
    program.debug("in-order", |debugger| {
        let mut console = Console::new(debugger);
        let said = console.execute(&format!("turn {steps}; info barriers"));
        assert_eq!(said.error, None);
        let lines: Vec<&str> = said.text.lines().collect();
        let about =
            |line: &&&str| ["barrier", "mbarrier", "warp"].iter().any(|w| line.starts_with(w));
        lines.iter().filter(about).map(|line| format!("{line}\n")).collect()
    })
}

#[test]
fn mbarrier_objects_have_their_phase_and_what_it_waits_for() {
    let mut program = Program::new(MBARRIERS, "k", 64);
    program.buffer(&[0; 256], Type::U32);
    let text = barriers(program, 60);
    let expected =
        "mbarrier mb at 0x0: the phase of parity 0 waits for 1 of 65 arrivals and no bytes";
    assert!(text.contains(expected), "{text}");
    assert!(text.contains("warp 0 all lanes poll mb: read "), "{text}");
    assert!(text.contains("each gave 0"), "{text}");
    let mut program = Program::new(MBARRIERS, "bytes", 32);
    program.buffer(&[0; 256], Type::U32);
    let text = barriers(program, 60);
    assert!(text.contains("waits for 0 of 32 arrivals and 16 bytes"), "{text}");
}

#[test]
fn a_lock_is_told_with_its_value_and_who_took_it() {
    let mut program = Program::new(LOCK, "k", 64);
    program.buffer(&[0; 64], Type::U32);
    let text = barriers(program, 40);
    assert!(
        text.contains("barrier 0 warp 0   ################################ all wait"),
        "{text}"
    );
    assert!(text.contains("barrier 0 warp 1 "), "{text}");
    assert!(text.contains("not there: lanes all"), "{text}");
    assert!(text.contains("warp 1 all lanes poll @0[2]: read "), "{text}");
    assert!(text.contains("each gave 1"), "{text}");
    assert!(text.contains("written last by block 0 warp 0 lane 0"), "{text}");
}
