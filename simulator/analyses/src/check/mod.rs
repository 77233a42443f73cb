//! Checking a launch: which analyses watch it, and what they found, as one list.
//!
//! | analysis | findings |
//! |---|---|
//! | [`crate::races`] | `race`, `unordered` |
//! | [`crate::convergence`] | `barrier-divergence`, `sync-mask`, `shuffle-inactive-lane` |
//! | [`crate::uninitialized`] | `uninitialized` |
//!
//! What stops a run (an access outside memory, a deadlock, a livelock, a trap) is a finding of the
//! run itself. `host::Simulator` checks every launch when its settings say so, under
//! several schedules; here is what it does with one of them.

mod independence;
mod merge;
mod watch;

pub use independence::is_the_same_under_every_schedule;
pub use merge::Merged;
pub use watch::{Remaining, Remembered, Watch};

/// What to look for, and under which schedules.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Checking {
    /// Races and unordered pairs.
    pub races: bool,
    /// Threads that should meet at a barrier, or in a warp operation, and do not.
    pub convergence: bool,
    /// Values that are used and were never written. The slowest of the analyses.
    pub uninitialized: bool,
    /// The schedules.
    pub schedules: Schedules,
}

/// Under which schedules a launch is checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Schedules {
    /// Under the one of the settings, and the adversarial ones in both directions; the first alone
    /// when the program does and accesses the same under every schedule.
    Merged,
    /// Under the one of the settings alone.
    AsSet,
}

impl Default for Checking {
    fn default() -> Checking {
        Checking {
            races: true,
            convergence: true,
            uninitialized: true,
            schedules: Schedules::Merged,
        }
    }
}

/// Names what lies at an address, for people.
pub trait Objects {
    /// What lies at an address of a space.
    fn at(&self, space: crate::ptx::Space, address: u64) -> Object;
}

/// A variable or a buffer that an address lies in.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Object {
    /// Its name; `None` when nothing is there.
    pub name: Option<String>,
    /// The position, from 0, of the kernel argument that it came from.
    pub argument: Option<usize>,
    /// How far into it the address is, or the address itself.
    pub offset: u64,
}

impl std::fmt::Display for Object {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Some(name) = &self.name else { return write!(f, "{:#x}", self.offset) };
        match self.argument {
            Some(_) => f.write_str(&crate::names::parameter(name))?,
            None => write!(f, "`{name}`")?,
        }
        if self.offset != 0 {
            write!(f, "+{:#x}", self.offset)?;
        }
        match self.argument.filter(|_| crate::names::made_up(name).is_none()) {
            Some(argument) => write!(f, " (argument {argument})"),
            None => Ok(()),
        }
    }
}
