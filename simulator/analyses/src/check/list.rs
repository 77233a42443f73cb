//! The available analyses, and lists of them.

use warpsim_engine::machine::Watcher;
use warpsim_language::internal::InternalError;

use crate::convergence::Convergence;
use crate::observe::{Analysis, EndedRun, HostAccess, Observer, Several};
use crate::races::Filter;
use crate::report::Finding;
use crate::uninitialized::FirstLook;

/// The analyses that take part unless the user chooses others. Their findings are reported in this
/// order.
fn usual() -> Vec<Box<dyn Analysis>> {
    vec![
        Box::new(Filter::new()),
        Box::new(Convergence::new()),
        Box::new(crate::overruns::Overruns::default()),
        Box::new(FirstLook::new()),
    ]
}

/// The analyses that take part where they are asked for.
fn on_request() -> Vec<Box<dyn Analysis>> {
    vec![Box::new(crate::bank_conflicts::BankConflicts::default())]
}

/// A list of analyses, one of a name.
///
/// ```
/// use warpsim::check::Analyses;
///
/// let all = Analyses::default();
/// assert_eq!(all.names(), ["races", "convergence", "overruns", "uninitialized"]);
/// assert_eq!(all.only(&["races"]).names(), ["races"]);
/// ```
#[derive(Clone, Debug)]
pub struct Analyses(Vec<Box<dyn Analysis>>);

impl Default for Analyses {
    /// The analyses that take part by default.
    fn default() -> Analyses {
        Analyses(usual())
    }
}

impl Analyses {
    /// No analysis: only the stop of a run is found.
    pub fn none() -> Analyses {
        Analyses(Vec::new())
    }

    /// warpsim's analyses that take part only on request.
    pub fn on_request() -> Analyses {
        Analyses(on_request())
    }

    /// The names, in the order of the list.
    pub fn names(&self) -> Vec<&'static str> {
        self.iter().map(Analysis::name).collect()
    }

    /// The analyses, in the order of the list.
    pub fn iter(&self) -> impl Iterator<Item = &dyn Analysis> {
        self.0.iter().map(|one| &**one)
    }

    /// The list with one more, in the place of the one with its name, or else at the end.
    #[must_use]
    pub fn with(mut self, analysis: impl Analysis + 'static) -> Analyses {
        self.add(Box::new(analysis));
        self
    }

    /// This list together with another one.
    #[must_use]
    pub fn and(mut self, others: Analyses) -> Analyses {
        others.0.into_iter().for_each(|one| self.add(one));
        self
    }

    /// The analyses with one of these names.
    #[must_use]
    pub fn only(mut self, names: &[&str]) -> Analyses {
        self.0.retain(|one| names.contains(&one.name()));
        self
    }

    /// The analyses with none of these names.
    #[must_use]
    pub fn without(mut self, names: &[&str]) -> Analyses {
        self.0.retain(|one| !names.contains(&one.name()));
        self
    }

    fn add(&mut self, analysis: Box<dyn Analysis>) {
        match self.0.iter_mut().find(|one| one.name() == analysis.name()) {
            Some(one) => *one = analysis,
            None => self.0.push(analysis),
        }
    }

    /// A list like this one, in which the analyses that a device already has (by name) go on.
    pub fn going_on(&self, known: Option<Analyses>) -> Analyses {
        let mut known = known.map_or_else(Vec::new, |known| known.0);
        let one = |wanted: &dyn Analysis| {
            let place = known.iter().position(|one| one.name() == wanted.name());
            place.map_or_else(|| wanted.boxed(), |place| known.swap_remove(place))
        };
        Analyses(self.iter().map(one).collect())
    }

    /// The analyses as observers of a run, together with its other observers.
    pub fn and_observer<'a>(&'a mut self, other: Watcher<'a, '_>) -> Several<'a> {
        let all = self.0.iter_mut().map(|one| &mut **one as &mut (dyn Observer + 'a));
        Several::new(all.chain(other.map(|one| one as &mut (dyn Observer + 'a))))
    }

    /// Tells all of them what host code does.
    pub fn host_access(&mut self, access: &HostAccess) {
        self.0.iter_mut().for_each(|one| one.host_access(access));
    }

    /// See [`Analysis::has_ordered_reads`]: whether one of them says so.
    pub fn have_ordered_reads(&self) -> bool {
        self.0.iter().any(|one| one.has_ordered_reads())
    }

    /// What they found in a run.
    ///
    /// # Errors
    ///
    /// One of them met a bug in warpsim.
    pub fn findings(&mut self, run: &mut dyn EndedRun) -> Result<Vec<Finding>, InternalError> {
        let mut found = Vec::new();
        for one in &mut self.0 {
            found.append(&mut one.findings(run));
            if let Some(bug) = one.bug() {
                return Err(bug);
            }
        }
        Ok(found)
    }
}
