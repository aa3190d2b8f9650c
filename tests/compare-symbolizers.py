#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compare the DWARF index's frames with llvm-symbolizer --inlines and eu-addr2line -i.

compare-symbolizers.py DWARF-FRAMES [-n N] [-s SEED] [-v COUNT] [--no-eu] FILE...

For each FILE: every address of its function symbols, or a seeded random sample of N of them
(20,000 unless told).  A frame is (function, base name of the file, line).  What agrees with llvm
is right; of what doesn't, what agrees with eu-addr2line in the frames it shows is right too; the
rest is counted by the kind of difference, and -v shows that many of each.

Function names are compared as a symbolizer uses them: the linkage name, demangled; where there is
none the plain name (llvm shows no scope then).  The name of the outermost frame is not compared:
perfrep takes it from the ELF symbol table.  Exit status: 0 when nothing differs, 1 when something
does, 77 when llvm-symbolizer is missing.
"""
import argparse
import collections
import os
import random
import re
import resource
import shutil
import subprocess
import sys


def cpu_of(cmd, text):
    """Run CMD with TEXT as input: its output, CPU seconds."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    r = subprocess.run(cmd, input=text, capture_output=True, text=True, errors='replace',
                       env=dict(os.environ, DEBUGINFOD_URLS='', LC_ALL='C.UTF-8'))
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return r.stdout, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def addresses(path, n, seed):
    """Addresses inside the function symbols of PATH."""
    out = subprocess.run(['readelf', '-sW', path], capture_output=True, text=True,
                         errors='replace').stdout
    spans = set()
    for line in out.splitlines():
        p = line.split()
        if len(p) >= 8 and p[3] in ('FUNC', 'IFUNC') and p[6] not in ('UND', 'ABS'):
            size = int(p[2], 0)
            if size:
                spans.add((int(p[1], 16), size))
    spans = sorted(spans)
    total = sum(s for _, s in spans)
    if total <= n * 2:
        every = {a + i for a, s in spans for i in range(s)}
        return sorted(every)
    rng = random.Random(seed)
    picked = set()
    cum, at = [], 0
    for a, s in spans:
        cum.append(at)
        at += s
    import bisect
    while len(picked) < n:
        k = rng.randrange(total)
        i = bisect.bisect_right(cum, k) - 1
        picked.add(spans[i][0] + k - cum[i])
    picked = list(picked)
    return sorted(picked)


def ours(tool, path, addrs):
    text, cpu = cpu_of([tool, path], ''.join('%x\n' % a for a in addrs))
    res = {}
    for block in text.split('\n\n'):
        lines = block.split('\n')
        if not lines[0].startswith('0x'):
            continue
        frames = []
        for line in lines[1:]:
            linkage, name, scope, file, num, inl = line.split('\t')
            frames.append((linkage or name, os.path.basename(file), int(num),
                           scope + '::' + name if scope else name, name))
        res[int(lines[0], 16)] = frames
    return res, cpu


def llvm(path, addrs):
    text, cpu = cpu_of(['llvm-symbolizer', '--obj=' + path, '--inlining', '--functions=linkage',
                        '--no-demangle'], ''.join('0x%x\n' % a for a in addrs))
    res = {}
    for a, block in zip(addrs, text.split('\n\n')):
        lines = block.strip('\n').split('\n')
        frames = []
        for name, place in zip(lines[0::2], lines[1::2]):
            file, line, _ = place.rsplit(':', 2)
            if '/' not in file and line == '0':
                file = '??'  # from the symbol table: the STT_FILE symbol before
            frames.append((name if name != '??' else '',
                           os.path.basename(file) if file != '??' else '', int(line)))
        res[a] = frames
    return res, cpu


