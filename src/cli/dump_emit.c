/* SPDX-License-Identifier: MIT */
#include "cli/dump_emit.h"

#include <math.h>
#include <string.h>

#include "view/escape.h"

#define BYTES_SHOWN 256
#define NEW_LINE    "\n              "

/* What stands in front of a value. */
static void lead(struct emit *e, const char *name)
{
	if (e->json) {
		if (!e->first)
			strbuf_addc(e->sb, ',');
		if (!e->in_list) {
			strbuf_addc(e->sb, '"');
			strbuf_adds(e->sb, name);
			strbuf_add(e->sb, "\":", 2);
		}
	} else {
		strbuf_adds(e->sb, e->break_line ? NEW_LINE : " ");
		if (!e->in_list) {
			strbuf_adds(e->sb, name);
			strbuf_addc(e->sb, '=');
		}
	}
	e->break_line = false;
	e->first = false;
}

void emit_uint(struct emit *e, const char *name, uint64_t v)
{
	lead(e, name);
	strbuf_addu(e->sb, v);
}

void emit_int(struct emit *e, const char *name, int64_t v)
{
	lead(e, name);
	strbuf_addd(e->sb, v);
}

void emit_real(struct emit *e, const char *name, double v)
{
	lead(e, name);
	if (isfinite(v))
		strbuf_addf(e->sb, "%.17g", v);
	else
		strbuf_adds(e->sb, e->json ? "null" : "?");
}

void emit_bool(struct emit *e, const char *name, bool v)
{
	if (!e->json && !v)
		return;
	lead(e, name);
	strbuf_adds(e->sb, e->json ? (v ? "true" : "false") : "yes");
}

void emit_hex(struct emit *e, const char *name, uint64_t v)
{
	lead(e, name);
	if (e->json) {
		strbuf_addu(e->sb, v);
	} else {
		strbuf_adds(e->sb, "0x");
		strbuf_addx(e->sb, v);
	}
}

void emit_text(struct emit *e, const char *name, const char *s)
{
	if (!s)
		return;
	lead(e, name);
	if (e->json) {
		strbuf_addc(e->sb, '"');
		escape_json(e->sb, s, strlen(s));
		strbuf_addc(e->sb, '"');
	} else {
		escape_terminal(e->sb, s);
	}
}

void emit_bytes(struct emit *e, const char *name, const uint8_t *p, uint64_t len)
{
	uint64_t n = len < BYTES_SHOWN ? len : BYTES_SHOWN;

	if (!p)
		return;
	lead(e, name);
	if (e->json)
		strbuf_addc(e->sb, '"');
	strbuf_addhex(e->sb, p, (size_t)n);
	if (n < len)
		strbuf_adds(e->sb, "…");
	if (e->json)
		strbuf_addc(e->sb, '"');
}

void emit_list(struct emit *e, const char *name)
{
	if (e->json) {
		lead(e, name);
		strbuf_addc(e->sb, '[');
	} else {
		strbuf_adds(e->sb, NEW_LINE);
		strbuf_adds(e->sb, name);
		strbuf_addc(e->sb, ':');
	}
	e->break_line = false;
	e->in_list = true;
	e->first = true;
}

void emit_list_end(struct emit *e)
{
	if (e->json)
		strbuf_addc(e->sb, ']');
	else if (e->first)
		strbuf_adds(e->sb, " none");
	e->in_list = false;
	e->first = false;
	e->break_line = true;
}
