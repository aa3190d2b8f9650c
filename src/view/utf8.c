/* SPDX-License-Identifier: MIT */
/*
 * Well-formed sequences are those of table 3-7 of the Unicode standard: the second byte of a
 * sequence has a narrower range after E0, ED, F0 and F4 (no overlong forms, no surrogates,
 * nothing above U+10FFFF); all further bytes are 80 … BF.
 */
#include "view/utf8.h"

struct lead {
	uint8_t from, to; /* first bytes */
	uint8_t more; /* bytes that follow */
	uint8_t low, high; /* range of the second */
};

static const struct lead leads[] = {
	{ 0xc2, 0xdf, 1, 0x80, 0xbf }, { 0xe0, 0xe0, 2, 0xa0, 0xbf }, { 0xe1, 0xec, 2, 0x80, 0xbf },
	{ 0xed, 0xed, 2, 0x80, 0x9f }, { 0xee, 0xef, 2, 0x80, 0xbf }, { 0xf0, 0xf0, 3, 0x90, 0xbf },
	{ 0xf1, 0xf3, 3, 0x80, 0xbf }, { 0xf4, 0xf4, 3, 0x80, 0x8f },
};

static const struct lead *find_lead(uint8_t b)
{
	for (size_t i = 0; i < sizeof(leads) / sizeof(*leads); i++)
		if (b >= leads[i].from && b <= leads[i].to)
			return &leads[i];
	return NULL;
}

int32_t utf8_decode(const char *s, size_t len, size_t *size)
{
	const uint8_t *p = (const uint8_t *)s;
	const struct lead *l;
	int32_t cp;

	*size = 1;
	if (p[0] < 0x80)
		return p[0];
	l = find_lead(p[0]);
	if (!l)
		return -1;
	cp = p[0] & (0x3f >> l->more);
	for (size_t i = 1; i <= l->more; i++) {
		uint8_t low = i == 1 ? l->low : 0x80, high = i == 1 ? l->high : 0xbf;

		if (i >= len || p[i] < low || p[i] > high) {
			*size = i;
			return -1;
		}
		cp = cp << 6 | (p[i] & 0x3f);
	}
	*size = l->more + 1u;
	return cp;
}

struct range {
	int32_t from, to;
};

/* Marks that are drawn over the character before them, and invisible ones (roughly). */
static const struct range zero_wide[] = {
	{ 0x300, 0x36f },   { 0x483, 0x489 },   { 0x591, 0x5bd },   { 0x610, 0x61a },
	{ 0x64b, 0x65f },   { 0x1ab0, 0x1aff }, { 0x1dc0, 0x1dff }, { 0x200b, 0x200f },
	{ 0x2060, 0x2064 }, { 0x20d0, 0x20f0 }, { 0xfe00, 0xfe0f }, { 0xfe20, 0xfe2f },
	{ 0xfeff, 0xfeff },
};

/* East Asian wide and full-width characters, and pictures (roughly). */
static const struct range two_wide[] = {
	{ 0x1100, 0x115f },   { 0x2e80, 0x303e },   { 0x3041, 0xa4cf },   { 0xa960, 0xa97f },
	{ 0xac00, 0xd7a3 },   { 0xf900, 0xfaff },   { 0xfe30, 0xfe6f },   { 0xff00, 0xff60 },
	{ 0xffe0, 0xffe6 },   { 0x1f300, 0x1f64f }, { 0x1f680, 0x1f6ff }, { 0x1f900, 0x1f9ff },
	{ 0x20000, 0x3fffd },
};

static int in_ranges(int32_t cp, const struct range *r, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (cp >= r[i].from && cp <= r[i].to)
			return 1;
	return 0;
}

unsigned utf8_width(int32_t cp)
{
	if (cp < 0x300)
		return 1;
	if (in_ranges(cp, zero_wide, sizeof(zero_wide) / sizeof(*zero_wide)))
		return 0;
	return in_ranges(cp, two_wide, sizeof(two_wide) / sizeof(*two_wide)) ? 2 : 1;
}

size_t utf8_prefix(const char *s, size_t len, unsigned columns)
{
	size_t at = 0, size;

	while (at < len) {
		int32_t cp = utf8_decode(s + at, len - at, &size);
		unsigned w = cp < 0 ? 1 : utf8_width(cp);

		if (w > columns)
			break;
		columns -= w;
		at += size;
	}
	return at;
}

unsigned utf8_columns(const char *s, size_t len)
{
	unsigned columns = 0;
	size_t size;

	for (size_t at = 0; at < len; at += size) {
		int32_t cp = utf8_decode(s + at, len - at, &size);

		columns += cp < 0 ? 1 : utf8_width(cp);
	}
	return columns;
}
