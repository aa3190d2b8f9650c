/* SPDX-License-Identifier: MIT */
/*
 *	print fmt: "prev_comm=%s prev_state=%s", REC->prev_comm,
 *		(REC->prev_state & 0xff) ? __print_flags(REC->prev_state, "|", { 1, "S" }) : "R"
 *
 * The kernel's own format for an event, which is C: a string for printf() and its arguments.  It
 * comes from the recording, as the raw data does, and libtraceevent trusts both: names that are no
 * fields, a quotient by zero, a length that the raw data tells end the program or print what lies
 * behind the sample, and an int of two bytes or a negative one that is compared is taken for another
 * number.  So formats are printed here.  What is not known here gives no text, never a wrong one.
 *
 * A format is read once, into pieces: plain text, and conversions with trees for their arguments.
 */
#include "tracepoint/print.h"

#include <string.h>

#include "tracepoint/print_conversion.h"
#include "tracepoint/print_parse.h"

enum { MAX_WIDTH = 4096 };

/* Text, or a conversion of ARG. */
struct piece {
	const char *text;
	size_t len;
	struct conversion c;
	const struct print_node *width, *precision; /* arguments for these, or NULL */
	const struct print_node *arg;
};

struct print_format {
	const struct piece *pieces;
	size_t n;
};

/* ---- reading it ---- */

struct pieces {
	VEC(struct piece) v;
};

static const struct print_node *argument(struct print_parser *p)
{
	return print_take(p, ",") ? print_expression(p) : NULL;
}

static int take_digits(struct text *t)
{
	int n = 0;

	while (text_is_digit(text_peek(t)) && n <= MAX_WIDTH)
		n = n * 10 + (*t->p++ - '0');
	return n;
}

/* A width or a precision: digits, or a star for the next argument. */
static bool take_width(struct text *t, struct print_parser *p, int *out,
		       const struct print_node **node)
{
	if (!text_skip(t, "*")) {
		*out = take_digits(t);
		return *out <= MAX_WIDTH;
	}
	*node = print_take(p, ",") ? print_expression_number(p) : NULL;
	return *node != NULL;
}

static unsigned take_length(struct text *t, unsigned long_size)
{
	if (text_skip(t, "ll") || text_skip(t, "L") || text_skip(t, "j"))
		return 8;
	if (text_skip(t, "l") || text_skip(t, "z") || text_skip(t, "t"))
		return long_size;
	if (text_skip(t, "hh"))
		return 1;
	return text_skip(t, "h") ? 2 : 0;
}

static const char *take_pointer(struct text *t)
{
	static const char *const known[] = {
		"S", "s", "F", "f", "B", "bl", "b", "ISpc", "I4", "I6c", "I6", "M", "U",
	};

	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++)
		if (text_skip(t, known[i]))
			return known[i];
	return text_is_word(text_peek(t)) ? NULL : "";
}

/* Behind "%". */
static bool take_conversion(struct text *t, struct print_parser *p, struct piece *piece)
{
	struct conversion *c = &piece->c;
	size_t n = 0;

	*c = (struct conversion){ .width = -1, .precision = -1, .pointer = "" };
	while (t->p < t->end && strchr("#0-+ ", *t->p)) {
		if (n == sizeof(c->flags) - 1)
			return false;
		c->flags[n++] = *t->p++;
	}
	if (!take_width(t, p, &c->width, &piece->width) ||
	    (text_skip(t, ".") && !take_width(t, p, &c->precision, &piece->precision)))
		return false;
	c->length = take_length(t, p->long_size);
	c->c = text_peek(t);
	if (!c->c || !strchr("diouxXcsp", c->c))
		return false;
	t->p++;
	if (c->c == 'p')
		c->pointer = take_pointer(t);
	piece->arg = c->pointer ? argument(p) : NULL;
	return piece->arg != NULL;
}

static void keep_text(struct print_parser *p, struct pieces *pieces, struct strbuf *sb)
{
	struct piece piece = { .len = sb->n };

	if (!sb->n)
		return;
	piece.text = arena_strndup(p->arena, sb->s, sb->n);
	vec_push(&pieces->v, piece);
	strbuf_clear(sb);
}

