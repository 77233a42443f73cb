//! From objects to a program or a library: the host's linker, by way of the host's compiler.

use std::path::{Path, PathBuf};

use super::request::{Input, Kind, Request, Runtime};
use super::steps::Step;
use super::toolkit::Toolkit;

/// The system's libraries that the runtime library needs, as in nvcc.
const OF_RUNTIME: [&str; 3] = ["-lrt", "-lpthread", "-ldl"];

/// The step that links. `objects` are the objects of the sources, in the same order. `linked` has
/// the device code of all. `openmp` is clang's library of OpenMP, if there is one.
pub(super) fn step(
    request: &Request,
    (toolkit, host, openmp): (&Toolkit, &Path, Option<&Path>),
    objects: &[PathBuf],
    linked: Option<&Path>,
    to: &Path,
) -> Step {
    let mut step = Step::new(host);
    step.add(["-o"]).add_path(to);
    step.add(request.flags.shared.then_some("-shared"));
    step.add(request.flags.profile.then_some("-pg"));
    // clang's objects need its own library of OpenMP. This also has what gcc's objects need.
    let is_openmp = |word: &&String| word.starts_with("-fopenmp");
    step.add(request.host.iter().filter(|word| !is_openmp(word)).map(String::as_str));
    let mut objects = objects.iter();
    let mut libraries = Vec::new();
    for input in &request.inputs {
        match input {
            Input::File(file, Kind::Linkable) => _ = step.add_path(file),
            Input::File(_, Kind::Cuda | Kind::Cpp | Kind::C | Kind::Ptx) => {
                objects.next().into_iter().for_each(|object| _ = step.add_path(object));
            }
            Input::LibraryFolder(folder) => _ = step.add([format!("-L{}", folder.display())]),
            // `--whole-archive` and similar options keep their place.
            Input::Linker(word) => _ = step.add(["-Xlinker", word]),
            // Behind all objects, which need them.
            Input::Library(name) => libraries.push(format!("-l{name}")),
        }
    }
    linked.into_iter().for_each(|linked| _ = step.add_path(linked));
    step.add(libraries);
    step.add([folder_of(toolkit)]);
    if request.runtime != Runtime::None {
        // What `LD_LIBRARY_PATH` says comes first, with the new form of the entry.
        let folder = toolkit.libraries().display().to_string();
        step.add(["-Xlinker", "--enable-new-dtags", "-Xlinker", "-rpath", "-Xlinker", &folder]);
    }
    step.add(
        match request.runtime {
            Runtime::Static => &["-lcudadevrt", "-lcudart_static"][..],
            Runtime::Shared => &["-lcudadevrt", "-lcudart"],
            Runtime::None => &[],
        }
        .iter()
        .copied(),
    );
    step.add(OF_RUNTIME);
    if let Some(openmp) = openmp.filter(|_| request.host.iter().any(|word| is_openmp(&word))) {
        step.add(openmp.parent().map(|folder| format!("-L{}", folder.display())));
        step.add(["-lomp"]);
    }
    step
}

/// The option that names the folder of our libraries, which build systems look for in the output.
pub(super) fn folder_of(toolkit: &Toolkit) -> String {
    format!("-L{}", toolkit.libraries().display())
}
