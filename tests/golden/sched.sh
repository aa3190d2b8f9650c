# SPDX-License-Identifier: MIT
# Threads that wait in every way: sched_switch, sched_waking and SWITCH records of one program.
run perfrep sched testdata/waits-sched.data
run perfrep sched --comm=w-hog-one,w-hog-two,w-spawner --sort=run --latency-over=2ms --limit=6 testdata/waits-sched.data
run perfrep sched --format=csv --sort=tid testdata/waits-sched.data
run perfrep sched --format=csv --histogram testdata/waits-sched.data
run perfrep sched --format=tsv --latency-over=2ms --limit=4 testdata/waits-sched.data
run perfrep sched --format=markdown --sort=max --limit=3 --latency-over=5ms testdata/waits-sched.data
run perfrep sched --format=json --comm=w-sleeper --latency-over=100us testdata/waits-sched.data
note "what they did in a part of the time, and on one CPU"
run perfrep sched --time=10%-30% --sort=run --limit=4 testdata/waits-sched.data
run perfrep sched --time=15186.16,15186.17 --cpu=1 --format=csv --sort=tid testdata/waits-sched.data
run perfrep sched --cpu=0 --latency-over=10ms --limit=3 testdata/waits-sched.data
note "from a pipe's bytes the same"
cat testdata/waits-sched.data | perfrep sched --comm=w-sleeper --format=csv -
note "a recording without switches, times that are none"
run perfrep sched testdata/orders-fp.data
run perfrep sched --latency-over=5 testdata/waits-sched.data
run perfrep sched --sort=speed testdata/waits-sched.data
