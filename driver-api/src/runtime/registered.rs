//! The objects that a program registers before `main`: fat binaries, their kernels and variables,
//! and the host addresses that name them (`crt/host_runtime.h`).

use std::collections::BTreeMap;
use std::ffi::c_void;
use std::sync::{Mutex, MutexGuard, PoisonError};

use warpsim_driver_core::{Answer, Call, CudaError, Handle, LoadError, Reason};

use super::{DONE, RuntimeError, answers, runtime, with};
use crate::pointers::{Image, Text, kept_at, out_kept};
use crate::process::{self, tell};

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
    managed: Vec<Managed>,
    /// Memory of the host in which variables lie that the device has, too: first bytes and ends.
    sections: Vec<(u64, u64)>,
    next: u64,
}

/// A variable that the host has, too.
struct Managed {
    binary: u64,
    name: String,
    host: InHost,
    is_ready: bool,
}

/// Where the host has a variable of the device.
#[derive(Clone, Copy)]
enum InHost {
    /// A pointer here leads to it (NVIDIA's compiler).
    Behind(usize),
    /// It is here itself (clang, with our headers).
    At(u64),
}

static REGISTRY: Mutex<Registry> = Mutex::new(Registry {
    binaries: BTreeMap::new(),
    symbols: BTreeMap::new(),
    managed: Vec::new(),
    sections: Vec::new(),
    next: 1,
});

fn registry() -> MutexGuard<'static, Registry> {
    REGISTRY.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The module of a symbol, loaded, and its name in there; `None` for an address that was not
/// registered.
fn found(call: &mut Call<'_>, address: u64) -> Answer<Option<(Handle, String)>> {
    let mut registry = registry();
    let Some(symbol) = registry.symbols.get(&address).cloned() else { return Ok(None) };
    let module = loaded(call, &mut registry, symbol.binary)?;
    Ok(module.map(|module| (module, symbol.name)))
}

/// The module of a fat binary, loaded.
fn loaded(call: &mut Call<'_>, registry: &mut Registry, number: u64) -> Answer<Option<Handle>> {
    let Some(binary) = registry.binaries.get_mut(&number) else { return Ok(None) };
    let module = match binary.module.filter(|module| call.module_kernels(*module).is_ok()) {
        Some(module) => module,
        None => {
            let loaded = load(call, Image::kept(binary.image)).map_err(|refused| {
                tell(&format!("warpsim: {}", refused.log));
                refused.error
            })?;
            binary.module = Some(loaded);
            // Its managed variables are placed anew.
            let placed = registry.managed.iter_mut().filter(|managed| managed.binary == number);
            placed.for_each(|managed| managed.is_ready = false);
            loaded
        }
    };
    Ok(Some(module))
}

/// Loads an image. One that leads to parts is linked from these, for what it holds itself is
/// machine code.
fn load(call: &mut Call<'_>, image: Image) -> Result<Handle, LoadError> {
    let parts = image.parts()?;
    if parts.is_empty() {
        return call.load_module(&image.bytes()?, None);
    }
    let linker = call.create_linker()?;
    let added = parts.iter().try_for_each(|part| call.add_to_linker(linker, part, None));
    let linked = added.and_then(|()| call.complete_linker(linker));
    call.destroy_linker(linker)?;
    call.load_module(&linked?, None)
}

/// The kernel that an address of the host means. A handle of a kernel means itself
/// (`cudaKernel_t`).
///
/// # Errors
/// It means none, or its module cannot be loaded.
pub(crate) fn kernel(address: u64) -> Result<Handle, RuntimeError> {
    let found = with(|call| match found(call, address)? {
        Some((module, name)) => call.module_function(module, &name).map(Some),
        None => Ok(call.function_name(address).is_ok().then_some(address)),
    });
    match found {
        Ok(kernel) => kernel.ok_or(RuntimeError::INVALID_FUNCTION),
        Err(CudaError::NotFound) => Err(RuntimeError::INVALID_FUNCTION),
        Err(error) => Err(error.into()),
    }
}

/// The address of the host that means a kernel; where there is none, the kernel itself, which is
/// taken for one.
pub(crate) fn host_of(kernel: Handle) -> u64 {
    let addresses: Vec<u64> = registry().symbols.keys().copied().collect();
    let is_it = |address: &u64| self::kernel(*address) == Ok(kernel);
    addresses.into_iter().find(is_it).unwrap_or(kernel)
}

