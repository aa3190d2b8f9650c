# SPDX-License-Identifier: MIT
# Stacks that are known by construction: whole, or marked where they are cut, never wrong.
judge() {
	note "$*"
	perfrep fold -q --no-inline --weight=count $symfs "$@" | awk -f "$SRCDIR/tests/golden/truths.awk"
}

judge testdata/truths-large.data
judge testdata/truths-small.data
judge --no-repair testdata/truths-small.data
perfrep report $symfs testdata/truths-small.data | sed -n '/^quality/,/^ .*names/p'
perfrep report $symfs --no-repair testdata/truths-small.data | sed -n '/^quality/,/^ .*names/p'
# How many stacks were completed, and what cut the others.
perfrep report $symfs --format=json testdata/truths-small.data | sed -n '/"unwinding"/,/}/p' | sed '$q'
perfrep report $symfs --format=json testdata/truths-small.data | grep repaired_weight
# Which frames were taken from others: the addresses are those of one recording.
frames() {
	perfrep dump --type=SAMPLE --stacks $symfs "$@" testdata/truths-small.data |
		grep -o 'stack_end.*' | sort | uniq -c
}
frames
frames --no-repair
