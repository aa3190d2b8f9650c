/* SPDX-License-Identifier: MIT */
/* What a frame says when it is pointed at: its <title>, see flamegraph.h. */
#ifndef PERFREP_VIEW_FLAME_TITLE_H
#define PERFREP_VIEW_FLAME_TITLE_H

#include "base/strbuf.h"
#include "view/flame_layout.h"
#include "view/flamegraph.h"

/* A tree that is drawn: the second recording's, or what is only in the first. */
struct flame_panel {
	const struct flame_layout *layout;
	const bool *changed; /* by node; NULL when there is nothing to compare */
	bool gone;
	double left, scale; /* pixels, and pixels by weight */
};

struct flame_escaped { /* a name as it is written */
	size_t at, len; /* in `texts` */
	bool done;
};

struct flame_titles {
	const struct flame_tree *t;
	const struct flamegraph_options *o;
	struct strbuf *out;
	/* private: */
	struct flame_escaped *names; /* by frame */
	struct strbuf texts;
};

/* All that is given is borrowed. */
void flame_titles_init(struct flame_titles *ti, const struct flame_tree *t,
		       const struct flamegraph_options *o, struct strbuf *out);
/* Append the title of box I of P to `out`, escaped. */
void flame_title(struct flame_titles *ti, const struct flame_panel *p, size_t i);
void flame_titles_release(struct flame_titles *ti);

#endif
