//! warpsim: a CPU-side SIMT warp simulator.
//!
//! It takes PTX, the text that every GPU compiler emits, and runs it as a GPU does, 32 lanes at a
//! time: shared memory, block barriers, divergence, atomics, warp operations. It needs no GPU. A
//! run is a pure function of program, launch, inputs and schedule, so it fits into tests.
//!
//! # Running a kernel
//!
//! Host code is written against [`host::Device`]; [`host::Simulator`] is the device. In this kernel
//! each thread reads what its neighbour wrote, with nothing between the two:
//!
//! ```
//! use warpsim::prelude::*;
//!
//! let text = "
//!     .version 7.0 .target sm_70 .address_size 64
//!     .visible .entry neighbour(.param .u64 out) {
//!       .reg .u64 %a, %o; .reg .u32 %t, %s, %v; .shared .u32 cell[33];
//!       ld.param.u64 %a, [out];
//!       mov.u32 %t, %tid.x;
//!       shl.b32 %s, %t, 2;
//!       mov.u32 %v, cell;
//!       add.u32 %s, %s, %v;
//!       st.shared.u32 [%s+4], %t;
//!       ld.shared.u32 %v, [%s];
//!       mul.wide.u32 %o, %t, 4;
//!       add.u64 %a, %a, %o;
//!       st.global.u32 [%a], %v;
//!       ret;
//!     }";
//! let module = warpsim::ptx::parse("neighbour.ptx", text)?;
//!
//! let run = |schedule: &str| -> Result<Vec<u8>, Box<dyn std::error::Error>> {
//!     let mut gpu = Simulator::default();
//!     gpu.settings_mut().schedule = schedule.parse()?;
//!     let loaded = gpu.load(&module)?;
//!     let out = gpu.allocate(128)?;
//!     gpu.launch(loaded, "neighbour", &Launch::new(1, 32), &[Argument::Pointer(out)])?;
//!     let mut bytes = vec![0; 128];
//!     gpu.download(out, &mut bytes)?;
//!     Ok(bytes)
//! };
//! // While the lanes of the warp happen to move together, thread 5 reads thread 4's number.
//! assert_eq!(run("in-order")?[4 * 5], 4);
//! // Nothing promises that they do: the highest lane may go first, alone.
//! assert_eq!(run("reverse")?[4 * 5], 0);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Where to go from here
//!
//! - What a compiler may make of a kernel: [`passes::register_cache()`] rewrites PTX into PTX and
//!   says why.
//! - What happened: [`host::Stepper`] goes through a launch one warp instruction at a time,
//!   forwards and back. [`observe::Trace`] records it for assertions. [`observe::Observer`] is the
//!   trait for watching a run yourself.
//! - Whether a kernel is right for every launch that it is made for: `property`.
//! - Mistakes: [`host::Checking`] in the [`host::Settings`] checks every launch for races, barrier
//!   mistakes and values never written. [`explore`] runs many schedules and compares their results.
//!   [`property`] draws launches, data and schedules and makes failures small. Your own check is an
//!   [`observe::Analysis`] beside those.
//! - Who runs next: [`schedule`]. The result of a run: [`report`]. The contents of buffers, as bits
//!   and as text: [`element`].
//! - How it is made: text -> [`ptx`] -> [`lower`] (with the instruction table, [`isa`], over
//!   [`lanes`]) -> the machine, a separate crate -> results. Each module opens with its contract:
//!   what it models, which section of the PTX ISA it follows, where it deviates, and in which
//!   direction it can be wrong.
//!
//! # Features
//!
//! | feature | default | what it adds |
//! |---|---|---|
//! | `parallel` | on | schedules are explored on all cores; results are the same without |
//! | `property` | on | [`property`]: property testing of kernels in Rust tests |
//! | `cuda` | off | `cuda`: CUDA C++, compiled by NVRTC where its library is found at run time |
//! | `serde` | off | launches, reports and refusals can be written and read |
//!
//! # Looking for something of your own
//!
//! An analysis watches runs and says afterwards what was wrong. This one finds kernels that write
//! to their first argument. It joins warpsim's analyses in a list, and takes part in every launch
//! that is checked or explored, under each schedule.
//!
//! ```
//! use warpsim::host::{Analyses, Argument, Checking, Device, Launch, Simulator};
//! use warpsim::lower::Pc;
//! use warpsim::observe::{
//!     Access, AccessKind, Analysis, EndedRun, Event, Interest, LaunchFacts, Observer,
//! };
//! use warpsim::ptx::Space;
//! use warpsim::report::{Code, Finding, OwnCode, Severity};
//!
//! const INPUT_WRITTEN: Code = Code::Own(OwnCode::new(
//!     "input-written",
//!     Severity::Warning,
//!     "a kernel writes to what it should only read",
//! ));
//!
//! #[derive(Clone, Debug, Default)]
//! struct Inputs {
//!     launch: Option<LaunchFacts>,
//!     /// Where, which block, warp and lane, and at which instruction.
//!     writes: Vec<(u64, u64, u32, u32, Pc)>,
//! }
//!
//! impl Observer for Inputs {
//!     fn interest(&self) -> Interest {
//!         Interest::none().with_accesses(true)
//!     }
//!     fn launch_begin(&mut self, launch: &LaunchFacts) {
//!         self.launch = Some(launch.clone());
//!     }
//!     fn access(&mut self, event: &Event<'_>, access: &Access<'_>) {
//!         if access.space == Space::Global && access.kind != AccessKind::Read {
//!             let lane = access.mask.trailing_zeros();
//!             let address = access.addresses[lane as usize];
//!             self.writes.push((address, event.block, event.warp, lane, event.pc));
//!         }
//!     }
//! }
//!
//! impl Analysis for Inputs {
//!     fn name(&self) -> &'static str {
//!         "inputs"
//!     }
//!     fn looks_for(&self) -> &'static str {
//!         "inputs that are written"
//!     }
//!     fn codes(&self) -> &'static [Code] {
//!         &[INPUT_WRITTEN]
//!     }
//!     fn findings(&mut self, run: &mut dyn EndedRun) -> Vec<Finding> {
//!         let Some(launch) = self.launch.take() else { return Vec::new() };
//!         let mut findings = Vec::new();
//!         for (address, block, warp, lane, pc) in self.writes.drain(..) {
//!             let object = run.object(Space::Global, address);
//!             if object.argument == Some(0.into()) {
//!                 let what = format!("the kernel writes to {object}, which it should only read");
//!                 let mut finding = Finding::of(INPUT_WRITTEN, what);
//!                 finding.sites = vec![launch.site(block, warp, lane, pc)];
//!                 findings.push(finding);
//!             }
//!         }
//!         findings
//!     }
//!     fn boxed(&self) -> Box<dyn Analysis> {
//!         Box::new(self.clone())
//!     }
//! }
//!
//! let text = "
//!     .version 7.0 .target sm_70 .address_size 64
//!     .visible .entry increment(.param .u64 p) {
//!       .reg .u64 %a; .reg .u32 %v;
//!       ld.param.u64 %a, [p];
//!       ld.global.u32 %v, [%a];
//!       add.u32 %v, %v, 1;
//!       st.global.u32 [%a], %v;
//!       ret;
//!     }";
//! let mut gpu = Simulator::default();
//! gpu.settings_mut().checking =
//!     Some(Checking::default().with_analyses(Analyses::default().with(Inputs::default())));
//! let module = gpu.load(&warpsim::ptx::parse("increment.ptx", text)?)?;
//! let cell = gpu.allocate(4)?;
//! gpu.upload(cell, &[0; 4])?;
//! let report = gpu.launch(module, "increment", &Launch::new(1, 32), &[Argument::Pointer(cell)])?;
//! let names: Vec<&str> = report.findings.iter().map(|finding| finding.code.name()).collect();
//! // All lanes read before all write, and all write one word.
//! assert_eq!(names, ["race", "race", "input-written"]);
//! assert!(report.findings[2].explanation.contains("`p`"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Speed
//!
//! Cargo builds the dependencies of tests without optimisation, which makes a simulator some ten
//! times slower. Add this to the `Cargo.toml` at the root of your workspace:
//!
//! ```toml
//! [profile.dev.package."*"]
//! opt-level = 3
//! ```
//!
//! # Limits
//!
//! Memory is sequentially consistent: a run shows one of the outcomes that a GPU may show, under
//! one schedule. Checks still judge by the rules of the PTX memory model ([`observe::races`]).
//! Unsupported features are refused by name and line.

pub use warpsim_analyses::observe;
pub use warpsim_engine::{report, schedule};
pub use warpsim_host as host;
pub use warpsim_host::explore;
pub use warpsim_language::{diagnostics, element, internal, isa, names, passes, preference, ptx};
#[cfg(feature = "property")]
pub use warpsim_property as property;

#[cfg(feature = "cuda")]
pub mod cuda;
pub mod prelude;

/// What launches are checked for.
pub mod check {
    pub use warpsim_analyses::check::{Analyses, Checking, Schedules};
}

/// The lanes of a warp and their registers, as observers see them, and the operations on them.
pub mod lanes {
    pub use warpsim_language::lanes::{
        FULL, LANES, Mask, Primitive, Registers, Role, Slot, Tier, lanes_of, primitive,
    };
}

/// Programs as observers see them, and what stops a module from becoming one.
pub mod lower {
    pub use warpsim_engine::lower::{
        EXIT, Function, Guard, KernelParameter, LowerError, LowerErrorKind, Order, Pc, Place,
        Program, RegisterName, Scope, Semantics, Symbol, kernels, place,
    };
}
