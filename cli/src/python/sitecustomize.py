"""What `warpsim exec` has Python start with: the user's own `sitecustomize` runs, and this one
waits for `torch`.

It prints nothing, imports nothing of PyTorch, and leaves `sys.path` as it was without it. It
touches nothing but modules that the program imports itself, and variables of this process.
"""

import importlib.abc
import importlib.machinery
import importlib.util
import os
import sys

FOLDER = os.path.dirname(os.path.abspath(__file__))

# What is done before or after a module is executed: a function of a file of this folder.
BEFORE = {
    "torch": ("torch_routes", "libraries_first"),
    "torch.utils.cpp_extension": ("torch_toolkit", "offer"),
}
AFTER = {
    "torch": ("torch_routes", "start"),
    "torch._inductor.runtime.triton_heuristics": ("kernel_tuning", "inductor"),
    "torch.distributed.distributed_c10d": ("torch_distributed", "use_gloo"),
    "triton.backends.nvidia.driver": ("kernel_tuning", "triton_driver"),
    "triton.compiler.compiler": ("kernel_tuning", "triton_compiler"),
    "triton.runtime.autotuner": ("kernel_tuning", "triton"),
}


def load(name):
    """A module of this folder, which is no folder of modules for the program."""
    full = f"_warpsim_{name}"
    if full not in sys.modules:
        spec = importlib.util.spec_from_file_location(full, os.path.join(FOLDER, f"{name}.py"))
        module = importlib.util.module_from_spec(spec)
        sys.modules[full] = module
        try:
            spec.loader.exec_module(module)
        except BaseException:
            del sys.modules[full]
            raise
    return sys.modules[full]


def call(table, name, *arguments):
    if name in table:
        file, function = table[name]
        getattr(load(file), function)(*arguments)


class Wrapped(importlib.abc.Loader):
    """A loader that has something done before and after the module is executed."""

    def __init__(self, loader):
        self.loader = loader

    def create_module(self, spec):
        return self.loader.create_module(spec)

    def exec_module(self, module):
        # What reads the module's data asks its loader.
        module.__loader__ = module.__spec__.loader = self.loader
        call(BEFORE, module.__name__)
        self.loader.exec_module(module)
        call(AFTER, module.__name__, module)


class Finder(importlib.abc.MetaPathFinder):
    """Finds each of these modules as the others find it, once."""

    def __init__(self):
        self.wanted = {*BEFORE, *AFTER}

    def find_spec(self, name, path=None, target=None):
        if name not in self.wanted:
            return None
        self.wanted.remove(name)
        try:
            spec = importlib.util.find_spec(name)
        except ValueError:
            spec = None
        if spec is None or not hasattr(spec.loader, "exec_module"):
            # It may be installed later.
            self.wanted.add(name)
            return None
        spec.loader = Wrapped(spec.loader)
        return spec


def run_the_users():
    """The `sitecustomize` that Python had found without this one."""
    sys.path[:] = [path for path in sys.path if os.path.abspath(path or ".") != FOLDER]
    sys.path_importer_cache.pop(FOLDER, None)
    spec = importlib.machinery.PathFinder.find_spec("sitecustomize", sys.path)
    if spec is None or spec.loader is None:
        return
    module = importlib.util.module_from_spec(spec)
    sys.modules["sitecustomize"] = module
    spec.loader.exec_module(module)


sys.meta_path.insert(0, Finder())
run_the_users()
