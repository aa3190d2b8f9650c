/* SPDX-License-Identifier: MIT */
/*
 * The kernel's constant texts, which the recording has as the kernel lists them in printk_formats:
 *
 *	0xffffffff8281a424 : "Start context switch"
 */
#include "tracepoint/print.h"

#include <stdlib.h>
#include <string.h>

#include "base/bisect.h"
#include "base/strbuf.h"
#include "base/xmalloc.h"

enum { MAX_TEXTS = 1 << 16 };

/* One line, of LEN bytes: in COPY it has an end. */
static void take_line(struct print_texts *t, const char *line, size_t len, struct strbuf *copy)
{
	struct print_text text;
	char *stop;
	size_t n;

	strbuf_clear(copy);
	strbuf_add(copy, line, len);
	text.addr = strtoull(copy->s, &stop, 16);
	if (stop == copy->s || strncmp(stop, " : \"", 4))
		return;
	stop += 4;
	n = strlen(stop);
	if (!n || stop[n - 1] != '"')
		return;
	n--;
	if (n >= 2 && !memcmp(stop + n - 2, "\\n", 2))
		n -= 2;
	text.text = xstrndup(stop, n);
	vec_push(&t->v, text);
}

static int by_addr(const void *pa, const void *pb)
{
	const struct print_text *a = pa, *b = pb;

	return a->addr < b->addr ? -1 : a->addr > b->addr;
}

void print_texts_read(struct print_texts *t, const char *s, size_t size)
{
	struct strbuf copy = STRBUF_INIT;
	const char *end = s + size;

	while (s < end && t->v.n < MAX_TEXTS) {
		const char *stop = memchr(s, '\n', (size_t)(end - s));

		stop = stop ? stop : end;
		if (stop > s)
			take_line(t, s, (size_t)(stop - s), &copy);
		s = stop + 1;
	}
	strbuf_release(&copy);
	if (t->v.n)
		qsort(t->v.v, t->v.n, sizeof(*t->v.v), by_addr);
}

const char *print_texts_find(const struct print_texts *t, uint64_t addr)
{
	size_t at = bisect(i, t->v.n, t->v.v[i].addr < addr);

	return at < t->v.n && t->v.v[at].addr == addr ? t->v.v[at].text : NULL;
}

void print_texts_release(struct print_texts *t)
{
	for (size_t i = 0; i < t->v.n; i++)
		free(t->v.v[i].text);
	vec_release(&t->v);
}
