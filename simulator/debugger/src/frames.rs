//! The call stack of a thread as a person sees it: its activations, with the calls that were
//! inlined into each, and the frame that is looked at.
//!
//! Registers and local memory are an activation's. Frames of calls that were inlined share them
//! with the frame of their function.

use std::sync::Arc;

use warpsim::lower::Pc;
use warpsim::report::SourcePosition;

use crate::error::DebuggerError;
use crate::session::Debugger;
use crate::threads::ThreadId;

/// A frame of a thread's call stack.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct CallFrame {
    /// The function in the PTX text that its instructions are in.
    pub function: Arc<str>,
    /// Which activation it is of, counted from the innermost, which is 0.
    pub level: usize,
    /// How many inlined calls lead from the function to it.
    pub inlined: usize,
    /// It is the innermost of its activation.
    pub is_innermost: bool,
    /// The next operation in the innermost activation, and the call in the others.
    pub pc: Pc,
    /// Where it is in the source, without the calls that it was inlined by.
    pub position: Option<SourcePosition>,
}

impl Debugger<'_> {
    /// The frames of a thread, the innermost first. None when it has not begun or has exited.
    pub fn call_frames(&self, thread: ThreadId) -> Vec<CallFrame> {
        let stack = self.stepper.call_stack(thread.block, thread.warp, thread.lane as usize);
        let mut frames = Vec::new();
        for (level, activation) in stack.into_iter().enumerate() {
            let source = self.place_at(activation.pc).and_then(|place| place.source.as_ref());
            let mut positions: Vec<Option<SourcePosition>> = Vec::new();
            if let Some(source) = source {
                positions
                    .push(Some(SourcePosition { inlined_at: Vec::new(), ..(**source).clone() }));
                positions.extend(source.inlined_at.iter().cloned().map(Some));
            } else {
                positions.push(None);
            }
            let outermost = positions.len() - 1;
            for (row, position) in positions.into_iter().enumerate() {
                frames.push(CallFrame {
                    function: Arc::clone(&activation.function),
                    level,
                    inlined: outermost - row,
                    is_innermost: row == 0,
                    pc: activation.pc,
                    position,
                });
            }
        }
        frames
    }

    /// The number of the frame that is looked at; 0 is the innermost.
    pub fn frame(&self) -> usize {
        self.frame
    }

    /// Looks at a frame of the thread in focus, until the focus or the launch moves.
    ///
    /// # Errors
    /// [`DebuggerError::NoFrame`].
    pub fn select_frame(&mut self, frame: usize) -> Result<CallFrame, DebuggerError> {
        let mut frames = self.call_frames(self.focus());
        let count = frames.len();
        if frame >= count {
            return Err(DebuggerError::NoFrame { frame, frames: count });
        }
        self.frame = frame;
        Ok(frames.swap_remove(frame))
    }

    /// The frame that is looked at, in a thread's call stack. `None` for one that has not begun.
    ///
    /// # Errors
    /// The stack has no such frame.
    pub(crate) fn looked_at(&self, thread: ThreadId) -> Result<Option<CallFrame>, DebuggerError> {
        let mut frames = self.call_frames(thread);
        let count = frames.len();
        match (self.frame < count, self.frame) {
            (true, frame) => Ok(Some(frames.swap_remove(frame))),
            (false, 0) => Ok(None),
            (false, frame) => Err(DebuggerError::NoFrame { frame, frames: count }),
        }
    }

    /// The activation that is looked at, in a thread's call stack.
    ///
    /// # Errors
    /// The stack has no such frame.
    pub(crate) fn level_of(&self, thread: ThreadId) -> Result<usize, DebuggerError> {
        match self.frame {
            0 => Ok(0),
            _ => Ok(self.looked_at(thread)?.map_or(0, |frame| frame.level)),
        }
    }
}
