#!/usr/bin/env python3
"""Runs the shards of `warpsim explore` on a Ray cluster and merges them. docs/campaigns.md is the chapter on it.

    scripts/campaign.py --shards 100 --folder shards -- explore k.ptx --arg 's32[64]' --schedules 1000000
    scripts/campaign.py --try

Needs Python 3.9 or later with `pip install ray`, and `cargo build --release -p warpsim-cli` or --warpsim PATH.

Each shard is a task, which Ray gives to a worker that has a free core, and to another one when that worker or its machine
is lost. A task hands its file back to this script, which writes it into the folder when all of it is there. So a
shard counts when its task has ended, and once, however often it was begun; the merge looks at that again.

--try shows it on this machine: a cluster of several nodes, of which one worker is killed in the middle of a shard, and then
a whole node. What the merge says has to be what one run says, byte for byte. Its exit code is 0 when it is.
"""

import argparse
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
KERNEL = ROOT / "cli/tests/cmd/input/mistakes.ptx"
# A counter that is not atomic: eight results, which is a short file however many schedules there are.
TRIED = ["explore", str(KERNEL), "--kernel", "count", "--grid", "8", "--block", "1", "--arg", "s32[1]"]


def file_of(folder, number, of):
    return folder / f"{number}-of-{of}.json"


