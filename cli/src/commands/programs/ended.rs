//! How a program ended on a device.

use warpsim::host::Device;
use warpsim::ptx::Module;
use warpsim::report::Outcome;
use warpsim_programs::{Numbers, Program, RunError, Variant};

/// The result of a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Ended {
    pub(super) outcome: Outcome,
    /// The numbers, when it completed.
    pub(super) numbers: Option<Numbers>,
}

impl Ended {
    /// The result of a variant on a device. That a launch does not complete is a result, too.
    pub(super) fn of(
        program: &Program,
        device: &mut dyn Device,
        module: &Module,
        variant: &Variant,
        input: &[i32],
    ) -> Result<Ended, RunError> {
        match program.run(device, module, variant, input) {
            Ok(numbers) => Ok(Ended { outcome: Outcome::Completed, numbers: Some(numbers) }),
            Err(RunError::Stopped { report, .. }) => {
                Ok(Ended { outcome: report.outcome, numbers: None })
            }
            Err(error) => Err(error),
        }
    }

    /// Whether it gave the right numbers.
    pub(super) fn is_right(&self, program: &Program, expected: &Numbers) -> bool {
        self.numbers.as_ref().is_some_and(|numbers| program.is_right(numbers, expected))
    }
}
