/* SPDX-License-Identifier: MIT */
/* The fields of tracepoints, and the text that their print formats make, for dump. */
#ifndef PERFREP_CLI_DUMP_FIELDS_H
#define PERFREP_CLI_DUMP_FIELDS_H

#include "cli/dump_emit.h"

#include <perfrep/reader.h>
#include <perfrep/tracepoint.h>

/* Zero-initialised is ready. */
struct dump_fields {
	struct tracepoints *tracepoints; /* NULL: not read yet, or there are none */
	bool tried;
};

/* Nothing, when the sample is not one of a tracepoint whose format R has. */
void emit_fields(struct emit *e, struct dump_fields *f, const struct reader *r,
		 const struct evsel *evsel, const struct sample *s);
void dump_fields_release(struct dump_fields *f);

#endif
