# SPDX-License-Identifier: MIT
# What the scripts here may use.  A transcript is made of blocks like
#
#	$ perfrep report nothing.data
#	2> perfrep: nothing.data: No such file or directory
#	[exit 2]
#
# where lines of standard error are marked and come last, and status 0 is not mentioned.

# Recordings were made of programs in /opt/perfrep-demo; a copy of that tree is in testdata/.
# With --symfs no other file of this machine is looked at.
symfs=--symfs=testdata/symfs

perfrep() {
	"$PERFREP" "$@"
}

# run COMMAND...: a block of the transcript.
run() {
	local rc=0

	echo "\$ $*"
	"$@" >../stdout 2>../stderr || rc=$?
	cat ../stdout
	sed 's/^/2> /' ../stderr
	[ $rc -eq 0 ] || echo "[exit $rc]"
}

# note TEXT: a line between blocks.
note() {
	echo "# $*"
}

skip() {
	echo "$*" >&2
	exit 77
}
