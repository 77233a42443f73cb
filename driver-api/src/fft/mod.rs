//! cuFFT (cuFFT API Reference, NVIDIA, version 12), for programs that find this library in place of
//! `libcufft.so.11` and `.12`. [`warpsim_fft`] computes the numbers.
//!
//! Each call that computes is one operation of the plan's stream. It reads and writes device memory
//! in the stream's order, elements alone and nothing between them, so `--check` sees its races. A
//! stream that is captured gets a node.
//!
//! Deviations: work areas are not used; a transform from complex to real numbers leaves its input
//! as it is. Half precision, several GPUs and callbacks answer `CUFFT_NOT_SUPPORTED`, by name.

mod absent;
mod execution;
mod plans;

use warpsim_driver_core::{CudaError, DefaultStream, Handle};

use self::execution::execute;
use self::plans::{Kind, Many, Type, Work, batch, change, create, destroy, known, make, shape};
use crate::functions::function;
use crate::pointers::Out;
use crate::process::{library, named_once, with};

library! {
    /// `cufftResult`.
    "CUFFT_STATUS" {
        Success = 0,
        InvalidPlan = 1,
        AllocationFailed = 2,
        InvalidType = 3,
        InvalidValue = 4,
        InternalError = 5,
        ExecutionFailed = 6,
        SetupFailed = 7,
        InvalidSize = 8,
        NotSupported = 16,
    }
    CudaError::Success => Success,
    CudaError::OutOfMemory => AllocationFailed,
    CudaError::Unknown => InternalError,
    CudaError::InvalidValue => InvalidValue,
    _ => ExecutionFailed,
}

fn put<T>(to: Out<T>, value: T) -> Answer<()> {
    to.put(value).map_err(|_| Status::InvalidValue)
}

/// The work of a plan in a fixed number of dimensions.
fn plain(extents: &[i64], kind: u32, count: i64) -> Answer<Work> {
    let kind = Type::of_number(kind)?;
    Ok(Work { kind, shape: shape(extents)?, batch: batch(count)?, embedded: None })
}

fn planned(to: Out<u32>, work: Answer<Work>) -> Answer<()> {
    if to.is_null() {
        return Err(Status::InvalidValue);
    }
    put(to, create(Some(work?))?)
}

fn made(plan: u32, bytes: Out<usize>, work: Answer<Work>) -> Answer<()> {
    known(plan)?;
    put(bytes, make(plan, work?)?)
}

fn sized(bytes: Out<usize>, work: Answer<Work>) -> Answer<()> {
    put(bytes, work?.bytes())
}

fn refused(name: &str) -> Answer<()> {
    named_once(name);
    Err(Status::NotSupported)
}

/// The parts of the version that we report, which is the header's.
const VERSION: [i32; 3] = [11, 4, 1];

/// All symbols with their addresses.
pub(crate) fn table() -> Vec<(&'static str, usize)> {
    [own(), absent::table()].concat()
}

macro_rules! functions {
    ($($name:ident $arguments:tt $body:block)*) => {
        $(function!(crate::fft::entered, $name, _default = (), $arguments, $body);)*

        fn own() -> Vec<(&'static str, usize)> {
            vec![$((stringify!($name), $name as *const () as usize)),*]
        }
    };
}

