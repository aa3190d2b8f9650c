# SPDX-License-Identifier: MIT
# The same bytes for any number of threads.
all="orders-fp orders-clang orders-dwarf orders-z orders-dir orders-pipe words-fp words-dwarf
	events group kernel killed"
same() {
	local file=$1 threads

	shift
	perfrep "$@" --threads=1 "$file" >one 2>&1 || true
	for threads in 2 5; do
		perfrep "$@" --threads=$threads "$file" >other 2>&1 || true
		cmp one other || echo "differs: $* --threads=$threads $file"
	done
}
for name in $all; do
	same testdata/$name.data report $symfs
	same testdata/$name.data report $symfs --format=json --sort=comm,tid,dso,sym,srcline
	same testdata/$name.data fold $symfs
	note "$name: compared with 1, 2 and 5 threads"
done
