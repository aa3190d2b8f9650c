/* SPDX-License-Identifier: MIT */
/* What is made of measured rows: their kinds, their order, and what they have to do with others. */
#ifndef PERFREP_DIFF_JUDGE_H
#define PERFREP_DIFF_JUDGE_H

#include <perfrep/diff.h>

/* All that follows from the rows' measures. */
void judge(struct diff *d);
/* Adjust the p-values of those of N measures that can be tested; how many those are. */
size_t judge_adjust(struct diff_measure *const *m, size_t n);
/* The kind of something that was measured M, with TOTAL below it, when shares moved by SHIFT. */
enum diff_kind judge_kind(const struct diff_measure *m, const struct diff_measure *total,
			  double shift);

#endif
