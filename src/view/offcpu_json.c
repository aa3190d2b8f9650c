/* SPDX-License-Identifier: MIT */
/* Time off the CPU as JSON; all times in ns. */
#include "view/json.h"
#include "view/offcpu.h"

static struct json_object *states_json(const uint64_t *states)
{
	static const char *const names[OFFCPU_STATES] = {
		"sleeping", "disk",     "stopped",   "idle",     "parked",
		"blocked",  "unstated", "preempted", "runnable",
	};
	struct json_object *o = json_new();

	for (int s = 0; s < OFFCPU_STATES; s++)
		if (states[s])
			json_put_uint(o, names[s], states[s]);
	return o;
}

/* From the root inwards. */
static struct json_object *stack_json(const struct profile *p, const struct offcpu_detail *d,
				      uint32_t stack)
{
	struct offcpu_stack st = d->stacks[stack];
	struct json_object *list = json_new_array();

	for (uint32_t i = 0; i < st.n; i++) {
		const struct location *l = &p->locs[d->locs[st.first + i]];

		for (uint32_t k = l->nr_lines; k-- > 0;)
			json_append_text(
				list,
				profile_str(p, p->funcs[p->lines[l->first_line + k].func].name));
	}
	return list;
}

static struct json_object *group_json(const struct offcpu_groups *g, const struct offcpu_group *row)
{
	const struct profile *p = g->profile;
	struct json_object *o = json_new();
	bool known = row->func != PROFILE_NONE;

	json_put_text(o, "function", known ? profile_str(p, p->funcs[row->func].name) : NULL);
	json_put_text(o, "module", known ? profile_str(p, p->funcs[row->func].module) : NULL);
	if (g->by == OFFCPU_BY_STACK && row->stack != PROFILE_NONE)
		json_put(o, "stack", stack_json(p, g->detail, row->stack));
	json_put_uint(o, "total", row->total);
	json_put_uint(o, "count", row->count);
	json_put_uint(o, "mean", row->mean);
	json_put_uint(o, "p99", row->p99);
	json_put_uint(o, "max", row->max);
	json_put_uint(o, "not_over", row->open);
	json_put(o, "states", states_json(row->states));
	return o;
}

static struct json_object *groups_json(const struct offcpu_groups *g)
{
	struct json_object *list = json_new_array();

	for (size_t i = 0; i < g->n; i++)
		json_append(list, group_json(g, &g->v[i]));
	return list;
}

static struct json_object *thread_json(const struct profile *p, const struct offcpu_thread *t)
{
	struct json_object *o = json_new();

	json_put_text(o, "comm", profile_str(p, t->comm));
	json_put_int(o, "pid", t->pid);
	json_put_int(o, "tid", t->tid);
	json_put_uint(o, "life", t->life);
	json_put_uint(o, "run", t->run);
	json_put_uint(o, "unknown", t->unknown);
	json_put(o, "states", states_json(t->states));
	json_put(o, "counts", states_json(t->counts));
	json_put(o, "runnable_after", states_json(t->woken));
	json_put_uint(o, "not_over", t->open);
	json_put_uint(o, "doubtful", t->doubtful);
	return o;
}

struct json_object *offcpu_json(const struct offcpu_groups *functions,
				const struct offcpu_groups *stacks)
{
	const struct offcpu_detail *d = functions->detail;
	struct json_object *o = json_new(), *threads = json_new_array();

	json_put_uint(o, "total", functions->total);
	json_put_uint(o, "begin", d->begin);
	json_put_uint(o, "end", d->end);
	json_put_uint(o, "switches", d->switches);
	json_put_uint(o, "wakes", d->wakes);
	json_put_uint(o, "missing", d->missing_in + d->missing_out);
	json_put_uint(o, "lost", d->holes);
	for (size_t i = 0; i < d->nr_threads; i++)
		json_append(threads, thread_json(functions->profile, &d->threads[i]));
	json_put(o, "functions", groups_json(functions));
	json_put(o, "stacks", groups_json(stacks));
	json_put(o, "threads", threads);
	return o;
}
