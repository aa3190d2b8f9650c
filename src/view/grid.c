/* SPDX-License-Identifier: MIT */
/*
 * Fitting a width: columns keep their natural width while that fits; then those that may be
 * shortened give way, the widest first, down to a readable minimum; if that does not suffice
 * whole columns go, the least important first.  The last column is never padded, so without a
 * limit a long name costs nothing; any other column is padded to at most PAD_LIMIT.
 */
#include "view/grid.h"

#include <string.h>

#include "view/escape.h"
#include "view/shorten.h"
#include "view/utf8.h"

#define GAP       2
#define PAD_LIMIT 48

void grid_column(struct grid *g, const struct grid_column *column)
{
	vec_push(&g->columns, *column);
}

void grid_columns(struct grid *g, const struct grid_column *list, size_t n)
{
	for (size_t i = 0; i < n; i++)
		grid_column(g, &list[i]);
}

void grid_cell(struct grid *g, const char *text, enum colour colour)
{
	const char *copy = arena_strndup(&g->arena, text, strlen(text));

	vec_push(&g->cells, (struct grid_cell){ copy, colour });
}

void grid_line(struct grid *g, const char *text)
{
	const char *copy = arena_strndup(&g->arena, text, strlen(text));

	vec_push(&g->lines, (struct grid_line){ grid_rows(g), copy });
}

size_t grid_rows(const struct grid *g)
{
	return g->columns.n ? g->cells.n / g->columns.n : 0;
}

void grid_release(struct grid *g)
{
	vec_release(&g->columns);
	vec_release(&g->cells);
	vec_release(&g->lines);
	arena_release(&g->arena);
}

static const struct grid_cell *cell_at(const struct grid *g, size_t row, size_t col)
{
	return &g->cells.v[row * g->columns.n + col];
}

/* ---- text ---- */

struct layout {
	unsigned *width; /* by column; 0: dropped */
	size_t last; /* the last column that is shown */
};

static unsigned cell_width(const char *text)
{
	struct strbuf safe = STRBUF_INIT;
	unsigned w;

	escape_terminal(&safe, text);
	w = utf8_columns(strbuf_str(&safe), safe.n);
	strbuf_release(&safe);
	return w;
}

static void natural_widths(const struct grid *g, struct layout *l)
{
	for (size_t c = 0; c < g->columns.n; c++) {
		const char *header = g->columns.v[c].header;

		l->width[c] = cell_width(header);
		for (size_t r = 0; r < grid_rows(g); r++) {
			unsigned w = cell_width(cell_at(g, r, c)->text);

			if (w > l->width[c])
				l->width[c] = w;
		}
		if (!l->width[c])
			l->width[c] = 1; /* 0 means dropped */
	}
}

static unsigned total_width(const struct grid *g, const struct layout *l, bool shrunk)
{
	unsigned sum = 0;

	for (size_t c = 0; c < g->columns.n; c++) {
		unsigned w = l->width[c], shrink = g->columns.v[c].shrink;

		if (!w)
			continue;
		sum += (sum ? GAP : 0) + (shrunk && shrink && shrink < w ? shrink : w);
	}
	return sum;
}

static void drop_columns(const struct grid *g, struct layout *l, unsigned width)
{
	while (total_width(g, l, true) > width) {
		size_t worst = g->columns.n;

		for (size_t c = 0; c < g->columns.n; c++)
			if (l->width[c] && g->columns.v[c].drop &&
			    (worst == g->columns.n ||
			     g->columns.v[c].drop > g->columns.v[worst].drop))
				worst = c;
		if (worst == g->columns.n)
			return;
		l->width[worst] = 0;
	}
}

/* Take columns of the terminal from the widest that may give some, one by one. */
static void shrink_columns(const struct grid *g, struct layout *l, unsigned width)
{
	for (unsigned over = total_width(g, l, false); over > width; over--) {
		size_t widest = g->columns.n;

		for (size_t c = 0; c < g->columns.n; c++)
			if (g->columns.v[c].shrink && l->width[c] > g->columns.v[c].shrink &&
			    (widest == g->columns.n || l->width[c] > l->width[widest]))
				widest = c;
		if (widest == g->columns.n)
			return;
		l->width[widest]--;
	}
}

static void layout_init(const struct grid *g, struct layout *l, unsigned width)
{
	l->width = xcalloc(g->columns.n + 1, sizeof(*l->width));
	natural_widths(g, l);
	if (width) {
		drop_columns(g, l, width);
		shrink_columns(g, l, width);
	}
	l->last = 0;
	for (size_t c = 0; c < g->columns.n; c++) {
		if (l->width[c])
			l->last = c;
		if (!width && l->width[c] > PAD_LIMIT && c + 1 < g->columns.n)
			l->width[c] = PAD_LIMIT;
	}
}

static void pad(struct strbuf *sb, unsigned n)
{
	while (n--)
		strbuf_addc(sb, ' ');
}

/* One cell: shortened when its column says so, else in full. */
static void text_cell(const struct grid *g, const struct layout *l, size_t c, const char *text,
		      enum colour colour, const struct view_style *style, struct strbuf *sb)
{
	const struct grid_column *col = &g->columns.v[c];
	struct strbuf safe = STRBUF_INIT, cut = STRBUF_INIT;
	unsigned w, fill;

