//! Analyses: observers that say afterwards what was wrong with a run.

use std::fmt;
use std::sync::Arc;

use warpsim_language::internal::InternalError;
use warpsim_language::names;
use warpsim_language::passes::{Side, Synchronisation};

use super::Observer;
use crate::argument::ArgumentPlace;
use crate::lower::Program;
use crate::ptx::{InstId, Space};
use crate::report::{Code, Finding, Outcome};

/// An observer that says afterwards what was wrong with a run. `check::Checking` holds a
/// list of them; a user's own stand beside those of warpsim.
///
/// One analysis watches all launches of a device, one after the other, and what host code does in
/// between. When a launch is tried under several schedules, each begins from a copy.
pub trait Analysis: Observer + fmt::Debug + Send + Sync {
    /// Its name: small letters and `-`. A list holds one of a name.
    fn name(&self) -> &'static str;

    /// What it looks for, in words that go on after *looked for*: `races`.
    fn looks_for(&self) -> &'static str;

    /// The kinds of findings that it makes.
    fn codes(&self) -> &'static [Code];

    /// Whether it has seen every access of the run, and none of them conflicts with another one
    /// that barriers do not order, but for atomics. Asked before `findings`.
    fn has_ordered_reads(&self) -> bool {
        false
    }

    /// What was found since it was last asked, and forgets it. Asked when a launch has ended.
    fn findings(&mut self, run: &mut dyn EndedRun) -> Vec<Finding>;

    /// The bug of warpsim that it came to, if it did, and forgets it: what it found does not count
    /// then. Asked after `findings`. An analysis that relies on nothing of warpsim's has none.
    fn bug(&mut self) -> Option<InternalError> {
        None
    }

    /// One that goes on from the same state, on a copy of the device.
    fn boxed(&self) -> Box<dyn Analysis>;
}

impl Clone for Box<dyn Analysis> {
    fn clone(&self) -> Box<dyn Analysis> {
        self.boxed()
    }
}

/// The first bug of warpsim that an observer came to. The hooks of an observer return nothing, so
/// it keeps the bug until [`Analysis::bug`] is asked.
#[derive(Clone, Debug, Default)]
pub struct FirstBug(Option<InternalError>);

impl FirstBug {
    /// Keeps a bug, unless there was one before.
    #[cold]
    pub fn note(&mut self, bug: InternalError) {
        self.0.get_or_insert(bug);
    }

    /// What there has to be; `None`, and a bug, when it is missing.
    #[inline]
    pub fn known<T>(
        &mut self,
        found: Option<T>,
        missing: impl FnOnce() -> InternalError,
    ) -> Option<T> {
        if found.is_none() {
            self.note(missing());
        }
        found
    }

    /// The bug, and forgets it.
    pub fn take(&mut self) -> Option<InternalError> {
        self.0.take()
    }
}

/// A run that has ended, for those who have watched it.
pub trait EndedRun {
    /// The warp instructions that it took.
    fn steps(&self) -> u64;

    /// What lies at an address.
    fn object(&self, space: Space, address: u64) -> Object;

    /// Runs the same once more, from the same memory and under the same schedule, told to this
    /// observer alone.
    fn again(&mut self, observer: &mut dyn Observer);

    /// Runs the same with synchronisation added beside some instructions, told to this observer
    /// alone. `None` when such a program cannot run.
    fn mended(
        &mut self,
        what: Synchronisation,
        places: &[(InstId, Side)],
        observer: &mut dyn Observer,
    ) -> Option<Tried>;
}

/// A run of a program to which synchronisation was added.
#[derive(Clone, Debug)]
pub struct Tried {
    /// How it ended.
    pub outcome: Outcome,
    /// What ran: the instructions that were there before have the same identities.
    pub program: Arc<Program>,
}

/// A variable or a buffer that an address lies in.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Object {
    /// Its name; `None` when nothing is there.
    pub name: Option<String>,
    /// The kernel argument that it came from.
    pub argument: Option<ArgumentPlace>,
    /// How far into it the address is, or the address itself.
    pub offset: u64,
}

impl fmt::Display for Object {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(name) = &self.name else { return write!(f, "{:#x}", self.offset) };
        match self.argument {
            Some(place) => f.write_str(&place.of_parameter(&names::parameter(name)))?,
            None => write!(f, "`{name}`")?,
        }
        if self.offset != 0 {
            write!(f, "+{:#x}", self.offset)?;
        }
        match self.argument.filter(|_| names::made_up(name).is_none()) {
            Some(place) => write!(f, " (argument {})", place.argument),
            None => Ok(()),
        }
    }
}
