/* SPDX-License-Identifier: MIT */
/*
 * Writing the SVG.  Numbers are written digit by digit, and a name is escaped once however many
 * frames have it (flame_title.c), so the time goes into the tree, not into the text.
 *
 * A comparison has two panels side by side on one scale: all of the second recording, and what is
 * only in the first.
 */
#include "view/flamegraph.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/strbuf.h"
#include "view/escape.h"
#include "view/flame_compare.h"
#include "view/flame_label.h"
#include "view/flame_layout.h"
#include "view/flame_number.h"
#include "view/flame_title.h"
#include "view/flamegraph_text.h"
#include "view/number.h"

enum {
	PAD = 10, /* left and right */
	TOP = 54,
	BOTTOM = 46,
	FLUSH = 256 * 1024,
};

/* Of the labels' font, in shares of its size. */
#define COLUMN_WIDTH 7.3

struct writer {
	const struct flame_tree *t;
	const struct flamegraph_options *o;
	enum flame_palette palette;
	unsigned width, height, frame_height, depth;
	double column, largest; /* of all changes */
	struct flame_panel panels[2];
	size_t nr_panels;
	bool used[HUE_MAX];
	struct flame_titles titles;
	struct strbuf out;
	flamegraph_sink *sink;
	void *ctx;
	int failed;
};

/* ---- colours ----------------------------------------------------------------------------- */

static unsigned magnitude(const struct writer *w, double delta)
{
	double share = w->largest > 0 ? sqrt(fabs(delta) / w->largest) : 0;
	unsigned shade = (unsigned)(share * FLAME_SHADES);

	return shade < FLAME_SHADES ? shade : FLAME_SHADES - 1;
}

static enum flame_hue hue_of(const struct writer *w, const struct flame_panel *p, size_t i,
			     unsigned *shade)
{
	uint32_t node = p->layout->boxes.v[i].node;
	struct flame_change c;

	*shade = flame_palette_shade(w->t, node);
	if (p->gone)
		return flame_is_gone(w->t, node) ? HUE_GONE : HUE_AROUND;
	if (!p->changed)
		return flame_palette_hue(w->palette, w->t, node);
	if (!p->changed[node])
		return HUE_SAME;
	c = flame_change(w->t, node);
	if (!(c.before > 0))
		return HUE_NEW;
	*shade = magnitude(w, c.delta);
	return c.delta > 0 ? HUE_SLOWER : HUE_FASTER;
}

static void find_hues(struct writer *w)
{
	unsigned shade;

	for (size_t k = 0; k < w->nr_panels; k++) {
		const struct flame_panel *p = &w->panels[k];

		for (size_t i = 0; i < p->layout->boxes.n; i++) {
			uint32_t node = p->layout->boxes.v[i].node;
			double delta = p->changed ? fabs(flame_change(w->t, node).delta) : 0;

			w->used[hue_of(w, p, i, &shade)] = true;
			if (delta > w->largest)
				w->largest = delta;
		}
	}
}

/* ---- the picture ------------------------------------------------------------------------- */

static unsigned box_y(const struct writer *w, const struct flame_box *box)
{
	unsigned row = w->o->inverted ? box->depth : w->depth - box->depth;

	return TOP + row * w->frame_height;
}

static void flush(struct writer *w)
{
	if (!w->failed && w->out.n)
		w->failed = w->sink(w->ctx, w->out.s, w->out.n);
	strbuf_clear(&w->out);
}

static void add_attribute(struct strbuf *sb, const char *name, uint64_t v, unsigned digits)
{
	strbuf_adds(sb, name);
	flame_decimal(sb, v, digits);
	strbuf_addc(sb, '"');
}

/* The box of a thread: what is above it, up to the next one, is its. */
static bool is_lane(const struct writer *w, const struct flame_box *box)
{
	return w->o->chart && box->node && !w->t->nodes.v[box->node].parent;
}

