//! Branches at which threads of a block do not diverge if they arrived the same way.
//!
//! A branch is *uniform* if its condition is the same in all threads of a block: it follows from
//! constants, from parameters, and from where the block is. Then threads that are there together go
//! on together, and none passes by the threads that wait behind it. So nothing has to be counted
//! for it. A loop with the same number of trips for all, which contains most barriers in loops,
//! runs as fast as without the analysis.
//!
//! A register *varies* when threads may hold different values in it. This has two causes. A varying
//! value is written to it (from memory, from the number of the thread, from lanes or the time). Or
//! it is written between a branch that is not uniform and the place where its sides meet, on a path
//! that only some threads take (Coutinho et al., "Divergence analysis and optimizations", PACT
//! 2011). A write in a loop that threads leave after different numbers of trips is on such a path.
//!
//! Direction of error: it never calls a varying value uniform, but often a uniform one varying. A
//! register counts as one, whatever it holds at different places. Values read from memory vary, and
//! so does everything in programs with several functions.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::ops::Range;

use rustc_hash::FxBuildHasher;

use super::graph::{Graph, flood};
use crate::lower::{EXIT, Effect, Operand, Origin, Pc, Purpose, Register, Role};

/// Which registers of a program vary.
#[derive(Debug)]
pub(super) struct Uniform {
    /// The registers that vary; `None` if nothing is known.
    varying: Option<HashSet<Register, FxBuildHasher>>,
}

impl Uniform {
    pub(super) fn new(graph: &Graph<'_>) -> Uniform {
        if graph.program.functions.len() > 1 {
            return Uniform { varying: None };
        }
        let all = 0..graph.program.operations.len() as Pc;
        let mut search = Search::new(graph, all.clone());
        all.for_each(|pc| search.look_at(pc));
        while let Some(pc) = search.work.pop() {
            search.look_at(pc);
        }
        Uniform { varying: Some(search.varying) }
    }

    /// Whether all threads that reach an operation the same way decide alike there.
    pub(super) fn is_uniform_at(&self, graph: &Graph<'_>, pc: Pc) -> bool {
        let Some(varying) = &self.varying else { return false };
        !graph.operation(pc).operands().iter().any(|operand| decides(operand, varying))
    }
}

/// The blocks of the kernel itself that only some threads of a thread block reach, or that some
/// reach more often. The return value of a function counts as varying.
pub(crate) fn apart_in_kernel(graph: &Graph<'_>) -> BTreeSet<usize> {
    let kernel = graph.program.functions.first().map_or(0..0, |kernel| kernel.entry..kernel.end);
    let mut search = Search::new(graph, kernel.clone());
    kernel.for_each(|pc| search.look_at(pc));
    while let Some(pc) = search.work.pop() {
        search.look_at(pc);
    }
    search.any_apart.into_iter().collect()
}

/// Whether an operand decides what a thread does, and varies.
fn decides(operand: &Operand, varying: &HashSet<Register, FxBuildHasher>) -> bool {
    operand.role == Role::Reads(Purpose::Decision) && varying.contains(&operand.register)
}

/// The search for what varies: the least fixed point. An operation is looked at again when
/// something that it reads has been found to vary, or that it is on a way which some threads take.
struct Search<'g, 'p> {
    graph: &'g Graph<'p>,
    /// The operations that read a register.
    readers: HashMap<Register, Vec<Pc>, FxBuildHasher>,
    varying: HashSet<Register, FxBuildHasher>,
    /// The blocks that only some threads reach, by the place where these threads meet again.
    /// [`EXIT`] if they do not.
    apart: BTreeMap<Pc, HashSet<usize, FxBuildHasher>>,
    /// The blocks of all these places.
    any_apart: HashSet<usize, FxBuildHasher>,
    /// Operations to be looked at.
    work: Vec<Pc>,
}

impl<'g, 'p> Search<'g, 'p> {
    /// A search in some operations.
    fn new(graph: &'g Graph<'p>, pcs: Range<Pc>) -> Search<'g, 'p> {
        let mut readers: HashMap<Register, Vec<Pc>, FxBuildHasher> = HashMap::default();
        for pc in pcs {
            for operand in graph.operation(pc).operands() {
                match operand.role {
                    Role::Reads(_) => readers.entry(operand.register).or_default().push(pc),
                    Role::Writes(_) => {}
                }
            }
        }
        Search {
            graph,
            readers,
            varying: HashSet::default(),
            apart: BTreeMap::new(),
            any_apart: HashSet::default(),
            work: Vec::new(),
        }
    }

