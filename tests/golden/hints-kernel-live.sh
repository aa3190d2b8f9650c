# SPDX-License-Identifier: MIT
# Hints about the kernel's work, with the function of the program that asked for it.
for tool in perf g++; do
	command -v $tool >/dev/null || skip "$tool is not there"
done
[ "$(id -u)" -eq 0 ] || skip "only root may record the kernel"
g++ -std=c++17 -O2 -g -fno-omit-frame-pointer -pthread -o hints "$SRCDIR/testdata/src/hints.cpp"

for name in page-faults blocking system-calls kernel-entry memory-mapping; do
	perf record -q -N -e task-clock -c 1000000 --call-graph dwarf,16384 -o $name.data ./hints $name >record.log 2>&1 ||
		skip "perf record does not work here: $(tail -n 1 record.log)"
	perfrep report -q --format=json $name.data >$name.json
	grep -q '_\[k\]\|"kernel' $name.json || grep -q handle_mm_fault\\\|do_syscall $name.json ||
		skip "the kernel's symbols are hidden"
	awk -v name=$name '
		/"hints":/ { inside = 1 }
		/"table":/ { inside = 0 }
		inside && /"name":/ { split($0, part, "\""); hint = part[4]; seen = 0 }
		inside && /"sym":/ && !seen++ && hint == name { split($0, part, "\""); print name ", " part[4] }
	' $name.json
done
