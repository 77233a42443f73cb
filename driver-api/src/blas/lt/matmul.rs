//! `cublasLtMatmul` and `cublasLtMatrixTransform`.

use warpsim_blas::matrices::geam;
use warpsim_blas::narrow::Narrow;
use warpsim_blas::product::{Factor, applied, product, transposed};
use warpsim_blas::{C32, C64, Element, Layout, Number, Op, f16};
use warpsim_driver_core::Answer;

use super::super::status::{Done, Status};
use super::super::tasks::{Memory, Task, Value, kept, leading, op, size};
use super::super::types::{Kind, Typed};
use super::descriptors::{Form, UNSAID, words};
use super::lacks;

/// A matrix: what lies where.
#[derive(Clone, Debug)]
struct Matrix {
    kind: Kind,
    is_by_rows: bool,
    rows: usize,
    columns: usize,
    layout: Layout,
    count: usize,
    /// Bytes from one matrix of a batch to the next.
    stride: i64,
}

impl Matrix {
    /// By its descriptor.
    fn new(descriptor: u64) -> Done<Matrix> {
        let words = words(Form::Layout, descriptor)?;
        let &[kind, rows, columns, ld, count, stride, planes, mode] = &words[..] else {
            return Err(Status::InvalidValue);
        };
        let kind_of = Kind::of(kind as u32)?;
        let is_by_rows = match kind >> 32 {
            0 => false,
            1 => true,
            order => return Err(lacks(&format!("cublasLt's order {order}"))),
        };
        if planes != 0 || mode != 0 {
            return Err(lacks("cublasLt's planes and lists of matrices"));
        }
        let (rows, columns) = (size(rows as i64)?, size(columns as i64)?);
        let (run, runs) = if is_by_rows { (columns, rows) } else { (rows, columns) };
        let layout = Layout::general(run, runs, leading(ld as i64, run)?);
        Ok(Matrix {
            kind: kind_of,
            is_by_rows,
            rows,
            columns,
            layout,
            count: size(i64::from(count as i32))?.max(1),
            stride: (stride as i64).wrapping_mul(kind_of.bytes() as i64),
        })
    }

    fn shape(&self) -> [usize; 2] {
        [self.rows, self.columns]
    }

    fn at(&self, first: u64, index: usize) -> u64 {
        let index = if self.count == 1 { 0 } else { index };
        first.wrapping_add_signed(self.stride.wrapping_mul(index as i64))
    }

    /// Its elements by columns.
    fn get<T: Typed>(&self, memory: &mut Memory<'_, '_, '_>, address: u64) -> Answer<Vec<T>> {
        let all = T::get(memory, address, &self.layout, self.kind)?;
        Ok(if self.is_by_rows { transposed([self.columns, self.rows], &all) } else { all })
    }

    fn put<T: Typed>(
        &self,
        memory: &mut Memory<'_, '_, '_>,
        address: u64,
        all: &[T],
    ) -> Answer<()> {
        match self.is_by_rows {
            true => {
                T::put(memory, address, &self.layout, self.kind, &transposed(self.shape(), all))
            }
            false => T::put(memory, address, &self.layout, self.kind, all),
        }
    }
}

/// What follows a product.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Activation {
    None,
    Relu,
    Gelu,
}

/// A product by its descriptors.
#[derive(Clone, Debug)]
pub(super) struct Matmul {
    compute: u32,
    scale: u32,
    pointer_mode: u32,
    ops: [Op; 2],
    matrices: [Matrix; 4],
    activation: Activation,
    /// The address of the bias, its type, and the bytes from one of a batch to the next.
    bias: Option<(u64, Kind, i64)>,
    /// Addresses of what A, B, C and D are multiplied by; 0 where there is none.
    scales: [u64; 4],
    /// Where the largest size in D goes.
    largest: u64,
}

