//! The table of symbols, and the symbol that a name means (CUDA driver API, "Driver Entry Point
//! Access").
//!
//! A function whose signature changed has a symbol for each signature, with a number at its end.
//! The program's CUDA version decides which one it means: the last symbol that existed in that
//! version.

use std::collections::BTreeMap;
use std::ffi::c_void;
use std::sync::OnceLock;

use warpsim_driver_core::{Answer, CudaError};

use crate::{
    blas, cupti, fft, functions, graphs, jit_link, management, nvrtc, random, runtime, sparse,
};

/// Symbols with a number at their ends, and the versions of CUDA in which they came; from
/// cudaTypedefs.h. Functions that are not named came with CUDA 3.2. Some came with CUDA 4 and do
/// the same as the ones before them.
const SINCE: &[(&str, i32)] = &[
    ("cuCtxCreate_v3", 11_040),
    ("cuCtxCreate_v4", 12_050),
    ("cuCtxGetDevice_v2", 13_000),
    ("cuCtxSynchronize_v2", 13_000),
    ("cuDeviceGetUuid_v2", 11_040),
    ("cuDevicePrimaryCtxRelease_v2", 11_000),
    ("cuDevicePrimaryCtxReset_v2", 11_000),
    ("cuDevicePrimaryCtxSetFlags_v2", 11_000),
    ("cuEventElapsedTime_v2", 12_080),
    ("cuGetProcAddress_v2", 12_000),
    ("cuGraphAddDependencies_v2", 12_030),
    ("cuGraphAddKernelNode_v2", 12_000),
    ("cuGraphAddNode_v2", 12_030),
    ("cuGraphAddNode_v3", 13_040),
    ("cuGraphExecKernelNodeSetParams_v2", 12_000),
    ("cuGraphExecUpdate_v2", 12_000),
    ("cuGraphGetEdges_v2", 12_030),
    ("cuGraphInstantiate_v2", 11_000),
    ("cuGraphKernelNodeGetParams_v2", 12_000),
    ("cuGraphKernelNodeSetParams_v2", 12_000),
    ("cuGraphNodeGetDependencies_v2", 12_030),
    ("cuGraphNodeGetDependentNodes_v2", 12_030),
    ("cuGraphNodeSetParams_v2", 13_040),
    ("cuGraphRemoveDependencies_v2", 12_030),
    ("cuIpcOpenMemHandle_v2", 11_000),
    ("cuLaunchHostFunc_v2", 13_010),
    ("cuLinkAddData_v2", 6_050),
    ("cuLinkAddFile_v2", 6_050),
    ("cuLinkCreate_v2", 6_050),
    ("cuMemAdvise_v2", 12_020),
    ("cuMemHostRegister_v2", 6_050),
    ("cuMemPrefetchAsync_v2", 12_020),
    ("cuMemcpy3DBatchAsync_v2", 13_000),
    ("cuMemcpyBatchAsync_v2", 13_000),
    ("cuMulticastBindAddr_v2", 13_010),
    ("cuMulticastBindMem_v2", 13_010),
    ("cuStreamBatchMemOp_v2", 11_070),
    ("cuStreamBeginCapture_v2", 10_010),
    ("cuStreamGetCaptureInfo_v2", 11_030),
    ("cuStreamGetCaptureInfo_v3", 12_030),
    ("cuStreamGetCtx_v2", 12_050),
    ("cuStreamUpdateCaptureDependencies_v2", 12_030),
    ("cuStreamWaitValue32_v2", 11_070),
    ("cuStreamWaitValue64_v2", 11_070),
    ("cuStreamWriteValue32_v2", 11_070),
    ("cuStreamWriteValue64_v2", 11_070),
    ("cuTexRefSetAddress2D_v3", 4_010),
];

/// The version in which sizes and addresses became wide: the functions that are not named above.
const WIDE: i32 = 3_020;

/// Most numbers that a symbol ends in.
const VERSIONS: u32 = 4;

fn all() -> impl Iterator<Item = (&'static str, usize)> {
    let of_cuda = functions::table().chain(graphs::table()).chain(runtime::table());
    let of_compilers = jit_link::table().into_iter().chain(nvrtc::table());
    of_cuda
        .chain(of_compilers)
        .chain(blas::table())
        .chain(random::table())
        .chain(fft::table())
        .chain(sparse::table())
        .chain(cupti::table())
        .chain(management::table())
}

/// All symbols with their addresses.
pub(crate) fn table() -> &'static BTreeMap<&'static str, usize> {
    static TABLE: OnceLock<BTreeMap<&'static str, usize>> = OnceLock::new();
    TABLE.get_or_init(|| all().collect())
}

