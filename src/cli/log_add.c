/* SPDX-License-Identifier: MIT */
/* A row from recordings: what was run and where, how many samples, the hottest function. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include <perfrep/source.h>

#include "base/strbuf.h"
#include "cli/cmd.h"
#include "cli/counter_input.h"
#include "cli/events.h"
#include "cli/git_head.h"
#include "cli/log.h"
#include "cli/log_counters.h"
#include "cli/message.h"
#include "cli/run.h"
#include "cli/summary.h"
#include "view/number.h"

struct adding {
	struct log_command *c;
	struct log_row row;
	struct log_counters counters;
	uint64_t samples;
	int status;
};

/* Options come first, then the first file that knows it. */
static void fill(struct adding *a, enum log_column column, const char *text)
{
	if (!a->row.cell[column] && text && *text)
		a->row.cell[column] = xstrdup(text);
}

/* ---- from a recording ---- */

static void fill_hottest(struct adding *a, const struct profile *p, uint32_t event)
{
	const struct table_options o = { .keys = { { KEY_DSO, KEY_SYM }, 2 } };
	struct strbuf sb = STRBUF_INIT;
	struct table t;

	table_build(&t, p, event, &o);
	if (t.n && t.base) {
		table_key_text(&t, &t.rows[0], KEY_SYM, true, &sb);
		strbuf_addc(&sb, ' ');
		number_percent(&sb, (double)t.rows[0].self / (double)t.base);
		strbuf_adds(&sb, " %");
		fill(a, LOG_HOTTEST, strbuf_str(&sb));
	}
	strbuf_release(&sb);
	table_release(&t);
}

/* An option that says where perf record writes: 1, or 2 with its argument in the next word. */
static size_t names_output(const char *word)
{
	if (!strcmp(word, "-o") || !strcmp(word, "--output"))
		return 2;
	return !strncmp(word, "-o", 2) || !strncmp(word, "--output=", 9);
}

/* What was run.  Where the recording went is left out: it is no change of the experiment. */
static void fill_command(struct adding *a, const struct features *f)
{
	struct strbuf sb = STRBUF_INIT;
	bool options = true; /* still perf's */

	for (size_t i = 0; i < f->nr_cmdline; i++) {
		const char *word = f->cmdline[i];
		size_t skip = options && i ? names_output(word) : 0;

		options &= strcmp(word, "--") != 0;
		if (skip) {
			i += skip - 1;
			continue;
		}
		if (!i && strrchr(word, '/'))
			word = strrchr(word, '/') + 1;
		strbuf_addf(&sb, "%s%s", sb.n ? " " : "", word);
	}
	fill(a, LOG_COMMAND, strbuf_str(&sb));
	strbuf_release(&sb);
}

static void fill_machine(struct adding *a, const struct view_recording *rec)
{
	struct strbuf sb = STRBUF_INIT;

	if (rec->host)
		strbuf_adds(&sb, rec->host);
	if (rec->cpu)
		strbuf_addf(&sb, "%s%s", sb.n ? ", " : "", rec->cpu);
	fill(a, LOG_MACHINE, strbuf_str(&sb));
	strbuf_release(&sb);
}

static int add_recording(struct adding *a, const char *path, const struct source *held)
{
	struct session_options so;
	struct summary sum;
	struct session s;
	uint32_t event;
	int status;

	a->c->in.path = path;
	so = opts_session(&a->c->in, &a->c->symbols);
	so.source = held->name ? held : NULL;
	so.no_hints = so.symbols.no_lines = true;
	status = run_session(&s, &so, &a->c->in);
	if (status != EXIT_FINE)
		return status;
	summary_init(&sum, &s, path, false);
	if (s.reader)
		fill_command(a, &s.reader->features);
	fill_machine(a, &sum.rec);
	event = events_find(s.profile, NULL); /* stands for the recording */
	if (event != PROFILE_NONE) {
		const struct profile_event *e = &s.profile->events[event];

		if (!a->samples)
			a->samples = e->samples;
		fill(a, LOG_EVENT, profile_str(s.profile, e->name));
		fill_hottest(a, s.profile, event);
		log_counters_add_recording(&a->counters, &s);
	}
	status = run_status(&s, &a->c->in, false);
	a->status = status > a->status ? status : a->status;
	summary_release(&sum);
	session_release(&s);
	return EXIT_FINE;
}

