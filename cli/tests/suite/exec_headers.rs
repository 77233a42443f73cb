//! The headers that replace CUDA's. They have all documented names in the lists of
//! `tests/cuda/names`. clang takes them as CUDA, and host compilers take them as C++ and as C.
//! Programs that rely on their contents run.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test fails by panicking, in its helpers too"
)]
#![allow(clippy::print_stdout, reason = "a test that is skipped says so, and counts are printed")]

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;

/// The headers that a host compiler reads, each alone.
const OF_HOST: [&str; 45] = [
    "builtin_types.h",
    "channel_descriptor.h",
    "crt/host_config.h",
    "crt/host_defines.h",
    "cuComplex.h",
    "cublasLt.h",
    "cublas_v2.h",
    "cuda.h",
    "cudaEGL.h",
    "cudaGL.h",
    "cudaProfiler.h",
    "cudaTypedefs.h",
    "cudaVDPAU.h",
    "cuda_device_runtime_api.h",
    "cuda_egl_interop.h",
    "cuda_gl_interop.h",
    "cuda_profiler_api.h",
    "cuda_runtime.h",
    "cuda_runtime_api.h",
    "cuda_surface_types.h",
    "cuda_texture_types.h",
    "cuda_vdpau_interop.h",
    "cufft.h",
    "cufftXt.h",
    "curand.h",
    "cusparse.h",
    "device_functions.h",
    "device_launch_parameters.h",
    "device_types.h",
    "driver_functions.h",
    "driver_types.h",
    "host_config.h",
    "host_defines.h",
    "library_types.h",
    "nvJitLink.h",
    "nvml.h",
    "nvToolsExt.h",
    "nvrtc.h",
    "nvtx3/nvToolsExt.h",
    "nvtx3/nvToolsExtCuda.h",
    "nvtx3/nvToolsExtCudaRt.h",
    "surface_types.h",
    "texture_types.h",
    "vector_functions.h",
    "vector_types.h",
];

/// A compiler of this machine, as what it compiles the headers for.
struct Compiler {
    name: String,
    program: String,
    arguments: Vec<String>,
    /// How its files end.
    ending: &'static str,
}

fn include() -> String {
    format!("{}/src/clang/include", env!("CARGO_MANIFEST_DIR"))
}

fn of_test(path: &str) -> String {
    format!("{}/tests/{path}", env!("CARGO_MANIFEST_DIR"))
}

fn scratch(name: &str) -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join(name)
}

fn is_there(program: &str) -> bool {
    let version =
        Command::new(program).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
    let is = version.is_ok_and(|status| status.success());
    if !is {
        println!("skipped: no {program}");
    }
    is
}

/// A clang that passes its trial.
fn clang() -> Option<String> {
    let said =
        Command::new(env!("CARGO_BIN_EXE_warpsim")).args(["devices", "--format", "json"]).output();
    let devices: Value = serde_json::from_slice(&said.unwrap().stdout).unwrap();
    let all = devices["clangs"].as_array().unwrap();
    let passing = all.iter().find(|clang| clang["verdict"] == "passes");
    if passing.is_none() {
        println!("skipped: no clang that passes its trial");
    }
    passing.map(|clang| clang["path"].as_str().unwrap().to_owned())
}

impl Compiler {
    fn new(program: &str, standard: &str, ending: &'static str, more: &[&str]) -> Compiler {
        let include = include();
        let fixed =
            [format!("-std={standard}"), "-w".into(), "-fsyntax-only".into(), "-I".into(), include];
        let arguments =
            fixed.into_iter().chain(more.iter().map(|more| (*more).to_owned())).collect();
        Compiler {
            name: format!("{program} -std={standard} {}", more.join(" ")),
            program: program.to_owned(),
            arguments,
            ending,
        }
    }

    /// As the command compiles a side of a `.cu` file.
    fn cuda(clang: &str, standard: &str, side: &str) -> Compiler {
        let first = format!("{}/warpsim_cuda.h", include());
        let more = [
            "-x",
            "cuda",
            "-nocudainc",
            "-nocudalib",
            side,
            "--cuda-gpu-arch=sm_80",
            "-Wno-unknown-cuda-version",
        ];
        let more = [&more[..], &["-Xclang", "-fcuda-allow-variadic-functions", "-include", &first]]
            .concat();
        Compiler::new(clang, standard, "cu", &more)
    }

