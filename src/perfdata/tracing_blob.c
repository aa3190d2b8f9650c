/* SPDX-License-Identifier: MIT */
/*
 * Behind the head are formats of ftrace's own, which are skipped, and then the systems, each with
 * the formats of its events.
 */
#include "perfdata/tracing_blob.h"

#include <string.h>

static void skip_sized(struct cursor *c)
{
	cursor_bytes(c, cursor_u64(c));
}

bool tracing_blob_open(struct tracing_blob *b, const uint8_t *data, size_t size)
{
	static const uint8_t magic[] = { 0x17, 0x08, 0x44, 't', 'r', 'a', 'c', 'i', 'n', 'g' };
	struct cursor *c = &b->c;
	const uint8_t *p;
	uint32_t count;

	*b = (struct tracing_blob){ .c = cursor_init(data, size, false) };
	p = cursor_bytes(c, sizeof(magic));
	if (!p || memcmp(p, magic, sizeof(magic)) || !cursor_cstr(c)) /* the version */
		return false;
	c->be = cursor_u8(c) != 0;
	b->long_size = cursor_u8(c);
	b->page_size = cursor_u32(c);
	if (c->bad)
		return false;
	for (int i = 0; i < 2; i++) { /* "header_page", "header_event" */
		cursor_cstr(c);
		skip_sized(c);
	}
	count = cursor_u32(c);
	while (count-- && !c->bad)
		skip_sized(c);
	b->systems = cursor_u32(c);
	return true;
}

bool tracing_blob_next(struct tracing_blob *b, const char **text, size_t *len)
{
	struct cursor *c = &b->c;

	while (!b->formats && b->systems && !c->bad) {
		b->systems--;
		b->system = cursor_cstr(c);
		b->formats = cursor_u32(c);
	}
	if (!b->formats || c->bad)
		return false;
	b->formats--;
	*len = cursor_u64(c);
	*text = (const char *)cursor_bytes(c, *len);
	return *text != NULL;
}
