//! The requests that the debugger refuses, with their fields. Only this file has the wording.

use std::fmt;

/// Why a command has no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum DebuggerError {
    /// An expression does not parse.
    Syntax {
        /// The expression.
        text: String,
        /// What was expected.
        expected: &'static str,
        /// Where, in bytes.
        at: usize,
    },
    /// A name is neither a register, nor a variable, nor a number of the thread.
    UnknownName {
        /// The name.
        name: String,
        /// Names that are like it.
        near: Vec<String>,
    },
    /// A register that the thread has not written.
    NeverWritten {
        /// The register.
        register: String,
    },
    /// The debug information of the PTX is not well-formed, and nothing of PTX has the name.
    DebugInformation {
        /// The name.
        name: String,
        /// Why it is not well-formed.
        reason: String,
    },
    /// A variable of the source is nowhere at the present instruction.
    OptimisedOut {
        /// The variable.
        name: String,
    },
    /// The debugger cannot read the place of a variable of the source.
    Unreadable {
        /// The variable.
        name: String,
        /// Where it is.
        reason: String,
    },
    /// A structure does not have the member, or what has it is no structure.
    NoMember {
        /// The expression before the member.
        of: String,
        /// The member.
        member: String,
        /// Members that are like it.
        near: Vec<String>,
    },
    /// Something is neither a pointer nor an array.
    NotAPointer {
        /// The expression.
        text: String,
    },
    /// `*`, `.` and `->` are for variables of the source.
    NotAVariable,
    /// A register of an outer frame, which cannot be watched.
    OuterRegister {
        /// The register.
        register: String,
    },
    /// The call stack has fewer frames.
    NoFrame {
        /// The frame.
        frame: usize,
        /// How many there are.
        frames: usize,
    },
    /// The thread has not begun, or it has exited.
    NoThread {
        /// The block.
        block: u64,
        /// The warp in the block.
        warp: u32,
        /// The lane.
        lane: u32,
    },
    /// The launch has no such thread.
    OutsideLaunch {
        /// The thread in words.
        thread: String,
        /// The shape of the launch.
        launch: String,
    },
    /// A schedule does not parse.
    Schedule {
        /// Why.
        reason: String,
    },
    /// The block has no memory now.
    NoBlock {
        /// The block.
        block: u64,
    },
    /// No buffer was made for this argument.
    NoBuffer {
        /// The argument in words.
        argument: String,
    },
    /// Cells outside a variable or buffer.
    OutOfRange {
        /// The variable or buffer.
        name: String,
        /// The first cell that is not there.
        index: i128,
        /// The cells that are there.
        cells: u64,
    },
    /// Global memory in no allocation.
    NoMemory {
        /// The address.
        address: u64,
        /// The bytes that were asked for.
        bytes: u64,
    },
    /// A division by zero.
    DivisionByZero,
    /// A number was expected, not memory.
    NotAValue {
        /// The expression.
        text: String,
    },
    /// A place with memory or a register was expected.
    NotAPlace {
        /// The expression.
        text: String,
    },
    /// No instruction is at the location.
    NoInstruction {
        /// The location.
        location: String,
        /// Lines or functions with instructions that are near.
        near: Vec<String>,
    },
    /// There is no breakpoint or watchpoint of this number.
    NoStop {
        /// The number.
        id: u32,
    },
    /// A region is too large to be watched.
    TooLarge {
        /// Its bytes.
        bytes: u64,
        /// The most.
        most: u64,
    },
}

