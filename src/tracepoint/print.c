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
 * Addresses (%p) are printed as they are, where the kernel's text has a hash of them, and those of
 * functions (%pS) as numbers, since the names are not in the recording.
 */
#include "tracepoint/print.h"

#include <arpa/inet.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/cursor.h"
#include "tracepoint/print_expr.h"

enum { MAX_WIDTH = 4096 };

struct conversion {
	char flags[8];
	int width, precision; /* -1: none */
	unsigned length; /* bytes of the number; 0: an int, or what it is */
	char c; /* 'd', 's' …; 'p' for all pointers, of which … */
	const char *pointer; /* … this says more: "", "S", "I4" */
};

/* ---- arguments ---- */

static const char *text_of(const struct print_parser *p, const struct print_value *v)
{
	return v->s ? v->s : strbuf_str(&p->scratch) + v->scratch;
}

static struct print_value argument(struct print_parser *p)
{
	return print_take(p, ",") ? print_expression(p) : print_bad();
}

/* ---- conversions ---- */

/* To its width, before the text or behind it. */
static void pad(struct strbuf *out, const struct conversion *c, size_t len, bool behind)
{
	if (behind == (strchr(c->flags, '-') != NULL))
		for (size_t i = len; c->width > 0 && i < (size_t)c->width; i++)
			strbuf_addc(out, ' ');
}

static void add_text(struct strbuf *out, const struct conversion *c, const char *s, size_t len)
{
	if (c->precision >= 0 && len > (size_t)c->precision)
		len = (size_t)c->precision;
	pad(out, c, len, false);
	strbuf_add(out, s, len);
	pad(out, c, len, true);
}

static bool print_text(const struct print_parser *p, struct strbuf *out, const struct conversion *c,
		       const struct print_value *v)
{
	struct strbuf hex = STRBUF_INIT;
	const char *s;

	if (v->kind == PRINT_TEXT) {
		add_text(out, c, text_of(p, v), v->len);
	} else if (v->kind == PRINT_NULL) {
		add_text(out, c, "(null)", 6);
	} else if (v->kind == PRINT_NUMBER && v->size == p->in->long_size) {
		s = v->v ? print_texts_find(p->in->texts, v->v) : "(null)"; /* an address */
		if (!s) {
			strbuf_adds(&hex, "0x");
			strbuf_addx(&hex, v->v);
			s = hex.s;
		}
		add_text(out, c, s, strlen(s));
		strbuf_release(&hex);
	} else {
		return false;
	}
	return true;
}

static void add_number(struct strbuf *out, const struct conversion *c, uint64_t v)
{
	char spec[24];

	snprintf(spec, sizeof(spec), "%%%s*.*ll%c", c->flags, c->c);
	strbuf_addf(out, spec, c->width > 0 ? c->width : 0, c->precision, (unsigned long long)v);
}

static bool print_integer(struct strbuf *out, const struct conversion *c,
			  const struct print_value *v)
{
	bool is_signed = c->c == 'd' || c->c == 'i';
	char one;

	if (v->kind != PRINT_NUMBER)
		return false;
	if (c->c == 'c') {
		one = (char)v->v;
		add_text(out, c, &one, 1);
	} else if (!v->v && (c->c == 'x' || c->c == 'X') && strchr(c->flags, '#')) {
		strbuf_adds(out, c->c == 'x' ? "0x0" : "0X0"); /* as the kernel's printf() does */
	} else {
		add_number(out, c, print_number(v->v, c->length ? c->length : 4, is_signed).v);
	}
	return true;
}

/* ---- pointers ---- */

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

