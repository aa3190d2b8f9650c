#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""compare-fields.py PERFREP FILE...: fields of tracepoints, as perfrep dump and as this reads them.

The formats are read from the recording's tracing data here once more, and each sample's raw data is
decoded by them: name, offset, size, sign, as Documentation/trace/events.rst of the kernel describes
them.  Every field of every sample must be the same text.  Where FILE has a check.json, in
../truth/NAME, the number of samples of each event must be its too.
"""
import json
import os
import re
import struct
import subprocess
import sys

TRACING_DATA, HEADER_TRACING_DATA = 1, 66
FIELD = re.compile(r"\tfield:(.*?);\toffset:(\d+);\tsize:(\d+);(?:\tsigned:(\d+);)?")


class Blob:
    def __init__(self, data, order):
        self.data, self.at, self.order = data, 0, order

    def take(self, n):
        self.at += n
        return self.data[self.at - n:self.at]

    def number(self, n):
        return int.from_bytes(self.take(n), self.order)

    def string(self):
        end = self.data.index(b"\0", self.at)
        return self.take(end + 1 - self.at)[:-1].decode()


def tracing_data(data):
    """Of a file its section of that feature; of a pipe what is behind its record."""
    order = "little" if data[:8] == b"PERFILE2" else "big"
    header = Blob(data, order)
    header.at = 8
    if header.number(8) == 16:
        while header.at + 8 <= len(data):
            kind, size = header.number(4), header.number(4)
            size = size >> 16 if order == "little" else size & 0xffff
            if kind == HEADER_TRACING_DATA:
                length = header.number(4)
                return header.take(length)
            header.at += size - 8
        return None
    header.at = 40
    end = header.number(8) + header.number(8)
    header.at = 72
    bits = [header.number(8) for _ in range(4)]
    if not bits[0] >> TRACING_DATA & 1:
        return None
    header.at = end + 16 * bin(bits[0] & ((1 << TRACING_DATA) - 1)).count("1")
    at, size = header.number(8), header.number(8)
    return data[at:at + size]


def formats(data):
    blob = Blob(data, "little")
    assert blob.take(10) == b"\x17\x08\x44tracing"
    blob.string()
    blob.order = "big" if blob.number(1) else "little"
    blob.take(5)
    for _ in range(2):
        blob.string()
        blob.take(blob.number(8))
    for _ in range(blob.number(4)):
        blob.take(blob.number(8))
    events = {}
    for _ in range(blob.number(4)):
        system = blob.string()
        for _ in range(blob.number(4)):
            text = blob.take(blob.number(8)).decode()
            name = re.search(r"^name: (.*)$", text, re.M).group(1)
            events[f"{system}:{name}"] = FIELD.findall(text)
    return events, blob.order


def number(data, order, signed):
    return int.from_bytes(data, order, signed=signed)


def array(data, element, order, signed):
    values = [number(data[i:i + element], order, signed) for i in range(0, len(data), element)]
    return "{" + ",".join(str(v) for v in values) + "}"


def element_size(kind, size, count):
    sizes = {"u8": 1, "s8": 1, "u16": 2, "s16": 2, "u32": 4, "s32": 4, "u64": 8, "s64": 8}
    for name, n in sizes.items():
        if kind.split()[-1].lstrip("_").startswith(name):
            return n
    return size // count if count else 8 if "long" in kind else 4 if "int" in kind else 1


def decode(raw, field, order):
    declaration, offset, size, signed = field[0], int(field[1]), int(field[2]), field[3] == "1"
    data = raw[offset:offset + size]
    dynamic = re.match(r"__(data|rel)_loc (.*)\[\] (\w+)$", declaration)
    fixed = re.match(r"(.*) (\w+)\[(\w*)\]$", declaration)
    if dynamic:
        place = number(data, order, False)
        at = place & 0xffff if dynamic.group(1) == "data" else offset + size + (place & 0xffff)
        data, kind, name, count = raw[at:at + (place >> 16)], dynamic.group(2), dynamic.group(3), 0
    elif fixed:
        kind, name, count = fixed.group(1), fixed.group(2), int(fixed.group(3) or 0)
    else:
        name = declaration.split()[-1].lstrip("*")
        v = number(data, order, signed)
        return name, f"{v:#x}" if "*" in declaration else str(v)
    if "char" in kind:
        return name, data.split(b"\0")[0].decode(errors="replace")
    return name, array(data, element_size(kind, size, count), order, signed)


def samples(perfrep, path):
    command = [perfrep, "dump", "-q", "--type=SAMPLE", "--format=json", path]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as dump:
        for line in dump.stdout:
            yield json.loads(line)


def truth_of(path):
    name = os.path.basename(path).replace(".perf.data", "")
    check = os.path.join(os.path.dirname(path), "..", "truth", name, "check.json")
    if not os.path.exists(check):
        return None
    with open(check) as f:
        return {e["name"]: e["samples"] for e in json.load(f)["counts"]["events"]}


def compare(perfrep, path):
    with open(path, "rb") as f:
        data = f.read()
    blob = tracing_data(data)
    events, order = formats(blob) if blob else ({}, "little")
    counts, fields, texts, wrong = {}, 0, 0, 0
    for s in samples(perfrep, path):
        counts[s["event"]] = counts.get(s["event"], 0) + 1
        if s["event"] not in events:
            wrong += "fields" in s
            continue
        raw = bytes.fromhex(s["raw"])
        want = ["{}={}".format(*decode(raw, f, order)) for f in events[s["event"]]]
        want = [w for w in want if not w.startswith("common_")]
        fields += len(want)
        texts += "text" in s
        if s.get("fields", []) != want:
            wrong += 1
            print(f"{path}: {s['event']} at {s['offset']}: {s.get('fields')}, not {want}")
    truth = truth_of(path)
    for name, n in (truth or {}).items():
        if counts.get(name, 0) != n:
            wrong += 1
            print(f"{path}: {counts.get(name, 0)} samples of {name}, not {n}")
    print(f"{os.path.basename(path)}: {sum(counts.values())} samples, {fields} fields, {texts} texts, "
          f"{wrong} wrong")
    return wrong, fields


results = [compare(sys.argv[1], path) for path in sys.argv[2:]]
sys.exit(1 if sum(r[0] for r in results) or not sum(r[1] for r in results) else 0)
