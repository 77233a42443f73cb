//! The objects that are compared: the buffers of the arguments, and the module's `.global`
//! variables.
//!
//! Variables that hold addresses from the start differ on every device, so they are left out. Their
//! initialisers name symbols, or `--global` makes them pointers.

use warpsim::element::ElementType;
use warpsim::host::{ArgumentPlace, Device as _, DeviceError, Pointer, Simulator};
use warpsim::ptx::{InitValue, Initializer, Space, Variable};

use crate::launch::device::LaunchDevice;
use crate::launch::{Buffer, Prepared, Variant, globals};
use crate::render::buffers::of_parameter;
use crate::spec::Spec;

/// A buffer or a variable.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Object {
    /// The parameter whose buffer it is.
    pub(crate) parameter: Option<ArgumentPlace>,
    /// The parameter's or the variable's name.
    pub(crate) name: String,
    pub(crate) element: ElementType,
    /// Cells.
    pub(crate) length: u64,
}

impl Object {
    /// Bytes, all together.
    pub(crate) fn bytes(&self) -> u64 {
        self.length.saturating_mul(self.element.size() as u64)
    }

    /// As a heading: `1 pout: s32[32]`, "`counter`: u32[1]".
    pub(crate) fn heading(&self) -> String {
        let Object { name, length, element: ty, .. } = self;
        match self.parameter {
            Some(k) => format!("{}: {ty}[{length}]", of_parameter(k, name)),
            None => format!("`{name}`: {ty}[{length}]"),
        }
    }

    /// Where it lies on a device.
    pub(crate) fn pointer<D: LaunchDevice>(
        &self,
        prepared: &Prepared<D>,
    ) -> Result<Pointer, DeviceError> {
        if let Some(k) = self.parameter {
            let buffer = prepared.buffers.iter().find(|buffer| buffer.parameter == k);
            return buffer.map_or(Err(DeviceError::Lost), |buffer| Ok(buffer.pointer));
        }
        let handle = prepared.current().ok_or(DeviceError::UnknownModule)?.handle;
        prepared.device.variable(handle, &self.name).map(|(pointer, _)| pointer)
    }
}

/// The objects of launches that are prepared on the simulator.
pub(crate) fn objects(ours: &Prepared<Simulator>, given: &[(String, Spec)]) -> Vec<Object> {
    let of_buffer = |buffer: &Buffer| Object {
        parameter: Some(buffer.parameter),
        name: ours
            .parameters
            .get(buffer.parameter.argument)
            .map_or_else(String::new, |p| p.name.clone()),
        element: buffer.element,
        length: buffer.length,
    };
    let variables = ours.variants.first().into_iter().flat_map(|variant| {
        let variables = globals::variables(&variant.module);
        let compared = variables.filter(|v| v.space == Space::Global && !is_address(v, given));
        compared.filter_map(|v| of_variable(&ours.device, variant, v))
    });
    ours.buffers.iter().map(of_buffer).chain(variables).collect()
}

/// Whether a variable holds an address from the start.
fn is_address(variable: &Variable, given: &[(String, Spec)]) -> bool {
    match given.iter().find(|(name, _)| **name == *variable.name.text) {
        Some((_, spec)) => spec.has_address(),
        None => variable.init.as_ref().is_some_and(names_symbol),
    }
}

fn names_symbol(initializer: &Initializer) -> bool {
    match initializer {
        Initializer::Value(value, _) => matches!(value, InitValue::Address { .. }),
        Initializer::List(list, _) => list.iter().any(names_symbol),
    }
}

/// A variable with its size; `None` if it is only declared, or has no cells of a type.
fn of_variable(device: &Simulator, variant: &Variant, variable: &Variable) -> Option<Object> {
    let name = variable.name.text.to_string();
    let (_, bytes) = device.variable(variant.handle, &name).ok()?;
    let element = ElementType::try_from(variable.ty).ok()?;
    let length = bytes / element.size() as u64;
    (length > 0).then_some(Object { parameter: None, name, element, length })
}
