//! How the kernels of a program used the machine (`--stats`): the counts that its processes left in
//! the journal, added up by kernel and module, and shown on standard error and in the report.
//!
//! An entry of the journal replaces all earlier ones of the same kernel and process. Counts of
//! several processes add up. The ledger says how many launches were counted, so it is known how
//! many are lost with a process that was killed.

use std::collections::BTreeMap;
use std::path::Path;

use serde::Serialize;
use warpsim::host::DeviceProfile;
use warpsim::names;
use warpsim::observe::{Totals, Usage};
use warpsim_driver_core::CountsEntry;

use super::found::{Launches, launches};
use crate::findings::plural;
use crate::output::{Output, Style};
use crate::render::statistics::statistics;
use crate::render::table;
use crate::statistics::MachineRow;

/// How many kernels are shown with all their counts: the ones with the most instructions.
const IN_FULL: usize = 10;

/// How many have a row of the table.
const ROWS: usize = 50;

/// A kernel of a module.
type Key = (String, String);

/// The counts of a kernel.
#[derive(Debug, Default)]
struct Kernel {
    launches: u64,
    totals: Totals,
}

/// The counts of all kernels.
#[derive(Debug, Default)]
pub(super) struct Counted {
    /// The kernels that no later entry replaces.
    kernels: BTreeMap<Key, Kernel>,
    /// The last entries, by process and kernel.
    last: BTreeMap<(u32, Key), Kernel>,
}

impl Counted {
    /// Adds a line of the journal.
    pub(super) fn add(&mut self, entry: CountsEntry) {
        let CountsEntry { process, kernel, module, launches, totals } = entry;
        let key = (kernel, module);
        let last = self.last.insert((process, key.clone()), Kernel { launches, totals });
        // A program that another one has replaced in its process counts anew.
        if let Some(last) = last.filter(|last| launches <= last.launches) {
            self.kernels.entry(key).or_default().add(&last);
        }
    }

    /// All entries were added.
    pub(super) fn finish(&mut self) {
        for ((_, key), last) in std::mem::take(&mut self.last) {
            self.kernels.entry(key).or_default().add(&last);
        }
    }

    /// The kernels, those with the most instructions first.
    fn by_work(&self) -> Vec<(&Key, &Kernel, Usage)> {
        let total = |(key, kernel)| (key, kernel, Kernel::total(kernel));
        let mut all: Vec<_> = self.kernels.iter().map(total).collect();
        all.sort_by_key(|(_, _, total)| std::cmp::Reverse(total.executed));
        all
    }

    fn launches(&self) -> u64 {
        self.kernels.values().map(|kernel| kernel.launches).sum()
    }

    /// Tells it on standard error.
    pub(super) fn tell(&self, all: &Launches, profile: &DeviceProfile, output: &mut Output) {
        let colour = output.colour_of_messages();
        let kernels = self.by_work();
        if kernels.len() > 1 {
            output.message(&overview(&kernels, colour));
            output.message("");
        }
        for (key, kernel, _) in kernels.iter().take(IN_FULL) {
            output.message(&kernel.head(key, colour));
            let file = Path::new(&key.1);
            output.message(&statistics(&kernel.totals, profile, file, colour));
            output.message("");
        }
        output.message(&self.summary(all));
    }

    /// `warpsim exec: counted 3 of 4 launches of 2 kernels; --only, --first and --sample leave out
    /// the others`.
    fn summary(&self, all: &Launches) -> String {
        let (told, kernels) = (self.launches(), self.kernels.len());
        let of = match told == all.all {
            true => launches(told),
            false => format!("{told} of {}", launches(all.all)),
        };
        let mut text = format!("warpsim exec: counted {of} of {}", plural(kernels, "kernel"));
        if all.counted < all.carried_out {
            text += "; the others are left out (--only, --first, --sample)";
        }
        let lost = all.counted.saturating_sub(told);
        if lost > 0 {
            let lost = launches(lost);
            text += &format!("; the counts of {lost} are lost with a process that ended too early");
        }
        let cut_off = all.all.saturating_sub(all.carried_out);
        if cut_off > 0 {
            text += &format!("; {} did not end", launches(cut_off));
        }
        let more = kernels.saturating_sub(IN_FULL);
        if more > 0 {
            let more = plural(more, "more kernel");
            text += &format!("; {more} not told in full (--report FILE.json has all)");
        }
        text
    }

