/* SPDX-License-Identifier: MIT */
/*
 * Ratios of two events from the sums of a row.  Sums are kept by slices of the recording's time,
 * since samples near each other are alike, and what varies between slices tells how sure a ratio
 * is.
 *
 * Events that were read together (a group whose leader is sampled) give both numbers of the same
 * samples.  Events that were sampled apart land apart: both sums vary by themselves.
 */
#include "view/ratio_amount.h"

#include <math.h>
#include <string.h>

#include "base/strbuf.h"
#include "view/wrap.h"

struct ratio_rule {
	enum counter_role y, x;
	double scale;
};

static const struct ratio_rule rules[RATIO_TOPDOWN] = {
	[RATIO_IPC] = { ROLE_INSTRUCTIONS, ROLE_CYCLES, 1 },
	[RATIO_BRANCH_MISS] = { ROLE_BRANCH_MISSES, ROLE_BRANCHES, 100 },
	[RATIO_MPKI] = { ROLE_LLC_MISSES, ROLE_INSTRUCTIONS, 1000 },
	[RATIO_FAULTS] = { ROLE_PAGE_FAULTS, ROLE_CPU_TIME, 1e9 },
	[RATIO_SWITCHES] = { ROLE_CONTEXT_SWITCHES, ROLE_CPU_TIME, 1e9 },
};

bool ratio_has_role(const struct ratio_events *e, enum counter_role role)
{
	return e->event[role][0] != PROFILE_NONE;
}

static double row_variance(const struct row_slices *s, uint32_t event, size_t row)
{
	double all = (double)s->profile->events[event].weight;
	struct share share;

	if (all <= 0)
		return 0;
	share = row_slices_share(s, event, row, false);
	return share_variance(&share) * all * all;
}

struct amount amount_of(const struct ratio_work *w, enum counter_role role)
{
	struct amount a = { .value = 0 };

	for (size_t k = 0; k < COUNTER_KINDS; k++) {
		uint32_t event = w->e->event[role][k];
		const struct profile_event *e;

		if (event == PROFILE_NONE)
			break;
		e = &w->s->profile->events[event];
		a.value += (double)w->s->v[event].weight[w->row];
		a.samples += w->s->v[event].samples[w->row];
		a.var += row_variance(w->s, event, w->row);
		if (e->samples && (double)e->weight / (double)e->samples > a.mean)
			a.mean = (double)e->weight / (double)e->samples;
	}
	return a;
}

bool ratio_read_together(const struct ratio_events *e, enum counter_role y, enum counter_role x)
{
	return e->group && e->event[y][1] == PROFILE_NONE && e->event[x][1] == PROFILE_NONE &&
	       e->group[e->event[y][0]] == e->group[e->event[x][0]];
}

static struct ratio ratio_of(const struct ratio_work *w, enum counter_role y, enum counter_role x,
			     const struct amount *ay, const struct amount *ax)
{
	if (ratio_read_together(w->e, y, x) && w->s->profile->timed)
		return ratio_of_blocks(row_slices_of(w->s, w->e->event[y][0], w->row),
				       row_slices_of(w->s, w->e->event[x][0], w->row),
				       PROFILE_BLOCKS);
	return ratio_apart(ay->value, ay->var, ax->value, ax->var);
}

static bool has_ratio(const struct ratio_events *e, int kind)
{
	return ratio_has_role(e, rules[kind].y) && ratio_has_role(e, rules[kind].x);
}

static struct ratio_cell cell_of(const struct ratio_work *w, int kind)
{
	const struct ratio_rule *rule = &rules[kind];
	struct amount y = amount_of(w, rule->y), x = amount_of(w, rule->x);
	struct ratio_cell c = { .state = RATIO_ABSENT };
	struct ratio r;

	if (!x.samples && !y.samples)
		return c;
	if (x.samples < RATIO_MIN_SAMPLES || y.samples < RATIO_MIN_SAMPLES) {
		c.state = RATIO_TOO_FEW;
		return c;
	}
	r = ratio_of(w, rule->y, rule->x, &y, &x);
	c.state = RATIO_KNOWN;
	c.value = r.r * rule->scale;
	c.half = r.half * rule->scale;
	return c;
}

/* ---- the verdict ---- */

struct bounds {
	double low, high; /* events per cycle */
};

