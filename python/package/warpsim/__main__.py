"""`python -m warpsim verify --reference REF.py --candidate FILE`: prints the document of `verify`.
`python -m warpsim schema`: prints the JSON Schema of these documents.

REF.py has `reference(*arguments)` and `inputs(rng)`, and may have `kernel`.
"""

import argparse
import json
import runpy
import sys

from .verifying import verify, verify_schema


def main():
    parser = argparse.ArgumentParser(prog="python -m warpsim", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    command = commands.add_parser("verify", help="a candidate beside a reference")
    command.add_argument("--reference", required=True, metavar="REF.py")
    command.add_argument("--candidate", required=True, metavar="FILE", help="CUDA C++ or PTX")
    command.add_argument("--kernel")
    command.add_argument("--cases", type=int, default=5)
    command.add_argument("--seed", type=int, default=0)
    command.add_argument("--schedules", type=int, default=16)
    command.add_argument("--time-limit", type=float, default=60.0, metavar="SECONDS")
    command.add_argument("--memory-limit", type=int, default=4 << 30, metavar="BYTES")
    commands.add_parser("schema", help="the JSON Schema of the documents of verify")
    given = parser.parse_args()
    if given.command == "schema":
        print(json.dumps(verify_schema(), indent=1))
        return 0
    try:
        names = runpy.run_path(given.reference)
        with open(given.candidate, encoding="utf-8") as file:
            candidate = file.read()
        reference, inputs = names["reference"], names["inputs"]
    except OSError as error:
        parser.error(f"cannot read {error.filename}: {error.strerror}")
    except KeyError as error:
        parser.error(f"{given.reference} has no function {error}")
    document = verify(reference, candidate, inputs, cases=given.cases, seed=given.seed,
                      kernel=given.kernel or names.get("kernel"), schedules=given.schedules,
                      time_limit=given.time_limit, memory_limit=given.memory_limit)
    print(json.dumps(document, indent=1))
    return 0 if document["verdict"] == "right" else 1


if __name__ == "__main__":
    sys.exit(main())
