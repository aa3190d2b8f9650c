/* SPDX-License-Identifier: MIT */
/*
 * Shares of issue slots for each row.  The formulas are those for the whole run; how sure their
 * results are follows from how much each changes with each count it is made of (the delta method),
 * times how much the counts vary together between slices of time; of events that were sampled apart
 * each varies by itself, too.
 */
#include "view/ratio_amount.h"

#include <math.h>
#include <string.h>

#define STEP 1e-5 /* relative: small enough to be straight, large enough for doubles */

enum { SHARES = RATIO_KINDS - RATIO_TOPDOWN };

struct slots {
	const struct ratio_work *w;
	struct counter_value v[ROLE_MAX];
	struct amount amount[ROLE_MAX];
	unsigned width;
	double share[SHARES];
	double slope[SHARES][ROLE_MAX]; /* by how much a share changes with a count */
};

/* In the order of enum ratio_kind; below 0 when not known. */
static void shares_of(const struct topdown *t, double out[SHARES])
{
	const double all[SHARES] = {
		t->retiring,       t->heavy,         t->bad_speculation, t->mispredict,
		t->frontend_bound, t->fetch_latency, t->backend_bound,   t->memory_bound,
	};

	for (int i = 0; i < SHARES; i++)
		out[i] = t->level1 ? all[i] : -1;
}

static bool has_part(enum counter_role role)
{
	return role == ROLE_CYCLES || role == ROLE_BRANCH_MISSES || role >= ROLE_RETIRING;
}

/* Whether all counts that shares of slots are made of were read together. */
static bool read_together(const struct ratio_events *e)
{
	enum counter_role first = ROLE_NONE;

	for (int r = 1; r < ROLE_MAX; r++) {
		enum counter_role role = (enum counter_role)r;

		if (!has_part(role) || !ratio_has_role(e, role))
			continue;
		first = first ? first : role;
		if (!ratio_read_together(e, role, first))
			return false;
	}
	return true;
}

void topdown_shape(struct ratio_shape *shape, const struct ratio_events *e)
{
	double share[SHARES];

	if (!e->topdown || !e->topdown->level1)
		return;
	shares_of(e->topdown, share);
	for (int i = 0; i < SHARES; i++)
		shape->has[RATIO_TOPDOWN + i] = share[i] >= 0;
	shape->any = true;
	shape->grouped &= read_together(e);
}

static void take_counts(struct slots *s)
{
	for (int r = 1; r < ROLE_MAX; r++) {
		enum counter_role role = (enum counter_role)r;

		if (!has_part(role) || !ratio_has_role(s->w->e, role))
			continue;
		s->amount[r] = amount_of(s->w, role);
		s->v[r] = (struct counter_value){ .state = COUNTER_COUNTED,
						  .value = s->amount[r].value,
						  .running = 1 };
	}
}

static void find_slopes(struct slots *s)
{
	struct topdown t;
	double moved[SHARES], largest = 0;

	topdown_from(&t, s->v, s->width);
	shares_of(&t, s->share);
	for (int r = 1; r < ROLE_MAX; r++)
		largest = fmax(largest, s->v[r].value);
	for (int r = 1; r < ROLE_MAX; r++) {
		double count = s->v[r].value, step = STEP * (count > 0 ? count : largest);

		if (s->v[r].state != COUNTER_COUNTED || !(step > 0))
			continue;
		s->v[r].value = count + step;
		topdown_from(&t, s->v, s->width);
		shares_of(&t, moved);
		s->v[r].value = count;
		for (int i = 0; i < SHARES; i++)
			s->slope[i][r] = (moved[i] - s->share[i]) / step;
	}
}

static double half_by_slices(const struct slots *s, const double slope[ROLE_MAX])
{
	double d[PROFILE_BLOCKS] = { 0 };

	for (int r = 1; r < ROLE_MAX; r++) {
		const uint32_t *event = s->w->e->event[r];

		if (s->v[r].state != COUNTER_COUNTED)
			continue;
		for (size_t k = 0; k < COUNTER_KINDS && event[k] != PROFILE_NONE; k++)
			for (size_t b = 0; b < PROFILE_BLOCKS; b++)
				d[b] += slope[r] *
					(double)row_slices_of(s->w->s, event[k], s->w->row)[b];
	}
	return half_of_blocks(d, PROFILE_BLOCKS);
}

static double half_apart(const struct slots *s, const double slope[ROLE_MAX])
{
	double var = 0;

	for (int r = 1; r < ROLE_MAX; r++)
		var += slope[r] * slope[r] * s->amount[r].var;
	return STAT_Z95 * sqrt(var);
}

static double half_of(const struct slots *s, const double slope[ROLE_MAX])
{
	bool timed = s->w->s->profile->timed, together = read_together(s->w->e);
	double slices = timed ? half_by_slices(s, slope) : 0;

	return timed && together ? slices : fmax(slices, half_apart(s, slope));
}

/* Whether every count that the share is made of has enough samples. */
static bool enough(const struct slots *s, const double slope[ROLE_MAX])
{
	for (int r = 1; r < ROLE_MAX; r++)
		if (fabs(slope[r]) > 0 && s->amount[r].samples < RATIO_MIN_SAMPLES)
			return false;
	return true;
}

void topdown_cells(struct ratio_row *r, const struct ratio_shape *shape, const struct ratio_work *w)
{
	struct slots s = { .w = w };
	uint64_t samples = 0;

	if (!shape->has[RATIO_TOPDOWN])
		return;
	s.width = w->e->topdown->width;
	take_counts(&s);
	find_slopes(&s);
	for (int role = 1; role < ROLE_MAX; role++)
		samples += s.amount[role].samples;
	for (int i = 0; samples && i < SHARES; i++) {
		struct ratio_cell *c = &r->cells[RATIO_TOPDOWN + i];

		if (!shape->has[RATIO_TOPDOWN + i])
			continue;
		c->state = s.share[i] >= 0 && enough(&s, s.slope[i]) ? RATIO_KNOWN : RATIO_TOO_FEW;
		c->value = 100 * s.share[i];
		c->half = 100 * half_of(&s, s.slope[i]);
	}
}
