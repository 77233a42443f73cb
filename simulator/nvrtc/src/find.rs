//! Where NVRTC may be.
//!
//! Nothing is opened here: a [`Found`] is a file of the right name, by its absolute path. Linux
//! only: the libraries are called `libnvrtc.so`, with a version behind it. The current directory is
//! searched only if it is given.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};

use crate::error::NvrtcError;
use crate::libraries::{self, absolute};

mod python;
mod tree;

use tree::{folders_below, libraries_in};

/// What the library is called, without its version.
const NVRTC: &str = "libnvrtc.so";

/// The environment variable that names the library as `--nvrtc` does, or is `none`.
const VARIABLE: &str = "WARPSIM_NVRTC";

/// Why a library is looked for where it is, in the order in which they are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Place {
    /// A path was given: the library, a folder that holds it, a virtual environment, a toolkit.
    Given,
    /// `LD_LIBRARY_PATH`.
    LibraryPath,
    /// A wheel in the packages of a Python.
    Wheel,
    /// A CUDA toolkit, or a distribution's package of it.
    Toolkit,
    /// A folder that the system's loader looks through.
    System,
}

impl Place {
    /// In words: `a Python wheel`.
    pub fn words(self) -> &'static str {
        match self {
            Place::Given => "the path that was given",
            Place::LibraryPath => "LD_LIBRARY_PATH",
            Place::Wheel => "a Python wheel",
            Place::Toolkit => "a CUDA toolkit",
            Place::System => "the system's loader",
        }
    }
}

/// A library that may be NVRTC.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Found {
    /// Its path, which is absolute.
    pub library: PathBuf,
    /// Why it was looked for there.
    pub place: Place,
}

impl Found {
    /// The folder of the library itself, behind links.
    fn folder(&self) -> Option<PathBuf> {
        let library = fs::canonicalize(&self.library).ok()?;
        library.parent().map(Path::to_owned)
    }

    /// The libraries that this one looks for by their names alone.
    pub(crate) fn builtins(&self) -> Vec<PathBuf> {
        self.folder().map(|folder| tree::builtins_in(&folder)).unwrap_or_default()
    }

    /// The folders of CUDA's own headers that came with it, where they did.
    pub fn headers(&self) -> Vec<PathBuf> {
        let Some(folder) = self.folder() else { return Vec::new() };
        // `nvidia/cu13/lib`, `lib64` and `targets/x86_64-linux/lib` have `include` beside them. The
        // wheels of CUDA 12 have a folder for each part of the toolkit. A wheel of another version
        // may have one too, so only folders of the same kind count.
        let is_in_parts = folder.parent().is_some_and(|part| part.ends_with("cuda_nvrtc"));
        let parts: &[&str] = match is_in_parts {
            true => &["../../cuda_runtime/include", "../../cuda_cccl/include"],
            false => &["../include"],
        };
        let mut headers: Vec<PathBuf> = Vec::new();
        for part in parts {
            let Ok(include) = fs::canonicalize(folder.join(part)) else { continue };
            let has = |name: &str| include.join(name).exists();
            if has("cuda_runtime.h") || has("cuda/std") {
                headers.push(include.clone());
            }
            if has("cccl") {
                headers.push(include.join("cccl"));
            }
        }
        headers
    }
}

/// Where to look.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Search {
    /// The only place to look at, where it is given.
    pub given: Option<PathBuf>,
    /// The folders of `LD_LIBRARY_PATH`.
    pub library_path: Vec<PathBuf>,
    /// Folders of Python packages.
    pub packages: Vec<PathBuf>,
    /// Whether to ask the Python on the `PATH` for its packages when no wheel is in those folders.
    pub ask_python: bool,
    /// Roots of toolkits, and folders of libraries.
    pub toolkits: Vec<PathBuf>,
    /// The folders that the system's loader looks through.
    pub system: Vec<PathBuf>,
}

