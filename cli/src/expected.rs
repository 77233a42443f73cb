//! What buffers are to hold after the launches (`--expect`), and where they do not.
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
use crate::spec::{BufferSpec, Init, fill, initial};

/// Differences that are shown of a buffer.
const SHOWN: usize = 8;

/// What a buffer is to hold.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Expectation {
    pub(crate) parameter: ArgumentPlace,
    /// INIT, or a file that ends in `.npy`.
    contents: String,
}

impl Expectation {
    /// Reads `K=INIT` or `K=FILE.npy`.
    pub(crate) fn parse(text: &str) -> Result<Expectation, String> {
        let wanted = "it is the number of a parameter, from 0, `=`, and INIT as in --arg, or a .npy \
                      file: 1=list:1,3,6 or 1=sums.npy";
        let (parameter, contents) = text.split_once('=').ok_or(wanted)?;
        let parameter = parameter.parse().map_err(|_| wanted)?;
        if contents.is_empty() {
            return Err(wanted.to_owned());
        }
        Ok(Expectation { parameter, contents: contents.to_owned() })
    }

    /// The bytes that the buffer is to hold.
    fn bytes(&self, buffer: &Buffer) -> Result<Vec<u8>, Failure> {
        let Buffer { element, length, shape, .. } = *buffer;
        let wrong = |what: String| Failure::usage(format!("--expect {}: {what}", self.parameter));
        let is_file = !self.contents.starts_with("file:")
            && Path::new(&self.contents).extension().is_some_and(|ending| ending == "npy");
        let init = match is_file {
            true => Init::File(PathBuf::from(&self.contents)),
            false => initial(element, length, &self.contents).map_err(|e| wrong(e.to_string()))?,
        };
        let spec = BufferSpec { element, length, shape, start: 0, init };
        let bytes = fill::contents(&spec).map_err(|error| wrong(error.to_string()))?;
        // What is all zeros is not written down.
        let zeros = || vec![0; usize::try_from(spec.bytes().unwrap_or(0)).unwrap_or(0)];
        Ok(bytes.unwrap_or_else(zeros))
    }
}

/// A buffer and what it was to hold.
pub(crate) struct Compared {
    pub(crate) parameter: ArgumentPlace,
    element: ElementType,
    /// The parameter, as headings call it.
    whose: String,
    pub(crate) differences: Differences,
}

/// Refuses expectations of what is no buffer, before the launch.
///
/// # Errors
/// One names a parameter without a buffer, or its contents do not fit it.
pub(crate) fn check(
    expectations: &[Expectation],
    prepared: &Prepared<impl LaunchDevice>,
) -> Result<(), Failure> {
    expectations.iter().try_for_each(|expected| {
        let buffer = buffer_of(expected, &prepared.buffers)?;
        expected.bytes(buffer).map(|_| ())
    })
}

fn buffer_of<'b>(expected: &Expectation, all: &'b [Buffer]) -> Result<&'b Buffer, Failure> {
    let parameter = expected.parameter;
    all.iter().find(|buffer| buffer.parameter == parameter).ok_or_else(|| {
        Failure::usage(format!("--expect {parameter}: {} is no buffer", parameter.in_words()))
    })
}

/// Compares the buffers, as they are now, with what they are to hold.
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
        let wanted = expected.bytes(&buffer)?;
        let mut held = Vec::with_capacity(wanted.len());
        for_each_chunk::<Failure>(&mut prepared.device, &buffer, |chunk| {
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
    /// Whether the buffer holds what it was to hold.
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
