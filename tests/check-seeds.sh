#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# check-seeds.sh: each fuzz target runs its seeds, and some mutations of them unless libFuzzer is
# linked, which has its own way to do that (make fuzz).
set -u
: "${FUZZERS:?}" "${SRCDIR:?}" "${BUILDDIR:?}"
bad=0

cd "$(mktemp -d)" || exit 99
for fuzzer in $FUZZERS; do
	seeds=("$SRCDIR/fuzz/corpus/${fuzzer##*fuzz_}"/*)
	mutations=(--runs 2000 --seed 1)
	if "$BUILDDIR/$fuzzer" -help=1 2>/dev/null | grep -q libFuzzer; then
		mutations=()
	fi
	if ! "$BUILDDIR/$fuzzer" "${mutations[@]}" "${seeds[@]}" >log 2>&1; then
		tail -n 40 log
		echo "FAILED: $fuzzer, in $PWD"
		bad=1
	fi
done
[ $bad -eq 0 ] && rm -rf "$PWD"
exit $bad
