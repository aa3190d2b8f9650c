# SPDX-License-Identifier: MIT
# A program that works in the first of every two milliseconds: 1,500 Hz fall on three points of that, and
# 1,499 Hz go round.  Whatever else runs on the CPU fills the gaps, so it must be quiet.
for tool in perf gcc taskset; do
	command -v $tool >/dev/null || skip "$tool is not there"
done
[ "$(id -u)" -eq 0 ] || skip "only root may record a CPU"
gcc -O2 -o rhythm "$SRCDIR/testdata/src/rhythm.c"

for rate in 1500 1499; do
	for attempt in 1 2 3 4; do
		perf record -q -N -C 0 -e cpu-clock:u -F $rate -o $rate.data -- taskset -c 0 ./rhythm 3 pulse \
			>record.log 2>&1 || skip "perf record does not work here: $(tail -n 1 record.log)"
		perfrep report --format=json $rate.data | grep -q '"kept_up": true' && break
		[ $attempt -lt 4 ] || skip "the machine is too busy"
	done
	note "$rate Hz"
	perfrep report --width=0 $rate.data | grep -o 'in step: .*\|the program works in a rhythm.*' |
		sed 's/; taken at .*//'
done
