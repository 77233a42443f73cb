//! An earlier state of a warp, which reveals an endless loop without visible effects.
//!
//! [`crate::machine::progress::local_loop`] compares it with the present one.

use crate::machine::memory::Interleaved;
use crate::machine::state::fragment::Fragment;
use crate::machine::state::frame::Frame;

/// The history of a warp since its last visible effect.
#[derive(Debug, Default)]
pub(in crate::machine) struct LocalLoop {
    /// Turns that it used up without a visible effect.
    pub(in crate::machine) turns: u64,
    pub(in crate::machine) kept: Option<Box<Kept>>,
}

/// The state of a warp at an earlier moment.
#[derive(Debug)]
pub(in crate::machine) struct Kept {
    pub(in crate::machine) fragments: Vec<Fragment>,
    pub(in crate::machine) frames: Vec<Frame>,
    pub(in crate::machine) local: Interleaved,
}

impl LocalLoop {
    /// The warp has had a visible effect.
    #[inline]
    pub(in crate::machine) fn forget(&mut self) {
        if self.turns != 0 {
            *self = LocalLoop::default();
        }
    }
}

/// The history is not part of the state.
impl PartialEq for LocalLoop {
    fn eq(&self, _: &LocalLoop) -> bool {
        true
    }
}
