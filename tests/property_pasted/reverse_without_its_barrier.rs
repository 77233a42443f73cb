fn reverse_racy_race_free() -> Result<(), Box<dyn std::error::Error>> {
    use warpsim::host::{Argument, Checking, Device, Launch, Schedules, Simulator};

    let ptx = include_str!("../property/reverse.ptx");
    let module = warpsim::ptx::parse("../property/reverse.ptx", ptx)?;
    let mut gpu = Simulator::default();
    let module = gpu.load(&module)?;
    let launch = Launch { grid: [1, 1, 1], block: [2, 1, 1], shared: 0, ..Launch::default() };

    let cells0: Vec<i32> = vec![0; 2];
    let bytes0: Vec<u8> = cells0.iter().flat_map(|cell| cell.to_le_bytes()).collect();
    let argument0 = gpu.allocate(bytes0.len() as u64)?;
    gpu.upload(argument0, &bytes0)?;
    let cells1: Vec<i32> = vec![0; 2];
    let bytes1: Vec<u8> = cells1.iter().flat_map(|cell| cell.to_le_bytes()).collect();
    let argument1 = gpu.allocate(bytes1.len() as u64)?;
    gpu.upload(argument1, &bytes1)?;
    let arguments: Vec<Argument> = vec![Argument::Pointer(argument0), Argument::Pointer(argument1)];

    let checking = Checking::default().with_schedules(Schedules::AsSet);
    gpu.settings_mut().checking = Some(checking);
    gpu.settings_mut().schedule = "in-order".parse()?;
    let report = gpu.launch(module, "reverse_racy", &launch, &arguments)?;
    let found = report.findings.iter().find(|finding| finding.code == warpsim::report::Code::Race);
    if let Some(found) = found {
        panic!("{}", found.told("../property/reverse.ptx"));
    }
    Ok(())
}
