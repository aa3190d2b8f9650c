/* SPDX-License-Identifier: MIT */
/*
 * Expressions by descent.  Each node knows its C type; to find it the operators are applied to values
 * that stand for any, so types have no rules of their own here.  What is made of constants alone is
 * computed at once, and is one node.
 */
#include "tracepoint/print_parse.h"

#include <stdlib.h>

enum {
	MAX_DEPTH = 200,
	MAX_NODES = 1 << 12,
};

/* ---- words ---- */

bool print_take(struct print_parser *p, const char *token)
{
	text_skip_blanks(&p->t);
	return text_skip(&p->t, token);
}

size_t print_peek_word(struct print_parser *p)
{
	struct text t;

	text_skip_blanks(&p->t);
	t = p->t;
	return text_skip_word(&t);
}

bool print_take_word(struct print_parser *p, const char *word)
{
	size_t n = print_peek_word(p);

	if (!print_is_word(p->t.p, n, word))
		return false;
	p->t.p += n;
	return true;
}

static char unescaped(char c)
{
	switch (c) {
	case 'n':
		return '\n';
	case 't':
		return '\t';
	case 'r':
		return '\r';
	default:
		return c;
	}
}

bool print_take_string(struct print_parser *p, struct strbuf *out)
{
	bool any = false;

	while (print_take(p, "\"")) {
		for (; p->t.p < p->t.end && *p->t.p != '"'; p->t.p++) {
			if (*p->t.p == '\\' && ++p->t.p == p->t.end)
				return false;
			strbuf_addc(out, p->t.p[-1] == '\\' ? unescaped(*p->t.p) : *p->t.p);
		}
		if (!text_skip(&p->t, "\""))
			return false;
		any = true;
	}
	return any;
}

bool print_keep_string(struct print_parser *p, const char **s, size_t *len)
{
	struct strbuf sb = STRBUF_INIT;
	bool any = print_take_string(p, &sb);

	*len = sb.n;
	*s = any ? arena_strndup(p->arena, strbuf_str(&sb), sb.n) : NULL;
	strbuf_release(&sb);
	return any;
}

const struct tp_field *print_take_field(struct print_parser *p)
{
	const struct tp_event *ev = p->ev;
	size_t n = print_peek_word(p);

	for (size_t i = 0; n && i < ev->nr_fields; i++) {
		if (!print_is_word(p->t.p, n, ev->fields[i].name))
			continue;
		p->t.p += n;
		return &ev->fields[i];
	}
	return NULL;
}

/* ---- nodes ---- */

struct print_node *print_node_new(struct print_parser *p, enum print_node_kind kind,
				  struct print_value type)
{
	struct print_node *n;

	if (type.kind == PRINT_BAD || p->nodes++ >= MAX_NODES)
		return NULL;
	n = arena_alloc(p->arena, sizeof(*n));
	*n = (struct print_node){ .kind = kind, .value = type };
	return n;
}

const struct print_node *print_constant(struct print_parser *p, struct print_value v)
{
	return print_node_new(p, NODE_CONSTANT, v);
}

static bool is_number(const struct print_node *n)
{
	return n && n->value.kind == PRINT_NUMBER;
}

static bool is_constant(const struct print_node *n)
{
	return n->kind == NODE_CONSTANT;
}

/* A number of that type that stands for any: it divides, too. */
static struct print_value any_number(unsigned size, bool is_signed)
{
	return print_number(1, size, is_signed);
}

static struct print_value any_like(struct print_value v)
{
	return v.kind == PRINT_NUMBER ? any_number(v.size, v.is_signed) : v;
}

static bool is_size(unsigned size)
{
	return size == 1 || size == 2 || size == 4 || size == 8;
}

static const struct print_node *field_node(struct print_parser *p, enum print_node_kind kind,
					   const struct tp_field *f, struct print_value type)
{
	struct print_node *n = print_node_new(p, kind, type);

	if (n)
		n->field = f;
	return n;
}

/* ---- operands ---- */

