/* SPDX-License-Identifier: MIT */
/* How a comparison's numbers are written. */
#include "view/diff.h"

#include <math.h>

#include "view/grid.h"
#include "view/json.h"
#include "view/number.h"

const char *diff_kind_name(unsigned kind)
{
	static const char *const names[DIFF_KINDS] = {
		[DIFF_SLOWER] = "slower", [DIFF_FASTER] = "faster",   [DIFF_NEW] = "new",
		[DIFF_GONE] = "gone",     [DIFF_SHIFTED] = "shifted", [DIFF_NOISE] = "noise",
		[DIFF_FEW] = "too few",
	};

	return kind < DIFF_KINDS ? names[kind] : "?";
}

void diff_files_columns(struct grid *g)
{
	grid_column(g, &(struct grid_column){ .name = "file_before" });
	grid_column(g, &(struct grid_column){ .name = "file_after" });
}

void diff_files_cells(const struct diff_print *what, struct grid *g)
{
	for (int side = 0; side < 2; side++)
		grid_cell(g, what->name[side] ? what->name[side] : "", COLOUR_NONE);
}

/* A weight that need not be whole: what an operation costs may be a fraction of an event. */
static void weight_text(const struct diff *d, double v, struct strbuf *sb)
{
	if (d->unit && d->unit[0] == 'n' && d->unit[1] == 's' && !d->unit[2]) {
		number_duration(sb, v / 1e9);
		return;
	}
	if (v > 0 && v < 0.01)
		strbuf_addf(sb, "%.2g", v);
	else
		number_si(sb, v);
	if (d->unit && *d->unit)
		strbuf_addf(sb, " %s", d->unit);
}

void diff_cost(const struct diff *d, double cost, struct strbuf *sb)
{
	if (d->opts.norm == DIFF_SHARE) {
		number_percent(sb, cost);
		strbuf_adds(sb, " %");
	} else {
		weight_text(d, cost, sb);
	}
}

void diff_delta(const struct diff *d, const struct diff_measure *m, struct strbuf *sb)
{
	const char *sign = m->delta < 0 ? "-" : m->delta > 0 ? "+" : "";
	double v = fabs(m->delta);
	int decimals = v >= 0.00095 || !(v > 0) ? 1 : 3;
	double unit = pow(10, decimals);

	strbuf_adds(sb, sign);
	if (d->opts.norm == DIFF_SHARE) {
		/* the margin is rounded up so that it does not claim too much */
		strbuf_addf(sb, "%.*f ±%.*f", decimals, v * 100, decimals,
			    fmax(ceil(m->half * 100 * unit - 1e-9), 0) / unit);
		return;
	}
	weight_text(d, v, sb);
	strbuf_adds(sb, " ±");
	weight_text(d, m->half, sb);
}

void diff_change(const struct diff_measure *m, struct strbuf *sb)
{
	double ratio;

	if (!(m->cost[0] > 0) || !(m->cost[1] > 0))
		return;
	ratio = m->cost[1] / m->cost[0];
	if (ratio >= 3)
		strbuf_addf(sb, "×%.1f", ratio);
	else
		strbuf_addf(sb, "%+.*f %%", fabs(ratio - 1) < 0.0995 ? 1 : 0, (ratio - 1) * 100);
}

void diff_chance(double q, struct strbuf *sb)
{
	if (q < 0.001)
		strbuf_adds(sb, "<0.001");
	else
		strbuf_addf(sb, "%.3f", q);
}

struct json_object *diff_measure_json(const struct diff_measure *m)
{
	struct json_object *o = json_new();

	json_put_real(o, "before", m->cost[0], 6);
	json_put_real(o, "after", m->cost[1], 6);
	json_put_real(o, "delta", m->delta, 6);
	json_put_real(o, "margin", m->half, 6);
	json_put_real(o, "p", m->p, 9);
	json_put_real(o, "q", m->q, 9);
	json_put_real(o, "share_before", m->share[0], 6);
	json_put_real(o, "share_after", m->share[1], 6);
	json_put_uint(o, "weight_before", m->weight[0]);
	json_put_uint(o, "weight_after", m->weight[1]);
	json_put_uint(o, "samples_before", m->samples[0]);
	json_put_uint(o, "samples_after", m->samples[1]);
	return o;
}
