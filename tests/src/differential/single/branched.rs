//! Single instructions in branches, loops and switches, which threads go through each in its own
//! way (PTX ISA 9.7.12). The meaning of an instruction does not depend on the other threads that
//! execute it.
//!
//! An instruction of one thread works on the thread's own cells and its own mbarrier object, and
//! waits for nobody. An instruction of a warp is only where all lanes of the warp go the same way.
//! Instructions that need the whole block, or use up the stack in a loop, are not written here
//! ([`Company::Block`]).
//!
//! Every round of a loop begins one cell further in the table of operands, so that the last round's
//! results are left.

use std::fmt::Write as _;

use warpsim::isa::{MbarrierInstruction, Structural, WarpInstruction};

use super::Step;
use super::write::{Body, action};
use crate::differential::draw::Draw;
use crate::differential::operands::Pool;

/// Who executes an instruction together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Company {
    /// Each thread alone.
    Thread,
    /// All lanes of a warp.
    Warp,
    /// All threads of a block.
    Block,
}

/// Who has to execute an instruction together, at least.
pub(super) fn company(text: &str) -> Company {
    let Some(action) = action(text) else { return Company::Thread };
    match action {
        Structural::Mov
        | Structural::Ld
        | Structural::St
        | Structural::Atom
        | Structural::Red
        | Structural::Cvta
        | Structural::Isspacep
        | Structural::CreatePolicy
        | Structural::Discard
        | Structural::Fill
        | Structural::Fence
        | Structural::ProxyFence
        | Structural::CpAsync
        | Structural::CpBulk
        | Structural::AsyncStore
        | Structural::CpPrefetch
        | Structural::CommitGroup
        | Structural::WaitGroup
        | Structural::Mapa
        | Structural::Getctarank
        | Structural::CvtFour(_)
        | Structural::Nothing
        | Structural::Video(_)
        | Structural::Lop3
        | Structural::Warp(WarpInstruction::Activemask) => Company::Thread,
        // What they show is made of the arrivals of a block.
        Structural::Mbarrier(MbarrierInstruction::PendingCount) => Company::Block,
        Structural::Mbarrier(MbarrierInstruction::Arrive) if text.contains("arrive_drop") => {
            Company::Block
        }
        Structural::Mbarrier(_) => Company::Thread,
        Structural::Warp(
            WarpInstruction::Redux
            | WarpInstruction::Elect
            | WarpInstruction::Movmatrix
            | WarpInstruction::Ldmatrix
            | WarpInstruction::Stmatrix
            | WarpInstruction::Mma
            | WarpInstruction::WmmaLoad
            | WarpInstruction::WmmaStore
            | WarpInstruction::WmmaMma
            | WarpInstruction::Sync
            | WarpInstruction::Shfl
            | WarpInstruction::Vote
            | WarpInstruction::Match,
        ) => Company::Warp,
        Structural::Alloca
        | Structural::StackSave
        | Structural::StackRestore
        | Structural::TryCancel
        | Structural::QueryCancel
        | Structural::ClusterBarrier
        | Structural::Bar
        | Structural::BarRed
        | Structural::Bra
        | Structural::BrxIdx
        | Structural::Call
        | Structural::Ret
        | Structural::Exit
        | Structural::Trap
        | Structural::Breakpoint
        | Structural::Image(_) => Company::Block,
    }
}

impl Company {
    /// A line as it is said of those who execute it: a thread meets nobody, is the first of its
    /// group and has its own object; lanes meet within their warp.
    pub(super) fn said(self, text: &str) -> String {
        match (self, text) {
            (Company::Block, _) => text.to_owned(),
            (Company::Warp, "bar.sync 0;") => "bar.warp.sync 0xffffffff;".to_owned(),
            (Company::Warp, _) => text.to_owned(),
            (Company::Thread, "bar.sync 0;") => String::new(),
            (Company::Thread, _) => text
                .replace("@%first ", "")
                .replace("[object]", "[%object]")
                .replace(", object;", ", %object;"),
        }
    }
}

/// Declarations, and the code before the first step: the thread's object, and two words that decide
/// where threads, and warps, go.
pub(super) fn head(threads: usize, draw: &mut Draw) -> [String; 2] {
    let declared =
        format!(".shared .align 8 .b64 objects[{threads}];\n  .reg .b32 %object, %v, %u;\n  ");
    let at = (Pool::Word32.start() + draw.below(1024)) * 8;
    let factor = draw.word() as u32 | 1;
    let begun = format!(
        "mov.u32 %object, objects;\n  mad.lo.u32 %object, %t, 8, %object;\n  \
         ld.global.b32 %v, [%in+{at}];\n  mad.lo.u32 %u, %b, 32, %n;\n  \
         mad.lo.u32 %u, %u, {factor}, {factor};\n"
    );
    [declared, begun]
}

