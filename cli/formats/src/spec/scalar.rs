//! Scalars, typed by the parameter they are passed to.
//!
//! PTX writes C's `int` as `.u32` or `.b32`, so an integer parameter of N bits takes everything
//! from -2^(N-1) to 2^N-1. A type in front of the value, as in `s32:-7`, is stricter. The value
//! must fit that type, and the type must have the parameter's size and kind.

use warpsim::element::{ElementType, parse_integer};
use warpsim::host::Parameter;
use warpsim::names;
use warpsim::ptx::Type;

use super::error::SpecError;

/// What a parameter can take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Integer,
    Float(ElementType),
    /// `.bN`: an integer, or a float of that size when it says so.
    Untyped,
    /// Structs, packed pairs, opaque handles.
    Raw,
}

fn kind(parameter: &Parameter) -> Kind {
    if parameter.is_array {
        return Kind::Raw;
    }
    match (parameter.ty, ElementType::try_from(parameter.ty)) {
        (Type::B8 | Type::B16 | Type::B32 | Type::B64, _) => Kind::Untyped,
        (_, Ok(element)) if element.is_float() => Kind::Float(element),
        (_, Ok(_)) => Kind::Integer,
        (_, Err(_)) => Kind::Raw,
    }
}

/// Whether a pointer fits: a 64-bit integer or untyped parameter.
pub fn takes_pointer(parameter: &Parameter) -> bool {
    parameter.size == 8 && matches!(kind(parameter), Kind::Integer | Kind::Untyped)
}

/// A parameter as messages name it.
pub fn describe(parameter: &Parameter) -> String {
    format!("{} ({})", names::parameter(&parameter.name), describe_type(parameter))
}

/// `.u64`, or `.b8[12]` for a struct.
fn describe_type(parameter: &Parameter) -> String {
    let ty = format!("{:?}", parameter.ty).to_lowercase();
    if parameter.is_array { format!(".{ty}[{}]", parameter.size) } else { format!(".{ty}") }
}

/// A parameter in a list of all: its position, its name if somebody gave it one, and its type.
pub fn describe_in_list(index: usize, parameter: &Parameter) -> String {
    match names::made_up(&parameter.name) {
        Some(_) => format!("{index} ({})", describe_type(parameter)),
        None => format!("{index} {}", describe(parameter)),
    }
}

/// The bytes of a scalar for a parameter.
pub fn bytes_for(
    parameter: &Parameter,
    element: Option<ElementType>,
    text: &str,
) -> Result<Vec<u8>, SpecError> {
    let bits = match element {
        Some(element) => {
            let bits = element.parse(text)?;
            check_prefix(parameter, element)?;
            bits
        }
        None => by_parameter(parameter, text)?,
    };
    Ok(bits.to_le_bytes().into_iter().take(parameter.size as usize).collect())
}

fn check_prefix(parameter: &Parameter, element: ElementType) -> Result<(), SpecError> {
    let unfit = |reason: String| SpecError::Unfit {
        what: format!("an argument of type {element}"),
        parameter: describe(parameter),
        reason,
    };
    let kind = kind(parameter);
    if kind == Kind::Raw {
        return Err(unfit(
            "it is passed as raw bytes, with `bytes:HEX` or `{OFFSET: SPEC, ...}`".to_owned(),
        ));
    }
    if element.size() as u64 != parameter.size {
        return Err(unfit(format!(
            "the parameter has {} bytes, the argument {}",
            parameter.size,
            element.size()
        )));
    }
    match kind {
        Kind::Float(own) if own != element => {
            Err(unfit(format!("the parameter is a float of type {own}")))
        }
        Kind::Integer if element.is_float() => Err(unfit("the parameter is an integer".to_owned())),
        _ => Ok(()),
    }
}

/// The bits of a value without a type of its own.
fn by_parameter(parameter: &Parameter, text: &str) -> Result<u64, SpecError> {
    match kind(parameter) {
        Kind::Float(element) => Ok(element.parse(text)?),
        Kind::Integer => integer(parameter, text),
        Kind::Untyped => match exact_float(parameter, text) {
            Some(bits) => bits,
            None => integer(parameter, text),
        },
        Kind::Raw => Err(SpecError::Unfit {
            what: format!("`{text}`"),
            parameter: describe(parameter),
            reason: "it is passed as raw bytes, with `bytes:HEX` or `{OFFSET: SPEC, ...}`"
                .to_owned(),
        }),
    }
}

/// `0f...` and `0d...` say their type themselves, so an untyped parameter takes them.
fn exact_float(parameter: &Parameter, text: &str) -> Option<Result<u64, SpecError>> {
    let element = match text.get(..2)? {
        "0f" | "0F" => ElementType::F32,
        "0d" | "0D" => ElementType::F64,
        _ => return None,
    };
    Some(check_prefix(parameter, element).and_then(|()| Ok(element.parse(text)?)))
}

fn integer(parameter: &Parameter, text: &str) -> Result<u64, SpecError> {
    let bits = parameter.size * 8;
    let value = match parse_integer(text) {
        Some(value) => value,
        None if looks_like_a_float(text) => {
            return Err(SpecError::Unfit {
                what: format!("`{text}`"),
                parameter: describe(parameter),
                reason: format!("it takes an integer; to pass a float's bits say f{bits}:{text}"),
            });
        }
        None => return Err(SpecError::NotAnInteger(text.to_owned())),
    };
    let (low, high) = (-(1i128 << (bits - 1)), (1i128 << bits) - 1);
    if value < low || value > high {
        let (text, parameter) = (text.to_owned(), describe(parameter));
        return Err(SpecError::ParameterRange { text, parameter, low, high });
    }
    Ok(value as u64)
}

fn looks_like_a_float(text: &str) -> bool {
    ElementType::F64.parse(text).is_ok() || matches!(text.get(..2), Some("0f" | "0d"))
}
