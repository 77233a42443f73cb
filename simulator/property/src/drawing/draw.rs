//! Launches and data, drawn together. The values that depend on them are settled here.
//!
//! A [`Draw`] holds only drawn values: sizes, lengths, cells. [`Inputs::resolve`] makes the
//! [`Case`] from it. Buffers that follow the launch, or a grid that follows a buffer, get their
//! sizes then. So a draw can be made smaller in any of its numbers, and the dependent values
//! follow.

use rand_chacha::rand_core::Rng;

use crate::argument::{ArgumentChoice, Choice, Contents, Length, Number};
use crate::case::{Case, Cells, Value};
use crate::drawing::element::{ElementType, Range};
use crate::failure::Mistake;
use crate::host::Launch;
use crate::launch::{self, Cover, LaunchShapes, Shared, Sizes};

/// The most cells of a buffer.
const MOST: u64 = 1 << 26;

/// Which launches and data to try.
#[derive(Clone, Debug)]
pub struct Inputs {
    pub(crate) launch: LaunchShapes,
    pub(crate) arguments: Vec<ArgumentChoice>,
}

/// What was drawn.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Draw {
    pub(crate) sizes: Sizes,
    pub(crate) arguments: Vec<Drawn>,
}

/// What was drawn for an argument.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Drawn {
    /// How many cells, if the length is drawn.
    pub(crate) length: u64,
    /// The cells, or the number, where they are drawn.
    pub(crate) bits: Vec<u64>,
}

