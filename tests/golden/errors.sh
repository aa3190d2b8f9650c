# SPDX-License-Identifier: MIT
# Exit status and the first sentence of every command on what it cannot read, or cannot write.
commands="report fold flamegraph callers diff log symbols offcpu sched trace stat info dump"

# call COMMAND INPUT: the words that the command needs, and the input.
call() {
	case $1 in
	callers) perfrep callers book::add "$2" ;;
	diff) perfrep diff -q testdata/stacks.folded "$2" ;;
	log) perfrep log add --log=log.csv --commit=1 --change=none "$2" ;;
	*) perfrep "$1" "$2" ;;
	esac
}

# row LABEL COMMAND...: status, whether there is output, and the first line of the error.
row() {
	local label=$1 rc=0

	shift
	"$@" >out 2>err </dev/null || rc=$?
	printf '%-10s exit %-3s %s %s\n' "$label" $rc "$([ -s out ] && echo output || echo -)" "$(head -n 1 err)"
}

: >empty.data
mkdir folder
printf '%200s' 'not a recording' >text.data
head -c 104 testdata/orders-fp.data >header.data
for input in missing.data empty.data folder text.data header.data; do
	note $input
	for command in $commands; do
		row $command call $command $input
	done
done
note output of perf stat where recordings are wanted
for command in $commands; do
	row $command call $command testdata/stat/walk.txt
done
row fold perfrep fold testdata/stat/record.data
head -c 3000 testdata/stat/record.data >cut.data
row stat perfrep stat cut.data
row dump perfrep dump cut.data

note output that cannot be written, or is not wanted to its end
full() {
	"$@" >/dev/full
}
closed() {
	"$@" >&-
}
unread() {
	# more than a pipe holds
	"$@" | head -n 1 | wc -c >/dev/null
	return "${PIPESTATUS[0]}"
}
long=(perfrep dump testdata/orders-fp.data)
for command in report fold flamegraph symbols dump; do
	row "$command" full perfrep $command $symfs testdata/orders-fp.data
done
row --help full perfrep --help
row --version full perfrep --version
for command in $commands hints; do
	row "$command" full perfrep $command --help
done
row report full perfrep report --usage
row report full perfrep report --version
row closed closed perfrep report $symfs testdata/orders-fp.data
if [ -z "$(trap -p PIPE)" ]; then
	row unread unread "${long[@]}"
else
	echo "unread     exit 141 - " # whoever runs this ignores the signal
fi
# limited COMMAND...: with an output file of 1 KB at most
limited() (
	ulimit -f 1
	"$@" >limited
)
row limited limited "${long[@]}"
row limited limited perfrep fold $symfs -o limited.txt testdata/orders-fp.data
row -o perfrep fold $symfs -o /dev/full testdata/orders-fp.data
row -o perfrep flamegraph $symfs -o nowhere/x.svg testdata/orders-fp.data
row log perfrep log add --commit=1 --change=none --log=nowhere/log.csv $symfs testdata/orders-fp.data
