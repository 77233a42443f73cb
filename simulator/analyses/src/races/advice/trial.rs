//! The run judged again, with synchronisation added.
//!
//! A candidate is good under three conditions. None of the conflicts that it is for is left, the
//! run reaches its end, and nothing new is reported about threads that do not meet.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use warpsim_language::internal::InternalError;

use super::flow::At;
use crate::convergence::Convergence;
use crate::lower::{Pc, Program};
use crate::observe::{EndedRun, Several};
use crate::passes::Side;
use crate::ptx::InstId;
use crate::races::{Candidates, Conflict, Pair, Policy, Races};
use crate::report::{Code, Outcome, Severity, Synchronisation};

/// A conflict by the identities of its instructions.
type Identities = (bool, InstId, InstId);

/// Findings of threads that do not meet, by the lines of the PTX.
type Absences = BTreeSet<(Code, Vec<u32>)>;

/// The conflicts left in a run when something is added. `None` when threads then do not meet, or
/// the run does not end.
type Left = Option<BTreeSet<Identities>>;

/// Runs of a launch with synchronisation added.
pub(in crate::races) struct Trials<'r> {
    run: &'r mut dyn EndedRun,
    program: Arc<Program>,
    words: Arc<Candidates>,
    /// The steps that are left.
    steps: u64,
    /// What threads missed as it was.
    absences: Option<Absences>,
    known: HashMap<(Synchronisation, Vec<At>), Left>,
    /// The first bug of a judge.
    pub(in crate::races) bug: Option<InternalError>,
}

impl<'r> Trials<'r> {
    pub(in crate::races) fn new(
        run: &'r mut dyn EndedRun,
        program: &Arc<Program>,
        words: &Arc<Candidates>,
    ) -> Trials<'r> {
        let steps = run.trial_steps();
        Trials {
            run,
            program: Arc::clone(program),
            words: Arc::clone(words),
            steps,
            absences: None,
            known: HashMap::new(),
            bug: None,
        }
    }

    /// Whether nothing is left to try.
    pub(super) fn is_over(&self) -> bool {
        self.steps < self.run.steps() || self.bug.is_some()
    }

    /// Whether conflicts are gone, and nothing new is there, when something is added.
    pub(super) fn mends(&mut self, what: Synchronisation, places: Vec<At>, pairs: &[Pair]) -> bool {
        let key = (what, places);
        if !self.known.contains_key(&key) {
            let left = self.left(what, &key.1);
            self.known.insert(key.clone(), left);
        }
        let Some(Some(left)) = self.known.get(&key) else { return false };
        let program = &self.program;
        pairs.iter().all(|pair| !left.contains(&identities(program, *pair)))
    }

    fn left(&mut self, what: Synchronisation, places: &[At]) -> Left {
        let instruction = |pc: Pc| self.program.places[pc as usize].instruction;
        let places: Vec<(InstId, Side)> =
            places.iter().map(|(pc, side)| (instruction(*pc), *side)).collect();
        let mut judge = Races::assuming(Policy::default(), Arc::clone(&self.words));
        let mut convergence = Convergence::new();
        let mut both =
            Several::new([&mut judge as &mut dyn crate::observe::Observer, &mut convergence]);
        let tried = self.run.mended(what, &places, &mut both);
        // Threads that wait for ever take many more steps than the run itself did.
        let taken = tried.as_ref().map_or(self.run.steps(), |tried| tried.steps);
        self.steps = self.steps.saturating_sub(taken.max(1));
        self.bug = self.bug.take().or(judge.bug());
        let tried = tried?;
        if tried.outcome != Outcome::Completed {
            return None;
        }
        let absences = absences(&mut convergence);
        if !absences.is_subset(self.absences()) {
            return None;
        }
        let conflicts = judge.take_conflicts();
        let pairs = conflicts.iter().map(Conflict::pair);
        Some(pairs.map(|pair| identities(&tried.program, pair)).collect())
    }

    fn absences(&mut self) -> &Absences {
        if self.absences.is_none() {
            let mut convergence = Convergence::new();
            self.run.again(&mut convergence);
            self.absences = Some(absences(&mut convergence));
        }
        self.absences.get_or_insert_default()
    }
}

fn absences(convergence: &mut Convergence) -> Absences {
    let found = convergence.findings().into_iter().filter(|f| f.severity > Severity::Note);
    found.map(|f| (f.code, f.sites.iter().map(|site| site.ptx_line).collect())).collect()
}

fn identities(program: &Program, (is_race, a, b): Pair) -> Identities {
    let of = |pc: Pc| program.places[pc as usize].instruction;
    let (a, b) = (of(a), of(b));
    (is_race, a.min(b), a.max(b))
}
