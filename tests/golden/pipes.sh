# SPDX-License-Identifier: MIT
# What comes through a pipe with a name, such as <(zstd -d), is read once, and read as the file is.
mkfifo pipe
same() {
	local from=$1 file

	shift
	for file in testdata/orders-fp.data testdata/orders-z.data testdata/orders-pipe.data; do
		"$@" "$file" >of-file 2>&1
		cat "$file" >pipe &
		"$@" pipe >of-pipe 2>&1
		wait
		[ -s of-file ] && sed "s|$file|pipe|" of-file | cmp - of-pipe && note "$from: the same of $file"
	done
}
same report perfrep report $symfs --format=json
same fold perfrep fold $symfs
same symbols perfrep symbols $symfs --format=json
same info perfrep info --format=json
same dump perfrep dump
# two at once
mkfifo other
cat testdata/orders-fp.data >pipe &
cat testdata/orders-dwarf.data >other &
perfrep diff $symfs --format=csv pipe other >of-pipes
wait
perfrep diff $symfs --format=csv testdata/orders-fp.data testdata/orders-dwarf.data |
	sed 's|,testdata/orders-fp.data,testdata/orders-dwarf.data$|,pipe,other|' | cmp - of-pipes &&
	note "diff: the same"
cat testdata/stacks.folded >pipe &
run perfrep report --format=csv pipe
wait
# what is compared may be anything, and it is looked at which before it is read: once
both() {
	local file=$1

	shift
	cat "$file" >pipe &
	cat "$file" >other &
	"$@" pipe other
	wait
}
run both testdata/stat/walk.txt perfrep diff
run both testdata/stat/walk.csv perfrep diff --format=csv
run both testdata/stat/record.data perfrep diff --summary
run both testdata/stacks.folded perfrep diff --summary
run both testdata/stacks.folded perfrep diff --format=folded
from_stdin() {
	"${@:2}" <"$1"
}
run from_stdin testdata/stat/walk.txt perfrep diff --summary testdata/stat/walk.txt -
cat testdata/stat/walk.txt >pipe &
run perfrep log add --log=log.csv --date=2024-01-02 --commit=1 --change=none pipe
wait
run cat log.csv
