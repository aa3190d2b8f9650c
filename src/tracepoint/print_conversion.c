/* SPDX-License-Identifier: MIT */
/* Numbers and texts as the kernel's printf() has them. */
#include "tracepoint/print_conversion.h"

#include <stdio.h>
#include <string.h>

/* To its width, before the text or behind it. */
static void pad(struct strbuf *out, const struct conversion *c, size_t len, bool behind)
{
	if (c->width <= 0 || behind != (strchr(c->flags, '-') != NULL))
		return;
	for (size_t i = len; i < (size_t)c->width; i++)
		strbuf_addc(out, ' ');
}

void print_padded(struct strbuf *out, const struct conversion *c, const char *s, size_t len)
{
	if (c->precision >= 0 && len > (size_t)c->precision)
		len = (size_t)c->precision;
	pad(out, c, len, false);
	strbuf_add(out, s, len);
	pad(out, c, len, true);
}

bool print_text(const struct print_run *r, struct strbuf *out, const struct conversion *c,
		const struct print_value *v)
{
	struct strbuf hex = STRBUF_INIT;
	const char *s;

	if (v->kind == PRINT_TEXT) {
		print_padded(out, c, print_text_of(r, v), v->len);
	} else if (v->kind == PRINT_NULL) {
		print_padded(out, c, "(null)", 6);
	} else if (v->kind == PRINT_NUMBER && v->size == r->in->long_size) {
		s = v->v ? print_texts_find(r->in->texts, v->v) : "(null)"; /* an address */
		if (!s) {
			strbuf_adds(&hex, "0x");
			strbuf_addx(&hex, v->v);
			s = hex.s;
		}
		print_padded(out, c, s, strlen(s));
		strbuf_release(&hex);
	} else {
		return false;
	}
	return true;
}

static void add_formatted(struct strbuf *out, const struct conversion *c, uint64_t v)
{
	char spec[24];

	snprintf(spec, sizeof(spec), "%%%s*.*ll%c", c->flags, c->c);
	strbuf_addf(out, spec, c->width > 0 ? c->width : 0, c->precision, (unsigned long long)v);
}

/* The usual ones: "%d", "%lu", "%llx". */
static bool is_plain(const struct conversion *c)
{
	return !*c->flags && c->width <= 0 && c->precision < 0 && strchr("diux", c->c);
}

static void add_plain(struct strbuf *out, char c, uint64_t v)
{
	if (c == 'x')
		strbuf_addx(out, v);
	else if (c == 'u')
		strbuf_addu(out, v);
	else
		strbuf_addd(out, (int64_t)v);
}

bool print_integer(struct strbuf *out, const struct conversion *c, const struct print_value *v)
{
	bool is_signed = c->c == 'd' || c->c == 'i';
	uint64_t number;
	char one;

	if (v->kind != PRINT_NUMBER)
		return false;
	number = print_number(v->v, c->length ? c->length : 4, is_signed).v;
	if (c->c == 'c') {
		one = (char)v->v;
		print_padded(out, c, &one, 1);
	} else if (is_plain(c)) {
		add_plain(out, c->c, number);
	} else if (!v->v && (c->c == 'x' || c->c == 'X') && strchr(c->flags, '#')) {
		strbuf_adds(out, c->c == 'x' ? "0x0" : "0X0"); /* as the kernel's printf() does */
	} else {
		add_formatted(out, c, number);
	}
	return true;
}