static bool print_bytes(const struct print_parser *p, struct strbuf *out, const char *pointer,
			const struct print_value *v)
{
	const uint8_t *b = (const uint8_t *)v->s;
	bool be = p->in->ev->fields[0].flags & TP_BE;

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

static bool print_pointer(const struct print_parser *p, struct strbuf *out,
			  const struct conversion *c, const struct print_value *v)
{
	struct strbuf text = STRBUF_INIT;
	bool known = true;

	if (v->kind == PRINT_BYTES) {
		known = print_bytes(p, &text, c->pointer, v);
	} else if (v->kind == PRINT_NUMBER && strchr("SsFfB", *c->pointer)) { /* or nothing */
		strbuf_adds(&text, "0x");
		strbuf_addx(&text, v->v);
	} else {
		known = false;
	}
	if (known)
		add_text(out, c, strbuf_str(&text), text.n);
	strbuf_release(&text);
	return known;
}

/* ---- the format ---- */

static int take_digits(struct text *t)
{
	int n = 0;

	while (text_is_digit(text_peek(t)) && n <= MAX_WIDTH)
		n = n * 10 + (*t->p++ - '0');
	return n;
}

/* A width or a precision: digits, or a star for the next argument. */
static bool take_width(struct text *t, struct print_parser *p, int *out)
{
	struct print_value v;

	if (!text_skip(t, "*")) {
		*out = take_digits(t);
		return *out <= MAX_WIDTH;
	}
	v = argument(p);
	*out = v.v > MAX_WIDTH ? (int)v.v < 0 ? -1 : MAX_WIDTH : (int)v.v;
	return v.kind == PRINT_NUMBER;
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
		"S", "s", "F", "f", "B", "ISpc", "I4", "I6c", "I6", "M", "U",
	};

	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++)
		if (text_skip(t, known[i]))
			return known[i];
	return text_is_word(text_peek(t)) ? NULL : "";
}

/* Behind "%". */
static bool take_conversion(struct text *t, struct print_parser *p, struct conversion *c)
{
	size_t n = 0;

	*c = (struct conversion){ .width = -1, .precision = -1, .pointer = "" };
	while (t->p < t->end && strchr("#0-+ ", *t->p)) {
		if (n == sizeof(c->flags) - 1)
			return false;
		c->flags[n++] = *t->p++;
	}
	if (!take_width(t, p, &c->width) || (text_skip(t, ".") && !take_width(t, p, &c->precision)))
		return false;
	c->length = take_length(t, p->in->long_size);
	c->c = text_peek(t);
	if (!c->c || !strchr("diouxXcsp", c->c))
		return false;
	t->p++;
	if (c->c == 'p')
		c->pointer = take_pointer(t);
	return c->pointer != NULL;
}

static bool convert(struct text *t, struct print_parser *p, struct strbuf *out)
{
	struct conversion c;
	struct print_value v;

	if (!take_conversion(t, p, &c))
		return false;
	v = argument(p);
	if (v.kind == PRINT_BAD)
		return false;
	if (c.c == 's')
		return print_text(p, out, &c, &v);
	return c.c == 'p' ? print_pointer(p, out, &c, &v) : print_integer(out, &c, &v);
}

static bool print_all(struct print_parser *p, struct strbuf *format, struct strbuf *out)
{
	struct text t;

	if (!print_take(p, "print fmt:") || !print_take_string(p, format))
		return false;
	t = (struct text){ strbuf_str(format), strbuf_str(format) + format->n };
	while (t.p < t.end) {
		if (*t.p != '%')
			strbuf_addc(out, *t.p++);
		else if (++t.p < t.end && *t.p == '%')
			strbuf_addc(out, *t.p++);
		else if (!convert(&t, p, out))
			return false;
		p->scratch.n = 0;
	}
	text_skip_blanks(&p->t);
	text_skip(&p->t, "\n");
	return p->t.p == p->t.end;
}

bool print_sample(const struct print_input *in, const char *format, size_t len, struct strbuf *out)
{
	struct print_parser p = { .t = { format, format + len }, .in = in, .scratch = STRBUF_INIT };
	struct strbuf string = STRBUF_INIT, text = STRBUF_INIT;
	bool known = in->ev->nr_fields && print_all(&p, &string, &text);

	if (known)
		strbuf_add(out, strbuf_str(&text), text.n);
	strbuf_release(&string);
	strbuf_release(&text);
	strbuf_release(&p.scratch);
	return known;
}
