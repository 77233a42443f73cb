//! The totals, with the names that Nsight Compute has for them.

use super::class::Class;
use super::floating::{Floating, Precision};
use super::totals::Totals;
use super::usage::{MemoryOperation, Usage};

/// A number with its names.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Metric {
    /// What it is, in words.
    pub what: String,
    /// Nsight Compute's name; `None` where it has none.
    pub ncu: Option<&'static str>,
    /// The number.
    pub value: MetricValue,
}

/// The value of a metric.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum MetricValue {
    /// A count.
    Count(u64),
    /// A mean, or a quotient.
    Mean(f64),
}

/// The names of the metrics of requests to global memory: requests, sectors, and their quotient.
type GlobalNames = [Option<&'static str>; 3];
/// The names of the metrics of requests to shared memory: requests, passes, conflicts.
type SharedNames = [Option<&'static str>; 3];

impl Totals {
    /// The totals, in the order of a table. Operations on memory that did not happen are left out.
    pub fn metrics(&self) -> Vec<Metric> {
        let total = self.total();
        let mut all = warps(&total);
        for operation in MemoryOperation::ALL {
            if let Some(usage) = self.requests.get(&operation) {
                global(operation, usage, &mut all);
                shared(operation, usage, &mut all);
                local(operation, usage, &mut all);
            }
        }
        if total.contention.requests > 0 {
            let (hottest, updates) = self.hottest_address;
            all.extend([
                count("atomics of lanes", None, total.contention.operations),
                count("atomics behind another lane", None, total.contention.behind),
            ]);
            if updates > 0 {
                all.push(count("atomics on the hottest address", None, hottest));
            }
        }
        if self.barriers > 0 {
            all.extend([
                count("barriers", None, self.barriers),
                count("warps at barriers", None, total.arrivals),
                count("instructions waited at barriers", None, total.waited),
            ]);
        }
        let classes = self.classes.iter().filter(|(_, lanes)| **lanes > 0);
        all.extend(classes.map(|(class, lanes)| of_class(*class, *lanes)));
        all.extend(self.floating.iter().flat_map(|(precision, of)| floating(*precision, *of)));
        all
    }
}

/// Warps and branches.
fn warps(total: &Usage) -> Vec<Metric> {
    let Usage { executed, present, active, branches, divergent, .. } = *total;
    let mut all = vec![
        count("warp instructions", Some("smsp__inst_executed.sum"), executed),
        count("thread instructions", Some("smsp__thread_inst_executed.sum"), present),
        count("  predicate on", Some("smsp__thread_inst_executed_pred_on.sum"), active),
        mean(
            "threads an instruction",
            Some("smsp__thread_inst_executed_per_inst_executed.ratio"),
            total.mean_present(),
        ),
        mean(
            "  predicate on",
            Some("smsp__thread_inst_executed_pred_on_per_inst_executed.ratio"),
            total.mean_active(),
        ),
    ];
    if branches > 0 {
        let uniform = branches - divergent;
        all.extend([
            count(
                "branches, uniform",
                Some("smsp__sass_branch_targets_threads_uniform.sum"),
                uniform,
            ),
            count(
                "branches, divergent",
                Some("smsp__sass_branch_targets_threads_divergent.sum"),
                divergent,
            ),
        ]);
    }
    all
}

fn global(operation: MemoryOperation, usage: &Usage, all: &mut Vec<Metric>) {
    let names: GlobalNames = match operation {
        MemoryOperation::Load => [
            Some("l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum"),
            Some("l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"),
            Some("l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_ld.ratio"),
        ],
        MemoryOperation::Store => [
            Some("l1tex__t_requests_pipe_lsu_mem_global_op_st.sum"),
            Some("l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum"),
            Some("l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_st.ratio"),
        ],
        MemoryOperation::Atomic => [
            Some("l1tex__t_requests_pipe_lsu_mem_global_op_atom.sum"),
            Some("l1tex__t_sectors_pipe_lsu_mem_global_op_atom.sum"),
            None,
        ],
        MemoryOperation::Reduction => [
            Some("l1tex__t_requests_pipe_lsu_mem_global_op_red.sum"),
            Some("l1tex__t_sectors_pipe_lsu_mem_global_op_red.sum"),
            None,
        ],
        MemoryOperation::AsyncCopy => [Some("smsp__inst_executed_op_ldgsts.sum"), None, None],
    };
    if usage.global.requests > 0 {
        let word = word(operation);
        let [requests, sectors, quotient] = names;
        all.extend([
            count(format!("global {word}, requests"), requests, usage.global.requests),
            count("  sectors", sectors, usage.global.taken),
            mean("  sectors a request", quotient, usage.sectors_per_request()),
        ]);
    }
}

fn shared(operation: MemoryOperation, usage: &Usage, all: &mut Vec<Metric>) {
    let names: SharedNames = match operation {
        MemoryOperation::Load => [
            Some("smsp__inst_executed_op_shared_ld.sum"),
            Some("l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum"),
            Some("l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum"),
        ],
        MemoryOperation::Store => [
            Some("smsp__inst_executed_op_shared_st.sum"),
            Some("l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum"),
            Some("l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum"),
        ],
        MemoryOperation::Atomic | MemoryOperation::Reduction => [
            Some("smsp__inst_executed_op_shared_atom.sum"),
            Some("l1tex__data_pipe_lsu_wavefronts_mem_shared_op_atom.sum"),
            Some("l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_atom.sum"),
        ],
        MemoryOperation::AsyncCopy => [None; 3],
    };
    if usage.shared.requests > 0 {
        let word = word(operation);
        let [requests, passes, conflicts] = names;
        all.extend([
            count(format!("shared {word}, requests"), requests, usage.shared.requests),
            count("  passes", passes, usage.shared.taken),
            count("  bank conflicts", conflicts, usage.shared.conflicts),
        ]);
    }
}

fn local(operation: MemoryOperation, usage: &Usage, all: &mut Vec<Metric>) {
    let name = match operation {
        MemoryOperation::Load => Some("smsp__inst_executed_op_local_ld.sum"),
        MemoryOperation::Store => Some("smsp__inst_executed_op_local_st.sum"),
        MemoryOperation::Atomic | MemoryOperation::Reduction | MemoryOperation::AsyncCopy => None,
    };
    if usage.local > 0 {
        all.push(count(format!("local {}, requests", word(operation)), name, usage.local));
    }
}

/// What an operation is called in the table.
fn word(operation: MemoryOperation) -> &'static str {
    match operation {
        MemoryOperation::Load => "loads",
        MemoryOperation::Store => "stores",
        MemoryOperation::Atomic => "atomics",
        MemoryOperation::Reduction => "reductions",
        MemoryOperation::AsyncCopy => "async copies",
    }
}

fn of_class(class: Class, lanes: u64) -> Metric {
    count(format!("{class} instructions"), class.metric(), lanes)
}

fn floating(precision: Precision, of: Floating) -> impl Iterator<Item = Metric> {
    let counts = [of.additions, of.multiplications, of.fused];
    let words = ["additions", "multiplications", "fused"];
    let instructions = words.into_iter().zip(precision.metrics()).zip(counts);
    let instructions = instructions.filter(|(_, lanes)| *lanes > 0);
    let operations = count(format!("{precision} operations"), None, of.operations);
    std::iter::once(operations).chain(
        instructions.map(|((word, metric), lanes)| count(format!("  {word}"), Some(metric), lanes)),
    )
}

fn count(what: impl Into<String>, ncu: Option<&'static str>, value: u64) -> Metric {
    Metric { what: what.into(), ncu, value: MetricValue::Count(value) }
}

fn mean(what: impl Into<String>, ncu: Option<&'static str>, value: f64) -> Metric {
    Metric { what: what.into(), ncu, value: MetricValue::Mean(value) }
}

impl std::fmt::Display for MetricValue {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            MetricValue::Count(count) => write!(f, "{count}"),
            MetricValue::Mean(mean) => write!(f, "{mean:.2}"),
        }
    }
}
