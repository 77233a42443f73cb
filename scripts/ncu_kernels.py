#!/usr/bin/env python3
"""Counts with Nsight Compute what the kernels of tests/hardware/statistics.cu do on a GPU.

    python3 scripts/ncu_kernels.py -o tests/hardware/statistics_h200.json

It needs a GPU, nvcc and ncu (--nvcc and --ncu name others than those of the PATH), and no Rust. It
compiles the file, runs it under ncu, and writes one JSON file: for each kernel its metrics by name.
Metrics that this ncu does not know are left out, and it says which. Reading the counters may need
root, or the driver's option NVreg_RestrictProfilingToAdminUsers=0.

simulator/tests/suite/statistics_on_gpu.rs compares warpsim's numbers with the file.
"""

import argparse
import csv
import io
import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SOURCE = ROOT / "tests/hardware/statistics.cu"

GLOBAL = [
    f"l1tex__t_{what}_pipe_lsu_mem_global_op_{op}.sum"
    for op in ("ld", "st", "atom", "red")
    for what in ("requests", "sectors")
]
SHARED = [
    f"{what}_mem_shared_op_{op}.sum"
    for op in ("ld", "st", "atom")
    for what in ("l1tex__data_pipe_lsu_wavefronts", "l1tex__data_bank_conflicts_pipe_lsu")
]
METRICS = (
    GLOBAL
    + SHARED
    + [f"smsp__inst_executed_op_shared_{op}.sum" for op in ("ld", "st", "atom")]
    + [
        f"smsp__sass_thread_inst_executed_op_{width}{op}_pred_on.sum"
        for width in "hfd"
        for op in ("add", "mul", "fma")
    ]
    + [
        "smsp__inst_executed.sum",
        "smsp__thread_inst_executed.sum",
        "smsp__thread_inst_executed_pred_on.sum",
        "smsp__thread_inst_executed_per_inst_executed.ratio",
        "smsp__sass_branch_targets.sum",
        "smsp__sass_branch_targets_threads_divergent.sum",
        "smsp__sass_branch_targets_threads_uniform.sum",
        "l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_ld.ratio",
        "l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_st.ratio",
        # What ncu counts by patching the machine code, as its source view shows it.
        "memory_l1_wavefronts_shared",
        "memory_l1_wavefronts_shared_ideal",
        "memory_l2_theoretical_sectors_global",
        "memory_l2_theoretical_sectors_global_ideal",
        "launch__occupancy_limit_blocks",
        "launch__occupancy_limit_warps",
        "launch__occupancy_limit_shared_mem",
        "launch__occupancy_limit_registers",
        "launch__waves_per_multiprocessor",
        "launch__registers_per_thread",
        "sm__maximum_warps_per_active_cycle_pct",
    ]
)
# How often each opcode was executed: barriers are BAR.
OPCODES = "sass__inst_executed_per_opcode"


def run(command):
    """The output of a command, or None and what it said."""
    try:
        done = subprocess.run(command, capture_output=True, text=True)
    except OSError as error:
        return None, f"{command[0]}: {error}"
    return (done.stdout if done.returncode == 0 else None), done.stdout + done.stderr


def rows(text):
    """The rows of ncu's raw page as dictionaries, without the row of units."""
    lines = [line for line in text.splitlines() if line.startswith('"')]
    table = list(csv.reader(io.StringIO("\n".join(lines))))
    if not table:
        return []
    head, *rest = table
    return [dict(zip(head, row)) for row in rest if row and row[0].strip()]


def number(text):
    try:
        value = float(text.replace(",", ""))
    except ValueError:
        return None
    return int(value) if value.is_integer() else value


def counted(ncu, program, metrics, more=()):
    """The rows of these metrics, one for each launch; None and the reason where ncu fails."""
    command = [ncu, "--csv", "--page", "raw", "--print-units", "base", *more]
    text, said = run([*command, "--metrics", ",".join(metrics), str(program)])
    found = rows(text) if text else []
    return (found, said) if found else (None, said)


def main():
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("-o", "--output", type=Path, required=True)
    arguments.add_argument("--nvcc", default="nvcc")
    arguments.add_argument("--ncu", default="ncu")
    arguments.add_argument("--arch", default="sm_90")
    options = arguments.parse_args()

    with tempfile.TemporaryDirectory() as folder:
        program = Path(folder) / "statistics"
        built, said = run(
            [options.nvcc, "-O3", f"-arch={options.arch}", str(SOURCE), "-o", str(program)]
        )
        if built is None:
            sys.exit(f"nvcc failed:\n{said}")
        metrics, left_out = list(METRICS), []
        found, said = counted(options.ncu, program, metrics)
        if found is None:
            # One of them is unknown here: find out which.
            print(said, file=sys.stderr)
            print("trying the metrics one by one", file=sys.stderr)
            metrics = [m for m in METRICS if counted(options.ncu, program, [m])[0] is not None]
            left_out = [m for m in METRICS if m not in metrics]
            if not metrics:
                sys.exit("ncu counts nothing here")
            found, said = counted(options.ncu, program, metrics)
            if found is None:
                sys.exit(f"ncu failed:\n{said}")
        kernels = {}
        for row in found:
            # `copy(int *, int *)` is `copy`.
            name = re.split(r"[(<]", row["Kernel Name"])[0].split()[-1]
            values = {metric: number(row.get(metric, "")) for metric in metrics}
            kernels[name] = {metric: value for metric, value in values.items() if value is not None}
        more = ("--print-metric-instances", "values")
        by_opcode, said = counted(options.ncu, program, [OPCODES], more)
        for row in by_opcode or []:
            name = re.split(r"[(<]", row["Kernel Name"])[0].split()[-1]
            instances = re.findall(r"([A-Z][A-Z0-9_.]*): ([0-9,.]+)", row.get(OPCODES, ""))
            opcodes = {opcode: number(count.rstrip(".,")) for opcode, count in instances}
            if name in kernels and opcodes:
                kernels[name][OPCODES] = opcodes
        if not by_opcode:
            print(f"left out {OPCODES}:\n{said}", file=sys.stderr)

    gpu, _ = run(["nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader"])
    versions = [run([tool, "--version"])[0] or "" for tool in (options.ncu, options.nvcc)]
    recording = {
        "gpu": (gpu or "unknown").strip().splitlines()[0],
        "ncu": re.search(r"Version ([0-9.]+)", versions[0] + "Version 0").group(1),
        "nvcc": re.search(r"release ([0-9.]+)", versions[1] + "release 0").group(1),
        "arch": options.arch,
        "left_out": left_out,
        "kernels": kernels,
    }
    options.output.write_text(json.dumps(recording, indent=1, sort_keys=True) + "\n")
    print(f"{len(kernels)} kernels, {len(metrics)} metrics: {options.output}")
    if left_out:
        print("left out, unknown to this ncu: " + " ".join(left_out))


if __name__ == "__main__":
    main()
