//! The types that an adapter shares with its caller.

/// A field of a request that another adapter has answered: it is carried out without an answer.
pub const SILENT: &str = "warpsimSilent";

/// What a launch is a part of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// Of nothing: the session ends with it.
    Alone,
    /// Of a program, whose end the caller tells the client.
    OfProgram,
}
