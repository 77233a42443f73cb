"""Routes for PyTorch: operations on CUDA tensors go to its CPU kernels, on the same bytes.

`start` is called when `torch` has been imported. It registers kernels at the CUDA dispatch keys:
those of `torch_routes.cpp`, compiled once for a version of PyTorch and kept in the user's cache.
Some operations exist for CUDA alone; `torch_cuda_only.py` has them in terms of others.

In which direction it can be wrong: an operation that is unknown here and has a CPU kernel is
routed, also where the two kernels differ in what they promise.
"""

import ctypes
import hashlib
import importlib.util
import inspect
import os
import shutil
import subprocess
import sys
import tempfile

FOLDER = os.path.dirname(os.path.abspath(__file__))

# `off` leaves PyTorch as it is.
VARIABLE = "WARPSIM_TORCH"

SPACES = ("aten", "quantized", "quantization", "torchvision")

# They launch nothing: they make tensors, look at them, or hand on their memory.
NATIVE = """
empty.memory_format empty_strided as_strided view _reshape_alias unfold view_as_real view_as_complex
set_ set_.source_Storage set_.source_Storage_storage_offset set_.source_Tensor resize_ is_set_to
record_stream _nested_view_from_buffer _indices _values indices values _nnz sparse_dim dense_dim
is_coalesced _coalesced_ crow_indices col_indices ccol_indices row_indices _dimI _dimV
_sparse_coo_tensor_with_dims _sparse_coo_tensor_with_dims_and_tensors sparse_resize_
sparse_resize_and_clear_ resize_as_sparse_ copy_sparse_to_sparse_
_efficientzerotensor
""".split()

# CUDA kernels that the dispatcher does not list: what launches them is one for all devices.
MORE = "copy_ ldexp.Tensor convolution convolution_backward convolution_overrideable".split()

# CPU kernels with names of their own, which stand in for some of CUDA.
OF_THE_CPU = """
_scaled_dot_product_flash_attention_for_cpu _scaled_dot_product_flash_attention_for_cpu_backward
""".split()

# What the routes are compiled from, beside `torch_routes.cpp`.
HEADERS = ("torch_random.h", "torch_precision.h", "torch_alerts.h", "torch_capture.h")

# What `torch_random.h` has.
DRAWN = """
" uniform_ normal_ normal.Tensor_float normal.float_Tensor normal.Tensor_Tensor
normal.Tensor_float_out normal.float_Tensor_out normal.Tensor_Tensor_out log_normal_ exponential_
random_ random_.from random_.to bernoulli_.float bernoulli_.Tensor bernoulli.out bernoulli
native_dropout cauchy_ geometric_ randperm.generator_out
""".split()

KEYS = {"CUDA": "CPU", "SparseCUDA": "SparseCPU", "SparseCsrCUDA": "SparseCsrCPU"}


def libraries_first():
    """Loads the library of the run before PyTorch loads NVIDIA's, so that its functions are found
    first: where another program, such as a shell, started this one, nothing else has loaded it."""
    driver = os.path.join(os.path.dirname(FOLDER), "libcuda.so.1")
    if os.path.islink(driver) and driver not in os.environ.get("LD_PRELOAD", ""):
        ctypes.CDLL(driver, ctypes.RTLD_GLOBAL)


def start(torch):
    """Registers all routes; a build of PyTorch without CUDA is left as it is."""
    if os.environ.get(VARIABLE) == "off" or not has_cuda(torch):
        return
    register = compiled(torch)
    if register is None:
        return
    special = written_here(torch)
    for key, host in KEYS.items():
        for space, names in routes(torch, key, host, special).items():
            register(space, key, names, False)
    register("aten", "CUDA", refused(torch, special), True)
    register.random()
    for name, function in special.items():
        libraries.append(implement(torch, name, function, "CUDA"))
    for name, function in nested(torch).items():
        libraries.append(implement(torch, name, function, "NestedTensorCUDA"))
    # Its kernels are machine code; without them PyTorch takes operations that have a route.
    torch._C._set_cudnn_enabled(False)
    without_cupti(torch)


def without_cupti(torch):
    """NVIDIA's profiling library reads structures of NVIDIA's driver: profiles have the CPU
    alone."""
    profiler = sys.modules.get("torch.autograd.profiler")
    activity = getattr(getattr(torch._C, "_profiler", None), "ProfilerActivity", None)
    for name in ("_prepare_profiler", "_enable_profiler"):
        original = getattr(profiler, name, None)
        if original is not None and activity is not None:
            setattr(profiler, name, of_the_cpu(original, activity))


def of_the_cpu(original, activity):
    def profile(config, activities, *rest, **named):
        return original(config, {*activities, activity.CPU} - {activity.CUDA}, *rest, **named)
    return profile


libraries = []


def has_cuda(torch):
    version = getattr(torch, "version", None)
    return getattr(version, "cuda", None) is not None and hasattr(torch, "_C")


def registered(torch, key):
    return set(torch._C._dispatch_get_registrations_for_dispatch_key(key))


def composite(torch):
    keys = ("CompositeExplicitAutograd", "CompositeExplicitAutogradNonFunctional",
            "CompositeImplicitAutograd")
    return set().union(*(registered(torch, key) for key in keys))


