//! Overruns: accesses through the address of one variable that touch bytes outside of it.
//!
//! The machine refuses accesses outside of a block's shared memory or a thread's local memory. An
//! index past the end of an array that is not the last one stays inside of both, and changes its
//! neighbour. This analysis looks at each access with an address that is made from the address of
//! one variable and a computed index (`passes::origins`). It checks whether the access stays in
//! that variable. In the language of the source no pointer into one variable reaches another (C++,
//! [expr.add]).
//!
//! `aliases` looks, on the way, for dynamic shared arrays at one address.
//!
//! Where it can be wrong:
//!
//! - Addresses of unknown origin are not looked at. They came through memory, a call or a choice
//!   among several, or move along in a loop (misses).
//! - Compilers make one variable of a function's local arrays (`__local_depot0`), and PTX does not
//!   say where in it an array ends. A constant may belong to a member as well as to the next array.
//!   Overruns inside it are not seen, nor is local memory of functions other than the kernel
//!   (misses).
//! - An author who knows the layout may reach another variable by a constant. An access that a
//!   constant alone leads out of the variable counts as intended (misses, and no false alarms for
//!   such authors).

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use warpsim_engine::machine::Near;
use warpsim_language::internal::InternalError;

use crate::aliases::{self, Aliases};
use crate::lanes::{LANES, Mask, lanes_of};
use crate::lower::{Kind, Pc, Program, Symbol};
use crate::observe::{
    Access, Accesses, Analysis, EndedRun, Event, HalfWarp, Interest, LaunchFacts, Object, Observer,
    WarpAccess,
};
use crate::passes::{Origin, origins};
use crate::ptx::{Module, Space};
use crate::report::{Code, Finding};

/// A constant up to this many bytes below a variable means a neighbouring cell: `a[i - 1]`.
const NEAR: i64 = 16;

/// Looks for accesses that leave the variable that their address is made from.
#[derive(Clone, Debug, Default)]
pub(crate) struct Overruns {
    launch: Option<LaunchFacts>,
    /// The variables that accesses have to stay in, for the last program.
    plan: Option<(Arc<Program>, Arc<Plan>)>,
    found: BTreeMap<Pc, Found>,
    aliases: Aliases,
}

/// Which accesses have to stay where.
#[derive(Debug, Default)]
struct Plan {
    /// By program counter; empty when there are none.
    bounds: Vec<Option<Arc<Symbol>>>,
    /// The variables that begin at one address.
    aliases: aliases::Plan,
    /// What kept warpsim from finding out.
    bug: Option<InternalError>,
}

/// The overruns of one instruction: the first, and how many there were.
#[derive(Clone, Debug)]
struct Found {
    variable: Arc<Symbol>,
    address: u64,
    bytes: u32,
    block: u64,
    warp: u32,
    lane: u32,
    count: u64,
}

impl Plan {
    fn new(program: &Program, module: &Module) -> Plan {
        let locals = program.functions.first().map_or(&[][..], |kernel| &kernel.locals);
        if program.shared.len() < 2 && locals.len() < 2 {
            return Plan::default();
        }
        let origins = match origins(module) {
            Ok(origins) => origins,
            Err(bug) => return Plan { bug: Some(bug), ..Plan::default() },
        };
        let origins: HashMap<_, _> =
            origins.into_iter().map(|origin| (origin.instruction, origin)).collect();
        let bound = |(operation, place): (&crate::lower::Operation, &crate::lower::Place)| {
            let is_access =
                matches!(operation.kind, Kind::Load(_) | Kind::Store(_) | Kind::Atomic(_));
            let origin = origins.get(&place.instruction).filter(|_| is_access)?;
            let symbols = match origin.space {
                Space::Shared => &program.shared[..],
                _ => locals,
            };
            variable(symbols, origin).map(|symbol| Arc::new(symbol.clone()))
        };
        let bounds: Vec<Option<Arc<Symbol>>> =
            program.operations.iter().zip(&program.places).map(bound).collect();
        let aliases = aliases::Plan::new(program, &origins);
        let bounds = if bounds.iter().all(Option::is_none) { Vec::new() } else { bounds };
        Plan { bounds, aliases, bug: None }
    }
}