/* Both ends are rounded, not the width, so neighbours neither overlap nor part. */
static void add_rect(struct writer *w, const struct flame_panel *p, size_t i)
{
	const struct flame_box *box = &p->layout->boxes.v[i];
	uint64_t from = flame_thousandths(p->left + (double)box->x * p->scale);
	uint64_t to = flame_thousandths(p->left + (double)(box->x + box->width) * p->scale);
	unsigned shade;
	char class[2] = { flame_hue_letter(hue_of(w, p, i, &shade)), 0 };

	class[1] = (char)('0' + shade);
	add_attribute(&w->out, "<rect x=\"", from, 3);
	add_attribute(&w->out, " y=\"", box_y(w, box), 0);
	add_attribute(&w->out, " width=\"", to - from, 3);
	add_attribute(&w->out, " height=\"", w->frame_height - 1, 0);
	strbuf_adds(&w->out, " class=\"");
	strbuf_add(&w->out, class, 2);
	strbuf_adds(&w->out, to - from >= 3000 ? " w" : "");
	strbuf_adds(&w->out, is_lane(w, box) ? " l\"><title>" : "\"><title>");
	flame_title(&w->titles, p, i);
	strbuf_adds(&w->out, "</title></rect\n>");
	if (w->out.n > FLUSH)
		flush(w);
}

static void add_label(struct writer *w, const struct flame_panel *p, size_t i)
{
	const struct flame_box *box = &p->layout->boxes.v[i];
	const struct flame_frame *f = flame_frame_of(w->t, box->node);
	double from = p->left + (double)box->x * p->scale;
	double room = floor(((double)box->width * p->scale - 6) / w->column);
	struct strbuf name = STRBUF_INIT, label = STRBUF_INIT;

	if (room < 3)
		return;
	if (p->gone && !i)
		strbuf_adds(&name, "gone");
	else
		strbuf_add(&name, intern_str(&w->t->names, f->name), flame_name_len(w->t, f));
	flame_label(&label, strbuf_str(&name), name.n, (unsigned)room);
	add_attribute(&w->out, "<text x=\"", flame_thousandths(from + 3) / 100, 1);
	add_attribute(&w->out, " y=\"", box_y(w, box) * 10 + w->frame_height * 10 - 45, 1);
	strbuf_addc(&w->out, '>');
	escape_xml(&w->out, strbuf_str(&label));
	strbuf_adds(&w->out, "</text>\n");
	strbuf_release(&name);
	strbuf_release(&label);
}

static void add_frames(struct writer *w)
{
	strbuf_adds(&w->out, "<g clip-path=\"url(#clip)\"><g id=\"f\">\n");
	for (size_t k = 0; k < w->nr_panels; k++)
		for (size_t i = 0; i < w->panels[k].layout->boxes.n; i++)
			add_rect(w, &w->panels[k], i);
	strbuf_adds(&w->out, "</g></g>\n<g id=\"t\">\n");
	for (size_t k = 0; k < w->nr_panels; k++)
		for (size_t i = 0; i < w->panels[k].layout->boxes.n; i++)
			add_label(w, &w->panels[k], i);
	strbuf_adds(&w->out, "</g>\n");
}

/* What colours mean, at the lower left. */
static void add_legend(struct writer *w)
{
	unsigned x = PAD, y = w->height - 9;

	for (int hue = 0; hue < HUE_MAX; hue++) {
		const char *meaning = flame_hue_meaning(w->palette, (enum flame_hue)hue);

		if (!w->used[hue] || !meaning)
			continue;
		strbuf_addf(&w->out,
			    "<rect x=\"%u\" y=\"%u\" width=\"11\" height=\"11\" class=\"%c6 box\"/>"
			    "<text x=\"%u\" y=\"%u\" class=\"key\">%s</text>\n",
			    x, y - 10, flame_hue_letter((enum flame_hue)hue), x + 15, y, meaning);
		x += 15 + 7 * (unsigned)strlen(meaning) + 16;
	}
}

