//! Launches as CUDA 3 had them, "Execution Control [DEPRECATED]": the parts of a launch are set one
//! by one for a kernel.
//!
//! A setting stays until it is set again, also when the kernel's module is gone: its handle is
//! never given again.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use warpsim_driver_core::{Answer, CudaError, DefaultStream, Handle, LaunchRequest};

use super::functions;
use crate::callbacks;
use crate::pointers::In;
use crate::process::with;

/// What was set for a kernel.
#[derive(Clone, Default)]
struct Set {
    block: [u32; 3],
    shared: u32,
    parameters: Vec<u8>,
}

static SET: Mutex<BTreeMap<Handle, Set>> = Mutex::new(BTreeMap::new());

fn all() -> MutexGuard<'static, BTreeMap<Handle, Set>> {
    SET.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Sets something for a kernel that there is.
fn set(function: Handle, change: impl FnOnce(&mut Set) -> Answer<()>) -> Answer<()> {
    with(|call| {
        call.context()?;
        call.function_name(function).map(|_| ())
    })?;
    change(all().entry(function).or_default())
}

/// The most bytes of parameters (CUDA programming guide, "Function Parameters").
const MOST: usize = 4096;

fn parameter(function: Handle, offset: i32, value: &[u8]) -> Answer<()> {
    let offset = usize::try_from(offset).map_err(|_| CudaError::InvalidValue)?;
    let end = offset.checked_add(value.len()).filter(|end| *end <= MOST);
    let end = end.ok_or(CudaError::InvalidValue)?;
    set(function, |known| {
        if known.parameters.len() < end {
            known.parameters.resize(end, 0);
        }
        match known.parameters.get_mut(offset..end) {
            Some(place) => place.copy_from_slice(value),
            None => return Err(CudaError::Unknown),
        }
        Ok(())
    })
}

fn launched(function: Handle, width: i32, height: i32, stream: Handle) -> Answer<()> {
    callbacks::settle();
    let size = |n: i32| u32::try_from(n).map_err(|_| CudaError::InvalidValue);
    let grid = [size(width)?, size(height)?, 1];
    let Set { block, shared, mut parameters } = all().get(&function).cloned().unwrap_or_default();
    with(|call| {
        let places = call.parameters(function)?;
        let bytes = places.iter().map(|place| place.offset + place.size).max().unwrap_or(0);
        parameters.resize(bytes, 0);
        let stream = call.stream(stream, DefaultStream::Legacy)?;
        let cooperative = false;
        call.launch(
            &LaunchRequest { function, grid, block, shared, cooperative, parameters },
            stream,
        )
    })
}

functions! {
    cuFuncSetBlockShape(function: Handle, x: i32, y: i32, z: i32) {
        let size = |n: i32| u32::try_from(n).ok().filter(|n| *n > 0).ok_or(CudaError::InvalidValue);
        let block = [size(x)?, size(y)?, size(z)?];
        set(function, |known| {
            known.block = block;
            Ok(())
        })
    }
    cuFuncSetSharedSize(function: Handle, bytes: u32) {
        set(function, |known| {
            known.shared = bytes;
            Ok(())
        })
    }
    cuParamSetSize(function: Handle, bytes: u32) {
        match bytes as usize {
            0..=MOST => set(function, |known| {
                known.parameters.resize(bytes as usize, 0);
                Ok(())
            }),
            _ => Err(CudaError::InvalidValue),
        }
    }
    cuParamSeti(function: Handle, offset: i32, value: u32) {
        parameter(function, offset, &value.to_le_bytes())
    }
    cuParamSetf(function: Handle, offset: i32, value: f32) {
        parameter(function, offset, &value.to_le_bytes())
    }
    cuParamSetv(function: Handle, offset: i32, from: In<u8>, bytes: u32) {
        let bytes = (0..bytes as usize).take(MOST + 1).map(|at| from.at(at));
        parameter(function, offset, &bytes.collect::<Answer<Vec<u8>>>()?)
    }
    cuLaunch(function: Handle) {
        launched(function, 1, 1, 0)
    }
    cuLaunchGrid(function: Handle, width: i32, height: i32) {
        launched(function, width, height, 0)
    }
    cuLaunchGridAsync(function: Handle, width: i32, height: i32, stream: Handle) {
        launched(function, width, height, stream)
    }
}
