# SPDX-License-Identifier: MIT
# Counters: one and the same run in every form of perf stat, then what is said of other sets.
note "The same run in every form and locale: the same counters."
for f in testdata/stat/walk*; do
	if [ "$("$PERFREP" stat --format=csv "$f" | cut -d, -f1-4,6)" = \
		"$("$PERFREP" stat --format=csv testdata/stat/walk.csv | cut -d, -f1-4,6)" ]; then
		echo "same: $f"
	else
		echo "DIFFERENT: $f"
	fi
done
run perfrep stat testdata/stat/walk-de.txt
run perfrep stat testdata/stat/walk-runs.csv
run perfrep stat testdata/stat/walk-interval-de.json
run perfrep stat testdata/stat/walk-threads.csv --limit=1
run perfrep stat --mlp=1 testdata/stat/walk.csv
run perfrep stat --dram-latency=20ns --mispredict-penalty=90 testdata/stat/walk.csv
note "Kinds of core, multiplexing, top-down of Intel and AMD"
run perfrep stat testdata/stat/hybrid.csv testdata/stat/multiplexed.txt
run perfrep stat testdata/stat/topdown.csv
run perfrep stat testdata/stat/zen4.csv --event-role llc-misses=ex_ret_brn_misp
note "--metric-only: metrics without counts"
for f in testdata/stat/metrics*; do
	run perfrep stat $f
done
run perfrep stat --format=csv testdata/stat/metrics-sockets.csv
run perfrep stat --format=json testdata/stat/metrics-7.json
note "perf stat record, and recordings"
run perfrep stat testdata/stat/record.data testdata/stat/record-interval.data
run perfrep stat testdata/stat/record-threads.data
run perfrep stat testdata/group.data
run perfrep stat --format=json testdata/stat/multiplexed.txt
run perfrep stat --format=markdown testdata/stat/walk-cpus.csv
run perfrep stat --format=csv testdata/stat/multiplexed.txt testdata/stat/zen4.csv
