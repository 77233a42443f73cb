//! A workload on a device: its launch, its expected result, and its time.

use warpsim::host::{Argument, Device, DeviceError, Launch, ModuleHandle, Pointer, Stream};
use warpsim::report::{Counts, Outcome, Report};

use super::clock::{Moment, Spent};

/// A workload on a device.
pub(super) struct Job {
    /// The launches of one repetition, in order.
    pub(super) launches: Vec<(&'static str, Launch, Vec<Argument>)>,
    /// To which streams they are issued, in turn; none where each is waited for.
    pub(super) streams: Vec<Stream>,
    /// The memory that the kernels write.
    pub(super) written: Vec<Written>,
    /// Whether what it holds after a repetition is right, in the order of `written`.
    pub(super) check: Check,
    /// Lane-instructions of the algorithm; `None` where they are those that were executed.
    pub(super) lane_instructions: Option<u64>,
}

/// Memory that a kernel writes.
pub(super) struct Written {
    /// Where it lies.
    pub(super) at: Pointer,
    /// What it holds before each repetition.
    pub(super) before: Vec<u8>,
}

impl Written {
    /// Zeros, before each repetition.
    pub(super) fn zeros(at: Pointer, bytes: usize) -> Written {
        Written { at, before: vec![0; bytes] }
    }
}

/// Whether the bytes of the written memory are right.
pub(super) type Check = Box<dyn Fn(&[Vec<u8>]) -> bool>;

/// Learns of each repetition, and says whether to go on.
pub(crate) trait Progress {
    /// Whether the next repetition may begin.
    fn goes_on(&self) -> bool;
    /// A repetition executed this many lane-instructions in this many seconds.
    fn repeated(&mut self, lane_instructions: u64, seconds: f64);
}

/// The results of a workload's repetitions.
pub(crate) struct Measured {
    /// Seconds on the clock, the median of the repetitions.
    pub(crate) seconds: f64,
    /// Seconds of the processor, the median of the repetitions.
    pub(crate) processor: Option<f64>,
    /// Whether every repetition gave the right result.
    pub(crate) right: bool,
    /// The report of a launch that did not complete.
    pub(crate) stopped: Option<Report>,
    /// Lane-instructions of the algorithm.
    pub(crate) lane_instructions: u64,
    /// What a repetition executed here.
    pub(crate) executed: Counts,
}

impl Job {
    /// Runs it this many times, or fewer times if it is stopped; `None` where it was before the
    /// first.
    pub(super) fn measure(
        &self,
        device: &mut dyn Device,
        module: ModuleHandle,
        repetitions: u32,
        progress: &mut dyn Progress,
    ) -> Result<Option<Measured>, DeviceError> {
        let mut spent = Vec::new();
        let mut right = true;
        let mut executed = Counts::default();
        let mut stopped = None;
        while spent.len() < repetitions as usize && stopped.is_none() && progress.goes_on() {
            for memory in &self.written {
                device.upload(memory.at, &memory.before)?;
            }
            let moment = Moment::now();
            (executed, stopped) = self.launched_for_the_bench(device, module)?;
            let time = moment.spent();
            spent.push(time);
            right &= stopped.is_none() && (self.check)(&self.read(device)?);
            progress.repeated(executed.lane_instructions, time.seconds);
        }
        Ok(self.came_to(&spent, right, stopped, executed))
    }

    fn came_to(
        &self,
        spent: &[Spent],
        right: bool,
        stopped: Option<Report>,
        executed: Counts,
    ) -> Option<Measured> {
        let processor: Option<Vec<f64>> = spent.iter().map(|spent| spent.processor).collect();
        Some(Measured {
            seconds: median(spent.iter().map(|spent| spent.seconds).collect())?,
            processor: processor.and_then(median),
            right,
            stopped,
            lane_instructions: match self.lane_instructions {
                Some(fixed) => fixed,
                None => executed.lane_instructions,
            },
            executed,
        })
    }

    pub(super) fn read(&self, device: &mut dyn Device) -> Result<Vec<Vec<u8>>, DeviceError> {
        let read = |memory: &Written| {
            let mut bytes = vec![0; memory.before.len()];
            device.download(memory.at, &mut bytes)?;
            Ok(bytes)
        };
        self.written.iter().map(read).collect()
    }

    /// Launches one repetition: what it executed, and the report of a launch that did not complete.
    ///
    /// `bench/counts` counts the instructions inside this function, by its name.
    #[inline(never)]
    fn launched_for_the_bench(
        &self,
        device: &mut dyn Device,
        module: ModuleHandle,
    ) -> Result<(Counts, Option<Report>), DeviceError> {
        let mut executed = Counts::default();
        for report in self.reports(device, module) {
            let report = report?;
            executed.lane_instructions += report.counts.lane_instructions;
            executed.warp_instructions += report.counts.warp_instructions;
            if report.outcome != Outcome::Completed {
                return Ok((executed, Some(report)));
            }
        }
        Ok((executed, None))
    }

    /// The reports of the launches. Each launch is waited for, or all of them together at their
    /// end.
    fn reports<'a>(
        &'a self,
        device: &'a mut dyn Device,
        module: ModuleHandle,
    ) -> Box<dyn Iterator<Item = Result<Report, DeviceError>> + 'a> {
        if self.streams.is_empty() {
            let launches = self.launches.iter();
            return Box::new(launches.map(move |(kernel, launch, arguments)| {
                device.launch(module, kernel, launch, arguments)
            }));
        }
        for ((kernel, launch, arguments), stream) in
            self.launches.iter().zip(self.streams.iter().cycle())
        {
            if let Err(error) = device.launch_on(*stream, module, kernel, launch, arguments) {
                return Box::new(std::iter::once(Err(error)));
            }
        }
        match device.synchronise() {
            Ok(ended) => Box::new(ended.into_iter().map(|ended| Ok(ended.report))),
            Err(error) => Box::new(std::iter::once(Err(error))),
        }
    }
}

/// The middle one; the larger of two in the middle. None has none.
fn median(mut times: Vec<f64>) -> Option<f64> {
    times.sort_by(f64::total_cmp);
    times.get(times.len() / 2).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_is_the_middle_of_the_sorted_times() {
        assert_eq!(median(vec![3.0, 1.0, 2.0]), Some(2.0));
        assert_eq!(median(vec![]), None);
    }
}
