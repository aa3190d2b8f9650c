/* SPDX-License-Identifier: MIT */
/*
 * Names of numbers and of bits, as the kernel's macros make them of a table in the format
 * (trace_output.c in kernel/trace).  A table ends at its first entry without a name.
 */
#include "base/vec.h"
#include "tracepoint/print_parse.h"

enum { MAX_ENTRIES = 1 << 12 };

struct table {
	VEC(struct print_entry) v;
	bool ended;
};

/* An unsigned long of the recorded machine. */
static uint64_t as_long(unsigned long_size, uint64_t v)
{
	return print_number(v, long_size, false).v;
}

/* "{ 1, "one" }" */
static bool take_entry(struct print_parser *p, struct table *t)
{
	const struct print_node *n;
	struct print_entry e;

	if (!print_take(p, "{"))
		return false;
	if (print_take(p, "}")) { /* an empty table */
		t->ended = true;
		return true;
	}
	n = print_expression_number(p);
	if (!n || n->kind != NODE_CONSTANT || !print_take(p, ","))
		return false;
	e.v = as_long(p->long_size, n->value.v);
	if (print_take(p, "((void *)0)") || print_take_word(p, "0"))
		t->ended = true;
	else if (!print_keep_string(p, &e.name, &e.len))
		return false;
	else if (!t->ended)
		vec_push(&t->v, e);
	return print_take(p, "}") && t->v.n <= MAX_ENTRIES;
}

/* ", { 1, "one" }, …)": the rest of a call C, which is kept. */
static const struct print_node *take_table(struct print_parser *p, struct print_call *c)
{
	const struct print_node *n = NULL;
	struct table t = { 0 };
	struct print_entry *kept;
	bool good = true;

	while (good && print_take(p, ","))
		good = take_entry(p, &t);
	if (good && print_take(p, ")")) {
		kept = arena_alloc(p->arena, t.v.n * sizeof(*kept));
		if (t.v.n)
			memcpy(kept, t.v.v, t.v.n * sizeof(*kept));
		c->entries = kept;
		c->nr_entries = t.v.n;
		n = print_call_node(p, c);
	}
	vec_release(&t.v);
	return n;
}

static void add_hex(struct strbuf *sb, uint64_t v)
{
	strbuf_adds(sb, "0x");
	strbuf_addx(sb, v);
}

/* The number that is to be named. */
static bool value_of(struct print_run *r, const struct print_call *c, uint64_t *v)
{
	struct print_value value = print_eval(r, c->arg[0]);

	*v = as_long(r->in->long_size, value.v);
	return value.kind == PRINT_NUMBER;
}

static bool make_symbolic(struct print_run *r, const struct print_call *c)
{
	uint64_t v;

	if (!value_of(r, c, &v))
		return false;
	for (size_t i = 0; i < c->nr_entries; i++) {
		if (c->entries[i].v == v) {
			strbuf_add(&r->scratch, c->entries[i].name, c->entries[i].len);
			return true;
		}
	}
	add_hex(&r->scratch, v);
	return true;
}

static void delimit(struct strbuf *sb, const struct print_call *c, bool *first)
{
	if (!*first)
		strbuf_add(sb, c->delimiter, c->delimiter_len);
	*first = false;
}

static bool make_flags(struct print_run *r, const struct print_call *c)
{
	bool first = true;
	uint64_t left;

	if (!value_of(r, c, &left))
		return false;
	for (size_t i = 0; i < c->nr_entries && left; i++) {
		const struct print_entry *e = &c->entries[i];

		if ((left & e->v) != e->v)
			continue;
		left &= ~e->v;
		delimit(&r->scratch, c, &first);
		strbuf_add(&r->scratch, e->name, e->len);
	}
	if (left) {
		delimit(&r->scratch, c, &first);
		add_hex(&r->scratch, left);
	}
	return true;
}

/* "(value, { 1, "one" }, …)": the name, or the number. */
const struct print_node *print_symbolic(struct print_parser *p)
{
	struct print_call c = { .make = make_symbolic };

	c.arg[0] = print_take(p, "(") ? print_expression_number(p) : NULL;
	return c.arg[0] ? take_table(p, &c) : NULL;
}

/* "(value, "|", { 1, "one" }, …)": the names of bits, and the bits without a name. */
const struct print_node *print_flags(struct print_parser *p)
{
	struct print_call c = { .make = make_flags };

	c.arg[0] = print_take(p, "(") ? print_expression_number(p) : NULL;
	if (!c.arg[0] || !print_take(p, ",") ||
	    !print_keep_string(p, &c.delimiter, &c.delimiter_len))
		return NULL;
	return take_table(p, &c);
}
