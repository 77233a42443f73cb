//! How many host threads the blocks of a launch, or the schedules of an exploration, may use, and
//! running them on `rayon`.
//!
//! The number affects only the duration. Memory, output, counts and findings are the same for any
//! number ([`Machine::run_apart`]; the runs of an exploration know nothing of each other). Launches
//! that are watched, stepped or checked run on one thread, and so do launches under another
//! schedule than `in-order`.

use std::num::NonZeroUsize;

use crate::machine::{Apart, Machine, Stop, Unit};
use crate::preference::{PreferenceError, Reason, Variable};
use crate::schedule::Schedule;

/// Warp instructions of a launch below which one thread is as fast as several: some milliseconds.
const LEAST: u64 = 20_000;

/// How many host threads the blocks of a launch may use.
///
/// ```
/// use warpsim::host::{Simulator, Threads};
///
/// let mut gpu = Simulator::default();
/// gpu.settings_mut().threads = Threads::up_to(4);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Threads {
    count: usize,
    least: u64,
}

impl Threads {
    /// One: blocks run one after the other.
    pub const ONE: Threads = Threads { count: 1, least: LEAST };

    /// At most this many, and no more than there are cores; only for launches with enough work.
    pub fn up_to(count: usize) -> Threads {
        Threads { count: count.max(1), ..Threads::ONE }
    }

    /// As many as there are cores.
    pub fn all() -> Threads {
        Threads::up_to(std::thread::available_parallelism().map_or(1, usize::from))
    }

    /// The same also for launches that are too small to gain by it, so that tests see blocks run
    /// side by side.
    #[must_use]
    pub fn for_any_work(self) -> Threads {
        Threads { least: 0, ..self }
    }

    /// The number that the environment variable `WARPSIM_THREADS` asks for, for all launches that
    /// can use it.
    ///
    /// # Errors
    ///
    /// It is no number from 1 on.
    pub fn of_environment() -> Result<Option<Threads>, PreferenceError> {
        let count = Variable::Threads
            .asked(|text| text.parse::<NonZeroUsize>().map_err(|_| Reason::NoCount))?;
        Ok(count.map(|count| Threads::up_to(count.get()).for_any_work()))
    }
}

/// Host threads that do things of one kind side by side.
#[derive(Debug)]
pub(crate) struct Crew {
    count: usize,
    /// `None` for one thread.
    #[cfg(feature = "parallel")]
    pool: Option<rayon::ThreadPool>,
}

impl Crew {
    /// This many threads. Where the system gives none, there is one: nothing depends on it but the
    /// time.
    #[cfg(feature = "parallel")]
    pub(crate) fn new(threads: Threads) -> Crew {
        let pool = (threads.count > 1)
            .then(|| rayon::ThreadPoolBuilder::new().num_threads(threads.count).build());
        let pool = pool.and_then(Result::ok);
        Crew { count: if pool.is_some() { threads.count } else { 1 }, pool }
    }

    /// One thread: the library was built without more.
    #[cfg(not(feature = "parallel"))]
    pub(crate) fn new(_: Threads) -> Crew {
        Crew { count: 1 }
    }

    /// How many threads there are.
    pub(crate) fn count(&self) -> usize {
        self.count
    }

    /// Does this with each of them. The results are in the order of what they are of.
    #[cfg(feature = "parallel")]
    pub(crate) fn each<T: Send, R: Send>(
        &self,
        all: Vec<T>,
        one: impl Fn(T) -> R + Sync + Send,
    ) -> Vec<R> {
        use rayon::prelude::*;
        match &self.pool {
            Some(pool) => pool.install(|| all.into_par_iter().map(one).collect()),
            None => all.into_iter().map(one).collect(),
        }
    }

    /// The same on one thread.
    #[cfg(not(feature = "parallel"))]
    pub(crate) fn each<T, R>(&self, all: Vec<T>, one: impl Fn(T) -> R) -> Vec<R> {
        all.into_iter().map(one).collect()
    }
}

/// [`Threads::of_environment`], or one where it asks for nothing that can be.
impl Default for Threads {
    fn default() -> Threads {
        match Threads::of_environment() {
            Ok(Some(threads)) => threads,
            Ok(None) | Err(PreferenceError { .. }) => Threads::ONE,
        }
    }
}

/// Runs a launch without an observer.
pub(crate) fn run(
    machine: &mut Machine,
    schedule: &mut dyn Schedule,
    Threads { count, least }: Threads,
) -> Result<(), Stop> {
    machine.run_apart(schedule, Apart { units: count, least, together: &together })
}

#[cfg(feature = "parallel")]
fn together(units: &mut [Unit]) {
    use rayon::prelude::*;
    units.par_iter_mut().for_each(Unit::run);
}

#[cfg(not(feature = "parallel"))]
fn together(units: &mut [Unit]) {
    units.iter_mut().for_each(Unit::run);
}
