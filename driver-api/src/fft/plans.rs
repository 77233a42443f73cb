//! Plans: a program's description of its transforms, before it computes them ("Functions: cuFFT
//! Basic Plans, Extensible Plans").

use std::collections::BTreeMap;
use std::ffi::c_void;
use std::sync::{Mutex, MutexGuard, PoisonError};

use warpsim_driver_core::Handle;
use warpsim_fft::{Embedding, Shape, Side};

use super::{Answer, Status};
use crate::pointers::bytes_at;

/// Between which numbers a transform is (`cufftType`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    RealToComplex,
    ComplexToReal,
    Complex,
}

/// A kind, in single or double precision.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Type {
    pub(super) kind: Kind,
    pub(super) is_double: bool,
}

impl Type {
    /// By its number.
    pub(super) fn of_number(number: u32) -> Answer<Type> {
        let (kind, is_double) = match number {
            0x29 => (Kind::Complex, false),
            0x2a => (Kind::RealToComplex, false),
            0x2c => (Kind::ComplexToReal, false),
            0x69 => (Kind::Complex, true),
            0x6a => (Kind::RealToComplex, true),
            0x6c => (Kind::ComplexToReal, true),
            _ => return Err(Status::InvalidType),
        };
        Ok(Type { kind, is_double })
    }

    /// From the types of the input, the output and the computation (`cudaDataType`).
    pub(super) fn of_data([input, output, execution]: [u32; 3]) -> Answer<Type> {
        const REAL: u32 = 0;
        const DOUBLE: u32 = 1;
        const COMPLEX: u32 = 4;
        const DOUBLE_COMPLEX: u32 = 5;
        let (kind, is_double) = match (input, output) {
            (COMPLEX, COMPLEX) => (Kind::Complex, false),
            (REAL, COMPLEX) => (Kind::RealToComplex, false),
            (COMPLEX, REAL) => (Kind::ComplexToReal, false),
            (DOUBLE_COMPLEX, DOUBLE_COMPLEX) => (Kind::Complex, true),
            (DOUBLE, DOUBLE_COMPLEX) => (Kind::RealToComplex, true),
            (DOUBLE_COMPLEX, DOUBLE) => (Kind::ComplexToReal, true),
            _ => return Err(Status::NotSupported),
        };
        match (execution, is_double) {
            (COMPLEX, false) | (DOUBLE_COMPLEX, true) => Ok(Type { kind, is_double }),
            _ => Err(Status::InvalidType),
        }
    }

    /// Bytes of a real number.
    pub(super) fn bytes(self) -> usize {
        if self.is_double { 8 } else { 4 }
    }
}

/// The transforms of a plan.
#[derive(Clone, Debug)]
pub(super) struct Work {
    pub(super) kind: Type,
    pub(super) shape: Shape,
    pub(super) batch: usize,
    /// How input and output lie, where the program says so.
    pub(super) embedded: Option<(Embedding, Embedding)>,
}

impl Work {
    /// The input and the output. Without a layout of the program's, real numbers that lie where the
    /// complex ones do have room for these ("Data Layout").
    pub(super) fn sides(&self, is_in_place: bool) -> (Side, Side) {
        let (all, half) = (self.shape.0.clone(), self.shape.half());
        let (input, output) = match self.kind.kind {
            Kind::Complex => (all.clone(), all),
            Kind::RealToComplex => (all, half),
            Kind::ComplexToReal => (half, all),
        };
        if let Some((of_input, of_output)) = &self.embedded {
            let side =
                |embedding: &Embedding, counts| Side { embedding: embedding.clone(), counts };
            return (side(of_input, input), side(of_output, output));
        }
        let (mut from, mut to) = (Side::dense(&input), Side::dense(&output));
        match self.kind.kind {
            Kind::Complex => (),
            Kind::RealToComplex if is_in_place => from = padded(&input),
            Kind::ComplexToReal if is_in_place => to = padded(&output),
            Kind::RealToComplex | Kind::ComplexToReal => (),
        }
        (from, to)
    }

    /// Bytes of work area for a transform of NVIDIA's: the size of its complex numbers.
    pub(super) fn bytes(&self) -> usize {
        let elements = self.shape.elements().saturating_mul(self.batch);
        elements.saturating_mul(2 * self.kind.bytes())
    }
}

/// Real numbers in rows that have room for the complex ones.
fn padded(counts: &[usize]) -> Side {
    let mut extents = counts.to_vec();
    if let Some(last) = extents.last_mut() {
        *last = 2 * (*last / 2 + 1);
    }
    let distance = extents.iter().product();
    Side { embedding: Embedding { extents, stride: 1, distance }, counts: counts.to_vec() }
}

/// A plan of the program's.
#[derive(Clone, Debug, Default)]
pub(super) struct Plan {
    pub(super) work: Option<Work>,
    pub(super) stream: Handle,
}

/// The plans by their numbers.
struct Plans {
    all: BTreeMap<u32, Plan>,
    made: u32,
}

