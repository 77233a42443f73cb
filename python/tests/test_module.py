"""Modules and launches of the package, against numpy and against the command."""

import json
import random
import subprocess
import sys
import threading
import time

import numpy
import pytest

import warpsim

HEAD = ".version 7.0\n.target sm_80\n.address_size 64\n"
DOUBLE = HEAD + """.visible .entry double_it(.param .u64 p, .param .u32 n) {
    .reg .u64 %a, %o; .reg .u32 %t, %c, %b, %v, %n; .reg .pred %q;
    ld.param.u64 %a, [p]; ld.param.u32 %n, [n];
    mov.u32 %t, %tid.x; mov.u32 %c, %ctaid.x; mov.u32 %b, %ntid.x; mad.lo.u32 %t, %c, %b, %t;
    setp.ge.u32 %q, %t, %n; @%q ret;
    mul.wide.u32 %o, %t, 4; add.u64 %a, %a, %o;
    ld.global.u32 %v, [%a]; add.u32 %v, %v, %v; st.global.u32 [%a], %v; ret; }"""
REVERSE = HEAD + """.visible .entry reverse(.param .u64 p) {
    .shared .align 4 .b8 part[256]; .reg .u64 %a, %o; .reg .u32 %t, %s, %v;
    ld.param.u64 %a, [p]; mov.u32 %t, %tid.x; mul.wide.u32 %o, %t, 4; add.u64 %a, %a, %o;
    ld.global.u32 %v, [%a]; mov.u32 %s, part; shl.b32 %t, %t, 2; add.u32 %s, %s, %t;
    st.shared.u32 [%s], %v; BARRIER mov.u32 %s, part+252; sub.u32 %s, %s, %t;
    ld.shared.u32 %v, [%s]; st.global.u32 [%a], %v; ret; }"""
# Long, and never the same: a cell counts.
SPIN = HEAD + """.visible .entry spin(.param .u64 p) {
    .reg .u64 %a, %v; .reg .pred %q; ld.param.u64 %a, [p];
    L: ld.volatile.global.u64 %v, [%a]; add.u64 %v, %v, 1; st.volatile.global.u64 [%a], %v;
    setp.lt.u64 %q, %v, 1000000000000; @%q bra L; ret; }"""


def cell():
    return numpy.zeros(1, numpy.uint64)



def reverse(barrier):
    return warpsim.Module.from_ptx(REVERSE.replace("BARRIER", barrier), "r.ptx").kernel()


def test_arrays_come_back_in_place_and_in_the_report():
    kernel = warpsim.Module.from_ptx(DOUBLE).kernel("double_it")
    x = numpy.arange(100, dtype=numpy.uint32)
    report = kernel.run(4, 32, x, 50)
    wanted = numpy.arange(100, dtype=numpy.uint32)
    wanted[:50] *= 2
    assert (x == wanted).all() and (report.arrays[0] == wanted).all()
    assert report.ok and report.outcome == "completed" and report.stats["warp_instructions"] > 0


def test_views_and_big_endian_arrays_keep_their_form():
    kernel = warpsim.Module.from_ptx(DOUBLE).kernel()
    whole = numpy.arange(60, dtype=">u4").reshape(6, 10)
    kernel.run(1, 32, whole[::2, 1:4], 9)
    wanted = numpy.arange(60).reshape(6, 10)
    wanted[::2, 1:4] *= 2
    assert whole.dtype == numpy.dtype(">u4") and (whole == wanted).all()


def test_a_missing_barrier_is_found_and_its_twin_is_clean():
    x = numpy.arange(64, dtype=numpy.uint32)
    report = reverse("").check((1,), (64, 1, 1), x.copy())
    assert not report.ok and not report
    race, = (one for one in report.findings if one.code == "race")
    assert race.hazard in ("RAW", "WAR") and race.space == "shared" and race.object == "part"
    assert {access.op for access in race.accesses} == {"ld.shared.u32", "st.shared.u32"} or \
        {access.op for access in race.accesses} == {"ld.u32", "st.u32"}
    assert "bar.sync" in race.help or "__syncthreads" in race.help
    assert "error[race]" in str(report) and json.loads(report.to_json())["findings"]
    assert reverse("bar.sync 0;").check(1, 64, x).ok
    assert (x == numpy.arange(64)[::-1]).all()


def test_exploring_compares_results_of_schedules():
    report = reverse("").explore(1, 64, numpy.arange(64, dtype=numpy.uint32), schedules=16)
    assert any(one.code == "race" for one in report.findings) and report.schedules


def test_a_trace_gives_steps_as_they_happen_and_can_be_left():
    kernel = warpsim.Module.from_ptx(DOUBLE).kernel()
    trace = kernel.trace(1, 32, numpy.ones(32, numpy.uint32), 32)
    steps = list(trace)
    assert steps[0]["op"] == "ld.param.u64" and steps[-1]["op"].startswith("ret")
    assert trace.outcome == "completed"
    endless = warpsim.Module.from_ptx(SPIN).kernel().trace(1, 1, cell())
    assert next(endless)["step"] == 0
    del endless


