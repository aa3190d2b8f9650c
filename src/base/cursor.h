/* SPDX-License-Identifier: MIT */
/*
 * A bounds-checked view of bytes with a byte order.  Every field of every file that perfrep
 * reads comes through here.
 *
 * A read that would pass the end returns 0 and sets `bad`, which sticks: decode a whole record,
 * then test `bad` once.  A cursor borrows the bytes and takes no responsibility for their life.
 */
#ifndef PERFREP_BASE_CURSOR_H
#define PERFREP_BASE_CURSOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct cursor {
	const uint8_t *p;
	const uint8_t *end;
	bool be; /* the bytes are big-endian */
	bool bad; /* a read went past the end */
};

static inline uint16_t get_u16(const uint8_t *p, bool be)
{
	uint16_t v;

	memcpy(&v, p, sizeof(v));
	return be == (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__) ? v : __builtin_bswap16(v);
}

static inline uint32_t get_u32(const uint8_t *p, bool be)
{
	uint32_t v;

	memcpy(&v, p, sizeof(v));
	return be == (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__) ? v : __builtin_bswap32(v);
}

static inline uint64_t get_u64(const uint8_t *p, bool be)
{
	uint64_t v;

	memcpy(&v, p, sizeof(v));
	return be == (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__) ? v : __builtin_bswap64(v);
}

static inline struct cursor cursor_init(const void *data, size_t size, bool be)
{
	const uint8_t *p = data;

	return (struct cursor){ .p = p, .end = p + size, .be = be };
}

static inline size_t cursor_left(const struct cursor *c)
{
	return (size_t)(c->end - c->p);
}

/* Whether COUNT items of SIZE bytes are left; does not overflow. */
static inline bool cursor_has(const struct cursor *c, uint64_t count, size_t size)
{
	return !c->bad && count <= cursor_left(c) / size;
}

/* The next N bytes, borrowed; NULL and `bad` when there are fewer. */
static inline const uint8_t *cursor_bytes(struct cursor *c, uint64_t n)
{
	const uint8_t *p = c->p;

	if (c->bad || n > cursor_left(c)) {
		c->bad = true;
		return NULL;
	}
	c->p += n;
	return p;
}

static inline uint8_t cursor_u8(struct cursor *c)
{
	const uint8_t *p = cursor_bytes(c, 1);

	return p ? *p : 0;
}

static inline uint16_t cursor_u16(struct cursor *c)
{
	const uint8_t *p = cursor_bytes(c, 2);

	return p ? get_u16(p, c->be) : 0;
}

static inline uint32_t cursor_u32(struct cursor *c)
{
	const uint8_t *p = cursor_bytes(c, 4);

	return p ? get_u32(p, c->be) : 0;
}

static inline uint64_t cursor_u64(struct cursor *c)
{
	const uint8_t *p = cursor_bytes(c, 8);

	return p ? get_u64(p, c->be) : 0;
}

/*
 * The NUL-terminated string that starts here and ends before END of the cursor; NULL and `bad`
 * when there is no NUL.  The cursor is moved past the NUL.
 */
static inline const char *cursor_cstr(struct cursor *c)
{
	const uint8_t *nul = c->bad ? NULL : memchr(c->p, 0, cursor_left(c));
	const char *s = (const char *)c->p;

	if (!nul) {
		c->bad = true;
		return NULL;
	}
	c->p = nul + 1;
	return s;
}

#endif
