# SPDX-License-Identifier: MIT
# perf's keys.
for keys in comm tid dso comm,dso,sym srcline dso,sym,srcline; do
	run perfrep report $symfs --sort=$keys --limit=12 --format=tsv testdata/words-fp.data
done
run perfrep report $symfs --sort=event,dso --format=tsv testdata/events.data
run perfrep report $symfs --sort=dso,sym testdata/orders-z.data
run perfrep report $symfs --sort=nonsense testdata/words-fp.data
