/* SPDX-License-Identifier: MIT */
/*
 * Expressions are computed while they are read, by descent: no tree is built, and nothing can be
 * computed that was not checked on the way.  Numbers have the types that they have in C, since a
 * field that is an int and -1 is not the same as an unsigned one: what the kernel prints depends
 * on it.
 */
#include "tracepoint/print_expr.h"

#include <stdlib.h>

enum { MAX_DEPTH = 200 };

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

const struct tp_field *print_take_field(struct print_parser *p)
{
	const struct tp_event *ev = p->in->ev;
	size_t n = print_peek_word(p);

	for (size_t i = 0; n && i < ev->nr_fields; i++) {
		if (!print_is_word(p->t.p, n, ev->fields[i].name))
			continue;
		p->t.p += n;
		return &ev->fields[i];
	}
	return NULL;
}

/* ---- values ---- */

struct print_value print_bad(void)
{
	return (struct print_value){ .kind = PRINT_BAD };
}

struct print_value print_number(uint64_t v, unsigned size, bool is_signed)
{
	unsigned unused = 64 - 8 * size;

	v = v << unused >> unused;
	if (is_signed && unused && v >> (63 - unused))
		v |= UINT64_MAX << (63 - unused);
	return (struct print_value){
		.kind = PRINT_NUMBER, .v = v, .size = (uint8_t)size, .is_signed = is_signed
	};
}

static struct print_value integer(bool v)
{
	return print_number(v, 4, true);
}

static struct print_value promoted(struct print_value a)
{
	return a.size < 4 ? print_number(a.v, 4, true) : a;
}

/* ---- operands ---- */

/* 12, 0x1fULL */
static struct print_value literal(struct print_parser *p)
{
	size_t n = print_peek_word(p);
	bool plain, is_unsigned, is_long;
	char copy[24], *stop;
	uint64_t v;

	if (!n || n >= sizeof(copy) || !text_is_digit(*p->t.p))
		return print_bad();
	memcpy(copy, p->t.p, n);
	copy[n] = '\0';
	v = strtoull(copy, &stop, 0);
	if (strspn(stop, "uUlL") != strlen(stop))
		return print_bad();
	p->t.p += n;
	plain = copy[0] != '0'; /* decimal ones without U are never unsigned */
	is_unsigned = strpbrk(stop, "uU");
	is_long = strpbrk(stop, "lL") || v > UINT32_MAX || (plain && !is_unsigned && v > INT32_MAX);
	if (!is_long)
		return print_number(v, 4, !is_unsigned && v <= INT32_MAX);
	return print_number(v, strstr(stop, "LL") || v > UINT32_MAX ? 8 : p->in->long_size,
			    !is_unsigned && v <= INT64_MAX);
}

/* An array, or an element of it. */
static struct print_value array(struct print_parser *p, const struct tp_field *f)
{
	struct print_value at, bytes = { .kind = f->flags & TP_STRING ? PRINT_TEXT : PRINT_BYTES };
	struct tp_field element = *f;
	const uint8_t *raw;
	uint64_t v;

	if (!tp_bytes(f, p->in->raw, p->in->size, &raw, &bytes.len))
		return print_bad();
	bytes.s = (const char *)raw;
	if (bytes.kind == PRINT_TEXT)
		bytes.len = strnlen(bytes.s, bytes.len);
	if (!print_take(p, "["))
		return bytes;
	at = print_expression(p);
	if (at.kind != PRINT_NUMBER || !print_take(p, "]") || !f->elem)
		return print_bad();
	if (p->dead)
		at.v = 0;
	element.flags &= (uint16_t) ~(TP_ARRAY | TP_STRING);
	element.size = f->elem;
	if (at.v >= f->size / f->elem)
		return print_bad();
	element.offset += (uint32_t)at.v * f->elem;
	if (!tp_number(&element, p->in->raw, p->in->size, &v))
		return print_bad();
	return print_number(v, f->elem, f->flags & TP_SIGNED);
}

/* Behind "REC": "->name" or "->name[2]" */
static struct print_value record(struct print_parser *p)
{
	const struct tp_field *f = print_take(p, "->") ? print_take_field(p) : NULL;
	uint64_t v;