    fn refuses(&self, file: &Path) -> Option<String> {
        let output = Command::new(&self.program).args(&self.arguments).arg(file).output().unwrap();
        (!output.status.success()).then(|| String::from_utf8_lossy(&output.stderr).into_owned())
    }

    /// It compiles a text, which gets this name.
    fn compiles(&self, name: &str, text: &str) {
        let file = scratch(&format!("{name}.{}", self.ending));
        fs::write(&file, text).unwrap();
        if let Some(why) = self.refuses(&file) {
            panic!("{}, {name}:\n{why}", self.name);
        }
    }
}

/// Those for C, those for C++ and those for CUDA.
fn compilers(standards: &[&str]) -> Vec<Compiler> {
    let mut all = Vec::new();
    if is_there("gcc") {
        all.extend(["c99", "c11"].map(|standard| Compiler::new("gcc", standard, "c", &[])));
    }
    let clang = clang();
    for standard in standards {
        if is_there("g++") {
            all.push(Compiler::new("g++", standard, "cpp", &[]));
        }
        if let Some(clang) = &clang {
            all.push(Compiler::new(clang, standard, "cpp", &[]));
            all.extend(
                ["--cuda-host-only", "--cuda-device-only"]
                    .map(|side| Compiler::cuda(clang, standard, side)),
            );
        }
    }
    all
}

/// A list of names: of each chapter its title and its names by their kinds.
fn chapters(list: &str) -> Vec<(String, Vec<(String, String)>)> {
    let text = fs::read_to_string(of_test(&format!("cuda/names/{list}.txt"))).unwrap();
    let mut all: Vec<(String, Vec<(String, String)>)> = Vec::new();
    for line in text.lines().filter(|line| !line.starts_with('#') && !line.is_empty()) {
        if let Some(title) = line.strip_prefix('[') {
            all.push((title.strip_suffix(']').unwrap().to_owned(), Vec::new()));
            continue;
        }
        let mut words = line.split_whitespace().map(str::to_owned);
        let kind = words.next().unwrap();
        let names = &mut all.last_mut().unwrap().1;
        names.extend(words.map(|name| (kind.clone(), name)));
    }
    all
}

/// A program that uses each name of a list: the address of a function, the value of an enumerator,
/// the size of a type.
fn uses(list: &str, headers: &[&str], is_c: bool) -> String {
    let mut text: String = headers.iter().map(|header| format!("#include <{header}>\n")).collect();
    text += "typedef void (*any)(void);\n";
    let mut number = 0;
    for (kind, name) in chapters(list).into_iter().flat_map(|(_, names)| names) {
        number += 1;
        let line = match kind.as_str() {
            // In C++ a name may have several forms.
            "function" if is_c => format!("any use{number} = (any){name};"),
            "function" => format!("namespace use{number} {{ using ::{name}; }}"),
            "enumerator" => format!("long long use{number} = {name};"),
            "struct" | "union" | "enum" => format!("size_t use{number} = sizeof({kind} {name});"),
            "typedef" => format!("{name} *use{number};"),
            "macro" => format!("#if !defined({name})\n#error \"{name} is no macro\"\n#endif"),
            other => panic!("{other} is no kind"),
        };
        writeln!(text, "{line}").unwrap();
    }
    text
}

const LISTS: [(&str, &[&str]); 6] = [
    ("runtime", &["cuda_runtime_api.h", "cuda_profiler_api.h"]),
    ("runtime_types", &["cuda_runtime_api.h", "library_types.h"]),
    ("runtime_enumerators", &["cuda_runtime_api.h", "library_types.h"]),
    ("driver", &["cuda.h", "cudaProfiler.h"]),
    ("driver_types", &["cuda.h"]),
    ("driver_enumerators", &["cuda.h"]),
];

