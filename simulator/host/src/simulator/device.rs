//! The simulator as a [`Device`](crate::Device) without an observer, and the code that it shares
//! with the watched one.

use std::collections::HashMap;
use std::sync::Arc;

use super::{Loaded, Simulator};
use crate::lower;
use crate::machine::{ImageObject, Pages};
use crate::names;
use crate::ptx::{Module, Space};
use crate::streams::Watched;
use crate::{
    Device, DeviceError, ImageHandle, ModuleHandle, Pointer, Relay, Sampler, Texels,
    memory::constant_address,
};

impl Relay for Simulator {
    fn title(&self) -> String {
        format!("warpsim {} ({})", env!("CARGO_PKG_VERSION"), self.profile.name)
    }

    fn place(&self, module: ModuleHandle, name: &str) -> Result<(Pointer, u64), DeviceError> {
        let loaded = self.loaded(module)?;
        let variables = &loaded.layout.variables;
        let called = names::called(name, variables.iter().map(|v| &*v.name));
        let variable = match called.as_slice() {
            [only] => variables.iter().find(|v| *v.name == **only),
            _ => None,
        };
        let Some(variable) = variable else {
            let available = variables.iter().map(|v| v.name.to_string()).collect();
            return Err(DeviceError::UnknownVariable { name: name.to_owned(), available });
        };
        let address = match loaded.placement.globals.get(&variable.name) {
            Some(address) => *address,
            None => constant_address(module.0, variable.offset),
        };
        Ok((Pointer(address), variable.size))
    }

    fn hand_on<R>(
        &mut self,
        ask: impl FnOnce(&mut dyn Device) -> Result<R, DeviceError>,
    ) -> Result<R, DeviceError> {
        ask(&mut Watched::by(self, None))
    }
}

impl Simulator {
    /// [`Device::allocate`].
    pub(crate) fn new_memory(&mut self, bytes: u64) -> Result<Pointer, DeviceError> {
        let available = self.profile.global_memory.saturating_sub(self.global.live_bytes());
        if bytes > available {
            return Err(DeviceError::OutOfMemory { requested: bytes, available });
        }
        let base = self.global.allocate(bytes, None);
        self.unwritten.allocated(base, bytes, self.launches);
        Ok(Pointer(base))
    }

    /// [`Device::define`].
    pub(crate) fn say_defined(&mut self, start: Pointer, bytes: u64) -> Result<(), DeviceError> {
        if bytes > 0 {
            self.find(start, bytes)?;
        }
        self.unwritten.written(start.0, bytes);
        Ok(())
    }

    /// [`Device::load`].
    pub(crate) fn load_module(&mut self, module: &Module) -> Result<ModuleHandle, DeviceError> {
        let layout = lower::place(module).map_err(DeviceError::Program)?;
        let mut placement = layout.placement(|variable| {
            let pointer = self.new_memory(variable.size)?;
            self.global.rename(pointer.0, &variable.name);
            // Variables are zero unless they are initialised (PTX ISA 5.4.4).
            self.unwritten.written(pointer.0, variable.size);
            Ok::<u64, DeviceError>(pointer.0)
        })?;
        placement.reserved_shared = self.profile.reserved_shared;
        placement.device_launches = self.settings.device_launches;
        let mut constants = Pages::new(layout.constant_bytes);
        for variable in &layout.variables {
            let bytes = variable.bytes(&placement).map_err(DeviceError::Program)?;
            if variable.space == Space::Const {
                constants.write_bytes(variable.offset, &bytes);
            } else if let Some(address) = placement.globals.get(&variable.name) {
                self.poke(Pointer(*address), &bytes)?;
            }
        }
        self.modules.push(Some(Loaded {
            module: Arc::new(module.clone()),
            layout: Arc::new(layout),
            placement: Arc::new(placement),
            constants,
            programs: HashMap::new(),
        }));
        Ok(ModuleHandle(self.modules.len() - 1))
    }

    /// [`Device::texture`].
    pub(crate) fn new_texture(
        &mut self,
        texels: &Texels,
        sampler: Sampler,
        bytes: &[u8],
    ) -> Result<ImageHandle, DeviceError> {
        let base = self.image(texels, bytes)?;
        Ok(self.add_image(ImageObject::Texture(texels.at(base), sampler)))
    }

    /// [`Device::surface`].
    pub(crate) fn new_surface(
        &mut self,
        texels: &Texels,
        bytes: &[u8],
    ) -> Result<ImageHandle, DeviceError> {
        let base = self.image(texels, bytes)?;
        Ok(self.add_image(ImageObject::Surface(texels.at(base))))
    }

    /// Puts texels into memory.
    fn image(&mut self, texels: &Texels, bytes: &[u8]) -> Result<Pointer, DeviceError> {
        texels.check(bytes)?;
        let base = self.new_memory(texels.bytes())?;
        self.upload_and_wait(base, bytes, None)?;
        Ok(base)
    }
}
