# SPDX-License-Identifier: MIT
# Files of perf stat record have counts by CPU, and the mode in which perf stat report adds them up: what
# we make of the file is what we make of that report.
command -v perf >/dev/null || skip "perf is not there"
[ "$(id -u)" -eq 0 ] || skip "only root may count on all CPUs"

# counts FILE: events, counts and places; times are rounded in the report
counts() {
	perfrep stat --format=json "$1" | grep -o '"event": .*\|"value": [0-9]*,\|"where": .*'
}

for mode in cpu core die socket node; do
	option=--per-$mode
	[ $mode = cpu ] && option=-A
	perf stat record $option -a -o $mode.data -e task-clock,page-faults -- sleep 0.1 >log 2>&1 ||
		skip "perf stat record does not work here: $(tail -n 1 log)"
	perf stat report -i $mode.data >$mode.txt 2>&1
	counts $mode.data >of-file
	counts $mode.txt >of-report
	note "per $mode"
	diff of-file of-report || true
	grep -c '"event"' of-file || true
done
