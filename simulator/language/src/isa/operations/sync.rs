//! Barriers and fences (PTX ISA 9.7.13.1 to 9.7.13.4, 9.7.13.13); `lower` translates them.
//!
//! `bar` is `barrier.aligned`. A cluster is one block. A grid depends on no other: `griddepcontrol`
//! does nothing. `clusterlaunchcontrol.try_cancel` never gets a block, which may also happen on
//! hardware: each block is launched itself. So the actions of a thread that gets a block are never
//! seen (misses). `.multicast::cluster::all` is for `sm_100a` alone; the table has it as 100. A
//! fence with `.sync_restrict` orders all memory here, not shared memory alone (misses).

use crate::isa::need::need;
use crate::isa::row::{Opcode, structural, unsupported};

/// The family's rows.
pub(in crate::isa) const OPCODES: &[Opcode] = &[
    Opcode {
        name: "bar",
        section: "9.7.13.1",
        operands: "a{, b}",
        summary: "Waits for, arrives at, or reduces over a barrier of the block.",
        needs: &[need(".cta", (7, 8), 50)],
        forms: &[
            structural!("{.cta}(.sync|.arrive)", Bar),
            structural!("{.cta}.red.popc.u32", BarRed),
            structural!("{.cta}.red(.and|.or).pred", BarRed),
            structural!(".warp.sync", Warp(Sync)),
        ],
    },
    Opcode {
        name: "barrier",
        section: "9.7.13.1",
        operands: "a{, b}",
        summary: "Waits for, arrives at, or reduces over a barrier of the block.",
        needs: &[need(".cta", (7, 8), 50)],
        forms: &[
            structural!("{.cta}(.sync|.arrive){.aligned}", Bar),
            structural!("{.cta}.red.popc{.aligned}.u32", BarRed),
            structural!("{.cta}.red(.and|.or){.aligned}.pred", BarRed),
        ],
    },
    Opcode {
        name: "barrier",
        section: "9.7.13.3",
        operands: "",
        summary: "Arrives at, or waits for, the barrier of the cluster, which is one block here.",
        needs: &[need("", (7, 8), 90), need("(.release|.relaxed|.acquire)", (8, 0), 90)],
        forms: &[
            structural!(".cluster.arrive{.release|.relaxed}{.aligned}", ClusterBarrier),
            structural!(".cluster.wait{.acquire}{.aligned}", ClusterBarrier),
        ],
    },
    Opcode {
        name: "membar",
        section: "9.7.13.4",
        operands: "",
        summary: "Orders the memory accesses before it and after it.",
        needs: &[need(".proxy.alias", (7, 5), 60), need(".proxy.async", (8, 0), 90)],
        forms: &[
            structural!("(.cta|.gl|.sys)", Fence),
            structural!(".proxy(.alias|.async)", ProxyFence),
        ],
    },
    Opcode {
        name: "fence",
        section: "9.7.13.4",
        operands: "",
        summary: "Orders the memory accesses before it and after it.",
        needs: &[
            need("", (6, 0), 70),
            need(".proxy.alias", (7, 5), 70),
            need(".cluster", (7, 8), 90),
            need(".proxy.async", (8, 0), 90),
            need("(.acquire|.release)", (8, 6), 90),
        ],
        forms: &[
            structural!("{.sc|.acq_rel|.acquire|.release}(.cta|.cluster|.gpu|.sys)", Fence),
            // The ISA has the order first; ptxas takes both, and CUDA's <cuda/atomic> writes this.
            structural!("(.cta|.cluster|.gpu|.sys)(.sc|.acq_rel)", Fence),
            structural!(".proxy.alias", ProxyFence),
            structural!(".proxy.async{.global|.shared::cta|.shared::cluster}", ProxyFence),
            unsupported!(
                ".proxy.tensormap::generic(.acquire|.release)(.cta|.cluster|.gpu|.sys)",
                "tensor maps are not modelled (PTX ISA 9.7.9.26)"
            ),
            structural!(".acquire.sync_restrict::shared::cluster.cluster", Fence),
            structural!(".release.sync_restrict::shared::cta.cluster", Fence),
            structural!(
                ".proxy.async::generic(.acquire.sync_restrict::shared::cluster.cluster|.release.sync_restrict::shared::cta.cluster)",
                ProxyFence
            ),
        ],
    },
    Opcode {
        name: "fence",
        section: "9.7.13.4",
        operands: "",
        summary: "Orders the making of mbarrier objects before what comes after it.",
        needs: &[need("", (8, 0), 90)],
        forms: &[structural!(".mbarrier_init.release.cluster", Fence)],
    },
    Opcode {
        name: "griddepcontrol",
        section: "9.7.13.13",
        operands: "",
        summary: "Lets dependent grids begin, or waits for those that this one depends on: no effect here.",
        needs: &[need("", (7, 8), 90)],
        forms: &[structural!("(.launch_dependents|.wait)", Nothing)],
    },
    Opcode {
        name: "clusterlaunchcontrol",
        section: "9.7.13.17",
        operands: "[addr], [mbar]",
        summary: "Asks for the work of a block not yet launched: here the answer is that there is \
                  none.",
        needs: &[need("", (8, 6), 100)],
        forms: &[structural!(
            ".try_cancel.async{.shared::cta}.mbarrier::complete_tx::bytes{.multicast::cluster::all}.b128",
            TryCancel
        )],
    },
    Opcode {
        name: "clusterlaunchcontrol",
        section: "9.7.13.17",
        operands: "d, response",
        summary: "Whether work was taken over, and of which block.",
        needs: &[need("", (8, 6), 100)],
        forms: &[
            structural!(".query_cancel.is_canceled.pred.b128", QueryCancel),
            structural!(".query_cancel.get_first_ctaid.v4.b32.b128", QueryCancel),
            structural!(
                ".query_cancel(.get_first_ctaid::x|.get_first_ctaid::y|.get_first_ctaid::z).b32.b128",
                QueryCancel
            ),
        ],
    },
];
