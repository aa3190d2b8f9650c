/* SPDX-License-Identifier: MIT */
/* One measure of one thing (a function's self, a path's weight) on both sides, and its test. */
#ifndef PERFREP_DIFF_MEASURE_H
#define PERFREP_DIFF_MEASURE_H

#include <perfrep/diff.h>
#include <perfrep/sums.h>

/* What one recording says. */
struct estimate {
	double p, var; /* its share, and the variance of that */
	double design; /* of the variance: above 1 when samples come in bursts */
	uint64_t weight, samples;
};

/* What is known about a recording as a whole. */
struct scale {
	double cost; /* of a share of 1 */
	double n; /* effective samples: Kish's */
};

struct scales {
	struct scale *v[2]; /* by recording */
	size_t n[2];
};

void scales_init(struct scales *s, const struct diff_side side[2], enum diff_norm norm);
void scales_release(struct scales *s);

/*
 * From a weight and samples of RECORDING's event.  ALL and X are the weights of everything and of
 * the row by slice of time, SAMPLES the numbers of samples of everything; X NULL: there are none.
 */
struct estimate estimate_of(const struct diff_recording *r, const struct scale *scale,
			    uint64_t weight, uint64_t samples, const uint64_t *x,
			    const struct row_blocks *all);

/* E[0] and E[1] have as many elements as the sides have recordings. */
void measure_compute(struct diff_measure *m, const struct scales *s,
		     const struct estimate *const e[2]);
/* Whether the costs differ from AFTER = K · BEFORE, given both variances. */
bool measure_follows(const struct diff_measure *m, double k);
/* Whether there are enough hits to be tested. */
static inline bool measure_testable(const struct diff_measure *m)
{
	return m->hits[0] >= DIFF_MIN_HITS || m->hits[1] >= DIFF_MIN_HITS;
}

#endif
