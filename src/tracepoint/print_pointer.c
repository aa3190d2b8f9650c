/* SPDX-License-Identifier: MIT */
/*
 * "%p" and what letters behind it make of it (Documentation/core-api/printk-formats.rst in the kernel):
 * functions, addresses of networks, identifiers, bitmaps.  An address that has no name is printed as it
 * is, where the kernel's text has a hash of it.
 */
#include "tracepoint/print_conversion.h"

#include <arpa/inet.h>
#include <string.h>

#include "base/cursor.h"

/* ---- bytes ---- */

static void add_uuid(struct strbuf *out, const uint8_t *b)
{
	for (int i = 0; i < 16; i++)
		strbuf_addf(out, "%s%02x", i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "", b[i]);
}

static void add_mac(struct strbuf *out, const uint8_t *b)
{
	for (int i = 0; i < 6; i++)
		strbuf_addf(out, "%s%02x", i ? ":" : "", b[i]);
}

static void add_address(struct strbuf *out, int family, const uint8_t *b)
{
	char text[INET6_ADDRSTRLEN];

	if (inet_ntop(family, b, text, sizeof(text)))
		strbuf_adds(out, text);
}

static void add_full_address(struct strbuf *out, const uint8_t *b)
{
	for (int i = 0; i < 16; i += 2)
		strbuf_addf(out, "%s%02x%02x", i ? ":" : "", b[i], b[i + 1]);
}

/* A struct sockaddr with its port, which are the same for Linux everywhere. */
static bool add_socket(struct strbuf *out, const uint8_t *b, size_t len, bool be)
{
	enum { INET = 2, INET6 = 10, SOCKADDR_IN = 16, SOCKADDR_IN6 = 28 };
	unsigned family = len >= 2 ? get_u16(b, be) : 0;

	if (family == INET && len >= SOCKADDR_IN) {
		add_address(out, AF_INET, b + 4);
		strbuf_addf(out, ":%u", get_u16(b + 2, true));
		return true;
	}
	if (family == INET6 && len >= SOCKADDR_IN6) {
		strbuf_addc(out, '[');
		add_address(out, AF_INET6, b + 8);
		strbuf_addf(out, "]:%u", get_u16(b + 2, true));
		return true;
	}
	return false;
}

static bool add_bytes(struct strbuf *out, const char *pointer, const struct print_value *v, bool be)
{
	const uint8_t *b = (const uint8_t *)v->s;

	if (!strcmp(pointer, "U") && v->len == 16)
		add_uuid(out, b);
	else if (!strcmp(pointer, "M") && v->len == 6)
		add_mac(out, b);
	else if (!strcmp(pointer, "I4") && v->len == 4)
		add_address(out, AF_INET, b);
	else if (!strcmp(pointer, "I6c") && v->len == 16)
		add_address(out, AF_INET6, b);
	else if (!strcmp(pointer, "I6") && v->len == 16)
		add_full_address(out, b);
	else
		return !strcmp(pointer, "ISpc") && add_socket(out, b, v->len, be);
	return true;
}

/* ---- bitmaps: longs, the lowest bits first; the width tells how many bits ---- */

struct bitmap {
	const uint8_t *bytes;
	size_t nr; /* bits */
	unsigned long_size;
	bool be;
};

static bool has_bit(const struct bitmap *b, size_t bit)
{
	size_t word = bit / (8 * b->long_size), byte = bit / 8 % b->long_size;

	if (b->be)
		byte = b->long_size - 1 - byte;
	return b->bytes[word * b->long_size + byte] >> bit % 8 & 1;
}

/* "0-3,8" */
static void add_bit_list(struct strbuf *out, const struct bitmap *b)
{
	bool first = true;

	for (size_t i = 0; i < b->nr; i++) {
		size_t from = i;

		if (!has_bit(b, i))
			continue;
		while (i + 1 < b->nr && has_bit(b, i + 1))
			i++;
		strbuf_adds(out, first ? "" : ",");
		strbuf_addu(out, from);
		if (i > from) {
			strbuf_addc(out, '-');
			strbuf_addu(out, i);
		}
		first = false;
	}
}

/* "3,0000010f": words of 32 bits, highest first; the first has as many digits as it needs. */
static void add_bit_words(struct strbuf *out, const struct bitmap *b)
{
	for (size_t end = b->nr; end;) {
		size_t from = (end - 1) / 32 * 32;
		uint32_t word = 0;

		for (size_t i = from; i < end; i++)
			word |= (uint32_t)has_bit(b, i) << (i - from);
		strbuf_addf(out, "%s%0*x", end < b->nr ? "," : "", (int)((end - from + 3) / 4),
			    word);
		end = from;
	}
}

static bool add_bitmap(const struct print_run *r, struct strbuf *out, const struct conversion *c,
		       const struct print_value *v)
{
	struct bitmap b = { .bytes = (const uint8_t *)v->s,
			    .nr = c->width > 0 ? (size_t)c->width : 0,
			    .long_size = r->in->long_size,
			    .be = r->in->be };

	/* of whole longs */
	if ((b.nr + 8 * b.long_size - 1) / (8 * b.long_size) * b.long_size > v->len)
		return false;
	if (c->pointer[1])
		add_bit_list(out, &b);
	else
		add_bit_words(out, &b);
	return true;
}

/* ---- functions ---- */

/* "schedule+0x2a/0xb0 [module]": where in which function; %ps: the function. */
static void add_name(const struct print_run *r, struct strbuf *out, char letter, uint64_t addr)
{
	const struct tp_names *names = r->in->names;
	bool is_return = letter == 'B'; /* the call is before it, perhaps in another function */
	struct tp_name name;

	if (!names || !names->find(names->ctx, addr - is_return, &name)) {
		strbuf_adds(out, "0x");
		strbuf_addx(out, addr);
		return;
	}
	strbuf_add(out, name.name, name.len);
	if (letter != 's' && letter != 'f') {
		strbuf_adds(out, "+0x");
		strbuf_addx(out, name.offset + is_return);
		strbuf_adds(out, "/0x");
		strbuf_addx(out, name.size);
	}
	if (name.module_len) {
		strbuf_adds(out, " [");
		strbuf_add(out, name.module, name.module_len);
		strbuf_addc(out, ']');
	}
}

bool print_pointer(const struct print_run *r, struct strbuf *out, const struct conversion *c,
		   const struct print_value *v)
{
	struct strbuf text = STRBUF_INIT;
	bool known = true;

	if (*c->pointer == 'b')
		return v->kind == PRINT_BYTES && add_bitmap(r, out, c, v);
	if (v->kind == PRINT_BYTES) {
		known = add_bytes(&text, c->pointer, v, r->in->be);
	} else if (v->kind == PRINT_NUMBER && !*c->pointer) {
		strbuf_adds(&text, "0x");
		strbuf_addx(&text, v->v);
	} else if (v->kind == PRINT_NUMBER && strchr("SsFfB", *c->pointer)) {
		add_name(r, &text, *c->pointer, v->v);
	} else {
		known = false;
	}
	if (known)
		print_padded(out, c, strbuf_str(&text), text.n);
	strbuf_release(&text);
	return known;
}
