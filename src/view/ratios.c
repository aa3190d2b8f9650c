/* SPDX-License-Identifier: MIT */
/*
 * One pass over the stacks of each event that has a part in a ratio: a stack belongs to the row of
 * its innermost line.  Sums are kept by slices of the recording's time, since samples near each
 * other are alike, and what varies between slices tells how sure a ratio is.
 *
 * Events that were read together (a group whose leader is sampled) give both numbers of the same
 * samples.  Events that were sampled apart land apart: both sums vary by themselves.
 */
#include "view/ratios.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <perfrep/statistics.h>

#include "base/hash.h"
#include "base/hashidx.h"
#include "base/strbuf.h"
#include "base/xmalloc.h"
#include "view/colour.h"
#include "view/wrap.h"

struct ratio_rule {
	enum counter_role y, x;
	double scale;
};

static const struct ratio_rule rules[RATIO_KINDS] = {
	[RATIO_IPC] = { ROLE_INSTRUCTIONS, ROLE_CYCLES, 1 },
	[RATIO_BRANCH_MISS] = { ROLE_BRANCH_MISSES, ROLE_BRANCHES, 100 },
	[RATIO_MPKI] = { ROLE_LLC_MISSES, ROLE_INSTRUCTIONS, 1000 },
	[RATIO_FAULTS] = { ROLE_PAGE_FAULTS, ROLE_CPU_TIME, 1e9 },
	[RATIO_SWITCHES] = { ROLE_CONTEXT_SWITCHES, ROLE_CPU_TIME, 1e9 },
};

/* What makes a row: the parts of root and frame that are keys. */
struct identity {
	uint32_t v[8];
};

struct sums { /* of one event, by row */
	uint64_t *weight, *samples;
	uint64_t *blocks; /* [row * PROFILE_BLOCKS + block]; NULL without times */
	uint64_t *all_weight, *all_samples; /* [PROFILE_BLOCKS], of the event */
};

struct work {
	const struct table *t;
	const struct ratio_events *e;
	struct hashidx index; /* identity -> row */
	struct identity *rows;
	struct sums *sums; /* by event of the profile; without arrays: not needed */
};

static struct identity identity_of(const struct table *t, const struct stack_key *k,
				   const struct line *l)
{
	const struct profile *p = t->profile;
	const struct view_keys *keys = &t->opts.keys;
	struct identity id = { { 0 } };

	for (size_t i = 0; i < keys->n; i++) {
		switch (keys->v[i]) {
		case KEY_COMM:
			id.v[0] = k->comm;
			break;
		case KEY_PID:
			id.v[1] = (uint32_t)k->pid;
			break;
		case KEY_TID:
			id.v[2] = (uint32_t)k->tid;
			break;
		case KEY_CPU:
			id.v[3] = (uint32_t)k->cpu;
			break;
		case KEY_DSO:
			id.v[4] = l ? p->funcs[l->func].module : UINT32_MAX;
			break;
		case KEY_SYM:
			id.v[5] = l ? p->funcs[l->func].name : UINT32_MAX;
			break;
		case KEY_SRCLINE:
			id.v[6] = l ? l->file : UINT32_MAX;
			id.v[7] = l ? l->line : UINT32_MAX;
			break;
		case KEY_SRCFILE:
			id.v[6] = l ? l->file : UINT32_MAX;
			break;
		default:
			break;
		}
	}
	return id;
}

static void index_rows(struct work *w)
{
	const struct table *t = w->t;
	const struct profile *p = t->profile;

	w->rows = xcalloc(t->n + 1, sizeof(*w->rows));
	for (size_t i = 0; i < t->n; i++) {
		const struct table_row *row = &t->rows[i];

		w->rows[i] = identity_of(t, &p->keys[row->key],
					 row->line == PROFILE_NONE ? NULL : &p->lines[row->line]);
		hashidx_add(&w->index, hash_bytes(&w->rows[i], sizeof(w->rows[i])), (uint32_t)i);
	}
}

static uint32_t find_row(const struct work *w, const struct identity *id)
{
	struct hashidx_iter it = hashidx_first(&w->index, hash_bytes(id, sizeof(*id)));
	uint32_t row;

	while ((row = hashidx_next(&w->index, &it)) != HASHIDX_NONE)
		if (!memcmp(&w->rows[row], id, sizeof(*id)))
			break;
	return row;
}