functions! {
    cufftPlan1d(plan: Out<u32>, nx: i32, kind: u32, batch: i32) {
        planned(plan, plain(&[nx.into()], kind, batch.into()))
    }
    cufftPlan2d(plan: Out<u32>, nx: i32, ny: i32, kind: u32) {
        planned(plan, plain(&[nx.into(), ny.into()], kind, 1))
    }
    cufftPlan3d(plan: Out<u32>, nx: i32, ny: i32, nz: i32, kind: u32) {
        planned(plan, plain(&[nx.into(), ny.into(), nz.into()], kind, 1))
    }
    cufftPlanMany(
        plan: Out<u32>, rank: i32, n: u64, inembed: u64, istride: i32, idist: i32,
        onembed: u64, ostride: i32, odist: i32, kind: u32, batch: i32
    ) {
        let input = (inembed, istride.into(), idist.into());
        let output = (onembed, ostride.into(), odist.into());
        let many = Many { rank, extents: n, input, output, batch: batch.into(), width: 4 };
        planned(plan, Type::of_number(kind).and_then(|kind| many.work(kind)))
    }
    cufftCreate(plan: Out<u32>) {
        if plan.is_null() {
            return Err(Status::InvalidValue);
        }
        put(plan, create(None)?)
    }
    cufftDestroy(plan: u32) {
        destroy(plan)
    }
    cufftMakePlan1d(plan: u32, nx: i32, kind: u32, batch: i32, bytes: Out<usize>) {
        made(plan, bytes, plain(&[nx.into()], kind, batch.into()))
    }
    cufftMakePlan2d(plan: u32, nx: i32, ny: i32, kind: u32, bytes: Out<usize>) {
        made(plan, bytes, plain(&[nx.into(), ny.into()], kind, 1))
    }
    cufftMakePlan3d(plan: u32, nx: i32, ny: i32, nz: i32, kind: u32, bytes: Out<usize>) {
        made(plan, bytes, plain(&[nx.into(), ny.into(), nz.into()], kind, 1))
    }
    cufftMakePlanMany(
        plan: u32, rank: i32, n: u64, inembed: u64, istride: i32, idist: i32,
        onembed: u64, ostride: i32, odist: i32, kind: u32, batch: i32, bytes: Out<usize>
    ) {
        let input = (inembed, istride.into(), idist.into());
        let output = (onembed, ostride.into(), odist.into());
        let many = Many { rank, extents: n, input, output, batch: batch.into(), width: 4 };
        made(plan, bytes, Type::of_number(kind).and_then(|kind| many.work(kind)))
    }
    cufftMakePlanMany64(
        plan: u32, rank: i32, n: u64, inembed: u64, istride: i64, idist: i64,
        onembed: u64, ostride: i64, odist: i64, kind: u32, batch: i64, bytes: Out<usize>
    ) {
        let (input, output) = ((inembed, istride, idist), (onembed, ostride, odist));
        let many = Many { rank, extents: n, input, output, batch, width: 8 };
        made(plan, bytes, Type::of_number(kind).and_then(|kind| many.work(kind)))
    }
    cufftXtMakePlanMany(
        plan: u32, rank: i32, n: u64, inembed: u64, istride: i64, idist: i64, inputtype: u32,
        onembed: u64, ostride: i64, odist: i64, outputtype: u32, batch: i64, bytes: Out<usize>,
        executiontype: u32
    ) {
        let (input, output) = ((inembed, istride, idist), (onembed, ostride, odist));
        let many = Many { rank, extents: n, input, output, batch, width: 8 };
        let kind = Type::of_data([inputtype, outputtype, executiontype]);
        if kind == Err(Status::NotSupported) {
            return refused("cufftXtMakePlanMany with these types");
        }
        made(plan, bytes, kind.and_then(|kind| many.work(kind)))
    }
    cufftGetSize1d(plan: u32, nx: i32, kind: u32, batch: i32, bytes: Out<usize>) {
        known(plan)?;
        sized(bytes, plain(&[nx.into()], kind, batch.into()))
    }
    cufftGetSize2d(plan: u32, nx: i32, ny: i32, kind: u32, bytes: Out<usize>) {
        known(plan)?;
        sized(bytes, plain(&[nx.into(), ny.into()], kind, 1))
    }
    cufftGetSize3d(plan: u32, nx: i32, ny: i32, nz: i32, kind: u32, bytes: Out<usize>) {
        known(plan)?;
        sized(bytes, plain(&[nx.into(), ny.into(), nz.into()], kind, 1))
    }
    cufftGetSizeMany(
        plan: u32, rank: i32, n: u64, inembed: u64, istride: i32, idist: i32,
        onembed: u64, ostride: i32, odist: i32, kind: u32, batch: i32, bytes: Out<usize>
    ) {
        known(plan)?;
        let input = (inembed, istride.into(), idist.into());
        let output = (onembed, ostride.into(), odist.into());
        let many = Many { rank, extents: n, input, output, batch: batch.into(), width: 4 };
        sized(bytes, Type::of_number(kind).and_then(|kind| many.work(kind)))
    }
    cufftGetSizeMany64(
        plan: u32, rank: i32, n: u64, inembed: u64, istride: i64, idist: i64,
        onembed: u64, ostride: i64, odist: i64, kind: u32, batch: i64, bytes: Out<usize>
    ) {
        known(plan)?;
        let (input, output) = ((inembed, istride, idist), (onembed, ostride, odist));
        let many = Many { rank, extents: n, input, output, batch, width: 8 };
        sized(bytes, Type::of_number(kind).and_then(|kind| many.work(kind)))
    }
    cufftGetSize(plan: u32, bytes: Out<usize>) {
        let work = known(plan)?.work.ok_or(Status::InvalidPlan)?;
        put(bytes, work.bytes())
    }
    cufftEstimate1d(nx: i32, kind: u32, batch: i32, bytes: Out<usize>) {
        sized(bytes, plain(&[nx.into()], kind, batch.into()))
    }
    cufftEstimate2d(nx: i32, ny: i32, kind: u32, bytes: Out<usize>) {
        sized(bytes, plain(&[nx.into(), ny.into()], kind, 1))
    }
    cufftEstimate3d(nx: i32, ny: i32, nz: i32, kind: u32, bytes: Out<usize>) {
        sized(bytes, plain(&[nx.into(), ny.into(), nz.into()], kind, 1))
    }
    cufftEstimateMany(
        rank: i32, n: u64, inembed: u64, istride: i32, idist: i32,
        onembed: u64, ostride: i32, odist: i32, kind: u32, batch: i32, bytes: Out<usize>
    ) {
        let input = (inembed, istride.into(), idist.into());
        let output = (onembed, ostride.into(), odist.into());
        let many = Many { rank, extents: n, input, output, batch: batch.into(), width: 4 };
        sized(bytes, Type::of_number(kind).and_then(|kind| many.work(kind)))
    }
    cufftSetStream(plan: u32, stream: Handle) {
        known(plan)?;
        with(|call| call.stream(stream, DefaultStream::Legacy)).map_err(|_| Status::InvalidValue)?;
        change(plan, |plan| plan.stream = stream)
    }
    cufftSetWorkArea(plan: u32, area: u64) {
        // Nothing works in it.
        let _ = area;
        known(plan).map(|_| ())
    }
    cufftSetAutoAllocation(plan: u32, is_automatic: i32) {
        let _ = is_automatic;
        known(plan).map(|_| ())
    }
    cufftExecC2C(plan: u32, input: u64, output: u64, direction: i32) {
        execute("cufftExecC2C", plan, (Kind::Complex, false), (input, output), direction)
    }
    cufftExecZ2Z(plan: u32, input: u64, output: u64, direction: i32) {
        execute("cufftExecZ2Z", plan, (Kind::Complex, true), (input, output), direction)
    }
    cufftExecR2C(plan: u32, input: u64, output: u64) {
        execute("cufftExecR2C", plan, (Kind::RealToComplex, false), (input, output), -1)
    }
    cufftExecD2Z(plan: u32, input: u64, output: u64) {
        execute("cufftExecD2Z", plan, (Kind::RealToComplex, true), (input, output), -1)
    }
    cufftExecC2R(plan: u32, input: u64, output: u64) {
        execute("cufftExecC2R", plan, (Kind::ComplexToReal, false), (input, output), 1)
    }
    cufftExecZ2D(plan: u32, input: u64, output: u64) {
        execute("cufftExecZ2D", plan, (Kind::ComplexToReal, true), (input, output), 1)
    }
    cufftXtExec(plan: u32, input: u64, output: u64, direction: i32) {
        let Type { kind, is_double } = known(plan)?.work.ok_or(Status::InvalidPlan)?.kind;
        let direction = match kind {
            Kind::Complex => direction,
            Kind::RealToComplex => -1,
            Kind::ComplexToReal => 1,
        };
        execute("cufftXtExec", plan, (kind, is_double), (input, output), direction)
    }
    cufftGetVersion(version: Out<i32>) {
        put(version, VERSION[0] * 1000 + VERSION[1] * 100 + VERSION[2])
    }
    cufftGetProperty(property: u32, value: Out<i32>) {
        put(value, *VERSION.get(property as usize).ok_or(Status::InvalidValue)?)
    }
    cufftXtSetGPUs(plan: u32, count: i32, which: u64) {
        let _ = which;
        known(plan)?;
        if count == 1 { Ok(()) } else { refused("cufftXtSetGPUs for several GPUs") }
    }
}
