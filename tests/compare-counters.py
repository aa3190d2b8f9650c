#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""compare-counters.py PERFREP CORPUS: what perfrep stat says of recordings, against the truth's sums."""
import json
import pathlib
import subprocess
import sys

perfrep, corpus = sys.argv[1], pathlib.Path(sys.argv[2])
HARDWARE = {"cycles", "instructions", "branches", "branch-misses", "cache-misses", "cache-references"}
RATIOS = [
    ("ipc", "instructions", "cycles", 1),
    ("branch_miss_percent", "branch-misses", "branches", 100),
    ("llc_mpki", "cache-misses", "instructions", 1000),
]
# on Arm cache-misses are those of the first level: that they are meant has to be said
ROLE = "--event-role=llc-misses=cache-misses"
files = ratios = failed = 0


def analysis(path, *options):
    done = subprocess.run([perfrep, "stat", "--format=json", *options, path], capture_output=True, text=True)
    return json.loads(done.stdout)["inputs"][0]["analysis"]


def is_arm(path):
    done = subprocess.run([perfrep, "info", "--format=json", path], capture_output=True, text=True)
    return (json.loads(done.stdout).get("arch") or "").startswith(("arm", "aarch64"))


for truth in sorted(corpus.glob("truth/*/counts.json")):
    counts = json.loads(truth.read_text())
    names = [e["name"] for e in counts.get("events", [])]
    path = corpus / "files" / (truth.parent.name + ".perf.data")
    if not counts.get("has_period") or len(HARDWARE & set(names)) < 2 or len(names) != len(set(names)):
        continue
    if not path.exists():
        continue
    done = subprocess.run([perfrep, "stat", "--format=json", path], capture_output=True, text=True)
    try:
        said = json.loads(done.stdout)["inputs"][0]
    except (ValueError, LookupError):
        print(f"{path.name}: no answer: {done.stderr.strip()}")
        failed += 1
        continue
    files += 1
    want = {e["name"]: e["period"] for e in counts["events"]}
    have = {c["event"]: c["value"] for c in said["counters"]}
    for name, period in want.items():
        if have.get(name) != period:
            print(f"{path.name}: {name}: {have.get(name)} instead of {period}")
            failed += 1
    for key, y, x, scale in RATIOS:
        if not want.get(x) or y not in want:
            continue
        ratios += 1
        value = said["analysis"][key]["value"]
        if key == "llc_mpki" and is_arm(path):
            if value is not None:
                print(f"{path.name}: {key}: {value} without being asked for")
                failed += 1
            value = analysis(path, ROLE)[key]["value"]
        if value is None or abs(value - scale * want[y] / want[x]) > 1e-6:
            print(f"{path.name}: {key}: {value} instead of {scale * want[y] / want[x]}")
            failed += 1

print(f"{files} recordings, {ratios} ratios, {failed} differences")
sys.exit(failed != 0 or files == 0)
