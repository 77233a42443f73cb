//! A folder that looks like a CUDA toolkit: the headers, libraries and programs that build systems
//! look for ("NVIDIA CUDA Compiler Driver NVCC", and CMake's `FindCUDAToolkit`).
//!
//! The libraries are this command under their names: a link to it, or a linker script where a build
//! system wants an archive (`libcudart_static.a`). Programs find the libraries when they run under
//! `warpsim exec` or with `LD_LIBRARY_PATH`. Build systems start programs outside of it, to try
//! them or to list their tests. So a program that nvcc links knows the folder, as last choice. A
//! program that another compiler links with an archive names the library by its path. Under
//! `warpsim exec` the command that runs the program still comes first.
//!
//! `targets/x86_64-linux` has the folders of headers and libraries, too, because Meson looks there.
//!
//! `warpsim nvcc --install DIR` writes the folder to DIR. Without it, the folder is in the user's
//! cache folder, under the hash of its contents.

use std::env;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};
use warpsim_files::private_folder;

use super::cccl;
use crate::cache::user_cache;
use crate::clang;
use crate::failure::Failure;

/// The version of CUDA that it replaces.
pub(super) const RELEASE: &str = "12.9";
pub(super) const VERSION: &str = "12.9.86";

/// The shared libraries, by the names that the linker looks for and that programs load.
const SHARED: [(&str, &[&str]); 10] = [
    ("libcuda.so", &["libcuda.so.1"]),
    ("libcudart.so", &["libcudart.so.12", "libcudart.so.13"]),
    ("libnvrtc.so", &["libnvrtc.so.12", "libnvrtc.so.13"]),
    ("libnvJitLink.so", &["libnvJitLink.so.12", "libnvJitLink.so.13"]),
    ("libcublas.so", &["libcublas.so.12", "libcublas.so.13"]),
    ("libcublasLt.so", &["libcublasLt.so.12", "libcublasLt.so.13"]),
    ("libcurand.so", &["libcurand.so.10"]),
    ("libcusparse.so", &["libcusparse.so.12"]),
    ("libcufft.so", &["libcufft.so.11", "libcufft.so.12"]),
    ("libnvidia-ml.so", &["libnvidia-ml.so.1"]),
];

/// All names under which programs load the libraries that the command replaces.
pub(crate) fn library_names() -> impl Iterator<Item = &'static str> {
    SHARED
        .into_iter()
        .flat_map(|(name, versions)| std::iter::once(name).chain(versions.iter().copied()))
}

/// Archives, and the libraries that replace them. The device runtime's functions are known without.
const ARCHIVES: [(&str, Option<&str>); 10] = [
    ("libcudart_static.a", Some("cudart")),
    ("libcudadevrt.a", None),
    ("libnvrtc_static.a", Some("nvrtc")),
    ("libnvJitLink_static.a", Some("nvJitLink")),
    ("libcublas_static.a", Some("cublas")),
    ("libcublasLt_static.a", Some("cublasLt")),
    ("libcurand_static.a", Some("curand")),
    ("libcufft_static.a", Some("cufft")),
    ("libcusparse_static.a", Some("cusparse")),
    ("libculibos.a", None),
];

/// The folder of NVIDIA's C++ libraries below the folder of the headers, as in toolkits of CUDA 13.
const CCCL: &str = "cccl";

/// Its folders.
const IN_CCCL: [&str; 4] = ["cub", "cuda", "nv", "thrust"];

/// The folders below `targets`, by the machine that programs are for.
#[cfg(target_arch = "aarch64")]
const TARGETS: [&str; 2] = ["aarch64-linux", "sbsa-linux"];
#[cfg(not(target_arch = "aarch64"))]
const TARGETS: [&str; 1] = ["x86_64-linux"];

/// The file by which a folder of ours is known.
const MARK: &str = "warpsim";

/// This many links may lead from the name of a program to one in a toolkit.
const LINKS: usize = 8;

/// A toolkit on this machine.
#[derive(Clone, Debug)]
pub(crate) struct Toolkit {
    pub(crate) root: PathBuf,
}

impl Toolkit {
    /// The toolkit that the program of this path belongs to, or else the one in the user's cache.
    /// The latter is made if it is not there.
    ///
    /// # Errors
    /// It cannot be written.
    pub(crate) fn of(program: Option<&Path>) -> Result<Toolkit, Failure> {
        let beside = program.and_then(|program| beside(&found(program)?));
        match beside {
            Some(root) => Ok(Toolkit { root }),
            None => Toolkit::cached(),
        }
    }

    fn cached() -> Result<Toolkit, Failure> {
        let command = env::current_exe().map_err(|error| failed(&"this command", &error))?;
        let mut hash = Sha256::new();
        clang::header_texts().for_each(|(name, text)| hash.update(format!("{name}\n{text}\n")));
        hash.update(command.as_os_str().as_encoded_bytes());
        let hash: String = hash.finalize().iter().take(8).map(|b| format!("{b:02x}")).collect();
        let cache = user_cache().unwrap_or_else(env::temp_dir).join("warpsim");
        let root = cache.join(format!("toolkit-{hash}"));
        if !root.join(MARK).is_file() {
            make_beside(&root, &command).map_err(|error| failed(&root.display(), &error))?;
        }
        Ok(Toolkit { root })
    }

