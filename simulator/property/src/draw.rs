//! Launches and data, drawn together: what depends on what is settled here.
//!
//! A [`Draw`] holds only what was drawn: sizes, lengths, cells. [`Inputs::resolve`] makes the
//! [`Case`] of it: buffers that follow the launch, or a grid that follows a buffer, get their sizes
//! then. So a draw can be made smaller in any of its numbers, and what depends on them follows.

use rand_chacha::rand_core::Rng;

use super::argument::{ArgumentChoice, Choice, Contents, Length, Number};
use super::case::{Case, Cells, Value, threads};
use super::element::{ElementType, Range};
use super::failure::Mistake;
use super::launch::{self, LaunchShapes, Sizes};
use crate::host::Launch;

/// The most cells of a buffer.
const MOST: u64 = 1 << 26;

/// Which launches and data to try.
#[derive(Clone, Debug)]
pub struct Inputs {
    pub(super) launch: LaunchShapes,
    pub(super) arguments: Vec<ArgumentChoice>,
}

/// What was drawn.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Draw {
    pub(super) sizes: Sizes,
    pub(super) arguments: Vec<Drawn>,
}

/// What was drawn for an argument.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Drawn {
    /// How many cells, where that is drawn.
    pub(super) length: u64,
    /// The cells, or the number, where they are drawn.
    pub(super) bits: Vec<u64>,
}

impl Inputs {
    /// Whether every range has something in it.
    pub(super) fn validate(&self) -> Result<(), Mistake> {
        if self.launch.ranges().iter().any(|range| range.is_empty()) {
            return Err(Mistake::EmptyRange { of: "the launch".to_owned() });
        }
        for (index, ArgumentChoice(choice)) in self.arguments.iter().enumerate() {
            let (ty, range) = match choice {
                Choice::Buffer { length: Length::Between(range), .. } if range.is_empty() => {
                    return Err(Mistake::EmptyRange { of: format!("argument {index}'s lengths") });
                }
                Choice::Buffer { ty, contents: Contents::Drawn(range), .. } => (ty, range),
                Choice::Scalar { ty, number: Number::Drawn(range) } => (ty, range),
                _ => continue,
            };
            if range.is_empty(*ty) {
                return Err(Mistake::EmptyRange { of: format!("argument {index}'s values") });
            }
        }
        Ok(())
    }

    /// Draws sizes, then as many cells as they ask for.
    pub(super) fn draw(&self, random: &mut impl Rng) -> Result<Draw, Mistake> {
        self.validate()?;
        let sizes = launch::draw(&self.launch, random);
        let length = |ArgumentChoice(choice): &ArgumentChoice, random: &mut _| match choice {
            Choice::Buffer { length: Length::Between(range), .. } => {
                launch::draw_size(range, random)
            }
            _ => 0,
        };
        let arguments: Vec<Drawn> = self
            .arguments
            .iter()
            .map(|choice| Drawn { length: length(choice, random), bits: Vec::new() })
            .collect();
        let mut draw = Draw { sizes, arguments };
        let case = self.resolve(&draw)?;
        for (index, ArgumentChoice(choice)) in self.arguments.iter().enumerate() {
            let (ty, range, count) = match choice {
                Choice::Buffer { ty, contents: Contents::Drawn(range), .. } => {
                    (ty, range, case.cells(index)?.bits.len())
                }
                Choice::Scalar { ty, number: Number::Drawn(range) } => (ty, range, 1),
                _ => continue,
            };
            if let Some(drawn) = draw.arguments.get_mut(index) {
                drawn.bits = (0..count).map(|_| range.draw(*ty, random)).collect();
            }
        }
        Ok(draw)
    }

