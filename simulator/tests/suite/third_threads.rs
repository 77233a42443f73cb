//! A race whose first access other threads come after, and the second one does not. Nobody is asked
//! whose block has ended, so all threads are of one block here.

use warpsim::prelude::*;
use warpsim::report::Finding;

/// Thread 1 stores `data`. Warps 0 and 1 wait for each other. Then thread `teller` sets `flag`,
/// which thread 64 polls, all relaxed, before it loads `data`.
fn race(teller: u32) -> Finding {
    let text = format!(
        ".version 7.0 .target sm_70 .address_size 64
         .visible .entry pass(.param .u64 data, .param .u64 flag) {{
           .reg .u64 %d, %f; .reg .u32 %t, %v; .reg .pred %p, %q;
           ld.param.u64 %d, [data];
           ld.param.u64 %f, [flag];
           mov.u32 %t, %tid.x;
           setp.ge.u32 %p, %t, 64;
           @%p bra READER;
           setp.eq.u32 %q, %t, 1;
           @%q st.global.u32 [%d], 5;
           bar.sync 1, 64;
           setp.eq.u32 %q, %t, {teller};
           @%q st.relaxed.gpu.global.u32 [%f], 1;
           ret;
         READER:
           setp.ne.u32 %q, %t, 64;
           @%q ret;
         POLL:
           ld.relaxed.gpu.global.u32 %v, [%f];
           setp.eq.u32 %q, %v, 0;
           @%q bra POLL;
           ld.global.u32 %v, [%d];
           st.global.u32 [%d+4], %v;
           ret;
         }}"
    );
    let module = warpsim::ptx::parse("pass.ptx", text.as_str()).unwrap();
    let mut gpu = Simulator::default();
    gpu.settings_mut().checking = Some(Checking::default());
    let loaded = gpu.load(&module).unwrap();
    let [data, flag] = [8, 4].map(|bytes| gpu.allocate(bytes).unwrap());
    gpu.upload(data, &[0; 8]).unwrap();
    gpu.upload(flag, &[0; 4]).unwrap();
    let arguments = [Argument::Pointer(data), Argument::Pointer(flag)];
    let report = gpu.launch(loaded, "pass", &Launch::new(1, 96), &arguments).unwrap();
    let is_it = |finding: &&Finding| finding.code == Code::Race;
    report.findings.iter().find(is_it).unwrap().clone()
}

#[test]
fn a_third_thread_that_comes_after_the_first_access_is_told_with_what_it_did() {
    let found = race(40);
    assert_eq!((found.sites[1].thread, found.sites[0].thread), ([1, 0, 0], [64, 0, 0]));
    let did: Vec<_> = found.third.iter().map(|site| site.operation.as_str()).collect();
    assert_eq!(did, ["bar.sync", "st.relaxed.gpu.global.u32"]);
    assert!(found.third.iter().all(|site| site.thread == [40, 0, 0]));
    let told = &found.chain[1];
    assert!(told.starts_with("thread (40,0,0) of block (0,0,0) came after (1); it did"), "{told}");
    assert!(told.ends_with("which did not reach (2)"), "{told}");
}

#[test]
fn the_thread_of_an_access_is_no_third_thread() {
    let found = race(1);
    assert_eq!(found.third, []);
    assert_eq!(found.chain.len(), 3);
}
