//! The [`Device`] trait: what host code may ask of a GPU, real or simulated.
//!
//! Host code is written once against this trait and runs on [`super::Simulator`] and on hardware.
//! It follows the CUDA driver API: memory is plain bytes at 64-bit addresses, a module is PTX, a
//! launch names a kernel, a grid and its arguments.
//!
//! [`Device::launch`], [`Device::upload`] and [`Device::download`] use the default stream and have
//! ended when the call returns. Their forms with a stream only issue the operation. The host then
//! waits for a stream, an event or the whole device. A device need not support streams: the methods
//! about them are refused unless written.

pub(super) mod relay;

use std::borrow::Cow;
use std::time::Duration;

use super::arguments::structure;
use super::error::DeviceError;
use super::images::{ImageHandle, Sampler, Texels};
use super::streams::{Download, Ended, Event, LaunchHandle, Stream, StreamKind};
use crate::element::ElementType;
use crate::launch::Launch;
use crate::ptx::Module;
use crate::report::Report;

/// An address in a device's global memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
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
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct ModuleHandle(pub(crate) usize);

impl ModuleHandle {
    /// A handle for the module with this number, for implementations of [`Device`].
    pub fn new(number: usize) -> ModuleHandle {
        ModuleHandle(number)
    }

    /// The number it was made from.
    pub fn number(self) -> usize {
        self.0
    }
}

/// An argument of a kernel. A typed argument must have the size of the parameter; an integer
/// fits integer and untyped parameters, a float needs a float or untyped parameter of its size.
///
/// An argument for a struct with pointers names their places. Then findings in the memory behind
/// them name the argument and the offset:
///
/// ```
/// use warpsim::host::{Argument, Device, Launch, Simulator};
///
/// // struct Row { const unsigned *cells; unsigned length; };  __global__ void first(Row row, unsigned *out)
/// let text = ".version 7.0 .target sm_70 .address_size 64
///     .visible .entry first(.param .align 8 .b8 row[16], .param .u64 out) {
///       .reg .u64 %a, %o; .reg .u32 %v;
///       ld.param.u64 %a, [row]; ld.param.u64 %o, [out];
///       ld.global.u32 %v, [%a]; st.global.u32 [%o], %v; ret;
///     }";
/// let mut gpu = Simulator::default();
/// let module = gpu.load(&warpsim::ptx::parse("first.ptx", text)?)?;
/// let (cells, out) = (gpu.allocate(4)?, gpu.allocate(4)?);
/// gpu.upload(cells, &[7, 0, 0, 0])?;
/// let row = Argument::structure(16, [(0, Argument::Pointer(cells)), (8, Argument::U32(1))]);
/// gpu.launch(module, "first", &Launch::new(1, 1), &[row, Argument::Pointer(out)])?;
/// let mut cell = [0; 4];
/// gpu.download(out, &mut cell)?;
/// assert_eq!(cell, [7, 0, 0, 0]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[expect(missing_docs, reason = "the variants are Rust's own types")]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
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
    /// A struct passed by value, with pointers in it.
    Struct {
        /// All its bytes, little-endian.
        bytes: Vec<u8>,
        /// The pointers, in place of the 8 bytes that begin at each offset.
        pointers: Vec<(u64, Pointer)>,
    },
}

impl Argument {
    /// A struct of this many bytes: the given field at each offset, and zeros elsewhere. The launch
    /// refuses a field that does not fit into the struct.
    pub fn structure(size: u64, fields: impl IntoIterator<Item = (u64, Argument)>) -> Argument {
        structure(size, fields)
    }

    /// The pointers that are passed: itself, or those in a struct.
    pub fn pointers(&self) -> impl Iterator<Item = Pointer> {
        let (whole, inside) = match self {
            Argument::Pointer(pointer) => (Some(*pointer), &[][..]),
            Argument::Struct { pointers, .. } => (None, pointers.as_slice()),
            Argument::U8(_)
            | Argument::I8(_)
            | Argument::U16(_)
            | Argument::I16(_)
            | Argument::U32(_)
            | Argument::I32(_)
            | Argument::U64(_)
            | Argument::I64(_)
            | Argument::F32(_)
            | Argument::F64(_)
            | Argument::Bytes(_) => (None, &[][..]),
        };
        whole.into_iter().chain(inside.iter().map(|(_, pointer)| *pointer))
    }

