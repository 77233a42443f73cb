fn lock_terminates() -> Result<(), Box<dyn std::error::Error>> {
    use warpsim::host::{Argument, Device, Launch, Simulator};

    let ptx = include_str!("../property/flag.ptx");
    let module = warpsim::ptx::parse("../property/flag.ptx", ptx)?;
    let mut gpu = Simulator::default();
    gpu.settings_mut().model = warpsim::host::Model::Lockstep;
    let module = gpu.load(&module)?;
    let launch = Launch { grid: [1, 1, 1], block: [2, 1, 1], shared: 0, ..Launch::default() };

    let cells0: Vec<u32> = vec![0];
    let bytes0: Vec<u8> = cells0.iter().flat_map(|cell| cell.to_le_bytes()).collect();
    let argument0 = gpu.allocate(bytes0.len() as u64)?;
    gpu.upload(argument0, &bytes0)?;
    let arguments: Vec<Argument> = vec![Argument::Pointer(argument0)];

    gpu.settings_mut().schedule = "in-order".parse()?;
    let report = gpu.launch(module, "lock", &launch, &arguments)?;
    let found: Vec<String> = report.findings.iter().map(|f| f.told("../property/flag.ptx").to_string()).collect();
    assert_eq!(report.outcome, warpsim::report::Outcome::Completed, "\n{}", found.join("\n"));
    Ok(())
}
