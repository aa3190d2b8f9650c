# SPDX-License-Identifier: MIT
# Sourced by tests that record the program that waits in every way (testdata/src/waits.c): a directory of
# their own, which is the working directory and goes with them, ./waits in it, and the right to record
# the scheduler on all CPUs; else they are skipped.  WAITS_CFLAGS are for the compiler.
#
# After it: $perfrep, $srcdir, absolute; skip REASON.
: "${PERFREP:?}" "${SRCDIR:?}"
perfrep=$(realpath "$PERFREP") srcdir=$(realpath "$SRCDIR")
dir=$(mktemp -d "${TMPDIR:-/tmp}/perfrep-waits.XXXXXX") || exit 99
trap 'rm -rf "$dir"' EXIT
cd "$dir" || exit 99

skip() {
	echo "skipped: $*"
	exit 77
}

command -v perf >/dev/null || skip "no perf"
cc -std=gnu17 -D_GNU_SOURCE -O2 -pthread ${WAITS_CFLAGS:-} -o waits "$srcdir/testdata/src/waits.c" 2>cc.log ||
	skip "waits.c does not compile here: $(head -n 1 cc.log)"
perf record -q -a -e sched:sched_switch -o probe.data true >/dev/null 2>&1 ||
	skip "perf may not record sched:sched_switch of all CPUs"
