//! Modules and libraries (CUDA driver API, "Module Management", "Library Management").
//!
//! A library is a module that belongs to no context. Kernels are lowered when they are first asked
//! for, so a large module costs only its used part. PTX that is not supported is refused then, and
//! reported with its line.

use std::collections::BTreeMap;

use warpsim::host::{Device, DeviceError, ModuleHandle, Pointer};
use warpsim::passes;
use warpsim::ptx;

use crate::code::image;
use crate::spaces::memory::{Allocation, AllocationKind, Owner};
use crate::state::{Call, Kind, refusal};
use crate::{Answer, CudaError, Handle, ImageError};

/// A module.
#[derive(Debug)]
pub(crate) struct Module {
    pub(crate) device: ModuleHandle,
    /// What messages call it.
    pub(crate) name: String,
    /// `None` for a library.
    pub(crate) context: Option<Handle>,
    kernels: Vec<String>,
    /// The architecture that its PTX is for (`.target`), as a number: 80.
    pub(crate) architecture: Option<u32>,
    /// Its variables in constant memory.
    pub(crate) constants: Vec<String>,
    functions: BTreeMap<String, Handle>,
}

/// Why an image was refused, and the compiler's log about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoadError {
    /// The error.
    pub error: CudaError,
    /// The log's text.
    pub log: String,
}

impl From<CudaError> for LoadError {
    fn from(error: CudaError) -> LoadError {
        LoadError { error, log: String::new() }
    }
}

impl From<ImageError> for LoadError {
    fn from(error: ImageError) -> LoadError {
        let number = match error {
            ImageError::Broken { .. } | ImageError::Empty | ImageError::TooLong => {
                CudaError::InvalidImage
            }
            ImageError::MachineCode | ImageError::Packed => CudaError::NoBinaryForGpu,
        };
        LoadError { error: number, log: error.to_string() }
    }
}

impl Call<'_> {
    /// `cuModuleLoadData`: an image without its wrapper. `name` is its name in messages, if it has
    /// one.
    ///
    /// # Errors
    /// The image's mistake, or no context is current.
    pub fn load_module(&mut self, image: &[u8], name: Option<&str>) -> Result<Handle, LoadError> {
        let context = self.context()?;
        self.load(image, name, Some(context))
    }

    /// `cuLibraryLoadData`.
    ///
    /// # Errors
    /// The image's mistake.
    pub fn load_library(&mut self, image: &[u8], name: Option<&str>) -> Result<Handle, LoadError> {
        self.load(image, name, None)
    }

    fn load(
        &mut self,
        image: &[u8],
        name: Option<&str>,
        context: Option<Handle>,
    ) -> Result<Handle, LoadError> {
        let handle = self.state.handle(Kind::Module);
        let name = match name {
            Some(name) => name.to_owned(),
            None => format!("module {}", self.state.modules.len() + 1),
        };
        let module = self.module(image, &name)?;
        let device = match self.state.device.load(&module) {
            Ok(device) => device,
            Err(error) => {
                let log = error.to_string();
                return Err(LoadError { error: refusal(self, &error), log });
            }
        };
        let kernels = warpsim::lower::kernels(&module).into_iter().map(str::to_owned).collect();
        let constants = constants(&module);
        let architecture = module.target.first().and_then(|target| architecture(&target.text));
        let functions = BTreeMap::new();
        let module = Module { device, name, context, kernels, architecture, constants, functions };
        self.state.modules.insert(handle, module);
        Ok(handle)
    }

    /// The module of an image, after the passes that were asked for.
    pub(crate) fn module(&self, image: &[u8], name: &str) -> Result<ptx::Module, LoadError> {
        let texts = image::texts_for(image, self.architecture()).inspect_err(|error| {
            self.host.tell(&format!("warpsim: {error}"));
        })?;
        let refused = |log| LoadError { error: CudaError::InvalidPtx, log };
        let mut module = parsed(name, &texts).map_err(refused)?;
        for pass in self.state.options.passes.iter().filter_map(|name| passes::by_name(name)) {
            module = pass(&module).map_err(|error| refused(error.to_string()))?.module;
        }
        Ok(module)
    }

    /// `cuModuleUnload`, `cuLibraryUnload`.
    ///
    /// # Errors
    /// There is no such module.
    pub fn unload_module(&mut self, handle: Handle) -> Answer<()> {
        self.known_module(handle)?;
        self.forget_module(handle)
    }

    /// The same whatever context is current.
    pub(crate) fn forget_module(&mut self, handle: Handle) -> Answer<()> {
        let module = self.state.modules.remove(&handle).ok_or(CudaError::InvalidHandle)?;
        self.state.functions.retain(|_, function| function.module != handle);
        self.forget_variables(handle);
        let unloaded = match self.state.device.unload(module.device) {
            Err(DeviceError::StillInUse { .. }) => {
                self.wait_for_all();
                self.state.device.unload(module.device)
            }
            other => other,
        };
        unloaded.map_err(|error| refusal(self, &error))
    }

    fn known_module(&self, handle: Handle) -> Answer<&Module> {
        self.state.modules.get(&handle).ok_or(CudaError::InvalidHandle)
    }

    /// `cuModuleGetFunction`, `cuLibraryGetKernel`: a kernel by its name in the PTX.
    ///
    /// # Errors
    /// There is no such module or kernel, or its PTX is not supported.
    pub fn module_function(&mut self, module: Handle, name: &str) -> Answer<Handle> {
        let loaded = self.known_module(module)?;
        if let Some(known) = loaded.functions.get(name) {
            return Ok(*known);
        }
        if !loaded.kernels.iter().any(|kernel| kernel == name) {
            return Err(CudaError::NotFound);
        }
        let device = loaded.device;
        let program = self.state.device.program(device, name);
        let program = program.map_err(|error| refusal(self, &error))?;
        let handle = self.add_function(module, name, program);
        if let Some(loaded) = self.state.modules.get_mut(&module) {
            loaded.functions.insert(name.to_owned(), handle);
        }
        Ok(handle)
    }

    /// `cuModuleEnumerateFunctions`, `cuLibraryEnumerateKernels`: the names of the kernels.
    ///
    /// # Errors
    /// There is no such module.
    pub fn module_kernels(&self, module: Handle) -> Answer<Vec<String>> {
        Ok(self.known_module(module)?.kernels.clone())
    }

    /// `cuModuleGetGlobal`: the address of a variable, and its bytes.
    ///
    /// # Errors
    /// There is no such module or variable.
    pub fn module_variable(&mut self, module: Handle, name: &str) -> Answer<(u64, u64)> {
        let loaded = self.known_module(module)?;
        let (device, context) = (loaded.device, loaded.context);
        let found = self.state.device.variable(device, name);
        let (address, bytes) = found.map_err(|error| refusal(self, &error))?;
        let owner = context.map_or(Owner::Device, Owner::Context);
        let kind = AllocationKind::Variable(module);
        let next = self.state.handle(Kind::Pool);
        self.state.allocations.entry(address.0).or_insert(Allocation {
            bytes,
            kind,
            owner,
            host: None,
            number: next,
        });
        Ok((address.0, bytes))
    }
}

