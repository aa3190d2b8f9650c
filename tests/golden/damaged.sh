# SPDX-License-Identifier: MIT
# What is whole is reported, the loss is stated, the status is 1; with nothing to report it is 2.
run perfrep report $symfs testdata/killed.data
for size in 100000 8000 400 103 8 1; do
	head -c $size testdata/orders-fp.data >cut.data
	note "the first $size bytes of orders-fp.data"
	run perfrep report $symfs cut.data
done
head -c 9000 testdata/orders-z.data >cut.data
note "the first 9000 bytes of orders-z.data"
run perfrep report $symfs cut.data
{ head -c 50000 testdata/orders-fp.data; printf '%64s' ''; tail -c +50065 testdata/orders-fp.data; } >hole.data
note "orders-fp.data with 64 bytes overwritten"
run perfrep report $symfs hole.data
