/* SPDX-License-Identifier: MIT */
/*
 * A tree in text: two columns of shares, then the branches.
 *
 *	100.0 %          all of cycles
 *	 99.8 %          main  loadgen
 *	 61.0 %  11.8 %  ├─ book::Book::add
 *	 23.4 %  23.4 %  │  core::hash::sip::Hasher::write (inlined)
 *	 30.0 %   2.0 %  └─ book::Book::match
 *
 * A node with one child does not indent it, so chains go straight down and deep recursion stays
 * on the screen.  The walk has its own stack: a recording may hold chains of any length.
 */
#include "view/tree.h"

#include <stdlib.h>
#include <string.h>

#include "view/colour.h"
#include "view/escape.h"
#include "view/number.h"
#include "view/shorten.h"
#include "view/tree_detail.h"
#include "view/utf8.h"

#define SHARE_WIDTH  8
#define MARGIN_WIDTH 6 /* " ±12.3" */
#define NAME_MIN     20 /* columns that a name gets, however deep it is */

enum place {
	PLACE_CHAIN, /* the only child: below its parent */
	PLACE_BRANCH,
	PLACE_LAST,
};

struct item {
	uint32_t node; /* PROFILE_NONE: a line for those that are not shown */
	enum place place;
	size_t prefix; /* bytes of the guides before its own */
	uint32_t hidden;
	uint64_t hidden_total;
};

struct printer {
	const struct tree *t;
	enum tree_second second;
	bool margins; /* each share has its ± */
	int kinds[RATIO_KINDS + 1]; /* of ratios, each a column */
	unsigned widths[RATIO_KINDS + 1];
	size_t nr_kinds;
	unsigned used; /* columns before the branches */
	const struct view_style *style;
	struct strbuf *sb;
	struct strbuf prefix;
	VEC(struct item) todo;
};

static double share_of(uint64_t v, uint64_t base)
{
	return base ? (double)v / (double)base : 0;
}

static uint64_t base_of(const struct tree *t, uint32_t node)
{
	if (t->opts.type == TREE_FRACTAL && t->nodes[node].parent != PROFILE_NONE)
		return t->nodes[t->nodes[node].parent].total;
	return t->base;
}

static void pad_left(struct strbuf *sb, const struct strbuf *text, unsigned width)
{
	for (unsigned w = utf8_columns(strbuf_str(text), text->n); w < width; w++)
		strbuf_addc(sb, ' ');
}

static void print_value(struct printer *pr, uint64_t v, uint64_t samples, uint64_t base)
{
	const struct profile *p = pr->t->profile;
	const struct profile_event *e = &p->events[pr->t->event];
	double share = share_of(v, base);
	struct strbuf text = STRBUF_INIT;

	if (pr->t->opts.value == TREE_COUNT) {
		number_thousands(&text, samples);
	} else if (pr->t->opts.value == TREE_PERIOD) {
		number_weight(&text, v, e->unit ? profile_str(p, e->unit) : "");
	} else {
		number_percent(&text, share);
		strbuf_adds(&text, " %");
	}
	pad_left(pr->sb, &text, SHARE_WIDTH);
	colour_text(pr->sb, pr->style->colour, colour_of_share(share), strbuf_str(&text));
	strbuf_release(&text);
}

/* " ±0.7", of a share of BASE that N samples tell; blanks where it is not known. */
static void print_margin(struct printer *pr, uint64_t v, uint64_t base, const double *n)
{
	struct strbuf text = STRBUF_INIT;

	if (!pr->margins)
		return;
	if (n) {
		strbuf_adds(&text, " ±");
		number_margin(&text, wilson_margin(share_of(v, base), *n));
	}
	strbuf_adds(pr->sb, strbuf_str(&text));
	pad_left(pr->sb, &text, MARGIN_WIDTH);
	strbuf_release(&text);
}

static void print_first_margin(struct printer *pr, uint32_t node)
{
	const struct tree *t = pr->t;
	const double *n = t->opts.type == TREE_FRACTAL ? tree_effective_of(t, node)
						       : tree_effective(t, node);

	print_margin(pr, t->nodes[node].total, base_of(t, node), n);
}

static void print_ratios(struct printer *pr, uint32_t node)
{
	const struct ratio_row *row = node == PROFILE_NONE ? NULL : tree_ratios(pr->t, node);

	for (size_t i = 0; i < pr->nr_kinds; i++) {
		enum colour colour = COLOUR_NONE;
		struct strbuf text = STRBUF_INIT;

		if (row)
			ratio_text(row, pr->kinds[i], &text, &colour);
		pad_left(pr->sb, &text, pr->widths[i] + 2);
		colour_text(pr->sb, pr->style->colour, colour, strbuf_str(&text));
		strbuf_release(&text);
	}
}

