//! Why a call fails, if the error alone does not say it: the limit that a launch exceeds, or the
//! meaning of an address. It is reported with a failed call if the program did not look at the
//! result.

use std::fmt;

use crate::Handle;
use crate::copies::{Block, Spot};
use crate::options::{DEVICE_MEMORY, DEVICE_MEMORY_END};
use crate::spaces::memory::AllocationKind;
use crate::state::Call;

/// A reason.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reason {
    /// The kernel to launch.
    Kernel {
        /// Its name in the source.
        name: String,
    },
    /// A grid or a block that no device has, or that this one cannot start: in words.
    Launch(String),
    /// More dynamic shared memory than the kernel takes.
    DynamicShared {
        /// The bytes that the launch asked for.
        asked: u32,
        /// The bytes that the kernel takes.
        most: u32,
    },
    /// The address lies in an allocation, and is not its beginning.
    Inside {
        /// Bytes from the beginning.
        offset: u64,
        /// Bytes of the allocation.
        bytes: u64,
    },
    /// Memory that another function frees.
    FreedOtherwise {
        /// The memory, and the function that frees it.
        words: &'static str,
    },
    /// The memory was freed before.
    Freed {
        /// The address.
        address: u64,
    },
    /// More bytes than the memory has from an address on.
    TooLong {
        /// The address.
        address: u64,
        /// The bytes that the call asked for.
        asked: u64,
        /// The bytes that there are.
        rest: u64,
    },
    /// An address of the host where a device address is needed.
    OfHost {
        /// The address.
        address: u64,
    },
    /// An address of the device where a host address is needed.
    OfDevice {
        /// The address.
        address: u64,
    },
    /// An address of the device's range, with nothing there.
    Nothing {
        /// The address.
        address: u64,
    },
    /// The host's counterpart of a variable of the device.
    Symbol {
        /// The variable.
        name: String,
    },
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Reason::Kernel { name } => write!(f, "the kernel is `{name}`"),
            Reason::Launch(words) => f.write_str(words),
            Reason::DynamicShared { asked, most } => write!(
                f,
                "{asked} bytes of dynamic shared memory, the kernel takes {most}; \
                 cudaFuncSetAttribute with cudaFuncAttributeMaxDynamicSharedMemorySize changes that"
            ),
            Reason::Inside { offset, bytes } => write!(
                f,
                "the address lies {offset} bytes inside an allocation of {bytes} bytes; free the \
                 allocation's beginning instead"
            ),
            Reason::FreedOtherwise { words } => f.write_str(words),
            Reason::Freed { address } => {
                write!(f, "the memory at {address:#x} was freed before")
            }
            Reason::TooLong { address, asked, rest } => write!(
                f,
                "{asked} bytes from {address:#x} on, but the allocation ends after {rest}"
            ),
            Reason::OfHost { address } => write!(
                f,
                "{address:#x} is an address of the host's own memory, but the call needs one of \
                 the device"
            ),
            Reason::OfDevice { address } => write!(
                f,
                "{address:#x} is an address of the device, but the call needs one of the host"
            ),
            Reason::Nothing { address } => write!(f, "nothing is allocated at {address:#x}"),
            Reason::Symbol { name } => write!(
                f,
                "the address is the host's symbol of the device variable `{name}`: use \
                 cudaMemcpyToSymbol or cudaMemcpyFromSymbol, or get its device address by \
                 cudaGetSymbolAddress"
            ),
        }
    }
}