	if (!f || f->flags & TP_DYNAMIC)
		return print_bad();
	if (f->flags & (TP_ARRAY | TP_STRING))
		return array(p, f);
	if (!tp_number(f, p->in->raw, p->in->size, &v))
		return print_bad();
	return print_number(v, f->size, f->flags & TP_SIGNED);
}

/* ---- operators ---- */

static struct print_value unary(struct print_parser *p);

static struct print_value negated(struct print_parser *p, char op)
{
	struct print_value a = unary(p);

	if (a.kind != PRINT_NUMBER)
		return print_bad();
	if (op == '!')
		return integer(!a.v);
	a = promoted(a);
	return print_number(op == '-' ? -a.v : ~a.v, a.size, a.is_signed);
}

static struct print_value cast(struct print_parser *p, struct print_type t)
{
	struct print_value a = unary(p);

	if (a.kind == PRINT_TEXT || a.kind == PRINT_BYTES)
		return a; /* an array as a pointer to what it has */
	return a.kind == PRINT_NUMBER ? print_number(a.v, t.size, t.is_signed) : print_bad();
}

static struct print_value string(struct print_parser *p)
{
	struct print_value v = { .kind = PRINT_TEXT, .scratch = p->scratch.n };

	if (!print_take_string(p, &p->scratch))
		return print_bad();
	v.len = p->scratch.n - v.scratch;
	return v;
}

static struct print_value size_of(struct print_parser *p)
{
	struct print_type t = print_take_type(p);

	return t.size ? print_number(t.size, p->in->long_size, false) : print_bad();
}

static struct print_value operand(struct print_parser *p)
{
	struct print_value v;
	struct print_type t;

	if (print_take(p, "((void *)0)"))
		return (struct print_value){ .kind = PRINT_NULL };
	t = print_take_type(p);
	if (t.size)
		return cast(p, t);
	if (print_take(p, "(")) {
		v = print_expression(p);
		return print_take(p, ")") ? v : print_bad();
	}
	text_skip_blanks(&p->t);
	if (text_peek(&p->t) == '"')
		return string(p);
	if (text_is_digit(text_peek(&p->t)))
		return literal(p);
	if (print_take_word(p, "REC"))
		return record(p);
	return print_take_word(p, "sizeof") ? size_of(p) : print_call(p);
}

static struct print_value unary(struct print_parser *p)
{
	struct print_value v;

	if (++p->depth > MAX_DEPTH)
		return print_bad();
	if (print_take(p, "!"))
		v = negated(p, '!');
	else if (print_take(p, "~"))
		v = negated(p, '~');
	else if (print_take(p, "-"))
		v = negated(p, '-');
	else
		v = operand(p);
	p->depth--;
	return v;
}