def do_shard(warpsim, command, number, of, here, notes):
    """A task: runs one shard in this worker and gives the bytes of its file."""

    def note(what):
        if notes is not None:
            # One short write to a file that is appended to is not torn.
            import ray

            node = ray.get_runtime_context().get_node_id()
            told = {"shard": number, "worker": os.getpid(), "node": node, "what": what}
            line = json.dumps(told) + "\n"
            with open(notes, "a", encoding="utf-8") as file:
                file.write(line)

    note("begins")
    with tempfile.TemporaryDirectory() as own:
        out = pathlib.Path(own) / "shard.json"
        line = [warpsim, *command, "--shard", f"{number}/{of}", "--shard-out", str(out)]
        ran = subprocess.run(line, cwd=here, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
        if ran.returncode != 0:
            # Another worker would come to the same, so this is no reason to try again.
            return number, None, f"exit code {ran.returncode}: {ran.stderr.strip()}"
        contents = out.read_bytes()
    note("ends")
    return number, contents, ""


def run_shards(ray, warpsim, command, of, folder, notes=None, watch=lambda done: None):
    """Runs all shards that have no file yet. The files of all of them, in order."""
    missing = [number for number in range(1, of + 1) if not file_of(folder, number, of).exists()]
    task = ray.remote(num_cpus=1, max_retries=-1)(do_shard)
    here = os.getcwd()
    running = [task.remote(str(warpsim), command, number, of, here, notes) for number in missing]
    done = of - len(missing)
    while running:
        ended, running = ray.wait(running, num_returns=1, timeout=0.2)
        for number, contents, why in ray.get(ended):
            if contents is None:
                sys.exit(f"shard {number} of {of}: {why}")
            path = file_of(folder, number, of)
            part = path.with_suffix(".part")
            part.write_bytes(contents)
            part.replace(path)
            done += 1
            print(f"shard {number} of {of} is done; {done} in all", file=sys.stderr, flush=True)
        watch(done)
    return [file_of(folder, number, of) for number in range(1, of + 1)]


def merge(warpsim, files, **kinds):
    return subprocess.run([str(warpsim), "merge", *map(str, files)], stdin=subprocess.DEVNULL, check=False, **kinds)


def campaign(options):
    import ray

    folder = pathlib.Path(options.folder)
    folder.mkdir(parents=True, exist_ok=True)
    if not options.resume and any(folder.glob("*-of-*.json")):
        sys.exit(f"{folder} has shards already: give --resume to go on with them, or another --folder")
    ray.init(address=options.address, log_to_driver=False, logging_level="error")
    files = run_shards(ray, options.warpsim, options.command, options.shards, folder)
    ray.shutdown()
    return merge(options.warpsim, files).returncode


# What --try does.


def untimed(output):
    """What a run says, but for how long it took."""
    return re.sub(rb'"seconds":[0-9.e-]+', b'"seconds":0', output)


def said(ran):
    return ran.returncode, untimed(ran.stdout), ran.stderr


def notes_of(path):
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    return [json.loads(line) for line in lines]


def in_the_middle(notes):
    """What the workers said last that have begun a shard and not ended it."""
    last = {note["worker"]: note for note in notes}
    return [note for note in last.values() if note["what"] == "begins" and alive(note["worker"])]


def alive(process):
    try:
        return pathlib.Path(f"/proc/{process}/stat").read_text(encoding="ascii").rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


class Killer:
    """Kills a worker in the middle of a shard, and later a whole node with what runs there."""

    def __init__(self, cluster, nodes, notes, shards):
        self.cluster, self.nodes, self.notes, self.shards = cluster, nodes, notes, shards
        self.lost = []

    def watch(self, done):
        busy = in_the_middle(notes_of(self.notes))
        if not self.lost and done >= self.shards // 4 and busy:
            worker, shard = busy[0]["worker"], busy[0]["shard"]
            os.kill(worker, signal.SIGKILL)
            self.lost.append(shard)
            print(f"killed worker {worker} in the middle of shard {shard}", file=sys.stderr, flush=True)
        elif len(self.lost) == 1 and done >= self.shards // 2:
            for node in self.nodes:
                there = [note["shard"] for note in busy if note["node"] == node.node_id]
                if there:
                    self.cluster.remove_node(node, allow_graceful=False)
                    self.lost.extend(there)
                    print(f"killed a node in the middle of shard {there[0]}", file=sys.stderr, flush=True)
                    return


def check(what, holds):
    print(f"{'ok  ' if holds else 'WRONG'} {what}")
    return holds


def tried(ray, cluster, nodes, options, folder, format_name):
    """One campaign with losses, compared with one run of it."""
    command = [*TRIED, "--schedules", str(options.schedules), "--format", format_name]
    line = [str(options.warpsim), *command]
    begun = time.monotonic()
    whole = subprocess.run(line, stdin=subprocess.DEVNULL, capture_output=True, check=False)
    one = time.monotonic() - begun
    notes = folder / "notes.jsonl"
    killer = Killer(cluster, nodes, notes, options.shards)
    begun = time.monotonic()
    files = run_shards(ray, options.warpsim, command, options.shards, folder, str(notes), killer.watch)
    print(f"one run took {one:.1f} s, {options.shards} shards with losses {time.monotonic() - begun:.1f} s")
    times = {number: 0 for number in range(1, options.shards + 1)}
    for note in notes_of(notes):
        times[note["shard"]] += note["what"] == "begins"
    merged = merge(options.warpsim, files, capture_output=True)
    again = [number for number, count in times.items() if count > 1]
    print(f"shards that were begun more than once: {again}; lost in the middle: {killer.lost}")
    missing = merge(options.warpsim, files[1:], capture_output=True)
    twice = merge(options.warpsim, [*files, copied(files[0])], capture_output=True)
    return [
        check("a worker was killed in the middle of a shard, and a node", len(killer.lost) >= 2),
        check("their shards were run again", all(times[shard] > 1 for shard in killer.lost)),
        check("each shard has one file", sorted(folder.glob("*-of-*.json")) == sorted(files)),
        check("the merge says what one run says, byte for byte", said(merged) == said(whole) and whole.stdout != b""),
        check("a shard that is missing is named", missing.returncode == 2 and b"shard 1 of" in missing.stderr),
        check("a shard that is there twice is named", twice.returncode == 2 and b"shard 1/" in twice.stderr),
    ]


def copied(path):
    copy = path.with_name("copy.json")
    shutil.copy(path, copy)
    return copy


def try_it(options):
    import ray
    from ray.cluster_utils import Cluster

    # The node that this script talks to runs nothing, so that any of the others can go.
    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 0, "include_dashboard": False})
    nodes = [cluster.add_node(num_cpus=1) for _ in range(3)]
    ray.init(address=cluster.address, log_to_driver=False, logging_level="error")
    try:
        with tempfile.TemporaryDirectory() as folder:
            results = tried(ray, cluster, nodes, options, pathlib.Path(folder), options.format)
    finally:
        ray.shutdown()
        cluster.shutdown()
    return 0 if all(results) else 1


def main():
    words = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words.add_argument("--warpsim", type=pathlib.Path, default=ROOT / "target/release/warpsim", help="the command")
    words.add_argument("--shards", type=int, default=24, help="how many parts")
    words.add_argument("--folder", help="where the files of the shards are kept")
    words.add_argument("--resume", action="store_true", help="do those alone that have no file yet")
    words.add_argument("--address", help="a Ray cluster; one on this machine unless said")
    words.add_argument("--try", action="store_true", dest="try_it", help="show that losses change nothing")
    words.add_argument("--schedules", type=int, default=400_000, help="(--try) how many schedules")
    words.add_argument("--format", choices=["text", "json"], default="json", help="(--try) what is compared")
    words.add_argument("command", nargs="*", help="behind `--`: explore FILE [options]")
    options = words.parse_args()
    options.warpsim = options.warpsim.resolve()
    if not options.warpsim.exists():
        sys.exit(f"{options.warpsim} is not there: cargo build --release -p warpsim-cli")
    if options.try_it:
        return try_it(options)
    if not options.command or options.folder is None:
        words.error("give --folder DIR and, behind `--`, the command line, or --try")
    return campaign(options)


if __name__ == "__main__":
    sys.exit(main())
