#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""compare-sched.py PERFREP FILE...: times of threads by perfrep sched and by perf sched, each proved.
FILEs have sched_switch and wakings of whole CPUs, and are not compressed.

The records, as perf script prints them, are counted here twice, by perf's rules and by perfrep's.  Each
line of perf sched timehist has to be what perf's rules give, to the microsecond that it prints, and each
thread of perfrep sched what perfrep's give, to the nanosecond.  So neither has an allowance.  Both are
counted line by line, and where they differ there has to be a reason in the records:

  ended      perf forgets a thread when it has exited: its last run is another's, without a name
  first run  perf counts from a CPU's second switch on, perfrep from the beginning of the recording
  missing    it leaves a CPU to which another came last: perf takes the time since then for its run, and
             that before it for its wait; perfrep calls it unknown
  first line perf has no wait of a thread that it meets for the first time, perfrep has the part in which
             it was new, or woken, and waited for a CPU
  was ready  it was woken though it was preempted: perf has a delay from then on, perfrep the whole of it
             as preempted
  not over   at the end of the recording: perf has what came before a thread's last line

A difference without one of these reasons is wrong, too.

perf sched latency takes each wait for a CPU from the waking, or from when the thread was preempted; its
longest must not be longer than perfrep's by more than 1 us: perf joins threads of a name.
"""
import collections
import csv
import io
import json
import re
import struct
import subprocess
import sys

RUN, OFF, READY, UNKNOWN = "run", "off", "ready", "unknown"
KINDS = "wait", "delay", "run"  # in the order of perf's columns


def run(*command):
    return subprocess.run(command, capture_output=True, text=True).stdout


def lines_of(*command):
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
                          errors="replace") as process:
        yield from process.stdout


# ---- what the two programs say ----

def own_times(perfrep, path):
    """Of each tid, in ns, as the threads that had it are made of."""
    times = {}
    for row in csv.DictReader(io.StringIO(run(perfrep, "sched", "-q", "--format=csv", path))):
        t = times.setdefault(int(row["tid"]), collections.Counter())
        for key in "run", "sleeping", "disk", "blocked", "woken", "preempted", "unknown":
            t[key] += int(row[key + "_ns"])
        t["longest"] = max(t["longest"], int(row["delay_max_ns"]))
    return times


def perf_lines(path):
    """Of each tid a list of (wait, delay, run) in us."""
    line = re.compile(r"^\s*\d+\.\d+ \[\d+\]\s+\S.*?\[(-?\d+)(?:/\d+)?\]\s+(\d+)\.(\d+)\s+(\d+)\.(\d+)\s+(\d+)\.(\d+)")
    lines = {}
    for text in lines_of("perf", "sched", "timehist", "-i", path, "-g", "--max-stack=0"):
        m = line.match(text)
        if m:
            tid, *v = map(int, m.groups())
            lines.setdefault(tid, []).append(tuple(1000 * v[i] + v[i + 1] for i in (0, 2, 4)))
    return lines


def longest_waits(path):
    line = re.compile(r"^\s*\S.*?:(\d+)\s*\|.*max:\s*([\d.]+) ms \| max start:\s*([\d.]+) s")
    for text in run("perf", "sched", "latency", "-p", "-i", path).splitlines():
        m = line.match(text)
        if m and float(m.group(2)):
            yield int(m.group(1)), float(m.group(2)) * 1e6, float(m.group(3)) * 1e9


# ---- the records ----

def task_times(path):
    """The times that FORK and EXIT records themselves have, which perf doesn't print: by sort and tid."""
    kinds = {4: "EXIT", 7: "FORK"}
    times = collections.defaultdict(list)
    with open(path, "rb") as f:
        data = f.read()
    at, size = struct.unpack_from("=QQ", data, 40)
    end = at + size
    while at + 8 <= end:
        kind, _, size = struct.unpack_from("=IHH", data, at)
        if kind in kinds:
            tid, _, time = struct.unpack_from("=IIQ", data, at + 16)
            times[kinds[kind], tid].append(time)
        at += max(size, 8)
    return {key: sorted(t for t in v if t) for key, v in times.items()}


