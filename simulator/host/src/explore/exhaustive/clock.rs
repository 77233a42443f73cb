//! Vector clocks: which turns had to happen before which (Fidge 1988, Mattern 1989).

/// For each process, how many of its turns happened before.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Clock(Vec<u32>);

impl Clock {
    /// How many turns of a process happened before.
    pub(super) fn of(&self, process: usize) -> u32 {
        self.0.get(process).copied().unwrap_or(0)
    }

    /// Takes a turn of the process itself.
    pub(super) fn tick(&mut self, process: usize) {
        if self.0.len() <= process {
            self.0.resize(process + 1, 0);
        }
        self.0[process] += 1;
    }

    /// Whatever happened before the other happened before this, too.
    pub(super) fn join(&mut self, other: &Clock) {
        if self.0.len() < other.0.len() {
            self.0.resize(other.0.len(), 0);
        }
        for (mine, theirs) in self.0.iter_mut().zip(&other.0) {
            *mine = (*mine).max(*theirs);
        }
    }
}
