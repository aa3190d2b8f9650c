/* SPDX-License-Identifier: MIT */
/*
 * A growing string.  Zero-initialised (STRBUF_INIT) is empty; `s` is NUL-terminated as soon as
 * anything was added, and NULL before that (use strbuf_str() for a pointer that never is).
 */
#ifndef PERFREP_BASE_STRBUF_H
#define PERFREP_BASE_STRBUF_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

struct strbuf {
	char *s;
	size_t n;
	size_t cap;
};

#define STRBUF_INIT        \
	{                  \
		NULL, 0, 0 \
	}

void strbuf_grow(struct strbuf *sb, size_t extra);
void strbuf_add(struct strbuf *sb, const void *data, size_t len);
void strbuf_adds(struct strbuf *sb, const char *s);
void strbuf_addc(struct strbuf *sb, char c);
void strbuf_addu(struct strbuf *sb, uint64_t v); /* decimal, without a formatted print */
void strbuf_addd(struct strbuf *sb, int64_t v); /* decimal, with its sign */
void strbuf_addx(struct strbuf *sb, uint64_t v); /* lower-case hexadecimal, no 0x */
void strbuf_addhex(struct strbuf *sb, const void *data, size_t len); /* bytes, two digits each */
void strbuf_addf(struct strbuf *sb, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void strbuf_addv(struct strbuf *sb, const char *fmt, va_list ap)
	__attribute__((format(printf, 2, 0), nonnull(2)));
void strbuf_clear(struct strbuf *sb); /* empty it, keep the memory */
void strbuf_release(struct strbuf *sb);
/* The string, for the caller to free; SB is empty after it. */
char *strbuf_detach(struct strbuf *sb);

static inline const char *strbuf_str(const struct strbuf *sb)
{
	return sb->s ? sb->s : "";
}

#endif
