//! The results that an oracle expects from a kernel, and how they are compared.

use super::case::{Case, Cells};
use super::failure::Mistake;
use crate::drawing::element::{Element, ElementType, shown};

/// What buffers should hold after a launch. Made by [`expect`]; a buffer that is not named may hold
/// anything.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Expected {
    pub(super) buffers: Vec<ExpectedBuffer>,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) struct ExpectedBuffer {
    pub(super) argument: usize,
    pub(super) cells: Cells,
    pub(super) tolerance: Option<Tolerance>,
}

/// How far a float may be from the expected number: `absolute + relative * |expected|`.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Tolerance {
    /// In the numbers' own unit.
    pub absolute: f64,
    /// As a part of the expected number.
    pub relative: f64,
}

impl Tolerance {
    /// A tolerance that is the same everywhere.
    pub fn absolute(absolute: f64) -> Tolerance {
        Tolerance { absolute, relative: 0.0 }
    }

    /// A tolerance that grows with the number.
    pub fn relative(relative: f64) -> Tolerance {
        Tolerance { absolute: 0.0, relative }
    }
}

/// Expects nothing yet.
///
/// ```
/// use warpsim::property::{Tolerance, expect};
/// let expected = expect().buffer(1, [1, 2, 3]).close(2, [0.5f32], Tolerance::relative(1e-6));
/// # let _ = expected;
/// ```
pub fn expect() -> Expected {
    Expected::default()
}

impl Expected {
    /// The buffer of this argument holds exactly these numbers: floats have the same bits, but all
    /// NaNs count as equal.
    pub fn buffer<T: Element>(
        self,
        argument: usize,
        cells: impl IntoIterator<Item = T>,
    ) -> Expected {
        self.with(ExpectedBuffer { argument, cells: Cells::new(cells), tolerance: None })
    }

    /// The buffer of this argument holds these numbers, or near enough.
    pub fn close<T: Element>(
        self,
        argument: usize,
        cells: impl IntoIterator<Item = T>,
        tolerance: Tolerance,
    ) -> Expected {
        let tolerance = Some(tolerance);
        self.with(ExpectedBuffer { argument, cells: Cells::new(cells), tolerance })
    }

    fn with(mut self, buffer: ExpectedBuffer) -> Expected {
        self.buffers.push(buffer);
        self
    }

    /// The first cell that is not as expected.
    pub(super) fn first_mismatch(
        &self,
        case: &Case,
        found: &[Option<Cells>],
    ) -> Result<Option<Mismatch>, Mistake> {
        for expected in &self.buffers {
            let argument = expected.argument;
            let given = case.cells(argument)?;
            let Some(Some(found)) = found.get(argument) else {
                return Err(Mistake::NoBuffer { argument });
            };
            if given.ty != expected.cells.ty {
                return Err(Mistake::OtherType { expected: given.ty, found: expected.cells.ty });
            }
            let (length, said) = (found.bits.len(), expected.cells.bits.len());
            if length != said {
                return Err(Mistake::OtherLength { argument, length, said });
            }
            if let Some(mismatch) = expected.mismatch(found) {
                return Ok(Some(mismatch));
            }
        }
        Ok(None)
    }
}

/// A cell that is not as expected.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Mismatch {
    /// The argument whose buffer it is in.
    pub argument: usize,
    /// The number of the cell.
    pub cell: usize,
    /// What the oracle says.
    pub expected: String,
    /// What the kernel left.
    pub found: String,
    /// How many cells of the buffer are not as expected.
    pub count: usize,
    /// How much they may differ; `None` for not at all.
    pub tolerance: Option<Tolerance>,
    /// The whole buffer as it should be.
    pub cells: Cells,
}

impl ExpectedBuffer {
    fn mismatch(&self, found: &Cells) -> Option<Mismatch> {
        let ty = self.cells.ty;
        let pairs = self.cells.bits.iter().zip(&found.bits).enumerate();
        let mut differing = pairs
            .filter(|(_, (expected, found))| !is_same(ty, **expected, **found, self.tolerance));
        let (cell, (expected, bits)) = differing.next()?;
        Some(Mismatch {
            argument: self.argument,
            cell,
            expected: shown(ty, *expected),
            found: shown(ty, *bits),
            count: 1 + differing.count(),
            tolerance: self.tolerance,
            cells: self.cells.clone(),
        })
    }
}

fn is_same(ty: ElementType, expected: u64, found: u64, tolerance: Option<Tolerance>) -> bool {
    if expected == found {
        return true;
    }
    let (expected, found) = (ty.float(expected), ty.float(found));
    if ty.is_float() && expected.is_nan() && found.is_nan() {
        return true;
    }
    tolerance.is_some_and(|Tolerance { absolute, relative }| {
        (expected - found).abs() <= absolute + relative * expected.abs()
    })
}
