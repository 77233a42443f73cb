//! Arguments: checked against the kernel's parameters and laid out in the parameter bank.

use super::device::{Argument, Pointer};
use super::error::DeviceError;
use crate::argument::ArgumentPlace;
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

/// A passed value.
enum Passed<'a> {
    /// A number of a type, by its bits.
    Number(ElementType, u64),
    Pointer(Pointer),
    Bytes(&'a [u8]),
    Struct(&'a [u8], &'a [(u64, Pointer)]),
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
        Argument::Struct { bytes, pointers } => Passed::Struct(bytes, pointers),
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
        Passed::Struct(bytes, pointers) => (with_pointers(bytes, pointers)?, Holds::Anything),
    };
    let expected = holds(ty);
    let kinds_fit = kind == expected || kind == Holds::Anything || expected == Holds::Anything;
    (kinds_fit && bytes.len() as u64 == size).then_some(bytes)
}

/// What [`Argument::structure`] says.
pub(super) fn structure(size: u64, fields: impl IntoIterator<Item = (u64, Argument)>) -> Argument {
    // No kernel has room for more; a wrong size is refused whatever it is.
    let size = size.min(1 << 20);
    let (mut bytes, mut pointers) = (vec![0; size as usize], Vec::new());
    for (offset, field) in fields {
        let of_field = match passed(&field) {
            Passed::Number(ty, bits) => ty.bytes(bits).collect(),
            Passed::Pointer(pointer) => {
                pointers.push((offset, pointer));
                continue;
            }
            Passed::Bytes(bytes) => bytes.to_vec(),
            Passed::Struct(bytes, inside) => {
                pointers.extend(inside.iter().map(|(at, p)| (offset.saturating_add(*at), *p)));
                bytes.to_vec()
            }
        };
        let place = usize::try_from(offset).ok().and_then(|at| bytes.get_mut(at..));
        match place.and_then(|place| place.get_mut(..of_field.len())) {
            Some(place) => place.copy_from_slice(&of_field),
            // A place that no struct has: the launch refuses it.
            None => pointers.push((offset.max(size), Pointer::NULL)),
        }
    }
    Argument::Struct { bytes, pointers }
}

/// The bytes of a struct with its pointers; `None` where one has no place in it.
fn with_pointers(bytes: &[u8], pointers: &[(u64, Pointer)]) -> Option<Vec<u8>> {
    let mut bytes = bytes.to_vec();
    for (offset, pointer) in pointers {
        let place = bytes.get_mut(usize::try_from(*offset).ok()?..)?.get_mut(..8)?;
        place.copy_from_slice(&pointer.0.to_le_bytes());
    }
    Some(bytes)
}

fn describe(argument: &Argument) -> String {
    match passed(argument) {
        Passed::Number(ty, _) => ty.rust_name().to_owned(),
        Passed::Pointer(_) => "a pointer".to_owned(),
        Passed::Bytes(bytes) => format!("{} bytes", bytes.len()),
        Passed::Struct(bytes, pointers) => {
            let outside = |(at, _): &&(u64, Pointer)| {
                at.checked_add(8).is_none_or(|end| end > bytes.len() as u64)
            };
            match pointers.iter().find(outside) {
                Some((at, _)) => {
                    format!("a struct of {} bytes with a field at byte {at}", bytes.len())
                }
                None => format!("a struct of {} bytes", bytes.len()),
            }
        }
    }
}

/// What may be addresses among the arguments, and in structs among them: their places and values.
pub(super) fn addresses(arguments: &[Argument]) -> impl Iterator<Item = (ArgumentPlace, u64)> {
    let address = |argument| match passed(argument) {
        Passed::Pointer(pointer) => Some(pointer.0),
        Passed::Number(ElementType::U64 | ElementType::I64, bits) => Some(bits),
        Passed::Number(..) | Passed::Struct(..) => None,
        Passed::Bytes(bytes) => <[u8; 8]>::try_from(bytes).ok().map(u64::from_le_bytes),
    };
    arguments.iter().enumerate().flat_map(move |(index, argument)| {
        let whole = address(argument).map(|address| (ArgumentPlace::from(index), address));
        let inside = match passed(argument) {
            Passed::Struct(_, pointers) => pointers,
            Passed::Pointer(_) | Passed::Number(..) | Passed::Bytes(_) => &[],
        };
        let inside = inside.iter().map(move |(offset, pointer)| {
            (ArgumentPlace { argument: index, offset: Some(*offset) }, pointer.0)
        });
        whole.into_iter().chain(inside)
    })
}
