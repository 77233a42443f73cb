//! A block begins with registers and parameters of zeros, whatever the block before it left in the
//! same memory. A GPU promises nothing about them, and results must not depend on which blocks went
//! before.

use warpsim::host::{Argument, Device, Launch, Simulator};
use warpsim::prelude::Outcome;

/// Each thread gives what it found in registers and parameters that nobody wrote, and leaves other
/// things there. `CALL` leaves a second activation behind.
const LEAVES: &str = ".version 7.0 .target sm_70 .address_size 64
    .func leave(.param .b32 given) {
      .reg .u32 %r, %never; .reg .u64 %a;
      ld.param.u32 %r, [given]; add.u32 %never, %never, %r; ret; }
    .visible .entry k(.param .u64 out) {
      .reg .u64 %a, %o, %wide; .reg .u32 %t, %i, %n, %never, %v; .reg .pred %p;
      .param .b32 word; .param .b64 two;
      ld.param.u64 %a, [out];
      mov.u32 %t, %tid.x; mov.u32 %i, %ctaid.x; mov.u32 %n, %ntid.x;
      mad.lo.u32 %i, %i, %n, %t; mul.wide.u32 %o, %i, 4; add.u64 %a, %a, %o;
      cvt.u32.u64 %v, %wide; or.b32 %v, %v, %never;
      selp.u32 %n, 1, 0, %p; or.b32 %v, %v, %n;
      ld.param.u32 %n, [word]; or.b32 %v, %v, %n;
      ld.param.u32 %n, [two+4]; or.b32 %v, %v, %n;
      st.global.u32 [%a], %v;
      mov.u32 %never, 2; mov.u64 %wide, 4; setp.eq.u32 %p, %t, %t;
      st.param.b32 [word], 8; st.param.b64 [two], -1;
      CALL
      ret; }";

#[test]
fn a_block_finds_nothing_of_the_block_before_it() {
    for call in ["", "call leave, (word);"] {
        let text = LEAVES.replace("CALL", call);
        let mut gpu = Simulator::default();
        let module = gpu.load(&warpsim::ptx::parse("k.ptx", &text).unwrap()).unwrap();
        let (blocks, threads) = (7, 80);
        let mut found = vec![0xff; 4 * (blocks * threads) as usize];
        let out = gpu.allocate(found.len() as u64).unwrap();
        gpu.upload(out, &found).unwrap();
        let launch = Launch::new(blocks, threads);
        let report = gpu.launch(module, "k", &launch, &[Argument::Pointer(out)]).unwrap();
        assert_eq!(report.outcome, Outcome::Completed, "{call}");
        gpu.download(out, &mut found).unwrap();
        let first = found.iter().position(|byte| *byte != 0);
        assert_eq!(first.map(|at| (at / 4, found[at])), None, "{call}");
    }
}
