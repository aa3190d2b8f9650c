# SPDX-License-Identifier: MIT
# What the report hints at, and whose it is.
hints_of() {
	perfrep report $symfs "$@" | sed -n '/^hints/,$p'
}
run hints_of testdata/words-fp.data
run hints_of --silence=hash-table,exceptions testdata/words-fp.data
run hints_of --own='Word' testdata/words-fp.data
run hints_of --no-hints testdata/words-fp.data
# Of all recordings those with hints: orders and waits do nothing of the kind, faults touches pages and
# reads in the kernel, truths has a function that reads the clock, and 19 samples are too few for any.
for file in testdata/*.data; do
	kallsyms=/dev/null
	[ $file != testdata/kernel.data ] || kallsyms=testdata/kernel.kallsyms
	hints_of --kallsyms $kallsyms "$file" | awk -v file="$file" '
		/^ *hints |^ +[a-z-]+ [0-9.]+ % ±/ { names = names " " ($1 == "hints" ? $2 : $1) }
		END { if (names) print file ":" names }'
done
run perfrep report --silence=nothing testdata/words-fp.data
run perfrep report --own='(' testdata/words-fp.data
run perfrep hints
