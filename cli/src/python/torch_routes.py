"""Routes for PyTorch: operations on CUDA tensors go to its CPU kernels, on the same bytes.

`start` is called when `torch` has been imported. It registers kernels at the CUDA dispatch keys:
those of `torch_routes.cpp`, compiled once for a version of PyTorch and kept in the user's cache, or
those of `torch_plain.py` where there is no compiler. Some operations exist for CUDA alone; they
are written here in terms of others.

In which direction it can be wrong: an operation that is unknown here and has a CPU kernel is
routed, also where the two kernels differ in what they promise.
"""

import ctypes
import hashlib
import os
import shutil
import subprocess
import sys
import tempfile

FOLDER = os.path.dirname(os.path.abspath(__file__))

# How the routes are made: `python` goes without the compiler, `off` leaves PyTorch as it is.
VARIABLE = "WARPSIM_TORCH"

SPACES = ("aten", "quantized", "quantization", "torchvision")

# They launch nothing: they make tensors, look at them, or hand on their memory.
NATIVE = """
empty.memory_format empty_strided as_strided view _reshape_alias unfold view_as_real view_as_complex
set_ set_.source_Storage set_.source_Storage_storage_offset set_.source_Tensor resize_ is_set_to
record_stream _nested_view_from_buffer _indices _values indices values _nnz sparse_dim dense_dim
is_coalesced _coalesced_ crow_indices col_indices ccol_indices row_indices _dimI _dimV
_sparse_coo_tensor_with_dims _sparse_coo_tensor_with_dims_and_tensors sparse_resize_
sparse_resize_and_clear_ resize_as_sparse_ copy_sparse_to_sparse_ isinf.never
_assert_async.never _cudnn_init_dropout_state.never
""".split()

# CUDA kernels that the dispatcher does not list: what launches them is one for all devices.
MORE = "copy_ convolution convolution_backward convolution_overrideable".split()

# CPU kernels with names of their own, which stand in for some of CUDA.
OF_THE_CPU = """
_scaled_dot_product_flash_attention_for_cpu _scaled_dot_product_flash_attention_for_cpu_backward
""".split()

KEYS = {"CUDA": "CPU", "SparseCUDA": "SparseCPU", "SparseCsrCUDA": "SparseCsrCPU"}


def start(torch):
    """Registers all routes; a build of PyTorch without CUDA is left as it is."""
    if os.environ.get(VARIABLE) == "off" or not has_cuda(torch):
        return
    engine = None if os.environ.get(VARIABLE) == "python" else compiled(torch)
    register = plain(torch) if engine is None else engine
    special = written_here(torch)
    for key, host in KEYS.items():
        for space, names in routes(torch, key, host, special).items():
            register(space, key, names, False)
    register("aten", "CUDA", refused(torch, special), True)
    for name, function in special.items():
        libraries.append(implement(torch, name, function))
    # Its kernels are machine code; without them PyTorch takes operations that have a route.
    torch._C._set_cudnn_enabled(False)


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
        known |= {f"aten::{name}" for name in MORE + OF_THE_CPU}
    left = {f"aten::{name}" for name in NATIVE} | {f"aten::{name}" for name in special}
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
    return sorted(known - set(NATIVE) - set(special))


def implement(torch, name, function):
    library = torch.library.Library("aten", "IMPL")
    library.impl(name, function, "CUDA", allow_override=True)
    return library


# ---- the compiled routes --------------------------------------------------------------------------


def cache():
    base = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return os.path.join(base, "warpsim", "torch")


def compiled(torch):
    """What registers compiled routes; nothing where there is no compiler, or it fails."""
    source = os.path.join(FOLDER, "torch_routes.cpp")
    with open(source, "rb") as file:
        text = file.read()
    version = f"{torch.__version__} {torch.version.git_version} {os.uname().machine}".encode()
    name = hashlib.sha256(text + b"\0" + version).hexdigest()[:24]
    path = os.path.join(cache(), f"{name}.so")
    if not os.path.exists(path) and not compile_to(torch, source, path):
        return None
    try:
        library = ctypes.CDLL(path)
    except OSError:
        return None
    function = library.warpsim_torch_register
    function.restype = ctypes.c_char_p
    function.argtypes = [ctypes.c_char_p, ctypes.c_char_p, ctypes.c_char_p, ctypes.c_int]

    def register(space, key, names, is_refused):
        words = (space.encode(), key.encode(), " ".join(names).encode())
        wrong = function(*words, int(is_refused))
        if wrong:
            raise ImportError(f"warpsim: routes for PyTorch: {wrong.decode()}")

    library.warpsim_torch_start()
    return register


def compile_to(torch, source, path):
    compiler = os.environ.get("CXX") or shutil.which("c++") or shutil.which("g++") or shutil.which("clang++")
    root = os.path.dirname(torch.__file__)
    include, libraries = os.path.join(root, "include"), os.path.join(root, "lib")
    if not compiler or not os.path.isdir(include):
        return False
    try:
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with tempfile.TemporaryDirectory(dir=os.path.dirname(path)) as folder:
            made = os.path.join(folder, "routes.so")
            # The program's own settings are for other compilations.
            left_out = ("LD_PRELOAD",)
            environment = {k: v for k, v in os.environ.items() if k not in left_out}
            abi = int(torch.compiled_with_cxx11_abi())
            words = [*compiler.split(), "-std=c++20", "-O2", "-fPIC", "-shared", "-w",
                     f"-D_GLIBCXX_USE_CXX11_ABI={abi}", "-I", include, source, "-o", made,
                     "-L", libraries, "-lc10", "-ltorch_cpu", "-ldl"]
            done = subprocess.run(words, env=environment, stdin=subprocess.DEVNULL,
                                  stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, timeout=300)
            if done.returncode == 0:
                os.replace(made, path)
            elif os.environ.get(VARIABLE) == "compiled":
                sys.stderr.write(done.stderr.decode(errors="replace"))
            return done.returncode == 0
    except (OSError, subprocess.SubprocessError):
        return False


def plain(torch):
    import importlib.util
    spec = importlib.util.spec_from_file_location("_warpsim_torch_plain", os.path.join(FOLDER, "torch_plain.py"))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.registrar(torch, libraries)


# ---- operations that exist for CUDA alone ---------------------------------------------------------


def written_here(torch):
    """By name, in terms of operations with routes."""
    import importlib.util
    spec = importlib.util.spec_from_file_location("_warpsim_torch_cuda", os.path.join(FOLDER, "torch_cuda_only.py"))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    known = {name[6:] for name in registered(torch, "CUDA") if name.startswith("aten::")}
    return {name: function for name, function in module.operations(torch).items() if name in known}
