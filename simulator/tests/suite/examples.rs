//! The examples of the crate: each asserts what it shows. The example that needs a GPU says so
//! where there is none.

use std::error::Error;

#[path = "../../examples/check_a_kernel.rs"]
mod check_a_kernel;
#[path = "../../examples/compare_with_hardware.rs"]
mod compare_with_hardware;
#[path = "../../examples/explore_schedules.rs"]
mod explore_schedules;
#[path = "../../examples/own_analysis.rs"]
mod own_analysis;
#[path = "../../examples/own_schedule.rs"]
mod own_schedule;
#[path = "../../examples/property_test.rs"]
mod property_test;
#[path = "../../examples/run_a_kernel.rs"]
mod run_a_kernel;
#[path = "../../examples/step_through.rs"]
mod step_through;
#[path = "../../examples/whole_module.rs"]
mod whole_module;

#[cfg(feature = "cuda")]
#[path = "../../examples/cuda_source.rs"]
mod cuda_source;

#[test]
fn every_example_holds_what_it_asserts() -> Result<(), Box<dyn Error>> {
    check_a_kernel::main()?;
    compare_with_hardware::main()?;
    explore_schedules::main()?;
    own_analysis::main()?;
    own_schedule::main()?;
    property_test::main()?;
    run_a_kernel::main()?;
    step_through::main()?;
    whole_module::main()?;
    #[cfg(feature = "cuda")]
    cuda_source::main()?;
    Ok(())
}