    /// The same for the report.
    pub(super) fn row<'a>(&'a self, all: &Launches, profile: &DeviceProfile) -> CountedRow<'a> {
        let row = |((kernel, module), of, _): (&'a Key, &'a Kernel, Usage)| KernelRow {
            kernel,
            module,
            launches: of.launches,
            last: of.totals.last.map(|last| ShapeRow { grid: last.grid, block: last.block }),
            machine: MachineRow::of(&of.totals, profile),
        };
        let launches = self.launches();
        CountedRow {
            launches,
            lost_launches: all.counted.saturating_sub(launches),
            kernels: self.by_work().into_iter().map(row).collect(),
        }
    }
}

impl Kernel {
    fn add(&mut self, later: &Kernel) {
        self.launches += later.launches;
        self.totals.add(&later.totals);
    }

    fn total(&self) -> Usage {
        self.totals.total()
    }

    /// ``kernel `scan` (module 1): 3 launches, the last of 2 x 64 threads``.
    fn head(&self, (kernel, module): &Key, colour: bool) -> String {
        let name = Style::Bold.paint(&names::readable(kernel), colour);
        let shape = |sizes: [u32; 3]| format!("({},{},{})", sizes[0], sizes[1], sizes[2]);
        let last = self.totals.last.map(|last| {
            let which = if self.launches == 1 { "" } else { "the last " };
            let (grid, block) = (shape(last.grid), shape(last.block));
            format!(", {which}with grid {grid} and block {block}")
        });
        let count = launches(self.launches);
        format!("kernel `{name}` ({module}): {count}{}", last.unwrap_or_default())
    }
}

/// A row for each kernel.
fn overview(kernels: &[(&Key, &Kernel, Usage)], colour: bool) -> String {
    let mut table = table([
        "kernel",
        "launches",
        "warp instructions",
        "lanes",
        "divergent",
        "sectors/request",
        "passes/request",
        "bank conflicts",
    ]);
    for ((name, _), kernel, total) in kernels.iter().take(ROWS) {
        let of = |count: u64, text: String| if count > 0 { text } else { "-".to_owned() };
        table.add_row([
            names::short(name).into_owned(),
            kernel.launches.to_string(),
            total.executed.to_string(),
            format!("{:.1}", total.mean_active()),
            of(total.branches, format!("{} of {}", total.divergent, total.branches)),
            of(total.global.requests, format!("{:.2}", total.sectors_per_request())),
            of(total.shared.requests, format!("{:.2}", total.passes_per_request())),
            of(total.shared.requests, total.shared.conflicts.to_string()),
        ]);
    }
    let heading = Style::Bold.paint("kernels, those with the most instructions first", colour);
    let mut text = format!("{heading}\n{}", table.trim_fmt());
    if kernels.len() > ROWS {
        text += &format!("\n{}", plural(kernels.len() - ROWS, "more kernel"));
    }
    text
}

/// How the kernels of a program used the machine.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct CountedRow<'a> {
    /// The launches that were counted.
    launches: u64,
    /// Launches whose counts were lost, because a process ended too early.
    lost_launches: u64,
    /// Those with the most instructions first.
    kernels: Vec<KernelRow<'a>>,
}

/// How a kernel used the machine, in all its counted launches together.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct KernelRow<'a> {
    kernel: &'a str,
    module: &'a str,
    launches: u64,
    /// The shape of the last launch, whose occupancy it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    last: Option<ShapeRow>,
    machine: MachineRow,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct ShapeRow {
    grid: [u32; 3],
    block: [u32; 3],
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(process: u32, kernel: &str, launches: u64) -> CountsEntry {
        let (kernel, module) = (kernel.to_owned(), "m".to_owned());
        let mut totals = Totals::default();
        totals.barriers = 10 * launches;
        CountsEntry { process, kernel, module, launches, totals }
    }

    #[test]
    fn a_later_entry_stands_for_earlier_ones_and_processes_add_up() {
        let mut counted = Counted::default();
        // Process 7 is replaced by another program after two launches.
        for (process, launches) in [(7, 1), (8, 1), (7, 2), (8, 4), (7, 1), (7, 2)] {
            counted.add(entry(process, "scan", launches));
        }
        counted.add(entry(8, "sum", 1));
        counted.finish();
        let of = |kernel: &str| &counted.kernels[&(kernel.to_owned(), "m".to_owned())];
        assert_eq!((of("scan").launches, of("scan").totals.barriers), (2 + 2 + 4, 80));
        assert_eq!((of("sum").launches, counted.launches()), (1, 9));
    }
}