def records_of(path):
    """(time, what, cpu, tid of the record, tid, next tid or state ...) in order of time."""
    head = re.compile(r"\s(-?\d+) \[(\d+)\]\s+(\d+)\.(\d{9}):\s+(.*)")
    switch = re.compile(r"sched:sched_switch:.* prev_pid=(\d+) .* prev_state=(\S+) ==> .* next_pid=(\d+) ")
    wake = re.compile(r"sched:(sched_wak\w+):.* pid=(\d+) ")
    task = re.compile(r"PERF_RECORD_(FORK|EXIT)\(\d+:(\d+)\)")
    times = task_times(path)
    for text in lines_of("perf", "script", "-i", path, "--ns", "--show-task-events", "-G",
                         "-F", "comm,tid,cpu,time,event,trace"):
        m = head.search(text)
        if not m:
            continue
        tid, cpu, time, what = int(m[1]), int(m[2]), int(m[3]) * 10**9 + int(m[4]), m[5]
        if m := switch.match(what):
            yield time, "switch", cpu, tid, int(m[1]), (m[2][0], int(m[3]))
        elif m := wake.match(what):
            yield time, m[1], cpu, tid, int(m[2]), None
        elif time and (m := task.match(what)):
            known = times.get((m[1], int(m[2])))  # not in compressed files
            yield known.pop(0) if known else time, m[1], cpu, tid, int(m[2]), None


# ---- perf's rules ----

class Perf:
    def __init__(self, has_waking):
        self.has_waking = has_waking
        self.last = {}  # the time of each CPU's last switch
        self.left = collections.Counter()  # when a thread had its last line, 0: it had none
        self.ready = collections.Counter()  # when it was woken, since

    def wake(self, time, what, tid):
        if what == "sched_wakeup" and self.has_waking:
            return
        self.ready[tid] = self.ready[tid] or time

    def switch(self, time, cpu, tid):
        """The line of perf sched timehist."""
        before, ready, left = self.last.get(cpu), self.ready[tid], self.left[tid]
        self.last[cpu], self.left[tid], self.ready[tid] = time, time, 0
        if before is None:
            return 0, 0, 0
        return (before - left if left and left <= before else 0,
                before - ready if ready and ready <= before else 0, time - before)


# ---- perfrep's rules ----

class Thread:
    def __init__(self, tid, since, was_there):
        self.tid, self.since, self.was_there = tid, since, was_there
        self.now, self.state, self.cpu = UNKNOWN, None, None
        self.woken_at = self.exit_at = None
        self.ended = False


