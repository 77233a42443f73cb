//! Variables of shared memory, as the page of a trace shows them.

use serde::Serialize;
use warpsim::element::ElementType;
use warpsim::lanes::lanes_of;
use warpsim::lower::Symbol;
use warpsim::names;
use warpsim::observe::{Step, Touch};
use warpsim::ptx::Space;

/// A variable of shared memory.
#[derive(Debug, Serialize)]
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
        let accessed = steps.iter().find_map(|step| type_of_access(step, symbol.address, bytes));
        Variable {
            name: names::variable(&symbol.name).into_owned(),
            address: symbol.address,
            bytes,
            ty: accessed.filter(|_| is_bytes).unwrap_or(declared),
        }
    }
}

/// The type with which a step accesses shared memory in some bytes: the end of its operation.
fn type_of_access(step: &Step, start: u64, bytes: u64) -> Option<String> {
    let lies_there = |at: u64| at >= start && at < start.saturating_add(bytes);
    let is_there = |touch: &Touch| {
        let mut lanes = lanes_of(touch.mask);
        touch.space == Space::Shared && lanes.any(|lane| lies_there(touch.addresses[lane]))
    };
    let (_, ty) = step.name.rsplit_once('.')?;
    (step.touches.iter().any(is_there) && ty.parse::<ElementType>().is_ok()).then(|| ty.to_owned())
}