    /// Writes one into a folder.
    ///
    /// # Errors
    /// It cannot be written, or something else is there.
    pub(super) fn install(root: &Path) -> Result<(), Failure> {
        let is_empty = root.read_dir().is_ok_and(|mut entries| entries.next().is_none());
        if root.exists() && !is_empty && !root.join(MARK).is_file() {
            return Err(Failure::usage_with_help(
                format!("{}: this folder holds other files", root.display()),
                "name an empty folder, or one that does not exist",
            ));
        }
        let command = env::current_exe().map_err(|error| failed(&"this command", &error))?;
        write(root, root, &command).map_err(|error| failed(&root.display(), &error))?;
        let Some(libraries) = cccl::found() else { return Ok(()) };
        let include = root.join("include");
        // Where CUDA 13 has them, and where CUDA 12 has them.
        let links = IN_CCCL.iter().map(|name| (libraries.join(name), include.join(name)));
        let mut links = links.chain([(libraries.clone(), include.join(CCCL))]);
        let linked = links.try_for_each(|(to, at)| link(&to, &at));
        linked.map_err(|error| failed(&root.display(), &error))
    }

    pub(crate) fn include(&self) -> PathBuf {
        self.root.join("include")
    }

    /// Where NVIDIA's C++ libraries are: those that this run names, else those that the folder was
    /// installed with.
    pub(super) fn cccl(&self) -> Option<PathBuf> {
        let installed = self.include().join(CCCL);
        cccl::named().or_else(|| installed.is_dir().then_some(installed))
    }

    pub(super) fn libraries(&self) -> PathBuf {
        self.root.join("lib64")
    }
}

/// The path of a program, as the shell finds it: one without a folder is looked for in `PATH`.
fn found(program: &Path) -> Option<PathBuf> {
    if program.components().count() > 1 {
        return std::path::absolute(program).ok();
    }
    let folders = env::var_os("PATH")?;
    let mut all = env::split_paths(&folders).map(|folder| folder.join(program));
    std::path::absolute(all.find(|path| path.is_file())?).ok()
}

/// The toolkit in whose `bin` a program is. Links are followed one by one: the program is a link
/// itself, and so may the name be by which it was started.
fn beside(program: &Path) -> Option<PathBuf> {
    let mut path = program.to_owned();
    for _ in 0..LINKS {
        let root = path.parent()?.parent()?;
        if root.join(MARK).is_file() {
            return Some(root.to_owned());
        }
        path = path.parent()?.join(fs::read_link(&path).ok()?);
    }
    None
}

fn failed(what: &dyn std::fmt::Display, error: &io::Error) -> Failure {
    Failure::usage(format!("{what}: {error}"))
}

/// Makes it beside its place and renames it: another process may do the same.
fn make_beside(root: &Path, command: &Path) -> io::Result<()> {
    let parent = root.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(parent)?;
    let made = tempfile::Builder::new().prefix("toolkit-").tempdir_in(parent)?;
    write(made.path(), root, command)?;
    match fs::rename(made.path(), root) {
        Ok(()) => {
            let _ = made.keep();
            Ok(())
        }
        Err(_) if root.join(MARK).is_file() => Ok(()),
        Err(error) => Err(error),
    }
}

/// Writes the folder at `root`, which will be at `home`.
fn write(root: &Path, home: &Path, command: &Path) -> io::Result<()> {
    let home = std::path::absolute(home)?.join("lib64");
    let (bin, libraries) = (root.join("bin"), root.join("lib64"));
    for folder in [&bin, &libraries, &root.join("nvvm/libdevice"), &root.join("lib64/stubs")] {
        fs::create_dir_all(folder)?;
    }
    clang::write_headers(&root.join("include"))?;
    for program in ["nvcc", "ptxas"] {
        link(command, &bin.join(program))?;
    }
    library_names().try_for_each(|name| link(command, &libraries.join(name)))?;
    for stub in ["libcuda.so", "libnvidia-ml.so"] {
        link(command, &libraries.join("stubs").join(stub))?;
    }
    // Build systems look in either folder.
    link(Path::new("lib64"), &root.join("lib"))?;
    for (name, stands_for) in ARCHIVES {
        // An archive without members is one for every linker.
        let text = stands_for.map_or_else(|| "!<arch>\n".to_owned(), |l| script(&home, l));
        fs::write(libraries.join(name), text)?;
    }
    for target in TARGETS {
        let folder = root.join("targets").join(target);
        fs::create_dir_all(&folder)?;
        link(Path::new("../../include"), &folder.join("include"))?;
        link(Path::new("../../lib64"), &folder.join("lib"))?;
    }
    fs::write(root.join("version.json"), versions())?;
    fs::write(root.join(MARK), format!("{}\n", env!("CARGO_PKG_VERSION")))
}

#[cfg(unix)]
use std::os::unix::fs::symlink;

/// Where there are no such links there is no `warpsim exec` either.
#[cfg(not(unix))]
fn symlink(_: &Path, _: &Path) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

/// A link, in the place of one that was there.
fn link(to: &Path, at: &Path) -> io::Result<()> {
    if at.is_symlink() {
        fs::remove_file(at)?;
    }
    symlink(to, at)
}

/// The linker's script for an archive: the library that replaces it, by its path. A program that
/// needs a library by its path finds it without a search.
fn script(libraries: &Path, library: &str) -> String {
    format!("INPUT ( \"{}/lib{library}.so\" )\n", libraries.display())
}

/// `version.json`, as far as build systems read it.
fn versions() -> String {
    let part = |name: &str| serde_json::json!({ "name": name, "version": VERSION });
    let all = serde_json::json!({
        "cuda": { "name": "CUDA SDK", "version": VERSION },
        "cuda_cudart": part("CUDA Runtime (cudart)"),
        "cuda_nvcc": part("CUDA NVCC"),
    });
    format!("{all:#}\n")
}

/// A folder for what compilers write on the way.
///
/// # Errors
/// There is none to be had.
pub(super) fn scratch() -> Result<warpsim_files::TempDir, Failure> {
    private_folder("warpsim-nvcc-").map_err(|error| failed(&"a temporary folder", &error))
}
