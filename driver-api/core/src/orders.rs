//! Races between the operations of a program: launches, copies and sets that no stream, event or
//! wait of the host puts in order ([`TaskRaces`]).
//!
//! Checked programs are searched for them. They are also searched for uses of memory before the
//! operation that allocates it or after the one that frees it. That covers `cuMemAllocAsync`,
//! `cuMemFreeAsync` and nodes of graphs, and a message names their places in the program.
//!
//! In which direction it can be wrong: a program may issue much and wait for nothing. Then old
//! operations are forgotten, and races with them are missed. The host's writes to shared memory are
//! seen as [`crate::spaces::mapped`] says; its reads are not seen. Launches that are not checked
//! are not looked at. Every reported pair lacks an order by the rules of the API.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use warpsim::host::{Device, DeviceError, Pointer, Simulator, Stream, Watched};
use warpsim::observe::{Observer, OperationId, Order, Several, TaskRace, TaskRaces};
use warpsim::report::Outcome;

use crate::Answer;
use crate::chosen::Chosen;
use crate::host::Site;
use crate::spaces::lives::Lives;
use crate::state::{Call, State, refusal};
use crate::told::journal::{Entry, LaunchEntry};

/// A launch, as the journal names it.
#[derive(Debug)]
struct Named {
    kernel: String,
    module: String,
    site: Option<Box<dyn Site>>,
}

/// A call of the program that issued operations, or at which a write of the host was seen.
#[derive(Debug)]
struct Issuer {
    /// The number of the last operation; `None` while they are being issued.
    last: Option<u64>,
    site: Arc<dyn Site>,
    /// Of a write: the last call before, at which it was not there.
    before: Option<Arc<dyn Site>>,
}

/// What watches the operations.
#[derive(Debug)]
pub(crate) struct Orders {
    races: TaskRaces,
    /// The launches that were watched and may race with later ones, by their numbers, and some that
    /// may not.
    launches: BTreeMap<u64, Named>,
    /// The calls whose operations may race with later ones, by the numbers of their first
    /// operations.
    issuers: BTreeMap<u64, Issuer>,
    /// The last call at which the host's writes were examined.
    looked: Option<Arc<dyn Site>>,
}

/// The bytes that are kept of what operations touched.
const MOST: usize = 256 << 20;

/// How many calls and names of launches are kept beyond twice the operations that may race.
const SPARE: usize = 64;

impl Default for Orders {
    fn default() -> Orders {
        Orders {
            races: TaskRaces::default().with_limit(MOST),
            launches: BTreeMap::new(),
            issuers: BTreeMap::new(),
            looked: None,
        }
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

impl State {
    /// Carries out a launch, watched by those who were chosen for it.
    pub(crate) fn operate_launch<T>(
        &mut self,
        chosen: Chosen,
        (kernel, module): (&str, &str),
        operation: impl FnOnce(&mut dyn Device) -> T,
    ) -> T {
        let State { device, orders, counted, .. } = self;
        let races = orders.as_mut().filter(|_| chosen.is_checked).map(|orders| &mut orders.races);
        let counts = counted.as_mut().filter(|_| chosen.is_counted);
        match (races, counts.map(|counts| counts.of(kernel, module))) {
            (None, None) => operation(device),
            (Some(races), None) => operation(&mut device.watched(races)),
            (None, Some(counts)) => operation(&mut device.watched(counts)),
            (Some(races), Some(counts)) => {
                let both: [&mut dyn Observer; 2] = [races, counts];
                operation(&mut device.watched(&mut Several::new(both)))
            }
        }
    }

    /// The host has written memory that it shares with the device.
    pub(crate) fn write_by_host(&mut self, writes: &[(Pointer, &[u8])]) -> Result<(), DeviceError> {
        match &mut self.orders {
            Some(orders) => self.device.watched(&mut orders.races).host_writes(writes),
            None => self.device.host_writes(writes),
        }
    }
}

impl Call<'_> {
    /// Carries out operations of the call: copies and sets.
    pub(crate) fn issuing<T>(&mut self, operations: impl FnOnce(&mut Self) -> T) -> T {
        self.named(None, operations)
    }

    /// The same of what the host has written since it called last.
    pub(crate) fn seeing<T>(&mut self, writes: impl FnOnce(&mut Self) -> T) -> T {
        let before = self.state.orders.as_ref().and_then(|orders| orders.looked.clone());
        self.named(before, writes)
    }

    fn named<T>(
        &mut self,
        before: Option<Arc<dyn Site>>,
        operations: impl FnOnce(&mut Self) -> T,
    ) -> T {
        self.mirror_in();
        let first = self.state.device.issued() + 1;
        if let Some(orders) = &mut self.state.orders
            && let Some(site) = self.host.site()
        {
            orders.issuers.insert(first, Issuer { last: None, site: site.into(), before });
        }
        let done = operations(self);
        self.mirror_out();
        let last = self.state.device.issued();
        if let Some(orders) = &mut self.state.orders {
            match orders.issuers.get_mut(&first).filter(|_| last >= first) {
                Some(issuer) => issuer.last = Some(last),
                None => {
                    orders.issuers.remove(&first);
                }
            }
        }
        done
    }

    /// What the host has written up to now was seen.
    pub(crate) fn looked_at_host(&mut self) {
        if let Some(orders) = &mut self.state.orders {
            orders.looked = self.host.site().map(Into::into);
        }
    }

    /// A launch is about to be issued: the next one.
    pub(crate) fn name_launch(&mut self, kernel: &str, module: &str) {
        let number = self.state.launches + 1;
        if let Some(orders) = &mut self.state.orders {
            let (kernel, module) = (kernel.to_owned(), module.to_owned());
            let named = Named { kernel, module, site: self.host.site() };
            orders.launches.insert(number, named);
        }
    }

    /// A stream allocates memory that is there.
    pub(crate) fn allocated_on(&mut self, stream: Stream, base: u64) -> Answer<()> {
        let State { orders, device, .. } = &mut *self.state;
        let Some(orders) = orders else { return Ok(()) };
        let told = device.watched(&mut orders.races).allocated_on(stream, Pointer(base));
        told.map_err(|error| refusal(self, &error))
    }

    /// A stream frees memory that is there, or the host without waiting; which operation that is,
    /// if the order is checked.
    pub(crate) fn freed_on(
        &mut self,
        stream: Option<Stream>,
        base: u64,
    ) -> Answer<Option<OperationId>> {
        let State { orders, device, .. } = &mut *self.state;
        let Some(orders) = orders else { return Ok(None) };
        let told = device.watched(&mut orders.races).freed_on(stream, Pointer(base));
        told.map(Some).map_err(|error| refusal(self, &error))
    }

    /// Memory that was freed in the order of a stream is gone.
    pub(crate) fn forget_lifetime(&mut self, base: u64) {
        if let Some(orders) = &mut self.state.orders {
            orders.races.forget_memory(base);
        }
    }

    /// Takes note of the races that were found, and forgets what the host has waited for.
    pub(crate) fn collect_races(&mut self) {
        let State { orders, device, lives, .. } = &mut *self.state;
        let Some(orders) = orders else { return };
        let found = orders.races.take();
        orders.races.forget(device.waited_for());
        let entries: Vec<Entry> =
            found.into_iter().map(|race| orders.entry(race, lives, self.host.process())).collect();
        orders.forget_names();
        orders.forget_issuers();
        for entry in entries {
            self.host.record(&entry.line());
        }
    }
}

impl Orders {
    /// The device, watched.
    pub(crate) fn watch<'a>(&'a mut self, device: &'a mut Simulator) -> Watched<'a> {
        device.watched(&mut self.races)
    }