static void add_subtitle(struct writer *w, const struct flamegraph_stats *stats)
{
	escape_xml(&w->out, w->o->subtitle);
	if (stats->few > 0) {
		strbuf_adds(&w->out, *w->o->subtitle ? " · " : "");
		flame_share(&w->out, stats->few);
		strbuf_adds(&w->out, " of before is not in after, on paths with too few samples");
	}
	if (!stats->left_out)
		return;
	strbuf_adds(&w->out, *w->o->subtitle ? " · " : "");
	number_thousands(&w->out, stats->left_out);
	strbuf_adds(&w->out, " of ");
	number_thousands(&w->out, stats->drawn + stats->left_out);
	strbuf_addf(&w->out, " frames are narrower than %g%s: not shown, not searched",
		    w->o->min_width, w->o->min_percent ? "%" : " px");
}

static void add_bars(struct writer *w, const struct flamegraph_stats *stats)
{
	strbuf_addf(&w->out,
		    "<g id=\"head\" class=\"bar\"><rect width=\"%u\" height=\"%d\"/>"
		    "<text id=\"title\" x=\"%u\" y=\"24\">",
		    w->width, TOP - 4, w->width / 2);
	escape_xml(&w->out, w->o->title);
	strbuf_addf(&w->out, "</text>\n<text id=\"sub\" x=\"%u\" y=\"42\">", w->width / 2);
	add_subtitle(w, stats);
	strbuf_addf(&w->out,
		    "</text></g>\n<g id=\"foot\" class=\"bar\"><rect y=\"%u\" width=\"%u\" "
		    "height=\"%d\"/><text id=\"details\" x=\"%d\" y=\"%u\"></text>"
		    "<text id=\"matched\" x=\"%u\" y=\"%u\" class=\"screen\"></text>\n",
		    w->height - BOTTOM + 4, w->width, BOTTOM - 4, PAD, w->height - 28,
		    w->width - PAD, w->height - 9);
	add_legend(w);
	strbuf_adds(&w->out, "</g>\n");
}

static void add_head(struct writer *w)
{
	strbuf_addf(&w->out,
		    "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
		    "<svg xmlns=\"http://www.w3.org/2000/svg\" version=\"1.1\" width=\"%u\" "
		    "height=\"%u\" viewBox=\"0 0 %u %u\" data-view=\"%u %u %d %d %d\" "
		    "data-share=\"%.9g\">\n<title>",
		    w->width, w->height, w->width, w->height, w->width, w->frame_height, TOP,
		    !w->o->inverted, !w->o->width,
		    flame_share_of(&w->t->side[1], w->panels[0].layout->boxes.v[0].width));
	escape_xml(&w->out, w->o->title);
	strbuf_adds(&w->out, "</title>\n<style>\n");
	strbuf_adds(&w->out, flamegraph_css);
	flame_palette_css(&w->out, w->used);
	strbuf_addf(&w->out,
		    "</style>\n<clipPath id=\"clip\"><rect x=\"%d\" y=\"0\" width=\"%u\" "
		    "height=\"%u\"/></clipPath>\n",
		    PAD, w->width - 2 * PAD, w->height);
}

static void write_all(struct writer *w, const struct flamegraph_stats *stats)
{
	add_head(w);
	add_frames(w);
	add_bars(w, stats);
	strbuf_adds(&w->out, "<script><![CDATA[\n");
	strbuf_adds(&w->out, flamegraph_js);
	strbuf_adds(&w->out, "]]></script>\n</svg>\n");
	flush(w);
}

/* ---- layout ------------------------------------------------------------------------------ */

static uint64_t *weights_of(const struct flame_tree *t, unsigned side)
{
	uint64_t *v = xcalloc(t->nodes.n, sizeof(*v));

	for (size_t i = 0; i < t->nodes.n; i++)
		v[i] = flame_cost(t, side, (uint32_t)i).weight;
	return v;
}

