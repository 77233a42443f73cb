"""What came of a launch: findings with their places, counts, and the document they are from."""

import json
from dataclasses import dataclass, field
from typing import Any, Dict, Optional, Tuple


@dataclass(frozen=True)
class Place:
    """A line of a file."""

    file: str
    line: int

    def __str__(self):
        return f"{self.file}:{self.line}"


@dataclass(frozen=True)
class Access:
    """One side of a finding: the operation, the thread that did it, and where its code is."""

    op: str
    thread: Tuple[int, int, int]
    block: Tuple[int, int, int]
    warp: int
    lane: int
    ptx_line: Optional[int]
    source: Optional[Place]


@dataclass(frozen=True)
class Finding:
    """Something that is wrong with a kernel.

    code: `race`, `out-of-bounds`, ...; the command `warpsim explain CODE` says more.
    severity: `error` or `warning`.
    hazard: of a race: `RAW`, `WAR` or `WAW`.
    space, address, object: what memory it is about, where it is about memory.
    accesses: both sides of a race, the later one first; of other findings the one access.
    count: how often it happened.
    help: what to do about it.
    schedule: the schedule that shows it.
    text: all that in some lines, with the lines of the source.
    """

    code: str
    severity: str
    message: str
    hazard: Optional[str]
    space: Optional[str]
    address: Optional[int]
    object: Optional[str]
    accesses: Tuple[Access, ...]
    count: int
    notes: Tuple[str, ...]
    help: Optional[str]
    schedule: Optional[str]
    text: str
    row: Dict[str, Any] = field(repr=False, compare=False)

    def __str__(self):
        return self.text


def _place(row):
    return Place(row["file"], row["line"]) if row else None


def _access(row):
    return Access(row["op"], tuple(row.get("thread", ())), tuple(row.get("block", ())),
                  row.get("warp"), row.get("lane"), row.get("ptx_line"), _place(row.get("source")))


def _finding(row, text):
    accesses = tuple(_access(access) for access in row.get("accesses", ()))
    return Finding(row["code"], row["severity"], row["message"], row.get("hazard"),
                   row.get("space"), row.get("address"), row.get("object"), accesses,
                   row.get("count", 1), tuple(row.get("notes", ())), row.get("help"),
                   row.get("replay"), text, row)


class Report:
    """What came of a launch.

    outcome: `completed`, `finding`, or how the launch was stopped.
    findings: what is wrong, in the order in which it was found.
    printed: what the kernel printed.
    schedules: the schedules under which it ran.
    stats: counts: warp instructions, lane instructions, branches, barriers, seconds.
    arrays: the arguments that are arrays, as the launch left them.
    """

    def __init__(self, document, texts, arrays):
        self.document = document
        self.arrays = arrays
        rows = document["findings"]
        self.findings = tuple(_finding(row, text) for row, text in zip(rows, texts))
        self.outcome = document["outcome"]
        self.printed = document.get("printed", "")
        self.stats = document["stats"]
        checked = document.get("checked")
        explored = document.get("explored") or [{}]
        self.schedules = tuple(checked["schedules"]) if checked else \
            tuple(result["schedule"] for result in explored[0].get("results", ()))
        self.unfinished = tuple(checked.get("unfinished", ())) if checked else ()

    @property
    def ok(self):
        """Whether the launch ended, under every schedule, with nothing found that is an error."""
        is_wrong = any(finding.severity == "error" for finding in self.findings)
        return not is_wrong and self.outcome == "completed" and not self.unfinished

    def __bool__(self):
        return self.ok

    def to_json(self, **named):
        """The document as text; its form is that of `warpsim check --format json`."""
        return json.dumps(self.document, **named)

    def __str__(self):
        if not self.findings:
            return f"{self.outcome}: no findings"
        return "\n".join(finding.text.rstrip() for finding in self.findings)

    def __repr__(self):
        return f"<warpsim.Report {self.outcome}, {len(self.findings)} findings>"
