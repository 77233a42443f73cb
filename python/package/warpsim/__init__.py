"""Runs CUDA kernels on a CPU, 32 lanes at a time, and finds their races.

    import numpy, warpsim

    module = warpsim.Module.from_cuda(source)
    x = numpy.arange(64, dtype=numpy.float32)
    report = module.kernel("reverse").check(1, 64, x)
    assert report.ok, report
"""

from . import errors
from ._native import __version__
from .checking import check
from .errors import WarpsimError
from .module import Kernel, Module, Trace, command
from .report import Access, Finding, Place, Report
from .verifying import verify, verify_schema

__all__ = ["Access", "Finding", "Kernel", "Module", "Place", "Report", "Trace", "WarpsimError",
           "__version__", "check", "command", "errors", "verify", "verify_schema"]
