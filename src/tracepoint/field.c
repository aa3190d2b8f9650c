/* SPDX-License-Identifier: MIT */
/*
 * Reading a field of a sample's raw data.  The description of a field comes from the recording
 * and the raw data too: both may lie, so each read is compared with the bytes that are there.
 *
 * The place of a dynamic array holds its length in the upper 16 bits and in the lower 16 the
 * offset, from the start of the raw data or, when it is relative, from behind the place itself
 * (include/trace/stages in the kernel).
 */
#include <perfrep/tracepoint.h>

#include <string.h>

#include "base/cursor.h"
#include "base/strbuf.h"

enum { MAX_ELEMENTS = 1024 }; /* of an array that is written as text */

const struct tp_field *tp_event_field(const struct tp_event *ev, const char *name)
{
	for (size_t i = 0; ev && i < ev->nr_fields; i++)
		if (!strcmp(ev->fields[i].name, name))
			return &ev->fields[i];
	return NULL;
}

static bool load(const uint8_t *p, uint32_t bytes, uint16_t flags, uint64_t *out)
{
	bool be = flags & TP_BE, sign = flags & TP_SIGNED;

	switch (bytes) {
	case 1:
		*out = sign ? (uint64_t)(int8_t)*p : *p;
		return true;
	case 2:
		*out = sign ? (uint64_t)(int16_t)get_u16(p, be) : get_u16(p, be);
		return true;
	case 4:
		*out = sign ? (uint64_t)(int32_t)get_u32(p, be) : get_u32(p, be);
		return true;
	case 8:
		*out = get_u64(p, be);
		return true;
	default:
		return false;
	}
}

static bool inside(uint64_t offset, uint64_t len, size_t size)
{
	return offset <= size && len <= size - offset;
}

bool tp_number(const struct tp_field *f, const uint8_t *raw, size_t size, uint64_t *out)
{
	if (f->flags & (TP_ARRAY | TP_STRING) || !raw || !inside(f->offset, f->size, size))
		return false;
	return load(raw + f->offset, f->size, f->flags, out);
}

bool tp_bytes(const struct tp_field *f, const uint8_t *raw, size_t size, const uint8_t **out,
	      size_t *len)
{
	uint64_t offset = f->offset, n = f->size;
	uint32_t place;

	if (!raw || !inside(offset, n, size))
		return false;
	if (f->flags & TP_DYNAMIC) {
		if (n != sizeof(place))
			return false;
		place = get_u32(raw + offset, f->flags & TP_BE);
		n = place >> 16;
		offset = f->flags & TP_RELATIVE ? offset + sizeof(place) + (place & 0xffff)
						: place & 0xffff;
		if (!inside(offset, n, size))
			return false;
	}
	*out = raw + offset;
	*len = (size_t)n;
	return true;
}

bool tp_string(const struct tp_field *f, const uint8_t *raw, size_t size, const char **out,
	       size_t *len)
{
	const uint8_t *p;
	size_t n;

	if (!(f->flags & TP_STRING) || !tp_bytes(f, raw, size, &p, &n))
		return false;
	*out = (const char *)p;
	*len = strnlen(*out, n);
	return true;
}

static void add_number(struct strbuf *out, uint64_t v, uint16_t flags)
{
	if (flags & TP_POINTER) {
		strbuf_adds(out, "0x");
		strbuf_addx(out, v);
	} else if (flags & TP_SIGNED) {
		strbuf_addd(out, (int64_t)v);
	} else {
		strbuf_addu(out, v);
	}
}

static void add_array(const struct tp_field *f, const uint8_t *p, size_t len, struct strbuf *out)
{
	uint32_t elem = f->elem ? f->elem : 1;
	size_t n = len / elem;
	uint64_t v;

	if (elem != 1 && elem != 2 && elem != 4 && elem != 8) {
		elem = 1; /* of something that is no number: its bytes */
		n = len;
	}
	strbuf_addc(out, '{');
	for (size_t i = 0; i < n && i < MAX_ELEMENTS; i++) {
		if (i)
			strbuf_addc(out, ',');
		if (load(p + i * elem, elem, f->flags, &v))
			add_number(out, v, f->flags);
	}
	strbuf_adds(out, n > MAX_ELEMENTS ? ",...}" : "}");
}

bool tp_text(const struct tp_field *f, const uint8_t *raw, size_t size, struct strbuf *out)
{
	const uint8_t *p;
	const char *s;
	size_t len;
	uint64_t v;

	if (tp_string(f, raw, size, &s, &len)) {
		strbuf_add(out, s, len);
		return true;
	}
	if (tp_number(f, raw, size, &v)) {
		add_number(out, v, f->flags);
		return true;
	}
	if (!tp_bytes(f, raw, size, &p, &len))
		return false;
	add_array(f, p, len, out);
	return true;
}
