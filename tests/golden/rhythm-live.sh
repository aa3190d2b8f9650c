# SPDX-License-Identifier: MIT
# A program that works in the first of every two milliseconds: 1,500 Hz fall on three points of that, and
# 1,499 Hz go round.  Whatever else runs on the CPU fills the gaps and delays the samples, so it must be
# quiet: up to four recordings are made, and the last one counts.
for tool in perf gcc taskset; do
	command -v $tool >/dev/null || skip "$tool is not there"
done
[ "$(id -u)" -eq 0 ] || skip "only root may record a CPU"
gcc -O2 -o rhythm "$SRCDIR/testdata/src/rhythm.c"

# try RATE WANTED: the report's words about the rhythm, which should begin as WANTED.
try() {
	local attempt words

	for attempt in 1 2 3 4; do
		perf record -q -N -C 0 -e cpu-clock:u -F "$1" -o $1.data -- taskset -c 0 ./rhythm 3 pulse \
			>record.log 2>&1 || skip "perf record does not work here: $(tail -n 1 record.log)"
		words=$(perfrep report --width=0 $1.data | grep -o 'in step: .*\|the program works in a rhythm.*' |
			sed 's/; taken at .*//')
		[[ $words == "$2"* ]] && break
		perfrep report --format=json $1.data | grep -q '"kept_up": true' || [ $attempt -lt 4 ] ||
			skip "the machine is too busy"
	done
	note "$1 Hz"
	echo "$words"
}

try 1500 "in step: they fall on the same 3 points of each 2.00 ms"
try 1499 "the program works in a rhythm of 2.00 ms"
