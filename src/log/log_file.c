/* SPDX-License-Identifier: MIT */
/*
 * Reading and writing the log.  A cell is one line: line breaks in what the user says become
 * blanks.  A new row goes behind the last one of the table, so text below a Markdown table stays
 * below it.
 */
#include "log/log_file.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "base/strbuf.h"
#include "view/escape.h"

#define MAX_SIZE (64u << 20)

static const char *const names[LOG_COLUMNS] = {
	[LOG_DATE] = "date",
	[LOG_COMMIT] = "commit",
	[LOG_CHANGE] = "change",
	[LOG_HYPOTHESIS] = "hypothesis",
	[LOG_OFFERED] = "offered rate",
	[LOG_THROUGHPUT] = "throughput",
	[LOG_P99] = "p99",
	[LOG_P999] = "p99.9",
	[LOG_IPC] = "IPC",
	[LOG_MPKI] = "LLC MPKI",
	[LOG_BRANCH_MISS] = "branch-miss %",
	[LOG_SAMPLES] = "samples",
	[LOG_HOTTEST] = "hottest",
	[LOG_FLAMEGRAPH] = "flame graph",
	[LOG_COMMAND] = "command",
	[LOG_MACHINE] = "machine",
	[LOG_EVENT] = "event",
	[LOG_RECORDING] = "recording",
};

const char *log_column_name(enum log_column c)
{
	return names[c];
}

/* ---- cells ---- */

typedef VEC(char *) cells;

static void cells_release(cells *c)
{
	for (size_t i = 0; i < c->n; i++)
		free(c->v[i]);
	vec_release(c);
}

static void push_cell(cells *c, struct strbuf *sb)
{
	vec_push(c, sb->n ? strbuf_detach(sb) : xstrdup(""));
	strbuf_clear(sb);
}

/* One line of CSV from P; behind it.  UNCLOSED: a quote lasts to the end of the text. */
static const char *csv_line(const char *p, const char *end, cells *c, bool *unclosed)
{
	struct strbuf sb = STRBUF_INIT;
	bool quoted = false;

	for (; p < end; p++) {
		if (quoted && *p == '"' && p + 1 < end && p[1] == '"')
			strbuf_addc(&sb, *p++);
		else if (*p == '"' && (quoted || !sb.n))
			quoted = !quoted;
		else if (!quoted && *p == ',')
			push_cell(c, &sb);
		else if (!quoted && *p == '\n')
			break;
		else if (*p != '\r' || quoted)
			strbuf_addc(&sb, *p);
	}
	push_cell(c, &sb);
	strbuf_release(&sb);
	*unclosed = quoted;
	return p < end ? p + 1 : p;
}

static void push_trimmed(cells *c, struct strbuf *sb)
{
	while (sb->n && isspace((unsigned char)sb->s[sb->n - 1]))
		sb->s[--sb->n] = '\0';
	push_cell(c, sb);
}

/* One line of a Markdown table: "| a | b |"; no cells when it is none. */
static const char *markdown_line(const char *p, const char *end, cells *c)
{
	const char *newline = memchr(p, '\n', (size_t)(end - p)), *stop = newline ? newline : end;
	struct strbuf sb = STRBUF_INIT;

	while (p < stop && isspace((unsigned char)*p))
		p++;
	if (p < stop && *p == '|') {
		for (p++; p < stop; p++) {
			if (*p == '\\' && p + 1 < stop && ispunct((unsigned char)p[1]))
				strbuf_addc(&sb, *++p);
			else if (*p == '|')
				push_trimmed(c, &sb);
			else if (sb.n || !isspace((unsigned char)*p))
				strbuf_addc(&sb, *p);
		}
	}
	strbuf_release(&sb);
	return newline ? newline + 1 : end;
}

static bool is_rule(const cells *c)
{
	for (size_t i = 0; i < c->n; i++)
		if (!c->v[i][0] || c->v[i][strspn(c->v[i], ":-")])
			return false;
	return c->n > 0;
}

