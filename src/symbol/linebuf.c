/* SPDX-License-Identifier: MIT */
#include "symbol/linebuf.h"

#include "symbol/demangle.h"

uint32_t linebuf_symbol(struct linebuf *lb, const char *name, size_t len)
{
	uint32_t id = intern_add(&lb->symbols, name, len);

	if (id >= lb->shown.n) {
		uint32_t shown;

		strbuf_clear(&lb->scratch);
		if (!lb->no_demangle && demangle(&lb->scratch, intern_str(&lb->symbols, id)))
			shown = intern_add(&lb->strings, lb->scratch.s, lb->scratch.n);
		else
			shown = intern_add(&lb->strings, name, len);
		while (lb->shown.n < id)
			vec_push(&lb->shown, 0); /* id 0 is the empty string */
		vec_push(&lb->shown, shown);
	}
	return lb->shown.v[id];
}

void linebuf_add(struct linebuf *lb, uint32_t name, uint32_t file, uint32_t line, uint16_t flags)
{
	vec_push(&lb->lines, (struct line){ name, file, line, flags });
}

void linebuf_release(struct linebuf *lb)
{
	intern_release(&lb->strings);
	intern_release(&lb->symbols);
	vec_release(&lb->shown);
	vec_release(&lb->lines);
	strbuf_release(&lb->scratch);
}
