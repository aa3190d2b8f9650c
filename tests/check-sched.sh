#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# check-sched.sh: run times, waits and delays of threads as perf sched timehist and perf sched latency
# have them, of a program that waits in every way: each is what the rules of the one and of the other
# make of the records, and compare-sched.py knows why these differ.
#
# Wants perf, python, a C compiler, and the right to record all CPUs; else it is skipped.
set -u
. "$SRCDIR/tests/support/record-waits.sh"
command -v python3 >/dev/null || skip "no python3"

# attempt: record and compare; a recording that lost something is none.
attempt() {
	perf record -q -a -m 1024 -e sched:sched_switch,sched:sched_waking -o sched.data ./waits 2 \
		>/dev/null 2>&1 &&
		"$perfrep" sched -q --format=json sched.data | grep -q '"holes": 0' &&
		python3 "$srcdir/tests/compare-sched.py" "$perfrep" sched.data
}
attempt || attempt || attempt || exit 1

# That says something only if a number that is wrong by 1 ns is found, whichever thread has it.
cat >wrong <<END
#!/bin/sh
case "\$*" in
*csv*) "$perfrep" "\$@" | awk -F, -v OFS=, 'NR > 1 { \$5++ } 1' ;;
*) exec "$perfrep" "\$@" ;;
esac
END
chmod +x wrong
threads=$("$perfrep" sched -q --format=csv sched.data | tail -n +2 | cut -d, -f3 | sort -u | wc -l)
found=$(python3 "$srcdir/tests/compare-sched.py" ./wrong sched.data | grep -c ': run [0-9]* ns, by the rules')
[ "$threads" -gt 0 ] && [ "$found" -eq "$threads" ] ||
	{
		echo "of $threads threads whose run time was falsified $found were found"
		exit 1
	}