@pytest.mark.parametrize("arguments, words", [
    ((numpy.zeros(4, numpy.uint32),), "2 parameters, and 1 arguments"),
    ((3.5, 4), "float 3.5"),
    ((numpy.zeros(4, numpy.uint32), 1 << 32), "does not fit"),
    ((numpy.zeros(4, numpy.uint32), "four"), "cannot take a str"),
    ((numpy.zeros(4, numpy.uint32), numpy.zeros(4)), "cannot take an array"),
    ((numpy.array([None]), 4), "has no bytes"),
])
def test_arguments_that_do_not_fit_are_refused_by_their_place(arguments, words):
    with pytest.raises(warpsim.errors.LaunchError, match=words):
        warpsim.Module.from_ptx(DOUBLE).kernel().run(1, 32, *arguments)


def test_errors_have_fields():
    with pytest.raises(warpsim.errors.SyntaxError) as raised:
        warpsim.Module.from_ptx(HEAD + "\n.visible .entry k( {")
    assert raised.value.line == 5
    with pytest.raises(warpsim.errors.SettingError, match="no model"):
        reverse("").run(1, 64, numpy.zeros(64, numpy.uint32), model="none")
    with pytest.raises(TypeError, match="no setting `sheduule`"):
        reverse("").run(1, 64, numpy.zeros(64, numpy.uint32), sheduule="in-order")
    with pytest.raises(warpsim.errors.LaunchError):
        reverse("").run(1, 4096, numpy.zeros(64, numpy.uint32))


def test_a_time_limit_ends_a_launch_that_never_ends():
    kernel = warpsim.Module.from_ptx(SPIN).kernel()
    begun = time.time()
    with pytest.raises(warpsim.errors.TimeLimitError):
        kernel.run(1, 1, cell(), time_limit=0.5)
    assert time.time() - begun < 20


def test_the_lock_of_the_interpreter_is_free_during_a_launch():
    counted = []
    stop = threading.Event()

    def count():
        while not stop.is_set():
            counted.append(1)
            time.sleep(0.001)
    thread = threading.Thread(target=count)
    thread.start()
    try:
        with pytest.raises(warpsim.errors.TimeLimitError):
            warpsim.Module.from_ptx(SPIN).kernel().run(1, 1, cell(), time_limit=0.5)
    finally:
        stop.set()
        thread.join()
    assert len(counted) > 50


def test_random_launches_agree_with_the_command(tmp_path):
    """As many as RANDOM_LAUNCHES says; the command prints what the kernel left."""
    import os
    count, draw = int(os.environ.get("RANDOM_LAUNCHES", "20")), random.Random(1)
    path = tmp_path / "double.ptx"
    path.write_text(DOUBLE)
    kernel = warpsim.Module.from_ptx(DOUBLE, "double.ptx").kernel()
    for _ in range(count):
        grid, block, cells = draw.randint(1, 5), draw.randint(1, 100), draw.randint(1, 300)
        n = draw.randint(0, cells)
        values = [draw.randrange(1 << 32) for _ in range(cells)]
        x = numpy.array(values, dtype=numpy.uint32)
        report = kernel.check(grid, block, x, n)
        words = [warpsim.command(), "check", str(path), "--grid", str(grid), "--block", str(block),
                 "--arg", f"u32[{cells}]=list:" + ",".join(map(str, values)),
                 "--arg", f"u32:{n}", "--format", "json"]
        said = json.loads(subprocess.run(words, capture_output=True, text=True).stdout)
        assert said["buffers"][0]["values"] == x.tolist()
        assert said["outcome"] == report.outcome
        assert said["stats"]["warp_instructions"] == report.stats["warp_instructions"]
    print(f"{count} launches, seed 1")


def test_many_launches_leave_no_memory_behind():
    """As many as MANY_LAUNCHES says."""
    import os
    import resource
    count = int(os.environ.get("MANY_LAUNCHES", "2000"))
    kernel = warpsim.Module.from_ptx(DOUBLE).kernel()
    x = numpy.zeros(1 << 16, numpy.uint32)
    for _ in range(200):
        kernel.run(1, 32, x, 32)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for _ in range(count):
        kernel.run(1, 32, x, 32)
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    assert grown < 64 << 10, f"{grown} KiB more after {count} launches"


def test_an_exception_in_the_middle_leaves_nothing_behind():
    kernel = warpsim.Module.from_ptx(DOUBLE).kernel()
    for _ in range(5):
        with pytest.raises(warpsim.errors.LaunchError):
            kernel.run(1, 32, numpy.zeros(32, numpy.uint32), -1 << 40)
        x = numpy.ones(32, numpy.uint32)
        assert kernel.run(1, 32, x, 32).ok and (x == 2).all()


def test_threads_may_launch_at_the_same_time():
    kernel, results = warpsim.Module.from_ptx(DOUBLE).kernel(), []

    def work(seed):
        x = numpy.full(64, seed, numpy.uint32)
        for _ in range(20):
            kernel.run(2, 32, x, 64)
        results.append((x == seed * (1 << 20) % (1 << 32)).all())
    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [True] * 4


def test_check_takes_text_and_paths(tmp_path):
    path = tmp_path / "r.ptx"
    path.write_text(REVERSE.replace("BARRIER", "bar.sync 0;"))
    x = numpy.zeros(64, numpy.uint32)
    assert warpsim.check(path, block=64, args=(x,)).ok
    assert not warpsim.check(REVERSE.replace("BARRIER", ""), block=64, args=(x,)).ok
    assert sys.modules["warpsim"].__version__
