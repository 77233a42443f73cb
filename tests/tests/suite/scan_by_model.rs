//! What checking says of the scan of 32 in its four forms, under both execution models.

use std::collections::BTreeSet;
use std::path::Path;

use warpsim::host::{Argument, Checking, Device, Launch, Model, Simulator};
use warpsim::passes;
use warpsim::ptx::Module;
use warpsim::report::{Code, Severity};

fn parse(path: &str) -> Module {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
    let text = std::fs::read_to_string(&path).expect("readable");
    warpsim::ptx::parse(&path.to_string_lossy(), &text).expect("valid PTX")
}

/// The codes found, at warning or above. `words` are the buffers, in order.
fn codes(module: &Module, kernel: &str, model: Model) -> BTreeSet<Code> {
    let mut gpu = Simulator::default();
    gpu.settings_mut().checking = Some(Checking::default());
    gpu.settings_mut().model = model;
    let handle = gpu.load(module).expect("loads");
    let buffer = |gpu: &mut Simulator| {
        let pointer = gpu.allocate(128).expect("memory");
        gpu.upload(pointer, &[1; 128]).expect("in range");
        Argument::Pointer(pointer)
    };
    let arguments = [buffer(&mut gpu), buffer(&mut gpu)];
    let report = gpu.launch(handle, kernel, &Launch::new(1, 32), &arguments).expect("starts");
    let loud = report.findings.iter().filter(|f| f.severity >= Severity::Warning);
    loud.map(|f| f.code).collect()
}

fn by_model(module: &Module, kernel: &str) -> [BTreeSet<Code>; 2] {
    [Model::Independent, Model::Lockstep].map(|model| codes(module, kernel, model))
}

#[test]
fn the_plain_scan_races_where_lanes_are_independent_and_only_there() {
    for (file, kernel) in [
        ("hardware/scan_naive.ptx", None),
        ("../programs/src/volatile/scan32.ptx", Some("scan_plain")),
    ] {
        let module = parse(file);
        let kernel = kernel.unwrap_or_else(|| warpsim::host::kernels(&module)[0]);
        assert_eq!(by_model(&module, kernel), [[Code::Race].into(), [].into()], "{file}");
    }
}

#[test]
fn the_cached_scan_reads_what_was_never_written_where_lanes_are_in_step() {
    for (file, kernel) in [
        ("hardware/scan_naive.ptx", None),
        ("../programs/src/volatile/scan32.ptx", Some("scan_plain")),
    ] {
        let module = parse(file);
        let kernel = kernel.unwrap_or_else(|| warpsim::host::kernels(&module)[0]);
        let cached = passes::register_cache(&module).unwrap().module;
        let expected = [[Code::Race].into(), [Code::Uninitialized].into()];
        assert_eq!(by_model(&cached, kernel), expected, "{file}");
    }
}

#[test]
fn the_volatile_scan_is_unordered_where_lanes_are_independent_and_clean_in_step() {
    let module = parse("../programs/src/volatile/scan32.ptx");
    assert_eq!(by_model(&module, "scan_volatile"), [[Code::Unordered].into(), [].into()]);
}

#[test]
fn reads_and_writes_kept_apart_by_warp_syncs_are_clean() {
    let rounds: String = [1, 2, 4, 8, 16]
        .map(|distance| {
            format!(
                "ld.shared.u32 %v, [%s+{}];\nbar.warp.sync -1;\nadd.u32 %x, %x, %v;\n\
                 st.shared.u32 [%s+128], %x;\nbar.warp.sync -1;\n",
                128 - 4 * distance
            )
        })
        .concat();
    let text = format!(
        ".version 7.0\n.target sm_70\n.address_size 64
         .visible .entry scan(.param .u64 in, .param .u64 out) {{
           .reg .u64 %a, %b, %o; .reg .u32 %t, %s, %v, %x; .shared .u32 sums[64];
           ld.param.u64 %a, [in]; ld.param.u64 %b, [out];
           mov.u32 %t, %tid.x; mul.wide.u32 %o, %t, 4;
           add.u64 %a, %a, %o; add.u64 %b, %b, %o;
           mov.u32 %s, sums; shl.b32 %v, %t, 2; add.u32 %s, %s, %v;
           ld.global.u32 %x, [%a];
           st.shared.u32 [%s], 0;
           st.shared.u32 [%s+128], %x;
           bar.warp.sync -1;
           {rounds}
           st.global.u32 [%b], %x;
           ret;
         }}"
    );
    let module = warpsim::ptx::parse("scan.ptx", &text).expect("valid PTX");
    assert_eq!(by_model(&module, "scan"), [[].into(), [].into()]);
}