/* With few samples, what a Poisson number of them may stand for (score interval, 95 %). */
static struct bounds bounds_of(const struct ratio_work *w, enum counter_role role,
			       const struct amount *cycles)
{
	struct amount a = amount_of(w, role);
	double n = (double)a.samples, z2 = STAT_Z95 * STAT_Z95;
	struct ratio r;

	if (a.samples < RATIO_MIN_SAMPLES)
		return (struct bounds){ 0, (n + z2 / 2 + STAT_Z95 * sqrt(n + z2 / 4)) * a.mean /
						   cycles->value };
	r = ratio_of(w, role, ROLE_CYCLES, &a, cycles);
	return (struct bounds){ r.r > r.half ? r.r - r.half : 0, r.r + r.half };
}

static double at_most_1(double v)
{
	return v < 1 ? v : 1;
}

/* Every verdict that values within the bounds and either overlap give. */
static unsigned outcomes(const struct bounds *llc, const struct bounds *branch,
			 const struct ratio_events *e)
{
	double memory[] = { llc->low * e->together.dram_latency_cycles / e->together.mlp,
			    llc->high * e->alone.dram_latency_cycles / e->alone.mlp };
	double lost[] = { branch->low * e->alone.mispredict_penalty,
			  branch->high * e->alone.mispredict_penalty };
	unsigned set = 0;

	for (int i = 0; i < 2; i++)
		for (int k = 0; k < 2; k++)
			set |= 1u << classify_fractions(at_most_1(memory[i]), at_most_1(lost[k]));
	return set;
}

static struct row_verdict verdict_of(const struct ratio_work *w)
{
	struct amount cycles = amount_of(w, ROLE_CYCLES);
	struct row_verdict v = { .state = RATIO_ABSENT };
	struct bounds llc, branch;

	if (!cycles.samples)
		return v;
	v.state = RATIO_TOO_FEW;
	if (cycles.samples < RATIO_MIN_SAMPLES || cycles.value <= 0)
		return v;
	llc = bounds_of(w, ROLE_LLC_MISSES, &cycles);
	branch = bounds_of(w, ROLE_BRANCH_MISSES, &cycles);
	v.may_be = outcomes(&llc, &branch, w->e);
	v.state = RATIO_KNOWN;
	return v;
}

/* ---- rows ---- */

struct ratio_shape ratios_shape(const struct ratio_events *e)
{
	struct ratio_shape s = { .grouped = true };

	for (int k = 0; k < RATIO_TOPDOWN; k++) {
		s.has[k] = has_ratio(e, k);
		s.any |= s.has[k];
		s.grouped &= !s.has[k] || ratio_read_together(e, rules[k].y, rules[k].x);
	}
	s.verdicts = ratio_has_role(e, ROLE_CYCLES) && ratio_has_role(e, ROLE_LLC_MISSES) &&
		     ratio_has_role(e, ROLE_BRANCH_MISSES);
	topdown_shape(&s, e);
	return s;
}

void ratios_want(const struct ratio_events *e, struct row_slices *s)
{
	for (int role = 0; role < ROLE_MAX; role++)
		for (size_t k = 0; k < COUNTER_KINDS; k++)
			if (e->event[role][k] != PROFILE_NONE)
				row_slices_want(s, e->event[role][k]);
}

struct ratio_row ratios_of_row(const struct ratio_events *e, const struct ratio_shape *shape,
			       const struct row_slices *s, size_t row)
{
	const struct ratio_work w = { .e = e, .s = s, .row = row };
	struct ratio_row r = { .verdict = { .state = RATIO_ABSENT } };

	for (int k = 0; k < RATIO_TOPDOWN; k++)
		if (shape->has[k])
			r.cells[k] = cell_of(&w, k);
	if (shape->verdicts)
		r.verdict = verdict_of(&w);
	topdown_cells(&r, shape, &w);
	return r;
}

void ratios_note(const struct ratio_shape *shape, const struct view_style *style, struct strbuf *sb)
{
	const char *text =
		"Events were sampled apart: a sample lands some instructions behind its cause, not "
		"equally far for each event, so ratios of short functions mix with their "
		"neighbours'.";

	if (!(shape->grouped || shape->has[RATIO_IPC] || shape->has[RATIO_MPKI] ||
	      shape->has[RATIO_BRANCH_MISS] || shape->has[RATIO_TOPDOWN]))
		return; /* the kernel's own events don't skid */
	if (shape->grouped)
		text = "Events were read together: what was counted since the sample before is all "
		       "given to the function that was sampled, so functions that run shorter than "
		       "that look alike.";
	if (style->format == VIEW_MARKDOWN)
		strbuf_addc(sb, '\n');
	colour_on(sb, style->colour, COLOUR_DIM);
	wrap_text(sb, style->width, 0, 2, text);
	colour_off(sb, style->colour, COLOUR_DIM);
}
