//! A generator of a program: its options, and results in its order.

use crate::mrg32k3a::{Jump, Mrg32k3a};
use crate::numbers::Numbers;
use crate::poisson::{self, LARGEST_MEAN};
use crate::sobol::{DIMENSIONS, Points};
use crate::threads::{self, Blocks, Threads};
use crate::xorwow::{Polynomial, Xorwow};
use crate::{Kind, Ordering, Refusal, convert};

/// Threads of XORWOW and MRG32k3a in the order that is the default.
const XORWOW_THREADS: usize = 4096;
const MRG32K3A_THREADS: usize = 81_920;

#[derive(Clone, Debug)]
enum Engine {
    Xorwow(Threads<Xorwow>),
    Mrg32k3a(Threads<Mrg32k3a>),
    Philox(Blocks),
    Points(Points),
}

/// A generator of `curandCreateGenerator` or `curandCreateGeneratorHost`.
#[derive(Clone, Debug)]
pub struct Generator {
    kind: Kind,
    seed: u64,
    ordering: Ordering,
    dimensions: usize,
    /// The numbers, or points, that came before.
    place: u64,
    /// It is made when results are wanted, or seeds.
    engine: Option<Engine>,
}

/// Results of the threads of XORWOW and MRG32k3a, of blocks of Philox, or of each number of points;
/// how many numbers of a thread each takes, and whether they come in pairs.
macro_rules! results {
    ($self:ident, $count:ident, ($numbers:literal, $are_pairs:literal),
        $threads:ident => $of_threads:expr, $blocks:ident => $of_blocks:expr,
        $of_point:ident) => {{
        $self.check_count($count, $are_pairs)?;
        let (kind, dimensions) = ($self.kind, $self.dimensions);
        let results = match $self.engine() {
            Engine::Xorwow($threads) => $of_threads,
            Engine::Mrg32k3a($threads) => $of_threads,
            Engine::Philox($blocks) => $of_blocks,
            Engine::Points(points) => {
                points.take($count / dimensions).map(|number| $of_point(kind, number)).collect()
            }
        };
        $self.went_on($count, $numbers);
        Ok(results)
    }};
}

impl Generator {
    /// A generator with its first options: seed and offset 0, the default order, one dimension.
    pub fn new(kind: Kind) -> Generator {
        let ordering = if kind.is_quasi() { Ordering::QuasiDefault } else { Ordering::Default };
        Generator { kind, seed: 0, ordering, dimensions: 1, place: 0, engine: None }
    }

    /// Sets the seed. The generator's state before it is dropped.
    ///
    /// # Errors
    /// The generator has no seed.
    pub fn set_seed(&mut self, seed: u64) -> Result<(), Refusal> {
        self.needs(!self.kind.is_quasi())?;
        (self.seed, self.engine) = (seed, None);
        Ok(())
    }

    /// Sets the place that results come from.
    pub fn set_offset(&mut self, offset: u64) {
        (self.place, self.engine) = (offset, None);
    }

    /// Sets the order of the results.
    ///
    /// # Errors
    /// The generator has no such order.
    pub fn set_ordering(&mut self, ordering: Ordering) -> Result<(), Refusal> {
        let is_known = match ordering {
            Ordering::QuasiDefault => self.kind.is_quasi(),
            Ordering::Seeded => self.kind == Kind::Xorwow,
            Ordering::Best | Ordering::Default | Ordering::Legacy | Ordering::Dynamic => {
                !self.kind.is_quasi()
            }
        };
        if !is_known {
            return Err(Refusal::OutOfRange);
        }
        (self.ordering, self.engine) = (ordering, None);
        Ok(())
    }

    /// Sets how many dimensions a point has.
    ///
    /// # Errors
    /// The generator has no points, or the number is 0 or too large.
    pub fn set_dimensions(&mut self, dimensions: u32) -> Result<(), Refusal> {
        self.needs(self.kind.is_quasi())?;
        match dimensions as usize {
            dimensions @ 1..=DIMENSIONS => {
                (self.dimensions, self.engine) = (dimensions, None);
                Ok(())
            }
            _ => Err(Refusal::OutOfRange),
        }
    }

