//! Control flow (PTX ISA 9.7.12), the stack (9.7.17) and the instructions of 9.7.19 that stop, wait
//! or do nothing; `lower` translates them.
//!
//! `.uni` promises that a branch does not diverge. The promise is not relied upon.

use crate::isa::need::need;
use crate::isa::row::{Opcode, structural};

/// The family's rows.
pub(in crate::isa) const OPCODES: &[Opcode] = &[
    Opcode {
        name: "bra",
        section: "9.7.12.3",
        operands: "target",
        summary: "Goes on at a label.",
        needs: &[],
        forms: &[structural!("{.uni}", Bra)],
    },
    Opcode {
        name: "brx",
        section: "9.7.12.4",
        operands: "index, targets",
        summary: "Goes on at the label that an index selects from a list.",
        needs: &[],
        forms: &[structural!(".idx{.uni}", BrxIdx)],
    },
    Opcode {
        name: "call",
        section: "9.7.12.5",
        operands: "(results), function, (arguments), prototype",
        summary: "Calls a function, by its name or by its address.",
        needs: &[],
        forms: &[structural!("{.uni}", Call)],
    },
    Opcode {
        name: "ret",
        section: "9.7.12.6",
        operands: "",
        summary: "Returns from a function; in a kernel the thread exits.",
        needs: &[],
        forms: &[structural!("{.uni}", Ret)],
    },
    Opcode {
        name: "exit",
        section: "9.7.12.7",
        operands: "",
        summary: "The thread exits.",
        needs: &[],
        forms: &[structural!("", Exit)],
    },
    Opcode {
        name: "brkpt",
        section: "9.7.19.1",
        operands: "",
        summary: "Stops in a debugger. There is none here, and it does nothing; a GPU without one ends the launch.",
        needs: &[],
        forms: &[structural!("", Breakpoint)],
    },
    Opcode {
        name: "nanosleep",
        section: "9.7.19.2",
        operands: "t",
        summary: "Waits for a time that is not exact: it does nothing here.",
        needs: &[need("", (6, 2), 70)],
        forms: &[structural!(".u32", Nothing)],
    },
    Opcode {
        name: "pmevent",
        section: "9.7.19.3",
        operands: "a",
        summary: "Counts for a performance monitor: it does nothing here.",
        needs: &[],
        forms: &[structural!("{.mask}", Nothing)],
    },
    Opcode {
        name: "setmaxnreg",
        section: "9.7.19.5",
        operands: "count",
        summary: "Asks for registers or gives some back: it does nothing here.",
        needs: &[need("", (8, 0), 90)],
        forms: &[structural!("(.inc|.dec).sync.aligned.u32", Nothing)],
    },
    Opcode {
        name: "stacksave",
        section: "9.7.17.1",
        operands: "d",
        summary: "Gives where the stack of the function ends.",
        needs: &[need("", (7, 3), 52)],
        forms: &[structural!("(.u32|.u64)", StackSave)],
    },
    Opcode {
        name: "stackrestore",
        section: "9.7.17.2",
        operands: "a",
        summary: "Gives back what was allocated on the stack since.",
        needs: &[need("", (7, 3), 52)],
        forms: &[structural!("(.u32|.u64)", StackRestore)],
    },
    Opcode {
        name: "alloca",
        section: "9.7.17.3",
        operands: "d, size{, align}",
        summary: "Allocates local memory on the stack of the function, until the function returns.",
        needs: &[need("", (7, 3), 52)],
        forms: &[structural!("(.u32|.u64)", Alloca)],
    },
    Opcode {
        name: "trap",
        section: "9.7.19.4",
        operands: "",
        summary: "Stops the kernel with an error.",
        needs: &[],
        forms: &[structural!("", Trap)],
    },
];
