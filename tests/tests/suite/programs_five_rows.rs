//! The five rows that an H200 printed: `tests/hardware/README.md`.
//!
//! The rows are read from that page. The first launch runs the module as it is, the others what the
//! pass made of it, and shared memory keeps what the launch before left there.

use warpsim::host::{Argument, Device, DeviceProfile, Launch, SharedInit, Simulator};
use warpsim::ptx::Module;
use warpsim::report::Outcome;
use warpsim::{passes, ptx};

const SCAN: &str = include_str!("../../hardware/scan_naive.ptx");
const PAGE: &str = include_str!("../../hardware/README.md");

/// The rows of the page's table, in the order of their levels.
fn rows() -> Vec<Vec<i32>> {
    let row = |level: usize| {
        let line = PAGE.lines().find_map(|l| l.strip_prefix(&format!("| {level} | "))).unwrap();
        line.trim_end_matches('|').split_whitespace().map(|word| word.parse().unwrap()).collect()
    };
    (0..5).map(row).collect()
}

/// Launches the modules one after the other on one device.
fn launches(modules: &[Module], shared_init: SharedInit) -> Vec<Vec<i32>> {
    let mut device = Simulator::new(DeviceProfile::h200());
    device.settings_mut().shared_init = shared_init;
    let from = device.allocate(128).unwrap();
    let to = device.allocate(128).unwrap();
    let input: Vec<u8> = (1..=32i32).flat_map(i32::to_le_bytes).collect();
    device.upload(from, &input).unwrap();
    let arguments = [Argument::Pointer(from), Argument::Pointer(to)];
    let mut rows = Vec::new();
    for module in modules {
        let handle = device.load(module).unwrap();
        let report = device.launch(handle, "scan", &Launch::new(1, 32), &arguments).unwrap();
        assert_eq!(report.outcome, Outcome::Completed);
        let mut bytes = [0; 128];
        device.download(to, &mut bytes).unwrap();
        let (cells, _) = bytes.as_chunks::<4>();
        rows.push(cells.iter().map(|cell| i32::from_le_bytes(*cell)).collect());
    }
    rows
}

fn plain() -> Module {
    ptx::parse("scan_naive.ptx", SCAN).unwrap()
}

fn cached() -> Module {
    passes::by_name("register-cache").unwrap()(&plain()).unwrap().module
}

#[test]
fn the_pass_and_leftover_shared_memory_give_the_five_rows() {
    let modules = [plain(), cached(), cached(), cached(), cached()];
    assert_eq!(launches(&modules, SharedInit::Leftover), rows());
}

#[test]
fn without_the_pass_every_launch_gives_the_first_row() {
    let modules = [plain(), plain(), plain(), plain(), plain()];
    assert_eq!(launches(&modules, SharedInit::Leftover), vec![rows()[0].clone(); 5]);
}

#[test]
fn without_leftovers_the_cached_module_gives_its_input() {
    let input: Vec<i32> = (1..=32).collect();
    assert_eq!(launches(&[plain(), cached()], SharedInit::Zero), [rows()[0].clone(), input]);
}

#[test]
fn with_every_shared_access_volatile_the_pass_changes_nothing() {
    let text =
        SCAN.replace("ld.shared", "ld.volatile.shared").replace("st.shared", "st.volatile.shared");
    let module = ptx::parse("scan_volatile.ptx", &text).unwrap();
    let cached = passes::by_name("register-cache").unwrap()(&module).unwrap().module;
    assert_eq!(launches(&[module, cached], SharedInit::Leftover), vec![rows()[0].clone(); 2]);
}
