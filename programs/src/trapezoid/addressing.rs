//! How interleaved and sequential addressing use the machine: the numbers that Nsight Compute would
//! show for the kernels that add up in shared memory.

use warpsim::element::ElementType;
use warpsim::host::{Argument, Device, Launch, Simulator};
use warpsim::observe::{MetricValue, Statistics};

use super::{BLOCK, PROGRAM};
use crate::arrays;
use crate::columns::columns;
use crate::program::{Form, RunError, completed};

/// The kernels, as the table calls them.
const KERNELS: [&str; 2] = ["interleaved", "sequential"];

/// The rows, with the names of Nsight Compute's metrics.
const METRICS: [(&str, &str); 5] = [
    ("warp instructions", "smsp__inst_executed.sum"),
    ("lanes an instruction", "smsp__thread_inst_executed_per_inst_executed.ratio"),
    ("divergent branches", "smsp__sass_branch_targets_threads_divergent.sum"),
    ("passes of shared loads", "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum"),
    ("bank conflicts of them", "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum"),
];

/// The table for this many numbers.
pub(super) fn table(n: usize) -> Result<String, RunError> {
    let [interleaved, sequential] = KERNELS.map(|kernel| used(kernel, n));
    let (interleaved, sequential) = (interleaved?, sequential?);
    let mut rows = vec![["", KERNELS[0], KERNELS[1], "Nsight Compute"].map(str::to_owned).to_vec()];
    for (what, name) in METRICS {
        let (first, second) = (number(&interleaved, name)?, number(&sequential, name)?);
        rows.push(vec![what.to_owned(), first, second, name.to_owned()]);
    }
    Ok(format!("how two of them use the machine:\n\n{}", columns(&rows)))
}

/// What a kernel does with this many numbers.
fn used(kernel: &'static str, n: usize) -> Result<Statistics, RunError> {
    let mut gpu = Simulator::default();
    let module = gpu.load(&PROGRAM.module(Form::Optimised)?)?;
    let blocks = n.div_ceil(BLOCK);
    let from = arrays::zeros(&mut gpu, ElementType::F64, blocks * BLOCK)?;
    let to = arrays::zeros(&mut gpu, ElementType::F64, blocks)?;
    let arguments = [Argument::Pointer(from), Argument::Pointer(to), Argument::I32(n as i32)];
    let launch = Launch::new(blocks as u32, BLOCK as u32);
    let mut statistics = Statistics::default();
    let report = gpu.launch_observed(module, kernel, &launch, &arguments, &mut statistics)?;
    completed(kernel, report)?;
    Ok(statistics)
}

/// A total.
fn number(statistics: &Statistics, name: &str) -> Result<String, RunError> {
    let metrics = statistics.metrics();
    let metric = metrics.iter().find(|metric| metric.ncu == Some(name));
    let metric = metric.ok_or(RunError::NothingToTell("a metric of this name"))?;
    Ok(match metric.value {
        MetricValue::Count(count) => count.to_string(),
        MetricValue::Mean(mean) => format!("{mean:.2}"),
    })
}
