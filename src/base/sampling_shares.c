/* SPDX-License-Identifier: MIT */
/*
 * Does what a program does depend on the point of a cycle?  Then a sampler that is in step with it
 * gets the shares wrong, and one that is not goes round and shows them as they are.
 *
 * The test is χ² of the ten largest rows by eighths of the cycle.  Each thread on each CPU has a
 * timer, which begins at a point of its own, and does work of its own: so rows are compared within
 * them, and the statistics add up.
 *
 * Shares change over time too.  A cycle that the sampler goes round slowly is then confounded with
 * that: 999 Hz take a second for each turn through 1 ms, and what changes within a second looks
 * like a rhythm.  But so it does at frequencies close by, where nothing happens: how much shares
 * vary there is measured, and χ² is divided by it (as Rao and Scott do with design effects).
 */
#include <perfrep/sampling.h>

#include <math.h>
#include <stdlib.h>

#include <perfrep/statistics.h>

#include "base/vec.h"

enum {
	BINS = 8,
	ROWS = 10,
	COLUMNS = ROWS + 1, /* and all others */
	FEW = 200, /* samples of a timer: fewer say nothing about phases */
	FEW_IN_BIN = 10,
	FEW_EXPECTED = 5, /* of a row in a bin: smaller ones count as others */
	NEAREST = 2, /* frequencies close by, in lines of the spectrum that the recording has */
	FARTHEST = 9,
};

#define CERTAIN 1e-6 /* of p: only then it is worth to look close by */
#define ABOVE   2.0 /* … of the shares' power, times the most there: chance does not reach that */
#define TURNS   2.5 /* through the cycle, in the recording */
#define NOTABLE 0.05 /* of the share between eighths: less is not worth a word */
#define SAME    1e-3 /* relative: a line that is one of the fixed cycles */

struct hits {
	struct sample_hit *v; /* by timer; `row` is a column of the table */
	size_t n;
	uint64_t first; /* time */
	uint32_t column[ROWS]; /* rows, largest first */
	size_t nr_columns;
	double interval; /* of the timer; 0: it is none */
	double span; /* s */
};

struct table {
	double n[BINS][COLUMNS];
};

struct chi2 {
	double sum, df;
	double of[COLUMNS]; /* the part of each column */
};

static int by_timer(const void *va, const void *vb)
{
	const struct sample_hit *a = va, *b = vb;

	if (a->thread != b->thread)
		return a->thread < b->thread ? -1 : 1;
	if (a->cpu != b->cpu)
		return a->cpu < b->cpu ? -1 : 1;
	if (a->time != b->time)
		return a->time < b->time ? -1 : 1;
	return a->ip < b->ip ? -1 : a->ip > b->ip;
}

static bool same_timer(const struct sample_hit *a, const struct sample_hit *b)
{
	return a->thread == b->thread && a->cpu == b->cpu;
}

/* The end of the samples of the timer that the one at FROM is of. */
static size_t timer_end(const struct hits *h, size_t from)
{
	size_t to = from;

	while (to < h->n && same_timer(&h->v[to], &h->v[from]))
		to++;
	return to;
}

static uint32_t column_of(const struct hits *h, uint32_t row)
{
	for (uint32_t c = 0; c < h->nr_columns; c++)
		if (h->column[c] == row)
			return c;
	return ROWS;
}

struct row_count {
	size_t n, first; /* the sample that it was met in first */
};

static bool is_larger(const struct row_count *a, const struct row_count *b)
{
	return a->n > b->n || (a->n == b->n && a->first < b->first);
}

/* Choose the largest rows; of equal ones not by their numbers, which are a matter of chance. */
static void make_columns(struct hits *h, size_t nr_rows)
{
	struct row_count *rows = xcalloc(nr_rows + 1, sizeof(*rows));

	for (size_t i = h->n; i-- > 0;)
		if (h->v[i].row < nr_rows)
			rows[h->v[i].row] = (struct row_count){ rows[h->v[i].row].n + 1, i };
	for (h->nr_columns = 0; h->nr_columns < ROWS; h->nr_columns++) {
		uint32_t best = 0;

		for (uint32_t r = 1; r < nr_rows; r++)
			if (is_larger(&rows[r], &rows[best]))
				best = r;
		if (!rows[best].n)
			break;
		h->column[h->nr_columns] = best;
		rows[best].n = 0;
	}
	for (size_t i = 0; i < h->n; i++)
		h->v[i].row = column_of(h, h->v[i].row);
	free(rows);
}

/* Those in step with the first sample fall into the middle of a bin. */
static double phase_of(const struct hits *h, size_t i, double hz)
{
	double turns = (double)(h->v[i].time - h->first) * 1e-9 * hz + 0.5 / BINS;

	return turns - floor(turns);
}