    /// Finds the consequences of an operation, with the facts known so far.
    fn look_at(&mut self, pc: Pc) {
        let operands = self.graph.operation(pc).operands();
        let is_apart = self.any_apart.contains(&self.graph.block_of(pc));
        let reads = |operand: &Operand| match operand.role {
            Role::Reads(_) => self.varying.contains(&operand.register),
            Role::Writes(_) => false,
        };
        let passes_on = is_apart || self.meets(pc) || operands.iter().any(reads);
        let is_parting = operands.iter().any(|operand| decides(operand, &self.varying));
        for operand in operands {
            let varies = match operand.role {
                Role::Reads(_) => false,
                Role::Writes(origin) => match origin {
                    Origin::Values | Origin::Address | Origin::Members | Origin::Launch => {
                        passes_on
                    }
                    Origin::Thread | Origin::Memory | Origin::Schedule | Origin::Callee => true,
                },
            };
            if varies && self.varying.insert(operand.register) {
                self.work.extend(self.readers.get(&operand.register).into_iter().flatten());
            }
        }
        if is_parting {
            self.part(pc);
        }
    }

    /// Whether threads do something together at an operation: the result depends on which threads
    /// are there.
    fn meets(&self, pc: Pc) -> bool {
        match self.graph.operation(pc).kind.effect() {
            Effect::Barrier(_) | Effect::Warp(_) | Effect::Cluster(_) => true,
            Effect::Registers
            | Effect::Memory(..)
            | Effect::Fence(_)
            | Effect::Asynchronous(_)
            | Effect::Mbarrier(_)
            | Effect::ProxyFence
            | Effect::Jump { .. }
            | Effect::Call(_)
            | Effect::Runtime(_)
            | Effect::Leave(_) => false,
        }
    }

