//! What a program registers before `main`: fat binaries, the kernels and variables in them, and by which addresses of the
//! host they are meant (`crt/host_runtime.h`).

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use warpsim_driver_core::{Answer, Call, CudaError, Handle};

use super::runtime;
use crate::pointers::{Image, Text};
use crate::process::tell;

/// A fat binary.
struct Binary {
    /// Where its image is, in the program.
    image: usize,
    /// Where it is loaded.
    module: Option<Handle>,
}

/// What an address of the host means.
#[derive(Clone)]
struct Symbol {
    binary: u64,
    name: String,
}

struct Registry {
    binaries: BTreeMap<u64, Binary>,
    symbols: BTreeMap<u64, Symbol>,
    next: u64,
}

static REGISTRY: Mutex<Registry> =
    Mutex::new(Registry { binaries: BTreeMap::new(), symbols: BTreeMap::new(), next: 1 });

fn registry() -> MutexGuard<'static, Registry> {
    REGISTRY.lock().unwrap_or_else(PoisonError::into_inner)
}

/// `cudaErrorInvalidDeviceFunction` and `cudaErrorInvalidSymbol` have no names in the driver API; this is what both are
/// closest to there.
const UNKNOWN: CudaError = CudaError::NotFound;

/// The module of a symbol, loaded, and its name in there.
fn found(call: &mut Call<'_>, address: u64) -> Answer<(Handle, String)> {
    let mut registry = registry();
    let symbol = registry.symbols.get(&address).cloned().ok_or(UNKNOWN)?;
    let binary = registry.binaries.get_mut(&symbol.binary).ok_or(UNKNOWN)?;
    let module = match binary.module.filter(|module| call.module_kernels(*module).is_ok()) {
        Some(module) => module,
        None => {
            let loaded =
                call.load_module(&Image::kept(binary.image).bytes()?, None).map_err(|refused| {
                    tell(&format!("warpsim: {}", refused.log));
                    refused.error
                })?;
            binary.module = Some(loaded);
            loaded
        }
    };
    Ok((module, symbol.name))
}

/// The kernel that an address of the host means.
pub(super) fn kernel(call: &mut Call<'_>, address: u64) -> Answer<Handle> {
    let (module, name) = found(call, address)?;
    call.module_function(module, &name)
}

/// The variable that an address of the host means: where it is, and its bytes.
pub(super) fn variable(call: &mut Call<'_>, address: u64) -> Answer<(u64, u64)> {
    let (module, name) = found(call, address)?;
    call.module_variable(module, &name)
}

fn register(binary: u64, address: u64, name: Text) -> Answer<()> {
    let symbol = Symbol { binary, name: name.needed()? };
    registry().symbols.insert(address, symbol);
    Ok(())
}

runtime! {
    __cudaRegisterFatBinaryEnd |_default| (binary: u64) {
        let _ = binary;
        Ok(())
    }
    __cudaUnregisterFatBinary |_default| (binary: u64) {
        let mut registry = registry();
        registry.binaries.remove(&binary);
        registry.symbols.retain(|_, symbol| symbol.binary != binary);
        Ok(())
    }
    __cudaRegisterFunction |_default| (
        binary: u64, host: u64, device: Text, name: Text, limit: i32, thread: u64, block: u64, threads: u64,
        blocks: u64, warp: u64
    ) {
        let _ = (device, limit, thread, block, threads, blocks, warp);
        register(binary, host, name)
    }
    __cudaRegisterVar |_default| (
        binary: u64, host: u64, device: Text, name: Text, external: i32, bytes: usize, constant: i32, global: i32
    ) {
        let _ = (device, external, bytes, constant, global);
        register(binary, host, name)
    }
    __cudaRegisterManagedVar |_default| (
        binary: u64, host: u64, device: Text, name: Text, external: i32, bytes: usize, constant: i32, global: i32
    ) {
        let _ = (host, device, external, bytes, constant, global);
        let _ = (binary, name);
        crate::process::unsupported("managed variables (__managed__)")
    }
}

/// `__cudaRegisterFatBinary`: what it gives is what the others are called with.
#[expect(unsafe_code, reason = "the symbol that programs look for; nothing else has it")]
#[unsafe(no_mangle)]
pub(super) extern "C" fn __cudaRegisterFatBinary(image: Image) -> u64 {
    let mut registry = registry();
    // An address for those who look at it, and never that of anything.
    let handle = (1 << 46) | (registry.next << 4);
    registry.next += 1;
    registry.binaries.insert(handle, Binary { image: image.address(), module: None });
    handle
}
