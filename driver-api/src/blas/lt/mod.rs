//! cublasLt (cuBLAS documentation, "Using the cuBLASLt API"): products of matrices and the steps
//! that follow them, by descriptors.
//!
//! There is one algorithm, which every heuristic gives; its configuration changes nothing.
//! Supported: orders of columns and of rows, strided batches, and epilogues of bias, ReLU and GELU
//! (by its approximation with `tanh`, as in cuBLAS).
//!
//! Not supported: interleaved orders, planes of complex numbers, batches by lists of addresses,
//! vectors of scalars, epilogues that keep or read an auxiliary matrix and gradients, scales of
//! blocks, synchronisation by chunks.

mod descriptors;
mod matmul;

use std::ffi::{c_char, c_void};

use descriptors::{Attribute, Form, get, set};

use super::handles::{create, put, remove, settings};
use super::plain;
use super::status::Status;
use super::tasks::Task;
use crate::pointers::Out;
use crate::process::named_once;

/// `cublasLtMatmulHeuristicResult_t`.
#[derive(Clone, Copy)]
#[repr(C)]
pub(in crate::blas) struct Heuristic {
    algorithm: [u64; 8],
    workspace: usize,
    status: u32,
    waves: f32,
    reserved: [i32; 4],
}

const _: () = assert!(size_of::<Heuristic>() == 96);

impl Heuristic {
    /// The one algorithm, which needs no workspace.
    const ONE: Heuristic = Heuristic {
        algorithm: [1, 0, 0, 0, 0, 0, 0, 0],
        workspace: 0,
        status: 0,
        waves: 1.0,
        reserved: [0; 4],
    };
}

/// What cannot be done says so, by its name.
fn lacks(what: &str) -> Status {
    named_once(what);
    Status::NotSupported
}

/// `Create` and `Destroy`, `Init`, `SetAttribute` and `GetAttribute` of a kind of descriptors.
macro_rules! attributes {
    ($form:ident, $descriptor:ident, $attribute:ident, $buffer:ident, $bytes:ident) => {
        set(
            Form::$form,
            $descriptor,
            Attribute { number: $attribute, buffer: $buffer, bytes: $bytes },
        )
    };
    ($form:ident, $descriptor:ident, $attribute:ident, $buffer:ident, $bytes:ident, $written:ident) => {
        get(
            Form::$form,
            $descriptor,
            Attribute { number: $attribute, buffer: $buffer, bytes: $bytes },
            $written,
        )
    };
}

