//! The sides that the simulator is compared with.

use std::iter;

use warpsim::host::{Device as _, DeviceError};
use warpsim::report::Outcome;
use warpsim_gpu::Isolated;

use super::objects::Object;
use crate::args::LaunchOptions;
use crate::failure::Failure;
use crate::launch::Prepared;
use crate::output::Output;

/// How a launch ended on the other side.
#[derive(Clone, Debug)]
pub(crate) struct Ended {
    pub(crate) outcome: Outcome,
    /// What there is to say about it: the driver's words.
    pub(crate) words: Option<String>,
}

/// Whether the other side knows what memory holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Known {
    /// It does.
    Here,
    /// A launch that hung or faulted took it.
    Lost,
    /// It was not kept after this launch, or never there.
    NotKept,
}

/// The other side of the comparison: a GPU, or a recording of one.
pub(crate) trait Theirs {
    /// Runs a launch, counted from 1; each is asked for once, in order.
    fn launch(&mut self, number: u32, output: &Output) -> Result<Ended, Failure>;

    /// Reads this many bytes of an object, from an offset on, as the launch before left them.
    fn read(&mut self, object: &Object, offset: u64, into: &mut [u8]) -> Result<Known, Failure>;
}

/// A GPU that runs the same launches now.
pub(crate) struct OnGpu<'a> {
    pub(crate) prepared: Prepared<Isolated>,
    pub(crate) options: &'a LaunchOptions,
}

impl Theirs for OnGpu<'_> {
    fn launch(&mut self, number: u32, output: &Output) -> Result<Ended, Failure> {
        let report = self.prepared.launch(self.options, number, output)?.report;
        let words = report.findings.first().map(|finding| finding.explanation.clone());
        Ok(Ended { outcome: report.outcome, words })
    }

    fn read(&mut self, object: &Object, offset: u64, into: &mut [u8]) -> Result<Known, Failure> {
        let read = object
            .pointer(&self.prepared)
            .and_then(|pointer| self.prepared.device.download(pointer.offset(offset), into));
        match read {
            Ok(()) => Ok(Known::Here),
            Err(DeviceError::Lost) => Ok(Known::Lost),
            // A driver may drop a variable that nothing uses.
            Err(_) if object.parameter.is_none() => Ok(Known::NotKept),
            Err(error) => Err(error.into()),
        }
    }
}

/// The pieces in which an object is read: offset and bytes of each.
pub(super) fn pieces(object: &Object) -> impl Iterator<Item = (u64, usize)> {
    const PIECE: u64 = 1 << 20;
    let total = object.bytes();
    let next = move |offset: &u64| Some(offset + PIECE).filter(|offset| *offset < total);
    let starts = iter::successors(Some(0).filter(|_| total > 0), next);
    starts.map(move |offset| (offset, (total - offset).min(PIECE) as usize))
}