    /// Threads diverge at an operation: the values written on their paths vary.
    fn part(&mut self, pc: Pc) {
        // A thread that leaves the kernel, or executes something that others do not, takes no other
        // path. Its results vary.
        let effect = self.graph.operation(pc).kind.effect();
        let Some(reconverge) = effect.reconvergence() else { return };
        let graph = self.graph;
        let meeting = (reconverge != EXIT).then(|| graph.block_of(reconverge));
        let ends = |block: usize| Some(block) == meeting || graph.is_idle_block(block);
        let sides: Vec<usize> =
            graph.targets(pc).into_iter().map(|pc| graph.block_of(pc)).collect();
        // Threads with something left to do are still together if all of them are on one side.
        if sides.iter().filter(|side| !graph.is_idle_block(**side)).count() < 2 {
            return;
        }
        let known = self.apart.entry(reconverge).or_default();
        let is_new = |block: &usize| !ends(*block) && !known.contains(block);
        let found = flood(sides.into_iter().filter(is_new), |block| {
            graph.successors[block].iter().copied().filter(is_new)
        });
        known.extend(&found);
        for block in found {
            if self.any_apart.insert(block) {
                self.work.extend(graph.pcs(block));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lower::{Placement, lower};

    /// Whether each conditional branch of a kernel is uniform, in the order of the text.
    fn uniform(body: &str) -> Vec<bool> {
        let text = format!(
            ".version 7.8 .target sm_80 .address_size 64
             .visible .entry k(.param .u32 n, .param .u64 p) {{
               .reg .u64 %a<4>; .reg .u32 %t, %n, %b, %r<9>; .reg .pred %p<9>; .reg .pred %q; .shared .u32 s;
               ld.param.u32 %n, [n]; mov.u32 %t, %tid.x; mov.u32 %b, %ctaid.x; ld.param.u64 %a0, [p];
               setp.lt.u32 %q, %t, 7;
               {body}
               st.global.u32 [%a0], %n;
               ret; }}"
        );
        let module = crate::ptx::parse("k.ptx", &text).expect("valid");
        let program = lower(&module, "k", &Placement::default()).expect("lowers");
        let graph = Graph::new(&program);
        let uniform = Uniform::new(&graph);
        let branches = (0..program.operations.len() as Pc).filter(|pc| {
            let is_jump = matches!(graph.operation(*pc).kind.effect(), Effect::Jump { .. });
            is_jump && graph.targets(*pc).len() > 1
        });
        branches.map(|pc| uniform.is_uniform_at(&graph, pc)).collect()
    }

    #[test]
    fn what_follows_from_the_launch_alone_is_uniform() {
        for value in [
            "mov.u32 %r1, %n;",
            "mov.u32 %r1, %ntid.y;",
            "mad.lo.u32 %r1, %b, %n, 3;",
            "cvt.u64.u32 %a1, %b; ld.const.u32 %r1, [%a1];",
            "setp.eq.u32 %p1, %n, 3; selp.u32 %r1, %n, %b, %p1; @%p1 add.u32 %r1, %r1, 1;",
            "add.cc.u32 %r0, %n, %b; addc.u32 %r1, 0, 0;",
        ] {
            let body = format!("{value} setp.ne.u32 %p2, %r1, 0; @%p2 bra L; bar.sync 0; L:");
            assert_eq!(uniform(&body), [true], "{value}");
        }
    }

    #[test]
    fn what_differs_between_threads_is_not() {
        for value in [
            "mov.u32 %r1, %t;",
            "mov.u32 %r1, %laneid;",
            "mov.u32 %r1, %warpid;",
            "mov.u32 %r1, %lanemask_lt;",
            "mov.u32 %r1, %clock;",
            "ld.shared.u32 %r1, [s];",
            "ld.global.u32 %r1, [%a0];",
            "atom.global.add.u32 %r1, [%a0], 1;",
            "mul.wide.u32 %a1, %t, 4; ld.const.u32 %r1, [%a1];",
            "activemask.b32 %r1;",
            "shfl.sync.idx.b32 %r1, %n, 0, 31, -1;",
            "mov.u32 %r1, 0; @%q mov.u32 %r1, 1;",
            "selp.u32 %r1, 0, 1, %q;",
            "add.cc.u32 %r0, %t, -1; addc.u32 %r1, 0, 0;",
        ] {
            let body = format!("{value} setp.ne.u32 %p2, %r1, 0; @%p2 bra L; bar.sync 0; L:");
            assert_eq!(uniform(&body), [false], "{value}");
        }
    }

    #[test]
    fn what_is_written_where_some_threads_are_varies_behind_it() {
        let then = "setp.eq.u32 %p2, %r1, 0; @%p2 bra M; bar.sync 0; M:";
        let on_one_side = "mov.u32 %r1, 0; @%q bra L; mov.u32 %r1, 1; L:";
        assert_eq!(uniform(&format!("{on_one_side} {then}")), [false, false]);
        // Two writes of one value are two writes.
        let on_both = "@%q bra L; mov.u32 %r1, 1; bra X; L: mov.u32 %r1, 1; X:";
        assert_eq!(uniform(&format!("{on_both} {then}")), [false, false]);
        let alike = "setp.eq.u32 %p1, %n, 0; mov.u32 %r1, 0; @%p1 bra L; mov.u32 %r1, 1; L:";
        assert_eq!(uniform(&format!("{alike} {then}")), [true, true]);
        let elsewhere = "mov.u32 %r1, %n; @%q bra L; mov.u32 %r2, 1; L:";
        assert_eq!(uniform(&format!("{elsewhere} {then}")), [false, true]);
        let indexed =
            "mov.u32 %r1, 0; ts: .branchtargets L, K; brx.idx %t, ts; K: mov.u32 %r1, 1; L:";
        assert_eq!(uniform(&format!("{indexed} {then}")), [false, false]);
    }

    #[test]
    fn a_loop_is_uniform_where_all_leave_it_after_as_many_trips() {
        let trips = |last: &str| {
            format!(
                "mov.u32 %r1, 0; L: bar.sync 0; add.u32 %r1, %r1, 1; setp.lt.u32 %p1, %r1, {last}; @%p1 bra L;
                 setp.eq.u32 %p2, %r1, 3; @%p2 bra M; bar.sync 0; M:"
            )
        };
        assert_eq!(uniform(&trips("%n")), [true, true]);
        // What has been counted differs when threads leave it one after the other.
        assert_eq!(uniform(&trips("%t")), [false, false]);
    }

    #[test]
    fn those_who_go_on_are_together_where_the_others_leave_the_kernel() {
        let then = "add.u32 %r1, %n, 1; setp.eq.u32 %p2, %r1, 3; @%p2 bra M; bar.sync 0; M:";
        assert_eq!(uniform(&format!("@!%q bra L; ret; L: {then}")), [false, true]);
        assert_eq!(
            uniform(&format!("@%q bra END; {then} st.global.u32 [%a0], 1; END: @%q ret;")),
            [false, false]
        );
        let in_a_loop = "mov.u32 %r1, 0; L: @!%q bra K; ret; K: bar.sync 0; add.u32 %r1, %r1, 1;
            setp.lt.u32 %p1, %r1, %n; @%p1 bra L;";
        assert_eq!(uniform(in_a_loop), [false, true]);
        // Some store before they leave.
        assert_eq!(
            uniform(&format!("@!%q bra L; st.global.u32 [%a0], 1; ret; L: {then}")),
            [false, true]
        );
    }
}
