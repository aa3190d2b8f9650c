/* SPDX-License-Identifier: MIT */
/*
 * One description of a record, two forms: fields as name=value on a line for eyes, or one JSON
 * object a line.  Whoever decodes a record says its fields and does not know which form it is.
 */
#ifndef PERFREP_CLI_DUMP_EMIT_H
#define PERFREP_CLI_DUMP_EMIT_H

#include <stdbool.h>

#include "base/strbuf.h"

#include <perfrep/record.h>
#include <perfrep/sample.h>

struct emit {
	struct strbuf *sb;
	bool json;
	bool in_list;
	bool first; /* in the list or object */
	bool break_line; /* text: a list ended, what follows goes on a line of its own */
};

void emit_uint(struct emit *e, const char *name, uint64_t v);
void emit_int(struct emit *e, const char *name, int64_t v);
void emit_real(struct emit *e, const char *name, double v);
void emit_bool(struct emit *e, const char *name, bool v);
/* An address, mask or other number that is read in hexadecimal; a plain number in JSON. */
void emit_hex(struct emit *e, const char *name, uint64_t v);
void emit_text(struct emit *e, const char *name, const char *s); /* NULL: left out */
/* LEN bytes as hexadecimal digits; at most the first 256, with an ellipsis. */
void emit_bytes(struct emit *e, const char *name, const uint8_t *p, uint64_t len);
/* A list: in text on a line of its own.  Items have no name. */
void emit_list(struct emit *e, const char *name);
void emit_list_end(struct emit *e);

/* The fields of a decoded body (record_decode() gave 0) and of a sample. */
void emit_body(struct emit *e, const struct record *rec, const struct record_body *body);
void emit_sample(struct emit *e, const struct sample *s);

#endif
