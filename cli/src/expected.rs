//! The expected contents of buffers after the launches (`--expect`), and where they differ.
//!
//! An expectation is written as the first contents of a buffer are: `fill:V`, `iota`, `list:...`, or
//! a file. It has the type and the shape of the buffer, so a `.npy` file is checked for both. Floats
//! may differ by `--ulp` and `--abs`, as in `compare`.

use std::path::{Path, PathBuf};

use warpsim::element::ElementType;
use warpsim::host::ArgumentPlace;

use crate::compare::Tolerances;
use crate::compare::cells::{Differences, cells};
use crate::document::{DifferingRow, ExpectedRow};
use crate::failure::Failure;
use crate::launch::device::LaunchDevice;
use crate::launch::state::for_each_chunk;
use crate::launch::{Buffer, Prepared};
use crate::render::buffers::of_parameter;
use crate::spec::cell::Cell;
use crate::spec::structure::zeros;
use crate::spec::{BufferSpec, Expectation, Init, SpecError, fill, initial};

/// Differences that are shown of a buffer.
const SHOWN: usize = 8;

/// The bytes that the buffer should hold.
fn bytes(expected: &Expectation, buffer: &Buffer) -> Result<Vec<u8>, Failure> {
    let Buffer { element, length, shape, .. } = *buffer;
    let wrong = |what: String| Failure::usage(format!("--expect {}: {what}", expected.parameter));
    let is_file = !expected.contents.starts_with("file:")
        && Path::new(&expected.contents).extension().is_some_and(|ending| ending == "npy");
    let init = match is_file {
        true => Init::File(PathBuf::from(&expected.contents)),
        false => initial(element, length, &expected.contents).map_err(|e| wrong(e.to_string()))?,
    };
    let spec = BufferSpec { element, length, shape, start: 0, init };
    let bytes = fill::contents(&spec).map_err(|error| wrong(error.to_string()))?;
    // Contents that are all zeros have no bytes here.
    let zeros = || zeros(spec.bytes().ok_or(SpecError::TooLarge)?);
    bytes.map_or_else(zeros, Ok).map_err(|error| wrong(error.to_string()))
}

/// A buffer and its expected contents.
pub(crate) struct Compared {
    pub(crate) parameter: ArgumentPlace,
    element: ElementType,
    /// The parameter, as headings call it.
    whose: String,
    pub(crate) differences: Differences,
}

/// Refuses expectations of a parameter that is no buffer, before the launch.
///
/// # Errors
/// One names a parameter without a buffer, or its contents do not fit it.
pub(crate) fn check(
    expectations: &[Expectation],
    prepared: &Prepared<impl LaunchDevice>,
) -> Result<(), Failure> {
    expectations.iter().try_for_each(|expected| {
        let buffer = buffer_of(expected, &prepared.buffers)?;
        bytes(expected, buffer).map(|_| ())
    })
}

fn buffer_of<'b>(expected: &Expectation, all: &'b [Buffer]) -> Result<&'b Buffer, Failure> {
    let parameter = expected.parameter;
    all.iter().find(|buffer| buffer.parameter == parameter).ok_or_else(|| {
        Failure::usage(format!("--expect {parameter}: {} is not a buffer", parameter.in_words()))
    })
}

/// Compares the present contents of the buffers with the expected ones.
///
/// # Errors
/// A buffer cannot be read.
pub(crate) fn compare(
    expectations: &[Expectation],
    tolerances: &Tolerances,
    prepared: &mut Prepared<impl LaunchDevice>,
) -> Result<Vec<Compared>, Failure> {
    let mut compared = Vec::new();
    for expected in expectations {
        let buffer = *buffer_of(expected, &prepared.buffers)?;
        let wanted = bytes(expected, &buffer)?;
        let mut held = Vec::with_capacity(wanted.len());
        for_each_chunk::<Failure>(&mut prepared.device, buffer.range(), |chunk| {
            held.extend_from_slice(chunk);
            Ok(())
        })?;
        let parameter = expected.parameter;
        let tolerance = tolerances.of(Some(parameter));
        let name = prepared.parameters.get(parameter.argument).map_or("", |p| &p.name);
        compared.push(Compared {
            parameter,
            element: buffer.element,
            whose: of_parameter(parameter, name),
            differences: cells(buffer.element, &held, &wanted, tolerance, SHOWN),
        });
    }
    Ok(compared)
}

impl Compared {
    /// Whether the buffer has its expected contents.
    pub(crate) fn is_as_expected(&self) -> bool {
        self.differences.differing == 0
    }

    /// The message about a buffer that holds something else.
    pub(crate) fn text(&self) -> String {
        let Differences { compared, differing, .. } = self.differences;
        let head = format!("error: {}: {differing} of {compared} cells differ", self.whose);
        let lines = self.differences.first.iter().map(|cell| {
            let text = |bits| Cell { element: self.element, bits, as_bits: false }.text();
            format!("\n  [{}] {}, expected {}", cell.index, text(cell.ours), text(cell.theirs))
        });
        let more = differing - self.differences.first.len() as u64;
        let more = if more > 0 { format!("\n  ... {more} more") } else { String::new() };
        head + &lines.collect::<String>() + &more
    }

    /// The same for the JSON document.
    pub(crate) fn row(&self) -> ExpectedRow {
        let cell = |bits| Cell { element: self.element, bits, as_bits: false };
        let cells = self.differences.first.iter().map(|differing| DifferingRow {
            index: differing.index,
            value: cell(differing.ours),
            expected: cell(differing.theirs),
        });
        ExpectedRow {
            param: self.parameter.into(),
            compared: self.differences.compared,
            differing: self.differences.differing,
            tolerated: self.differences.tolerated,
            cells: cells.collect(),
        }
    }
}
