//! The language of the two processes: what is said arrives, and nonsense does no harm.

mod frames;
mod generations;
mod strategies;
mod wire;
