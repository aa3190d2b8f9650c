/* SPDX-License-Identifier: MIT */
/*
 * An experiment log: a table with a row for each experiment, in a CSV file or in a Markdown file
 * that may have text around it.  Its first row names the columns; columns that this program does
 * not know are the user's, and are kept.
 */
#ifndef PERFREP_LOG_LOG_FILE_H
#define PERFREP_LOG_LOG_FILE_H

#include <stdbool.h>
#include <stddef.h>

#include <perfrep/err.h>

#include "base/strbuf.h"
#include "base/vec.h"

enum log_column {
	LOG_DATE,
	LOG_COMMIT,
	LOG_CHANGE,
	LOG_HYPOTHESIS,
	LOG_OFFERED,
	LOG_THROUGHPUT,
	LOG_P99,
	LOG_P999,
	LOG_IPC,
	LOG_MPKI,
	LOG_BRANCH_MISS,
	LOG_SAMPLES,
	LOG_HOTTEST,
	LOG_FLAMEGRAPH,
	LOG_COMMAND,
	LOG_MACHINE,
	LOG_EVENT,
	LOG_RECORDING,
	LOG_COLUMNS,
};

struct log_row {
	char *cell[LOG_COLUMNS]; /* NULL: empty, or the file has no such column */
};

struct log_file {
	bool markdown;
	bool exists;
	VEC(int) columns; /* of the file: enum log_column, or -1 for the user's own */
	VEC(struct log_row) rows;
	size_t end; /* where the next row goes */
	bool unclosed; /* CSV that ends inside of a quoted cell: no row can be added */
	char *text; /* of the whole file */
	size_t len;
};

const char *log_column_name(enum log_column c);
/* Take in TEXT, from malloc(), of LEN bytes and a NUL: a log, or what has none yet. */
void log_file_parse(struct log_file *log, char *text, size_t len, bool markdown);
/* A file that does not exist is an empty log. */
int log_file_read(struct log_file *log, const char *path, struct err *err);
/* What stands from *AT on when ROW is behind the last one, in a new log below the head. */
void log_file_added(const struct log_file *log, const struct log_row *row, size_t *at,
		    struct strbuf *sb);
/* Write that. */
int log_file_add(const struct log_file *log, const char *path, const struct log_row *row,
		 struct err *err);
void log_file_release(struct log_file *log);
void log_row_release(struct log_row *row);

/*
 * What makes AFTER hard to compare with BEFORE, as sentences, each for the caller to free; how
 * many.  OUT has room for LOG_WARNINGS.
 */
enum { LOG_WARNINGS = 4 };
size_t log_warnings(const struct log_row *before, const struct log_row *after, char **out);

#endif
