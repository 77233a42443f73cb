//! Bank conflicts: a warp instruction that accesses shared memory in several passes.
//!
//! Shared memory has 32 banks, and successive words of 32 bits lie in successive banks (CUDA C++
//! Programming Guide, "Shared Memory"). Lanes that access different words of one bank are served
//! one after the other. Lanes that access the same word are served together. The *degree* of a
//! conflict is the largest number of different words requested from one bank. The lower and the
//! upper half of a warp make an access of 8 bytes in turn, and the quarters an access of 16 bytes.
//! So only lanes of one part can conflict.
//!
//! Where it can be wrong: hardware may join such parts, which is not modelled (it reports a
//! conflict that costs nothing). Atomics count as plain accesses (it misses that lanes at one word
//! are also served one after the other).

use std::collections::BTreeMap;

use crate::lanes::lanes_of;
use crate::lower::Pc;
use crate::observe::{Access, Analysis, EndedRun, Event, Interest, LaunchFacts, Observer};
use crate::ptx::Space;
use crate::report::{Code, Finding};

/// Banks of shared memory.
const BANKS: u64 = 32;

/// Looks for bank conflicts.
#[derive(Clone, Debug, Default)]
pub(crate) struct BankConflicts {
    launch: Option<LaunchFacts>,
    found: BTreeMap<Pc, Found>,
}

/// The conflicts of one instruction.
#[derive(Clone, Debug)]
struct Found {
    /// The highest degree.
    degree: usize,
    /// Where it first was that high: block, warp, lane, and the lane's address.
    block: u64,
    warp: u32,
    lane: u32,
    address: u64,
    /// Executions with a conflict, and all.
    conflicts: u64,
    executions: u64,
}

/// The most words that one bank is asked for, and a lane that asks for one of them.
fn degree(access: &Access<'_>) -> (usize, usize) {
    let parts = (access.bytes / 4).clamp(1, 4);
    let lanes = 32 / parts;
    let mut worst = (1, access.mask.trailing_zeros() as usize);
    for part in 0..parts {
        let members = (u32::MAX >> (32 - lanes)) << (part * lanes) & access.mask;
        let (mut words, mut of_bank) = (Vec::new(), [0; BANKS as usize]);
        for lane in lanes_of(members) {
            let address = access.addresses[lane];
            for word in address / 4..=(address + u64::from(access.bytes) - 1) / 4 {
                if !words.contains(&word) {
                    words.push(word);
                    let bank = (word % BANKS) as usize;
                    of_bank[bank] += 1;
                    if of_bank[bank] > worst.0 {
                        worst = (of_bank[bank], lane);
                    }
                }
            }
        }
    }
    worst
}

impl Observer for BankConflicts {
    fn interest(&self) -> Interest {
        let has_shared = self.launch.as_ref().is_some_and(|launch| launch.shared_bytes > 0);
        Interest::none().with_accesses(has_shared)
    }

    fn launch_begin(&mut self, launch: &LaunchFacts) {
        self.launch = Some(launch.clone());
        self.found.clear();
    }

    fn access(&mut self, event: &Event<'_>, access: &Access<'_>) {
        if access.space != Space::Shared {
            return;
        }
        let (degree, lane) = degree(access);
        let (block, warp) = (event.block, event.warp);
        let address = access.addresses[lane];
        let first =
            Found { degree, block, warp, lane: lane as u32, address, conflicts: 0, executions: 0 };
        let found = self.found.entry(event.pc).or_insert_with(|| first.clone());
        if degree > found.degree {
            *found = Found { conflicts: found.conflicts, executions: found.executions, ..first };
        }
        found.executions += 1;
        found.conflicts += u64::from(degree > 1);
    }
}

impl Analysis for BankConflicts {
    fn name(&self) -> &'static str {
        "bank-conflicts"
    }

    fn looks_for(&self) -> &'static str {
        "bank conflicts"
    }

    fn codes(&self) -> &'static [Code] {
        &[Code::BankConflict]
    }

    fn findings(&mut self, run: &mut dyn EndedRun) -> Vec<Finding> {
        let Some(launch) = self.launch.take() else { return Vec::new() };
        let conflicts = std::mem::take(&mut self.found).into_iter().filter(|(_, f)| f.degree > 1);
        let finding = |(pc, found): (Pc, Found)| {
            let object = run.object(Space::Shared, found.address);
            let name =
                object.name.as_ref().map_or_else(String::new, |name| format!(" in `{name}`"));
            let what = format!(
                "{}-way bank conflict: lanes of one warp access {0} different words of one bank of \
                 shared memory{name}",
                found.degree
            );
            let mut finding = Finding::of(Code::BankConflict, what);
            finding.space = Some(Space::Shared);
            finding.address = Some(found.address);
            finding.object = object.name;
            finding.sites = vec![launch.site(found.block, found.warp, found.lane, pc)];
            finding.count = found.conflicts;
            finding.notes = vec![format!(
                "{} of {} executions of this instruction have a conflict; {} is the highest degree",
                found.conflicts, found.executions, found.degree
            )];
            let help = "let neighbouring lanes access neighbouring words, or pad the rows of a tile by \
                        one word: `tile[32][33]`";
            finding.help = Some(help.to_owned());
            finding
        };
        conflicts.map(finding).collect()
    }

    fn boxed(&self) -> Box<dyn Analysis> {
        Box::new(self.clone())
    }
}
