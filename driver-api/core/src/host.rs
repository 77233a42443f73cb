//! What the core needs of the process that it runs in. The C boundary does these things; tests put
//! something else in their place.

use std::fmt;

use crate::ledger::Note;

/// The process around the device.
pub trait Host: Send + Sync {
    /// Gives so many bytes of the program's memory to `with`. The memory is the program's: whether
    /// it is there is its business.
    fn read(&self, address: u64, bytes: usize, with: &mut dyn FnMut(&[u8]));

    /// Gives so many bytes of the program's memory to `with`, to be written.
    fn write(&self, address: u64, bytes: usize, with: &mut dyn FnMut(&mut [u8]));

    /// Copies bytes of memory that the program may write at the same time: each aligned word of
    /// eight bytes is as it was at one moment.
    fn load(&self, address: u64, into: &mut [u8]);

    /// Writes those of the bytes `new` that differ from `old`, which has as many, and no other:
    /// what the program meanwhile writes beside them stays. Each aligned word of eight bytes is
    /// written at once.
    fn merge(&self, address: u64, old: &[u8], new: &[u8]);

    /// Puts zeroed memory of the host at this address. Whether that could be done.
    fn map(&self, address: u64, bytes: usize) -> bool;

    /// Takes it away again.
    fn unmap(&self, address: u64, bytes: usize);

    /// What kernels printed goes to the program's standard output.
    fn print(&self, text: &str);

    /// A message to the person, on standard error.
    fn tell(&self, message: &str);

    /// A line of the journal.
    fn record(&self, line: &str);

    /// What the process has come to so far.
    fn note(&self, note: Note<'_>);

    /// The process's number.
    fn process(&self) -> u32;

    /// Where the call came from that is being carried out, if that can be told.
    fn site(&self) -> Option<Box<dyn Site>>;
}

/// A place of the program, which is looked up when somebody asks.
pub trait Site: Send + Sync + fmt::Debug {
    /// A function, and a file and a line where they are known: `main at sum.cu:31`.
    fn text(&self) -> Option<String>;
}
