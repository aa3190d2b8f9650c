#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""compare-sched.py PERFREP FILE...: run times and delays of perfrep sched and of perf sched.

perf sched timehist counts, as a thread's run time, the time since the CPU's last recorded switch.
So where a switch from the idle task was not recorded, perf's time has the idle time in it; perfrep
calls it unknown.  Its time is therefore at least perfrep's, and at most that and the unknown time, or the
time since another thread came to that CPU.
perf rounds each of a thread's spans; 1 us for each switch is allowed.  It has less than perfrep for two
sorts of threads: those that ended, as it forgets a thread at its EXIT record and gives the run up to
its last switch to another, without a name; and those that ran when the recording began, as it counts
from a CPU's first switch on.

perf sched latency takes each wait for a CPU from the waking, or from when the thread was preempted;
its longest must be one of perfrep's, within 1 us, where perf has it: perf joins threads of a name.

The lines of perf sched timehist have, at each switch, how long the thread was off its CPU before it
ran ("wait time") and how long of that it was awake already ("sch delay").  perfrep's sums have more:
what was not over when the recording ended, or belongs to a run that was not, which is at most the time
since the thread's last line, and the delay before a first run; and a new thread's wait for its first
run, which perf has only if sched_wakeup_new was recorded.  And they have less where a switch is missing,
since perf takes the time across it for a wait and perfrep for unknown.  What none of that explains is
wrong.
"""
import csv
import io
import json
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


class Waits:
    """Of one thread, in ns, by the lines of perf sched timehist."""

    def __init__(self):
        self.lines = self.wait = self.delay = self.last = 0
        self.first = 0  # the delay before its first run, which perf does not count as a wait


def waits_of(path):
    line = re.compile(r"^\s*(\d+)\.(\d+) \[\d+\]\s+\S.*?\[(-?\d+)(?:/\d+)?\]\s+([\d.]+)\s+([\d.]+)\s+[\d.]+")
    threads = {}
    with subprocess.Popen(["perf", "sched", "timehist", "-i", path, "-g", "--max-stack=0"], stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL, text=True, errors="replace") as timehist:
        for text in timehist.stdout:
            m = line.match(text)
            if not m:
                continue
            w = threads.setdefault(int(m.group(3)), Waits())
            if not w.lines:
                w.first = float(m.group(5)) * 1e6
            w.lines += 1
            w.wait += float(m.group(4)) * 1e6
            w.delay += float(m.group(5)) * 1e6
            w.last = int(m.group(1)) * 10**9 + int(m.group(2).ljust(9, "0"))
    return threads


def span_of(perfrep, path):
    table = json.loads(run(perfrep, "sched", "-q", "--format=json", path))
    return table["begin_ns"], table["end_ns"]


def longest_waits(path):
    line = re.compile(r"^\s*\S.*?:(\d+)\s*\|.*max:\s*([\d.]+) ms \| max start:\s*([\d.]+) s")
    for text in run("perf", "sched", "latency", "-p", "-i", path).splitlines():
        m = line.match(text)
        if m and float(m.group(2)):
            yield int(m.group(1)), float(m.group(2)) * 1e6, float(m.group(3)) * 1e9


def doubts_of_perf(path):
    """Threads that ended, and those that the first switch of a CPU took off it; and how much time perf
    takes for a thread's run though another came last to that CPU: its coming is missing."""
    tids, last, mistaken = set(), {}, {}
    exits = re.compile(r"PERF_RECORD_EXIT\(\d+:(\d+)\)")
    switch = re.compile(r"\[(\d+)\]\s+(\d+)\.(\d+):.*sched:sched_switch:.* prev_pid=(\d+) .* next_pid=(\d+) ")
    with subprocess.Popen(["perf", "script", "-i", path, "--ns", "--show-task-events", "-G",
                           "-F", "comm,tid,cpu,time,event,trace"], stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL, text=True, errors="replace") as script:
        for text in script.stdout:
            m = exits.search(text)
            if m:
                tids.add(int(m.group(1)))
            m = switch.search(text)
            if not m:
                continue
            cpu, prev, when = m.group(1), int(m.group(4)), int(m.group(2)) * 10**9 + int(m.group(3))
            if cpu not in last:
                tids.add(prev)
            elif last[cpu][0] != prev:
                mistaken[prev] = mistaken.get(prev, 0) + when - last[cpu][1]
            last[cpu] = int(m.group(5)), when
    return tids, mistaken


def total(rows, *keys):
    return sum(int(row[key]) for row in rows for key in keys)


# What of a difference between perf's time and perfrep's explains it, in order; SLACK is for rounding.
def explain(perf, own, slack, end, unknown, ended, born):
    more = own - perf
    if abs(more) <= slack:
        return "same"
    if ended and more > 0:
        return "ended"
    if -unknown - slack <= more < 0:
        return "unknown"
    if 0 < more <= end + slack:
        return "not over"
    if born and 0 < more <= end + born + slack:
        return "new"
    return "wrong"


def compare_waits(perfrep, path, rows, ended):
    counts, wrong = {}, 0
    begin, end = span_of(perfrep, path)
    for tid, w in waits_of(path).items():
        if tid <= 0 or tid not in rows:
            continue
        own = rows[tid]
        first = total(own, "delay_max_ns")
        off = total(own, "sleeping_ns", "disk_ns", "blocked_ns", "woken_ns", "preempted_ns")
        for what, perf, mine in (("wait", w.wait, off), ("delay", w.delay, total(own, "woken_ns"))):
            why = explain(perf, mine, 1000 * (w.lines + 1), end - w.last + w.first, total(own, "unknown_ns"),
                          tid in ended, first if total(own, "life_ns") < end - begin else 0)
            counts[what, why] = counts.get((what, why), 0) + 1
            if why == "wrong":
                wrong += 1
                print(f"{path}: {tid}: {what} {mine} ns, perf says {perf:.0f}")
    for what in ("wait", "delay"):
        print(f"{path}: {what} times of threads: " + ", ".join(
            f"{n} {why}" for (kind, why), n in sorted(counts.items()) if kind == what))
    return wrong


def compare(perfrep, path):
    rows = threads_of(perfrep, path)
    less, mistaken = doubts_of_perf(path)
    same = explained = ends = wrong = waits = 0
    for tid, ns in run_times(path):
        if tid <= 0 or tid not in rows:
            continue
        own, unknown = total(rows[tid], "run_ns"), total(rows[tid], "unknown_ns")
        slack = 1000 * (total(rows[tid], "switches") + 1)
        if abs(ns - own) <= slack:
            same += 1
        elif own - slack <= ns <= own + max(unknown, mistaken.get(tid, 0)) + slack:
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
    wrong += compare_waits(perfrep, path, rows, less)
    print(f"{path}: run times of {same} threads the same, of {explained} within the unknown time, "
          f"of {ends} without the first or last run; {waits} longest waits; {wrong} wrong")
    return wrong


sys.exit(1 if sum(compare(sys.argv[1], path) for path in sys.argv[2:]) else 0)
