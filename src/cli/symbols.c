/* SPDX-License-Identifier: MIT */
/*
 * perfrep symbols: for each module how much of the time is in it, which file its names came from,
 * and if from none, why, and what to do about it.
 */
#include <stdlib.h>
#include <string.h>

#include "cli/cmd.h"
#include "cli/info.h"
#include "cli/message.h"
#include "cli/opts_common.h"
#include "cli/run.h"
#include "view/escape.h"
#include "view/grid.h"
#include "view/json.h"
#include "view/number.h"

static error_t parse(int key, char *arg, struct argp_state *state)
{
	(void)arg;
	if (key != ARGP_KEY_INIT)
		return ARGP_ERR_UNKNOWN;
	state->child_inputs[0] = state->input;
	return 0;
}

static const struct argp_child children[] = { { &opts_samples_argp, 0, NULL, 0 }, { 0 } };

static const struct argp symbols_argp = {
	NULL,
	parse,
	"[FILE]",
	"Tell where names come from: each module's share of the time, the files used, and why names "
	"are missing.",
	children,
	NULL,
	NULL,
};

/* A module and the weight of the samples in it, all events together as shares of each. */
struct module {
	const struct symbolizer_dso *d;
	const struct dso *dso;
	double share; /* of the event in which it is largest */
};

/* By dso: the largest share that the leaves in it have of any event. */
static void add_shares(const struct session *s, bool by_count, double *share, size_t n)
{
	const struct profile *p = s->profile;
	uint64_t *sum = xcalloc(n + 1, sizeof(*sum));

	for (size_t e = 0; e < p->nr_events; e++) {
		const struct profile_event *ev = &p->events[e];
		double base = (double)(by_count ? ev->samples : ev->weight);
		struct leaf_sum *leaves = leaf_sums(p, (uint32_t)e);

		memset(sum, 0, n * sizeof(*sum));
		for (size_t i = 0; i < p->nr_locs; i++) {
			const struct location *loc = &p->locs[i];
			uint64_t v = by_count ? leaves[i].samples : leaves[i].weight;

			if (v && loc->kind == LOC_DSO && loc->dso < n)
				sum[loc->dso] += v;
		}
		free(leaves);
		for (size_t i = 0; i < n; i++)
			if (sum[i] && (double)sum[i] / base > share[i])
				share[i] = (double)sum[i] / base;
	}
	free(sum);
}

static int by_share(const void *va, const void *vb)
{
	const struct module *a = va, *b = vb;
	int r;

	if (a->share != b->share)
		return a->share < b->share ? 1 : -1;
	r = strcmp(a->dso->path, b->dso->path);
	return r ? r : a->dso->id < b->dso->id ? -1 : 1;
}

static size_t list_modules(const struct session *s, bool by_count, struct module **out)
{
	const struct dso_table *dsos = timeline_dsos(s->timeline);
	double *share = xcalloc(dsos->n + 1, sizeof(*share));
	size_t n = 0;

	add_shares(s, by_count, share, dsos->n);
	*out = xcalloc(s->symbols.n + 1, sizeof(**out));
	for (size_t i = 0; i < s->symbols.n; i++) {
		const struct symbolizer_dso *d = &s->symbols.dsos[i];

		if (d->dso < dsos->n)
			(*out)[n++] = (struct module){ d, dsos->v[d->dso], share[d->dso] };
	}
	qsort(*out, n, sizeof(**out), by_share);
	free(share);
	return n;
}

/* Why names are missing: because of the file, or because it does not cover some addresses. */
static enum unknown_reason reason_of(const struct symbolizer_dso *d)
{
	return d->reason == UNKNOWN_NOT && d->unknown ? UNKNOWN_NO_SYMBOL : d->reason;
}

/* What helps against the reason; "" when nothing is wrong. */
static const char *repair(enum unknown_reason reason)
{
	static const char *const texts[UNKNOWN_MAX] = {
		[UNKNOWN_NO_FILE] = "--search-dir or --symfs",
		[UNKNOWN_BUILD_ID] = "--search-dir with the recorded build",
		[UNKNOWN_NO_SYMBOLS] = "debug package, or --debug-dir",
		[UNKNOWN_NO_SYMBOL] = "--debug-dir",
		[UNKNOWN_BAD_FILE] = "--search-dir with a whole file",
		[UNKNOWN_KERNEL] = "--kallsyms, copied as root",
		[UNKNOWN_JIT] = "perf-PID.map or jitdump",
	};

	return texts[reason] ? texts[reason] : "";
}

static void add_names(struct grid *g, const struct module *m, bool eyes)
{
	struct strbuf sb = STRBUF_INIT;

	if (eyes) {
		if (m->d->locations) {
			number_percent(&sb, 1 - (double)m->d->unknown / m->d->locations);
			strbuf_adds(&sb, " %");
		}
		grid_cell(g, strbuf_str(&sb), m->d->unknown ? COLOUR_WARN : COLOUR_NONE);
	} else {
		strbuf_addu(&sb, m->d->locations);
		grid_cell(g, strbuf_str(&sb), COLOUR_NONE);
		strbuf_clear(&sb);
		strbuf_addu(&sb, m->d->unknown);
		grid_cell(g, strbuf_str(&sb), COLOUR_NONE);
	}
	strbuf_release(&sb);
}

