/* SPDX-License-Identifier: MIT */
/*
 * Fields of tracepoints as what samples are told apart by, and in conditions on them:
 *
 *	--sort=comm,prev_state		--filter='prev_state==1 && next_comm ~ "kworker*"'
 *
 * Names are looked up once for each event; a sample costs a load and a comparison for each.
 */
#ifndef PERFREP_COLLECT_FIELDS_H
#define PERFREP_COLLECT_FIELDS_H

#include "base/strbuf.h"
#include "base/vec.h"
#include "collect/formats.h"

#include <perfrep/session.h>

enum fields_op {
	FIELDS_AND, /* of the two conditions before it; so are OR and NOT (of one) */
	FIELDS_OR,
	FIELDS_NOT,
	FIELDS_EQ,
	FIELDS_NE,
	FIELDS_LT,
	FIELDS_LE,
	FIELDS_GT,
	FIELDS_GE,
	FIELDS_BITS, /* & : some of these bits */
	FIELDS_GLOB, /* ~ : a shell pattern */
};

struct fields_step { /* of a condition in reverse Polish order */
	enum fields_op op;
	uint32_t name; /* in `names`, for a comparison */
	bool is_number;
	uint64_t number;
	char *text; /* the value as it was written */
};

struct fields {
	struct formats formats;
	VEC(char *) names;
	VEC(struct fields_step) steps;
	size_t nr_keys; /* the first of the names: those to sort by */
	const struct tp_field **found; /* [event * names.n + name]; NULL: the event has none */
};

/*
 * Look up what OPTS names in the formats of R.  Fails when the condition makes no sense, or when
 * no event has a field.  Zero-initialised F; release it in any case.
 */
int fields_init(struct fields *f, const struct reader *r, const struct session_options *opts,
		struct err *err);
void fields_release(struct fields *f);

static inline bool fields_are_keys(const struct fields *f)
{
	return f->nr_keys > 0;
}

/* Whether the condition holds; a comparison with a field that the event does not have is false. */
bool fields_accept(const struct fields *f, const struct evsel *evsel, const struct sample *s);
/* Put the sample's values into SB: "prev_state=1, next_comm=cat"; those that it lacks are "-". */
void fields_key(const struct fields *f, const struct evsel *evsel, const struct sample *s,
		struct strbuf *sb);

#endif