/* ---- χ² of one timer ---- */

/* Bins that no sample falls into, as of a sampler in step, are no bins; small columns are others. */
static void tidy(struct table *t, bool bin[BINS])
{
	double least = HUGE_VAL, all = 0;

	for (int b = 0; b < BINS; b++) {
		double n = 0;

		for (int c = 0; c < COLUMNS; c++)
			n += t->n[b][c];
		bin[b] = n >= FEW_IN_BIN;
		if (bin[b]) {
			least = fmin(least, n);
			all += n;
		}
	}
	for (int c = 0; c < ROWS; c++) {
		double n = 0;

		for (int b = 0; b < BINS; b++)
			n += bin[b] ? t->n[b][c] : 0;
		if (n * least >= FEW_EXPECTED * all)
			continue;
		for (int b = 0; b < BINS; b++) {
			t->n[b][ROWS] += t->n[b][c];
			t->n[b][c] = 0;
		}
	}
}

static void add_chi2(struct chi2 *x, const struct table *t, const bool bin[BINS])
{
	double of_bin[BINS] = { 0 }, of_column[COLUMNS] = { 0 }, all = 0, bins = 0, columns = 0;

	for (int b = 0; b < BINS; b++) {
		for (int c = 0; bin[b] && c < COLUMNS; c++) {
			of_bin[b] += t->n[b][c];
			of_column[c] += t->n[b][c];
			all += t->n[b][c];
		}
		bins += bin[b];
	}
	for (int c = 0; c < COLUMNS; c++) {
		columns += of_column[c] > 0;
		for (int b = 0; of_column[c] > 0 && b < BINS; b++) {
			double expected = of_bin[b] * of_column[c] / all;

			if (bin[b])
				x->of[c] += pow(t->n[b][c] - expected, 2) / expected;
		}
	}
	if (bins > 1 && columns > 1)
		x->df += (bins - 1) * (columns - 1);
}

/* All timers; SUM gets the samples of all, as they are. */
static struct chi2 chi2_at(const struct hits *h, double hz, struct table *sum)
{
	struct chi2 x = { 0 };

	*sum = (struct table){ 0 };
	for (size_t from = 0, to; from < h->n; from = to) {
		struct table t = { 0 };
		bool bin[BINS];

		to = timer_end(h, from);
		if (to - from < FEW)
			continue;
		for (size_t i = from; i < to; i++) {
			int b = (int)(phase_of(h, i, hz) * BINS);

			t.n[b][h->v[i].row]++;
			sum->n[b][h->v[i].row]++;
		}
		tidy(&t, bin);
		add_chi2(&x, &t, bin);
	}
	for (int c = 0; c < COLUMNS; c++)
		x.sum += x.of[c];
	return x;
}

/* ---- how much shares vary at other frequencies ---- */

/* The power of one timer's columns at HZ, each in units of what chance gives it; their number. */
static double add_power(const struct hits *h, size_t from, size_t to, double hz, double *columns)
{
	double re[COLUMNS] = { 0 }, im[COLUMNS] = { 0 }, n[COLUMNS] = { 0 };
	double all_re = 0, all_im = 0, power = 0, all = (double)(to - from);

	for (size_t i = from; i < to; i++) {
		double phase = 2 * M_PI * phase_of(h, i, hz);
		uint32_t c = h->v[i].row;

		re[c] += cos(phase);
		im[c] += sin(phase);
		n[c]++;
	}
	for (int c = 0; c < COLUMNS; c++) {
		all_re += re[c];
		all_im += im[c];
	}
	*columns -= 1; /* shares add up to one */
	for (int c = 0; c < COLUMNS; c++) {
		double p = n[c] / all;

		if (!(n[c] > 0))
			continue;
		power += (pow(re[c] - p * all_re, 2) + pow(im[c] - p * all_im, 2)) / n[c];
		*columns += 1;
	}
	return power;
}

/* 1 when the shares vary as chance lets them. */
static double power_at(const struct hits *h, double hz)
{
	double power = 0, columns = 0;

	for (size_t from = 0, to; from < h->n; from = to) {
		to = timer_end(h, from);
		if (to - from >= FEW)
			power += add_power(h, from, to, hz, &columns);
	}
	return columns > 0 ? power / columns : 0;
}

/* A timer goes round the cycles of both frequencies alike, once forwards and once backwards. */
static bool is_mirror(const struct hits *h, double a, double b)
{
	double turns = (a + b) * h->interval * 1e-9;

	return h->interval > 0 && fabs(turns - round(turns)) < 1.5 / h->span * h->interval * 1e-9;
}

struct spread {
	double mean, most; /* at least 1 */
};

