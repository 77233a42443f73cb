//! Single programs again, and batches against a recording.

use std::fmt::Write as _;

use warpsim_gpu::{Isolated, IsolatedSettings};

use super::batch::Batch;
use super::operands;
use super::program::Family;
use super::recording::{Recorded, differences};
use super::run::{Failure, Target, digests_of, simulated};
use super::search::{Plan, name_of};

/// What differs between the simulator and a recording of a batch: programs and labels.
///
/// # Errors
/// The recording is of other programs.
pub fn against(
    recorded: &[Recorded],
    batch: &Batch,
    table: &[u64],
) -> Result<Vec<(usize, String)>, String> {
    match simulated(batch, table) {
        Ok(words) => differences(recorded, batch, &digests_of(batch, &words)),
        // A fault of one program must not hide the others.
        Err(why) => match batch.halves() {
            Some([left, right]) => {
                let middle = left.programs.len();
                let (first, second) = recorded.split_at(middle);
                let mut found = against(first, &left, table)?;
                let later = against(second, &right, table)?;
                found.extend(later.into_iter().map(|(i, label)| (i + middle, label)));
                Ok(found)
            }
            None => {
                let (Failure::Refused(why) | Failure::Device(why)) = why;
                Ok(vec![(0, format!("stopped: {why}"))])
            }
        },
    }
}

/// Runs one program, `FAMILY:SEED:INDEX`, and says what it leaves. With a GPU, it says what
/// differs.
///
/// # Errors
/// There is no such program.
pub fn replay(which: &str, plan: &Plan) -> Result<String, String> {
    let bad = || format!("`{which}` is not FAMILY:SEED:INDEX");
    let parts: Vec<&str> = which.split(':').collect();
    let [family, seed, index] = parts[..] else { return Err(bad()) };
    let family = Family::named(family).ok_or_else(bad)?;
    let (seed, index) = (seed.parse().map_err(|_| bad())?, index.parse().map_err(|_| bad())?);
    if !family.can_be_drawn_from(&plan.forms) {
        return Err(format!("there is no form for programs of `{}`", family.name()));
    }
    let batch = Batch::drawn(family, &plan.forms, seed, index, 1);
    let table = operands::table(seed);
    let mut out = batch.text();
    let ours = simulated(&batch, &table).map_err(|e| format!("{e:?}"))?;
    let gpu = match Isolated::start(IsolatedSettings::default()) {
        Ok(gpu) => gpu,
        Err(why) => {
            let _ = writeln!(out, "// {why}: only the simulator ran it, and it completed");
            return Ok(out);
        }
    };
    let mut target = Target::new(gpu, table);
    for level in &plan.levels {
        target.device.settings_mut().jit = *level;
        let theirs = target.words(&batch).map_err(|e| format!("{e:?}"))?;
        let mut at = 0;
        for section in &batch.written[0].sections {
            for i in at..at + section.words {
                if ours[i] != theirs[i] {
                    let (thread, level) = (i - at, name_of(*level));
                    let _ = writeln!(
                        out,
                        "// level {level}, {}, word {thread}: {:#x} here, {:#x} there",
                        section.label, ours[i], theirs[i]
                    );
                }
            }
            at += section.words;
        }
    }
    Ok(out)
}
