//! The contents of a buffer or of a variable: a digest of all bytes, and the cells that are shown.

use sha2::{Digest, Sha256};
use warpsim::element::ElementType;
use warpsim::host::{ArgumentPlace, Device, DeviceError, Pointer};

use super::Buffer;
use super::globals::ShownVariable;
use crate::args::Shown;
use crate::spec::Shape;
use crate::spec::cell::Cell;

/// Buffers of more cells than this show only the first few, unless asked.
const MANY: u64 = 1 << 20;
/// How many those show.
const FEW: u64 = 16;
/// Bytes read at a time.
const CHUNK: usize = 1 << 20;

/// A buffer as it is after a launch.
#[derive(Clone, Debug)]
pub(crate) struct BufferState {
    pub(crate) parameter: ArgumentPlace,
    pub(crate) contents: Contents,
}

/// A variable of the module as it is after a launch.
#[derive(Clone, Debug)]
pub(crate) struct VariableState {
    pub(crate) name: String,
    pub(crate) contents: Contents,
}

/// Cells as they are after a launch.
#[derive(Clone, Debug)]
pub(crate) struct Contents {
    pub(crate) element: ElementType,
    pub(crate) length: u64,
    pub(crate) shape: Shape,
    /// SHA-256 of all bytes, in hexadecimal, where all were read.
    pub(crate) sha256: Option<String>,
    /// They are lost, with all that a GPU held when a launch hung or faulted.
    is_lost: bool,
    /// The bytes of the first cells.
    shown: Vec<u8>,
}

impl BufferState {
    /// Reads a buffer.
    pub(crate) fn read(
        device: &mut dyn Device,
        buffer: &Buffer,
        shown: Option<Shown>,
    ) -> Result<BufferState, DeviceError> {
        let Buffer { parameter, element, length, shape, pointer } = *buffer;
        let contents = Contents::read(device, pointer, (element, length, shape), shown)?;
        Ok(BufferState { parameter, contents })
    }
}

impl VariableState {
    /// Reads a variable.
    pub(crate) fn read(
        device: &mut dyn Device,
        variable: &ShownVariable,
        shown: Option<Shown>,
    ) -> Result<VariableState, DeviceError> {
        let ShownVariable { name, element, length, shape, pointer } = variable.clone();
        let contents = Contents::read(device, pointer, (element, length, shape), shown)?;
        Ok(VariableState { name, contents })
    }
}

impl Contents {
    fn read(
        device: &mut dyn Device,
        pointer: Pointer,
        (element, length, shape): (ElementType, u64, Shape),
        shown: Option<Shown>,
    ) -> Result<Contents, DeviceError> {
        let cells = match shown {
            None if length > MANY => FEW,
            None | Some(Shown::All) => length,
            Some(Shown::First(n)) => n.min(length),
        };
        let wanted = cells as usize * element.size();
        let mut digest = Sha256::new();
        let mut kept = Vec::new();
        let bytes = length * element.size() as u64;
        let read = for_each_chunk::<DeviceError>(device, (pointer, bytes), |chunk| {
            digest.update(chunk);
            kept.extend(chunk.iter().take(wanted - kept.len()));
            Ok(())
        });
        let (sha256, shown, is_lost) = match read {
            Ok(()) => (Some(hexadecimal(&digest.finalize())), kept, false),
            Err(DeviceError::Lost) => (None, Vec::new(), true),
            Err(error) => return Err(error),
        };
        Ok(Contents { element, length, shape, sha256, is_lost, shown })
    }

    /// A row of cells. Only these first bytes of it were read.
    pub(crate) fn of_first(element: ElementType, length: u64, shown: Vec<u8>) -> Contents {
        let (shape, sha256) = (Shape::row(length), None);
        Contents { element, length, shape, sha256, is_lost: false, shown }
    }

    /// The cells that are shown.
    pub(crate) fn cells(&self, as_bits: bool) -> impl Iterator<Item = Cell> {
        let element = self.element;
        element.numbers(&self.shown).map(move |bits| Cell { element, bits, as_bits })
    }

    /// How many cells are shown.
    pub(crate) fn shown(&self) -> u64 {
        (self.shown.len() / self.element.size()) as u64
    }

    /// Whether some are not, though they are there.
    pub(crate) fn is_elided(&self) -> bool {
        !self.is_lost() && self.shown() < self.length
    }

    /// Whether its contents are unknown.
    pub(crate) fn is_lost(&self) -> bool {
        self.is_lost
    }
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Reads memory in pieces: from a pointer on, this many bytes.
pub(crate) fn for_each_chunk<E: From<DeviceError>>(
    device: &mut dyn Device,
    (pointer, total): (Pointer, u64),
    mut each: impl FnMut(&[u8]) -> Result<(), E>,
) -> Result<(), E> {
    let mut chunk = vec![0; total.min(CHUNK as u64) as usize];
    let mut done = 0;
    while done < total {
        let now = (total - done).min(CHUNK as u64) as usize;
        device.download(pointer.offset(done), &mut chunk[..now])?;
        each(&chunk[..now])?;
        done += now as u64;
    }
    Ok(())
}