class Own:
    """A thread's life in pieces without gaps; each record closes one and opens the next."""

    def __init__(self, begin, end):
        self.begin, self.end = begin, end
        self.threads = {}  # the newest of each tid
        self.on = {}  # who runs on a CPU on which a switch was seen; None: not known
        self.all = collections.defaultdict(collections.Counter)  # by tid: the columns of the table
        self.line = collections.defaultdict(collections.Counter)  # the same since perf's last line

    def thread(self, tid, time):
        t = self.threads.get(tid)
        if t is None or t.ended:
            t = self.threads[tid] = Thread(tid, time if t else self.begin, t is None)
        return t

    def gone(self, tid):
        return tid in self.threads and self.threads[tid].ended

    def count(self, t, column, ns):
        self.all[t.tid][column] += ns
        if column != "unknown":
            self.line[t.tid]["run" if column == "run" else "wait"] += ns
        if column == "woken":
            self.line[t.tid]["delay"] += ns

    def close(self, t, until):
        off = {"S": "sleeping", "D": "disk", None: "unknown"}.get(t.state, "blocked")
        if t.woken_at is not None:
            self.count(t, off, t.woken_at - t.since)
            self.count(t, "woken", until - t.woken_at)
        else:
            self.count(t, {RUN: "run", OFF: off, READY: "preempted" if t.state == "R" else "woken",
                           UNKNOWN: "unknown"}[t.now], until - t.since)

    def open(self, t, now, state, time):
        t.now, t.state, t.since, t.woken_at, t.was_there = now, state, time, None, False

    def close_unknown(self, t, time):
        t.now, t.state, t.woken_at = UNKNOWN, None, None
        self.close(t, time)

    def end_running(self, t):
        self.close(t, max(t.exit_at, t.since))
        t.ended = True

    def runs(self, t, cpu, time):
        old, self.on[cpu], t.cpu = self.on.get(cpu), t, cpu
        if old is None or old is t or old.ended or old.now != RUN or old.cpu != cpu:
            return
        if old.exit_at is not None:
            self.end_running(old)
        else:  # that it left is missing
            self.close_unknown(old, time)
            self.open(old, UNKNOWN, None, time)

    def found_running(self, t, cpu, time):
        if t.was_there and t.woken_at is None and cpu not in self.on:
            t.now = RUN
        else:
            self.close_unknown(t, time)
            self.open(t, RUN, None, time)
        self.runs(t, cpu, time)

    def leave(self, time, cpu, tid, state):
        t = self.thread(tid, time)
        if t.now != RUN:
            self.found_running(t, cpu, time)
        self.close(t, time)
        t.ended = state in "XZ" or (t.exit_at is not None and state == "P")
        if not t.ended:
            self.open(t, READY if state == "R" else OFF, state, time)

    def come(self, time, cpu, tid):
        t = self.thread(tid, time)
        if t.now == RUN:
            self.close_unknown(t, time)
        else:
            t.now = OFF if t.now == UNKNOWN else t.now
            self.close(t, time)
        self.open(t, RUN, None, time)
        self.runs(t, cpu, time)

    def wake(self, time, tid):
        if self.gone(tid):
            return
        t = self.thread(tid, time)
        if t.woken_at is None and t.now in (OFF, UNKNOWN):
            t.now, t.woken_at = OFF, time

    def bear(self, time, tid):
        t = self.threads.get(tid)
        if t and t.exit_at is not None and t.now != RUN:
            t.ended = True
        if t and not t.ended:
            return
        t = self.threads[tid] = Thread(tid, time, False)
        self.open(t, READY, None, time)

    def exits(self, time, cpu, tid):
        if self.gone(tid):
            return
        t = self.thread(tid, time)
        if t.now != RUN:
            self.found_running(t, cpu, time)
        t.exit_at = time

    def finish(self):
        for t in self.threads.values():
            if not t.ended and t.exit_at is not None and t.now == RUN:
                self.end_running(t)
            elif not t.ended:
                self.close(t, self.end)


# ---- both ----

class Both:
    """By both rules; `why[tid, kind]` are the reasons for what perfrep has more, in ns, or less."""

    def __init__(self, records, end):
        times = [r[0] for r in records if r[1] == "switch" or r[1].startswith("sched_wak")]
        self.perf = Perf(any(r[1] == "sched_waking" for r in records))
        self.own = Own(times[0] if times else 0, end)
        self.lines = collections.defaultdict(list)
        self.why = collections.defaultdict(collections.Counter)
        self.was_ready = set()
        self.next = {}
        for record in records:
            if record[0] >= self.own.begin:
                self.take(*record)
        self.own.finish()
        for tid in list(self.own.line):
            self.differ(tid, (0, 0, 0), "ended" if self.own.gone(tid) else "not over")

    def take(self, time, what, cpu, teller, tid, more):
        if what == "switch":
            self.switch(time, cpu, teller, tid, *more)
        elif what == "EXIT":
            self.own.exits(time, cpu, tid)
        elif tid and what in ("FORK", "sched_wakeup_new"):
            self.own.bear(time, tid)
        elif tid:
            self.wake(time, what, tid)
        if what == "sched_wakeup_new":
            self.perf.wake(time, what, tid)

    def wake(self, time, what, tid):
        t = self.own.threads.get(tid)
        if t and t.now == READY:
            self.was_ready.add(tid)
        self.own.wake(time, tid)
        self.perf.wake(time, what, tid)

    def switch(self, time, cpu, teller, prev, state, following):
        first_run, missing = cpu not in self.perf.last, self.next.get(cpu) != prev
        first_line = not self.perf.left[teller]
        line = self.perf.switch(time, cpu, teller if prev else ("idle", cpu))
        self.next[cpu] = following
        if prev:
            self.lines[teller].append(line)
            self.own.leave(time, cpu, prev, state)
        if prev and teller == prev:
            self.differ(prev, line, "first run" if first_run else "missing" if missing else
                        "first line" if first_line else "was ready" if prev in self.was_ready else None)
        elif prev:
            self.differ(prev, (0, 0, 0), "ended")
        self.was_ready.discard(prev)
        if following:
            self.own.come(time, cpu, following)
        self.own.on.setdefault(cpu, None)

    def differ(self, tid, line, why):
        own = self.own.line.pop(tid, collections.Counter())
        for kind, ns in zip(KINDS, line):
            if own[kind] != ns:
                self.why[tid, kind][why] += own[kind] - ns