static int column_of(const char *name)
{
	for (int i = 0; i < LOG_COLUMNS; i++)
		if (!strcasecmp(names[i], name))
			return i;
	return -1;
}

/* ---- reading ---- */

/* Whether the cells name the columns of a log: the date and the change have to be there. */
static bool take_head(struct log_file *log, const cells *c)
{
	bool date = false, change = false;

	for (size_t i = 0; i < c->n; i++) {
		date |= column_of(c->v[i]) == LOG_DATE;
		change |= column_of(c->v[i]) == LOG_CHANGE;
	}
	if (!date || !change)
		return false;
	for (size_t i = 0; i < c->n; i++)
		vec_push(&log->columns, column_of(c->v[i]));
	return true;
}

static void take_row(struct log_file *log, cells *c)
{
	struct log_row row = { { NULL } };

	for (size_t i = 0; i < c->n && i < log->columns.n; i++) {
		int column = log->columns.v[i];

		if (column < 0 || row.cell[column] || !c->v[i][0])
			continue;
		row.cell[column] = c->v[i];
		c->v[i] = NULL;
	}
	vec_push(&log->rows, row);
}

static void parse(struct log_file *log)
{
	const char *p = log->text, *end = log->text + log->len;
	bool over = false; /* the table ended */

	while (p < end) {
		const char *line = p;
		cells c = { 0 };
		bool blank;

		p = log->markdown ? markdown_line(p, end, &c)
				  : csv_line(p, end, &c, &log->unclosed);
		blank = !c.n || (c.n == 1 && !c.v[0][0]);
		if (!log->columns.n) {
			if (take_head(log, &c))
				log->end = (size_t)(p - log->text);
		} else if (blank) {
			over |= log->markdown;
		} else if (!over) {
			if (!log->markdown || !is_rule(&c))
				take_row(log, &c);
			log->end = (size_t)(p - log->text);
		}
		cells_release(&c);
		if (p == line)
			break;
	}
}

void log_file_parse(struct log_file *log, char *text, size_t len, bool markdown)
{
	*log = (struct log_file){ .markdown = markdown, .exists = true, .text = text, .len = len };
	parse(log);
}

static int read_text(char **text, size_t *len, const char *path, struct err *err)
{
	FILE *f = fopen(path, "re");
	struct stat st;

	*text = NULL;
	if (!f && errno == ENOENT)
		return 0;
	if (!f)
		return err_set(err, ERR_IO, "%s cannot be opened: %s.", path, strerror(errno));
	if (fstat(fileno(f), &st) || !S_ISREG(st.st_mode) || st.st_size > MAX_SIZE) {
		fclose(f);
		return err_set(err, ERR_UNSUPPORTED, "%s is no file that could be a log.", path);
	}
	*text = xmalloc((size_t)st.st_size + 1);
	*len = fread(*text, 1, (size_t)st.st_size, f);
	(*text)[*len] = '\0';
	fclose(f);
	return 0;
}

static bool is_markdown(const char *path)
{
	const char *dot = strrchr(path, '.');

	return dot && (!strcasecmp(dot, ".md") || !strcasecmp(dot, ".markdown"));
}

int log_file_read(struct log_file *log, const char *path, struct err *err)
{
	char *text;
	size_t len;
	int r;

	*log = (struct log_file){ .markdown = is_markdown(path) };
	r = read_text(&text, &len, path, err);
	if (r < 0)
		return r;
	if (text)
		log_file_parse(log, text, len, is_markdown(path));
	if (log->unclosed) {
		log_file_release(log);
		return err_set(err, ERR_FORMAT,
			       "%s ends inside of a quoted cell: a quote is not closed.", path);
	}
	if (!log->columns.n && log->len && !log->markdown) {
		log_file_release(log);
		return err_set(err, ERR_FORMAT,
			       "%s is no experiment log: its first line does not name the columns "
			       "date and change.",
			       path);
	}
	return 0;
}

