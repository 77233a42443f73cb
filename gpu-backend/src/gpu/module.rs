//! A module as the driver holds it, and what its text says of it.

use std::ffi::CString;
use std::rc::Rc;

use warpsim::host::{Argument, DeviceError, Launch, Pointer, packed_arguments};
use warpsim::ptx::{Item, Module, Space};

use crate::error::GpuError;
use crate::ffi::{RawFunction, RawModule};
use crate::gpu::outcome;
use crate::jit::JitLevel;

/// A loaded module.
#[derive(Debug)]
pub(super) struct Loaded {
    module: Module,
    raw: Rc<RawModule>,
    /// Where its variables lie: name, address, bytes.
    variables: Vec<(String, Pointer, u64)>,
}

impl Loaded {
    /// Compiles a module's text.
    pub(super) fn new(module: &Module, text: &str, jit: JitLevel) -> Result<Loaded, GpuError> {
        // The parser takes no zero bytes.
        let text = CString::new(text).unwrap_or_default();
        let raw = Rc::new(RawModule::load(&text, jit)?);
        let variables = variable_names(module)
            .into_iter()
            // The driver's compiler leaves out variables that nothing uses.
            .filter_map(|name| raw.variable(&name).ok().map(|(at, n)| (name, Pointer(at), n)))
            .collect();
        Ok(Loaded { module: module.clone(), raw, variables })
    }

    /// The bytes of a kernel's parameters.
    pub(super) fn packed(
        &self,
        kernel: &str,
        arguments: &[Argument],
    ) -> Result<Vec<u8>, DeviceError> {
        packed_arguments(&self.module, kernel, arguments)
    }

    pub(super) fn function(&self, kernel: &str) -> Result<RawFunction, GpuError> {
        self.raw.function(kernel)
    }

    /// Where a variable lies.
    pub(super) fn variable(&self, name: &str) -> Result<(Pointer, u64), DeviceError> {
        if let Some((_, at, bytes)) = self.variables.iter().find(|(known, ..)| known == name) {
            return Ok((*at, *bytes));
        }
        let available = variable_names(&self.module);
        match available.iter().any(|known| known == name) {
            false => Err(DeviceError::UnknownVariable { name: name.to_owned(), available }),
            // It is in the text: the driver says why it is not there.
            true => match self.raw.variable(name) {
                Ok((at, bytes)) => Ok((Pointer(at), bytes)),
                Err(error) => Err(outcome::in_words(&error)),
            },
        }
    }

    /// Whether all these bytes are of one of its variables.
    pub(super) fn holds(&self, pointer: Pointer, bytes: u64) -> bool {
        self.variables.iter().any(|(_, at, size)| {
            let offset = pointer.0.checked_sub(at.0);
            offset.and_then(|o| o.checked_add(bytes)).is_some_and(|end| end <= *size)
        })
    }
}

/// The module's `.global` and `.const` variables.
fn variable_names(module: &Module) -> Vec<String> {
    let variables = module.items.iter().filter_map(|item| match item {
        Item::Variable(v) if matches!(v.space, Space::Global | Space::Const) => {
            Some(v.name.text.to_string())
        }
        _ => None,
    });
    variables.collect()
}

/// Refuses shapes that no GPU takes, with the extent; the rest is the driver's to refuse.
pub(super) fn check_shape(launch: &Launch, most_shared: u32) -> Result<(), DeviceError> {
    let refuse = |reason: String| Err(DeviceError::ImpossibleLaunch { reason });
    for (what, shape) in [("grid", launch.grid), ("block", launch.block)] {
        if let Some((_, axis)) = shape.iter().zip(["x", "y", "z"]).find(|(n, _)| **n == 0) {
            return refuse(format!("the {what} has no extent in {axis}: use at least 1"));
        }
    }
    if launch.shared > most_shared {
        let asked = launch.shared;
        return refuse(format!(
            "{asked} bytes of shared memory for a block, the most is {most_shared}"
        ));
    }
    Ok(())
}
