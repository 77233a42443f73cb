//! Commands that the contract names and that do not exist yet: each says so, and what there is.

use crate::failure::{Exit, Failure};

/// A command that is not built yet and needs a GPU.
pub(super) fn needs_gpu(command: &str) -> Result<Exit, Failure> {
    Err(Failure::Missing {
        message: format!("`warpsim {command}` is not built yet, and neither is running on a GPU"),
        help: Some("`warpsim run` runs on the simulator".to_owned()),
    })
}
