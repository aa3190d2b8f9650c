/* SPDX-License-Identifier: MIT */
/*
 * An experiment log: the first byte says whether it is Markdown.  A row that is added is read back
 * as it was, and the rows before it stay.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/xmalloc.h"
#include "log/log_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool holds)
{
	if (!holds)
		abort();
}

static bool same(const char *a, const char *b)
{
	return !a || !b ? a == b : !strcmp(a, b);
}

/* Whether the table has a column for C: a cell is read from the first one of its name. */
static bool has(const struct log_file *log, enum log_column c)
{
	for (size_t i = 0; i < log->columns.n; i++)
		if (log->columns.v[i] == (int)c)
			return true;
	return !log->columns.n;
}

static void add_row(const struct log_file *log)
{
	struct log_row row = { .cell = { [LOG_DATE] = (char *)"2024-05-06",
					 [LOG_CHANGE] = (char *)"a | b, \"c\" `d` \\",
					 [LOG_HOTTEST] = (char *)"x<y>(int*)" } };
	struct strbuf sb = STRBUF_INIT;
	struct log_file now;
	size_t at, len;
	char *text;

	log_file_added(log, &row, &at, &sb);
	must(at <= log->len && sb.n);
	len = at + sb.n;
	text = xmalloc(len + 1);
	memcpy(text, log->text, at);
	memcpy(text + at, sb.s, sb.n + 1);
	strbuf_release(&sb);
	log_file_parse(&now, text, len, log->markdown);
	must(now.rows.n > log->rows.n);
	for (size_t i = 0; i < log->rows.n; i++)
		for (int c = 0; c < LOG_COLUMNS; c++)
			must(same(now.rows.v[i].cell[c], log->rows.v[i].cell[c]));
	for (int c = 0; c < LOG_COLUMNS; c++)
		must(same(now.rows.v[log->rows.n].cell[c], has(log, c) ? row.cell[c] : NULL));
	log_file_release(&now);
}

static void warn(const struct log_file *log)
{
	char *text[LOG_WARNINGS];

	for (size_t i = 1; i < log->rows.n; i++) {
		size_t n = log_warnings(&log->rows.v[i - 1], &log->rows.v[i], text);

		must(n <= LOG_WARNINGS);
		while (n--)
			free(text[n]);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct log_file log;

	if (!size)
		return 0;
	log_file_parse(&log, xstrndup((const char *)data + 1, size - 1), size - 1, data[0] & 1);
	must(log.end <= log.len);
	must(log.columns.n || !log.rows.n);
	warn(&log);
	if (!log.unclosed)
		add_row(&log);
	log_file_release(&log);
	return 0;
}