impl Matmul {
    /// Reads a product from its descriptor and the descriptors of A, B, C and D.
    ///
    /// # Errors
    /// A descriptor does not exist, shapes do not fit, or something is not supported.
    pub(super) fn new(descriptor: u64, of: [u64; 4]) -> Done<Matmul> {
        let words = words(Form::Product, descriptor)?;
        // Each word is there: `words` gives all that a product has.
        let word = |at: usize| words.get(at).copied().unwrap_or(0);
        let matrices =
            [Matrix::new(of[0])?, Matrix::new(of[1])?, Matrix::new(of[2])?, Matrix::new(of[3])?];
        let ops = [op(word(3) as u32)?, op(word(4) as u32)?];
        let [a, b, c, d] = &matrices;
        let ([m, k], [of_k, n]) = (kept(ops[0], a.shape()), kept(ops[1], b.shape()));
        let fits = k == of_k && c.shape() == [m, n] && d.shape() == [m, n];
        let is_batched = |matrix: &Matrix| matrix.count == d.count;
        if !fits || !matrices.iter().all(is_batched) {
            return Err(Status::InvalidValue);
        }
        let is_plain = word(5) == 0 && word(6) == 2 && word(2) <= 1;
        let (activation, is_biased) = match word(7) {
            1 => (Activation::None, false),
            2 => (Activation::Relu, false),
            4 => (Activation::None, true),
            6 => (Activation::Relu, true),
            32 => (Activation::Gelu, false),
            36 => (Activation::Gelu, true),
            number => return Err(lacks(&format!("cublasLt's epilogue {number}"))),
        };
        if !is_plain {
            return Err(lacks("cublasLt's vectors of scalars and parts of a result"));
        }
        let bias = match (is_biased, word(8)) {
            (false, _) => None,
            (true, 0) => return Err(Status::InvalidValue),
            (true, address) => {
                let kind = match (word(26), d.kind) {
                    (UNSAID, Kind::E4M3 | Kind::E5M2) => Kind::Brain,
                    (UNSAID, kind) => kind,
                    (number, _) => Kind::of(number as u32)?,
                };
                Some((address, kind, (word(10) as i64).wrapping_mul(kind.bytes() as i64)))
            }
        };
        let matmul = Matmul {
            compute: word(0) as u32,
            scale: word(1) as u32,
            pointer_mode: word(2) as u32,
            ops,
            activation,
            bias,
            scales: [word(17), word(18), word(19), word(20)],
            largest: word(21),
            matrices,
        };
        matmul.supported()?;
        Ok(matmul)
    }

    pub(super) fn pointer_mode(&self) -> u32 {
        self.pointer_mode
    }

    /// Whether there are products of these types.
    fn supported(&self) -> Done {
        use Kind::{
            Brain, Byte, ComplexDouble, ComplexSingle, Double, E4M3, E5M2, Half, Int, Single,
        };
        let [a, b, c, d] = [0, 1, 2, 3].map(|i: usize| self.matrices.get(i).map(|m| m.kind));
        let is_eight = |kind: Option<Kind>| matches!(kind, Some(E4M3 | E5M2));
        let is_wide =
            |kind: Option<Kind>| matches!(kind, Some(Single | Half | Brain | E4M3 | E5M2));
        let is_so = match (self.compute, self.scale) {
            (64 | 65, 0 | 2) => a == Some(Half) && a == b && c == d && d == Some(Half),
            (68..=78, 0) if !matches!(self.compute, 70..=73) => {
                (a == b || (is_eight(a) && is_eight(b)))
                    && (is_wide(a) || (a == Some(Byte) && d == Some(Single)))
                    && is_wide(c)
                    && is_wide(d)
            }
            (68..=78, 4) if !matches!(self.compute, 70..=73) => {
                [a, b, c, d].iter().all(|kind| *kind == Some(ComplexSingle))
            }
            (70 | 71, 1) => [a, b, c, d].iter().all(|kind| *kind == Some(Double)),
            (70 | 71, 5) => [a, b, c, d].iter().all(|kind| *kind == Some(ComplexDouble)),
            (72 | 73, 10) => a == Some(Byte) && a == b && c == d && d == Some(Int),
            (72 | 73, 0) => [a, b, c, d].iter().all(|kind| *kind == Some(Byte)),
            (_, _) => false,
        };
        let is_followed = self.activation != Activation::None || self.bias.is_some();
        let is_real = matches!(self.scale, 0..=2) && !matches!(self.compute, 72 | 73);
        if is_so && (is_real || !is_followed) { Ok(()) } else { Err(Status::NotSupported) }
    }

    /// Issues it.
    pub(super) fn issue(self, task: &Task, scalars: [u64; 2], at: [u64; 4]) -> Done {
        let addressed = |address: u64| address != 0;
        if !addressed(at[0]) || !addressed(at[1]) || !addressed(at[3]) {
            return Err(Status::InvalidValue);
        }
        match (self.compute, self.scale) {
            (72 | 73, 10) => {
                let scalars: [Value<i32>; 2] = task.scalars(scalars)?;
                self.run(task, at, move |matmul, memory, index| {
                    let scalars = [scalars[0].get(memory)?, scalars[1].get(memory)?];
                    matmul.integers(memory, scalars, at, index)
                })
            }
            (72 | 73, _) => self.numbers::<f32, f32>(task, scalars, at, |s| s),
            (_, 0) => self.numbers::<f32, f32>(task, scalars, at, |s| s),
            (_, 2) => self.numbers::<f32, f16>(task, scalars, at, f16::widened),
            (_, 1) => self.numbers::<f64, f64>(task, scalars, at, |s| s),
            (_, 4) => self.numbers::<C32, C32>(task, scalars, at, |s| s),
            (_, _) => self.numbers::<C64, C64>(task, scalars, at, |s| s),
        }
    }

