"""What Triton compiles for, and its autotuners and Inductor's.

Triton's matrices are `wgmma` from compute capability 9.0 on, which is not modelled. So Triton
compiles for 8.9 at most, whose PTX every later device runs; `WARPSIM_TRITON_TARGET=90` names
another one.

An autotuner launches a kernel many times for each of its configurations, and takes the fastest.
Times of a simulation say nothing about a GPU, and the launches take most of the time of a run.
`WARPSIM_AUTOTUNE=N` has the first N configurations that work launched, once each; `all` leaves the
autotuners as they are.
"""

import os
import time

TARGET = "WARPSIM_TRITON_TARGET"
VARIABLE = "WARPSIM_AUTOTUNE"
NEVER = [float("inf")] * 3


def number(variable, default, others=()):
    """The number that a variable has, above 0, or one of the other words."""
    said = os.environ.get(variable, default)
    if said in others:
        return said
    if not said.isascii() or not said.isdigit() or int(said) == 0:
        also = "".join(f", or `{word}`" for word in others)
        raise ValueError(f"{variable}={said}: a number above 0{also}")
    return int(said)


def for_target(target):
    """What a target of Triton is compiled as."""
    is_named = TARGET in os.environ
    highest = number(TARGET, "89")
    if target.backend != "cuda" or not (is_named or target.arch > highest):
        return target
    return type(target)(target.backend, highest, target.warp_size)


def triton_driver(driver):
    """Changes what `triton` takes the device for, given the module of its driver."""
    current = driver.CudaDriver.get_current_target
    driver.CudaDriver.get_current_target = lambda self: for_target(current(self))


def triton_compiler(compiler):
    """Changes what callers of `triton.compile` name, as Inductor does, given its module."""
    whole = compiler.compile

    def compile(src, target=None, options=None, **named):
        if target is not None:
            target = for_target(target)
        return whole(src, target=target, options=options, **named)

    compiler.compile = compile


def configurations():
    """How many configurations are tried; none stands for all of them."""
    count = number(VARIABLE, "1", ["all"])
    return None if count == "all" else count


def timed_once(kernel_call, quantiles=None, **_):
    """The seconds of one launch, in the form of `triton.testing.do_bench`."""
    start = time.perf_counter()
    kernel_call()
    seconds = time.perf_counter() - start
    return seconds if quantiles is None else [seconds] * len(quantiles)


def triton(autotuner):
    """Changes the class of `triton.autotune`, given its module."""
    count = configurations()
    if count is None:
        return
    tuner = autotuner.Autotuner
    prune, bench = tuner.prune_configs, tuner._bench

    def prune_configs(self, *arguments, **named):
        # It is asked once for each tuning.
        self._warpsim_left = count
        return prune(self, *arguments, **named)

    def one(self, *arguments, config, **named):
        if getattr(self, "_warpsim_left", 1) == 0:
            return NEVER
        found = bench(self, *arguments, config=config, **named)
        if found != NEVER:
            self._warpsim_left = getattr(self, "_warpsim_left", 1) - 1
        return found

    tuner.prune_configs, tuner._bench = prune_configs, one
    tuner.do_bench = property(lambda self: timed_once, lambda self, other: None)


def inductor(heuristics):
    """Changes the class that holds Inductor's kernels, given its module."""
    count = configurations()
    if count is None:
        return
    tuner = heuristics.CachingAutotuner

    def bench(self, launcher, *arguments, **named):
        order = self.launchers.index(launcher) if launcher in self.launchers else 0
        return float(order)

    if count == 1:
        # The first one is taken, and nothing is launched for it.
        tuner.bench = bench
    else:
        whole = tuner.bench

        def some(self, launcher, *arguments, **named):
            order = bench(self, launcher)
            return whole(self, launcher, *arguments, **named) if order < count else NEVER[0]

        tuner.bench = some
