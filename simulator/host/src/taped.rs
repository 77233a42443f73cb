//! A recorder that can be read after the run: launches run a copy of their schedule.

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::schedule::{Move, Recorder, Replay, Schedule, View};

/// A recorder that its copies share.
#[derive(Clone, Debug)]
pub(crate) struct Taped(Arc<Mutex<Recorder>>);

impl Taped {
    /// Begins with this recorder.
    pub(crate) fn new(recorder: Recorder) -> Taped {
        Taped(Arc::new(Mutex::new(recorder)))
    }

    fn recorder(&self) -> MutexGuard<'_, Recorder> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What was chosen so far.
    pub(crate) fn replay(&self) -> Replay {
        self.recorder().replay()
    }

    /// See [`Recorder::is_past`].
    pub(crate) fn is_past(&self) -> bool {
        self.recorder().is_past()
    }
}

impl fmt::Display for Taped {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.recorder().fmt(f)
    }
}

impl Schedule for Taped {
    fn next(&mut self, view: &dyn View) -> Option<Move> {
        self.recorder().next(view)
    }

    fn copies_at_once(&mut self) -> bool {
        self.recorder().copies_at_once()
    }

    fn lets_spinning_wait(&self) -> bool {
        self.recorder().lets_spinning_wait()
    }

    fn boxed(&self) -> Box<dyn Schedule> {
        Box::new(self.clone())
    }

    fn recurrence(&self, resident: usize) -> Option<u64> {
        self.recorder().recurrence(resident)
    }
}
