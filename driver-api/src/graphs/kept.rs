//! Data that a function returns by pointer and the program reads later.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::ffi::c_void;
use std::sync::{Mutex, PoisonError};

use warpsim_driver_core::{Answer, CudaError, Handle, ParameterPlace};

use super::structures::EdgeData;
use crate::pointers::Parameters;

/// The last nodes of a stream, and the data of as many edges.
type Last = (Vec<Handle>, Vec<EdgeData>);

thread_local! {
    /// What the thread's last question about a capture gave; it stays until the next.
    static LAST: RefCell<Last> = const { RefCell::new((Vec::new(), Vec::new())) };
}

/// Keeps the last nodes of a stream: where they are, and where the data of as many edges is.
///
/// # Errors
/// The thread is at its end, and keeps nothing any more.
pub(super) fn last(nodes: Vec<Handle>) -> Answer<(*const Handle, *const EdgeData)> {
    let kept = LAST.try_with(|kept| {
        let mut kept = kept.borrow_mut();
        kept.1 = vec![[0; 8]; nodes.len()];
        kept.0 = nodes;
        (kept.0.as_ptr(), kept.1.as_ptr())
    });
    kept.map_err(|_| CudaError::NotPermitted)
}

/// The parameters of a kernel's node: all bytes, and where each of them is.
struct Kernel {
    bytes: Box<[u8]>,
    each: Box<[usize]>,
}

/// By node. What a node had before it was given others goes when it is asked for again.
static KERNELS: Mutex<BTreeMap<Handle, Kernel>> = Mutex::new(BTreeMap::new());

/// Keeps the parameters of a node.
pub(super) fn parameters(node: Handle, places: &[ParameterPlace], bytes: &[u8]) -> Parameters {
    let mut kernels = KERNELS.lock().unwrap_or_else(PoisonError::into_inner);
    let is_known = kernels.get(&node).is_some_and(|kernel| *kernel.bytes == *bytes);
    if !is_known {
        let bytes: Box<[u8]> = bytes.into();
        let start = bytes.as_ptr().cast::<c_void>().expose_provenance();
        let each = places.iter().map(|place| start + place.offset).collect();
        kernels.insert(node, Kernel { bytes, each });
    }
    kernels.get(&node).map_or(Parameters::NONE, |kernel| Parameters::of(&kernel.each))
}

/// By node: the graphs between which it decides.
static BODIES: Mutex<BTreeMap<Handle, Box<[Handle]>>> = Mutex::new(BTreeMap::new());

/// Keeps the graphs of a node, and says where they are.
pub(super) fn bodies(node: Handle, bodies: &[Handle]) -> *const Handle {
    let bodies: Box<[Handle]> = bodies.into();
    let place = bodies.as_ptr();
    BODIES.lock().unwrap_or_else(PoisonError::into_inner).insert(node, bodies);
    place
}

/// A node was destroyed.
pub(super) fn forget(node: Handle) {
    KERNELS.lock().unwrap_or_else(PoisonError::into_inner).remove(&node);
    BODIES.lock().unwrap_or_else(PoisonError::into_inner).remove(&node);
}
