#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""compare-sched.py PERFREP FILE...: run times and delays of perfrep sched and of perf sched.

perf sched timehist counts, as a thread's run time, the time since the CPU's last recorded switch.
So where a switch from the idle task was not recorded, perf's time has the idle time in it; perfrep
calls it unknown.  Its time is therefore at least perfrep's, and at most that and the unknown time.
perf rounds each of a thread's spans; 1 us for each switch is allowed.  It has less than perfrep for two
sorts of threads: those that ended, as it forgets a thread at its EXIT record and gives the run up to
its last switch to another, without a name; and those that ran when the recording began, as it counts
from a CPU's first switch on.

perf sched latency takes each wait for a CPU from the waking, or from when the thread was preempted;
its longest must be one of perfrep's, within 1 us, where perf has it: perf joins threads of a name.
"""
import csv
import io
import re
import subprocess
import sys


def run(*command):
    return subprocess.run(command, capture_output=True, text=True).stdout


def threads_of(perfrep, path):
    text = run(perfrep, "sched", "-q", "--format=csv", path)
    rows = {}
    for row in csv.DictReader(io.StringIO(text)):
        rows.setdefault(int(row["tid"]), []).append(row)
    return rows


def run_times(path):
    line = re.compile(r"^\s*\S.*\[(-?\d+)(?:/\d+)?\]\s+-?\d+\s+\d+\s+([\d.]+)\s")
    for text in run("perf", "sched", "timehist", "-i", path, "--summary").splitlines():
        m = line.match(text)
        if m:
            yield int(m.group(1)), float(m.group(2)) * 1e6


def longest_waits(path):
    line = re.compile(r"^\s*\S.*?:(\d+)\s*\|.*max:\s*([\d.]+) ms \| max start:\s*([\d.]+) s")
    for text in run("perf", "sched", "latency", "-p", "-i", path).splitlines():
        m = line.match(text)
        if m and float(m.group(2)):
            yield int(m.group(1)), float(m.group(2)) * 1e6, float(m.group(3)) * 1e9


def less_in_perf(path):
    """Threads that ended, and those that the first switch of a CPU took off it."""
    tids, cpus = set(), set()
    exits = re.compile(r"PERF_RECORD_EXIT\(\d+:(\d+)\)")
    switch = re.compile(r"\[(\d+)\].*sched:sched_switch:.* prev_pid=(\d+) ")
    with subprocess.Popen(["perf", "script", "-i", path, "--show-task-events", "-G",
                           "-F", "comm,tid,cpu,time,event,trace"], stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL, text=True, errors="replace") as script:
        for text in script.stdout:
            m = exits.search(text)
            if m:
                tids.add(int(m.group(1)))
            m = switch.search(text) if len(cpus) < 64 else None
            if m and m.group(1) not in cpus:
                cpus.add(m.group(1))
                tids.add(int(m.group(2)))
    return tids


def total(rows, key):
    return sum(int(row[key]) for row in rows)


def compare(perfrep, path):
    rows = threads_of(perfrep, path)
    less = less_in_perf(path)
    same = explained = ends = wrong = waits = 0
    for tid, ns in run_times(path):
        if tid <= 0 or tid not in rows:
            continue
        own, unknown = total(rows[tid], "run_ns"), total(rows[tid], "unknown_ns")
        slack = 1000 * (total(rows[tid], "switches") + 1)
        if abs(ns - own) <= slack:
            same += 1
        elif own - slack <= ns <= own + unknown + slack:
            explained += 1
        elif ns < own and tid in less:
            ends += 1
        else:
            wrong += 1
            print(f"{path}: {tid} ran {own} ns (and {unknown} unknown), perf says {ns:.0f}")
    for tid, ns, start in longest_waits(path):
        if tid not in rows:
            continue
        waits += 1
        own = max(int(row["delay_max_ns"]) for row in rows[tid])
        if own + 1000 < ns:
            wrong += 1
            print(f"{path}: {tid} waited at most {own} ns, perf says {ns:.0f} at {start:.0f}")
    print(f"{path}: run times of {same} threads the same, of {explained} within the unknown time, "
          f"of {ends} without the first or last run; {waits} longest waits; {wrong} wrong")
    return wrong


sys.exit(1 if sum(compare(sys.argv[1], path) for path in sys.argv[2:]) else 0)
