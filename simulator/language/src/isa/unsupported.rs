//! Known instructions that do not run here: each with its section and the reason.
//!
//! Any modifiers are accepted, so that a program is told what is missing, not that it is wrong.

use super::row::{Opcode, unsupported};

/// An opcode none of whose forms run.
macro_rules! refused {
    ($name:literal, $section:literal, $summary:literal, $reason:expr) => {
        Opcode {
            name: $name,
            section: $section,
            operands: "",
            summary: $summary,
            needs: &[],
            forms: &[unsupported!("*", $reason)],
        }
    };
}

const TENSOR: &str = "tensor-core instructions are not modelled";
const TEXTURE: &str = "textures and surfaces are not modelled";
const ASYNC_COPY: &str = "asynchronous copies are not modelled";
const MBARRIER: &str = "mbarrier objects are not modelled";
const CLUSTER: &str = "thread block clusters are not modelled";
const GRIDS: &str = "dependent grids are not modelled";

/// The family's rows, by section.
pub(super) const OPCODES: &[Opcode] = &[
    refused!("mapa", "9.7.9.23", "Maps a shared address to another block of the cluster.", CLUSTER),
    refused!("getctarank", "9.7.9.24", "The rank of the block that owns an address.", CLUSTER),
    refused!(
        "multimem",
        "9.7.9.14",
        "Operates on multimem addresses.",
        "multimem addresses are not modelled"
    ),
    refused!("tensormap", "9.7.9.26", "Changes a tensor map.", ASYNC_COPY),
    refused!("tex", "9.7.10.3", "Looks up a texture.", TEXTURE),
    refused!("tld4", "9.7.10.4", "Gathers four texels.", TEXTURE),
    refused!("txq", "9.7.10.5", "Queries a texture.", TEXTURE),
    refused!("istypep", "9.7.10.6", "Asks for the kind of an opaque reference.", TEXTURE),
    refused!("suld", "9.7.11.1", "Loads from a surface.", TEXTURE),
    refused!("sust", "9.7.11.2", "Stores to a surface.", TEXTURE),
    refused!("sured", "9.7.11.3", "Reduces into a surface.", TEXTURE),
    refused!("suq", "9.7.11.4", "Queries a surface.", TEXTURE),
    refused!("griddepcontrol", "9.7.13.13", "Controls dependent grids.", GRIDS),
    refused!("mbarrier", "9.7.13.15", "Operates on an mbarrier object.", MBARRIER),
    refused!(
        "clusterlaunchcontrol",
        "9.7.13.17",
        "Takes over the work of a block not yet launched.",
        CLUSTER
    ),
    refused!("wmma", "9.7.14.4", "Multiplies matrices of a warp.", TENSOR),
    refused!("mma", "9.7.14.5", "Multiplies matrices of a warp.", TENSOR),
    refused!("ldmatrix", "9.7.14.5", "Loads a matrix of a warp.", TENSOR),
    refused!("stmatrix", "9.7.14.5", "Stores a matrix of a warp.", TENSOR),
    refused!("wgmma", "9.7.15", "Multiplies matrices of a warp group.", TENSOR),
    refused!("tcgen05", "9.7.16", "Multiplies matrices in tensor memory.", TENSOR),
];
