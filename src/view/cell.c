/* SPDX-License-Identifier: MIT */
#include "view/cell.h"

#include <inttypes.h>

#include "view/number.h"

void cell_take(struct grid *g, struct strbuf *sb, enum colour colour)
{
	grid_cell(g, strbuf_str(sb), colour);
	strbuf_release(sb);
}

void cell_time(struct grid *g, uint64_t ns, bool eyes)
{
	struct strbuf sb = STRBUF_INIT;

	if (!eyes)
		strbuf_addu(&sb, ns);
	else if (ns)
		number_duration(&sb, (double)ns / 1e9);
	else
		strbuf_adds(&sb, "–");
	cell_take(g, &sb, COLOUR_NONE);
}

void cell_count(struct grid *g, uint64_t n, bool eyes, enum colour colour)
{
	struct strbuf sb = STRBUF_INIT;

	if (!eyes)
		strbuf_addu(&sb, n);
	else if (n)
		number_thousands(&sb, n);
	else
		strbuf_adds(&sb, "–");
	cell_take(g, &sb, n ? colour : COLOUR_NONE);
}

void cell_id(struct grid *g, int64_t v)
{
	struct strbuf sb = STRBUF_INIT;

	if (v >= 0)
		strbuf_addf(&sb, "%" PRId64, v);
	cell_take(g, &sb, COLOUR_NONE);
}