    /// The number of a type with these bits; of a 16-bit float, its bytes.
    pub fn number(ty: ElementType, bits: u64) -> Argument {
        match ty {
            ElementType::U8 => Argument::U8(bits as u8),
            ElementType::I8 => Argument::I8(bits as i8),
            ElementType::U16 => Argument::U16(bits as u16),
            ElementType::I16 => Argument::I16(bits as i16),
            ElementType::U32 => Argument::U32(bits as u32),
            ElementType::I32 => Argument::I32(bits as i32),
            ElementType::U64 => Argument::U64(bits),
            ElementType::I64 => Argument::I64(bits as i64),
            ElementType::F16 | ElementType::Bf16 => Argument::Bytes(ty.bytes(bits).collect()),
            ElementType::F32 => Argument::F32(f32::from_bits(bits as u32)),
            ElementType::F64 => Argument::F64(f64::from_bits(bits)),
        }
    }
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

    /// Reserves page-locked memory of the host, which the device reaches at the same address
    /// (`cuMemAllocHost`): the host reads and writes it at once, and copies read and write it when
    /// they happen. [`Device::free`] gives it back.
    ///
    /// # Errors
    /// When there is not that much memory, or the device does not support it; the latter goes for
    /// the three methods below, too.
    fn allocate_host(&mut self, bytes: u64) -> Result<Pointer, DeviceError> {
        let _ = bytes;
        Err(PAGE_LOCKED)
    }

    /// The host writes page-locked memory. It waits for nothing, and nothing waits for it: a copy
    /// that is still to read these bytes reads the new ones.
    ///
    /// # Errors
    /// When the range does not lie in one allocation of page-locked memory.
    fn host_write(&mut self, to: Pointer, bytes: &[u8]) -> Result<(), DeviceError> {
        let _ = (to, bytes);
        Err(PAGE_LOCKED)
    }

    /// The host reads page-locked memory. It waits for nothing.
    ///
    /// # Errors
    /// When the range does not lie in one allocation of page-locked memory.
    fn host_read(&mut self, from: Pointer, into: &mut [u8]) -> Result<(), DeviceError> {
        let _ = (from, into);
        Err(PAGE_LOCKED)
    }

    /// Issues a copy between any two places, of the device or page-locked, to a stream
    /// (`cuMemcpyAsync`).
    ///
    /// # Errors
    /// When a range does not lie in one allocation, or there is no such stream.
    fn copy_async(
        &mut self,
        stream: Stream,
        to: Pointer,
        from: Pointer,
        bytes: u64,
    ) -> Result<(), DeviceError> {
        let _ = (stream, to, from, bytes);
        Err(PAGE_LOCKED)
    }

    /// Gives memory back.
    ///
    /// # Errors
    /// When `pointer` is not the start of a live allocation, or nobody has waited for an operation
    /// that may still use it.
    fn free(&mut self, pointer: Pointer) -> Result<(), DeviceError>;

    /// Copies host bytes to the device, in the default stream, and waits for it.
    ///
    /// # Errors
    /// When the range does not lie in one allocation.
    fn upload(&mut self, to: Pointer, bytes: &[u8]) -> Result<(), DeviceError>;

    /// Says that bytes hold their intended values, so reading them does not count as use of
    /// unwritten memory. It has the effect of uploading the present bytes, without the copy. Fresh
    /// memory of a simulated device is zero.
    ///
    /// # Errors
    /// When the range does not lie in one allocation.
    fn define(&mut self, start: Pointer, bytes: u64) -> Result<(), DeviceError> {
        let _ = (start, bytes);
        Ok(())
    }

    /// Copies device bytes to the host, in the default stream, and waits for it.
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

    /// Runs a kernel to its end, in the default stream.
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

    /// Makes a texture of these texels (`cuArrayCreate`, `cuTexObjectCreate`), row after row
    /// without gaps. A kernel takes its handle as an argument of 64 bits.
    ///
    /// # Errors
    /// When these are not the bytes of the texels, there is not that much memory, or the device
    /// does not support textures.
    fn texture(
        &mut self,
        texels: &Texels,
        sampler: Sampler,
        bytes: &[u8],
    ) -> Result<ImageHandle, DeviceError> {
        let _ = (texels, sampler, bytes);
        Err(IMAGES)
    }

    /// Makes a surface of these texels (`cuSurfObjectCreate`). What it holds later is downloaded
    /// from [`ImageHandle::texels`].
    ///
    /// # Errors
    /// As of [`Device::texture`].
    fn surface(&mut self, texels: &Texels, bytes: &[u8]) -> Result<ImageHandle, DeviceError> {
        let _ = (texels, bytes);
        Err(IMAGES)
    }

    /// Makes a stream (`cuStreamCreate`).
    ///
    /// # Errors
    /// When the device does not support streams; the same goes for all methods below.
    fn stream(&mut self, kind: StreamKind) -> Result<Stream, DeviceError> {
        let _ = kind;
        Err(STREAMS)
    }