impl Body<'_> {
    /// Steps in branches up to a depth.
    pub(super) fn branches(&mut self, steps: &[Step], depth: usize, draw: &mut Draw) -> String {
        let (mut out, mut rest) = (String::new(), steps);
        while !rest.is_empty() {
            let (now, later) = rest.split_at(1 + draw.below(rest.len().min(5)));
            rest = later;
            out += &match depth {
                0 => self.in_turn(now),
                _ => self.framed(now, depth - 1, draw),
            };
        }
        out
    }

    fn in_turn(&mut self, steps: &[Step]) -> String {
        steps.iter().map(|step| self.step(step, company(&step.text))).collect()
    }

    /// Steps in one branch, loop or switch. A word of the warp decides where one of them is the
    /// warp's.
    fn framed(&mut self, steps: &[Step], depth: usize, draw: &mut Draw) -> String {
        let together = steps.iter().any(|step| company(&step.text) == Company::Warp);
        let word = match together {
            true => "%u",
            false => draw.of(&["%v", "%v", "%v", "%lane"]),
        };
        let bit = draw.below(if word == "%lane" { 5 } else { 30 });
        let (label, x) = (self.label(), format!("%x{}", self.label()));
        let c = x.replace('x', "c");
        let mut out =
            format!("  {{\n  .reg .pred {c}; .reg .b32 {x};\n  shr.u32 {x}, {word}, {bit};\n");
        match draw.below(8) {
            0..4 => {
                let (yes, no) = steps.split_at(draw.below(steps.len() + 1));
                let [yes, no] = [yes, no].map(|steps| self.branches(steps, depth, draw));
                let _ = write!(
                    out,
                    "  and.b32 {x}, {x}, 1;\n  setp.ne.u32 {c}, {x}, 0;\n  @!{c} bra {label}E;\n\
                     {yes}  bra {label}J;\n  {label}E:\n{no}  {label}J:\n"
                );
            }
            4..6 => {
                let (body, k) = (self.branches(steps, depth, draw), x.replace('x', "k"));
                let _ = write!(
                    out,
                    "  .reg .b64 {k};\n  mov.u64 {k}, %in;\n  and.b32 {x}, {x}, 3;\n  {label}A:\n  \
                     setp.eq.u32 {c}, {x}, 0;\n  @{c} bra {label}J;\n  sub.u32 {x}, {x}, 1;\n{body}  \
                     add.u64 %in, %in, 8;\n  bra {label}A;\n  {label}J:\n  mov.u64 %in, {k};\n"
                );
            }
            _ => {
                let parts = steps.chunks(steps.len().div_ceil(3));
                let arms: Vec<String> =
                    parts.map(|steps| self.branches(steps, depth, draw)).collect();
                let names: Vec<String> =
                    (0..arms.len()).map(|arm| format!("{label}S{arm}")).collect();
                let _ = write!(
                    out,
                    "  rem.u32 {x}, {x}, {};\n  {label}T: .branchtargets {};\n  brx.idx {x}, {label}T;\n",
                    arms.len(),
                    names.join(", ")
                );
                for (name, arm) in names.iter().zip(arms) {
                    let _ = write!(out, "  {name}:\n{arm}  bra {label}J;\n");
                }
                let _ = writeln!(out, "  {label}J:");
            }
        }
        out + "  }\n"
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thread_by_itself_meets_nobody_and_has_its_own_object() {
        let said = |text| Company::Thread.said(text);
        assert_eq!(said("bar.sync 0;"), "");
        assert_eq!(
            said("@%first mbarrier.init.shared.b64 [object], 1;"),
            "mbarrier.init.shared.b64 [%object], 1;"
        );
        assert_eq!(said("mov.u32 %r1, object;"), "mov.u32 %r1, %object;");
        assert_eq!(Company::Warp.said("bar.sync 0;"), "bar.warp.sync 0xffffffff;");
    }

    #[test]
    fn matrices_are_a_warps_and_barriers_a_blocks() {
        for (text, expected) in [
            ("movmatrix.sync.aligned.m8n8.trans.b16", Company::Warp),
            ("barrier.cluster.arrive", Company::Block),
            ("atom.global.exch.b128", Company::Thread),
            ("vadd.u32.u32.u32", Company::Thread),
            ("mbarrier.arrive.shared.b64", Company::Thread),
            ("mbarrier.arrive_drop.shared.b64", Company::Block),
        ] {
            assert_eq!(company(text), expected, "{text}");
        }
    }
}
