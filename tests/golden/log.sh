# SPDX-License-Identifier: MIT
# The experiment log.  Repositories are made of the files that git would have made.
one=1111111111111111111111111111111111111111
two=2222222222222222222222222222222222222222
three=3333333333333333333333333333333333333333
here=$PWD
mkdir -p repo/.git/refs/heads repo/src && cd repo || exit
echo 'ref: refs/heads/main' >.git/HEAD

add() {
	run perfrep log add --date='2026-11-30 12:00' \
		--symfs="$(realpath -s --relative-to=. "$here/testdata/symfs")" "$@"
}
note nothing was committed yet
add --change='baseline' --throughput=500000 --p99='41 us' --offered=500k ../testdata/orders-fp.data
note a branch, from a directory below
echo $one >.git/refs/heads/main
cd src || exit
add --change='dense "ladder", sorted' --hypothesis='fewer | misses' --throughput=550000 --p99='39 us' --p999='1 ms' --offered=500k --flamegraph=flame.svg ../../testdata/orders-fp.data
cd ..
note a packed reference, another command
rm .git/refs/heads/main
printf '# pack-refs with: peeled fully-peeled sorted\n%s refs/heads/main\n^%s\n' $two $three >.git/packed-refs
add --change='faster hasher' --throughput=540000 --offered=600k ../testdata/words-fp.data
note the same commit, another change
add --change='no hasher' --throughput=541000 --offered=600k ../testdata/words-fp.data
note a work tree
mkdir -p .git/worktrees/w ../w && echo ../.. >.git/worktrees/w/commondir
echo 'ref: refs/heads/main' >.git/worktrees/w/HEAD
echo "gitdir: $PWD/.git/worktrees/w" >../w/.git
(cd ../w && add -q --log=../repo/perf-log.csv --change='in a work tree' ../testdata/stacks.folded)
note detached, and perf stat
echo $three >.git/HEAD
cat >stat.txt <<'END'

 Performance counter stats for './orders':

     1,000,000,000      cycles
     1,500,000,000      instructions              #    1.50  insn per cycle
       200,000,000      branches
         4,000,000      branch-misses             #    2.00% of all branches
         3,000,000      LLC-load-misses

       0.500000000 seconds time elapsed

END
add --change='counted' ../testdata/orders-fp.data stat.txt
note metrics without counts
add --change='metrics' ../testdata/orders-fp.data ../testdata/stat/metrics.txt
add --change='metrics' ../testdata/stat/metrics-interval.txt
add --change='metrics' stat.txt ../testdata/stat/metrics.txt
run cat perf-log.csv
run perfrep log show
run perfrep log show --format=csv
note Markdown, with text around the table and a column of the user
cat >log.md <<'END'
# Experiments

| date | change | mood | IPC |
|---|---|:-:|---:|
| yesterday | base \| line | good | 1.20 |

The end.
END
add --log=log.md --change='a|b `c`' --ipc=1.5 ../testdata/stacks.folded
run cat log.md
run perfrep log show --log=log.md --format=markdown
run perfrep log show --log=log.md --format=json
note a file that is no log, a broken HEAD, usage
echo 'some text' >other.csv
add --log=other.csv --change=x ../testdata/stacks.folded
printf 'date,change\n2024-01-02,"a quote\n' >open.csv
add --log=open.csv --change=x ../testdata/stacks.folded
echo 'ref: ../../etc/passwd' >.git/HEAD
add -q --change=x ../testdata/stacks.folded | sed "s|$here|HERE|"
run perfrep log show --log=none.csv
run perfrep log add ../testdata/stacks.folded
run perfrep log
