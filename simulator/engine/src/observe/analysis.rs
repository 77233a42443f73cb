//! Analyses: observers that report the errors of a run afterwards.

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

/// An observer that reports the errors of a run afterwards. `check::Checking` holds a list of them;
/// a user's own analyses join warpsim's.
///
/// One analysis watches all launches of a device, one after the other, and the host's actions in
/// between. When a launch is tried under several schedules, each begins from a copy.
pub trait Analysis: Observer + fmt::Debug + Send + Sync {
    /// Its name: small letters and `-`. Names in a list are unique.
    fn name(&self) -> &'static str;

    /// The errors that it looks for, in words that go on after *looked for*: `races`.
    fn looks_for(&self) -> &'static str;

    /// The kinds of findings that it makes.
    fn codes(&self) -> &'static [Code];

    /// Whether it has seen every access of the run, and no two conflict without being ordered by
    /// barriers, except for atomics. Asked before `findings`.
    fn has_ordered_reads(&self) -> bool {
        false
    }

    /// Returns and forgets the findings since the last call. Asked when a launch has ended.
    fn findings(&mut self, run: &mut dyn EndedRun) -> Vec<Finding>;

    /// Returns and forgets the bug of warpsim that it met, if any: its findings do not count then.
    /// Asked after `findings`. An analysis that relies on no part of warpsim has none.
    fn bug(&mut self) -> Option<InternalError> {
        None
    }

    /// A copy that goes on from the same state, on a copy of the device.
    fn boxed(&self) -> Box<dyn Analysis>;
}

impl Clone for Box<dyn Analysis> {
    fn clone(&self) -> Box<dyn Analysis> {
        self.boxed()
    }
}

/// The first bug of warpsim that an observer met. The hooks of an observer return nothing, so it
/// keeps the bug until [`Analysis::bug`] is called.
#[derive(Clone, Debug, Default)]
pub struct FirstBug(Option<InternalError>);

impl FirstBug {
    /// Keeps a bug, unless there was one before.
    #[cold]
    pub fn note(&mut self, bug: InternalError) {
        self.0.get_or_insert(bug);
    }

    /// A value that must exist; `None`, and a bug, when it is missing.
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

    /// Returns and forgets the bug.
    pub fn take(&mut self) -> Option<InternalError> {
        self.0.take()
    }
}

/// A run that has ended, for its observers.
pub trait EndedRun {
    /// The warp instructions that it took.
    fn steps(&self) -> u64;

    /// The warp instructions that repetitions with synchronisation added may take, all together.
    fn trial_steps(&self) -> u64;

    /// The object at an address.
    fn object(&self, space: Space, address: u64) -> Object;

    /// Repeats the run, from the same memory and under the same schedule, with this observer alone.
    fn again(&mut self, observer: &mut dyn Observer);

    /// Repeats the run with synchronisation added beside some instructions, with this observer
    /// alone. `None` when such a program cannot run.
    fn mended(
        &mut self,
        what: Synchronisation,
        places: &[(InstId, Side)],
        observer: &mut dyn Observer,
    ) -> Option<Tried>;
}

/// A run of a program with added synchronisation.
#[derive(Clone, Debug)]
pub struct Tried {
    /// How it ended.
    pub outcome: Outcome,
    /// The warp instructions that it took.
    pub steps: u64,
    /// The program: its previous instructions have the same identities.
    pub program: Arc<Program>,
}

/// A variable or a buffer that contains an address.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Object {
    /// Its name; `None` when nothing is there.
    pub name: Option<String>,
    /// The kernel argument that it came from.
    pub argument: Option<ArgumentPlace>,
    /// The offset of the address in it, or the address itself.
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
