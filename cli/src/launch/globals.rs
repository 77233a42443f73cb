//! Module variables: initialised by `--global`, and carried from one form of a module to the next.

use warpsim::element::ElementType;
use warpsim::host::{Device, Parameter, Pointer, variable_named};
use warpsim::internal;
use warpsim::ptx::{Item, Module, Space, Variable};
use warpsim_formats::arguments::{plain_bytes, pointer_of};

use super::{Buffer, Variant, usage};
use crate::args::Show;
use crate::failure::Failure;
use crate::spec::{Shape, Spec, SpecError, fill, scalar, structure};

/// Writes the values of `--global NAME=SPEC` into a module's variables.
pub(super) fn initialise(
    device: &mut dyn Device,
    variant: &Variant,
    globals: &[(String, Spec)],
    buffers: &[Buffer],
) -> Result<(), Failure> {
    for (name, spec) in globals {
        let own_name = variable_named(&variant.module, name).map_err(usage)?;
        let (pointer, size) = device.variable(variant.handle, own_name).map_err(usage)?;
        let variable = declared(&variant.module, own_name)
            .ok_or_else(|| usage(internal!("`{own_name}` is no variable").into()))?;
        let bytes = bytes_for(variable, size, spec, buffers)
            .map_err(|error| Failure::usage(format!("--global {name}: {error}")))?;
        device.upload(pointer, &bytes).map_err(usage)?;
    }
    Ok(())
}

/// The module's `.global` and `.const` variables.
pub(crate) fn variables(module: &Module) -> impl Iterator<Item = &Variable> {
    module.items.iter().filter_map(|item| match item {
        Item::Variable(v) if matches!(v.space, Space::Global | Space::Const) => Some(v),
        _ => None,
    })
}

/// A variable that is printed after a launch, and its place.
#[derive(Clone, Debug)]
pub(crate) struct ShownVariable {
    pub(crate) name: String,
    pub(crate) element: ElementType,
    pub(crate) length: u64,
    pub(crate) shape: Shape,
    pub(crate) pointer: Pointer,
}

/// Finds the variable of `--show`. Its cells have the type that it was declared with, unless the
/// option names one.
pub(crate) fn shown(
    device: &dyn Device,
    variant: &Variant,
    show: &Show,
) -> Result<ShownVariable, Failure> {
    let own_name = variable_named(&variant.module, &show.name).map_err(usage)?;
    let (pointer, size) = device.variable(variant.handle, own_name).map_err(usage)?;
    let variable = declared(&variant.module, own_name)
        .ok_or_else(|| usage(internal!("`{own_name}` is no variable").into()))?;
    let element = match show.element {
        Some(element) => element,
        None => ElementType::try_from(variable.ty).unwrap_or(ElementType::U8),
    };
    let length = size / element.size() as u64;
    let shape = show.shape.unwrap_or_else(|| Shape::row(length));
    let bytes = shape.length().and_then(|cells| cells.checked_mul(element.size() as u64));
    if bytes != Some(size) {
        return Err(Failure::usage_with_help(
            format!("--show {}: {element}[{shape}] is not as large as the variable", show.name),
            format!("the variable has {size} bytes"),
        ));
    }
    Ok(ShownVariable { name: show.name.clone(), element, length, shape, pointer })
}

fn declared<'a>(module: &'a Module, name: &str) -> Option<&'a Variable> {
    variables(module).find(|v| &*v.name.text == name)
}

/// The bytes of a specification; they must be as many as the variable has.
fn bytes_for(
    variable: &Variable,
    size: u64,
    spec: &Spec,
    buffers: &[Buffer],
) -> Result<Vec<u8>, SpecError> {
    let as_parameter = Parameter {
        name: variable.name.text.to_string(),
        ty: variable.ty,
        size,
        align: 1,
        is_array: !variable.dims.is_empty() || variable.vector > 1,
    };
    let wrong_size = |found: u64| SpecError::ByteCount {
        parameter: scalar::describe(&as_parameter),
        expected: size,
        found,
    };
    let bytes = match spec {
        Spec::Scalar { element, text } => scalar::bytes_for(&as_parameter, *element, text)?,
        Spec::Buffer(buffer) if buffer.bytes() != Some(size) => {
            return Err(wrong_size(buffer.bytes().unwrap_or(u64::MAX)));
        }
        Spec::Struct(fields) => {
            structure::lay_out(fields, size, |(_, spec)| of_field(spec, buffers))?
        }
        Spec::Null | Spec::Alias { .. } | Spec::Bytes(_) | Spec::Buffer(_) | Spec::Image(_) => {
            of_field(spec, buffers)?
        }
    };
    if bytes.len() as u64 == size { Ok(bytes) } else { Err(wrong_size(bytes.len() as u64)) }
}

/// The bytes of a value in a variable, or in a struct that is one. The cells of a buffer are there
/// themselves, not a pointer.
fn of_field(spec: &Spec, buffers: &[Buffer]) -> Result<Vec<u8>, SpecError> {
    match spec {
        Spec::Alias { parameter, offset } => {
            Ok(pointer_of(*parameter, *offset, buffers)?.0.to_le_bytes().to_vec())
        }
        Spec::Buffer(buffer) if buffer.start > 0 => Err(SpecError::StartInVariable),
        Spec::Buffer(buffer) => {
            let zeros = || structure::zeros(buffer.bytes().ok_or(SpecError::TooLarge)?);
            fill::contents(buffer)?.map_or_else(zeros, Ok)
        }
        Spec::Null | Spec::Bytes(_) | Spec::Scalar { .. } | Spec::Image(_) | Spec::Struct(_) => {
            plain_bytes(spec)
        }
    }
}

/// Copies what the variables of one form of the module hold to another form of it.
pub(super) fn carry(device: &mut dyn Device, from: &Variant, to: &Variant) -> Result<(), Failure> {
    for variable in variables(&from.module).filter(|v| v.space == Space::Global) {
        let name = &variable.name.text;
        // A declaration without a definition has no place.
        let (Ok((source, size)), Ok((target, _))) =
            (device.variable(from.handle, name), device.variable(to.handle, name))
        else {
            continue;
        };
        let mut bytes = vec![0; size as usize];
        device.download(source, &mut bytes).map_err(usage)?;
        device.upload(target, &bytes).map_err(usage)?;
    }
    Ok(())
}