	escape_terminal(&safe, text);
	if (style->width && col->shrink && col->symbol)
		shorten_symbol(&cut, strbuf_str(&safe), l->width[c]);
	else if (style->width && col->shrink)
		shorten_middle(&cut, strbuf_str(&safe), l->width[c]);
	else
		strbuf_adds(&cut, strbuf_str(&safe));
	w = utf8_columns(strbuf_str(&cut), cut.n);
	fill = w < l->width[c] ? l->width[c] - w : 0;
	if (col->right)
		pad(sb, fill);
	colour_text(sb, style->colour && cut.n, colour, strbuf_str(&cut));
	if (!col->right && c != l->last)
		pad(sb, fill);
	strbuf_release(&safe);
	strbuf_release(&cut);
}

static void trim_end(struct strbuf *sb, size_t from)
{
	while (sb->n > from && sb->s[sb->n - 1] == ' ')
		sb->s[--sb->n] = '\0';
}

static void text_row(const struct grid *g, const struct layout *l, size_t row, bool header,
		     const struct view_style *style, struct strbuf *sb)
{
	size_t from = sb->n;
	bool first = true;

	for (size_t c = 0; c < g->columns.n; c++) {
		if (!l->width[c])
			continue;
		if (!first)
			pad(sb, GAP);
		first = false;
		if (header)
			text_cell(g, l, c, g->columns.v[c].header, COLOUR_HEADING, style, sb);
		else
			text_cell(g, l, c, cell_at(g, row, c)->text, cell_at(g, row, c)->colour,
				  style, sb);
	}
	trim_end(sb, from);
	strbuf_addc(sb, '\n');
}

static void print_text(const struct grid *g, const struct view_style *style, bool header, bool rows,
		       struct strbuf *sb)
{
	struct layout l;
	size_t line = 0;

	layout_init(g, &l, style->width);
	if (header)
		text_row(g, &l, 0, true, style, sb);
	for (size_t r = 0; rows && r < grid_rows(g); r++) {
		for (; line < g->lines.n && g->lines.v[line].row <= r; line++) {
			colour_text(sb, style->colour, COLOUR_HEADING, g->lines.v[line].text);
			strbuf_addc(sb, '\n');
		}
		text_row(g, &l, r, false, style, sb);
	}
	free(l.width);
}

/* ---- Markdown ---- */

static void markdown_header(const struct grid *g, struct strbuf *sb)
{
	for (size_t c = 0; c < g->columns.n; c++)
		strbuf_addf(sb, "| %s ", g->columns.v[c].header);
	strbuf_adds(sb, "|\n");
	for (size_t c = 0; c < g->columns.n; c++)
		strbuf_adds(sb, g->columns.v[c].right ? "|---:" : "|---");
	strbuf_adds(sb, "|\n");
}

static void markdown_row(const struct grid *g, size_t row, struct strbuf *sb)
{
	for (size_t c = 0; c < g->columns.n; c++) {
		const char *text = cell_at(g, row, c)->text;

		strbuf_adds(sb, "| ");
		if (g->columns.v[c].code && *text)
			escape_markdown(sb, text);
		else
			strbuf_adds(sb, text);
		strbuf_addc(sb, ' ');
	}
	strbuf_adds(sb, "|\n");
}

/* ---- fields with a separator ---- */

static char separator_of(const struct view_style *style)
{
	switch (style->format) {
	case VIEW_CSV:
		return ',';
	case VIEW_TSV:
		return '\t';
	default:
		return style->separator;
	}
}

static void field(const char *text, const struct view_style *style, struct strbuf *sb)
{
	if (style->format == VIEW_CSV)
		escape_csv(sb, text, ',');
	else if (style->format == VIEW_TSV)
		escape_tsv(sb, text);
	else
		escape_separated(sb, text, style->separator);
}

static void fields_row(const struct grid *g, size_t row, bool header,
		       const struct view_style *style, struct strbuf *sb)
{
	for (size_t c = 0; c < g->columns.n; c++) {
		if (c)
			strbuf_addc(sb, separator_of(style));
		field(header ? g->columns.v[c].name : cell_at(g, row, c)->text, style, sb);
	}
	strbuf_addc(sb, '\n');
}

void grid_print_header(const struct grid *g, const struct view_style *style, struct strbuf *sb)
{
	if (style->format == VIEW_TEXT)
		print_text(g, style, true, false, sb);
	else if (style->format == VIEW_MARKDOWN)
		markdown_header(g, sb);
	else
		fields_row(g, 0, true, style, sb);
}

void grid_print_rows(const struct grid *g, const struct view_style *style, struct strbuf *sb)
{
	if (style->format == VIEW_TEXT) {
		print_text(g, style, false, true, sb);
		return;
	}
	for (size_t r = 0; r < grid_rows(g); r++) {
		if (style->format == VIEW_MARKDOWN)
			markdown_row(g, r, sb);
		else
			fields_row(g, r, false, style, sb);
	}
}

void grid_print(const struct grid *g, const struct view_style *style, struct strbuf *sb)
{
	if (style->format == VIEW_TEXT) {
		print_text(g, style, true, true, sb);
		return;
	}
	grid_print_header(g, style, sb);
	grid_print_rows(g, style, sb);
}
