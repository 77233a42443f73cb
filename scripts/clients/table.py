"""What clients of `warpsim exec` came to, as the table of the book.

    python table.py OUT [CLIENT=VERSION]...     # the logs in OUT, as Markdown
    python table.py --libtest FILE              # the lines of a log, from what `cargo test` prints
"""

import collections
import importlib.metadata
import json
import re
import sys
from pathlib import Path

#: The package of each client.
PACKAGES = {"numba": "numba-cuda", "triton": "triton", "tinygrad": "tinygrad", "cupy": "cupy-cuda13x",
            "cuda-core": "cuda-core", "warp": "warp-lang"}


def ended(log):
    """How each test of a log ended: the worst of what was said of it; one that only began took its process with it."""
    tests = {}
    for line in log.read_text().splitlines():
        row = json.loads(line)
        if "test" not in row:
            continue
        before = tests.get(row["test"], ("begun", ""))[0]
        if row["verdict"] == "begun":
            tests[row["test"]] = ("died", "its process ended, or was stopped")
        elif before in ("begun", "died", "passed"):
            tests[row["test"]] = row["verdict"], row["words"]
    return tests


def libtest(text):
    for name, verdict in re.findall(r"^test (\S+) \.\.\. (ok|FAILED|ignored)", text, re.M):
        verdict = {"ok": "passed", "FAILED": "failed", "ignored": "skipped"}[verdict]
        said = re.search(rf"^---- {re.escape(name)} stdout ----\n+(.*?)(?=^stack|^note|^$\n^----|^$\n^failures)", text, re.M | re.S)
        words = " ".join(said.group(1).split())[:300] if said else ""
        yield dict(test=name, verdict=verdict, words=words)


def main():
    if sys.argv[1] == "--libtest":
        for row in libtest(Path(sys.argv[2]).read_text()):
            print(json.dumps(row))
        return
    versions = dict(argument.split("=") for argument in sys.argv[2:])
    print("| client | version | tests | passed | expected to fail, or skipped by their authors | not |")
    print("|---|---|---|---|---|---|")
    left = []
    for log in sorted(Path(sys.argv[1]).glob("*.jsonl")):
        client = log.stem
        version = versions.get(client) or importlib.metadata.version(PACKAGES[client])
        tests = ended(log)
        count = collections.Counter(verdict for verdict, _ in tests.values())
        others = count["skipped"] + count["expected"]
        print(f"| {client} | {version} | {len(tests)} | {count['passed']} | {others} | {count['failed'] + count['died']} |")
        left += [(client, test, words) for test, (verdict, words) in tests.items() if verdict in ("failed", "died")]
    print()
    for client, test, words in left:
        print(f"- {client}: `{test}`: {words[:160]}")


if __name__ == "__main__":
    main()
