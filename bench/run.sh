#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# run.sh [FILE...]: times perfrep and what else reads recordings here; make bench calls it.
#
# Without a file it builds forest.cpp, records it with perf (bench/out/ of the build directory
# keeps the recordings) and measures on those, and names addresses of a program.  Runs are
# interleaved, so that a busy machine is unfair to all alike; the tables have the medians.
#
#	PERFREP		the program			(./perfrep)
#	UNWIND		the program that times unwinding	(./bench/unwind)
#	RUNS		how often each is run		(5)
#	STEPS		size of the recordings		(2000000: about 130,000 samples)
#	PROGRAM		whose addresses are named	(forest), ADDRESSES of them (20000)
#	OUT		where the recordings are kept	(./bench/out)
#	LIMIT		seconds after which a run is given up	(300)
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
PERFREP=${PERFREP:-./perfrep} UNWIND=${UNWIND:-./bench/unwind}
RUNS=${RUNS:-5} STEPS=${STEPS:-2000000} OUT=${OUT:-bench/out}
LIMIT=${LIMIT:-300} ADDRESSES=${ADDRESSES:-20000}
export LC_ALL=C DEBUGINFOD_URLS=
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
export XDG_CACHE_HOME=$scratch

have() {
	command -v "$1" >/dev/null
}

# tool NAME: builds NAME.c of this folder.
tool() {
	"${CC:-cc}" -O2 -o "$scratch/$1" "$here/$1.c"
}

# record NAME BRANCHES OPTION...: a recording of forest.cpp, made once.
record() {
	local file=$OUT/forest-$1-$STEPS.data branches=$2

