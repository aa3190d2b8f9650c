# SPDX-License-Identifier: MIT
# Fields of tracepoints as keys and in conditions.
sort_by() {
	run perfrep report -q --verify $symfs --event=sched:sched_switch --format=csv "$@" testdata/waits-sched.data
}
count() {
	run perfrep fold -q $symfs --event=sched:sched_switch --weight=count "$@" testdata/waits-sched.data
}
sort_by --sort=comm,prev_state --limit=4
sort_by --sort=prev_state,sched:sched_switch.next_prio
sort_by --sort=prev_state '--filter=prev_state==1'
sort_by --sort=prev_state '--filter=prev_state & 3' '--filter=!(next_comm ~ "w-*") || prev_prio > 120'
sort_by --sort=comm '--filter=sched_switch.next_comm == w-poller && prev_comm != "w-filler"'
note what makes no sense, and what is not there
count '--filter=prev_state=='
count '--filter=prev_state==1 &&'
count '--filter=(prev_state==1'
count '--filter=prev_comm<x'
count '--filter=no_such==1'
run perfrep report -q $symfs --sort=some_field testdata/orders-fp.data
