//! What Python programs find under `warpsim exec`: their own `sitecustomize` beside ours, and
//! PyTorch with routes to its CPU kernels. A package with that name stands in for PyTorch here;
//! `scripts/pytorch_table.py` tries PyTorch itself.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking, in its helpers too")]
#![allow(clippy::print_stdout, reason = "a test that is skipped says so")]

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use tempfile::TempDir;

/// A folder of modules: their paths and texts.
fn modules(files: &[(&str, &str)]) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (path, text) in files {
        let path = folder.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    folder
}

/// Whether there is a Python, which not every machine has.
fn has_python() -> bool {
    let is_there = Command::new("python3").arg("--version").output().is_ok();
    if !is_there {
        println!("skipped: no Python");
    }
    is_there
}

/// Runs a Python program with these modules, and a cache of its own.
fn python(modules: &Path, code: &str) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_warpsim"));
    command.args(["exec", "--", "python3", "-c", code]).env("PYTHONPATH", modules);
    command.env("XDG_CACHE_HOME", modules.join("cache")).env_remove("CUDA_HOME");
    command.env_remove("CUDA_PATH").output().unwrap()
}

fn said(run: &Output) -> (String, String) {
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
    assert_eq!(run.status.code(), Some(0), "{}", text(&run.stderr));
    (text(&run.stdout), text(&run.stderr))
}

#[test]
fn the_users_own_sitecustomize_runs_and_the_path_is_theirs() {
    if !has_python() {
        return;
    }
    let own = modules(&[("sitecustomize.py", "print('own')\n")]);
    let code = "import sys, sitecustomize; print(sitecustomize.__file__); \
                print([p for p in sys.path if 'warpsim-exec' in p])";
    let file = own.path().join("sitecustomize.py");
    let wanted = format!("own\n{}\n[]\n", file.display());
    assert_eq!(said(&python(own.path(), code)), (wanted, String::new()));
}

#[test]
fn a_pytorch_without_cuda_and_a_program_without_pytorch_are_left_alone() {
    if !has_python() {
        return;
    }
    let torch = "from . import version\nprint(__spec__.loader.__class__.__name__)\n";
    let of_cpu = modules(&[("torch/__init__.py", torch), ("torch/version.py", "cuda = None\n")]);
    let wanted = ("SourceFileLoader\n".to_owned(), String::new());
    assert_eq!(said(&python(of_cpu.path(), "import torch")), wanted);
    let none = modules(&[]);
    let code = "try:\n    import torch._none\nexcept ImportError: print('none')";
    assert_eq!(said(&python(none.path(), code)), ("none\n".to_owned(), String::new()));
}

#[test]
fn why_the_operations_of_a_pytorch_with_cuda_will_not_work_is_said() {
    if !has_python() {
        return;
    }
    let torch = "from . import version, _C\n__version__ = '9.9'\n\
                 def compiled_with_cxx11_abi(): return True\n";
    let files = [
        ("torch/__init__.py", torch),
        ("torch/version.py", "cuda = '13.0'\ngit_version = 'none'\n"),
        ("torch/_C.py", ""),
    ];
    let without_headers = modules(&files);
    let (_, told) = said(&python(without_headers.path(), "import torch"));
    assert!(told.contains("will not work: this PyTorch has no headers in "), "{told}");
    // Not one line of a compiler's, but what it says is wrong.
    fs::create_dir_all(without_headers.path().join("torch/include/ATen")).unwrap();
    let (_, told) = said(&python(without_headers.path(), "import torch"));
    assert!(told.contains("does not compile them: ") || told.contains("a C++ compiler"), "{told}");
    assert_eq!(told.lines().count(), 1, "{told}");
}

#[test]
fn an_extension_finds_a_toolkit_where_there_is_none() {
    if !has_python() || Path::new("/usr/local/cuda").exists() {
        return;
    }
    let extension = "import os\nprint(os.environ['CUDA_HOME'])\n";
    let files = [
        ("torch/__init__.py", "from . import version\n"),
        ("torch/version.py", "cuda = None\n"),
        ("torch/utils/__init__.py", ""),
        ("torch/utils/cpp_extension.py", extension),
    ];
    let folder = modules(&files);
    let code = "import os, torch.utils.cpp_extension as e\n\
                home = os.environ['CUDA_HOME']\n\
                print([os.path.exists(os.path.join(home, f)) for f in \
                ('bin/nvcc', 'include/cuda_runtime.h', 'lib64/libcudart.so')])";
    let (printed, told) = said(&python(folder.path(), code));
    let home = printed.lines().next().unwrap_or_default();
    assert!(home.starts_with(&*folder.path().join("cache").to_string_lossy()), "{printed}{told}");
    assert!(printed.ends_with("[True, True, True]\n"), "{printed}{told}");
    // The second time it is there.
    assert_eq!(said(&python(folder.path(), code)).0, printed);
}
