//! Variables of the source: which are visible, where they are, and what they hold.
//!
//! A variable is found by the scopes around the next instruction of the frame that is looked at,
//! the innermost first, then among those outside functions. In an expression its name comes before
//! the names of PTX and of the thread's numbers.

mod find;
mod listed;
mod place;
mod shown;
mod target;
mod visible;

pub(crate) use listed::Listed;