def compare_perf(path, both):
    """Each line of perf's is what its rules give."""
    wrong, lines = 0, perf_lines(path)
    for tid in sorted(set(lines) | set(both.lines)):
        want = [tuple(ns // 1000 for ns in line) for line in both.lines.get(tid, [])]
        got = lines.get(tid, [])
        if got != want:
            wrong += 1
            at = next((i for i, (a, b) in enumerate(zip(got, want)) if a != b), min(len(got), len(want)))
            print(f"{path}: {tid}: line {at + 1} of perf's {len(got)} is {got[at:at + 1]}, by its rules "
                  f"of {len(want)} {want[at:at + 1]}")
    return wrong


def compare_own(path, both, times):
    """Each thread of perfrep's is what its rules give."""
    wrong = 0
    for tid, want in sorted(both.own.all.items()):
        got = times.get(tid)
        if got is None and not want["run"]:
            continue  # never ran
        for column in sorted({"run", *want}):  # of one that never ran too
            if not got or got[column] != want[column]:
                wrong += 1
                print(f"{path}: {tid}: {column} {got and got[column]} ns, by the rules {want[column]}")
    for tid in sorted(set(times) - set(both.own.all)):
        wrong += 1
        print(f"{path}: {tid} is in no record")
    return wrong


def classes(path, both):
    """The reasons for the differences; without one it is wrong."""
    wrong = 0
    for kind in KINDS:
        counts = collections.Counter()
        for tid in both.lines:
            why = both.why.get((tid, kind)) if tid > 0 else None
            if tid > 0:
                counts[" and ".join(sorted(str(w) for w in why)) if why else "same"] += 1
            if why and None in why:
                wrong += 1
                print(f"{path}: {tid}: {kind} differs by {why[None]} ns for no reason")
        print(f"{path}: {kind} times of threads: " + ", ".join(
            f"{n} {why}" for why, n in counts.most_common()))
    return wrong


def compare_longest(path, times):
    waits = wrong = 0
    for tid, ns, start in longest_waits(path):
        if tid not in times:
            continue
        waits += 1
        if times[tid]["longest"] + 1000 < ns:
            wrong += 1
            print(f"{path}: {tid} waited at most {times[tid]['longest']} ns, perf says {ns:.0f} at {start:.0f}")
    return waits, wrong


def compare(perfrep, path):
    end = json.loads(run(perfrep, "sched", "-q", "--format=json", path))["end_ns"]
    both, times = Both(list(records_of(path)), end), own_times(perfrep, path)
    waits, wrong = compare_longest(path, times)
    wrong += compare_perf(path, both) + compare_own(path, both, times) + classes(path, both)
    print(f"{path}: {sum(map(len, both.lines.values()))} lines of perf, {len(times)} threads, "
          f"{waits} longest waits; {wrong} wrong")
    return wrong


if __name__ == "__main__":
    sys.exit(1 if sum([compare(sys.argv[1], path) for path in sys.argv[2:]]) else 0)
