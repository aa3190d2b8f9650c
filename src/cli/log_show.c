/* SPDX-License-Identifier: MIT */
/* The log as a table, numbers with their change against the row before, and what to doubt. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/strbuf.h"
#include "cli/cmd.h"
#include "cli/log.h"
#include "cli/message.h"
#include "cli/run.h"
#include "view/grid.h"
#include "view/json.h"
#include "view/line.h"

/* In the order of the table; what is not here is for the file. */
static const struct {
	enum log_column column;
	bool number;
	struct grid_column grid;
} shown[] = {
	{ LOG_DATE, false, { .name = "date", .header = "date", .drop = 6 } },
	{ LOG_COMMIT, false, { .name = "commit", .header = "commit", .drop = 5 } },
	{ LOG_CHANGE, false, { .name = "change", .code = true, .header = "change", .shrink = 16 } },
	{ LOG_HYPOTHESIS,
	  false,
	  { .name = "hypothesis", .code = true, .header = "hypothesis", .shrink = 12, .drop = 8 } },
	{ LOG_OFFERED,
	  true,
	  { .name = "offered_rate", .header = "offered", .right = true, .drop = 7 } },
	{ LOG_THROUGHPUT, true, { .name = "throughput", .header = "throughput", .right = true } },
	{ LOG_P99, true, { .name = "p99", .header = "p99", .right = true } },
	{ LOG_P999, true, { .name = "p999", .header = "p99.9", .right = true, .drop = 1 } },
	{ LOG_IPC, true, { .name = "ipc", .header = "IPC", .right = true } },
	{ LOG_MPKI, true, { .name = "llc_mpki", .header = "MPKI", .right = true } },
	{ LOG_BRANCH_MISS,
	  true,
	  { .name = "branch_miss_percent", .header = "branch-miss %", .right = true, .drop = 2 } },
	{ LOG_SAMPLES,
	  false,
	  { .name = "samples", .header = "samples", .right = true, .drop = 9 } },
	{ LOG_HOTTEST,
	  false,
	  { .name = "hottest", .code = true, .header = "hottest", .shrink = 12, .drop = 3 } },
	{ LOG_FLAMEGRAPH,
	  false,
	  { .name = "flamegraph",
	    .code = true,
	    .header = "flame graph",
	    .shrink = 10,
	    .drop = 4 } },
};

#define NR_SHOWN (sizeof(shown) / sizeof(*shown))

static const char *cell(const struct log_row *row, enum log_column c)
{
	return row && row->cell[c] ? row->cell[c] : "";
}

/* The relative change, when both are numbers in the same unit, and there is one. */
static bool change_of(const char *before, const char *after, double *change)
{
	char *end_a, *end_b;
	double a = strtod(before, &end_a), b = strtod(after, &end_b);

	if (end_a == before || end_b == after || strcmp(end_a, end_b) || !(fabs(a) > 0) ||
	    !isfinite(a) || !isfinite(b))
		return false;
	*change = b / a - 1;
	return *change != 0;
}

static void add_row(struct grid *g, const struct log_row *row, const struct log_row *before)
{
	struct strbuf sb = STRBUF_INIT;

	for (size_t i = 0; i < NR_SHOWN; i++) {
		enum log_column c = shown[i].column;
		double change;

		strbuf_clear(&sb);
		strbuf_adds(&sb, cell(row, c));
		if (shown[i].number && change_of(cell(before, c), cell(row, c), &change))
			strbuf_addf(&sb, " (%+.1f %%)", change * 100);
		grid_cell(g, strbuf_str(&sb), COLOUR_NONE);
	}
	strbuf_release(&sb);
}

static void print_warnings(const struct log_file *log, const struct view_style *style,
			   struct strbuf *sb)
{
	for (size_t i = 0; i < log->rows.n; i++) {
		char *warnings[LOG_WARNINGS];
		size_t n = log_warnings(i ? &log->rows.v[i - 1] : NULL, &log->rows.v[i], warnings);

		for (size_t k = 0; k < n; k++) {
			char label[32];

			snprintf(label, sizeof(label), "row %zu", i + 1);
			line_print(sb, style, label, warnings[k]);
			free(warnings[k]);
		}
	}
}

static void print_json(const struct log_file *log, struct strbuf *sb)
{
	struct json_object *list = json_new_array();

	for (size_t i = 0; i < log->rows.n; i++) {
		const struct log_row *row = &log->rows.v[i], *before = i ? row - 1 : NULL;
		struct json_object *o = json_new(), *changes = json_new(), *w = json_new_array();
		char *warnings[LOG_WARNINGS];
		size_t n = log_warnings(before, row, warnings);

		for (size_t k = 0; k < LOG_COLUMNS; k++)
			json_put_text(o, log_column_name((enum log_column)k), row->cell[k]);
		for (size_t k = 0; k < NR_SHOWN; k++) {
			enum log_column c = shown[k].column;
			double change;

			if (shown[k].number && change_of(cell(before, c), cell(row, c), &change))
				json_put_real(changes, log_column_name(c), change, 6);
		}
		json_put(o, "relative_change", changes);
		for (size_t k = 0; k < n; k++) {
			json_append_text(w, warnings[k]);
			free(warnings[k]);
		}
		json_put(o, "warnings", w);
		json_append(list, o);
	}
	json_finish(list, sb);
}

static void print_table(const struct log_file *log, const struct view_style *style,
			struct strbuf *sb)
{
	struct grid g = { 0 };

	for (size_t i = 0; i < NR_SHOWN; i++)
		grid_column(&g, &shown[i].grid);
	for (size_t i = 0; i < log->rows.n; i++)
		add_row(&g, &log->rows.v[i], i ? &log->rows.v[i - 1] : NULL);
	grid_print(&g, style, sb);
	grid_release(&g);
	if (view_for_eyes(style))
		strbuf_addc(sb, '\n');
	if (view_for_eyes(style))
		print_warnings(log, style, sb);
}

int log_show(const struct log_command *c, const char *path)
{
	const struct view_style *style = &c->out.style;
	struct strbuf sb = STRBUF_INIT;
	struct log_file log;
	struct err err;

	if (log_file_read(&log, path, &err) < 0) {
		message("%s", err.text);
		return EXIT_FAILED;
	}
	if (!log.exists) {
		message("There is no log %s yet; perfrep log add makes it.", path);
		return EXIT_FAILED;
	}
	if (style->format == VIEW_JSON)
		print_json(&log, &sb);
	else
		print_table(&log, style, &sb);
	run_output(&sb);
	log_file_release(&log);
	return EXIT_FINE;
}
