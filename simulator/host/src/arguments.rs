//! Arguments: checked against the kernel's parameters and laid out in the parameter bank.

use super::device::Argument;
use super::error::DeviceError;
use crate::internal;
use crate::lower::Program;
use crate::ptx::{Module, Type};

use super::parameters::{Parameter, kernel_parameters};

/// The bytes of a kernel's parameters as `cuLaunchKernel` takes them in one buffer: each at the
/// next offset that its alignment allows, with zeros between.
///
/// # Errors
/// An unknown kernel, a wrong number of arguments, or one that does not fit its parameter.
pub fn packed_arguments(
    module: &Module,
    kernel: &str,
    arguments: &[Argument],
) -> Result<Vec<u8>, DeviceError> {
    let parameters = kernel_parameters(module, kernel)?;
    check_count(kernel, parameters.len(), arguments)?;
    let mut packed = Vec::new();
    for (index, (argument, parameter)) in arguments.iter().zip(&parameters).enumerate() {
        let Parameter { name, ty, size, align, .. } = parameter;
        let bytes = fit(argument, *ty, *size);
        let bytes = bytes.ok_or_else(|| misfit(index, name, (*ty, *size), argument))?;
        packed.resize(packed.len().next_multiple_of((*align).max(1) as usize), 0);
        packed.extend(bytes);
    }
    Ok(packed)
}

fn check_count(kernel: &str, expected: usize, arguments: &[Argument]) -> Result<(), DeviceError> {
    let (kernel, found) = (kernel.to_owned(), arguments.len());
    match found == expected {
        true => Ok(()),
        false => Err(DeviceError::ArgumentCount { kernel, expected, found }),
    }
}

fn misfit(index: usize, name: &str, (ty, size): (Type, u64), argument: &Argument) -> DeviceError {
    let (parameter, found) = (name.to_owned(), describe(argument));
    DeviceError::ArgumentType { index, parameter, expected: ty, size, found }
}

/// The bytes of the parameter bank of a launch.
///
/// # Errors
/// A wrong number of arguments, or one that does not fit its parameter.
pub(super) fn parameter_bytes(
    program: &Program,
    kernel: &str,
    arguments: &[Argument],
) -> Result<Vec<u8>, DeviceError> {
    check_count(kernel, program.parameters.len(), arguments)?;
    let mut bank = vec![0; program.parameter_bytes as usize];
    for (index, (argument, parameter)) in arguments.iter().zip(&program.parameters).enumerate() {
        let (ty, size) = (parameter.ty, u64::from(parameter.size));
        let bytes = fit(argument, ty, size);
        let bytes = bytes.ok_or_else(|| misfit(index, &parameter.name, (ty, size), argument))?;
        let place =
            bank.get_mut(parameter.offset as usize..).and_then(|b| b.get_mut(..bytes.len()));
        let Some(place) = place else {
            return Err(internal!("parameter {index} of `{kernel}` lies outside its bank").into());
        };
        place.copy_from_slice(&bytes);
    }
    Ok(bank)
}

/// What kind of value a type holds.
#[derive(PartialEq, Eq)]
enum Holds {
    Integer,
    Float,
    Anything,
}

fn holds(ty: Type) -> Holds {
    use Type as T;
    match ty {
        T::U8 | T::U16 | T::U32 | T::U64 | T::S8 | T::S16 | T::S32 | T::S64 => Holds::Integer,
        T::F16 | T::F16x2 | T::Bf16 | T::Bf16x2 | T::F32 | T::F64 => Holds::Float,
        _ => Holds::Anything,
    }
}

/// The bytes of an argument that fits its parameter.
fn fit(argument: &Argument, ty: Type, size: u64) -> Option<Vec<u8>> {
    let (bytes, kind) = match argument {
        Argument::U8(v) => (v.to_le_bytes().to_vec(), Holds::Integer),
        Argument::I8(v) => (v.to_le_bytes().to_vec(), Holds::Integer),
        Argument::U16(v) => (v.to_le_bytes().to_vec(), Holds::Integer),
        Argument::I16(v) => (v.to_le_bytes().to_vec(), Holds::Integer),
        Argument::U32(v) => (v.to_le_bytes().to_vec(), Holds::Integer),
        Argument::I32(v) => (v.to_le_bytes().to_vec(), Holds::Integer),
        Argument::U64(v) => (v.to_le_bytes().to_vec(), Holds::Integer),
        Argument::I64(v) => (v.to_le_bytes().to_vec(), Holds::Integer),
        Argument::Pointer(v) => (v.0.to_le_bytes().to_vec(), Holds::Integer),
        Argument::F32(v) => (v.to_le_bytes().to_vec(), Holds::Float),
        Argument::F64(v) => (v.to_le_bytes().to_vec(), Holds::Float),
        Argument::Bytes(bytes) => (bytes.clone(), Holds::Anything),
    };
    let expected = holds(ty);
    let kinds_fit = kind == expected || kind == Holds::Anything || expected == Holds::Anything;
    (kinds_fit && bytes.len() as u64 == size).then_some(bytes)
}

fn describe(argument: &Argument) -> String {
    match argument {
        Argument::U8(_) => "u8".to_owned(),
        Argument::I8(_) => "i8".to_owned(),
        Argument::U16(_) => "u16".to_owned(),
        Argument::I16(_) => "i16".to_owned(),
        Argument::U32(_) => "u32".to_owned(),
        Argument::I32(_) => "i32".to_owned(),
        Argument::U64(_) => "u64".to_owned(),
        Argument::I64(_) => "i64".to_owned(),
        Argument::Pointer(_) => "a pointer".to_owned(),
        Argument::F32(_) => "f32".to_owned(),
        Argument::F64(_) => "f64".to_owned(),
        Argument::Bytes(bytes) => format!("{} bytes", bytes.len()),
    }
}

/// The arguments that are addresses: their positions and values.
pub(super) fn addresses(arguments: &[Argument]) -> impl Iterator<Item = (usize, u64)> {
    arguments.iter().enumerate().filter_map(|(i, argument)| match argument {
        Argument::Pointer(p) => Some((i, p.0)),
        Argument::U64(v) => Some((i, *v)),
        Argument::I64(v) => Some((i, *v as u64)),
        Argument::Bytes(bytes) => {
            <[u8; 8]>::try_from(bytes.as_slice()).ok().map(|b| (i, u64::from_le_bytes(b)))
        }
        _ => None,
    })
}
