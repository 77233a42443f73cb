"""numba-cuda's own tests under `warpsim exec`, a process for each module.

    WARPSIM=... python numba_tests.py LOG [PATTERN]...

LOG gets a line of JSON for each test. pytest cannot import numba-cuda's modules by their names, which are those of another
package, so that each is imported by a file that has nothing else in it. A module that does not end in `CLIENTS_SECONDS` (default: 600) is stopped.
"""

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

#: Tests after which nothing works, each in a process of its own.
APART = {
    # It reads and writes 16 elements of arrays of 10. A GPU lets that pass, because memory is given out in larger pieces.
    "cudapy/test_dispatcher": "test_dispatcher_cpointer_arguments",
    # It writes ten elements to arrays of one.
    "cudapy/test_localmem": "test_struct_model_type_arr",
    # NVVM reads 16 bytes of dynamic shared memory where 12 are left. A GPU gives it out in pieces of 128.
    "cudapy/test_sm": "test_dynshared_slice_gaps",
}

SECONDS = int(os.environ.get("CLIENTS_SECONDS", "400"))


def modules(patterns):
    import numba.cuda.tests as tests
    root = Path(tests.__path__[0])
    for path in sorted(root.rglob("test_*.py")):
        if "benchmarks" not in path.parts and any(pattern in str(path) for pattern in patterns or [""]):
            yield path.relative_to(root)


def run(name, file, chosen, log, environment):
    began = time.monotonic()
    # Tests allocate half of what the device has.
    command = [os.environ["WARPSIM"], "exec", "--device", "memory=2147483648", "--", sys.executable, "-m", "pytest",
               "-q", "-p", "account", "-p", "no:cacheprovider", "--tb=" + os.environ.get("TB", "no"), "-k", chosen, str(file)]
    child = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, cwd=file.parent,
                             start_new_session=True)
    try:
        child.communicate(timeout=SECONDS)
        ended = child.returncode
    except subprocess.TimeoutExpired:
        os.killpg(child.pid, signal.SIGKILL)
        child.communicate()
        ended = "time"
    print(f"{name}: {ended} after {time.monotonic() - began:.0f} s", flush=True)
    with open(log, "a") as out:
        out.write(json.dumps({"module": name, "ended": ended}) + "\n")


def main():
    log = Path(sys.argv[1]).absolute()
    here = Path(__file__).parent
    environment = os.environ | {"CLIENTS_LOG": str(log), "PYTHONPATH": str(here)}
    folder = Path(tempfile.mkdtemp(prefix="warpsim-clients-"))
    for module in modules(sys.argv[2:]):
        name = "numba.cuda.tests." + ".".join(module.with_suffix("").parts)
        file = folder / ("test_" + "_".join(module.with_suffix("").parts) + ".py")
        file.write_text(f"from {name} import *\n")
        apart = APART.get(str(module.with_suffix("")))
        for chosen in ([f"not {apart}", apart] if apart else [""]):
            run(name, file, chosen, log, environment)


if __name__ == "__main__":
    main()