static void fill_date(struct adding *a, const char *path)
{
	struct stat st;
	char text[32];
	struct tm tm;
	time_t t = stat(path, &st) ? time(NULL) : st.st_mtime;

	if (gmtime_r(&t, &tm) && strftime(text, sizeof(text), "%Y-%m-%d %H:%M", &tm))
		fill(a, LOG_DATE, text);
}

static int add_file(struct adding *a, const char *path)
{
	struct source held;
	struct err err;
	int status = EXIT_FINE, rc = counter_input_hold(&held, path, &err);

	if (rc >= 0)
		rc = log_counters_add_file(&a->counters, path, &held, &err);
	if (rc < 0) {
		message("%s", err.text);
		status = EXIT_FAILED;
	} else if (!rc) {
		status = add_recording(a, path, &held);
	}
	source_release(&held);
	fill_date(a, path);
	return status;
}

static int add_files(struct adding *a)
{
	struct strbuf names = STRBUF_INIT;
	int status = EXIT_FINE;

	for (size_t i = 0; i < a->c->files.n && status == EXIT_FINE; i++) {
		const char *path = a->c->files.v[i];

		status = add_file(a, path);
		strbuf_addf(&names, "%s%s", i ? " " : "", path);
	}
	fill(a, LOG_RECORDING, strbuf_str(&names));
	strbuf_release(&names);
	return status;
}

/* ---- the rest of the row ---- */

static int fill_commit(struct adding *a)
{
	struct git_head head;
	struct err err;

	if (a->row.cell[LOG_COMMIT])
		return EXIT_FINE;
	if (git_head_read(&head, ".", &err) < 0) {
		message("%s", err.text);
		return EXIT_FAILED;
	}
	if (head.commit) {
		head.commit[12] = '\0';
		fill(a, LOG_COMMIT, head.commit);
	} else if (!a->c->in.quiet) {
		message(head.root
				? "Nothing was committed yet: the row has no commit."
				: "The directory is in no git repository: the row has no commit.");
	}
	git_head_release(&head);
	return EXIT_FINE;
}

static void fill_counted(struct adding *a)
{
	struct strbuf sb = STRBUF_INIT;
	char text[LOG_COUNTERS_TEXT];

	if (a->samples) {
		strbuf_addu(&sb, a->samples);
		fill(a, LOG_SAMPLES, strbuf_str(&sb));
	}
	strbuf_release(&sb);
	fill(a, LOG_IPC, log_counters_ipc(&a->counters, text));
	fill(a, LOG_MPKI, log_counters_mpki(&a->counters, text));
	fill(a, LOG_BRANCH_MISS, log_counters_branch_miss(&a->counters, text));
}

static int write_row(struct adding *a, const char *path)
{
	char *warnings[LOG_WARNINGS];
	struct log_file log;
	struct err err;
	size_t n;

	if (log_file_read(&log, path, &err) < 0) {
		message("%s", err.text);
		return EXIT_FAILED;
	}
	n = log_warnings(log.rows.n ? &log.rows.v[log.rows.n - 1] : NULL, &a->row, warnings);
	for (size_t i = 0; i < n; i++) {
		if (!a->c->in.quiet)
			message("%s", warnings[i]);
		free(warnings[i]);
	}
	if (log_file_add(&log, path, &a->row, &err) < 0) {
		message("%s", err.text);
		a->status = EXIT_FAILED;
	}
	log_file_release(&log);
	return a->status;
}

int log_add(struct log_command *c, const char *path)
{
	struct adding a = { .c = c, .status = EXIT_FINE };
	int status;

	for (int i = 0; i < LOG_COLUMNS; i++)
		fill(&a, (enum log_column)i, c->cell[i]);
	status = add_files(&a);
	if (status == EXIT_FINE)
		status = fill_commit(&a);
	if (status == EXIT_FINE) {
		fill_counted(&a);
		if (a.counters.incomplete)
			a.status = EXIT_PROBLEMS;
		status = write_row(&a, path);
	}
	log_counters_release(&a.counters);
	log_row_release(&a.row);
	return status;
}
