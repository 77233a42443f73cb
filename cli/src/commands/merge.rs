//! `warpsim merge`: merges the shards of a campaign as if one run had done it all.

use super::explore;
use crate::args::MergeArgs;
use crate::failure::{Exit, Failure};
use crate::output::Output;

pub(super) fn run(args: &MergeArgs, output: &mut Output) -> Result<Exit, Failure> {
    explore::merge(args, output)
}
