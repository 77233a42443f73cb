//! cuSPARSE (cuSPARSE API Reference, NVIDIA, version 12), for programs that find this library in
//! place of `libcusparse.so.12`. [`warpsim_sparse`] computes the numbers.
//!
//! | module | what it holds |
//! |---|---|
//! | `objects` | handles and descriptors |
//! | `products` | SpMV, SpMM and conversions of rows, as operations of a stream |
//! | `absent` | the functions that answer not supported, by name |
//!
//! Each call that computes is one operation of the handle's stream. It reads and writes device
//! memory in the stream's order, so `--check` sees its races. A stream that is captured gets a
//! node.
//!
//! Deviations: algorithms change nothing, and no buffer is used. All values of a product have one
//! type: `f32`, `f64` or complex numbers of these. An index outside its matrix is an illegal
//! address.

mod absent;
mod objects;
mod products;

use std::ffi::{c_char, c_void};

use warpsim_driver_core::{CudaError, DefaultStream, Handle};

use self::objects::{
    Dense, Format, Object, Settings, Sparse, Value, create, dense, described, destroy, index_bytes,
    replace, settings, sparse, vector,
};
use self::products::{Product, convert, operation};
use crate::functions::function;
use crate::pointers::{Out, bytes_at};
use crate::process::{library, named_once, with};