/* On the side where they vary more: changes over time raise all to one side of a frequency. */
static struct spread spread_near(const struct hits *h, double hz)
{
	struct spread s = { 1, 1 };

	for (int side = -1; side <= 1; side += 2) {
		double sum = 0, n = 0;

		for (int k = NEAREST; k <= FARTHEST; k++) {
			double at = hz + side * k / h->span, power;

			if (at <= 0 || is_mirror(h, hz, at))
				continue;
			power = power_at(h, at);
			s.most = fmax(s.most, power);
			sum += power;
			n++;
		}
		s.mean = n > 0 ? fmax(s.mean, sum / n) : s.mean;
	}
	return s;
}

/* ---- the cycles ---- */

/* The row that the cycle matters most to, and its smallest and largest share of a bin. */
static void find_row(const struct hits *h, const struct chi2 *x, const struct table *sum,
		     struct sampling_shares *sh)
{
	size_t best = 0;

	for (size_t c = 1; c < h->nr_columns; c++)
		if (x->of[c] > x->of[best])
			best = c;
	sh->row = h->column[best];
	sh->low = 1;
	for (int b = 0; b < BINS; b++) {
		double n = 0;

		for (int c = 0; c < COLUMNS; c++)
			n += sum->n[b][c];
		if (n < FEW_IN_BIN)
			continue;
		sh->low = fmin(sh->low, sum->n[b][best] / n);
		sh->high = fmax(sh->high, sum->n[b][best] / n);
	}
}

/* Whether a timer goes round the cycle so often that it is not mistaken for one change over time. */
static bool goes_round(const struct hits *h, double hz)
{
	double turns = hz * h->interval * 1e-9;

	return !(h->interval > 0) ||
	       fabs(turns - round(turns)) * h->span * 1e9 / h->interval >= TURNS;
}

static void judge_cycle(const struct hits *h, struct sampling_shares *sh, size_t nr_cycles)
{
	double hz = 1e9 / sh->cycle;
	struct table sum;
	struct chi2 x = chi2_at(h, hz, &sum);
	struct spread near;

	sh->chi2 = x.sum;
	sh->df = x.df;
	sh->spread = 1;
	sh->p = 1;
	if (!(x.df > 0) || !h->nr_columns || !goes_round(h, hz))
		return;
	find_row(h, &x, &sum, sh);
	sh->p = fmin(1, chi2_tail(x.sum, x.df) * (double)nr_cycles);
	if (sh->p > CERTAIN)
		return;
	near = spread_near(h, hz);
	sh->spread = near.mean;
	sh->p = power_at(h, hz) > ABOVE * near.most
			? fmin(1, chi2_tail(x.sum / near.mean, x.df) * (double)nr_cycles)
			: 1;
}

/* The fixed cycles, and those of rhythms that are none of these. */
static void choose_cycles(struct sampling *s)
{
	s->nr_shares = 0;
	for (size_t i = 0; i < SAMPLING_PHASES; i++)
		s->shares[s->nr_shares++] = (struct sampling_shares){ .cycle = s->phases[i].cycle };
	for (size_t i = 0; i < s->nr_lines; i++) {
		double cycle = 1e9 / s->lines[i].hz;
		bool known = !s->lines[i].kept_up;

		for (size_t k = 0; k < SAMPLING_PHASES; k++)
			known |= fabs(cycle / s->phases[k].cycle - 1) < SAME;
		if (!known)
			s->shares[s->nr_shares++] = (struct sampling_shares){ .cycle = cycle };
	}
}

void sampling_judge_shares(struct sampling *s, struct sample_hit *v, size_t n, size_t nr_rows,
			   const struct sampling_wish *wish)
{
	struct hits h = { .v = v, .n = n, .first = UINT64_MAX, .interval = wish->interval };
	uint64_t last = 0;

	s->nr_shares = 0;
	if (n < FEW)
		return;
	qsort(v, n, sizeof(*v), by_timer);
	for (size_t i = 0; i < n; i++) {
		h.first = v[i].time < h.first ? v[i].time : h.first;
		last = v[i].time > last ? v[i].time : last;
	}
	if (last <= h.first)
		return;
	h.span = (double)(last - h.first) / 1e9;
	make_columns(&h, nr_rows);
	choose_cycles(s);
	for (size_t i = 0; i < s->nr_shares; i++)
		judge_cycle(&h, &s->shares[i], s->nr_shares);
}

const struct sampling_shares *sampling_dependent(const struct sampling *s)
{
	const struct sampling_shares *best = NULL;

	for (size_t i = 0; i < s->nr_shares; i++) {
		const struct sampling_shares *sh = &s->shares[i];

		if (sh->p < CERTAIN && sh->high - sh->low >= NOTABLE &&
		    (!best || sh->cycle < best->cycle))
			best = sh;
	}
	return best;
}
