/* SPDX-License-Identifier: MIT */
/*
 * What went wrong, for the user: damages cost data and make the recording incomplete, warnings
 * cost nothing.  Of each only the first hundred are kept; damages are counted all.
 */
#include "perfdata/reader_priv.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_KEPT 100

static char *format(const char *fmt, va_list ap)
{
	char text[512];

	vsnprintf(text, sizeof(text), fmt, ap);
	return xstrdup(text);
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
	struct reader_damage *d;
	char *more, *text;
	va_list ap;

	r->bytes_lost += bytes;
	if (damage >= MAX_KEPT)
		return;
	d = &r->damages[damage];
	va_start(ap, fmt);
	more = format(fmt, ap);
	va_end(ap);
	text = xmalloc(strlen(d->text) + strlen(more) + 1);
	strcpy(stpcpy(text, d->text), more);
	free(more);
	free(d->text);
	d->text = text;
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
