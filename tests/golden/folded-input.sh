# SPDX-License-Identifier: MIT
# Folded text is read into the same profile; lines that are none are counted.
run perfrep report testdata/stacks.folded
from_pipe() {
	cat "$1" | perfrep report --format=csv -
}
run from_pipe testdata/stacks.folded
run perfrep fold testdata/stacks.folded
run perfrep callers walk testdata/stacks.folded