static PLANS: Mutex<Plans> = Mutex::new(Plans { all: BTreeMap::new(), made: 0 });

fn plans() -> MutexGuard<'static, Plans> {
    PLANS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A new plan.
pub(super) fn create(work: Option<Work>) -> Answer<u32> {
    crate::runtime::ready().map_err(|_| Status::SetupFailed)?;
    let mut plans = plans();
    plans.made = plans.made.checked_add(1).ok_or(Status::AllocationFailed)?;
    let number = plans.made;
    plans.all.insert(number, Plan { work, stream: 0 });
    Ok(number)
}

/// A plan by its number.
pub(super) fn known(number: u32) -> Answer<Plan> {
    plans().all.get(&number).cloned().ok_or(Status::InvalidPlan)
}

/// Changes a plan.
pub(super) fn change(number: u32, change: impl FnOnce(&mut Plan)) -> Answer<()> {
    plans().all.get_mut(&number).map(change).ok_or(Status::InvalidPlan)
}

/// Says what a plan that is there computes, once.
pub(super) fn make(number: u32, work: Work) -> Answer<usize> {
    let bytes = work.bytes();
    let mut plans = plans();
    let plan = plans.all.get_mut(&number).ok_or(Status::InvalidPlan)?;
    match plan.work.replace(work) {
        None => Ok(bytes),
        Some(before) => {
            plan.work = Some(before);
            Err(Status::InvalidPlan)
        }
    }
}

/// Forgets a plan.
pub(super) fn destroy(number: u32) -> Answer<()> {
    plans().all.remove(&number).map(|_| ()).ok_or(Status::InvalidPlan)
}

/// Extents that a program gives as numbers.
pub(super) fn shape(extents: &[i64]) -> Answer<Shape> {
    let extent = |extent: &i64| usize::try_from(*extent).ok().filter(|extent| *extent > 0);
    let extents: Option<Vec<usize>> = extents.iter().map(extent).collect();
    let extents = extents.filter(|all| matches!(all.len(), 1..=3)).ok_or(Status::InvalidSize)?;
    let mut elements = Some(1_usize);
    extents.iter().for_each(|e| elements = elements.and_then(|all| all.checked_mul(*e)));
    elements.filter(|all| *all <= 1 << 34).ok_or(Status::InvalidSize)?;
    Ok(Shape(extents))
}

/// How many transforms.
pub(super) fn batch(count: i64) -> Answer<usize> {
    usize::try_from(count).ok().filter(|count| *count > 0).ok_or(Status::InvalidSize)
}

/// Numbers of 4 or 8 bytes at an address of the host.
pub(super) fn numbers(at: u64, count: usize, bytes: usize) -> Answer<Vec<i64>> {
    let at: *const c_void = std::ptr::with_exposed_provenance(at as usize);
    let all = bytes_at(at, count * bytes).map_err(|_| Status::InvalidValue)?;
    let number = |chunk: &[u8]| match *chunk {
        [a, b, c, d] => i64::from(i32::from_le_bytes([a, b, c, d])),
        [a, b, c, d, e, f, g, h] => i64::from_le_bytes([a, b, c, d, e, f, g, h]),
        // Callers say that numbers have 4 or 8 bytes.
        _ => 0,
    };
    Ok(all.chunks_exact(bytes).map(number).collect())
}

/// The arguments of `cufftPlanMany` and its relatives: the addresses of the extents and of the
/// boxes' extents, with strides and distances.
#[derive(Clone, Copy, Debug)]
pub(super) struct Many {
    pub(super) rank: i32,
    pub(super) extents: u64,
    pub(super) input: (u64, i64, i64),
    pub(super) output: (u64, i64, i64),
    pub(super) batch: i64,
    /// Bytes of the numbers at these addresses.
    pub(super) width: usize,
}

impl Many {
    /// The work of such a plan.
    pub(super) fn work(&self, kind: Type) -> Answer<Work> {
        let rank = usize::try_from(self.rank).ok().filter(|rank| matches!(rank, 1..=3));
        let rank = rank.ok_or(Status::InvalidValue)?;
        let shape = shape(&numbers(self.extents, rank, self.width)?)?;
        let batch = batch(self.batch)?;
        let embedded = match (self.input.0, self.output.0) {
            (0, _) | (_, 0) => None,
            _ => Some((self.embedding(self.input, rank)?, self.embedding(self.output, rank)?)),
        };
        Ok(Work { kind, shape, batch, embedded })
    }

    fn embedding(
        &self,
        (extents, stride, distance): (u64, i64, i64),
        rank: usize,
    ) -> Answer<Embedding> {
        let size = |number: i64| usize::try_from(number).map_err(|_| Status::InvalidValue);
        let extents = numbers(extents, rank, self.width)?;
        let extents = extents.into_iter().map(size).collect::<Answer<Vec<usize>>>()?;
        Ok(Embedding { extents, stride: size(stride)?, distance: size(distance)? })
    }
}
