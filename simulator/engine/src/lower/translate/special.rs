//! The special registers by name (PTX ISA chapter 10).
//!
//! warpsim runs no clusters of several blocks and no graphs. Their registers read as for a grid of
//! single-block clusters without explicit clusters. Performance counters and environment registers
//! read as zero, except for the two that lead to the workspace of a cooperative launch.

use crate::lower::operations::operation::SpecialRegister;

/// The special register `name`, or its element `name.member`.
pub(in crate::lower) fn special_register(
    name: &str,
    member: Option<&str>,
) -> Option<SpecialRegister> {
    use SpecialRegister::*;
    let component = match member {
        None => return scalar(name.strip_prefix('%')?),
        Some("x") => 0,
        Some("y") => 1,
        Some("z") => 2,
        // The fourth element is unused and reads as zero.
        Some("w") => return special_register(name, Some("x")).map(|_| Zero),
        Some(_) => return None,
    };
    Some(match name {
        "%tid" => Tid(component),
        "%ntid" => Ntid(component),
        "%ctaid" | "%clusterid" => Ctaid(component),
        "%nctaid" | "%nclusterid" => Nctaid(component),
        "%cluster_ctaid" => Zero,
        "%cluster_nctaid" => One,
        _ => return None,
    })
}

fn scalar(name: &str) -> Option<SpecialRegister> {
    use SpecialRegister::*;
    Some(match name {
        "laneid" => Laneid,
        "warpid" => Warpid,
        "nwarpid" => Nwarpid,
        "smid" => Smid,
        "nsmid" => Nsmid,
        "gridid" => Gridid,
        "lanemask_eq" => LanemaskEq,
        "lanemask_le" => LanemaskLe,
        "lanemask_lt" => LanemaskLt,
        "lanemask_ge" => LanemaskGe,
        "lanemask_gt" => LanemaskGt,
        "clock" | "clock64" => Clock,
        "clock_hi" => ClockHi,
        "globaltimer" | "globaltimer_lo" => Globaltimer,
        "globaltimer_hi" => GlobaltimerHi,
        "total_smem_size" => TotalSharedSize,
        "aggr_smem_size" => AggregateSharedSize,
        "dynamic_smem_size" => DynamicSharedSize,
        "cluster_ctarank"
        | "is_explicit_cluster"
        | "current_graph_exec"
        | "reserved_smem_offset_begin"
        | "reserved_smem_offset_0"
        | "reserved_smem_offset_1" => Zero,
        "reserved_smem_offset_end" => ReservedSharedEnd,
        "reserved_smem_offset_cap" => ReservedSharedCapacity,
        "cluster_nctarank" => One,
        // The environment registers that CUDA's headers read, as NVRTC compiles `grid.sync()`.
        "envreg1" => WorkspaceHigh,
        "envreg2" => WorkspaceLow,
        // The registers that `ptx::link` provides for kernels that start kernels.
        "envreg3" => LaunchQueueHigh,
        "envreg4" => LaunchQueueLow,
        _ if numbered(name, "envreg", 32) || numbered(name, "pm", 8) => Zero,
        _ => return None,
    })
}

/// `PREFIX` followed by a number below `count`.
fn numbered(name: &str, prefix: &str, count: u32) -> bool {
    name.strip_prefix(prefix)
        .map(|n| n.trim_end_matches("_64"))
        .and_then(|n| n.parse::<u32>().ok())
        .is_some_and(|n| n < count)
}
