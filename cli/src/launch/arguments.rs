//! Argument specifications become buffers and parameter bytes.

use warpsim::host::{Argument, ArgumentPlace, DeviceError, Parameter, Pointer};
use warpsim::names;
use warpsim::ptx::Module;

use super::device::LaunchDevice;
use super::{Buffer, globals, usage};
use crate::failure::Failure;
use crate::replay::quoted;
use crate::spec::structure::{self, Field};
use crate::spec::{BufferSpec, ImageSpec, Shape, Spec, SpecError, fill, scalar};
use crate::suggestion::Suggestion;

/// One argument for each parameter, or a message that lists the parameters.
pub(super) fn check_count(
    module: &Module,
    kernel: &str,
    parameters: &[Parameter],
    specs: &[Spec],
) -> Result<(), Failure> {
    if parameters.len() == specs.len() {
        return Ok(());
    }
    let list: Vec<String> =
        parameters.iter().enumerate().map(|(k, p)| scalar::describe_in_list(k, p)).collect();
    let takes = match parameters.len() {
        0 => "takes no arguments".to_owned(),
        1 => "takes 1 argument".to_owned(),
        n => format!("takes {n} arguments"),
    };
    let message =
        format!("kernel `{}` {takes}, but {} given", names::readable(kernel), given(specs.len()));
    Err(match list.is_empty() {
        true => Failure::usage(message),
        false => Failure::usage_with_help(
            message,
            format!(
                "give one --arg SPEC for each parameter, in order: {}{}",
                list.join(", "),
                for_example(module, kernel, specs)
            ),
        ),
    })
}

/// A launch of the kernel, for those who have given no arguments.
fn for_example(module: &Module, kernel: &str, specs: &[Spec]) -> String {
    match Suggestion::of(module, kernel).filter(|_| specs.is_empty()) {
        Some(suggestion) => {
            let words: Vec<String> = suggestion.options.iter().map(|word| quoted(word)).collect();
            format!("; for example {}", words.join(" "))
        }
        None => String::new(),
    }
}

fn given(count: usize) -> String {
    match count {
        0 => "none are".to_owned(),
        1 => "1 is".to_owned(),
        n => format!("{n} are"),
    }
}

/// Allocates and fills the buffers and lays out the arguments.
pub(super) fn resolve(
    device: &mut impl LaunchDevice,
    parameters: &[Parameter],
    specs: &[Spec],
) -> Result<(Vec<Argument>, Vec<Buffer>), Failure> {
    let (mut buffers, mut images) = (Vec::new(), Vec::new());
    for (k, (parameter, spec)) in parameters.iter().zip(specs).enumerate() {
        match spec {
            Spec::Buffer(_) => check_pointer(parameter, "a buffer"),
            Spec::Struct(fields) => check_struct(parameter, fields),
            Spec::Image(_) => check_pointer(parameter, "a texture or surface"),
            Spec::Null | Spec::Alias { .. } | Spec::Bytes(_) | Spec::Scalar { .. } => Ok(()),
        }
        .map_err(|e| in_argument(k, &e))?;
        if let Spec::Image(image) = spec {
            let (handle, surface) = make_image(device, k, image)?;
            images.push((k, handle));
            buffers.extend(surface);
            continue;
        }
        for (place, buffer) in spec.buffers(k) {
            buffers.push(allocate(device, place, buffer)?);
        }
    }
    let arguments: Result<Vec<Argument>, Failure> = parameters
        .iter()
        .zip(specs)
        .enumerate()
        .map(|(k, (parameter, spec))| {
            let image = images.iter().find(|(at, _)| *at == k).map(|(_, handle)| *handle);
            argument(parameter, k, spec, (&buffers, image)).map_err(|e| in_argument(k, &e))
        })
        .collect();
    Ok((arguments?, buffers))
}

fn in_argument(index: usize, error: &SpecError) -> Failure {
    Failure::usage(format!("argument {index}: {error}"))
}

fn check_pointer(parameter: &Parameter, what: &str) -> Result<(), SpecError> {
    if scalar::takes_pointer(parameter) {
        return Ok(());
    }
    Err(SpecError::Unfit {
        what: what.to_owned(),
        parameter: scalar::describe(parameter),
        reason: match parameter.is_array {
            true => "a pointer in a struct is given with its offset: `{0: f32[4]}`".to_owned(),
            false => "a pointer needs a 64-bit integer parameter".to_owned(),
        },
    })
}

/// Bytes of a struct that is passed: all parameters of a kernel have 32764 (PTX ISA 7.1.1), but a
/// module may say any size.
const MOST_OF_A_STRUCT: u64 = 1 << 20;

/// Refuses a struct where none is passed, and one with fields that it has no room for.
fn check_struct(parameter: &Parameter, fields: &[Field]) -> Result<(), SpecError> {
    if !parameter.is_array {
        return Err(SpecError::Unfit {
            what: "a struct".to_owned(),
            parameter: scalar::describe(parameter),
            reason: "the parameter is not a struct".to_owned(),
        });
    }
    if parameter.size > MOST_OF_A_STRUCT {
        return Err(SpecError::TooLarge);
    }
    let zeros = |(_, spec): &Field| Ok(vec![0; structure::size(spec) as usize]);
    structure::lay_out(fields, parameter.size, zeros).map(|_| ())
}