    /// The launch and data that a draw means.
    pub(super) fn resolve(&self, draw: &Draw) -> Result<Case, Mistake> {
        let [gx, gy, gz, bx, by, bz, shared] = draw.sizes;
        let block = launch::possible([bx, by, bz]);
        let mut launch = Launch { grid: [gx, gy, gz], block, shared };
        if let Some(argument) = self.launch.cover {
            let cells = self.length_before_launch(draw, argument)?;
            let [x, _, _] = &mut launch.grid;
            let [threads, _, _] = block;
            *x = u32::try_from(cells.div_ceil(threads.max(1).into())).unwrap_or(u32::MAX).max(1);
        }
        let mut case = Case { launch, arguments: Vec::new() };
        for (index, ArgumentChoice(choice)) in self.arguments.iter().enumerate() {
            let drawn = draw.arguments.get(index).cloned().unwrap_or_default();
            let value = self.value(&case, index, choice, drawn)?;
            case.arguments.push(value);
        }
        // Lengths of buffers that come later are known only now.
        for (index, ArgumentChoice(choice)) in self.arguments.iter().enumerate() {
            let Choice::Scalar { ty, number: Number::LengthOf(of) } = choice else { continue };
            let length = case.cells(*of)?.bits.len();
            let bits = ty.of_integer(length as i128);
            if let Some(value) = case.arguments.get_mut(index) {
                *value = Value::Scalar { ty: *ty, bits };
            }
        }
        Ok(case)
    }

    /// What a choice gives, the arguments before it being known.
    fn value(
        &self,
        case: &Case,
        index: usize,
        choice: &Choice,
        drawn: Drawn,
    ) -> Result<Value, Mistake> {
        Ok(match choice {
            Choice::Again(of) => {
                case.cells(*of)?;
                Value::Again(*of)
            }
            Choice::Scalar { ty, number } => {
                let bits = match number {
                    Number::Drawn(range) => {
                        drawn.bits.first().copied().unwrap_or(range.simplest(*ty))
                    }
                    Number::TotalThreads => ty.of_integer(threads(&case.launch).into()),
                    Number::LengthOf(_) => 0,
                };
                Value::Scalar { ty: *ty, bits }
            }
            Choice::Buffer { ty, length, contents } => {
                let cells = match length {
                    Length::Between(_) => drawn.length,
                    Length::SameAs(of) => case.cells(*of)?.bits.len() as u64,
                    Length::Of(cells) => cells(&case.launch),
                };
                if cells > MOST {
                    return Err(Mistake::TooLong { argument: index, cells, most: MOST });
                }
                let bits = fill(*ty, contents, drawn.bits, cells as usize);
                Value::Buffer(Cells { ty: *ty, bits })
            }
        })
    }

    /// The length of a buffer that does not depend on the launch.
    fn length_before_launch(&self, draw: &Draw, argument: usize) -> Result<u64, Mistake> {
        match self.arguments.get(argument) {
            Some(ArgumentChoice(Choice::Buffer { length: Length::Between(_), .. })) => {
                Ok(draw.arguments.get(argument).map_or(0, |drawn| drawn.length))
            }
            Some(ArgumentChoice(Choice::Buffer { length: Length::SameAs(of), .. }))
                if *of < argument =>
            {
                self.length_before_launch(draw, *of)
            }
            _ => Err(Mistake::CoverDependsOnLaunch { argument }),
        }
    }
}

/// The cells of a buffer: those drawn, and the simplest where there are too few.
fn fill(ty: ElementType, contents: &Contents, mut drawn: Vec<u64>, cells: usize) -> Vec<u64> {
    match contents {
        Contents::Zeros => vec![0; cells],
        Contents::Counting => (0..cells as i128).map(|cell| ty.of_integer(cell)).collect(),
        Contents::These(these) => {
            let mut these = these.clone();
            these.resize(cells, 0);
            these
        }
        Contents::Drawn(range) => {
            drawn.resize(cells, range.simplest(ty));
            drawn
        }
    }
}

/// What the numbers of a choice may be, where they are drawn.
pub(super) fn drawn_from(choice: &ArgumentChoice) -> Option<(ElementType, &Range)> {
    match &choice.0 {
        Choice::Buffer { ty, contents: Contents::Drawn(range), .. } => Some((*ty, range)),
        Choice::Scalar { ty, number: Number::Drawn(range) } => Some((*ty, range)),
        _ => None,
    }
}
