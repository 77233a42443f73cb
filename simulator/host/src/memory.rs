//! A simulator's memory as host code addresses it: allocations, and the constant banks of modules.

use super::device::{ModuleHandle, Pointer};
use super::error::DeviceError;
use super::simulator::Simulator;
use crate::lower::window;
use crate::machine::MemoryFault;
use crate::ptx::Space;
use crate::report::{Code, Finding};

/// The distance on the host side between the constant memories of two modules, in bytes.
const CONSTANT_BANK: u64 = 1 << 16;

/// Where host code finds a byte of a module's constant memory.
pub(super) fn constant_address(module: usize, offset: u64) -> u64 {
    window::CONST + module as u64 * CONSTANT_BANK + offset
}

impl Simulator {
    /// Copies bytes of global or constant memory as they are now, without waiting for anything and
    /// without a report to observers: for tools and tests, not for host code.
    ///
    /// # Errors
    /// When the range does not lie in one allocation.
    pub fn peek(&self, from: Pointer, into: &mut [u8]) -> Result<(), DeviceError> {
        let bytes = into.len() as u64;
        if let Some((module, offset)) = self.constant_bank(from, bytes)? {
            let module = self.loaded(ModuleHandle(module))?;
            module.constants.read_bytes(offset, into);
            return Ok(());
        }
        let found = self.global.find_ref(from.0, bytes);
        let allocation = found.map_err(|fault| refusal(&fault, from, bytes))?;
        allocation.pages.read_bytes(from.0 - allocation.base, into);
        Ok(())
    }

    /// The memory that kernels have taken from the device's heap and not given back, as a note;
    /// `None` if there is none. The heap stays from launch to launch, so only the host code knows
    /// when all memory should be back.
    ///
    /// ```
    /// use warpsim::host::Simulator;
    /// assert_eq!(Simulator::default().leaks(), None);
    /// ```
    pub fn leaks(&self) -> Option<Finding> {
        let (pieces, bytes) =
            self.global.on_heap().fold((0u64, 0u64), |(n, sum), piece| (n + 1, sum + piece.bytes));
        let first = self.global.on_heap().next()?;
        let what = match pieces {
            1 => "a piece of the device's heap was".to_owned(),
            n => format!("{n} pieces of the device's heap were"),
        };
        let words = format!("{what} taken with `malloc` and not given back: {bytes} bytes");
        let mut finding = Finding::of(Code::Leak, words);
        finding.space = Some(Space::Global);
        finding.address = Some(first.base);
        finding.help = Some("`free` it in the kernel that is done with it".to_owned());
        Some(finding)
    }

    /// Writes bytes of global or constant memory, in the same way.
    pub(super) fn poke(&mut self, to: Pointer, bytes: &[u8]) -> Result<(), DeviceError> {
        let size = bytes.len() as u64;
        if let Some((module, offset)) = self.constant_bank(to, size)? {
            let module = self.modules.get_mut(module).and_then(Option::as_mut);
            let module = module.ok_or(DeviceError::UnknownModule)?;
            module.constants.write_bytes(offset, bytes);
            return Ok(());
        }
        let found = self.global.find(to.0, size);
        let allocation = found.map_err(|fault| refusal(&fault, to, size))?;
        allocation.pages.write_bytes(to.0 - allocation.base, bytes);
        self.unwritten.written(to.0, size);
        Ok(())
    }

    /// Refuses bytes that do not lie in one place.
    pub(super) fn find(&self, pointer: Pointer, bytes: u64) -> Result<(), DeviceError> {
        if self.constant_bank(pointer, bytes)?.is_none() {
            let found = self.global.find_ref(pointer.0, bytes);
            found.map_err(|fault| refusal(&fault, pointer, bytes))?;
        }
        Ok(())
    }

    /// The size of the live allocation that begins here.
    pub(super) fn freeable(&self, pointer: Pointer) -> Result<u64, DeviceError> {
        let address = pointer.0;
        let all = self.global.allocations();
        let found = all.binary_search_by_key(&address, |a| a.base).ok();
        match found.map(|index| &all[index]) {
            Some(allocation) if allocation.freed => Err(DeviceError::Freed { address, bytes: 0 }),
            Some(allocation) => Ok(allocation.bytes),
            None => Err(DeviceError::BadPointer { address, bytes: 0 }),
        }
    }

    /// Gives back a live allocation and its bytes.
    pub(super) fn release(&mut self, pointer: Pointer, bytes: u64) {
        self.global.free(pointer.0);
        self.unwritten.written(pointer.0, bytes);
    }

    /// Whether this is an address of constant memory.
    pub(super) fn is_constant(&self, pointer: Pointer) -> bool {
        constants(pointer).is_some()
    }

    /// The bytes of constant memory that host code addresses, when it does.
    fn constant_bank(
        &self,
        pointer: Pointer,
        bytes: u64,
    ) -> Result<Option<(usize, u64)>, DeviceError> {
        let Some((module, offset)) = constants(pointer) else { return Ok(None) };
        let loaded = self.loaded(ModuleHandle(module));
        let size = loaded.ok().map(|module| module.layout.constant_bytes);
        match (offset.checked_add(bytes), size) {
            (Some(end), Some(size)) if end <= size => Ok(Some((module, offset))),
            (Some(_) | None, Some(_) | None) => {
                Err(DeviceError::BadPointer { address: pointer.0, bytes })
            }
        }
    }
}

fn constants(pointer: Pointer) -> Option<(usize, u64)> {
    let offset = pointer.0.checked_sub(window::CONST).filter(|o| *o < window::SIZE)?;
    Some(((offset / CONSTANT_BANK) as usize, offset % CONSTANT_BANK))
}

fn refusal(fault: &MemoryFault, pointer: Pointer, bytes: u64) -> DeviceError {
    let address = pointer.0;
    match fault {
        MemoryFault::Freed { .. } => DeviceError::Freed { address, bytes },
        _ => DeviceError::BadPointer { address, bytes },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Device;

    #[test]
    fn a_fork_copies_no_page_of_memory() -> Result<(), Box<dyn std::error::Error>> {
        let text = ".version 8.0 .target sm_80 .address_size 64\n\
             .global .align 4 .b8 g[9000] = {1}; .const .align 4 .b8 c[5000] = {2};\n\
             .visible .entry k() { ret; }";
        let mut gpu = Simulator::default();
        gpu.load(&warpsim_language::ptx::parse("k.ptx", text)?)?;
        let buffer = gpu.allocate(100 * 4096)?;
        gpu.upload(buffer, &vec![7; 100 * 4096])?;
        let other = gpu.fork();
        let both = gpu.global.allocations().iter().zip(other.global.allocations());
        let common: Vec<usize> = both.map(|(a, b)| a.pages.common_pages(&b.pages)).collect();
        assert_eq!(common, [3, 100], "all pages");
        let first = ModuleHandle(0);
        let (constants, others) = (&gpu.loaded(first)?.constants, &other.loaded(first)?.constants);
        assert_eq!(constants.common_pages(others), 2);
        gpu.upload(buffer, &[8])?;
        let (mine, other) = (&gpu.global.allocations()[1], &other.global.allocations()[1]);
        assert_eq!(mine.pages.common_pages(&other.pages), 99);
        Ok(())
    }
}