impl Call<'_> {
    /// Adds a reason why this call is going to fail; a repeated one is kept once.
    pub fn because(&mut self, reason: &Reason) {
        self.note(reason.to_string());
    }

    fn note(&mut self, words: String) {
        if !self.caller.reasons.contains(&words) {
            self.caller.reasons.push(words);
        }
    }

    /// Says why a grid and a block are impossible.
    pub fn because_of_shape(&mut self, grid: [u32; 3], block: [u32; 3]) {
        let launch = warpsim::host::Launch { grid, block, shared: 0, cooperative: false };
        let most = self.state.device.profile().threads_per_block;
        let refused = warpsim::host::check_shape(&launch, most);
        if let Err(warpsim::host::DeviceError::ImpossibleLaunch { reason }) = refused {
            self.because(&Reason::Launch(reason));
        }
    }

    /// Names the kernel of a launch that is going to fail.
    pub fn because_of_kernel(&mut self, function: Handle) {
        if let Ok(name) = self.function_name(function) {
            let name = warpsim::names::readable(&name).into_owned();
            self.because(&Reason::Kernel { name });
        }
    }

    /// Says why nothing that can be freed so begins at an address.
    pub(crate) fn because_it_is_not_freed_so(&mut self, address: u64) {
        let kind = self.around(address).map(|(_, allocation)| allocation.kind);
        let reason = match (kind, self.pointer(address)) {
            (Some(_), Ok(facts)) if facts.device != facts.start => {
                Reason::Inside { offset: facts.device - facts.start, bytes: facts.bytes }
            }
            (Some(kind), _) => Reason::FreedOtherwise { words: freed_by(kind) },
            (None, _) => self.what_is_at(address),
        };
        self.because_of(&reason, address);
    }

    /// Says why bytes are not of the device.
    pub(crate) fn because_of_bytes(&mut self, address: u64, bytes: u64) {
        let end = (crate::copies::Spot::Device(address), 0, 0);
        self.because_of_an_end(&Block { to: end, from: end, extent: [bytes, 1, 1] });
    }

    /// Says why a copy or a set has no such end.
    pub(crate) fn because_of_an_end(&mut self, block: &Block) {
        let [width, height, depth] = block.extent;
        for (spot, pitch, slice) in [block.to, block.from] {
            let bytes = width + (height - 1) * pitch + (depth - 1) * slice;
            let (Spot::Host(address) | Spot::Device(address) | Spot::Unified(address)) = spot;
            let is_of_device = (DEVICE_MEMORY..DEVICE_MEMORY_END).contains(&address);
            let reason = match (spot, self.pointer(address).ok()) {
                (Spot::Host(_), Some(facts)) if facts.host.is_none() => {
                    Reason::OfDevice { address }
                }
                (_, Some(facts)) => {
                    let rest = facts.bytes.saturating_sub(facts.device - facts.start);
                    if bytes <= rest {
                        continue;
                    }
                    Reason::TooLong { address, asked: bytes, rest }
                }
                (Spot::Host(_) | Spot::Unified(_), None) if !is_of_device => continue,
                (Spot::Host(_) | Spot::Device(_) | Spot::Unified(_), None) => {
                    self.what_is_at(address)
                }
            };
            self.because_of(&reason, address);
        }
    }

    /// The meaning of an address without memory of the device.
    fn what_is_at(&self, address: u64) -> Reason {
        let is_of_device = (DEVICE_MEMORY..DEVICE_MEMORY_END).contains(&address);
        match (self.state.lives.is_freed(address), is_of_device) {
            (true, _) => Reason::Freed { address },
            (false, true) => Reason::Nothing { address },
            (false, false) => Reason::OfHost { address },
        }
    }

    fn because_of(&mut self, reason: &Reason, address: u64) {
        let places = match reason {
            Reason::Freed { .. } | Reason::Inside { .. } | Reason::TooLong { .. } => {
                self.state.lives.notes(address)
            }
            Reason::Kernel { .. }
            | Reason::Launch(_)
            | Reason::DynamicShared { .. }
            | Reason::FreedOtherwise { .. }
            | Reason::OfHost { .. }
            | Reason::OfDevice { .. }
            | Reason::Nothing { .. }
            | Reason::Symbol { .. } => Vec::new(),
        };
        self.because(reason);
        places.into_iter().for_each(|place| self.note(place));
    }
}

/// What frees memory that is there and was not freed.
fn freed_by(kind: AllocationKind) -> &'static str {
    match kind {
        AllocationKind::Device | AllocationKind::OfGraph => {
            "memory of the device: cudaFree frees it"
        }
        AllocationKind::Managed => "managed memory: cudaFree frees it",
        AllocationKind::Locked { .. } => "page-locked memory of the host: cudaFreeHost frees it",
        AllocationKind::Registered { .. } => {
            "memory that the program registered: cudaHostUnregister releases it"
        }
        AllocationKind::Variable(_) | AllocationKind::ManagedVariable(_) => {
            "a variable of a module: unloading the module frees it"
        }
        AllocationKind::Mapped => "mapped memory: cuMemUnmap unmaps it",
        AllocationKind::Array => "the memory of an array: cudaFreeArray frees it",
        AllocationKind::Condition => "the condition of a graph's node, which no call frees",
    }
}