static void print_share(struct printer *pr, uint64_t v, uint64_t base)
{
	struct strbuf text = STRBUF_INIT;

	if (v) {
		number_percent(&text, share_of(v, base));
		strbuf_adds(&text, " %");
	}
	pad_left(pr->sb, &text, SHARE_WIDTH + 1);
	strbuf_adds(pr->sb, strbuf_str(&text));
	strbuf_release(&text);
}

static void print_second(struct printer *pr, uint32_t node)
{
	const struct tree_node *n = &pr->t->nodes[node];

	if (pr->second == TREE_SHOW_SELF)
		print_share(pr, n->self, base_of(pr->t, node));
	if (pr->second != TREE_SHOW_OF_ROOT)
		return;
	print_share(pr, n->total, pr->t->nodes[0].total);
	print_margin(pr, n->total, pr->t->nodes[0].total, tree_effective_of(pr->t, node));
}

/* Columns of the second share, and of its ± where it has one. */
static unsigned second_width(const struct printer *pr)
{
	if (pr->second == TREE_SHOW_NOTHING)
		return 0;
	return SHARE_WIDTH + 1 +
	       (pr->margins && pr->second == TREE_SHOW_OF_ROOT ? MARGIN_WIDTH : 0);
}

static unsigned text_left(const struct printer *pr, unsigned used)
{
	if (!pr->style->width)
		return UINT32_MAX;
	return pr->style->width > used + NAME_MIN ? pr->style->width - used : NAME_MIN;
}

/* The name, shortened to the columns that are left, and the module where it changes. */
static void print_name(struct printer *pr, uint32_t node, unsigned used)
{
	const struct profile *p = pr->t->profile;
	const struct tree_node *n = &pr->t->nodes[node], *parent = &pr->t->nodes[n->parent];
	const struct func *f = &p->funcs[n->func];
	const char *module = f->module ? profile_str(p, f->module) : "";
	bool show = *module &&
		    (parent->func == PROFILE_NONE || p->funcs[parent->func].module != f->module);
	unsigned left = text_left(pr, used);
	struct strbuf name = STRBUF_INIT, tail = STRBUF_INIT;

	escape_terminal(&name, profile_str(p, f->name));
	if (n->inlined)
		strbuf_adds(&name, " (inlined)");
	if (show) {
		strbuf_adds(&tail, "  ");
		escape_terminal(&tail, module);
	}
	/* where there is no room for both the name is worth more */
	if (left - utf8_columns(strbuf_str(&name), name.n) <
		    utf8_columns(strbuf_str(&tail), tail.n) ||
	    left < utf8_columns(strbuf_str(&name), name.n))
		strbuf_clear(&tail);
	colour_on(pr->sb, pr->style->colour && f->flags & LINE_UNKNOWN, COLOUR_WARN);
	shorten_symbol(pr->sb, strbuf_str(&name), left);
	colour_off(pr->sb, pr->style->colour && f->flags & LINE_UNKNOWN, COLOUR_WARN);
	if (tail.n)
		colour_text(pr->sb, pr->style->colour, COLOUR_DIM, strbuf_str(&tail));
	strbuf_addc(pr->sb, '\n');
	strbuf_release(&name);
	strbuf_release(&tail);
}

static void print_hidden(struct printer *pr, const struct item *it)
{
	struct strbuf text = STRBUF_INIT;

	strbuf_addf(&text, "… %u more", it->hidden);
	colour_text(pr->sb, pr->style->colour, COLOUR_DIM, strbuf_str(&text));
	strbuf_addc(pr->sb, '\n');
	strbuf_release(&text);
}

/* Push the children of NODE, whose own guides end at PREFIX, so that the first is done first. */
static void push_children(struct printer *pr, uint32_t node)
{
	const struct tree *t = pr->t;
	struct item rest = { .node = PROFILE_NONE, .place = PLACE_LAST, .prefix = pr->prefix.n };
	size_t first = pr->todo.n, shown = 0;

	if (t->opts.max_depth && tree_depth(t, node) >= t->opts.max_depth)
		return;
	for (uint32_t c = t->nodes[node].first_child; c != PROFILE_NONE; c = t->nodes[c].next) {
		if (tree_visible(t, c) && !(t->opts.limit && shown >= t->opts.limit)) {
			vec_push(&pr->todo, (struct item){ .node = c,
							   .place = PLACE_BRANCH,
							   .prefix = pr->prefix.n });
			shown++;
		} else {
			rest.hidden++;
			rest.hidden_total += t->nodes[c].total;
		}
	}
	if (shown && (double)rest.hidden_total * 100 >= t->opts.threshold * (double)t->base &&
	    rest.hidden) {
		vec_push(&pr->todo, rest);
		shown++;
	}
	if (shown)
		pr->todo.v[pr->todo.n - 1].place = shown == 1 ? PLACE_CHAIN : PLACE_LAST;
	for (size_t i = first, k = pr->todo.n; i + 1 < k; i++, k--) {
		struct item swap = pr->todo.v[i];

		pr->todo.v[i] = pr->todo.v[k - 1];
		pr->todo.v[k - 1] = swap;
	}
}