/// The variable that an address of the host means: where it is, and its bytes.
///
/// # Errors
/// It means none, or its module cannot be loaded.
pub(super) fn variable(address: u64) -> Result<(u64, u64), RuntimeError> {
    let found = with(|call| match found(call, address)? {
        Some((module, name)) => call.module_variable(module, &name).map(Some),
        None => Ok(None),
    });
    match found {
        Ok(variable) => variable.ok_or(RuntimeError::INVALID_SYMBOL),
        Err(CudaError::NotFound) => Err(RuntimeError::INVALID_SYMBOL),
        Err(error) => Err(error.into()),
    }
}

/// Explains a failed call if one of its addresses is the host's symbol of a device variable.
pub(super) fn because_of_a_symbol(address: u64) {
    let Some(name) = registry().symbols.get(&address).map(|symbol| symbol.name.clone()) else {
        return;
    };
    let name = warpsim_driver_core::readable(&name).into_owned();
    // Where there is no context the error says all.
    let _ = with(|call| {
        call.because(&Reason::Symbol { name });
        Ok(())
    });
}

/// Puts managed variables that are not in place yet where the program finds them. Reports errors.
pub(super) fn ready_managed() {
    let waiting: Vec<(u64, String, InHost)> = {
        let mut registry = registry();
        let waiting = registry.managed.iter_mut().filter(|managed| !managed.is_ready);
        waiting
            .map(|managed| {
                managed.is_ready = true;
                (managed.binary, managed.name.clone(), managed.host)
            })
            .collect()
    };
    for (binary, name, host) in waiting {
        let placed = process::with(|call| {
            let module = loaded(call, &mut registry(), binary)?.ok_or(CudaError::NotFound)?;
            match host {
                InHost::Behind(_) => call.managed_variable(module, &name),
                InHost::At(host) => call.managed_variable_at(module, &name, host),
            }
        });
        let put = placed.and_then(|address| match host {
            InHost::Behind(pointer) => {
                // A program names the variable by its address, because it has no other name for it.
                registry().symbols.insert(address, Symbol { binary, name: name.clone() });
                out_kept::<u64>(pointer).put(address)
            }
            InHost::At(_) => Ok(()),
        });
        if let Err(error) = put {
            tell(&format!(
                "warpsim: the managed variable {name}: {}",
                error.words().to_string_lossy()
            ));
        }
    }
}

fn register(binary: u64, address: u64, name: Text) -> Answer<()> {
    let symbol = Symbol { binary, name: name.needed()? };
    registry().symbols.insert(address, symbol);
    Ok(())
}

runtime! {
    __cudaRegisterFatBinaryEnd |_default| (binary: u64) {
        let is_at_host = |managed: &Managed| {
            managed.binary == binary && matches!(managed.host, InHost::At(_))
        };
        // The host may read them before it calls anything.
        let has_some = registry().managed.iter().any(is_at_host);
        // Where there is no device, the first call of the program says so.
        let _ = has_some.then(super::ready);
        DONE
    }
    __cudaRegisterHostSection |_default| (start: u64, end: u64) {
        if start < end {
            registry().sections.push((start, end));
        }
        DONE
    }
    __cudaUnregisterFatBinary |_default| (binary: u64) {
        let mut registry = registry();
        registry.binaries.remove(&binary);
        registry.symbols.retain(|_, symbol| symbol.binary != binary);
        registry.managed.retain(|managed| managed.binary != binary);
        DONE
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
        let is_in = |(start, end): &(u64, u64)| (*start..*end).contains(&host);
        if registry().sections.iter().any(is_in) {
            let (name, host) = (name.needed()?, InHost::At(host));
            registry().managed.push(Managed { binary, name, host, is_ready: false });
        }
        register(binary, host, name)
    }
    __cudaRegisterManagedVar |_default| (
        binary: u64, host: *mut c_void, device: Text, name: Text, external: i32, bytes: usize, constant: i32, global: i32
    ) {
        let _ = (device, external, bytes, constant, global);
        let (name, host) = (name.needed()?, InHost::Behind(kept_at(host)));
        let mut registry = registry();
        registry.managed.push(Managed { binary, name, host, is_ready: false });
        DONE
    }
}

answers! {
    // The other functions take the handle that this one returns.
    __cudaRegisterFatBinary(image: Image) -> u64 {
        let mut registry = registry();
        // Looks like an address to programs that inspect it, but nothing is ever there.
        let handle = (1 << 46) | (registry.next << 4);
        registry.next += 1;
        registry.binaries.insert(handle, Binary { image: image.address(), module: None });
        handle
    }
    __cudaInitModule(binary: u64) -> u8 {
        // Errors were reported already, and the program's first call returns them.
        let is_ready = super::ready().is_ok();
        u8::from(is_ready && registry().binaries.contains_key(&binary))
    }
}
