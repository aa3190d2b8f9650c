#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What difffolded.pl's rules make of two folded files, as a set, against perfrep diff.

difffolded.py PERFREP BEFORE AFTER compares without options, with -n, -s and both, in either
direction; it prints the differences and fails when there are any.  The rules, written down here
from the script's manual and behaviour and not from perfrep's source: a line is anything, one white
space and a number with or without a fraction; numbers of equal stacks add up; the output has every
stack of either file with both sums, 0 for none; -n scales the first sums by the ratio of the totals
and cuts their fractions, unless the totals are equal; -s makes hexadecimal numbers 0x....
"""

import re
import subprocess
import sys
from collections import defaultdict
from fractions import Fraction

LINE = re.compile(rb"^(.*)\s(\d+(?:\.\d*)?)$", re.DOTALL)


def read(path, strip):
    sums = defaultdict(Fraction)
    with open(path, "rb") as f:
        for line in f.read().split(b"\n"):
            match = LINE.match(line)
            if not match:
                continue
            stack, count = match.groups()
            if strip:
                stack = re.sub(rb"0x[0-9a-fA-F]+", b"0x...", stack)
            sums[stack] += Fraction(count.decode().rstrip("."))
    return sums


def show(number):
    return b"%d" % number if number.denominator == 1 else b"%.15g" % float(number)


def expected(before, after, normalise, strip):
    a, b = read(before, strip), read(after, strip)
    total_a, total_b = sum(a.values()), sum(b.values())
    lines = set()
    for stack in set(a) | set(b):
        first, second = a.get(stack, Fraction(0)), b.get(stack, Fraction(0))
        if normalise and total_a != total_b:
            first = Fraction(int(first * total_b / total_a)) if total_a else Fraction(0)
        lines.add(b"%s %s %s" % (stack, show(first), show(second)))
    return lines


def main(perfrep, before, after):
    failed = 0
    for x, y in ((before, after), (after, before), (before, before)):
        for options in ([], ["-n"], ["-s"], ["-n", "-s"]):
            out = subprocess.run([perfrep, "diff", "-q", "--format=folded", *options, x, y],
                                 stdout=subprocess.PIPE, check=True).stdout
            got = out.split(b"\n")[:-1]
            want = expected(x, y, "-n" in options, "-s" in options)
            if set(got) == want and len(got) == len(want):
                continue
            failed = 1
            print(f"{x} {y} {options}: {len(want - set(got))} lines are missing, "
                  f"{len(set(got) - want)} are too many")
            for line in sorted(want ^ set(got))[:5]:
                print("   ", line.decode(errors="replace"))
    return failed


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
