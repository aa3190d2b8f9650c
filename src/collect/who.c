/* SPDX-License-Identifier: MIT */
#include "collect/who.h"

#include <string.h>

#include <perfrep/session.h>

void who_init(struct who *w, const struct timeline *tl, struct profile *p, unsigned keys)
{
	*w = (struct who){ .timeline = tl, .profile = p, .keys = keys };
}

static void learn(struct who *w, struct who_thread *t, const struct sample *s, int32_t cpu,
		  uint64_t when)
{
	bool tid = w->keys & SESSION_KEY_TID, pid = tid || w->keys & SESSION_KEY_PID;
	struct stack_key key = { .pid = pid ? s->pid : -1, .tid = tid ? s->tid : -1, .cpu = cpu };
	const char *comm;

	*t = (struct who_thread){
		.pid = s->pid, .tid = s->tid, .cpu = cpu, .used = true, .fresh = true
	};
	t->comm = timeline_comm(w->timeline, s->pid, s->tid, when, &t->valid);
	comm = timeline_comm_str(w->timeline, t->comm);
	key.comm = profile_string(w->profile, comm, strlen(comm));
	t->key = profile_key(w->profile, &key);
}

struct who_thread *who_thread(struct who *w, const struct sample *s, uint64_t when)
{
	int32_t cpu = w->keys & SESSION_KEY_CPU && s->present & SAMPLE_CPU ? (int32_t)s->cpu : -1;
	struct who_thread *t = &w->threads[((uint32_t)s->tid * 31 + (uint32_t)cpu) % WHO_SLOTS];

	if (!t->used || t->pid != s->pid || t->tid != s->tid || t->cpu != cpu ||
	    !validity_has(t->valid, when))
		learn(w, t, s, cpu, when);
	return t;
}

const struct who_image *who_image(struct who *w, int32_t pid, uint64_t when)
{
	struct who_image *im = &w->images[(uint32_t)pid % WHO_SLOTS];

	if (!im->used || im->pid != pid || !validity_has(im->valid, when)) {
		*im = (struct who_image){ .pid = pid, .used = true };
		im->process = timeline_process(w->timeline, pid, when, &im->valid);
	}
	return im;
}
