/* SPDX-License-Identifier: MIT */
/*
 * What the kernel's macros for print formats make: names of numbers and of bits, strings and arrays
 * that have a length of their own (include/trace/stages/stage3_trace_output.h, trace_output.c in
 * kernel/trace).
 */
#include <stdint.h>

#include "base/cursor.h"
#include "tracepoint/print_expr.h"

static struct print_value made(const struct print_parser *p, size_t from)
{
	return (struct print_value){ .kind = PRINT_TEXT,
				     .scratch = from,
				     .len = p->scratch.n - from };
}

/* An unsigned long of the recorded machine. */
static uint64_t as_long(const struct print_parser *p, uint64_t v)
{
	return print_number(v, p->in->long_size, false).v;
}

/* ---- names of numbers ---- */

/* What comes next of "{ 1, "one" }, { 2, "two" }". */
struct entry {
	uint64_t v;
	bool is_end; /* has no name */
	size_t from, len; /* in `scratch` */
};

static bool take_entry(struct print_parser *p, struct entry *e)
{
	struct print_value v;

	*e = (struct entry){ .is_end = true };
	if (!print_take(p, "{"))
		return false;
	if (print_take(p, "}")) /* an empty table */
		return true;
	v = print_expression(p);
	if (v.kind != PRINT_NUMBER || !print_take(p, ","))
		return false;
	e->v = as_long(p, v.v);
	e->from = p->scratch.n;
	e->is_end = print_take(p, "((void *)0)") || print_take_word(p, "0");
	if (!e->is_end && !print_take_string(p, &p->scratch))
		return false;
	e->len = p->scratch.n - e->from;
	return print_take(p, "}");
}

static void add_hex(struct strbuf *sb, uint64_t v)
{
	strbuf_adds(sb, "0x");
	strbuf_addx(sb, v);
}

/* "(value, { 1, "one" }, …)": the name, or the number. */
static struct print_value print_symbolic(struct print_parser *p)
{
	struct print_value v = print_take(p, "(") ? print_expression(p) : print_bad();
	size_t from = p->scratch.n;
	bool ended = false, found = false;
	struct entry e;

	if (v.kind != PRINT_NUMBER)
		return print_bad();
	while (print_take(p, ",")) {
		if (!take_entry(p, &e))
			return print_bad();
		ended |= e.is_end;
		if (!found && !ended && e.v == as_long(p, v.v)) {
			found = true;
			from = e.from;
			v = made(p, from);
		}
	}
	if (!found) {
		from = p->scratch.n;
		add_hex(&p->scratch, as_long(p, v.v));
		v = made(p, from);
	}
	return print_take(p, ")") ? v : print_bad();
}

struct flags {
	uint64_t left;
	bool any;
	struct strbuf text, delimiter;
};

static void add_flag(struct flags *f, const char *name, size_t len)
{
	if (f->any)
		strbuf_add(&f->text, strbuf_str(&f->delimiter), f->delimiter.n);
	strbuf_add(&f->text, name, len);
	f->any = true;
}

static bool take_flags(struct print_parser *p, struct flags *f)
{
	struct strbuf rest = STRBUF_INIT;
	bool ended = false;
	struct entry e;

	while (print_take(p, ",")) {
		if (!take_entry(p, &e))
			return false;
		ended |= e.is_end;
		if (ended || !f->left || (f->left & e.v) != e.v)
			continue;
		f->left &= ~e.v;
		add_flag(f, strbuf_str(&p->scratch) + e.from, e.len);
	}
	if (f->left) {
		add_hex(&rest, f->left);
		add_flag(f, rest.s, rest.n);
		strbuf_release(&rest);
	}
	return print_take(p, ")");
}

/* "(value, "|", { 1, "one" }, …)": the names of bits, and the bits without a name. */
static struct print_value print_flags(struct print_parser *p)
{
	struct print_value v = print_take(p, "(") ? print_expression(p) : print_bad();
	struct flags f = { .left = as_long(p, v.v), .text = STRBUF_INIT, .delimiter = STRBUF_INIT };
	size_t from;

	if (v.kind == PRINT_NUMBER && print_take(p, ",") && print_take_string(p, &f.delimiter) &&
	    take_flags(p, &f)) {
		from = p->scratch.n;
		strbuf_add(&p->scratch, strbuf_str(&f.text), f.text.n);
		v = made(p, from);
	} else {
		v = print_bad();
	}
	strbuf_release(&f.text);
	strbuf_release(&f.delimiter);
	return v;
}

/* ---- dynamic arrays ---- */

/* "(name)": a field whose place tells where its bytes are; they are looked up. */
static const struct tp_field *take_dynamic(struct print_parser *p, const uint8_t **bytes,
					   size_t *len)
{
	const struct tp_field *f = print_take(p, "(") ? print_take_field(p) : NULL;

	if (!f || !(f->flags & TP_DYNAMIC) || !print_take(p, ")") ||
	    !tp_bytes(f, p->in->raw, p->in->size, bytes, len))
		return NULL;
	return f;
}

static struct print_value get_str(struct print_parser *p)
{
	const uint8_t *bytes;
	size_t len;
	const struct tp_field *f = take_dynamic(p, &bytes, &len);

	if (!f || !(f->flags & TP_STRING))
		return print_bad();
	return (struct print_value){ .kind = PRINT_TEXT,
				     .s = (const char *)bytes,
				     .len = strnlen((const char *)bytes, len) };
}

