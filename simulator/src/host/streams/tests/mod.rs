//! Streams and events against the rules that they are documented with.

mod order;
