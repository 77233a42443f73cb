//! warpsim: a CPU-side SIMT warp simulator.
//!
//! It takes PTX, the text that every GPU compiler emits, and runs it as a GPU does, 32 lanes at a
//! time: shared memory, block barriers, divergence, atomics, warp operations. It needs no GPU, and
//! a run is a pure function of program, launch, inputs and schedule, so it belongs into tests.
//!
//! # Running a kernel
//!
//! Host code is written against [`host::Device`]; [`host::Simulator`] is the device. Here is a
//! kernel in which each thread reads what its neighbour wrote, with nothing between the two:
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
//! - What a compiler may make of a kernel: [`passes::register_cache()`] rewrites PTX into PTX and says
//!   why.
//! - What happened: [`host::Stepper`] goes through a launch one warp instruction at a time, forwards
//!   and back; [`observe::Trace`] records it to be asserted on; [`observe::Observer`] is the trait
//!   for watching a run yourself.
//! - Whether a kernel is right for every launch that it is made for: `property`.
//! - What is wrong: [`host::Checking`] in the [`host::Settings`] has every launch checked for races,
//!   barrier mistakes and values never written; [`explore`] runs many schedules and compares what
//!   they come to; [`property`] draws launches, data and schedules and makes failures small.
//! - Who runs next: [`schedule`]. What a run came to: [`report`].
//! - How it is made: text -> [`ptx`] -> [`lower`] (with the instruction table, [`isa`], over
//!   [`lanes`]) -> the machine, a crate of its own -> results. Each module opens with its contract: what it models, which
//!   section of the PTX ISA it follows, where it deviates, and in which direction it can be wrong.
//!
//! # Limits
//!
//! Memory is sequentially consistent: a run shows one of the outcomes that a GPU may show, under
//! one schedule. What is checked is judged by the rules of the PTX memory model all the same
//! ([`observe::races`]). What is not supported is refused by name and line.

pub use warpsim_analyses::observe;
pub use warpsim_engine::{report, schedule};
pub use warpsim_host as host;
pub use warpsim_host::explore;
pub use warpsim_language::{diagnostics, isa, names, passes, ptx};
#[cfg(feature = "property")]
pub use warpsim_property as property;

pub mod prelude;

/// What launches are checked for.
pub mod check {
    pub use warpsim_analyses::check::{Analyses, Checking, Schedules};
}

/// The lanes of a warp and their registers, as observers see them.
pub mod lanes {
    pub use warpsim_language::lanes::{FULL, LANES, Mask, Registers, Slot, lanes_of};
}

/// Programs as observers see them, and what stops a module from becoming one.
pub mod lower {
    pub use warpsim_engine::lower::{
        EXIT, Function, Guard, KernelParameter, LowerError, LowerErrorKind, Order, Pc, Place,
        Program, RegisterName, Scope, Semantics, Symbol, kernels, place,
    };
}
