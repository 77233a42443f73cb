//! Arguments: checked against the kernel's parameters and laid out in the parameter bank.

use super::device::Argument;
use super::error::DeviceError;
use crate::lower::{KernelParameter, Program};
use crate::machine::Pages;
use crate::ptx::Type;

/// The parameter bank of a launch.
///
/// # Errors
/// A wrong number of arguments, or one that does not fit its parameter.
pub(super) fn parameter_bank(
    program: &Program,
    kernel: &str,
    arguments: &[Argument],
) -> Result<Pages, DeviceError> {
    if arguments.len() != program.parameters.len() {
        return Err(DeviceError::ArgumentCount {
            kernel: kernel.to_owned(),
            expected: program.parameters.len(),
            found: arguments.len(),
        });
    }
    let mut bank = Pages::new(program.parameter_bytes.into());
    for (index, (argument, parameter)) in arguments.iter().zip(&program.parameters).enumerate() {
        let bytes = fit(argument, parameter).ok_or_else(|| DeviceError::ArgumentType {
            index,
            parameter: parameter.name.to_string(),
            expected: parameter.ty,
            size: parameter.size.into(),
            found: describe(argument),
        })?;
        bank.write_bytes(parameter.offset.into(), &bytes);
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
fn fit(argument: &Argument, parameter: &KernelParameter) -> Option<Vec<u8>> {
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
    let expected = holds(parameter.ty);
    let kinds_fit = kind == expected || kind == Holds::Anything || expected == Holds::Anything;
    (kinds_fit && bytes.len() == parameter.size as usize).then_some(bytes)
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