    /// Makes the state that results need, now.
    pub fn generate_seeds(&mut self) {
        self.engine();
    }

    fn needs(&self, is_so: bool) -> Result<(), Refusal> {
        if is_so { Ok(()) } else { Err(Refusal::WrongType) }
    }

    fn engine(&mut self) -> &mut Engine {
        let (kind, seed, place) = (self.kind, self.seed, self.place);
        let (dimensions, is_seeded) = (self.dimensions, self.ordering == Ordering::Seeded);
        self.engine.get_or_insert_with(|| match kind {
            Kind::Xorwow => {
                let jump = Polynomial::subsequence();
                let on = |thread: Xorwow, index: usize| match is_seeded {
                    // Seeds far from each other, one for each thread.
                    true => Xorwow::new(seed ^ (index as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15)),
                    false => thread.jumped(jump),
                };
                let first = Xorwow::new(seed);
                Engine::Xorwow(Threads::new(XORWOW_THREADS, place, first, Xorwow::after, on))
            }
            Kind::Mrg32k3a => {
                let jump = Jump::subsequence();
                let on = |thread: Mrg32k3a, _| thread.jumped(&jump);
                let first = Mrg32k3a::new(seed);
                Engine::Mrg32k3a(Threads::new(MRG32K3A_THREADS, place, first, Mrg32k3a::after, on))
            }
            Kind::Philox => Engine::Philox(Blocks::new(seed, place)),
            Kind::Sobol32 => Engine::Points(Points::new(dimensions, false, 32, place)),
            Kind::ScrambledSobol32 => Engine::Points(Points::new(dimensions, true, 32, place)),
            Kind::Sobol64 => Engine::Points(Points::new(dimensions, false, 64, place)),
            Kind::ScrambledSobol64 => Engine::Points(Points::new(dimensions, true, 64, place)),
        })
    }

    /// Whether this many results are whole points, and whole pairs where they come in pairs from a
    /// thread.
    fn check_count(&self, count: usize, are_pairs: bool) -> Result<(), Refusal> {
        let unit = match self.kind {
            Kind::Xorwow | Kind::Mrg32k3a if are_pairs => 2,
            Kind::Xorwow | Kind::Mrg32k3a | Kind::Philox => 1,
            Kind::Sobol32 | Kind::ScrambledSobol32 | Kind::Sobol64 | Kind::ScrambledSobol64 => {
                self.dimensions
            }
        };
        if count.is_multiple_of(unit) { Ok(()) } else { Err(Refusal::NotMultiple) }
    }

    fn went_on(&mut self, results: usize, numbers_each: u64) {
        let results = results as u64;
        self.place = self.place.wrapping_add(match self.kind.is_quasi() {
            true => results / self.dimensions as u64,
            false => results.wrapping_mul(numbers_each),
        });
    }

    /// Numbers of 32 bits.
    ///
    /// # Errors
    /// The generator's numbers have 64 bits, or the count is no multiple of the dimensions.
    pub fn bits(&mut self, count: usize) -> Result<Vec<u32>, Refusal> {
        self.needs(!self.kind.is_long())?;
        let of_point = |_, number: u64| (number >> 32) as u32;
        results!(self, count, (1, false),
            threads => threads.take(count, Numbers::bits),
            blocks => blocks.of_one(count, |x| x),
            of_point)
    }

    /// Numbers of 64 bits.
    ///
    /// # Errors
    /// The generator's numbers have 32 bits, or the count is no multiple of the dimensions.
    pub fn long_bits(&mut self, count: usize) -> Result<Vec<u64>, Refusal> {
        self.needs(self.kind.is_long())?;
        self.check_count(count, false)?;
        let dimensions = self.dimensions;
        let numbers = match self.engine() {
            Engine::Points(points) => points.take(count / dimensions).collect(),
            Engine::Xorwow(_) | Engine::Mrg32k3a(_) | Engine::Philox(_) => Vec::new(),
        };
        self.went_on(count, 1);
        Ok(numbers)
    }