    fn run(
        self,
        task: &Task,
        _at: [u64; 4],
        each: impl Fn(&Matmul, &mut Memory<'_, '_, '_>, usize) -> Answer<()> + Send + Sync + 'static,
    ) -> Done {
        let [.., d] = &self.matrices;
        if d.rows == 0 || d.columns == 0 {
            return Ok(());
        }
        let count = d.count;
        task.run(move |memory| (0..count).try_for_each(|index| each(&self, memory, index)))
    }

    fn numbers<T: Typed, S: Element>(
        self,
        task: &Task,
        scalars: [u64; 2],
        at: [u64; 4],
        of: fn(S) -> T,
    ) -> Done {
        let scalars: [Value<S>; 2] = task.scalars(scalars)?;
        self.run(task, at, move |matmul, memory, index| {
            let scalars = [of(scalars[0].get(memory)?), of(scalars[1].get(memory)?)];
            matmul.carry_out::<T>(memory, scalars, at, index)
        })
    }

    /// What a matrix is multiplied by.
    fn scale<T: Number>(&self, memory: &mut Memory<'_, '_, '_>, which: usize) -> Answer<T> {
        match self.scales.get(which).copied().unwrap_or(0) {
            0 => Ok(T::ONE),
            address => {
                let scale: f32 = memory.one(address)?;
                Ok(T::from_real(warpsim_blas::Real::of_f64(scale.into())))
            }
        }
    }

    /// One product of a batch.
    fn carry_out<T: Typed>(
        &self,
        memory: &mut Memory<'_, '_, '_>,
        [alpha, beta]: [T; 2],
        at: [u64; 4],
        index: usize,
    ) -> Answer<()> {
        let [a, b, c, d] = &self.matrices;
        let ([m, k], n) = (kept(self.ops[0], a.shape()), d.columns);
        let one = applied(self.ops[0], a.shape(), a.get::<T>(memory, a.at(at[0], index))?);
        let other = applied(self.ops[1], b.shape(), b.get::<T>(memory, b.at(at[1], index))?);
        let alpha = alpha * self.scale(memory, 0)? * self.scale(memory, 1)?;
        let mut all = product([m, n, k], &one, &other);
        all.iter_mut().for_each(|value| *value = alpha * *value);
        if beta != T::ZERO {
            let beta = beta * self.scale(memory, 2)?;
            let old = c.get::<T>(memory, c.at(at[2], index))?;
            all.iter_mut().zip(old).for_each(|(value, old)| *value = *value + beta * old);
        }
        if let Some((address, kind, stride)) = self.bias {
            let address = address.wrapping_add_signed(stride.wrapping_mul(index as i64));
            let bias = T::get(memory, address, &Layout::vector(m, 1), kind)?;
            for column in all.chunks_exact_mut(m.max(1)) {
                column.iter_mut().zip(&bias).for_each(|(value, bias)| *value = *value + *bias);
            }
        }
        all.iter_mut().for_each(|value| *value = self.activation.of(*value));
        if self.largest != 0 {
            let size = |most: f64, value: &T| most.max(warpsim_blas::Real::to_f64(value.size()));
            memory.set(self.largest, all.iter().fold(0.0, size) as f32)?;
        }
        if self.scales[3] != 0 {
            let scale: T = self.scale(memory, 3)?;
            all.iter_mut().for_each(|value| *value = *value * scale);
        }
        d.put(memory, d.at(at[3], index), &all)
    }

    /// One of small integers.
    fn integers(
        &self,
        memory: &mut Memory<'_, '_, '_>,
        [alpha, beta]: [i32; 2],
        at: [u64; 4],
        index: usize,
    ) -> Answer<()> {
        let [a, b, c, d] = &self.matrices;
        let ([m, k], n) = (kept(self.ops[0], a.shape()), d.columns);
        let factor = |memory: &mut Memory<'_, '_, '_>, matrix: &Matrix, op: Op, address| {
            let all: Vec<i8> = memory.get(address, &matrix.layout)?;
            let all: Vec<i32> = all.into_iter().map(i32::from).collect();
            let is_turned = op.is_transposed() != matrix.is_by_rows;
            let shape = [matrix.layout.rows, matrix.layout.columns.len()];
            Ok(if is_turned { transposed(shape, &all) } else { all })
        };
        let one = factor(memory, a, self.ops[0], a.at(at[0], index))?;
        let other = factor(memory, b, self.ops[1], b.at(at[1], index))?;
        let turn = |matrix: &Matrix, all: Vec<i32>, is_put: bool| match matrix.is_by_rows {
            true if is_put => transposed(matrix.shape(), &all),
            true => transposed([matrix.columns, matrix.rows], &all),
            false => all,
        };
        let mut all: Vec<i32> = product([m, n, k], &one, &other);
        all.iter_mut().for_each(|value| *value = value.wrapping_mul(alpha));
        if beta != 0 {
            let old = turn(c, memory.get(c.at(at[2], index), &c.layout)?, false);
            for (value, old) in all.iter_mut().zip(old) {
                *value = value.plus(beta, old);
            }
        }
        memory.put(d.at(at[3], index), &d.layout, &turn(d, all, true))
    }
}

