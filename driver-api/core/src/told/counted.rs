//! How kernels used the machine (`exec --stats`): the counts of each kernel over its launches.
//!
//! A launch is counted as it ran, once: if it is checked, its runs under other schedules do not
//! count. The counts of a kernel go to the journal when the number of its launches has doubled,
//! when a launch was stopped, and at the end of the process. So the journal stays small, and a
//! process that is killed leaves the counts of at least half of its launches.
//!
//! In which direction it can be wrong: a launch that was stopped counts as far as it got.

use std::collections::BTreeMap;

use warpsim::observe::Statistics;

use crate::told::journal::{CountsEntry, Entry};

/// The counts of all kernels.
#[derive(Debug, Default)]
pub(crate) struct Counted {
    /// By kernel and module.
    kernels: BTreeMap<(String, String), Kernel>,
}

#[derive(Debug, Default)]
struct Kernel {
    statistics: Statistics,
    /// How many launches they are of.
    launches: u64,
    /// How many of these the journal has.
    told: u64,
}

impl Counted {
    /// What counts the next launch of a kernel of a module.
    pub(crate) fn of(&mut self, kernel: &str, module: &str) -> &mut Statistics {
        &mut self.kernel(kernel, module).statistics
    }

    /// A launch of it was counted; its entry in the journal, if it is time for one. `is_stopped`
    /// says that the launch did not complete.
    pub(crate) fn counted(
        &mut self,
        kernel: &str,
        module: &str,
        is_stopped: bool,
        process: u32,
    ) -> Option<Entry> {
        let known = self.kernel(kernel, module);
        known.launches += 1;
        let is_due = is_stopped || known.launches >= known.told.saturating_mul(2);
        is_due.then(|| known.tell(kernel, module, process))
    }

    /// The counts that the journal does not have yet.
    pub(crate) fn rest(&mut self, process: u32) -> Vec<Entry> {
        let untold = self.kernels.iter_mut().filter(|(_, known)| known.told < known.launches);
        untold.map(|((kernel, module), known)| known.tell(kernel, module, process)).collect()
    }

    fn kernel(&mut self, kernel: &str, module: &str) -> &mut Kernel {
        self.kernels.entry((kernel.to_owned(), module.to_owned())).or_default()
    }
}

impl Kernel {
    fn tell(&mut self, kernel: &str, module: &str, process: u32) -> Entry {
        self.told = self.launches;
        Entry::Counts(Box::new(CountsEntry {
            process,
            kernel: kernel.to_owned(),
            module: module.to_owned(),
            launches: self.launches,
            totals: self.statistics.totals(),
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn launches(entry: Entry) -> u64 {
        match entry {
            Entry::Counts(counts) => counts.launches,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn the_journal_has_at_least_half_of_the_launches_and_all_of_them_in_the_end() {
        let mut counted = Counted::default();
        let mut told = Vec::new();
        for number in 1..=9 {
            told.extend(counted.counted("scan", "m", false, 7).map(launches));
            let last = told.last().copied().unwrap();
            assert!(2 * last >= number, "{told:?}");
        }
        assert_eq!(told, [1, 2, 4, 8]);
        // One that was stopped may be the last.
        assert_eq!(counted.counted("scan", "m", true, 7).map(launches), Some(10));
        assert_eq!(counted.rest(7), []);
        assert_eq!(counted.counted("scan", "m", false, 7), None);
        assert_eq!(counted.rest(7).into_iter().map(launches).collect::<Vec<_>>(), [11]);
    }
}