plain! {
    cublasLtCreate(handle: Out<u64>) {
        if handle.is_null() {
            return Err(Status::InvalidValue);
        }
        put(handle, create()?)
    }
    cublasLtDestroy(handle: u64) {
        remove(handle)
    }
    cublasLtGetProperty(kind: u32, value: Out<i32>) {
        super::handles::property(kind, value)
    }
    cublasLtHeuristicsCacheGetCapacity(capacity: Out<usize>) {
        put(capacity, 0)
    }
    cublasLtHeuristicsCacheSetCapacity(capacity: usize) {
        let _ = capacity;
        Ok(())
    }
    cublasLtLoggerSetCallback(function: *const c_void) {
        let _ = function;
        Ok(())
    }
    cublasLtLoggerSetFile(file: *const c_void) {
        let _ = file;
        Ok(())
    }
    cublasLtLoggerOpenFile(file: *const c_char) {
        let _ = file;
        Ok(())
    }
    cublasLtLoggerSetLevel(level: i32) {
        let _ = level;
        Ok(())
    }
    cublasLtLoggerSetMask(mask: i32) {
        let _ = mask;
        Ok(())
    }
    cublasLtLoggerForceDisable() {
        Ok(())
    }
    cublasLtMatrixLayoutCreate(descriptor: Out<u64>, kind: u32, rows: u64, columns: u64, ld: i64) {
        put(descriptor, descriptors::create(descriptors::of_layout(kind, rows, columns, ld)))
    }
    cublasLtMatrixLayoutInit_internal(descriptor: u64, bytes: usize, kind: u32, rows: u64, columns: u64, ld: i64) {
        descriptors::initialise(descriptor, bytes, descriptors::of_layout(kind, rows, columns, ld))
    }
    cublasLtMatrixLayoutDestroy(descriptor: u64) {
        descriptors::destroy(descriptor)
    }
    cublasLtMatrixLayoutSetAttribute(descriptor: u64, attribute: u32, buffer: u64, bytes: usize) {
        attributes!(Layout, descriptor, attribute, buffer, bytes)
    }
    cublasLtMatrixLayoutGetAttribute(
        descriptor: u64, attribute: u32, buffer: u64, bytes: usize, written: Out<usize>
    ) {
        attributes!(Layout, descriptor, attribute, buffer, bytes, written)
    }
    cublasLtMatmulDescCreate(descriptor: Out<u64>, compute: u32, scale: u32) {
        put(descriptor, descriptors::create(descriptors::of_product(compute, scale)))
    }
    cublasLtMatmulDescInit_internal(descriptor: u64, bytes: usize, compute: u32, scale: u32) {
        descriptors::initialise(descriptor, bytes, descriptors::of_product(compute, scale))
    }
    cublasLtMatmulDescDestroy(descriptor: u64) {
        descriptors::destroy(descriptor)
    }
    cublasLtMatmulDescSetAttribute(descriptor: u64, attribute: u32, buffer: u64, bytes: usize) {
        attributes!(Product, descriptor, attribute, buffer, bytes)
    }
    cublasLtMatmulDescGetAttribute(
        descriptor: u64, attribute: u32, buffer: u64, bytes: usize, written: Out<usize>
    ) {
        attributes!(Product, descriptor, attribute, buffer, bytes, written)
    }
    cublasLtMatrixTransformDescCreate(descriptor: Out<u64>, scale: u32) {
        put(descriptor, descriptors::create(descriptors::of_transform(scale)))
    }
    cublasLtMatrixTransformDescInit_internal(descriptor: u64, bytes: usize, scale: u32) {
        descriptors::initialise(descriptor, bytes, descriptors::of_transform(scale))
    }
    cublasLtMatrixTransformDescDestroy(descriptor: u64) {
        descriptors::destroy(descriptor)
    }
    cublasLtMatrixTransformDescSetAttribute(descriptor: u64, attribute: u32, buffer: u64, bytes: usize) {
        attributes!(Transform, descriptor, attribute, buffer, bytes)
    }
    cublasLtMatrixTransformDescGetAttribute(
        descriptor: u64, attribute: u32, buffer: u64, bytes: usize, written: Out<usize>
    ) {
        attributes!(Transform, descriptor, attribute, buffer, bytes, written)
    }
    cublasLtMatmulPreferenceCreate(descriptor: Out<u64>) {
        put(descriptor, descriptors::create(descriptors::of_preference()))
    }
    cublasLtMatmulPreferenceInit_internal(descriptor: u64, bytes: usize) {
        descriptors::initialise(descriptor, bytes, descriptors::of_preference())
    }
    cublasLtMatmulPreferenceDestroy(descriptor: u64) {
        descriptors::destroy(descriptor)
    }
    cublasLtMatmulPreferenceSetAttribute(descriptor: u64, attribute: u32, buffer: u64, bytes: usize) {
        attributes!(Preference, descriptor, attribute, buffer, bytes)
    }
    cublasLtMatmulPreferenceGetAttribute(
        descriptor: u64, attribute: u32, buffer: u64, bytes: usize, written: Out<usize>
    ) {
        attributes!(Preference, descriptor, attribute, buffer, bytes, written)
    }
    cublasLtMatmulAlgoGetHeuristic(
        handle: u64, product: u64, a: u64, b: u64, c: u64, d: u64, preference: u64, wanted: i32,
        results: Out<Heuristic>, count: Out<i32>
    ) {
        let _ = preference;
        settings(handle)?;
        if wanted <= 0 {
            return Err(Status::InvalidValue);
        }
        match matmul::Matmul::new(product, [a, b, c, d]) {
            Ok(_) => {
                results.put(Heuristic::ONE)?;
                put(count, 1)
            }
            Err(error) => {
                count.put_if_wanted(0);
                Err(error)
            }
        }
    }
    cublasLtMatmulAlgoGetIds(
        handle: u64, compute: u32, scale: u32, a: u32, b: u32, c: u32, d: u32, wanted: i32, ids: Out<i32>,
        count: Out<i32>
    ) {
        let _ = (compute, scale, a, b, c, d);
        settings(handle)?;
        if wanted <= 0 {
            return Err(Status::InvalidValue);
        }
        put(ids, 1)?;
        put(count, 1)
    }
    cublasLtMatmulAlgoInit(
        handle: u64, compute: u32, scale: u32, a: u32, b: u32, c: u32, d: u32, id: i32, algorithm: Out<[u64; 8]>
    ) {
        let _ = (compute, scale, a, b, c, d);
        settings(handle)?;
        match id {
            1 => put(algorithm, Heuristic::ONE.algorithm),
            _ => Err(Status::InvalidValue),
        }
    }
    cublasLtMatmulAlgoCheck(
        handle: u64, product: u64, a: u64, b: u64, c: u64, d: u64, algorithm: u64, result: Out<Heuristic>
    ) {
        let _ = algorithm;
        settings(handle)?;
        matmul::Matmul::new(product, [a, b, c, d])?;
        put(result, Heuristic::ONE)
    }
    cublasLtMatmulAlgoCapGetAttribute(
        algorithm: u64, attribute: u32, buffer: u64, bytes: usize, written: Out<usize>
    ) {
        let _ = (algorithm, attribute, buffer, bytes, written);
        Err(lacks("cublasLtMatmulAlgoCapGetAttribute"))
    }
    cublasLtMatmulAlgoConfigSetAttribute(algorithm: u64, attribute: u32, buffer: u64, bytes: usize) {
        let _ = (algorithm, buffer, bytes);
        if attribute <= 8 { Ok(()) } else { Err(Status::InvalidValue) }
    }
    cublasLtMatmulAlgoConfigGetAttribute(
        algorithm: u64, attribute: u32, buffer: u64, bytes: usize, written: Out<usize>
    ) {
        let _ = (algorithm, attribute, buffer, bytes, written);
        Err(lacks("cublasLtMatmulAlgoConfigGetAttribute"))
    }
    cublasLtMatmul(
        handle: u64, product: u64, alpha: u64, a: u64, of_a: u64, b: u64, of_b: u64, beta: u64, c: u64, of_c: u64,
        d: u64, of_d: u64, algorithm: u64, workspace: u64, bytes: usize, stream: u64
    ) {
        let _ = (algorithm, workspace, bytes);
        settings(handle)?;
        let matmul = matmul::Matmul::new(product, [of_a, of_b, of_c, of_d])?;
        let mut task = Task::in_stream("cublasLtMatmul", stream);
        task.settings.pointer_mode = matmul.pointer_mode();
        matmul.issue(&task, [alpha, beta], [a, b, c, d])
    }
    cublasLtMatrixTransform(
        handle: u64, transform: u64, alpha: u64, a: u64, of_a: u64, beta: u64, b: u64, of_b: u64, c: u64, of_c: u64,
        stream: u64
    ) {
        settings(handle)?;
        let mut task = Task::in_stream("cublasLtMatrixTransform", stream);
        matmul::transformed(&mut task, transform, [(alpha, a, of_a), (beta, b, of_b)], (c, of_c))
    }
}

macro_rules! answers {
    ($($name:ident($($argument:ident: $ty:ty),*) -> $answer:ty $body:block)*) => {
        $(
            #[expect(unsafe_code, reason = "the symbol that programs look for; nothing else has it")]
            #[unsafe(no_mangle)]
            extern "C" fn $name($($argument: $ty),*) -> $answer $body
        )*

        /// The symbols of this file that give no status.
        pub(super) fn answers() -> Vec<(&'static str, usize)> {
            vec![$((stringify!($name), $name as *const () as usize)),*]
        }
    };
}

answers! {
    cublasLtGetVersion() -> usize {
        super::handles::version() as usize
    }
    cublasLtGetCudartVersion() -> usize {
        12_090
    }
    cublasLtDisableCpuInstructionsSetMask(mask: u32) -> u32 {
        let _ = mask;
        0
    }
    cublasLtGetStatusName(status: u32) -> *const c_char {
        Status::of(status).map_or(c"CUBLAS_STATUS_UNKNOWN", Status::text).as_ptr()
    }
    cublasLtGetStatusString(status: u32) -> *const c_char {
        Status::of(status).map_or(c"unknown status", Status::meaning).as_ptr()
    }
}