	shift 2
	mkdir -p "$OUT"
	if [ ! -e "$file" ]; then
		"${CXX:-g++}" -std=c++17 -O2 -g -fno-omit-frame-pointer -pthread \
			-o "$OUT/forest" "$here/forest.cpp"
		perf record -q -N -e task-clock:u -m 1024 "$@" -o "$file.part" \
			"$OUT/forest" 2 "$STEPS" "$branches" >/dev/null
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

# Each line: name, TAB, command; FILE stands for the recording.  The first is what all are compared with.
readers() {
	printf '%s\t%s\n' \
		'perfrep fold' "$PERFREP fold --no-cache FILE" \
		'perfrep fold, 1 thread' "$PERFREP fold --no-cache --threads=1 FILE" \
		'perfrep fold, names cached' "$PERFREP fold FILE" \
		'perfrep fold --no-inline' "$PERFREP fold --no-cache --no-inline FILE" \
		'perfrep report' "$PERFREP report --no-cache FILE" \
		'floor (headers alone)' "$scratch/floor FILE"
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

# The same for naming addresses; FILE is a recording of them, LIST has one in each line.
symbolizers() {
	printf '%s\t%s\n' \
		'perfrep symbols' "$PERFREP symbols --no-cache FILE" \
		'perfrep report --sort=srcline' "$PERFREP report --no-cache --sort=sym,srcline FILE" \
		'perfrep symbols, names cached' "$PERFREP symbols FILE"
	for name in llvm-symbolizer $(compgen -c llvm-symbolizer- | sort -uV | tail -n 1); do
		have "$name" || continue
		printf '%s\t%s\n' "$name" "$name --inlines --obj=PROGRAM < LIST"
		break
	done
	if have addr2line; then
		printf '%s\t%s\n' 'addr2line -i' 'addr2line -i -f -C -e PROGRAM < LIST'
	fi
}

# once INDEX COMMAND: appends "cpu wall rss" to a file of its own.
once() {
	local index=$1 TIMEFORMAT='%U %S %R' rss=- status=0 prefix=()

	if [ -x /usr/bin/time ]; then
		prefix=(/usr/bin/time -o "$scratch/rss" -f %M)
	fi
	{ time "${prefix[@]}" timeout "$LIMIT" bash -c "exec $2" >/dev/null 2>"$scratch/err" || status=$?; } \
		2>"$scratch/time"
	if [ $status -ge 2 ]; then
		echo "failed: $2 (status $status): $(tail -n 1 "$scratch/err")" >&2
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

# measure ITEMS MB FLOOR: reads contestants, runs them, prints a table; ITEMS are samples or addresses.
measure() {
	local names=() commands=() name command i base='' floor='' items=$1 mb=$2

	while IFS=$'\t' read -r name command; do
		names+=("$name")
		commands+=("$command")
	done
	for i in "${!names[@]}"; do # what is said to be cached has to be
		case ${names[$i]} in *cached) once warm "${commands[$i]}" ;; esac
	done
	rm -f "$scratch"/runs.*
	for ((round = 0; round < RUNS; round++)); do
		for i in "${!names[@]}"; do
			once "$i" "${commands[$i]}"
		done
	done
	for i in "${!names[@]}"; do
		case ${names[$i]} in floor*) floor=$(median "$i" 1) ;; esac
	done
	printf '| %-30s | user+sys s | wall s | peak MB | %9s/s |  MB/s | times the first | times the floor |\n' '' "$3"
	printf '|%s|-----------:|-------:|--------:|------------:|------:|----------------:|----------------:|\n' \
		"$(printf -- '-%.0s' {1..32})"
	for i in "${!names[@]}"; do
		[ -e "$scratch/runs.$i" ] || continue
		: "${base:=$(median "$i" 1)}"
		awk -v name="${names[$i]}" -v cpu="$(median "$i" 1)" -v wall="$(median "$i" 2)" \
			-v rss="$(median "$i" 3)" -v base="$base" -v floor="${floor:-0}" -v items="$items" -v mb="$mb" '
			function over(x, y, format) {
				return y > 0 ? sprintf(format, x / y) : "-"
			}
			BEGIN {
				printf("| %-30s | %10.3f | %6.3f | %7s | %11s | %5s | %15s | %15s |\n", name, cpu, wall,
					(rss > 0 ? sprintf("%.0f", rss / 1024) : "-"), over(items, wall, "%.0f"),
					(mb ? over(mb, wall, "%.0f") : "-"), over(cpu, base, "%.2f"), over(cpu, floor, "%.1f"))
			}'
	done
}

measure_reading() {
	local file=$1 samples

	cat "$file" >/dev/null
	samples=$("$scratch/floor" "$file" 2>/dev/null | cut -d ' ' -f 2)
	printf '\n%s: %s bytes, %s samples; medians of %s runs\n\n' \
		"$file" "$(stat -c %s "$file")" "${samples:-?}" "$RUNS"
	measure "${samples:-0}" "$(($(stat -c %s "$file") / 1000000))" samples \
		< <(readers | sed "s|FILE|'$file'|")
}

# measure_naming PROGRAM: random addresses of its code.
measure_naming() {
	local program=$1 address offset size shape

	program=$(realpath "$program")
	read -r address offset size < <(readelf -SW "$program" |
		sed -nE 's/.*\] \.text +\S+ +([0-9a-f]+) ([0-9a-f]+) ([0-9a-f]+) .*/0x\1 0x\2 0x\3/p')
	shape=(--depth 1 --stacks "$ADDRESSES" --functions $((size / 16)) --program "$program" --text "$offset,$size")
	"$scratch/generate" "${shape[@]}" --samples $((ADDRESSES * 4)) "$scratch/addresses.data"
	"$scratch/generate" "${shape[@]}" --print $((address - offset)) >"$scratch/addresses"
	printf '\nNames, inlined functions and lines of %s addresses in %s (%s bytes of .debug_info)\n\n' \
		"$ADDRESSES" "$program" \
		"$((0x$(readelf -SW "$program" | sed -nE 's/.*\] \.debug_info +\S+ +\S+ \S+ (\S+) .*/\1/p' | grep . || echo 0)))"
	measure "$ADDRESSES" 0 addresses < <(symbolizers |
		sed "s|FILE|$scratch/addresses.data|; s|LIST|$scratch/addresses|; s|PROGRAM|'$program'|")
}

echo "$(uname -srm), $(nproc) CPUs, $("$PERFREP" --version | head -n 1)"
tool floor
tool generate
if [ $# -gt 0 ]; then
	for file; do
		measure_reading "$file"
	done
	[ -z "${PROGRAM:-}" ] || measure_naming "$PROGRAM"
elif have perf && have "${CXX:-g++}"; then
	measure_reading "$(record 1 1 -c 50000 -g)"
	measure_reading "$(record 4 4 -c 50000 -g)"
	measure_reading "$(record_dumps)"
	measure_unwinding "$(record_dumps)"
	measure_naming "${PROGRAM:-$OUT/forest}"
else
	echo "bench: no file was given, and perf or a C++ compiler is missing here to make one" >&2
	exit 1
fi
