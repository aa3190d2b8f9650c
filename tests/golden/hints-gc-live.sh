# SPDX-License-Identifier: MIT
# As hints-live.sh, with a program on the collected heap of libgc: as a shared library, which is known
# by its path, and linked into the program, where only its names tell it from the program's own code.
for tool in perf gcc; do
	command -v $tool >/dev/null || skip "$tool is not there"
done
source=$SRCDIR/testdata/src/hints_gc.c
gcc -O2 -g -fno-omit-frame-pointer -o shared "$source" -lgc 2>gcc.log ||
	skip "libgc is not there: $(tail -n 1 gcc.log)"
gcc -O2 -g -fno-omit-frame-pointer -o static "$source" -l:libgc.a -lpthread -ldl 2>gcc.log || cp shared static

for name in shared static; do
	perf record -q -N -e task-clock:u -c 1000000 --call-graph dwarf,16384 -o $name.data ./$name >record.log 2>&1 ||
		skip "perf record does not work here: $(tail -n 1 record.log)"
	perfrep report -q --format=json $name.data >$name.json
	awk -v name=$name '
		/"hints":/ { inside = 1 }
		/"table":/ { inside = 0 }
		inside && /"name":/ { split($0, part, "\""); hint = part[4]; seen = 0 }
		inside && /"sym":/ && !seen++ && hint == "garbage-collection" { split($0, part, "\""); print name ": " hint ", " part[4] }
	' $name.json
done
