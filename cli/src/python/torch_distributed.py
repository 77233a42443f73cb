"""Process groups of NCCL are Gloo's here: each process has a simulated GPU of its own.

NCCL's kernels are for several GPUs that reach each other's memory. Gloo carries out the same
collective operations on tensors of CUDA, through the memory of the host.

In which direction it can be wrong: a collective that Gloo does not have is refused by Gloo; what
is overlapped on a GPU is done one after the other.
"""

import sys


# What different versions of PyTorch make a group of NCCL of.
NAMES = ("ProcessGroupNCCL", "ProcessGroupNCCL2", "ProcessGroupNCCLLazy")


def use_gloo(distributed):
    """Gives `torch.distributed.distributed_c10d` other classes for NCCL's process groups."""
    gloo = getattr(distributed, "ProcessGroupGloo", None)
    for name in NAMES:
        nccl = getattr(distributed, name, None)
        if nccl is not None and gloo is not None:
            setattr(distributed, name, in_place_of(nccl, gloo))


def in_place_of(nccl, gloo):
    """A class that is called and asked as NCCL's one, and makes groups of Gloo."""

    class Asked(type):
        def __instancecheck__(cls, group):
            return isinstance(group, (nccl, gloo))

        def __getattr__(cls, name):
            return getattr(nccl, name)

    class Group(metaclass=Asked):
        def __new__(cls, store, rank, size, options=None, *_):
            if rank == 0:
                sys.stderr.write("warpsim: collective operations of NCCL are carried out by Gloo\n")
            if options is None:
                return gloo(store, rank, size)
            return gloo(store, rank, size, timeout=options._timeout)

    Group.__name__ = Group.__qualname__ = nccl.__name__
    return Group
