//! Functions that PTX calls and that no PTX defines: CUDA's toolchain brings them.

/// Why a function of the toolchain is not there; `None` for one that is no such function.
pub(super) fn refused(name: &str) -> Option<&'static str> {
    let launches = "kernels do not launch kernels here (dynamic parallelism)";
    match name {
        "vprintf" | "malloc" | "free" => Some("the function has no body in this module"),
        "cudaCGGetIntrinsicHandle" | "cudaCGSynchronize" | "cudaCGGetSize" | "cudaCGGetRank" => {
            Some("grids do not synchronise here")
        }
        _ if name.starts_with("cudaCDP") || name.starts_with("__cudaCDP") => Some(launches),
        "cudaGetParameterBuffer"
        | "cudaGetParameterBufferV2"
        | "cudaLaunchDevice"
        | "cudaLaunchDeviceV2" => Some(launches),
        "__nv_print_float" => Some("the function has no body in this module"),
        _ => None,
    }
}
