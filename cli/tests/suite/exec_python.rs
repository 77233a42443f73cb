//! What Python programs find under `warpsim exec`: their own `sitecustomize` beside ours, and
//! PyTorch with routes to its CPU kernels. A package with that name replaces PyTorch here.
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

/// Runs a Python program with these modules, and its own cache.
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

/// Modules with the names of Triton's, as far as they are changed.
const TRITON: [(&str, &str); 6] = [
    ("triton/__init__.py", ""),
    ("triton/runtime/__init__.py", ""),
    (
        "triton/runtime/autotuner.py",
        "class Autotuner:\n\
         \x20   def __init__(self, configs): self.configs = configs\n\
         \x20   def do_bench(self, call, quantiles): raise Exception('many launches')\n\
         \x20   def prune_configs(self, named): return self.configs\n\
         \x20   def _bench(self, *arguments, config, **named):\n\
         \x20       if config < 0: return [float('inf')] * 3\n\
         \x20       return self.do_bench(lambda: print('launch', config), quantiles=(1, 2, 3))\n\
         \x20   def best(self):\n\
         \x20       times = {c: self._bench(config=c) for c in self.prune_configs({})}\n\
         \x20       return min(times, key=times.get)\n",
    ),
    ("triton/backends/__init__.py", ""),
    ("triton/backends/nvidia/__init__.py", ""),
    (
        "triton/backends/nvidia/driver.py",
        "import collections, os\n\
         Target = collections.namedtuple('Target', 'backend arch warp_size')\n\
         class CudaDriver:\n\
         \x20   def get_current_target(self): return Target('cuda', int(os.environ['ARCH']), 32)\n",
    ),
];

#[test]
fn an_autotuner_takes_the_first_configurations_that_work_and_launches_each_once() {
    if !has_python() {
        return;
    }
    let folder = modules(&TRITON);
    let tuned = |count: &str| {
        let code = format!(
            "import os; os.environ['WARPSIM_AUTOTUNE'] = '{count}'\n\
             from triton.runtime.autotuner import Autotuner as A\n\
             t = A([-1, 2, 3, 4]); best = t.best(); print(best in (2, 3)); t.best()"
        );
        python(folder.path(), &code)
    };
    assert_eq!(said(&tuned("1")).0, "launch 2\nTrue\nlaunch 2\n");
    assert_eq!(said(&tuned("2")).0, "launch 2\nlaunch 3\nTrue\nlaunch 2\nlaunch 3\n");
    // Without the change the autotuner is as it was.
    assert!(String::from_utf8_lossy(&tuned("all").stderr).contains("many launches"));
    let wrong = String::from_utf8(tuned("no").stderr).unwrap();
    assert!(wrong.contains("WARPSIM_AUTOTUNE=no: a number above 0, or `all`"), "{wrong}");
}

#[test]
fn triton_compiles_for_a_device_whose_matrices_are_modelled() {
    if !has_python() {
        return;
    }
    let folder = modules(&TRITON);
    let target = |device: u32, named: Option<u32>| {
        let named = named.map(|n| format!("os.environ['WARPSIM_TRITON_TARGET'] = '{n}'; "));
        let code = format!(
            "import os; os.environ['ARCH'] = '{device}'; {}\
             from triton.backends.nvidia.driver import CudaDriver as D\n\
             print(D().get_current_target().arch)",
            named.unwrap_or_default()
        );
        said(&python(folder.path(), &code)).0
    };
    assert_eq!((target(80, None), target(90, None)), ("80\n".to_owned(), "89\n".to_owned()));
    assert_eq!(
        (target(80, Some(90)), target(90, Some(80))),
        ("90\n".to_owned(), "80\n".to_owned())
    );
}

#[test]
fn a_process_group_of_nccl_is_one_of_gloo() {
    if !has_python() {
        return;
    }
    let distributed = "class ProcessGroupGloo:\n\
                       \x20   def __init__(self, *what, **named): print('gloo', what, named)\n\
                       class ProcessGroupNCCL:\n\
                       \x20   class Options: _timeout = 7\n\
                       \x20   name = 'n'\n";
    let files = [
        ("torch/__init__.py", "from . import version\n"),
        ("torch/version.py", "cuda = None\n"),
        ("torch/distributed/__init__.py", ""),
        ("torch/distributed/distributed_c10d.py", distributed),
    ];
    let folder = modules(&files);
    let code = "import torch.distributed.distributed_c10d as d\n\
                g = d.ProcessGroupNCCL('store', 0, 2, d.ProcessGroupNCCL.Options())\n\
                print(isinstance(g, d.ProcessGroupNCCL), type(g).__name__, d.ProcessGroupNCCL.name)";
    let (printed, told) = said(&python(folder.path(), code));
    assert_eq!(printed, "gloo ('store', 0, 2) {'timeout': 7}\nTrue ProcessGroupGloo n\n");
    assert_eq!(told, "warpsim: collective operations of NCCL are carried out by Gloo\n");
}
