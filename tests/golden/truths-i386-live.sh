# SPDX-License-Identifier: MIT
# truths-live.sh for a program of 32 bits.  Its signal handlers return through the vdso for such
# programs, which perf keeps with the files that it has seen.
command -v perf >/dev/null || skip "perf is not there"
source=$SRCDIR/testdata/src/truths.cpp
echo 'extern "C" unsigned long t_in_library(unsigned long i) { return i ^ 1; }' >library.cpp
g++ -m32 -O2 -shared -fPIC -o libtruths.so library.cpp 2>/dev/null ||
	skip "g++ makes no programs of 32 bits here"
g++ -m32 -std=c++17 -O2 -pthread -DWITH_LIBRARY -Wl,-z,lazy -o truths "$source" -L. -ltruths -Wl,-rpath,"$PWD"
./truths 1 || skip "programs of 32 bits don't run here"

# Now and then the kernel can't read a stack's page, and its samples have no byte of it; and perf keeps the
# vdso only if a sample fell into it: then another recording is made.
judge() {
	local attempt

	note "$*"
	for attempt in 1 2 3 4; do
		perf --buildid-dir "$PWD/cache" record -q -e task-clock:u -c 1000000 --call-graph "$1" \
			-o "$1.data" ./truths 20000000 >record.log 2>&1 ||
			skip "perf record does not work here: $(tail -n 1 record.log)"
		[ "$(perfrep dump --type=SAMPLE "$1.data" | grep -c ' user_stack=0 ')" = 0 ] &&
			[ -n "$(find cache -name vdso)" ] && break
	done
	shift
	perfrep fold -q --no-inline --weight=count --buildid-dir=cache "$@" >folded
	awk -v brief=1 -f "$SRCDIR/tests/golden/truths.awk" folded |
		grep -v turn_far # whether the repair has seen enough of it is chance
}

judge dwarf,65528 dwarf,65528.data
grep -o '__kernel_sigreturn;[^;]*;[^; ]*' folded | sort -u || true
judge dwarf,8192 dwarf,8192.data
