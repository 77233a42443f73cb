//! The barrier of a cluster as data: which lanes have arrived (PTX ISA 9.7.13.3).

use crate::lanes::Mask;

/// The number of the cluster's barrier among the barriers of a block.
pub const CLUSTER_BARRIER: u8 = 16;

/// The address of an mbarrier object that represents the barrier of the cluster.
pub const CLUSTER_OBJECT: u64 = !7;

/// The barrier of a cluster: lanes by warp.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ClusterPhase {
    /// Lanes that have arrived in the present phase.
    pub(in crate::machine) arrived: Vec<Mask>,
    /// Lanes that have arrived in a complete phase, and have not waited for it yet.
    pub(in crate::machine) complete: Vec<Mask>,
}

impl ClusterPhase {
    pub(in crate::machine) fn new(warps: usize) -> ClusterPhase {
        ClusterPhase { arrived: vec![0; warps], complete: vec![0; warps] }
    }
}
