//! Every kernel of a module: their names, their parameters, and the result of each.
//!
//!     cargo run -p warpsim --example whole_module

#![allow(clippy::print_stdout, reason = "a command-line program")]

use warpsim::prelude::*;

pub(crate) fn main() -> Result<(), Box<dyn std::error::Error>> {
    let module = warpsim::ptx::parse("neighbour.ptx", include_str!("neighbour.ptx"))?;
    let mut gpu = Simulator::default();
    gpu.settings_mut().checking = Some(Checking::default());
    // Loading lowers all kernels: what warpsim does not support is an error here.
    let loaded = gpu.load(&module)?;

    let mut wrong = Vec::new();
    for kernel in warpsim::lower::kernels(&module) {
        let buffer = gpu.allocate(4 * 96)?;
        gpu.upload(buffer, &[0; 4 * 96])?;
        let report =
            gpu.launch(loaded, kernel, &Launch::new(1, 96), &[Argument::Pointer(buffer)])?;
        gpu.free(buffer)?;
        println!("{kernel}: {}, {} findings", report.outcome, report.findings.len());
        if !report.findings.is_empty() {
            wrong.push(kernel.to_owned());
        }
    }
    assert_eq!(wrong, ["neighbour_racy"]);
    Ok(())
}
