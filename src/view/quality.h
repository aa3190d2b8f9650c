/* SPDX-License-Identifier: MIT */
#ifndef PERFREP_VIEW_QUALITY_H
#define PERFREP_VIEW_QUALITY_H

#include <perfrep/view.h>

#include "base/strbuf.h"

/* "frame pointers", "DWARF stack dumps" …: how stacks were recorded. */
const char *quality_stacks_text(enum view_stacks stacks);
/* The lines "stacks …", "names …", "few …", with what repairs each; one line if all is well. */
void quality_print(const struct view_recording *rec, const struct view_quality *q,
		   const struct view_style *style, struct strbuf *sb);
struct json_object *quality_json(const struct view_recording *rec, const struct view_quality *q);

#endif
