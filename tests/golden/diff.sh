# SPDX-License-Identifier: MIT
# Comparisons: folded text against folded text, recordings, several a side, gates, two counts.
cat >a.folded <<'END'
app;main;run;slow 3000
app;main;run;old 1000
app;main;run;a 2500
app;main;run;b.isra.0 1500
app;main;run;c 1500
app;main;run;rare 4
END
cat >b.folded <<'END'
app;main;run;slow 6000
app;main;run;fresh 1010
app;main;run;added 1900
app;main;run;a 2530
app;main;run;b 1480
app;main;run;c_[i] 1490
app;main;rare 8
END
run perfrep diff a.folded b.folded
run perfrep diff --normalize=time a.folded b.folded
run perfrep diff --normalize=work=100,200 --format=markdown a.folded b.folded
run perfrep diff a.folded a.folded
run perfrep diff --summary a.folded b.folded a.folded
run perfrep diff --format=csv a.folded b.folded
run perfrep diff --children --limit=1 a.folded b.folded
run perfrep diff --function=run a.folded b.folded
note several recordings a side
run perfrep diff a.folded a.folded : b.folded b.folded a.folded
note gates
run perfrep diff --summary --fail-above=2 a.folded b.folded
run perfrep diff --summary --fail-above=30 a.folded b.folded
run perfrep diff --summary --expect='samples@slow>1.5' --expect='samples@a<0.5' --expect='samples@a<1.01' a.folded b.folded
run perfrep diff --summary --expect='samples@nobody>1.5' a.folded b.folded
run perfrep diff --expect='samples' a.folded b.folded
note two counts
run perfrep diff --format=folded a.folded b.folded
run perfrep diff --format=folded -n --keep-gone a.folded b.folded
note recordings
run perfrep diff $symfs testdata/orders-fp.data testdata/orders-dwarf.data
run perfrep diff $symfs --summary testdata/orders-fp.data testdata/orders-fp.data
run perfrep diff $symfs --summary testdata/orders-fp.data testdata/stacks.folded
note counters
stat() {
	cat <<END

 Performance counter stats for './orders' (5 runs):

     1,000,000,000      cycles                     ( +-  0.50% )
     $1      instructions              #    1.50  insn per cycle  ( +-  0.10% )
       200,000,000      branches                   ( +-  0.10% )
         $2      branch-misses             #    2.00% of all branches ( +-  1.00% )

       0.500000000 seconds time elapsed

END
}
stat 1,500,000,000 4,000,000 >a.stat
stat 1,800,000,000 4,010,000 >b.stat
sed 's/( +-.*//; s/1,500,000,000/1,450,000,000/; /branches/d' a.stat >c.stat
run perfrep diff a.stat b.stat --expect='IPC>1.1' --expect='branch-misses<0.9' --expect='branch-miss<1.01'
sed "s/( +-.*//" a.stat >once.stat
run perfrep diff once.stat c.stat --expect=IPC\<1
run perfrep diff a.stat once.stat : b.stat b.stat c.stat
run perfrep diff --normalize=work=10,20 --format=csv a.stat b.stat
run perfrep diff a.stat a.folded
run perfrep diff --fail-above=2 a.stat b.stat
run perfrep diff $symfs testdata/group.data testdata/group.data
note usage
run perfrep diff a.folded :
run perfrep diff --normalize=work=1 a.folded b.folded
run perfrep diff a.folded missing.folded
run perfrep diff --format=folded --expect='samples<2' a.folded b.folded
run perfrep diff -n a.folded b.folded
run perfrep diff --summary --format=csv a.folded b.folded
note fields: three files, a function, counts of several kinds of file
run perfrep diff -t '|' --format=tsv a.folded b.folded a.folded
run perfrep diff --function=slow --format=csv a.folded b.folded
run perfrep diff --format=csv testdata/stat/walk.csv testdata/stat/walk-runs.txt testdata/stat/walk.json
run perfrep diff testdata/stat/record.data testdata/stat/record-interval.data
run perfrep diff testdata/stat/record.data testdata/orders-fp.data
note "--metric-only: metrics of the whole, with themselves and with counts"
sed 's/0\.61/0.71/; s/4\.10/3.10/' testdata/stat/metrics.txt >metrics.txt
run perfrep diff testdata/stat/metrics.txt metrics.txt --expect='IPC>1.1' --expect='GHz<0.9'
run perfrep diff testdata/stat/metrics.txt testdata/stat/walk.csv --format=csv
run perfrep diff testdata/stat/metrics.txt testdata/stat/metrics-interval.txt
run perfrep diff testdata/stat/metrics.txt testdata/orders-fp.data
