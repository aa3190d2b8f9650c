#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# run.sh [FILE...]: times perfrep and what else reads recordings here; make bench calls it.
#
# Without a file it builds forest.cpp, records it twice with perf (bench/out/ of the build directory
# keeps the recordings) and measures on those. Runs are interleaved, so that a busy machine is
# unfair to all alike; the table has the medians.
#
#	PERFREP		the program			(./perfrep)
#	UNWIND		the program that times unwinding	(./bench/unwind)
#	RUNS		how often each is run		(5)
#	STEPS		size of the recordings		(2000000: about 130,000 samples)
#	OUT		where the recordings are kept	(./bench/out)
#	LIMIT		seconds after which a run is given up	(300)
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
PERFREP=${PERFREP:-./perfrep} UNWIND=${UNWIND:-./bench/unwind} RUNS=${RUNS:-5} STEPS=${STEPS:-2000000} OUT=${OUT:-bench/out}
LIMIT=${LIMIT:-300}
export LC_ALL=C DEBUGINFOD_URLS=
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

have() {
	command -v "$1" >/dev/null
}

# record BRANCHES: a recording of forest.cpp, made once.
record() {
	local file=$OUT/forest-$1-$STEPS.data

	mkdir -p "$OUT"
	if [ ! -e "$file" ]; then
		"${CXX:-g++}" -std=c++17 -O2 -g -fno-omit-frame-pointer -pthread \
			-o "$OUT/forest" "$here/forest.cpp"
		perf record -q -N -e task-clock:u -c 50000 -m 1024 -g -o "$file.part" \
			"$OUT/forest" 2 "$STEPS" "$1" >/dev/null
		mv "$file.part" "$file"
	fi
	echo "$file"
}

# The same with stack dumps, and without frame pointers: what unwinding costs.
record_dumps() {
	local file=$OUT/forest-dumps-$STEPS.data

	if [ ! -e "$file" ]; then
		"${CXX:-g++}" -std=c++17 -O2 -g -pthread -o "$OUT/forest-dumps" "$here/forest.cpp"
		perf record -q -N -e task-clock:u -c 250000 -m 4096 --call-graph dwarf,8192 \
			-o "$file.part" "$OUT/forest-dumps" 2 "$STEPS" 1 >/dev/null
		mv "$file.part" "$file"
	fi
	echo "$file"
}

measure_unwinding() {
	printf '\n%s: unwinding of stack dumps, one thread\n\n' "$1"
	for ((round = 0; round < 3; round++)); do
		"$UNWIND" "$1"
	done
}

# Each line: name, TAB, command; FILE stands for the recording.
contestants() {
	printf '%s\t%s\n' \
		'perfrep fold' "$PERFREP fold FILE" \
		'perfrep fold --threads 1' "$PERFREP fold --threads 1 FILE" \
		'perfrep fold --no-inline' "$PERFREP fold --no-inline FILE" \
		'perfrep report' "$PERFREP report FILE"
	if have perf; then
		printf '%s\t%s\n' \
			'perf script --no-inline' 'perf script --no-inline -i FILE' \
			'perf script' 'perf script -i FILE' \
			'perf report --no-inline' 'perf report --stdio --no-inline -i FILE'
	fi
	for parser in hotspot-perfparser /usr/lib/*/libexec/hotspot-perfparser; do
		if have "$parser"; then
			printf '%s\t%s\n' 'hotspot-perfparser' "$parser --input FILE"
			break
		fi
	done
}

# once INDEX COMMAND...: appends "cpu wall rss" to a file of its own.
once() {
	local index=$1 TIMEFORMAT='%U %S %R' rss=- status=0 prefix=()

	shift
	if [ -x /usr/bin/time ]; then
		prefix=(/usr/bin/time -o "$scratch/rss" -f %M)
	fi
	{ time "${prefix[@]}" timeout "$LIMIT" "$@" >/dev/null 2>"$scratch/err" || status=$?; } \
		2>"$scratch/time"
	if [ $status -ge 2 ]; then
		echo "failed: $* (status $status): $(tail -n 1 "$scratch/err")" >&2
		return
	fi
	[ -x /usr/bin/time ] && rss=$(tail -n 1 "$scratch/rss")
	awk -v rss="$rss" '{ print $1 + $2, $3, rss }' "$scratch/time" >>"$scratch/runs.$index"
}

# median INDEX COLUMN
median() {
	awk -v c="$2" '{ print $c }' "$scratch/runs.$1" | sort -g |
		awk '{ v[NR] = $1 } END { print NR % 2 ? v[(NR + 1) / 2] : (v[NR / 2] + v[NR / 2 + 1]) / 2 }'
}

measure() {
	local file=$1 names=() commands=() name command i base

	while IFS=$'\t' read -r name command; do
		names+=("$name")
		commands+=("$command")
	done < <(contestants)

	rm -f "$scratch"/runs.*
	cat "$file" >/dev/null
	for ((round = 0; round < RUNS; round++)); do
		for i in "${!names[@]}"; do
			# shellcheck disable=SC2086 # words on purpose; file names have no blanks
			once "$i" ${commands[$i]//FILE/$file}
		done
	done

	printf '\n%s: %s bytes, %s runs each, medians\n\n' \
		"$file" "$(stat -c %s "$file")" "$RUNS"
	printf '| %-24s | user+sys s | wall s | peak MB | times perfrep fold |\n' ''
	printf '|%s|-----------:|-------:|--------:|-------------------:|\n' "$(printf -- '-%.0s' {1..26})"
	for i in "${!names[@]}"; do
		[ -e "$scratch/runs.$i" ] || continue
		: "${base:=$(median "$i" 1)}"
		awk -v name="${names[$i]}" -v cpu="$(median "$i" 1)" -v wall="$(median "$i" 2)" \
			-v rss="$(median "$i" 3)" -v base="$base" 'BEGIN {
				mb = rss > 0 ? sprintf("%.0f", rss / 1024) : "-"
				times = base > 0 ? sprintf("%.1f", cpu / base) : "-"
				printf "| %-24s | %10.3f | %6.3f | %7s | %18s |\n", name, cpu, wall, mb, times
			}'
	done
}

echo "$(uname -srm), $(nproc) CPUs, $("$PERFREP" --version | head -n 1)"
if [ $# -gt 0 ]; then
	for file; do
		measure "$file"
	done
elif have perf && have "${CXX:-g++}"; then
	measure "$(record 1)"
	measure "$(record 4)"
	measure_unwinding "$(record_dumps)"
else
	echo "bench: no file was given, and perf or a C++ compiler is missing here to make one" >&2
	exit 1
fi
