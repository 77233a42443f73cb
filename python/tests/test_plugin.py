"""`pytest --warpsim` on tests that launch kernels by the driver's own functions."""

import subprocess
import sys

import pytest

TESTS = '''
import ctypes
import pytest

PTX = b""".version 7.0
.target sm_80
.address_size 64
.visible .entry reverse(.param .u64 p) {
    .shared .align 4 .b8 part[256]; .reg .u64 %a, %o; .reg .u32 %t, %s, %v;
    ld.param.u64 %a, [p]; mov.u32 %t, %tid.x; mul.wide.u32 %o, %t, 4; add.u64 %a, %a, %o;
    ld.global.u32 %v, [%a]; mov.u32 %s, part; shl.b32 %t, %t, 2; add.u32 %s, %s, %t;
    st.shared.u32 [%s], %v; BARRIER mov.u32 %s, part+252; sub.u32 %s, %s, %t;
    ld.shared.u32 %v, [%s]; st.global.u32 [%a], %v; ret; }"""


def launch(barrier):
    cuda = ctypes.CDLL("libcuda.so.1")
    word = ctypes.c_void_p
    context, module, kernel, memory = word(), word(), word(), ctypes.c_uint64()
    def done(result):
        assert result == 0, result
    done(cuda.cuInit(0))
    done(cuda.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0))
    done(cuda.cuCtxSetCurrent(context))
    done(cuda.cuModuleLoadData(ctypes.byref(module), PTX.replace(b"BARRIER", barrier)))
    done(cuda.cuModuleGetFunction(ctypes.byref(kernel), module, b"reverse"))
    done(cuda.cuMemAlloc_v2(ctypes.byref(memory), 256))
    done(cuda.cuMemsetD8_v2(memory, 0, ctypes.c_size_t(256)))
    arguments = (word * 1)(ctypes.addressof(memory))
    done(cuda.cuLaunchKernel(kernel, 1, 1, 1, 64, 1, 1, 0, None, arguments, None))


def test_clean():
    launch(b"bar.sync 0;")


def test_racy():
    launch(b"")


def test_clean_again():
    launch(b"bar.sync 0;")


@pytest.mark.warpsim(allow="race")
def test_racy_and_allowed():
    launch(b"")
'''


def run(folder, *arguments):
    (folder / "test_them.py").write_text(TESTS)
    words = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "--warpsim", *arguments]
    return subprocess.run(words, cwd=folder, capture_output=True, text=True, timeout=300)


def test_a_finding_fails_the_test_that_launched_the_kernel(tmp_path):
    done = run(tmp_path, "-v", "--junitxml=found.xml")
    said = done.stdout + done.stderr
    assert done.returncode == 1, said
    for name, verdict in [("test_clean", "PASSED"), ("test_racy", "FAILED"),
                          ("test_clean_again", "PASSED"), ("test_racy_and_allowed", "PASSED")]:
        assert f"::{name} {verdict}" in said, said
    assert "error[race]: read-write race on shared memory `part`" in said, said
    assert said.count("error[race]") == 2, said  # once in full, once in the summary
    assert "launched by launch at" in said, said
    assert "--warpsim-option=--schedule=in-order test_them.py::test_racy" in said, said
    assert "race in reverse" in (tmp_path / "found.xml").read_text()


def test_it_works_with_several_processes(tmp_path):
    pytest.importorskip("xdist")
    done = run(tmp_path, "-n", "2")
    said = done.stdout + done.stderr
    assert done.returncode == 1 and "1 failed, 3 passed" in said, said


def test_the_exit_code_is_that_of_the_tests(tmp_path):
    assert run(tmp_path, "-k", "clean").returncode == 0
    assert run(tmp_path, "-k", "nothing").returncode == 5
