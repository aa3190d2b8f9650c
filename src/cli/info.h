/* SPDX-License-Identifier: MIT */
/* perfrep info in its two forms. */
#ifndef PERFREP_CLI_INFO_H
#define PERFREP_CLI_INFO_H

#include "base/strbuf.h"

#include <perfrep/session.h>
#include <perfrep/view.h>

/* Everything about an event's attr, in words. */
void info_attr_text(const struct attr *a, struct strbuf *sb);
void info_build_id_text(const struct build_id *id, struct strbuf *sb);
const char *info_mode(const struct reader *r);

void info_text(const struct session *s, const struct view_style *style, struct strbuf *sb);
struct json_object *info_json(const struct session *s);

#endif
