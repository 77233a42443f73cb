//! The names that most tests of kernels use: `use warpsim::prelude::*;`.
//!
//! ```
//! use warpsim::prelude::*;
//!
//! let module = warpsim::ptx::parse(
//!     "one.ptx",
//!     ".version 7.0 .target sm_70 .address_size 64
//!      .visible .entry one(.param .u64 p) {
//!        .reg .u64 %a; .reg .u32 %v;
//!        ld.param.u64 %a, [p];
//!        mov.u32 %v, %tid.x;
//!        st.global.u32 [%a], %v;
//!        ret;
//!      }",
//! )?;
//! let mut gpu = Simulator::default();
//! gpu.settings_mut().checking = Some(Checking::default());
//! let loaded = gpu.load(&module)?;
//! let cell = gpu.allocate(4)?;
//! let report = gpu.launch(loaded, "one", &Launch::new(1, 2), &[Argument::Pointer(cell)])?;
//! assert_eq!(report.outcome, Outcome::Completed);
//! assert_eq!(report.findings[0].code, Code::Race);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#[cfg(feature = "cuda")]
pub use crate::cuda::{CompileOptions, LoadCuda};
pub use warpsim_analyses::check::{Analyses, Checking, Schedules};
pub use warpsim_analyses::observe::{Observer, Statistics, Trace};
pub use warpsim_engine::report::{Code, Finding, Outcome, Report, Severity};
pub use warpsim_engine::schedule::Schedule;
pub use warpsim_host::{
    Argument, Device, DeviceError, DeviceProfile, Launch, Model, ModuleHandle, Pointer, Settings,
    SharedInit, Simulator, Stepper,
};
