/* SPDX-License-Identifier: MIT */
/* Numbers of variable length (DWARF 5, section 7.6).  Bits beyond the 64th are dropped. */
#ifndef PERFREP_STACK_LEB_H
#define PERFREP_STACK_LEB_H

#include "base/cursor.h"

static inline uint64_t leb_bits(struct cursor *c, unsigned *shift, uint8_t *last)
{
	uint64_t v = 0;

	*shift = 0;
	do {
		*last = cursor_u8(c);
		if (*shift < 64)
			v |= (uint64_t)(*last & 0x7f) << *shift;
		*shift += *shift < 64 ? 7 : 0;
	} while (*last & 0x80 && !c->bad);
	return v;
}

static inline uint64_t leb_unsigned(struct cursor *c)
{
	unsigned shift;
	uint8_t last;

	return leb_bits(c, &shift, &last);
}

static inline int64_t leb_signed(struct cursor *c)
{
	unsigned shift;
	uint8_t last;
	uint64_t v = leb_bits(c, &shift, &last);

	if (shift < 64 && last & 0x40)
		v |= UINT64_MAX << shift;
	return (int64_t)v;
}

#endif
