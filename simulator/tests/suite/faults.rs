//! Messages about accesses that stop a run.

use warpsim::host::{Argument, Device, DeviceError, DeviceProfile, Launch, Pointer, Simulator};
use warpsim::report::{Code, Outcome};

/// The outcome of a kernel of one thread, with its finding.
fn ended(body: &str) -> (Outcome, Option<(Code, String)>) {
    let text = format!(
        ".version 8.0\n.target sm_80\n.address_size 64\n.const .u32 table[4] = {{1, 2, 3, 4}};\n
         .visible .entry kernel(.param .u64 out) {{
           .shared .b8 s[16]; .reg .b32 %r<4>; .reg .b64 %d<4>;
           {body}
           ret;
         }}"
    );
    let mut gpu = Simulator::default();
    let module = gpu.load(&warpsim::ptx::parse("kernel.ptx", &text).unwrap()).unwrap();
    let out = gpu.allocate(16).unwrap();
    let launch = Launch::new(1, 1);
    let report = gpu.launch(module, "kernel", &launch, &[Argument::Pointer(out)]).unwrap();
    let told = report.findings.first().map(|finding| (finding.code, finding.explanation.clone()));
    (report.outcome, told)
}

const CONSTANT: &str = "mov.u64 %d1, table; cvta.const.u64 %d1, %d1;";

#[test]
fn a_store_to_constants_through_a_generic_address_is_refused() {
    for write in ["st.u32 [%d1+4], 7;", "atom.add.u32 %r1, [%d1+4], 1;"] {
        let (outcome, told) = ended(&format!("{CONSTANT} {write}"));
        assert_eq!(outcome, Outcome::Finding, "{write}");
        let words = "a write of 4 bytes at 0x4 of constant memory, which kernels can only read";
        assert_eq!(told, Some((Code::OutOfBounds, words.to_owned())), "{write}");
    }
}

#[test]
fn a_load_of_constants_through_a_generic_address_is_fine() {
    assert_eq!(ended(&format!("{CONSTANT} ld.u32 %r1, [%d1+4];")), (Outcome::Completed, None));
}

#[test]
fn only_global_memory_has_null_pointers() {
    let words = |body| ended(body).1.map(|(_, words)| words).unwrap_or_default();
    let global = words("mov.u64 %d1, 8; ld.global.u32 %r1, [%d1];");
    assert_eq!(global, "an access of 4 bytes to a null pointer: address 0x8 of global memory");
    let constant = words("mov.u64 %d1, 64; ld.const.u32 %r1, [%d1];");
    assert_eq!(
        constant,
        "an access of 4 bytes at 0x40 of constant memory, where nothing is allocated"
    );
    let local = words("mov.u64 %d1, 64; ld.local.u32 %r1, [%d1];");
    assert_eq!(local, "an access of 4 bytes at 0x40 of local memory, where nothing is allocated");
}

#[test]
fn nothing_is_copied_where_constants_of_no_module_would_be_not_even_no_bytes() {
    let text = ".version 8.0\n.target sm_80\n.address_size 64\n.const .u32 table[4];";
    let mut gpu = Simulator::default();
    let module = gpu.load(&warpsim::ptx::parse("table.ptx", text).unwrap()).unwrap();
    let (table, _) = gpu.variable(module, "table").unwrap();
    // Each module has 64 KiB, and this is the only one.
    for bytes in [0, 1, 16] {
        let nobody = Pointer(table.0 + (1 << 16));
        let refused = Err(DeviceError::BadPointer { address: nobody.0, bytes });
        let mut cells = vec![0; bytes as usize];
        assert_eq!(gpu.download(table, &mut cells), Ok(()));
        assert_eq!(gpu.download(nobody, &mut cells), refused);
        assert_eq!(gpu.upload(nobody, &cells), refused);
        assert_eq!(gpu.peek(nobody, &mut cells), refused);
    }
}

#[test]
fn a_profile_that_no_device_has_does_not_make_larger_blocks() {
    let text = ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k() { ret; }";
    let module = warpsim::ptx::parse("k.ptx", text).unwrap();
    let mut profile = DeviceProfile::h200();
    profile.threads_per_block = 4096;
    profile.threads_per_multiprocessor = 4096;
    profile.shared_per_block = u32::MAX;
    profile.shared_per_multiprocessor = u32::MAX;
    let mut gpu = Simulator::new(profile);
    let module = gpu.load(&module).unwrap();
    let mut refused = |launch: Launch| match gpu.launch(module, "k", &launch, &[]) {
        Err(DeviceError::ImpossibleLaunch { reason }) => reason,
        other => panic!("{other:?}"),
    };
    assert_eq!(
        refused(Launch { block: [64, 32, 1], ..Launch::new(1, 1) }),
        "a block of 2048 threads, the most is 1024"
    );
    let shared = Launch { shared: (1 << 24) + 1, ..Launch::new(1, 1) };
    assert_eq!(
        refused(shared),
        "16777217 bytes of shared memory for a block, the most is 16777216"
    );
}

#[test]
fn the_system_has_as_much_of_shared_memory_as_the_profile_says() {
    let text = ".version 8.1\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 out) {
        .reg .b32 %r<6>; .reg .b64 %o; .shared .align 4 .b8 own[20]; ld.param.u64 %o, [out];
        mov.u32 %r1, %reserved_smem_offset_end; mov.u32 %r2, %reserved_smem_offset_cap;
        mov.u32 %r3, own; mov.u32 %r4, %aggr_smem_size; st.shared.u32 [own], %r1;
        st.global.v4.u32 [%o], {%r1, %r2, %r3, %r4}; ret; }";
    let module = warpsim::ptx::parse("k.ptx", text).unwrap();
    let told = |reserved, end| {
        let mut profile = DeviceProfile::h200();
        (profile.reserved_shared, profile.reserved_shared_end) = (reserved, end);
        let mut gpu = Simulator::new(profile);
        let module = gpu.load(&module).unwrap();
        let out = gpu.allocate(16).unwrap();
        gpu.launch(module, "k", &Launch::new(1, 1), &[Argument::Pointer(out)]).unwrap();
        let mut bytes = [0; 16];
        gpu.download(out, &mut bytes).unwrap();
        bytes.as_chunks::<4>().0.iter().map(|cell| u32::from_le_bytes(*cell)).collect::<Vec<_>>()
    };
    assert_eq!(told(1024, 288), [288, 1024, 1024, 1044]);
    assert_eq!(told(2048, 512), [512, 2048, 2048, 2068]);
    assert_eq!(told(0, 0), [0, 0, 0, 20]);
}
