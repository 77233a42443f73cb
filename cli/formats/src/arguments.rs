//! Argument specifications become buffers on a device and parameter bytes.

use std::fmt;

use warpsim::element::ElementType;
use warpsim::host::{Argument, ArgumentPlace, Device, DeviceError, Parameter, Pointer};

use crate::spec::structure::{self, Field};
use crate::spec::{BufferSpec, ImageSpec, Shape, Spec, SpecError, fill, scalar};

/// A buffer that was made for an argument.
#[derive(Clone, Copy, Debug)]
pub struct Buffer {
    /// The parameter that it was given for, or the place in a struct.
    pub parameter: ArgumentPlace,
    /// The type of its cells.
    pub element: ElementType,
    /// How many cells it has.
    pub length: u64,
    /// How many along each dimension.
    pub shape: Shape,
    /// Where it lies on the device.
    pub pointer: Pointer,
}

impl Buffer {
    /// Where it is, and how many bytes it has.
    pub fn range(&self) -> (Pointer, u64) {
        (self.pointer, self.length * self.element.size() as u64)
    }
}

/// Why arguments cannot be laid out.
#[derive(Clone, Debug, PartialEq)]
pub enum ArgumentError {
    /// A specification does not fit its parameter.
    Argument {
        /// The parameter, counted from 0.
        index: usize,
        /// What is wrong with it.
        error: SpecError,
    },
    /// A buffer cannot be filled.
    Buffer {
        /// The parameter that it is given for, or the place in a struct.
        place: ArgumentPlace,
        /// What is wrong with it.
        error: SpecError,
    },
    /// The device refuses a call.
    Device(DeviceError),
}

impl fmt::Display for ArgumentError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ArgumentError::Argument { index, error } => write!(f, "argument {index}: {error}"),
            ArgumentError::Buffer { place, error } => write!(f, "{}: {error}", place.in_words()),
            ArgumentError::Device(error) => write!(f, "{error}"),
        }
    }
}

impl std::error::Error for ArgumentError {}

impl From<DeviceError> for ArgumentError {
    fn from(error: DeviceError) -> ArgumentError {
        ArgumentError::Device(error)
    }
}

/// Allocates and fills the buffers and lays out the arguments. `fresh_is_zero` says whether memory
/// that is allocated on the device holds zeros.
///
/// # Errors
/// An argument does not fit its parameter, or the device refuses a call.
pub fn resolve(
    device: &mut dyn Device,
    fresh_is_zero: bool,
    parameters: &[Parameter],
    specs: &[Spec],
) -> Result<(Vec<Argument>, Vec<Buffer>), ArgumentError> {
    let (mut buffers, mut images) = (Vec::new(), Vec::new());
    for (k, (parameter, spec)) in parameters.iter().zip(specs).enumerate() {
        match spec {
            Spec::Buffer(_) => check_pointer(parameter, "a buffer"),
            Spec::Struct(fields) => check_struct(parameter, fields),
            Spec::Image(_) => check_pointer(parameter, "a texture or surface"),
            Spec::Null | Spec::Alias { .. } | Spec::Bytes(_) | Spec::Scalar { .. } => Ok(()),
        }
        .map_err(|error| in_argument(k, error))?;
        if let Spec::Image(image) = spec {
            let (handle, surface) = make_image(device, k, image)?;
            images.push((k, handle));
            buffers.extend(surface);
            continue;
        }
        for (place, buffer) in spec.buffers(k) {
            buffers.push(allocate(device, fresh_is_zero, place, buffer)?);
        }
    }
    let arguments: Result<Vec<Argument>, ArgumentError> = parameters
        .iter()
        .zip(specs)
        .enumerate()
        .map(|(k, (parameter, spec))| {
            let image = images.iter().find(|(at, _)| *at == k).map(|(_, handle)| *handle);
            argument(parameter, k, spec, (&buffers, image)).map_err(|error| in_argument(k, error))
        })
        .collect();
    Ok((arguments?, buffers))
}

fn in_argument(index: usize, error: SpecError) -> ArgumentError {
    ArgumentError::Argument { index, error }
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

fn allocate(
    device: &mut dyn Device,
    fresh_is_zero: bool,
    place: ArgumentPlace,
    spec: &BufferSpec,
) -> Result<Buffer, ArgumentError> {
    let wrong = |error| ArgumentError::Buffer { place, error };
    let bytes = spec.bytes().ok_or_else(|| wrong(SpecError::TooLarge))?;
    let contents = fill::contents(spec).map_err(wrong)?;
    let pointer = device.allocate(bytes)?;
    // What is not given is zero, and meant to be.
    device.define(pointer, bytes)?;
    match contents.filter(|c| !c.is_empty()) {
        Some(contents) => device.upload(pointer, &contents)?,
        None if fresh_is_zero => device.define(pointer, bytes)?,
        None => clear(device, pointer, bytes)?,
    }
    let BufferSpec { element, length, shape, .. } = *spec;
    Ok(Buffer { parameter: place, element, length, shape, pointer })
}

/// Makes a texture or a surface: its handle, and of a surface the buffer that its texels are.
fn make_image(
    device: &mut dyn Device,
    k: usize,
    spec: &ImageSpec,
) -> Result<(u64, Option<Buffer>), ArgumentError> {
    let contents = fill::contents(&spec.cells).map_err(|error| in_argument(k, error))?;
    let zeros = || structure::zeros(spec.texels.bytes());
    let bytes = contents.map_or_else(zeros, Ok).map_err(|error| in_argument(k, error))?;
    if !spec.is_surface {
        let image = device.texture(&spec.texels, spec.sampler, &bytes)?;
        return Ok((image.handle, None));
    }
    let image = device.surface(&spec.texels, &bytes)?;
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
fn clear(device: &mut dyn Device, start: Pointer, bytes: u64) -> Result<(), DeviceError> {
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
                return plain_bytes(spec);
            }
        };
        pointers.push((*offset, pointer));
        Ok(pointer.0.to_le_bytes().to_vec())
    })?;
    Ok(Argument::Struct { bytes, pointers })
}

/// The address `offset` bytes into a buffer; one past its end is allowed.
///
/// # Errors
/// There is no such buffer, or it is shorter.
pub fn pointer_of(k: ArgumentPlace, offset: u64, buffers: &[Buffer]) -> Result<Pointer, SpecError> {
    let buffer = buffers.iter().find(|b| b.parameter == k);
    let buffer = buffer.ok_or(SpecError::NoSuchBuffer(k))?;
    let bytes = buffer.length * buffer.element.size() as u64;
    if offset > bytes {
        return Err(SpecError::BeyondBuffer { parameter: k, offset, bytes });
    }
    Ok(buffer.pointer.offset(offset))
}

/// The bytes of a specification that names its own type and is not a buffer.
///
/// # Errors
/// It does not say its type, or cannot stand inside of something.
pub fn plain_bytes(spec: &Spec) -> Result<Vec<u8>, SpecError> {
    match spec {
        Spec::Null => Ok(0u64.to_le_bytes().to_vec()),
        Spec::Bytes(bytes) => Ok(bytes.clone()),
        Spec::Scalar { element: Some(element), text } => {
            Ok(element.bytes(element.parse(text)?).collect())
        }
        Spec::Scalar { element: None, text } => Err(SpecError::NoType(text.clone())),
        Spec::Struct(_) => Err(SpecError::StructInStruct),
        Spec::Image(_) => Err(SpecError::ImageInside),
        Spec::Alias { parameter, .. } => Err(SpecError::NoSuchBuffer(*parameter)),
        Spec::Buffer(_) => Err(SpecError::TooLarge),
    }
}