/* 12, 0x1fULL */
static const struct print_node *literal(struct print_parser *p)
{
	size_t n = print_peek_word(p);
	bool plain, is_unsigned, is_long;
	char copy[24], *stop;
	uint64_t v;

	if (!n || n >= sizeof(copy))
		return NULL;
	memcpy(copy, p->t.p, n);
	copy[n] = '\0';
	v = strtoull(copy, &stop, 0);
	if (strspn(stop, "uUlL") != strlen(stop))
		return NULL;
	p->t.p += n;
	plain = copy[0] != '0'; /* decimal ones without U are never unsigned */
	is_unsigned = strpbrk(stop, "uU");
	is_long = strpbrk(stop, "lL") || v > UINT32_MAX || (plain && !is_unsigned && v > INT32_MAX);
	if (!is_long)
		return print_constant(p, print_number(v, 4, !is_unsigned && v <= INT32_MAX));
	return print_constant(
		p, print_number(v, strstr(stop, "LL") || v > UINT32_MAX ? 8 : p->long_size,
				!is_unsigned && v <= INT64_MAX));
}

/* An array, or an element of it. */
static const struct print_node *array(struct print_parser *p, const struct tp_field *f)
{
	struct print_value bytes = { .kind = f->flags & TP_STRING ? PRINT_TEXT : PRINT_BYTES };
	const struct print_node *at;
	struct print_node *n;

	if (!print_take(p, "["))
		return field_node(p, NODE_ARRAY, f, bytes);
	at = print_expression_number(p);
	if (!at || !print_take(p, "]") || !is_size(f->elem))
		return NULL;
	n = print_node_new(p, NODE_ELEMENT, any_number(f->elem, f->flags & TP_SIGNED));
	if (!n)
		return NULL;
	n->field = f;
	n->operand[0] = at;
	return n;
}

/* Behind "REC": "->name" or "->name[2]" */
static const struct print_node *record(struct print_parser *p)
{
	const struct tp_field *f = print_take(p, "->") ? print_take_field(p) : NULL;

	if (!f || f->flags & TP_DYNAMIC)
		return NULL;
	if (f->flags & (TP_ARRAY | TP_STRING))
		return array(p, f);
	if (!is_size(f->size))
		return NULL;
	return field_node(p, NODE_NUMBER, f, any_number(f->size, f->flags & TP_SIGNED));
}

static const struct print_node *unary(struct print_parser *p);

static const struct print_node *negated(struct print_parser *p, enum print_operator op)
{
	const struct print_node *a = unary(p);
	struct print_node *n;

	if (!is_number(a))
		return NULL;
	if (is_constant(a))
		return print_constant(p, print_unary(op, a->value));
	n = print_node_new(p, NODE_UNARY, any_like(print_unary(op, a->value)));
	if (!n)
		return NULL;
	n->op = op;
	n->operand[0] = a;
	return n;
}

static const struct print_node *cast(struct print_parser *p, struct print_type t)
{
	const struct print_node *a = unary(p);
	struct print_node *n;

	if (!a || a->value.kind == PRINT_NULL)
		return NULL;
	if (a->value.kind != PRINT_NUMBER)
		n = print_node_new(p, NODE_CAST, a->value);
	else if (is_constant(a))
		return print_constant(p, print_number(a->value.v, t.size, t.is_signed));
	else
		n = print_node_new(p, NODE_CAST, any_number(t.size, t.is_signed));
	if (n)
		n->operand[0] = a;
	return n;
}

static const struct print_node *string(struct print_parser *p)
{
	struct print_value v = { .kind = PRINT_TEXT };

	return print_keep_string(p, &v.s, &v.len) ? print_constant(p, v) : NULL;
}

static const struct print_node *size_of(struct print_parser *p)
{
	struct print_type t = print_take_type(p);

	return t.size ? print_constant(p, print_number(t.size, p->long_size, false)) : NULL;
}

/*
 * Constants that formats have by their names, though no value comes with them: those that cannot change,
 * since programs know them (include/uapi in the kernel).
 */