def routes(torch, key, host, special):
    """The operations with a kernel of the device that the host has, too, by namespace."""
    known = registered(torch, key) & (registered(torch, host) | composite(torch))
    if key == "CUDA":
        # In some versions they are made of others, and have their gradients from them.
        implicit = registered(torch, "CompositeImplicitAutograd")
        known |= {f"aten::{name}" for name in MORE + OF_THE_CPU} - implicit
    left = {f"aten::{name}" for name in NATIVE + DRAWN} | {f"aten::{name}" for name in special}
    found = {}
    for name in sorted(known - left):
        space, _, rest = name.partition("::")
        if space in SPACES:
            found.setdefault(space, []).append(rest)
    return found


def refused(torch, special):
    """The operations of CUDA that nobody else has."""
    known = registered(torch, "CUDA") - registered(torch, "CPU") - composite(torch)
    known = {name[6:] for name in known if name.startswith("aten::")}
    return sorted(known - set(NATIVE + DRAWN) - set(special))


def implement(torch, name, function, key):
    library = torch.library.Library("aten", "IMPL")
    # Until 2.7 it took the place of another kernel without being asked.
    asked = "allow_override" in inspect.signature(library.impl).parameters
    library.impl(name, function, key, **({"allow_override": True} if asked else {}))
    return library


# ---- the compiled routes ----


def cache():
    base = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return os.path.join(base, "warpsim", "torch")


def compiled(torch):
    """What registers compiled routes; nothing where there are none, which has been told."""
    source = os.path.join(FOLDER, "torch_routes.cpp")
    text = b""
    for path in (source, *(os.path.join(FOLDER, header) for header in HEADERS)):
        with open(path, "rb") as file:
            text += file.read()
    version = f"{torch.__version__} {torch.version.git_version} {os.uname().machine}".encode()
    name = hashlib.sha256(text + b"\0" + version).hexdigest()[:24]
    path = os.path.join(cache(), f"{name}.so")
    wrong = None if os.path.exists(path) else compile_to(torch, source, path)
    library = None
    try:
        library = ctypes.CDLL(path) if wrong is None else None
    except OSError as error:
        wrong = str(error)
    if library is None:
        sys.stderr.write("warpsim: PyTorch's own operations on CUDA tensors will not work: "
                         f"{wrong}\n")
        return None
    function = library.warpsim_torch_register
    function.restype = ctypes.c_char_p
    function.argtypes = [ctypes.c_char_p, ctypes.c_char_p, ctypes.c_char_p, ctypes.c_int]

    def register(space, key, names, is_refused):
        words = (space.encode(), key.encode(), " ".join(names).encode())
        wrong = function(*words, int(is_refused))
        if wrong:
            raise ImportError(f"warpsim: routes for PyTorch: {wrong.decode()}")

    def random():
        library.warpsim_torch_random.restype = ctypes.c_char_p
        wrong = library.warpsim_torch_random()
        if wrong:
            raise ImportError(f"warpsim: random numbers for PyTorch: {wrong.decode()}")

    register.random = random
    library.warpsim_torch_start()
    return register


def compiler():
    names = ("c++", "g++", "clang++", "clang++-19", "clang++-18", "clang++-17")
    return os.environ.get("CXX") or next(filter(None, map(shutil.which, names)), None)


def compile_to(torch, source, path):
    """Compiles the routes. What went wrong."""
    chosen = compiler()
    root = os.path.dirname(torch.__file__)
    include, libraries = os.path.join(root, "include"), os.path.join(root, "lib")
    if not chosen:
        return "they need a C++ compiler, and there is none; install g++ or clang, or set CXX"
    if not os.path.isdir(include):
        return f"this PyTorch has no headers in {include}"
    abi = int(torch.compiled_with_cxx11_abi())
    try:
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with tempfile.TemporaryDirectory(dir=os.path.dirname(path)) as folder:
            made = os.path.join(folder, "routes.so")
            words = [*chosen.split(), "-std=c++20", "-O1", "-fPIC", "-shared", "-w",
                     f"-D_GLIBCXX_USE_CXX11_ABI={abi}", "-I", include, source, "-o", made,
                     "-L", libraries, "-lc10", "-ltorch_cpu", "-ldl"]
            # A compiler is no program of CUDA's.
            environment = {k: v for k, v in os.environ.items() if k != "LD_PRELOAD"}
            # Some compilers link the C++ library in. Two of them in one process crash, so PyTorch's
            # stands first, where there is one to link with.
            for more in (["-l:libstdc++.so.6"], []):
                done = subprocess.run(words + more, env=environment, stdin=subprocess.DEVNULL,
                                      stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                                      timeout=600)
                if done.returncode == 0 or b"libstdc++.so.6" not in done.stderr:
                    break
            if done.returncode != 0:
                said = done.stderr.decode(errors="replace").strip().splitlines()
                errors = [line for line in said if "error" in line] or said or ["no reason given"]
                return f"{chosen} does not compile them: {errors[0]}"
            os.replace(made, path)
    except (OSError, subprocess.SubprocessError) as error:
        return f"{chosen}: {error}"
    return None


# ---- operations that exist for CUDA alone ----


def cuda_only():
    """The module with their text."""
    path = os.path.join(FOLDER, "torch_cuda_only.py")
    spec = importlib.util.spec_from_file_location("_warpsim_torch_cuda_only", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def written_here(torch):
    """By name, in terms of operations with routes."""
    return those_known(torch, "CUDA", cuda_only().operations(torch))


def nested(torch):
    """The same of nested tensors, whose other operations are made of those of plain ones."""
    return those_known(torch, "NestedTensorCUDA", cuda_only().nested_operations(torch))


def those_known(torch, key, functions):
    known = {name[6:] for name in registered(torch, key) if name.startswith("aten::")}
    return {name: function for name, function in functions.items() if name in known}