static void print_item(struct printer *pr, const struct item *it)
{
	static const char *const guide[] = { "", "├─ ", "└─ " };
	static const char *const below[] = { "", "│  ", "   " };
	const struct tree *t = pr->t;
	bool hidden = it->node == PROFILE_NONE;
	unsigned used;

	if (hidden)
		print_value(pr, it->hidden_total, 0, t->base);
	else
		print_value(pr, t->nodes[it->node].total, t->nodes[it->node].total_samples,
			    base_of(t, it->node));
	if (hidden)
		print_margin(pr, 0, 0, NULL);
	else
		print_first_margin(pr, it->node);
	if (hidden)
		strbuf_addf(pr->sb, "%*s", (int)second_width(pr), "");
	else if (!hidden)
		print_second(pr, it->node);
	print_ratios(pr, it->node);
	pr->prefix.n = it->prefix;
	strbuf_adds(pr->sb, "  ");
	strbuf_add(pr->sb, strbuf_str(&pr->prefix), it->prefix);
	strbuf_adds(pr->sb, guide[it->place]);
	used = pr->used + utf8_columns(strbuf_str(&pr->prefix), it->prefix) +
	       (it->place == PLACE_CHAIN ? 0 : 3);
	if (hidden) {
		print_hidden(pr, it);
		return;
	}
	print_name(pr, it->node, used);
	strbuf_adds(&pr->prefix, below[it->place]);
	push_children(pr, it->node);
}

static unsigned width_of_kind(const struct tree *t, int kind)
{
	struct strbuf text = STRBUF_INIT;
	unsigned width = (unsigned)strlen(ratio_header(kind));

	for (size_t i = 0; i < t->detail->nr_rows; i++) {
		enum colour colour;
		unsigned w;

		strbuf_clear(&text);
		ratio_text(&t->detail->ratios[i], kind, &text, &colour);
		w = utf8_columns(strbuf_str(&text), text.n);
		width = w > width ? w : width;
	}
	strbuf_release(&text);
	return width;
}

/* Ratios as long as there is room for names. */
static void choose_columns(struct printer *pr)
{
	const struct tree *t = pr->t;
	const struct tree_detail *d = t->detail;

	pr->margins = d && d->nr_rows && t->opts.value == TREE_PERCENT &&
		      !t->profile->events[t->event].exact;
	pr->used = SHARE_WIDTH + 2 + (pr->margins ? MARGIN_WIDTH : 0) + second_width(pr);
	if (!d || !d->ratios)
		return;
	pr->nr_kinds = ratios_order(&d->shape, pr->kinds);
	for (size_t i = 0; i < pr->nr_kinds; i++) {
		pr->widths[i] = width_of_kind(t, pr->kinds[i]);
		if (pr->style->width &&
		    pr->used + pr->widths[i] + 2 + 2 * NAME_MIN > pr->style->width) {
			pr->nr_kinds = i;
			return;
		}
		pr->used += pr->widths[i] + 2;
	}
}

static void print_head(struct printer *pr, const struct tree_titles *titles)
{
	struct strbuf head = STRBUF_INIT;

	strbuf_addf(&head, "%*s%*s", SHARE_WIDTH, titles->first, pr->margins ? MARGIN_WIDTH : 0,
		    "");
	if (pr->second != TREE_SHOW_NOTHING)
		strbuf_addf(&head, "%*s%*s", SHARE_WIDTH + 1, titles->second,
			    (int)second_width(pr) - SHARE_WIDTH - 1, "");
	for (size_t i = 0; i < pr->nr_kinds; i++)
		strbuf_addf(&head, "%*s", (int)pr->widths[i] + 2, ratio_header(pr->kinds[i]));
	strbuf_addf(&head, "  %s", titles->names);
	colour_text(pr->sb, pr->style->colour, COLOUR_HEADING, strbuf_str(&head));
	strbuf_addc(pr->sb, '\n');
	strbuf_release(&head);
}

