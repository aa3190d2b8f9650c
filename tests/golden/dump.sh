# SPDX-License-Identifier: MIT
# Every record with its place in the file.
first() {
	"$@" | head -n 20
}
run first perfrep dump testdata/orders-dir.data
run first perfrep dump testdata/group.data
run first perfrep dump testdata/events.data
run first perfrep dump --format=json testdata/group.data
run perfrep dump --type=COMM --type=EXIT --type=FORK testdata/orders-fp.data
run perfrep dump --type=MMAP2 testdata/orders-pipe.data

# Cut in the middle of a record.
head -c 2000 testdata/orders-fp.data >cut.data
run perfrep dump cut.data
note fields of tracepoints
perfrep dump testdata/waits-sched.data >dump
run grep -c "fields: prev_comm=" dump
run grep -m3 "fields: " dump
note "and their text, as the kernel's trace has it"
run grep -m6 "text=" dump
run grep -c "text=" dump
