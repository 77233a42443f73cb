//! The meaning of the driver's errors (CUDA driver API, `CUresult`).
//!
//! A `trap` is `CUDA_ERROR_LAUNCH_FAILED`, like other errors of a kernel. So it is a fault, and
//! never [`Outcome::Trap`].

use warpsim::host::DeviceError;
use warpsim::report::{Code, Counts, Finding, Outcome, Report, Severity};

use crate::error::GpuError;

/// `CUDA_ERROR_INVALID_VALUE`.
const INVALID_VALUE: u32 = 1;
/// `CUDA_ERROR_OUT_OF_MEMORY`.
const OUT_OF_MEMORY: u32 = 2;
/// `CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES`.
const OUT_OF_RESOURCES: u32 = 701;

/// The errors of a kernel after which its context is gone.
const FAULTS: [u32; 16] = [
    214, // ECC_UNCORRECTABLE
    220, // NVLINK_UNCORRECTABLE
    226, // CONTAINED
    700, // ILLEGAL_ADDRESS
    702, // LAUNCH_TIMEOUT
    709, // CONTEXT_IS_DESTROYED
    710, // ASSERT
    714, // HARDWARE_STACK_ERROR
    715, // ILLEGAL_INSTRUCTION
    716, // MISALIGNED_ADDRESS
    717, // INVALID_ADDRESS_SPACE
    718, // INVALID_PC
    719, // LAUNCH_FAILED
    721, // TENSOR_MEMORY_LEAK
    911, // EXTERNAL_DEVICE
    999, // UNKNOWN
];

/// Whether a kernel did it, so that its context is gone.
pub(super) fn is_fault(error: &GpuError) -> bool {
    error.code().is_some_and(|code| FAULTS.contains(&code))
}

/// Whether memory ran out.
pub(super) fn is_out_of_memory(error: &GpuError) -> bool {
    error.code() == Some(OUT_OF_MEMORY)
}

/// Whether a launch was refused for its shape.
pub(super) fn is_impossible_launch(error: &GpuError) -> bool {
    error.code().is_some_and(|code| [INVALID_VALUE, OUT_OF_RESOURCES].contains(&code))
}

/// An error for the caller.
pub(super) fn in_words(error: &GpuError) -> DeviceError {
    DeviceError::Driver(error.to_string())
}

/// The report of a launch that ended well. A GPU counts nothing.
pub(super) fn completed() -> Report {
    Report::new(Outcome::Completed, Counts::default())
}

/// The report of a launch that faulted.
pub(super) fn fault(error: &GpuError) -> Report {
    let finding = Finding::new(Severity::Error, Code::Fault, error.to_string());
    Report::new(Outcome::Fault, Counts::default()).with_findings(vec![finding])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(code: u32) -> GpuError {
        GpuError::Driver {
            call: "cuStreamSynchronize".into(),
            code,
            name: "CUDA_ERROR_ILLEGAL_ADDRESS".to_owned(),
            words: "an illegal memory access was encountered".to_owned(),
            log: String::new(),
        }
    }

    #[test]
    fn a_kernel_s_error_is_a_fault_with_the_driver_s_words() {
        assert!(is_fault(&error(700)) && !is_fault(&error(1)) && !is_fault(&GpuError::NoDriver));
        let report = fault(&error(700));
        assert_eq!(report.outcome, Outcome::Fault);
        assert_eq!(
            report.findings[0].explanation,
            "cuStreamSynchronize: an illegal memory access was encountered \
             (CUDA_ERROR_ILLEGAL_ADDRESS)"
        );
    }
}
