//! The [`Device`] trait: what host code may ask of a GPU, real or simulated.
//!
//! Host code is written once against this trait and runs on [`super::Simulator`] and on hardware.
//! It follows the CUDA driver API: memory is plain bytes at 64-bit addresses, a module is PTX, a
//! launch names a kernel, a grid and its arguments. Launches run in order; a launch has ended when
//! the call returns.

use super::error::DeviceError;
use crate::ptx::Module;
use crate::report::Report;

/// An address in a device's global memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Pointer(pub u64);

impl Pointer {
    /// The null pointer.
    pub const NULL: Pointer = Pointer(0);

    /// This address plus some bytes.
    pub fn offset(self, bytes: u64) -> Pointer {
        Pointer(self.0.wrapping_add(bytes))
    }
}

/// A module that was loaded into a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ModuleHandle(pub(crate) usize);

impl ModuleHandle {
    /// A handle for the module with this number; for those who implement [`Device`].
    pub fn new(number: usize) -> ModuleHandle {
        ModuleHandle(number)
    }

    /// The number it was made from.
    pub fn number(self) -> usize {
        self.0
    }
}

/// The shape of a launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Launch {
    /// Blocks in x, y and z.
    pub grid: [u32; 3],
    /// Threads of a block in x, y and z.
    pub block: [u32; 3],
    /// Bytes of dynamic shared memory.
    pub shared: u32,
}

impl Launch {
    /// A one-dimensional launch without dynamic shared memory.
    pub fn new(blocks: u32, threads: u32) -> Launch {
        Launch { grid: [blocks, 1, 1], block: [threads, 1, 1], shared: 0 }
    }
}

/// An argument of a kernel. A typed argument must have the size of the parameter; an integer
/// fits integer and untyped parameters, a float needs a float or untyped parameter of its size.
#[derive(Clone, Debug, PartialEq)]
#[expect(missing_docs, reason = "the variants are Rust's own types")]
pub enum Argument {
    U8(u8),
    I8(i8),
    U16(u16),
    I16(i16),
    U32(u32),
    I32(i32),
    U64(u64),
    I64(i64),
    F32(f32),
    F64(f64),
    Pointer(Pointer),
    /// The parameter's bytes, little-endian; for structs passed by value.
    Bytes(Vec<u8>),
}

/// Something that runs PTX.
pub trait Device {
    /// What it is, for people.
    fn name(&self) -> String;

    /// Reserves memory; its contents are undefined (the simulator gives zeros).
    ///
    /// # Errors
    /// When the device has not that much memory.
    fn allocate(&mut self, bytes: u64) -> Result<Pointer, DeviceError>;

    /// Gives memory back.
    ///
    /// # Errors
    /// When `pointer` is not the start of a live allocation.
    fn free(&mut self, pointer: Pointer) -> Result<(), DeviceError>;

    /// Copies host bytes to the device.
    ///
    /// # Errors
    /// When the range does not lie in one allocation.
    fn upload(&mut self, to: Pointer, bytes: &[u8]) -> Result<(), DeviceError>;

    /// Says that bytes hold what they are meant to hold, so that reading them is no use of memory
    /// that was never written: as uploading what is there already would, without the copy. Fresh
    /// memory of a simulated device is zero.
    ///
    /// # Errors
    /// When the range does not lie in one allocation.
    fn define(&mut self, start: Pointer, bytes: u64) -> Result<(), DeviceError> {
        let _ = (start, bytes);
        Ok(())
    }

    /// Copies device bytes to the host.
    ///
    /// # Errors
    /// When the range does not lie in one allocation.
    fn download(&mut self, from: Pointer, into: &mut [u8]) -> Result<(), DeviceError>;

    /// Loads a module and places its variables.
    ///
    /// # Errors
    /// When the module is not valid PTX.
    fn load(&mut self, module: &Module) -> Result<ModuleHandle, DeviceError>;

    /// The address and size in bytes of a module's `.global` or `.const` variable.
    ///
    /// # Errors
    /// When there is no such variable.
    fn variable(&self, module: ModuleHandle, name: &str) -> Result<(Pointer, u64), DeviceError>;

    /// Runs a kernel to its end.
    ///
    /// # Errors
    /// When the launch cannot start: unknown kernel, wrong arguments, an impossible shape, an
    /// instruction that is not supported. What goes wrong later is in the [`Report`].
    fn launch(
        &mut self,
        module: ModuleHandle,
        kernel: &str,
        launch: &Launch,
        arguments: &[Argument],
    ) -> Result<Report, DeviceError>;
}
