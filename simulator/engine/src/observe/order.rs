//! Which of a device's operations happen before which: launches, copies, actions of the host.
//!
//! Streams and the host are *timelines*: their operations happen in the order of issue. Events,
//! synchronisation and the default stream order operations of different timelines (CUDA driver API,
//! "Stream synchronization behavior" and "Event Management"). An [`Order`] is the vector clock
//! ([`Clock`]) of one operation: for every timeline, the last operation there that happens before
//! it. Unordered operations may happen in either order, or at the same time, on hardware.

use super::Clock;

/// An operation on a device, by its timeline and order of issue.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct OperationId {
    /// The position in the order of issue, from 1: unique on its device.
    pub number: u64,
    /// The timeline: [`OperationId::HOST`], [`OperationId::DEFAULT_STREAM`], or another stream.
    pub timeline: u32,
}

impl OperationId {
    /// The timeline of the host: its own actions, not through a stream.
    pub const HOST: u32 = 0;
    /// The timeline of the default stream; created streams have the following ones.
    pub const DEFAULT_STREAM: u32 = 1;
}

/// The operations that happen before an operation. Cheap to clone.
///
/// ```
/// use warpsim::observe::{OperationId, Order};
/// // Streams 2 and 3; the third operation waited for the first by way of an event.
/// let first = Order::new(OperationId { number: 1, timeline: 2 }, vec![0, 0, 0, 0]);
/// let second = Order::new(OperationId { number: 2, timeline: 2 }, vec![0, 0, 1, 0]);
/// let third = Order::new(OperationId { number: 3, timeline: 3 }, vec![0, 0, 1, 0]);
/// assert!(second.is_after(first.operation()) && third.is_after(first.operation()));
/// assert!(!third.is_after(second.operation()) && !second.is_after(third.operation()));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Order {
    operation: OperationId,
    before: Clock,
}

impl Order {
    /// The order of an operation. On every timeline, the operations up to the given numbers happen
    /// before it; on timelines past the end, none does.
    pub fn new(operation: OperationId, before: impl Into<Clock>) -> Order {
        Order { operation, before: before.into() }
    }

    /// The order of an operation that is alone on its device.
    pub fn alone() -> Order {
        Order::new(OperationId { number: 1, timeline: OperationId::DEFAULT_STREAM }, [])
    }

    /// The operation itself.
    pub fn operation(&self) -> OperationId {
        self.operation
    }

    /// Whether an operation happens before this one. None happens before itself.
    pub fn is_after(&self, earlier: OperationId) -> bool {
        self.before.has(earlier)
    }

    /// All operations that happen before it.
    pub fn before(&self) -> &Clock {
        &self.before
    }
}
