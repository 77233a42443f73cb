//! What stays the same for a whole launch: the program, its shape, its arguments, the device.

use std::sync::Arc;

use super::execute::LOCAL_LIMIT;
use super::images::Images;
use super::memory::Pages;
use super::profile::{DeviceProfile, Model};
use crate::launch::Launch;
use crate::lower::Program;
use crate::observe::{LaunchFacts, Order};

/// A launch, as its threads see it.
#[derive(Debug)]
pub struct Environment {
    /// What runs.
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

/// What a thread's activations may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Limits {
    /// Bytes of local memory.
    pub(super) local: u32,
    /// Bytes of stack, where a limit applies.
    pub(super) stack: Option<u32>,
}

impl Environment {
    /// What a thread's activations may take.
    pub(super) fn limits(&self) -> Limits {
        let stack = self.program.call_stack.capacity(self.profile.stack);
        Limits { local: LOCAL_LIMIT, stack }
    }

    /// What observers may know of it, but for what host code has written.
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

    /// The multiprocessor on which a block lives.
    pub fn multiprocessor(&self, linear: u64) -> u32 {
        (linear % u64::from(self.profile.multiprocessors.max(1))) as u32
    }

    /// Bytes of shared memory of a block that are not the system's.
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

    /// How many blocks the device holds at a time: no more than there are.
    pub fn resident_blocks(&self) -> u64 {
        let multiprocessors = u64::from(self.profile.multiprocessors.max(1));
        let capacity = multiprocessors * u64::from(self.blocks_per_multiprocessor());
        self.launch.blocks().min(capacity)
    }
}
