/* SPDX-License-Identifier: MIT */
/* Neighbours in the timeline have the same scope: the last few are looked through. */
#include "machine/scopes.h"

enum {
	LOOK_BACK = 64,
	MANY = 1 << 12,
};

void scopes_init(struct scopes *s)
{
	s->v.n = 0;
	vec_push(&s->v, (struct scope){ 0 });
}

uint32_t scopes_id(struct scopes *s, uint32_t where, struct validity valid)
{
	size_t from = s->v.n > LOOK_BACK ? s->v.n - LOOK_BACK : 0;

	for (size_t i = s->v.n; i-- > from;) {
		const struct scope *known = &s->v.v[i];

		if (known->where == where && known->valid.from == valid.from &&
		    known->valid.until == valid.until)
			return (uint32_t)i;
	}
	vec_push(&s->v, (struct scope){ where, valid });
	return (uint32_t)s->v.n - 1;
}

bool scopes_are_many(const struct scopes *s)
{
	return s->v.n > MANY;
}

void scopes_release(struct scopes *s)
{
	vec_release(&s->v);
}
