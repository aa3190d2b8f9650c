# SPDX-License-Identifier: MIT
# truths.sh with this machine's compiler, C library and perf, and a call through the procedure
# linkage table.
for tool in perf g++; do
	command -v $tool >/dev/null || skip "$tool is not there"
done
source=$SRCDIR/testdata/src/truths.cpp
echo 'extern "C" unsigned long t_in_library(unsigned long i) { return i ^ 1; }' >library.cpp
g++ -O2 -shared -fPIC -o libtruths.so library.cpp
g++ -std=c++17 -O2 -pthread -DWITH_LIBRARY -Wl,-z,lazy -o truths "$source" -L. -ltruths -Wl,-rpath,"$PWD"

# Now and then the kernel can't read a stack's page, and its samples have no byte of it: then another
# recording is made.
judge() {
	local attempt

	note "$*"
	for attempt in 1 2 3 4; do
		perf record -q -N -e task-clock:u -c 1000000 --call-graph "$1" -o "$1.data" \
			./truths 20000000 >record.log 2>&1 ||
			skip "perf record does not work here: $(tail -n 1 record.log)"
		[ "$(perfrep dump --type=SAMPLE "$1.data" | grep -c ' user_stack=0 ')" != 0 ] || break
	done
	shift
	perfrep fold -q --no-inline --weight=count "$@" | awk -v brief=1 -f "$SRCDIR/tests/golden/truths.awk" |
		grep -v turn_far # whether the repair has seen enough of it is chance
}

judge dwarf,65528 dwarf,65528.data
judge dwarf,8192 dwarf,8192.data
