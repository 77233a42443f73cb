//! What the client was shown since the launch last moved: frames, and groups of variables.

use crate::regions::Region;
use crate::threads::ThreadId;
use warpsim::ptx::Space;

/// A frame that the client was shown.
#[derive(Clone, Debug)]
pub(super) struct Frame {
    pub(super) thread: ThreadId,
    /// Whether it is the innermost, whose registers can be seen.
    pub(super) is_innermost: bool,
}

/// A group of variables that the client refers to.
#[derive(Clone, Debug)]
pub(super) enum Handle {
    Registers(ThreadId),
    Numbers(ThreadId),
    Variables(ThreadId, Space),
    Buffers,
    Region(Region),
}