static struct print_value get_array(struct print_parser *p)
{
	const uint8_t *bytes;
	size_t len;

	if (!take_dynamic(p, &bytes, &len))
		return print_bad();
	return (struct print_value){ .kind = PRINT_BYTES, .s = (const char *)bytes, .len = len };
}

static struct print_value get_array_len(struct print_parser *p)
{
	const uint8_t *bytes;
	size_t len;

	return take_dynamic(p, &bytes, &len) ? print_number(len, 4, true) : print_bad();
}

/* The bits of an array of longs: words of 32 bits, highest first. */
static struct print_value get_bitmask(struct print_parser *p)
{
	const uint8_t *bytes;
	size_t len, from = p->scratch.n, word = p->in->long_size;
	const struct tp_field *f = take_dynamic(p, &bytes, &len);
	bool be = f && f->flags & TP_BE;

	if (!f || !len || len % word)
		return print_bad();
	for (size_t at = len; at >= word; at -= word) {
		const uint8_t *w = bytes + at - word;
		uint64_t v = word == 8 ? get_u64(w, be) : get_u32(w, be);

		if (word == 8)
			strbuf_addf(&p->scratch, "%s%08x", at < len ? "," : "",
				    (unsigned)(v >> 32));
		strbuf_addf(&p->scratch, "%s%08x", at < len || word == 8 ? "," : "", (unsigned)v);
	}
	return made(p, from);
}

/* ---- arrays in full ---- */

/* "(array, count": as many as there are; of a branch that is not taken none are looked at. */
static bool take_array(struct print_parser *p, struct print_value *bytes, uint64_t *count)
{
	struct print_value n;

	*bytes = print_take(p, "(") ? print_expression(p) : print_bad();
	if ((bytes->kind != PRINT_BYTES && bytes->kind != PRINT_TEXT) || !bytes->s ||
	    !print_take(p, ","))
		return false;
	n = print_expression(p);
	*count = p->dead ? 0 : n.v;
	return n.kind == PRINT_NUMBER;
}

static struct print_value hex(struct print_parser *p, const char *between)
{
	size_t from = p->scratch.n;
	struct print_value bytes;
	uint64_t n;

	if (!take_array(p, &bytes, &n) || !print_take(p, ")") || n > bytes.len)
		return print_bad();
	for (uint64_t i = 0; i < n; i++)
		strbuf_addf(&p->scratch, "%s%02x", i ? between : "", (uint8_t)bytes.s[i]);
	return made(p, from);
}

static struct print_value print_hex(struct print_parser *p)
{
	return hex(p, " ");
}

static struct print_value print_hex_str(struct print_parser *p)
{
	return hex(p, "");
}

static bool fields_are_be(const struct print_parser *p)
{
	return p->in->ev->nr_fields && p->in->ev->fields[0].flags & TP_BE;
}

static uint64_t element(const char *s, uint64_t size, bool be)
{
	const uint8_t *at = (const uint8_t *)s;

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

/* "(array, count, size of an element)" */
static struct print_value print_array(struct print_parser *p)
{
	size_t from;
	struct print_value bytes, size;
	uint64_t n;

	if (!take_array(p, &bytes, &n) || !print_take(p, ","))
		return print_bad();
	size = print_expression(p);
	if (size.kind != PRINT_NUMBER || !print_take(p, ")") ||
	    (size.v != 1 && size.v != 2 && size.v != 4 && size.v != 8) || n > bytes.len / size.v)
		return print_bad();
	from = p->scratch.n;
	strbuf_addc(&p->scratch, '{');
	for (uint64_t i = 0; i < n; i++) {
		if (i)
			strbuf_addc(&p->scratch, ',');
		add_hex(&p->scratch, element(bytes.s + i * size.v, size.v, fields_are_be(p)));
	}
	strbuf_addc(&p->scratch, '}');
	return made(p, from);
}

/* "(value, what it mostly is)" */
static struct print_value expect(struct print_parser *p)
{
	struct print_value v = print_take(p, "(") ? print_expression(p) : print_bad();

	if (!print_take(p, ",") || print_expression(p).kind != PRINT_NUMBER || !print_take(p, ")"))
		return print_bad();
	return v;
}

struct print_value print_call(struct print_parser *p)
{
	static const struct {
		const char *name;
		struct print_value (*call)(struct print_parser *p);
	} functions[] = {
		{ "__print_symbolic", print_symbolic },
		{ "__print_flags", print_flags },
		{ "__print_hex", print_hex },
		{ "__print_hex_str", print_hex_str },
		{ "__print_array", print_array },
		{ "__get_str", get_str },
		{ "__get_rel_str", get_str },
		{ "__get_dynamic_array", get_array },
		{ "__get_rel_dynamic_array", get_array },
		{ "__get_dynamic_array_len", get_array_len },
		{ "__get_rel_dynamic_array_len", get_array_len },
		{ "__get_bitmask", get_bitmask },
		{ "__get_rel_bitmask", get_bitmask },
		{ "__get_cpumask", get_bitmask },
		{ "__get_rel_cpumask", get_bitmask },
		{ "__builtin_expect", expect },
	};

	for (size_t i = 0; i < sizeof(functions) / sizeof(*functions); i++)
		if (print_take_word(p, functions[i].name))
			return functions[i].call(p);
	return print_bad();
}
