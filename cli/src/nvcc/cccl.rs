//! The place of NVIDIA's C++ libraries (Thrust, CUB, libcu++: the "CUDA Core Compute Libraries").
//! They are headers with their own licence and no part of warpsim.
//!
//! The environment variable `WARPSIM_CCCL` names the folder with `thrust`, `cub` and `cuda/std`.
//! Without it they are looked for where `pip install nvidia-cuda-cccl` puts them: in the active
//! environment (`VIRTUAL_ENV`), else in the environment of `python3`.

use std::env;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The environment variable that names their folder.
pub(super) const VARIABLE: &str = "WARPSIM_CCCL";

/// What the folder of the libraries has.
const PROOF: &str = "cuda/std/cstddef";

/// Below the packages of Python, where wheels have them.
const IN_WHEELS: [&str; 4] = [
    "nvidia/cu13/include/cccl",
    "nvidia/cuda_cccl/include/cccl",
    "nvidia/cuda_cccl/include",
    "nvidia/cu13/include",
];

/// The folder that a variable or an environment names, without a program that has to be asked.
pub(super) fn named() -> Option<PathBuf> {
    if let Some(folder) = env::var_os(VARIABLE) {
        return Some(PathBuf::from(folder)).filter(|folder| folder.join(PROOF).is_file());
    }
    let environment = PathBuf::from(env::var_os("VIRTUAL_ENV")?);
    let versions = environment.join("lib").read_dir().ok()?.flatten();
    versions.map(|version| version.path().join("site-packages")).find_map(|p| in_packages(&p))
}

/// The folder, also in the environment of `python3`.
pub(super) fn found() -> Option<PathBuf> {
    named().or_else(|| {
        let code = "import sysconfig; print(sysconfig.get_path('purelib'))";
        let mut python = Command::new("python3");
        let said = python.args(["-c", code]).stdin(Stdio::null()).output().ok()?;
        in_packages(Path::new(String::from_utf8_lossy(&said.stdout).trim()))
    })
}

fn in_packages(packages: &Path) -> Option<PathBuf> {
    let folders = IN_WHEELS.iter().map(|folder| packages.join(folder));
    folders.into_iter().find(|folder| folder.join(PROOF).is_file())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking, in its helpers too")]

    use super::*;

    #[test]
    fn the_folder_is_the_one_of_a_wheel_that_has_the_libraries() {
        let packages = tempfile::tempdir().unwrap();
        assert_eq!(in_packages(packages.path()), None);
        let folder = packages.path().join("nvidia/cuda_cccl/include");
        std::fs::create_dir_all(folder.join("cuda/std")).unwrap();
        assert_eq!(in_packages(packages.path()), None);
        std::fs::write(folder.join(PROOF), "").unwrap();
        assert_eq!(in_packages(packages.path()), Some(folder));
    }
}
