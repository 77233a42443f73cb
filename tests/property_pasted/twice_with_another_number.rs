fn twice_matches() -> Result<(), Box<dyn std::error::Error>> {
    use warpsim::host::{Argument, Device, Launch, Simulator};

    let ptx = include_str!("../property/twice.ptx");
    let module = warpsim::ptx::parse("../property/twice.ptx", ptx)?;
    let mut gpu = Simulator::default();
    let module = gpu.load(&module)?;
    let launch = Launch { grid: [1, 1, 1], block: [1, 1, 1], shared: 0, ..Launch::default() };

    let cells0: Vec<warpsim::property::f16> = vec![warpsim::property::f16::from_bits(0x2e66)];
    let bytes0: Vec<u8> = cells0.iter().flat_map(|cell| cell.to_le_bytes()).collect();
    let argument0 = gpu.allocate(bytes0.len() as u64)?;
    gpu.upload(argument0, &bytes0)?;
    let arguments: Vec<Argument> = vec![Argument::Pointer(argument0), Argument::Bytes(warpsim::property::f16::from_bits(0x3e00).to_le_bytes().to_vec())];

    gpu.settings_mut().schedule = "in-order".parse()?;
    let report = gpu.launch(module, "twice", &launch, &arguments)?;
    assert_eq!(report.outcome, warpsim::report::Outcome::Completed);
    let mut bytes = bytes0.clone();
    gpu.download(argument0, &mut bytes)?;
    let found = bytes.as_chunks::<2>().0.iter().map(|cell| warpsim::property::f16::from_le_bytes(*cell)).collect::<Vec<_>>();
    let expected: Vec<warpsim::property::f16> = vec![warpsim::property::f16::from_bits(0x3ccd)];
    for (cell, (found, expected)) in found.iter().zip(&expected).enumerate() {
        let (found, expected) = (f64::from(*found), f64::from(*expected));
        let tolerance = 0.25 + 0.0 * expected.abs();
        let distance = (found - expected).abs();
        assert!(distance <= tolerance, "cell {cell}: {found}, not {expected}");
    }
    Ok(())
}
