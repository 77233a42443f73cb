//! cuRAND's host API (cuRAND Library Programming Guide, NVIDIA, version 12), for programs that find
//! this library in place of `libcurand.so.10`. [`warpsim_random`] makes the results.
//!
//! Results of a generator of the device are copied to device memory in the order of the generator's
//! stream. Anything that looks at the order of operations sees that copy write them. Generators of
//! the host write them at once.
//!
//! Not here: MTGP32 and MT19937 (`CURAND_STATUS_TYPE_ERROR`), and binomial numbers, which
//! `curand.h` declares and NVIDIA's library does not have. A stream that is captured is refused
//! (`CURAND_STATUS_LAUNCH_FAILURE`), because a graph would have to generate anew each time. Failed
//! calls are not reported to the person: their numbers are not CUDA's.

use std::collections::BTreeMap;
use std::ffi::c_void;
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

use warpsim_driver_core::{Block, CudaError, DefaultStream, Handle, Spot};
use warpsim_random::{Distribution, Generator, Kind, LARGEST_MEAN, Ordering, Refusal};

use crate::functions::{function, issued};
use crate::pointers::{Out, out_at};
use crate::process::{library, named_once, with};
use crate::runtime::ready;

library! {
    /// `curandStatus_t`.
    "CURAND_STATUS" {
        Success = 0,
        NotInitialized = 101,
        AllocationFailed = 102,
        TypeError = 103,
        OutOfRange = 104,
        LengthNotMultiple = 105,
        LaunchFailure = 201,
        InitializationFailed = 203,
        InternalError = 999,
    }
    CudaError::Success => Success,
    CudaError::OutOfMemory => AllocationFailed,
    CudaError::Unknown => InternalError,
    _ => LaunchFailure,
}

impl From<Refusal> for Status {
    fn from(refusal: Refusal) -> Status {
        match refusal {
            Refusal::WrongType => Status::TypeError,
            Refusal::OutOfRange => Status::OutOfRange,
            Refusal::NotMultiple => Status::LengthNotMultiple,
        }
    }
}

/// A generator, and where its results go.
struct Held {
    generator: Generator,
    is_of_host: bool,
    stream: Handle,
}

struct Generators {
    all: BTreeMap<u64, Held>,
    made: u64,
}

static GENERATORS: Mutex<Generators> = Mutex::new(Generators { all: BTreeMap::new(), made: 0 });

fn generators() -> MutexGuard<'static, Generators> {
    GENERATORS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Does something with a generator.
fn held<T>(handle: u64, body: impl FnOnce(&mut Held) -> Answer<T>) -> Answer<T> {
    body(generators().all.get_mut(&handle).ok_or(Status::NotInitialized)?)
}

fn put<T>(to: Out<T>, value: T) -> Answer<()> {
    to.put(value).map_err(|_| Status::OutOfRange)
}

fn create(to: Out<u64>, kind: u32, is_of_host: bool) -> Answer<()> {
    let kind = match kind {
        100 | 101 => Kind::Xorwow,
        121 => Kind::Mrg32k3a,
        161 => Kind::Philox,
        200 | 201 => Kind::Sobol32,
        202 => Kind::ScrambledSobol32,
        203 => Kind::Sobol64,
        204 => Kind::ScrambledSobol64,
        141 | 142 => {
            let name = if kind == 141 { "MTGP32" } else { "MT19937" };
            named_once(&format!("cuRAND's generator {name}"));
            return Err(Status::TypeError);
        }
        _ => return Err(Status::TypeError),
    };
    if to.is_null() {
        return Err(Status::OutOfRange);
    }
    if !is_of_host {
        ready().map_err(|_| Status::InitializationFailed)?;
    }
    let mut generators = generators();
    generators.made += 1;
    // Looks like an address to programs that inspect it, but nothing is ever there.
    let handle = (1 << 46) | (0x71 << 40) | (generators.made << 4);
    let held = Held { generator: Generator::new(kind), is_of_host, stream: 0 };
    generators.all.insert(handle, held);
    put(to, handle)
}

fn ordering(number: u32) -> Answer<Ordering> {
    Ok(match number {
        100 => Ordering::Best,
        101 => Ordering::Default,
        102 => Ordering::Seeded,
        103 => Ordering::Legacy,
        104 => Ordering::Dynamic,
        201 => Ordering::QuasiDefault,
        _ => return Err(Status::OutOfRange),
    })
}

/// Results, in the memory that the program has for them.
fn generated<T>(
    handle: u64,
    to: u64,
    count: usize,
    of: impl FnOnce(&mut Generator) -> Result<Vec<T>, Refusal>,
) -> Answer<()> {
    let (is_of_host, stream) = held(handle, |held| Ok((held.is_of_host, held.stream)))?;
    if !is_of_host {
        ready()?;
        refuse_captured(stream)?;
    }
    // The count is the program's: there may be no room for so many.
    Vec::<T>::new().try_reserve_exact(count).map_err(|_| Status::AllocationFailed)?;
    // No lock is held while the copy waits for functions of the program.
    let results = held(handle, |held| Ok(of(&mut held.generator)?))?;
    match is_of_host {
        true => {
            let to = std::ptr::with_exposed_provenance_mut::<c_void>(to as usize);
            out_at::<T>(to).put_all(results).map_err(|_| Status::OutOfRange)
        }
        false => to_device(to, &results, stream, false),
    }
}

