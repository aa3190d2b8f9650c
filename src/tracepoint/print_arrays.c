/* SPDX-License-Identifier: MIT */
/*
 * Arrays that have a length of their own, and arrays in full (include/trace/stages/stage3_trace_output.h
 * and trace_output.c in the kernel).  How long an array is the raw data says: it is looked at before each
 * use.
 */
#include "base/cursor.h"
#include "tracepoint/print_parse.h"

/* ---- arrays of their own length ---- */

/* "(name)": a field whose place tells where its bytes are. */
static const struct tp_field *take_dynamic(struct print_parser *p)
{
	const struct tp_field *f = print_take(p, "(") ? print_take_field(p) : NULL;

	return f && f->flags & TP_DYNAMIC && print_take(p, ")") ? f : NULL;
}

static const struct print_node *dynamic_node(struct print_parser *p, enum print_node_kind kind,
					     struct print_value type, const struct tp_field *f)
{
	struct print_node *n = f ? print_node_new(p, kind, type) : NULL;

	if (n)
		n->field = f;
	return n;
}

const struct print_node *print_get_str(struct print_parser *p)
{
	const struct tp_field *f = take_dynamic(p);

	if (f && !(f->flags & TP_STRING))
		return NULL;
	return dynamic_node(p, NODE_ARRAY, (struct print_value){ .kind = PRINT_TEXT }, f);
}

const struct print_node *print_get_array(struct print_parser *p)
{
	const struct tp_field *f = take_dynamic(p);

	return dynamic_node(p, NODE_ARRAY, (struct print_value){ .kind = PRINT_BYTES }, f);
}

const struct print_node *print_get_array_len(struct print_parser *p)
{
	const struct tp_field *f = take_dynamic(p);

	return dynamic_node(p, NODE_LENGTH, print_number(1, 4, true), f);
}

/* The bits of an array of longs: words of 32 bits, highest first. */
static bool make_bitmask(struct print_run *r, const struct print_call *c)
{
	size_t len, word = r->in->long_size;
	bool be = c->field->flags & TP_BE;
	const uint8_t *bytes;

	if (!tp_bytes(c->field, r->in->raw, r->in->size, &bytes, &len) || !len || len % word)
		return false;
	for (size_t at = len; at >= word; at -= word) {
		const uint8_t *w = bytes + at - word;
		uint64_t v = word == 8 ? get_u64(w, be) : get_u32(w, be);

		if (word == 8)
			strbuf_addf(&r->scratch, "%s%08x", at < len ? "," : "",
				    (unsigned)(v >> 32));
		strbuf_addf(&r->scratch, "%s%08x", at < len || word == 8 ? "," : "", (unsigned)v);
	}
	return true;
}

const struct print_node *print_get_bitmask(struct print_parser *p)
{
	struct print_call c = { .make = make_bitmask, .field = take_dynamic(p) };

	return c.field ? print_call_node(p, &c) : NULL;
}

/* ---- arrays in full ---- */

/* "(array, count" */
static bool take_array(struct print_parser *p, struct print_call *c)
{
	c->arg[0] = print_take(p, "(") ? print_expression(p) : NULL;
	if (!c->arg[0] || c->arg[0]->value.kind == PRINT_NUMBER || !print_take(p, ","))
		return false;
	c->arg[1] = print_expression_number(p);
	return c->arg[1] != NULL;
}

/* Whether the array has COUNT elements of SIZE bytes. */
static bool eval_array(struct print_run *r, const struct print_call *c, unsigned size,
		       struct print_value *bytes, uint64_t *count)
{
	struct print_value n = print_eval(r, c->arg[1]);

	*bytes = print_eval(r, c->arg[0]);
	*count = n.v;
	return (bytes->kind == PRINT_BYTES || bytes->kind == PRINT_TEXT) && bytes->s &&
	       n.kind == PRINT_NUMBER && n.v <= bytes->len / size;
}

static bool make_hex(struct print_run *r, const struct print_call *c)
{
	struct print_value bytes;
	uint64_t n;

	if (!eval_array(r, c, 1, &bytes, &n))
		return false;
	for (uint64_t i = 0; i < n; i++) {
		if (i)
			strbuf_add(&r->scratch, c->delimiter, c->delimiter_len);
		strbuf_addhex(&r->scratch, bytes.s + i, 1);
	}
	return true;
}

static const struct print_node *take_hex(struct print_parser *p, const char *between)
{
	struct print_call c = { .make = make_hex,
				.delimiter = between,
				.delimiter_len = strlen(between) };

	return take_array(p, &c) && print_take(p, ")") ? print_call_node(p, &c) : NULL;
}

const struct print_node *print_hex(struct print_parser *p)
{
	return take_hex(p, " ");
}

const struct print_node *print_hex_str(struct print_parser *p)
{
	return take_hex(p, "");
}

static bool is_size(uint64_t size)
{
	return size == 1 || size == 2 || size == 4 || size == 8;
}

static bool make_array(struct print_run *r, const struct print_call *c)
{
	struct print_value bytes, size = print_eval(r, c->arg[2]);
	uint64_t n;

	if (size.kind != PRINT_NUMBER || !is_size(size.v) ||
	    !eval_array(r, c, (unsigned)size.v, &bytes, &n))
		return false;
	strbuf_addc(&r->scratch, '{');
	for (uint64_t i = 0; i < n; i++) {
		strbuf_adds(&r->scratch, i ? ",0x" : "0x");
		strbuf_addx(&r->scratch, print_element((const uint8_t *)bytes.s + i * size.v,
						       (unsigned)size.v, r->in->be));
	}
	strbuf_addc(&r->scratch, '}');
	return true;
}

/* "(array, count, size of an element)" */
const struct print_node *print_array(struct print_parser *p)
{
	struct print_call c = { .make = make_array };

	if (!take_array(p, &c) || !print_take(p, ","))
		return NULL;
	c.arg[2] = print_expression_number(p);
	return c.arg[2] && print_take(p, ")") ? print_call_node(p, &c) : NULL;
}

uint64_t print_element(const uint8_t *at, unsigned size, bool be)
{
	switch (size) {
	case 1:
		return *at;
	case 2:
		return get_u16(at, be);
	case 4:
		return get_u32(at, be);
	default:
		return get_u64(at, be);
	}
}
