fn add_one_off_matches() -> Result<(), Box<dyn std::error::Error>> {
    use warpsim::host::{Argument, Device, Launch, Simulator};

    let ptx = include_str!("../property/add_one.ptx");
    let module = warpsim::ptx::parse("../property/add_one.ptx", ptx)?;
    let mut gpu = Simulator::default();
    let module = gpu.load(&module)?;
    let launch = Launch { grid: [1, 1, 1], block: [1, 1, 1], shared: 0, ..Launch::default() };

    let cells0: Vec<u32> = vec![0];
    let bytes0: Vec<u8> = cells0.iter().flat_map(|cell| cell.to_le_bytes()).collect();
    let argument0 = gpu.allocate(bytes0.len() as u64)?;
    gpu.upload(argument0, &bytes0)?;
    let cells1: Vec<u32> = vec![0];
    let bytes1: Vec<u8> = cells1.iter().flat_map(|cell| cell.to_le_bytes()).collect();
    let argument1 = gpu.allocate(bytes1.len() as u64)?;
    gpu.upload(argument1, &bytes1)?;
    let arguments: Vec<Argument> = vec![Argument::Pointer(argument0), Argument::Pointer(argument1), Argument::U32(1)];

    gpu.settings_mut().schedule = "in-order".parse()?;
    let report = gpu.launch(module, "add_one_off", &launch, &arguments)?;
    assert_eq!(report.outcome, warpsim::report::Outcome::Completed);
    let mut bytes = bytes1.clone();
    gpu.download(argument1, &mut bytes)?;
    let found = bytes.as_chunks::<4>().0.iter().map(|cell| u32::from_le_bytes(*cell)).collect::<Vec<_>>();
    let expected: Vec<u32> = vec![1];
    assert_eq!(found, expected);
    Ok(())
}
