#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# check-waits.sh: a program whose threads wait in every way, and measure it, is recorded as the
# manual says; what perfrep says of each thread must be what the thread's own clocks say, within
# 1 % or 1 ms, and the functions that wait must be named, inlined ones included.
#
# Wants perf, a C compiler, and the right to record all CPUs; else it is skipped.  On a machine that
# is busy a thread may be kept from a CPU between reading a clock and what is measured: each
# recording has six attempts.
set -u
WAITS_CFLAGS="-g -fno-omit-frame-pointer"
. "$SRCDIR/tests/support/record-waits.sh"

# compare CLOCKS THREADS: complaints about threads whose account is not what their clocks say.
compare() {
	awk -F '\t' '
	function far(a, b,    d, limit) {
		d = a > b ? a - b : b - a
		limit = b / 100 > 1000000 ? b / 100 : 1000000
		return d > limit
	}
	NR == FNR && $1 ~ /^w-/ { name[$2] = $1; life[$2] = $3; cpu[$2] = $4; next }
	NR == FNR { next }
	FNR == 1 {
		for (i = 1; i <= NF; i++)
			col[$i] = i
		next
	}
	($col["tid"] in name) {
		tid = $col["tid"]
		seen[tid] = 1
		sum = 0
		for (c in col)
			if (c ~ /^(run|sleeping|disk|blocked|woken|preempted|unknown)_ns$/)
				sum += $col[c]
		if (sum != $col["life_ns"])
			print name[tid] ": the parts are " sum ", the life is " $col["life_ns"]
		# the end of these was measured by another: the one was killed a little later, the
		# other goes on for 1.5 s in all
		if (!cpu[tid] && life[tid] > 1400000000)
			next
		if (!cpu[tid] && $col["life_ns"] > life[tid] && $col["life_ns"] < 1.2 * life[tid])
			next
		if (far($col["life_ns"], life[tid]))
			print name[tid] ": life " $col["life_ns"] ", measured " life[tid]
		if (cpu[tid] && far($col["run_ns"], cpu[tid]))
			print name[tid] ": on CPU " $col["run_ns"] ", measured " cpu[tid]
		if (cpu[tid] && far($col["life_ns"] - $col["run_ns"] - $col["unknown_ns"], life[tid] - cpu[tid]))
			print name[tid] ": off CPU " $col["life_ns"] - $col["run_ns"] ", measured " life[tid] - cpu[tid]
	}
	END {
		for (tid in name)
			if (!(tid in seen))
				print name[tid] " (" tid ") is not there"
	}' "$1" "$2"
}

# attempt NAME OPTIONS...: record and compare, up to six times.
attempt() {
	local name=$1

	shift
	for _ in 1 2 3 4 5 6; do
		perf record -q -a -m 1024 -o "$name.data" "$@" -- ./waits 10 >"$name.clocks" 2>"$name.log" || {
			cat "$name.log"
			return 1
		}
		"$perfrep" sched -q --format=tsv "$name.data" >"$name.tsv" || return 1
		compare "$name.clocks" "$name.tsv" >"$name.wrong"
		[ -s "$name.wrong" ] || return 0
		sleep 2 # w-outlast has ended
	done
	echo "$name:"
	cat "$name.wrong"
	return 1
}

# from CALL STACK: some thread made CALL from there.
from() {
	cut -f "$(head -n 1 calls.tsv | tr '\t' '\n' | grep -nxE 'call|stack' | cut -d : -f 1 | paste -sd ,)" calls.tsv |
		grep -qE "^$1	$2 < run_job" || {
		echo "no thread called $1 from $2"
		return 1
	}
}

bad=0
attempt tracepoints -e sched:sched_switch,sched:sched_waking -g --switch-events || bad=1
attempt switches -e cpu-clock -g --switch-events || bad=1

# calls: what is missing of the system calls, of which the longest of each thread has its stack; on
# a busy machine a thread may meet its lock free each time.
calls() {
	perf record -q -e raw_syscalls:sys_enter,raw_syscalls:sys_exit -g -o calls.data -- ./waits 3 \
		>/dev/null 2>&1 && "$perfrep" trace -q --format=tsv calls.data >calls.tsv || return 1
	from nanosleep 'call4 < nap < sleeps' &&
		from futex 'call4 < futex_wait < lock_slow < lock < contends' &&
		from futex 'call4 < futex_wait < await < awaits' &&
		from ppoll 'call4 < polls' &&
		from fsync 'call4 < syncs'
}

calls || calls || calls || bad=1

# waits STACK: somebody was off the CPU there, of those recorded with sched_switch.
"$perfrep" offcpu -q --by=stack --limit=0 --format=tsv tracepoints.data >stacks.tsv || exit 1
waits() {
	grep -qF "$1 ← run_job" stacks.tsv || {
		echo "nobody waits in $1"
		bad=1
	}
}
waits 'call4 ← nap ← sleeps'
waits 'call4 ← futex_wait ← lock_slow ← lock ← contends'
waits 'call4 ← futex_wait ← await ← awaits'
waits 'call4 ← polls'
exit $bad
