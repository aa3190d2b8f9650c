/* SPDX-License-Identifier: MIT */
/* A name is escaped once, however many frames have it. */
#include "view/flame_title.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <perfrep/statistics.h>

#include "base/xmalloc.h"
#include "view/escape.h"
#include "view/flame_compare.h"
#include "view/flame_number.h"
#include "view/number.h"

static void add_name(struct flame_titles *ti, uint32_t frame)
{
	struct flame_escaped *e = &ti->names[frame];

	if (!e->done) {
		const struct flame_frame *f = &ti->t->frames.v[frame];
		struct strbuf name = STRBUF_INIT;

		strbuf_add(&name, intern_str(&ti->t->names, f->name), flame_name_len(ti->t, f));
		e->at = ti->texts.n;
		escape_xml(&ti->texts, strbuf_str(&name));
		e->len = ti->texts.n - e->at;
		e->done = true;
		strbuf_release(&name);
	}
	strbuf_add(ti->out, strbuf_str(&ti->texts) + e->at, e->len);
}

/* The first separator ends the line of the name. */
static void add_part(struct strbuf *out, bool *first)
{
	strbuf_adds(out, *first ? "\n" : ", ");
	*first = false;
}

static void add_kind(struct flame_titles *ti, uint32_t node, bool *first)
{
	const struct flame_frame *f = flame_frame_of(ti->t, node);

	if (f->module) {
		add_part(ti->out, first);
		escape_xml(ti->out, intern_str(&ti->t->names, f->module));
	}
	if (ti->t->nodes.v[node].inlined) {
		add_part(ti->out, first);
		strbuf_adds(ti->out, "inlined");
	}
}

/* What ends in the frame itself, unless that is all or nothing. */
static void add_self(struct flame_titles *ti, unsigned side, uint32_t node, bool *first)
{
	const struct flame_side *s = &ti->t->side[side];
	uint64_t total = flame_cost(ti->t, side, node).weight, self = total;
	uint32_t c = ti->t->nodes.v[node].child;

	for (; c != PROFILE_NONE; c = ti->t->nodes.v[c].next)
		self -= flame_cost(ti->t, side, c).weight;
	if (!self || self == total)
		return;
	add_part(ti->out, first);
	strbuf_adds(ti->out, "self ");
	flame_share(ti->out, flame_share_of(s, self));
}

static void add_change(struct flame_titles *ti, uint32_t node, bool significant, bool *first)
{
	struct flame_change c = flame_change(ti->t, node);

	add_part(ti->out, first);
	if (c.before > 0) {
		strbuf_adds(ti->out, "before ");
		flame_share(ti->out, c.before);
	} else {
		strbuf_adds(ti->out, "new");
	}
	strbuf_adds(ti->out, c.delta < 0 ? ": −" : ": +");
	flame_hundredths(ti->out, (uint64_t)lround(fabs(c.delta) * 10000));
	strbuf_adds(ti->out, " points");
	if (ti->o->margins)
		flame_margin(ti->out, c.half);
	if (!significant)
		strbuf_adds(ti->out, ", within noise");
}

static void add_weight(struct flame_titles *ti, uint64_t weight)
{
	strbuf_adds(ti->out, ", ");
	if (!strcmp(ti->o->unit, "ns")) {
		flame_decimal(ti->out, (weight + 500) / 1000, 3);
		strbuf_adds(ti->out, " ms");
		return;
	}
	number_thousands(ti->out, weight);
	strbuf_addc(ti->out, ' ');
	escape_xml(ti->out, ti->o->unit);
}

void flame_title(struct flame_titles *ti, const struct flame_panel *p, size_t i)
{
	const struct flame_box *box = &p->layout->boxes.v[i];
	const struct flame_side *s = &ti->t->side[!p->gone];
	struct flame_cost cost = flame_cost(ti->t, !p->gone, box->node);
	double share = flame_share_of(s, box->width);
	bool first = true;

	if (p->gone && !i)
		strbuf_adds(ti->out, "gone");
	else
		add_name(ti, ti->t->nodes.v[box->node].frame);
	strbuf_adds(ti->out, " (");
	/* what has gone below a caller is a part of its samples */
	if (!p->gone || flame_is_gone(ti->t, box->node)) {
		number_thousands(ti->out, cost.samples);
		strbuf_addc(ti->out, ' ');
		escape_xml(ti->out, ti->o->count_name);
		if (ti->o->unit)
			add_weight(ti, cost.weight);
		strbuf_adds(ti->out, ", ");
	}
	flame_share(ti->out, share);
	if (ti->o->margins && share < 1)
		flame_margin(ti->out,
			     wilson_margin(share, flame_effective(ti->t, !p->gone, box->node)));
	strbuf_addc(ti->out, ')');
	add_kind(ti, box->node, &first);
	if (p->gone && !flame_is_gone(ti->t, box->node)) {
		strbuf_adds(ti->out, "\nof the first recording has gone from here");
		return;
	}
	if (!ti->o->chart)
		add_self(ti, !p->gone, box->node, &first);
	if (p->gone)
		strbuf_adds(ti->out, "\nin the first recording, none in the second");
	else if (p->changed && i)
		add_change(ti, box->node, p->changed[box->node], &first);
}

void flame_titles_init(struct flame_titles *ti, const struct flame_tree *t,
		       const struct flamegraph_options *o, struct strbuf *out)
{
	*ti = (struct flame_titles){ .t = t, .o = o, .out = out };
	ti->names = xcalloc(t->frames.n, sizeof(*ti->names));
}

void flame_titles_release(struct flame_titles *ti)
{
	free(ti->names);
	strbuf_release(&ti->texts);
}
