//! The effects of an instruction beyond computing, for code that moves, keeps or leaves out other
//! instructions around it. They are defined once, for register operations and for each structural
//! instruction.

use super::lookup::{lookup, opcodes_named};
use super::row::{Action, Structural};
use crate::isa::operations::texture::ImageInstruction;

/// The effect of an instruction beyond writing its destination. The modifiers of an access say more
/// about it: its space, its strength and its order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Effect {
    /// Computes its destination from its operands, or from what the machine knows of the thread.
    Registers,
    /// Computes its destination from registers of other lanes, without touching memory.
    Lanes,
    /// Moves control within the function or out of it.
    Control,
    /// Ends the thread or the grid: all writes of the program must be in memory.
    Ends,
    /// Reads memory.
    Reads,
    /// Writes memory.
    Writes,
    /// Reads, changes and writes memory in one step.
    ReadsAndWrites,
    /// Does what a function does.
    Calls,
    /// Orders accesses of this thread and others, or waits for others.
    Orders,
    /// Nothing that a program can rely on.
    Nothing,
    /// It is not known.
    Unknown,
}

/// Which of its operands an instruction writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Destinations {
    /// None.
    None,
    /// The first in the text, which may be a pair or a vector.
    First,
    /// The first if it is a list of results, as in a call.
    FirstList,
    /// It is not known: perhaps all.
    Unknown,
}

impl Structural {
    /// What it does, and which of its operands it writes.
    pub const fn effect(self) -> (Effect, Destinations) {
        match self {
            Structural::Mov
            | Structural::Cvta
            | Structural::Isspacep
            | Structural::CreatePolicy
            | Structural::Video(_)
            | Structural::Lop3
            | Structural::CvtFour(_)
            | Structural::Mapa
            | Structural::QueryCancel
            | Structural::Getctarank => (Effect::Registers, Destinations::First),
            // A separate register holds the end of the stack.
            Structural::Alloca | Structural::StackSave => (Effect::Orders, Destinations::First),
            Structural::StackRestore | Structural::Discard => (Effect::Orders, Destinations::None),
            // They do not access a space that the text names.
            Structural::Image(instruction) => match instruction {
                ImageInstruction::Query => (Effect::Registers, Destinations::First),
                ImageInstruction::Sample | ImageInstruction::Gather | ImageInstruction::Load => {
                    (Effect::Orders, Destinations::First)
                }
                ImageInstruction::Store
                | ImageInstruction::StoreFormatted
                | ImageInstruction::Reduce => (Effect::Orders, Destinations::None),
            },
            Structural::Ld => (Effect::Reads, Destinations::First),
            Structural::St => (Effect::Writes, Destinations::None),
            // The bytes have no type.
            Structural::Fill => (Effect::Orders, Destinations::None),
            Structural::Atom => (Effect::ReadsAndWrites, Destinations::First),
            Structural::Red => (Effect::ReadsAndWrites, Destinations::None),
            Structural::Bra | Structural::BrxIdx | Structural::Ret => {
                (Effect::Control, Destinations::None)
            }
            Structural::Call => (Effect::Calls, Destinations::FirstList),
            Structural::Exit | Structural::Trap => (Effect::Ends, Destinations::None),
            // A debugger may look at anything.
            Structural::Breakpoint => (Effect::Orders, Destinations::None),
            Structural::Bar | Structural::Fence => (Effect::Orders, Destinations::None),
            Structural::BarRed => (Effect::Orders, Destinations::First),
            Structural::Warp(instruction) => instruction.effect(),
            Structural::Mbarrier(instruction) => instruction.effect(),
            Structural::ProxyFence
            | Structural::CpAsync
            | Structural::CpBulk
            | Structural::AsyncStore
            | Structural::TryCancel
            | Structural::CommitGroup
            | Structural::ClusterBarrier
            | Structural::WaitGroup => (Effect::Orders, Destinations::None),
            Structural::CpPrefetch | Structural::Nothing => (Effect::Nothing, Destinations::None),
        }
    }
}

/// What an instruction does and which of its operands it writes, by its opcode and its modifiers
/// without their dots.
///
/// A form that does not run here has the effect of the opcode's forms that run, if these are all
/// register operations. Otherwise the effect is unknown.
///
/// ```
/// use warpsim::isa::{Destinations, Effect, effect};
///
/// assert_eq!(effect("add", &["u32"]), (Effect::Registers, Destinations::First));
/// assert_eq!(effect("red", &["global", "add", "u32"]).1, Destinations::None);
/// assert_eq!(effect("mma", &["sync"]), (Effect::Unknown, Destinations::Unknown));
/// ```
pub fn effect(opcode: &str, modifiers: &[&str]) -> (Effect, Destinations) {
    const UNKNOWN: (Effect, Destinations) = (Effect::Unknown, Destinations::Unknown);
    let Ok(found) = lookup(opcode, modifiers) else { return UNKNOWN };
    match found.form.action {
        Action::Lanes { .. } => (Effect::Registers, Destinations::First),
        Action::Structural(structural) => structural.effect(),
        Action::Unsupported(_) => {
            let forms = opcodes_named(opcode).iter().flat_map(|opcode| opcode.forms);
            let mut running = forms.filter(|f| !matches!(f.action, Action::Unsupported(_)));
            let computes = |form: &super::Form| matches!(form.action, Action::Lanes { .. });
            match running.next() {
                Some(first) if computes(first) && running.all(computes) => {
                    (Effect::Registers, Destinations::First)
                }
                _ => UNKNOWN,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::isa::opcodes;

    #[test]
    fn an_instruction_that_runs_has_a_known_effect() {
        for opcode in opcodes() {
            for form in opcode.forms {
                let words = &form.pattern.spelled()[0];
                let known = effect(opcode.name, words);
                if !matches!(form.action, Action::Unsupported(_)) {
                    assert_ne!(known.0, Effect::Unknown, "{}.{words:?}", opcode.name);
                    assert_ne!(known.1, Destinations::Unknown, "{}.{words:?}", opcode.name);
                }
            }
        }
    }

    #[test]
    fn effects_are_those_of_the_isa() {
        use Destinations::{First, FirstList, None};
        for (text, right) in [
            ("mad.lo.u32", (Effect::Registers, First)),
            ("cvt.rn.satfinite.e4m3x2.f32", (Effect::Registers, First)),
            ("mov.b64", (Effect::Registers, First)),
            ("ld.volatile.shared.u32", (Effect::Reads, First)),
            ("st.global.v2.f32", (Effect::Writes, None)),
            ("atom.global.cas.b32", (Effect::ReadsAndWrites, First)),
            ("shfl.sync.idx.b32", (Effect::Lanes, First)),
            ("bar.sync", (Effect::Orders, None)),
            ("barrier.red.popc.aligned.u32", (Effect::Orders, First)),
            ("bar.warp.sync", (Effect::Orders, None)),
            ("fence.proxy.async", (Effect::Orders, None)),
            ("membar.gl", (Effect::Orders, None)),
            ("bra.uni", (Effect::Control, None)),
            ("call.uni", (Effect::Calls, FirstList)),
            ("exit", (Effect::Ends, None)),
            ("prefetch.global.L2", (Effect::Nothing, None)),
        ] {
            let mut names = text.split('.');
            let opcode = names.next().unwrap();
            let modifiers: Vec<&str> = names.collect();
            assert_eq!(effect(opcode, &modifiers), right, "{text}");
        }
    }
}
