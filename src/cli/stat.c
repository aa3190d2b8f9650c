/* SPDX-License-Identifier: MIT */
/*
 * perfrep stat: what hardware counters say.  A FILE is perf stat's output in any of its forms, a file
 * of perf stat record, or a recording, whose events are counters too: it looks which.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <perfrep/source.h>

#include "cli/cmd.h"
#include "cli/counter_input.h"
#include "cli/message.h"
#include "cli/opts.h"
#include "cli/opts_counters.h"
#include "cli/recorded.h"
#include "cli/run.h"
#include "view/counters.h"
#include "view/grid.h"
#include "view/json.h"
#include "view/line.h"
#include "view/number.h"

enum {
	OPT_LIMIT = OPT_COMMAND_FIRST,
};

#define TEXT_LIMIT 40

struct options {
	struct opts_counters counters;
	struct opts_output out;
	VEC(const char *) files;
	size_t limit;
	bool limit_given;
};

/* One input, and what it holds. */
struct input {
	const char *path;
	struct counter_set set;
	struct counter_analysis analysis;
	bool incomplete;
};

static const struct argp_option stat_options[] = {
	{ "limit", OPT_LIMIT, "N", 0,
	  "At most N lines for places and intervals (default: 40 in text; 0: all)", 0 },
	{ 0 },
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct options *o = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &o->counters;
		state->child_inputs[1] = &o->out;
		return 0;
	case OPT_LIMIT:
		o->limit = opts_number(state, "--limit", arg, 1ul << 31);
		o->limit_given = true;
		return 0;
	case ARGP_KEY_ARG:
		vec_push(&o->files, arg);
		return 0;
	case ARGP_KEY_END:
		if (!o->files.n)
			vec_push(&o->files, "-");
		if (!o->limit_given && o->out.style.format == VIEW_TEXT)
			o->limit = TEXT_LIMIT;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp_child children[] = {
	{ &opts_counters_argp, 0, "Counters:", 1 },
	{ &opts_table_argp, 0, "Output:", 2 },
	{ 0 },
};

static const struct argp stat_argp = {
	stat_options,
	parse,
	"[FILE...]",
	"Say what counters mean: from perf stat's output (text, -x, -j; any locale), from a file of "
	"perf stat record, or from a recording.",
	children,
	NULL,
	NULL,
};

/* A recording: its events' totals. */
static int read_samples(struct input *in, const struct source *src, const struct options *o,
			struct err *err)
{
	struct session_options so = { .path = in->path,
				      .source = src,
				      .no_hints = true,
				      .no_stacks = true,
				      .no_unwind = true,
				      .no_symbols = true };
	struct recorded r;
	struct session s;
	int rc = session_run(&s, &so, err);

	if (rc < 0)
		return rc;
	if (!s.samples) {
		session_release(&s);
		return err_set(err, ERR_FORMAT, "%s holds no samples, and no counts.", in->path);
	}
	recorded_init(&r, &s, true, &o->counters.c);
	in->set = r.set;
	in->incomplete = s.incomplete;
	r.set = (struct counter_set){ 0 };
	recorded_release(&r);
	message_all(s.problems, s.nr_problems);
	session_release(&s);
	return 0;
}

static int read_binary(struct input *in, const struct source *src, const struct options *o,
		       struct err *err)
{
	int rc = counter_input_record(&in->set, src, in->path, &in->incomplete, err);

	return rc ? (rc < 0 ? rc : 0) : read_samples(in, src, o, err);
}

static int read_input(struct input *in, const struct options *o, struct err *err)
{
	struct source src;
	struct stat st;
	int rc;

	if (strcmp(in->path, "-") != 0 && !stat(in->path, &st) && S_ISDIR(st.st_mode))
		return read_samples(in, NULL, o, err);
	rc = source_open(&src, in->path, err);
	if (rc < 0)
		return rc;
	if (reader_recognises(&src))
		rc = read_binary(in, &src, o, err);
	else
		rc = counter_set_parse(&in->set, (const char *)src.data, src.size,
				       strcmp(in->path, "-") ? in->path : "standard input", err);
	source_release(&src);
	return rc;
}

static const char *source_text(enum counter_source s)
{
	static const char *const texts[] = { "perf stat's text", "perf stat -x", "perf stat -j",
					     "perf stat record", "a recording" };

	return texts[s];
}

/* What is not as one may think. */
static void print_notes(const struct counter_set *set, const struct view_style *style,
			struct strbuf *sb)
{
	struct strbuf line = STRBUF_INIT;

	if (set->outputs > 1)
		strbuf_addf(&line, "it holds %u outputs of perf stat: the first is shown",
			    set->outputs);
	if (set->skipped)
		strbuf_addf(&line, "%s%llu line%s not perf stat's, the first is line %llu",
			    line.n ? "; " : "", (unsigned long long)set->skipped,
			    set->skipped == 1 ? " is" : "s are",
			    (unsigned long long)set->first_skipped);
	if (set->nr_metrics)
		strbuf_addf(
			&line,
			"%sperf stat --metric-only leaves the counts out: these are perf's metrics",
			line.n ? "; " : "");
	if (set->places_unknown)
		strbuf_addf(&line,
			    "%sit was to be kept apart by place, and does not say which place each "
			    "CPU is in: all are added up",
			    line.n ? "; " : "");
	line_print(sb, style, "note", strbuf_str(&line));
	strbuf_release(&line);
}

/* "./prog (3 runs) · perf stat -x · 0.195 s" */
static void print_head(const struct input *in, const struct view_style *style, struct strbuf *sb)
{
	const struct counter_set *set = &in->set;
	struct strbuf line = STRBUF_INIT;

	line_print(sb, style, in->path, set->what ? set->what : source_text(set->source));
	if (set->what)
		line_part(&line, source_text(set->source));
	if (set->runs)
		strbuf_addf(&line, "%s%u runs", line.n ? " · " : "", set->runs);
	if (set->intervals > 1)
		strbuf_addf(&line, "%s%u intervals", line.n ? " · " : "", set->intervals);
	if (set->elapsed > 0) {
		strbuf_adds(&line, line.n ? " · " : "");
		number_duration(&line, set->elapsed);
		if (set->user > 0 || set->sys > 0)
			strbuf_addf(&line, " (user %.3f s, system %.3f s)", set->user, set->sys);
	}
	line_print(sb, style, "", strbuf_str(&line));
	print_notes(set, style, sb);
	strbuf_release(&line);
}

static void print_table(const struct input *in, const struct view_style *style, struct strbuf *sb)
{
	if (in->set.nr_metrics)
		counters_metrics(&in->set, style, sb);
	else
		counters_table(&in->set, style, sb);
}

static void print_text(const struct input *in, const struct options *o,
		       const struct view_style *style, struct strbuf *sb)
{
	print_head(in, style, sb);
	strbuf_addc(sb, '\n');
	print_table(in, style, sb);
	counters_parts(&in->set, &o->counters.c, style, o->limit, sb);
	if (sb->n)
		strbuf_addc(sb, '\n');
	counters_print(&in->analysis, style, sb);
}

static struct json_object *input_json(const struct input *in, const struct options *o)
{
	const struct counter_set *set = &in->set;
	struct json_object *j = json_new();

	json_put_text(j, "file", in->path);
	json_put_text(j, "source", source_text(set->source));
	json_put_text(j, "command", set->what);
	json_put_uint(j, "runs", set->runs);
	json_put_uint(j, "intervals", set->intervals);
	if (set->elapsed > 0)
		json_put_real(j, "elapsed", set->elapsed, 9);
	json_put_uint(j, "outputs", set->outputs);
	json_put_uint(j, "skipped_lines", set->skipped);
	if (set->places_unknown)
		json_put_bool(j, "places_unknown", true);
	json_put(j, "counters", counters_table_json(set));
	json_put(j, "metrics", counters_metrics_json(set));
	json_put(j, "analysis", counters_json(&in->analysis));
	json_put(j, "parts", counters_parts_json(set, &o->counters.c));
	return j;
}

static void print_json(const struct input *in, size_t n, const struct options *o, struct strbuf *sb)
{
	struct json_object *json = json_new(), *list = json_new_array();

	json_put_text(json, "schema", "perfrep-stat-1");
	for (size_t i = 0; i < n; i++)
		json_append(list, input_json(&in[i], o));
	json_put(json, "inputs", list);
	json_finish(json, sb);
}

static void print_fields(const struct input *in, size_t n, const struct options *o,
			 struct strbuf *sb)
{
	struct grid g = { 0 };

	counters_fields_columns(&g);
	for (size_t i = 0; i < n; i++)
		counters_fields(&in[i].set, in[i].path, &g);
	grid_print(&g, &o->out.style, sb);
	grid_release(&g);
}

static void print_all(const struct input *in, size_t n, const struct options *o, struct strbuf *sb)
{
	const struct view_style *style = &o->out.style;

	if (style->format == VIEW_JSON) {
		print_json(in, n, o, sb);
	} else if (!view_for_eyes(style)) {
		print_fields(in, n, o, sb);
	} else {
		for (size_t i = 0; i < n; i++) {
			if (i)
				strbuf_addc(sb, '\n');
			print_text(&in[i], o, style, sb);
		}
	}
}

static int stat_inputs(const struct options *o)
{
	struct input *in = xcalloc(o->files.n, sizeof(*in));
	struct strbuf sb = STRBUF_INIT;
	int status = EXIT_FINE;
	size_t n = 0;

	for (size_t i = 0; i < o->files.n; i++) {
		struct err err;

		in[n] = (struct input){ .path = o->files.v[i] };
		if (read_input(&in[n], o, &err) < 0) {
			message("%s", err.text);
			status = EXIT_FAILED;
			continue;
		}
		counter_analyse(&in[n].analysis, &in[n].set, &o->counters.c);
		if (status == EXIT_FINE && in[n].incomplete)
			status = EXIT_PROBLEMS;
		n++;
	}
	if (n)
		print_all(in, n, o, &sb);
	run_output(&sb);
	for (size_t i = 0; i < n; i++) {
		counter_set_release(&in[i].set);
		counter_analysis_release(&in[i].analysis);
	}
	free(in);
	return status;
}

static int run(int argc, char **argv)
{
	struct options o = { .limit = 0 };
	int status;

	run_parse(&stat_argp, argc, argv, &o);
	status = stat_inputs(&o);
	vec_release(&o.files);
	opts_counters_release(&o.counters);
	return status;
}

const struct command cmd_stat = {
	"stat",
	"what hardware counters say, from perf stat or a recording",
	run,
};
