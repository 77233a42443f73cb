//! How a kernel used the machine, as rows of JSON: `machine` of a document.

use serde::Serialize;
use warpsim::host::DeviceProfile;
use warpsim::observe::{Advice, LineUse, Metric, MetricValue, Occupancy, Totals, Usage};

use crate::roofline::RooflineRow;

/// How a launch used the machine, or several launches of a kernel together.
#[derive(Clone, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct MachineRow {
    metrics: Vec<MetricRow>,
    #[serde(skip_serializing_if = "Option::is_none")]
    occupancy: Option<OccupancyRow>,
    #[serde(skip_serializing_if = "Option::is_none")]
    roofline: Option<RooflineRow>,
    lines: Vec<LineRow>,
    /// The worst first.
    advice: Vec<AdviceRow>,
}

/// A total.
#[derive(Clone, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct MetricRow {
    what: String,
    /// Nsight Compute's name for it.
    #[serde(skip_serializing_if = "Option::is_none")]
    ncu: Option<&'static str>,
    value: NumberRow,
}

#[derive(Clone, Copy, Serialize)]
#[serde(untagged)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
enum NumberRow {
    Count(u64),
    Mean(f64),
}

/// The limits of blocks of a multiprocessor, for the last launch. That of registers is not known.
#[derive(Clone, Copy, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct OccupancyRow {
    #[serde(rename = "sm__maximum_warps_per_active_cycle_pct")]
    percent: f64,
    #[serde(rename = "launch__waves_per_multiprocessor")]
    waves: f64,
    #[serde(rename = "launch__occupancy_limit_blocks")]
    by_blocks: u64,
    #[serde(rename = "launch__occupancy_limit_warps")]
    by_warps: u64,
    #[serde(rename = "launch__occupancy_limit_shared_mem")]
    by_shared: u64,
}

/// A line of the source, or of the PTX where no source is known.
#[derive(Clone, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct LineRow {
    #[serde(flatten)]
    place: LinePlaceRow,
    warp_instructions: u64,
    thread_instructions: u64,
    thread_instructions_pred_on: u64,
    branches: u64,
    divergent_branches: u64,
    global_requests: u64,
    global_sectors: u64,
    global_sectors_excess: u64,
    shared_requests: u64,
    shared_passes: u64,
    bank_conflicts: u64,
    /// The most passes of a part of a warp.
    ways: u64,
    local_requests: u64,
    atomics: u64,
    /// Those that wait for another lane of their warp.
    atomics_behind: u64,
    barrier_arrivals: u64,
    /// Instructions that warps did not execute because they waited for a slower one.
    barrier_waited: u64,
}

/// Where.
#[derive(Clone, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct LinePlaceRow {
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    ptx_file: Option<String>,
    ptx_line: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    op: Option<String>,
}

/// What is so, and what to do about it.
#[derive(Clone, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct AdviceRow {
    kind: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    at: Option<LinePlaceRow>,
    cost: u64,
    message: String,
}

impl MachineRow {
    /// The row of launches on a device.
    pub(crate) fn of(totals: &Totals, profile: &DeviceProfile) -> MachineRow {
        MachineRow {
            metrics: totals.metrics().into_iter().map(metric).collect(),
            occupancy: totals.occupancy(profile).as_ref().map(occupancy),
            roofline: RooflineRow::of(totals, profile),
            lines: totals.lines().iter().map(line).collect(),
            advice: totals.advice().into_iter().map(advice).collect(),
        }
    }
}

fn metric(metric: Metric) -> MetricRow {
    let value = match metric.value {
        MetricValue::Count(count) => NumberRow::Count(count),
        MetricValue::Mean(mean) => NumberRow::Mean(mean),
    };
    MetricRow { what: metric.what, ncu: metric.ncu, value }
}

fn occupancy(of: &Occupancy) -> OccupancyRow {
    OccupancyRow {
        percent: of.percent(),
        waves: of.waves(),
        by_blocks: of.by_blocks,
        by_warps: of.by_warps,
        by_shared: of.by_shared,
    }
}

fn place(line: &LineUse) -> LinePlaceRow {
    let (file, number) = match &line.source {
        Some((file, number)) => (Some(file.to_string()), Some(*number)),
        None => (None, None),
    };
    LinePlaceRow {
        file,
        line: number,
        ptx_file: line.ptx_file.as_deref().map(str::to_owned),
        ptx_line: line.ptx_line,
        op: line.name.as_deref().map(str::to_owned),
    }
}

fn line(line: &LineUse) -> LineRow {
    let Usage { executed, present, active, branches, divergent, global, shared, .. } = line.usage;
    let Usage { local, contention, arrivals, waited, .. } = line.usage;
    LineRow {
        place: place(line),
        warp_instructions: executed,
        thread_instructions: present,
        thread_instructions_pred_on: active,
        branches,
        divergent_branches: divergent,
        global_requests: global.requests,
        global_sectors: global.taken,
        global_sectors_excess: global.excess,
        shared_requests: shared.requests,
        shared_passes: shared.taken,
        bank_conflicts: shared.conflicts,
        ways: shared.worst.map_or(0, |worst| worst.took),
        local_requests: local,
        atomics: contention.operations,
        atomics_behind: contention.behind,
        barrier_arrivals: arrivals,
        barrier_waited: waited,
    }
}

fn advice(advice: Advice) -> AdviceRow {
    AdviceRow {
        kind: advice.kind.name(),
        at: advice.line.as_ref().map(place),
        cost: advice.cost,
        message: advice.text,
    }
}
