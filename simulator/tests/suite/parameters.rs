//! The address of a function's parameter leads to the function's own copy. No other thread sees
//! that copy, through whichever state space.

use warpsim::check::Checking;
use warpsim::host::{Argument, Device, Launch, Model, Simulator};
use warpsim::report::{Code, Finding, Outcome};

/// Threads 0 to 7 pick a word of a struct that has `first` and `second` stored to it.
fn picked(first: &str, second: &str, address: &str, load: &str) -> (Vec<u32>, Vec<Finding>) {
    let text = format!(
        ".version 7.8 .target sm_80 .address_size 64
         .func (.param .b32 r) pick(.param .align 4 .b8 s[8], .param .b32 i) {{
           .reg .b32 %r<3>; .reg .b64 %rd<4>;
           mov.b64 %rd1, s; {address}
           ld.param.u32 %r1, [i];
           mul.wide.s32 %rd2, %r1, 4; add.s64 %rd3, %rd1, %rd2;
           {load} %r2, [%rd3]; add.u32 %r2, %r2, 1;
           st.param.b32 [r], %r2;
           ret;
         }}
         .visible .entry k(.param .u64 out) {{
           .reg .b32 %r<5>; .reg .b64 %rd<5>;
           ld.param.u64 %rd1, [out];
           mov.u32 %r1, %tid.x; and.b32 %r2, %r1, 1;
           {{
             .param .align 4 .b8 p0[8]; .param .b32 p1; .param .b32 q;
             {first} {second} st.param.b32 [p1], %r2;
             call.uni (q), pick, (p0, p1);
             ld.param.b32 %r3, [q];
           }}
           mul.wide.u32 %rd2, %r1, 4; add.s64 %rd3, %rd1, %rd2;
           st.global.u32 [%rd3], %r3;
           ret;
         }}"
    );
    let module = warpsim::ptx::parse("pick.ptx", &text).unwrap();
    let mut words = Vec::new();
    let mut findings = Vec::new();
    for model in [Model::Independent, Model::Lockstep] {
        let mut gpu = Simulator::default();
        gpu.settings_mut().model = model;
        gpu.settings_mut().checking = Some(Checking::default());
        let handle = gpu.load(&module).unwrap();
        let out = gpu.allocate(32).unwrap();
        gpu.upload(out, &[0; 32]).unwrap();
        let launch = Launch::new(1, 8);
        let report = gpu.launch(handle, "k", &launch, &[Argument::Pointer(out)]).unwrap();
        assert_eq!(report.outcome, Outcome::Completed, "{report:?}");
        findings.extend(report.findings);
        let mut bytes = [0; 32];
        gpu.download(out, &mut bytes).unwrap();
        words.extend(bytes.chunks_exact(4).map(|b| u32::from_le_bytes(b.try_into().unwrap())));
    }
    (words, findings)
}

const FIRST: &str = "st.param.b32 [p0], 110;";
const SECOND: &str = "st.param.b32 [p0+4], 221;";

#[test]
fn a_parameter_is_read_from_the_functions_own_copy_in_every_space() {
    for (address, load) in [
        ("", "ld.param.u32"),
        ("", "ld.param::func.u32"),
        ("", "ld.local.u32"),
        ("cvta.local.u64 %rd1, %rd1;", "ld.u32"),
        ("cvta.param.u64 %rd1, %rd1;", "ld.u32"),
        ("cvta.param.u64 %rd1, %rd1; cvta.to.param.u64 %rd1, %rd1;", "ld.param.u32"),
    ] {
        let (words, findings) = picked(FIRST, SECOND, address, load);
        assert_eq!(words, [111, 222].repeat(8), "{address} {load}");
        assert_eq!(findings, [], "{address} {load}");
    }
}

#[test]
fn a_value_never_written_that_was_passed_is_told_where_the_copy_is_used() {
    let nothing =
        ".local .align 4 .b32 never; ld.local.u32 %r4, [never]; st.param.b32 [p0+4], %r4;";
    for (address, load) in [("", "ld.param.u32"), ("cvta.param.u64 %rd1, %rd1;", "ld.u32")] {
        let (_, findings) = picked(FIRST, nothing, address, load);
        assert!(!findings.is_empty(), "{address} {load}");
        assert!(findings.iter().all(|f| f.code == Code::Uninitialized), "{findings:?}");
    }
}

#[test]
fn a_load_right_behind_one_of_a_parameter_gives_what_lies_in_its_own_space() {
    let text = ".version 7.8 .target sm_80 .address_size 64
         .const .align 4 .u32 c[2] = {11, 22};
         .global .align 4 .u32 g[2] = {33, 44};
         .visible .entry k(.param .u64 out, .param .u32 n) {
           .shared .align 4 .b32 s[4];
           .reg .b32 %r<9>; .reg .b64 %rd<4>; .reg .pred %p;
           mov.u32 %r1, %tid.x; mov.u32 %r2, 5; setp.eq.u32 %p, %r1, 0;
           @%p st.shared.u32 [s+8], %r2;
           bar.sync 0;
           ld.param.u64 %rd1, [out]; ld.shared.u32 %r3, [s+8];
           ld.param.u32 %r4, [n]; ld.const.u32 %r5, [c+4];
           ld.param.u32 %r6, [n]; ld.global.u32 %r7, [g+4];
           mul.wide.u32 %rd2, %r1, 16; add.s64 %rd3, %rd1, %rd2;
           st.global.v4.u32 [%rd3], {%r3, %r5, %r7, %r6};
           ret;
         }";
    let module = warpsim::ptx::parse("k.ptx", text).unwrap();
    for gangs in [false, true] {
        let mut gpu = Simulator::default();
        gpu.settings_mut().gangs = gangs;
        let handle = gpu.load(&module).unwrap();
        let out = gpu.allocate(64 * 16).unwrap();
        let arguments = [Argument::Pointer(out), Argument::U32(7)];
        gpu.launch(handle, "k", &Launch::new(1, 64), &arguments).unwrap();
        let mut bytes = vec![0; 64 * 16];
        gpu.download(out, &mut bytes).unwrap();
        let words = bytes.chunks_exact(4).map(|b| u32::from_le_bytes(b.try_into().unwrap()));
        assert_eq!(words.collect::<Vec<_>>(), [5, 22, 44, 7].repeat(64), "gangs: {gangs}");
    }
}