/// The number of an architecture: 90 of `sm_90a`.
fn architecture(target: &str) -> Option<u32> {
    let number = target.strip_prefix("sm_")?;
    number.trim_end_matches(|c: char| c.is_ascii_lowercase()).parse().ok()
}

/// The names of all variables in constant memory that are defined.
fn constants(module: &ptx::Module) -> Vec<String> {
    let mut names = Vec::new();
    for item in &module.items {
        if let ptx::Item::Variable(variable) = item
            && variable.space == ptx::Space::Const
            && variable.linkage != Some(ptx::Linkage::Extern)
        {
            names.extend(variable.names().map(|name| name.to_string()));
        }
    }
    names
}

impl Call<'_> {
    /// A variable that the host has at the same address (`__managed__`), with its first contents.
    ///
    /// # Errors
    /// There is no such module or variable, or the host has something else there.
    pub fn managed_variable(&mut self, module: Handle, name: &str) -> Answer<u64> {
        self.shared_variable(module, name, None)
    }

    /// A variable that the host has at its own address; its first contents go there.
    ///
    /// # Errors
    /// There is no such module or variable.
    pub fn managed_variable_at(&mut self, module: Handle, name: &str, host: u64) -> Answer<u64> {
        self.shared_variable(module, name, Some(host))
    }

    fn shared_variable(&mut self, module: Handle, name: &str, host: Option<u64>) -> Answer<u64> {
        let (address, bytes) = self.module_variable(module, name)?;
        let size = usize::try_from(bytes).map_err(|_| CudaError::OutOfMemory)?;
        let known = self.state.allocations.get(&address).ok_or(CudaError::NotFound)?;
        if known.kind == AllocationKind::ManagedVariable(module) {
            return Ok(address);
        }
        if known.kind != AllocationKind::Variable(module) || size == 0 {
            return Err(CudaError::InvalidValue);
        }
        match host {
            Some(host) => {
                self.state.registered.insert(host, address);
                // Both sides have to be the same at first.
                self.host.write(host, size, &mut |bytes| bytes.fill(0));
            }
            None if !self.host.map(address, size) => return Err(CudaError::OutOfMemory),
            None => {}
        }
        let host = host.unwrap_or(address);
        if let Some(known) = self.state.allocations.get_mut(&address) {
            known.kind = AllocationKind::ManagedVariable(module);
            known.host = Some(host);
        }
        let reached = self.state.device.reach_by_host(Pointer(address));
        reached.map_err(|error| refusal(self, &error))?;
        self.state.share(address, host, bytes)?;
        self.share_out()?;
        Ok(address)
    }

    /// Forgets the variables of a module.
    fn forget_variables(&mut self, module: Handle) {
        let of_module = |a: &Allocation| {
            let kinds = [AllocationKind::Variable(module), AllocationKind::ManagedVariable(module)];
            kinds.contains(&a.kind)
        };
        let gone = self.state.allocations.extract_if(.., |_, a| of_module(a));
        for (base, allocation) in gone.collect::<Vec<_>>() {
            self.state.unshare(base);
            match allocation.host {
                // It was mapped with that many bytes.
                Some(host) if host == base => self.host.unmap(host, allocation.bytes as usize),
                Some(host) => _ = self.state.registered.remove(&host),
                None => {}
            }
        }
    }
}

/// One module of all texts.
fn parsed(name: &str, texts: &[Vec<u8>]) -> Result<ptx::Module, String> {
    match texts {
        [one] => {
            let module = ptx::parse_bytes(name, one).map_err(|error| error.to_string())?;
            // What CUDA's toolchain would have linked to it.
            match ptx::needs_toolchain(&module) {
                true => ptx::link(&[(name, one.as_slice())]).map_err(|error| error.to_string()),
                false => Ok(module),
            }
        }
        several => {
            let files: Vec<(&str, &[u8])> =
                several.iter().map(|text| (name, text.as_slice())).collect();
            ptx::link(&files).map_err(|error| error.to_string())
        }
    }
}
