# SPDX-License-Identifier: MIT
# The version stands in configure.ac only.
version() {
	perfrep --version | sed -E 's/[0-9]+(\.[0-9]+)+/VERSION/'
}
run version
run perfrep
run perfrep --help
for command in report fold callers symbols info dump; do
	run perfrep $command --help
done
run perfrep report --no-such-option x.data
run perfrep nonsense
run perfrep report --threads=many x.data
run perfrep report a.data b.data
run perfrep report --format=xml testdata/orders-fp.data
run perfrep fold --compat=other testdata/orders-fp.data
run perfrep callers
