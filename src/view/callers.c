/* SPDX-License-Identifier: MIT */
/*
 * Who calls one function, and what it calls.
 *
 * With recursion a function is on a stack more than once, but the stack's weight must count once:
 * its caller is the frame outside of the outermost occurrence, its callee the frame inside of the
 * innermost.  What lies between is the recursion, and its weight is told.
 */
#include <perfrep/statistics.h>
#include <perfrep/view.h>

#include <stdlib.h>
#include <string.h>

#include "view/colour.h"
#include "view/escape.h"
#include "view/json.h"
#include "view/number.h"
#include "view/tree.h"
#include "view/tree_detail.h"

/* ---- which function ---- */

struct chosen {
	uint8_t *is; /* by profile.funcs */
	uint32_t *funcs;
	size_t n;
};

/* Functions that occur in the event. */
static uint8_t *occurring(const struct profile *p, uint32_t event)
{
	uint8_t *yes = xcalloc(p->nr_funcs + 1, 1);
	struct walk w;

	walk_init(&w, p, event);
	while (walk_next(&w)) {
		size_t n;
		const struct line *lines = walk_lines(&w, w.node, &n);

		for (size_t i = 0; i < n; i++)
			yes[lines[i].func] = 1;
	}
	walk_release(&w);
	return yes;
}

static void choose_exact(struct chosen *c, const struct profile *p, const char *name)
{
	for (uint32_t f = 0; f < p->nr_funcs; f++)
		if (c->is[f] && !strcmp(profile_str(p, p->funcs[f].name), name))
			c->funcs[c->n++] = f;
}

/* By a part of the name; *SEVERAL when those that have it have different names. */
static void choose_part(struct chosen *c, const struct profile *p, const char *part, bool *several)
{
	*several = false;
	for (uint32_t f = 0; f < p->nr_funcs; f++) {
		if (!c->is[f] || !strstr(profile_str(p, p->funcs[f].name), part))
			continue;
		if (c->n && p->funcs[c->funcs[0]].name != p->funcs[f].name)
			*several = true;
		c->funcs[c->n++] = f;
	}
}

static int refuse_several(const struct chosen *c, const struct profile *p, const char *part,
			  struct err *err)
{
	struct strbuf names = STRBUF_INIT;
	size_t shown = 0;
	int r;

	for (size_t i = 0; i < c->n && shown < 5; i++, shown++)
		strbuf_addf(&names, "%s%s", i ? ", " : "",
			    profile_str(p, p->funcs[c->funcs[i]].name));
	if (c->n > shown)
		strbuf_addf(&names, " and %zu more", c->n - shown);
	r = err_set(err, ERR_NOT_FOUND,
		    "No function is called \"%s\"; it is part of the names of %s.", part,
		    strbuf_str(&names));
	strbuf_release(&names);
	return r;
}

static int choose(struct chosen *c, const struct profile *p, uint32_t event, const char *name,
		  struct err *err)
{
	bool several = false;
	int r = 0;

	*c = (struct chosen){ .is = occurring(p, event) };
	c->funcs = xreallocarray(NULL, p->nr_funcs + 1, sizeof(*c->funcs));
	choose_exact(c, p, name);
	if (!c->n)
		choose_part(c, p, name, &several);
	if (several)
		r = refuse_several(c, p, name, err);
	else if (!c->n)
		r = err_set(err, ERR_NOT_FOUND, "No function of %s has \"%s\" in its name.",
			    profile_str(p, p->events[event].name), name);
	memset(c->is, 0, p->nr_funcs + 1);
	for (size_t i = 0; i < c->n; i++)
		c->is[c->funcs[i]] = 1;
	if (r < 0)
		free(c->funcs);
	if (r < 0)
		free(c->is);
	return r;
}

/* ---- building ---- */

struct build {
	struct callers *c;
	const struct chosen *chosen;
	struct walk walk;
	struct path path;
	VEC(size_t) places; /* in the path, of the function, outermost first */
	struct tree_builder above, below;
};

static uint64_t weigh(const struct build *b, uint64_t weight, uint64_t samples)
{
	return b->c->by_count ? samples : weight;
}

/* The outermost occurrence, at PLACE, with all that is below it. */
static void add_above(struct build *b, size_t place, uint64_t total, uint64_t samples)
{
	uint32_t at = 0;

	tree_add(&b->above, 0, total, samples, 0);
	for (size_t i = place; i-- > 0;)
		at = tree_pass(&b->above, at, b->path.frames.v[i], total, samples);
	tree_add(&b->above, at, 0, 0, total);
	b->c->total += total;
	b->c->total_samples += samples;
}

