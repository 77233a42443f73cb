//! A debugger for one launch, as cuda-gdb and rr users expect it.
//!
//! [`Debugger`] is the core. It moves a [`Stepper`](warpsim::host::Stepper) forwards and backwards:
//! by instruction, by line, to breakpoints, to accesses of watched memory. It answers who wrote a
//! cell last. Its results are values, not text. Two faces are here:
//!
//! - [`text`]: commands in, text out, for a terminal, a pipe or a file of commands.
//! - [`dap`]: the Debug Adapter Protocol, for editors.
//!
//! A run is a pure function of its inputs. So going back means: repeat the run from a snapshot. The
//! trace of all steps is kept in memory, and the questions about the past search it.
//!
//! # Limits
//!
//! Watched registers and memory of the past are found by the instructions that access them. Bytes
//! that an asynchronous copy writes change without an instruction: going forwards stops there,
//! going backwards does not.
//!
//! # Examples
//!
//! ```
//! use warpsim::host::{Device, Launch, Simulator};
//! use warpsim_debugger::{Debugger, Sources, text::Console};
//!
//! let text = ".version 7.0 .target sm_70 .address_size 64
//!     .entry k() { .reg .u32 %a; .shared .u32 s[32];
//!       mov.u32 %a, %laneid;
//!       add.u32 %a, %a, 1;
//!       st.shared.u32 [s+8], %a;
//!       ret; }";
//! let module = warpsim::ptx::parse("k.ptx", text)?;
//! let mut gpu = Simulator::default();
//! let handle = gpu.load(&module)?;
//! let stepper = gpu.stepper(handle, "k", &Launch::new(1, 32), &[])?;
//! let debugger = Debugger::new(stepper, Sources::new(module.source.clone()), Vec::new());
//! let mut console = Console::new(debugger);
//! console.execute("watch s[2]");
//! let said = console.execute("continue");
//! assert!(said.text.contains("st.shared.u32 [s+8], %a"));
//! assert!(console.execute("print s[2]").text.ends_with("= 1"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod breakpoints;
pub mod dap;
mod dwarf;
mod error;
mod expression;
mod forward;
mod frames;
mod history;
mod lines;
mod listing;
mod masks;
mod memory;
mod regions;
mod session;
mod sources;
mod stops;
pub mod text;
mod threads;
mod values;
mod variables;
mod waits;

pub use breakpoints::{Breakpoint, Location};
pub use error::DebuggerError;
pub use expression::Expression;
pub use frames::CallFrame;
pub use history::Writer;
pub use lines::{Over, Unit};
pub use listing::{Listing, TextOf};
pub use masks::mask_text;
pub use regions::{Cell, Region, Target, Watch, WatchKind};
pub use session::Debugger;
pub use sources::{SourceFile, Sources};
pub use stops::{Buffer, SessionEnd, Stop, WatchHit};
pub use threads::ThreadId;
pub use values::Value;
pub use waits::{MbarrierState, Poll};