/* What of the root is in none of its children. */
static void print_rest(struct printer *pr, const char *text)
{
	const struct tree_node *root = &pr->t->nodes[0];

	print_value(pr, root->self, 0, pr->t->base);
	print_margin(pr, 0, 0, NULL);
	print_share(pr, root->self, root->total);
	if (pr->second == TREE_SHOW_OF_ROOT)
		print_margin(pr, 0, 0, NULL);
	print_ratios(pr, PROFILE_NONE);
	strbuf_adds(pr->sb, "  ");
	colour_text(pr->sb, pr->style->colour, COLOUR_DIM, text);
	strbuf_addc(pr->sb, '\n');
}

void tree_print_nodes(const struct tree *t, enum tree_second what, const struct tree_titles *titles,
		      const struct view_style *style, struct strbuf *sb)
{
	struct printer pr = { .t = t, .second = what, .style = style, .sb = sb };

	choose_columns(&pr);
	print_head(&pr, titles);
	push_children(&pr, 0);
	while (pr.todo.n) {
		struct item it = pr.todo.v[--pr.todo.n];

		print_item(&pr, &it);
	}
	if (titles->rest && t->nodes[0].self)
		print_rest(&pr, titles->rest);
	strbuf_release(&pr.prefix);
	vec_release(&pr.todo);
}

/* ---- chains one after the other ---- */

static int compare_self(const void *va, const void *vb, void *ctx)
{
	const struct tree *t = ctx;
	uint32_t a = *(const uint32_t *)va, b = *(const uint32_t *)vb;

	if (t->nodes[a].self != t->nodes[b].self)
		return t->nodes[a].self < t->nodes[b].self ? 1 : -1;
	return a < b ? -1 : 1;
}

static void print_chain(struct printer *pr, uint32_t node)
{
	const struct tree *t = pr->t;
	const struct profile *p = t->profile;
	bool folded = t->opts.type == TREE_FOLDED;
	unsigned depth = tree_depth(t, node);
	uint32_t *path = xreallocarray(NULL, depth + 1, sizeof(*path));

	for (unsigned i = depth; i-- > 0; node = t->nodes[node].parent)
		path[i] = node;
	strbuf_adds(pr->sb, folded ? " " : "");
	for (unsigned i = 0; i < depth; i++) {
		const struct func *f = &p->funcs[t->nodes[path[i]].func];

		if (folded)
			strbuf_addc(pr->sb, i ? ';' : ' ');
		else
			strbuf_addf(pr->sb, "%*s", i ? SHARE_WIDTH + 2 : 2, "");
		escape_terminal(pr->sb, profile_str(p, f->name));
		strbuf_adds(pr->sb, folded ? "" : "\n");
	}
	strbuf_addc(pr->sb, '\n');
	free(path);
}

static void print_chains(const struct tree *t, const struct view_style *style, struct strbuf *sb)
{
	struct printer pr = { .t = t, .style = style, .sb = sb };
	uint32_t *list = xreallocarray(NULL, t->n, sizeof(*list));
	size_t n = 0;

	for (uint32_t i = 1; i < t->n; i++)
		if (t->nodes[i].self &&
		    (double)t->nodes[i].self * 100 >= t->opts.threshold * (double)t->base)
			list[n++] = i;
	qsort_r(list, n, sizeof(*list), compare_self, (void *)t);
	for (size_t i = 0; i < n && !(t->opts.limit && i >= t->opts.limit); i++) {
		print_value(&pr, t->nodes[list[i]].self, 0, t->base);
		print_chain(&pr, list[i]);
	}
	free(list);
}

void tree_print(const struct tree *t, const struct view_style *style, struct strbuf *sb)
{
	const struct tree_titles titles = {
		.first = "total",
		.second = "self",
		.names = t->opts.callees ? "function, below it its callers" : "call tree",
	};
	struct view_style plain = *style;

	if (style->format == VIEW_MARKDOWN) {
		plain.colour = false;
		plain.width = 0;
		strbuf_adds(sb, "```\n");
	}
	if (t->opts.type == TREE_GRAPH || t->opts.type == TREE_FRACTAL) {
		tree_print_nodes(t, t->opts.callees ? TREE_SHOW_NOTHING : TREE_SHOW_SELF, &titles,
				 &plain, sb);
		if (t->detail && t->detail->ratios)
			ratios_note(&t->detail->shape, &plain, sb);
	} else if (t->opts.type != TREE_NONE) {
		print_chains(t, &plain, sb);
	}
	if (style->format == VIEW_MARKDOWN)
		strbuf_adds(sb, "```\n");
}
