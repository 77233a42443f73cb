//! Handles and descriptors of a program's matrices and vectors ("cuSPARSE Types Reference"). A
//! descriptor holds addresses; nothing is read before an operation is carried out.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use warpsim_driver_core::Handle;

use super::{Answer, Status};

/// The type of values (`cudaDataType`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Value {
    Float,
    Double,
    ComplexFloat,
    ComplexDouble,
    /// One that nothing is computed with here.
    Other(u32),
}

impl Value {
    pub(super) fn of_number(number: u32) -> Value {
        match number {
            0 => Value::Float,
            1 => Value::Double,
            4 => Value::ComplexFloat,
            5 => Value::ComplexDouble,
            other => Value::Other(other),
        }
    }
}

/// Bytes of an index (`cusparseIndexType_t`).
pub(super) fn index_bytes(number: u32) -> Answer<usize> {
    match number {
        1 => Ok(2),
        2 => Ok(4),
        3 => Ok(8),
        _ => Err(Status::InvalidValue),
    }
}

/// How a sparse matrix lies in memory (`cusparseFormat_t`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Format {
    Csr = 1,
    Csc = 2,
    Coo = 3,
}

/// A sparse matrix of the program's.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sparse {
    pub(super) format: Format,
    pub(super) extents: [usize; 2],
    pub(super) entries: usize,
    /// Offsets of rows (CSR) or columns (CSC), or the rows (COO): the address, bytes of each.
    pub(super) first: (u64, usize),
    /// Columns (CSR, COO) or rows (CSC).
    pub(super) second: (u64, usize),
    pub(super) values: u64,
    /// What the first index is.
    pub(super) base: u32,
    pub(super) kind: Value,
    /// `cusparseFillMode_t` and `cusparseDiagType_t`, which are kept to be asked for.
    pub(super) attributes: [u32; 2],
}

/// A dense matrix; a vector is one with one column.
#[derive(Clone, Copy, Debug)]
pub(super) struct Dense {
    pub(super) extents: [usize; 2],
    pub(super) leading: usize,
    pub(super) values: u64,
    pub(super) kind: Value,
    /// Elements of a column lie together.
    pub(super) is_by_columns: bool,
    /// How many matrices there are, and the distance from one to the next.
    pub(super) batch: (i32, i64),
}

/// What a handle remembers.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Settings {
    pub(super) stream: Handle,
    pub(super) pointer_mode: u32,
}

/// The object that one of our addresses refers to.
#[derive(Clone, Copy, Debug)]
pub(super) enum Object {
    Handle(Settings),
    Sparse(Sparse),
    Vector(Dense),
    Dense(Dense),
    /// `cusparseMatDescr_t`: type, triangle, diagonal, base.
    Description([u32; 4]),
}

struct Objects {
    all: BTreeMap<u64, Object>,
    made: u64,
}

static OBJECTS: Mutex<Objects> = Mutex::new(Objects { all: BTreeMap::new(), made: 0 });

fn objects() -> MutexGuard<'static, Objects> {
    OBJECTS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// They look like addresses and are none.
const FIRST: u64 = (1 << 46) | (0xb5 << 36);

/// A new object.
pub(super) fn create(object: Object) -> u64 {
    let mut objects = objects();
    objects.made += 1;
    let address = FIRST + (objects.made << 4);
    objects.all.insert(address, object);
    address
}

/// Forgets an object.
pub(super) fn destroy(address: u64) -> Answer<()> {
    objects().all.remove(&address).map(|_| ()).ok_or(Status::InvalidValue)
}

fn known(address: u64) -> Option<Object> {
    objects().all.get(&address).copied()
}

/// What a handle remembers.
pub(super) fn settings(handle: u64) -> Answer<Settings> {
    match known(handle) {
        Some(Object::Handle(settings)) => Ok(settings),
        Some(Object::Sparse(_) | Object::Vector(_) | Object::Dense(_) | Object::Description(_))
        | None => Err(Status::NotInitialized),
    }
}

/// A sparse matrix.
pub(super) fn sparse(address: u64) -> Answer<Sparse> {
    match known(address) {
        Some(Object::Sparse(matrix)) => Ok(matrix),
        Some(Object::Handle(_) | Object::Vector(_) | Object::Dense(_) | Object::Description(_))
        | None => Err(Status::InvalidValue),
    }
}

/// A dense vector.
pub(super) fn vector(address: u64) -> Answer<Dense> {
    match known(address) {
        Some(Object::Vector(vector)) => Ok(vector),
        Some(Object::Handle(_) | Object::Sparse(_) | Object::Dense(_) | Object::Description(_))
        | None => Err(Status::InvalidValue),
    }
}

/// A dense matrix.
pub(super) fn dense(address: u64) -> Answer<Dense> {
    match known(address) {
        Some(Object::Dense(matrix)) => Ok(matrix),
        Some(
            Object::Handle(_) | Object::Sparse(_) | Object::Vector(_) | Object::Description(_),
        )
        | None => Err(Status::InvalidValue),
    }
}

/// A part of a description.
pub(super) fn described(address: u64, part: usize) -> u32 {
    match known(address) {
        Some(Object::Description(parts)) => parts.get(part).copied().unwrap_or(0),
        Some(Object::Handle(_) | Object::Sparse(_) | Object::Vector(_) | Object::Dense(_))
        | None => 0,
    }
}

/// Puts another object in the place of one of the same kind.
pub(super) fn replace(address: u64, object: Object) -> Answer<()> {
    match objects().all.get_mut(&address) {
        Some(known) if std::mem::discriminant(known) == std::mem::discriminant(&object) => {
            *known = object;
            Ok(())
        }
        Some(_) | None => Err(Status::InvalidValue),
    }
}
