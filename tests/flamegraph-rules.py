# SPDX-License-Identifier: MIT
"""flamegraph-rules.py PERFREP FOLDED...: the frames of perfrep's flame graphs are those that the
rules of flamegraph.pl give, computed here by its way and by another one.

Its way: lines are sorted bytewise; from one line to the next, the frames that are no longer the
same end, and the new ones begin; a frame narrower than the limit is left out.  Where a stack ends
in a frame, the lines that go on from it may lie apart from that line, with another function
between ("a 1", "a.b 1", "a;c 1"); flamegraph.pl then draws a frame twice.  perfrep draws it once,
where its lines that go on are: so the second way, from a tree."""
import random
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ElementTree

MARK = re.compile(r"_\[[kwij]\]$")
PAD = 10


def stacks(text):
    """As perfrep reads them: white space around a line is nothing, the count follows the last blank."""
    for line in text.split(b"\n"):
        line = line.strip(b" \t\r\v\f")
        stack, blank, count = line.rpartition(b" ")
        if blank and count.isdigit():
            yield line, stack.split(b";"), int(count)


def by_flow(text):
    """[(path, from, to)], as flamegraph.pl does it."""
    boxes, last, begun, now = [], [], {}, 0
    for _, stack, count in sorted(stacks(text)):
        this = [b""] + stack
        same = 0
        while same < min(len(last), len(this)) and last[same] == this[same]:
            same += 1
        for depth in range(len(last) - 1, same - 1, -1):
            boxes.append((tuple(last[: depth + 1]), begun.pop(depth), now))
        for depth in range(same, len(this)):
            begun[depth] = now
        last, now = this, now + count
    for depth in range(len(last) - 1, -1, -1):
        boxes.append((tuple(last[: depth + 1]), begun.pop(depth), now))
    return [box for box in boxes if box[1] < box[2]]


def by_tree(text):
    """The same with each frame once."""
    total, below = {}, {}
    for _, stack, count in stacks(text):
        path = (b"",)
        total[path] = total.get(path, 0) + count
        for frame in stack:
            if count:
                below.setdefault(path, set()).add(path + (frame,))
            path += (frame,)
            total[path] = total.get(path, 0) + count
    boxes, todo = [], [((b"",), 0)]
    while todo:
        path, start = todo.pop()
        end = start + total[path]
        boxes.append((path, start, end))
        callees = sorted(below.get(path, ()), reverse=True,
                         key=lambda p: p[-1] + (b";" if below.get(p) else b" "))
        for callee in callees:
            end -= total[callee]
            todo.append((callee, end))
    return boxes


def expected(boxes, width, least):
    total = boxes_total(boxes)
    scale = (width - 2 * PAD) / total
    result = set()
    for path, start, end in boxes:
        if len(path) > 1 and end - start < least / scale:
            continue
        name = MARK.sub("", path[-1].decode()) if len(path) > 1 else "all"
        left, right = (round(1000 * (PAD + at * scale)) for at in (start, end))
        result.add((name, left, right - left, len(path) - 1, end - start))
    return result


def boxes_total(boxes):
    return max(end for _, _, end in boxes)


def drawn(svg, inverted):
    """The frames of an SVG; and how many it says are left out."""
    ns = {"s": "http://www.w3.org/2000/svg"}
    root = ElementTree.fromstring(svg)
    frames = root.findall(".//s:g[@id='f']/s:rect", ns)
    rows = [int(r.get("y")) for r in frames]
    first = rows[0]
    result = set()
    for rect, y in zip(frames, rows):
        title = rect.find("s:title", ns).text.split("\n")[0]
        match = re.match(r"(.*) \(([\d,]+) samples, [<\d.]+%( ±[\d.]+)?\)$", title)
        assert match, f"unexpected title {title!r}"
        depth = (y - first if inverted else first - y) // 16
        result.add((match[1], round(1000 * float(rect.get("x"))),
                    round(1000 * float(rect.get("width"))), depth,
                    int(match[2].replace(",", ""))))
    assert len(result) == len(frames), "two frames are the same"
    sub = "".join(root.find(".//s:text[@id='sub']", ns).itertext())
    left_out = re.search(r"([\d,]+) of ([\d,]+) frames are narrower", sub)
    return result, int(left_out[1].replace(",", "")) if left_out else 0


def compare(perfrep, path, text):
    flow, tree = by_flow(text), by_tree(text)
    split = len(flow) - len({path for path, _, _ in flow})
    if not split:
        assert set(flow) == set(tree), f"{path}: the two ways differ"
    for width, least, options in ((1200, 0.1, []), (700, 2.5, ["--inverted"]), (1200, 0, [])):
        command = [perfrep, "flamegraph", f"--width={width}", f"--min-width={least}", *options, path]
        svg = subprocess.run(command, check=True, capture_output=True).stdout
        got, left_out = drawn(svg, bool(options))
        want = expected(tree, width, least)
        # a coordinate that lies between two thousandths may be rounded either way
        missing, extra = want - got, got - want
        for box in list(missing):
            near = next((g for g in extra if g[0] == box[0] and g[3:] == box[3:] and
                         abs(g[1] - box[1]) <= 1 and abs(g[2] - box[2]) <= 1), None)
            if near:
                missing.discard(box)
                extra.discard(near)
        assert not missing and not extra, f"{path}: missing {sorted(missing)[:3]}, too many {sorted(extra)[:3]}"
        assert left_out == len(tree) - len(want), f"{path}: {left_out} left out, not {len(tree) - len(want)}"
    return len(tree), split


def invented(seed):
    """Stacks whose names are made to sort badly."""
    rng = random.Random(seed)
    names = ["a", "a b", "a.b", "a-", "ab", "a<b>", "a&b", 'a"b', "b", "b_[k]", "b_[i]", "é", "main()", "0", "~"]
    lines = [";".join(rng.choice(names) for _ in range(rng.randint(1, 7))) + f" {rng.randint(1, 900)}"
             for _ in range(rng.randint(1, 400))]
    return ("\n".join(lines) + "\n").encode()


def main():
    perfrep, files = sys.argv[1], sys.argv[2:]
    frames = splits = 0
    for path in files:
        with open(path, "rb") as f:
            counts = compare(perfrep, path, f.read())
        frames, splits = frames + counts[0], splits + counts[1]
    for seed in range(20):
        with tempfile.NamedTemporaryFile(suffix=".folded") as f:
            f.write(invented(seed))
            f.flush()
            counts = compare(perfrep, f.name, invented(seed))
        frames, splits = frames + counts[0], splits + counts[1]
    assert splits, "no frame was one that flamegraph.pl draws twice"
    print(f"{frames} frames of {len(files)} files and 20 inventions are where they belong, "
          f"{splits} of them drawn once instead of twice")


main()
