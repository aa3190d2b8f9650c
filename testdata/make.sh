#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Builds the programs of src/ and records them; README.md says what each recording is for.
#
#	testdata/make.sh		everything (as root)
#	testdata/make.sh NAME...	only these recordings, with the binaries that are committed
#
# Programs are built and run in /opt/perfrep-demo, so that no path of this machine gets into a
# binary or a recording; copies go below symfs/.  The golden output changes with the recordings:
# make bless, and read the difference.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
demo=/opt/perfrep-demo
kept=$here/symfs$demo

mkdir -p "$demo/src" "$demo/bin" "$kept/bin"
cp "$here"/src/* "$demo/src"
cd "$demo"

build() {
	local cxx="-std=c++17 -O2 -g -Wl,--build-id -Wl,--gc-sections -pthread"
	local fp=-fno-omit-frame-pointer

	# shellcheck disable=SC2086 # options are words
	{
		g++ $cxx $fp -o bin/orders src/orders.cpp
		g++ $cxx -fomit-frame-pointer -o bin/orders-nofp src/orders.cpp
		clang++ $cxx $fp -o bin/orders-clang src/orders.cpp
		gcc -std=gnu17 -O2 -g $fp -Wl,--build-id -o bin/faults src/faults.c
		gcc -std=gnu17 -D_GNU_SOURCE -O2 -g $fp -pthread -Wl,--build-id -o bin/waits src/waits.c
		# static: the C library is part of the truth, and has to be found below symfs
		g++ -std=c++17 -O2 -static -pthread -Wl,--build-id -Wl,--gc-sections -o bin/truths src/truths.cpp
		strip --strip-debug bin/truths
	}
	rustc --edition 2021 -C opt-level=3 -C lto=fat -C codegen-units=1 -C panic=abort \
		-C debuginfo=1 -C force-frame-pointers=yes -C link-arg=-Wl,--build-id \
		-o bin/words src/words.rs
	for p in orders orders-nofp waits words; do
		objcopy --compress-debug-sections=zlib "bin/$p"
	done
	cp bin/* "$kept/bin"
}

# Without the caller's environment: it lies on the stacks that are dumped.
perf() {
	env -i PATH=/usr/bin:/bin LC_ALL=C PERF_CONFIG=/dev/null perf "$@"
}

# record NAME OPTIONS...: into this folder first, since the recording holds perf's command line.
record() {
	local out=$1.data

	shift
	rm -rf "$out" "${here:?}/$out"
	perf record -q -N -o "$out" "$@" >/dev/null
	keep "$out"
}

keep() {
	chmod -R u=rwX,go=rX "$1"
	mv "$1" "$here/$1"
}

clock=task-clock:u

orders_fp() { record orders-fp -e $clock -c 250000 -g bin/orders 6000; }
orders_clang() { record orders-clang -e $clock -c 250000 -g bin/orders-clang 2000; }
orders_z() { record orders-z -e $clock -c 250000 -g -z bin/orders 2000; }
orders_dwarf() { record orders-dwarf -e $clock -c 5000000 --call-graph dwarf,8192 bin/orders-nofp 2000; }
words_fp() { record words-fp -e $clock -c 250000 -g bin/words 6000; }
words_dwarf() { record words-dwarf -e $clock -c 10000000 --call-graph dwarf,8192 bin/words 6000; }
events() { record events -e cpu-clock/period=250000/u -e page-faults/period=10/u -g bin/faults 6000; }
truths_small() { record truths-small -z -e $clock -c 1000000 --call-graph dwarf,8192 bin/truths 20000000; }
truths_large() { record truths-large -z -e $clock -c 1000000 --call-graph dwarf,65528 bin/truths 20000000; }
group() { record group -e "{$clock,page-faults:u}:S" -c 250000 -g bin/faults 3000; }

# Those to whom it is switched are named in it, so this is repeated until they are no one's.
waits_sched() {
	local unnamed='=(w-.*|(swapper|ksoftirqd|kworker|rcu_|perf|check_).*|as|cc|cc1|gcc|git|ld|sed|sh)$'

	for _ in {1..40}; do
		record waits-sched -e sched:sched_switch --filter '!(next_comm ~ "m*")' \
			-e sched:sched_waking --filter '!(comm ~ "m*")' --switch-events -z -g bin/waits 1
		perf script -i "$here/waits-sched.data" -F event,trace -G 2>/dev/null |
			grep -oE 'comm=[^ ]*' | grep -qvE "$unnamed" || return 0
	done
	echo "waits-sched.data: look at the names in it" >&2
}

waits_dumps() {
	record waits-dumps -e sched:sched_switch --filter 'prev_comm=="w-waiter"' \
		-e sched:sched_waking --filter 'comm=="w-waiter"' \
		--switch-events -z --call-graph dwarf,1024 bin/waits 1
}

waits_calls() {
	record waits-calls -e raw_syscalls:sys_enter,raw_syscalls:sys_exit -z -g bin/waits 1
}

# One file for each CPU; again until the two threads ran on different ones.
orders_dir() {
	for _ in 1 2 3 4 5 6 7 8; do
		record orders-dir -e $clock -c 500000 -g --threads bin/orders 2000
		[ "$(find "$here/orders-dir.data" -name 'data.*' -size +4k | wc -l)" -lt 2 ] || return 0
	done
}

orders_pipe() {
	perf record -q -N -e $clock -c 250000 -g -o - bin/orders 1000 2>/dev/null >orders-pipe.data
	keep orders-pipe.data
}

# perf is killed before it can finish the file: the header's data size stays 0.
killed() {
	env -i PATH=/usr/bin:/bin perf record -q -N -e $clock -c 250000 -g -m 4 -o killed.data \
		bin/orders 40000 >/dev/null 2>&1 &
	local perf=$!
	sleep 1
	kill -KILL "$perf"
	wait "$perf" 2>/dev/null || true
	keep killed.data
}

# User and kernel; of the kernel's symbols only those that are needed are kept.
kernel() {
	record kernel -e cpu-clock -c 250000 -g bin/faults 4000
	perf script -i "$here/kernel.data" -F ip,sym 2>/dev/null | awk 'NF > 1 { print $2 }' | sort -u >names
	awk 'NR == FNR { want[$1] = 1; next } ($3 in want) || $3 ~ /^_(text|stext|etext)$/' \
		names /proc/kallsyms >"$here/kernel.kallsyms"
}

# What perf says of a recording, as a second opinion: "event|samples|period|module|symbol",
# self only, without inlined functions; addresses without a symbol are one row for each module.
opinion() {
	perf report -i "$here/$1.data" --symfs "$here/symfs" --kallsyms "$here/kernel.kallsyms" --stdio \
		--no-group --no-children --no-inline -g none -s dso,sym -F sample,period,dso,sym -t '|' 2>/dev/null |
		awk -F '|' '
			/^# Samples: / { sub(/.* of events? ./, ""); sub(/.$/, ""); event = $0 }
			/^#/ || NF < 4 { next }
			{
				for (i = 1; i <= 4; i++)
					gsub(/^ +| +$/, "", $i)
				sub(/^\[.\] /, "", $4)
				if ($4 ~ /^0x/)
					$4 = "?"
				row = event "|" $3 "|" $4
				samples[row] += $1
				period[row] += $2
			}
			END {
				for (row in samples) {
					split(row, part, "|")
					printf "%s|%d|%d|%s|%s\n", part[1], samples[row], period[row],
						part[2], part[3]
				}
			}' | sort >"$here/perf/$1.txt"
}

if [ $# -eq 0 ]; then
	build
	set -- orders_fp orders_clang orders_z orders_dir orders_pipe orders_dwarf words_fp words_dwarf \
		truths_small truths_large waits_sched waits_dumps waits_calls events group killed kernel
else
	cp "$kept"/bin/* bin/
fi
for name; do
	"${name//-/_}"
done
mkdir -p "$here/perf"
for name in orders-fp orders-clang orders-z orders-dir orders-pipe words-fp events group kernel; do
	opinion "$name"
done
ls -l "$here"/*.data "$kept/bin"