/// The variable that an access with this origin has to stay in; `None` where nothing is claimed.
fn variable<'s>(symbols: &'s [Symbol], origin: &Origin) -> Option<&'s Symbol> {
    let mut named = symbols.iter().filter(|symbol| *symbol.name == *origin.variable);
    // Two functions may each have a variable of that name.
    let symbol = named.next().filter(|_| named.next().is_none())?;
    let size = i64::try_from(symbol.size).ok()?;
    // Dynamic shared memory ends where the launch says; the machine knows.
    let is_sized = size > 0;
    let stays_near = (-NEAR..size).contains(&origin.constant);
    (origin.is_computed && is_sized && stays_near).then_some(symbol)
}

fn is_inside(symbol: &Symbol, address: u64, bytes: u32) -> bool {
    let offset = address.wrapping_sub(symbol.address);
    offset.checked_add(u64::from(bytes)).is_some_and(|end| end <= symbol.size)
}

/// The same for all lanes at once.
fn are_inside(symbol: &Symbol, addresses: &[u64; LANES], bytes: u32) -> bool {
    let Some(last) = symbol.size.checked_sub(bytes.into()) else { return false };
    let is_outside = |address: &u64| address.wrapping_sub(symbol.address) > last;
    !addresses.iter().fold(false, |any, address| any | is_outside(address))
}

impl Observer for Overruns {
    fn interest(&self) -> Interest {
        let has_some = self
            .plan
            .as_ref()
            .is_some_and(|(_, plan)| !plan.bounds.is_empty() || !plan.aliases.is_empty());
        Interest::none().with_accesses(has_some)
    }

    fn launch_begin(&mut self, launch: &LaunchFacts) {
        self.found.clear();
        self.aliases.clear();
        let is_known = self.plan.as_ref().is_some_and(|(p, _)| Arc::ptr_eq(p, &launch.program));
        if !is_known {
            let plan = launch.module.as_ref().map(|module| Plan::new(&launch.program, module));
            self.plan = Some((Arc::clone(&launch.program), Arc::new(plan.unwrap_or_default())));
        }
        self.launch = Some(launch.clone());
    }

    fn access(&mut self, event: &Event<'_>, access: &Access<'_>) {
        let Some((_, plan)) = &self.plan else { return };
        self.aliases.access(&plan.aliases, event, access);
        let bound = plan.bounds.get(event.pc as usize).and_then(Option::as_ref);
        let Some(variable) = bound.filter(|symbol| symbol.space == access.space) else { return };
        // In other functions local variables lie where the activation does.
        if access.space == Space::Local && event.function != 0 {
            return;
        }
        let bytes = access.bytes;
        if access.mask == Mask::MAX && are_inside(variable, access.addresses, bytes) {
            return;
        }
        let outside =
            lanes_of(access.mask).filter(|l| !is_inside(variable, access.addresses[*l], bytes));
        for lane in outside {
            let (block, warp) = (event.block, event.warp);
            let found = self.found.entry(event.pc).or_insert_with(|| Found {
                variable: Arc::clone(variable),
                address: access.addresses[lane],
                bytes,
                block,
                warp,
                lane: lane as u32,
                count: 0,
            });
            found.count += 1;
        }
    }

    fn accesses(&mut self, accesses: &Accesses<'_>) {
        let Some((_, plan)) = &self.plan else { return };
        if !plan.aliases.is_empty() {
            return accesses.each(|event, access| self.access(event, access));
        }
        let bound = plan.bounds.get(accesses.pc as usize).and_then(Option::as_ref);
        let Some(variable) = bound.filter(|symbol| symbol.space == accesses.space) else { return };
        let first = accesses.low.checked_sub(variable.address);
        if first.is_some() && accesses.end - variable.address <= variable.size {
            return;
        }
        let bytes = accesses.bytes();
        let is_inside = |half: &HalfWarp| {
            let offset = half.address.wrapping_sub(variable.address);
            let end = offset.checked_add(half.bytes(bytes));
            end.is_some_and(|end| end <= variable.size)
        };
        let are_inside =
            |warp: WarpAccess| warp.halves.is_some_and(|halves| halves.iter().all(is_inside));
        if !accesses.warps().all(are_inside) {
            accesses.each(|event, access| self.access(event, access));
        }
    }

