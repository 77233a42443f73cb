//! Devices and contexts (CUDA driver API, "Device Management", "Primary Context Management",
//! "Context Management").
//!
//! There is one device. All contexts share it. A context owns everything that is made while it is
//! current, and destroying it takes that away. After a fault a context answers with the same error
//! to everything until it is destroyed or reset.

use std::collections::BTreeMap;

use warpsim::host::{Device, DeviceProfile};

use crate::spaces::memory::Owner;
use crate::state::{Call, Kind, VERSION, refusal};
use crate::{Answer, CudaError, Handle, attributes};

/// The flags of a context that there are (`CUctx_flags`).
const FLAGS: u32 = 0x1ff;

/// A context.
#[derive(Debug, Default)]
pub(crate) struct Context {
    flags: u32,
    /// How often the primary context was retained.
    retained: u64,
    /// How often another one was attached.
    attached: u64,
    cache: u32,
    limits: BTreeMap<u32, u64>,
    /// The error of a launch that nothing has waited for.
    pub(crate) pending: Option<CudaError>,
    /// The error that everything answers with.
    pub(crate) fault: Option<CudaError>,
    number: u64,
}

/// The flags of the primary context, and whether it is active.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ContextFlags {
    /// As given to `cuDevicePrimaryCtxSetFlags` or `cuCtxCreate`.
    pub flags: u32,
    /// Whether it is retained.
    pub is_active: bool,
}

/// `CU_LIMIT_STACK_SIZE`.
const STACK: u32 = 0;

/// Limits from the second one on, and what they are at first: the buffer of `printf`, the heap, the
/// depth and number of launches by kernels, and two of the L2 cache. The first one, [`STACK`], is
/// the device profile's.
const LIMITS: [u64; 6] = [1 << 20, 8 << 20, 2, 2048, 64, 0];

