//! What the client was shown since the launch last moved: frames, and groups of variables.

use crate::regions::Region;
use crate::threads::ThreadId;
use warpsim::ptx::Space;

/// A frame that the client was shown.
#[derive(Clone, Debug)]
pub(super) struct Frame {
    pub(super) thread: ThreadId,
    /// Its number in the thread's call stack.
    pub(super) number: usize,
}

/// A group of variables that the client refers to.
#[derive(Clone, Debug)]
pub(super) enum Handle {
    /// Variables of the source, in a frame.
    Locals(Frame),
    /// Members or elements of an expression.
    Parts(Frame, String),
    Registers(Frame),
    Numbers(ThreadId),
    Variables(ThreadId, Space),
    Buffers,
    Region(Region),
}
