/* SPDX-License-Identifier: MIT */
/*
 * What perfrep diff prints: for each set of inputs that is compared with the first, and each event
 * that both have, a comparison; then counters and ratios; then what became of expectations.
 */
#include "cli/cmd.h"
#include "cli/diff.h"
#include "cli/message.h"
#include "view/diff.h"
#include "view/escape.h"
#include "view/grid.h"
#include "view/json.h"
#include "view/line.h"

struct output {
	const struct diff_command *c;
	const struct view_style *style;
	struct strbuf *sb; /* of text */
	struct json_object *json;
	struct grid fields; /* csv and its like: of functions, of paths, or of counters */
	bool eyes; /* text or Markdown */
	bool any;
	int status; /* of gates and expectations */
};

static struct diff_print what_of(const struct diff_inputs *in, const struct diff_command *c,
				 size_t set, const char *note)
{
	return (struct diff_print){
		.name = { strbuf_str(&in->sets.v[0].name), strbuf_str(&in->sets.v[set].name) },
		.limit = c->limit,
		.note = note,
	};
}

static void print_summary(struct output *o, const struct diff *d, const struct diff_print *what)
{
	struct strbuf line = STRBUF_INIT;

	strbuf_addf(&line, "%s → %s: %s: ", what->name[0], what->name[1], d->event);
	diff_summary(d, 0, &line);
	escape_terminal(o->sb, strbuf_str(&line));
	strbuf_addc(o->sb, '\n');
	strbuf_release(&line);
}

static void print_one(struct output *o, const struct diff *d, const struct diff_print *what)
{
	if (o->style->format == VIEW_JSON) {
		json_append(o->json, diff_json(d, what));
	} else if (o->c->summary) {
		print_summary(o, d, what);
	} else if (!o->eyes) {
		diff_fields(d, what, &o->fields);
	} else {
		if (o->any)
			strbuf_addc(o->sb, '\n');
		diff_print(d, what, o->style, o->sb);
	}
	o->any = true;
}

static void compare(struct output *o, const struct diff_inputs *in, size_t set,
		    const struct diff_pair *pair)
{
	const struct diff_print what = what_of(in, o->c, set, pair->note.n ? pair->note.s : NULL);
	struct diff d;
	int gate;

	diff_build(&d, pair->side, &o->c->diff);
	print_one(o, &d, &what);
	gate = diff_gate(&d, o->c->fail_above);
	o->status = gate > o->status ? gate : o->status;
	diff_release(&d);
}

static int compare_paths(struct output *o, const struct diff_inputs *in, size_t set,
			 const struct diff_pair *pair)
{
	const struct diff_print what = what_of(in, o->c, set, NULL);
	struct diff_paths dp;
	struct diff d;
	struct err err;

	if (diff_paths_build(&dp, pair->side, &o->c->diff, o->c->function, &err) < 0) {
		message("%s", err.text);
		return EXIT_FAILED;
	}
	diff_build(&d, pair->side, &o->c->diff);
	if (o->style->format == VIEW_JSON)
		json_append(o->json, diff_paths_json(&dp, &d, &what));
	else if (!o->eyes)
		diff_paths_fields(&dp, &d, &what, &o->fields);
	else
		diff_paths_print(&dp, &d, &what, o->style, o->sb);
	diff_release(&d);
	diff_paths_release(&dp);
	return EXIT_FINE;
}

static int check_expectations(struct output *o, const struct diff_pair *pairs, size_t n,
			      const struct diff_counters *dc)
{
	if (o->c->expectations.n && o->any && o->eyes)
		strbuf_addc(o->sb, '\n');
	for (size_t i = 0; i < o->c->expectations.n; i++) {
		const char *text = o->c->expectations.v[i];
		struct strbuf line = STRBUF_INIT;
		struct err err;
		int r = diff_expect(text, pairs, n, dc, o->c, &line, &err);

		if (r < 0) {
			message("%s", err.text);
		} else if (o->style->format == VIEW_JSON) {
			struct json_object *j = json_new();

			json_put_text(j, "expectation", strbuf_str(&line));
			json_append(o->json, j);
		} else if (o->eyes) {
			line_print(o->sb, o->style, "expected", strbuf_str(&line));
		} else {
			message("%s", strbuf_str(&line));
		}
		strbuf_release(&line);
		if (r < 0)
			return r == -ERR_USAGE ? EXIT_USAGE : EXIT_FAILED;
		if (r == 2)
			o->status = EXIT_CHANGED;
	}
	return EXIT_FINE;
}

/* Where functions are compared too, only if the counters make a ratio. */
static bool tells(const struct diff_counters *dc, bool counted)
{
	for (size_t i = 0; i < dc->n; i++)
		if (counted || dc->rows[i].ratio)
			return true;
	return false;
}