static void sum_event(struct work *w, uint32_t event)
{
	const struct profile *p = w->t->profile;
	struct sums *s = &w->sums[event];
	struct stack_iter it;

	if (s->weight)
		return;
	s->weight = xcalloc(w->t->n + 1, sizeof(*s->weight));
	s->samples = xcalloc(w->t->n + 1, sizeof(*s->samples));
	s->all_weight = xcalloc(PROFILE_BLOCKS, sizeof(*s->all_weight));
	s->all_samples = xcalloc(PROFILE_BLOCKS, sizeof(*s->all_samples));
	if (p->timed)
		s->blocks = xcalloc((w->t->n + 1) * PROFILE_BLOCKS, sizeof(*s->blocks));
	stack_iter_init(&it, p, event);
	it.by_block = p->timed;
	while (stack_iter_next(&it)) {
		const struct location *l = it.n ? &p->locs[it.locs[it.n - 1]] : NULL;
		const struct line *line = l && l->nr_lines ? &p->lines[l->first_line] : NULL;
		struct identity id = identity_of(w->t, &p->keys[it.key], line);
		uint32_t row = find_row(w, &id);

		s->all_weight[it.block] += it.weight;
		s->all_samples[it.block] += it.count;
		if (row == HASHIDX_NONE)
			continue;
		s->weight[row] += it.weight;
		s->samples[row] += it.count;
		if (s->blocks)
			s->blocks[row * PROFILE_BLOCKS + it.block] += it.weight;
	}
	stack_iter_release(&it);
}

/* What a row has of a role, over all kinds of core. */
struct amount {
	double value, var;
	uint64_t samples;
	double mean; /* weight of a sample of the event */
};

static double row_variance(const struct work *w, uint32_t event, size_t row)
{
	const struct profile_event *e = &w->t->profile->events[event];
	const struct sums *s = &w->sums[event];
	double n = profile_effective_samples(e), all = (double)e->weight;
	struct share share;

	if (all <= 0)
		return 0;
	if (s->blocks)
		share = share_of_blocks(s->blocks + row * PROFILE_BLOCKS, s->all_weight,
					s->all_samples, PROFILE_BLOCKS, n);
	else
		share = share_binomial((double)s->weight[row] / all, n);
	return share_variance(&share) * all * all;
}

static struct amount amount_of(const struct work *w, enum counter_role role, size_t row)
{
	struct amount a = { .value = 0 };

	for (size_t k = 0; k < COUNTER_KINDS; k++) {
		uint32_t event = w->e->event[role][k];
		const struct profile_event *e;

		if (event == PROFILE_NONE)
			break;
		e = &w->t->profile->events[event];
		a.value += (double)w->sums[event].weight[row];
		a.samples += w->sums[event].samples[row];
		a.var += row_variance(w, event, row);
		if (e->samples && (double)e->weight / (double)e->samples > a.mean)
			a.mean = (double)e->weight / (double)e->samples;
	}
	return a;
}

/* Both roles are of one event each, and these were read together. */
static bool read_together(const struct ratio_events *e, enum counter_role y, enum counter_role x)
{
	return e->group && e->event[y][1] == PROFILE_NONE && e->event[x][1] == PROFILE_NONE &&
	       e->group[e->event[y][0]] == e->group[e->event[x][0]];
}

static struct ratio ratio_of(const struct work *w, enum counter_role y, enum counter_role x,
			     const struct amount *ay, const struct amount *ax, size_t row)
{
	const struct sums *sy = &w->sums[w->e->event[y][0]], *sx = &w->sums[w->e->event[x][0]];

	if (read_together(w->e, y, x) && sy->blocks)
		return ratio_of_blocks(sy->blocks + row * PROFILE_BLOCKS,
				       sx->blocks + row * PROFILE_BLOCKS, PROFILE_BLOCKS);
	return ratio_apart(ay->value, ay->var, ax->value, ax->var);
}

static bool has_role(const struct ratio_events *e, enum counter_role role)
{
	return e->event[role][0] != PROFILE_NONE;
}

static bool has_ratio(const struct ratio_events *e, enum ratio_kind kind)
{
	return has_role(e, rules[kind].y) && has_role(e, rules[kind].x);
}

static struct ratio_cell cell_of(const struct work *w, enum ratio_kind kind, size_t row)
{
	const struct ratio_rule *rule = &rules[kind];
	struct amount y = amount_of(w, rule->y, row), x = amount_of(w, rule->x, row);
	struct ratio_cell c = { .state = RATIO_ABSENT };
	struct ratio r;

