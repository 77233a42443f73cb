//! The language of the two processes: messages arrive, and nonsense does no harm.

mod frames;
mod generations;
mod strategies;
mod wire;