/* A stack that ends here, below the innermost occurrence. */
static void add_below(struct build *b, uint64_t total, uint64_t samples)
{
	size_t place = b->places.v[b->places.n - 1];
	uint32_t at = 0;

	tree_add(&b->below, 0, total, samples, 0);
	for (size_t i = place + 1; i < b->path.frames.n; i++)
		at = tree_pass(&b->below, at, b->path.frames.v[i], total, samples);
	tree_add(&b->below, at, 0, 0, total);
	if (!at)
		b->c->self += total;
	if (b->places.n > 1)
		b->c->recursive += total;
}

static void enter(struct build *b)
{
	uint32_t node = b->walk.node;
	size_t before = b->path.frames.n;
	uint64_t self_samples = walk_self_samples(&b->walk, node);
	uint64_t self = weigh(b, walk_self(&b->walk, node), self_samples);

	path_step(&b->path, &b->walk);
	for (size_t i = before; i < b->path.frames.n; i++) {
		if (!b->chosen->is[b->path.frames.v[i].func])
			continue;
		if (!b->places.n)
			add_above(b, i, weigh(b, b->walk.weight[node], b->walk.samples[node]),
				  b->walk.samples[node]);
		vec_push(&b->places, i);
	}
	if (b->places.n && (self || self_samples))
		add_below(b, self, self_samples);
}

static void leave(struct build *b)
{
	path_step(&b->path, &b->walk);
	while (b->places.n && b->places.v[b->places.n - 1] >= b->path.frames.n)
		b->places.n--;
}

static void init_tree(struct tree *t, const struct callers *c, const struct tree_options *opts)
{
	*t = (struct tree){
		.profile = c->profile, .event = c->event, .opts = *opts, .base = c->base
	};
}

int callers_build(struct callers *c, const struct profile *p, uint32_t event, const char *function,
		  const struct tree_options *opts, struct err *err)
{
	const struct profile_event *e = &p->events[event];
	struct chosen chosen;
	struct build b = { .c = c, .chosen = &chosen };
	int r = choose(&chosen, p, event, function, err);

	if (r < 0)
		return r;
	*c = (struct callers){ .profile = p, .event = event, .by_count = opts->by_count };
	c->base = opts->by_count ? e->samples : e->weight;
	c->samples = opts->by_count ? (double)e->samples : profile_effective_samples(e);
	c->funcs = chosen.funcs;
	c->nr_funcs = chosen.n;
	init_tree(&c->above, c, opts);
	init_tree(&c->below, c, opts);
	tree_builder_init(&b.above, &c->above);
	tree_builder_init(&b.below, &c->below);
	walk_init(&b.walk, p, event);
	while (walk_next(&b.walk)) {
		if (b.walk.entering)
			enter(&b);
		else
			leave(&b);
	}
	tree_builder_finish(&b.above);
	tree_builder_finish(&b.below);
	walk_release(&b.walk);
	path_release(&b.path);
	vec_release(&b.places);
	free(chosen.is);
	return 0;
}

void callers_release(struct callers *c)
{
	free(c->funcs);
	free(c->detail);
	tree_release(&c->above);
	tree_release(&c->below);
	memset(c, 0, sizeof(*c));
}

/* ---- printing ---- */

static double share(const struct callers *c, uint64_t v)
{
	return c->base ? (double)v / (double)c->base : 0;
}

static void add_share(struct strbuf *sb, const struct callers *c, uint64_t v, double n)
{
	number_percent(sb, share(c, v));
	strbuf_adds(sb, " % ±");
	number_margin(sb, wilson_margin(share(c, v), n));
}

static double total_n(const struct callers *c)
{
	return c->detail ? c->detail->total_n : c->samples;
}

static double self_n(const struct callers *c)
{
	return c->detail ? c->detail->self_n : c->samples;
}

/* "   self IPC 0.61 ±0.02 · LLC MPKI 6.10 ±0.30 · bound by memory" */
static void print_ratios(const struct callers *c, const struct ratio_row *row, const char *what,
			 struct strbuf *sb)
{
	int kinds[RATIO_KINDS + 1];
	size_t n = ratios_order(&c->detail->shape, kinds), shown = 0;

	for (size_t i = 0; i < n; i++) {
		struct strbuf text = STRBUF_INIT;
		enum colour colour;

		ratio_text(row, kinds[i], &text, &colour);
		if (text.n)
			strbuf_addf(sb, "%s%s %s", shown++ ? " · " : what, ratio_header(kinds[i]),
				    strbuf_str(&text));
		strbuf_release(&text);
	}
	if (shown)
		strbuf_addc(sb, '\n');
}

static void print_function(const struct callers *c, const struct view_style *style,
			   struct strbuf *sb)
{
	const struct profile *p = c->profile;
	const struct func *f = &p->funcs[c->funcs[0]];
	struct strbuf line = STRBUF_INIT;