#[test]
fn every_documented_name_of_both_apis_is_there_for_c_and_cpp_and_cuda() {
    let compilers = compilers(&["c++11", "c++17"]);
    for (list, headers) in LISTS {
        let mut all = 0;
        for (title, names) in chapters(list) {
            println!("{list}, {title}: {}", names.len());
            all += names.len();
        }
        println!("{list}: {all}");
        assert!(all > 250, "{list} has lost names");
        for (number, compiler) in compilers.iter().enumerate() {
            let text = uses(list, headers, compiler.ending == "c");
            compiler.compiles(&format!("names_{list}_{number}"), &text);
        }
    }
}

#[test]
fn a_name_that_is_not_there_is_missed() {
    for compiler in compilers(&["c++17"]) {
        let text = uses("runtime", &["driver_types.h"], compiler.ending == "c");
        let file = scratch(&format!("names_missing.{}", compiler.ending));
        fs::write(&file, text).unwrap();
        // Where CUDA is compiled, the first header has them all.
        assert_eq!(compiler.refuses(&file).is_some(), compiler.ending != "cu", "{}", compiler.name);
    }
}

#[test]
fn every_routine_of_the_runtime_for_cpp_is_there_in_each_of_its_forms() {
    let text = fs::read_to_string(of_test("cuda/names/routines.cu")).unwrap();
    let chapters = text.split("\n// [").skip(1);
    for chapter in chapters {
        let (title, body) = chapter.split_once("]\n").unwrap();
        let forms = body.lines().filter(|line| line.contains("cuda") || line.contains("cuCtx"));
        println!("{title}: {} lines that use it", forms.count());
    }
    for compiler in compilers(&["c++11", "c++14", "c++17", "c++20"]) {
        if compiler.ending != "c" {
            compiler.compiles("routines", &text);
        }
    }
}

#[test]
fn each_header_of_the_host_compiles_alone_and_all_do_together_in_each_standard() {
    for compiler in compilers(&["c++17"]).iter().filter(|compiler| compiler.ending != "cu") {
        for header in OF_HOST {
            let name = format!("alone_{}", header.replace(['/', '.'], "_"));
            let text = format!("#include <{header}>\n#include <{header}>\nint one;\n");
            compiler.compiles(&name, &text);
        }
    }
    let mut text: String = OF_HOST.iter().map(|header| format!("#include <{header}>\n")).collect();
    text += "#if defined(__cplusplus)\n#include <nvtx3/nvtx3.hpp>\n#endif\nint one;\n";
    for compiler in compilers(&["c++11", "c++14", "c++17", "c++20"]) {
        compiler.compiles("together", &text);
    }
}

#[test]
fn streams_of_each_thread_are_asked_for_by_other_symbols() {
    let macros = "#define CUDA_API_PER_THREAD_DEFAULT_STREAM\n";
    let text = "#include <cuda_runtime_api.h>\n#include <cuda.h>\nvoid *uses[] = {(void *)cudaMemcpy_ptds, (void *)cudaMemcpy,\n\
                (void *)cudaStreamQuery_ptsz, (void *)cuMemcpyHtoD_v2_ptds, (void *)cuLaunchKernel_ptsz};\n";
    let Some(c) = compilers(&[]).into_iter().next() else { return };
    c.compiles("streams_of_threads", &format!("{macros}{text}"));
    let file = scratch("streams_of_none.c");
    fs::write(&file, text).unwrap();
    assert!(c.refuses(&file).is_some(), "without the macro there are no such names");
}

/// `warpsim exec OPTIONS`.
fn exec(options: &[&str]) -> (Option<i32>, String, String) {
    let warpsim = env!("CARGO_BIN_EXE_warpsim");
    let output =
        Command::new(warpsim).arg("exec").args(options).stdin(Stdio::null()).output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.code(), text(&output.stdout), text(&output.stderr))
}

#[test]
fn programs_of_old_habits_compile_and_run() {
    if clang().is_none() {
        return;
    }
    let (code, out, err) = exec(&[&of_test("exec/habits.cu")]);
    assert_eq!((code, out.as_str()), (Some(0), "habits are kept\n"), "{err}");
    // Warnings say that C++17 has no such word and reads such literals in another way. They also
    // say which functions go out of use.
    let said =
        ["-Wregister", "-Wreserved-user-defined-literal", "'cudaThreadSynchronize' is deprecated"];
    assert!(said.iter().all(|&what| err.contains(what)), "{err}");
}

