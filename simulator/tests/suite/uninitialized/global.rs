//! Global memory: host code, earlier launches, variables of the module.

use super::Kernel;
use super::kernels::{check, serious};
use warpsim::host::{Device, Simulator};
use warpsim::observe::Uninitialized;

const READ: &str = "ld.global.u32 %r1, [%more]; add.u32 %r2, %r1, 1; st.global.u32 [%out], %r2;";
const FOUND: &str = "add.u32 <- ld.global.u32";

#[test]
fn memory_that_nobody_wrote_is_undefined() {
    check(READ, &[FOUND]);
    check(&format!("st.global.u32 [%more], 1; {READ}"), &[]);
    check(&format!("st.global.u16 [%more], 1; {READ}"), &[FOUND]);
    check(&format!("st.global.u16 [%more], 1; st.global.u16 [%more+2], 1; {READ}"), &[]);
    check(&format!("st.global.u32 [%more+4], 1; {READ}"), &[FOUND]);
    check(
        "ld.global.u32 %r1, [%more]; st.global.u32 [%out], %r1;",
        &["st.global.u32 <- ld.global.u32"],
    );
    check("atom.global.add.u32 %r1, [%more], 1;", &["atom.global.add.u32"]);
}

#[test]
fn module_variables_are_zero_unless_initialised() {
    let kernel =
        Kernel::new("ld.global.u32 %r1, [v+8]; add.u32 %r1, %r1, 1; st.global.u32 [%out], %r1;");
    assert_eq!(kernel.functions(".global .u32 v[4];").uses(), Vec::<String>::new());
}

#[test]
fn uploads_and_definitions_write() {
    type Prepare = fn(&mut Simulator, warpsim::host::Pointer);
    let cases: [(Prepare, &[&str]); 4] = [
        (|_, _| {}, &[FOUND]),
        (|gpu, p| gpu.upload(p, &[0; 4]).unwrap(), &[]),
        (|gpu, p| gpu.upload(p, &[0; 3]).unwrap(), &[FOUND]),
        (|gpu, p| gpu.define(p, 8).unwrap(), &[]),
    ];
    for (i, (prepare, expected)) in cases.into_iter().enumerate() {
        let mut gpu = Simulator::default();
        let (out, more) = (gpu.allocate(4).unwrap(), gpu.allocate(8).unwrap());
        prepare(&mut gpu, more);
        let mut watching = Uninitialized::default();
        Kernel::new(READ).launch(&mut gpu, &mut watching, &[out, more]);
        assert_eq!(serious(&watching.findings()), expected, "case {i}");
    }
}

#[test]
fn what_an_earlier_launch_wrote_is_written() {
    let mut gpu = Simulator::default();
    let (out, more) = (gpu.allocate(4).unwrap(), gpu.allocate(8).unwrap());
    let mut watching = Uninitialized::default();
    Kernel::new("st.global.u32 [%more], 3;").launch(&mut gpu, &mut watching, &[out, more]);
    // A copy of both knows the same, and what happens to one does not happen to the other.
    let (mut fork, mut other) = (gpu.fork(), watching.clone());
    let read_next = Kernel::new(&READ.replace("[%more]", "[%more+4]"));
    let write_next = Kernel::new("st.global.u32 [%more+4], 3;");
    write_next.launch(&mut fork, &mut other, &[out, more]);
    Kernel::new(READ).launch(&mut gpu, &mut watching, &[out, more]);
    assert_eq!(serious(&watching.findings()), Vec::<String>::new());
    read_next.launch(&mut gpu, &mut watching, &[out, more]);
    assert_eq!(serious(&watching.findings()), [FOUND]);
    read_next.launch(&mut fork, &mut other, &[out, more]);
    assert_eq!(serious(&other.findings()), Vec::<String>::new());
}

#[test]
fn what_a_launch_that_was_not_watched_may_have_written_counts_as_written() {
    let mut gpu = Simulator::default();
    let (out, more) = (gpu.allocate(4).unwrap(), gpu.allocate(8).unwrap());
    Kernel::new("").launch(&mut gpu, &mut Uninitialized::default(), &[out, more]);
    let mut watching = Uninitialized::default();
    Kernel::new(READ).launch(&mut gpu, &mut watching, &[out, more]);
    assert_eq!(serious(&watching.findings()), Vec::<String>::new());
    let fresh = gpu.allocate(8).unwrap();
    Kernel::new(READ).launch(&mut gpu, &mut watching, &[out, fresh]);
    assert_eq!(serious(&watching.findings()), [FOUND]);
}

#[test]
fn a_use_in_several_launches_is_one_finding() {
    let mut gpu = Simulator::default();
    let (out, more) = (gpu.allocate(4).unwrap(), gpu.allocate(8).unwrap());
    let mut watching = Uninitialized::default();
    for _ in 0..3 {
        Kernel::new(READ).launch(&mut gpu, &mut watching, &[out, more]);
    }
    let findings = watching.findings();
    assert_eq!((findings.len(), findings[0].count), (1, 3));
    assert_eq!(watching.findings(), []);
}

#[test]
fn what_a_kernel_wrote_on_one_device_is_not_written_on_another() {
    let mut watching = Uninitialized::default();
    let write = Kernel::new("st.global.u32 [%more], 3;");
    for (kernel, expected) in [(write, [].as_slice()), (Kernel::new(READ), &[FOUND])] {
        let mut gpu = Simulator::default();
        let (out, more) = (gpu.allocate(4).unwrap(), gpu.allocate(8).unwrap());
        kernel.launch(&mut gpu, &mut watching, &[out, more]);
        assert_eq!(serious(&watching.findings()), expected);
    }
}