	escape_terminal(&line, profile_str(p, f->name));
	colour_text(sb, style->colour, COLOUR_STRONG, strbuf_str(&line));
	strbuf_clear(&line);
	for (size_t i = 0; i < c->nr_funcs; i++) {
		const char *module = profile_str(p, p->funcs[c->funcs[i]].module);

		if (!*module)
			continue;
		strbuf_adds(&line, i ? ", " : "  ");
		escape_terminal(&line, module);
	}
	colour_text(sb, style->colour, COLOUR_DIM, strbuf_str(&line));
	strbuf_clear(&line);
	strbuf_adds(&line, "\n   total ");
	add_share(&line, c, c->total, total_n(c));
	strbuf_adds(&line, " of ");
	escape_terminal(&line, c->by_count ? "samples" : profile_str(p, p->events[c->event].name));
	strbuf_adds(&line, ", self ");
	add_share(&line, c, c->self, self_n(c));
	strbuf_adds(&line, ", ");
	number_thousands(&line, c->total_samples);
	strbuf_adds(&line, c->total_samples == 1 ? " sample" : " samples");
	if (c->recursive) {
		strbuf_adds(&line, "; recursive in ");
		number_percent(&line, c->total ? (double)c->recursive / (double)c->total : 0);
		strbuf_adds(&line, " % of them");
	}
	strbuf_addf(sb, "%s\n", strbuf_str(&line));
	strbuf_release(&line);
	if (!c->detail || !c->detail->shape.any)
		return;
	print_ratios(c, &c->detail->total, "   total ", sb);
	print_ratios(c, &c->detail->self, "   self ", sb);
}

static void print_side(const struct tree *t, const char *names, const char *rest,
		       const struct view_style *style, struct strbuf *sb)
{
	const struct tree_titles titles = { "of all", "of it", names, rest };

	tree_print_nodes(t, TREE_SHOW_OF_ROOT, &titles, style, sb);
}

void callers_print(const struct callers *c, const struct view_style *style, struct strbuf *sb)
{
	struct view_style plain = *style;

	if (style->format == VIEW_MARKDOWN) {
		plain.colour = false;
		plain.width = 0;
		strbuf_adds(sb, "```\n");
	}
	print_side(&c->above, "called by", "[nobody: it is the outermost frame]", &plain, sb);
	strbuf_addc(sb, '\n');
	print_function(c, &plain, sb);
	strbuf_addc(sb, '\n');
	print_side(&c->below, "calls", "[itself: self]", &plain, sb);
	if (c->detail && c->detail->shape.any)
		ratios_note(&c->detail->shape, &plain, sb);
	if (style->format == VIEW_MARKDOWN)
		strbuf_adds(sb, "```\n");
}

void callers_fields(const struct callers *c, struct grid *g)
{
	tree_fields_nodes(g, &c->above, "caller");
	tree_fields_root(g, &c->above, "function", c->funcs[0], c->self,
			 c->detail ? &c->detail->total_n : NULL);
	tree_fields_nodes(g, &c->below, "callee");
}

static void put_share(struct json_object *o, const struct callers *c, const char *const names[3],
		      uint64_t v, double n)
{
	struct interval ci = wilson(share(c, v), n);

	json_put_real(o, names[0], share(c, v) * 100, 4);
	json_put_real(o, names[1], ci.low * 100, 4);
	json_put_real(o, names[2], ci.high * 100, 4);
}

static void put_ratios(struct json_object *o, const struct callers *c, const char *name,
		       const struct ratio_row *row)
{
	struct json_object *ratios = json_new();

	ratios_put_json(ratios, &c->detail->shape, row);
	json_put(o, name, ratios);
}

struct json_object *callers_json(const struct callers *c)
{
	static const char *const total[] = { "total_percent", "total_low", "total_high" };
	static const char *const self[] = { "self_percent", "self_low", "self_high" };
	const struct profile *p = c->profile;
	struct json_object *o = json_new();

	json_put_text(o, "sym", profile_str(p, p->funcs[c->funcs[0]].name));
	json_put_text(o, "event", profile_str(p, p->events[c->event].name));
	json_put_uint(o, "base", c->base);
	json_put_uint(o, "total", c->total);
	json_put_uint(o, "total_samples", c->total_samples);
	json_put_uint(o, "self", c->self);
	put_share(o, c, total, c->total, total_n(c));
	put_share(o, c, self, c->self, self_n(c));
	if (c->detail && c->detail->shape.any) {
		put_ratios(o, c, "total_ratios", &c->detail->total);
		put_ratios(o, c, "self_ratios", &c->detail->self);
	}
	json_put_uint(o, "recursive", c->recursive);
	json_put_uint(o, "outermost", c->above.nodes[0].self);
	json_put(o, "callers", tree_json(&c->above));
	json_put(o, "callees", tree_json(&c->below));
	return o;
}