/* The string, and behind it the arguments. */
static bool take_pieces(struct print_parser *p, const struct strbuf *format, struct pieces *pieces,
			struct strbuf *plain)
{
	struct text t = { strbuf_str(format), strbuf_str(format) + format->n };

	while (t.p < t.end) {
		struct piece piece = { 0 };

		if (*t.p != '%') {
			strbuf_addc(plain, *t.p++);
		} else if (++t.p < t.end && *t.p == '%') {
			strbuf_addc(plain, *t.p++);
		} else {
			keep_text(p, pieces, plain);
			if (!take_conversion(&t, p, &piece))
				return false;
			vec_push(&pieces->v, piece);
		}
	}
	keep_text(p, pieces, plain);
	text_skip_blanks(&p->t);
	text_skip(&p->t, "\n");
	return p->t.p == p->t.end;
}

const struct print_format *print_format_new(struct arena *a, const struct tp_event *ev,
					    unsigned long_size, const char *text, size_t len)
{
	struct print_parser p = {
		.t = { text, text + len }, .ev = ev, .long_size = long_size, .arena = a
	};
	struct strbuf string = STRBUF_INIT, plain = STRBUF_INIT;
	struct pieces pieces = { 0 };
	struct print_format *f = NULL;
	struct piece *kept;

	if (ev->nr_fields && print_take(&p, "print fmt:") && print_take_string(&p, &string) &&
	    take_pieces(&p, &string, &pieces, &plain)) {
		f = arena_alloc(a, sizeof(*f));
		kept = arena_alloc(a, pieces.v.n * sizeof(*kept));
		if (pieces.v.n)
			memcpy(kept, pieces.v.v, pieces.v.n * sizeof(*kept));
		*f = (struct print_format){ kept, pieces.v.n };
	}
	vec_release(&pieces.v);
	strbuf_release(&string);
	strbuf_release(&plain);
	return f;
}

bool print_format_has_names(const struct print_format *f)
{
	for (size_t i = 0; f && i < f->n; i++)
		if (f->pieces[i].arg && *f->pieces[i].c.pointer &&
		    strchr("SsFfB", *f->pieces[i].c.pointer))
			return true;
	return false;
}

/* ---- a sample ---- */

/* A negative width or precision is none. */
static bool eval_width(struct print_run *r, const struct print_node *n, int *out)
{
	struct print_value v = print_eval(r, n);

	*out = v.v > MAX_WIDTH ? (int)v.v < 0 ? -1 : MAX_WIDTH : (int)v.v;
	return v.kind == PRINT_NUMBER;
}

static bool convert(struct print_run *r, const struct piece *piece, struct strbuf *out)
{
	struct conversion starred;
	const struct conversion *c = &piece->c;
	struct print_value v;

	if (piece->width || piece->precision) {
		starred = *c;
		c = &starred;
		if ((piece->width && !eval_width(r, piece->width, &starred.width)) ||
		    (piece->precision && !eval_width(r, piece->precision, &starred.precision)))
			return false;
	}
	v = print_eval(r, piece->arg);
	if (v.kind == PRINT_BAD)
		return false;
	if (c->c == 's')
		return print_text(r, out, c, &v);
	return c->c == 'p' ? print_pointer(r, out, c, &v) : print_integer(out, c, &v);
}

bool print_sample(const struct print_format *f, const struct print_input *in, struct strbuf *out)
{
	struct print_run r = { .in = in, .scratch = STRBUF_INIT };
	size_t before = out->n;
	bool good = true;

	for (size_t i = 0; good && i < f->n; i++) {
		const struct piece *piece = &f->pieces[i];

		r.scratch.n = 0;
		if (piece->arg)
			good = convert(&r, piece, out);
		else
			strbuf_add(out, piece->text, piece->len);
	}
	strbuf_release(&r.scratch);
	if (!good && out->s) {
		out->n = before;
		out->s[before] = '\0';
	}
	return good;
}
