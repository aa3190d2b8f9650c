/* SPDX-License-Identifier: MIT */
/*
 * Any table of strings in any format but JSON.  Cells are raw text; the grid escapes them for the
 * format, and in text finds the widths, drops columns and shortens names until the lines fit.
 */
#ifndef PERFREP_VIEW_GRID_H
#define PERFREP_VIEW_GRID_H

#include <perfrep/view.h>

#include "base/arena.h"
#include "base/strbuf.h"
#include "base/vec.h"
#include "view/colour.h"

struct grid_column {
	const char *name; /* for machines */
	const char *header; /* for eyes */
	bool right; /* aligned */
	bool code; /* Markdown: as a code span */
	bool symbol; /* holds names of functions: shortened as such */
	uint8_t drop; /* when the width does not suffice the highest goes first; 0: stays */
	uint8_t shrink; /* may be shortened to so many columns of the terminal; 0: never */
};

struct grid_cell {
	const char *text;
	enum colour colour;
};

/* A line of text alone, in front of a row. */
struct grid_line {
	size_t row;
	const char *text;
};

struct grid {
	VEC(struct grid_column) columns;
	VEC(struct grid_line) lines; /* by row */
	VEC(struct grid_cell) cells; /* row by row */
	struct arena arena;
};

void grid_column(struct grid *g, const struct grid_column *column);
#define GRID_COLUMNS(g, list) grid_columns(g, list, sizeof(list) / sizeof(*(list)))
void grid_columns(struct grid *g, const struct grid_column *list, size_t n);
/* The next cell; TEXT is copied. */
void grid_cell(struct grid *g, const char *text, enum colour colour);
/* Text format only: a line between the rows that are there and those that come. */
void grid_line(struct grid *g, const char *text);
size_t grid_rows(const struct grid *g);
/* Header and rows. */
void grid_print(const struct grid *g, const struct view_style *style, struct strbuf *sb);
void grid_print_header(const struct grid *g, const struct view_style *style, struct strbuf *sb);
void grid_print_rows(const struct grid *g, const struct view_style *style, struct strbuf *sb);
void grid_release(struct grid *g);

#endif
