//! Uses of values that were never written, in the scan of 32 whose steps read their neighbours'
//! sums.

use warpsim::host::{Argument, Launch, Model};
use warpsim::passes;
use warpsim::ptx::{self, Module};
use warpsim::report::{Code, Finding};
use warpsim_tests::launching::Bench;

const SCAN: &str = include_str!("../../hardware/scan_naive.ptx");

fn scan() -> Module {
    ptx::parse("scan_naive.ptx", SCAN).unwrap()
}

fn found(module: Module, model: Model) -> Vec<Finding> {
    let mut bench = Bench::of_module(module).under(model);
    let (input, out) = (bench.buffer(&[1u32; 32]), bench.buffer(&[0u32; 32]));
    let arguments: [Argument; 2] = [input.into(), out.into()];
    bench.undefined("scan", &Launch::new(1, 32), &arguments).1
}

#[test]
fn in_lockstep_every_step_of_the_scan_reads_what_the_step_before_stored() {
    assert_eq!(found(scan(), Model::Lockstep), []);
}

#[test]
fn with_its_values_kept_in_registers_the_scan_reads_cells_that_nobody_has_stored_to() {
    let module = passes::register_cache(&scan()).unwrap().module;
    let findings = found(module, Model::Lockstep);
    assert!(!findings.is_empty());
    for finding in findings {
        assert_eq!(finding.code, Code::Uninitialized);
        let operations: Vec<&str> = finding.sites.iter().map(|s| &*s.operation).collect();
        assert_eq!(operations, ["add.u32", "ld.shared.u32"]);
    }
}