#[test]
fn what_nvcc_takes_and_clang_refuses_compiles_and_its_races_are_found_at_their_lines() {
    if clang().is_none() {
        return;
    }
    let file = of_test("exec/mended.cu");
    let (code, out, err) = exec(&["--check", &file]);
    assert_eq!((code, out.as_str()), (Some(0), "as NVIDIA's compiler takes it\n"), "{err}");
    assert!(err.contains("no findings in 1 launch"), "{err}");
    let (code, _, err) = exec(&["--check", "-DRACY", &file]);
    assert_eq!(code, Some(1), "{err}");
    let source = fs::read_to_string(&file).unwrap();
    let line = 1 + source.lines().position(|line| line.contains("// RACE")).unwrap();
    assert!(err.contains(&format!("mended.cu:{line}")), "{err}");
    assert!(err.contains("shared memory `tile`") && err.contains("shared memory `raw`"), "{err}");
}

#[test]
fn a_source_with_other_mistakes_is_refused_by_the_messages_about_itself() {
    if clang().is_none() {
        return;
    }
    let file = scratch("mistaken.cu");
    let text = "struct C { int x; __device__ C() : x(1) {} };\n\
                __global__ void k(int *p) { __shared__ C c; *p = c.x + y; }\nint main() {}\n";
    fs::write(&file, text).unwrap();
    let (code, _, err) = exec(&[file.to_str().unwrap()]);
    assert_eq!(code, Some(2), "{err}");
    assert!(err.contains("mistaken.cu:2:42: error: initialization is not supported"), "{err}");
    assert!(err.contains("use of undeclared identifier 'y'"), "{err}");
    assert!(err.contains("clang does not build"), "{err}");
}

#[test]
fn kernels_ask_the_device_runtime_what_needs_no_launch() {
    if clang().is_none() {
        return;
    }
    for architecture in ["sm_60", "sm_80", "sm_90"] {
        let file = of_test("exec/device_runtime.cu");
        let (code, out, err) = exec(&["--check", "--arch", architecture, &file]);
        assert_eq!((code, out.as_str()), (Some(0), "the device runtime answers\n"), "{err}");
    }
}

#[test]
fn kernels_start_kernels_in_one_file_and_over_several_and_their_races_are_found() {
    if clang().is_none() {
        return;
    }
    let file = of_test("exec/children.cu");
    // A second file makes it relocatable code.
    let other = scratch("children_other.cu");
    fs::write(&other, "__global__ void unused() {}\n").unwrap();
    for more in [None, other.to_str()] {
        let files: Vec<&str> = std::iter::once(file.as_str()).chain(more).collect();
        let (code, out, err) = exec(&[&["--check"], &files[..]].concat());
        assert_eq!((code, out.as_str()), (Some(0), "kernels started kernels\n"), "{err}");
        // The parent and `many`, 3 of `write`, `put`, `add`, and the tree of 50 leaves.
        assert!(err.contains("no findings in 106 launches"), "{err}");
    }
    let (code, _, err) = exec(&["--check", "-DRACY", &file]);
    assert_eq!(code, Some(1), "{err}");
    let source = fs::read_to_string(&file).unwrap();
    let line = 1 + source.lines().position(|line| line.contains("// RACE")).unwrap();
    assert!(err.contains(&format!("children.cu:{line}")), "{err}");
    assert!(err.contains("kernel `sums::add<int, 64>`"), "{err}");
}

#[test]
fn references_read_what_they_are_bound_to_and_surfaces_write_there() {
    if clang().is_none() {
        return;
    }
    let (code, out, err) = exec(&["--check", &of_test("exec/references.cu")]);
    assert_eq!((code, out.as_str()), (Some(0), "references are right\n"), "{err}");
    assert!(err.contains("no findings in 9 launches"), "{err}");
}

#[test]
fn a_program_may_have_textures_and_surfaces_of_its_own() {
    let text = "#define WARPSIM_NO_REFERENCES\n#include <cuda_runtime.h>\nstruct texture {};\nint surface;\n";
    for compiler in compilers(&["c++17"]).iter().filter(|compiler| compiler.ending == "cpp") {
        compiler.compiles("own_textures", text);
    }
}