def eu(path, addrs):
    """Only those asked for: it is slow."""
    text, cpu = cpu_of(['eu-addr2line', '-i', '-f', '-a', '-e', path],
                       ''.join('0x%x\n' % a for a in addrs))
    res, frames, name = {}, None, None
    for line in text.split('\n'):
        if re.fullmatch('0x[0-9a-f]+', line):
            frames = res.setdefault(int(line, 16), [])
            name = None
        elif frames is None or not line:
            continue
        elif name is None:
            name = re.sub(r' inlined at .*', '', line)
        else:
            m = re.match(r'(.*?):(\d+)(?::\d+)?$', line)
            if m:
                frames.append((name if name != '??' else '',
                               os.path.basename(m.group(1)) if m.group(1) != '??' else '',
                               int(m.group(2))))
            name = None
    return res, cpu


def same_name(mine, theirs):
    return theirs in (mine[0], mine[3], mine[4])


def plain_symbol(frames):
    """What a symbolizer prints when it has only the ELF symbol."""
    return len(frames) == 1 and not frames[0][1] and not frames[0][2]


def difference(mine, theirs):
    """The kind of the first difference, or None."""
    if plain_symbol(theirs) or not theirs:
        if not mine:
            return None
        return 'we have more: no debug data in the other'
    if not mine:
        return 'we have none'
    if len(mine) != len(theirs):
        return 'fewer frames than the other' if len(mine) < len(theirs) else 'more frames'
    for i, (m, t) in enumerate(zip(mine, theirs)):
        last = i == len(mine) - 1
        if not last and not same_name(m, t[0]):
            return 'name'
        if m[1] != t[1]:
            return 'file'
        if m[2] != t[2]:
            return 'line'
    return None


def compare(args, path):
    addrs = addresses(path, args.n, args.s)
    mine, my_cpu = ours(args.tool, path, addrs)
    theirs, llvm_cpu = llvm(path, addrs)
    kinds = collections.Counter()
    differing = collections.defaultdict(list)
    outer = 0
    for a in addrs:
        m, t = mine.get(a, []), theirs.get(a, [])
        kind = difference(m, t)
        if m and t and not kind and not same_name(m[-1], t[-1][0]):
            outer += 1
        kinds[kind or 'same'] += 1
        if kind:
            differing[kind].append(a)
    rest = [a for v in differing.values() for a in v]
    by_eu = eu(path, rest)[0] if rest and not args.no_eu else {}
    settled = 0
    for kind, v in differing.items():
        left = [a for a in v if difference(mine.get(a, []), by_eu.get(a, [])) is not None
                or not by_eu.get(a)]
        settled += len(v) - len(left)
        differing[kind] = left
    print('%s: %d addresses, %d same as llvm-symbolizer, %d more same as eu-addr2line, '
          '%d differ from both' % (path, len(addrs), kinds['same'], settled,
                                   len(addrs) - kinds['same'] - settled))
    inl = sum(len(m) > 1 for m in mine.values())
    frames = sum(len(m) for m in mine.values())
    print('  frames %d, addresses with inlined frames %d; outermost name other than llvm\'s %d'
          % (frames, inl, outer))
    print('  CPU: ours %.3f s, llvm-symbolizer %.3f s, ratio 1 : %.1f'
          % (my_cpu, llvm_cpu, llvm_cpu / max(my_cpu, 1e-3)))
    bad = 0
    for kind in sorted(differing):
        v = differing[kind]
        print('  %s: %d against llvm, %d against both' % (kind, kinds[kind], len(v)))
        bad += len(v)
        for a in v[:args.v]:
            print('    0x%x\n      ours %s\n      llvm %s\n      eu   %s'
                  % (a, [x[:3] for x in mine.get(a, [])], theirs.get(a), by_eu.get(a)))
    return bad


def main():
    p = argparse.ArgumentParser()
    p.add_argument('tool')
    p.add_argument('-n', type=int, default=20000)
    p.add_argument('-s', type=int, default=1)
    p.add_argument('-v', type=int, default=0)
    p.add_argument('--no-eu', action='store_true')
    p.add_argument('files', nargs='+')
    args = p.parse_args()
    if not shutil.which('llvm-symbolizer') or not shutil.which('readelf'):
        print('skipped: llvm-symbolizer or readelf is not installed')
        return 77
    if not shutil.which('eu-addr2line'):
        args.no_eu = True
    return 1 if sum(compare(args, f) for f in args.files) else 0


if __name__ == '__main__':
    sys.exit(main())
