# SPDX-License-Identifier: MIT
# The same bytes for any number of threads.  A thread takes 4 MB at a time, so each recording is
# made longer: its records over and over, and no features, which lie behind them.
all="orders-fp orders-dwarf words-fp words-dwarf events kernel waits-calls"

# number FILE OFFSET: eight bytes.
number() {
	od -An -t u8 -j "$2" -N 8 "$1" | tr -d ' '
}

# lengthen FILE: data.long, of 17 MB or more.
lengthen() {
	local file=$1 from size times

	from=$(number "$file" 40) size=$(number "$file" 48)
	times=$((17000000 / size + 1))
	head -c "$from" "$file" >data.long
	tail -c "+$((from + 1))" "$file" | head -c "$size" >once
	for ((i = 0; i < times; i++)); do
		cat once
	done >>data.long
	# data.size and the set of features, in the header
	printf "$(printf '%016x' $((size * times)) | sed -E 's/(..)(..)(..)(..)(..)(..)(..)(..)/\\x\8\\x\7\\x\6\\x\5\\x\4\\x\3\\x\2\\x\1/')" |
		dd of=data.long bs=1 seek=48 conv=notrunc status=none
	dd if=/dev/zero of=data.long bs=1 seek=72 count=32 conv=notrunc status=none
}

same() {
	local threads

	perfrep "$@" --threads=1 data.long >one 2>&1 || true
	for threads in 2 5; do
		perfrep "$@" --threads=$threads data.long >other 2>&1 || true
		cmp one other || echo "differs: $* --threads=$threads $name"
	done
}

for name in $all; do
	lengthen testdata/$name.data
	same report $symfs
	same report $symfs --format=json --sort=comm,tid,dso,sym,srcline
	same report $symfs --format=json -g caller
	same fold $symfs
	perfrep report $symfs --threads=5 --timings data.long 2>&1 >/dev/null | grep -o 'threads: .*' >used
	note "$name: compared with 1, 2 and 5 threads; $(<used)"
done
rm data.long once

# containers, as they are
for name in orders-z orders-dir orders-pipe killed; do
	perfrep report $symfs --threads=1 testdata/$name.data >one 2>&1 || true
	perfrep report $symfs --threads=5 testdata/$name.data >other 2>&1 || true
	cmp one other && note "$name: the same"
done
