/* SPDX-License-Identifier: MIT */
/*
 * What went wrong, for the user: damages cost data and make the recording incomplete, warnings
 * cost nothing.  Of each only the first hundred are kept; damages are counted all.
 */
#include "perfdata/reader_priv.h"

#include <stdarg.h>
#include <stdlib.h>

#include "base/strbuf.h"

#define MAX_KEPT 100

static char *format(const char *fmt, va_list ap)
{
	struct strbuf text = STRBUF_INIT;

	strbuf_addv(&text, fmt, ap);
	return strbuf_detach(&text);
}

size_t reader_damage(struct reader *r, uint64_t offset, uint64_t bytes, const char *fmt, ...)
{
	size_t i = r->nr_damages++;
	va_list ap;

	r->complete = false;
	r->bytes_lost += bytes;
	if (i >= MAX_KEPT)
		return i;
	if (!r->damages)
		r->damages = xcalloc(MAX_KEPT, sizeof(*r->damages));
	va_start(ap, fmt);
	r->damages[i] = (struct reader_damage){ offset, bytes, format(fmt, ap), false };
	va_end(ap);
	return i;
}

void reader_damage_more(struct reader *r, size_t damage, uint64_t bytes, const char *fmt, ...)
{
	struct strbuf text = STRBUF_INIT;
	struct reader_damage *d;
	va_list ap;

	r->bytes_lost += bytes;
	if (damage >= MAX_KEPT)
		return;
	d = &r->damages[damage];
	strbuf_adds(&text, d->text);
	va_start(ap, fmt);
	strbuf_addv(&text, fmt, ap);
	va_end(ap);
	free(d->text);
	d->text = strbuf_detach(&text);
	d->bytes += bytes;
}

void reader_damage_feature(struct reader *r, size_t damage)
{
	r->nr_feature_damages++;
	if (damage < MAX_KEPT)
		r->damages[damage].feature = true;
}

void reader_warn(struct reader *r, const char *fmt, ...)
{
	va_list ap;

	if (r->nr_warnings >= MAX_KEPT)
		return;
	if (!r->warnings)
		r->warnings = xcalloc(MAX_KEPT, sizeof(*r->warnings));
	va_start(ap, fmt);
	r->warnings[r->nr_warnings++] = format(fmt, ap);
	va_end(ap);
}
