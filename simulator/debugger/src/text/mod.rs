//! The text face: a line of commands in, text out.
//!
//! [`Console`] holds a [`Debugger`](crate::Debugger) and what a person last typed. It neither reads
//! nor prints: its caller has the terminal, the pipe or the file.

mod barriers;
mod cells;
mod command;
mod console;
mod conversation;
mod frames;
mod instructions;
mod places;
mod stops;

pub use console::{Console, Said};
pub use conversation::{Conversation, Person};
pub use instructions::step_text;
