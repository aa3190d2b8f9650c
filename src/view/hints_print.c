/* SPDX-License-Identifier: MIT */
/* Hints as lines, "hashing 23.4 % ±0.7: what it means, in whose functions; what to do", and JSON. */
#include <perfrep/hints.h>

#include <string.h>

#include <perfrep/view.h>

#include "view/json.h"
#include "view/line.h"
#include "view/number.h"
#include "view/shorten.h"

static double share(const struct hints *h, uint64_t weight)
{
	return h->base ? (double)weight / (double)h->base : 0;
}

static const char *func_name(const struct hints *h, uint32_t func)
{
	return profile_str(h->profile, h->profile->funcs[func].name);
}

static void add_percent(const struct hints *h, uint64_t weight, struct strbuf *sb)
{
	number_percent(sb, share(h, weight));
	strbuf_adds(sb, " %");
}

/* An owner is named when it has a tenth of the hint. */
static size_t named(const struct hint *hint)
{
	size_t n = 0;

	while (n < HINT_OWNERS && n < hint->nr_owners &&
	       hint->owners[n].weight >= hint->weight / 10)
		n++;
	return n;
}

static void add_owners(const struct hints *h, const struct hint *hint, unsigned width,
		       struct strbuf *sb)
{
	size_t n = named(hint);

	if (!hint->nr_owners) {
		strbuf_adds(sb, ", called by no frame of your own code that the stacks show");
		return;
	}
	if (!n) {
		strbuf_adds(sb, ", under ");
		number_thousands(sb, hint->nr_owners);
		strbuf_adds(sb, " functions, most under ");
		shorten_in_sentence(sb, func_name(h, hint->owners[0].func), width);
		return;
	}
	strbuf_adds(sb, ", under ");
	for (size_t i = 0; i < n; i++) {
		strbuf_adds(sb, i ? ", " : "");
		shorten_in_sentence(sb, func_name(h, hint->owners[i].func), width);
		if (n == 1 && hint->owners[0].weight >= hint->weight / 100 * 99)
			break;
		strbuf_adds(sb, " (");
		add_percent(h, hint->owners[i].weight, sb);
		strbuf_adds(sb, ")");
	}
	if (hint->unowned >= hint->weight / 10) {
		strbuf_adds(sb, "; ");
		add_percent(h, hint->unowned, sb);
		strbuf_adds(sb, " under no frame of your own");
	}
}

void hints_print(const struct hints *h, const struct view_style *style, struct strbuf *sb)
{
	struct strbuf line = STRBUF_INIT;

	for (size_t i = 0; i < h->n; i++) {
		const struct hint *hint = &h->v[i];

		strbuf_clear(&line);
		strbuf_addf(&line, "%s ", hint->kind->name);
		add_percent(h, hint->weight, &line);
		strbuf_adds(&line, " ±");
		number_margin(&line, (hint->share.ci.high - hint->share.ci.low) / 2);
		strbuf_addf(&line, ": %s", hint->kind->means);
		add_owners(h, hint, style->width, &line);
		strbuf_addf(&line, " → %s", hint->kind->advice);
		line_print(sb, style, i ? "" : "hints", strbuf_str(&line));
	}
	strbuf_release(&line);
}

static struct json_object *owners_json(const struct hints *h, const struct hint *hint)
{
	const struct profile *p = h->profile;
	struct json_object *list = json_new_array();

	for (size_t i = 0; i < HINT_OWNERS && i < hint->nr_owners; i++) {
		const struct hint_owner *w = &hint->owners[i];
		struct json_object *o = json_new();

		json_put_text(o, "sym", func_name(h, w->func));
		json_put_text(o, "dso", profile_str(p, p->funcs[w->func].module));
		json_put_real(o, "percent", share(h, w->weight) * 100, 4);
		json_append(list, o);
	}
	return list;
}

struct json_object *hints_json(const struct hints *h)
{
	struct json_object *list = json_new_array();

	for (size_t i = 0; i < h->n; i++) {
		const struct hint *hint = &h->v[i];
		struct interval ci = hint->share.ci;
		struct json_object *o = json_new();

		json_put_text(o, "name", hint->kind->name);
		json_put_real(o, "percent", share(h, hint->weight) * 100, 4);
		json_put_real(o, "low", ci.low * 100, 4);
		json_put_real(o, "high", ci.high * 100, 4);
		json_put_uint(o, "samples", hint->samples);
		json_put_text(o, "means", hint->kind->means);
		json_put_text(o, "advice", hint->kind->advice);
		json_put(o, "own", owners_json(h, hint));
		json_put_uint(o, "owners", hint->nr_owners);
		json_put_real(o, "unowned_percent", share(h, hint->unowned) * 100, 4);
		json_append(list, o);
	}
	return list;
}

/* ---- the table ---- */

static void add_patterns(const struct hint_kind *k, struct strbuf *sb)
{
	for (size_t i = 0; k->patterns[i]; i++)
		strbuf_addf(sb, "%s%s", i ? ", " : "functions: ", k->patterns[i]);
}

void hint_kinds_print(const struct view_style *style, bool patterns, struct strbuf *sb)
{
	size_t n;
	const struct hint_kind *v = hint_kinds(&n);
	struct strbuf line = STRBUF_INIT;

	for (size_t i = 0; i < n; i++) {
		strbuf_addf(sb, "%s\n", v[i].name);
		strbuf_clear(&line);
		strbuf_addf(&line, "from %g %%%s: %s", v[i].threshold,
			    v[i].leaf ? " of self time" : "", v[i].means);
		line_print(sb, style, "", strbuf_str(&line));
		strbuf_clear(&line);
		strbuf_addf(&line, "→ %s", v[i].advice);
		line_print(sb, style, "", strbuf_str(&line));
		if (!patterns)
			continue;
		strbuf_clear(&line);
		add_patterns(&v[i], &line);
		line_print(sb, style, "", strbuf_str(&line));
	}
	strbuf_release(&line);
}

struct json_object *hint_kinds_json(void)
{
	size_t n;
	const struct hint_kind *v = hint_kinds(&n);
	struct json_object *list = json_new_array();

	for (size_t i = 0; i < n; i++) {
		struct json_object *o = json_new(), *patterns = json_new_array();

		json_put_text(o, "name", v[i].name);
		json_put_real(o, "threshold_percent", v[i].threshold, 1);
		json_put_bool(o, "leaf", v[i].leaf);
		json_put_text(o, "means", v[i].means);
		json_put_text(o, "advice", v[i].advice);
		for (size_t k = 0; v[i].patterns[k]; k++)
			json_append_text(patterns, v[i].patterns[k]);
		json_put(o, "patterns", patterns);
		json_append(list, o);
	}
	return list;
}
