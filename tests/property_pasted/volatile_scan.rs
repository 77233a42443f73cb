fn scan_volatile_deterministic() -> Result<(), Box<dyn std::error::Error>> {
    use warpsim::host::{Argument, Device, Launch, Simulator};

    let ptx = &std::fs::read_to_string("../programs/src/volatile/scan32.ptx")?;
    let module = warpsim::ptx::parse("../programs/src/volatile/scan32.ptx", ptx)?;
    let mut gpu = Simulator::default();
    let module = gpu.load(&module)?;
    let launch = Launch { grid: [1, 1, 1], block: [32, 1, 1], shared: 0, ..Launch::default() };

    let cells0: Vec<i32> = vec![-1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];
    let bytes0: Vec<u8> = cells0.iter().flat_map(|cell| cell.to_le_bytes()).collect();
    let argument0 = gpu.allocate(bytes0.len() as u64)?;
    gpu.upload(argument0, &bytes0)?;
    let cells1: Vec<i32> = vec![0; 32];
    let bytes1: Vec<u8> = cells1.iter().flat_map(|cell| cell.to_le_bytes()).collect();
    let argument1 = gpu.allocate(bytes1.len() as u64)?;
    gpu.upload(argument1, &bytes1)?;
    let arguments: Vec<Argument> = vec![Argument::Pointer(argument0), Argument::Pointer(argument1)];

    let mut results = Vec::new();
    for schedule in ["in-order", "1a:2n2l2x"] {
        let mut gpu = gpu.fork();
        gpu.settings_mut().schedule = schedule.parse()?;
        gpu.launch(module, "scan_volatile", &launch, &arguments)?;
        let mut bytes = bytes1.clone();
        gpu.download(argument1, &mut bytes)?;
        results.push(bytes.as_chunks::<4>().0.iter().map(|cell| i32::from_le_bytes(*cell)).collect::<Vec<_>>());
    }
    assert_eq!(results[0], results[1]);
    Ok(())
}