fn refuse_captured(stream: Handle) -> Answer<()> {
    let refused = with(|call| {
        let stream = call.stream(stream, DefaultStream::Legacy)?;
        call.refuse_captured(stream)
    });
    if refused == Err(CudaError::StreamCaptureUnsupported) {
        named_once("cuRAND in a stream that is captured");
    }
    Ok(refused?)
}

fn to_device<T>(to: u64, from: &[T], stream: Handle, is_waited_for: bool) -> Answer<()> {
    let address = from.as_ptr().expose_provenance() as u64;
    let block = Block::of_bytes(Spot::Device(to), Spot::Host(address), size_of_val(from) as u64);
    Ok(issued(block, (stream, DefaultStream::Legacy), is_waited_for)?)
}

/// `exp(mean + deviation * normal)`.
fn of_logarithms<T>(
    logarithms: Result<Vec<T>, Refusal>,
    exponential: impl Fn(T) -> T,
) -> Result<Vec<T>, Refusal> {
    logarithms.map(|all| all.into_iter().map(exponential).collect())
}

/// The structures of `curand_discrete.h`, as they are at this address: what a distribution is, its
/// tables, and the tables' columns.
fn structures(at: u64, mean: f64, of: &Distribution) -> Vec<u8> {
    const DISTRIBUTION: u64 = 48;
    const TABLES: u64 = 32;
    const HISTOGRAM: u64 = 40;
    const OF_TABLES: u32 = 5;
    const DISCRETE_GAUSS: u32 = 7;
    let mut bytes = Vec::new();
    let words = |bytes: &mut Vec<u8>, words: &[u64]| {
        words.iter().for_each(|word| bytes.extend(word.to_le_bytes()));
    };
    let two = |low: u32, high: u32| u64::from(low) | u64::from(high) << 32;
    let numbers = [mean.sqrt().to_bits(), mean.to_bits()];
    match of {
        Distribution::Normal => {
            words(&mut bytes, &[at, 0, 0, numbers[0], numbers[1], two(DISCRETE_GAUSS, 0)]);
        }
        Distribution::Tables { shift, limits, others } => {
            let (tables, histogram) = (at + DISTRIBUTION, at + DISTRIBUTION + TABLES);
            let of_limits = histogram + HISTOGRAM;
            let of_others = of_limits + 8 * limits.len() as u64;
            words(&mut bytes, &[at, tables, 0, numbers[0], numbers[1], two(OF_TABLES, 0)]);
            words(&mut bytes, &[histogram, 0, two(*shift, limits.len() as u32), 0]);
            words(&mut bytes, &[of_limits, 0, of_others, 0, 0]);
            limits.iter().for_each(|limit| bytes.extend(limit.to_le_bytes()));
            others.iter().for_each(|other| bytes.extend(other.to_le_bytes()));
        }
    }
    bytes
}

fn distribution(mean: f64, to: Out<u64>) -> Answer<()> {
    if to.is_null() || !(mean > 0.0 && mean <= LARGEST_MEAN) {
        return Err(Status::OutOfRange);
    }
    ready().map_err(|_| Status::InitializationFailed)?;
    let of = Distribution::of_mean(mean);
    let bytes = structures(0, mean, &of).len() as u64;
    let at = with(|call| call.allocate(bytes))?;
    to_device(at, &structures(at, mean, &of), 0, true)?;
    put(to, at)
}

/// A table that is made once, and stays.
fn table_at<T>(
    to: Out<u64>,
    table: &'static OnceLock<Vec<T>>,
    of: impl FnOnce() -> Vec<T>,
) -> Answer<()> {
    put(to, table.get_or_init(of).as_ptr().expose_provenance() as u64)
}

macro_rules! functions {
    ($($name:ident $arguments:tt $body:block)*) => {
        $(function!(crate::random::entered, $name, _default = (), $arguments, $body);)*

        /// All symbols with their addresses.
        pub(crate) fn table() -> Vec<(&'static str, usize)> {
            vec![$((stringify!($name), $name as *const () as usize)),*]
        }
    };
}

