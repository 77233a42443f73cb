//! Streams, events, and what they order (CUDA driver API, "Stream Management", "Event Management"
//! and "Stream synchronization behavior").

mod timelines;

pub(super) use timelines::Timelines;

#[cfg(test)]
mod tests;