impl Search {
    /// The usual places of this machine, or only the path that was given. Without one, the
    /// environment variable `WARPSIM_NVRTC` may give it; `none` there finds nothing.
    pub fn of_process(given: Option<&Path>) -> Search {
        let variable = env::var_os(VARIABLE).filter(|value| !value.is_empty());
        match (given, variable) {
            (Some(path), _) => Search { given: Some(path.to_owned()), ..Search::default() },
            (None, Some(value)) if value == "none" => Search::default(),
            (None, Some(value)) => Search { given: Some(value.into()), ..Search::default() },
            (None, None) => Search::usual(),
        }
    }

    /// The usual places of this machine, whatever variables say of NVRTC.
    pub fn usual() -> Search {
        Search {
            given: None,
            library_path: libraries::asked_for(),
            packages: python::packages(),
            ask_python: true,
            toolkits: toolkits(),
            system: libraries::of_the_system(),
        }
    }

    /// The compilers that are there, the first choice first.
    ///
    /// # Errors
    /// [`NvrtcError::NotFound`] where nothing is, or not at the path that was given.
    pub fn found(&self) -> Result<Vec<Found>, NvrtcError> {
        if let Some(path) = &self.given {
            // The loader takes a name without a folder for one that it knows.
            let path = &std::path::absolute(path).unwrap_or_else(|_| path.clone());
            let found = if path.is_file() { vec![path.clone()] } else { below(path, NVRTC) };
            let found: Vec<Found> = found.into_iter().map(at(Place::Given)).collect();
            return match found.is_empty() {
                true => Err(NvrtcError::NotFound { given: Some(path.clone()) }),
                false => Ok(found),
            };
        }
        let found = self.libraries(NVRTC);
        if found.is_empty() { Err(NvrtcError::NotFound { given: None }) } else { Ok(found) }
    }

    /// The libraries of another name that lie where NVRTC does, such as `libnvJitLink.so`, with or
    /// without a version behind it; the first choice first. A path that was given is not looked at.
    pub fn libraries(&self, name: &str) -> Vec<Found> {
        let mut found: Vec<Found> = Vec::new();
        let in_path = self.library_path.iter().flat_map(|folder| libraries_in(folder, name));
        found.extend(in_path.map(at(Place::LibraryPath)));
        let mut wheels: Vec<PathBuf> = self.packages.iter().flat_map(|p| below(p, name)).collect();
        if wheels.is_empty() && self.ask_python {
            wheels = python::asked().iter().flat_map(|p| below(p, name)).collect();
        }
        found.extend(wheels.into_iter().map(at(Place::Wheel)));
        let toolkits = self.toolkits.iter().flat_map(|root| below(root, name));
        found.extend(toolkits.map(at(Place::Toolkit)));
        let system = self.system.iter().flat_map(|folder| libraries_in(folder, name));
        found.extend(system.map(at(Place::System)));
        distinct(found)
    }
}

fn at(place: Place) -> impl Fn(PathBuf) -> Found {
    move |library| Found { library, place }
}

fn below(root: &Path, name: &str) -> Vec<PathBuf> {
    folders_below(root).iter().flat_map(|folder| libraries_in(folder, name)).collect()
}

/// The same without those that are another's file under another name.
fn distinct(found: Vec<Found>) -> Vec<Found> {
    let mut files: Vec<PathBuf> = Vec::new();
    let is_new = |found: &Found| {
        let file = fs::canonicalize(&found.library).unwrap_or_else(|_| found.library.clone());
        let is_new = !files.contains(&file);
        files.push(file);
        is_new
    };
    found.into_iter().filter(is_new).collect()
}

/// Roots of toolkits, those that variables name first, and distributions' folders.
fn toolkits() -> Vec<PathBuf> {
    let named = ["CUDA_PATH", "CUDA_HOME", "CONDA_PREFIX"];
    let mut roots: Vec<PathBuf> = named.iter().filter_map(env::var_os).map(PathBuf::from).collect();
    roots.push("/usr/local/cuda".into());
    roots.extend(tree::children(Path::new("/usr/local"), "cuda-"));
    let folders = [
        "/opt/cuda",
        "/usr/lib/cuda",
        "/usr/lib/x86_64-linux-gnu",
        "/usr/lib/aarch64-linux-gnu",
        "/usr/lib64",
        "/run/opengl-driver/lib",
    ];
    roots.extend(folders.iter().map(PathBuf::from));
    absolute(roots)
}
