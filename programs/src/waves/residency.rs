//! Which launches are resident as a whole, by device, and why the others do not end.

use warpsim::host::{Device, DeviceProfile, Simulator};

use super::{PROGRAM, numbers};
use crate::columns::columns;
use crate::program::{Asked, Form, RunError};

/// Threads and bytes of shared memory of the blocks of the table.
const BLOCKS: [(u32, u32); 6] =
    [(32, 0), (256, 0), (1024, 0), (32, 16 << 10), (32, 48 << 10), (1024, 48 << 10)];

/// How many blocks each device holds, and what became of the launch that needs more.
pub(super) fn report(_: &mut dyn Device, _: &Asked) -> Result<String, RunError> {
    let what = "How many blocks are resident at once, by device profile:";
    Ok(format!("{what}\n\n{}\n{}", columns(&table()), stuck()?))
}

fn table() -> Vec<Vec<String>> {
    let profiles = DeviceProfile::all();
    let heads = ["threads", "shared memory"].map(str::to_owned).into_iter();
    let head = heads.chain(profiles.iter().map(|profile| profile.name.clone())).collect();
    let row = |(threads, shared): &(u32, u32)| {
        let of_device = |p: &DeviceProfile| {
            u64::from(p.multiprocessors) * u64::from(p.resident_on_one(*threads, *shared))
        };
        let block = [threads.to_string(), format!("{} KiB", shared >> 10)].into_iter();
        block.chain(profiles.iter().map(|profile| of_device(profile).to_string())).collect()
    };
    [vec![head], BLOCKS.iter().map(row).collect()].concat()
}

/// What the simulator says of the launch that does not fit.
fn stuck() -> Result<String, RunError> {
    let nothing = RunError::NothingToTell("blocks that wait for a block that has no room");
    let Some(last) = PROGRAM.variant("last") else { return Err(nothing) };
    let module = PROGRAM.module(Form::Optimised)?;
    match PROGRAM.run(&mut Simulator::default(), &module, last, &numbers()) {
        Err(RunError::Stopped { kernel, report }) => {
            let Some(finding) = report.findings.first() else { return Err(nothing) };
            let notes: String = finding.notes.iter().map(|note| format!("  {note}\n")).collect();
            let help: String = finding.help.iter().map(|help| format!("  {help}\n")).collect();
            Ok(format!(
                "`{kernel}` with {} blocks ends in a {}:\n{notes}{help}",
                super::MANY,
                report.outcome
            ))
        }
        Ok(_) => Err(nothing),
        Err(error) => Err(error),
    }
}
