//! The scan on memory that is not cleared, five times in a row, and the results of an H200.
//!
//! The plain form is launched as written, then four times after the pass. A GPU does not clear
//! shared memory between blocks, so a lane that reads too early finds what the launch before left.

use warpsim::host::{
    Argument, Device, DeviceError, DeviceProfile, Launch, ModuleHandle, SharedInit, Simulator,
};
use warpsim::passes;
use warpsim::ptx::Module;

use super::LANES;
use crate::ints;
use crate::program::{RunError, Text, completed};

/// What one NVIDIA H200 (driver 580.159) printed for a scan of 1, 2, 3, ... 32 that its driver
/// compiled at optimisation levels 0, 1, 2, 3, 4, launched in this order in one process.
pub const H200: [[i32; LANES]; 5] = [
    [
        1, 3, 6, 10, 15, 21, 28, 36, 45, 55, 66, 78, 91, 105, 120, 136, 153, 171, 190, 210, 231,
        253, 276, 300, 325, 351, 378, 406, 435, 465, 496, 528,
    ],
    [
        1, 3, 7, 13, 22, 34, 49, 67, 89, 115, 145, 179, 217, 259, 305, 355, 410, 470, 535, 605,
        680, 760, 845, 935, 1030, 1130, 1235, 1345, 1460, 1580, 1705, 1835,
    ],
    [
        1, 3, 7, 14, 26, 44, 70, 104, 148, 203, 271, 352, 448, 559, 685, 826, 984, 1160, 1356,
        1572, 1810, 2070, 2352, 2656, 2984, 3336, 3712, 4112, 4536, 4984, 5456, 5952,
    ],
    [
        1, 3, 7, 14, 27, 49, 84, 136, 210, 309, 439, 604, 810, 1061, 1363, 1716, 2125, 2593, 3126,
        3728, 4407, 5167, 6014, 6948, 7975, 9099, 10326, 11656, 13095, 14643, 16300, 18066,
    ],
    [
        1, 3, 7, 14, 27, 50, 90, 155, 257, 408, 621, 910, 1293, 1786, 2409, 3180, 4117, 5232, 6546,
        8073, 9837, 11860, 14170, 16785, 19729, 23018, 26680, 30733, 35203, 40108, 45472, 51295,
    ],
];

/// The naive scan written by hand, with the kernel `scan`: the driver made these rows from this
/// text. A driver sees that its addresses are shared ones. Compilers emit generic addresses for a
/// pointer. There a driver need not keep values in registers, and an H200's driver does not.
pub const BY_HAND: Text = Text { file: "scan_by_hand.ptx", text: include_str!("scan_by_hand.ptx") };

/// Launches a kernel five times in a row on the same memory: `module_of` loads the module for each
/// launch, counted from 0. On a GPU that is the same text at a higher optimisation level each time.
/// On the simulator it is the module as written, then the module that the pass makes of it.
///
/// # Errors
/// The device refuses a call, or a launch does not complete.
pub fn five_rows<D: Device>(
    device: &mut D,
    kernel: &'static str,
    input: &[i32],
    mut module_of: impl FnMut(&mut D, usize) -> Result<ModuleHandle, RunError>,
) -> Result<Vec<Vec<i32>>, RunError> {
    let from = ints::upload(device, input)?;
    let to = ints::allocate(device, LANES)?;
    let arguments = [Argument::Pointer(from), Argument::Pointer(to)];
    let launch = Launch::new(1, LANES as u32);
    let mut rows = Vec::new();
    for number in 0..H200.len() {
        let module = module_of(device, number)?;
        let report = device.launch(module, kernel, &launch, &arguments)?;
        completed(kernel, report)?;
        rows.push(ints::download(device, to, LANES)?);
    }
    Ok(rows)
}

/// The simulator's five rows: launched as written, then four times as the pass made it, with shared
/// memory that is not cleared.
///
/// # Errors
/// The module has no such kernel, or it does not complete.
pub fn simulated_rows(
    as_written: &Module,
    kernel: &'static str,
    input: &[i32],
) -> Result<Vec<Vec<i32>>, RunError> {
    let cached = passes::register_cache(as_written).map_err(DeviceError::from)?.module;
    let mut device = Simulator::new(DeviceProfile::h200());
    device.settings_mut().shared_init = SharedInit::Leftover;
    let modules = [device.load(as_written)?, device.load(&cached)?];
    five_rows(&mut device, kernel, input, |_, number| Ok(modules[number.min(1)]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_simulator_s_rows_of_the_scan_by_hand_are_those_of_the_gpu() -> Result<(), RunError> {
        let module = warpsim::ptx::parse(BY_HAND.file, BY_HAND.text).map_err(RunError::Parse)?;
        let input: Vec<i32> = (1..=32).collect();
        assert_eq!(simulated_rows(&module, "scan", &input)?, H200);
        Ok(())
    }
}