/* Operators, those of two characters before their beginnings; the higher binds closer. */
static const struct operator
{
	char text[3];
	int binds;
}
operators[] = {
	{ "||", 1 }, { "&&", 2 }, { "==", 6 }, { "!=", 6 }, { "<=", 7 }, { ">=", 7 },
	{ "<<", 8 }, { ">>", 8 }, { "<", 7 },  { ">", 7 },  { "|", 3 },  { "^", 4 },
	{ "&", 5 },  { "+", 9 },  { "-", 9 },  { "*", 10 }, { "/", 10 }, { "%", 10 },
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

static struct print_value shift(struct print_value a, uint64_t by, char op)
{
	if (by >= 8u * a.size)
		return print_number(0, a.size, a.is_signed);
	if (op == '<')
		return print_number(a.v << by, a.size, a.is_signed);
	return print_number(a.is_signed ? (uint64_t)((int64_t)a.v >> by) : a.v >> by, a.size,
			    a.is_signed);
}

static bool less(struct print_value a, struct print_value b)
{
	return a.is_signed ? (int64_t)a.v < (int64_t)b.v : a.v < b.v;
}

static struct print_value compare(struct print_value a, struct print_value b, const char *op)
{
	if (op[0] == '=' || op[0] == '!')
		return integer((a.v == b.v) == (op[0] == '='));
	if (op[0] == '<')
		return integer(less(a, b) || (op[1] && a.v == b.v));
	return integer(less(b, a) || (op[1] && a.v == b.v));
}

static struct print_value divide(struct print_parser *p, struct print_value a, struct print_value b,
				 char op)
{
	bool overflow = a.is_signed && b.v == UINT64_MAX; /* -x is all that can be */
	uint64_t q, r;

	if (!b.v)
		return p->dead ? a : print_bad();
	if (overflow) {
		q = -a.v;
		r = 0;
	} else if (a.is_signed) {
		q = (uint64_t)((int64_t)a.v / (int64_t)b.v);
		r = (uint64_t)((int64_t)a.v % (int64_t)b.v);
	} else {
		q = a.v / b.v;
		r = a.v % b.v;
	}
	return print_number(op == '/' ? q : r, a.size, a.is_signed);
}

/* Both in their common type. */
static void unite(struct print_value *a, struct print_value *b)
{
	unsigned size = a->size > b->size ? a->size : b->size;
	bool is_signed = a->size == b->size  ? a->is_signed && b->is_signed
			 : a->size > b->size ? a->is_signed
					     : b->is_signed;

	*a = print_number(a->v, size, is_signed);
	*b = print_number(b->v, size, is_signed);
}

static struct print_value combine(struct print_parser *p, struct print_value a,
				  struct print_value b, const char *op)
{
	a = promoted(a);
	b = promoted(b);
	if (!strcmp(op, "<<") || !strcmp(op, ">>"))
		return shift(a, b.v, *op);
	unite(&a, &b);
	switch (*op) {
	case '&':
		return print_number(a.v & b.v, a.size, a.is_signed);
	case '|':
		return print_number(a.v | b.v, a.size, a.is_signed);
	case '^':
		return print_number(a.v ^ b.v, a.size, a.is_signed);
	case '+':
		return print_number(a.v + b.v, a.size, a.is_signed);
	case '-':
		return print_number(a.v - b.v, a.size, a.is_signed);
	case '*':
		return print_number(a.v * b.v, a.size, a.is_signed);
	case '/':
	case '%':
		return divide(p, a, b, *op);
	default:
		return compare(a, b, op);
	}
}

/* What operators that bind at least so close make of operands. */
static struct print_value binary(struct print_parser *p, int binds)
{
	struct print_value a = unary(p), b;
	const struct operator* op;
	bool was = p->dead;

	while (a.kind != PRINT_BAD && (op = take_operator(p, binds))) {
		bool both = !strcmp(op->text, "&&"), any = !strcmp(op->text, "||");

		if (a.kind != PRINT_NUMBER || ++p->depth > MAX_DEPTH)
			return print_bad();
		p->dead = was || (both && !a.v) || (any && a.v);
		b = binary(p, op->binds + 1);
		p->dead = was;
		p->depth--;
		if (b.kind != PRINT_NUMBER)
			return print_bad();
		if (both || any)
			a = integer(both ? a.v && b.v : a.v || b.v);
		else
			a = combine(p, a, b, op->text);
	}
	return a;
}

/* Which of "a : b" it is: of numbers in their common type. */
static struct print_value either(struct print_value condition, struct print_value a,
				 struct print_value b)
{
	bool numbers = a.kind == PRINT_NUMBER && b.kind == PRINT_NUMBER;

	if (a.kind == PRINT_BAD || b.kind == PRINT_BAD ||
	    (!numbers && (a.kind == PRINT_NUMBER || b.kind == PRINT_NUMBER)))
		return print_bad();
	if (numbers) {
		a = promoted(a);
		b = promoted(b);
		unite(&a, &b);
	}
	return condition.v ? a : b;
}

struct print_value print_expression(struct print_parser *p)
{
	struct print_value v, a, b;
	bool was = p->dead;

	if (++p->depth > MAX_DEPTH)
		return print_bad();
	v = binary(p, 1);
	if (v.kind == PRINT_NUMBER && print_take(p, "?")) {
		p->dead = was || !v.v;
		a = print_expression(p);
		p->dead = was || v.v;
		b = print_take(p, ":") ? print_expression(p) : print_bad();
		p->dead = was;
		v = either(v, a, b);
	}
	p->depth--;
	return v;
}
