//! Types of elements that are arguments (`cudaDataType_t`, `cublasComputeType_t`), and products of
//! matrices of such types.

use warpsim_blas::matrices;
use warpsim_blas::narrow::Narrow;
use warpsim_blas::product::{Factor, product, transposed};
use warpsim_blas::{C32, C64, E4M3, E5M2, Element, Layout, Number, Op, bf16, f16};
use warpsim_driver_core::{Answer, CudaError};

use super::status::{Done, Status};
use super::tasks::{Memory, Task, Value, kept, leading, op, sizes};

/// A type of elements in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Single,
    Double,
    Half,
    Brain,
    E4M3,
    E5M2,
    Byte,
    Int,
    ComplexSingle,
    ComplexDouble,
    ComplexByte,
}

impl Kind {
    /// By its number in `library_types.h`.
    ///
    /// # Errors
    /// There is no such type here.
    pub(super) fn of(number: u32) -> Done<Kind> {
        Ok(match number {
            0 => Kind::Single,
            1 => Kind::Double,
            2 => Kind::Half,
            3 => Kind::Byte,
            4 => Kind::ComplexSingle,
            5 => Kind::ComplexDouble,
            7 => Kind::ComplexByte,
            10 => Kind::Int,
            14 => Kind::Brain,
            28 => Kind::E4M3,
            29 => Kind::E5M2,
            _ => return Err(Status::NotSupported),
        })
    }

    pub(super) fn bytes(self) -> usize {
        match self {
            Kind::E4M3 | Kind::E5M2 | Kind::Byte => 1,
            Kind::Half | Kind::Brain | Kind::ComplexByte => 2,
            Kind::Single | Kind::Int => 4,
            Kind::Double | Kind::ComplexSingle => 8,
            Kind::ComplexDouble => 16,
        }
    }
}

/// What elements of several types are computed with as.
pub(super) trait Typed: Number + Factor {
    /// The type in memory that is this one.
    const KIND: Kind;

    /// Elements of memory.
    fn get(
        memory: &mut Memory<'_, '_, '_>,
        address: u64,
        layout: &Layout,
        kind: Kind,
    ) -> Answer<Vec<Self>>;

    /// Writes them, rounded to the nearest.
    fn put(
        memory: &mut Memory<'_, '_, '_>,
        address: u64,
        layout: &Layout,
        kind: Kind,
        values: &[Self],
    ) -> Answer<()>;
}

/// Types that are themselves in memory, and others that are not.
const NOT_SO: CudaError = CudaError::NotSupported;

macro_rules! itself {
    ($($ty:ty, $kind:ident;)*) => {$(
        impl Typed for $ty {
            const KIND: Kind = Kind::$kind;

            fn get(memory: &mut Memory<'_, '_, '_>, address: u64, layout: &Layout, kind: Kind) -> Answer<Vec<$ty>> {
                if kind == Kind::$kind { memory.get(address, layout) } else { Err(NOT_SO) }
            }

            fn put(memory: &mut Memory<'_, '_, '_>, address: u64, layout: &Layout, kind: Kind, values: &[$ty]) -> Answer<()> {
                if kind == Kind::$kind { memory.put(address, layout, values) } else { Err(NOT_SO) }
            }
        }
    )*};
}

itself! {
    f64, Double;
    C64, ComplexDouble;
}

impl Typed for C32 {
    const KIND: Kind = Kind::ComplexSingle;

    fn get(
        memory: &mut Memory<'_, '_, '_>,
        address: u64,
        layout: &Layout,
        kind: Kind,
    ) -> Answer<Vec<C32>> {
        match kind {
            Kind::ComplexSingle => memory.get(address, layout),
            Kind::ComplexByte => {
                // Two bytes are one element.
                let pairs: Vec<f16> = memory.get(address, layout)?;
                let part = |byte: u8| f32::from(byte as i8);
                let number = |pair: f16| pair.to_le_bytes().map(part);
                Ok(pairs.into_iter().map(number).map(|[re, im]| C32::new(re, im)).collect())
            }
            _ => Err(NOT_SO),
        }
    }

    fn put(
        memory: &mut Memory<'_, '_, '_>,
        address: u64,
        layout: &Layout,
        kind: Kind,
        values: &[C32],
    ) -> Answer<()> {
        if kind == Kind::ComplexSingle { memory.put(address, layout, values) } else { Err(NOT_SO) }
    }
}

fn widened<T: Narrow>(
    memory: &mut Memory<'_, '_, '_>,
    address: u64,
    layout: &Layout,
) -> Answer<Vec<f32>> {
    Ok(memory.get::<T>(address, layout)?.into_iter().map(T::widened).collect())
}

