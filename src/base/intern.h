/* SPDX-License-Identifier: MIT */
/*
 * Strings as u32 ids: equal strings get the same id, id 0 is "".  Zero-initialised is empty.
 * A string stays valid, at the same address, until intern_release().  One thread at a time.
 */
#ifndef PERFREP_BASE_INTERN_H
#define PERFREP_BASE_INTERN_H

#include "base/arena.h"
#include "base/hashidx.h"
#include "base/vec.h"

struct intern_entry {
	const char *s;
	uint32_t len;
};

struct intern {
	struct arena arena;
	struct hashidx index;
	VEC(struct intern_entry) strings; /* id - 1 indexes it */
};

uint32_t intern_add(struct intern *in, const char *s, size_t len);
uint32_t intern_adds(struct intern *in, const char *s);

static inline const char *intern_str(const struct intern *in, uint32_t id)
{
	return id ? in->strings.v[id - 1].s : "";
}

static inline size_t intern_len(const struct intern *in, uint32_t id)
{
	return id ? in->strings.v[id - 1].len : 0;
}

/* Ids are 0 … intern_count() - 1. */
static inline uint32_t intern_count(const struct intern *in)
{
	return (uint32_t)in->strings.n + 1;
}

void intern_release(struct intern *in);

#endif
