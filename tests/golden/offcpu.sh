# SPDX-License-Identifier: MIT
# Time off the CPU: a program whose threads wait in known ways, as tables and as an event.
run perfrep offcpu --verify $symfs --limit=12 testdata/waits-sched.data
run perfrep offcpu $symfs --by=thread --comm=waits --format=tsv testdata/waits-sched.data
run perfrep offcpu $symfs --by=stack --limit=3 --format=csv testdata/waits-sched.data
run perfrep offcpu $symfs --waker --limit=8 testdata/waits-sched.data
run perfrep fold --verify $symfs --event=off-cpu --comm=w-poller,w-waiter testdata/waits-sched.data
run perfrep offcpu $symfs --fold --waker --comm=w-poller,w-waiter testdata/waits-sched.data
run perfrep report --verify $symfs --event=off-cpu --limit=6 testdata/waits-sched.data
note "the stacks of an event are the same, whichever others are shown"
perfrep fold -q $symfs testdata/waits-sched.data >first
perfrep fold -q $symfs --event=sched:sched_switch testdata/waits-sched.data >named
perfrep fold -q $symfs --event=sched:sched_switch,off-cpu testdata/waits-sched.data >both
run wc -l first
run cmp first named
run cmp first both
run perfrep fold $symfs --comm=w-poller testdata/waits-sched.data
note stacks of wakers are unwound
run perfrep offcpu --verify $symfs --waker testdata/waits-dumps.data
run perfrep offcpu $symfs --fold --waker --comm=w-waiter testdata/waits-dumps.data
note waits are cut to the time that is wanted
run perfrep offcpu --verify $symfs --by=thread --comm=w-sleeper,w-poller --time=20%-30% --format=tsv testdata/waits-sched.data
run perfrep fold --verify $symfs --event=off-cpu --comm=w-poller --time=20%-30% testdata/waits-sched.data
note nothing of the scheduler, nothing on the CPU
run perfrep offcpu $symfs testdata/orders-fp.data
run perfrep offcpu --wall $symfs testdata/waits-sched.data
note each CPU has its threads
run perfrep offcpu -q $symfs --cpu=1 --by=thread --format=tsv testdata/waits-sched.data
run perfrep offcpu $symfs --waker --limit=3 --format=json testdata/waits-sched.data
run perfrep offcpu $symfs --fold --format=csv testdata/waits-sched.data
run perfrep offcpu $symfs --wall --waker testdata/waits-sched.data