fn narrowed<T: Narrow>(
    memory: &mut Memory<'_, '_, '_>,
    address: u64,
    layout: &Layout,
    values: &[f32],
) -> Answer<()> {
    let all: Vec<T> = values.iter().copied().map(T::narrowed).collect();
    memory.put(address, layout, &all)
}

impl Typed for f32 {
    const KIND: Kind = Kind::Single;

    fn get(
        memory: &mut Memory<'_, '_, '_>,
        address: u64,
        layout: &Layout,
        kind: Kind,
    ) -> Answer<Vec<f32>> {
        match kind {
            Kind::Single => memory.get(address, layout),
            Kind::Half => widened::<f16>(memory, address, layout),
            Kind::Brain => widened::<bf16>(memory, address, layout),
            Kind::E4M3 => widened::<E4M3>(memory, address, layout),
            Kind::E5M2 => widened::<E5M2>(memory, address, layout),
            Kind::Byte => {
                Ok(memory.get::<i8>(address, layout)?.into_iter().map(f32::from).collect())
            }
            Kind::Double
            | Kind::Int
            | Kind::ComplexSingle
            | Kind::ComplexDouble
            | Kind::ComplexByte => Err(NOT_SO),
        }
    }

    fn put(
        memory: &mut Memory<'_, '_, '_>,
        address: u64,
        layout: &Layout,
        kind: Kind,
        values: &[f32],
    ) -> Answer<()> {
        match kind {
            Kind::Single => memory.put(address, layout, values),
            Kind::Half => narrowed::<f16>(memory, address, layout, values),
            Kind::Brain => narrowed::<bf16>(memory, address, layout, values),
            Kind::E4M3 => narrowed::<E4M3>(memory, address, layout, values),
            Kind::E5M2 => narrowed::<E5M2>(memory, address, layout, values),
            Kind::Byte => {
                let all: Vec<i8> = values.iter().map(|v| v.round_ties_even() as i8).collect();
                memory.put(address, layout, &all)
            }
            Kind::Double
            | Kind::Int
            | Kind::ComplexSingle
            | Kind::ComplexDouble
            | Kind::ComplexByte => Err(NOT_SO),
        }
    }
}

/// Where the matrices of many products lie: at a stride of this many bytes, or at the addresses of
/// a list.
#[derive(Clone, Copy, Debug)]
pub(super) enum Places {
    Strided(u64, i64),
    Listed(u64),
}

impl Places {
    /// One alone.
    pub(super) fn one(address: u64) -> Places {
        Places::Strided(address, 0)
    }

    /// The address of one of them.
    pub(super) fn at(self, memory: &mut Memory<'_, '_, '_>, index: usize) -> Answer<u64> {
        match self {
            Places::Strided(first, stride) => {
                Ok(first.wrapping_add_signed(stride.wrapping_mul(index as i64)))
            }
            Places::Listed(list) => memory.one(list.wrapping_add(8 * index as u64)),
        }
    }
}

/// A product of matrices: the operations on them, their extents, their types, and where their
/// elements lie.
#[derive(Clone, Debug)]
pub(super) struct Product {
    ops: (Op, Op),
    extents: [usize; 3],
    kinds: [Kind; 3],
    layouts: [Layout; 3],
}

impl Product {
    /// As programs say it.
    ///
    /// # Errors
    /// Sizes or numbers that there are not.
    pub(super) fn new(
        [transa, transb]: [u32; 2],
        extents: [i64; 3],
        kinds: [Kind; 3],
        [lda, ldb, ldc]: [i64; 3],
    ) -> Done<Product> {
        let (ops, extents) = ((op(transa)?, op(transb)?), sizes(extents)?);
        let [m, n, k] = extents;
        let (a, b) = (kept(ops.0, [m, k]), kept(ops.1, [k, n]));
        let layouts = [
            Layout::general(a[0], a[1], leading(lda, a[0])?),
            Layout::general(b[0], b[1], leading(ldb, b[0])?),
            Layout::general(m, n, leading(ldc, m)?),
        ];
        Ok(Product { ops, extents, kinds, layouts })
    }

    /// Whether there is nothing to be written.
    fn is_empty(&self) -> bool {
        self.layouts[2].count() == 0
    }

    /// One product of numbers.
    fn numbers<T: Typed>(
        &self,
        memory: &mut Memory<'_, '_, '_>,
        [alpha, beta]: [T; 2],
        [a, b, c]: [u64; 3],
    ) -> Answer<()> {
        let [m, n, k] = self.extents;
        let k = if alpha == T::ZERO { 0 } else { k };
        let (one, other) = match k {
            0 => (Vec::new(), Vec::new()),
            1.. => (
                T::get(memory, a, &self.layouts[0], self.kinds[0])?,
                T::get(memory, b, &self.layouts[1], self.kinds[1])?,
            ),
        };
        let mut all = match beta == T::ZERO {
            true => vec![T::ZERO; m * n],
            false => T::get(memory, c, &self.layouts[2], self.kinds[2])?,
        };
        matrices::gemm(self.ops, [m, n, k], alpha, (one, other), beta, &mut all);
        T::put(memory, c, &self.layouts[2], self.kinds[2], &all)
    }

