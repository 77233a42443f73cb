//! Modules for `sm_1x` mean what they mean on a GPU of today. The expected words are an H200's,
//! whose driver compiled the same instructions in modules of the same versions and targets.

use warpsim::host::{Argument, Device, Launch, Simulator};
use warpsim::report::Outcome;

/// What one thread stores of `%f4` after an instruction on `%f1`, `%f2`, `%f3`.
fn result(header: &str, instruction: &str, inputs: [u32; 3]) -> u32 {
    let text = format!(
        "{header} .entry k(.param .u64 out, .param .u32 a, .param .u32 b, .param .u32 c) {{
           .reg .f32 %f<8>; .reg .f64 %d<2>; .reg .u64 %rd<2>;
           ld.param.u64 %rd1, [out];
           ld.param.f32 %f1, [a]; ld.param.f32 %f2, [b]; ld.param.f32 %f3, [c];
           {instruction}
           st.global.f32 [%rd1], %f4;
           exit;
         }}"
    );
    let module = warpsim::ptx::parse("old.ptx", &text).unwrap();
    let mut gpu = Simulator::default();
    let handle = gpu.load(&module).unwrap();
    let out = gpu.allocate(4).unwrap();
    let arguments: Vec<Argument> =
        [Argument::Pointer(out)].into_iter().chain(inputs.map(Argument::U32)).collect();
    let report = gpu.launch(handle, "k", &Launch::new(1, 1), &arguments).unwrap();
    assert_eq!(report.outcome, Outcome::Completed, "{report:?}");
    let mut bytes = [0; 4];
    gpu.download(out, &mut bytes).unwrap();
    u32::from_le_bytes(bytes)
}

const SUBNORMAL: u32 = 0x0040_0000;
const ONE: u32 = 0x3f80_0000;

#[test]
fn subnormal_numbers_are_zero_for_sm_1x_and_stay_from_sm_20_on() {
    let old = ".version 1.4 .target sm_10, map_f64_to_f32";
    let new = ".version 2.0 .target sm_20";
    let cases = [
        ("add.f32 %f4, %f1, %f2;", [SUBNORMAL, 0, 0], 0, SUBNORMAL),
        ("sub.f32 %f4, %f1, %f2;", [0x0080_0000, 0x0070_0001, 0], 0x0080_0000, 0x000f_ffff),
        ("mul.f32 %f4, %f1, %f2;", [SUBNORMAL, 0x4000_0000, 0], 0, 0x0080_0000),
        ("mad.f32 %f4, %f1, %f2, %f3;", [SUBNORMAL, ONE, 0], 0, SUBNORMAL),
        ("div.full.f32 %f4, %f1, %f2;", [SUBNORMAL, ONE, 0], 0, SUBNORMAL),
        ("rcp.approx.f32 %f4, %f1;", [0x7f00_0000, 0, 0], 0, SUBNORMAL),
        ("ex2.approx.f32 %f4, %f1;", [0xc300_0000, 0, 0], 0, 0x0020_0000),
        ("neg.f32 %f4, %f1;", [SUBNORMAL, 0, 0], 0x8000_0000, 0x8040_0000),
        ("slct.f32.f32 %f4, %f1, %f2, %f3;", [ONE, 0x4000_0000, 0x8040_0000], ONE, 0x4000_0000),
        ("mov.f32 %f4, %f1;", [SUBNORMAL, 0, 0], SUBNORMAL, SUBNORMAL),
        ("cvt.f64.f32 %d1, %f1; cvt.rn.f32.f64 %f4, %d1;", [SUBNORMAL, 0, 0], SUBNORMAL, SUBNORMAL),
    ];
    for (instruction, inputs, for_sm_10, for_sm_20) in cases {
        assert_eq!(result(old, instruction, inputs), for_sm_10, "{instruction}");
        assert_eq!(result(new, instruction, inputs), for_sm_20, "{instruction}");
    }
    // The result for sm_20 is an approximation: only this one is exact.
    assert_eq!(result(old, "rsqrt.approx.f32 %f4, %f1;", [SUBNORMAL, 0, 0]), 0x7f80_0000);
    let converted = "cvt.f64.f32 %d1, %f1; cvt.rn.f32.f64 %f4, %d1;";
    assert_eq!(result(".version 2.0 .target sm_10", converted, [SUBNORMAL, 0, 0]), 0);
}

#[test]
fn mad_of_old_modules_rounds_once() {
    for header in [".version 1.4 .target sm_10", ".version 2.0 .target sm_20"] {
        let square = [0x3f80_0001, 0x3f80_0001, 0xbf80_0002];
        assert_eq!(result(header, "mad.f32 %f4, %f1, %f2, %f3;", square), 0x2880_0000);
    }
}
