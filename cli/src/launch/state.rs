//! The contents of a buffer: a digest of all its bytes, and the cells that are shown.

use sha2::{Digest, Sha256};
use warpsim::element::ElementType;
use warpsim::host::{ArgumentPlace, Device, DeviceError};

use super::Buffer;
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
    pub(crate) element: ElementType,
    pub(crate) length: u64,
    pub(crate) shape: Shape,
    /// SHA-256 of all bytes, in hexadecimal; `None` when they are lost, with all that a GPU held
    /// when a launch hung or faulted.
    pub(crate) sha256: Option<String>,
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
        let cells = match shown {
            None if buffer.length > MANY => FEW,
            None | Some(Shown::All) => buffer.length,
            Some(Shown::First(n)) => n.min(buffer.length),
        };
        let wanted = cells as usize * buffer.element.size();
        let mut digest = Sha256::new();
        let mut kept = Vec::new();
        let read = for_each_chunk::<DeviceError>(device, buffer, |chunk| {
            digest.update(chunk);
            kept.extend(chunk.iter().take(wanted - kept.len()));
            Ok(())
        });
        let Buffer { parameter, element, length, shape, .. } = *buffer;
        let (sha256, shown) = match read {
            Ok(()) => (Some(hexadecimal(&digest.finalize())), kept),
            Err(DeviceError::Lost) => (None, Vec::new()),
            Err(error) => return Err(error),
        };
        Ok(BufferState { parameter, element, length, shape, sha256, shown })
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

    /// Whether nobody knows what it holds.
    pub(crate) fn is_lost(&self) -> bool {
        self.sha256.is_none()
    }
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Reads a whole buffer in pieces.
pub(crate) fn for_each_chunk<E: From<DeviceError>>(
    device: &mut dyn Device,
    buffer: &Buffer,
    mut each: impl FnMut(&[u8]) -> Result<(), E>,
) -> Result<(), E> {
    let total = buffer.length * buffer.element.size() as u64;
    let mut chunk = vec![0; total.min(CHUNK as u64) as usize];
    let mut done = 0;
    while done < total {
        let now = (total - done).min(CHUNK as u64) as usize;
        device.download(buffer.pointer.offset(done), &mut chunk[..now])?;
        each(&chunk[..now])?;
        done += now as u64;
    }
    Ok(())
}
