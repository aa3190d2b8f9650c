/* SPDX-License-Identifier: MIT */
/* The fields of tracepoints, and the text that their print formats make, for dump. */
#ifndef PERFREP_CLI_DUMP_FIELDS_H
#define PERFREP_CLI_DUMP_FIELDS_H

#include "cli/dump_emit.h"
#include "collect/formats.h"
#include "collect/kernel_names.h"

struct dump_fields {
	const char
		*path; /* of the recording, to look for its kernel; NULL: it can't be read again */
	struct objfile_search where;
	/* private: */
	struct formats formats;
	struct kernel_names *names;
	bool opened;
};

/* The rest of F is zero. */
void dump_fields_init(struct dump_fields *f, const char *path, const struct objfile_search *where);
void dump_fields_release(struct dump_fields *f);
/* Nothing, when the sample is not one of a tracepoint whose format R has. */
void emit_fields(struct emit *e, struct dump_fields *f, const struct reader *r,
		 const struct evsel *evsel, const struct sample *s);

#endif