    /// One product of small integers, exact except where it wraps around.
    fn integers(
        &self,
        memory: &mut Memory<'_, '_, '_>,
        [alpha, beta]: [i32; 2],
        [a, b, c]: [u64; 3],
    ) -> Answer<()> {
        let [m, n, k] = self.extents;
        let factor = |memory: &mut Memory<'_, '_, '_>, address, layout: &Layout, op: Op| {
            let all: Vec<i8> = memory.get(address, layout)?;
            let all: Vec<i32> = all.into_iter().map(i32::from).collect();
            let shape = [layout.rows, layout.columns.len()];
            Ok(if op.is_transposed() { transposed(shape, &all) } else { all })
        };
        let one = factor(memory, a, &self.layouts[0], self.ops.0)?;
        let other = factor(memory, b, &self.layouts[1], self.ops.1)?;
        let sums = product([m, n, k], &one, &other);
        let mut all = match beta {
            0 => vec![0; m * n],
            _ => memory.get::<i32>(c, &self.layouts[2])?,
        };
        for (c, sum) in all.iter_mut().zip(sums) {
            *c = alpha.wrapping_mul(sum).wrapping_add(beta.wrapping_mul(*c));
        }
        memory.put(c, &self.layouts[2], &all)
    }

    /// Issues this many products with scalars of another type.
    pub(super) fn issue<T: Typed, S: Element>(
        self,
        task: &Task,
        scalars: [u64; 2],
        of: fn(S) -> T,
        (places, count): ([Places; 3], i64),
    ) -> Done {
        let [alpha, beta]: [Value<S>; 2] = task.scalars(scalars)?;
        let count = super::tasks::size(count)?;
        if self.is_empty() || count == 0 {
            return Ok(());
        }
        task.run(move |memory| {
            let scalars = [of(alpha.get(memory)?), of(beta.get(memory)?)];
            (0..count).try_for_each(|index| {
                let at = [
                    places[0].at(memory, index)?,
                    places[1].at(memory, index)?,
                    places[2].at(memory, index)?,
                ];
                self.numbers(memory, scalars, at)
            })
        })
    }

    /// The same of integers.
    fn issue_integers(
        self,
        task: &Task,
        scalars: [u64; 2],
        (places, count): ([Places; 3], i64),
    ) -> Done {
        let [alpha, beta]: [Value<i32>; 2] = task.scalars(scalars)?;
        let count = super::tasks::size(count)?;
        if self.is_empty() || count == 0 {
            return Ok(());
        }
        task.run(move |memory| {
            let scalars = [alpha.get(memory)?, beta.get(memory)?];
            (0..count).try_for_each(|index| {
                let at = [
                    places[0].at(memory, index)?,
                    places[1].at(memory, index)?,
                    places[2].at(memory, index)?,
                ];
                self.integers(memory, scalars, at)
            })
        })
    }

    /// Issues products in the type that a `cublasComputeType_t` says, where the table of
    /// `cublasGemmEx` has these types.
    pub(super) fn computed(
        self,
        task: &Task,
        compute: u32,
        scalars: [u64; 2],
        places: ([Places; 3], i64),
    ) -> Done {
        use Kind::{
            Brain, Byte, ComplexByte, ComplexDouble, ComplexSingle, Double, Half, Int, Single,
        };
        let [a, b, c] = self.kinds;
        let factors = if a == b { a } else { return Err(Status::NotSupported) };
        match (compute, factors, c) {
            (64 | 65, Half, Half) => self.issue::<f32, f16>(task, scalars, f16::widened, places),
            (68 | 69, Brain | Single, Brain)
            | (68 | 69, Half | Single, Half)
            | (68 | 69, Byte | Brain | Half | Single, Single)
            | (74 | 75 | 77 | 78, Single, Single) => {
                self.issue::<f32, f32>(task, scalars, |s| s, places)
            }
            (68 | 69, ComplexByte | ComplexSingle, ComplexSingle)
            | (74 | 75 | 77 | 78, ComplexSingle, ComplexSingle) => {
                self.issue::<C32, C32>(task, scalars, |s| s, places)
            }
            (70 | 71, Double, Double) => self.issue::<f64, f64>(task, scalars, |s| s, places),
            (70 | 71, ComplexDouble, ComplexDouble) => {
                self.issue::<C64, C64>(task, scalars, |s| s, places)
            }
            (72 | 73, Byte, Int) => self.issue_integers(task, scalars, places),
            (64..=78, _, _) => Err(Status::NotSupported),
            (_, _, _) => Err(Status::InvalidValue),
        }
    }
}
