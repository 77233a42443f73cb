//! Variables of shared memory, as the page of a trace shows them, and the types with which steps
//! access memory.

use serde::{Deserialize, Serialize};
use warpsim::element::ElementType;
use warpsim::lanes::lanes_of;
use warpsim::lower::Symbol;
use warpsim::names;
use warpsim::observe::{Step, Touch};
use warpsim::ptx::Space;

/// A variable of shared memory.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Variable {
    name: String,
    address: u64,
    bytes: u64,
    #[serde(rename = "type")]
    ty: String,
}

impl Variable {
    /// A variable of a program, after these steps. One without a size has what the launch gives.
    /// Compilers declare bytes, whatever the source says: then the first access says the type of a
    /// cell.
    pub fn of(symbol: &Symbol, dynamic: u32, steps: &[Step]) -> Variable {
        let bytes = if symbol.size == 0 { dynamic.into() } else { symbol.size };
        let declared = symbol.ty.to_string().trim_start_matches('.').to_owned();
        let is_bytes = matches!(&*declared, "b8" | "u8" | "s8");
        let accessed = type_of_accesses(steps, Space::Shared, symbol.address, bytes);
        Variable {
            name: names::variable(&symbol.name).into_owned(),
            address: symbol.address,
            bytes,
            ty: accessed.filter(|_| is_bytes).map_or(declared, |ty| ty.to_string()),
        }
    }
}

/// The type with which steps first access memory in some bytes: the end of an operation. `None`
/// where no step does, or where it is no number.
pub fn type_of_accesses(
    steps: &[Step],
    space: Space,
    start: u64,
    bytes: u64,
) -> Option<ElementType> {
    let lies_there = |at: u64| at >= start && at < start.saturating_add(bytes);
    let is_there = |touch: &Touch| {
        touch.space == space && lanes_of(touch.mask).any(|lane| lies_there(touch.addresses[lane]))
    };
    steps.iter().filter(|step| step.touches.iter().any(is_there)).find_map(|step| {
        let (_, ty) = step.name.rsplit_once('.')?;
        ty.parse().ok()
    })
}
