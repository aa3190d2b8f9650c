#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# check-sched.sh: run times, waits and delays of threads as perf sched timehist and perf sched latency
# have them, of a program that waits in every way: equal, or the difference is of a sort that
# compare-sched.py knows.
#
# Wants perf, python, a C compiler, and the right to record all CPUs; else it is skipped.
set -u
: "${PERFREP:?}" "${SRCDIR:?}"
perfrep=$(realpath "$PERFREP") srcdir=$(realpath "$SRCDIR")
dir=$(mktemp -d "${TMPDIR:-/tmp}/perfrep-sched.XXXXXX") || exit 99
trap 'rm -rf "$dir"' EXIT
cd "$dir" || exit 99

skip() {
	echo "skipped: $*"
	exit 77
}

command -v perf >/dev/null || skip "no perf"
command -v python3 >/dev/null || skip "no python3"
cc -std=gnu17 -D_GNU_SOURCE -O2 -pthread -o waits "$srcdir/testdata/src/waits.c" 2>cc.log ||
	skip "waits.c does not compile here: $(head -n 1 cc.log)"
perf record -q -a -e sched:sched_switch -o probe.data true >/dev/null 2>&1 ||
	skip "perf may not record sched:sched_switch of all CPUs"

# attempt: record and compare; a recording that lost something is none.
attempt() {
	perf record -q -a -m 1024 -e sched:sched_switch,sched:sched_waking -o sched.data ./waits 2 \
		>/dev/null 2>&1 &&
		"$perfrep" sched -q --format=json sched.data | grep -q '"holes": 0' &&
		python3 "$srcdir/tests/compare-sched.py" "$perfrep" sched.data
}
attempt || attempt || attempt
