# SPDX-License-Identifier: MIT
# Self weights and samples of each symbol are those of perf report (testdata/perf), without inlined
# functions.  perf's names have no parameters of functions; addresses without a symbol are one
# row for each module.
mine() {
	perfrep report $symfs --kallsyms=testdata/kernel.kallsyms --no-inline --sort=dso,sym \
		--format=tsv "$1" 2>/dev/null |
		awk -F '\t' '
			NR == 1 { for (i = 1; i <= NF; i++) column[$i] = i; next }
			$column["self_samples"] > 0 {
				sym = $column["sym"]
				if (sym ~ /^\[.*\]$/)
					sym = "?"
				print $column["event"] "|" $column["self_samples"] "|" \
					$column["self_weight"] "|" $column["dso"] "|" sym
			}' | sort
}
for name in orders-fp orders-clang orders-z orders-dir orders-pipe words-fp events group kernel; do
	mine testdata/$name.data >got
	note "$name: $(wc -l <got) rows"
	diff testdata/perf/$name.txt got || true
done
