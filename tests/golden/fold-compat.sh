# SPDX-License-Identifier: MIT
# The bytes of stackcollapse-perf.pl and inferno-collapse-perf on perf script's text.
for tool in flamegraph inferno; do
	run perfrep fold $symfs --compat=$tool testdata/orders-z.data
	run perfrep fold $symfs --compat=$tool --kallsyms=testdata/kernel.kallsyms testdata/kernel.data
done