/// The function that a name means to a program of this version of CUDA.
///
/// # Errors
/// Flags or a version that there are not.
pub(crate) fn find(name: &str, version: i32, flags: u64) -> Answer<Option<*const c_void>> {
    if flags > 2 || version < 0 {
        return Err(CudaError::InvalidValue);
    }
    let is_per_thread = flags == 2;
    let symbol = symbol(name, version, is_per_thread, |symbol| table().contains_key(symbol));
    let address = symbol.and_then(|symbol| table().get(symbol.as_str()).copied());
    Ok(address.map(std::ptr::with_exposed_provenance))
}

/// The symbol, of those that `is_there` knows.
fn symbol(
    name: &str,
    version: i32,
    is_per_thread: bool,
    is_there: impl Fn(&str) -> bool,
) -> Option<String> {
    let numbered = (2..=VERSIONS).rev().map(|number| format!("{name}_v{number}"));
    let since = |symbol: &str| SINCE.iter().find(|(s, _)| *s == symbol).map_or(WIDE, |(_, v)| *v);
    let numbered = numbered.into_iter().filter(|symbol| since(symbol) <= version);
    let found = numbered.chain([name.to_owned()]).find(|symbol| is_there(symbol))?;
    let ends = ["_ptsz", "_ptds"].map(|end| format!("{found}{end}"));
    let of_thread = ends.into_iter().find(|symbol| is_per_thread && is_there(symbol));
    Some(of_thread.unwrap_or(found))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_means_the_last_signature_that_the_program_can_know() {
        let named = |name: &str, version: i32, is_per_thread: bool| {
            symbol(name, version, is_per_thread, |symbol| table().contains_key(symbol))
        };
        for (name, version, per_thread, wanted) in [
            ("cuMemAlloc", 12_000, false, "cuMemAlloc_v2"),
            ("cuCtxCreate", 11_000, false, "cuCtxCreate_v2"),
            ("cuCtxCreate", 12_000, false, "cuCtxCreate_v3"),
            ("cuCtxCreate", 13_000, false, "cuCtxCreate_v4"),
            ("cuMemcpyHtoD", 12_000, true, "cuMemcpyHtoD_v2_ptds"),
            ("cuMemcpyHtoDAsync", 12_000, true, "cuMemcpyHtoDAsync_v2_ptsz"),
            ("cuLaunchKernel", 12_000, true, "cuLaunchKernel_ptsz"),
            ("cuLaunchKernel", 12_000, false, "cuLaunchKernel"),
            ("cuInit", 12_000, true, "cuInit"),
            // The first ones, and where they gave way.
            ("cuMemAlloc", 3_010, false, "cuMemAlloc"),
            ("cuMemAlloc", 3_020, false, "cuMemAlloc_v2"),
            ("cuCtxCreate", 2_000, false, "cuCtxCreate"),
            ("cuStreamBeginCapture", 10_000, false, "cuStreamBeginCapture"),
            ("cuStreamBeginCapture", 10_010, false, "cuStreamBeginCapture_v2"),
            ("cuGraphInstantiate", 10_000, false, "cuGraphInstantiate"),
            ("cuLaunchHostFunc", 13_000, false, "cuLaunchHostFunc"),
        ] {
            assert_eq!(named(name, version, per_thread).as_deref(), Some(wanted), "{name}");
        }
        assert_eq!(named("cuNoSuchFunction", 13_000, false), None);
        assert_eq!(find("cuInit", 12_000, 3), Err(CudaError::InvalidValue));
    }

    #[test]
    fn every_symbol_that_came_later_is_there_and_no_two_share_an_address() {
        for (symbol, _) in SINCE {
            assert!(table().contains_key(symbol), "{symbol}");
        }
        assert_eq!(all().count(), table().len(), "a symbol stands twice");
    }

    /// The functions of NVIDIA's runtime of CUDA 12 (12.4 and 12.9) and 13 (13.5), a line each: the
    /// name, and which have it.
    const SYMBOLS: &str = include_str!("runtime/symbols.txt");

    #[test]
    fn every_function_of_both_runtimes_is_there_and_in_that_version_in_which_it_is() {
        for line in SYMBOLS.lines() {
            let words: Vec<&str> = line.split(' ').collect();
            let [name, twelve, thirteen] = words[..] else { panic!("{line}") };
            let of_all = table().contains_key(name);
            for (version, sets_off) in [(twelve, "@@"), (thirteen, "@")] {
                let versioned = format!("{name}{sets_off}libcudart.so.{version}");
                assert!(
                    version == "--" || of_all || table().contains_key(versioned.as_str()),
                    "{line}"
                );
            }
        }
        assert_eq!(SYMBOLS.lines().count(), 488, "the list is whole");
    }
}
