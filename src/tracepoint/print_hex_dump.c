/* SPDX-License-Identifier: MIT */
/*
 * __print_hex_dump(): lines of bytes, or of words of 2, 4 or 8 bytes, each with what the caller wants in
 * front of it, and on wish the same as characters (hex_dump_to_buffer() in the kernel's lib/hexdump.c, and
 * seq_buf_hex_dump()).  The text begins with a line of its own.
 */
#include <stdio.h>

#include "tracepoint/print_parse.h"

enum { PREFIX, PREFIX_TYPE, ROW_SIZE, GROUP_SIZE, BYTES, LENGTH, ASCII };
enum { PREFIX_ADDRESS = 1, PREFIX_OFFSET = 2 };

struct dump {
	struct strbuf *out;
	size_t row; /* bytes in a line: 16 or 32 */
	unsigned group; /* bytes in a word */
	bool ascii, be;
};

static void add_characters(struct dump *d, const char *s, size_t len)
{
	for (size_t i = 0; i < len; i++)
		strbuf_addc(d->out, s[i] >= 0x20 && s[i] < 0x7f ? s[i] : '.');
}

static void add_line(struct dump *d, const char *s, size_t len)
{
	unsigned group = len % d->group ? 1 : d->group; /* of a last line that does not have all */
	size_t from = d->out->n, column = 2 * d->row + d->row / group + 1;
	char word[24];

	for (size_t i = 0; i < len; i += group) {
		snprintf(word, sizeof(word), "%s%0*llx", i ? " " : "", (int)group * 2,
			 (unsigned long long)print_element((const uint8_t *)s + i, group, d->be));
		strbuf_adds(d->out, word);
	}
	if (!d->ascii)
		return;
	while (d->out->n - from < column)
		strbuf_addc(d->out, ' ');
	add_characters(d, s, len);
}

static void add_prefix(struct dump *d, struct print_value type, size_t offset)
{
	if (type.v == PREFIX_OFFSET)
		strbuf_addf(d->out, "%.8zx: ", offset);
}

static bool make(struct print_run *r, const struct print_call *c)
{
	struct print_value v[PRINT_ARGUMENTS];
	struct dump d = { .out = &r->scratch, .be = r->in->be };
	const char *prefix;

	for (int i = 0; i < PRINT_ARGUMENTS; i++) {
		v[i] = print_eval(r, c->arg[i]);
		if (v[i].kind == PRINT_BAD)
			return false;
	}
	if (!v[BYTES].s || v[LENGTH].v > v[BYTES].len || v[PREFIX_TYPE].v == PREFIX_ADDRESS)
		return false; /* at which addresses the bytes were is not recorded */
	d.row = v[ROW_SIZE].v == 32 ? 32 : 16;
	d.group = v[GROUP_SIZE].v == 2 || v[GROUP_SIZE].v == 4 || v[GROUP_SIZE].v == 8
			  ? (unsigned)v[GROUP_SIZE].v
			  : 1;
	d.ascii = v[ASCII].v;
	prefix = v[PREFIX].s;
	strbuf_addc(d.out, '\n');
	for (size_t at = 0; at < v[LENGTH].v; at += d.row) {
		size_t left = v[LENGTH].v - at;

		strbuf_add(d.out, prefix, v[PREFIX].len);
		add_prefix(&d, v[PREFIX_TYPE], at);
		add_line(&d, v[BYTES].s + at, left < d.row ? left : d.row);
		strbuf_addc(d.out, '\n');
	}
	return true;
}

static bool fits(int i, const struct print_node *n)
{
	if (i == PREFIX)
		return n->kind == NODE_CONSTANT && n->value.kind == PRINT_TEXT;
	if (i == BYTES)
		return n->value.kind == PRINT_BYTES || n->value.kind == PRINT_TEXT;
	return n->value.kind == PRINT_NUMBER;
}

/* "(prefix, type of it, bytes in a line, bytes in a word, array, its length, whether characters)" */
const struct print_node *print_hex_dump(struct print_parser *p)
{
	struct print_call c = { .make = make };

	for (int i = 0; i < PRINT_ARGUMENTS; i++) {
		c.arg[i] = print_take(p, i ? "," : "(") ? print_expression(p) : NULL;
		if (!c.arg[i] || !fits(i, c.arg[i]))
			return NULL;
	}
	return print_take(p, ")") ? print_call_node(p, &c) : NULL;
}
