//! What is reported about a program beyond the results of its calls: failed calls, races between
//! operations, the report of the whole program and its progress.

pub(super) mod counted;
pub(super) mod failures;
pub(super) mod journal;
pub(super) mod ledger;
pub(super) mod spans;
