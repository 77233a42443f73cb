"""Counts what the producers logged: a table by producer, and what blocks how many kernels.

    python table.py OUT LOWERS

`LOWERS` is the example program `lowers`, which says of each kernel whether it lowers. A kernel is
*right* when every test that launched it passed, and *wrong* when one failed on the values that it
left; a test that could not be judged (another part of it failed) makes it neither. *Tests* are those that
were begun, of those that there are: a producer begins no more once its time is over.
"""

import collections
import datetime
import importlib.metadata
import json
import re
import subprocess
import sys
from pathlib import Path

PACKAGES = {"numba": "numba-cuda", "triton": "triton", "tinygrad": "tinygrad", "cub": "nvidia-cuda-cccl",
            "cupy": "cupy-cuda13x", "warp": "warp-lang", "clang": None}


def lowered(folder, lowers):
    """What `lowers` says of each kernel of a producer: {(file, kernel): (verdict, reason)}."""
    files = "\n".join(str(path) for path in sorted(folder.glob("*.ptx")))
    said = subprocess.run([lowers], input=files, capture_output=True, text=True, check=True).stdout
    out = {}
    for line in said.splitlines():
        path, kernel, verdict, reason = line.split("\t", 3)
        out[Path(path).name, kernel] = verdict, reason
    return out


def launches(folder):
    """Lines of the account."""
    path = folder / "launches.jsonl"
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


def counted(folder, lowers):
    """The row of a producer, and its blockers."""
    kernels = lowered(folder, lowers)
    lines = launches(folder)
    verdicts = collections.defaultdict(set)
    for line in lines:
        if "verdict" in line:
            verdicts[line["test"]].add(line["verdict"])
    by_kernel = collections.defaultdict(list)
    for line in lines:
        if line.get("ptx"):
            by_kernel[line["ptx"], line["kernel"]].append(line)
    ran, right, wrong, blocks = 0, 0, [], collections.Counter()
    for key, made in by_kernel.items():
        # Launches that no GPU would take are part of the tests.
        stopped = [line for line in made if line["stage"] not in ("ran", "impossible")]
        for words in {blocker(line["words"]) for line in stopped}:
            blocks[words] += 1
        if stopped:
            continue
        ran += 1
        said = set().union(*(verdicts[line["test"]] for line in made))
        right += said == {"passed"}
        if "failed" in said:
            wrong.append((key[1], sorted({line["test"] for line in made})[0]))
    for key, (verdict, reason) in kernels.items():
        if verdict != "lowers" and key not in by_kernel:
            blocks[blocker(reason)] += 1
    # Some modules lower only with those that they are linked to.
    linked = {key for key, made in by_kernel.items() if any(line["stage"] in ("ran", "lowered") for line in made)}
    begun, planned = (sum(line.get(word, 0) for line in lines) for word in ("begun", "planned"))
    row = {
        "tests": f"{begun} of {planned}",
        "kernels": len(kernels),
        "parsed": sum(verdict != "unparsed" for verdict, _ in kernels.values()),
        "lowered": sum(verdict == "lowers" or key in linked for key, (verdict, _) in kernels.items()),
        "launched": len(by_kernel), "ran": ran, "right": right, "failed": len(wrong),
    }
    return row, blocks, wrong


def blocker(words):
    """A message without what differs between kernels."""
    words = re.sub(r"^.*?error(\[[a-z-]+\])?: ", "", words)
    called = re.search(r"`call (\S+)`", words)
    if called:
        return f"call of a function without a body: {called.group(1)}"
    return re.sub(r"0x[0-9a-f]+|\d{4,}", "N", words)[:140]


def version(producer):
    package = PACKAGES[producer.split("-")[0]]
    try:
        return f" {importlib.metadata.version(package)}" if package else ""
    except importlib.metadata.PackageNotFoundError:
        return ""


def main():
    out, lowers = Path(sys.argv[1]), sys.argv[2]
    print(f"Made on {datetime.date.today()}.\n")
    names = ("tests", "kernels", "parsed", "lowered", "launched", "ran", "right", "failed")
    print("| producer | " + " | ".join(names) + " |")
    print("|---|" + "---|" * len(names))
    rest = []
    for folder in sorted(path for path in out.iterdir() if path.is_dir()):
        row, blocks, wrong = counted(folder, lowers)
        print(f"| {folder.name}{version(folder.name)} | " + " | ".join(str(row[n]) for n in names) + " |")
        rest.append((folder.name, blocks, wrong))
    print("\n| producer | kernels | what blocks them |\n|---|---|---|")
    for name, blocks, _ in rest:
        for words, count in blocks.most_common():
            print(f"| {name} | {count} | {words} |")
    print()
    for name, _, wrong in rest:
        for kernel, test in wrong:
            print(f"- {name} failed: {test} ({kernel[:60]})")


if __name__ == "__main__":
    main()
