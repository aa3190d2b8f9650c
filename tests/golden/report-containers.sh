# SPDX-License-Identifier: MIT
# The same kind of recording as a compressed file, a directory, a saved pipe and on a pipe.
run perfrep report $symfs testdata/orders-z.data
run perfrep report $symfs testdata/orders-dir.data
run perfrep report $symfs testdata/orders-pipe.data
from_pipe() {
	cat "$1" | perfrep report $symfs --format=csv -
}
run from_pipe testdata/orders-pipe.data
run from_pipe testdata/orders-z.data