    /// Makes an event, which is not recorded yet (`cuEventCreate`).
    ///
    /// # Errors
    /// When the device does not support streams.
    fn event(&mut self) -> Result<Event, DeviceError> {
        Err(STREAMS)
    }

    /// Issues a launch to a stream (`cuLaunchKernel`). The first synchronisation after which the
    /// host knows of its end returns how it ended.
    ///
    /// # Errors
    /// When the launch cannot start, like [`Device::launch`], or there is no such stream.
    fn launch_on(
        &mut self,
        stream: Stream,
        module: ModuleHandle,
        kernel: &str,
        launch: &Launch,
        arguments: &[Argument],
    ) -> Result<LaunchHandle, DeviceError> {
        let _ = (stream, module, kernel, launch, arguments);
        Err(STREAMS)
    }

    /// Issues a copy to the device to a stream (`cuMemcpyHtoDAsync`). The bytes are taken now.
    ///
    /// # Errors
    /// When the range does not lie in one allocation, or there is no such stream.
    fn upload_async(
        &mut self,
        stream: Stream,
        to: Pointer,
        bytes: &[u8],
    ) -> Result<(), DeviceError> {
        let _ = (stream, to, bytes);
        Err(STREAMS)
    }

    /// Issues a copy of this many bytes from the device to a stream (`cuMemcpyDtoHAsync`).
    ///
    /// # Errors
    /// When the range does not lie in one allocation, or there is no such stream.
    fn download_async(
        &mut self,
        stream: Stream,
        from: Pointer,
        bytes: usize,
    ) -> Result<Download, DeviceError> {
        let _ = (stream, from, bytes);
        Err(STREAMS)
    }

    /// The bytes of a copy from the device; each copy's can be fetched once.
    ///
    /// # Errors
    /// [`DeviceError::NotSynchronised`] when the host has not waited for the copy.
    fn fetch(&mut self, download: Download) -> Result<Vec<u8>, DeviceError> {
        let _ = download;
        Err(STREAMS)
    }

    /// Records an event: it covers all operations issued to the stream so far (`cuEventRecord`).
    ///
    /// # Errors
    /// When there is no such event or stream.
    fn record(&mut self, event: Event, stream: Stream) -> Result<(), DeviceError> {
        let _ = (event, stream);
        Err(STREAMS)
    }

    /// Makes later operations of a stream happen after the operations that an event covers now
    /// (`cuStreamWaitEvent`). An event that was never recorded is not waited for.
    ///
    /// # Errors
    /// When there is no such event or stream.
    fn wait(&mut self, stream: Stream, event: Event) -> Result<(), DeviceError> {
        let _ = (stream, event);
        Err(STREAMS)
    }

    /// The time between two events (`cuEventElapsedTime`); the host has waited for both.
    ///
    /// The simulator has no clock. It counts a nanosecond for each warp instruction of the launches
    /// that `end` covers and `start` does not. Copies take no time.
    ///
    /// # Errors
    /// [`DeviceError::EventPending`] when the host has not waited for one of them,
    /// [`DeviceError::UnknownHandle`] when one was never recorded.
    fn elapsed(&mut self, start: Event, end: Event) -> Result<Duration, DeviceError> {
        let _ = (start, end);
        Err(STREAMS)
    }

    /// Waits for everything that was issued (`cuCtxSynchronize`). Like the two functions that
    /// follow, it returns the launches that have ended since the last such call, in order of issue.
    /// They are the launches whose end the host now knows.
    ///
    /// # Errors
    /// When the device fails.
    fn synchronise(&mut self) -> Result<Vec<Ended>, DeviceError> {
        Ok(Vec::new())
    }

    /// Waits for everything that was issued to a stream (`cuStreamSynchronize`).
    ///
    /// # Errors
    /// When there is no such stream, or the device fails.
    fn synchronise_stream(&mut self, stream: Stream) -> Result<Vec<Ended>, DeviceError> {
        let _ = stream;
        Err(STREAMS)
    }

    /// Waits for the operations that an event covers now (`cuEventSynchronize`).
    ///
    /// # Errors
    /// When there is no such event, or the device fails.
    fn synchronise_event(&mut self, event: Event) -> Result<Vec<Ended>, DeviceError> {
        let _ = event;
        Err(STREAMS)
    }
}

/// What a device says that has none.
const PAGE_LOCKED: DeviceError =
    DeviceError::NotSupported { what: Cow::Borrowed("page-locked memory") };

/// What a device says that has no textures and surfaces.
const IMAGES: DeviceError =
    DeviceError::NotSupported { what: Cow::Borrowed("textures and surfaces") };

/// What a device says that does not support them.
const STREAMS: DeviceError = DeviceError::NotSupported { what: Cow::Borrowed("streams") };