functions! {
    curandCreateGenerator(generator: Out<u64>, kind: u32) {
        create(generator, kind, false)
    }
    curandCreateGeneratorHost(generator: Out<u64>, kind: u32) {
        create(generator, kind, true)
    }
    curandDestroyGenerator(generator: u64) {
        generators().all.remove(&generator).map(|_| ()).ok_or(Status::NotInitialized)
    }
    curandGetVersion(version: Out<i32>) {
        put(version, VERSION[0] * 1000 + VERSION[1] * 100 + VERSION[2])
    }
    curandGetProperty(property: u32, value: Out<i32>) {
        put(value, *VERSION.get(property as usize).ok_or(Status::OutOfRange)?)
    }
    curandSetStream(generator: u64, stream: Handle) {
        held(generator, |held| {
            held.stream = stream;
            Ok(())
        })
    }
    curandSetPseudoRandomGeneratorSeed(generator: u64, seed: u64) {
        held(generator, |held| Ok(held.generator.set_seed(seed)?))
    }
    curandSetGeneratorOffset(generator: u64, offset: u64) {
        held(generator, |held| {
            held.generator.set_offset(offset);
            Ok(())
        })
    }
    curandSetGeneratorOrdering(generator: u64, order: u32) {
        held(generator, |held| {
            let ordering = ordering(order)?;
            if held.is_of_host && ordering == Ordering::Dynamic {
                return Err(Status::OutOfRange);
            }
            Ok(held.generator.set_ordering(ordering)?)
        })
    }
    curandSetQuasiRandomGeneratorDimensions(generator: u64, dimensions: u32) {
        held(generator, |held| Ok(held.generator.set_dimensions(dimensions)?))
    }
    curandGenerateSeeds(generator: u64) {
        held(generator, |held| {
            held.generator.generate_seeds();
            Ok(())
        })
    }
    curandGenerate(generator: u64, to: u64, count: usize) {
        generated(generator, to, count, |generator| generator.bits(count))
    }
    curandGenerateLongLong(generator: u64, to: u64, count: usize) {
        generated(generator, to, count, |generator| generator.long_bits(count))
    }
    curandGenerateUniform(generator: u64, to: u64, count: usize) {
        generated(generator, to, count, |generator| generator.uniform(count))
    }
    curandGenerateUniformDouble(generator: u64, to: u64, count: usize) {
        generated(generator, to, count, |generator| generator.uniform_double(count))
    }
    curandGenerateNormal(generator: u64, to: u64, count: usize, mean: f32, deviation: f32) {
        generated(generator, to, count, |generator| generator.normal(count, mean, deviation))
    }
    curandGenerateNormalDouble(generator: u64, to: u64, count: usize, mean: f64, deviation: f64) {
        generated(generator, to, count, |generator| generator.normal_double(count, mean, deviation))
    }
    curandGenerateLogNormal(generator: u64, to: u64, count: usize, mean: f32, deviation: f32) {
        let of = |of: &mut Generator| of_logarithms(of.normal(count, mean, deviation), f32::exp);
        generated(generator, to, count, of)
    }
    curandGenerateLogNormalDouble(
        generator: u64, to: u64, count: usize, mean: f64, deviation: f64
    ) {
        let of =
            |of: &mut Generator| of_logarithms(of.normal_double(count, mean, deviation), f64::exp);
        generated(generator, to, count, of)
    }
    curandGeneratePoisson(generator: u64, to: u64, count: usize, mean: f64) {
        generated(generator, to, count, |generator| generator.poisson(count, mean))
    }
    curandGeneratePoissonMethod(generator: u64, to: u64, count: usize, mean: f64, method: u32) {
        // However it is done, the distribution is the same.
        let _ = method;
        generated(generator, to, count, |generator| generator.poisson(count, mean))
    }
    curandCreatePoissonDistribution(mean: f64, to: Out<u64>) {
        distribution(mean, to)
    }
    curandDestroyDistribution(distribution: u64) {
        match distribution {
            0 => Err(Status::NotInitialized),
            at => Ok(with(|call| call.free(at))?),
        }
    }
    curandGetDirectionVectors32(vectors: Out<u64>, set: u32) {
        static TABLES: [OnceLock<Vec<[u32; 32]>>; 2] = [OnceLock::new(), OnceLock::new()];
        match set {
            101 => table_at(vectors, &TABLES[0], || warpsim_random::vectors_32(false)),
            102 => table_at(vectors, &TABLES[1], || warpsim_random::vectors_32(true)),
            _ => Err(Status::OutOfRange),
        }
    }
    curandGetDirectionVectors64(vectors: Out<u64>, set: u32) {
        static TABLES: [OnceLock<Vec<[u64; 64]>>; 2] = [OnceLock::new(), OnceLock::new()];
        match set {
            103 => table_at(vectors, &TABLES[0], || warpsim_random::vectors_64(false)),
            104 => table_at(vectors, &TABLES[1], || warpsim_random::vectors_64(true)),
            _ => Err(Status::OutOfRange),
        }
    }
    curandGetScrambleConstants32(constants: Out<u64>) {
        static TABLE: OnceLock<Vec<u32>> = OnceLock::new();
        let upper = |constant: u64| (constant >> 32) as u32;
        table_at(constants, &TABLE, || warpsim_random::constants().into_iter().map(upper).collect())
    }
    curandGetScrambleConstants64(constants: Out<u64>) {
        static TABLE: OnceLock<Vec<u64>> = OnceLock::new();
        table_at(constants, &TABLE, warpsim_random::constants)
    }
}

/// The version that we report, which is the header's.
const VERSION: [i32; 3] = [10, 3, 10];
