//! Arguments of kernels as the Python part gives them.

use std::collections::BTreeMap;

use pyo3::prelude::*;
use warpsim::element::ElementType;
use warpsim::host::{Argument, ArgumentPlace, Device, DeviceError, Pointer, Simulator};

use crate::errors::{Kind, refused};

/// An argument: a buffer's bytes with the type of its cells, or the bytes of a value.
#[derive(Clone, Debug, FromPyObject)]
pub(crate) enum Given {
    /// `(cell type or None, bytes)`: memory of the device that begins with these bytes.
    #[pyo3(transparent)]
    Buffer((Option<String>, Vec<u8>)),
    /// The bytes of a parameter, little-endian.
    #[pyo3(transparent)]
    Value(Vec<u8>),
}

/// A buffer of the device and its length.
type Buffer = (Pointer, usize);

/// Arguments on a device.
#[derive(Debug)]
pub(crate) struct Placed {
    pub(crate) arguments: Vec<Argument>,
    pub(crate) cell_types: BTreeMap<ArgumentPlace, ElementType>,
    /// The buffer of each argument that is one.
    buffers: Vec<Option<Buffer>>,
}

/// The types of cells that Python names.
///
/// # Errors
/// There is no such type.
pub(crate) fn cell_types(given: &[Given]) -> PyResult<BTreeMap<ArgumentPlace, ElementType>> {
    let mut types = BTreeMap::new();
    for (index, argument) in given.iter().enumerate() {
        if let Given::Buffer((Some(name), _)) = argument {
            let ty = name
                .parse()
                .map_err(|_| refused(Kind::Internal, format!("no type of cells `{name}`")))?;
            types.insert(index.into(), ty);
        }
    }
    Ok(types)
}

impl Placed {
    /// Puts arguments on a device.
    ///
    /// # Errors
    /// There is not enough memory.
    pub(crate) fn on(
        device: &mut Simulator,
        given: &[Given],
        cell_types: BTreeMap<ArgumentPlace, ElementType>,
    ) -> Result<Placed, DeviceError> {
        let mut placed = Placed { arguments: Vec::new(), cell_types, buffers: Vec::new() };
        for argument in given {
            let (argument, buffer) = match argument {
                Given::Value(bytes) => (Argument::Bytes(bytes.clone()), None),
                Given::Buffer((_, bytes)) => {
                    let pointer = device.allocate(bytes.len() as u64)?;
                    device.upload(pointer, bytes)?;
                    (Argument::Pointer(pointer), Some((pointer, bytes.len())))
                }
            };
            placed.arguments.push(argument);
            placed.buffers.push(buffer);
        }
        Ok(placed)
    }

    /// What the buffers hold now; `None` for arguments that are values.
    ///
    /// # Errors
    /// None that are known: the buffers are there.
    pub(crate) fn contents(
        &self,
        device: &mut Simulator,
    ) -> Result<Vec<Option<Vec<u8>>>, DeviceError> {
        let read = |buffer: &Option<Buffer>| {
            let Some((pointer, length)) = *buffer else { return Ok(None) };
            let mut bytes = vec![0; length];
            device.download(pointer, &mut bytes)?;
            Ok(Some(bytes))
        };
        self.buffers.iter().map(read).collect()
    }
}