static void add_module(struct grid *g, const struct module *m, bool eyes)
{
	enum unknown_reason reason = reason_of(m->d);
	const char *why = reason == UNKNOWN_NOT ? "" : unknown_reason_text(reason);
	const char *debug = m->d->debug_path ? m->d->debug_path : "";
	struct strbuf sb = STRBUF_INIT;

	if (eyes && m->share > 0) {
		number_percent(&sb, m->share);
		strbuf_adds(&sb, " %");
	} else if (eyes) {
		strbuf_adds(&sb, "callers");
	} else {
		strbuf_addf(&sb, "%.4f", m->share * 100);
	}
	grid_cell(g, strbuf_str(&sb), colour_of_share(m->share));
	add_names(g, m, eyes);
	grid_cell(g, eyes ? m->dso->name : m->dso->path, COLOUR_NONE);
	strbuf_clear(&sb);
	info_build_id_text(&m->dso->build_id, &sb);
	if (!eyes)
		grid_cell(g, strbuf_str(&sb), COLOUR_NONE);
	grid_cell(g, m->d->path ? m->d->path : "–", COLOUR_NONE);
	grid_cell(g, debug, COLOUR_NONE);
	grid_cell(g, why, COLOUR_WARN);
	grid_cell(g, repair(reason), COLOUR_NONE);
	if (!eyes)
		grid_cell(g, m->d->note ? m->d->note : "", COLOUR_NONE);
	strbuf_release(&sb);
}

static void add_columns(struct grid *g, bool eyes)
{
	static const struct grid_column share = { .name = "percent",
						  .header = "time",
						  .right = true };
	static const struct grid_column names = { .name = "names",
						  .header = "names",
						  .right = true };
	static const struct grid_column counts[] = { { .name = "addresses", .header = "" },
						     { .name = "unknown", .header = "" } };
	static const struct grid_column id = { .name = "build_id", .header = "" };
	static const struct grid_column texts[] = {
		{ .name = "module", .header = "module", .code = true, .shrink = 12 },
		{ .name = "file", .header = "file used", .code = true, .shrink = 14 },
		{ .name = "debug_file",
		  .header = "debug file",
		  .code = true,
		  .shrink = 10,
		  .drop = 1 },
		{ .name = "reason", .header = "why not" },
		{ .name = "repair", .header = "what helps", .drop = 2 },
		{ .name = "note", .header = "" },
	};

	grid_column(g, &share);
	if (eyes) {
		grid_column(g, &names);
	} else {
		grid_column(g, &counts[0]);
		grid_column(g, &counts[1]);
	}
	grid_column(g, &texts[0]);
	if (!eyes)
		grid_column(g, &id);
	for (int i = 1; i < 5 + !eyes; i++)
		grid_column(g, &texts[i]);
}

static struct json_object *module_json(const struct module *m)
{
	enum unknown_reason reason = reason_of(m->d);
	struct json_object *o = json_new();
	struct strbuf hex = STRBUF_INIT;

	info_build_id_text(&m->dso->build_id, &hex);
	json_put_real(o, "percent", m->share * 100, 4);
	json_put_uint(o, "addresses", m->d->locations);
	json_put_uint(o, "unknown", m->d->unknown);
	json_put_text(o, "module", m->dso->path);
	json_put_text(o, "build_id", hex.n ? hex.s : NULL);
	json_put_text(o, "file", m->d->path);
	json_put_text(o, "debug_file", m->d->debug_path);
	json_put_text(o, "reason", reason == UNKNOWN_NOT ? NULL : unknown_reason_text(reason));
	json_put_text(o, "note", m->d->note);
	strbuf_release(&hex);
	return o;
}

static void print_notes(const struct module *modules, size_t n, struct strbuf *sb)
{
	bool any = false;

	for (size_t i = 0; i < n; i++) {
		if (!modules[i].d->note)
			continue;
		strbuf_adds(sb, any ? "" : "\n");
		any = true;
		escape_terminal(sb, modules[i].dso->name);
		strbuf_adds(sb, ": ");
		escape_terminal(sb, modules[i].d->note);
		strbuf_addc(sb, '\n');
	}
}

static void print(const struct session *s, const struct opts_common *o, struct strbuf *sb)
{
	const struct view_style *style = &o->out.style;
	bool eyes = view_for_eyes(style);
	struct module *modules;
	size_t n = list_modules(s, o->out.by_count, &modules);
	struct grid g = { 0 };

	if (style->format == VIEW_JSON) {
		struct json_object *list = json_new_array();

		for (size_t i = 0; i < n; i++)
			json_append(list, module_json(&modules[i]));
		json_finish(list, sb);
	} else {
		add_columns(&g, eyes);
		for (size_t i = 0; i < n; i++)
			add_module(&g, &modules[i], eyes);
		grid_print(&g, style, sb);
		if (eyes)
			print_notes(modules, n, sb);
	}
	grid_release(&g);
	free(modules);
}

static int show(const struct session *s, void *ctx, struct strbuf *sb)
{
	const struct opts_common *o = ctx;

	if (!s->timeline) {
		message("%s holds folded stacks: its names are in it.", o->in.path);
		return EXIT_FAILED;
	}
	print(s, o, sb);
	return EXIT_FINE;
}

static int run(int argc, char **argv)
{
	static const struct run how = { .show = show };
	struct session_options so;
	struct opts_common o = { 0 };
	int status;

	opts_common_init(&o);
	run_parse(&symbols_argp, argc, argv, &o);
	so = opts_common_session(&o);
	status = run_recording(&how, &so, &o.in, &o);
	opts_common_release(&o);
	return status;
}

const struct command cmd_symbols = {
	"symbols",
	"where names come from, and why some are missing",
	run,
};
