# SPDX-License-Identifier: MIT
# What the report hints at, and whose it is.
hints_of() {
	perfrep report $symfs "$@" | sed -n '/^hints/,$p'
}
run hints_of testdata/words-fp.data
run hints_of --silence=hash-table,exceptions testdata/words-fp.data
run hints_of --own='Word' testdata/words-fp.data
run hints_of --no-hints testdata/words-fp.data
# programs that do nothing of the kind
run hints_of testdata/orders-fp.data
run hints_of testdata/orders-dwarf.data
run perfrep report --silence=nothing testdata/words-fp.data
run perfrep report --own='(' testdata/words-fp.data
run perfrep hints
