//! Dynamic shared arrays at one address: all `extern __shared__` variables of a kernel begin where
//! its dynamic shared memory does (CUDA C++ Programming Guide, "__shared__"; PTX ISA 5.1.7). A
//! kernel that uses two of them as two arrays reads in one the values written to the other.
//!
//! The analysis reports a read through one variable if the last write to those bytes, in the same
//! block, went through another one. The variable of an access is the one that its address is made
//! from (`passes::origins`).
//!
//! Where it can be wrong: some programs intend this, and look at one memory through two types. So
//! the finding is a note. Accesses whose variable is not known are not reported, and their writes
//! are forgotten (misses).

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use rustc_hash::FxBuildHasher;

use crate::lanes::lanes_of;
use crate::lower::{Pc, Program};
use crate::observe::{Access, AccessKind, Event, LaunchFacts};
use crate::passes::Origin;
use crate::ptx::{InstId, Space};
use crate::report::{Code, Finding};
use warpsim_language::names;

/// A thread at an instruction: block, warp, lane.
type Who = (Pc, u64, u32, u32);

/// The last write of a word: through which of the variables, and whose.
type Written = (usize, Who);

/// A read of what was written through another variable.
#[derive(Clone, Copy, Debug)]
struct Found {
    read: (usize, Who),
    written: Written,
    address: u64,
    count: u64,
}

/// The variables of a program that begin at one address, and the accesses through them.
#[derive(Debug, Default)]
pub(crate) struct Plan {
    names: Vec<Arc<str>>,
    /// By program counter: which of the names; empty when there are no two.
    variables: Vec<Option<usize>>,
}

impl Plan {
    pub(crate) fn new(program: &Program, origins: &HashMap<InstId, Origin>) -> Plan {
        let dynamic: Vec<Arc<str>> =
            program.shared.iter().filter(|s| s.size == 0).map(|s| Arc::clone(&s.name)).collect();
        let variable = |place: &crate::lower::Place| {
            let origin = origins.get(&place.instruction).filter(|o| o.space == Space::Shared)?;
            dynamic.iter().position(|name| *name == origin.variable)
        };
        let variables: Vec<Option<usize>> = program.places.iter().map(variable).collect();
        let mut used = variables.iter().flatten();
        let first = used.next();
        match used.any(|other| Some(other) != first) {
            true => Plan { names: dynamic, variables },
            false => Plan::default(),
        }
    }

    /// Whether there is nothing to look for.
    pub(crate) fn is_empty(&self) -> bool {
        self.variables.is_empty()
    }
}

/// Looks for reads through one variable of what was written through another.
#[derive(Clone, Debug, Default)]
pub(crate) struct Aliases {
    /// By block and word of its shared memory.
    written: HashMap<(u64, u64), Written, FxBuildHasher>,
    /// By the variables.
    found: BTreeMap<(usize, usize), Found>,
}

impl Aliases {
    /// A launch begins.
    pub(crate) fn clear(&mut self) {
        self.written.clear();
        self.found.clear();
    }

    pub(crate) fn access(&mut self, plan: &Plan, event: &Event<'_>, access: &Access<'_>) {
        if plan.is_empty() || access.space != Space::Shared {
            return;
        }
        let variable = plan.variables.get(event.pc as usize).copied().flatten();
        for lane in lanes_of(access.mask) {
            let who = (event.pc, event.block, event.warp, lane as u32);
            let address = access.addresses[lane];
            let end = address.saturating_add(access.bytes.into());
            for word in address / 4..end.div_ceil(4) {
                match access.kind {
                    AccessKind::Read => self.read(variable, who, word),
                    AccessKind::Write => self.write(variable, who, word),
                    AccessKind::Atomic => {
                        self.read(variable, who, word);
                        self.write(variable, who, word);
                    }
                }
            }
        }
    }

    fn read(&mut self, variable: Option<usize>, who: Who, word: u64) {
        let (Some(variable), (_, block, ..)) = (variable, who) else { return };
        let Some(written) = self.written.get(&(block, word)) else { return };
        if written.0 == variable {
            return;
        }
        let found = Found { read: (variable, who), written: *written, address: word * 4, count: 0 };
        self.found.entry((variable, written.0)).or_insert(found).count += 1;
    }

    fn write(&mut self, variable: Option<usize>, who: Who, word: u64) {
        let (_, block, ..) = who;
        match variable {
            Some(variable) => self.written.insert((block, word), (variable, who)),
            None => self.written.remove(&(block, word)),
        };
    }

    /// A block has ended.
    pub(crate) fn block_end(&mut self, block: u64) {
        self.written.retain(|(of, _), _| *of != block);
    }

    /// What was found, and forgets it: a note for each two variables.
    pub(crate) fn findings(&mut self, plan: &Plan, launch: &LaunchFacts) -> Vec<Finding> {
        let found = std::mem::take(&mut self.found);
        found.into_values().map(|found| finding(&found, plan, launch)).collect()
    }
}

fn finding(found: &Found, plan: &Plan, launch: &LaunchFacts) -> Finding {
    let name =
        |variable: usize| names::variable(plan.names.get(variable).map_or("", |name| &**name));
    let (reads, writes) = (name(found.read.0), name(found.written.0));
    let mut finding = Finding::of(
        Code::SharedOverlap,
        format!(
            "`{reads}` holds a value that was written to `{writes}`: both begin where dynamic \
             shared memory begins"
        ),
    );
    finding.space = Some(Space::Shared);
    finding.address = Some(found.address);
    finding.object = Some(reads.clone().into_owned());
    let site = |(pc, block, warp, lane): Who| launch.site(block, warp, lane, pc);
    finding.sites = vec![site(found.read.1), site(found.written.1)];
    finding.count = found.count;
    finding.notes = vec![
        "all `extern __shared__` variables of a kernel lie at one address: (2) reads through one what (1) wrote \
         through the other"
            .to_owned(),
    ];
    finding.help = Some(format!(
        "for two arrays, declare one, and make `{reads}` or `{writes}` a pointer past the other's \
         elements"
    ));
    finding
}
