//! The services that the core needs from its process. The C boundary provides them; tests replace
//! them.

use std::fmt;
use std::path::Path;

use warpsim::host::{
    Argument, ArgumentPlace, DeviceError, Launch, ModuleHandle, Pointer, Simulator, Stepper,
};

use crate::options::Debugged;
use crate::told::ledger::Note;
use crate::told::spans::Moment;

/// The process around the device.
pub trait Host: Send + Sync {
    /// Gives these bytes of the program's memory to `with`. The program is responsible for the
    /// memory being there.
    fn read(&self, address: u64, bytes: usize, with: &mut dyn FnMut(&[u8]));

    /// Gives these bytes of the program's memory to `with`, which writes them.
    fn write(&self, address: u64, bytes: usize, with: &mut dyn FnMut(&mut [u8]));

    /// Copies bytes of memory that the program may write at the same time. Each aligned word of
    /// eight bytes is as it was at one moment.
    fn load(&self, address: u64, into: &mut [u8]);

    /// Writes the bytes of `new` that differ from `old`, which has equally many, and no other
    /// bytes. So the program's writes beside them stay. Each aligned word of eight bytes is written
    /// at once.
    fn merge(&self, address: u64, old: &[u8], new: &[u8]);

    /// Puts zeroed memory of the host at this address. Gives whether it could.
    fn map(&self, address: u64, bytes: usize) -> bool;

    /// Takes it away again.
    fn unmap(&self, address: u64, bytes: usize);

    /// Writes the text that kernels printed to the program's standard output.
    fn print(&self, text: &str);

    /// Writes a message to the person, on standard error.
    fn tell(&self, message: &str);

    /// Writes a line of the journal.
    fn record(&self, line: &str);

    /// Notes the progress of the process.
    fn note(&self, note: Note<'_>);

    /// The process's number.
    fn process(&self) -> u32;

    /// This moment.
    fn now(&self) -> Moment;

    /// Lets a person step through a launch. The program goes on afterwards.
    fn debug(&self, launch: DebuggedLaunch<'_>, asked: &Debugged);

    /// Traces a launch, and leaves the trace in a file whose name begins so.
    ///
    /// # Errors
    /// The launch cannot start.
    fn trace(&self, launch: LaunchToTrace<'_>, to: &Path) -> Result<(), DeviceError>;

    /// The place of the call that is being carried out, if it is known.
    fn site(&self) -> Option<Box<dyn Site>>;
}

/// A launch that a person steps through, in a copy of the device.
#[derive(Debug)]
pub struct DebuggedLaunch<'a> {
    /// The launch, at its beginning.
    pub stepper: Stepper<'a>,
    /// The arguments that point to allocations, with the bytes up to their ends.
    pub buffers: Vec<(ArgumentPlace, Pointer, u64)>,
    /// Which launch of the kernel it is, from 1.
    pub number: u64,
    /// The kernel, by its name in the PTX.
    pub kernel: &'a str,
}

/// A launch that is carried out once more, in a copy of the device, to trace it.
#[derive(Debug)]
pub struct LaunchToTrace<'a> {
    /// The copy, as the device was before the launch, with the settings of the trace.
    pub device: &'a mut Simulator,
    /// The module.
    pub module: ModuleHandle,
    /// The kernel, by its name in the PTX.
    pub kernel: &'a str,
    /// The name of the module: a file, or `module 3`.
    pub of: &'a str,
    /// The shape.
    pub launch: &'a Launch,
    /// The arguments.
    pub arguments: &'a [Argument],
    /// The arguments that point to allocations, with the bytes up to their ends.
    pub buffers: Vec<(ArgumentPlace, Pointer, u64)>,
    /// Its number among the launches of the process, from 1.
    pub number: u64,
}

/// A place of the program, looked up on demand.
pub trait Site: Send + Sync + fmt::Debug {
    /// A function, with its file and line if they are known: `main at sum.cu:31`.
    fn text(&self) -> Option<String>;
}