    /// Uniform numbers in (0, 1].
    ///
    /// # Errors
    /// The count is no multiple of the dimensions.
    pub fn uniform(&mut self, count: usize) -> Result<Vec<f32>, Refusal> {
        let of_point = |_, number: u64| convert::uniform((number >> 32) as u32);
        let of_block = |block: [u32; 4]| block.map(convert::uniform);
        results!(self, count, (1, false),
            threads => threads.take(count, Numbers::uniform),
            blocks => blocks.of_one(count, of_block),
            of_point)
    }

    /// Uniform numbers in (0, 1].
    ///
    /// # Errors
    /// The same as for [`Generator::uniform`].
    pub fn uniform_double(&mut self, count: usize) -> Result<Vec<f64>, Refusal> {
        let of_point = |kind: Kind, number: u64| match kind.is_long() {
            true => convert::uniform_of_long(number),
            false => convert::uniform_double((number >> 32) as u32),
        };
        let of_block = threads::uniform_doubles;
        results!(self, count, (2, false),
            threads => threads.take(count, Numbers::uniform_double),
            blocks => blocks.of_two(count, of_block),
            of_point)
    }

    /// Normal numbers.
    ///
    /// # Errors
    /// The count is no multiple of the dimensions, or odd where numbers come in pairs.
    pub fn normal(&mut self, count: usize, mean: f32, deviation: f32) -> Result<Vec<f32>, Refusal> {
        let of_point = |_, number: u64| convert::normal((number >> 32) as u32);
        let of_block = threads::normals;
        let normals: Result<Vec<f32>, Refusal> = results!(self, count, (1, true),
            threads => threads.take(count / 2, Numbers::pair).into_flattened(),
            blocks => blocks.of_one(count, of_block),
            of_point);
        normals.map(|all| all.into_iter().map(|x| deviation.mul_add(x, mean)).collect())
    }

    /// Normal numbers.
    ///
    /// # Errors
    /// The same as for [`Generator::normal`].
    pub fn normal_double(
        &mut self,
        count: usize,
        mean: f64,
        deviation: f64,
    ) -> Result<Vec<f64>, Refusal> {
        let of_point = |kind: Kind, number: u64| match kind.is_long() {
            true => convert::normal_of_long(number),
            false => convert::normal_double((number >> 32) as u32),
        };
        let of_block = threads::normal_doubles;
        let normals: Result<Vec<f64>, Refusal> = results!(self, count, (2, true),
            threads => threads.take(count / 2, Numbers::pair_double).into_flattened(),
            blocks => blocks.of_two(count, of_block),
            of_point);
        normals.map(|all| all.into_iter().map(|x| deviation.mul_add(x, mean)).collect())
    }

    /// Poisson numbers.
    ///
    /// # Errors
    /// The mean is not above 0, or too large; or the count is no multiple of the dimensions.
    pub fn poisson(&mut self, count: usize, mean: f64) -> Result<Vec<u32>, Refusal> {
        if !(mean > 0.0 && mean <= LARGEST_MEAN) {
            return Err(Refusal::OutOfRange);
        }
        let of_point = |kind: Kind, number: u64| match (mean < 1000.0, kind.is_long()) {
            (true, true) => {
                poisson::inverse(mean, (number >> 11) as f64 * 2f64.powi(-53) + 2f64.powi(-55))
            }
            (true, false) => {
                poisson::inverse(mean, (number >> 32) as f64 * 2f64.powi(-32) + 2f64.powi(-33))
            }
            (false, true) => poisson::rounded(mean, convert::normal_of_long(number)),
            (false, false) => poisson::rounded(mean, convert::normal_double((number >> 32) as u32)),
        };
        results!(self, count, (1, false),
            threads => threads.take(count, |numbers| poisson::next(mean, numbers)),
            blocks => blocks.poisson(count, mean),
            of_point)
    }
}
