/* SPDX-License-Identifier: MIT */
/* The fields of tracepoints, and the text that their print formats make, for dump. */
#ifndef PERFREP_CLI_DUMP_FIELDS_H
#define PERFREP_CLI_DUMP_FIELDS_H

#include "cli/dump_emit.h"
#include "collect/formats.h"

/*
 * Nothing, when the sample is not one of a tracepoint whose format R has; F keeps the formats, with
 * TP_PRINTABLE.
 */
void emit_fields(struct emit *e, struct formats *f, const struct reader *r,
		 const struct evsel *evsel, const struct sample *s);

#endif
