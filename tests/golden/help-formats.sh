# SPDX-License-Identifier: MIT
# Each format that a command's --help lists works and is what it says; all others are usage errors.
all="text csv tsv json markdown folded"

# The formats of a command's help: of the option, and those that the description adds.
listed() {
	perfrep "$1" --help | sed -n '/--format=FORMAT/,/^ *-/p' | grep -oE "\\b(${all// /|})\\b"
	perfrep "$1" --help | grep -oE -- '--format=[a-z]+' | sed 's/.*=//'
}

# Every row has as many fields as the header.  awk has no notion of quotes: they are taken out.
fields() {
	sed 's/"[^"]*"/x/g' | awk -F "$1" '
		NR == 1 { n = NF }
		NF != n { odd++ }
		END { exit NR < 2 || n < 2 || odd }'
}

looks_like() {
	case $1 in
	text) grep -q . ;;
	csv) fields , ;;
	tsv) fields '\t' ;;
	json) tr -d '\n' | grep -qE '^(\{.*\}|\[.*\])$' ;;
	markdown) grep -qE '^(\||```|- |\*\*)' ;;
	folded) ! grep -qvE ' [0-9]+ [0-9]+$' ;;
	esac
}

# formats COMMAND ARGUMENT...: try all of them.
formats() {
	local command=$1 format rc right=

	for format in $all nonsense; do
		rc=0
		perfrep "$@" --format=$format >out 2>err </dev/null || rc=$?
		if listed "$command" | grep -qx "$format"; then
			[ $rc -eq 0 ] && looks_like $format <out || note "$*: --format=$format is listed; exit $rc: $(head -1 err)"
			right+=" $format"
		else
			[ $rc -eq 64 ] || note "$*: --format=$format is not listed, and ends with $rc"
		fi
	done
	note "$*:${right:- none}"
}

fp=testdata/orders-fp.data
dwarf=testdata/orders-dwarf.data
formats report $symfs $fp
formats report $symfs testdata/events.data
formats report $symfs -g $fp
formats report testdata/stacks.folded
formats callers $symfs book::walk $fp
formats diff $symfs $fp $dwarf
formats diff $symfs $fp $dwarf testdata/orders-clang.data
formats diff testdata/stat/walk.txt testdata/stat/walk.csv
formats hints
perfrep log add $symfs --log=log.csv --change=one --commit=1 $fp
formats log show --log=log.csv
formats symbols $symfs $fp
formats offcpu $symfs testdata/waits-sched.data
formats offcpu $symfs --by=stack testdata/waits-sched.data
formats offcpu $symfs --by=thread testdata/waits-sched.data
formats offcpu $symfs --waker testdata/waits-sched.data
formats sched testdata/waits-sched.data
formats sched --histogram testdata/waits-sched.data
formats sched --latency-over=1us testdata/waits-sched.data
formats trace $symfs testdata/waits-calls.data
formats trace $symfs --by=call testdata/waits-calls.data
formats stat testdata/stat/walk.txt testdata/stat/zen4.csv
formats info $fp
formats dump $fp
formats fold $symfs $fp
formats flamegraph $symfs $fp
