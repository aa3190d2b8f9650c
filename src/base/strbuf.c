/* SPDX-License-Identifier: MIT */
#include "base/strbuf.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/xmalloc.h"

void strbuf_grow(struct strbuf *sb, size_t extra)
{
	size_t want = sb->n + extra + 1;

	if (want <= sb->cap)
		return;
	sb->cap = sb->cap * 2 > want ? sb->cap * 2 : want + 32;
	sb->s = xreallocarray(sb->s, sb->cap, 1);
	sb->s[sb->n] = '\0';
}

void strbuf_add(struct strbuf *sb, const void *data, size_t len)
{
	strbuf_grow(sb, len);
	if (len)
		memcpy(sb->s + sb->n, data, len);
	sb->n += len;
	sb->s[sb->n] = '\0';
}

void strbuf_adds(struct strbuf *sb, const char *s)
{
	strbuf_add(sb, s, strlen(s));
}

void strbuf_addc(struct strbuf *sb, char c)
{
	strbuf_grow(sb, 1);
	sb->s[sb->n++] = c;
	sb->s[sb->n] = '\0';
}

static void add_number(struct strbuf *sb, uint64_t v, unsigned base)
{
	char digits[24];
	size_t at = sizeof(digits);

	do {
		digits[--at] = "0123456789abcdef"[v % base];
		v /= base;
	} while (v);
	strbuf_add(sb, digits + at, sizeof(digits) - at);
}

void strbuf_addu(struct strbuf *sb, uint64_t v)
{
	add_number(sb, v, 10);
}

void strbuf_addd(struct strbuf *sb, int64_t v)
{
	if (v < 0)
		strbuf_addc(sb, '-');
	add_number(sb, v < 0 ? -(uint64_t)v : (uint64_t)v, 10);
}

void strbuf_addx(struct strbuf *sb, uint64_t v)
{
	add_number(sb, v, 16);
}

void strbuf_addhex(struct strbuf *sb, const void *data, size_t len)
{
	const uint8_t *bytes = data;

	strbuf_grow(sb, 2 * len);
	for (size_t i = 0; i < len; i++) {
		sb->s[sb->n++] = "0123456789abcdef"[bytes[i] >> 4];
		sb->s[sb->n++] = "0123456789abcdef"[bytes[i] & 15];
	}
	sb->s[sb->n] = '\0';
}

void strbuf_addf(struct strbuf *sb, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	strbuf_addv(sb, fmt, ap);
	va_end(ap);
}

void strbuf_addv(struct strbuf *sb, const char *fmt, va_list ap)
{
	va_list again;
	int n;

	va_copy(again, ap);
	n = vsnprintf(NULL, 0, fmt, ap);
	if (n > 0) {
		strbuf_grow(sb, (size_t)n);
		vsnprintf(sb->s + sb->n, (size_t)n + 1, fmt, again);
		sb->n += (size_t)n;
	}
	va_end(again);
}

void strbuf_clear(struct strbuf *sb)
{
	sb->n = 0;
	if (sb->s)
		sb->s[0] = '\0';
}

void strbuf_release(struct strbuf *sb)
{
	free(sb->s);
	*sb = (struct strbuf)STRBUF_INIT;
}

char *strbuf_detach(struct strbuf *sb)
{
	char *s = sb->s ? sb->s : xstrdup("");

	*sb = (struct strbuf)STRBUF_INIT;
	return s;
}
