//! Checks a launch for races, barriers, memory errors and values that were never written.
//!
//!     cargo run -p warpsim --example check_a_kernel

#![allow(clippy::print_stdout, reason = "a command-line program")]

use warpsim::prelude::*;

/// The codes of the findings on a kernel.
fn findings(kernel: &str) -> Result<Vec<Code>, Box<dyn std::error::Error>> {
    let module = warpsim::ptx::parse("neighbour.ptx", include_str!("neighbour.ptx"))?;
    let mut gpu = Simulator::default();
    gpu.settings_mut().checking = Some(Checking::default());
    let loaded = gpu.load(&module)?;
    let buffer = gpu.allocate(4 * 64)?;
    gpu.upload(buffer, &[0; 4 * 64])?;
    let report = gpu.launch(loaded, kernel, &Launch::new(1, 64), &[Argument::Pointer(buffer)])?;
    for finding in &report.findings {
        println!("{kernel}: {}: {}", finding.code, finding.explanation);
    }
    Ok(report.findings.iter().map(|finding| finding.code).collect())
}

pub(crate) fn main() -> Result<(), Box<dyn std::error::Error>> {
    assert_eq!(findings("neighbour")?, []);
    assert!(findings("neighbour_racy")?.contains(&Code::Race));
    Ok(())
}
