//! Kernels with synchronisation added, to judge a launch again as if it had been there.
//!
//! The module stays loaded as it is. Its variables, functions and textures keep their addresses, so
//! the same launch from the same memory can run the other program.

use std::sync::Arc;

use super::{Loaded, Simulator};
use crate::admitted::Admitted;
use crate::error::DeviceError;
use crate::lower::{self, Program};
use crate::parameters::kernel_named;
use crate::passes::{self, Side, Synchronisation};
use crate::ptx::InstId;

impl Simulator {
    /// The kernel of a launch with synchronisation added beside some instructions, at the same
    /// addresses.
    ///
    /// # Errors
    /// The module is gone, or does not have the instruction that synchronises in its version of
    /// PTX.
    pub(crate) fn synchronised(
        &self,
        admitted: &Admitted,
        what: Synchronisation,
        places: &[(InstId, Side)],
    ) -> Result<Arc<Program>, DeviceError> {
        let Loaded { module, placement, .. } = self.loaded(admitted.module)?;
        let module = passes::synchronised(module, what, places);
        let kernel = kernel_named(&module, &admitted.kernel)?;
        lower::lower(&module, kernel, placement).map(Arc::new).map_err(DeviceError::Program)
    }
}
