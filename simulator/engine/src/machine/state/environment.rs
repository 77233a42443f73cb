//! What stays the same for a whole launch: the program, its shape, its arguments, the device.

use std::sync::Arc;

use super::profile::{DeviceProfile, Model};
use crate::launch::Launch;
use crate::lower::Program;
use crate::machine::images::Images;
use crate::machine::memory::Pages;
use crate::observe::{LaunchFacts, Order};

/// Bytes of local memory of a thread (CUDA C++ Programming Guide, "Technical Specifications").
pub(in crate::machine) const LOCAL_LIMIT: u32 = 512 << 10;

/// A launch, as its threads see it.
#[derive(Debug)]
pub struct Environment {
    /// The program.
    pub program: Arc<Program>,
    /// Its shape.
    pub launch: Launch,
    /// The parameter bank.
    pub parameters: Pages,
    /// Constant memory.
    pub constants: Pages,
    /// Its textures and surfaces.
    pub images: Arc<Images>,
    /// The execution model.
    pub model: Model,
    /// The device.
    pub profile: DeviceProfile,
    /// `%gridid`: the number of the launch.
    pub number: u64,
    /// Its place among the operations of the device.
    pub order: Order,
    /// The address of the grid's workspace in a cooperative launch; 0 in another.
    pub workspace: u64,
    /// The address of the queue for launches that the grid asks for; 0 where it asks for none.
    pub launch_queue: u64,
}

/// The limits of a thread's activations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::machine) struct Limits {
    /// Bytes of local memory.
    pub(in crate::machine) local: u32,
    /// Bytes of stack, where a limit applies.
    pub(in crate::machine) stack: Option<u32>,
}

impl Environment {
    /// The limits of a thread's activations.
    pub(in crate::machine) fn limits(&self) -> Limits {
        let stack = self.program.call_stack.capacity(self.profile.stack);
        Limits { local: LOCAL_LIMIT, stack }
    }

    /// What observers may know of the launch, except the host's writes.
    pub fn facts(&self) -> LaunchFacts {
        LaunchFacts {
            program: Arc::clone(&self.program),
            module: None,
            number: self.number,
            order: self.order.clone(),
            launch: self.launch,
            shared_bytes: self.shared_bytes(),
            is_lockstep: self.model == Model::Lockstep,
            unwritten: Arc::default(),
        }
    }

    /// The multiprocessor of a block.
    pub fn multiprocessor(&self, linear: u64) -> u32 {
        (linear % u64::from(self.profile.multiprocessors.max(1))) as u32
    }

    /// Bytes of shared memory of a block, without the system's bytes.
    pub fn own_shared_bytes(&self) -> u32 {
        self.shared_bytes() - self.program.reserved_shared_bytes
    }

    /// Bytes of shared memory of a block.
    pub fn shared_bytes(&self) -> u32 {
        self.program.shared_bytes(self.launch.shared)
    }

    /// How many blocks a multiprocessor holds at a time.
    pub fn blocks_per_multiprocessor(&self) -> u32 {
        self.profile.resident_on_one(self.launch.threads_per_block(), self.own_shared_bytes())
    }

    /// How many blocks the device holds at a time; at most all blocks of the grid.
    pub fn resident_blocks(&self) -> u64 {
        let multiprocessors = u64::from(self.profile.multiprocessors.max(1));
        let capacity = multiprocessors * u64::from(self.blocks_per_multiprocessor());
        self.launch.blocks().min(capacity)
    }
}