/* ---- writing ---- */

static void markdown_cell(struct strbuf *sb, const char *text)
{
	struct strbuf safe = STRBUF_INIT;

	escape_terminal(&safe, text);
	strbuf_addc(sb, ' ');
	for (const char *p = strbuf_str(&safe); *p; p++) {
		if (strchr("\\|`*_<>[]", *p))
			strbuf_addc(sb, '\\');
		strbuf_addc(sb, *p);
	}
	strbuf_adds(sb, " |");
	strbuf_release(&safe);
}

static char *one_line(const char *text)
{
	char *copy = xstrdup(text ? text : "");

	for (char *p = copy; *p; p++)
		if (*p == '\n' || *p == '\r' || *p == '\t')
			*p = ' ';
	return copy;
}

static void write_cell(const struct log_file *log, size_t at, const char *text, struct strbuf *sb)
{
	char *line = one_line(text);

	if (log->markdown) {
		markdown_cell(sb, line);
	} else {
		if (at)
			strbuf_addc(sb, ',');
		escape_csv(sb, line, ',');
	}
	free(line);
}

static void write_head(const struct log_file *log, struct strbuf *sb)
{
	if (log->markdown && log->len)
		strbuf_addc(sb, '\n'); /* apart from the text above */
	if (log->markdown)
		strbuf_addc(sb, '|');
	for (size_t i = 0; i < LOG_COLUMNS; i++)
		write_cell(log, i, names[i], sb);
	strbuf_addc(sb, '\n');
	if (!log->markdown)
		return;
	for (size_t i = 0; i < LOG_COLUMNS; i++)
		strbuf_adds(sb, "|---");
	strbuf_adds(sb, "|\n");
}

static void write_row(const struct log_file *log, const struct log_row *row, struct strbuf *sb)
{
	size_t n = log->columns.n ? log->columns.n : LOG_COLUMNS;

	if (log->markdown)
		strbuf_addc(sb, '|');
	for (size_t i = 0; i < n; i++) {
		int column = log->columns.n ? log->columns.v[i] : (int)i;

		write_cell(log, i, column < 0 ? "" : row->cell[column], sb);
	}
	strbuf_addc(sb, '\n');
}

void log_file_added(const struct log_file *log, const struct log_row *row, size_t *at,
		    struct strbuf *sb)
{
	*at = log->columns.n ? log->end : log->len;
	if (*at && log->text[*at - 1] != '\n')
		strbuf_addc(sb, '\n');
	if (!log->columns.n)
		write_head(log, sb);
	write_row(log, row, sb);
	strbuf_add(sb, log->text ? log->text + *at : "", log->len - *at);
}

int log_file_add(const struct log_file *log, const char *path, const struct log_row *row,
		 struct err *err)
{
	FILE *f = fopen(path, log->exists ? "r+e" : "wxe");
	struct strbuf sb = STRBUF_INIT;
	bool failed;
	size_t at;

	if (!f)
		return err_set(err, ERR_IO, "%s cannot be written: %s.", path, strerror(errno));
	log_file_added(log, row, &at, &sb);
	failed = fseek(f, (long)at, SEEK_SET) || fwrite(sb.s, 1, sb.n, f) != sb.n;
	failed |= fclose(f) != 0;
	strbuf_release(&sb);
	return failed ? err_set(err, ERR_IO, "%s cannot be written: %s.", path, strerror(errno))
		      : 0;
}

void log_row_release(struct log_row *row)
{
	for (size_t i = 0; i < LOG_COLUMNS; i++)
		free(row->cell[i]);
	*row = (struct log_row){ { NULL } };
}

void log_file_release(struct log_file *log)
{
	for (size_t i = 0; i < log->rows.n; i++)
		log_row_release(&log->rows.v[i]);
	vec_release(&log->rows);
	vec_release(&log->columns);
	free(log->text);
	log->text = NULL;
}
