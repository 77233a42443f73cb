//! The scan on memory that nobody clears, five times in a row, and what an H200 made of that.
//!
//! The plain form is launched as written, then four times after the pass. A GPU does not clear
//! shared memory between blocks, so what a lane reads too early is what the launch before left
//! there.

use warpsim::host::{Argument, Device as _, DeviceProfile, Launch, SharedInit, Simulator};
use warpsim::ptx::Module;

use super::LANES;
use crate::ints;
use crate::program::{RunError, completed};

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

/// Launches the plain form five times on one device: as written, then as the pass made it.
pub(super) fn launches(
    as_written: &Module,
    cached: &Module,
    input: &[i32],
) -> Result<Vec<Vec<i32>>, RunError> {
    let mut device = Simulator::new(DeviceProfile::h200());
    device.settings_mut().shared_init = SharedInit::Leftover;
    let from = ints::upload(&mut device, input)?;
    let to = ints::allocate(&mut device, LANES)?;
    let arguments = [Argument::Pointer(from), Argument::Pointer(to)];
    let launch = Launch::new(1, LANES as u32);
    let modules = [device.load(as_written)?, device.load(cached)?];
    let mut outputs = Vec::new();
    for index in 0..H200.len() {
        let module = modules[index.min(1)];
        let report = device.launch(module, "scan_plain", &launch, &arguments)?;
        completed("scan_plain", report)?;
        outputs.push(ints::download(&mut device, to, LANES)?);
    }
    Ok(outputs)
}
