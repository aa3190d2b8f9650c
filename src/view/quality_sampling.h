/* SPDX-License-Identifier: MIT */
/* The part of an event's quality that is about how its samples were taken. */
#ifndef PERFREP_VIEW_QUALITY_SAMPLING_H
#define PERFREP_VIEW_QUALITY_SAMPLING_H

#include <stdbool.h>

#include <perfrep/view.h>

#include "base/strbuf.h"

struct json_object;

struct finding {
	struct strbuf text;
	bool bad;
};

/* Where a further sentence goes. */
static inline struct strbuf *finding_add(struct finding *f)
{
	strbuf_adds(&f->text, f->text.n ? "; " : "");
	return &f->text;
}

/* … of a finding that is not good news. */
static inline struct strbuf *finding_complain(struct finding *f)
{
	f->bad = true;
	return finding_add(f);
}

void quality_sampling(const struct view_quality *q, struct finding *f);
struct json_object *quality_sampling_json(const struct view_quality *q);

#endif