static const struct print_node *named(struct print_parser *p)
{
	static const struct {
		const char *name;
		uint64_t v;
	} names[] = {
		{ "true", 1 },
		{ "false", 0 },
		{ "DUMP_PREFIX_NONE", 0 },
		{ "DUMP_PREFIX_ADDRESS", 1 },
		{ "DUMP_PREFIX_OFFSET", 2 },
		{ "IOPRIO_CLASS_NONE", 0 },
		{ "IOPRIO_CLASS_RT", 1 },
		{ "IOPRIO_CLASS_BE", 2 },
		{ "IOPRIO_CLASS_IDLE", 3 },
		{ "IOPRIO_CLASS_INVALID", 7 },
		{ "TCP_ESTABLISHED", 1 },
		{ "TCP_SYN_SENT", 2 },
		{ "TCP_SYN_RECV", 3 },
		{ "TCP_FIN_WAIT1", 4 },
		{ "TCP_FIN_WAIT2", 5 },
		{ "TCP_TIME_WAIT", 6 },
		{ "TCP_CLOSE", 7 },
		{ "TCP_CLOSE_WAIT", 8 },
		{ "TCP_LAST_ACK", 9 },
		{ "TCP_LISTEN", 10 },
		{ "TCP_CLOSING", 11 },
		{ "TCP_NEW_SYN_RECV", 12 },
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (print_take_word(p, names[i].name))
			return print_constant(p, print_number(names[i].v, 4, true));
	return print_take_call(p);
}

static const struct print_node *operand(struct print_parser *p)
{
	const struct print_node *n;
	struct print_type t;

	if (print_take(p, "((void *)0)"))
		return print_constant(p, (struct print_value){ .kind = PRINT_NULL });
	t = print_take_type(p);
	if (t.size)
		return cast(p, t);
	if (print_take(p, "(")) {
		n = print_expression(p);
		return print_take(p, ")") ? n : NULL;
	}
	text_skip_blanks(&p->t);
	if (text_peek(&p->t) == '"')
		return string(p);
	if (text_is_digit(text_peek(&p->t)))
		return literal(p);
	if (print_take_word(p, "REC"))
		return record(p);
	return print_take_word(p, "sizeof") ? size_of(p) : named(p);
}

static const struct print_node *unary(struct print_parser *p)
{
	const struct print_node *n;

	if (++p->depth > MAX_DEPTH)
		return NULL;
	if (print_take(p, "!"))
		n = negated(p, PRINT_NOT);
	else if (print_take(p, "~"))
		n = negated(p, PRINT_COMPLEMENT);
	else if (print_take(p, "-"))
		n = negated(p, PRINT_NEGATE);
	else
		n = operand(p);
	p->depth--;
	return n;
}

/* ---- operators ---- */

/* Those of two characters before their beginnings; the higher binds closer. */
static const struct operator
{
	char text[3];
	uint8_t binds;
	enum print_operator op;
}
operators[] = {
	{ "||", 1, PRINT_ANY },        { "&&", 2, PRINT_BOTH },
	{ "==", 6, PRINT_EQUAL },      { "!=", 6, PRINT_UNEQUAL },
	{ "<=", 7, PRINT_LESS_EQUAL }, { ">=", 7, PRINT_GREATER_EQUAL },
	{ "<<", 8, PRINT_LEFT },       { ">>", 8, PRINT_RIGHT },
	{ "<", 7, PRINT_LESS },        { ">", 7, PRINT_GREATER },
	{ "|", 3, PRINT_BIT_OR },      { "^", 4, PRINT_BIT_XOR },
	{ "&", 5, PRINT_BIT_AND },     { "+", 9, PRINT_ADD },
	{ "-", 9, PRINT_SUBTRACT },    { "*", 10, PRINT_MULTIPLY },
	{ "/", 10, PRINT_DIVIDE },     { "%", 10, PRINT_REMAINDER },
};

static const struct operator* take_operator(struct print_parser *p, int binds)
{
	for (size_t i = 0; i < sizeof(operators) / sizeof(*operators); i++) {
		struct text before = p->t;

		if (!print_take(p, operators[i].text))
			continue;
		if (operators[i].binds >= binds)
			return &operators[i];
		p->t = before;
		return NULL;
	}
	return NULL;
}

static const struct print_node *combined(struct print_parser *p, enum print_operator op,
					 const struct print_node *a, const struct print_node *b)
{
	bool logical = op == PRINT_BOTH || op == PRINT_ANY;
	struct print_node *n;

	if (!logical && is_constant(a) && is_constant(b)) {
		struct print_value v = print_binary(op, a->value, b->value);

		if (v.kind != PRINT_BAD) /* a quotient by 0 may be in a branch that is not taken */
			return print_constant(p, v);
	}
	n = print_node_new(
		p, NODE_BINARY,
		logical ? print_truth(true)
			: any_like(print_binary(op, any_like(a->value), any_like(b->value))));
	if (!n)
		return NULL;
	n->op = op;
	n->operand[0] = a;
	n->operand[1] = b;
	return n;
}

/* What operators that bind at least so close make of operands. */
static const struct print_node *binary(struct print_parser *p, int binds)
{
	const struct print_node *a = unary(p), *b;
	const struct operator* op;

	while (a && (op = take_operator(p, binds))) {
		if (!is_number(a) || ++p->depth > MAX_DEPTH)
			return NULL;
		b = binary(p, op->binds + 1);
		p->depth--;
		a = is_number(b) ? combined(p, op->op, a, b) : NULL;
	}
	return a;
}

/* Of texts one may be null. */
static const struct print_node *either(struct print_parser *p, const struct print_node *condition,
				       const struct print_node *a, const struct print_node *b)
{
	struct print_node *n;

	if (!a || !b)
		return NULL;
	n = print_node_new(p, NODE_EITHER, print_either(any_like(a->value), any_like(b->value)));
	if (!n)
		return NULL;
	if (n->value.kind == PRINT_NULL)
		n->value.kind = b->value.kind;
	n->operand[0] = condition;
	n->operand[1] = a;
	n->operand[2] = b;
	return n;
}

const struct print_node *print_expression(struct print_parser *p)
{
	const struct print_node *n, *a, *b;

	if (++p->depth > MAX_DEPTH)
		return NULL;
	n = binary(p, 1);
	if (is_number(n) && print_take(p, "?")) {
		a = print_expression(p);
		b = print_take(p, ":") ? print_expression(p) : NULL;
		n = either(p, n, a, b);
	}
	p->depth--;
	return n;
}

const struct print_node *print_expression_number(struct print_parser *p)
{
	const struct print_node *n = print_expression(p);

	return is_number(n) ? n : NULL;
}

/* ---- calls ---- */

const struct print_node *print_call_node(struct print_parser *p, const struct print_call *c)
{
	struct print_node *n =
		print_node_new(p, NODE_CALL, (struct print_value){ .kind = PRINT_TEXT });
	struct print_call *copy;

	if (!n)
		return NULL;
	copy = arena_alloc(p->arena, sizeof(*copy));
	*copy = *c;
	n->call = copy;
	return n;
}

/* "(value, what it mostly is)" */
static const struct print_node *expect(struct print_parser *p)
{
	const struct print_node *n = print_take(p, "(") ? print_expression(p) : NULL;

	if (!print_take(p, ",") || !print_expression_number(p) || !print_take(p, ")"))
		return NULL;
	return n;
}

const struct print_node *print_take_call(struct print_parser *p)
{
	static const struct {
		const char *name;
		const struct print_node *(*take)(struct print_parser *p);
	} functions[] = {
		{ "__print_symbolic", print_symbolic },
		{ "__print_flags", print_flags },
		{ "__print_hex", print_hex },
		{ "__print_hex_str", print_hex_str },
		{ "__print_hex_dump", print_hex_dump },
		{ "__print_array", print_array },
		{ "__get_str", print_get_str },
		{ "__get_rel_str", print_get_str },
		{ "__get_dynamic_array", print_get_array },
		{ "__get_rel_dynamic_array", print_get_array },
		{ "__get_dynamic_array_len", print_get_array_len },
		{ "__get_rel_dynamic_array_len", print_get_array_len },
		{ "__get_bitmask", print_get_bitmask },
		{ "__get_rel_bitmask", print_get_bitmask },
		{ "__get_cpumask", print_get_bitmask },
		{ "__get_rel_cpumask", print_get_bitmask },
		{ "__builtin_expect", expect },
	};

	for (size_t i = 0; i < sizeof(functions) / sizeof(*functions); i++)
		if (print_take_word(p, functions[i].name))
			return functions[i].take(p);
	return NULL;
}