impl Call<'_> {
    /// Refuses any device but the first.
    ///
    /// # Errors
    /// [`CudaError::InvalidDevice`].
    pub fn device(&self, ordinal: i32) -> Answer<()> {
        if ordinal == 0 { Ok(()) } else { Err(CudaError::InvalidDevice) }
    }

    /// `cuDeviceGetName`.
    pub fn device_name(&self) -> String {
        format!("warpsim {}", self.state.device.profile().name)
    }

    /// `cuDeviceTotalMem`, in bytes.
    pub fn device_memory(&self) -> u64 {
        self.state.device.profile().global_memory
    }

    /// `cuDeviceGetAttribute`.
    ///
    /// # Errors
    /// There is no such attribute.
    pub fn device_attribute(&self, attribute: u32) -> Answer<i32> {
        let value = attributes::attribute(attribute, self.state.device.profile());
        value.ok_or(CudaError::InvalidValue)
    }

    /// `cuCtxCreate`: the new context is current afterwards.
    ///
    /// # Errors
    /// Unknown flags.
    pub fn create_context(&mut self, flags: u32) -> Answer<Handle> {
        if flags & !FLAGS != 0 {
            return Err(CudaError::InvalidValue);
        }
        let handle = self.state.handle(Kind::Context);
        let context = Context { flags, number: handle, ..Context::default() };
        self.state.contexts.insert(handle, context);
        self.caller.stack.push(handle);
        Ok(handle)
    }

    /// `cuCtxDestroy`. If the context was current, none is afterwards.
    ///
    /// # Errors
    /// There is no such context, or it is the primary one.
    pub fn destroy_context(&mut self, handle: Handle) -> Answer<()> {
        if Some(handle) == self.state.primary || !self.state.contexts.contains_key(&handle) {
            return Err(CudaError::InvalidContext);
        }
        self.empty_context(handle);
        self.state.contexts.remove(&handle);
        self.state.gone.insert(handle);
        if self.caller.stack.last() == Some(&handle) {
            self.caller.stack.pop();
        }
        Ok(())
    }

    /// `cuCtxAttach`: gives the current context, which must be detached as often before it is
    /// destroyed.
    ///
    /// # Errors
    /// None is current.
    pub fn attach_context(&mut self) -> Answer<Handle> {
        let handle = self.context()?;
        if let Some(context) = self.state.contexts.get_mut(&handle) {
            context.attached += 1;
        }
        Ok(handle)
    }

    /// `cuCtxDetach`: destroys the context when it is no longer attached.
    ///
    /// # Errors
    /// The context is not current, or is the primary one.
    pub fn detach_context(&mut self, handle: Handle) -> Answer<()> {
        if self.current_context() != Some(handle) {
            return Err(CudaError::InvalidContext);
        }
        let context = self.state.contexts.get_mut(&handle).ok_or(CudaError::InvalidContext)?;
        match context.attached.checked_sub(1) {
            Some(rest) => {
                context.attached = rest;
                Ok(())
            }
            None => self.destroy_context(handle),
        }
    }

    /// `cuDevicePrimaryCtxRetain`.
    pub fn retain_primary(&mut self) -> Handle {
        let handle = match self.state.primary {
            Some(handle) => handle,
            None => self.state.handle(Kind::Context),
        };
        self.state.primary = Some(handle);
        let flags = self.state.primary_flags;
        let fresh = Context { flags, number: handle, ..Context::default() };
        self.state.contexts.entry(handle).or_insert(fresh).retained += 1;
        handle
    }

    /// `cuDevicePrimaryCtxRelease`.
    ///
    /// # Errors
    /// It is not retained.
    pub fn release_primary(&mut self) -> Answer<()> {
        let handle = self.state.primary.ok_or(CudaError::InvalidContext)?;
        let context = self.state.contexts.get_mut(&handle).ok_or(CudaError::InvalidContext)?;
        context.retained = context.retained.saturating_sub(1);
        if context.retained == 0 {
            self.empty_context(handle);
            self.state.contexts.remove(&handle);
        }
        Ok(())
    }

    /// `cuDevicePrimaryCtxReset`: all that it held is gone, and so is an error that stayed.
    pub fn reset_primary(&mut self) {
        let Some(handle) = self.state.primary else { return };
        self.empty_context(handle);
        if let Some(context) = self.state.contexts.get_mut(&handle) {
            (context.pending, context.fault) = (None, None);
        }
    }

    /// `cuDevicePrimaryCtxSetFlags`.
    ///
    /// # Errors
    /// Unknown flags.
    pub fn set_primary_flags(&mut self, flags: u32) -> Answer<()> {
        if flags & !FLAGS != 0 {
            return Err(CudaError::InvalidValue);
        }
        self.state.primary_flags = flags;
        let primary = self.state.primary;
        if let Some(context) = primary.and_then(|handle| self.state.contexts.get_mut(&handle)) {
            context.flags = flags;
        }
        Ok(())
    }

    /// `cuDevicePrimaryCtxGetState`.
    pub fn primary_state(&self) -> ContextFlags {
        let context = self.state.primary.and_then(|handle| self.state.contexts.get(&handle));
        ContextFlags { flags: self.state.primary_flags, is_active: context.is_some() }
    }

    /// `cuCtxGetCurrent`; `None` if no context is current.
    pub fn current_context(&self) -> Option<Handle> {
        self.caller.stack.last().copied()
    }

    /// `cuCtxSetCurrent`: replaces the current context, or only removes it if none is given.
    ///
    /// # Errors
    /// There is no such context.
    pub fn set_current_context(&mut self, handle: Option<Handle>) -> Answer<()> {
        if let Some(handle) = handle {
            self.known_context(handle)?;
        }
        self.caller.stack.pop();
        self.caller.stack.extend(handle);
        Ok(())
    }

    /// `cuCtxPushCurrent`.
    ///
    /// # Errors
    /// There is no such context.
    pub fn push_context(&mut self, handle: Handle) -> Answer<()> {
        self.known_context(handle)?;
        self.caller.stack.push(handle);
        Ok(())
    }

    /// `cuCtxPopCurrent`.
    ///
    /// # Errors
    /// None is current.
    pub fn pop_context(&mut self) -> Answer<Handle> {
        self.caller.stack.pop().ok_or(CudaError::InvalidContext)
    }

    fn known_context(&self, handle: Handle) -> Answer<&Context> {
        let gone = match self.state.gone.contains(&handle) || Some(handle) == self.state.primary {
            true => CudaError::ContextIsDestroyed,
            false => CudaError::InvalidContext,
        };
        self.state.contexts.get(&handle).ok_or(gone)
    }

    /// The current context, if no error stays in it.
    ///
    /// # Errors
    /// None is current, it was destroyed, or the error that stays.
    pub fn context(&self) -> Answer<Handle> {
        let handle = self.current_context().ok_or(CudaError::InvalidContext)?;
        match self.known_context(handle)?.fault {
            Some(fault) => Err(fault),
            None => Ok(handle),
        }
    }

    /// The context with this handle, or the current one for 0.
    pub(crate) fn context_or_current(&self, handle: Handle) -> Answer<Handle> {
        match handle {
            0 => self.context(),
            handle => self.known_context(handle).map(|_| handle),
        }
    }

    /// `cuCtxGetFlags`.
    ///
    /// # Errors
    /// None is current.
    pub fn context_flags(&self) -> Answer<u32> {
        let handle = self.context()?;
        Ok(self.known_context(handle)?.flags)
    }

    /// `cuCtxSetFlags`: sets the flags of the current context.
    ///
    /// # Errors
    /// None is current, or unknown flags.
    pub fn set_context_flags(&mut self, flags: u32) -> Answer<()> {
        let handle = self.context()?;
        if flags & !FLAGS != 0 {
            return Err(CudaError::InvalidValue);
        }
        if let Some(context) = self.state.contexts.get_mut(&handle) {
            context.flags = flags;
        }
        Ok(())
    }

    /// `cuCtxGetId` of a context, or of the current one for 0.
    ///
    /// # Errors
    /// There is no such context.
    pub fn context_number(&self, handle: Handle) -> Answer<u64> {
        let handle = self.context_or_current(handle)?;
        Ok(self.known_context(handle)?.number)
    }

    /// `cuCtxGetApiVersion` of a context, or of the current one for 0.
    ///
    /// # Errors
    /// There is no such context.
    pub fn api_version(&self, handle: Handle) -> Answer<u32> {
        self.context_or_current(handle)?;
        Ok(VERSION.unsigned_abs())
    }

    /// `cuCtxGetLimit`.
    ///
    /// # Errors
    /// There is no such limit.
    pub fn limit(&self, limit: u32) -> Answer<u64> {
        let handle = self.context()?;
        let context = self.known_context(handle)?;
        if let Some(set) = context.limits.get(&limit) {
            return Ok(*set);
        }
        match limit.checked_sub(1) {
            None => Ok(self.state.options.device_profile().stack.into()),
            Some(at) => LIMITS.get(at as usize).copied().ok_or(CudaError::UnsupportedLimit),
        }
    }

    /// Has the device give threads the stack that the current context's limit says. Launches before
    /// it run with theirs.
    pub(crate) fn set_stack(&mut self) -> Answer<()> {
        let stack = u32::try_from(self.limit(STACK)?).unwrap_or(u32::MAX);
        let stack = stack.min(DeviceProfile::MOST.stack);
        if self.state.device.profile().stack != stack {
            self.wait_for_all();
            self.state.device.set_stack(stack);
        }
        Ok(())
    }

    /// `cuCtxSetLimit`. The limit of the stack holds for later launches. The others are kept to be
    /// asked for: the simulator has its own limits.
    ///
    /// # Errors
    /// There is no such limit.
    pub fn set_limit(&mut self, limit: u32, value: u64) -> Answer<()> {
        self.limit(limit)?;
        let handle = self.context()?;
        if let Some(context) = self.state.contexts.get_mut(&handle) {
            context.limits.insert(limit, value);
        }
        Ok(())
    }

    /// `cuCtxGetCacheConfig`.
    ///
    /// # Errors
    /// None is current.
    pub fn cache_config(&self) -> Answer<u32> {
        let handle = self.context()?;
        Ok(self.known_context(handle)?.cache)
    }

    /// `cuCtxSetCacheConfig`.
    ///
    /// # Errors
    /// There is no such configuration, or no context.
    pub fn set_cache_config(&mut self, config: u32) -> Answer<()> {
        if config > 3 {
            return Err(CudaError::InvalidValue);
        }
        let handle = self.context()?;
        if let Some(context) = self.state.contexts.get_mut(&handle) {
            context.cache = config;
        }
        Ok(())
    }

    /// Takes away what a context owns. Everything is waited for first.
    fn empty_context(&mut self, handle: Handle) {
        self.wait_for_all();
        let allocations = self.state.allocations.iter();
        let owned = allocations.filter(|(_, a)| a.owner == Owner::Context(handle));
        for base in owned.map(|(base, _)| *base).collect::<Vec<_>>() {
            // It is there: it was found among those that are.
            let _ = self.remove_allocation(base);
        }
        let modules = self.state.modules.iter().filter(|(_, m)| m.context == Some(handle));
        for module in modules.map(|(module, _)| *module).collect::<Vec<_>>() {
            let _ = self.forget_module(module);
        }
        self.forget_arrays_in(handle);
        self.forget_captures_in(handle);
        self.state.streams.retain(|_, stream| stream.context != handle);
        self.state.events.retain(|_, event| event.context != handle);
    }

    /// The host waits for everything, whatever the result is.
    pub(crate) fn wait_for_all(&mut self) {
        match self.state.device.synchronise() {
            Ok(ended) => self.collect(ended),
            Err(error) => {
                let _ = refusal(self, &error);
            }
        }
    }

    /// `cuCtxSynchronize`.
    ///
    /// # Errors
    /// The error of a launch.
    pub fn synchronise_context(&mut self) -> Answer<()> {
        self.synchronise_this(0)
    }

    /// The same of a context, or of the current one for 0.
    ///
    /// # Errors
    /// There is no such context, or the error of a launch.
    pub fn synchronise_this(&mut self, context: Handle) -> Answer<()> {
        let context = self.context_or_current(context)?;
        if let Some(fault) = self.known_context(context)?.fault {
            return Err(fault);
        }
        self.refuse_all()?;
        self.look_at_host()?;
        self.wait_for_all();
        self.flush();
        self.waited(context)
    }

    /// The host has waited: an error that was pending stays from now on.
    ///
    /// # Errors
    /// That error.
    pub(crate) fn waited(&mut self, handle: Handle) -> Answer<()> {
        let Some(context) = self.state.contexts.get_mut(&handle) else {
            return Err(CudaError::InvalidContext);
        };
        context.fault = context.fault.or(context.pending.take());
        context.fault.map_or(Ok(()), Err)
    }
}
