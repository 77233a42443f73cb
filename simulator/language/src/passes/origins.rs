//! Which variable an access's address is made from.
//!
//! An address that is the sum of one variable's address, numbers, and values that name no variable
//! originates from that variable. In the language it was compiled from it is a pointer into it. No
//! compiler knows the distance between two variables, so none reaches one from another. Origins are
//! given for shared and local memory. If two paths disagree about a register, it holds a new value
//! and no origin is known (misses, and no false claims). This affects a pointer that moves along in
//! a loop, or that is chosen among several.

use std::collections::HashSet;
use std::sync::Arc;

use super::numbering::Numbering;
use super::policy::Policy;
use crate::internal::InternalError;
use crate::passes::function::body::Body;
use crate::passes::function::cfg::Cfg;
use crate::passes::function::effects::{self, Effect};
use crate::ptx::{InstId, Module, Space};

/// A function with more blocks times registers than this is left out.
const MOST_PAIRS: usize = 10_000_000;

/// Where the address of an access comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Origin {
    /// The instruction.
    pub instruction: InstId,
    /// Shared or local memory.
    pub space: Space,
    /// The variable.
    pub variable: Arc<str>,
    /// The constant part of the sum, in bytes: the distance from the variable's address if the rest
    /// is zero.
    pub constant: i64,
    /// There is a rest: the address is computed, and not just a number from the variable's.
    pub is_computed: bool,
}

/// The origins that are known, function by function in the order of the text.
///
/// # Errors
/// A bug in warpsim.
///
/// ```
/// let text = ".version 7.0 .target sm_70 .address_size 64
///   .visible .entry k() { .shared .u32 a[8]; .reg .u32 %t, %o;
///     mov.u32 %t, %tid.x;
///     shl.b32 %t, %t, 2;
///     mov.u32 %o, a;
///     add.u32 %o, %o, %t;
///     st.shared.u32 [%o+4], 1;
///     ret; }";
/// let origins = warpsim::passes::origins(&warpsim::ptx::parse("k.ptx", text)?)?;
/// assert_eq!((&*origins[0].variable, origins[0].constant), ("a", 4));
/// assert!(origins[0].is_computed);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn origins(module: &Module) -> Result<Vec<Origin>, InternalError> {
    let mut found = Vec::new();
    for function in module.functions() {
        // What declares a name twice is refused when it is lowered.
        let Ok(Some(body)) = Body::new(module, function, &HashSet::new()) else { continue };
        let Some(cfg) = Cfg::new(&body) else { continue };
        let pairs = cfg.blocks.len().checked_mul(body.registers().len());
        if pairs.is_some_and(|pairs| pairs <= MOST_PAIRS) {
            of_function(&body, &cfg, &mut found)?;
        }
    }
    Ok(found)
}

fn of_function(body: &Body<'_>, cfg: &Cfg, found: &mut Vec<Origin>) -> Result<(), InternalError> {
    let accesses: Vec<Effect> =
        body.sites.iter().map(|site| effects::access(body, site.inst)).collect();
    let numbering = Numbering::new(body, cfg, &accesses, &Policy::ALL)?;
    for (site, place) in body.sites.iter().zip(&numbering.places) {
        let Some(place) = place else { continue };
        let Some(space @ (Space::Shared | Space::Local)) = place.space else { continue };
        let parts = numbering.values.parts(place.address);
        let [variable] = parts.variables[..] else { continue };
        let variable = body.variables.get(variable.0 as usize).filter(|v| v.space == space);
        if place.root.is_some()
            && let Some(variable) = variable
        {
            found.push(Origin {
                instruction: site.inst.id,
                space,
                variable: Arc::clone(&variable.name),
                constant: parts.constant,
                is_computed: parts.is_computed,
            });
        }
    }
    Ok(())
}