static void set_size(struct writer *w)
{
	w->width = w->o->width ? w->o->width : FLAMEGRAPH_WIDTH;
	w->frame_height = w->o->frame_height ? w->o->frame_height : 16;
	for (size_t k = 0; k < w->nr_panels; k++)
		if (w->panels[k].layout->depth > w->depth)
			w->depth = w->panels[k].layout->depth;
	w->height = TOP + (w->depth + 1) * w->frame_height + BOTTOM;
}

/* The least weight that is drawn on a panel which is PIXELS wide. */
static double least(const struct flamegraph_options *o, uint64_t weight, double pixels)
{
	if (o->min_percent)
		return o->min_width / 100 * (double)weight;
	return pixels > 0 && weight ? o->min_width / (pixels / (double)weight) : 0;
}

static double whole_width(const struct flamegraph_options *o)
{
	return (o->width ? o->width : FLAMEGRAPH_WIDTH) - 2 * PAD;
}

double flamegraph_least(const struct flamegraph_options *opts, uint64_t weight)
{
	return least(opts, weight, whole_width(opts));
}

/* The width of the panel of what has gone, so that shares of both panels are as wide. */
static double gone_width(const struct flame_tree *t, uint64_t gone, double room)
{
	double share = flame_share_of(&t->side[0], gone);
	double all = flame_share_of(&t->side[1], flame_cost(t, 1, 0).weight);

	return share > 0 ? room * share / (share + all) : 0;
}

int flamegraph_write(const struct flame_tree *t, const struct flamegraph_options *opts,
		     struct flamegraph_stats *stats, flamegraph_sink *sink, void *ctx)
{
	struct writer w = { .t = t, .o = opts, .sink = sink, .ctx = ctx, .nr_panels = 1 };
	uint64_t *weight = weights_of(t, 1);
	double room = whole_width(opts), right = 0;
	struct flame_layout layout = { 0 }, gone_layout = { 0 };
	const struct flame_layout *drawn = opts->chart ? &opts->chart->layout : &layout;
	struct flame_verdicts verdicts = { 0 };

	if (opts->compare) {
		flame_verdicts_init(&verdicts, t);
		right = gone_width(t, verdicts.gone[0], room - 2 * PAD);
		room -= right > 0 ? right + 2 * PAD : 0;
	}
	if (!opts->chart)
		flame_layout_init(&layout, t, weight, least(opts, weight[0], room));
	w.panels[0] = (struct flame_panel){ drawn, verdicts.changed, false, PAD,
					    weight[0] ? room / (double)weight[0] : 0 };
	if (right > 0) {
		flame_layout_init(&gone_layout, t, verdicts.gone,
				  least(opts, verdicts.gone[0], right));
		w.panels[w.nr_panels++] = (struct flame_panel){ &gone_layout, NULL, true,
								room + 3 * PAD,
								right / (double)verdicts.gone[0] };
	}
	stats->drawn = drawn->boxes.n + gone_layout.boxes.n;
	stats->few = flame_share_of(&t->side[0], verdicts.few);
	stats->left_out = drawn->left_out + gone_layout.left_out;
	w.palette = opts->palette;
	if (w.palette == PALETTE_AUTO)
		w.palette = flame_palette_has_kinds(t) ? PALETTE_KIND : PALETTE_HOT;
	w.column = COLUMN_WIDTH;
	flame_titles_init(&w.titles, t, opts, &w.out);
	set_size(&w);
	find_hues(&w);
	write_all(&w, stats);
	flame_titles_release(&w.titles);
	free(weight);
	flame_verdicts_release(&verdicts);
	strbuf_release(&w.out);
	flame_layout_release(&layout);
	flame_layout_release(&gone_layout);
	return w.failed;
}
