/* SPDX-License-Identifier: MIT */
#include <perfrep/offcpu.h>

#include <stdlib.h>

static const char *const state_names[OFFCPU_STATES] = {
	[OFFCPU_SLEEPING] = "sleeping",    [OFFCPU_DISK] = "disk",
	[OFFCPU_STOPPED] = "stopped",      [OFFCPU_IDLE] = "idle",
	[OFFCPU_PARKED] = "parked",        [OFFCPU_BLOCKED] = "blocked",
	[OFFCPU_UNSTATED] = "left before", [OFFCPU_PREEMPTED] = "preempted",
	[OFFCPU_RUNNABLE] = "runnable",
};

static const char *const mark_names[OFFCPU_MARKS] = {
	"[sleeping]",    "[sleeping, not over]",    "[disk]",      "[disk, not over]",
	"[stopped]",     "[stopped, not over]",     "[idle]",      "[idle, not over]",
	"[parked]",      "[parked, not over]",      "[blocked]",   "[blocked, not over]",
	"[left before]", "[left before, not over]", "[preempted]", "[preempted, not over]",
	"[runnable]",    "[runnable, not over]",
};

const char *offcpu_state_name(enum offcpu_state s)
{
	return state_names[s];
}

const char *offcpu_mark_name(unsigned mark)
{
	return mark_names[mark];
}

void offcpu_detail_free(struct offcpu_detail *d)
{
	if (!d)
		return;
	free(d->threads);
	free(d->waits);
	free(d->stacks);
	free(d->locs);
	free(d);
}
