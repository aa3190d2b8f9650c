#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""How time and memory grow: make bench-growth, or growth.py [--large] [--only NAME]... OUT-DIR.

For each thing that a recording can have many of (bytes, distinct stacks, processes, maps, debug
data) it generates recordings that differ in that alone (bench/generate.c), measures `perfrep
report` on them, and writes growth.svg and growth.md into OUT-DIR.  The slope is that of the line
through a curve's neighbours on logarithmic axes: 1 is proportional, and n log n is about 1.1 here.
A step with a slope above KNEE is marked as a knee.

Environment: PERFREP (./perfrep), CC (cc), RUNS (3: the median counts).
"""
import argparse
import html
import json
import math
import os
import re
import statistics
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
PERFREP = os.environ.get("PERFREP", "./perfrep")
RUNS = int(os.environ.get("RUNS", "3"))
KNEE = 1.25
FLOOR = 0.02  # seconds: below this a slope is that of starting up


def bytes_axis(large):
    sizes = [10, 30, 100, 300, 1000] + ([3000, 10000] if large else [])
    return [(mb * 10**6, ["--samples", str(mb * 10**6 // 248)]) for mb in sizes]


def stacks_axis(large):
    top = 3000000 if large else 1000000
    counts = [1000, 10000, 30000, 100000, 300000, 1000000, 3000000]
    return [(n, ["--samples", "1500000", "--functions", "20000", "--stacks", str(n)])
            for n in counts if n <= top]


def processes_axis(_):
    return [(n, ["--samples", "200000", "--depth", "8", "--processes", str(n)])
            for n in (1, 100, 1000, 10000, 30000, 100000)]


def jit_axis(_):
    return [(n, ["--samples", "200000", "--depth", "8", "--jit", str(n)])
            for n in (1, 100, 1000, 10000, 30000, 100000)]


def files_axis(_):
    return [(n, ["--samples", "200000", "--depth", "8", "--files", str(n)])
            for n in (1, 100, 1000, 10000, 30000, 100000)]


def remap_axis(_):
    return [(n, ["--samples", "200000", "--depth", "8", "--remap", str(n)])
            for n in (1, 100, 1000, 10000, 30000, 100000)]


def program(functions, out):
    """A C program with that many functions, each with inlined calls and types of its own."""
    path = os.path.join(out, f"program-{functions}")
    if not os.path.exists(path):
        for unit in range(0, functions, 500):
            with open(f"{path}-{unit}.c", "w", encoding="ascii") as f:
                f.write("extern volatile long sink;\n#define I static inline "
                        "__attribute__((always_inline)) long\n")
                for i in range(unit, min(unit + 500, functions)):
                    f.write(f"struct s{i} {{ long a, b[{i % 9 + 1}]; struct s{i} *next; }};\n"
                            f"I leaf{i}(struct s{i} *s, long x) {{ sink += x; "
                            "return s->a * x + s->b[0]; }\n"
                            f"I middle{i}(struct s{i} *s, long x) {{ return "
                            f"leaf{i}(s, x) ^ leaf{i}(s->next, x + 1) ^ leaf{i}(s, x * 3); }}\n"
                            f"long function{i}(struct s{i} *s, long x) {{ return "
                            f"middle{i}(s, x) + middle{i}(s->next, x + {i}); }}\n")
        with open(f"{path}-main.c", "w", encoding="ascii") as f:
            f.write("volatile long sink;\nint main(void) { return 0; }\n")
        sources = [f"{path}-{n}.c" for n in ["main", *range(0, functions, 500)]]
        subprocess.run([os.environ.get("CC", "cc"), "-O2", "-g", "-o", path, *sources], check=True)
        for source in sources:
            os.unlink(source)
    table = subprocess.run(["readelf", "-SW", path], capture_output=True, text=True,
                           check=True).stdout
    where = {m[1]: (int(m[2], 16), int(m[3], 16))
             for m in re.finditer(r"\] (\.\S+) +\S+ +\w+ (\w+) (\w+)", table)}
    return path, where[".text"], where[".debug_info"][1]


def debug_axis(large, out):
    axis = []
    for n in [1000, 3000, 10000, 30000] + ([100000] if large else []):
        path, (offset, size), info = program(n, out)
        axis.append((info, ["--samples", "100000", "--functions", str(size // 16), "--stacks",
                            "1000000", "--program", path, "--text", f"{offset},{size}"]))
    return axis


AXES = {
    "bytes": ("bytes of the recording", bytes_axis),
    "stacks": ("distinct stacks, of 1.5 M samples", stacks_axis),
    "processes": ("processes, 200,000 samples", processes_axis),
    "jit": ("maps of anonymous code in one process, 200,000 samples", jit_axis),
    "files": ("mapped files in one process, 200,000 samples", files_axis),
    "remap": ("times that a file is mapped over others, 200,000 samples", remap_axis),
    "debug": ("bytes of .debug_info, all of the code sampled", debug_axis),
}


def measure(recording, no_cache=True):
    """Median CPU seconds, wall seconds and peak bytes, mapped file left out, of RUNS runs."""
    runs = []
    for _ in range(RUNS):
        done = subprocess.run([PERFREP, "report", "--timings=json", "--threads=1",
                               *(["--no-cache"] if no_cache else []), recording],
                              stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                              check=False)
        if done.returncode > 1:
            sys.exit(f"growth: {recording}: {done.stderr}")
        line = next(l for l in done.stderr.splitlines() if l.startswith("{"))
        t = json.loads(line)
        every = t["all"]
        runs.append(((every["user_ms"] + every["sys_ms"]) / 1e3, every["wall_ms"] / 1e3,
                     t["peak_own_bytes"],
                     max(t["steps"],
                         key=lambda s: t["steps"][s]["user_ms"])))
    return (*(statistics.median(r[i] for r in runs) for i in range(3)), runs[-1][3])


def slope(a, b, column):
    if b[0] <= a[0] or a[column] <= 0 or b[column] <= 0:
        return 0
    return math.log(b[column] / a[column]) / math.log(b[0] / a[0])


def knees(points):
    return [(b[0], slope(a, b, 1), b[4]) for a, b in zip(points, points[1:])
            if b[1] > FLOOR and slope(a, b, 1) > KNEE]


# --- the chart ---

WIDTH, HEIGHT, LEFT, BOTTOM, TOP = 420, 260, 60, 40, 34


def ticks(low, high):
    return [10.0**e for e in range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)]


def short(v):
    for limit, unit in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if v >= limit:
            return f"{v / limit:g}{unit}"
    return f"{v:g}"


def panel(name, points, at_x, at_y):
    """Two curves on logarithmic axes: CPU seconds, and own memory in bytes on a scale of its own."""
    xs = ticks(points[0][0], points[-1][0])

    def place(v, scale, start, length):
        span = math.log10(scale[-1]) - math.log10(scale[0]) or 1
        return start + length * (math.log10(max(v, scale[0])) - math.log10(scale[0])) / span

    def x(v):
        return place(v, xs, LEFT, WIDTH - LEFT - 60)

    out = [f'<g transform="translate({at_x},{at_y})">',
           f'<text x="{LEFT}" y="16" font-weight="bold">{html.escape(AXES[name][0])}</text>']
    for column, colour, side, unit in ((1, "#c0392b", "left", "s"), (3, "#2471a3", "right", "B")):
        ys = ticks(min(max(p[column], 1e-3) for p in points), max(p[column] for p in points))

        def y(v, scale=ys):
            return place(v, scale, HEIGHT - BOTTOM, -(HEIGHT - BOTTOM - TOP))

        for tick in ys:
            edge = LEFT - 6 if side == "left" else WIDTH - 54
            anchor = "end" if side == "left" else "start"
            out.append(f'<text x="{edge}" y="{y(tick) + 4:.1f}" text-anchor="{anchor}" '
                       f'fill="{colour}">{short(tick)} {unit}</text>')
            if side == "left":
                out.append(f'<line x1="{LEFT}" x2="{WIDTH - 60}" y1="{y(tick):.1f}" '
                           f'y2="{y(tick):.1f}" stroke="#ddd"/>')
        line = " ".join(f"{x(p[0]):.1f},{y(p[column]):.1f}" for p in points)
        out.append(f'<polyline points="{line}" fill="none" stroke="{colour}" stroke-width="2"/>')
        out += [f'<circle cx="{x(p[0]):.1f}" cy="{y(p[column]):.1f}" r="3" fill="{colour}">'
                f'<title>{p[0]:,}: {p[1]:.3f} s CPU, {p[3] / 1e6:.1f} MB, most in {p[4]}</title>'
                "</circle>" for p in points]
        if column == 1:
            out += [f'<circle cx="{x(k):.1f}" cy="{y(next(p[1] for p in points if p[0] == k)):.1f}"'
                    f' r="8" fill="none" stroke="{colour}"><title>knee: slope {s:.2f} in {step}'
                    "</title></circle>" for k, s, step in knees(points)]
    for tick in xs:
        out.append(f'<text x="{x(tick):.1f}" y="{HEIGHT - BOTTOM + 18}" text-anchor="middle">'
                   f"{short(tick)}</text>")
    return out + ["</g>"]


def chart(results):
    rows = (len(results) + 1) // 2
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{2 * WIDTH + 20}" '
           f'height="{rows * HEIGHT + 40}" font-family="sans-serif" font-size="11">',
           '<rect width="100%" height="100%" fill="white"/>',
           '<text x="20" y="20" font-size="14">perfrep report, one thread: '
           '<tspan fill="#c0392b">CPU seconds</tspan> and '
           '<tspan fill="#2471a3">memory beside the mapped file</tspan>; '
           "circles around knees</text>"]
    for i, (name, points) in enumerate(results.items()):
        out += panel(name, points, 10 + i % 2 * WIDTH, 30 + i // 2 * HEIGHT)
    return "\n".join(out + ["</svg>", ""])


def table(results):
    out = []
    for name, points in results.items():
        out += [f"\n{AXES[name][0]}\n",
                "| n | CPU s | wall s | own MB | slope | most in |",
                "|--:|------:|-------:|-------:|------:|---------|"]
        for before, p in zip([None, *points], points):
            steep = f"{slope(before, p, 1):.2f}" if before and p[1] > FLOOR else "-"
            out.append(f"| {p[0]:,} | {p[1]:.3f} | {p[2]:.3f} | {p[3] / 1e6:.1f} | {steep} | "
                       f"{p[4]} |")
        for n, s, step in knees(points):
            out.append(f"\nKnee at {n:,}: slope {s:.2f}, in {step}.")
    return "\n".join(out) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("out")
    parser.add_argument("--large", action="store_true", help="up to 10 GB, 3 M stacks")
    parser.add_argument("--only", action="append", choices=AXES, default=[])
    args = parser.parse_args()
    os.makedirs(args.out, exist_ok=True)
    results = {}
    with tempfile.TemporaryDirectory(dir=args.out) as scratch:
        generate = os.path.join(scratch, "generate")
        subprocess.run([os.environ.get("CC", "cc"), "-O2", "-o", generate,
                        os.path.join(HERE, "generate.c")], check=True)
        for name in args.only or AXES:
            make = AXES[name][1]
            axis = make(args.large, scratch) if name == "debug" else make(args.large)
            results[name] = []
            for n, options in axis:
                recording = os.path.join(scratch, "recording")
                subprocess.run([generate, *options, recording], check=True)
                results[name].append((n, *measure(recording)))
                os.unlink(recording)
            print(table({name: results[name]}), flush=True)
    for file, text in (("growth.svg", chart(results)), ("growth.md", table(results))):
        with open(os.path.join(args.out, file), "w", encoding="utf-8") as f:
            f.write(text)


if __name__ == "__main__":
    main()