impl fmt::Display for DebuggerError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            DebuggerError::Syntax { text, expected, at } => {
                write!(f, "`{text}`: expected {expected} at character {}", at + 1)
            }
            DebuggerError::UnknownName { name, near } => {
                write!(f, "nothing here has the name `{name}`{}", did_you_mean(near))?;
                match name.starts_with('%') {
                    true => Ok(()),
                    false => f.write_str(
                        "; local variables of the source have names where the PTX has debug \
                         information (nvcc -G, clang -g)",
                    ),
                }
            }
            DebuggerError::NeverWritten { register } => {
                write!(f, "the thread has not written {register} yet")
            }
            DebuggerError::DebugInformation { name, reason } => write!(
                f,
                "nothing here has the name `{name}`; the debug information of the PTX cannot be \
                 read ({reason}), so variables of the source have no names"
            ),
            DebuggerError::OptimisedOut { name } => {
                write!(f, "`{name}` is optimised out: the PTX keeps it nowhere here")
            }
            DebuggerError::Unreadable { name, reason } => {
                write!(f, "`{name}` is where the debugger cannot read it: {reason}")
            }
            DebuggerError::NoMember { of, member, near } => {
                write!(f, "`{of}` has no member `{member}`{}", did_you_mean(near))
            }
            DebuggerError::NotAPointer { text } => {
                write!(f, "`{text}` is neither a pointer nor an array of known elements")
            }
            DebuggerError::NotAVariable => {
                f.write_str("`*`, `.` and `->` are for variables of the source")
            }
            DebuggerError::OuterRegister { register } => write!(
                f,
                "{register} is of an outer frame; registers can be watched in the innermost one"
            ),
            DebuggerError::NoFrame { frame, frames } => {
                write!(f, "the thread has no frame {frame}: `backtrace` lists its {frames}")
            }
            DebuggerError::NoThread { block, warp, lane } => {
                write!(f, "block {block} warp {warp} lane {lane} has not begun, or has exited")
            }
            DebuggerError::OutsideLaunch { thread, launch } => {
                write!(f, "{thread} is not in the launch, which has {launch}")
            }
            DebuggerError::Schedule { reason } => f.write_str(reason),
            DebuggerError::NoBlock { block } => {
                write!(f, "block {block} has no shared memory now: it has not begun, or has ended")
            }
            DebuggerError::NoBuffer { argument } => {
                write!(f, "{argument} is not a buffer; `info args` lists the buffers")
            }
            DebuggerError::OutOfRange { name, index, cells } => {
                write!(
                    f,
                    "{name} has no cell {index}: it has cells 0 to {}",
                    cells.saturating_sub(1)
                )
            }
            DebuggerError::NoMemory { address, bytes } => {
                write!(f, "no allocation holds {bytes} bytes at {address:#x}")
            }
            DebuggerError::DivisionByZero => f.write_str("the expression divides by zero"),
            DebuggerError::NotAValue { text } => {
                write!(f, "`{text}` has several cells; choose one, for example {text}[0]")
            }
            DebuggerError::NotAPlace { text } => write!(
                f,
                "`{text}` is neither a register nor memory; for example %r1, s[3], @0[5] or \
                 0x7f0000000000"
            ),
            DebuggerError::NoInstruction { location, near } => {
                write!(f, "the kernel has no instruction at {location}{}", did_you_mean(near))
            }
            DebuggerError::NoStop { id } => {
                write!(f, "there is no breakpoint {id}; `info breakpoints` lists them")
            }
            DebuggerError::TooLarge { bytes, most } => {
                write!(f, "{bytes} bytes are too many to watch: at most {most}")
            }
        }
    }
}

fn did_you_mean(near: &[String]) -> String {
    match near {
        [] => String::new(),
        [one] => format!("; did you mean {one}?"),
        several => format!("; did you mean one of {}?", several.join(", ")),
    }
}

impl std::error::Error for DebuggerError {}

/// Names that are like one, at most three, the nearest first.
pub(crate) fn near<'n>(name: &str, known: impl Iterator<Item = &'n str>) -> Vec<String> {
    let mut near: Vec<(f64, &str)> = known
        .map(|known| (strsim::jaro_winkler(name, known), known))
        .filter(|(likeness, _)| *likeness > 0.75)
        .collect();
    near.sort_by(|(a, a_name), (b, b_name)| b.total_cmp(a).then_with(|| a_name.cmp(b_name)));
    near.dedup();
    near.into_iter().take(3).map(|(_, name)| format!("`{name}`")).collect()
}
