/* SPDX-License-Identifier: MIT */
/*
 * What the times and periods of samples tell about how they were taken: at which rate, how evenly,
 * and whether in step with something periodic.  Pure functions; see statistics.h.
 */
#ifndef PERFREP_SAMPLING_H
#define PERFREP_SAMPLING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sample_point {
	uint64_t time, period; /* time in ns */
	uint64_t ip;
	uint32_t thread, cpu;
	int32_t pid;
	uint8_t cpumode; /* enum cpumode */
};

/* Where a sample fell: the row of the table that its function is. */
struct sample_hit {
	uint64_t time, ip;
	uint32_t thread, cpu;
	uint32_t row;
};

struct sampling_wish { /* what the recorder asked for */
	double interval; /* ns between samples of a thread that runs; 0: not a timer's */
	double frequency; /* Hz; 0: a fixed period */
};

enum { SAMPLING_PHASES = 3, SAMPLING_LINES = 3 };

struct sampling_phase { /* of the sample times in a cycle of that length */
	double cycle; /* ns */
	double r; /* 0: spread evenly over the cycle, 1: always at the same point of it */
	double p; /* that evenly spread ones look like this */
};

struct sampling_line { /* something periodic in the sample times that the sampler itself is not */
	double hz;
	double power; /* times that of random times, or of the frequencies around it */
	double p; /* that random times have such a line at any frequency */
	bool kept_up; /* at that frequency throughout: a rhythm, not a habit */
	unsigned points; /* of its cycle, that a timer's samples all fall on; 0: not in step */
};

/* Whether what is sampled depends on the point of a cycle. */
struct sampling_shares {
	double cycle; /* ns */
	double chi2,
		df; /* of rows by eighths of the cycle, within threads; df 0: too few to tell */
	double spread; /* how much more than chance shares vary at frequencies close by; 1: no more */
	double p; /* that shares which don't depend on it look like this, corrected for the cycles */
	uint32_t row; /* that depends on it most */
	double low, high; /* its share in the eighths where it is smallest and largest */
};

struct sampling {
	size_t points; /* that were looked at; 0: nothing below is known */
	double interval; /* ns, the lower quartile between samples of a thread; 0: not known */
	double period_low, period_median, period_high; /* 5 %, 50 % and 95 % quantile */
	struct sampling_phase phases[SAMPLING_PHASES]; /* 1, 4 and 10 ms */
	struct sampling_line lines[SAMPLING_LINES]; /* strongest first */
	size_t nr_lines;
	double lockstep; /* ns: the cycle that samples are in step with; 0: none */
	struct sampling_shares shares[SAMPLING_PHASES + SAMPLING_LINES];
	size_t nr_shares;
};

/*
 * Points that are near each other in time must be either all there or all left out: whole windows
 * of 2^SAMPLING_WINDOW_BITS ns, aligned.  GAPS says that some were.
 */
#define SAMPLING_WINDOW_BITS 27 /* 134 ms */

/* What the N points at V tell, which are put in another order; S is overwritten. */
void sampling_judge(struct sampling *s, struct sample_point *v, size_t n, bool gaps,
		    const struct sampling_wish *wish);
/*
 * Fill in `shares`, for the cycles of S's phases and of its lines that are kept up.  V is sorted
 * and its rows are replaced; they are below NR_ROWS, or UINT32_MAX when not known.
 */
void sampling_judge_shares(struct sampling *s, struct sample_hit *v, size_t n, size_t nr_rows,
			   const struct sampling_wish *wish);
/* The shortest cycle that shares certainly depend on, and not just a little; NULL: none. */
const struct sampling_shares *sampling_dependent(const struct sampling *s);

#endif
