//! Arguments: checked against the kernel's parameters and laid out in the parameter bank.

use super::device::{Argument, Pointer};
use super::error::DeviceError;
use crate::element::ElementType;
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

/// What is passed.
enum Passed<'a> {
    /// A number of a type, by its bits.
    Number(ElementType, u64),
    Pointer(Pointer),
    Bytes(&'a [u8]),
}

fn passed(argument: &Argument) -> Passed<'_> {
    match argument {
        Argument::U8(v) => Passed::Number(ElementType::U8, (*v).into()),
        Argument::I8(v) => Passed::Number(ElementType::I8, *v as u64),
        Argument::U16(v) => Passed::Number(ElementType::U16, (*v).into()),
        Argument::I16(v) => Passed::Number(ElementType::I16, *v as u64),
        Argument::U32(v) => Passed::Number(ElementType::U32, (*v).into()),
        Argument::I32(v) => Passed::Number(ElementType::I32, *v as u64),
        Argument::U64(v) => Passed::Number(ElementType::U64, *v),
        Argument::I64(v) => Passed::Number(ElementType::I64, *v as u64),
        Argument::F32(v) => Passed::Number(ElementType::F32, v.to_bits().into()),
        Argument::F64(v) => Passed::Number(ElementType::F64, v.to_bits()),
        Argument::Pointer(pointer) => Passed::Pointer(*pointer),
        Argument::Bytes(bytes) => Passed::Bytes(bytes),
    }
}

/// The bytes of an argument that fits its parameter.
fn fit(argument: &Argument, ty: Type, size: u64) -> Option<Vec<u8>> {
    let (bytes, kind) = match passed(argument) {
        Passed::Number(ty, bits) => {
            let kind = if ty.is_float() { Holds::Float } else { Holds::Integer };
            (ty.bytes(bits).collect(), kind)
        }
        Passed::Pointer(pointer) => (pointer.0.to_le_bytes().to_vec(), Holds::Integer),
        Passed::Bytes(bytes) => (bytes.to_vec(), Holds::Anything),
    };
    let expected = holds(ty);
    let kinds_fit = kind == expected || kind == Holds::Anything || expected == Holds::Anything;
    (kinds_fit && bytes.len() as u64 == size).then_some(bytes)
}

fn describe(argument: &Argument) -> String {
    match passed(argument) {
        Passed::Number(ty, _) => ty.rust_name().to_owned(),
        Passed::Pointer(_) => "a pointer".to_owned(),
        Passed::Bytes(bytes) => format!("{} bytes", bytes.len()),
    }
}

/// The arguments that may be addresses: their positions and values.
pub(super) fn addresses(arguments: &[Argument]) -> impl Iterator<Item = (usize, u64)> {
    let address = |argument| match passed(argument) {
        Passed::Pointer(pointer) => Some(pointer.0),
        Passed::Number(ElementType::U64 | ElementType::I64, bits) => Some(bits),
        Passed::Number(..) => None,
        Passed::Bytes(bytes) => <[u8; 8]>::try_from(bytes).ok().map(u64::from_le_bytes),
    };
    arguments.iter().enumerate().filter_map(move |(i, argument)| Some((i, address(argument)?)))
}
