# SPDX-License-Identifier: MIT
# The version stands in configure.ac only.
version() {
	perfrep --version | sed -E 's/[0-9]+(\.[0-9]+)+/VERSION/'
}
run version
run perfrep
run perfrep --help
# Each command's --help is compared with its manual page by tests/check-manual.sh.
run perfrep report --no-such-option x.data
run perfrep nonsense
run perfrep report --threads=many x.data
run perfrep report a.data b.data
run perfrep report --format=xml testdata/orders-fp.data
run perfrep fold --compat=other testdata/orders-fp.data
run perfrep callers
note "what an option makes no sense of is the user's mistake, whatever the recording"
for command in report fold offcpu flamegraph diff; do
	run perfrep $command '--filter=prev_state=' testdata/waits-sched.data
done
run perfrep dump --type=MMAP3 testdata/orders-fp.data
note "an event that the recording does not have is not"
run perfrep dump --event=none testdata/orders-fp.data
