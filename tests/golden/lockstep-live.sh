# SPDX-License-Identifier: MIT
# A program that does something else in each half of a millisecond, on one CPU: a sampler at
# 1,000 Hz is in step with it and one at 999 Hz is not, and the report says so.  The latter sees each
# half where it is.
for tool in perf gcc taskset; do
	command -v $tool >/dev/null || skip "$tool is not there"
done
[ "$(id -u)" -eq 0 ] || skip "only root may record a CPU"
gcc -O2 -o rhythm "$SRCDIR/testdata/src/rhythm.c"

for rate in 1000 999; do
	[ $rate = 1000 ] && wanted='in step: ' || wanted='what is done depends'
	for attempt in 1 2 3 4; do
		perf record -q -N -C 0 -e cpu-clock:u -F $rate -o $rate.data -- taskset -c 0 ./rhythm 3 \
			>record.log 2>&1 || skip "perf record does not work here: $(tail -n 1 record.log)"
		perfrep report --width=0 $rate.data >$rate.txt
		grep -q "$wanted" $rate.txt && break
		grep -q 'in step: \|what is done depends' $rate.txt || [ $attempt -lt 4 ] ||
			skip "the machine is too busy"
	done
	note "$rate Hz"
	grep -o 'in step: .*\|what is done depends on the point of each [0-9.]* ms' $rate.txt | sed 's/; taken at .*//'
	perfrep report --format=json $rate.data | grep -m 1 -o '"lockstep_ms.*'
done
