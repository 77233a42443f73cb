//! The arguments for a kernel's parameters: buffers, numbers, the same buffer again.

use std::fmt;
use std::marker::PhantomData;
use std::ops::RangeInclusive;
use std::sync::Arc;

use crate::drawing::element::{Element, ElementType, Range};
use crate::host::Launch;

/// What to give for a parameter. Made from [`buffer`], [`scalar`] and [`again`].
#[derive(Clone, Debug)]
pub struct ArgumentChoice(pub(super) Choice);

#[derive(Clone, Debug)]
pub(super) enum Choice {
    Buffer { ty: ElementType, length: Length, contents: Contents },
    Scalar { ty: ElementType, number: Number },
    Again(usize),
}

/// How many cells a buffer has.
#[derive(Clone)]
pub(super) enum Length {
    Between(RangeInclusive<u64>),
    SameAs(usize),
    Of(Arc<dyn Fn(&Launch) -> u64 + Send + Sync>),
    ProductOf(Vec<usize>),
}

impl fmt::Debug for Length {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Length::Between(range) => write!(f, "{range:?}"),
            Length::SameAs(argument) => write!(f, "as many as argument {argument}"),
            Length::Of(_) => f.write_str("as many as the launch says"),
            Length::ProductOf(arguments) => write!(f, "the product of arguments {arguments:?}"),
        }
    }
}

/// What a buffer holds at first.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Contents {
    Zeros,
    /// 0, 1, 2, ...
    Counting,
    Drawn(Range),
    These(Vec<u64>),
}

/// Where a number comes from.
#[derive(Clone)]
pub(super) enum Number {
    Drawn(Range),
    LengthOf(usize),
    /// The bits that a function of the launch says.
    Of(Arc<dyn Fn(&Launch) -> u64 + Send + Sync>),
}

impl fmt::Debug for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Number::Drawn(range) => write!(f, "{range:?}"),
            Number::LengthOf(argument) => write!(f, "the length of argument {argument}"),
            Number::Of(_) => f.write_str("what the launch says"),
        }
    }
}

/// A buffer of numbers of this type, one for each thread of the launch and zero, unless more is
/// said.
///
/// ```
/// use warpsim::property::buffer;
/// let image = buffer::<u8>().one_per_thread().any();
/// let list = buffer::<f32>().lengths(0..=1000).between(-1.0..=1.0);
/// let sums = buffer::<f32>().one_per_block();
/// # let _ = (image, list, sums);
/// ```
pub fn buffer<T: Element>() -> Buffers<T> {
    Buffers {
        length: Length::Of(Arc::new(Launch::threads)),
        contents: Contents::Zeros,
        ty: PhantomData,
    }
}

/// Buffers of one type, with bounds. Made by [`buffer`].
#[derive(Clone, Debug)]
pub struct Buffers<T> {
    pub(super) length: Length,
    pub(super) contents: Contents,
    ty: PhantomData<T>,
}

impl<T: Element> Buffers<T> {
    /// A cell for each thread of the launch.
    pub fn one_per_thread(self) -> Buffers<T> {
        self.length_from(Launch::threads)
    }

    /// This many cells for each thread of the launch.
    pub fn per_thread(self, cells: u64) -> Buffers<T> {
        self.length_from(move |launch| launch.threads().saturating_mul(cells))
    }

    /// This many cells for each block of the launch.
    pub fn per_block(self, cells: u64) -> Buffers<T> {
        self.length_from(move |launch| launch.blocks().saturating_mul(cells))
    }

    /// A cell for each block of the launch.
    pub fn one_per_block(self) -> Buffers<T> {
        self.length_from(Launch::blocks)
    }

    /// This many cells.
    pub fn length(self, cells: u64) -> Buffers<T> {
        self.lengths(cells..=cells)
    }

    /// Any number of cells between these two.
    pub fn lengths(self, cells: RangeInclusive<u64>) -> Buffers<T> {
        Buffers { length: Length::Between(cells), ..self }
    }

    /// As many cells as another buffer, one of an argument before this one.
    pub fn same_length_as(self, argument: usize) -> Buffers<T> {
        Buffers { length: Length::SameAs(argument), ..self }
    }

