//! Which Python wheels CUDA's own headers come in.
//!
//! NVIDIA publishes the toolkit in parts. Until CUDA 12 the version was part of a package's name
//! (`nvidia-cuda-runtime-cu12`), and `crt/` came with the compiler driver; since CUDA 13 it has its
//! own package.

/// A part of the toolkit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    /// `cuda_fp16.h`, `cooperative_groups.h`, `mma.h`.
    Runtime,
    /// `cuda/`, `cub/`, `thrust/`, `nv/`.
    Cccl,
    /// `crt/`.
    Crt,
    /// `curand_kernel.h`.
    Curand,
}

impl Part {
    /// The package for a version of CUDA, as pip takes it. The headers of the C++ core libraries
    /// and of cuRAND have their own versions.
    fn requirement(self, (major, minor): (u32, u32)) -> String {
        let has_suffix = major <= 12;
        let name = match self {
            Part::Runtime => "nvidia-cuda-runtime",
            Part::Cccl => "nvidia-cuda-cccl",
            Part::Crt if has_suffix => "nvidia-cuda-nvcc",
            Part::Crt => "nvidia-cuda-crt",
            Part::Curand => "nvidia-curand",
        };
        let name = if has_suffix { format!("{name}-cu{major}") } else { name.to_owned() };
        match self {
            Part::Runtime | Part::Crt => format!("'{name}=={major}.{minor}.*'"),
            Part::Cccl | Part::Curand => name,
        }
    }
}

/// The command that fetches CUDA's own headers, `cooperative_groups.h` and `cuda_fp16.h` among
/// them, for a compiler of this version.
///
/// ```
/// use warpsim_nvrtc::pip_headers_command;
///
/// let command = "pip install 'nvidia-cuda-runtime==13.0.*' nvidia-cuda-cccl";
/// assert_eq!(pip_headers_command((13, 0)), command);
/// ```
pub fn pip_headers_command(version: (u32, u32)) -> String {
    install(&[Part::Runtime, Part::Cccl], version)
}

/// The command that fetches a header for a compiler of this version, as an `#include` names it;
/// `None` when it is none of CUDA's.
///
/// ```
/// use warpsim_nvrtc::pip_command_for;
///
/// let command = "pip install 'nvidia-cuda-crt==13.0.*'";
/// assert_eq!(pip_command_for("crt/mma.h", (13, 0)).as_deref(), Some(command));
/// assert_eq!(pip_command_for("mine.h", (13, 0)), None);
/// ```
pub fn pip_command_for(header: &str, version: (u32, u32)) -> Option<String> {
    let parts: &[Part] = match header.split_once('/') {
        Some(("crt", _)) => &[Part::Crt],
        Some(("cuda" | "cub" | "thrust" | "nv", _)) => &[Part::Cccl],
        Some(("cooperative_groups", _)) => &[Part::Runtime, Part::Cccl],
        Some(_) => return None,
        None if header.starts_with("curand") => &[Part::Curand],
        // It reads `crt/mma.h`.
        None if header == "mma.h" => &[Part::Runtime, Part::Crt],
        None if is_of_runtime(header) => &[Part::Runtime, Part::Cccl],
        None => return None,
    };
    Some(install(parts, version))
}

fn is_of_runtime(header: &str) -> bool {
    let begins = ["cuda_", "cooperative_groups.h", "cuComplex.h", "math_constants.h"];
    let sm = header.strip_prefix("sm_").is_some_and(|rest| rest.contains("intrinsics.h"));
    sm || begins.iter().any(|begin| header.starts_with(begin))
        || header.starts_with("vector_")
        || header.starts_with("device_")
}

fn install(parts: &[Part], version: (u32, u32)) -> String {
    let packages: Vec<String> = parts.iter().map(|part| part.requirement(version)).collect();
    format!("pip install {}", packages.join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_header_is_in_the_package_of_its_part_of_the_toolkit() {
        let twelve = |header| pip_command_for(header, (12, 9)).unwrap_or_default();
        assert_eq!(twelve("crt/host_defines.h"), "pip install 'nvidia-cuda-nvcc-cu12==12.9.*'");
        assert_eq!(twelve("cuda/std/array"), "pip install nvidia-cuda-cccl-cu12");
        assert_eq!(twelve("curand_kernel.h"), "pip install nvidia-curand-cu12");
        let both = "pip install 'nvidia-cuda-runtime-cu12==12.9.*' nvidia-cuda-cccl-cu12";
        for header in ["cuda_fp16.h", "cooperative_groups.h", "cooperative_groups/reduce.h"] {
            assert_eq!(twelve(header), both, "{header}");
        }
        let mma = "pip install 'nvidia-cuda-runtime==13.0.*' 'nvidia-cuda-crt==13.0.*'";
        assert_eq!(pip_command_for("mma.h", (13, 0)).as_deref(), Some(mma));
        for header in ["vector", "mine/cuda.h", "mine.h", "iterator", "string.h"] {
            assert_eq!(pip_command_for(header, (13, 0)), None, "{header}");
        }
    }
}