library! {
    /// `cusparseStatus_t`.
    "CUSPARSE_STATUS" {
        Success = 0,
        NotInitialized = 1,
        AllocationFailed = 2,
        InvalidValue = 3,
        ExecutionFailed = 6,
        InternalError = 7,
        NotSupported = 10,
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

fn refused(name: &str) -> Answer<()> {
    named_once(name);
    Err(Status::NotSupported)
}

fn size(number: i64) -> Answer<usize> {
    usize::try_from(number).map_err(|_| Status::InvalidValue)
}

fn among(number: u32, count: u32) -> Answer<u32> {
    if number < count { Ok(number) } else { Err(Status::InvalidValue) }
}

fn created(to: Out<u64>, object: Object) -> Answer<()> {
    if to.is_null() {
        return Err(Status::InvalidValue);
    }
    put(to, create(object))
}

/// What the functions that create sparse matrices are given.
#[derive(Clone, Copy)]
struct Given {
    format: Format,
    extents: [i64; 2],
    entries: i64,
    first: (u64, u32),
    second: (u64, u32),
    values: u64,
    base: u32,
    kind: u32,
}

impl Given {
    fn create(self, to: Out<u64>) -> Answer<()> {
        let [rows, columns] = self.extents;
        let matrix = Sparse {
            format: self.format,
            extents: [size(rows)?, size(columns)?],
            entries: size(self.entries)?,
            first: (self.first.0, index_bytes(self.first.1)?),
            second: (self.second.0, index_bytes(self.second.1)?),
            values: self.values,
            base: among(self.base, 2)?,
            kind: Value::of_number(self.kind),
            attributes: [0, 0],
        };
        created(to, Object::Sparse(matrix))
    }
}

fn create_vector(to: Out<u64>, count: i64, values: u64, kind: u32) -> Answer<()> {
    let rows = size(count)?;
    let kind = Value::of_number(kind);
    let (leading, batch) = (rows, (1, 0));
    let extents = [rows, 1];
    created(
        to,
        Object::Vector(Dense { extents, leading, values, kind, is_by_columns: true, batch }),
    )
}

fn create_dense(
    to: Out<u64>,
    [rows, columns, leading]: [i64; 3],
    values: u64,
    kind: u32,
    order: u32,
) -> Answer<()> {
    let (extents, leading) = ([size(rows)?, size(columns)?], size(leading)?);
    let is_by_columns = match order {
        1 => true,
        2 => false,
        _ => return Err(Status::InvalidValue),
    };
    if leading < extents[usize::from(!is_by_columns)] {
        return Err(Status::InvalidValue);
    }
    let kind = Value::of_number(kind);
    created(
        to,
        Object::Dense(Dense { extents, leading, values, kind, is_by_columns, batch: (1, 0) }),
    )
}

/// Bytes of a buffer that nothing works in: some, for programs that take none for an error.
const BUFFER: usize = 256;

/// The parts of the version that we report, which is the header's.
const VERSION: [i32; 3] = [12, 5, 10];

macro_rules! functions {
    ($($name:ident $arguments:tt $body:block)*) => {
        $(function!(crate::sparse::entered, $name, _default = (), $arguments, $body);)*

        /// The symbols of this file.
        fn own() -> Vec<(&'static str, usize)> {
            vec![$((stringify!($name), $name as *const () as usize)),*]
        }
    };
}

/// The two names of a function whose second one takes addresses of constants.
macro_rules! both {
    ($($name:ident, $constant:ident $arguments:tt $body:block)*) => {
        $(function!(crate::sparse::entered, $name, _default = (), $arguments, $body);
          function!(crate::sparse::entered, $constant, _default = (), $arguments, $body);)*

        /// The symbols with two names.
        fn with_constants() -> Vec<(&'static str, usize)> {
            vec![$((stringify!($name), $name as *const () as usize),
                (stringify!($constant), $constant as *const () as usize)),*]
        }
    };
}

/// All symbols with their addresses.
pub(crate) fn table() -> impl Iterator<Item = (&'static str, usize)> {
    [own(), with_constants(), words(), absent::table()].into_iter().flatten()
}

macro_rules! words {
    ($($name:ident($argument:ident: $ty:ty) -> $answer:ty $body:block)*) => {
        $(
            #[expect(unsafe_code, reason = "the symbol that programs look for; nothing else has it")]
            #[unsafe(no_mangle)]
            pub(super) extern "C" fn $name($argument: $ty) -> $answer $body
        )*

        /// The symbols that give no status.
        fn words() -> Vec<(&'static str, usize)> {
            vec![$((stringify!($name), $name as *const () as usize)),*]
        }
    };
}

words! {
    cusparseGetErrorName(status: u32) -> *const c_char {
        match status {
            0 => c"CUSPARSE_STATUS_SUCCESS",
            1 => c"CUSPARSE_STATUS_NOT_INITIALIZED",
            2 => c"CUSPARSE_STATUS_ALLOC_FAILED",
            3 => c"CUSPARSE_STATUS_INVALID_VALUE",
            4 => c"CUSPARSE_STATUS_ARCH_MISMATCH",
            5 => c"CUSPARSE_STATUS_MAPPING_ERROR",
            6 => c"CUSPARSE_STATUS_EXECUTION_FAILED",
            7 => c"CUSPARSE_STATUS_INTERNAL_ERROR",
            8 => c"CUSPARSE_STATUS_MATRIX_TYPE_NOT_SUPPORTED",
            9 => c"CUSPARSE_STATUS_ZERO_PIVOT",
            10 => c"CUSPARSE_STATUS_NOT_SUPPORTED",
            11 => c"CUSPARSE_STATUS_INSUFFICIENT_RESOURCES",
            _ => c"unrecognized error code",
        }
        .as_ptr()
    }
    cusparseGetErrorString(status: u32) -> *const c_char {
        match status {
            0 => c"success",
            1 => c"initialization error",
            2 => c"out of memory",
            3 => c"invalid value",
            4 => c"architecture mismatch",
            5 => c"mapping error",
            6 => c"kernel launch failure",
            7 => c"internal error",
            8 => c"matrix type not supported",
            9 => c"zero pivot",
            10 => c"operation not supported",
            11 => c"insufficient resources",
            _ => c"unrecognized error code",
        }
        .as_ptr()
    }
    cusparseGetMatType(description: u64) -> u32 { described(description, 0) }
    cusparseGetMatFillMode(description: u64) -> u32 { described(description, 1) }
    cusparseGetMatDiagType(description: u64) -> u32 { described(description, 2) }
    cusparseGetMatIndexBase(description: u64) -> u32 { described(description, 3) }
}

fn describe(description: u64, part: usize, value: Answer<u32>) -> Answer<()> {
    let mut parts = [0, 1, 2, 3].map(|part| described(description, part));
    parts[part] = value?;
    replace(description, Object::Description(parts))
}

both! {
    cusparseCreateCsr, cusparseCreateConstCsr(
        to: Out<u64>, rows: i64, cols: i64, nnz: i64, offsets: u64, indices: u64, values: u64,
        offset_type: u32, index_type: u32, base: u32, kind: u32
    ) {
        let (first, second) = ((offsets, offset_type), (indices, index_type));
        let (format, extents, entries) = (Format::Csr, [rows, cols], nnz);
        Given { format, extents, entries, first, second, values, base, kind }.create(to)
    }
    cusparseCreateCsc, cusparseCreateConstCsc(
        to: Out<u64>, rows: i64, cols: i64, nnz: i64, offsets: u64, indices: u64, values: u64,
        offset_type: u32, index_type: u32, base: u32, kind: u32
    ) {
        let (first, second) = ((offsets, offset_type), (indices, index_type));
        let (format, extents, entries) = (Format::Csc, [rows, cols], nnz);
        Given { format, extents, entries, first, second, values, base, kind }.create(to)
    }
    cusparseCreateCoo, cusparseCreateConstCoo(
        to: Out<u64>, rows: i64, cols: i64, nnz: i64, of_rows: u64, of_columns: u64, values: u64,
        index_type: u32, base: u32, kind: u32
    ) {
        let (first, second) = ((of_rows, index_type), (of_columns, index_type));
        let (format, extents, entries) = (Format::Coo, [rows, cols], nnz);
        Given { format, extents, entries, first, second, values, base, kind }.create(to)
    }
    cusparseCreateDnVec, cusparseCreateConstDnVec(
        to: Out<u64>, count: i64, values: u64, kind: u32
    ) {
        create_vector(to, count, values, kind)
    }
    cusparseCreateDnMat, cusparseCreateConstDnMat(
        to: Out<u64>, rows: i64, cols: i64, leading: i64, values: u64, kind: u32, order: u32
    ) {
        create_dense(to, [rows, cols, leading], values, kind, order)
    }
    cusparseDnVecGetValues, cusparseConstDnVecGetValues(of: u64, values: Out<u64>) {
        put(values, vector(of)?.values)
    }
    cusparseDnMatGetValues, cusparseConstDnMatGetValues(of: u64, values: Out<u64>) {
        put(values, dense(of)?.values)
    }
    cusparseSpMatGetValues, cusparseConstSpMatGetValues(of: u64, values: Out<u64>) {
        put(values, sparse(of)?.values)
    }
}

functions! {
    cusparseCreate(handle: Out<u64>) {
        crate::runtime::ready().map_err(|_| Status::NotInitialized)?;
        created(handle, Object::Handle(Settings::default()))
    }
    cusparseDestroy(handle: u64) {
        settings(handle)?;
        destroy(handle)
    }
    cusparseGetVersion(handle: u64, version: Out<i32>) {
        settings(handle)?;
        put(version, VERSION[0] * 1000 + VERSION[1] * 100 + VERSION[2])
    }
    cusparseGetProperty(property: u32, value: Out<i32>) {
        put(value, *VERSION.get(property as usize).ok_or(Status::InvalidValue)?)
    }
    cusparseSetStream(handle: u64, stream: Handle) {
        let settings = settings(handle)?;
        with(|call| call.stream(stream, DefaultStream::Legacy)).map_err(|_| Status::InvalidValue)?;
        replace(handle, Object::Handle(Settings { stream, ..settings }))
    }
    cusparseGetStream(handle: u64, stream: Out<Handle>) {
        put(stream, settings(handle)?.stream)
    }
    cusparseSetPointerMode(handle: u64, mode: u32) {
        let settings = settings(handle)?;
        replace(handle, Object::Handle(Settings { pointer_mode: among(mode, 2)?, ..settings }))
    }
    cusparseGetPointerMode(handle: u64, mode: Out<u32>) {
        put(mode, settings(handle)?.pointer_mode)
    }
    cusparseCreateMatDescr(description: Out<u64>) {
        created(description, Object::Description([0; 4]))
    }
    cusparseDestroyMatDescr(description: u64) {
        destroy(description)
    }
    cusparseSetMatType(description: u64, kind: u32) {
        describe(description, 0, among(kind, 4))
    }
    cusparseSetMatFillMode(description: u64, mode: u32) {
        describe(description, 1, among(mode, 2))
    }
    cusparseSetMatDiagType(description: u64, kind: u32) {
        describe(description, 2, among(kind, 2))
    }
    cusparseSetMatIndexBase(description: u64, base: u32) {
        describe(description, 3, among(base, 2))
    }
    cusparseDestroySpMat(matrix: u64) {
        sparse(matrix)?;
        destroy(matrix)
    }
    cusparseDestroyDnVec(vector: u64) {
        self::vector(vector)?;
        destroy(vector)
    }
    cusparseDestroyDnMat(matrix: u64) {
        dense(matrix)?;
        destroy(matrix)
    }
    cusparseSpMatGetSize(matrix: u64, rows: Out<i64>, cols: Out<i64>, nnz: Out<i64>) {
        let Sparse { extents, entries, .. } = sparse(matrix)?;
        put(rows, extents[0] as i64)?;
        put(cols, extents[1] as i64)?;
        put(nnz, entries as i64)
    }
    cusparseSpMatGetFormat(matrix: u64, format: Out<u32>) {
        put(format, sparse(matrix)?.format as u32)
    }
    cusparseSpMatGetIndexBase(matrix: u64, base: Out<u32>) {
        put(base, sparse(matrix)?.base)
    }
    cusparseSpMatSetValues(matrix: u64, values: u64) {
        let known = sparse(matrix)?;
        replace(matrix, Object::Sparse(Sparse { values, ..known }))
    }
    cusparseSpMatSetAttribute(matrix: u64, attribute: u32, data: *const c_void, bytes: usize) {
        let mut known = sparse(matrix)?;
        let attribute = among(attribute, 2)? as usize;
        if bytes != 4 {
            return Err(Status::InvalidValue);
        }
        let data = bytes_at(data, bytes).map_err(|_| Status::InvalidValue)?;
        known.attributes[attribute] = u32::from(*data.first().ok_or(Status::InvalidValue)?);
        replace(matrix, Object::Sparse(known))
    }
    cusparseSpMatGetAttribute(matrix: u64, attribute: u32, data: Out<u32>, bytes: usize) {
        let known = sparse(matrix)?;
        match bytes {
            4 => put(data, known.attributes[among(attribute, 2)? as usize]),
            _ => Err(Status::InvalidValue),
        }
    }
    cusparseCsrSetPointers(matrix: u64, offsets: u64, indices: u64, values: u64) {
        let mut known = sparse(matrix)?;
        (known.first.0, known.second.0, known.values) = (offsets, indices, values);
        replace(matrix, Object::Sparse(known))
    }
    cusparseCscSetPointers(matrix: u64, offsets: u64, indices: u64, values: u64) {
        let mut known = sparse(matrix)?;
        (known.first.0, known.second.0, known.values) = (offsets, indices, values);
        replace(matrix, Object::Sparse(known))
    }
    cusparseCooSetPointers(matrix: u64, of_rows: u64, of_columns: u64, values: u64) {
        let mut known = sparse(matrix)?;
        (known.first.0, known.second.0, known.values) = (of_rows, of_columns, values);
        replace(matrix, Object::Sparse(known))
    }
    cusparseDnVecSetValues(vector: u64, values: u64) {
        let known = self::vector(vector)?;
        replace(vector, Object::Vector(Dense { values, ..known }))
    }
    cusparseDnMatSetValues(matrix: u64, values: u64) {
        let known = dense(matrix)?;
        replace(matrix, Object::Dense(Dense { values, ..known }))
    }
    cusparseDnMatSetStridedBatch(matrix: u64, count: i32, stride: i64) {
        let known = dense(matrix)?;
        if count < 1 {
            return Err(Status::InvalidValue);
        }
        replace(matrix, Object::Dense(Dense { batch: (count, stride), ..known }))
    }
    cusparseSpMV_bufferSize(
        handle: u64, op: u32, alpha: u64, matrix: u64, x: u64, beta: u64, y: u64, computes: u32,
        algorithm: u32, bytes: Out<usize>
    ) {
        let _ = (alpha, beta, computes, algorithm);
        settings(handle)?;
        operation(op)?;
        sparse(matrix)?;
        vector(x)?;
        vector(y)?;
        put(bytes, BUFFER)
    }
    cusparseSpMV_preprocess(
        handle: u64, op: u32, alpha: u64, matrix: u64, x: u64, beta: u64, y: u64, computes: u32,
        algorithm: u32, buffer: u64
    ) {
        let _ = (alpha, beta, computes, algorithm, buffer);
        settings(handle)?;
        operation(op)?;
        sparse(matrix)?;
        vector(x)?;
        vector(y)?;
        Ok(())
    }
    cusparseSpMV(
        handle: u64, op: u32, alpha: u64, matrix: u64, x: u64, beta: u64, y: u64, computes: u32,
        algorithm: u32, buffer: u64
    ) {
        let _ = (algorithm, buffer);
        let product = Product {
            name: "cusparseSpMV",
            settings: settings(handle)?,
            operations: [operation(op)?, operation(0)?],
            matrix: sparse(matrix)?,
            from: vector(x)?,
            to: vector(y)?,
            factors: [alpha, beta],
            computes: Value::of_number(computes),
        };
        product.issue()
    }
    cusparseSpMM_bufferSize(
        handle: u64, op_a: u32, op_b: u32, alpha: u64, a: u64, b: u64, beta: u64, c: u64,
        computes: u32, algorithm: u32, bytes: Out<usize>
    ) {
        let _ = (alpha, beta, computes, algorithm);
        settings(handle)?;
        operation(op_a)?;
        operation(op_b)?;
        sparse(a)?;
        dense(b)?;
        dense(c)?;
        put(bytes, BUFFER)
    }
    cusparseSpMM_preprocess(
        handle: u64, op_a: u32, op_b: u32, alpha: u64, a: u64, b: u64, beta: u64, c: u64,
        computes: u32, algorithm: u32, buffer: u64
    ) {
        let _ = (alpha, beta, computes, algorithm, buffer);
        settings(handle)?;
        operation(op_a)?;
        operation(op_b)?;
        sparse(a)?;
        dense(b)?;
        dense(c)?;
        Ok(())
    }
    cusparseSpMM(
        handle: u64, op_a: u32, op_b: u32, alpha: u64, a: u64, b: u64, beta: u64, c: u64,
        computes: u32, algorithm: u32, buffer: u64
    ) {
        let _ = (algorithm, buffer);
        let product = Product {
            name: "cusparseSpMM",
            settings: settings(handle)?,
            operations: [operation(op_a)?, operation(op_b)?],
            matrix: sparse(a)?,
            from: dense(b)?,
            to: dense(c)?,
            factors: [alpha, beta],
            computes: Value::of_number(computes),
        };
        product.issue()
    }
    cusparseXcoo2csr(handle: u64, of_rows: u64, nnz: i32, rows: i32, offsets: u64, base: u32) {
        let sizes = (size(nnz.into())?, size(rows.into())?);
        let (settings, base) = (settings(handle)?, among(base, 2)?);
        convert(("cusparseXcoo2csr", settings), (of_rows, offsets), sizes, base, true)
    }
    cusparseXcsr2coo(handle: u64, offsets: u64, nnz: i32, rows: i32, of_rows: u64, base: u32) {
        let sizes = (size(nnz.into())?, size(rows.into())?);
        let (settings, base) = (settings(handle)?, among(base, 2)?);
        convert(("cusparseXcsr2coo", settings), (offsets, of_rows), sizes, base, false)
    }
}
