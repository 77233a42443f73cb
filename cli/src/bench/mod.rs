//! The built-in workloads: six kernels that stress different parts of the machine.
//!
//! The counts of lane-instructions are fixed by the algorithms, not taken from a run, so that
//! figures of different simulators (or of a compiler that does with fewer) compare: what counts
//! is the time for the same work. Every result is checked against the same computation in Rust.

mod input;
mod workloads;

use std::time::Instant;

use warpsim::host::{Argument, Device, DeviceError, Launch, ModuleHandle, Pointer};
use warpsim::ptx::{self, Module, SyntaxError};
use warpsim::report::{Outcome, Report};

pub(crate) use workloads::WORKLOADS;

/// The kernels `w1` to `w6`.
const TEXT: &str = include_str!("workloads.ptx");

/// The module of all workloads.
pub(crate) fn module() -> Result<Module, SyntaxError> {
    ptx::parse("workloads.ptx", TEXT)
}

/// A kernel with its size, its input and its oracle.
pub(crate) struct Workload {
    /// What the command calls it.
    pub(crate) name: &'static str,
    /// What it does, in a few words.
    pub(crate) summary: &'static str,
    /// Lane-instructions of the algorithm.
    pub(crate) lane_instructions: u64,
    /// Uploads the input and says what to launch and to check.
    prepare: fn(&mut dyn Device) -> Result<Job, DeviceError>,
}

/// Whether the bytes of the result are right.
type Check = Box<dyn Fn(&[u8]) -> bool>;

/// A workload on a device.
struct Job {
    /// What is launched for one repetition, in order.
    launches: Vec<(&'static str, Launch, Vec<Argument>)>,
    /// Where the result lies, and its size in bytes. It is zeroed before each repetition.
    result: (Pointer, usize),
    check: Check,
}

/// What the repetitions of a workload came to.
pub(crate) struct Measured {
    /// The median of the repetitions.
    pub(crate) seconds: f64,
    /// Whether every repetition gave the right result.
    pub(crate) right: bool,
    /// The report of a launch that did not complete.
    pub(crate) stopped: Option<Report>,
    /// Lane-instructions that a repetition executed here.
    pub(crate) executed: u64,
}

impl Workload {
    /// Runs it so many times.
    pub(crate) fn measure(
        &self,
        device: &mut dyn Device,
        module: ModuleHandle,
        repetitions: u32,
    ) -> Result<Measured, DeviceError> {
        let job = (self.prepare)(device)?;
        let mut times = Vec::new();
        let mut right = true;
        let mut executed = 0;
        for _ in 0..repetitions {
            let (pointer, bytes) = job.result;
            device.upload(pointer, &vec![0; bytes])?;
            executed = 0;
            let started = Instant::now();
            for (kernel, launch, arguments) in &job.launches {
                let report = device.launch(module, kernel, launch, arguments)?;
                executed += report.counts.lane_instructions;
                if report.outcome != Outcome::Completed {
                    let stopped = Some(report);
                    return Ok(Measured { seconds: 0.0, right: false, stopped, executed });
                }
            }
            times.push(started.elapsed().as_secs_f64());
            let mut result = vec![0; bytes];
            device.download(pointer, &mut result)?;
            right &= (job.check)(&result);
        }
        Ok(Measured { seconds: median(&mut times), right, stopped: None, executed })
    }
}

fn median(times: &mut [f64]) -> f64 {
    times.sort_by(f64::total_cmp);
    times.get(times.len() / 2).copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use warpsim::host::Simulator;

    use super::*;

    #[test]
    fn each_workload_is_right_and_executes_about_what_its_algorithm_counts() {
        for workload in WORKLOADS.iter().filter(|w| w.name != "matmul") {
            let mut device = Simulator::default();
            let handle = device.load(&module().unwrap()).unwrap();
            let measured = workload.measure(&mut device, handle, 1).unwrap();
            assert!(measured.right && measured.stopped.is_none(), "{}", workload.name);
            let ratio = measured.executed as f64 / workload.lane_instructions as f64;
            // The machine does not count lanes that a guard excludes: branches not taken.
            assert!((0.95..1.001).contains(&ratio), "{}: {ratio}", workload.name);
        }
    }

    #[test]
    fn a_wrong_result_is_noticed() {
        for workload in &WORKLOADS {
            let job = (workload.prepare)(&mut Simulator::default()).unwrap();
            assert!(!(job.check)(&vec![0; job.result.1]), "{}", workload.name);
        }
    }

    #[test]
    fn the_median_is_the_middle_of_the_sorted_times() {
        assert_eq!(median(&mut [3.0, 1.0, 2.0]), 2.0);
        assert_eq!(median(&mut []), 0.0);
    }

    #[test]
    fn each_workload_has_its_name_and_its_kernels_in_the_module() {
        let names: Vec<&str> = WORKLOADS.iter().map(|w| w.name).collect();
        let expected = ["find_max", "block_reduce", "trapezoid", "xorshift", "collatz", "matmul"];
        assert_eq!(names, expected);
        let module = module().unwrap();
        let kernels = warpsim::host::kernels(&module);
        assert_eq!(kernels, ["w1", "w2", "w3a", "w3b", "w4", "w5", "w6"]);
    }
}
