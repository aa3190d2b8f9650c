# SPDX-License-Identifier: MIT
for format in csv tsv json markdown; do
	run perfrep report $symfs --format=$format --limit=4 testdata/events.data
done
run perfrep report $symfs -t '|' testdata/events.data
