"""What `warpsim exec` has Python start with: it runs the user's own `sitecustomize`, and waits for `torch`.

It prints nothing, imports nothing of PyTorch, and leaves `sys.path` as it were without it. What it
may touch says the README beside it.
"""

import importlib.abc
import importlib.machinery
import importlib.util
import os
import sys

FOLDER = os.path.dirname(os.path.abspath(__file__))


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


class After(importlib.abc.Loader):
    """A loader that has something done when the module is there."""

    def __init__(self, loader):
        self.loader = loader

    def create_module(self, spec):
        return self.loader.create_module(spec)

    def exec_module(self, module):
        # What reads the module's data asks its loader.
        module.__loader__ = module.__spec__.loader = self.loader
        self.loader.exec_module(module)
        load("torch_routes").start(module)


class Finder(importlib.abc.MetaPathFinder):
    """Finds `torch` as the others find it, once."""

    def find_spec(self, name, path=None, target=None):
        if name != "torch" or self not in sys.meta_path:
            return None
        sys.meta_path.remove(self)
        try:
            spec = importlib.util.find_spec(name)
        except ValueError:
            spec = None
        if spec is None or not hasattr(spec.loader, "exec_module"):
            # It may be installed later.
            sys.meta_path.insert(0, self)
            return None
        spec.loader = After(spec.loader)
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
