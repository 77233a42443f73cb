//! The part of a launch that a page shows, traced by this process or by a process of a program.

use std::collections::BTreeSet;
use std::path::PathBuf;

use serde_json::Value;
use warpsim::host::Launch;
use warpsim::report::Outcome;
use warpsim_formats::shared::Variable;
use warpsim_formats::traced::TextFile;

use crate::launch::device::Ran;
use crate::launch::state::BufferState;
use crate::statistics::MachineRow;

/// What a page shows of a launch.
pub(crate) struct Shown {
    pub(crate) kernel: String,
    pub(crate) launch: Launch,
    pub(crate) ran: Ran,
    pub(crate) ptx: TextFile,
    /// The PTX file, beside which sources are looked for.
    pub(crate) file: PathBuf,
    /// The source files that steps name.
    pub(crate) sources: BTreeSet<String>,
    pub(crate) shared: Vec<Variable>,
    /// The steps, as `trace --format json` writes them, with equal lanes written once.
    pub(crate) rows: Vec<Value>,
    /// How many steps follow those.
    pub(crate) left_out: u64,
    pub(crate) outcome: Outcome,
    /// How the launch used the machine; `None` where it did not begin.
    pub(crate) machine: Option<MachineRow>,
    pub(crate) buffers: Vec<BufferState>,
}

impl Shown {
    /// The schedule that it ran under.
    pub(super) fn schedule(&self) -> &str {
        match &self.ran {
            Ran::Simulated { schedule, .. } => schedule,
            Ran::OnGpu { name, .. } => name,
        }
    }
}