#[test]
fn a_toolkit_gives_its_templates_and_none_of_its_own_headers() {
    if clang().is_none() {
        return;
    }
    let toolkit = tempfile::tempdir().unwrap();
    let templates = toolkit.path().join("cccl/cuda/std");
    fs::create_dir_all(&templates).unwrap();
    fs::write(templates.join("cstdint"), "#include <cuda.h>\ntypedef CUdevice of_templates;\n")
        .unwrap();
    for header in ["cuda_runtime.h", "cuda.h", "driver_types.h"] {
        fs::write(toolkit.path().join(header), "#error \"a header of the toolkit\"\n").unwrap();
    }
    let program = toolkit.path().join("program.cu");
    let text = "#include <cuda.h>\n#include <cuda/std/cstdint>\n#include <driver_types.h>\nint main() { return (of_templates)0; }\n";
    fs::write(&program, text).unwrap();
    let (code, _, err) =
        exec(&["-I", &toolkit.path().display().to_string(), &program.display().to_string()]);
    assert_eq!(code, Some(0), "{err}");
}

/// As in NVIDIA's C++ libraries: without assertions glibc declares nothing, and they do so for both
/// sides.
#[test]
fn the_assertions_of_the_templates_compile_where_a_program_has_none() {
    if clang().is_none() {
        return;
    }
    let toolkit = tempfile::tempdir().unwrap();
    let header = toolkit.path().join("cccl/cuda/std/__cccl/assert.h");
    fs::create_dir_all(header.parent().unwrap()).unwrap();
    let text = "#include <assert.h>\n#ifdef NDEBUG\nextern \"C\" __host__ __device__ void __assert_fail(const char *, const char *, unsigned, const char *) noexcept __attribute__((__noreturn__));\n#endif\n#define OF_TEMPLATES(what) ((what) ? (void)0 : __assert_fail(#what, __FILE__, __LINE__, __func__))\n";
    fs::write(&header, text).unwrap();
    fs::write(toolkit.path().join("cuda_runtime.h"), "").unwrap();
    let program = toolkit.path().join("program.cu");
    let text = "#include <cuda/std/__cccl/assert.h>\n__global__ void k(int n) { OF_TEMPLATES(n == 1); assert(n == 2); }\nint main(int n, char **) { OF_TEMPLATES(n == 1); assert(n == 2); k<<<1, 1>>>(n); return cudaDeviceSynchronize(); }\n";
    fs::write(&program, text).unwrap();
    let folder = toolkit.path().display().to_string();
    for define in ["-DNDEBUG", "-DOTHER"] {
        let (code, _, err) = exec(&[define, "-I", &folder, &program.display().to_string()]);
        // With assertions the program's own one stops it, on the host.
        let is_stopped = code != Some(0) && err.contains("n == 2");
        assert_eq!(is_stopped, define == "-DOTHER", "{define}: {code:?}\n{err}");
    }
}

#[test]
fn a_program_that_a_host_compiler_compiles_with_these_headers_runs() {
    let folder = tempfile::tempdir().unwrap();
    std::os::unix::fs::symlink(
        env!("CARGO_BIN_EXE_warpsim"),
        folder.path().join("libcudart.so.12"),
    )
    .unwrap();
    for (compiler, language) in [("gcc", "c"), ("g++", "c++")] {
        if !is_there(compiler) {
            continue;
        }
        for macros in ["-DUSUAL", "-DCUDA_API_PER_THREAD_DEFAULT_STREAM"] {
            let program = folder.path().join(compiler);
            let mut compile = Command::new(compiler);
            compile.args(["-x", language, macros, "-Wall", "-Wextra", "-Werror", "-I", &include()]);
            compile.arg(of_test("exec/plain.cpp")).args(["-x", "none", "-o"]).arg(&program);
            compile.arg("-L").arg(folder.path()).arg("-l:libcudart.so.12");
            assert!(compile.status().unwrap().success(), "{compiler} {macros}");
            let (code, out, err) = exec(&["--", &program.display().to_string()]);
            assert_eq!(
                (code, out.as_str()),
                (Some(0), "the plain program is right\n"),
                "{macros}: {err}"
            );
        }
    }
}
