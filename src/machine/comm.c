/* SPDX-License-Identifier: MIT */
/*
 * Thread names.
 *
 * COMM records give a thread its name, a FORK gives it that of the thread that made it.  They go
 * by tid alone, as in perf (the tid of a sample is that of the system, whatever its pid), and a
 * thread keeps its name after its end, for samples that come late.
 *
 * A thread that nothing was heard of is called ":TID".  There is no end of such names, so an id
 * of theirs is the tid itself with the top bit set, and the text is made when it is asked for.
 */
#include "machine/comm.h"

#include <stdlib.h>

#include "base/bisect.h"
#include "base/hash.h"
#include "base/strbuf.h"

#define COMM_FORGOTTEN UINT32_MAX

static uint32_t find_tid(const struct comm_table *t, int32_t tid)
{
	struct hashidx_iter it = hashidx_first(&t->index, hash_u64((uint32_t)tid));
	uint32_t i;

	while ((i = hashidx_next(&t->index, &it)) != HASHIDX_NONE)
		if (t->tids.v[i].tid == tid)
			break;
	return i;
}

static uint32_t add_tid(struct comm_table *t, int32_t tid)
{
	uint32_t i = find_tid(t, tid);

	if (i == HASHIDX_NONE) {
		i = (uint32_t)t->tids.n;
		vec_push(&t->tids, (struct comm_tid){ .tid = tid, .current = COMM_FORGOTTEN });
		hashidx_add(&t->index, hash_u64((uint32_t)tid), i);
	}
	return i;
}

static void change(struct comm_table *t, uint32_t i, uint32_t comm, uint64_t when)
{
	if (t->tids.v[i].current == comm)
		return;
	t->tids.v[i].current = comm;
	vec_push(&t->changes, (struct comm_change){ .tid = i, .comm = comm, .from = when });
}

void comms_init(struct comm_table *t)
{
	*t = (struct comm_table){ 0 };
	pthread_mutex_init(&t->lock, NULL);
	comms_set(t, 0, "swapper", 0);
}

void comms_release(struct comm_table *t)
{
	intern_release(&t->names);
	intern_release(&t->unnamed);
	hashidx_release(&t->index);
	vec_release(&t->tids);
	vec_release(&t->changes);
	pthread_mutex_destroy(&t->lock);
}

void comms_set(struct comm_table *t, int32_t tid, const char *name, uint64_t when)
{
	change(t, add_tid(t, tid), intern_adds(&t->names, name), when);
}

void comms_fork(struct comm_table *t, int32_t tid, int32_t parent_tid, uint64_t when)
{
	uint32_t parent = find_tid(t, parent_tid);
	uint32_t comm = parent == HASHIDX_NONE ? COMM_FORGOTTEN : t->tids.v[parent].current;

	if (tid != parent_tid)
		change(t, add_tid(t, tid), comm, when);
}

/* Put the changes of each thread together; they stay in order of time. */
void comms_finish(struct comm_table *t)
{
	struct comm_change *sorted = xcalloc(t->changes.n, sizeof(*sorted));
	uint32_t first = 0;

	for (size_t i = 0; i < t->changes.n; i++)
		t->tids.v[t->changes.v[i].tid].count++;
	for (size_t i = 0; i < t->tids.n; i++) {
		t->tids.v[i].first = first;
		first += t->tids.v[i].count;
		t->tids.v[i].count = 0;
	}
	for (size_t i = 0; i < t->changes.n; i++) {
		struct comm_tid *tid = &t->tids.v[t->changes.v[i].tid];

		sorted[tid->first + tid->count++] = t->changes.v[i];
	}
	free(t->changes.v);
	t->changes.v = sorted;
	t->changes.cap = t->changes.n;
}

/* Tids are positive; all others (-1: the task is gone) share one name. */
static uint32_t unnamed(int32_t tid)
{
	return tid < 0 ? UINT32_MAX : COMM_UNNAMED | (uint32_t)tid;
}

uint32_t comms_find(const struct comm_table *t, int32_t tid, uint64_t when, struct validity *valid)
{
	uint32_t i = find_tid(t, tid);
	const struct comm_change *v;
	size_t at;

	*valid = VALIDITY_ALWAYS;
	if (i == HASHIDX_NONE)
		return unnamed(tid);
	v = t->changes.v + t->tids.v[i].first;
	at = bisect(k, t->tids.v[i].count, v[k].from <= when);
	if (at < t->tids.v[i].count)
		valid->until = v[at].from;
	if (!at)
		return unnamed(tid);
	valid->from = v[at - 1].from;
	return v[at - 1].comm == COMM_FORGOTTEN ? unnamed(tid) : v[at - 1].comm;
}

const char *comms_str(struct comm_table *t, uint32_t comm)
{
	struct strbuf text = STRBUF_INIT;
	const char *s;

	if (comm < COMM_UNNAMED)
		return intern_str(&t->names, comm);
	strbuf_addc(&text, ':');
	if (comm == UINT32_MAX)
		strbuf_adds(&text, "-1");
	else
		strbuf_addu(&text, comm & ~COMM_UNNAMED);
	pthread_mutex_lock(&t->lock);
	s = intern_str(&t->unnamed, intern_adds(&t->unnamed, text.s));
	pthread_mutex_unlock(&t->lock);
	strbuf_release(&text);
	return s;
}
