/* SPDX-License-Identifier: MIT */
/*
 * What is shown of time off the CPU: where threads waited, by function and by stack, who woke
 * them, and what each thread's life was made of.
 *
 * An *absence* is the time from when a thread leaves its CPU to when it runs again, its wait for a
 * CPU included.  Counts, means, p99 and longest are of absences; the states tell what they were
 * made of.
 */
#ifndef PERFREP_VIEW_OFFCPU_H
#define PERFREP_VIEW_OFFCPU_H

#include "base/vec.h"

#include <perfrep/offcpu.h>
#include <perfrep/view.h>

struct offcpu_group {
	uint32_t func; /* in profile.funcs, where it waited; PROFILE_NONE: no stack */
	uint32_t stack; /* in detail.stacks: one that the row stands for; PROFILE_NONE: none */
	uint64_t total, states[OFFCPU_STATES];
	uint64_t open; /* of total: cut by an end of the recording */
	uint64_t count, mean, p99, max; /* of absences */
	VEC(uint64_t) lengths;
};

enum offcpu_by {
	OFFCPU_BY_FUNCTION,
	OFFCPU_BY_STACK,
};

/* Owned: offcpu_groups_release().  By total descending, then by name. */
struct offcpu_groups {
	const struct profile *profile;
	const struct offcpu_detail *detail;
	enum offcpu_by by;
	uint64_t total;
	struct offcpu_group *v;
	size_t n;
	uint32_t *funcs; /* by stack: where it waits */
};

void offcpu_groups_build(struct offcpu_groups *g, const struct profile *p,
			 const struct offcpu_detail *d, enum offcpu_by by);
void offcpu_groups_release(struct offcpu_groups *g);

/* Tables in any format but JSON; at most LIMIT rows (0: all). */
void offcpu_groups_print(const struct offcpu_groups *g, size_t limit,
			 const struct view_style *style, struct strbuf *sb);
void offcpu_threads_print(const struct profile *p, const struct offcpu_detail *d, size_t limit,
			  const struct view_style *style, struct strbuf *sb);
void offcpu_wakers_print(const struct profile *p, const struct offcpu_detail *d, size_t limit,
			 const struct view_style *style, struct strbuf *sb);
struct json_object *offcpu_wakers_json(const struct profile *p, const struct offcpu_detail *d,
				       size_t limit);
/* The lines above the tables: how much, of how many threads, and what was not recorded. */
void offcpu_head_print(const struct offcpu_groups *g, const struct view_style *style,
		       struct strbuf *sb);
/*
 * Folded text, in ns: comm;root;…;leaf;[state], and with WAKERS behind it ";--;" and the stack of
 * the waking from its leaf to its root, then the waker's name.
 */
void offcpu_fold(const struct profile *p, const struct offcpu_detail *d, bool wakers,
		 struct strbuf *sb);
struct json_object *offcpu_json(const struct offcpu_groups *functions,
				const struct offcpu_groups *stacks);

#endif