    fn block_end(&mut self, block: u64) {
        self.aliases.block_end(block);
    }
}

impl Analysis for Overruns {
    fn name(&self) -> &'static str {
        "overruns"
    }

    fn looks_for(&self) -> &'static str {
        "memory accesses"
    }

    fn codes(&self) -> &'static [Code] {
        &[Code::OutOfBounds, Code::SharedOverlap]
    }

    fn findings(&mut self, run: &mut dyn EndedRun) -> Vec<Finding> {
        let Some(launch) = self.launch.take() else { return Vec::new() };
        let found = std::mem::take(&mut self.found);
        let outside = found.into_iter().map(|(pc, found)| finding(pc, &found, &launch, run));
        let mut all: Vec<Finding> = outside.collect();
        if let Some((_, plan)) = &self.plan {
            all.extend(self.aliases.findings(&plan.aliases, &launch));
        }
        all
    }

    fn bug(&mut self) -> Option<InternalError> {
        self.plan.as_ref().and_then(|(_, plan)| plan.bug.clone())
    }

    fn boxed(&self) -> Box<dyn Analysis> {
        Box::new(self.clone())
    }
}

fn finding(pc: Pc, found: &Found, launch: &LaunchFacts, run: &dyn EndedRun) -> Finding {
    let Found { variable, address, bytes, block, warp, lane, count } = found;
    let name = object(variable.address, variable.space, launch, run).name;
    let name = name.unwrap_or_else(|| variable.name.to_string());
    let hit = object(*address, variable.space, launch, run);
    let near = Near { base: variable.address, bytes: variable.size, name: None };
    let mut what = format!(
        "an access of {bytes} bytes {} `{name}`, which has {} bytes",
        near.missed_by(*address),
        variable.size,
    );
    if hit.name.as_ref().is_some_and(|other| *other != name) {
        what += &format!(": it is one to {hit}");
    }
    let mut finding = Finding::of(Code::OutOfBounds, what);
    finding.space = Some(variable.space);
    finding.address = Some(*address);
    finding.sites = vec![launch.site(*block, *warp, *lane, pc)];
    finding.count = *count;
    finding.notes = vec![format!("the address is `{name}` plus an index that leads out of it")];
    finding.object = Some(name);
    finding
}

/// The object at an address. In local memory it belongs to the kernel's own activation.
fn object(address: u64, space: Space, launch: &LaunchFacts, run: &dyn EndedRun) -> Object {
    if space != Space::Local {
        return run.object(space, address);
    }
    let locals = launch.program.functions.first().map_or(&[][..], |kernel| &kernel.locals);
    let at = locals.iter().find(|symbol| is_inside(symbol, address, 1));
    match at {
        Some(symbol) => Object {
            name: Some(symbol.name.to_string()),
            argument: None,
            offset: address - symbol.address,
        },
        None => Object { offset: address, ..Object::default() },
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::ptx::Type;

    proptest! {
        #[test]
        fn all_lanes_are_inside_when_each_is(
            near in proptest::array::uniform32(0..70_u64), odd in any::<u64>(), lane in 0..LANES, is_odd: bool,
            size in 0..80_u64, bytes in 1..17_u32,
        ) {
            let symbol = Symbol { name: "s".into(), space: Space::Shared, ty: Type::U8, address: 16, size };
            let mut addresses = near;
            if is_odd {
                addresses[lane] = odd;
            }
            let each = addresses.iter().all(|address| is_inside(&symbol, *address, bytes));
            prop_assert_eq!(are_inside(&symbol, &addresses, bytes), each);
        }
    }
}
