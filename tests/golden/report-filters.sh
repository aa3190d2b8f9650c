# SPDX-License-Identifier: MIT
# Filters as perf means them.  What is left out is said.
for filter in --comm=count-1 --comm=count-1,count-2 --dso=libc.so.6 --symbol=words::count \
	--cpu=0 --time=10%-20% --focus=Tree --ignore=Tree --tid=1 --comm=nobody; do
	run perfrep report $symfs --format=tsv --limit=5 $filter testdata/words-fp.data
done
run perfrep report $symfs --comm=count-1 testdata/words-fp.data
run perfrep report $symfs --event=page-faults --format=tsv testdata/events.data
run perfrep report $symfs --focus='(' testdata/words-fp.data