impl Inputs {
    /// Whether every range has something in it.
    pub(crate) fn validate(&self) -> Result<(), Mistake> {
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

    /// Draws sizes, then numbers, then as many cells as those ask for.
    pub(crate) fn draw(&self, random: &mut impl Rng) -> Result<Draw, Mistake> {
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
        for (drawn, ArgumentChoice(choice)) in draw.arguments.iter_mut().zip(&self.arguments) {
            if let Choice::Scalar { ty, number: Number::Drawn(range) } = choice {
                drawn.bits = vec![range.draw(*ty, random)];
            }
        }
        let case = self.resolve(&draw)?;
        for (index, ArgumentChoice(choice)) in self.arguments.iter().enumerate() {
            if let Choice::Buffer { ty, contents: Contents::Drawn(range), .. } = choice
                && let Some(drawn) = draw.arguments.get_mut(index)
            {
                let cells = 0..case.cells(index)?.bits.len();
                drawn.bits = cells.map(|_| range.draw(*ty, random)).collect();
            }
        }
        Ok(draw)
    }

    /// The launch and data that a draw means.
    pub(crate) fn resolve(&self, draw: &Draw) -> Result<Case, Mistake> {
        let [gx, gy, gz, bx, by, bz, shared] = draw.sizes;
        let block = launch::possible([bx, by, bz]);
        let (grid, cooperative) = ([gx, gy, gz], self.launch.cooperative);
        let mut launch = Launch { grid, block, shared, cooperative };
        for (dimension, points) in self.points(draw)?.into_iter().enumerate() {
            let threads = block.get(dimension).copied().unwrap_or(1).max(1);
            if let Some(blocks) = launch.grid.get_mut(dimension) {
                *blocks = u32::try_from(points.div_ceil(threads.into())).unwrap_or(u32::MAX).max(1);
            }
        }
        if let Shared::Of(bytes) = &self.launch.shared {
            launch.shared = bytes(&launch);
        }
        // Numbers first: lengths may follow them. The other arguments get a placeholder, which is
        // no buffer.
        let mut case = Case { launch, arguments: Vec::new() };
        for (index, ArgumentChoice(choice)) in self.arguments.iter().enumerate() {
            case.arguments.push(match choice {
                Choice::Scalar { ty, number } => {
                    Value::Scalar { ty: *ty, bits: number_of(number, *ty, draw, index, &launch) }
                }
                Choice::Buffer { .. } | Choice::Again(_) => Value::Again(usize::MAX),
            });
        }
        for (index, ArgumentChoice(choice)) in self.arguments.iter().enumerate() {
            let value = match choice {
                Choice::Scalar { .. } => continue,
                Choice::Again(of) if *of < index => {
                    case.cells(*of)?;
                    Value::Again(*of)
                }
                Choice::Again(_) => return Err(Mistake::NoBuffer { argument: index }),
                Choice::Buffer { ty, length, contents } => {
                    let drawn = draw.arguments.get(index).cloned().unwrap_or_default();
                    let cells = self.cells(&case, index, length, drawn.length)?;
                    let bits = fill(*ty, contents, drawn.bits, cells);
                    Value::Buffer(Cells { ty: *ty, bits })
                }
            };
            if let Some(place) = case.arguments.get_mut(index) {
                *place = value;
            }
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

    /// How many points the grid must cover in each dimension; none if the grid is drawn.
    fn points(&self, draw: &Draw) -> Result<Vec<u64>, Mistake> {
        match &self.launch.cover {
            Cover::Nothing => Ok(Vec::new()),
            Cover::Cells(argument) => Ok(vec![self.length_before_launch(draw, *argument)?]),
            Cover::Numbers(arguments) => arguments
                .iter()
                .map(|argument| match self.arguments.get(*argument) {
                    Some(ArgumentChoice(Choice::Scalar {
                        ty,
                        number: number @ Number::Drawn(_),
                    })) => {
                        let bits = number_of(number, *ty, draw, *argument, &Launch::new(1, 1));
                        count(*ty, bits).ok_or(Mistake::NoCount { argument: *argument })
                    }
                    _ => Err(Mistake::NoCount { argument: *argument }),
                })
                .collect(),
        }
    }

    /// How many cells a buffer has, the numbers and the buffers before it being known.
    fn cells(
        &self,
        case: &Case,
        argument: usize,
        length: &Length,
        drawn: u64,
    ) -> Result<usize, Mistake> {
        let cells = match length {
            Length::Between(_) => drawn,
            Length::SameAs(of) => case.cells(*of)?.bits.len() as u64,
            Length::Of(cells) => cells(&case.launch),
            Length::ProductOf(numbers) => numbers.iter().try_fold(1u64, |product, of| {
                let factor = match (self.arguments.get(*of), case.arguments.get(*of)) {
                    // Lengths are not known yet.
                    (
                        Some(ArgumentChoice(Choice::Scalar {
                            number: Number::LengthOf(_), ..
                        })),
                        _,
                    ) => None,
                    (_, Some(Value::Scalar { ty, bits })) => count(*ty, *bits),
                    _ => None,
                };
                let factor = factor.ok_or(Mistake::NoCount { argument: *of })?;
                Ok::<u64, Mistake>(product.saturating_mul(factor))
            })?,
        };
        match usize::try_from(cells) {
            Ok(fits) if cells <= MOST => Ok(fits),
            _ => Err(Mistake::TooLong { argument, cells, most: MOST }),
        }
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

/// The bits of a number; zero where it is the length of a buffer, which is known later.
fn number_of(number: &Number, ty: ElementType, draw: &Draw, index: usize, launch: &Launch) -> u64 {
    match number {
        Number::Drawn(range) => {
            let drawn = draw.arguments.get(index).and_then(|drawn| drawn.bits.first());
            drawn.copied().unwrap_or(range.simplest(ty))
        }
        Number::Of(bits) => bits(launch),
        Number::LengthOf(_) => 0,
    }
}

/// A number as a count of things; none below zero, and no float.
fn count(ty: ElementType, bits: u64) -> Option<u64> {
    ty.integer(bits).and_then(|count| u64::try_from(count).ok())
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
pub(crate) fn drawn_from(choice: &ArgumentChoice) -> Option<(ElementType, &Range)> {
    match &choice.0 {
        Choice::Buffer { ty, contents: Contents::Drawn(range), .. } => Some((*ty, range)),
        Choice::Scalar { ty, number: Number::Drawn(range) } => Some((*ty, range)),
        _ => None,
    }
}