/* With functions they are an addition, of which a table of fields has no room. */
static void print_counters(struct output *o, const struct diff_inputs *in, size_t set,
			   const struct diff_counters *dc)
{
	const struct diff_print nameless = { .limit = o->c->limit };
	const struct diff_print named = what_of(in, o->c, set, NULL);

	if (!tells(dc, in->counted) || (o->c->summary && !in->counted) || o->c->function)
		return;
	if (o->style->format == VIEW_JSON) {
		json_append(o->json, diff_counters_json(dc, &named));
	} else if (o->eyes) {
		if (o->any)
			strbuf_addc(o->sb, '\n');
		diff_counters_print(dc, in->counted ? &named : &nameless, o->style, o->sb);
		o->any = true;
	} else if (in->counted) {
		diff_counters_fields(dc, &named, &o->fields);
	}
}

static enum cpu_vendor vendor_of(const struct diff_inputs *in)
{
	const struct reader *r = in->sessions[0].reader;

	return r ? cpu_vendor_of(r->features.cpuid, r->features.arch) : CPU_UNKNOWN;
}

static void print_ratios(struct output *o, const struct diff_inputs *in,
			 const struct diff_pair *pairs, size_t n)
{
	const struct diff_print what = { .limit = o->c->limit };
	struct diff_ratios ratios[DIFF_RATIO_KINDS];
	bool json = o->style->format == VIEW_JSON;
	size_t made;

	if (o->c->function || o->c->summary || (!o->eyes && !json))
		return;
	made = diff_ratios_of(ratios, pairs, n, vendor_of(in));
	for (size_t i = 0; i < made; i++) {
		if (json) {
			json_append(o->json, diff_ratios_json(&ratios[i]));
		} else {
			strbuf_addc(o->sb, '\n');
			diff_ratios_print(&ratios[i], &what, o->style, o->sb);
		}
		diff_ratios_release(&ratios[i]);
	}
}

static int compare_functions(struct output *o, const struct diff_inputs *in, size_t set,
			     const struct diff_pair *pairs, size_t n)
{
	if (!n) {
		message("%s and %s have no event with samples in common.",
			strbuf_str(&in->sets.v[0].name), strbuf_str(&in->sets.v[set].name));
		return EXIT_FAILED;
	}
	for (size_t i = 0; i < n; i++) {
		if (!o->c->function)
			compare(o, in, set, &pairs[i]);
		else if (compare_paths(o, in, set, &pairs[i]) != EXIT_FINE)
			return EXIT_FAILED;
	}
	return EXIT_FINE;
}

static int compare_set(struct output *o, const struct diff_inputs *in, size_t set)
{
	struct diff_pair *pairs = NULL;
	struct diff_counters dc;
	size_t n = in->counted ? 0 : diff_pairs(in, o->c, set, &pairs);
	int status = in->counted ? EXIT_FINE : compare_functions(o, in, set, pairs, n);

	if (status == EXIT_FINE) {
		diff_count(&dc, in, o->c, set);
		print_counters(o, in, set, &dc);
		if (!in->counted)
			print_ratios(o, in, pairs, n);
		status = check_expectations(o, pairs, n, &dc);
		diff_counters_release(&dc);
	}
	diff_pairs_free(pairs, n);
	return status;
}

static void choose_columns(struct output *o, const struct diff_inputs *in)
{
	if (in->counted)
		diff_counters_columns(&o->fields);
	else if (o->c->function)
		diff_paths_columns(&o->fields);
	else
		diff_fields_columns(&o->fields);
}

static int compare_all(struct output *o, const struct diff_inputs *in)
{
	int status = EXIT_FINE;

	choose_columns(o, in);
	for (size_t set = 1; set < in->sets.n && status == EXIT_FINE; set++)
		status = compare_set(o, in, set);
	if (status != EXIT_FINE)
		strbuf_clear(o->sb);
	else if (o->style->format == VIEW_JSON)
		json_print(o->json, true, o->sb);
	else if (!o->eyes && !o->c->summary)
		grid_print(&o->fields, o->style, o->sb);
	return status;
}

int diff_show(const struct diff_inputs *in, const struct diff_command *c, struct strbuf *sb)
{
	struct output o = {
		.c = c,
		.style = &c->common.out.style,
		.sb = sb,
		.json = json_new_array(),
		.eyes = view_for_eyes(&c->common.out.style),
		.status = in->status,
	};
	int status = c->common.out.own ? diff_write_folded(in, c, sb) : compare_all(&o, in);

	json_free(o.json);
	grid_release(&o.fields);
	return status != EXIT_FINE ? status : o.status;
}
