#!/usr/bin/env bash
# Validates the reports that other tools read: SARIF against the published schema, our JSON
# documents against docs/warpsim.schema.json and docs/warpsim-exec.schema.json, JUnit by a common
# parser. `check`, `explore` and `exec` each write them for programs with findings.
#
#     scripts/check-reports.sh WARPSIM [SCHEMA]
#
# WARPSIM is the command. SCHEMA is the schema of SARIF 2.1.0; without it the script downloads the
# one that OASIS publishes. Needs python3, and a C compiler for the program of `exec`.
set -euo pipefail

warpsim=$(realpath "${1:?usage: scripts/check-reports.sh WARPSIM [SCHEMA]}")
root=$(cd "$(dirname "$0")/.." && pwd)
published=https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

if [ -n "${2:-}" ]; then
    cp "$2" "$folder/schema.json"
else
    curl -fsSL "$published" -o "$folder/schema.json" ||
        { echo "cannot download $published; give the schema as the second argument" >&2; exit 2; }
fi
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet 'jsonschema[format]' junitparser

cp "$root"/programs/src/volatile/scan8.{cu,ptx} "$folder"
cd "$folder"
# A finding is exit code 1.
launch=(scan8.ptx --block 8 --arg 's32[8]=iota:1' --arg 's32[8]')
"$warpsim" check "${launch[@]}" --report check.sarif > /dev/null 2>&1 || [ $? = 1 ]
"$warpsim" check "${launch[@]}" --report check.xml > /dev/null 2>&1 || [ $? = 1 ]
"$warpsim" explore "${launch[@]}" --schedules 20 --report explore.sarif > /dev/null 2>&1 || [ $? = 1 ]
"$warpsim" explore "${launch[@]}" --schedules 20 --report explore.xml > /dev/null 2>&1 || [ $? = 1 ]
cp "$root/docs/warpsim.schema.json" own.json
cp "$root/docs/warpsim-exec.schema.json" exec-own.json
mkdir documents
for command in check explore; do
    "$warpsim" "$command" "${launch[@]}" --format json > "documents/$command.json" 2> /dev/null || [ $? = 1 ]
done
"$warpsim" run "${launch[@]}" --format json > documents/run.json
"$warpsim" check "${launch[@]}" --expect 1=iota --launches 2 --format json > documents/expect.json 2> /dev/null ||
    [ $? = 1 ]
"$warpsim" run "${launch[@]}" --max-steps 5 --format json > documents/limit.json 2> /dev/null || [ $? = 1 ]
cc -O1 -g "$root/scripts/report_program.c" -o program -ldl
for ending in sarif xml; do
    "$warpsim" exec --check --report "exec.$ending" -- ./program scan8.ptx > /dev/null 2>&1 || [ $? = 1 ]
done
"$warpsim" exec --check --stats --report documents/exec.json -- ./program scan8.ptx > /dev/null 2>&1 || [ $? = 1 ]

"$folder/venv/bin/python" - <<'PY'
import json
import pathlib
import sys

from jsonschema import validators
from junitparser import JUnitXml

schema = json.load(open("schema.json"))
kind = validators.validator_for(schema)
kind.check_schema(schema)
validator = kind(schema, format_checker=kind.FORMAT_CHECKER)
failed = False
for command in ["check", "explore", "exec"]:
    report = json.load(open(f"{command}.sarif"))
    results = report["runs"][0]["results"]
    errors = list(validator.iter_errors(report))
    flows = sum("codeFlows" in result for result in results)
    print(f"{command}.sarif: {len(results)} results, {flows} with code flows, {len(errors)} errors")
    for error in errors:
        print(f"  {list(error.path)}: {error.message}")
    tests = JUnitXml.fromfile(f"{command}.xml")
    print(f"{command}.xml: {tests.tests} tests, {tests.failures} failures")
    failed |= bool(errors) or not results or flows == 0 or not tests.failures
# What is planted must be noticed.
report["version"] = "2.0.0"
failed |= not list(validator.iter_errors(report))

def own(name):
    published = json.load(open(name))
    kind = validators.validator_for(published)
    kind.check_schema(published)
    return kind(published)


documents, programs = own("own.json"), own("exec-own.json")
for path in sorted(pathlib.Path("documents").iterdir()):
    validator = programs if path.stem == "exec" else documents
    document = json.loads(path.read_text())
    errors = list(validator.iter_errors(document))
    print(f"{path.name}: {len(document)} keys, {len(errors)} errors")
    for error in errors:
        print(f"  {list(error.path)}: {error.message}")
    document["findings"] = "many"
    failed |= bool(errors) or not list(validator.iter_errors(document))
sys.exit(failed)
PY
