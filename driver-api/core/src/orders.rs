//! Races between the operations of a program: launches, copies and sets that neither streams nor events nor the host's
//! waiting put in order ([`TaskRaces`]).
//!
//! They are looked for in checked programs.
//!
//! In which direction it can be wrong: of a program that issues much and waits for nothing, operations long ago are
//! forgotten, and races with them are missed. What the host itself does to memory that it shares with the device is not looked
//! at, and neither are launches that are not checked. What it finds lacks an order by the rules of the API.

use std::collections::{BTreeMap, BTreeSet};

use warpsim::host::{Device, Simulator};
use warpsim::observe::{TaskRace, TaskRaces};
use warpsim::report::Outcome;

use crate::host::Site;
use crate::journal::{Entry, LaunchEntry};
use crate::state::{Call, State};

/// A launch, as the journal names it.
#[derive(Debug)]
struct Named {
    kernel: String,
    module: String,
    site: Option<Box<dyn Site>>,
}

/// What watches the operations.
#[derive(Debug)]
pub(crate) struct Orders {
    races: TaskRaces,
    /// The launches that were watched and may race with later ones, by their numbers.
    launches: BTreeMap<u64, Named>,
}

/// The bytes that are kept of what operations touched.
const MOST: usize = 256 << 20;

impl Default for Orders {
    fn default() -> Orders {
        Orders { races: TaskRaces::default().with_limit(MOST), launches: BTreeMap::new() }
    }
}

impl State {
    /// The device, for an operation of a stream.
    pub(crate) fn operate<T>(&mut self, operation: impl FnOnce(&mut dyn Device) -> T) -> T {
        operate(&mut self.device, self.orders.as_mut(), operation)
    }
}

/// As [`State::operate`], of its parts.
pub(crate) fn operate<T>(
    device: &mut Simulator,
    orders: Option<&mut Orders>,
    operation: impl FnOnce(&mut dyn Device) -> T,
) -> T {
    match orders {
        Some(orders) => operation(&mut device.watched(&mut orders.races)),
        None => operation(device),
    }
}

impl Call<'_> {
    /// A launch is about to be issued: the next one.
    pub(crate) fn name_launch(&mut self, kernel: &str, module: &str) {
        let number = self.state.launches + 1;
        if let Some(orders) = &mut self.state.orders {
            let (kernel, module) = (kernel.to_owned(), module.to_owned());
            let named = Named { kernel, module, site: self.host.site() };
            orders.launches.insert(number, named);
        }
    }

    /// Takes note of the races that were found, and forgets what the host has waited for.
    pub(crate) fn collect_races(&mut self) {
        let State { orders, device, .. } = &mut *self.state;
        let Some(orders) = orders else { return };
        let found = orders.races.take();
        orders.races.forget(|operation| device.is_waited_for(operation));
        let entries: Vec<Entry> =
            found.into_iter().map(|race| orders.entry(race, self.host.process())).collect();
        let known: BTreeSet<u64> = orders.races.launches().collect();
        orders.launches.retain(|number, _| known.contains(number));
        for entry in entries {
            self.host.record(&entry.line());
        }
    }
}

impl Orders {
    /// A race as a line of the journal: one of the later launch, or of the earlier one where the later task is a copy.
    fn entry(&self, mut race: TaskRace, process: u32) -> Entry {
        // It counts the bytes, of which a note speaks; here things are counted that happened.
        race.finding.count = 1;
        let findings = vec![race.finding];
        let Some(launch) = race.later.or(race.earlier) else {
            return Entry::Copies { process, findings };
        };
        let Some(named) = self.launches.get(&launch) else {
            return Entry::Bug {
                process,
                what: format!("a race of launch {launch}, which is unknown"),
            };
        };
        Entry::Launch(LaunchEntry {
            process,
            launch,
            kernel: named.kernel.clone(),
            module: named.module.clone(),
            site: named.site.as_ref().and_then(|site| site.text()),
            outcome: Outcome::Completed,
            findings,
        })
    }
}
