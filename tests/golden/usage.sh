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