fn allocate<D: LaunchDevice>(
    device: &mut D,
    place: ArgumentPlace,
    spec: &BufferSpec,
) -> Result<Buffer, Failure> {
    let wrong = |e: &SpecError| Failure::usage(format!("{}: {e}", place.in_words()));
    let bytes = spec.bytes().ok_or_else(|| wrong(&SpecError::TooLarge))?;
    let contents = fill::contents(spec).map_err(|e| wrong(&e))?;
    let pointer = device.allocate(bytes).map_err(usage)?;
    // What is not given is zero, and meant to be.
    device.define(pointer, bytes).map_err(usage)?;
    match contents.filter(|c| !c.is_empty()) {
        Some(contents) => device.upload(pointer, &contents).map_err(usage)?,
        None if D::FRESH_IS_ZERO => device.define(pointer, bytes).map_err(usage)?,
        None => clear(device, pointer, bytes).map_err(usage)?,
    }
    let BufferSpec { element, length, shape, .. } = *spec;
    Ok(Buffer { parameter: place, element, length, shape, pointer })
}

/// Makes a texture or a surface: its handle, and of a surface the buffer that its texels are.
fn make_image(
    device: &mut impl LaunchDevice,
    k: usize,
    spec: &ImageSpec,
) -> Result<(u64, Option<Buffer>), Failure> {
    let contents = fill::contents(&spec.cells).map_err(|e| in_argument(k, &e))?;
    let zeros = || structure::zeros(spec.texels.bytes());
    let bytes = contents.map_or_else(zeros, Ok).map_err(|e| in_argument(k, &e))?;
    if !spec.is_surface {
        let image = device.texture(&spec.texels, spec.sampler, &bytes).map_err(usage)?;
        return Ok((image.handle, None));
    }
    let image = device.surface(&spec.texels, &bytes).map_err(usage)?;
    let (element, length) = (spec.cells.element, spec.cells.length);
    let buffer = Buffer {
        parameter: k.into(),
        element,
        length,
        shape: Shape::row(length),
        pointer: image.texels,
    };
    Ok((image.handle, Some(buffer)))
}

/// Writes zeros, in pieces.
fn clear(device: &mut impl LaunchDevice, start: Pointer, bytes: u64) -> Result<(), DeviceError> {
    const PIECE: u64 = 1 << 20;
    let zeros = vec![0; bytes.min(PIECE) as usize];
    let mut done = 0;
    while done < bytes {
        let now = (bytes - done).min(PIECE);
        device.upload(start.offset(done), &zeros[..now as usize])?;
        done += now;
    }
    Ok(())
}

fn argument(
    parameter: &Parameter,
    k: usize,
    spec: &Spec,
    (buffers, image): (&[Buffer], Option<u64>),
) -> Result<Argument, SpecError> {
    match spec {
        Spec::Null => {
            check_pointer(parameter, "`null`")?;
            Ok(Argument::Pointer(Pointer::NULL))
        }
        Spec::Buffer(buffer) => Ok(Argument::Pointer(pointer_of(k.into(), buffer.start, buffers)?)),
        Spec::Struct(fields) => structure_of(parameter, k, fields, buffers),
        Spec::Image(_) => image.map(Argument::U64).ok_or(SpecError::ImageInside),
        Spec::Alias { parameter: of, offset } => {
            check_pointer(parameter, "a buffer")?;
            Ok(Argument::Pointer(pointer_of(*of, *offset, buffers)?))
        }
        Spec::Bytes(bytes) if bytes.len() as u64 == parameter.size => {
            Ok(Argument::Bytes(bytes.clone()))
        }
        Spec::Bytes(bytes) => Err(SpecError::ByteCount {
            parameter: scalar::describe(parameter),
            expected: parameter.size,
            found: bytes.len() as u64,
        }),
        Spec::Scalar { element, text } => {
            Ok(Argument::Bytes(scalar::bytes_for(parameter, *element, text)?))
        }
    }
}

/// A struct with its pointers.
fn structure_of(
    parameter: &Parameter,
    argument: usize,
    fields: &[Field],
    buffers: &[Buffer],
) -> Result<Argument, SpecError> {
    let mut pointers = Vec::new();
    let bytes = structure::lay_out(fields, parameter.size, |(offset, spec)| {
        let pointer = match spec {
            Spec::Buffer(buffer) => {
                let place = ArgumentPlace { argument, offset: Some(*offset) };
                pointer_of(place, buffer.start, buffers)?
            }
            Spec::Alias { parameter, offset } => pointer_of(*parameter, *offset, buffers)?,
            Spec::Null
            | Spec::Bytes(_)
            | Spec::Scalar { .. }
            | Spec::Image(_)
            | Spec::Struct(_) => {
                return globals::plain_bytes(spec);
            }
        };
        pointers.push((*offset, pointer));
        Ok(pointer.0.to_le_bytes().to_vec())
    })?;
    Ok(Argument::Struct { bytes, pointers })
}

/// The address `offset` bytes into a buffer; one past its end is allowed.
pub(super) fn pointer_of(
    k: ArgumentPlace,
    offset: u64,
    buffers: &[Buffer],
) -> Result<Pointer, SpecError> {
    let buffer = buffers.iter().find(|b| b.parameter == k);
    let buffer = buffer.ok_or(SpecError::NoSuchBuffer(k))?;
    let bytes = buffer.length * buffer.element.size() as u64;
    if offset > bytes {
        return Err(SpecError::BeyondBuffer { parameter: k, offset, bytes });
    }
    Ok(buffer.pointer.offset(offset))
}
