//! Several observers of one run.

use super::{
    Access, Accesses, Arrival, Arrivals, BarrierEvent, Event, HostAccess, Interest, LaunchFacts,
    Observer,
};
use super::{Copied, MbarrierStep, Semantics, Waited, WarpEvent};

/// Several observers as one: each gets the events that it asked for, in their order.
pub struct Several<'a> {
    all: Vec<One<'a>>,
}

struct One<'a> {
    observer: &'a mut (dyn Observer + 'a),
    /// Its interest at the beginning of the launch.
    interest: Interest,
}

impl One<'_> {
    fn wants_before(&self, event: &Event<'_>) -> bool {
        let places = &self.interest.places;
        self.interest.instructions || places.get(event.pc as usize).copied().unwrap_or(false)
    }
}

impl<'a> Several<'a> {
    /// These observers.
    pub fn new(observers: impl IntoIterator<Item = &'a mut (dyn Observer + 'a)>) -> Several<'a> {
        let one = |observer| One { observer, interest: Interest::none() };
        Several { all: observers.into_iter().map(one).collect() }
    }

    /// Reports an event to the observers that ask for it.
    #[inline]
    fn tell(&mut self, wants: impl Fn(&One<'a>) -> bool, what: impl Fn(&mut dyn Observer)) {
        for one in &mut self.all {
            if wants(one) {
                what(one.observer);
            }
        }
    }
}

impl std::fmt::Debug for Several<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(self.all.iter().map(|one| &one.interest)).finish()
    }
}

fn synchronisation(one: &One<'_>) -> bool {
    one.interest.synchronisation
}

impl Observer for Several<'_> {
    fn interest(&self) -> Interest {
        self.all.iter().fold(Interest::none(), |all, one| all.or(&one.interest))
    }

    fn launch_begin(&mut self, launch: &LaunchFacts) {
        for one in &mut self.all {
            one.observer.launch_begin(launch);
            one.interest = one.observer.interest();
        }
    }

    fn block_begin(&mut self, block: u64) {
        self.tell(|_| true, |one| one.block_begin(block));
    }

    fn before(&mut self, event: &Event<'_>) {
        self.tell(|one| one.wants_before(event), |one| one.before(event));
    }

    fn access(&mut self, event: &Event<'_>, access: &Access<'_>) {
        self.tell(|one| one.interest.accesses, |one| one.access(event, access));
    }

    fn accesses(&mut self, accesses: &Accesses<'_>) {
        self.tell(|one| one.interest.accesses, |one| one.accesses(accesses));
    }

    fn after(&mut self, event: &Event<'_>) {
        self.tell(|one| one.interest.instructions, |one| one.after(event));
    }

    fn printed(&mut self, event: &Event<'_>, text: &str) {
        self.tell(|one| one.interest.instructions, |one| one.printed(event, text));
    }

    fn fence(&mut self, event: &Event<'_>, semantics: Semantics) {
        self.tell(synchronisation, |one| one.fence(event, semantics));
    }

    fn proxy_fence(&mut self, event: &Event<'_>) {
        self.tell(synchronisation, |one| one.proxy_fence(event));
    }

    fn arrive(&mut self, event: &Event<'_>, barrier: u8, count: Option<u32>, arrival: &Arrival) {
        self.tell(synchronisation, |one| one.arrive(event, barrier, count, arrival));
    }

    fn arrivals(&mut self, arrivals: &Arrivals<'_>) {
        self.tell(synchronisation, |one| one.arrivals(arrivals));
    }

    fn barrier(&mut self, barrier: &BarrierEvent<'_>) {
        self.tell(synchronisation, |one| one.barrier(barrier));
    }

    fn together(&mut self, warp: &WarpEvent<'_>) {
        self.tell(synchronisation, |one| one.together(warp));
    }

    fn exit(&mut self, event: &Event<'_>) {
        self.tell(synchronisation, |one| one.exit(event));
    }

    fn waited(&mut self, event: &Event<'_>, waited: &Waited<'_>) {
        self.tell(synchronisation, |one| one.waited(event, waited));
    }

    fn copied(&mut self, copied: &Copied) {
        self.tell(|one| one.interest.accesses, |one| one.copied(copied));
    }

    fn mbarrier(&mut self, step: &MbarrierStep) {
        self.tell(synchronisation, |one| one.mbarrier(step));
    }

    fn block_end(&mut self, block: u64) {
        self.tell(|_| true, |one| one.block_end(block));
    }

    fn launch_end(&mut self) {
        self.tell(|_| true, |one| one.launch_end());
    }

    fn host_access(&mut self, access: &HostAccess) {
        self.tell(|_| true, |one| one.host_access(access));
    }
}
