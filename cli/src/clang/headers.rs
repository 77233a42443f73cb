//! The headers that stand for CUDA's where clang compiles a `.cu` file: their texts, and the names of CUDA's that they
//! stand for. The texts are in `include/`; each says which document it follows.

use std::fs;
use std::io;
use std::path::Path;

/// What is included before the file.
pub(super) const FIRST: &str = "warpsim_cuda.h";

macro_rules! headers {
    ($($name:literal),* $(,)?) => {
        /// The headers, by their paths.
        const HEADERS: &[(&str, &str)] = &[$(($name, include_str!(concat!("include/", $name)))),*];
    };
}

headers! {
    "bits/shared_ptr_base.h",
    "warpsim_cuda.h",
    "warpsim/atomics.h",
    "warpsim/conversions.h",
    "warpsim/graphs.h",
    "warpsim/host.h",
    "warpsim/integers.h",
    "warpsim/language.h",
    "warpsim/math_common.h",
    "warpsim/math_complex.h",
    "warpsim/math_double.h",
    "warpsim/math_exact.h",
    "warpsim/math_float.h",
    "warpsim/math_inverse.h",
    "warpsim/math_library.h",
    "warpsim/math_reduction.h",
    "warpsim/math_special.h",
    "warpsim/memory.h",
    "warpsim/narrow.h",
    "warpsim/runtime.h",
    "warpsim/textures.h",
    "warpsim/threads.h",
    "cooperative_groups.h",
    "cooperative_groups/reduce.h",
    "cuda_bf16.h",
    "cuda_fp16.h",
    "math_constants.h",
}

/// What programs include that the first header has.
const STANDS_FOR: [&str; 16] = [
    "cuda.h",
    "cuda_device_runtime_api.h",
    "cuda_pipeline.h",
    "cuda_profiler_api.h",
    "cuda_runtime.h",
    "cuda_runtime_api.h",
    "device_functions.h",
    "device_launch_parameters.h",
    "driver_types.h",
    "surface_indirect_functions.h",
    "surface_types.h",
    "texture_fetch_functions.h",
    "texture_indirect_functions.h",
    "texture_types.h",
    "vector_functions.h",
    "vector_types.h",
];

/// What libraries of templates need of a toolkit, and ours do not have: the types of the driver API.
const OF_DRIVER: [&str; 2] = ["cuda.h", "cudaTypedefs.h"];

/// Lets a folder with our headers have those of the driver API that a toolkit has in another one.
pub(super) fn take(folder: &Path, toolkit: &Path) -> io::Result<()> {
    let toolkit = toolkit.canonicalize()?;
    let there = OF_DRIVER.iter().filter(|name| toolkit.join(name).is_file());
    there.into_iter().try_for_each(|name| {
        let text = format!("#pragma once\n#include \"{}\"\n", toolkit.join(name).display());
        fs::write(folder.join(name), text)
    })
}

/// The texts of all of them.
pub(super) fn texts() -> impl Iterator<Item = &'static str> {
    HEADERS.iter().map(|(_, text)| *text)
}

/// Writes all of them into a folder.
pub(super) fn write(folder: &Path) -> io::Result<()> {
    fs::create_dir_all(folder)?;
    for (name, text) in HEADERS {
        let path = folder.join(name);
        if let Some(parent) = path.parent() {
            fs::create_dir_all(parent)?;
        }
        fs::write(path, text)?;
    }
    let other = format!("#pragma once\n#include \"{FIRST}\"\n");
    STANDS_FOR.iter().try_for_each(|name| fs::write(folder.join(name), &other))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(folder: &Path, above: &str, into: &mut Vec<String>) {
        for entry in fs::read_dir(folder).unwrap() {
            let entry = entry.unwrap();
            let name = format!("{above}{}", entry.file_name().to_str().unwrap());
            match entry.file_type().unwrap().is_dir() {
                true => names(&entry.path(), &format!("{name}/"), into),
                false => into.push(name),
            }
        }
    }

    #[test]
    fn every_header_of_the_folder_is_written_and_none_stands_for_another() {
        let mut all = Vec::new();
        names(Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/src/clang/include")), "", &mut all);
        all.sort_unstable();
        let mut listed: Vec<&str> = HEADERS.iter().map(|(name, _)| *name).collect();
        listed.sort_unstable();
        assert_eq!(listed, all);
        assert!(STANDS_FOR.iter().all(|name| !listed.contains(name)));
    }
}