    /// As many cells as the product of these arguments, which are numbers: `w * h`. They may come
    /// after this one.
    pub fn product_of<const N: usize>(self, arguments: [usize; N]) -> Buffers<T> {
        Buffers { length: Length::ProductOf(arguments.to_vec()), ..self }
    }

    /// As many cells as a function of the launch says.
    pub fn length_from(self, cells: impl Fn(&Launch) -> u64 + Send + Sync + 'static) -> Buffers<T> {
        Buffers { length: Length::Of(Arc::new(cells)), ..self }
    }

    /// All cells zero.
    pub fn zeros(self) -> Buffers<T> {
        Buffers { contents: Contents::Zeros, ..self }
    }

    /// 0, 1, 2 and so on.
    pub fn counting(self) -> Buffers<T> {
        Buffers { contents: Contents::Counting, ..self }
    }

    /// Any numbers of the type; among floats, infinities and NaNs as well.
    pub fn any(self) -> Buffers<T> {
        Buffers { contents: Contents::Drawn(Range::Any), ..self }
    }

    /// Any numbers between these two.
    pub fn between(self, range: RangeInclusive<T>) -> Buffers<T> {
        Buffers { contents: Contents::Drawn(Range::of(&range)), ..self }
    }

    /// These cells.
    pub fn holding(self, cells: impl IntoIterator<Item = T>) -> Buffers<T> {
        let cells: Vec<u64> = cells.into_iter().map(Element::to_bits).collect();
        Buffers { contents: Contents::These(cells.clone()), ..self }.length(cells.len() as u64)
    }
}

/// A number of this type: zero, unless more is said.
///
/// ```
/// use warpsim::property::scalar;
/// let n = scalar::<u32>().total_threads();
/// let scale = scalar::<f32>().between(0.5..=2.0);
/// let length = scalar::<u64>().length_of(0);
/// # let _ = (n, scale, length);
/// ```
pub fn scalar<T: Element>() -> Scalars<T> {
    Scalars { number: Number::Drawn(Range::Between(0, 0)), ty: PhantomData }
}

/// Numbers of one type, with bounds. Made by [`scalar`].
#[derive(Clone, Debug)]
pub struct Scalars<T> {
    pub(super) number: Number,
    ty: PhantomData<T>,
}

impl<T: Element> Scalars<T> {
    /// This number.
    pub fn value(self, value: T) -> Scalars<T> {
        self.between(value..=value)
    }

    /// Any number between these two.
    pub fn between(self, range: RangeInclusive<T>) -> Scalars<T> {
        Scalars { number: Number::Drawn(Range::of(&range)), ..self }
    }

    /// Any number of the type.
    pub fn any(self) -> Scalars<T> {
        Scalars { number: Number::Drawn(Range::Any), ..self }
    }

    /// How many cells the buffer of an argument has.
    pub fn length_of(self, argument: usize) -> Scalars<T> {
        Scalars { number: Number::LengthOf(argument), ..self }
    }

    /// How many threads the launch has.
    pub fn total_threads(self) -> Scalars<T> {
        let bits = |launch: &Launch| T::TYPE.of_integer(launch.threads().into());
        Scalars { number: Number::Of(Arc::new(bits)), ..self }
    }

    /// What a function of the launch says: a width of as many cells as there are threads in x, for
    /// example.
    pub fn value_from(self, value: impl Fn(&Launch) -> T + Send + Sync + 'static) -> Scalars<T> {
        let bits = move |launch: &Launch| value(launch).to_bits();
        Scalars { number: Number::Of(Arc::new(bits)), ..self }
    }
}

/// The buffer of an argument before this one, again: two pointers to the same memory.
pub fn again(argument: usize) -> ArgumentChoice {
    ArgumentChoice(Choice::Again(argument))
}

impl<T: Element> From<Buffers<T>> for ArgumentChoice {
    fn from(buffers: Buffers<T>) -> ArgumentChoice {
        let Buffers { length, contents, .. } = buffers;
        ArgumentChoice(Choice::Buffer { ty: T::TYPE, length, contents })
    }
}

impl<T: Element> From<Scalars<T>> for ArgumentChoice {
    fn from(scalars: Scalars<T>) -> ArgumentChoice {
        ArgumentChoice(Choice::Scalar { ty: T::TYPE, number: scalars.number })
    }
}
