#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# run.sh SECONDS: each target over mutations of its seeds for that long, with libFuzzer, as many at
# once as there are CPUs.  The last line counts the targets; what made one fail is left in fuzz/out
# of the build folder.
#
# make fuzz runs it: FUZZERS, SRCDIR and BUILDDIR are in the environment.
set -u
seconds=${1:-10}
: "${FUZZERS:?}" "${SRCDIR:?}" "${BUILDDIR:?}"
passed=0 failed=0

[ "$seconds" -gt 0 ] || exit 0

# fuzz FUZZER: one target; its status and output are left in files.
fuzz() {
	local target=${1##*fuzz_}
	local out=$BUILDDIR/fuzz/out/$target

	mkdir -p "$out/corpus"
	"$BUILDDIR/$1" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=1024 -seed=1 \
		-max_len=65536 -print_final_stats=1 -artifact_prefix="$out/" "$out/corpus" \
		"$SRCDIR/fuzz/corpus/$target" >"$out/log" 2>&1
	echo $? >"$out/status"
}

running=0
for fuzzer in $FUZZERS; do
	rm -f "$BUILDDIR/fuzz/out/${fuzzer##*fuzz_}/status"
	if [ $running -ge "$(nproc)" ]; then
		wait -n
		running=$((running - 1))
	fi
	fuzz "$fuzzer" &
	running=$((running + 1))
done
wait

for fuzzer in $FUZZERS; do
	target=${fuzzer##*fuzz_}
	out=$BUILDDIR/fuzz/out/$target
	if [ "$(cat "$out/status" 2>/dev/null)" = 0 ]; then
		passed=$((passed + 1))
		echo "$target: $(sed -n 's/^stat::number_of_executed_units: *//p' "$out/log") runs, no finding"
	else
		failed=$((failed + 1))
		tail -n 40 "$out/log"
		echo "FAILED: $target; the input is in $out"
	fi
done
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
