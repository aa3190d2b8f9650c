#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""compare-roots.py RECORDING [PERFREP]: how many stacks reach the root, with each reader here.

The root is what calls main, or where a thread begins.  perf and hotspot's perfparser are asked if
they are installed; the parser's answer is a QDataStream (big-endian) of messages: u32 size
(little-endian), u8 type; see its PerfUnwind::EventType and hotspot's src/parsers/perf.
"""
import glob
import re
import shutil
import struct
import subprocess
import sys

ROOT = re.compile(r"(_start|_dl_start_user|__libc_start_main(_impl)?|__libc_start_call_main|"
                  r"\(below main\)|(__)?clone3?|start_thread)$")


def is_root(name):
    return bool(ROOT.match(name.split("@")[0]))


class Count:
    def __init__(self):
        self.stacks = self.rooted = self.guessed = 0

    def add(self, outermost, number=1, guessed=False):
        self.stacks += number
        self.rooted += number * is_root(outermost)
        self.guessed += number * guessed


def output(*command):
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:
        yield from process.stdout


def perfrep(program, recording, *options):
    count = Count()
    for line in output(program, "fold", "-q", "--no-cache", "--no-inline", "--weight=count", *options,
                       recording):
        stack, number = line.decode(errors="replace").rsplit(" ", 1)
        count.add(stack.split(";")[1], int(number))
    return count


def perf(recording):
    count = Count()
    outermost = None
    for line in output("perf", "script", "--no-inline", "-F", "ip,sym", "-i", recording):
        words = line.decode(errors="replace").split(None, 1)
        if words:
            outermost = words[1].strip() if len(words) > 1 else "[unknown]"
        elif outermost is not None:
            count.add(outermost)
            outermost = None
    return count


def perfparser(program, recording):
    """Messages: 3 is a location, 4 the symbol of a location, 5 a string, 13 a sample."""
    data = subprocess.run([program, "--input", recording], capture_output=True, check=True).stdout
    strings, symbol, parent, count = {}, {}, {}, Count()
    at = len(b"QPERFSTREAM\0") + 4
    while at + 5 <= len(data):
        size, kind = struct.unpack_from("<IB", data, at)
        body, at = at + 5, at + 4 + size
        if kind == 3:
            location, parent_of = struct.unpack_from(">i24xi", data, body)
            parent[location] = parent_of
        elif kind == 4:
            location, symbol[location] = struct.unpack_from(">ii", data, body)
        elif kind == 5:
            string, length = struct.unpack_from(">iI", data, body)
            strings[string] = data[body + 8:body + 8 + length].decode(errors="replace")
        elif kind == 13:
            (frames,) = struct.unpack_from(">20xI", data, body)
            outermost, guessed = -1, 0
            if frames:
                outermost, guessed = struct.unpack_from(">iB", data, body + 20 + 4 * frames)
            while parent.get(outermost, -1) >= 0:  # inlined into it
                outermost = parent[outermost]
            count.add(strings.get(symbol.get(outermost), "?"), guessed=guessed > 0)
    return count


def main():
    recording = sys.argv[1]
    program = sys.argv[2] if len(sys.argv) > 2 else "perfrep"
    readers = [("perfrep", lambda: perfrep(program, recording)),
               ("perfrep --no-repair", lambda: perfrep(program, recording, "--no-repair"))]
    if shutil.which("perf"):
        readers.append(("perf script", lambda: perf(recording)))
    for parser in glob.glob("/usr/lib/*/libexec/hotspot-perfparser"):
        readers.append(("hotspot-perfparser", lambda: perfparser(parser, recording)))
    for name, read in readers:
        count = read()
        guessed = f", {count.guessed} with guessed frames" if count.guessed else ""
        print(f"{name:20} {count.rooted:8} of {count.stacks:8} stacks reach the root, "
              f"{100 * count.rooted / max(count.stacks, 1):6.2f} %{guessed}", flush=True)


main()