impl Activation {
    /// Of a number, which is real where there is one.
    fn of<T: Number>(self, value: T) -> T {
        use warpsim_blas::Real;
        let x = value.re();
        match self {
            Activation::None => value,
            // NaN stays.
            Activation::Relu => {
                if x < T::Real::ZERO {
                    T::ZERO
                } else {
                    value
                }
            }
            Activation::Gelu => {
                let x = x.to_f64();
                let inner = (2.0 / std::f64::consts::PI).sqrt() * (x + 0.044_715 * x * x * x);
                T::from_real(T::Real::of_f64(0.5 * x * (1.0 + inner.tanh())))
            }
        }
    }
}

/// `cublasLtMatrixTransform`: `alpha op(A) + beta op(B)`.
pub(super) fn transformed(
    task: &mut Task,
    descriptor: u64,
    [(alpha, a, of_a), (beta, b, of_b)]: [(u64, u64, u64); 2],
    (c, of_c): (u64, u64),
) -> Done {
    let words = words(Form::Transform, descriptor)?;
    // Each word is there: `words` gives all that a transformation has.
    let word = |at: usize| words.get(at).copied().unwrap_or(0) as u32;
    let ops = (op(word(2))?, op(word(3))?);
    task.settings.pointer_mode = match word(1) {
        mode @ (0 | 1) => mode,
        2.. => return Err(Status::NotSupported),
    };
    let one = Matrix::new(of_a)?;
    // There need not be a second one.
    let other = if b == 0 || of_b == 0 { None } else { Some(Matrix::new(of_b)?) };
    let to = Matrix::new(of_c)?;
    let fits = |op: Op, matrix: &Matrix| {
        kept(op, matrix.shape()) == to.shape() && matrix.count == to.count
    };
    if !fits(ops.0, &one) || other.as_ref().is_some_and(|other| !fits(ops.1, other)) {
        return Err(Status::InvalidValue);
    }
    let work = (ops, one, other, to);
    match word(0) {
        0 => issue_transform::<f32>(task, work, [alpha, beta], [a, b, c]),
        1 => issue_transform::<f64>(task, work, [alpha, beta], [a, b, c]),
        4 => issue_transform::<C32>(task, work, [alpha, beta], [a, b, c]),
        5 => issue_transform::<C64>(task, work, [alpha, beta], [a, b, c]),
        _ => Err(Status::NotSupported),
    }
}

type Transform = ((Op, Op), Matrix, Option<Matrix>, Matrix);

fn issue_transform<T: Typed>(
    task: &Task,
    (ops, one, other, to): Transform,
    [alpha, beta]: [u64; 2],
    at: [u64; 3],
) -> Done {
    let alpha: Value<T> = task.scalar(alpha)?;
    let beta = if other.is_some() { Some(task.scalar::<T>(beta)?) } else { None };
    if to.rows == 0 || to.columns == 0 {
        return Ok(());
    }
    task.run(move |memory| {
        let alpha = alpha.get(memory)?;
        let beta = beta.map_or(Ok(T::ZERO), |beta| beta.get(memory))?;
        (0..to.count).try_for_each(|index| {
            let first = one.get::<T>(memory, one.at(at[0], index))?;
            let second = match &other {
                Some(other) if beta != T::ZERO => other.get(memory, other.at(at[1], index))?,
                Some(_) | None => Vec::new(),
            };
            let all = geam(ops, to.shape(), (alpha, first), (beta, second));
            to.put(memory, to.at(at[2], index), &all)
        })
    })
}