	if (!x.samples && !y.samples)
		return c;
	if (x.samples < RATIO_MIN_SAMPLES || y.samples < RATIO_MIN_SAMPLES) {
		c.state = RATIO_TOO_FEW;
		return c;
	}
	r = ratio_of(w, rule->y, rule->x, &y, &x, row);
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
static struct bounds bounds_of(const struct work *w, enum counter_role role,
			       const struct amount *cycles, size_t row)
{
	struct amount a = amount_of(w, role, row);
	double n = (double)a.samples, z2 = STAT_Z95 * STAT_Z95;
	struct ratio r;

	if (a.samples < RATIO_MIN_SAMPLES)
		return (struct bounds){ 0, (n + z2 / 2 + STAT_Z95 * sqrt(n + z2 / 4)) * a.mean /
						   cycles->value };
	r = ratio_of(w, role, ROLE_CYCLES, &a, cycles, row);
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

static struct row_verdict verdict_of(const struct work *w, size_t row)
{
	struct amount cycles = amount_of(w, ROLE_CYCLES, row);
	struct row_verdict v = { .state = RATIO_ABSENT };
	struct bounds llc, branch;

	if (!cycles.samples)
		return v;
	v.state = RATIO_TOO_FEW;
	if (cycles.samples < RATIO_MIN_SAMPLES || cycles.value <= 0)
		return v;
	llc = bounds_of(w, ROLE_LLC_MISSES, &cycles, row);
	branch = bounds_of(w, ROLE_BRANCH_MISSES, &cycles, row);
	v.may_be = outcomes(&llc, &branch, w->e);
	v.state = RATIO_KNOWN;
	return v;
}

bool ratios_possible(const struct ratio_events *e)
{
	for (int k = 0; k < RATIO_KINDS; k++)
		if (has_ratio(e, (enum ratio_kind)k))
			return true;
	return false;
}

static void sum_roles(struct work *w)
{
	for (int role = 0; role < ROLE_MAX; role++)
		for (size_t k = 0; k < COUNTER_KINDS; k++)
			if (w->e->event[role][k] != PROFILE_NONE)
				sum_event(w, w->e->event[role][k]);
}

static void release(struct work *w)
{
	for (size_t i = 0; i < w->t->profile->nr_events; i++) {
		free(w->sums[i].weight);
		free(w->sums[i].samples);
		free(w->sums[i].blocks);
		free(w->sums[i].all_weight);
		free(w->sums[i].all_samples);
	}
	free(w->sums);
	free(w->rows);
	hashidx_release(&w->index);
}

void table_ratios_build(struct table_ratios *r, const struct table *t, const struct ratio_events *e)
{
	struct work w = { .t = t, .e = e };

	*r = (struct table_ratios){ .cells = xcalloc(t->n + 1, sizeof(*r->cells)),
				    .verdict = xcalloc(t->n + 1, sizeof(*r->verdict)) };
	r->verdicts = has_role(e, ROLE_CYCLES) && has_role(e, ROLE_LLC_MISSES) &&
		      has_role(e, ROLE_BRANCH_MISSES);
	r->grouped = true;
	for (int k = 0; k < RATIO_KINDS; k++) {
		r->has[k] = has_ratio(e, (enum ratio_kind)k);
		r->grouped &= !r->has[k] || read_together(e, rules[k].y, rules[k].x);
	}
	w.sums = xcalloc(t->profile->nr_events + 1, sizeof(*w.sums));
	index_rows(&w);
	sum_roles(&w);
	for (size_t row = 0; row < t->n; row++) {
		for (int k = 0; k < RATIO_KINDS; k++)
			if (r->has[k])
				r->cells[row][k] = cell_of(&w, (enum ratio_kind)k, row);
		if (r->verdicts)
			r->verdict[row] = verdict_of(&w, row);
	}
	release(&w);
}

void table_ratios_release(struct table_ratios *r)
{
	free(r->cells);
	free(r->verdict);
	memset(r, 0, sizeof(*r));
}

void ratios_note(const struct table *t, const struct view_style *style, struct strbuf *sb)
{
	const struct table_ratios *r = t->ratios;
	const char *text =
		"Events were sampled apart: a sample lands some instructions behind its cause, not "
		"equally far for each event, so ratios of short functions mix with their "
		"neighbours'.";

	if (!r ||
	    !(r->grouped || r->has[RATIO_IPC] || r->has[RATIO_MPKI] || r->has[RATIO_BRANCH_MISS]))
		return; /* the kernel's own events don't skid */
	if (r->grouped)
		text = "Events were read together: what was counted since the sample before is all "
		       "given to the function that was sampled, so functions that run shorter than "
		       "that look alike.";
	if (style->format == VIEW_MARKDOWN)
		strbuf_addc(sb, '\n');
	colour_on(sb, style->colour, COLOUR_DIM);
	wrap_text(sb, style->width, 0, 2, text);
	colour_off(sb, style->colour, COLOUR_DIM);
}