    /// The host reaches this memory, and what it does there is seen in part.
    pub(crate) fn host_reaches(&mut self, base: u64, bytes: u64) {
        self.races.host_reaches(base, bytes);
    }

    /// It does not any more.
    pub(crate) fn host_leaves(&mut self, base: u64) {
        self.races.host_leaves(base);
    }

    /// The host may know that this is over.
    pub(crate) fn host_learns(&mut self, order: &Order) {
        self.races.host_learns(order);
    }

    /// Forgets the names of launches that can no longer race: now and then, so that each costs
    /// little.
    fn forget_names(&mut self) {
        if self.launches.len() > 2 * self.races.kept() + SPARE {
            let known: BTreeSet<u64> = self.races.launches().collect();
            self.launches.retain(|number, _| known.contains(number));
        }
    }

    /// The same of the calls that issued operations.
    fn forget_issuers(&mut self) {
        if self.issuers.len() <= 2 * self.races.kept() + SPARE {
            return;
        }
        let operations: BTreeSet<u64> = self.races.operations().collect();
        self.issuers.retain(|first, issuer| match issuer.last {
            Some(last) => operations.range(*first..=last).next().is_some(),
            None => true,
        });
    }

    /// Where the program issued one of two tasks that race, or wrote itself.
    fn note(&self, operation: OperationId, which: &str) -> Option<String> {
        let (_, issuer) = self.issuers.range(..=operation.number).next_back()?;
        let is_of_it = issuer.last.is_none_or(|last| operation.number <= last);
        let at = issuer.site.text().filter(|_| is_of_it)?;
        let before = issuer.before.as_ref().and_then(|site| site.text());
        Some(match (operation.timeline, before) {
            (OperationId::HOST, Some(before)) => {
                format!("the host wrote between its calls from {before} and from {at}")
            }
            (OperationId::HOST, None) => format!("the host wrote before its call from {at}"),
            (_, _) => format!("the {which} one was issued by {at}"),
        })
    }

    /// How many operations were forgotten that later ones could have raced with.
    pub(crate) fn forgotten(&self) -> u64 {
        self.races.forgotten()
    }

    /// A race as a line of the journal: one of the later launch, or of the earlier one where the
    /// later task is a copy.
    fn entry(&self, mut race: TaskRace, lives: &Lives, process: u32) -> Entry {
        // Its count is of bytes, which a note mentions. Here the count is of events.
        race.finding.count = 1;
        let tasks = race.operations.iter().zip(["later", "earlier"]);
        let mut notes: Vec<String> =
            tasks.filter_map(|(operation, which)| self.note(*operation, which)).collect();
        notes.append(&mut race.finding.notes);
        race.finding.notes = notes;
        if let Some(address) = race.finding.address.filter(|_| race.of_lifetime) {
            race.finding.notes.extend(lives.notes(address));
        }
        let [later, earlier] = race.operations;
        let operations = Some((later.number, earlier.number));
        let findings = vec![race.finding];
        let Some(launch) = race.later.or(race.earlier) else {
            return Entry::Copies { process, operations, findings };
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
            operations,
            outcome: Outcome::Completed,
            findings,
        })
    }
}
