# SPDX-License-Identifier: MIT
# System calls of threads that wait in every way, and from where; names by number.
run perfrep trace $symfs testdata/waits-calls.data
run perfrep trace $symfs --by=call --sort=calls --limit=8 testdata/waits-calls.data
run perfrep trace $symfs --comm=w-contender,w-leaver,w-outlast --format=csv testdata/waits-calls.data
run perfrep trace --no-stack --comm=w-syncer --format=tsv --sort=max testdata/waits-calls.data
run perfrep trace $symfs --sort=errors --limit=2 --format=markdown testdata/waits-calls.data
run perfrep trace $symfs --comm=w-poller --limit=1 --format=json testdata/waits-calls.data
note "calls that began in a part of the time, and on one CPU"
run perfrep trace --no-stack --by=call --time=0%-50% --format=csv testdata/waits-calls.data
run perfrep trace --no-stack --by=call --time=50%-100% --cpu=0 --format=csv testdata/waits-calls.data
note "the same of the bytes of a pipe"
cat testdata/waits-calls.data | perfrep trace $symfs --comm=w-waiter --limit=1 --format=csv -
run perfrep trace testdata/waits-sched.data
run perfrep trace --by=speed testdata/waits-calls.data
